// SPDX-License-Identifier: MIT
// Verification of motions that are exact by construction, of the same with one thing wrong, and of
// optima that outside software found.
#include "sim/sim_verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "dyn_support.h"
#include "unity.h"

enum { MAX_N = 128 };

static Model *model;
static Trajectory *traj;
static SimReport report;
static Error err;

// a problem with nothing asked for: no limits, no goal
static double infinite[MAX_NV], minus_infinite[MAX_NV], zero[MAX_NV];
static double q_lower[MAX_NV], q_upper[MAX_NV], v_limit[MAX_NV], v_lower[MAX_NV];
static double u_upper[MAX_NV], u_lower[MAX_NV], u_rate[MAX_NV], q_start[MAX_NV], v_start[MAX_NV];
static bool none_fixed[MAX_NV];
static Ocp ocp;

void setUp(void) {
  err = (Error){0};
  model = NULL;
  traj = NULL;
  report = (SimReport){0};
}

void tearDown(void) {
  sim_report_free(&report);
  trajectory_free(traj);
  model_free(model);
}

static void open_problem(Model *m) {
  model = m;
  for (int i = 0; i < MAX_NV; i++) {
    infinite[i] = q_upper[i] = v_limit[i] = u_upper[i] = u_rate[i] = INFINITY;
    minus_infinite[i] = q_lower[i] = v_lower[i] = u_lower[i] = -INFINITY;
    zero[i] = q_start[i] = v_start[i] = 0;
  }
  ocp = (Ocp){.model = m, .name = "test", .path = "test", .form = &dyn_implicit, .T = 1};
  ocp.q_start = q_start;
  ocp.v_start = v_start;
  ocp.goal = (OcpGoal){.frame = -1, .joint_fixed = none_fixed, .joint_value = zero};
  ocp.limits = (OcpLimits){q_lower, q_upper, v_lower, v_limit, u_lower, u_upper, u_rate, true};
}

static void verify(const SimOptions *opt) {
  sim_report_free(&report);
  Status status = sim_verify(&report, &ocp, traj, opt, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
}

static void expect_failure(const char *part) {
  TEST_ASSERT_FALSE(report.verified);
  puts(report.failure);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(report.failure, part), report.failure);
}

// ---- two boxes on rails: every motion under polynomial forces is known ----

static const char boxes[] =
    "{'name': 'boxes', 'bodies': [{'name': 'rail'}, {'name': 'lower', 'mass': 2},"
    "  {'name': 'upper', 'mass': 1}],"
    " 'joints': [{'name': 'slide', 'type': 'prismatic', 'parent': 'rail', 'child': 'lower',"
    "   'axis': [1, 0, 0], 'actuated': true, 'limits': {'lower': -50, 'upper': 50, 'effort': 100}},"
    "  {'name': 'fall', 'type': 'prismatic', 'parent': 'lower', 'child': 'upper',"
    "   'axis': [0, 0, 1], 'limits': {'lower': -50, 'upper': 50, 'effort': 100}}],"
    " 'frames': [{'name': 'tip', 'body': 'upper'}]}";

typedef enum Kind { CONSTANT, LINEAR, QUADRATIC } Kind;

// pushed along the rail (3 kg), the upper box falls; a = (u/3, -9.81)
static double push(Kind kind, double t) {
  switch (kind) {
    case CONSTANT: return t < 0.5 ? 3 : -3;
    case LINEAR: return 3 - 6 * t;
    default: return 3 - 18 * t * t;
  }
}

static void box_state(Kind kind, double t, double *q, double *v, double *a) {
  a[0] = push(kind, t) / 3;
  a[1] = -9.81;
  v[1] = a[1] * t;
  q[1] = a[1] * t * t / 2;
  switch (kind) {
    case CONSTANT:
      v[0] = t < 0.5 ? t : 1 - t;
      q[0] = t < 0.5 ? t * t / 2 : 0.25 - (1 - t) * (1 - t) / 2;
      break;
    case LINEAR:
      v[0] = t - t * t;
      q[0] = t * t / 2 - t * t * t / 3;
      break;
    case QUADRATIC:
      v[0] = t - 2 * t * t * t;
      q[0] = t * t / 2 - t * t * t * t / 2;
      break;
  }
}

