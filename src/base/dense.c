// SPDX-License-Identifier: MIT
#include "base/dense.h"

#include <math.h>
#include <stddef.h>

bool dense_cholesky(int n, double *A) {
  size_t N = (size_t)n;
  for (size_t j = 0; j < N; j++) {
    double *a = A + N * j;
    for (size_t k = 0; k < j; k++) {
      double l = A[j + N * k];
      if (l == 0) continue;
      for (size_t i = j; i < N; i++) a[i] -= l * A[i + N * k];
    }
    if (!(a[j] > 0)) return false;
    double inv = 1 / sqrt(a[j]);
    for (size_t i = j; i < N; i++) a[i] *= inv;
  }
  return true;
}

void dense_forward(int n, const double *C, double *x) {
  size_t N = (size_t)n;
  for (size_t j = 0; j < N; j++) {
    x[j] /= C[j + N * j];
    if (x[j] == 0) continue;
    for (size_t i = j + 1; i < N; i++) x[i] -= C[i + N * j] * x[j];
  }
}

void dense_backward(int n, const double *C, double *x) {
  size_t N = (size_t)n;
  for (size_t j = N; j-- > 0;) {
    for (size_t i = j + 1; i < N; i++) x[j] -= C[i + N * j] * x[i];
    x[j] /= C[j + N * j];
  }
}

double dense_norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void swap_columns(size_t n_row, double *A, int *perm, size_t j, size_t k) {
  for (size_t i = 0; j != k && i < n_row; i++) {
    double t = A[i + n_row * j];
    A[i + n_row * j] = A[i + n_row * k];
    A[i + n_row * k] = t;
  }
  int t = perm[j];
  perm[j] = perm[k];
  perm[k] = t;
}

// reflects column k below row k onto the diagonal, and the columns behind it
static void reflect(size_t n_row, size_t n_col, double *A, size_t k) {
  double *v = A + n_row * k;
  double norm = dense_norm((int)(n_row - k), v + k);
  double diagonal = v[k] > 0 ? -norm : norm;
  v[k] -= diagonal;
  double square = 0;
  for (size_t i = k; i < n_row; i++) square += v[i] * v[i];
  for (size_t j = k + 1; j < n_col && square > 0; j++) {
    double *a = A + n_row * j, dot = 0;
    for (size_t i = k; i < n_row; i++) dot += v[i] * a[i];
    double scale = 2 * dot / square;
    for (size_t i = k; i < n_row; i++) a[i] -= scale * v[i];
  }
  v[k] = diagonal;
}

int dense_qr_rank(int n_row, int n_col, double *A, int *perm, double tolerance) {
  size_t rows = (size_t)n_row, cols = (size_t)n_col;
  double first = 0;
  for (int j = 0; j < n_col; j++) perm[j] = j;
  for (size_t k = 0; k < cols && k < rows; k++) {
    size_t big = k;
    double most = -1;
    for (size_t j = k; j < cols; j++) {
      double norm = dense_norm((int)(rows - k), A + k + rows * j);
      if (norm > most * (1 + 1e-6)) {  // of nearly equal ones the first
        most = norm;
        big = j;
      }
    }
    if (k == 0) first = most;
    if (!(most > tolerance * first)) return (int)k;
    swap_columns(rows, A, perm, k, big);
    reflect(rows, cols, A, k);
  }
  return n_row < n_col ? n_row : n_col;
}

void dense_solve_upper(int n_row, int n, const double *R, double *x) {
  size_t rows = (size_t)n_row;
  for (size_t j = (size_t)n; j-- > 0;) {
    x[j] /= R[j + rows * j];
    for (size_t i = 0; i < j; i++) x[i] -= R[i + rows * j] * x[j];
  }
}
