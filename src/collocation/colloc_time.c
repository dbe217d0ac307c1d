// SPDX-License-Identifier: MIT
// Free final time: how everything depends on T = N h. With z(w, h) the local variables of a point, made of
// the interval's variables w with factors b h^p, s(h) the scale of a block's rows, L = s lambda^T r(z):
//   dr/dh   = s J z_h + s' r
//   L_hw    = s (H z_h)_i b h^p + s y_i (b h^p)' + s' y_i b h^p,     y = J^T lambda, H = Hessian of lambda^T r
//   L_hh    = s (z_h^T H z_h + y^T z_hh) + 2 s' y^T z_h              (no scale has a power above 1)
// The multipliers in Placed.lambda carry s already, so s' / s = power / h stands beside them.
#include <string.h>

#include "collocation/colloc_internal.h"

static void set_terms(TermList *list, double h) {
  for (int t = 0; t < list->n; t++) list->term[t].coef.now = factor_at(&list->term[t].coef, h);
}

static void set_placed(Placed *p, int d, double h) {
  for (int j = 0; j < d; j++) {
    p->scale[j].now = factor_at(&p->scale[j], h);
    set_terms(&p->jac[j], h);
    set_terms(&p->hess[j], h);
  }
}

void colloc_set_h(Colloc *c, double h) {
  c->h = h;
  int n = c->point->nz * c->d;
  for (int i = 0; i < n; i++) {
    Combo *combo = &c->combo[i];
    for (int s = 0; s < combo->n; s++) combo->coef[s].now = factor_at(&combo->coef[s], h);
  }
  for (int b = 0; b < c->n_placed; b++) set_placed(&c->placed[b], c->d, h);
  memset(c->linear_const, 0, (size_t)c->nlp.jac_nnz * sizeof *c->linear_const);
  for (int e = 0; e < c->n_linear; e++) {
    Linear *l = &c->linear[e];
    l->coef.now = factor_at(&l->coef, h);
    for (int k = 0; k < c->N; k++) c->linear_const[l->at + k] += l->coef.now;
  }
}

