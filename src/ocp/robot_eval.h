// SPDX-License-Identifier: MIT
// Numbers of a robot without derivatives: inverse dynamics and frame positions, each traced once.
// For guesses and checks; the transcription has its own functions.
#ifndef POISE_OCP_ROBOT_EVAL_H
#define POISE_OCP_ROBOT_EVAL_H

#include "dynamics/loop_eval.h"
#include "expr/expr_tape.h"
#include "model/model.h"

typedef struct RobotEval {
  Arena *arena;       // owns everything but the model
  const Model *m;     // borrowed
  ExprTape *torque;   // (q, v, a) -> tau
  ExprTape *frames;   // (q, v) -> positions
  void *work;         // scratch of both
  double *zero;       // nv zeros
  LoopEval *loops;    // of robots with loops; else NULL
  double *J, *A, *y;  // rows x nv, rows x rows, rows: scratch
} RobotEval;

// On failure *out is NULL.
Status robot_eval_build(RobotEval **out, const Model *m, Error *err);
void robot_eval_free(RobotEval *e);  // NULL-safe

// With loops, their forces are chosen so that the torques left over for passive joints are least.
// Joint forces tau at n instants; q, v, a, tau: nv x n. v and a may be NULL: at rest. False if a
// result is NaN or infinite.
bool robot_eval_torque(const RobotEval *e, int n, const double *q, const double *v, const double *a,
                       double *tau);

// World positions of all frames at n postures; q: nv x n, position: 3 n_frame x n.
bool robot_eval_frames(const RobotEval *e, int n, const double *q, double *position);

#endif
