// SPDX-License-Identifier: MIT
// The functions of one instant that a problem is made of, ready to evaluate over many instants: dynamics,
// obstacles, running cost, goal position. All of them are written over the same local variables
// z = (q, v, a, u), 3 nv + nu of them, whatever they really depend on.
#ifndef POISE_OCP_OCP_POINT_H
#define POISE_OCP_OCP_POINT_H

#include "expr/expr_tape.h"
#include "ocp/ocp.h"

// Rows r(z) with Jacobian and the lower triangle of the Hessian of lambda^T r. Inputs of the tapes are
// q, v, a, u and, for the Hessian, lambda (n_row).
typedef struct OcpBlock {
  int n_row;           // 0: there is none, and no tape
  ExprTape *value;     // -> n_row
  ExprTape *jacobian;  // -> jac_nnz
  ExprTape *hessian;   // -> hess_nnz
  int jac_nnz;         //
  int *jac_row;        // jac_nnz
  int *jac_col;        // jac_nnz, of z
  int hess_nnz;        //
  int *hess_row;       // hess_nnz, row >= column, of z
  int *hess_col;       //
} OcpBlock;

typedef struct OcpPoint {
  Arena *arena;    // owns the patterns
  int nv, nu, nz;  // nz = 3 nv + nu
  OcpBlock dyn;    // residual of the formulation; ODE forms: the accelerations xi(q, v, u)
  OcpBlock path;   // one row per obstacle: distance to it, to be >= 0
  OcpBlock cost;   // one row: integrand of velocity, acceleration and tracking costs; may be absent
  OcpBlock goal;   // components of the goal frame's position that are asked for
} OcpPoint;

// On failure *out is NULL.
Status ocp_point_build(OcpPoint **out, const Ocp *o, Error *err);
void ocp_point_free(OcpPoint *p);  // NULL-safe

#endif
