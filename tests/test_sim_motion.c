// SPDX-License-Identifier: MIT
// All methods and integrators move every mechanism alike, from a start with speeds at random that
// the loops allow; what differs is how well loops stay closed and energy is kept.
#include "sim/sim_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dynamics/loop_eval.h"
#include "loop_support.h"
#include "unity.h"

void setUp(void) {
}

void tearDown(void) {
}

static const double AGREE = 1e-6;  // [rad | m]

// ---- support -----------------------------------------------------------------------------------

// A x = b by elimination with pivots, in place; A: n x n, column-major
static void solve(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i + n * k]) > fabs(A[p + n * k])) p = i;
    }
    for (int j = 0; j < n; j++) {
      double t = A[k + n * j];
      A[k + n * j] = A[p + n * j];
      A[p + n * j] = t;
    }
    double t = b[k];
    b[k] = b[p];
    b[p] = t;
    TEST_ASSERT_TRUE_MESSAGE(fabs(A[k + n * k]) > 1e-12, "loops are redundant");
    for (int i = k + 1; i < n; i++) {
      double f = A[i + n * k] / A[k + n * k];
      for (int j = k; j < n; j++) A[i + n * j] -= f * A[k + n * j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i + n * j] * b[j];
    b[i] /= A[i + n * i];
  }
}

// speeds at random, moved to where J v = 0
static void allowed_speeds(const Model *m, const double *q, double size, double *v) {
  Error err = {0};
  LoopEval *e;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, loop_eval_build(&e, m, &err), err.what);
  int n = m->nv, r = e->n_row;
  double *J = calloc((size_t)(n * r), sizeof *J), *A = calloc((size_t)(r * r), sizeof *A);
  double *y = calloc((size_t)r, sizeof *y);
  Rng rng;
  rng_seed(&rng, 7);
  for (int i = 0; i < n; i++) v[i] = rng_uniform(&rng, -size, size);
  TEST_ASSERT_TRUE(loop_eval(e, q, v, NULL, y, NULL, J));
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < r; j++) {
      for (int k = 0; k < n; k++) A[i + r * j] += J[i + r * k] * J[j + r * k];
    }
  }
  solve(r, A, y);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < r; i++) v[k] -= J[i + r * k] * y[i];
  }
  free(J);
  free(A);
  free(y);
  loop_eval_free(e);
}

typedef struct Start {
  Model *m;
  double *q, *v;  // nv
} Start;

static Start start_of(const char *name) {
  Start s = {.m = mechanism_load(name)};
  size_t n = (size_t)s.m->nv;
  s.q = calloc(n, sizeof *s.q);
  s.v = calloc(n, sizeof *s.v);
  if (model_start(s.m)) memcpy(s.q, model_start(s.m), n * sizeof *s.q);
  allowed_speeds(s.m, s.q, 0.5, s.v);
  return s;
}

static void start_free(Start *s) {
  free(s->q);
  free(s->v);
  model_free(s->m);
}

// Moves x = (q, v) from the start to t = until. False if the method does not apply.
static bool move(const Start *s, const SimMotionOptions *opt, double until, double *x,
                 SimViolation *off, double *drift, SimMotionStats *stats) {
  Error err = {0};
  SimMotion *motion;
  size_t n = (size_t)s->m->nv;
  if (sim_motion_build(&motion, s->m, opt, s->q, &err) != STATUS_OK) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, err.code, err.what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "\""), "the loop or joint is not named");
    return false;
  }
  memcpy(x, s->q, n * sizeof *x);
  memcpy(x + n, s->v, n * sizeof *x);
  double before = mechanism_energy(s->m, x, x + n);
  Status status = sim_motion_run(motion, 0, until, x, x + n, NULL, NULL, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  double *zero = calloc(n, sizeof *zero);
  *off = sim_motion_violation(motion, x, x + n, zero);
  *stats = sim_motion_stats(motion);
  *drift = mechanism_energy(s->m, x, x + n) - before + sim_motion_loss(motion);
  free(zero);
  sim_motion_free(motion);
  return true;
}

static double difference(int n, const double *a, const double *b) {
  double d = 0;
  for (int i = 0; i < n; i++) d = fmax(d, fabs(a[i] - b[i]));
  return d;
}

// ---- agreement ---------------------------------------------------------------------------------

typedef struct Way {
  const LoopMethod *method;
  const char *integrator;
  double rel_tol;
} Way;

static const Way ways[] = {
    {&loop_tree_aug, "cvode", 1e-12}, {&loop_tree_aug_dense, "cvode", 1e-12},
    {&loop_gauss, "cvode", 1e-12},    {&loop_tree_lambda, "cvode", 1e-12},
    {&loop_rcr, "cvode", 1e-12},      {&loop_tree_aug, "ida", 1e-11},
    {&loop_tree_aug, "rk4", 0},       {&loop_rcr, "rk4", 0},
    {&loop_maximal, "rk4", 0},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static void agree_on(const char *name, double until, double step) {
  Start s = start_of(name);
  size_t n = (size_t)s.m->nv;
  double *first = calloc(2 * n, sizeof *first), *x = calloc(2 * n, sizeof *x);
  for (int i = 0; i < N_WAYS; i++) {
    const Way *w = &ways[i];
    const SimMotionOptions opt = {.method = w->method,
                                  .integrator = w->integrator,
                                  .step = step,
                                  .rel_tol = w->rel_tol,
                                  .abs_tol = 0.1 * w->rel_tol};
    SimViolation off;
    SimMotionStats stats;
    double drift;
    if (!move(&s, &opt, until, i ? x : first, &off, &drift, &stats)) continue;
    double d = i ? difference((int)n, x, first) : 0;
    char text[200];
    snprintf(text, sizeof text,
             "%s by %s, %s: off by %.1e, loops apart by %.1e %.1e %.1e, drift %.1e J, %.2f s", name,
             w->method->name, w->integrator, d, off.position, off.velocity, off.acceleration, drift,
             stats.seconds);
    puts(text);
    TEST_ASSERT_TRUE_MESSAGE(d < AGREE, text);
    TEST_ASSERT_TRUE_MESSAGE(off.position < AGREE && off.velocity < AGREE, text);
    TEST_ASSERT_TRUE_MESSAGE(fabs(drift) < 1e-5, text);
    if (w->method == &loop_maximal || strcmp(w->integrator, "ida") == 0) {
      TEST_ASSERT_TRUE_MESSAGE(off.position < 1e-9, text);
    }
  }
  free(first);
  free(x);
  start_free(&s);
}

// squares and diamonds then come to where their constraints are singular, and no method but SRM
// gets past: the motion is not unique there
static void test_all_ways_agree_on_planar_mechanisms(void) {
  agree_on("fourbar", 2, 2.5e-4);
  agree_on("fivebar", 2, 2.5e-4);
  agree_on("squares4", 0.4, 1e-3);
  agree_on("diamonds4", 0.4, 1e-3);
}

static void test_all_ways_agree_on_spatial_mechanisms(void) {
  agree_on("ladder2", 2, 1e-3);
  agree_on("shoulder", 2, 1e-3);
  agree_on("hmmwv", 2, 1e-3);
}

static void test_all_ways_agree_on_many_loops(void) {
  agree_on("net3x4", 2, 1e-3);
  agree_on("ladder8", 2, 1e-3);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_ways_agree_on_planar_mechanisms);
  RUN_TEST(test_all_ways_agree_on_spatial_mechanisms);
  RUN_TEST(test_all_ways_agree_on_many_loops);
  return UNITY_END();
}
