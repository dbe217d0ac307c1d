// SPDX-License-Identifier: MIT
#include "collocation/colloc_scheme.h"

#include <string.h>

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
  const Ocp gauss = {.scheme = OCP_GAUSS, .degree = n};
  ocp_points(&gauss, x);
  for (int i = 0; i < n; i++) {
    // w_i = 2 / ((1 - t^2) P_n'(t)^2) on [-1, 1], with (1 - t^2) P_n' = n (P_{n-1} - t P_n)
    double t = 2.0 * x[i] - 1.0, before = 1.0, p = t;
    for (int k = 1; k < n; k++) {
      double next = ((2 * k + 1) * t * p - k * before) / (k + 1);
      before = p;
      p = next;
    }
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

void colloc_scheme(Scheme *s, const Ocp *o) {
  memset(s, 0, sizeof *s);
  s->d = ocp_n_point(o);
  ocp_points(o, s->c);
  bool constant = o->scheme == OCP_RADAU || o->scheme == OCP_GAUSS;
  s->n_control = constant ? 1 : s->d;  // else a control at each point, shared at the nodes
  s->control_step = constant ? 1 : s->d - 1;
  s->at_start = s->c[0] == 0.0;
  s->at_end = s->c[s->d - 1] == 1.0;
  integrate(s);
  if (!s->at_start) differentiate(s);
  for (int j = 0; j < s->d; j++) s->w[j][constant ? 0 : j] = 1.0;
}
