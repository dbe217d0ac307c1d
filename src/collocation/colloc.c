// SPDX-License-Identifier: MIT
#include "collocation/colloc.h"

#include <math.h>
#include <string.h>

#include "collocation/colloc_internal.h"

// ---- bounds ------------------------------------------------------------------------------------

static void state_bounds(Colloc *c, int var, bool velocity) {
  const OcpLimits *lim = &c->o->limits;
  for (int i = 0; i < c->nv; i++) {
    c->nlp.x_lower[var + i] = velocity ? lim->v_lower[i] : lim->q_lower[i];
    c->nlp.x_upper[var + i] = velocity ? lim->v_upper[i] : lim->q_upper[i];
  }
}

static void control_bounds(Colloc *c, int var) {
  for (int i = 0; i < c->nu; i++) {
    c->nlp.x_lower[var + i] = c->o->limits.u_lower[i];
    c->nlp.x_upper[var + i] = c->o->limits.u_upper[i];
  }
}

static void variable_bounds(Colloc *c) {
  for (int i = 0; i < c->nlp.n; i++) {
    c->nlp.x_lower[i] = -INFINITY;
    c->nlp.x_upper[i] = INFINITY;
  }
  if (c->T_var >= 0) {
    c->nlp.x_lower[c->T_var] = c->o->T_lower;
    c->nlp.x_upper[c->T_var] = c->o->T_upper;
  }
  for (int k = 0; k <= c->N; k++) {
    state_bounds(c, colloc_var(c, k, 0), false);
    state_bounds(c, colloc_var(c, k, c->nv), true);
    int n = k < c->N ? c->s.control_step : c->s.n_control > 1;
    for (int m = 0; m < n; m++) control_bounds(c, colloc_var(c, k, c->slot_u + m * c->nu));
    for (int j = 0; !c->condensed && k < c->N && c->o->limits.inner && j < c->d; j++) {
      state_bounds(c, colloc_var(c, k, c->slot_point[j]), false);
      state_bounds(c, colloc_var(c, k, c->slot_point[j] + c->nv), true);
    }
  }
}

// obstacles and the user's constraints in the interval whose rows begin at row0
static void path_bounds(Colloc *c, int row0) {
  const Placed *path = &c->placed[PLACED_PATH];
  for (int j = 0; j < c->d; j++) {
    for (int r = 0; r < path->block->n_row; r++) {
      c->nlp.g_upper[row0 + path->row[j] + r] = INFINITY;
    }
    for (int i = 0; i < c->o->n_term; i++) {
      const OcpTerm *term = &c->o->term[i];
      int row = row0 + c->placed[PLACED_TERM + i].row[j];
      for (int r = 0; term->use == OCP_TERM_CONSTRAINT && r < term->n_row; r++) {
        c->nlp.g_lower[row + r] = term->lower[r];
        c->nlp.g_upper[row + r] = term->upper[r];
      }
    }
  }
}

static void row_bounds(Colloc *c) {
  const OcpLimits *lim = &c->o->limits;
  const OcpGoal *goal = &c->o->goal;
  Nlp *nlp = &c->nlp;
  for (int i = 0; i < c->nv; i++) {
    nlp->g_lower[i] = nlp->g_upper[i] = c->o->q_start[i];
    nlp->g_lower[c->nv + i] = nlp->g_upper[c->nv + i] = c->o->v_start[i];
  }
  for (int k = 0; k < c->N; k++) {
    int row0 = c->row0 + k * c->rows;
    for (int e = 0; e < c->n_limit; e++) {
      int i = c->limit_local[e], row = row0 + c->limit_row[e];
      nlp->g_lower[row] = i < c->nv ? lim->q_lower[i] : lim->v_lower[i - c->nv];
      nlp->g_upper[row] = i < c->nv ? lim->q_upper[i] : lim->v_upper[i - c->nv];
    }
    path_bounds(c, row0);
  }
  colloc_set_goal(c, goal->position);
  int row = c->joint_row;
  for (int i = 0; i < c->nv; i++) {
    if (goal->joint_fixed[i]) nlp->g_lower[row] = nlp->g_upper[row] = goal->joint_value[i], row++;
  }
  for (int e = 0; e < c->n_rate; e++) {
    int control = c->rate_control[e];
    double gap = ocp_tied(c->o, control) ? 0.0 : c->o->T * ocp_control_gap(c->o, control);
    double most = gap > 0.0 ? lim->u_rate[c->rate_actuator[e]] * gap : 0.0;
    nlp->g_upper[c->rate_row + e] = most;
    nlp->g_lower[c->rate_row + e] = -most;
  }
}

// ---- stages ------------------------------------------------------------------------------------

