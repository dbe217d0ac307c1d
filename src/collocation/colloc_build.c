// SPDX-License-Identifier: MIT
// Rows, classes of nonzeros, terms, patterns and bounds.
#include <math.h>
#include <string.h>

#include "collocation/colloc_class.h"
#include "collocation/colloc_internal.h"

// ---- linear rows -------------------------------------------------------------------------------

typedef struct Builder {
  Colloc *c;
  Classes jac, hess;
  int cap_linear;
} Builder;

static void linear(Builder *b, int row, int slot, Factor coef) {
  Colloc *c = b->c;
  if (coef.base == 0.0) return;
  if (c->n_linear == b->cap_linear) {
    int cap = b->cap_linear ? 2 * b->cap_linear : 256;
    Linear *l = arena_array(c->arena, (size_t)cap, sizeof *l);
    if (!l) {
      b->jac.failed = true;
      return;
    }
    if (c->n_linear) memcpy(l, c->linear, (size_t)c->n_linear * sizeof *l);
    c->linear = l;
    b->cap_linear = cap;
  }
  bool timed = c->T_var >= 0 && coef.power > 0;
  int time_at = timed ? class_at(&b->jac, row, SLOT_TIME, c->N) : -1;
  int at = class_at(&b->jac, row, slot, c->N);
  c->linear[c->n_linear++] = (Linear){row, slot, at, time_at, coef};
}

static void linear_combo(Builder *b, int row, const Combo *combo) {
  for (int s = 0; s < combo->n; s++) linear(b, row, combo->slot[s], combo->coef[s]);
}

static const Combo *local(const Colloc *c, int i, int j) {
  return &c->combo[i + (3 * c->nv + c->nu) * j];
}

// paper: C x - h B f = 0 for positions and velocities at every point, differential or integral form
static void collocation_rows(Builder *b) {
  Colloc *c = b->c;
  const Scheme *s = &c->s;
  for (int j = 0; j < c->d; j++) {
    for (int kind = 0; kind < 2; kind++) {
      for (int i = 0; i < c->nv; i++) {
        int row = c->rows + (2 * j + kind) * c->nv + i, from = kind * c->nv + i;
        linear(b, row, from, factor(s->at_start ? -1.0 : s->D[j][0], 0));
        for (int l = 0; l < c->d; l++) {
          double C = s->at_start ? (double)(l == j) : s->D[j][l + 1];
          double B = s->at_start ? s->A[j][l] : (double)(l == j);
          linear(b, row, c->slot_point[l] + from, factor(C, 0));
          if (kind == 0 || c->has_a) linear(b, row, c->slot_point[l] + c->nv + from, factor(-B, 1));
        }
      }
    }
  }
  c->rows += 2 * c->d * c->nv;
}

// the next node is where the interval ends
static void continuity_rows(Builder *b) {
  Colloc *c = b->c;
  const Scheme *s = &c->s;
  for (int kind = 0; kind < 2; kind++) {
    for (int i = 0; i < c->nv; i++) {
      int row = c->rows + kind * c->nv + i, from = kind * c->nv + i;
      linear(b, row, c->stride + from, factor(1.0, 0));
      if (c->condensed) {
        linear(b, row, from, factor(-1.0, 0));
        if (kind == 0) linear(b, row, c->nv + i, factor(-1.0, 1));
        for (int l = 0; l < c->d; l++) {
          Factor coef = kind == 0 ? factor(-s->b2[l], 2) : factor(-s->b[l], 1);
          linear(b, row, c->slot_point[l] + i, coef);
        }
      } else if (s->at_end) {
        linear(b, row, c->slot_point[c->d - 1] + from, factor(-1.0, 0));
      } else {
        linear(b, row, from, factor(-s->end[0], 0));
        for (int l = 0; l < c->d; l++) {
          linear(b, row, c->slot_point[l] + from, factor(-s->end[l + 1], 0));
        }
      }
    }
  }
  c->rows += 2 * c->nv;
}

static bool inner_point(const Colloc *c, int j) {
  return c->s.c[j] > 0.0 && c->s.c[j] < 1.0;
}

