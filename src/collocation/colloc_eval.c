// SPDX-License-Identifier: MIT
// The hot loops. Every loop runs over the intervals, innermost and contiguous; nothing is allocated and
// nothing decided that could be decided before.
#include <math.h>
#include <string.h>

#include "collocation/colloc_internal.h"

// ---- local variables of all points -------------------------------------------------------------

const double *colloc_slot_values(const Colloc *c, int slot) {
  size_t len = (size_t)c->N + 1;
  return slot < c->stride ? c->X + (size_t)slot * len : c->X + (size_t)(slot - c->stride) * len + 1;
}

static void take_x(Colloc *c, const double *x) {
  size_t len = (size_t)c->N + 1;
  if (c->T_var >= 0) colloc_set_T(c, x[c->T_var]);
  for (int k = 0; k <= c->N; k++) {
    int n = c->nlp.n - (c->T_var >= 0) - k * c->stride;
    if (n > c->stride) n = c->stride;
    const double *block = x + (size_t)k * (size_t)c->stride;
    for (int s = 0; s < n; s++) c->X[(size_t)s * len + (size_t)k] = block[s];
  }
  int nz = c->point->nz, N = c->N;
  for (int j = 0; j < c->d; j++) {
    for (int i = 0; i < nz; i++) {
      const Combo *combo = &c->combo[i + nz * j];
      double *restrict z = c->z + (size_t)i * (size_t)c->n_point + (size_t)j * (size_t)N;
      memset(z, 0, (size_t)N * sizeof *z);
      for (int s = 0; s < combo->n; s++) {
        factor_add(&combo->coef[s], N, colloc_slot_values(c, combo->slot[s]), z);
      }
    }
  }
  c->have_x = true;
  c->have_value = c->have_jac = false;
}

static void update_x(Colloc *c, const double *x, bool new_x) {
  if (new_x || !c->have_x) take_x(c, x);
}

static bool eval_points(const Colloc *c, const OcpBlock *block, OcpPart part, const double *lambda,
                        double *out) {
  long long np = c->n_point, nv = c->nv;
  const LaneIn in[5] = {{c->z, np, 1},
                        {c->z + nv * np, np, 1},
                        {c->z + 2 * nv * np, np, 1},
                        {c->z + 3 * nv * np, np, 1},
                        {lambda, np, 1}};
  return ocp_block_eval(block, part, c->n_point, in, out, np, c->work);
}

static bool eval_values(Colloc *c) {
  if (c->have_value) return true;
  for (int b = 0; b < c->n_placed; b++) {
    const Placed *p = &c->placed[b];
    if (p->block->n_row && !eval_points(c, p->block, OCP_VALUE, NULL, p->value)) return false;
  }
  return c->have_value = true;
}

static bool eval_jacobians(Colloc *c) {
  if (c->have_jac) return true;
  for (int b = 0; b < c->n_placed; b++) {
    const Placed *p = &c->placed[b];
    if (p->block->n_row && !eval_points(c, p->block, OCP_JACOBIAN, NULL, p->jac_value)) {
      return false;
    }
  }
  return c->have_jac = true;
}

// ---- the end -----------------------------------------------------------------------------------

// a block at the final node, with zero accelerations and the last control; lambda may be NULL
static bool eval_end(Colloc *c, const double *x, const OcpBlock *block, OcpPart part,
                     const double *lambda) {
  const double *node = x + (size_t)c->N * (size_t)c->stride;
  double *in = c->end_in;
  memcpy(in, node, 2 * (size_t)c->nv * sizeof *in);
  memset(in + 2 * c->nv, 0, (size_t)c->nv * sizeof *in);
  int u = c->s.n_control > 1 ? colloc_var(c, c->N, c->slot_u) : colloc_var(c, c->N - 1, c->slot_u);
  memcpy(in + 3 * c->nv, x + u, (size_t)c->nu * sizeof *in);
  const LaneIn from[5] = {{in, 1, 1},
                          {in + c->nv, 1, 1},
                          {in + 2 * c->nv, 1, 1},
                          {in + 3 * c->nv, 1, 1},
                          {lambda, 1, 1}};
  return ocp_block_eval(block, part, 1, from, c->end_out, 1, c->work);
}