static void stage_map(Colloc *c) {
  Nlp *nlp = &c->nlp;
  nlp->n_stage = c->N;
  for (int i = 0; i < nlp->n; i++) {
    int slot = i % c->stride;
    nlp->x_stage[i] = i / c->stride;
    if (i == c->T_var) {
      nlp->x_stage[i] = -1;
      nlp->x_kind[i] = NLP_GLOBAL;
      continue;
    }
    nlp->x_kind[i] = slot < c->slot_u          ? NLP_NODE_STATE
                     : slot < c->slot_point[0] ? NLP_CONTROL
                                               : NLP_INTERIOR_UNKNOWN;
  }
  for (int i = 0; i < nlp->m; i++) {
    int local = i - c->row0;
    bool inside = local >= 0 && local < c->N * c->rows;
    nlp->g_stage[i] = inside ? local / c->rows : local < 0 ? 0 : c->N;
    nlp->g_kind[i] = !inside                                  ? NLP_BOUNDARY
                     : local % c->rows >= c->rows - 2 * c->nv ? NLP_CONTINUITY
                                                              : NLP_INTERIOR_EQUATION;
  }
  for (int e = 0; e < c->n_rate; e++) {
    nlp->g_stage[c->rate_row + e] = c->rate_control[e] / c->s.control_step;
    nlp->g_kind[c->rate_row + e] = NLP_CONTINUITY;
  }
}

// ---- build -------------------------------------------------------------------------------------

static size_t largest(const OcpPoint *p, size_t (*of)(const OcpBlock *)) {
  const OcpBlock *ours[4] = {&p->dyn, &p->path, &p->cost, &p->goal};
  size_t most = 1;
  for (int i = 0; i < 4 + p->n_term; i++) {
    const OcpBlock *b = i < 4 ? ours[i] : &p->term[i - 4];
    if (b->n_row && of(b) > most) most = of(b);
  }
  return most;
}

static bool allocate(Colloc *c) {
  Nlp *nlp = &c->nlp;
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  nlp->x_lower = arena_array(c->arena, n, sizeof(double));
  nlp->x_upper = arena_array(c->arena, n, sizeof(double));
  nlp->x_start = arena_array(c->arena, n, sizeof(double));
  nlp->g_lower = arena_array(c->arena, m, sizeof(double));
  nlp->g_upper = arena_array(c->arena, m, sizeof(double));
  nlp->x_stage = arena_array(c->arena, n, sizeof(int));
  nlp->g_stage = arena_array(c->arena, m, sizeof(int));
  nlp->x_kind = arena_array(c->arena, n, sizeof(NlpKind));
  nlp->g_kind = arena_array(c->arena, m, sizeof(NlpKind));
  c->X = arena_array(c->arena, (size_t)c->stride * ((size_t)c->N + 1), sizeof(double));
  c->z = arena_array(c->arena, (size_t)c->point->nz * (size_t)c->n_point, sizeof(double));
  c->G = arena_array(c->arena, (size_t)c->rows * (size_t)c->N, sizeof(double));
  c->work = arena_alloc(c->arena, largest(c->point, ocp_block_work_size));
  c->end_in = arena_array(c->arena, (size_t)c->point->nz, sizeof(double));
  c->end_out = arena_array(c->arena, largest(c->point, ocp_block_room), sizeof(double));
  size_t timed = c->T_var >= 0 ? (size_t)c->point->nz * (size_t)c->n_point : 1;
  c->zT = arena_array(c->arena, timed, sizeof(double));
  c->zTT = arena_array(c->arena, timed, sizeof(double));
  c->y = arena_array(c->arena, timed, sizeof(double));
  c->Hz = arena_array(c->arena, timed, sizeof(double));
  if (!c->zT || !c->zTT || !c->y || !c->Hz) return false;
  return nlp->x_lower && nlp->x_upper && nlp->x_start && nlp->g_lower && nlp->g_upper &&
         nlp->x_stage && nlp->g_stage && nlp->x_kind && nlp->g_kind && c->X && c->z && c->G &&
         c->work && c->end_in && c->end_out;
}

static void finish(Colloc *c) {
  colloc_set_T(c, c->o->T);
  variable_bounds(c);
  row_bounds(c);
  stage_map(c);
  c->nlp.data = c;
  colloc_names(&c->nlp);
  colloc_callbacks(&c->nlp);
}

static bool grid(Colloc *c) {
  c->width = arena_array(c->arena, (size_t)c->N, sizeof(double));
  if (!c->width) return false;
  for (int k = 0; k < c->N; k++) c->width[k] = ocp_width(c->o, k);
  if (!c->o->node) return true;
  c->h_power = arena_array(c->arena, (size_t)c->N * POWER_MAX, sizeof(double));
  return c->h_power != NULL;
}