// condensed: limits of position and velocity inside the interval are rows; `bound` keeps which
static void inner_limit_rows(Builder *b) {
  Colloc *c = b->c;
  const OcpLimits *lim = &c->o->limits;
  if (!c->condensed || !lim->inner) return;
  for (int j = 0; j < c->d; j++) {
    if (!inner_point(c, j)) continue;
    for (int i = 0; i < 2 * c->nv; i++) {
      bool q = i < c->nv;
      double lower = q ? lim->q_lower[i] : lim->v_lower[i - c->nv];
      double upper = q ? lim->q_upper[i] : lim->v_upper[i - c->nv];
      if (isinf(lower) && isinf(upper)) continue;
      linear_combo(b, c->rows, local(c, i, j));
      c->limit_row[c->n_limit] = c->rows;
      c->limit_point[c->n_limit] = j;
      c->limit_local[c->n_limit++] = i;
      c->rows++;
    }
  }
}

// ---- blocks at the points ----------------------------------------------------------------------

static void place_terms(Builder *b, Placed *p, int j) {
  Colloc *c = b->c;
  const OcpBlock *block = p->block;
  for (int e = 0; e < block->jac_nnz; e++) {
    const Combo *x = local(c, block->jac_col[e], j);
    for (int s = 0; s < x->n; s++) {
      int at = p->cost ? x->slot[s]
                       : class_at(&b->jac, p->row[j] + block->jac_row[e], x->slot[s], c->N);
      class_add_term(&b->jac, &p->jac[j], (Term){e, at, factor_mul(p->scale[j], x->coef[s])});
    }
  }
  for (int e = 0; e < block->hess_nnz; e++) {
    const Combo *x = local(c, block->hess_row[e], j), *y = local(c, block->hess_col[e], j);
    bool diagonal = block->hess_row[e] == block->hess_col[e];
    for (int s = 0; s < x->n; s++) {
      for (int t = 0; t < y->n; t++) {
        // (s, t) and (t, s) of a diagonal entry are the same place: one of them, once
        if (diagonal && t > s) continue;
        Factor coef = factor_mul(x->coef[s], y->coef[t]);
        int hi = x->slot[s], lo = y->slot[t];
        // a mixed entry stands for both triangles: where it falls on the diagonal it counts twice
        if (!diagonal && hi == lo) coef.base *= 2.0;
        if (hi < lo) hi = y->slot[t], lo = x->slot[s];
        class_add_term(&b->hess, &p->hess[j], (Term){e, class_at(&b->hess, hi, lo, c->N), coef});
      }
    }
  }
}

// free time: every row of the block, and with it every slot that its variables are made of, depends on T
static void place_time(Builder *b, Placed *p, int j) {
  Colloc *c = b->c;
  p->time_at[j] = -1;
  bool timed = p->scale[j].power > 0;
  for (int i = 0; i < c->point->nz; i++) {
    const Combo *x = local(c, i, j);
    for (int s = 0; s < x->n; s++) timed = timed || x->coef[s].power > 0;
  }
  if (c->T_var < 0 || !timed) return;
  for (int r = 0; !p->cost && r < p->block->n_row; r++) {
    // rows of one point are new and follow each other, so their classes do too, or exist already
    p->time_class[j * p->block->n_row + r] = class_at(&b->jac, p->row[j] + r, SLOT_TIME, c->N);
  }
  p->time_at[j] = 0;
  for (int i = 0; i < c->point->nz; i++) {
    const Combo *x = local(c, i, j);
    for (int s = 0; s < x->n; s++) c->time_slot[x->slot[s]] = 0;
  }
}

static bool place(Builder *b, Placed *p, const OcpBlock *block) {
  Colloc *c = b->c;
  p->block = block;
  if (!block->n_row) return true;
  size_t np = (size_t)c->n_point;
  p->value = arena_array(c->arena, np * (size_t)block->n_row, sizeof *p->value);
  p->lambda = arena_array(c->arena, np * (size_t)block->n_row, sizeof *p->lambda);
  p->jac_value = arena_array(c->arena, np * (size_t)(block->jac_nnz + 1), sizeof *p->jac_value);
  p->hess_value = arena_array(c->arena, np * (size_t)(block->hess_room + 1), sizeof *p->hess_value);
  p->time_class = arena_array(c->arena, (size_t)(c->d * block->n_row), sizeof *p->time_class);
  if (!p->value || !p->lambda || !p->jac_value || !p->hess_value || !p->time_class) return false;
  for (int j = 0; j < c->d; j++) {
    place_terms(b, p, j);
    place_time(b, p, j);
  }
  return true;
}