// 10 intervals on 0 .. 1, with 4 points each: polynomials of this degree are represented exactly
static void build_boxes(Kind kind) {
  enum { N = 10, D = 4 };
  static const double point[D] = {0.1, 0.4, 0.8, 1};
  open_problem(robot_parse(boxes));
  int n_control = kind == CONSTANT ? N : kind == LINEAR ? N + 1 : 2 * N + 1;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_new(&traj, 2, 1, N, D, n_control, &err));
  memcpy(traj->point, point, sizeof point);
  double a[2];
  for (int k = 0; k <= N; k++) {
    traj->time[k] = (double)k / N;
    box_state(kind, traj->time[k], traj->q + 2 * k, traj->v + 2 * k, a);
    for (int j = 0; j < D && k < N; j++) {
      double t = (k + point[j]) / N;
      double *pa = traj->pa + 2 * (k * D + j);
      box_state(kind, t, traj->pq + 2 * (k * D + j), traj->pv + 2 * (k * D + j), pa);
      if (kind == CONSTANT) pa[0] = k < N / 2 ? 1 : -1;  // the jump belongs to the next interval
    }
  }
  for (int c = 0; c < n_control; c++) traj->u[c] = push(kind, trajectory_control_time(traj, c));
}

static double largest(int n, const double *x) {
  double y = 0;
  for (int i = 0; i < n; i++) y = fmax(y, x[i]);
  return y;
}

static void test_exact_motion_is_verified_for_every_kind_of_control(void) {
  for (int kind = CONSTANT; kind <= QUADRATIC; kind++) {
    build_boxes((Kind)kind);
    verify(NULL);
    printf("%s: defect %.2g m, %.2g m/s, error %.2g, open loop %.2g m, energy %.2g, %ld steps\n",
           trajectory_control_kind(traj), report.q_defect.value, report.v_defect.value,
           largest(10, report.error), report.open_loop.position, report.energy.relative,
           report.stats.steps);
    TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
    TEST_ASSERT_EQUAL_STRING("", report.failure);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-11, report.q_defect.value);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, report.v_defect.value);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, largest(10, report.error));
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, report.open_loop.position);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, report.open_loop.v);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, report.energy.relative);
    TEST_ASSERT_TRUE(report.open_loop.completed);
    TEST_ASSERT_EQUAL_DOUBLE(1, report.open_loop.end);
    TEST_ASSERT_EQUAL_DOUBLE(0, report.q_limit.value);
    TEST_ASSERT_TRUE(isinf(report.clearance.value));
    tearDown();
    setUp();
  }
}

static void test_replay_uses_another_formulation_than_the_optimisation(void) {
  build_boxes(CONSTANT);
  verify(NULL);
  TEST_ASSERT_EQUAL_STRING("EXP2", report.form->family);
  ocp.form = &dyn_exp2_dae;
  verify(NULL);
  TEST_ASSERT_EQUAL_STRING("EXP1", report.form->family);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
  SimOptions opt = sim_defaults;
  opt.form = &dyn_semi;
  verify(&opt);
  TEST_ASSERT_EQUAL_STRING("SEMI", report.form->family);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
}

static void test_corrupted_node_is_found_with_interval_and_joint(void) {
  build_boxes(LINEAR);
  traj->q[2 * 7 + 1] += 1e-5;  // end of interval 6
  verify(NULL);
  expect_failure("interval 6 ends 1e-05 m off in joint \"fall\"");
  TEST_ASSERT_EQUAL_INT(6, report.q_defect.interval);
  TEST_ASSERT_EQUAL_INT(1, report.q_defect.index);
  TEST_ASSERT_EQUAL_DOUBLE(traj->time[7], report.q_defect.time);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1e-5, report.defect_q[6]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1e-5, report.defect_q[7]);  // and it starts the next one wrongly
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, report.defect_q[5]);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, report.v_defect.value);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, report.open_loop.q);  // the open loop does not see it
}

