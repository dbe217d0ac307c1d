// SPDX-License-Identifier: MIT
// Loop constraints as expressions: phi(q) = 0 of all loops of a robot (model.h has the rows of each
// type), their Jacobian J, and gamma with J a = gamma for motions that stay on phi = 0.
//
// A loop is seen from the nearest body c that carries both of its sides: placements, velocities and
// accelerations are relative to c, in its body axes. So only joints between c and the two bodies have
// a column in its rows, exactly, closed or not (Negrut, Serban, Potra 1997, Lemma 3, takes all
// ancestors). With A the axis of a joint at o, x a point of the body, w the angular velocity and al
// the angular acceleration at zero joint accelerations, all in the axes of c:
//   dx/dq_i = A_i x (x - o_i) or A_i,   dw/dv_i = A_i or 0,
//   x'' = o'' + al x (x - o) + w x (w x (x - o)),   al_i = al_p + w_p x A_i v_i.
//
// Position rows of revolute, spherical, universal and weld loops are written in the axes of c, where
// they cost least, unless the robot is planar; prismatic ones along the axes of the first frame.
#ifndef POISE_DYNAMICS_LOOPS_H
#define POISE_DYNAMICS_LOOPS_H

#include "dynamics/dyn.h"
#include "dynamics/dyn_function.h"

typedef struct LoopTrace {
  int m;          // rows of all loops, in the order of the loops and of the bits of ModelLoop.rows
  int *loop;      // m, loop that a row belongs to
  unsigned *row;  // m, its bit: LOOP_X, ...
  Expr *phi;      // m
  Expr *rate;     // m, J v
  Expr *gamma;    // m, J a = gamma(q, v)
  ExprMatrix J;   // m x nv, d phi / d q
  Expr *facing;   // 2 n_loop: z0 . z1 and x0 . x1 of the two frames
} LoopTrace;

// Everything from the arena; false when out of memory.
bool loops_build(LoopTrace *out, const DynTrace *tr, Arena *arena);

// Nearest common ancestor of two bodies; -1 is the world.
int loops_common(const DynTree *t, int a, int b);

// (q, v) -> "phi", "rate", "gamma" (m each) and "jacobian" (m x nv, sparse). A fifth output
// behind them, "facing" (2 n_loop), is there for those who set n_out to 5. On failure *out is NULL.
Status loops_function_build(DynFunction **out, const Model *m, Error *err);

#endif
