// SPDX-License-Identifier: MIT
// Solves the symmetric indefinite systems of an interior-point method for an optimal control problem,
//   [ H + D   0   C^T  A^T ] [x]
//   [   0     E    0   -I  ] [s]      H sparse, D, E diagonal; C equations, A inequalities with
//   [   C     0   -d     0 ] [y]      slacks s; d >= 0 small diagonals
//   [   A    -I    0    -d ] [z]
// by an LDL^T that knows the stages in time: what belongs to the inside of one interval is eliminated
// interval by interval, then the chain of nodes from first to last, then the border. Unknowns of
// an interval's inside touch their own inside, the nodes at both its ends and the border; those of a node
// its neighbours, the intervals beside it and the border.
//
//   KktMap map;
//   kkt_map_build(&map, nlp, arena);                        // who belongs where
//   kkt_build(&k, &map, ptr, row, &err);                    // symbolic, once
//   kkt_factor(k, values, u, &info);                        // numeric, each iteration
//   kkt_solve(k, 1, x, dim);                                // any number of times
#ifndef POISE_SOLVER_KKT_H
#define POISE_SOLVER_KKT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "nlp/nlp.h"

typedef enum KktRole {
  KKT_UNKNOWN,     // variable inside an interval
  KKT_EQUATION,    // multiplier of an equation inside an interval
  KKT_NODE,        // variable or multiplier of node `stage` (0 .. n_stage)
  KKT_SLACK,       // slack of an inequality, right before its multiplier in time, not in index
  KKT_INEQUALITY,  // multiplier of an inequality
  KKT_BORDER,      // belongs to no stage
} KktRole;

// Who belongs where, in the order of the matrix: free variables, slacks, equations, inequalities.
typedef struct KktMap {
  int dim;              // n_free + n_slack + n_equation + n_slack
  int n_stage;          // intervals
  int n_free;           // variables that are not fixed by equal bounds
  int n_slack;          // inequality rows (g_lower < g_upper)
  int n_equation;       // equality rows
  int *stage;           // dim, interval or node
  unsigned char *role;  // dim, KktRole
} KktMap;

// From the stage map of a program, in IPOPT's order (fixed variables are taken out). Arrays from the
// arena. False when out of memory or when the program has no stage map (n_stage 0).
bool kkt_map_build(KktMap *map, const Nlp *nlp, Arena *arena);

typedef struct Kkt Kkt;

typedef struct KktInfo {
  int n_negative;  // negative eigenvalues
  int n_zero;      // pivots too small to divide by: not 0 means singular
  int n_delayed;   // pivots that had to wait for a later front
  int n_general;   // intervals whose inside needed the general elimination
  int max_front;   // largest dense front
  double flops;    // of the factorisation
  size_t bytes;    // held
} KktInfo;

// Symbolic phase. Pattern: lower triangle with all diagonal entries, by columns, rows in any order, values of a place that occurs twice add up,
// 0-based. *out is NULL on failure; STATUS_INPUT: the pattern couples what the map keeps apart.
Status kkt_build(Kkt **out, const KktMap *map, const int *ptr, const int *row, Error *err);

// How many threads share the insides of the intervals; results do not depend on it. Default 1.
void kkt_set_threads(Kkt *k, int n);

// Numeric phase: values of the pattern; u: pivots smaller than u times the largest entry of their
// column wait. Returns false where the matrix has entries that are not finite. A singular matrix is
// factorised with its zero pivots replaced by 1 (info->n_zero tells).
bool kkt_factor(Kkt *k, const double *values, double u, KktInfo *info);

// Solves in place for n_rhs right-hand sides of length dim, `ld` apart.
void kkt_solve(const Kkt *k, int n_rhs, double *x, int ld);

void kkt_free(Kkt *k);  // NULL-safe

#endif