// the equations of motion: rows of their own, or a part of the collocation equations
static void dynamics_rows(Builder *b, Placed *dyn) {
  Colloc *c = b->c;
  bool ode = !c->o->form->algebraic;
  for (int j = 0; j < c->d; j++) {
    dyn->scale[j] = factor(1.0, 0);
    if (ode && !c->condensed) {
      // paper, ODE: the accelerations are the right-hand sides of the collocation equations
      dyn->row[j] = (2 * j + 1) * c->nv;
      dyn->scale[j] = factor(-1.0, 1);
      continue;
    }
    dyn->row[j] = c->rows;
    c->rows += c->nv;
    // condensed, ODE: a - xi = 0
    if (ode) dyn->scale[j] = factor(-1.0, 0);
    for (int i = 0; ode && i < c->nv; i++) {
      linear(b, dyn->row[j] + i, c->slot_point[j] + i, factor(1.0, 0));
    }
  }
}

static void path_rows(Colloc *c, Placed *p, int n_row) {
  for (int j = 0; j < c->d; j++) {
    p->scale[j] = factor(1.0, 0);
    p->row[j] = c->rows;
    c->rows += n_row;
  }
}

// an integrand, by the quadrature of the scheme
static void cost_weights(const Colloc *c, Placed *p, double weight) {
  p->cost = true;
  for (int j = 0; j < c->d; j++) p->scale[j] = factor(weight * c->s.b[j], 1);
}

static bool place_blocks(Builder *b) {
  Colloc *c = b->c;
  const OcpPoint *point = c->point;
  c->n_placed = PLACED_TERM + point->n_term;
  c->placed = arena_array(c->arena, (size_t)c->n_placed, sizeof *c->placed);
  if (!c->placed) return false;
  dynamics_rows(b, &c->placed[PLACED_DYN]);
  path_rows(c, &c->placed[PLACED_PATH], point->path.n_row);
  cost_weights(c, &c->placed[PLACED_COST], 1.0);
  for (int i = 0; i < point->n_term; i++) {
    const OcpTerm *term = &c->o->term[i];
    Placed *p = &c->placed[PLACED_TERM + i];
    if (term->use == OCP_TERM_COST) cost_weights(c, p, term->weight);
    else path_rows(c, p, point->term[i].n_row);
  }
  bool ok = place(b, &c->placed[PLACED_DYN], &point->dyn) &&
            place(b, &c->placed[PLACED_PATH], &point->path) &&
            place(b, &c->placed[PLACED_COST], &point->cost);
  for (int i = 0; ok && i < point->n_term; i++) {
    ok = place(b, &c->placed[PLACED_TERM + i], &point->term[i]);
  }
  return ok;
}

// ---- control cost and rates --------------------------------------------------------------------

static int control_var(const Colloc *c, int control) {
  int step = c->s.control_step;
  return colloc_var(c, control / step, c->slot_u + (control % step) * c->nu);
}

static int n_controls(const Colloc *c) {
  return c->N * c->s.control_step + (c->s.n_control > 1);
}

// weight of u_a . u_b in the two costs; order of a and b does not matter
static void add_pair(Colloc *c, int a, int b, double torque, double rate) {
  int hi = a > b ? a : b, lo = a > b ? b : a;
  for (int p = c->n_pair; p > 0 && p > c->n_pair - 8; p--) {
    if (c->pair[p - 1][0] == hi && c->pair[p - 1][1] == lo) {
      c->pair_torque[p - 1] += torque;
      c->pair_rate[p - 1] += rate;
      return;
    }
  }
  c->pair[c->n_pair][0] = hi;
  c->pair[c->n_pair][1] = lo;
  c->pair_torque[c->n_pair] = torque;
  c->pair_rate[c->n_pair++] = rate;
}

