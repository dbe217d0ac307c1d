// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "ocp/robot_eval.h"
#include "plan/plan_internal.h"

// A joint that moves less than this over the whole motion has not been moved at all [rad | m].
static const double UNMOVED = 1e-7;
// How far the goal is moved, as a motion of the joint that stands still [rad | m].
static const double ASIDE = 0.3;
// Step of the difference that finds the direction.
static const double STEP = 1e-6;

static bool moves(const Trajectory *t, int i) {
  for (int k = 0; k <= t->n_interval; k++) {
    if (fabs(t->q[i + t->nv * k] - t->q[i]) > UNMOVED) return true;
  }
  return false;
}

// d (goal frame) / d q_i at the last node, times ASIDE, where it has an effect in components asked for
static bool direction(const Run *run, const RobotEval *e, double *q, int i, double *frames,
                      double out[3]) {
  const OcpGoal *goal = &run->o->goal;
  double length = 0.0, at[2][3], q_i = q[i];
  for (int side = 0; side < 2; side++) {
    q[i] = q_i + (side ? STEP : -STEP);
    if (!robot_eval_frames(e, 1, q, frames)) return false;
    memcpy(at[side], frames + 3 * goal->frame, sizeof at[side]);
  }
  q[i] = q_i;
  for (int k = 0; k < 3; k++) {
    out[k] = goal->fixed[k] ? ASIDE * (at[1][k] - at[0][k]) / (2 * STEP) : 0.0;
    length += fabs(out[k]);
  }
  return length > 1e-3;
}

static int find_aside(const Run *run, Trajectory *t, const RobotEval *e, double aside[3]) {
  const Model *m = run->o->model;
  double *q = t->q + (size_t)t->nv * (size_t)t->n_interval;
  double *frames = arena_array(t->arena, 3 * (size_t)m->n_frame, sizeof *frames);
  if (!frames) return -1;
  int n = 0;
  bool found = false;
  for (int i = 0; i < t->nv; i++) {
    if (moves(t, i)) continue;
    n++;
    double by[3];
    if (found || !direction(run, e, q, i, frames, by)) continue;
    found = true;
    for (int k = 0; k < 3; k++) aside[k] = run->o->goal.position[k] + by[k];
  }
  return found ? n : 0;
}

int plan_goal_aside(Run *run, double aside[3], Error *err) {
  if (run->o->goal.frame < 0) return 0;
  Trajectory *t = NULL;
  RobotEval *e = NULL;
  Status status = trajectory_build(&t, run->o, err);
  if (status == STATUS_OK) status = robot_eval_build(&e, run->o->model, err);
  int n = -1;
  if (status == STATUS_OK) {
    colloc_extract(run->c, run->x, t);
    n = find_aside(run, t, e, aside);
    if (n < 0) error_no_memory(err);
  }
  robot_eval_free(e);
  trajectory_free(t);
  return n;
}
