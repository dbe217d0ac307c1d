// SPDX-License-Identifier: MIT
// Dense kernels for blocks of 8 to some 200, row-major with rows padded to KKT_LANES doubles and
// aligned to them, so that every inner loop is a whole number of vector registers.
#ifndef POISE_SOLVER_KKT_DENSE_H
#define POISE_SOLVER_KKT_DENSE_H

#include <stdbool.h>

enum { KKT_LANES = 8 };

static inline int kkt_pad(int n) {
  return (n + KKT_LANES - 1) / KKT_LANES * KKT_LANES;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(POISE_SANITIZE) && \
    !defined(__AVX512F__)
#define KKT_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define KKT_CLONES
#endif
#define KKT_INLINE static inline __attribute__((always_inline))

// y -= sum over e < n of c[e] x_row(e), rows of `w` doubles (a multiple of KKT_LANES)
KKT_INLINE void kkt_block_sub(double *restrict y, int n, const double *restrict c,
                              const int *restrict at, const double *restrict x, int ld) {
  double a[KKT_LANES], b[KKT_LANES] = {0};
  for (int l = 0; l < KKT_LANES; l++) a[l] = y[l];
  int e = 0;
  for (; e + 1 < n; e += 2) {
    const double *s = x + (at ? at[e] : e) * (long)ld, *t = x + (at ? at[e + 1] : e + 1) * (long)ld;
    double f = c[e], g = c[e + 1];
    for (int l = 0; l < KKT_LANES; l++) a[l] -= f * s[l];
    for (int l = 0; l < KKT_LANES; l++) b[l] -= g * t[l];
  }
  if (e < n) {
    const double *s = x + (at ? at[e] : e) * (long)ld;
    for (int l = 0; l < KKT_LANES; l++) a[l] -= c[e] * s[l];
  }
  for (int l = 0; l < KKT_LANES; l++) y[l] = a[l] + b[l];
}

// the same for two blocks side by side: more sums under way at once
KKT_INLINE void kkt_block_sub2(double *restrict y, int n, const double *restrict c,
                               const int *restrict at, const double *restrict x, int ld) {
  enum { W = 2 * KKT_LANES };
  double a[W], b[W] = {0};
  for (int l = 0; l < W; l++) a[l] = y[l];
  int e = 0;
  for (; e + 1 < n; e += 2) {
    const double *s = x + (at ? at[e] : e) * (long)ld, *t = x + (at ? at[e + 1] : e + 1) * (long)ld;
    double f = c[e], g = c[e + 1];
    for (int l = 0; l < W; l++) a[l] -= f * s[l];
    for (int l = 0; l < W; l++) b[l] -= g * t[l];
  }
  if (e < n) {
    const double *s = x + (at ? at[e] : e) * (long)ld;
    for (int l = 0; l < W; l++) a[l] -= c[e] * s[l];
  }
  for (int l = 0; l < W; l++) y[l] = a[l] + b[l];
}

// y[0 .. w) -= sum over e < n of c[e] x[at[e] ld ..], or x[e ld ..] where at is NULL; w: a multiple of KKT_LANES
KKT_INLINE void kkt_rows_sub(int w, double *restrict y, int n, const double *restrict c,
                             const int *restrict at, const double *restrict x, int ld) {
  int j = 0;
  for (; j + 2 * KKT_LANES <= w; j += 2 * KKT_LANES) kkt_block_sub2(y + j, n, c, at, x + j, ld);
  if (j < w) kkt_block_sub(y + j, n, c, at, x + j, ld);
}

// sum over j < n of a[j] x[j]
KKT_INLINE double kkt_dot(int n, const double *restrict a, const double *restrict x) {
  double s[KKT_LANES] = {0}, sum = 0.0;
  int j = 0;
  for (; j + KKT_LANES <= n; j += KKT_LANES) {
    for (int l = 0; l < KKT_LANES; l++) s[l] += a[j + l] * x[j + l];
  }
  for (; j < n; j++) sum += a[j] * x[j];
  for (int l = 0; l < KKT_LANES; l++) sum += s[l];
  return sum;
}

// LU of the square part of a (n x width, leading dimension ld, width >= n), rows pivoted, applied to all
// columns: a = P^-1 L [U | L^-1 P B]. `first` (a multiple of KKT_LANES or 0) says where row 0 begins.
// swap[p]: the row that came to p. Returns the first p with |pivot| <= tiny, n if there is none.
int kkt_lu(int n, int width, double *a, int ld, double tiny, int *swap);

// Partial LDL^T of a symmetric matrix, upper triangle by rows: eliminates among the first nf unknowns
// those with acceptable pivots, 1x1 or 2x2, symmetric interchanges within them (Bunch and Kaufman 1977; threshold
// for what stays behind: |inverse pivot| |column| <= 1 / u). What is left behind the pivots: the Schur complement,
// with unknowns that found no pivot first.
typedef struct KktLdl {
  int n_pivot;     // eliminated
  int n_negative;  // of them
  int n_zero;      // unknowns of which nothing is left: pivot 1 put in their place
} KktLdl;

// perm (n), size (n): moved along with the rows. size: the largest that the diagonal was or that was subtracted
// from it so far; kept up to date. An unknown of which only rounding of that is left counts as zero.
// d (2 n): d[2 i], d[2 i + 1]: inverse pivots: a 1x1 one and 0, or for 2x2 pivots (i, i + 1):
// inverse diagonal d[2 i], d[2 i + 2] and inverse off-diagonal d[2 i + 1] (not 0).
// Rows of L^T are left in the rows of a, right of the diagonal (and of the 2x2 block).
void kkt_ldl(int n, int nf, double *a, int ld, double u, int *perm, double *size, double *d,
             KktLdl *out);

// Solves with the rows of L^T left by kkt_ldl: x = L^-1 x for all n; then, with d, the first n_pivot of x;
// then x = L^-T x for the first n_pivot.
void kkt_ldl_forward(int n, int n_pivot, const double *a, int ld, const double *d, double *x);
void kkt_ldl_diagonal(int n_pivot, const double *d, double *x);
void kkt_ldl_backward(int n, int n_pivot, const double *a, int ld, const double *d, double *x);

#endif
