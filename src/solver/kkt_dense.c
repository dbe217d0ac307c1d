// SPDX-License-Identifier: MIT
#include "solver/kkt_dense.h"

#include <math.h>
#include <string.h>

static const double NOISE = 1e-14;   // of the largest entry: rounding
static const double SMALL = 1e-300;  // not to be divided by

static int largest_in_column(int n, const double *a, int ld, int p) {
  int best = p;
  double most = fabs(a[p * (long)ld + p]);
  for (int i = p + 1; i < n; i++) {
    double x = fabs(a[i * (long)ld + p]);
    if (x > most) {
      most = x;
      best = i;
    }
  }
  return best;
}

KKT_INLINE void swap_rows(int width, double *restrict x, double *restrict y) {
  for (int j = 0; j < width; j++) {
    double t = x[j];
    x[j] = y[j];
    y[j] = t;
  }
}

// columns b .. b + KKT_LANES of all rows below; returns the first unusable pivot, or n
KKT_INLINE int lu_panel(int n, int width, double *a, int ld, int b, double tiny, int *swap) {
  int end = b + KKT_LANES < n ? b + KKT_LANES : n;
  for (int p = b; p < end; p++) {
    int r = largest_in_column(n, a, ld, p);
    double *row = a + p * (long)ld;
    swap[p] = r;
    if (r != p) swap_rows(width, row, a + r * (long)ld);
    if (!(fabs(row[p]) > tiny)) return p;
    double inverse = 1.0 / row[p];

    // the pivot row without what is already eliminated, so that whole blocks can be subtracted
    double rest[KKT_LANES];
    for (int l = 0; l < KKT_LANES; l++) rest[l] = b + l > p ? row[b + l] : 0.0;
    for (int i = p + 1; i < n; i++) {
      double *x = a + i * (long)ld + b;
      double f = x[p - b] * inverse;
      for (int l = 0; l < KKT_LANES; l++) x[l] -= f * rest[l];
      x[p - b] = f;
    }
  }
  return n;
}

KKT_CLONES int kkt_lu(int n, int width, double *a, int ld, double tiny, int *swap) {
  for (int b = 0; b < n; b += KKT_LANES) {
    int bad = lu_panel(n, width, a, ld, b, tiny, swap);
    if (bad < n) return bad;
    int right = b + KKT_LANES;
    for (int i = b + 1; i < n; i++) {
      int terms = i < right ? i - b : KKT_LANES;
      double *row = a + i * (long)ld;
      kkt_rows_sub(width - right, row + right, terms, row + b, 0, a + b * (long)ld + right, ld);
    }
  }
  return n;
}

// largest |a| of row p right of the diagonal up to `to`
KKT_INLINE double row_largest(const double *restrict row, int from, int to, int *where) {
  double most = 0.0;
  int best = -1;
  for (int j = from; j < to; j++) {
    double x = fabs(row[j]);
    if (x > most) {
      most = x;
      best = j;
    }
  }
  if (where) *where = best;
  return most;
}

KKT_INLINE double row_max(const double *restrict row, int from, int to) {
  double most = 0.0;
  for (int j = from; j < to; j++) most = fabs(row[j]) > most ? fabs(row[j]) : most;
  return most;
}

// largest of unknown r against the others not yet eliminated: among candidates, and among the rest
KKT_INLINE void column_largest(int n, int nf, const double *a, int ld, int first, int r,
                               double *among, double *beyond) {
  double most = 0.0;
  for (int i = first; i < r; i++) {
    double x = fabs(a[i * (long)ld + r]);
    if (x > most) most = x;
  }
  const double *row = a + r * (long)ld;
  double right = row_max(row, r + 1, nf);
  *among = right > most ? right : most;
  *beyond = row_max(row, nf, n);
}