// zh = dz/dh and zhh at all points
static void differentiate_z(Colloc *c) {
  int nz = c->point->nz, N = c->N;
  size_t np = (size_t)c->n_point;
  memset(c->zh, 0, (size_t)nz * np * sizeof *c->zh);
  memset(c->zhh, 0, (size_t)nz * np * sizeof *c->zhh);
  for (int j = 0; j < c->d; j++) {
    for (int i = 0; i < nz; i++) {
      const Combo *combo = &c->combo[i + nz * j];
      double *zh = c->zh + (size_t)i * np + (size_t)(j * N);
      double *zhh = c->zhh + (size_t)i * np + (size_t)(j * N);
      for (int s = 0; s < combo->n; s++) {
        if (combo->coef[s].power == 0) continue;
        const double *w = colloc_slot_values(c, combo->slot[s]);
        double slope = factor_slope(&combo->coef[s], c->h), curve = factor_curve(&combo->coef[s]);
        for (int k = 0; k < N; k++) zh[k] += slope * w[k];
        for (int k = 0; k < N; k++) zhh[k] += curve * w[k];
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
    double scale = p->scale[j].now / c->N, slope = factor_slope(&p->scale[j], c->h) / c->N;
    for (int e = 0; e < p->block->jac_nnz; e++) {
      double *to = values + p->time_class[j * p->block->n_row + p->block->jac_row[e]];
      const double *J = p->jac_value + (size_t)e * np + first;
      const double *zh = c->zh + (size_t)p->block->jac_col[e] * np + first;
      for (int k = 0; k < c->N; k++) to[k] += scale * J[k] * zh[k];
    }
    for (int r = 0; slope != 0.0 && r < p->block->n_row; r++) {
      double *to = values + p->time_class[j * p->block->n_row + r];
      const double *value = p->value + (size_t)r * np + first;
      for (int k = 0; k < c->N; k++) to[k] += slope * value[k];
    }
  }
}

void colloc_time_constraints(Colloc *c, double *values) {
  differentiate_z(c);
  for (int e = 0; e < c->n_linear; e++) {
    const Linear *l = &c->linear[e];
    if (l->time_at < 0) continue;
    const double *w = colloc_slot_values(c, l->slot);
    double slope = factor_slope(&l->coef, c->h) / c->N;
    for (int k = 0; k < c->N; k++) values[l->time_at + k] += slope * w[k];
  }
  for (int b = 0; b < c->n_placed; b++) {
    if (!c->placed[b].cost) block_constraints(c, &c->placed[b], values);
  }
}

static double dot_controls(const Colloc *c, const double *x, int p) {
  double sum = 0.0;
  int step = c->s.control_step;
  const double *u[2];
  for (int m = 0; m < 2; m++) {
    int n = c->pair[p][m];
    u[m] = x + colloc_var(c, n / step, c->slot_u + (n % step) * c->nu);
  }
  for (int i = 0; i < c->nu; i++) sum += u[0][i] * u[1][i];
  return sum;
}

// slope of the weight of a pair with respect to T
static double pair_slope(const Colloc *c, int p) {
  return (c->torque * c->pair_torque[p] - c->torque_rate * c->pair_rate[p] / (c->h * c->h)) / c->N;
}

// d cost / dT
static double block_gradient(const Colloc *c, const Placed *p) {
  size_t np = (size_t)c->n_point;
  double sum = 0.0;
  for (int j = 0; j < c->d; j++) {
    size_t first = (size_t)(j * c->N);
    double slope = factor_slope(&p->scale[j], c->h) / c->N, scale = p->scale[j].now / c->N;
    for (int k = 0; k < c->N; k++) sum += slope * p->value[first + (size_t)k];
    for (int e = 0; e < p->block->jac_nnz; e++) {
      const double *J = p->jac_value + (size_t)e * np + first;
      const double *zh = c->zh + (size_t)p->block->jac_col[e] * np + first;
      for (int k = 0; k < c->N; k++) sum += scale * J[k] * zh[k];
    }
  }
  return sum;
}

void colloc_time_gradient(Colloc *c, const double *x, double *grad) {
  double sum = c->o->cost.time;
  for (int p = 0; p < c->n_pair; p++) sum += pair_slope(c, p) * dot_controls(c, x, p);
  bool have_zh = false;
  for (int b = 0; b < c->n_placed; b++) {
    const Placed *p = &c->placed[b];
    if (!p->cost || !p->block->n_row) continue;
    if (!have_zh) differentiate_z(c);
    have_zh = true;
    sum += block_gradient(c, p);
  }
  grad[c->T_var] += sum;
}

// ---- second derivatives ------------------------------------------------------------------------

// y = J^T lambda and Hz = H zh at all points, lambda with the scale
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
    for (size_t k = 0; k < np; k++) c->Hz[i * np + k] += H[k] * c->zh[l * np + k];
    for (size_t k = 0; i != l && k < np; k++) c->Hz[l * np + k] += H[k] * c->zh[i * np + k];
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
    double growth = p->scale[j].power / c->h;
    for (int i = 0; i < nz; i++) {
      size_t at = (size_t)i * np + (size_t)(j * N);
      const double *y = c->y + at, *Hz = c->Hz + at, *zh = c->zh + at, *zhh = c->zhh + at;
      for (int k = 0; k < N; k++) sum += zh[k] * (Hz[k] + 2.0 * growth * y[k]) + zhh[k] * y[k];
      const Combo *combo = &c->combo[i + nz * j];
      for (int s = 0; s < combo->n; s++) {
        double coef = combo->coef[s].now / N;
        double slope = factor_slope(&combo->coef[s], c->h) / N + growth * coef;
        double *to = values + c->time_slot[combo->slot[s]];
        for (int k = 0; k < N; k++) to[k] += coef * Hz[k] + slope * y[k];
      }
    }
  }
  return sum / ((double)N * N);
}

static double linear_hessian(Colloc *c, const double *lambda, double *values) {
  double sum = 0.0;
  for (int e = 0; e < c->n_linear; e++) {
    const Linear *l = &c->linear[e];
    if (l->time_at < 0) continue;
    const double *w = colloc_slot_values(c, l->slot);
    const double *mult = lambda + c->row0 + l->row;
    double slope = factor_slope(&l->coef, c->h) / c->N, curve = factor_curve(&l->coef);
    double *to = values + c->time_slot[l->slot];
    for (int k = 0; k < c->N; k++) {
      double m = mult[(size_t)k * (size_t)c->rows];
      to[k] += slope * m;
      sum += curve * m * w[k];
    }
  }
  return sum / ((double)c->N * c->N);
}

void colloc_time_hessian(Colloc *c, const double *x, double sigma, const double *lambda,
                         double *values) {
  differentiate_z(c);
  double sum = linear_hessian(c, lambda, values);
  for (int b = 0; b < c->n_placed; b++) sum += block_hessian(c, &c->placed[b], values);
  int step = c->s.control_step;
  for (int p = 0; p < c->n_pair; p++) {
    double slope = sigma * pair_slope(c, p);
    for (int m = 0; m < 2; m++) {
      int mine = c->pair[p][m], other = c->pair[p][1 - m];
      const double *u = x + colloc_var(c, other / step, c->slot_u + (other % step) * c->nu);
      double *to = values + c->time_control_at + mine * c->nu;
      for (int i = 0; i < c->nu; i++) to[i] += slope * u[i];
    }
    double curve = 2.0 * c->torque_rate * c->pair_rate[p] / (c->h * c->h * c->h);
    sum += sigma * curve * dot_controls(c, x, p) / ((double)c->N * c->N);
  }
  values[c->time_at] += sum;
}
