// SPDX-License-Identifier: MIT
#include "sim/sim_maximal.h"

#include <math.h>
#include <string.h>

const SimMaximalOptions sim_maximal_defaults = {
    .soft = MAX_SOFT_NONE,
    .iterations = 1,
    .eps = 0.01,
    .alpha1 = 1,
    .alpha2 = 1,
    .null_tol = 1e-11,
    .tol = 1e-14,
    .max_corrections = 12,
};

// Violations that stay at the level of rounding for this many corrections are not worth another.
static const double STALLED = 0.5;
static const double ACCEPTED = 1e-12;  // ... and these are good enough to go on with

// ---- building ----------------------------------------------------------------------------------

static Status build_tape(ExprTape **out, DynFunction *f, Status status, Error *err) {
  if (status == STATUS_OK) status = expr_tape_build(out, &f->f, TAPE_FOR_EVALUATOR, err);
  dyn_function_free(f);
  return status;
}

static Status build_tapes(SimMaximal *s, Error *err) {
  DynFunction *f = NULL;
  Status status = maximal_violation_build(&f, s->x, err);
  status = build_tape(&s->violation, f, status, err);
  if (status != STATUS_OK) return status;
  f = NULL;
  bool soft = s->opt.soft != MAX_SOFT_NONE;
  status = soft ? maximal_solve_build(&f, s->x, NULL, false, err)
                : maximal_system_build(&f, s->x, err);
  return build_tape(soft ? &s->solve : &s->system, f, status, err);
}

static bool build_arrays(SimMaximal *s) {
  const Maximal *x = s->x;
  Arena *a = s->arena;
  size_t n = (size_t)x->n, rows = (size_t)x->n_row, bytes = expr_tape_work_size(s->violation);
  const ExprTape *main = s->system ? s->system : s->solve;
  if (expr_tape_work_size(main) > bytes) bytes = expr_tape_work_size(main);
  s->n_state = 13 * x->n_body * s->opt.iterations;
  s->work = arena_alloc(a, bytes);
  s->tau = arena_array(a, (size_t)x->m->nv + 1, sizeof *s->tau);
  s->matrix = arena_array(a, (size_t)x->n_entry + 1, sizeof *s->matrix);
  s->rhs = arena_array(a, n + 1, sizeof *s->rhs);
  s->l = arena_array(a, (size_t)x->ldl.nnz + 1, sizeof *s->l);
  s->d_inv = arena_array(a, n + 1, sizeof *s->d_inv);
  s->y = arena_array(a, n + 1, sizeof *s->y);
  s->c = arena_array(a, rows + 1, sizeof *s->c);
  s->rate = arena_array(a, rows + 1, sizeof *s->rate);
  s->mu = arena_array(a, 2 * rows + 1, sizeof *s->mu);
  s->accel = arena_array(a, 6 * (size_t)x->n_body + 1, sizeof *s->accel);
  s->step_work = arena_array(a, SIM_STEP_WORK((size_t)s->n_state) + 1, sizeof *s->step_work);
  return s->work && s->tau && s->matrix && s->rhs && s->l && s->d_inv && s->y && s->c && s->rate &&
         s->mu && s->accel && s->step_work;
}

Status sim_maximal_build(SimMaximal **out, const Model *m, const SimMaximalOptions *opt,
                         Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  SimMaximal *s = arena_alloc(arena, sizeof *s);
  if (!s) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *s = (SimMaximal){.arena = arena, .opt = opt ? *opt : sim_maximal_defaults};
  if (s->opt.soft == MAX_SOFT_NONE) s->opt.iterations = 1;
  Status status = maximal_build(&s->x, m, s->opt.soft, err);
  if (status == STATUS_OK) status = build_tapes(s, err);
  if (status == STATUS_OK && !build_arrays(s)) status = error_no_memory(err);
  if (status == STATUS_OK) *out = s;
  else sim_maximal_free(s);
  return status;
}

void sim_maximal_free(SimMaximal *s) {
  if (!s) return;
  expr_tape_free(s->system);
  expr_tape_free(s->solve);
  expr_tape_free(s->violation);
  maximal_free(s->x);
  arena_free(s->arena);
}

// ---- rates -------------------------------------------------------------------------------------

// The parts of one iterate's state, to write and to read.
typedef struct Parts {
  double *p, *e, *v, *w;
} Parts;

typedef struct View {
  const double *p, *e, *v, *w;
} View;

static View view(int n_body, const double *x) {
  return (View){x, x + 3 * n_body, x + 7 * n_body, x + 10 * n_body};
}

static Parts parts(int n_body, double *x) {
  return (Parts){x, x + 3 * n_body, x + 7 * n_body, x + 10 * n_body};
}