static bool control_pairs(Colloc *c) {
  size_t most = 4 * (size_t)n_controls(c) + 4;
  c->pair = arena_array(c->arena, most, sizeof *c->pair);
  c->pair_torque = arena_array(c->arena, most, sizeof *c->pair_torque);
  c->pair_rate = arena_array(c->arena, most, sizeof *c->pair_rate);
  if (!c->pair || !c->pair_torque || !c->pair_rate) return false;
  bool rate = c->o->cost.torque_rate > 0;
  int step = c->s.control_step, n = n_controls(c);
  for (int k = 0; k < c->N; k++) {
    for (int m = 0; m < c->s.n_control; m++) {
      // controls of an interval: the quadrature of |u|^2; each control belongs to one point, or to all
      double weight = c->s.n_control == 1 ? 1.0 : c->s.b[m];
      add_pair(c, k * step + m, k * step + m, c->width[k] * weight, 0.0);
    }
    // differences of neighbours, each over the time between them; tied ones have none
    for (int m = k * step; rate && m < (k + 1) * step && m + 1 < n; m++) {
      if (ocp_tied(c->o, m)) continue;
      double w = 1.0 / ocp_control_gap(c->o, m);
      add_pair(c, m, m, 0.0, w);
      add_pair(c, m + 1, m, 0.0, -2.0 * w);
      add_pair(c, m + 1, m + 1, 0.0, w);
    }
  }
  return true;
}

// ---- the whole ---------------------------------------------------------------------------------

// which row of rest or balance a joint has
static bool end_rows(Colloc *c) {
  c->end_row = arena_array(c->arena, (size_t)c->nv, sizeof *c->end_row);
  c->end_lambda = arena_array(c->arena, (size_t)c->nv, sizeof *c->end_lambda);
  if (!c->end_row || !c->end_lambda) return false;
  for (int i = 0; i < c->nv; i++) c->end_row[i] = -1;
  for (int i = 0; i < c->o->n_free; i++) c->end_row[c->o->free_joint[i]] = i;
  return true;
}

static void count_end(Colloc *c) {
  const OcpGoal *goal = &c->o->goal;
  int row = c->row0 + c->N * c->rows;
  c->goal_row = row;
  row += c->point->goal.n_row;
  c->joint_row = row;
  for (int i = 0; i < c->nv; i++) row += goal->joint_fixed[i];
  c->rest_row = goal->at_rest ? row : -1;
  row += goal->at_rest ? c->o->n_free : 0;
  c->accel_row = goal->equilibrium ? row : -1;
  row += goal->equilibrium ? c->o->n_free : 0;
  c->accel_nonlinear = goal->equilibrium && (!c->s.at_end || !c->o->form->algebraic);
  c->rate_row = row;
  c->nlp.m = row + c->n_rate;
}

// rows for differences of controls: where a rate is limited, and inside pieces
static bool rate_rows(Colloc *c) {
  size_t most = (size_t)n_controls(c) * (size_t)c->nu;
  c->rate_control = arena_array(c->arena, most, sizeof(int));
  c->rate_actuator = arena_array(c->arena, most, sizeof(int));
  if (!c->rate_control || !c->rate_actuator) return false;
  for (int k = 0; k + 1 < n_controls(c); k++) {
    for (int i = 0; i < c->nu; i++) {
      if (!isfinite(c->o->limits.u_rate[i]) && !ocp_tied(c->o, k)) continue;
      c->rate_control[c->n_rate] = k;
      c->rate_actuator[c->n_rate++] = i;
    }
  }
  return true;
}

// variable of local variable z at the end; -1 for accelerations, which are zero there
static int end_var(const Colloc *c, int z) {
  if (z < 2 * c->nv) return colloc_var(c, c->N, z);
  if (z < 3 * c->nv) return -1;
  return control_var(c, n_controls(c) - 1) + z - 3 * c->nv;
}

static void jac_entry(Nlp *nlp, int row, int col) {
  nlp->jac_row[nlp->jac_nnz] = row;
  nlp->jac_col[nlp->jac_nnz++] = col;
}

