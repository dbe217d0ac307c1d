// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "solver/solver_internal.h"

bool solver_all_finite(const double *values, int n) {
  // 0 * v is NaN for NaN and Inf, else 0; four sums so that additions need not wait for each other
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) s[k] += 0.0 * values[i + k];
  }
  for (; i < n; i++) s[0] += 0.0 * values[i];
  return s[0] + s[1] + s[2] + s[3] == 0;
}

static double larger(double a, double b) {
  return b > a ? b : a;
}

// how far v lies outside [lower, upper]
static double outside(double v, double lower, double upper) {
  return larger(0, larger(lower - v, v - upper));
}

// multiplier times distance to its bound; 0 where there is no bound
static double product(double multiplier, double distance) {
  return isfinite(distance) ? fabs(multiplier * distance) : 0;
}

// r = grad f + J^T lambda - z_lower + z_upper; false where it has no value
static bool lagrangian_gradient(const Nlp *nlp, const double *x, const double *lambda,
                                const double *z_lower, const double *z_upper, double *jac,
                                double *r) {
  if (!nlp->gradient(nlp->data, x, false, r)) return false;
  if (nlp->m > 0) {
    if (!nlp->jacobian(nlp->data, x, false, jac)) return false;
    for (int e = 0; e < nlp->jac_nnz; e++) r[nlp->jac_col[e]] += jac[e] * lambda[nlp->jac_row[e]];
  }
  for (int i = 0; i < nlp->n; i++) r[i] += z_upper[i] - z_lower[i];
  return solver_all_finite(r, nlp->n);
}

void solver_residual(const Nlp *nlp, const double *x, const double *lambda, const double *z_lower,
                     const double *z_upper, double *scratch, SolveInfo *info) {
  int n = nlp->n, m = nlp->m;
  double *r = scratch, *g = r + n, *jac = g + m;
  double bound = 0, violation = 0, dual = 0, compl = 0;
  for (int i = 0; i < n; i++) {
    bound = larger(bound, outside(x[i], nlp->x_lower[i], nlp->x_upper[i]));
    if (nlp->x_lower[i] == nlp->x_upper[i]) continue;  // fixed: no unknown, no multiplier
    compl = larger(compl, product(z_lower[i], x[i] - nlp->x_lower[i]));
    compl = larger(compl, product(z_upper[i], nlp->x_upper[i] - x[i]));
  }
  info->bound_violation = bound;

  // the objective tells the Nlp the new x
  double f;
  bool ok = nlp->objective(nlp->data, x, true, &f);
  bool has_g = m == 0 || (nlp->constraints(nlp->data, x, !ok, g) && solver_all_finite(g, m));
  for (int i = 0; i < m && has_g; i++) {
    violation = larger(violation, outside(g[i], nlp->g_lower[i], nlp->g_upper[i]));
    if (nlp->g_lower[i] == nlp->g_upper[i]) continue;
    // lambda > 0 belongs to the upper bound
    compl = larger(compl, lambda[i] > 0 ? product(lambda[i], nlp->g_upper[i] - g[i])
                                        : product(lambda[i], g[i] - nlp->g_lower[i]));
  }
  info->constraint_violation = has_g ? violation : NAN;
  info->complementarity = has_g ? compl : NAN;

  bool has_dual = ok && lagrangian_gradient(nlp, x, lambda, z_lower, z_upper, jac, r);
  for (int i = 0; i < n && has_dual; i++) {
    if (nlp->x_lower[i] != nlp->x_upper[i]) dual = larger(dual, fabs(r[i]));
  }
  info->dual_infeasibility = has_dual ? dual : NAN;
}
