// SPDX-License-Identifier: MIT
// Postures that meet the goal.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ocp/posture.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// solves for the goal of a task for the arm; q: 6
static PostureInfo solve(const char *goal, double *q) {
  char text[600];
  snprintf(text, sizeof text,
           "{'robot':'configs/robots/arm_pendulum.json','horizon':2,'start':{'pose':'start'},"
           "'goal':%s}",
           goal);
  for (char *c = text; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  Error err = {0};
  Ocp *o = NULL;
  RobotEval *e = NULL;
  PostureInfo info;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_parse(&o, text, "t.json", ".", &err), err.what);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, robot_eval_build(&e, o->model, &err));
  memcpy(q, o->q_start, 6 * sizeof *q);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, posture_goal(o, e, q, &info, &err));
  for (int i = 0; i < 6; i++) {
    TEST_ASSERT_TRUE(q[i] >= o->limits.q_lower[i] && q[i] <= o->limits.q_upper[i]);
  }
  robot_eval_free(e);
  ocp_free(o);
  return info;
}

static void test_every_target_of_the_benchmark_is_reached_in_balance(void) {
  for (int i = 0; i <= 20; i += 2) {
    for (int k = 0; k <= 10; k += 2) {
      double phi = M_PI * (i - 10) / 20, z = 0.02 * (k - 5), q[6];
      char goal[200];
      snprintf(goal, sizeof goal, "{'frame':'tip','position':[%.17g,%.17g,%g]}", 0.63 * cos(phi),
               0.63 * sin(phi), z);
      PostureInfo info = solve(goal, q);
      TEST_ASSERT_TRUE_MESSAGE(info.distance < 1e-9 && info.passive < 1e-7, goal);
      // the pendulum stands upright
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, 0, q[1] + q[2] + q[3] + q[4], goal);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, 0, q[5], goal);
    }
  }
}

static void test_free_components_and_fixed_joints_are_respected(void) {
  double q[6];
  PostureInfo info = solve("{'frame':'tip','position':[null,null,0.1],'q':{'q1':0.5,'q5':0.1}}", q);
  TEST_ASSERT_TRUE(info.distance < 1e-9 && q[0] == 0.5 && q[4] == 0.1);
  // without equilibrium passive joints need no balance
  info = solve("{'q':{'q5':0.3},'equilibrium':false}", q);
  TEST_ASSERT_TRUE(info.distance == 0 && info.passive == 0 && info.iterations == 0 && q[4] == 0.3);
}

static void test_a_goal_out_of_reach_is_measured(void) {
  double q[6];
  PostureInfo info = solve("{'frame':'tip','position':[0.82,0,0]}", q);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.12, info.distance);  // the arm is 0.7 m long
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_target_of_the_benchmark_is_reached_in_balance);
  RUN_TEST(test_free_components_and_fixed_joints_are_respected);
  RUN_TEST(test_a_goal_out_of_reach_is_measured);
  return UNITY_END();
}