static void end_jacobian(Colloc *c) {
  Nlp *nlp = &c->nlp;
  c->start_at = nlp->jac_nnz;
  for (int i = 0; i < 2 * c->nv; i++) jac_entry(nlp, i, i);
  c->goal_at = nlp->jac_nnz;
  const OcpBlock *goal = &c->point->goal, *dyn = &c->point->dyn;
  for (int e = 0; e < goal->jac_nnz; e++) {
    jac_entry(nlp, c->goal_row + goal->jac_row[e], end_var(c, goal->jac_col[e]));
  }
  int row = c->joint_row;
  for (int i = 0; i < c->nv; i++) {
    if (c->o->goal.joint_fixed[i]) jac_entry(nlp, row++, colloc_var(c, c->N, i));
  }
  const int *joint = c->o->free_joint;
  for (int i = 0; c->rest_row >= 0 && i < c->o->n_free; i++) {
    jac_entry(nlp, c->rest_row + i, colloc_var(c, c->N, c->nv + joint[i]));
  }
  c->accel_at = nlp->jac_nnz;
  if (c->accel_row >= 0 && !c->accel_nonlinear) {
    int slot = c->slot_point[c->d - 1] + (c->condensed ? 0 : 2 * c->nv);
    for (int i = 0; i < c->o->n_free; i++)
      jac_entry(nlp, c->accel_row + i, colloc_var(c, c->N - 1, slot + joint[i]));
  }
  for (int e = 0; c->accel_nonlinear && e < dyn->jac_nnz; e++) {
    int col = end_var(c, dyn->jac_col[e]), row_of = c->end_row[dyn->jac_row[e]];
    if (col >= 0 && row_of >= 0) jac_entry(nlp, c->accel_row + row_of, col);
  }
  c->rate_at = nlp->jac_nnz;
  for (int e = 0; e < c->n_rate; e++) {
    jac_entry(nlp, c->rate_row + e, control_var(c, c->rate_control[e]) + c->rate_actuator[e]);
    jac_entry(nlp, c->rate_row + e, control_var(c, c->rate_control[e] + 1) + c->rate_actuator[e]);
  }
  for (int e = 0; c->T_var >= 0 && e < c->n_rate; e++) jac_entry(nlp, c->rate_row + e, c->T_var);
}

static int hess_entry(Nlp *nlp, int from, int a, int b) {
  int row = a > b ? a : b, col = a > b ? b : a;
  for (int e = from; e < nlp->hess_nnz; e++) {
    if (nlp->hess_row[e] == row && nlp->hess_col[e] == col) return e;
  }
  nlp->hess_row[nlp->hess_nnz] = row;
  nlp->hess_col[nlp->hess_nnz] = col;
  return nlp->hess_nnz++;
}

static void end_hessian(Colloc *c) {
  Nlp *nlp = &c->nlp;
  c->pair_at = nlp->hess_nnz;
  for (int p = 0; p < c->n_pair; p++) {
    for (int i = 0; i < c->nu; i++) {
      hess_entry(nlp, nlp->hess_nnz, control_var(c, c->pair[p][0]) + i,
                 control_var(c, c->pair[p][1]) + i);
    }
  }
  int from = nlp->hess_nnz;
  const OcpBlock *goal = &c->point->goal, *dyn = &c->point->dyn;
  for (int e = 0; e < goal->hess_nnz; e++) {
    c->goal_hess[e] =
        hess_entry(nlp, from, end_var(c, goal->hess_row[e]), end_var(c, goal->hess_col[e]));
  }
  for (int e = 0; c->accel_nonlinear && e < dyn->hess_nnz; e++) {
    int a = end_var(c, dyn->hess_row[e]), b = end_var(c, dyn->hess_col[e]);
    c->accel_hess[e] = a < 0 || b < 0 ? -1 : hess_entry(nlp, from, a, b);
  }
}

// free time: (T, T), (T, controls); the classes (T, slot) are made with the others
static void time_hessian(Colloc *c) {
  Nlp *nlp = &c->nlp;
  if (c->T_var < 0) return;
  c->time_control_at = nlp->hess_nnz;
  for (int k = 0; k < n_controls(c); k++) {
    for (int i = 0; i < c->nu; i++) hess_entry(nlp, nlp->hess_nnz, c->T_var, control_var(c, k) + i);
  }
  c->time_at = hess_entry(nlp, nlp->hess_nnz, c->T_var, c->T_var);
}

static int class_var(const Colloc *c, int k, int slot) {
  return slot == SLOT_TIME ? c->T_var : colloc_var(c, k, slot);
}

