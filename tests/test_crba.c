// SPDX-License-Identifier: MIT
// The mass matrix: symmetric, positive definite, the derivative of the inverse dynamics, with the
// pattern of the tree; and its factors, without fill.
#include "dynamics/crba.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_plain.h"
#include "dyn_support.h"
#include "dynamics/rnea.h"
#include "expr/expr_ad.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { N_STATES = 24 };

static bool is_ancestor(const Model *m, int j, int i) {
  while (i > j) i = m->joint[i].parent;
  return i == j;
}

// M by CRBA (lower triangle), dPhi/da dense behind it
static void mass_and_derivative(Trace *t, Expr *out) {
  const Model *m = t->tr.m;
  int n = m->nv;
  TEST_ASSERT_TRUE(crba_build(t->g, m, &t->tr.tree, t->tr.body, out));
  Expr phi[MAX_NV];
  TEST_ASSERT_TRUE(rnea_build(t->g, m, &t->tr.tree, t->tr.body, t->tr.v, t->tr.a, phi));
  ExprMatrix jac;
  TEST_ASSERT_TRUE(expr_jacobian(t->g, t->tr.arena, n, phi, n, t->tr.a, &jac));
  Expr *dense = out + n * n;
  for (int e = 0; e < n * n; e++) dense[e] = EXPR_ZERO;
  for (int j = 0; j < n; j++) {
    for (int e = jac.colptr[j]; e < jac.colptr[j + 1]; e++) dense[jac.row[e] + n * j] = jac.e[e];
  }
}

static void check_numbers(const Model *m, const double *mass, const double *derivative) {
  static double full[MAX_NV * MAX_NV], factor[MAX_NV * MAX_NV];
  int n = m->nv;
  memcpy(full, mass, (size_t)(n * n) * sizeof *full);
  mass_fill(n, full);
  memcpy(factor, full, sizeof full);
  TEST_ASSERT_TRUE_MESSAGE(cholesky(n, factor), "not positive definite");
  double scale = max_abs(n * n, full);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-12 * scale, full[i + n * j], derivative[i + n * j]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12 * scale, derivative[j + n * i], derivative[i + n * j]);
    }
  }
}

static void check_pattern(const Model *m, const Expr *mass) {
  int n = m->nv;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      if (i < j || !is_ancestor(m, j, i)) TEST_ASSERT_EQUAL_INT(EXPR_ZERO, mass[i + n * j]);
    }
    TEST_ASSERT_NOT_EQUAL_INT(EXPR_ZERO, mass[j + n * j]);
  }
}

static void check_mass(const Model *m, uint64_t seed) {
  static Expr out[2 * MAX_NV * MAX_NV];
  static double y[2 * MAX_NV * MAX_NV];
  Trace t;
  trace_open(&t, m);
  memset(out, 0, sizeof out);
  mass_and_derivative(&t, out);
  check_pattern(m, out);
  int n = m->nv;
  Numbers f = numbers_open(t.g, 2 * n * n, out);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < N_STATES; k++) {
    State s;
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    check_numbers(m, y, y + n * n);
  }
  numbers_close(&f);
  trace_close(&t);
}

static void test_mass_is_the_derivative_of_the_inverse_dynamics_on_every_robot(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) check_mass(robot[i], 1);
  robots_free(n, robot);
}

static void test_mass_is_the_derivative_of_the_inverse_dynamics_on_random_trees(void) {
  for (int n = 1; n <= 40; n += 3) {
    Model *m = tree_random(n, (uint64_t)n + 100);
    check_mass(m, 2);
    model_free(m);
  }
}

