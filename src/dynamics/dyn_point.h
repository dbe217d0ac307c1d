// SPDX-License-Identifier: MIT
// What a transcription needs of the dynamics at one collocation point: the residual of a formulation
// (dyn.h) with its exact sparse Jacobian and the Hessian of lambda^T residual. Variables of a
// point, in this order: q, v, a (DAE forms only), u.
//
// Explicit forms have two ways to their derivatives: through the traced algorithm ("direct"), or from the
// implicit residual by the implicit-function rule: with R(q, v, a, u) = 0 defining a = xi,
//   xi_x = -M^-1 R_x,   lambda^T xi_xx = -(G_xx + G_xa xi_x + (G_xa xi_x)^T),
//   G the second derivatives of mu^T R with mu = M^-1 lambda (R is linear in a).
// Robots with loops take explicit forms only, EXP1 by TREE+AUG and EXP2 by RCR (loop_method.h), derived
// directly: multipliers are eliminated at each point.
// Both are exact; by default the one with fewer operations is kept, function by function.
#ifndef POISE_DYNAMICS_DYN_POINT_H
#define POISE_DYNAMICS_DYN_POINT_H

#include "dynamics/dyn.h"

typedef enum DynRule { DYN_RULE_BEST, DYN_RULE_DIRECT, DYN_RULE_IMPLICIT } DynRule;

typedef struct DynPoint {
  Arena *arena;           // owns everything below
  ExprGraph *g;           //
  const DynForm *form;    //
  int nv, nu;             //
  int nx;                 // variables of a point: 2 nv + nu, with nv more for DAE forms
  ExprFunction residual;  // (q, v, [a,] u) -> nv
  ExprFunction jacobian;  // (q, v, [a,] u) -> nv x nx
  ExprFunction hessian;   // (q, v, [a,] u, lambda) -> nx x nx, lower triangle
  DynRule jacobian_rule;  // the one that was kept: direct or implicit
  DynRule hessian_rule;   //
} DynPoint;

// On failure *out is NULL.
Status dyn_point_build(DynPoint **out, const Model *m, const DynForm *form, DynRule rule,
                       Error *err);
void dyn_point_free(DynPoint *p);  // NULL-safe

#endif