// ---- objective ---------------------------------------------------------------------------------

static double pair_weight(const Colloc *c, int p) {
  return c->torque * c->pair_torque[p] * c->T + c->torque_rate * c->pair_rate[p] / c->T;
}

const double *colloc_control(const Colloc *c, const double *x, int number) {
  int step = c->s.control_step;
  return x + colloc_var(c, number / step, c->slot_u + (number % step) * c->nu);
}

static bool objective(void *data, const double *x, bool new_x, double *f) {
  Colloc *c = data;
  update_x(c, x, new_x);
  double sum = 0.0;
  for (int p = 0; p < c->n_pair; p++) {
    const double *a = colloc_control(c, x, c->pair[p][0]), *b = colloc_control(c, x, c->pair[p][1]);
    double w = pair_weight(c, p);
    for (int i = 0; i < c->nu; i++) sum += w * a[i] * b[i];
  }
  for (int b = 0; b < c->n_placed; b++) {
    const Placed *p = &c->placed[b];
    if (!p->cost || !p->block->n_row) continue;
    if (!eval_values(c)) return false;
    for (int j = 0; j < c->d; j++) {
      sum += factor_dot(&p->scale[j], c->N, p->value + (size_t)j * (size_t)c->N);
    }
  }
  *f = sum + c->o->cost.time * c->T;
  return isfinite(sum);
}

static void add_block_gradient(const Colloc *c, const Placed *p, double *grad) {
  for (int j = 0; j < c->d; j++) {
    const TermList *list = &p->jac[j];
    for (int t = 0; t < list->n; t++) {
      const Term *term = &list->term[t];
      const double *from = p->jac_value + (size_t)term->e * (size_t)c->n_point +
                           (size_t)j * (size_t)c->N;
      for (int k = 0; k < c->N; k++) {
        grad[colloc_var(c, k, term->at)] += factor_in(&term->coef, k) * from[k];
      }
    }
  }
}

static bool gradient(void *data, const double *x, bool new_x, double *grad) {
  Colloc *c = data;
  update_x(c, x, new_x);
  memset(grad, 0, (size_t)c->nlp.n * sizeof *grad);
  for (int p = 0; p < c->n_pair; p++) {
    const double *a = colloc_control(c, x, c->pair[p][0]), *b = colloc_control(c, x, c->pair[p][1]);
    double w = pair_weight(c, p);
    for (int i = 0; i < c->nu; i++) {
      grad[a - x + i] += w * b[i];
      grad[b - x + i] += w * a[i];
    }
  }
  if (c->T_var >= 0) {
    if (!eval_values(c) || !eval_jacobians(c)) return false;
    colloc_time_gradient(c, x, grad);
  }
  for (int b = 0; b < c->n_placed; b++) {
    if (!c->placed[b].cost || !c->placed[b].block->n_row) continue;
    if (!eval_jacobians(c)) return false;
    add_block_gradient(c, &c->placed[b], grad);
  }
  return true;
}

// ---- constraints -------------------------------------------------------------------------------

static void add_block_rows(Colloc *c, const Placed *p) {
  int N = c->N;
  for (int j = 0; j < c->d; j++) {
    for (int r = 0; r < p->block->n_row; r++) {
      double *restrict g = c->G + (size_t)(p->row[j] + r) * (size_t)N;
      const double *restrict value = p->value + (size_t)r * (size_t)c->n_point +
                                     (size_t)j * (size_t)N;
      factor_add(&p->scale[j], N, value, g);
    }
  }
}

