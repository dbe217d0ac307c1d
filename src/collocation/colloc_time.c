// SPDX-License-Identifier: MIT
// The horizon T, and how everything depends on it where it is free. Intervals keep their fractions of it,
// h = w T, so that a factor f = b h^p has the derivatives p f / T and p (p - 1) f / T^2. With z(w, T) the
// local variables of a point, made of the interval's variables w with such factors, s(T) the scale of a
// block's rows (p at most 1), L = s lambda^T r(z):
//   dr/dT   = s (J z_T + p r / T)
//   L_Tw    = s f ((H z_T)_i + (p_f + p_s) y_i / T),       y = J^T lambda, H = Hessian of lambda^T r
//   L_TT    = s (z_T^T H z_T + y^T z_TT + 2 p_s y^T z_T / T)
// The multipliers in Placed.lambda carry s already.
#include <string.h>

#include "collocation/colloc_internal.h"

static void set_factor(const Colloc *c, Factor *f) {
  f->now = factor_at(f, c->T / c->N);
  f->each = c->h_power && f->power > 0 ? c->h_power + (size_t)(f->power - 1) * (size_t)c->N : NULL;
}

static void set_terms(const Colloc *c, TermList *list) {
  for (int t = 0; t < list->n; t++) set_factor(c, &list->term[t].coef);
}

static void set_placed(const Colloc *c, Placed *p) {
  for (int j = 0; j < c->d; j++) {
    set_factor(c, &p->scale[j]);
    set_terms(c, &p->jac[j]);
    set_terms(c, &p->hess[j]);
  }
}

void colloc_set_T(Colloc *c, double T) {
  c->T = T;
  for (int k = 0; c->h_power && k < c->N; k++) {
    double h = c->width[k] * T, power = 1.0;
    for (int p = 0; p < POWER_MAX; p++) c->h_power[k + p * c->N] = power *= h;
  }
  int n = c->point->nz * c->d;
  for (int i = 0; i < n; i++) {
    Combo *combo = &c->combo[i];
    for (int s = 0; s < combo->n; s++) set_factor(c, &combo->coef[s]);
  }
  for (int b = 0; b < c->n_placed; b++) set_placed(c, &c->placed[b]);
  memset(c->linear_const, 0, (size_t)c->nlp.jac_nnz * sizeof *c->linear_const);
  for (int e = 0; e < c->n_linear; e++) {
    Linear *l = &c->linear[e];
    set_factor(c, &l->coef);
    for (int k = 0; k < c->N; k++) c->linear_const[l->at + k] += factor_in(&l->coef, k);
  }
}

double colloc_rate_scale(const Colloc *c) {
  return c->T_var >= 0 ? c->o->T / c->T : 1.0;
}

// zT = dz/dT and zTT at all points
static void differentiate_z(Colloc *c) {
  int nz = c->point->nz, N = c->N;
  size_t np = (size_t)c->n_point;
  memset(c->zT, 0, (size_t)nz * np * sizeof *c->zT);
  memset(c->zTT, 0, (size_t)nz * np * sizeof *c->zTT);
  for (int j = 0; j < c->d; j++) {
    for (int i = 0; i < nz; i++) {
      const Combo *combo = &c->combo[i + nz * j];
      size_t at = (size_t)i * np + (size_t)(j * N);
      for (int s = 0; s < combo->n; s++) {
        double p = combo->coef[s].power;
        const double *w = colloc_slot_values(c, combo->slot[s]);
        Factor slope = factor_times(&combo->coef[s], p / c->T);
        Factor curve = factor_times(&slope, (p - 1.0) / c->T);
        if (p > 0) factor_add(&slope, N, w, c->zT + at);
        if (p > 1) factor_add(&curve, N, w, c->zTT + at);
      }
    }
  }
}

// ---- first derivatives -------------------------------------------------------------------------