static void class_indices(const Colloc *c, const EntryList *list, bool jac) {
  const Nlp *nlp = &c->nlp;
  for (int e = 0; e < list->n; e++) {
    const Entry *x = &list->entry[e];
    for (int k = 0; k < c->N; k++) {
      int at = x->at + k;
      if (jac) {
        nlp->jac_row[at] = c->row0 + k * c->rows + x->row;
        nlp->jac_col[at] = class_var(c, k, x->slot);
      } else {
        nlp->hess_row[at] = class_var(c, k, x->row);
        nlp->hess_col[at] = colloc_var(c, k, x->slot);
      }
    }
  }
}

static bool allocate_patterns(Builder *b) {
  Colloc *c = b->c;
  Nlp *nlp = &c->nlp;
  const OcpPoint *p = c->point;
  size_t jac = (size_t)b->jac.list.n * (size_t)c->N + 5 * (size_t)c->nv +
               (size_t)(p->goal.jac_nnz + p->dyn.jac_nnz) + 3 * (size_t)c->n_rate;
  size_t hess = (size_t)b->hess.list.n * (size_t)c->N + (size_t)c->n_pair * (size_t)c->nu +
                (size_t)(p->goal.hess_nnz + p->dyn.hess_nnz) +
                (size_t)n_controls(c) * (size_t)c->nu + 1;
  nlp->jac_row = arena_array(c->arena, jac + 1, sizeof(int));
  nlp->jac_col = arena_array(c->arena, jac + 1, sizeof(int));
  nlp->hess_row = arena_array(c->arena, hess + 1, sizeof(int));
  nlp->hess_col = arena_array(c->arena, hess + 1, sizeof(int));
  c->goal_hess = arena_array(c->arena, (size_t)p->goal.hess_nnz + 1, sizeof(int));
  c->accel_hess = arena_array(c->arena, (size_t)p->dyn.hess_nnz + 1, sizeof(int));
  c->linear_const = arena_array(c->arena, jac + 1, sizeof(double));
  return nlp->jac_row && nlp->jac_col && nlp->hess_row && nlp->hess_col && c->goal_hess &&
         c->accel_hess && c->linear_const;
}

static void fill_patterns(Builder *b) {
  Colloc *c = b->c;
  Nlp *nlp = &c->nlp;
  nlp->jac_nnz = b->jac.list.n * c->N;
  nlp->hess_nnz = b->hess.list.n * c->N;
  class_indices(c, &b->jac.list, true);
  class_indices(c, &b->hess.list, false);
  end_jacobian(c);
  end_hessian(c);
  time_hessian(c);
}

bool colloc_patterns(Colloc *c) {
  Builder b = {.c = c, .jac = {.arena = c->arena}, .hess = {.arena = c->arena}};
  size_t most = 2 * (size_t)c->nv * (size_t)c->d;
  c->limit_row = arena_array(c->arena, most, sizeof(int));
  c->limit_local = arena_array(c->arena, most, sizeof(int));
  c->time_slot = arena_array(c->arena, 2 * (size_t)c->stride, sizeof(int));
  c->limit_point = arena_array(c->arena, most, sizeof(int));
  if (!c->limit_row || !c->limit_local || !c->limit_point || !c->time_slot) return false;
  for (int s = 0; s < 2 * c->stride; s++) c->time_slot[s] = -1;
  c->row0 = 2 * c->nv;
  if (!c->condensed) collocation_rows(&b);
  if (!place_blocks(&b)) return false;
  inner_limit_rows(&b);
  continuity_rows(&b);
  for (int e = 0; e < c->n_linear; e++) {
    if (c->linear[e].time_at >= 0) c->time_slot[c->linear[e].slot] = 0;
  }
  for (int s = 0; s < 2 * c->stride; s++) {
    if (c->time_slot[s] == 0) c->time_slot[s] = class_at(&b.hess, SLOT_TIME, s, c->N);
  }
  if (b.jac.failed || b.hess.failed || !control_pairs(c) || !rate_rows(c)) return false;
  if (!end_rows(c)) return false;
  count_end(c);
  if (!allocate_patterns(&b)) return false;
  fill_patterns(&b);
  return !b.jac.failed && !b.hess.failed;
}
