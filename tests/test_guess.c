// SPDX-License-Identifier: MIT
// First guesses of every kind.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ocp/robot_eval.h"
#include "ocp/trajectory.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

#define ARM "'robot':'configs/robots/arm_pendulum.json','horizon':2,'start':{'pose':'start'}"
#define LEFT "'goal':{'frame':'tip','position':[0.44547727214752497,0.44547727214752497,0]}"
#define CART "'robot':'configs/robots/cartpole.json','start':{}"

static Ocp *parse(const char *text) {
  char copy[2000];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  Error err = {0};
  Ocp *o = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_parse(&o, copy, "t.json", "", &err), err.what);
  return o;
}

static Trajectory *guess(const Ocp *o) {
  Error err = {0};
  Trajectory *t = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, guess_build(&t, o, &err), err.what);
  return t;
}

// every position of a trajectory within the limits, the first the start
static void check_positions(const Ocp *o, const Trajectory *t) {
  int nv = t->nv, points = t->n_interval * t->n_point;
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, o->q_start, t->q, nv);
  for (int k = 0; k < nv * (t->n_interval + 1); k++) {
    TEST_ASSERT_TRUE(t->q[k] >= o->limits.q_lower[k % nv] - 1e-12);
    TEST_ASSERT_TRUE(t->q[k] <= o->limits.q_upper[k % nv] + 1e-12);
  }
  for (int k = 0; k < nv * points; k++) {
    TEST_ASSERT_TRUE(t->pq[k] >= o->limits.q_lower[k % nv] - 1e-12);
    TEST_ASSERT_TRUE(t->pq[k] <= o->limits.q_upper[k % nv] + 1e-12);
  }
}

static void test_holding_torques_of_the_arm_are_those_of_the_benchmark(void) {
  const double held[4] = {0, 19.0069, 7.31662, 1.4715};
  Ocp *o = parse("{" ARM "," LEFT "}");
  Trajectory *t = guess(o);
  check_positions(o, t);
  for (int c = 0; c < t->n_control; c++) {
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN(5e-5, held, t->u + 4 * c, 4);
  }
  for (int k = 0; k <= t->n_interval; k++) {
    for (int i = 0; i < 6; i++) {
      TEST_ASSERT_TRUE(t->q[i + 6 * k] == o->q_start[i] && t->v[i + 6 * k] == 0);
    }
  }
  for (int k = 0; k < 6 * t->n_interval * t->n_point; k++) {
    TEST_ASSERT_TRUE(t->pq[k] == o->q_start[k % 6] && t->pv[k] == 0 && t->pa[k] == 0);
  }
  trajectory_free(t);
  ocp_free(o);
}

static void test_zero_has_the_posture_and_no_torques(void) {
  Ocp *o = parse("{" ARM "," LEFT ",'guess':'zero','scheme':'hermite-simpson'}");
  Trajectory *t = guess(o);
  check_positions(o, t);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, o->q_start, t->pq + 6 * 299, 6);
  for (int c = 0; c < 4 * t->n_control; c++) TEST_ASSERT_TRUE(t->u[c] == 0);
  trajectory_free(t);
  ocp_free(o);
}

static void test_torques_stay_within_their_limits(void) {
  static const char *const kinds[] = {"hold", "line", "random"};
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "{" ARM "," LEFT ",'guess':'%s','limits':{'torque':{'q2':[0,15],'q3':5}}}", kinds[i]);
    Ocp *o = parse(text);
    Trajectory *t = guess(o);
    for (int c = 0; c < t->n_control; c++) {
      TEST_ASSERT_TRUE_MESSAGE(t->u[1 + 4 * c] <= 15 && t->u[2 + 4 * c] <= 5, kinds[i]);
    }
    trajectory_free(t);
    ocp_free(o);
  }
}

static void test_a_line_ends_at_the_goal_at_rest(void) {
  Ocp *o = parse("{" ARM "," LEFT ",'guess':'line'}");
  Trajectory *t = guess(o);
  check_positions(o, t);
  Error err = {0};
  RobotEval *e = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, robot_eval_build(&e, o->model, &err));
  double position[60];
  TEST_ASSERT_TRUE(robot_eval_frames(e, 1, t->q + 6 * 100, position));
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-9, o->goal.position, position + 3 * o->goal.frame, 3);
  for (int i = 0; i < 6; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, t->v[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, t->v[i + 6 * 100]);
  }
  // torques of an interval are those of its middle
  double q[6], v[6], a[6], tau[6];
  trajectory_state(t, trajectory_control_time(t, 30), q, v, a);
  TEST_ASSERT_TRUE(robot_eval_torque(e, 1, q, v, a, tau));
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-5, tau, t->u + 4 * 30, 4);
  robot_eval_free(e);
  trajectory_free(t);
  ocp_free(o);
}

