// SPDX-License-Identifier: MIT
// Robot files in JSON: docs/robot_format.md; the keys are in model_keys.c.
#include <string.h>

#include "base/json_keys.h"
#include "model/model_internal.h"
#include "model/model_keys.h"

static const double SYMMETRY = 1e-9;  // largest relative difference of mirrored elements

// a name that can head a column of a CSV file and stand in a message
Status raw_read_name(RawRobot *r, const JsonAt *object, const char *key, const char **out,
                     Error *err) {
  JsonAt at = json_find(object, key);
  const char *name = NULL;
  if (!json_string(&at, &name, err)) return err->code;
  if (!*name) return json_fail(&at, err, "name is empty");
  if (strlen(name) > MODEL_MAX_NAME) {
    return json_fail(&at, err, "name is longer than %d bytes", MODEL_MAX_NAME);
  }
  for (const char *c = name; *c; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr(",\"\\", *c)) {
      return json_fail(&at, err, "name \"%s\" has a comma, quote, backslash or control character",
                       name);
    }
  }
  *out = arena_strdup(r->arena, name);
  return *out ? STATUS_OK : error_no_memory(err);
}

Status raw_read_placement(const JsonAt *at, const JsonKeys *keys, Frame3 *out, Error *err) {
  JsonAt rpy = json_find(at, "rpy"), rpy_deg = json_find(at, "rpy_deg");
  if (rpy.node && rpy_deg.node) {
    return json_fail(&rpy_deg, err, "\"rpy\" is given too: only one of the two is allowed");
  }
  double angles[3];
  if (!json_keys_numbers(at, keys, "xyz", 3, out->p, err)) return err->code;
  const char *key = rpy_deg.node ? "rpy_deg" : "rpy";
  if (!json_keys_numbers(at, keys, key, 3, angles, err)) return err->code;
  if (rpy_deg.node) {
    geom3_rpy_deg(angles, out->R);
  } else {
    geom3_rpy(angles, out->R);
  }
  return STATUS_OK;
}

// an array of three rows
static Status read_rows(const JsonAt *at, double I[9], Error *err) {
  double size = 0;
  for (JsonAt row = json_first(at); row.node; json_next(&row)) {
    double x[3];
    if (!json_numbers(&row, 3, x, err)) return err->code;
    for (int j = 0; j < 3; j++) {
      I[row.index + 3 * j] = x[j];
      if (x[j] > size || -x[j] > size) size = x[j] < 0 ? -x[j] : x[j];
    }
  }
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < j; i++) {
      double a = I[i + 3 * j], b = I[j + 3 * i], d = a - b;
      if (d > SYMMETRY * size || -d > SYMMETRY * size) {
        return json_fail(at, err, "not symmetric: [%d][%d] is %g and [%d][%d] is %g", i, j, a, j, i,
                         b);
      }
      I[i + 3 * j] = I[j + 3 * i] = 0.5 * (a + b);
    }
  }
  return STATUS_OK;
}

