// SPDX-License-Identifier: MIT
// Smooth motions that guesses are made of, with s = t / T from 0 to 1:
//   q(t) = q_0 + (q_T - q_0) f(s) + T v_0 g(s) + sum_m w_m (1 - cos(m pi s)) / 2
// f is the quintic from 0 to 1 that is at rest at both ends, g the quintic that starts with slope 1
// and comes back to 0 at rest; the waves start and end at rest too.
#ifndef POISE_OCP_GUESS_INTERNAL_H
#define POISE_OCP_GUESS_INTERNAL_H

#include "ocp/robot_eval.h"
#include "ocp/trajectory.h"

enum { GUESS_WAVES = 4 };

typedef struct GuessMotion {
  int nv;           //
  double T;         // [s]
  double *q0, *v0;  // nv, start
  double *dq;       // nv, q_T - q_0
  double *wave;     // nv x GUESS_WAVES, amplitudes
} GuessMotion;

// At rest in the start posture of the problem; arrays from the arena. False when out of memory.
bool guess_motion_build(GuessMotion *g, const Ocp *o, Arena *arena);

// nv each.
void guess_motion_at(const GuessMotion *g, double time, double *q, double *v, double *a);

// Gives each joint waves of its own with a largest deviation of `amplitude`, less where a limit is
// nearer.
void guess_motion_shake(GuessMotion *g, const Ocp *o, int seed, double amplitude);

// Nodes, points and controls of *t from a motion: torques by inverse dynamics, as far as the
// actuated joints go, within their limits.
Status guess_motion_fill(Trajectory *t, const Ocp *o, const RobotEval *e, const GuessMotion *g,
                         Error *err);

#endif
