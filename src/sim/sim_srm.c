// SPDX-License-Identifier: MIT
#include "sim/sim_srm.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

const SimSrmOptions sim_srm_defaults = {.iterations = 2, .eps = 0.05, .alpha1 = 1, .alpha2 = 1};

enum { POWER_STEPS = 60, CG_STEPS = 2000 };
static const double CG_TOL = 1e-10;
static const double DIFFERENCE = 1e-5;  // [s], for J' v

static bool build_arrays(SimSrm *s) {
  Arena *a = s->arena;
  size_t nv = (size_t)s->nv, rows = (size_t)s->n_row, n = (size_t)s->opt.iterations;
  s->n_state = (int)(2 * nv * n);
  s->work = arena_alloc(a, expr_tape_work_size(s->tape));
  s->tau = arena_array(a, nv + 1, sizeof *s->tau);
  s->mu0 = arena_array(a, rows + 1, sizeof *s->mu0);
  s->mu = arena_array(a, rows * (n + 1) + 1, sizeof *s->mu);
  s->phi = arena_array(a, rows * n + 1, sizeof *s->phi);
  s->rate = arena_array(a, rows * n + 1, sizeof *s->rate);
  s->a = arena_array(a, nv + 1, sizeof *s->a);
  s->step_work = arena_array(a, SIM_STEP_WORK((size_t)s->n_state) + 1, sizeof *s->step_work);
  return s->work && s->tau && s->mu0 && s->mu && s->phi && s->rate && s->a && s->step_work;
}

Status sim_srm_build(SimSrm **out, const Model *m, const SimSrmOptions *opt, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  SimSrm *s = arena_alloc(arena, sizeof *s);
  if (!s) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *s = (SimSrm){.arena = arena, .m = m, .opt = opt ? *opt : sim_srm_defaults, .nv = m->nv};
  s->n_row = model_n_rows(m);
  DynFunction *f = NULL;
  Status status = srm_function_build(&f, m, err);
  if (status == STATUS_OK) status = expr_tape_build(&s->tape, &f->f, TAPE_FOR_EVALUATOR, err);
  dyn_function_free(f);
  if (status == STATUS_OK && !build_arrays(s)) status = error_no_memory(err);
  if (status == STATUS_OK) *out = s;
  else sim_srm_free(s);
  return status;
}

void sim_srm_free(SimSrm *s) {
  if (!s) return;
  expr_tape_free(s->tape);
  arena_free(s->arena);
}

void sim_srm_start(const SimSrm *s, const double *q, const double *v, double *state) {
  size_t bytes = (size_t)s->nv * sizeof *state;
  for (int k = 0; k < s->opt.iterations; k++) {
    double *x = state + (size_t)2 * s->nv * k;
    memcpy(x, q, bytes);
    if (v) memcpy(x + s->nv, v, bytes);
    else memset(x + s->nv, 0, bytes);
  }
}

// accelerations in s->a, constraints and multipliers behind those of the iterate before
static bool eval(SimSrm *s, const double *q, const double *v, const double *tau, int k) {
  size_t at = (size_t)s->n_row * (size_t)k;
  const double gain[2] = {s->opt.alpha1 / s->opt.eps, s->opt.alpha2 / s->opt.eps};
  const LaneIn in[] = {{q, 1, 0}, {v, 1, 0}, {tau, 1, 0}, {s->mu + at, 1, 0}, {gain, 1, 0}};
  const LaneOut out[] = {
      {s->a, 1, 0}, {s->mu + at + s->n_row, 1, 0}, {s->phi + at, 1, 0}, {s->rate + at, 1, 0}};
  return expr_tape_eval(s->tape, 1, in, out, s->work);
}

static void reset_multipliers(SimSrm *s) {
  memcpy(s->mu, s->mu0, (size_t)s->n_row * sizeof *s->mu);
}

static bool rates(void *data, double t, const double *x, double *dx) {
  (void)t;
  SimSrm *s = data;
  size_t nv = (size_t)s->nv, bytes = nv * sizeof *dx;
  reset_multipliers(s);
  for (int k = 0; k < s->opt.iterations; k++, x += 2 * nv, dx += 2 * nv) {
    if (!eval(s, x, x + nv, s->tau, k)) return false;
    memcpy(dx, x + nv, bytes);
    memcpy(dx + nv, s->a, bytes);
  }
  return true;
}

bool sim_srm_step(SimSrm *s, const SimScheme *scheme, double h, double *state) {
  return sim_step(scheme, s->n_state, rates, s, 0, h, state, s->step_work);
}

static double largest(int n, const double *x) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i]));
  return worst;
}

void sim_srm_violation(SimSrm *s, const double *state, int k, double *position, double *rate) {
  const double *x = state + (size_t)2 * s->nv * k;
  reset_multipliers(s);
  bool ok = eval(s, x, x + s->nv, s->tau, 0);
  if (position) *position = ok ? largest(s->n_row, s->phi) : INFINITY;
  if (rate) *rate = ok ? largest(s->n_row, s->rate) : INFINITY;
}

// ---- the operator J M^-1 J^T ------------------------------------------------------------------

