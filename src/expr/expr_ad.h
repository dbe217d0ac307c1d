// SPDX-License-Identifier: MIT
// Exact derivatives of expressions as new expressions of the same graph, with exact sparsity.
//
// Jacobians and Hessians come from eliminating the intermediate vertices of the computational graph
// one by one. For the Jacobian, eliminating v adds c_sv c_vp to the edge from each predecessor p to
// each successor s (Griewank and Walther, Evaluating Derivatives, 2nd ed., ch. 9). For the Hessian
// of a scalar L the second-order part W = sum_v (dL/dv) d2v is carried along and v replaced in it
// by its linearisation, symmetric entries once (edge pushing: Gower and Mello 2012, here in any
// order). Forward and reverse mode are two of the possible orders; the order here is greedy, the
// cheapest vertex next, later ones first among equals, tried beside plain reverse order.
#ifndef POISE_EXPR_EXPR_AD_H
#define POISE_EXPR_EXPR_AD_H

#include "base/arena.h"
#include "expr/expr.h"

// A sparse matrix of expressions, compressed columns, rows ascending, no structural zero kept.
typedef struct ExprMatrix {
  int n_row, n_col;  //
  int nnz;           //
  int *colptr;       // n_col + 1
  int *row;          // nnz
  Expr *e;           // nnz
} ExprMatrix;

// Derivatives with respect to x[0..n_x), distinct inputs, positive. Arrays of the result come from the
// arena; false when out of memory.

// jac(i, j) = d out_i / d x_j
bool expr_jacobian(ExprGraph *g, Arena *arena, int n_out, const Expr *out, int n_x, const Expr *x,
                   ExprMatrix *jac);

// grad[j] = d out / d x_j, one reverse sweep
bool expr_gradient(ExprGraph *g, Expr out, int n_x, const Expr *x, Expr *grad);

// lower triangle (i >= j) of d2 out / d x_i d x_j
bool expr_hessian(ExprGraph *g, Arena *arena, Expr out, int n_x, const Expr *x, ExprMatrix *lower);

// Operations needed for these outputs alone (shared ones once), sin and cos not counted.
// -1 when out of memory.
int expr_cost(const ExprGraph *g, int n_out, const Expr *out);

#endif