static void test_corrupted_control_shows_in_the_speed_and_the_energy(void) {
  build_boxes(CONSTANT);
  traj->u[3] += 3;  // one interval of 0.1 s at 3 kg
  verify(NULL);
  expect_failure("interval 3 ends 0.1 m/s off in the speed of joint \"slide\"");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, report.open_loop.v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1 * 0.1 / 2 + 0.6 * 0.1, report.open_loop.position);
  TEST_ASSERT_EQUAL_INT(model_find_frame(model, "tip"), report.open_loop.frame);
  TEST_ASSERT_NOT_NULL(strstr(report.failure, "energy"));
}

static void test_error_estimate_sees_a_wrong_polynomial_between_right_nodes(void) {
  build_boxes(QUADRATIC);
  traj->pv[2 * (4 * 4 + 1)] += 1e-3;
  verify(NULL);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
  TEST_ASSERT_GREATER_THAN_DOUBLE(1e-6, report.error[4]);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, report.error[3]);
}

static void test_start_and_goal_are_compared_with_the_ends(void) {
  build_boxes(LINEAR);
  q_start[0] = 1e-3;
  verify(NULL);
  expect_failure("starts 0.001 off the start state in joint \"slide\"");
  q_start[0] = 0;

  ocp.goal.frame = model_find_frame(model, "tip");
  ocp.goal.fixed[2] = true;
  ocp.goal.position[2] = -9.81 / 2;
  verify(NULL);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, report.open_loop.goal);
  ocp.goal.position[2] += 0.02;
  verify(NULL);
  expect_failure("ends 0.02 m off the goal");
  ocp.goal.frame = -1;

  bool fixed[2] = {true, false};
  double value[2] = {1 / 6.0, 0};
  ocp.goal.joint_fixed = fixed;
  ocp.goal.joint_value = value;
  verify(NULL);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
  value[0] = 0.2;
  verify(NULL);
  expect_failure("off a joint's goal");
  fixed[0] = false;

  ocp.goal.at_rest = true;
  verify(NULL);
  expect_failure("ends with a speed of 9.81");
  ocp.goal.at_rest = false;
  ocp.goal.equilibrium = true;
  verify(NULL);
  expect_failure("ends with an acceleration of 9.81");
}

static void test_limits_are_checked_between_the_nodes(void) {
  build_boxes(LINEAR);
  double peak = 0.25;  // of v, at t = 0.5, a node
  v_limit[0] = peak - 0.01;
  verify(NULL);
  expect_failure("joint \"slide\" is 0.01 m/s too fast at 0.5 s");
  TEST_ASSERT_EQUAL_INT(0, report.v_limit.index);
  v_limit[0] = INFINITY;

  // every second node only: v is right at 0.4 and 0.6, and too large between
  Trajectory *fine = traj, *coarse;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_new(&coarse, 2, 1, 5, 1, 6, &err));
  coarse->n_point = 0;  // nodes alone
  for (int k = 0; k <= 5; k++) {
    coarse->time[k] = fine->time[2 * k];
    coarse->u[k] = fine->u[2 * k];
    memcpy(coarse->q + 2 * k, fine->q + 4 * k, 2 * sizeof(double));
    memcpy(coarse->v + 2 * k, fine->v + 4 * k, 2 * sizeof(double));
  }
  trajectory_free(fine);
  traj = coarse;
  v_limit[0] = 0.241;  // nodes at 0.4 and 0.6 have 0.24
  verify(NULL);
  expect_failure("joint \"slide\" is 0.009 m/s too fast at 0.5 s");
  TEST_ASSERT_EQUAL_INT(2, report.v_limit.interval);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, report.q_defect.value);
  v_limit[0] = INFINITY;

  q_lower[1] = -4;
  verify(NULL);
  expect_failure("joint \"fall\" is 0.905 m beyond its limit at 1 s");
  q_lower[1] = -INFINITY;
  u_upper[0] = 2.5;
  verify(NULL);
  expect_failure("actuator of \"slide\" is 0.5 beyond its limit at 0 s");
  u_upper[0] = INFINITY;
  u_rate[0] = 5;
  verify(NULL);
  expect_failure("effort of \"slide\" changes 1 per s too fast");
  u_rate[0] = 6;
  verify(NULL);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
}

