// SPDX-License-Identifier: MIT
// The augmented system of a robot with loops, solved by its topology: Negrut, Serban and Potra, "A
// topology based approach for exploiting sparsity in multibody dynamics: joint formulation", 1997.
//
//   [M  J^T] [a     ]   [Q    ]       M = L^T D L,  L unit lower triangular
//   [J   0 ] [lambda] = [gamma]       T = L^-T J^T,  S = T^T D^-1 T
//
// The paper's steps, with L D L^T in place of Cholesky, so that no square roots are left:
//   1    factor M           2    L^T z = Q
//   3.1  L^T T = J^T        3.2  z_m = T^T D^-1 z - gamma     3.3  S = T^T D^-1 T
//   3.4  S lambda = z_m     3.5  y = D^-1 z - D^-1 T lambda   4    L a = y
// Joints are numbered parents first, and eliminated from the last to the first: that is the order of
// Lemma 2, in which M has no fill-in. T is zero but on ancestors of the two bodies of a loop (Lemma
// 3). Both are patterns of zeros that the graph folds away; a solve is straight-line code.
#ifndef POISE_DYNAMICS_TREE_AUG_H
#define POISE_DYNAMICS_TREE_AUG_H

#include "base/arena.h"
#include "expr/expr_ad.h"

typedef struct AugSystem {
  int n, m;           // coordinates, rows of constraints
  const int *parent;  // n, parent[i] < i, or -1
  const Expr *mass;   // n x n, column-major, lower triangle (i >= j); may hold zeros
  ExprMatrix J;       // m x n
  const Expr *force;  // n, Q
  const Expr *gamma;  // m
} AugSystem;

// Steps of the paper's tables; operations carry the label aug_step_name[i] (expr_graph_origin).
enum { AUG_N_STEPS = 8 };
extern const char *const aug_step_name[AUG_N_STEPS];  // "1", "2", "3.1", ..., "4"

// Each solves for a (n) and lambda (m) on the graph; false when out of memory.
bool aug_solve_sparse(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda);  // Alg-S
// Alg-D: Cholesky with square roots, roots first, zeros of the topology not looked for.
bool aug_solve_dense(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda);
// Gaussian elimination of the whole matrix, M leaves first; pivots stay on the diagonal, which M
// (positive definite) and -S allow.
bool aug_solve_gauss(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda);

// The same on any N x N matrix; x replaces the right-hand side, A is overwritten.
void aug_eliminate(ExprGraph *g, size_t N, Expr *A, Expr *x);

#endif