bool sim_maximal_start(const SimMaximal *s, const double *q, const double *v, double *state) {
  int n = 13 * s->x->n_body;
  Parts a = parts(s->x->n_body, state);
  if (!maximal_from_joints(s->x, q, v, a.p, a.e, a.v, a.w)) return false;
  for (int k = 1; k < s->opt.iterations; k++) {
    memcpy(state + (size_t)k * n, state, (size_t)n * sizeof *state);
  }
  return true;
}

// factors at a state, and the right-hand side
static bool factorise(SimMaximal *s, const double *x) {
  View a = view(s->x->n_body, x);
  const LaneIn in[] = {{a.p, 1, 0}, {a.e, 1, 0}, {a.v, 1, 0}, {a.w, 1, 0}, {s->tau, 1, 0}};
  const LaneOut out[] = {{s->matrix, 1, 0}, {s->rhs, 1, 0}};
  if (!expr_tape_eval(s->system, 1, in, out, s->work)) return false;
  int null = ldl_factor(&s->x->ldl, s->matrix, s->opt.null_tol, s->l, s->d_inv, NULL, s->y);
  s->stats.factorisations++;
  s->stats.null_pivots = null;
  if (null > s->stats.max_null_pivots) s->stats.max_null_pivots = null;
  return true;
}

static bool hard_accelerations(SimMaximal *s, const double *x) {
  if (!factorise(s, x)) return false;
  ldl_solve(&s->x->ldl, s->l, s->d_inv, s->rhs, s->y);
  memcpy(s->accel, s->rhs, 6 * (size_t)s->x->n_body * sizeof *s->accel);
  return true;
}

// mu of the iterate before in, of this one out
static bool soft_accelerations(SimMaximal *s, const double *x, const double *before, double *mu) {
  View a = view(s->x->n_body, x);
  const double gain[2] = {s->opt.alpha1 / s->opt.eps, s->opt.alpha2 / s->opt.eps};
  const LaneIn in[] = {{a.p, 1, 0},    {a.e, 1, 0},    {a.v, 1, 0}, {a.w, 1, 0},
                       {s->tau, 1, 0}, {before, 1, 0}, {gain, 1, 0}};
  const LaneOut out[] = {{s->accel, 1, 0}, {s->rate, 1, 0}};
  if (!expr_tape_eval(s->solve, 1, in, out, s->work)) return false;
  // the soft ones among the multipliers, in their own order
  for (int k = 0; k < s->x->n_joint; k++) {
    const MaxJoint *j = &s->x->joint[k];
    for (int r = 0; r < j->n_row && j->soft; r++) mu[j->row + r] = s->rate[j->first + r];
  }
  return true;
}

// p' = v, e' = e w / 2, v' and w' as solved
static void fill_rates(const SimMaximal *s, const double *x, double *dx) {
  int n = s->x->n_body;
  View a = view(n, x);
  Parts d = parts(n, dx);
  memcpy(d.p, a.v, 3 * (size_t)n * sizeof *d.p);
  for (int b = 0; b < n; b++) {
    const double *e = a.e + 4 * b, *w = a.w + 3 * b, *acc = s->accel + 6 * b;
    double *de = d.e + 4 * b;
    de[0] = -0.5 * (e[1] * w[0] + e[2] * w[1] + e[3] * w[2]);
    for (int i = 0; i < 3; i++) {
      int k = (i + 1) % 3, l = (i + 2) % 3;
      de[1 + i] = 0.5 * (e[0] * w[i] + e[1 + k] * w[l] - e[1 + l] * w[k]);
      d.v[3 * b + i] = acc[i];
      d.w[3 * b + i] = acc[3 + i];
    }
  }
}

static bool rates(void *data, double t, const double *x, double *dx) {
  (void)t;
  SimMaximal *s = data;
  int n = 13 * s->x->n_body;
  if (s->opt.soft == MAX_SOFT_NONE) {
    if (!hard_accelerations(s, x)) return false;
    fill_rates(s, x, dx);
    return true;
  }
  double *mu[2] = {s->mu, s->mu + s->x->n_row};
  memset(mu[0], 0, (size_t)s->x->n_soft * sizeof *s->mu);
  for (int k = 0; k < s->opt.iterations; k++) {
    const double *at = x + (size_t)k * n;
    if (!soft_accelerations(s, at, mu[k % 2], mu[(k + 1) % 2])) return false;
    fill_rates(s, at, dx + (size_t)k * n);
  }
  return true;
}

bool sim_maximal_accelerations(SimMaximal *s, const double *state, double *accel) {
  memset(s->mu, 0, (size_t)s->x->n_soft * sizeof *s->mu);
  bool ok = s->opt.soft == MAX_SOFT_NONE ? hard_accelerations(s, state)
                                         : soft_accelerations(s, state, s->mu, s->mu + s->x->n_row);
  if (ok) memcpy(accel, s->accel, 6 * (size_t)s->x->n_body * sizeof *accel);
  return ok;
}