static void test_obstacles_are_looked_at_along_the_way(void) {
  build_boxes(LINEAR);
  OcpObstacle ball = {.name = "ball",
                      .frame = model_find_frame(model, "tip"),
                      .sphere = true,
                      .center = {1 / 12.0, 0, -9.81 / 8},
                      .radius = 0.2};
  ocp.n_obstacle = 1;
  ocp.obstacle = &ball;
  verify(NULL);
  expect_failure("0.2 m inside obstacle \"ball\" at 0.5 s");
  ball.center[1] = 0.3;
  verify(NULL);
  TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, report.clearance.value);
  OcpObstacle floor = {.name = "floor", .frame = ball.frame, .normal = {0, 0, 1}, .offset = -4};
  ocp.obstacle = &floor;
  verify(NULL);
  expect_failure("0.905 m inside obstacle \"floor\" at 1 s");
}

static void test_values_that_are_not_finite_never_pass(void) {
  build_boxes(CONSTANT);
  traj->q[2 * 3 + 1] = NAN;
  verify(NULL);
  expect_failure("the state of joint \"fall\" is not a finite number at node 3");
  TEST_ASSERT_TRUE(isinf(report.defect_q[0]));
  traj->q[2 * 3 + 1] = 0;
  traj->u[4] = INFINITY;
  verify(NULL);
  expect_failure("control 4 of joint \"slide\"");
  traj->u[4] = 0;
  traj->time[5] = traj->time[4];
  verify(NULL);
  expect_failure("node 5 at 0.4 s does not come after node 4 at 0.4 s");
}

static void test_interval_that_cannot_be_followed_is_named(void) {
  build_boxes(CONSTANT);
  SimOptions opt = sim_defaults;
  opt.max_steps = 3;
  verify(&opt);
  expect_failure("interval 0: 3 steps were not enough");
  TEST_ASSERT_TRUE(isinf(report.q_defect.value));
  TEST_ASSERT_FALSE(report.open_loop.completed);
  opt = sim_defaults;
  opt.n_sample = 0;
  sim_report_free(&report);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_verify(&report, &ocp, traj, &opt, &err));
}

static void test_report_is_valid_json(void) {
  build_boxes(LINEAR);
  for (int bad = 0; bad < 2; bad++) {
    if (bad) traj->q[3] = NAN;
    verify(NULL);
    TextBuf b = {0};
    sim_report_write_json(&report, &ocp, true, &b);
    TEST_ASSERT_FALSE(b.failed);
    struct cJSON *doc = json_parse(b.text, b.len, "report", &err);
    if (!bad) puts(b.text);
    textbuf_free(&b);
    TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
    JsonAt root = json_root(doc, "report"), at = json_find(&root, "verified");
    bool verified = bad;
    TEST_ASSERT_TRUE(json_bool(&at, &verified, &err));
    TEST_ASSERT_EQUAL_INT(!bad, verified);
    JsonAt intervals = json_find(&root, "intervals");
    at = json_find(&intervals, "error");
    TEST_ASSERT_EQUAL_INT(10, json_count(&at));
    json_free(doc);
  }
}

// ---- optima of outside software ----

static void read_columns(const JsonAt *list, int n, int first, int width, double *out) {
  int k = 0;
  for (JsonAt e = json_first(list); e.node; json_next(&e), k++) {
    double row[12];
    TEST_ASSERT_TRUE_MESSAGE(json_numbers(&e, json_count(&e), row, &err), err.what);
    memcpy(out + (size_t)k * (size_t)width, row + first, (size_t)width * sizeof *out);
  }
  TEST_ASSERT_EQUAL_INT(n, k);
}

static double number_of(const JsonAt *at, const char *key) {
  JsonAt value = json_find(at, key);
  double x = NAN;
  TEST_ASSERT_TRUE_MESSAGE(json_number(&value, &x, &err), err.what);
  return x;
}

