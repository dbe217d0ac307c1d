// SPDX-License-Identifier: MIT
// Sparse L D L^T of a symmetric matrix with a fixed pattern and a fixed order of pivots: the matrix
// may be indefinite (equations of motion with multipliers), nothing is exchanged while factorising.
// The same pattern serves expressions, so that the elimination is part of a trace and its operations
// are counted and differentiated, and numbers, where a null pivot is seen and set aside: its row
// gets the pivot LDL_HUGE, so that its unknown comes out as zero and its equation acts on nothing
// (Tasora, section 5).
#ifndef POISE_DYNAMICS_LDL_H
#define POISE_DYNAMICS_LDL_H

#include <stdbool.h>

#include "base/arena.h"
#include "expr/expr.h"

#define LDL_HUGE 1e34

// Entry of the lower triangle, i >= j, in the numbering of the matrix.
typedef struct LdlEntry {
  int i, j;
} LdlEntry;

typedef struct Ldl {
  int n;        // rows
  int n_entry;  // of the matrix
  int nnz;      // below the diagonal of L
  int *perm;    // n, row of the matrix behind pivot k
  int *place;   // n, pivot of row i of the matrix
  int *a_ptr;   // n + 1, entries of the matrix by the later of their two pivots
  int *a_col;   // n_entry, the earlier pivot
  int *a_from;  // n_entry, index of the entry as given
  int *colptr;  // n + 1, columns of L
  int *row;     // nnz, ascending in each column
  int *rowptr;  // n + 1, rows of L
  int *col;     // nnz, ascending in each row
} Ldl;

// Order: a permutation of the rows, the first pivot first. Arrays come from the arena; false when
// out of memory.
bool ldl_build(Ldl *f, Arena *arena, int n, int n_entry, const LdlEntry *entry, const int *order);

// a: n_entry; l: nnz; d_inv: n, inverses of the pivots. drop (n, by row of the matrix, may be NULL):
// rows whose pivot is known to be null; their d_inv is zero. False when out of memory.
bool ldl_trace(ExprGraph *g, const Ldl *f, const Expr *a, const bool *drop, Expr *l, Expr *d_inv);
bool ldl_trace_solve(ExprGraph *g, const Ldl *f, const Expr *l, const Expr *d_inv, Expr *x);

// The same in numbers. A pivot of which at most `tol` of what it was computed from is left is
// null. work: LDL_WORK(f->n) doubles. Returns how many pivots are null; is_null (n, by row of the
// matrix) says which and may be NULL.
#define LDL_WORK(n) (n)
int ldl_factor(const Ldl *f, const double *a, double tol, double *l, double *d_inv, bool *is_null,
               double *work);
// x := A^-1 x, in the numbering of the matrix
void ldl_solve(const Ldl *f, const double *l, const double *d_inv, double *x, double *work);

#endif
