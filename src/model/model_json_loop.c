// SPDX-License-Identifier: MIT
// The loops of a robot file in JSON, and the plane of a planar mechanism.
#include <math.h>
#include <string.h>

#include "base/json_keys.h"
#include "base/nearest.h"
#include "model/model_internal.h"
#include "model/model_keys.h"

static const double ZERO_AXIS = 1e-9;  // length below which an axis has no direction

static Status read_type(const JsonAt *loop, LoopType *out, Error *err) {
  JsonAt at = json_find(loop, "type");
  const char *name = NULL, *names[N_LOOP_TYPES];
  if (!json_string(&at, &name, err)) return err->code;
  for (int i = 0; i < N_LOOP_TYPES; i++) {
    names[i] = model_loop_type((LoopType)i);
    if (strcmp(name, names[i]) != 0) continue;
    *out = (LoopType)i;
    return STATUS_OK;
  }
  const char *near = nearest_name(name, names, N_LOOP_TYPES);
  if (near) {
    return json_fail(&at, err, "unknown loop type \"%.60s\"; did you mean \"%s\"?", name, near);
  }
  return json_fail(&at, err, "unknown loop type \"%.60s\"; known: %s", name,
                   json_keys_find(&model_keys_loop, "type")->what);
}

// reads a direction and normalises it
static Status read_direction(const JsonAt *object, const JsonKeys *keys, const char *key,
                             double out[3], Error *err) {
  if (!json_keys_numbers(object, keys, key, 3, out, err)) return err->code;
  double norm = sqrt(geom3_dot(out, out));
  if (norm < ZERO_AXIS) {
    JsonAt at = json_find(object, key);
    return json_fail(&at, err, "%g %g %g is not a direction", out[0], out[1], out[2]);
  }
  for (int i = 0; i < 3; i++) out[i] /= norm;
  return STATUS_OK;
}

static bool has_axis(LoopType type) {
  return type == LOOP_REVOLUTE || type == LOOP_UNIVERSAL || type == LOOP_PRISMATIC;
}

static Status read_side(RawRobot *r, const JsonAt *loop, const char *key, LoopType type,
                        const char **carrier, Frame3 *out, Error *err) {
  const JsonKeys *keys = &model_keys_loop_frame;
  JsonAt at = json_find(loop, key), axis = json_find(&at, "axis");
  if (!json_keys_check(&at, keys, err)) return err->code;
  if (raw_read_name(r, &at, "body", carrier, err)) return err->code;
  if (raw_read_placement(&at, keys, out, err)) return err->code;
  if (!axis.node) return STATUS_OK;
  if (!has_axis(type)) {
    return json_fail(&axis, err, "a %s loop has no axis", model_loop_type(type));
  }
  double direction[3], turn[9], R[9];
  if (read_direction(&at, keys, "axis", direction, err)) return err->code;
  geom3_z_to(direction, turn);
  geom3_mul(out->R, turn, R);
  memcpy(out->R, R, sizeof R);
  return STATUS_OK;
}

// the rows of a list of names
static Status read_rows(const JsonAt *loop, RawLoop *l, Error *err) {
  JsonAt rows = json_find(loop, "rows");
  if (!rows.node) return STATUS_OK;
  for (JsonAt e = json_first(&rows); e.node; json_next(&e)) {
    const char *name = NULL, *names[N_LOOP_ROWS];
    int n = 0, bit = -1;
    if (!json_string(&e, &name, err)) return err->code;
    for (int i = 0; i < N_LOOP_ROWS; i++) {
      if (!(model_loop_all_rows(l->type) & 1u << i)) continue;
      names[n++] = model_row_name(1u << i);
      if (strcmp(name, names[n - 1]) == 0) bit = i;
    }
    if (bit < 0) {
      const char *near = nearest_name(name, names, n);
      return json_fail(&e, err, "loop \"%s\" of type %s has no row \"%.20s\"%s%s%s", l->name,
                       model_loop_type(l->type), name, near ? "; did you mean \"" : "",
                       near ? near : "", near ? "\"?" : "");
    }
    if (l->rows & 1u << bit) return json_fail(&e, err, "row \"%s\" is there twice", name);
    l->rows |= 1u << bit;
  }
  if (!l->rows) return json_fail(&rows, err, "loop \"%s\" without any row closes nothing", l->name);
  return STATUS_OK;
}

static Status read_loop(RawRobot *r, RawLoop *l, const JsonAt *at, Error *err) {
  if (!json_keys_check(at, &model_keys_loop, err)) return err->code;
  if (raw_read_name(r, at, "name", &l->name, err)) return err->code;
  if (read_type(at, &l->type, err)) return err->code;
  static const char *const side[2] = {"first", "second"};
  for (int i = 0; i < 2; i++) {
    if (read_side(r, at, side[i], l->type, &l->carrier[i], &l->placement[i], err)) return err->code;
  }
  JsonAt distance = json_find(at, "distance");
  if (distance.node && l->type != LOOP_DISTANCE) {
    return json_fail(&distance, err, "loop \"%s\" of type %s has no distance", l->name,
                     model_loop_type(l->type));
  }
  if (!json_keys_number(at, &model_keys_loop, "distance", &l->distance, err)) return err->code;
  if (l->type == LOOP_DISTANCE && !(l->distance > 0)) {
    return json_fail(distance.node ? &distance : at, err,
                     "loop \"%s\" of type distance needs a \"distance\" above 0 (a spherical loop "
                     "holds two points together)",
                     l->name);
  }
  return read_rows(at, l, err);
}

Status raw_read_loops(RawRobot *r, const JsonAt *root, Error *err) {
  JsonAt loops = json_find(root, "loops");
  int n = json_count(&loops);
  if (n > MODEL_MAX_JOINTS) {
    return json_fail(&loops, err, "%d loops, at most %d are allowed", n, MODEL_MAX_JOINTS);
  }
  r->planar = json_find(root, "planar").node != NULL;
  if (r->planar && read_direction(root, &model_keys_robot, "planar", r->normal, err)) {
    return err->code;
  }
  r->loop = arena_array(r->arena, (size_t)n, sizeof *r->loop);
  if (!r->loop) return error_no_memory(err);
  for (JsonAt e = json_first(&loops); e.node; json_next(&e)) {
    RawLoop *l = &r->loop[r->n_loop++];
    l->where = raw_printf(r, "loops[%d]", e.index);
    if (!l->where) return error_no_memory(err);
    if (read_loop(r, l, &e, err)) return err->code;
  }
  return STATUS_OK;
}
