// SPDX-License-Identifier: MIT
// Tasks that can't be solved: which limits would have to give, by how much and when.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
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
  ocp->n_interval = 20;
  ocp->degree = 3;
}

static const char *explain(void) {
  static const SolveOption few = {"max_iter", "150", NULL};
  const PlanOptions opt = {.option = &few, .n_option = 1};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, plan_run(&result, ocp, &opt, &err), err.what);
  TEST_ASSERT_FALSE(result->solved);
  return result->explanation;
}

// the number behind `before` in the explanation
static double amount(const char *before) {
  const char *at = strstr(result->explanation, before);
  TEST_ASSERT_NOT_NULL_MESSAGE(at, result->explanation);
  return strtod(at + strlen(before), NULL);
}

static void test_a_goal_beyond_a_joint_limit_tells_both_ways_out(void) {
  load("tasks/cartpole_swingup.json");
  ocp->goal.joint_value[0] = 2.5;  // the cart may go to 2 m
  explain();
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.5, amount("goal of joint cart missed by "));
  TEST_ASSERT_NOT_NULL_MESSAGE(
      strstr(result->explanation, "position of cart at its upper limit of 2 m"),
      result->explanation);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result->explanation, "; 0.5 m more would do"),
                               result->explanation);
}

static void test_a_speed_limit_that_is_too_low_tells_how_much_more(void) {
  load("tasks/cartpole_swingup.json");
  ocp->limits.v_upper[0] = 0.3;  // 1 m in 2 s needs 0.5 m/s at least
  explain();
  double more = amount("velocity of cart at its upper limit of 0.3 m/s from ");
  TEST_ASSERT_TRUE(more >= 0.0 && more < 2.0);
  const char *at = strstr(result->explanation, "velocity of cart at its upper limit");
  at = strchr(at, ';');
  TEST_ASSERT_NOT_NULL_MESSAGE(at, result->explanation);
  TEST_ASSERT_TRUE_MESSAGE(strtod(at + 1, NULL) > 0.2, result->explanation);
}

static void test_a_weak_actuator_tells_how_much_force_is_missing(void) {
  load("tasks/cartpole_swingup.json");
  ocp->limits.u_lower[0] = -0.5;
  ocp->limits.u_upper[0] = 0.5;
  explain();
  TEST_ASSERT_NOT_NULL_MESSAGE(
      strstr(result->explanation, "force of cart at its upper limit of 0.5 N"),
      result->explanation);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result->explanation, " N more would do"),
                               result->explanation);
}

static void test_a_slow_actuator_tells_how_much_faster(void) {
  load("tasks/cartpole_swingup.json");
  ocp->limits.u_rate[0] = 0.5;
  ocp->layout = OCP_PAPER;
  explain();
  TEST_ASSERT_NOT_NULL_MESSAGE(
      strstr(result->explanation, "force rate of cart at its upper limit of 0.5 N/s"),
      result->explanation);
}

static void test_a_horizon_that_is_too_short_tells_how_long(void) {
  load("tasks/cartpole_min_time.json");
  ocp->T_lower = 0.1;
  ocp->T_upper = 0.3;
  ocp->T = 0.2;
  explain();
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result->explanation, "  horizon: "), result->explanation);
  TEST_ASSERT_TRUE_MESSAGE(amount("  horizon: ") > 0.1, result->explanation);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_goal_beyond_a_joint_limit_tells_both_ways_out);
  RUN_TEST(test_a_speed_limit_that_is_too_low_tells_how_much_more);
  RUN_TEST(test_a_weak_actuator_tells_how_much_force_is_missing);
  RUN_TEST(test_a_slow_actuator_tells_how_much_faster);
  RUN_TEST(test_a_horizon_that_is_too_short_tells_how_long);
  return UNITY_END();
}