static void test_a_line_takes_joint_goals_and_the_start_velocity(void) {
  Ocp *o = parse("{'robot':'configs/robots/cartpole.json','horizon':{'min':1,'max':3},"
                 "'start':{'v':{'cart':0.5}},'goal':{'pose':'upright'},'guess':'line'}");
  Trajectory *t = guess(o);
  check_positions(o, t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2, t->time[100]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, t->q[200]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, M_PI, t->q[201]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, t->v[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, t->v[200]);
  trajectory_free(t);
  ocp_free(o);
}

// velocities and accelerations of motions are the derivatives of their positions
static void test_points_and_nodes_of_a_motion_belong_together(void) {
  static const char *const kinds[] = {"line", "random"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text, "{" ARM "," LEFT ",'guess':'%s','degree':9,'intervals':20}",
             kinds[i]);
    Ocp *o = parse(text);
    Trajectory *t = guess(o);
    for (int k = 0; k < 20; k++) {
      double q[6], v[6], just_before = t->time[k + 1] - 1e-9;
      trajectory_state(t, just_before, q, v, NULL);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-7, t->q + 6 * (k + 1), q, 6);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-6, t->v + 6 * (k + 1), v, 6);
    }
    trajectory_free(t);
    ocp_free(o);
  }
}

static void test_random_guesses_differ_by_seed_and_repeat(void) {
  static const char format[] = "{" ARM "," LEFT
                               ",'guess':{'kind':'random','seed':%d,'amplitude':0.2}}";
  Trajectory *t[3];
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, format, i == 2 ? 1 : i);
    Ocp *o = parse(text);
    t[i] = guess(o);
    check_positions(o, t[i]);
    double most = 0;
    for (int k = 0; k < 6 * 101; k++) most = fmax(most, fabs(t[i]->q[k] - o->q_start[k % 6]));
    TEST_ASSERT_TRUE(most > 0.1 && most <= 0.2 + 1e-12);
    ocp_free(o);
  }
  TEST_ASSERT_TRUE(t[0]->q[6 * 50] != t[1]->q[6 * 50]);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, t[1]->q, t[2]->q, 6 * 101);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, t[1]->u, t[2]->u, 4 * 100);
  for (int i = 0; i < 3; i++) trajectory_free(t[i]);
}

static void test_a_joint_at_its_limit_is_shaken_inwards(void) {
  Ocp *o = parse("{'robot':'configs/robots/arm_pendulum.json','horizon':2,"
                 "'start':{'pose':'start','q':{'q3':0,'q2':0,'q4':0}},'goal':{},"
                 "'guess':{'kind':'random','amplitude':0.3}}");
  Trajectory *t = guess(o);
  check_positions(o, t);
  trajectory_free(t);
  ocp_free(o);
}

// ---- a previous result -------------------------------------------------------------------------

static char result_path[64];

static void save_result(const Ocp *o, const Trajectory *t) {
  TextBuf b = {0};
  Error err = {0};
  textbuf_add(&b, "{\"trajectory\": ");
  trajectory_write_json(t, o->model, &b);
  textbuf_add(&b, "}");
  snprintf(result_path, sizeof result_path, "/tmp/poise_guess_XXXXXX");
  int fd = mkstemp(result_path);
  TEST_ASSERT_TRUE(fd >= 0);
  close(fd);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, textbuf_save(&b, result_path, &err), err.what);
  textbuf_free(&b);
}

// a line guess of the cart-pole, 30 intervals of Radau 4 over 2 s, saved
static Trajectory *save_line(void) {
  Ocp *o = parse("{" CART ",'horizon':2,'intervals':30,'goal':{'pose':'upright'},'guess':'line'}");
  Trajectory *t = guess(o);
  save_result(o, t);
  ocp_free(o);
  return t;
}

static Ocp *parse_file_task(const char *rest) {
  char text[600];
  snprintf(text, sizeof text, "{" CART ",'goal':{},'guess':{'file':'%s'},%s}", result_path, rest);
  return parse(text);
}

