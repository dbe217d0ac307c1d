// SPDX-License-Identifier: MIT
// The solve of the augmented system (tree_aug.h) alone, with the matrices as inputs: what Negrut, Serban
// and Potra count and time, without the work that goes into the matrices.
#ifndef POISE_DYNAMICS_AUG_FUNCTION_H
#define POISE_DYNAMICS_AUG_FUNCTION_H

#include "dynamics/dyn_function.h"
#include "dynamics/tree_aug.h"

// Which entries of M and J are there.
typedef enum AugPattern {
  AUG_TRACED,  // those that the trace of the robot does not find zero
  AUG_TOPOLOGY,  // all that topology allows: M between ancestors, J at all ancestors of a loop's bodies
  AUG_FULL,      // every one; Gauss then has no zero block either, as a solver that does not look
} AugPattern;

typedef enum AugSolver { AUG_SPARSE, AUG_DENSE, AUG_GAUSS } AugSolver;

typedef struct AugFunction {
  DynFunction
      *f;      // owned: (mass, jacobian, force, gamma) -> a, lambda; AUG_GAUSS on AUG_FULL has the
               // whole matrix as `mass` and no Jacobian
  int n, m;    //
  int n_mass;  // entries of M (of the whole matrix), and of J
  int n_jac;   //
  int *mass_at;  // n_mass, i + n j; of the whole matrix i + (n + m) j
  int *jac_at;   // n_jac, i + m j
} AugFunction;

// On failure *out is NULL.
Status aug_function_build(AugFunction **out, const Model *m, AugPattern pattern, AugSolver solver,
                          Error *err);
void aug_function_free(AugFunction *f);  // NULL-safe

// Operations by the steps of the paper; the last one is the sum. Subtractions count as additions.
typedef struct AugCount {
  int add, mul, div, sqrt;
} AugCount;
bool aug_count(const AugFunction *f, AugCount count[AUG_N_STEPS + 1]);  // false when out of memory

// Nonzeros of the Cholesky factor of a symmetric matrix with the pattern of a tree's mass matrix, by
// elimination that knows nothing of trees; joints in the order given (n, first eliminated first).
// nnz: those of the matrix itself, lower triangle. -1 when out of memory.
int aug_factor_nonzeros(int n, const int *parent, const int *order, int *nnz);

#endif