static bool end_values(Colloc *c, const double *x, double *g) {
  const double *node = x + (size_t)c->N * (size_t)c->stride;
  if (c->point->goal.n_row) {
    if (!eval_end(c, x, &c->point->goal, OCP_VALUE, NULL)) return false;
    memcpy(g + c->goal_row, c->end_out, (size_t)c->point->goal.n_row * sizeof *g);
  }
  int row = c->joint_row;
  for (int i = 0; i < c->nv; i++) {
    if (c->o->goal.joint_fixed[i]) g[row++] = node[i];
  }
  const int *joint = c->o->free_joint;
  int n_free = c->o->n_free;
  for (int i = 0; c->rest_row >= 0 && i < n_free; i++) g[c->rest_row + i] = node[c->nv + joint[i]];
  if (c->accel_row >= 0 && !c->accel_nonlinear) {
    int slot = c->slot_point[c->d - 1] + (c->condensed ? 0 : 2 * c->nv);
    const double *a = x + colloc_var(c, c->N - 1, slot);
    for (int i = 0; i < n_free; i++) g[c->accel_row + i] = a[joint[i]];
  } else if (c->accel_row >= 0) {
    if (!eval_end(c, x, &c->point->dyn, OCP_VALUE, NULL)) return false;
    for (int i = 0; i < n_free; i++) g[c->accel_row + i] = c->end_out[joint[i]];
  }
  return true;
}

static void rate_values(const Colloc *c, const double *x, double *g) {
  double scale = colloc_rate_scale(c);
  for (int e = 0; e < c->n_rate; e++) {
    int control = c->rate_control[e], i = c->rate_actuator[e];
    g[c->rate_row + e] = scale *
                         (colloc_control(c, x, control + 1)[i] - colloc_control(c, x, control)[i]);
  }
}

static bool constraints(void *data, const double *x, bool new_x, double *g) {
  Colloc *c = data;
  update_x(c, x, new_x);
  if (!eval_values(c)) return false;
  int N = c->N;
  memset(c->G, 0, (size_t)c->rows * (size_t)N * sizeof *c->G);
  for (int e = 0; e < c->n_linear; e++) {
    const Linear *l = &c->linear[e];
    factor_add(&l->coef, N, colloc_slot_values(c, l->slot), c->G + (size_t)l->row * (size_t)N);
  }
  for (int b = 0; b < c->n_placed; b++) {
    if (!c->placed[b].cost) add_block_rows(c, &c->placed[b]);
  }
  memcpy(g, x, 2 * (size_t)c->nv * sizeof *g);
  for (int k = 0; k < N; k++) {
    double *to = g + c->row0 + (size_t)k * (size_t)c->rows;
    for (int r = 0; r < c->rows; r++) to[r] = c->G[(size_t)r * (size_t)N + (size_t)k];
  }
  rate_values(c, x, g);
  return end_values(c, x, g);
}

// ---- derivatives of the constraints ------------------------------------------------------------

// values[at + k] += coef * source[e][k]
static void add_terms(const TermList *list, int N, size_t n_point, const double *source,
                      double *values) {
  for (int t = 0; t < list->n; t++) {
    const Term *term = &list->term[t];
    factor_add(&term->coef, N, source + (size_t)term->e * n_point, values + term->at);
  }
}

static bool end_jacobian(Colloc *c, const double *x, double *values) {
  for (int e = c->nlp.jac_nnz; e > c->start_at; e--) values[e - 1] = 1.0;
  if (c->point->goal.n_row) {
    if (!eval_end(c, x, &c->point->goal, OCP_JACOBIAN, NULL)) return false;
    memcpy(values + c->goal_at, c->end_out, (size_t)c->point->goal.jac_nnz * sizeof *values);
  }
  if (c->accel_nonlinear) {
    const OcpBlock *dyn = &c->point->dyn;
    if (!eval_end(c, x, dyn, OCP_JACOBIAN, NULL)) return false;
    int at = c->accel_at;
    for (int e = 0; e < dyn->jac_nnz; e++) {
      bool accel = dyn->jac_col[e] >= 2 * c->nv && dyn->jac_col[e] < 3 * c->nv;
      if (!accel && c->end_row[dyn->jac_row[e]] >= 0) values[at++] = c->end_out[e];
    }
  }
  double scale = colloc_rate_scale(c);
  for (int e = 0; e < c->n_rate; e++) {
    values[c->rate_at + 2 * e] = -scale;
    values[c->rate_at + 2 * e + 1] = scale;
  }
  if (c->T_var >= 0) colloc_time_rates(c, x, values + c->rate_at + 2 * c->n_rate);
  return true;
}