static Status read_named(const JsonAt *at, double I[9], Error *err) {
  const JsonKeys *keys = &model_keys_inertia;
  if (!json_keys_check(at, keys, err)) return err->code;
  static const struct {
    const char *key;
    int i, j;
  } element[] = {{"ixx", 0, 0}, {"iyy", 1, 1}, {"izz", 2, 2},
                 {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyz", 1, 2}};
  for (int e = 0; e < 6; e++) {
    double x = 0;
    if (!json_keys_number(at, keys, element[e].key, &x, err)) return err->code;
    I[element[e].i + 3 * element[e].j] = I[element[e].j + 3 * element[e].i] = x;
  }
  return STATUS_OK;
}

static Status read_inertia(const JsonAt *body, double I[9], Error *err) {
  memset(I, 0, 9 * sizeof *I);
  JsonAt at = json_find(body, "inertia");
  double rpy[3], R[9], diagonal[3];
  if (!json_keys_numbers(body, &model_keys_body, "inertia_rpy", 3, rpy, err)) return err->code;
  if (!at.node && json_find(body, "inertia_rpy").node) {
    return json_fail(body, err, "\"inertia_rpy\" without \"inertia\"");
  }
  if (!at.node) return STATUS_OK;

  JsonAt first = json_first(&at);
  if (json_type(&at) == JSON_OBJECT) {
    if (read_named(&at, I, err)) return err->code;
  } else if (json_count(&at) != 3) {
    return json_fail(&at, err, "must be 3 numbers (diagonal) or 3 rows of 3, not an array of %d",
                     json_count(&at));
  } else if (json_type(&first) == JSON_ARRAY) {
    if (read_rows(&at, I, err)) return err->code;
  } else {
    if (!json_numbers(&at, 3, diagonal, err)) return err->code;
    for (int i = 0; i < 3; i++) I[4 * i] = diagonal[i];
  }
  geom3_rpy(rpy, R);
  geom3_turn_inertia(R, I, I);
  return STATUS_OK;
}

static Status read_body(RawRobot *r, RawBody *b, const JsonAt *at, Error *err) {
  const JsonKeys *keys = &model_keys_body;
  if (!json_keys_check(at, keys, err)) return err->code;
  if (raw_read_name(r, at, "name", &b->name, err)) return err->code;
  if (!json_keys_number(at, keys, "mass", &b->inertia.mass, err)) return err->code;
  if (!json_keys_numbers(at, keys, "com", 3, b->inertia.com, err)) return err->code;
  return read_inertia(at, b->inertia.I, err);
}

static Status read_frame(RawRobot *r, RawFrame *f, const JsonAt *at, Error *err) {
  if (!json_keys_check(at, &model_keys_frame, err)) return err->code;
  if (raw_read_name(r, at, "name", &f->name, err)) return err->code;
  if (raw_read_name(r, at, "body", &f->body, err)) return err->code;
  return raw_read_placement(at, &model_keys_frame, &f->placement, err);
}

static Status read_pose(RawRobot *r, RawPose *p, const JsonAt *at, Error *err) {
  if (!json_object(at, err)) return err->code;
  int n = json_count(at);
  p->joint = arena_array(r->arena, (size_t)n, sizeof *p->joint);
  p->value = arena_array(r->arena, (size_t)n, sizeof *p->value);
  if (!p->joint || !p->value) return error_no_memory(err);
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (strcmp(e.key, "comment") == 0 && json_type(&e) == JSON_STRING) continue;
    double x = 0;
    if (!json_number(&e, &x, err)) return err->code;
    if (x > model_keys_robot.largest || x < -model_keys_robot.largest) {
      return json_fail(&e, err, "%g is out of range: at most %g in size", x,
                       model_keys_robot.largest);
    }
    p->value[p->n] = x;
    p->joint[p->n] = arena_strdup(r->arena, e.key);
    if (!p->joint[p->n++]) return error_no_memory(err);
  }
  return STATUS_OK;
}

static Status read_poses(RawRobot *r, const JsonAt *at, Error *err) {
  r->pose = arena_array(r->arena, (size_t)json_count(at), sizeof *r->pose);
  if (!r->pose) return error_no_memory(err);
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (strcmp(e.key, "comment") == 0 && json_type(&e) == JSON_STRING) continue;
    RawPose *p = &r->pose[r->n_pose++];
    p->name = arena_strdup(r->arena, e.key);
    p->where = raw_printf(r, "poses.%.60s", e.key);
    if (!p->name || !p->where) return error_no_memory(err);
    if (read_pose(r, p, &e, err)) return err->code;
  }
  return STATUS_OK;
}

static Status read_bodies(RawRobot *r, const JsonAt *at, Error *err) {
  r->body = arena_array(r->arena, (size_t)json_count(at), sizeof *r->body);
  if (!r->body) return error_no_memory(err);
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    RawBody *b = &r->body[r->n_body++];
    b->where = raw_printf(r, "bodies[%d]", e.index);
    if (!b->where) return error_no_memory(err);
    if (read_body(r, b, &e, err)) return err->code;
  }
  return r->n_body ? STATUS_OK
                   : json_fail(at, err, "no bodies: the root at least must be declared");
}

static Status read_joints(RawRobot *r, const JsonAt *at, Error *err) {
  int n = json_count(at);
  if (n > MODEL_MAX_JOINTS) {
    return json_fail(at, err, "%d joints, at most %d are allowed", n, MODEL_MAX_JOINTS);
  }
  r->joint = arena_array(r->arena, (size_t)n, sizeof *r->joint);
  if (!r->joint) return error_no_memory(err);
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    RawJoint *j = &r->joint[r->n_joint++];
    j->where = raw_printf(r, "joints[%d]", e.index);
    if (!j->where) return error_no_memory(err);
    if (raw_read_joint(r, j, &e, err)) return err->code;
  }
  return STATUS_OK;
}

static Status read_frames(RawRobot *r, const JsonAt *at, Error *err) {
  r->frame = arena_array(r->arena, (size_t)json_count(at), sizeof *r->frame);
  if (!r->frame) return error_no_memory(err);
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    RawFrame *f = &r->frame[r->n_frame++];
    f->where = raw_printf(r, "frames[%d]", e.index);
    if (!f->where) return error_no_memory(err);
    if (read_frame(r, f, &e, err)) return err->code;
  }
  return STATUS_OK;
}

Status raw_read_json(RawRobot *r, const struct cJSON *doc, Error *err) {
  JsonAt root = json_root(doc, r->file);
  if (!json_keys_check(&root, &model_keys_robot, err)) return err->code;
  r->name = json_keys_find(&model_keys_robot, "name")->fallback;
  if (json_find(&root, "name").node && raw_read_name(r, &root, "name", &r->name, err)) {
    return err->code;
  }
  if (!json_keys_numbers(&root, &model_keys_robot, "gravity", 3, r->gravity, err)) return err->code;
  JsonAt bodies = json_find(&root, "bodies"), joints = json_find(&root, "joints");
  JsonAt frames = json_find(&root, "frames"), poses = json_find(&root, "poses");
  if (read_bodies(r, &bodies, err)) return err->code;
  if (read_joints(r, &joints, err)) return err->code;
  if (read_frames(r, &frames, err)) return err->code;
  if (read_poses(r, &poses, err)) return err->code;
  return raw_read_loops(r, &root, err);
}