Status colloc_build(Colloc **out, const Ocp *o, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  Colloc *c = arena_alloc(arena, sizeof *c);
  if (!c) {
    arena_free(arena);
    return error_no_memory(err);
  }
  c->arena = arena;
  c->o = o;
  colloc_scheme(&c->s, o);
  c->nv = o->model->nv;
  c->nu = o->model->nu;
  c->N = o->n_interval;
  c->d = c->s.d;
  c->n_point = c->N * c->d;
  c->T = o->T;
  c->condensed = o->layout == OCP_CONDENSED;
  c->has_a = c->condensed || o->form->algebraic;
  c->torque = o->cost.torque;
  c->torque_rate = o->cost.torque_rate;
  Status status = ocp_point_build(&c->point, o, err);
  if (status == STATUS_OK && !(grid(c) && colloc_layout(c) && colloc_patterns(c) && allocate(c))) {
    status = error_no_memory(err);
  }
  if (status == STATUS_OK) {
    finish(c);
    *out = c;
  } else {
    colloc_free(c);
  }
  return status;
}

void colloc_free(Colloc *c) {
  if (!c) return;
  ocp_point_free(c->point);
  arena_free(c->arena);
}

Nlp *colloc_nlp(Colloc *c) {
  return &c->nlp;
}

void colloc_set_weights(Colloc *c, double torque, double torque_rate) {
  c->torque = torque;
  c->torque_rate = torque_rate;
}

void colloc_set_goal(Colloc *c, const double position[3]) {
  int row = c->goal_row;
  for (int i = 0; i < 3 && c->point->goal.n_row; i++) {
    if (!c->o->goal.fixed[i]) continue;
    c->nlp.g_lower[row] = c->nlp.g_upper[row] = position[i];
    row++;
  }
}

// ---- trajectories ------------------------------------------------------------------------------

void colloc_start(Colloc *c, const Trajectory *t) {
  double *x = c->nlp.x_start;
  if (c->T_var >= 0) x[c->T_var] = t->time[c->N];
  size_t nv = (size_t)c->nv, nu = (size_t)c->nu, bytes = nv * sizeof *x;
  int step = c->s.control_step;
  for (int k = 0; k <= c->N; k++) {
    double *block = x + colloc_var(c, k, 0);
    memcpy(block, t->q + (size_t)k * nv, bytes);
    memcpy(block + nv, t->v + (size_t)k * nv, bytes);
    int n = k < c->N ? step : c->s.n_control > 1;
    memcpy(block + c->slot_u, t->u + (size_t)(k * step) * nu, (size_t)n * nu * sizeof *x);
    for (int j = 0; k < c->N && j < c->d; j++) {
      size_t p = (size_t)(k * c->d + j) * nv;
      double *point = block + c->slot_point[j];
      if (!c->condensed) {
        memcpy(point, t->pq + p, bytes);
        memcpy(point + nv, t->pv + p, bytes);
        point += 2 * nv;
      }
      if (c->has_a) memcpy(point, t->pa + p, bytes);
    }
  }
}

void colloc_extract(const Colloc *c, const double *x, Trajectory *t) {
  size_t nv = (size_t)c->nv, nu = (size_t)c->nu, bytes = nv * sizeof *x;
  int step = c->s.control_step, nz = c->point->nz;
  double T = c->T_var >= 0 ? x[c->T_var] : c->T;
  for (int k = 0; k <= c->N; k++) {
    const double *block = x + colloc_var(c, k, 0);
    double h = k < c->N ? c->width[k] * T : 0.0;
    t->time[k] = ocp_node(c->o, k) * T;
    memcpy(t->q + (size_t)k * nv, block, bytes);
    memcpy(t->v + (size_t)k * nv, block + nv, bytes);
    int n = k < c->N ? step : c->s.n_control > 1;
    memcpy(t->u + (size_t)(k * step) * nu, block + c->slot_u, (size_t)n * nu * sizeof *x);
    // one control to a piece, to the last digit
    if (k > 0 && k < c->N && ocp_tied(c->o, k - 1)) {
      memcpy(t->u + (size_t)k * nu, t->u + (size_t)(k - 1) * nu, nu * sizeof *x);
    }
    for (int j = 0; k < c->N && j < c->d; j++) {
      double *to[3] = {t->pq, t->pv, t->pa};
      for (int i = 0; i < 3 * c->nv; i++) {
        const Combo *combo = &c->combo[i + nz * j];
        double sum = 0.0;
        for (int s = 0; s < combo->n; s++)
          sum += factor_at(&combo->coef[s], h) * block[combo->slot[s]];
        to[i / c->nv][(size_t)(k * c->d + j) * nv + (size_t)(i % c->nv)] = sum;
      }
    }
  }
  for (int j = 0; j < c->d; j++) t->point[j] = c->s.c[j];
}

CollocCost colloc_cost(const Colloc *c) {
  CollocCost cost = {.bytes = arena_bytes(c->arena)};
  long long *const count[N_OCP_PARTS] = {&cost.residual, &cost.jacobian, &cost.hessian};
  for (int b = 0; b < c->n_placed; b++) {
    for (int part = 0; part < N_OCP_PARTS; part++) {
      const ExprTape *tape = c->placed[b].block->tape[part];
      if (tape) *count[part] += (long long)tape->count.total * c->n_point;
    }
  }
  return cost;
}
