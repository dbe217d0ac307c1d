// SPDX-License-Identifier: MIT
// Cost and obstacles of a task file.
#include <math.h>
#include <string.h>

#include "ocp/ocp_internal.h"

enum { MAX_OBSTACLES = 1000 };
static const double UNIT_LENGTH = 1e-9;  // a normal this close to length 1 is not scaled

static Status read_tracking(OcpReader *r, const JsonAt *at, Error *err) {
  OcpCost *cost = &r->o->cost;
  const JsonKeys *keys = &ocp_keys_tracking;
  if (!json_keys_check(at, keys, err)) return err->code;
  JsonAt frame = json_find(at, "frame");
  if (ocp_read_frame(r->o, &frame, &cost->tracking_frame, err)) return err->code;
  if (!json_keys_numbers(at, keys, "target", 3, cost->tracking_target, err)) return err->code;
  if (!json_keys_number(at, keys, "weight", &cost->tracking, err)) return err->code;
  return STATUS_OK;
}

static Status note_cost(OcpReader *r, const JsonAt *at, Error *err) {
  const Ocp *o = r->o;
  const OcpCost *c = &o->cost;
  if (c->time > 0 && !o->free_time) {
    JsonAt time = json_find(at, "time");
    if (ocp_note(r->o, &time, err, "has no effect: the horizon is fixed to %g s", o->T)) {
      return err->code;
    }
  }
  if (c->torque + c->torque_rate + c->velocity + c->acceleration + c->time + c->tracking == 0) {
    return ocp_note(r->o, at, err, "all weights are 0: any motion that reaches the goal will do");
  }
  return STATUS_OK;
}

Status ocp_read_cost(OcpReader *r, Error *err) {
  OcpCost *cost = &r->o->cost;
  const JsonKeys *keys = &ocp_keys_cost;
  JsonAt at = json_find(&r->root, "cost");
  *cost = (OcpCost){.tracking_frame = -1};
  if (!at.node) {
    cost->torque = 1;  // the default of the table of tasks
    return STATUS_OK;
  }
  if (!json_keys_check(&at, keys, err)) return err->code;
  const struct {
    const char *name;
    double *weight;
  } term[] = {{"torque", &cost->torque},
              {"torque_rate", &cost->torque_rate},
              {"velocity", &cost->velocity},
              {"acceleration", &cost->acceleration},
              {"time", &cost->time}};
  for (size_t i = 0; i < sizeof term / sizeof term[0]; i++) {
    if (!json_keys_number(&at, keys, term[i].name, term[i].weight, err)) return err->code;
  }
  JsonAt tracking = json_find(&at, "tracking");
  if (tracking.node && read_tracking(r, &tracking, err)) return err->code;
  return note_cost(r, &at, err);
}

static Status read_sphere(const JsonAt *at, OcpObstacle *x, Error *err) {
  const JsonKeys *keys = &ocp_keys_sphere;
  if (!json_keys_check(at, keys, err)) return err->code;
  if (!json_keys_numbers(at, keys, "center", 3, x->center, err)) return err->code;
  if (!json_keys_number(at, keys, "radius", &x->radius, err)) return err->code;
  JsonAt radius = json_find(at, "radius");
  if (x->radius <= 0) return json_fail(&radius, err, "%g m is not above 0", x->radius);
  x->sphere = true;
  return STATUS_OK;
}

static Status read_half_space(OcpReader *r, const JsonAt *at, OcpObstacle *x, Error *err) {
  const JsonKeys *keys = &ocp_keys_half_space;
  if (!json_keys_check(at, keys, err)) return err->code;
  if (!json_keys_numbers(at, keys, "normal", 3, x->normal, err)) return err->code;
  if (!json_keys_number(at, keys, "offset", &x->offset, err)) return err->code;
  JsonAt normal = json_find(at, "normal");
  double length = hypot(hypot(x->normal[0], x->normal[1]), x->normal[2]);
  if (length < UNIT_LENGTH) {
    return json_fail(&normal, err, "%g %g %g is not a direction", x->normal[0], x->normal[1],
                     x->normal[2]);
  }
  if (fabs(length - 1) <= UNIT_LENGTH) return STATUS_OK;
  // the same plane: normal . p >= offset, both divided
  for (int i = 0; i < 3; i++) x->normal[i] /= length;
  x->offset /= length;
  return ocp_note(r->o, &normal, err, "has length %g: scaled to 1, and the offset with it, to %g m",
                  length, x->offset);
}

static Status read_obstacle(OcpReader *r, const JsonAt *at, OcpObstacle *x, Error *err) {
  if (!json_keys_check(at, &ocp_keys_obstacle, err)) return err->code;
  JsonAt name = json_find(at, "name"), frame = json_find(at, "frame");
  JsonAt sphere = json_find(at, "sphere"), half_space = json_find(at, "half_space");
  const char *text = NULL;
  if (name.node && !json_string(&name, &text, err)) return err->code;
  x->name = text ? arena_strdup(r->o->arena, text) : ocp_printf(r->o, "obstacle %d", at->index);
  if (!x->name) return error_no_memory(err);
  if (ocp_read_frame(r->o, &frame, &x->frame, err)) return err->code;
  if (sphere.node && half_space.node) {
    return json_fail(at, err,
                     "\"sphere\" and \"half_space\": only one is allowed, use two entries");
  }
  if (sphere.node) return read_sphere(&sphere, x, err);
  if (half_space.node) return read_half_space(r, &half_space, x, err);
  return json_fail(at, err, "missing \"sphere\" or \"half_space\"");
}

Status ocp_read_obstacles(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  JsonAt at = json_find(&r->root, "obstacles");
  int n = json_count(&at);
  if (n > MAX_OBSTACLES) {
    return json_fail(&at, err, "%d obstacles, at most %d are allowed", n, MAX_OBSTACLES);
  }
  o->obstacle = arena_array(o->arena, (size_t)n, sizeof *o->obstacle);
  if (!o->obstacle) return error_no_memory(err);
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    if (read_obstacle(r, &e, &o->obstacle[e.index], err)) return err->code;
    o->n_obstacle = e.index + 1;
  }
  return STATUS_OK;
}
