// SPDX-License-Identifier: MIT
// Reads the "trajectory" object of a result file.
#include <string.h>

#include "base/json_keys.h"
#include "ocp/ocp_keys.h"
#include "ocp/trajectory.h"

enum { CUBIC_POINTS = 3, MAX_INSTANTS = 20 * OCP_MAX_INTERVALS };

// names[i] must be those of the robot, in its order
static Status check_names(const JsonAt *at, const char *what, const Model *m, int n,
                          const int *joint, Error *err) {
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    const char *name = NULL;
    if (!json_string(&e, &name, err)) return err->code;
    const char *own = e.index < n ? m->joint[joint ? joint[e.index] : e.index].name : NULL;
    if (own && strcmp(own, name) == 0) continue;
    return json_fail(&e, err, "%s \"%.60s\", where %s has %s%s%s: a trajectory of another robot",
                     what, name, m->name, own ? "\"" : "none", own ? own : "", own ? "\"" : "");
  }
  if (json_count(at) == n) return STATUS_OK;
  return json_fail(at, err, "%d %ss, but %s has %d: a trajectory of another robot", json_count(at),
                   what, m->name, n);
}

// an array of n_row arrays of n numbers; x: n x n_row
static Status read_rows(const JsonAt *at, int n, int n_row, double *x, Error *err) {
  if (json_count(at) != n_row) {
    return json_fail(at, err, "must be %d rows, not %d", n_row, json_count(at));
  }
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (!json_numbers(&e, n, x + (size_t)e.index * (size_t)n, err)) return err->code;
  }
  return STATUS_OK;
}

static Status read_member(const JsonAt *object, const char *key, int n, int n_row, double *x,
                          Error *err) {
  JsonAt at = json_find(object, key);
  return read_rows(&at, n, n_row, x, err);
}

// number of controls by their kind
static Status read_control(const JsonAt *at, int n_interval, int *n_control, Error *err) {
  const char *kind = NULL;
  if (!json_string(at, &kind, err)) return err->code;
  *n_control = 0;
  if (strcmp(kind, "constant") == 0) *n_control = n_interval;
  if (strcmp(kind, "linear") == 0) *n_control = n_interval + 1;
  if (strcmp(kind, "quadratic") == 0) *n_control = 2 * n_interval + 1;
  if (*n_control) return STATUS_OK;
  return json_fail(at, err, "unknown control \"%.60s\"; known: constant, linear, quadratic", kind);
}

// motion between the nodes: the cubic through q and v, written as if collocated at 0, 1/2 and 1
static void fill_cubic(Trajectory *t) {
  static const double place[CUBIC_POINTS] = {0, 0.5, 1};
  memcpy(t->point, place, sizeof place);
  int nv = t->nv;
  for (int k = 0; k < t->n_interval; k++) {
    double h = t->time[k + 1] - t->time[k];
    for (int i = 0; i < nv; i++) {
      double q0 = t->q[i + nv * k], q1 = t->q[i + nv * (k + 1)];
      double v0 = t->v[i + nv * k], v1 = t->v[i + nv * (k + 1)];
      // q = q0 + h v0 s + c2 s^2 + c3 s^3
      double c2 = 3 * (q1 - q0) - h * (2 * v0 + v1), c3 = 2 * (q0 - q1) + h * (v0 + v1);
      for (int j = 0; j < CUBIC_POINTS; j++) {
        double s = place[j];
        int at = i + nv * (j + CUBIC_POINTS * k);
        t->pq[at] = q0 + s * (h * v0 + s * (c2 + s * c3));
        t->pv[at] = v0 + s * (2 * c2 + 3 * c3 * s) / h;
        t->pa[at] = (2 * c2 + 6 * c3 * s) / (h * h);
      }
    }
  }
}

