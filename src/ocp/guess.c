// SPDX-License-Identifier: MIT
// First guesses. All but those from a file begin in the start posture, with positions and torques
// within their limits.
#include <math.h>
#include <string.h>

#include "ocp/guess_internal.h"
#include "ocp/posture.h"

static const double SAME_PLACE = 1e-12;  // difference of times and points of one and the same grid

// start posture at all times, without torques
static void fill_still(Trajectory *t, const Ocp *o) {
  size_t nv = (size_t)t->nv, points = (size_t)t->n_interval * (size_t)t->n_point;
  for (size_t k = 0; k <= (size_t)t->n_interval; k++) {
    memcpy(t->q + k * nv, o->q_start, nv * sizeof(double));
  }
  for (size_t k = 0; k < points; k++) memcpy(t->pq + k * nv, o->q_start, nv * sizeof(double));
}

// the motion of a kind, and the trajectory from it
static Status fill_motion(Trajectory *t, const Ocp *o, const RobotEval *e, Error *err) {
  GuessMotion g;
  if (!guess_motion_build(&g, o, t->arena)) return error_no_memory(err);
  size_t size = (size_t)t->nv * sizeof(double);
  if (o->guess.kind != OCP_GUESS_HOLD) memcpy(g.v0, o->v_start, size);
  if (o->guess.kind == OCP_GUESS_RANDOM) {
    guess_motion_shake(&g, o, o->guess.seed, o->guess.amplitude);
  }
  if (o->guess.kind == OCP_GUESS_LINE) {
    PostureInfo info;
    memcpy(g.dq, o->q_start, size);
    if (posture_goal(o, e, g.dq, &info, err)) return err->code;
    for (int i = 0; i < t->nv; i++) g.dq[i] -= o->q_start[i];
  }
  return guess_motion_fill(t, o, e, &g, err);
}

static Status with_robot(Trajectory *t, const Ocp *o, Error *err) {
  RobotEval *e = NULL;
  Status status = robot_eval_build(&e, o->model, err);
  if (status == STATUS_OK) status = fill_motion(t, o, e, err);
  robot_eval_free(e);
  return status;
}

// ---- a previous result -------------------------------------------------------------------------

static bool same_values(int n, const double *a, const double *b, double scale) {
  for (int i = 0; i < n; i++) {
    if (fabs(a[i] - b[i]) > SAME_PLACE * scale) return false;
  }
  return true;
}

static bool same_grid(const Trajectory *a, const Trajectory *b) {
  return a->n_interval == b->n_interval && a->n_point == b->n_point &&
         a->n_control == b->n_control && same_values(a->n_point, a->point, b->point, 1) &&
         same_values(a->n_interval + 1, a->time, b->time, a->time[a->n_interval]);
}

static void copy_values(Trajectory *t, const Trajectory *from) {
  size_t node = (size_t)t->nv * ((size_t)t->n_interval + 1) * sizeof(double);
  size_t point = (size_t)t->nv * (size_t)t->n_interval * (size_t)t->n_point * sizeof(double);
  memcpy(t->q, from->q, node);
  memcpy(t->v, from->v, node);
  memcpy(t->pq, from->pq, point);
  memcpy(t->pv, from->pv, point);
  memcpy(t->pa, from->pa, point);
  memcpy(t->u, from->u, (size_t)t->nu * (size_t)t->n_control * sizeof(double));
}

// the same motion on another grid, in another time: velocities times `pace`, the old horizon over
// the new one
static void resample(Trajectory *t, const Trajectory *from, double *a) {
  double pace = from->time[from->n_interval] / t->time[t->n_interval];
  size_t nv = (size_t)t->nv;
  for (int k = 0; k <= t->n_interval; k++) {
    size_t node = (size_t)k * nv;
    trajectory_state(from, t->time[k] * pace, t->q + node, t->v + node, a);
    for (size_t i = 0; i < nv; i++) t->v[node + i] *= pace;
    for (int j = 0; k < t->n_interval && j < t->n_point; j++) {
      size_t at = node * (size_t)t->n_point + (size_t)j * nv;
      double time = t->time[k] + t->point[j] * (t->time[k + 1] - t->time[k]);
      double middle = 0.5 * (t->time[k] + t->time[k + 1]);
      trajectory_state_beside(from, time * pace, middle * pace, t->pq + at, t->pv + at, t->pa + at);
      for (size_t i = 0; i < nv; i++) {
        t->pv[at + i] *= pace;
        t->pa[at + i] *= pace * pace;
      }
    }
  }
  for (int c = 0; c < t->n_control; c++) {
    double time = trajectory_control_time(t, c) * pace;
    trajectory_control(from, time, t->u + (size_t)c * (size_t)t->nu);
  }
}

static Status fill_from(Trajectory *t, const Ocp *o, const Trajectory *from, Error *err) {
  double *a = arena_array(t->arena, (size_t)t->nv, sizeof *a);
  if (!a) return error_no_memory(err);
  if (o->free_time) {
    double T = fmin(fmax(from->time[from->n_interval], o->T_lower), o->T_upper);
    for (int k = 0; k <= t->n_interval; k++) t->time[k] = T * ocp_node(o, k);
  }
  if (same_grid(t, from)) copy_values(t, from);
  else resample(t, from, a);
  return STATUS_OK;
}

static Status fill_file(Trajectory *t, const Ocp *o, Error *err) {
  Trajectory *from = NULL;
  if (trajectory_load(&from, o->guess.path, o->model, err)) return err->code;
  Status status = fill_from(t, o, from, err);
  trajectory_free(from);
  return status;
}

Status guess_from(Trajectory **out, const Ocp *o, const Trajectory *from, Error *err) {
  Trajectory *t = NULL;
  *out = NULL;
  Status status = trajectory_build(&t, o, err);
  if (status == STATUS_OK) status = fill_from(t, o, from, err);
  if (status == STATUS_OK) *out = t;
  else trajectory_free(t);
  return status;
}

Status guess_build(Trajectory **out, const Ocp *o, Error *err) {
  Trajectory *t = NULL;
  *out = NULL;
  if (trajectory_build(&t, o, err)) return err->code;
  Status status = STATUS_OK;
  switch (o->guess.kind) {
    case OCP_GUESS_ZERO: fill_still(t, o); break;
    case OCP_GUESS_FILE: status = fill_file(t, o, err); break;
    case OCP_GUESS_HOLD:
    case OCP_GUESS_LINE:
    case OCP_GUESS_RANDOM: status = with_robot(t, o, err); break;
  }
  if (status == STATUS_OK) *out = t;
  else trajectory_free(t);
  return status;
}
