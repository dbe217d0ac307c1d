// SPDX-License-Identifier: MIT
// Forward dynamics by articulated bodies: undoes the plain inverse dynamics, and grows linearly.
#include "dynamics/aba.h"

#include <math.h>
#include <stdio.h>

#include "dyn_plain.h"
#include "dyn_support.h"
#include "expr/expr_ad.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// The accelerations that forces tau give must need just these forces: the residual, over the
// largest term of M a + c = tau (a backward error: it does not suffer from an ill-conditioned M).
static double worst_residual(const Model *m, uint64_t seed, int n_state) {
  Trace t;
  Expr out[MAX_NV];
  trace_open(&t, m);
  TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t.tr, t.tr.tau, out));
  Numbers f = numbers_open(t.g, m->nv, out);
  Rng rng;
  rng_seed(&rng, seed);
  double worst = 0;
  for (int k = 0; k < n_state; k++) {
    State s;
    double a[MAX_NV], back[MAX_NV];
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, a);
    plain_inverse(m, s.q, s.v, a, back);
    // |M a| is at least the largest |M_ii a_i| - rest; the largest force of each acceleration alone
    double scale = max_abs(m->nv, s.tau);
    for (int i = 0; i < m->nv; i++) {
      double one[MAX_NV] = {0}, zero[MAX_NV] = {0}, with[MAX_NV], bias[MAX_NV];
      one[i] = a[i];
      plain_inverse(m, s.q, s.v, one, with);
      plain_inverse(m, s.q, s.v, zero, bias);
      scale = fmax(scale, fmax(fabs(with[i] - bias[i]), fabs(bias[i])));
    }
    for (int i = 0; i < m->nv; i++) worst = fmax(worst, fabs(back[i] - s.tau[i]) / scale);
  }
  numbers_close(&f);
  trace_close(&t);
  return worst;
}

static void test_accelerations_need_the_forces_that_made_them_on_every_robot(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double e = worst_residual(robot[i], 4, 100);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-9, e, robot[i]->name);
    worst = fmax(worst, e);
  }
  robots_free(n, robot);
  printf("robots: worst backward error %.2g\n", worst);
}

static void test_accelerations_need_the_forces_that_made_them_on_random_trees(void) {
  double worst = 0;
  for (int n = 1; n <= 40; n++) {
    Model *m = tree_random(n, 300 + (uint64_t)n);
    double e = worst_residual(m, 5, 6);
    char text[40];
    snprintf(text, sizeof text, "%d joints", n);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-9, e, text);
    worst = fmax(worst, e);
    model_free(m);
  }
  printf("random trees: worst backward error %.2g\n", worst);
}

static int operations(int n_joint, int kind) {
  Model *m = chain_build(n_joint, kind);
  Trace t;
  trace_open(&t, m);
  Expr *a = arena_array(t.tr.arena, (size_t)n_joint, sizeof *a);
  TEST_ASSERT_NOT_NULL(a);
  TEST_ASSERT_TRUE(aba_build(t.g, m, &t.tr.tree, t.tr.body, t.tr.v, t.tr.tau, a));
  int cost = expr_cost(t.g, n_joint, a);
  trace_close(&t);
  model_free(m);
  return cost;
}

static void test_twice_the_joints_take_twice_the_operations(void) {
  for (int kind = 0; kind < CHAIN_KINDS; kind++) {
    int half = operations(200, kind), whole = operations(400, kind);
    char text[80];
    snprintf(text, sizeof text, "kind %d: %d operations for 200 joints, %d for 400", kind, half,
             whole);
    printf("%s, ratio %.4f\n", text, (double)whole / half);
    TEST_ASSERT_GREATER_THAN_INT(200, half);
    TEST_ASSERT_TRUE_MESSAGE(whole <= 2.1 * half, text);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_accelerations_need_the_forces_that_made_them_on_every_robot);
  RUN_TEST(test_accelerations_need_the_forces_that_made_them_on_random_trees);
  RUN_TEST(test_twice_the_joints_take_twice_the_operations);
  return UNITY_END();
}