static void block_constraints(Colloc *c, const Placed *p, double *values) {
  size_t np = (size_t)c->n_point;
  for (int j = 0; p->block->n_row && j < c->d; j++) {
    if (p->time_at[j] < 0) continue;
    size_t first = (size_t)(j * c->N);
    Factor growth = factor_times(&p->scale[j], p->scale[j].power / c->T);
    for (int e = 0; e < p->block->jac_nnz; e++) {
      double *to = values + p->time_class[j * p->block->n_row + p->block->jac_row[e]];
      const double *J = p->jac_value + (size_t)e * np + first;
      const double *zT = c->zT + (size_t)p->block->jac_col[e] * np + first;
      for (int k = 0; k < c->N; k++) to[k] += factor_in(&p->scale[j], k) * J[k] * zT[k];
    }
    for (int r = 0; p->scale[j].power > 0 && r < p->block->n_row; r++) {
      factor_add(&growth, c->N, p->value + (size_t)r * np + first,
                 values + p->time_class[j * p->block->n_row + r]);
    }
  }
}

void colloc_time_constraints(Colloc *c, double *values) {
  differentiate_z(c);
  for (int e = 0; e < c->n_linear; e++) {
    const Linear *l = &c->linear[e];
    if (l->time_at < 0) continue;
    Factor slope = factor_times(&l->coef, l->coef.power / c->T);
    factor_add(&slope, c->N, colloc_slot_values(c, l->slot), values + l->time_at);
  }
  for (int b = 0; b < c->n_placed; b++) {
    if (!c->placed[b].cost) block_constraints(c, &c->placed[b], values);
  }
}

// difference of controls of a rate row
static double rate_difference(const Colloc *c, const double *x, int e) {
  int control = c->rate_control[e], i = c->rate_actuator[e];
  return colloc_control(c, x, control + 1)[i] - colloc_control(c, x, control)[i];
}

void colloc_time_rates(const Colloc *c, const double *x, double *values) {
  double slope = -colloc_rate_scale(c) / c->T;
  for (int e = 0; e < c->n_rate; e++) values[e] = slope * rate_difference(c, x, e);
}

static double dot_controls(const Colloc *c, const double *x, int p) {
  double sum = 0.0;
  const double *a = colloc_control(c, x, c->pair[p][0]), *b = colloc_control(c, x, c->pair[p][1]);
  for (int i = 0; i < c->nu; i++) sum += a[i] * b[i];
  return sum;
}

// slope of the weight of a pair with respect to T
static double pair_slope(const Colloc *c, int p) {
  return c->torque * c->pair_torque[p] - c->torque_rate * c->pair_rate[p] / (c->T * c->T);
}

// d cost / dT
static double block_gradient(const Colloc *c, const Placed *p) {
  size_t np = (size_t)c->n_point;
  double sum = 0.0;
  for (int j = 0; j < c->d; j++) {
    size_t first = (size_t)(j * c->N);
    sum += p->scale[j].power / c->T * factor_dot(&p->scale[j], c->N, p->value + first);
    for (int e = 0; e < p->block->jac_nnz; e++) {
      const double *J = p->jac_value + (size_t)e * np + first;
      const double *zT = c->zT + (size_t)p->block->jac_col[e] * np + first;
      for (int k = 0; k < c->N; k++) sum += factor_in(&p->scale[j], k) * J[k] * zT[k];
    }
  }
  return sum;
}

void colloc_time_gradient(Colloc *c, const double *x, double *grad) {
  double sum = c->o->cost.time;
  for (int p = 0; p < c->n_pair; p++) sum += pair_slope(c, p) * dot_controls(c, x, p);
  bool have_zT = false;
  for (int b = 0; b < c->n_placed; b++) {
    const Placed *p = &c->placed[b];
    if (!p->cost || !p->block->n_row) continue;
    if (!have_zT) differentiate_z(c);
    have_zT = true;
    sum += block_gradient(c, p);
  }
  grad[c->T_var] += sum;
}

// ---- second derivatives ------------------------------------------------------------------------