static void build_arm(const JsonAt *e) {
  Model *m;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  open_problem(m);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_new(&traj, 6, 4, 100, 1, 100, &err));
  traj->n_point = 0;
  for (int k = 0; k <= 100; k++) traj->time[k] = 2.0 * k / 100;
  JsonAt states = json_find(e, "node_states_q_then_v"), torques = json_find(e, "torques");
  read_columns(&states, 101, 0, 6, traj->q);
  read_columns(&states, 101, 6, 6, traj->v);
  read_columns(&torques, 100, 0, 4, traj->u);

  memcpy(q_start, m->pose[0].q, 6 * sizeof *q_start);
  for (int i = 0; i < 6; i++) {
    q_lower[i] = m->joint[i].lower;
    q_upper[i] = m->joint[i].upper;
  }
  double phi = number_of(e, "phi");
  ocp.goal = (OcpGoal){.frame = model_find_frame(m, "tip"),
                       .fixed = {true, true, true},
                       .position = {0.63 * cos(phi), 0.63 * sin(phi), number_of(e, "z")},
                       .joint_fixed = none_fixed,
                       .joint_value = zero,
                       .at_rest = true,
                       .equilibrium = true};
}

static void test_optima_of_outside_software_are_right_to_their_discretisation(void) {
  struct cJSON *doc = json_load("tests/data/reach_optima.json", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  JsonAt root = json_root(doc, "reach_optima.json");
  int n = 0;
  for (JsonAt e = json_first(&root); e.node; json_next(&e), n++) {
    build_arm(&e);
    verify(NULL);
    printf("reach phi %.3f z %g k2 %g: defect %.2g rad, %.2g rad/s; goal %.2g m, a %.2g; limits "
           "%.2g rad (%s at %.3f s); energy %.2g; open loop %.2g rad, tip %.2g m, goal %.2g m, "
           "speed %.2g; "
           "%ld steps, %ld evaluations\n",
           number_of(&e, "phi"), number_of(&e, "z"), number_of(&e, "k2"), report.q_defect.value,
           report.v_defect.value, report.goal.position, report.goal.acceleration,
           report.q_limit.value,
           report.q_limit.index >= 0 ? model->joint[report.q_limit.index].name : "none",
           report.q_limit.time, report.energy.relative, report.open_loop.q,
           report.open_loop.position, report.open_loop.goal, report.open_loop.speed,
           report.stats.steps, report.stats.evaluations);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-3, report.open_loop.position);
    if (number_of(&e, "k2") > 0) {
      TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
      TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, report.q_defect.value);
      TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, report.v_defect.value);
    } else {
      // without smoothing q4 whips at 30 rad/s near the end: 100 intervals are not enough there
      expect_failure("interval 96 ends 3.41e-06 rad off in joint \"q4\"");
      SimOptions opt = sim_defaults;
      opt.defect_tol = 1e-4;
      verify(&opt);
      TEST_ASSERT_TRUE_MESSAGE(report.verified, report.failure);
    }
    tearDown();
    setUp();
  }
  TEST_ASSERT_EQUAL_INT(3, n);
  json_free(doc);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_exact_motion_is_verified_for_every_kind_of_control);
  RUN_TEST(test_replay_uses_another_formulation_than_the_optimisation);
  RUN_TEST(test_corrupted_node_is_found_with_interval_and_joint);
  RUN_TEST(test_corrupted_control_shows_in_the_speed_and_the_energy);
  RUN_TEST(test_error_estimate_sees_a_wrong_polynomial_between_right_nodes);
  RUN_TEST(test_start_and_goal_are_compared_with_the_ends);
  RUN_TEST(test_limits_are_checked_between_the_nodes);
  RUN_TEST(test_obstacles_are_looked_at_along_the_way);
  RUN_TEST(test_values_that_are_not_finite_never_pass);
  RUN_TEST(test_interval_that_cannot_be_followed_is_named);
  RUN_TEST(test_report_is_valid_json);
  RUN_TEST(test_optima_of_outside_software_are_right_to_their_discretisation);
  return UNITY_END();
}