static bool jacobian(void *data, const double *x, bool new_x, double *values) {
  Colloc *c = data;
  update_x(c, x, new_x);
  if (!eval_jacobians(c)) return false;
  memcpy(values, c->linear_const, (size_t)c->nlp.jac_nnz * sizeof *values);
  for (int b = 0; b < c->n_placed; b++) {
    const Placed *p = &c->placed[b];
    if (p->cost || !p->block->n_row) continue;
    for (int j = 0; j < c->d; j++) {
      size_t first = (size_t)j * (size_t)c->N;
      add_terms(&p->jac[j], c->N, (size_t)c->n_point, p->jac_value + first, values);
    }
  }
  if (c->T_var >= 0) {
    if (!eval_values(c)) return false;
    colloc_time_constraints(c, values);
  }
  return end_jacobian(c, x, values);
}

// multipliers of a block's rows at all points, times its scale; of a cost: sigma times its weight
static void gather_lambda(const Colloc *c, const Placed *p, double sigma, const double *lambda) {
  int N = c->N;
  for (int j = 0; j < c->d; j++) {
    for (int r = 0; r < p->block->n_row; r++) {
      double *to = p->lambda + (size_t)r * (size_t)c->n_point + (size_t)j * (size_t)N;
      const double *from = lambda + c->row0 + p->row[j] + r;
      for (int k = 0; k < N; k++) {
        to[k] = factor_in(&p->scale[j], k) * (p->cost ? sigma : from[(size_t)k * (size_t)c->rows]);
      }
    }
  }
}

static bool add_block_hessian(Colloc *c, Placed *p, double sigma, const double *lambda,
                              double *values) {
  if (!p->block->n_row) return true;
  gather_lambda(c, p, sigma, lambda);
  if (!p->block->hess_nnz) return true;
  if (!eval_points(c, p->block, OCP_HESSIAN, p->lambda, p->hess_value)) return false;
  for (int j = 0; j < c->d; j++) {
    add_terms(&p->hess[j], c->N, (size_t)c->n_point, p->hess_value + (size_t)j * (size_t)c->N,
              values);
  }
  return true;
}

static bool end_hessian(Colloc *c, const double *x, const double *lambda, double *values) {
  const OcpBlock *goal = &c->point->goal, *dyn = &c->point->dyn;
  if (goal->n_row) {
    if (!eval_end(c, x, goal, OCP_HESSIAN, lambda + c->goal_row)) return false;
    for (int e = 0; e < goal->hess_nnz; e++) values[c->goal_hess[e]] += c->end_out[e];
  }
  if (c->accel_nonlinear) {
    for (int i = 0; i < c->nv; i++) {
      c->end_lambda[i] = c->end_row[i] < 0 ? 0.0 : lambda[c->accel_row + c->end_row[i]];
    }
    if (!eval_end(c, x, dyn, OCP_HESSIAN, c->end_lambda)) return false;
    for (int e = 0; e < dyn->hess_nnz; e++) {
      if (c->accel_hess[e] >= 0) values[c->accel_hess[e]] += c->end_out[e];
    }
  }
  return true;
}

static bool hessian(void *data, const double *x, bool new_x, double sigma, const double *lambda,
                    double *values) {
  Colloc *c = data;
  update_x(c, x, new_x);
  memset(values, 0, (size_t)c->nlp.hess_nnz * sizeof *values);
  for (int p = 0; p < c->n_pair; p++) {
    double w = sigma * pair_weight(c, p) * (c->pair[p][0] == c->pair[p][1] ? 2.0 : 1.0);
    for (int i = 0; i < c->nu; i++) values[c->pair_at + p * c->nu + i] += w;
  }
  for (int b = 0; b < c->n_placed; b++) {
    if (!add_block_hessian(c, &c->placed[b], sigma, lambda, values)) return false;
  }
  if (c->T_var >= 0) {
    if (!eval_values(c) || !eval_jacobians(c)) return false;
    colloc_time_hessian(c, x, sigma, lambda, values);
  }
  return end_hessian(c, x, lambda, values);
}

void colloc_callbacks(Nlp *nlp) {
  nlp->objective = objective;
  nlp->gradient = gradient;
  nlp->constraints = constraints;
  nlp->jacobian = jacobian;
  nlp->hessian = hessian;
}