// symmetric interchange of unknowns p < r
static void interchange(int n, double *a, int ld, int p, int r, int *perm, double *size) {
  if (p == r) return;
  for (int k = 0; k < p; k++) {
    double *row = a + k * (long)ld, t = row[p];
    row[p] = row[r];
    row[r] = t;
  }
  double *x = a + p * (long)ld, *y = a + r * (long)ld, t = x[p];
  x[p] = y[r];
  y[r] = t;
  for (int i = p + 1; i < r; i++) {
    t = x[i];
    x[i] = a[i * (long)ld + r];
    a[i * (long)ld + r] = t;
  }
  for (int i = r + 1; i < n; i++) {
    t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
  int k = perm[p];
  perm[p] = perm[r];
  perm[r] = k;
  t = size[p];
  size[p] = size[r];
  size[r] = t;
}

// rows j > p: minus their part of the pivot row; row p becomes a row of L^T
KKT_INLINE void eliminate_one(int n, double *a, int ld, int p, double inverse, double *size) {
  double *restrict row = a + p * (long)ld;
  for (int j = p + 1; j < n; j++) {
    double f = row[j] * inverse, gone = fabs(f * row[j]);
    if (f == 0.0) continue;
    size[j] = gone > size[j] ? gone : size[j];
    double *restrict x = a + j * (long)ld;
    for (int i = j / KKT_LANES * KKT_LANES; i < ld; i += KKT_LANES) {
      for (int l = 0; l < KKT_LANES; l++) x[i + l] -= f * row[i + l];
    }
  }
  for (int j = p + 1; j < n; j++) row[j] *= inverse;
}

// the same with the pair p, p + 1; inverse {d11, d21, d22}
KKT_INLINE void eliminate_two(int n, double *a, int ld, int p, const double inverse[3],
                              double *size) {
  double *restrict s = a + p * (long)ld, *restrict t = s + ld;
  for (int j = p + 2; j < n; j++) {
    double f = inverse[0] * s[j] + inverse[1] * t[j], g = inverse[1] * s[j] + inverse[2] * t[j];
    if (f == 0.0 && g == 0.0) continue;
    double gone = fabs(f * s[j]) + fabs(g * t[j]);
    size[j] = gone > size[j] ? gone : size[j];
    double *restrict x = a + j * (long)ld;
    for (int i = j / KKT_LANES * KKT_LANES; i < ld; i += KKT_LANES) {
      for (int l = 0; l < KKT_LANES; l++) x[i + l] -= f * s[i + l] + g * t[i + l];
    }
  }
  for (int j = p + 2; j < n; j++) {
    double f = inverse[0] * s[j] + inverse[1] * t[j], g = inverse[1] * s[j] + inverse[2] * t[j];
    s[j] = f;
    t[j] = g;
  }
}

// What to do with candidate p: pivots (first, second), second -1 for 1x1; false: none acceptable now.
typedef struct Choice {
  int first, second;
  double inverse[3];
} Choice;

KKT_INLINE bool two_by_two(double a11, double a21, double a22, double beyond1, double beyond2,
                           double u, double inverse[3]) {
  // scaled by the off-diagonal entry, which is not the smallest here
  double x = a11 / a21, y = a22 / a21, det = x * y - 1.0;
  if (!(fabs(det) > 1e-3 * fmax(1.0, fabs(x * y)))) return false;
  inverse[0] = y / (a21 * det);
  inverse[1] = -1.0 / (a21 * det);
  inverse[2] = x / (a21 * det);
  double f = fabs(inverse[0]) * beyond1 + fabs(inverse[1]) * beyond2;
  double g = fabs(inverse[1]) * beyond1 + fabs(inverse[2]) * beyond2;
  return (f > g ? f : g) * u <= 1.0;
}

KKT_INLINE bool one_by_one(Choice *c, int p, double pivot, double beyond, double u) {
  if (!(fabs(pivot) > SMALL) || fabs(pivot) < u * beyond) return false;
  *c = (Choice){p, -1, {1.0 / pivot, 0.0, 0.0}};
  return true;
}

KKT_INLINE bool choose(int n, int nf, const double *a, int ld, int first, int p, double u,
                       Choice *c) {
  const double alpha = 0.6403882032022076;  // (1 + sqrt 17) / 8
  const double *row = a + p * (long)ld;
  double pivot = row[p], beyond = row_max(row, nf, n);
  int r;
  double lambda = row_largest(row, p + 1, nf, &r);
  for (int i = first; i < p; i++) {  // candidates that were passed over
    double x = fabs(a[i * (long)ld + p]);
    if (x > lambda) {
      lambda = x;
      r = i;
    }
  }
  if (fabs(pivot) >= alpha * lambda && one_by_one(c, p, pivot, beyond, u)) return true;
  if (!(lambda > SMALL)) return false;

  double sigma, beyond_r, pivot_r = a[r * (long)ld + r];
  column_largest(n, nf, a, ld, first, r, &sigma, &beyond_r);
  if (fabs(pivot) * sigma >= alpha * lambda * lambda && one_by_one(c, p, pivot, beyond, u)) {
    return true;
  }
  if (fabs(pivot_r) >= alpha * sigma && one_by_one(c, r, pivot_r, beyond_r, u)) return true;
  int low = p < r ? p : r, high = p < r ? r : p;
  double off = a[low * (long)ld + high];
  c->first = low;
  c->second = high;
  return two_by_two(a[low * (long)ld + low], off, a[high * (long)ld + high],
                    low == p ? beyond : beyond_r, low == p ? beyond_r : beyond, u, c->inverse);
}

// Is what is left of unknown p rounding of what was subtracted from it? Entries of size |a_ij| came about
// by subtractions of up to sqrt(size_i size_j): a measure that no scaling of the unknowns changes.
KKT_INLINE bool is_zero(int n, const double *a, int ld, int first, int p, const double *size) {
  const double *row = a + p * (long)ld;
  if (fabs(row[p]) > NOISE * size[p]) return false;
  for (int i = first; i < p; i++) {
    double x = a[i * (long)ld + p];
    if (x * x > NOISE * NOISE * size[p] * size[i]) return false;
  }
  for (int j = p + 1; j < n; j++) {
    if (row[j] * row[j] > NOISE * NOISE * size[p] * size[j]) return false;
  }
  return true;
}

KKT_INLINE void take(int n, double *a, int ld, int p, const Choice *c, int *perm, double *size,
                     double *d, KktLdl *out) {
  interchange(n, a, ld, p, c->first, perm, size);
  if (c->second < 0) {
    d[2 * p] = c->inverse[0];
    d[2 * p + 1] = 0.0;
    out->n_negative += c->inverse[0] < 0.0;
    eliminate_one(n, a, ld, p, c->inverse[0], size);
    out->n_pivot = p + 1;
    return;
  }
  // the first interchange may have moved the second one
  int second = c->second == p ? c->first : c->second;
  double inverse[3] = {c->inverse[0], c->inverse[1], c->inverse[2]};
  interchange(n, a, ld, p + 1, second, perm, size);
  d[2 * p] = inverse[0];
  d[2 * p + 1] = inverse[1];
  d[2 * p + 2] = inverse[2];
  d[2 * p + 3] = 0.0;
  double det = inverse[0] * inverse[2] - inverse[1] * inverse[1];
  out->n_negative += det < 0.0 ? 1 : inverse[0] < 0.0 ? 2 : 0;
  eliminate_two(n, a, ld, p, inverse, size);
  out->n_pivot = p + 2;
}

KKT_CLONES void kkt_ldl(int n, int nf, double *a, int ld, double u, int *perm, double *size,
                        double *d, KktLdl *out) {
  *out = (KktLdl){0};
  for (int i = 0; i < n; i++) size[i] = fmax(size[i], fabs(a[i * (long)ld + i]));
  int p = 0, tried = 0;  // tried: candidates passed over since the last pivot
  while (p < nf && p + tried < nf) {
    int at = p + tried;
    Choice c;
    if (is_zero(n, a, ld, p, at, size)) {
      interchange(n, a, ld, p, at, perm, size);
      memset(a + p * (long)ld + p, 0, (size_t)(ld - p) * sizeof *a);
      d[2 * p] = 1.0;
      d[2 * p + 1] = 0.0;
      out->n_zero++;
      out->n_pivot = ++p;
    } else if (choose(n, nf, a, ld, p, at, u, &c)) {
      take(n, a, ld, p, &c, perm, size, d, out);
      p = out->n_pivot;
      tried = 0;
    } else {
      tried++;
    }
  }
}

KKT_CLONES void kkt_ldl_forward(int n, int n_pivot, const double *a, int ld, const double *d,
                                double *x) {
  for (int p = 0; p < n_pivot; p++) {
    const double *restrict row = a + p * (long)ld;
    double f = x[p];
    if (d[2 * p + 1] != 0.0) {
      const double *restrict next = row + ld;
      double g = x[p + 1];
      for (int j = p + 2; j < n; j++) x[j] -= f * row[j] + g * next[j];
      p++;
      continue;
    }
    for (int j = p + 1; j < n; j++) x[j] -= f * row[j];
  }
}

void kkt_ldl_diagonal(int n_pivot, const double *d, double *x) {
  for (int p = 0; p < n_pivot; p++) {
    if (d[2 * p + 1] == 0.0) {
      x[p] *= d[2 * p];
      continue;
    }
    double f = x[p], g = x[p + 1];
    x[p] = d[2 * p] * f + d[2 * p + 1] * g;
    x[p + 1] = d[2 * p + 1] * f + d[2 * p + 2] * g;
    p++;
  }
}

KKT_CLONES void kkt_ldl_backward(int n, int n_pivot, const double *a, int ld, const double *d,
                                 double *x) {
  for (int p = n_pivot - 1; p >= 0; p--) {
    const double *row = a + p * (long)ld;
    if (p > 0 && d[2 * p - 1] != 0.0) {
      x[p] -= kkt_dot(n - p - 1, row + p + 1, x + p + 1);
      x[p - 1] -= kkt_dot(n - p - 1, row - ld + p + 1, x + p + 1);
      p--;
      continue;
    }
    x[p] -= kkt_dot(n - p - 1, row + p + 1, x + p + 1);
  }
}
