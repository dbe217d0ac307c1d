// SPDX-License-Identifier: MIT
// Small dense matrices, column-major: what checks and projections need; not for hot loops.
#ifndef POISE_BASE_DENSE_H
#define POISE_BASE_DENSE_H

#include <stdbool.h>

// In place, lower triangle: A = C C^T (n x n). False if A is not positive definite.
bool dense_cholesky(int n, double *A);

// x := C^-1 x; x := C^-T x
void dense_forward(int n, const double *C, double *x);
void dense_backward(int n, const double *C, double *x);

// Householder QR with column pivoting, A P = Q R (n_row x n_col), in place: R in the upper triangle of
// A (reflectors are dropped). perm: n_col, perm[k] is the column of A that became column k. Stops where
// the largest remaining column is below tolerance times the largest one of A: returns the rank.
int dense_qr_rank(int n_row, int n_col, double *A, int *perm, double tolerance);

// x := R^-1 x with the leading n x n triangle of R, whose columns are n_row apart.
void dense_solve_upper(int n_row, int n, const double *R, double *x);

double dense_norm(int n, const double *x);

#endif
