// SPDX-License-Identifier: MIT
// Accelerations of a robot by any formulation. Explicit ones give them at once. Inverse dynamics
// gives tau = M(q) a + c(q, v): evaluated at a = 0 and at the unit vectors, side by side, it gives
// c and the columns of M, and M a = tau - c is solved by Cholesky's factorisation. Robots with loops
// go through a method of constrained dynamics (loop_method.h) instead.
#ifndef POISE_SIM_SIM_ACCEL_H
#define POISE_SIM_SIM_ACCEL_H

#include <stdbool.h>

#include "dynamics/loop_method.h"
#include "expr/expr_tape.h"

typedef struct SimAccel {
  Arena *arena;         // owns the rest
  const DynForm *form;  // NULL for robots with loops
  int nv;               //
  ExprTape *map;        // (q, v, tau) -> a, or (q, v, a) -> tau
  void *work;           // scratch of map
  double *unit;         // nv x (nv + 1), 0 and the unit vectors; implicit forms only
  double *column;       // nv x (nv + 1), c and c + M e_j, then the factor
} SimAccel;

// By `form`, or by `method` if the robot has loops. The model is used during the call only. On failure
// *out is NULL; a method that does not apply names the loop.
Status sim_accel_build(SimAccel **out, const Model *m, const DynForm *form,
                       const LoopMethod *method, Error *err);
void sim_accel_free(SimAccel *s);  // NULL-safe

// a = M^-1 (tau - c); q, v, tau, a: nv. False if a is not finite or M not positive definite; then a
// holds NaN where it is unknown. Allocates nothing.
bool sim_accel_eval(const SimAccel *s, const double *q, const double *v, const double *tau,
                    double *a);

#endif
