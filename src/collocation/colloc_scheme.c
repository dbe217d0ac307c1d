// SPDX-License-Identifier: MIT
#include "collocation/colloc_scheme.h"

#include <math.h>
#include <string.h>

// ---- points ------------------------------------------------------------------------------------

// Legendre polynomials P_n and P_{n-1} at x
static void legendre(int n, double x, double *p, double *before) {
  *before = 0.0;
  *p = 1.0;
  for (int k = 1; k <= n; k++) {
    double next = ((2 * k - 1) * x * *p - (k - 1) * *before) / k;
    *before = *p;
    *p = next;
  }
}

// what vanishes at the points on [-1, 1]: P_d for Gauss, P_d - P_{d-1} for Radau (with a root at 1)
static double node_polynomial(bool radau, int d, double x) {
  double p, before;
  legendre(d, x, &p, &before);
  return radau ? p - before : p;
}

// roots by bisection between sign changes on a grid finer than they are apart; exact to rounding
static int find_roots(bool radau, int d, double *c) {
  enum { GRID = 4096 };
  int n = 0, wanted = radau ? d - 1 : d;
  double x0 = -1.0, f0 = node_polynomial(radau, d, x0);
  for (int i = 1; i <= GRID && n < wanted; i++) {
    // uneven steps, so that no root falls on the grid
    double x1 = -1.0 + (2.0 * i - 0.3719) / GRID, f1 = node_polynomial(radau, d, x1);
    if ((f0 < 0) != (f1 < 0)) {
      double lo = x0, hi = x1;
      for (int k = 0; k < 80; k++) {
        double mid = 0.5 * (lo + hi);
        if ((node_polynomial(radau, d, mid) < 0) == (f0 < 0)) lo = mid;
        else hi = mid;
      }
      c[n++] = 0.5 * (1.0 + 0.5 * (lo + hi));
    }
    x0 = x1;
    f0 = f1;
  }
  if (radau) c[n++] = 1.0;
  return n;
}

// ---- matrices ----------------------------------------------------------------------------------

// Lagrange basis polynomial l over n places, at x
static double lagrange(int n, const double *c, int l, double x) {
  double p = 1.0;
  for (int m = 0; m < n; m++) {
    if (m != l) p *= (x - c[m]) / (c[l] - c[m]);
  }
  return p;
}

// its derivative at place j
static double lagrange_slope(int n, const double *c, int l, int j) {
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    if (k == l) continue;
    double p = 1.0 / (c[l] - c[k]);
    for (int m = 0; m < n; m++) {
      if (m != l && m != k) p *= (c[j] - c[m]) / (c[l] - c[m]);
    }
    sum += p;
  }
  return sum;
}

// integral of basis polynomial l from 0 to x, by Gauss quadrature that is exact for it
static double lagrange_integral(const Scheme *s, int l, double x, const double *gauss,
                                const double *weight, int n_gauss) {
  double sum = 0.0;
  for (int m = 0; m < n_gauss; m++) sum += weight[m] * lagrange(s->d, s->c, l, x * gauss[m]);
  return x * sum;
}

// Gauss points and weights on [0, 1]
static void gauss_rule(int n, double *x, double *w) {
  find_roots(false, n, x);
  for (int i = 0; i < n; i++) {
    double t = 2.0 * x[i] - 1.0, p, before;
    legendre(n, t, &p, &before);
    double slope = n * (before - t * p) / (1.0 - t * t);
    w[i] = 1.0 / ((1.0 - t * t) * slope * slope);
  }
}

static void integrate(Scheme *s) {
  double x[SCHEME_MAX], w[SCHEME_MAX];
  int n = (s->d + 1) / 2 + 1;
  gauss_rule(n, x, w);
  for (int l = 0; l < s->d; l++) {
    for (int j = 0; j < s->d; j++) s->A[j][l] = lagrange_integral(s, l, s->c[j], x, w, n);
    s->b[l] = lagrange_integral(s, l, 1.0, x, w, n);
  }
  for (int l = 0; l < s->d; l++) {
    for (int k = 0; k < s->d; k++) {
      s->b2[l] += s->b[k] * s->A[k][l];
      for (int j = 0; j < s->d; j++) s->A2[j][l] += s->A[j][k] * s->A[k][l];
    }
  }
}

static void differentiate(Scheme *s) {
  double c[SCHEME_MAX + 1] = {0.0};
  int n = s->d + 1;
  memcpy(c + 1, s->c, (size_t)s->d * sizeof *c);
  for (int l = 0; l < n; l++) {
    for (int j = 0; j < s->d; j++) s->D[j][l] = lagrange_slope(n, c, l, j + 1);
    s->end[l] = s->at_end ? (l == s->d) : lagrange(n, c, l, 1.0);
  }
}

void colloc_scheme(Scheme *s, OcpScheme kind, int degree) {
  memset(s, 0, sizeof *s);
  static const double ends[2] = {0.0, 1.0}, thirds[3] = {0.0, 0.5, 1.0};
  switch (kind) {
    case OCP_RADAU:
    case OCP_GAUSS:
      s->d = find_roots(kind == OCP_RADAU, degree, s->c);
      s->n_control = s->control_step = 1;
      break;
    case OCP_TRAPEZOIDAL:
      s->d = s->n_control = 2;
      s->control_step = 1;
      memcpy(s->c, ends, sizeof ends);
      break;
    case OCP_HERMITE_SIMPSON:
      s->d = s->n_control = 3;
      s->control_step = 2;
      memcpy(s->c, thirds, sizeof thirds);
      break;
  }
  s->at_start = s->c[0] == 0.0;
  s->at_end = s->c[s->d - 1] == 1.0;
  integrate(s);
  if (!s->at_start) differentiate(s);
  for (int j = 0; j < s->d; j++) {
    if (s->n_control == 1) s->w[j][0] = 1.0;
    else s->w[j][j] = 1.0;  // a control at each point
  }
}