typedef struct Operator {
  SimSrm *s;
  SimSrmOptions keep;          // the options are put aside: constraints must not answer here
  Arena *arena;                //
  const double *q, *v, *zero;  // zero: as long as q or mu
  double *base;                // nv, accelerations without multipliers
  double *a;                   // nv
} Operator;

static double *doubles(Arena *arena, int n) {
  return arena_array(arena, (size_t)n + 1, sizeof(double));
}

// accelerations under the multipliers x
static bool accelerate(Operator *o, const double *x, double *a) {
  SimSrm *s = o->s;
  memcpy(s->mu, x, (size_t)s->n_row * sizeof *x);
  if (!eval(s, o->q, o->v, s->tau, 0)) return false;
  memcpy(a, s->a, (size_t)s->nv * sizeof *a);
  return true;
}

static bool operator_open(Operator *o, SimSrm *s, const double *q, const double *v) {
  *o = (Operator){.s = s, .keep = s->opt, .arena = arena_new(), .q = q};
  o->zero = doubles(o->arena, s->nv > s->n_row ? s->nv : s->n_row);
  o->v = v ? v : o->zero;
  o->base = doubles(o->arena, s->nv);
  o->a = doubles(o->arena, s->nv);
  s->opt.alpha1 = s->opt.alpha2 = 0;
  return o->zero && o->base && o->a && accelerate(o, o->zero, o->base);
}

static void operator_close(Operator *o) {
  o->s->opt = o->keep;
  arena_free(o->arena);
}

// y = J M^-1 J^T x = J (a(0) - a(x)): the rates of the constraints at that "velocity"
static bool operator_apply(Operator *o, const double *x, double *y) {
  SimSrm *s = o->s;
  if (!accelerate(o, x, o->a)) return false;
  for (int i = 0; i < s->nv; i++) o->a[i] = o->base[i] - o->a[i];
  if (!eval(s, o->q, o->a, s->tau, 0)) return false;
  memcpy(y, s->rate, (size_t)s->n_row * sizeof *y);
  return true;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double sim_srm_stiffness(SimSrm *s, const double *q) {
  Operator o;
  bool ok = operator_open(&o, s, q, NULL) && s->n_row > 0;
  double *x = doubles(o.arena, s->n_row), value = NAN;
  ok = ok && x;
  Rng rng;
  rng_seed(&rng, 1);
  for (int i = 0; ok && i < s->n_row; i++) x[i] = rng_uniform(&rng, -1, 1);
  for (int step = 0; ok && step < POWER_STEPS; step++) {
    double size = sqrt(dot(s->n_row, x, x));
    for (int i = 0; i < s->n_row; i++) x[i] /= size;
    ok = operator_apply(&o, x, s->phi);
    value = dot(s->n_row, x, s->phi);
    memcpy(x, s->phi, (size_t)s->n_row * sizeof *x);
  }
  operator_close(&o);
  return ok ? value : NAN;
}

// phi'' without multipliers: J a + J' v, the second part by a central difference along v
static bool free_acceleration(Operator *o, double *b, double *q) {
  SimSrm *s = o->s;
  if (!eval(s, o->q, o->base, s->tau, 0)) return false;
  memcpy(b, s->rate, (size_t)s->n_row * sizeof *b);
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < s->nv; i++) q[i] = o->q[i] + side * DIFFERENCE * o->v[i];
    if (!eval(s, q, o->v, s->tau, 0)) return false;
    for (int i = 0; i < s->n_row; i++) b[i] += side * s->rate[i] / (2 * DIFFERENCE);
  }
  return true;
}

// conjugate gradients from zero; x, r, p, y: n_row, r holds the right-hand side
static bool conjugate_gradients(Operator *o, double *x, double *r, double *p, double *y) {
  int n = o->s->n_row;
  double square = dot(n, r, r), goal = CG_TOL * CG_TOL * square;
  memcpy(p, r, (size_t)n * sizeof *p);
  for (int step = 0; step < CG_STEPS && square > goal; step++) {
    if (!operator_apply(o, p, y)) return false;
    double curve = dot(n, p, y);
    if (!(curve > 0)) return true;  // singular: what is left can't be held
    for (int i = 0; i < n; i++) {
      x[i] += square / curve * p[i];
      r[i] -= square / curve * y[i];
    }
    double now = dot(n, r, r);
    for (int i = 0; i < n; i++) p[i] = r[i] + now / square * p[i];
    square = now;
  }
  return true;
}

bool sim_srm_exact_start(SimSrm *s, const double *q, const double *v) {
  Operator o;
  bool ok = operator_open(&o, s, q, v);
  double *x = doubles(o.arena, s->n_row), *r = doubles(o.arena, s->n_row);
  double *p = doubles(o.arena, s->n_row), *y = doubles(o.arena, s->n_row);
  double *moved = doubles(o.arena, s->nv);
  ok = ok && x && r && p && y && moved && free_acceleration(&o, r, moved) &&
       conjugate_gradients(&o, x, r, p, y);
  if (ok) memcpy(s->mu0, x, (size_t)s->n_row * sizeof *x);
  operator_close(&o);
  return ok;
}
