// SPDX-License-Identifier: MIT
// Names in task files: enumerators, joints, frames, poses.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "ocp/ocp_internal.h"

const char *const ocp_scheme_names[N_OCP_SCHEMES] = {"radau", "gauss", "trapezoidal",
                                                     "hermite-simpson"};
const char *const ocp_layout_names[N_OCP_LAYOUTS] = {"condensed", "paper"};
const char *const ocp_guess_names[N_OCP_GUESSES] = {"hold", "line", "file", "random", "zero"};
const char *const ocp_term_use_names[N_OCP_TERM_USES] = {"constraint", "cost", "dynamics"};
const char *const ocp_strategy_names[N_OCP_STRATEGIES] = {"cold", "continuation", "multistart"};

Status ocp_fail_unknown(const JsonAt *at, const char *what, const char *word,
                        const char *const *names, int n, Error *err) {
  const char *near = nearest_name(word, names, n);
  if (near) {
    return json_fail(at, err, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, word, near);
  }
  // nothing is close: name them all, as far as they fit
  char list[320] = "";
  for (int i = 0; i < n; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  }
  return json_fail(at, err, "unknown %s \"%.60s\"; known: %s", what, word, n ? list : "none");
}

Status ocp_read_choice(const JsonAt *at, const char *what, const char *const *names, int n,
                       int *out, Error *err) {
  if (!at->node) return STATUS_OK;
  const char *word = NULL;
  if (!json_string(at, &word, err)) return err->code;
  for (int i = 0; i < n; i++) {
    if (strcmp(word, names[i]) != 0) continue;
    *out = i;
    return STATUS_OK;
  }
  return ocp_fail_unknown(at, what, word, names, n, err);
}

Status ocp_read_int(const JsonAt *at, const JsonKeys *keys, const char *name, int lo, int hi,
                    int *out, Error *err) {
  double x = 0;
  if (!json_keys_number(at, keys, name, &x, err)) return err->code;
  JsonAt member = json_find(at, name);
  if (x != floor(x)) return json_fail(&member, err, "%.12g is not a whole number", x);
  if (x < lo || x > hi) {
    return json_fail(&member, err, "%.12g is out of range: %s is %d to %d", x, name, lo, hi);
  }
  *out = (int)x;
  return STATUS_OK;
}

Status ocp_find_joint(Ocp *o, const JsonAt *at, const char *name, int *out, Error *err) {
  const Model *m = o->model;
  *out = model_find_joint(m, name);
  if (*out >= 0) return STATUS_OK;
  const char **names = arena_array(o->arena, (size_t)m->nv, sizeof *names);
  if (!names) return error_no_memory(err);
  for (int i = 0; i < m->nv; i++) names[i] = m->joint[i].name;
  return ocp_fail_unknown(at, "joint", name, names, m->nv, err);
}

Status ocp_read_frame(Ocp *o, const JsonAt *at, int *out, Error *err) {
  const Model *m = o->model;
  const char *name = NULL;
  if (!json_string(at, &name, err)) return err->code;
  int frame = model_find_frame(m, name);
  if (frame < 0) {
    const char **names = arena_array(o->arena, (size_t)m->n_frame, sizeof *names);
    if (!names) return error_no_memory(err);
    for (int i = 0; i < m->n_frame; i++) names[i] = m->frame[i].name;
    return ocp_fail_unknown(at, "frame", name, names, m->n_frame, err);
  }
  if (m->frame[frame].body < 0) {
    return json_fail(at, err, "frame \"%s\" is fixed to the world and never moves", name);
  }
  *out = frame;
  return STATUS_OK;
}

Status ocp_read_pose(Ocp *o, const JsonAt *at, const double **q, Error *err) {
  const Model *m = o->model;
  const char *name = NULL;
  if (!json_string(at, &name, err)) return err->code;
  for (int i = 0; i < m->n_pose; i++) {
    if (strcmp(name, m->pose[i].name) != 0) continue;
    *q = m->pose[i].q;
    return STATUS_OK;
  }
  const char **names = arena_array(o->arena, (size_t)m->n_pose, sizeof *names);
  if (!names) return error_no_memory(err);
  for (int i = 0; i < m->n_pose; i++) names[i] = m->pose[i].name;
  return ocp_fail_unknown(at, "pose", name, names, m->n_pose, err);
}

// a number within the range of the tables
static Status read_value(const JsonAt *at, double *out, Error *err) {
  double x = 0, largest = ocp_keys_task.largest;
  if (!json_number(at, &x, err)) return err->code;
  if (!(fabs(x) <= largest)) {
    return json_fail(at, err, "%.12g is out of range: at most %g in size", x, largest);
  }
  *out = x;
  return STATUS_OK;
}

static Status read_by_name(Ocp *o, const JsonAt *at, double *value, bool *given, Error *err) {
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    int i = 0;
    bool comment = strcmp(e.key, "comment") == 0 && json_type(&e) != JSON_NUMBER;
    if (comment) continue;
    if (ocp_find_joint(o, &e, e.key, &i, err)) return err->code;
    if (read_value(&e, &value[i], err)) return err->code;
    if (given) given[i] = true;
  }
  return STATUS_OK;
}

Status ocp_read_joints(Ocp *o, const JsonAt *at, double *value, bool *given, Error *err) {
  const Model *m = o->model;
  if (!at->node) return STATUS_OK;
  if (json_type(at) == JSON_OBJECT) return read_by_name(o, at, value, given, err);
  if (!json_array(at, err)) return err->code;
  if (json_count(at) != m->nv) {
    return json_fail(at, err, "has %d values, but %s has %d joints: give all, or name them",
                     json_count(at), m->name, m->nv);
  }
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (given && json_type(&e) == JSON_NULL) continue;
    if (read_value(&e, &value[e.index], err)) return err->code;
    if (given) given[e.index] = true;
  }
  return STATUS_OK;
}