// M x = b: pattern of the factors, and the solution against M itself
static void check_factor(const Model *m, bool same_pattern) {
  static Expr out[MAX_NV * MAX_NV + MAX_NV], factor[MAX_NV * MAX_NV];
  static double y[MAX_NV * MAX_NV + MAX_NV];
  int n = m->nv;
  Trace t;
  Expr d_inv[MAX_NV];
  trace_open(&t, m);
  memset(out, 0, sizeof out);
  TEST_ASSERT_TRUE(crba_build(t.g, m, &t.tr.tree, t.tr.body, out));
  memcpy(factor, out, sizeof factor);
  crba_factor(t.g, m, &t.tr.tree, factor, d_inv);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      bool in_mass = out[i + n * j] != EXPR_ZERO, in_factor = factor[i + n * j] != EXPR_ZERO;
      if (i < j || !is_ancestor(m, j, i)) TEST_ASSERT_FALSE_MESSAGE(in_factor, "fill");
      if (i > j && same_pattern) TEST_ASSERT_EQUAL_INT_MESSAGE(in_mass, in_factor, m->name);
    }
  }
  Expr *x = out + n * n;
  for (int i = 0; i < n; i++) x[i] = t.tr.tau[i];
  crba_solve(t.g, &t.tr.tree, factor, d_inv, x);
  Numbers f = numbers_open(t.g, n * n + n, out);
  Rng rng;
  rng_seed(&rng, 9);
  for (int k = 0; k < N_STATES; k++) {
    State s;
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    mass_fill(n, y);
    double scale = max_abs(n * n, y) * max_abs(n, y + n * n) + 10;
    for (int i = 0; i < n; i++) {
      double sum = -s.tau[i];
      for (int j = 0; j < n; j++) sum += y[i + n * j] * y[n * n + j];
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * scale, 0, sum);
    }
  }
  numbers_close(&f);
  trace_close(&t);
}

static void test_factors_have_the_pattern_of_the_mass_matrix(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    // a free body's own matrix has zeros (x, y, z do not couple) that elimination fills above it
    check_factor(robot[i], strcmp(robot[i]->name, "floating_base") != 0);
  }
  robots_free(n, robot);
  for (int k = 1; k <= 40; k += 3) {
    // chains of prismatic joints have constant entries only, all different from zero here
    Model *m = tree_random(k, (uint64_t)k + 200);
    check_factor(m, true);
    model_free(m);
  }
}

static void test_the_arm_has_no_coupling_between_the_pendulum_joints(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  Trace t;
  trace_open(&t, m);
  Expr mass[36] = {0};
  TEST_ASSERT_TRUE(crba_build(t.g, m, &t.tr.tree, t.tr.body, mass));
  TEST_ASSERT_EQUAL_INT(EXPR_ZERO, mass[5 + 6 * 4]);
  int nonzeros = 0;
  for (int e = 0; e < 36; e++) nonzeros += mass[e] != EXPR_ZERO;
  TEST_ASSERT_EQUAL_INT(20, nonzeros);
  trace_close(&t);
  model_free(m);
}

static void test_armature_stands_on_the_diagonal(void) {
  const char *text =
      "{'bodies':[{'name':'base'},{'name':'a','mass':2,'com':[0,0,-0.5]}],"
      "'joints':[{'name':'j','type':'revolute','parent':'base','child':'a','axis':[0,1,0],"
      "'armature':0.25}]}";
  Model *m = robot_parse(text);
  Trace t;
  trace_open(&t, m);
  Expr mass;
  double value;
  TEST_ASSERT_TRUE(crba_build(t.g, m, &t.tr.tree, t.tr.body, &mass));
  TEST_ASSERT_TRUE(expr_is_const(t.g, mass, &value));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2 * 0.25 + 0.25, value);
  trace_close(&t);
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_mass_is_the_derivative_of_the_inverse_dynamics_on_every_robot);
  RUN_TEST(test_mass_is_the_derivative_of_the_inverse_dynamics_on_random_trees);
  RUN_TEST(test_factors_have_the_pattern_of_the_mass_matrix);
  RUN_TEST(test_the_arm_has_no_coupling_between_the_pendulum_joints);
  RUN_TEST(test_armature_stands_on_the_diagonal);
  return UNITY_END();
}