// y = J^T lambda and Hz = H zT at all points, lambda with the scale
static void adjoints(Colloc *c, const Placed *p) {
  size_t np = (size_t)c->n_point, bytes = (size_t)c->point->nz * np * sizeof *c->y;
  const OcpBlock *b = p->block;
  memset(c->y, 0, bytes);
  memset(c->Hz, 0, bytes);
  for (int e = 0; e < b->jac_nnz; e++) {
    double *y = c->y + (size_t)b->jac_col[e] * np;
    const double *J = p->jac_value + (size_t)e * np;
    const double *lambda = p->lambda + (size_t)b->jac_row[e] * np;
    for (size_t k = 0; k < np; k++) y[k] += J[k] * lambda[k];
  }
  for (int e = 0; e < b->hess_nnz; e++) {
    size_t i = (size_t)b->hess_row[e], l = (size_t)b->hess_col[e];
    const double *H = p->hess_value + (size_t)e * np;
    for (size_t k = 0; k < np; k++) c->Hz[i * np + k] += H[k] * c->zT[l * np + k];
    for (size_t k = 0; i != l && k < np; k++) c->Hz[l * np + k] += H[k] * c->zT[i * np + k];
  }
}

// adds a block's part to the entries (T, slot) and returns its part of (T, T)
static double block_hessian(Colloc *c, const Placed *p, double *values) {
  if (!p->block->n_row) return 0.0;
  adjoints(c, p);
  int nz = c->point->nz, N = c->N;
  size_t np = (size_t)c->n_point;
  double sum = 0.0;
  for (int j = 0; j < c->d; j++) {
    if (p->time_at[j] < 0) continue;
    double growth = p->scale[j].power / c->T;
    for (int i = 0; i < nz; i++) {
      size_t at = (size_t)i * np + (size_t)(j * N);
      const double *y = c->y + at, *Hz = c->Hz + at, *zT = c->zT + at, *zTT = c->zTT + at;
      for (int k = 0; k < N; k++) sum += zT[k] * (Hz[k] + 2.0 * growth * y[k]) + zTT[k] * y[k];
      const Combo *combo = &c->combo[i + nz * j];
      for (int s = 0; s < combo->n; s++) {
        const Factor *f = &combo->coef[s];
        double *to = values + c->time_slot[combo->slot[s]];
        Factor slope = factor_times(f, f->power / c->T + growth);
        factor_add(f, N, Hz, to);
        factor_add(&slope, N, y, to);
      }
    }
  }
  return sum;
}

static double linear_hessian(Colloc *c, const double *lambda, double *values) {
  double sum = 0.0;
  for (int e = 0; e < c->n_linear; e++) {
    const Linear *l = &c->linear[e];
    if (l->time_at < 0) continue;
    const double *w = colloc_slot_values(c, l->slot);
    const double *mult = lambda + c->row0 + l->row;
    double power = l->coef.power;
    Factor slope = factor_times(&l->coef, power / c->T);
    double *to = values + c->time_slot[l->slot];
    for (int k = 0; k < c->N; k++) {
      double m = factor_in(&slope, k) * mult[(size_t)k * (size_t)c->rows];
      to[k] += m;
      sum += (power - 1.0) / c->T * m * w[k];
    }
  }
  return sum;
}

// of the costs of controls, and of limits on their rates
static double control_hessian(Colloc *c, const double *x, double sigma, const double *lambda,
                              double *values) {
  double sum = 0.0;
  for (int p = 0; p < c->n_pair; p++) {
    double slope = sigma * pair_slope(c, p);
    for (int m = 0; m < 2; m++) {
      const double *u = colloc_control(c, x, c->pair[p][1 - m]);
      double *to = values + c->time_control_at + c->pair[p][m] * c->nu;
      for (int i = 0; i < c->nu; i++) to[i] += slope * u[i];
    }
    double curve = 2.0 * c->torque_rate * c->pair_rate[p] / (c->T * c->T * c->T);
    sum += sigma * curve * dot_controls(c, x, p);
  }
  for (int e = 0; e < c->n_rate; e++) {
    double slope = -lambda[c->rate_row + e] * colloc_rate_scale(c) / c->T;
    double *to = values + c->time_control_at + c->rate_control[e] * c->nu + c->rate_actuator[e];
    to[0] -= slope;
    to[c->nu] += slope;
    sum += -2.0 / c->T * slope * rate_difference(c, x, e);
  }
  return sum;
}

void colloc_time_hessian(Colloc *c, const double *x, double sigma, const double *lambda,
                         double *values) {
  differentiate_z(c);
  double sum = linear_hessian(c, lambda, values);
  for (int b = 0; b < c->n_placed; b++) sum += block_hessian(c, &c->placed[b], values);
  sum += control_hessian(c, x, sigma, lambda, values);
  values[c->time_at] += sum;
}
