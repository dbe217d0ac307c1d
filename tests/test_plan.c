// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

static Ocp *ocp;
static PlanResult *result;
static Error err;

void setUp(void) {
  ocp = NULL;
  result = NULL;
}
void tearDown(void) {
  plan_result_free(result);
  ocp_free(ocp);
}

static void load(const char *path) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_load(&ocp, path, &err), err.what);
}

static const PlanResult *run(void) {
  plan_result_free(result);
  result = NULL;
  const PlanOptions opt = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, plan_run(&result, ocp, &opt, &err), err.what);
  return result;
}

static void test_the_smooth_reach_has_the_known_optimum_in_both_layouts(void) {
  load("tasks/reach_smooth.json");
  for (int layout = 0; layout < 2; layout++) {
    ocp->layout = layout ? OCP_PAPER : OCP_CONDENSED;
    const PlanResult *r = run();
    TEST_ASSERT_TRUE(r->solved);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * 17923.2646, 17923.2646, r->objective);
    TEST_ASSERT_TRUE(r->has_verification);
    TEST_ASSERT_TRUE_MESSAGE(r->verification.verified, r->verification.failure);
    TEST_ASSERT_TRUE(r->verification.q_defect.value < 1e-6);
    TEST_ASSERT_TRUE(r->verification.open_loop.position < 1e-3);
    if (!layout) TEST_ASSERT_LESS_OR_EQUAL_INT(60, r->iterations);
  }
}

static void test_every_formulation_finds_the_smooth_optimum(void) {
  load("tasks/reach_smooth.json");
  for (int f = 1; dyn_forms[f]; f++) {
    ocp->form = dyn_forms[f];
    const PlanResult *r = run();
    TEST_ASSERT_TRUE_MESSAGE(r->solved, ocp->form->name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6 * 17923.2646, 17923.2646, r->objective, ocp->form->name);
  }
}

static void test_the_cold_reach_solves_in_few_iterations(void) {
  load("tasks/reach.json");
  ocp->strategy.kind = OCP_COLD;
  const PlanResult *r = run();
  TEST_ASSERT_TRUE(r->solved);
  TEST_ASSERT_LESS_OR_EQUAL_INT(60, r->iterations);
  TEST_ASSERT_TRUE(r->verification.open_loop.position < 1e-3);
}

// Kelly's figures for trapezoidal collocation with linear controls, and the limit of refinement
static void test_the_cart_pole_swing_up_converges_to_the_published_cost(void) {
  static const struct {
    int n;
    double cost;
  } kelly[] = {{25, 60.036}, {50, 59.148}, {100, 58.897}};
  load("tasks/cartpole_swingup.json");
  ocp->scheme = OCP_TRAPEZOIDAL;
  ocp->degree = 2;
  for (int i = 0; i < 3; i++) {
    ocp->n_interval = kelly[i].n;
    const PlanResult *r = run();
    TEST_ASSERT_TRUE(r->solved);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, kelly[i].cost, r->objective);
  }
  ocp->scheme = OCP_HERMITE_SIMPSON;
  ocp->degree = 3;
  ocp->n_interval = 50;
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 58.81, run()->objective);
  ocp->scheme = OCP_RADAU;
  ocp->degree = 3;
  ocp->n_interval = 200;
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 58.81, run()->objective);
}

// Costs on three grids, each twice as fine as the one before: how many times smaller the change gets, and
// the limit that follows from it.
static double order_ratio(OcpScheme scheme, int degree, double *limit) {
  double cost[3];
  ocp->scheme = scheme;
  ocp->degree = degree;
  for (int i = 0; i < 3; i++) {
    ocp->n_interval = 40 << i;
    TEST_ASSERT_TRUE(run()->solved);
    cost[i] = result->objective;
  }
  double ratio = (cost[1] - cost[0]) / (cost[2] - cost[1]);
  *limit = cost[2] + (cost[2] - cost[1]) / (ratio - 1.0);
  return ratio;
}

static void test_each_scheme_approaches_the_cart_pole_optimum_at_its_order(void) {
  double limit;
  load("tasks/cartpole_swingup.json");
  // second order: linear forces, and constant ones whatever the degree; fourth: Hermite-Simpson
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 4.0, order_ratio(OCP_TRAPEZOIDAL, 2, &limit));
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, 58.81, limit);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, 4.0, order_ratio(OCP_RADAU, 3, &limit));
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, 58.81, limit);
  TEST_ASSERT_TRUE(order_ratio(OCP_HERMITE_SIMPSON, 3, &limit) > 12.0);
  TEST_ASSERT_DOUBLE_WITHIN(5e-3, 58.81, limit);
}

static void test_an_unreachable_goal_is_explained(void) {
  load("tasks/reach_smooth.json");
  ocp->goal.position[0] = 5.0;
  ocp->n_option = 0;
  const PlanResult *r = run();
  TEST_ASSERT_FALSE(r->solved);
  TEST_ASSERT_TRUE(strlen(r->explanation) > 20);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r->explanation, "goal"), r->explanation);
}

static void test_the_result_file_can_be_read_back_as_a_guess(void) {
  load("tasks/cartpole_swingup.json");
  run();
  TextBuf b = {0};
  plan_result_write_json(result, &b);
  TEST_ASSERT_FALSE(b.failed);
  struct cJSON *doc = json_parse(b.text, b.len, "result", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  JsonAt root = json_root(doc, "result"), at = json_find(&root, "trajectory");
  Trajectory *t = NULL;
  Status status = trajectory_read_json(&t, &at, ocp->model, &err);
  json_free(doc);
  textbuf_free(&b);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  double worst = 0.0;
  for (int i = 0; i < 2 * 101; i++) worst = fmax(worst, fabs(t->q[i] - result->trajectory->q[i]));
  trajectory_free(t);
  TEST_ASSERT_EQUAL_DOUBLE(0.0, worst);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_smooth_reach_has_the_known_optimum_in_both_layouts);
  RUN_TEST(test_every_formulation_finds_the_smooth_optimum);
  RUN_TEST(test_the_cold_reach_solves_in_few_iterations);
  RUN_TEST(test_the_cart_pole_swing_up_converges_to_the_published_cost);
  RUN_TEST(test_each_scheme_approaches_the_cart_pole_optimum_at_its_order);
  RUN_TEST(test_an_unreachable_goal_is_explained);
  RUN_TEST(test_the_result_file_can_be_read_back_as_a_guess);
  return UNITY_END();
}
