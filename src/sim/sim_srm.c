// SPDX-License-Identifier: MIT
#include "sim/sim_srm.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

const SimSrmOptions sim_srm_defaults = {.iterations = 2, .eps = 0.05, .alpha1 = 1, .alpha2 = 1};

enum { POWER_STEPS = 60 };

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

// ---- stiffness ---------------------------------------------------------------------------------

// accelerations at rest under multipliers x alone, without the constraints' answer
static bool accelerate(SimSrm *s, const double *q, const double *x, const double *rest, double *a) {
  memcpy(s->mu, x, (size_t)s->n_row * sizeof *x);
  if (!eval(s, q, rest, s->tau, 0)) return false;
  memcpy(a, s->a, (size_t)s->nv * sizeof *a);
  return true;
}

double sim_srm_stiffness(SimSrm *s, const double *q) {
  Arena *arena = arena_new();
  size_t nv = (size_t)s->nv, rows = (size_t)s->n_row;
  double *zero = arena_array(arena, nv + rows + 1, sizeof *zero);
  double *x = arena_array(arena, rows + 1, sizeof *x);
  double *base = arena_array(arena, nv + 1, sizeof *base),
         *a = arena_array(arena, nv + 1, sizeof *a);
  const SimSrmOptions keep = s->opt;
  s->opt.alpha1 = s->opt.alpha2 = 0;
  bool ok = zero && x && base && a && rows > 0 && accelerate(s, q, zero, zero, base);
  double value = ok ? 0 : NAN;
  Rng rng;
  rng_seed(&rng, 1);
  for (size_t i = 0; ok && i < rows; i++) x[i] = rng_uniform(&rng, -1, 1);
  for (int step = 0; ok && step < POWER_STEPS; step++) {
    double size = 0;
    for (size_t i = 0; i < rows; i++) size += x[i] * x[i];
    size = sqrt(size);
    for (size_t i = 0; i < rows; i++) x[i] /= size;
    // J M^-1 J^T x = -J (a(x) - a(0)): rates of the constraints at "velocity" a(0) - a(x)
    ok = accelerate(s, q, x, zero, a);
    for (size_t i = 0; ok && i < nv; i++) a[i] = base[i] - a[i];
    ok = ok && eval(s, q, a, s->tau, 0);
    value = 0;
    for (size_t i = 0; ok && i < rows; i++) value += x[i] * s->rate[i];
    memcpy(x, s->rate, rows * sizeof *x);
  }
  s->opt = keep;
  arena_free(arena);
  return ok ? value : NAN;
}
