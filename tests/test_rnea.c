// SPDX-License-Identifier: MIT
// Inverse dynamics against the plain sums of dyn_plain.h, against outside software, and its growth.
#include "dynamics/rnea.h"

#include <math.h>
#include <stdio.h>

#include "base/json_at.h"
#include "dyn_plain.h"
#include "dyn_support.h"
#include "expr/expr_ad.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { N_STATES = 200 };

// worst relative error of IMPL's map (rnea, damping) at random states
static double worst_error(const Model *m, uint64_t seed, int n_state) {
  static State s[N_STATES];
  static double tau[N_STATES * MAX_NV];
  Trace t;
  Expr out[MAX_NV];
  trace_open(&t, m);
  TEST_ASSERT_TRUE(dyn_implicit.map(&t.tr, t.tr.a, out));
  Numbers f = numbers_open(t.g, m->nv, out);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < n_state; k++) state_random(&s[k], m, &rng);
  numbers_eval(&f, n_state, s, tau);
  double worst = 0;
  for (int k = 0; k < n_state; k++) {
    double expected[MAX_NV];
    plain_inverse(m, s[k].q, s[k].v, s[k].a, expected);
    worst = fmax(worst, error_relative(m->nv, expected, tau + k * m->nv));
  }
  numbers_close(&f);
  trace_close(&t);
  return worst;
}

static void test_forces_equal_plain_newton_euler_on_every_robot(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double e = worst_error(robot[i], 11, N_STATES);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-9, e, robot[i]->name);
    worst = fmax(worst, e);
  }
  robots_free(n, robot);
  printf("robots: worst relative error %.2g\n", worst);
}

static void test_forces_equal_plain_newton_euler_on_random_trees(void) {
  double worst = 0;
  for (int n = 1; n <= 40; n++) {
    for (uint64_t seed = 0; seed < 4; seed++) {
      Model *m = tree_random(n, seed + 10 * (uint64_t)n);
      double e = worst_error(m, seed, 8);
      char text[80];
      snprintf(text, sizeof text, "%d joints, seed %d", n, (int)seed + 10 * n);
      TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-12, e, text);  // 1e-9 is asked; rounding stays linear
      worst = fmax(worst, e);
      model_free(m);
    }
  }
  printf("random trees: worst relative error %.2g\n", worst);
}

static void test_chains_of_parallel_axes_equal_plain_newton_euler(void) {
  for (int kind = 0; kind < CHAIN_KINDS; kind++) {
    Model *m = chain_build(24, kind);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, worst_error(m, 5, 20));
    model_free(m);
  }
}

static void test_the_arm_needs_the_torques_of_the_outside_engine(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  const char *path = "tests/data/arm_inverse_dynamics.json";
  struct cJSON *doc = json_load(path, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  Trace t;
  Expr out[MAX_NV];
  trace_open(&t, m);
  TEST_ASSERT_TRUE(dyn_implicit.map(&t.tr, t.tr.a, out));
  Numbers f = numbers_open(t.g, m->nv, out);
  JsonAt root = json_root(doc, path);
  int count = 0;
  double worst = 0;
  for (JsonAt e = json_first(&root); e.node; json_next(&e), count++) {
    State s = {.q = {0}};
    double expected[6], tau[6];
    JsonAt q = json_find(&e, "q"), v = json_find(&e, "v"), a = json_find(&e, "a");
    JsonAt forces = json_find(&e, "tau");
    TEST_ASSERT_TRUE(json_numbers(&q, 6, s.q, &err) && json_numbers(&v, 6, s.v, &err));
    TEST_ASSERT_TRUE(json_numbers(&a, 6, s.a, &err) && json_numbers(&forces, 6, expected, &err));
    numbers_eval(&f, 1, &s, tau);
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-9, expected, tau, 6);
    for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(tau[i] - expected[i]));
  }
  TEST_ASSERT_EQUAL_INT(20, count);
  printf("reference: worst torque error %.2g N m\n", worst);

  // holding torques at the start pose of the benchmark: 0.6 cos a + 0.1 = 0.65
  State start = {.q = {0}};
  double angle = acos(0.55 / 0.6), tau[6];
  start.q[1] = start.q[3] = angle;
  start.q[2] = -2 * angle;
  numbers_eval(&f, 1, &start, tau);
  const double holding[6] = {0, 19.0069, 7.31662, 1.4715, 0, 0};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(5e-5, holding, tau, 6);
  json_free(doc);
  numbers_close(&f);
  trace_close(&t);
  model_free(m);
}

static int operations(int n_joint, int kind) {
  Model *m = chain_build(n_joint, kind);
  Trace t;
  trace_open(&t, m);
  Expr *tau = arena_array(t.tr.arena, (size_t)n_joint, sizeof *tau);
  TEST_ASSERT_NOT_NULL(tau);
  TEST_ASSERT_TRUE(rnea_build(t.g, m, &t.tr.tree, t.tr.body, t.tr.v, t.tr.a, tau));
  int cost = expr_cost(t.g, n_joint, tau);
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

static void test_no_acceleration_means_the_bias(void) {
  Model *m = tree_random(12, 1);
  Trace t;
  trace_open(&t, m);
  Expr out[2 * MAX_NV];
  TEST_ASSERT_TRUE(rnea_build(t.g, m, &t.tr.tree, t.tr.body, t.tr.v, t.tr.a, out));
  TEST_ASSERT_TRUE(rnea_build(t.g, m, &t.tr.tree, t.tr.body, t.tr.v, NULL, out + m->nv));
  Numbers f = numbers_open(t.g, 2 * m->nv, out);
  Rng rng;
  rng_seed(&rng, 3);
  State s;
  state_random(&s, m, &rng);
  for (int i = 0; i < m->nv; i++) s.a[i] = 0;
  double y[2 * MAX_NV];
  numbers_eval(&f, 1, &s, y);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-13, error_relative(m->nv, y, y + m->nv));
  numbers_close(&f);
  trace_close(&t);
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_forces_equal_plain_newton_euler_on_every_robot);
  RUN_TEST(test_forces_equal_plain_newton_euler_on_random_trees);
  RUN_TEST(test_chains_of_parallel_axes_equal_plain_newton_euler);
  RUN_TEST(test_the_arm_needs_the_torques_of_the_outside_engine);
  RUN_TEST(test_twice_the_joints_take_twice_the_operations);
  RUN_TEST(test_no_acceleration_means_the_bias);
  return UNITY_END();
}