static Status read_points(Trajectory *t, const JsonAt *at, Error *err) {
  int n = t->n_interval * t->n_point;
  JsonAt place = json_find(at, "place");
  if (!json_numbers(&place, t->n_point, t->point, err)) return err->code;
  for (int j = 0; j < t->n_point; j++) {
    bool ascends = j == 0 ? t->point[j] >= 0 : t->point[j] > t->point[j - 1];
    if (!ascends || t->point[j] > 1) {
      return json_fail(&place, err, "%g: places must ascend from 0 to 1", t->point[j]);
    }
  }
  if (read_member(at, "q", t->nv, n, t->pq, err)) return err->code;
  if (read_member(at, "v", t->nv, n, t->pv, err)) return err->code;
  return read_member(at, "a", t->nv, n, t->pa, err);
}

static Status read_times(Trajectory *t, const JsonAt *at, Error *err) {
  if (!json_numbers(at, t->n_interval + 1, t->time, err)) return err->code;
  for (int k = 0; k < t->n_interval; k++) {
    if (t->time[k + 1] > t->time[k]) continue;
    return json_fail(at, err, "%g after %g: times must ascend", t->time[k + 1], t->time[k]);
  }
  if (t->time[0] == 0) return STATUS_OK;
  return json_fail(at, err, "begins at %g: must begin at 0", t->time[0]);
}

static Status fill(Trajectory *t, const JsonAt *at, Error *err) {
  JsonAt time = json_find(at, "time"), points = json_find(at, "points");
  if (read_times(t, &time, err)) return err->code;
  if (read_member(at, "q", t->nv, t->n_interval + 1, t->q, err)) return err->code;
  if (read_member(at, "v", t->nv, t->n_interval + 1, t->v, err)) return err->code;
  if (read_member(at, "u", t->nu, t->n_control, t->u, err)) return err->code;
  if (points.node) return read_points(t, &points, err);
  fill_cubic(t);
  return STATUS_OK;
}

// sizes of the file
static Status read_sizes(const JsonAt *at, int *n_interval, int *n_point, int *n_control,
                         Error *err) {
  JsonAt time = json_find(at, "time"), points = json_find(at, "points");
  JsonAt place = json_find(&points, "place"), control = json_find(at, "control");
  *n_interval = json_count(&time) - 1;
  if (*n_interval < 1) return json_fail(&time, err, "needs at least 2 nodes");
  if (*n_interval > MAX_INSTANTS) {
    return json_fail(&time, err, "%d nodes, at most %d are allowed", *n_interval, MAX_INSTANTS);
  }
  if (points.node && !json_keys_check(&points, &ocp_keys_points, err)) return err->code;
  *n_point = points.node ? json_count(&place) : CUBIC_POINTS;
  if (*n_point < 1 || *n_point > OCP_MAX_DEGREE) {
    return json_fail(&place, err, "must be 1 to %d places, not %d", OCP_MAX_DEGREE, *n_point);
  }
  return read_control(&control, *n_interval, n_control, err);
}

Status trajectory_read_json(Trajectory **out, const JsonAt *at, const Model *m, Error *err) {
  *out = NULL;
  if (!json_keys_check(at, &ocp_keys_trajectory, err)) return err->code;
  JsonAt joints = json_find(at, "joints"), actuators = json_find(at, "actuators");
  if (check_names(&joints, "joint", m, m->nv, NULL, err)) return err->code;
  if (actuators.node && check_names(&actuators, "actuator", m, m->nu, m->u_joint, err)) {
    return err->code;
  }
  int n_interval = 0, n_point = 0, n_control = 0;
  if (read_sizes(at, &n_interval, &n_point, &n_control, err)) return err->code;
  Trajectory *t = NULL;
  if (trajectory_new(&t, m->nv, m->nu, n_interval, n_point, n_control, err)) return err->code;
  Status status = fill(t, at, err);
  if (status == STATUS_OK) *out = t;
  else trajectory_free(t);
  return status;
}

Status trajectory_load(Trajectory **out, const char *path, const Model *m, Error *err) {
  *out = NULL;
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path), at = json_find(&root, "trajectory");
  Status status = STATUS_OK;
  if (!at.node) status = json_fail(&root, err, "no \"trajectory\": not a result of Poise");
  if (status == STATUS_OK) status = trajectory_read_json(out, &at, m, err);
  json_free(doc);
  return status;
}
