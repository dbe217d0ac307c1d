// SPDX-License-Identifier: MIT
// Random KKT systems with stages in time (solver/kkt.h), and slow dense oracles for them: eigenvalues
// by Jacobi's method and a factorisation with complete pivoting (Bunch and Parlett).
#ifndef POISE_TESTS_KKT_SUPPORT_H
#define POISE_TESTS_KKT_SUPPORT_H

#include <stdint.h>

#include "solver/kkt.h"

// What a random system looks like. Counts are per interval or per node unless they say otherwise.
typedef struct KktShape {
  const char *name;
  int n_stage;          // intervals
  int node;             // variables of a node
  int control;          // further variables of each node but the last
  int unknown;          // variables inside
  int equation;         // equations inside, of their own unknowns, the nodes beside and the border
  int node_equation;    // equations with a role of KKT_NODE, of node 1 .. n_stage: continuity, say
  int start, goal;      // equations of the first and of the last node, in all
  int inequality;       // inside: with slacks
  int goal_inequality;  // of the last node, in all
  int border;           // variables that belong to no stage, in all
  int border_equation;  // equations of the border alone, in all
  int border_inequality;  // inequalities of the border alone, in all
  double density;         // of the Hessian and the Jacobian, 0 .. 1
  unsigned flags;         // of KktTrait
} KktShape;

typedef enum KktTrait {
  KKT_CONVEX = 1,        // positive Hessian: as many negative eigenvalues as rows
  KKT_LATE = 2,          // diagonals of 1e-8 .. 1e12, as at the end of an interior-point method
  KKT_HOLLOW = 4,        // no Hessian inside, some insides singular: pivots have to wait
  KKT_DEPENDENT = 8,     // one equation twice: a singular matrix
  KKT_BAD_SCALES = 16,   // rows and columns multiplied by 1e-6 .. 1e6
  KKT_REGULARISED = 32,  // -1e-8 under the multipliers, 1e-4 added to the Hessian
  KKT_DUPLICATE = 64,    // some places twice in the pattern; values add up
  KKT_SHUFFLED = 128,    // rows of a column in random order
} KktTrait;

// Shapes of all sizes: without controls, one interval, one state, nothing inside, with a border, ...
extern const KktShape kkt_shapes[];
extern const int n_kkt_shapes;

typedef struct KktSystem {
  Arena *arena;    // owns the rest
  KktMap map;      //
  int *ptr;        // dim + 1
  int *row;        // ptr[dim]
  double *values;  // ptr[dim]
} KktSystem;

// The same seed gives the same system. False when out of memory.
bool kkt_random(KktSystem *s, const KktShape *shape, uint64_t seed);
void kkt_system_free(KktSystem *s);

// y = A x
void kkt_multiply(const KktSystem *s, const double *x, double *y);

// |b - A x| / (|A| |x| + |b|), largest components.
double kkt_residual(const KktSystem *s, const double *x, const double *b);

// The full symmetric matrix, dim x dim.
void kkt_dense(const KktSystem *s, double *a);

// Divides rows and columns by the roots of their largest entries a few times: the inertia is the
// same, small eigenvalues of badly scaled matrices become visible. scale: n, or NULL.
void dense_equilibrate(int n, double *a, double *scale);

// Eigenvalues by cyclic Jacobi rotations; a (n x n) is destroyed.
void dense_eigenvalues(int n, double *a, double *w);

typedef struct DenseInertia {
  int n_negative;
  int n_zero;       // smaller than 1e-13 of the largest
  double smallest;  // of those that are not zero, relative to the largest
} DenseInertia;

// After equilibration: by eigenvalues, or by the signs of the pivots of P A P^T = L D L^T.
// a is destroyed. work: n.
DenseInertia dense_inertia_eigen(int n, double *a, double *work);
DenseInertia dense_inertia_pivots(int n, double *a);

// Solves A x = b in place of b by the same pivots; false for a singular matrix. a is destroyed.
bool dense_solve(int n, double *a, double *b);

#endif