// ---- projection --------------------------------------------------------------------------------

static double largest(int n, const double *x) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i]));
  return worst;
}

static bool violations(SimMaximal *s, const double *x) {
  View a = view(s->x->n_body, x);
  const LaneIn in[] = {{a.p, 1, 0}, {a.e, 1, 0}, {a.v, 1, 0}, {a.w, 1, 0}};
  const LaneOut out[] = {{s->c, 1, 0}, {s->rate, 1, 0}, {s->energy, 1, 0}};
  return expr_tape_eval(s->violation, 1, in, out, s->work);
}

static void normalise(int n_body, double *x) {
  double *e = x + 3 * n_body;
  for (int b = 0; b < n_body; b++, e += 4) {
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int k = 0; k < 4; k++) e[k] /= length;
  }
}

// the least change that the constraints of position (or of velocity) ask for, in s->rhs
static void solve_correction(SimMaximal *s, const double *residual) {
  int first = 6 * s->x->n_body;
  memset(s->rhs, 0, (size_t)first * sizeof *s->rhs);
  for (int r = 0; r < s->x->n_row; r++) s->rhs[first + r] = -residual[r];
  ldl_solve(&s->x->ldl, s->l, s->d_inv, s->rhs, s->y);
  s->stats.corrections++;
}

// eq. 36b
static void move(int n_body, const double *step, double *x) {
  Parts a = parts(n_body, x);
  for (int b = 0; b < n_body; b++) {
    const double *turn = step + 6 * b + 3;
    double *e = a.e + 4 * b, old[4];
    memcpy(old, e, sizeof old);
    e[0] -= 0.5 * (old[1] * turn[0] + old[2] * turn[1] + old[3] * turn[2]);
    for (int i = 0; i < 3; i++) {
      int k = (i + 1) % 3, l = (i + 2) % 3;
      e[1 + i] += 0.5 * (old[0] * turn[i] + old[1 + k] * turn[l] - old[1 + l] * turn[k]);
      a.p[3 * b + i] += step[6 * b + i];
    }
  }
  normalise(n_body, x);
}

static void push(int n_body, const double *step, double *x) {
  Parts a = parts(n_body, x);
  for (int i = 0; i < 3 * n_body; i++) {
    a.v[i] += step[6 * (i / 3) + i % 3];
    a.w[i] += step[6 * (i / 3) + 3 + i % 3];
  }
}

// Corrections with the factors at hand until the violation is gone or stays where it is; new factors
// when the old ones are too far off.
static bool correct(SimMaximal *s, double *x, const double *residual,
                    void (*apply)(int, const double *, double *)) {
  int n_row = s->x->n_row;
  if (!violations(s, x)) return false;
  double left = largest(n_row, residual), scale = apply == push ? fmax(1, left) : 1;
  for (int k = 0; k < s->opt.max_corrections && left > s->opt.tol * scale; k++) {
    solve_correction(s, residual);
    apply(s->x->n_body, s->rhs, x);
    if (!violations(s, x)) return false;
    double now = largest(n_row, residual);
    if (now > STALLED * left && now < ACCEPTED * scale) return true;
    if (now > STALLED * left && !factorise(s, x)) return false;
    left = now;
  }
  return left <= ACCEPTED * scale || s->stats.null_pivots > 0;
}

bool sim_maximal_project(SimMaximal *s, double *x) {
  normalise(s->x->n_body, x);
  if (s->opt.max_corrections == 0 || s->opt.soft != MAX_SOFT_NONE || s->x->n_row == 0) return true;
  return correct(s, x, s->c, move) && correct(s, x, s->rate, push);
}

bool sim_maximal_step(SimMaximal *s, const SimScheme *scheme, double h, double *state) {
  if (!sim_step(scheme, s->n_state, rates, s, 0, h, state, s->step_work)) return false;
  s->stats.steps++;
  int n = 13 * s->x->n_body;
  for (int k = 0; k < s->opt.iterations; k++) {
    if (!sim_maximal_project(s, state + (size_t)k * n)) return false;
  }
  return true;
}

void sim_maximal_violation(SimMaximal *s, const double *state, double *position, double *rate) {
  size_t last = 13 * (size_t)s->x->n_body * (size_t)(s->opt.iterations - 1);
  bool ok = violations(s, state + last);
  if (position) *position = ok ? largest(s->x->n_row, s->c) : INFINITY;
  if (rate) *rate = ok ? largest(s->x->n_row, s->rate) : INFINITY;
}
