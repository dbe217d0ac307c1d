// SPDX-License-Identifier: MIT
// Limits of a task: the robot's own, with what the file puts in their place.
#include <math.h>
#include <string.h>

#include "ocp/ocp_internal.h"

// What a limit is about: where it stands in the file, and how it may be written.
typedef struct LimitKind {
  const char *key;        // "position"
  bool symmetric;         // one number stands for +- it
  bool pair;              // [lower, upper] is allowed
  bool actuated;          // of actuators, not joints
  double *lower, *upper;  // nv or nu; lower is NULL for rates
} LimitKind;

static Status alloc_limits(Ocp *o, Error *err) {
  OcpLimits *l = &o->limits;
  size_t nv = (size_t)o->model->nv, nu = (size_t)o->model->nu;
  l->q_lower = arena_array(o->arena, nv, sizeof(double));
  l->q_upper = arena_array(o->arena, nv, sizeof(double));
  l->v_lower = arena_array(o->arena, nv, sizeof(double));
  l->v_upper = arena_array(o->arena, nv, sizeof(double));
  l->u_lower = arena_array(o->arena, nu, sizeof(double));
  l->u_upper = arena_array(o->arena, nu, sizeof(double));
  l->u_rate = arena_array(o->arena, nu, sizeof(double));
  bool ok = l->q_lower && l->q_upper && l->v_lower && l->v_upper && l->u_lower && l->u_upper &&
            l->u_rate;
  return ok ? STATUS_OK : error_no_memory(err);
}

static void copy_robot(Ocp *o) {
  const Model *m = o->model;
  OcpLimits *l = &o->limits;
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *j = &m->joint[i];
    l->q_lower[i] = j->lower;
    l->q_upper[i] = j->upper;
    l->v_lower[i] = -j->velocity;
    l->v_upper[i] = j->velocity;
  }
  for (int k = 0; k < m->nu; k++) {
    const ModelJoint *j = &m->joint[m->u_joint[k]];
    l->u_lower[k] = -j->effort;
    l->u_upper[k] = j->effort;
    l->u_rate[k] = j->effort_rate;
  }
}

// a number, or null for the open end
static Status read_bound(const JsonAt *at, double open, double *out, Error *err) {
  double largest = ocp_keys_limits.largest;
  *out = open;
  if (json_type(at) == JSON_NULL) return STATUS_OK;
  if (!json_number(at, out, err)) return err->code;
  if (fabs(*out) <= largest) return STATUS_OK;
  return json_fail(at, err, "%.12g is out of range: at most %g in size; null for none", *out,
                   largest);
}

static Status read_pair(const JsonAt *at, double *lower, double *upper, Error *err) {
  if (json_count(at) != 2) {
    return json_fail(at, err, "must be [lower, upper], not an array of %d", json_count(at));
  }
  JsonAt lo = json_first(at), hi = lo;
  json_next(&hi);
  if (read_bound(&lo, -INFINITY, lower, err)) return err->code;
  if (read_bound(&hi, INFINITY, upper, err)) return err->code;
  if (*lower > *upper) return json_fail(at, err, "lower %g exceeds upper %g", *lower, *upper);
  return STATUS_OK;
}

static Status read_range(const JsonAt *at, const LimitKind *kind, double *lower, double *upper,
                         Error *err) {
  JsonType type = json_type(at);
  if (type == JSON_ARRAY && kind->pair) return read_pair(at, lower, upper, err);
  if (type == JSON_NULL) {
    *lower = -INFINITY;
    *upper = INFINITY;
    return STATUS_OK;
  }
  if (type != JSON_NUMBER || !kind->symmetric) {
    char value[96];
    json_describe(at, value, sizeof value);
    return json_fail(at, err, "must be %s%s%s or null, not %s", kind->symmetric ? "a number" : "",
                     kind->symmetric && kind->pair ? " or " : "",
                     kind->pair ? "[lower, upper]" : "", value);
  }
  if (read_bound(at, INFINITY, upper, err)) return err->code;
  if (*upper < 0) return json_fail(at, err, "%.12g is negative: %s can't be", *upper, kind->key);
  *lower = -*upper;
  return STATUS_OK;
}

// place of a joint in the arrays of a kind
static Status find_place(Ocp *o, const JsonAt *at, const LimitKind *kind, int *out, Error *err) {
  const Model *m = o->model;
  int joint = 0;
  if (ocp_find_joint(o, at, at->key, &joint, err)) return err->code;
  *out = joint;
  if (!kind->actuated) return STATUS_OK;
  for (int k = 0; k < m->nu; k++) {
    *out = k;
    if (m->u_joint[k] == joint) return STATUS_OK;
  }
  return json_fail(at, err, "joint \"%s\" is not actuated: it has no %s", at->key, kind->key);
}

static Status read_kind(OcpReader *r, const JsonAt *limits, const LimitKind *kind, Error *err) {
  JsonAt at = json_find(limits, kind->key);
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    bool comment = strcmp(e.key, "comment") == 0 && json_type(&e) == JSON_STRING;
    if (comment) continue;
    int i = 0;
    double lower = 0, upper = 0;
    if (find_place(r->o, &e, kind, &i, err)) return err->code;
    if (read_range(&e, kind, &lower, &upper, err)) return err->code;
    bool wider = upper > kind->upper[i] || (kind->lower && lower < kind->lower[i]);
    if (wider && ocp_note(r->o, &e, err, "wider than the robot's own limit")) return err->code;
    kind->upper[i] = upper;
    if (kind->lower) kind->lower[i] = lower;
  }
  return STATUS_OK;
}

Status ocp_read_limits(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  OcpLimits *l = &o->limits;
  if (alloc_limits(o, err)) return err->code;
  copy_robot(o);
  JsonAt at = json_find(&r->root, "limits");
  if (at.node && !json_keys_check(&at, &ocp_keys_limits, err)) return err->code;
  if (!json_keys_bool(&at, &ocp_keys_limits, "inner", &l->inner, err)) return err->code;
  const LimitKind kinds[] = {
      {"position", .pair = true, .lower = l->q_lower, .upper = l->q_upper},
      {"velocity", .symmetric = true, .pair = true, .lower = l->v_lower, .upper = l->v_upper},
      {"torque", .symmetric = true, .pair = true, .actuated = true, .lower = l->u_lower,
       .upper = l->u_upper},
      {"torque_rate", .symmetric = true, .actuated = true, .upper = l->u_rate},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (read_kind(r, &at, &kinds[i], err)) return err->code;
  }
  return STATUS_OK;
}
