// SPDX-License-Identifier: MIT
#include "nlp_support.h"

#include <math.h>
#include <stdio.h>

static void name_x(const void *data, int i, char *out, size_t size) {
  (void)data;
  snprintf(out, size, "x%d", i);
}

static void name_g(const void *data, int i, char *out, size_t size) {
  (void)data;
  snprintf(out, size, "row %d", i);
}

// ---- HS071 --------------------------------------------------------------------------------------

const double hs071_x[4] = {1.0, 4.742999643577776, 3.821149978917085, 1.379408293155363};
const double hs071_objective = 17.01401714021362;

static bool hs_f(void *data, const double *x, bool new_x, double *f) {
  (void)data, (void)new_x;
  *f = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
  return true;
}

static bool hs_grad(void *data, const double *x, bool new_x, double *grad) {
  (void)data, (void)new_x;
  double s = x[0] + x[1] + x[2];
  grad[0] = x[3] * (s + x[0]);
  grad[1] = x[0] * x[3];
  grad[2] = x[0] * x[3] + 1;
  grad[3] = x[0] * s;
  return true;
}

static bool hs_g(void *data, const double *x, bool new_x, double *g) {
  (void)data, (void)new_x;
  g[0] = x[0] * x[1] * x[2] * x[3];
  g[1] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
  return true;
}

static bool hs_jac(void *data, const double *x, bool new_x, double *v) {
  (void)data, (void)new_x;
  v[0] = x[1] * x[2] * x[3];
  v[1] = x[0] * x[2] * x[3];
  v[2] = x[0] * x[1] * x[3];
  v[3] = x[0] * x[1] * x[2];
  for (int i = 0; i < 4; i++) v[4 + i] = 2 * x[i];
  return true;
}

// lower triangle by rows: 00, 10 11, 20 21 22, 30 31 32 33
static bool hs_hess(void *data, const double *x, bool new_x, double s, const double *l, double *v) {
  (void)data, (void)new_x;
  v[0] = s * 2 * x[3] + 2 * l[1];
  v[1] = s * x[3] + l[0] * x[2] * x[3];
  v[2] = 2 * l[1];
  v[3] = s * x[3] + l[0] * x[1] * x[3];
  v[4] = l[0] * x[0] * x[3];
  v[5] = 2 * l[1];
  v[6] = s * (2 * x[0] + x[1] + x[2]) + l[0] * x[1] * x[2];
  v[7] = s * x[0] + l[0] * x[0] * x[2];
  v[8] = s * x[0] + l[0] * x[0] * x[1];
  v[9] = 2 * l[1];
  return true;
}

const Nlp hs071 = {
    .n = 4,
    .m = 2,
    .x_lower = (double[]){1, 1, 1, 1},
    .x_upper = (double[]){5, 5, 5, 5},
    .x_start = (double[]){1, 5, 5, 1},
    .g_lower = (double[]){25, 40},
    .g_upper = (double[]){INFINITY, 40},
    .jac_nnz = 8,
    .jac_row = (int[]){0, 0, 0, 0, 1, 1, 1, 1},
    .jac_col = (int[]){0, 1, 2, 3, 0, 1, 2, 3},
    .hess_nnz = 10,
    .hess_row = (int[]){0, 1, 1, 2, 2, 2, 3, 3, 3, 3},
    .hess_col = (int[]){0, 0, 1, 0, 1, 2, 0, 1, 2, 3},
    .objective = hs_f,
    .gradient = hs_grad,
    .constraints = hs_g,
    .jacobian = hs_jac,
    .hessian = hs_hess,
    .name_variable = name_x,
    .name_constraint = name_g,
};

// ---- Rosenbrock ---------------------------------------------------------------------------------

static bool rosen_f(void *data, const double *x, bool new_x, double *f) {
  (void)data, (void)new_x;
  double r = x[1] - x[0] * x[0];
  *f = 100 * r * r + (1 - x[0]) * (1 - x[0]);
  return true;
}

static bool rosen_grad(void *data, const double *x, bool new_x, double *grad) {
  (void)data, (void)new_x;
  double r = x[1] - x[0] * x[0];
  grad[0] = -400 * r * x[0] - 2 * (1 - x[0]);
  grad[1] = 200 * r;
  return true;
}

static bool rosen_hess(void *data, const double *x, bool new_x, double s, const double *l,
                       double *v) {
  (void)data, (void)new_x, (void)l;
  v[0] = s * (1200 * x[0] * x[0] - 400 * x[1] + 2);
  v[1] = -400 * s * x[0];
  v[2] = 200 * s;
  return true;
}

const Nlp rosenbrock = {
    .n = 2,
    .x_lower = (double[]){-INFINITY, -INFINITY},
    .x_upper = (double[]){INFINITY, INFINITY},
    .x_start = (double[]){-1.2, 1},
    .hess_nnz = 3,
    .hess_row = (int[]){0, 1, 1},
    .hess_col = (int[]){0, 0, 1},
    .objective = rosen_f,
    .gradient = rosen_grad,
    .hessian = rosen_hess,
};

// ---- pairs --------------------------------------------------------------------------------------

static bool pairs_f(void *data, const double *x, bool new_x, double *f) {
  (void)data, (void)new_x;
  *f = 0;
  for (int i = 0; i < 2 * PAIRS; i++) *f += 0.5 * (x[i] - i) * (x[i] - i);
  return true;
}

static bool pairs_grad(void *data, const double *x, bool new_x, double *grad) {
  (void)data, (void)new_x;
  for (int i = 0; i < 2 * PAIRS; i++) grad[i] = x[i] - i;
  return true;
}

static bool pairs_g(void *data, const double *x, bool new_x, double *g) {
  (void)data, (void)new_x;
  for (int k = 0; k < PAIRS; k++) g[k] = x[2 * k] + x[2 * k + 1];
  return true;
}

static bool pairs_jac(void *data, const double *x, bool new_x, double *v) {
  (void)data, (void)x, (void)new_x;
  for (int e = 0; e < 2 * PAIRS; e++) v[e] = 1;
  return true;
}

static bool pairs_hess(void *data, const double *x, bool new_x, double s, const double *l,
                       double *v) {
  (void)data, (void)x, (void)new_x, (void)l;
  for (int e = 0; e < 2 * PAIRS; e++) v[e] = s;
  return true;
}

static double pairs_low[2 * PAIRS], pairs_high[2 * PAIRS], pairs_x[2 * PAIRS], pairs_one[PAIRS];
static int pairs_row[2 * PAIRS], pairs_col[2 * PAIRS];

__attribute__((constructor)) static void fill_pairs(void) {
  for (int i = 0; i < 2 * PAIRS; i++) {
    pairs_low[i] = -INFINITY;
    pairs_high[i] = INFINITY;
    pairs_row[i] = i / 2;
    pairs_col[i] = i;
  }
  for (int k = 0; k < PAIRS; k++) pairs_one[k] = 1;
}

const Nlp pairs = {
    .n = 2 * PAIRS,
    .m = PAIRS,
    .x_lower = pairs_low,
    .x_upper = pairs_high,
    .x_start = pairs_x,
    .g_lower = pairs_one,
    .g_upper = pairs_one,
    .jac_nnz = 2 * PAIRS,
    .jac_row = pairs_row,
    .jac_col = pairs_col,
    .hess_nnz = 2 * PAIRS,
    .hess_row = pairs_col,
    .hess_col = pairs_col,
    .objective = pairs_f,
    .gradient = pairs_grad,
    .constraints = pairs_g,
    .jacobian = pairs_jac,
    .hessian = pairs_hess,
};