static void test_a_result_on_the_same_grid_comes_back_bit_by_bit(void) {
  Trajectory *from = save_line();
  Ocp *o = parse_file_task("'horizon':2,'intervals':30");
  Trajectory *t = guess(o);
  unlink(result_path);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, from->q, t->q, 2 * 31);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, from->v, t->v, 2 * 31);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, from->u, t->u, 30);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, from->pa, t->pa, 2 * 120);
  trajectory_free(t);
  trajectory_free(from);
  ocp_free(o);
}

static void test_a_result_is_resampled_to_another_grid_and_time(void) {
  Trajectory *from = save_line();
  static const struct {
    const char *rest;
    double T;
  } task[] = {
      {"'horizon':2,'intervals':50,'scheme':'gauss-3'", 2},
      {"'horizon':2,'intervals':40,'scheme':'trapezoidal'", 2},
      {"'horizon':1,'intervals':20,'scheme':'hermite-simpson'", 1},
      {"'horizon':{'min':1,'max':3},'intervals':25", 2},
      {"'horizon':{'min':3,'max':5},'intervals':25", 3},
  };
  for (size_t i = 0; i < sizeof task / sizeof task[0]; i++) {
    Ocp *o = parse_file_task(task[i].rest);
    Trajectory *t = guess(o);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-14, task[i].T, t->time[t->n_interval], task[i].rest);
    double pace = 2 / task[i].T;
    for (int k = 0; k <= t->n_interval; k++) {
      double q[2], v[2];
      trajectory_state(from, t->time[k] * pace, q, v, NULL);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(1e-12, q, t->q + 2 * k, 2, task[i].rest);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, v[1] * pace, t->v[2 * k + 1], task[i].rest);
    }
    double u[1];
    trajectory_control(from, trajectory_control_time(t, 11) * pace, u);
    TEST_ASSERT_TRUE_MESSAGE(t->u[11] == u[0], task[i].rest);
    trajectory_free(t);
    ocp_free(o);
  }
  unlink(result_path);
  trajectory_free(from);
}

static void test_a_result_of_another_robot_is_refused(void) {
  trajectory_free(save_line());
  char text[600];
  snprintf(text, sizeof text,
           "{\"robot\":\"configs/robots/acrobot.json\",\"horizon\":2,\"start\":{},\"goal\":{},"
           "\"guess\":{\"file\":\"%s\"}}",
           result_path);
  Error err = {0};
  Ocp *o = NULL;
  Status status = ocp_parse(&o, text, "t.json", "", &err);
  unlink(result_path);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, status);
  TEST_ASSERT_NULL(o);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, ": trajectory.joints[0]"), err.where);
  TEST_ASSERT_NOT_NULL_MESSAGE(
      strstr(err.what, "joint \"cart\", where acrobot has \"shoulder\": a trajectory of another"),
      err.what);
}

// the file may go between reading the task and building the guess
static void test_a_result_that_has_gone_is_an_error(void) {
  trajectory_free(save_line());
  Ocp *o = parse_file_task("'horizon':2");
  unlink(result_path);
  Error err = {0};
  Trajectory *t = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, guess_build(&t, o, &err));
  TEST_ASSERT_NULL(t);
  TEST_ASSERT_EQUAL_STRING("no such file", err.what);
  ocp_free(o);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_holding_torques_of_the_arm_are_those_of_the_benchmark);
  RUN_TEST(test_zero_has_the_posture_and_no_torques);
  RUN_TEST(test_torques_stay_within_their_limits);
  RUN_TEST(test_a_line_ends_at_the_goal_at_rest);
  RUN_TEST(test_a_line_takes_joint_goals_and_the_start_velocity);
  RUN_TEST(test_points_and_nodes_of_a_motion_belong_together);
  RUN_TEST(test_random_guesses_differ_by_seed_and_repeat);
  RUN_TEST(test_a_joint_at_its_limit_is_shaken_inwards);
  RUN_TEST(test_a_result_on_the_same_grid_comes_back_bit_by_bit);
  RUN_TEST(test_a_result_is_resampled_to_another_grid_and_time);
  RUN_TEST(test_a_result_of_another_robot_is_refused);
  RUN_TEST(test_a_result_that_has_gone_is_an_error);
  return UNITY_END();
}
