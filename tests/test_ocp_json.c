// SPDX-License-Identifier: MIT
// Good tasks: those of tasks/, the defaults, and every way to write a key. Texts are written with '
// for ". The bad ones are in test_ocp_bad.c.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "ocp/ocp.h"
#include "ocp/ocp_keys.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static Ocp *parse(const char *text) {
  char copy[4000];
  snprintf(copy, sizeof copy, "%s", text);
  for (char *c = copy; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  Error err = {0};
  Ocp *o = NULL;
  Status status = ocp_parse(&o, copy, "some/t.json", "tasks", &err);
  char msg[1000];
  snprintf(msg, sizeof msg, "%s: %s", err.where, err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, msg);
  return o;
}

static Ocp *load(const char *path) {
  Error err = {0};
  Ocp *o = NULL;
  Status status = ocp_load(&o, path, &err);
  char msg[1000];
  snprintf(msg, sizeof msg, "%s: %s", err.where, err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, msg);
  return o;
}

#define ARM "'robot':'../configs/robots/arm_pendulum.json'"
#define CART "'robot':'../configs/robots/cartpole.json'"
#define ARM_TASK(rest) "{" ARM ",'horizon':2,'start':{'pose':'start'},'goal':{}" rest "}"
#define CART_TASK(rest) "{" CART ",'horizon':2,'start':{},'goal':{}" rest "}"

static void test_every_task_of_the_folder_loads_without_notes(void) {
  DIR *dir = opendir("tasks");
  TEST_ASSERT_NOT_NULL_MESSAGE(dir, "run in the root of the source tree");
  int n = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0) continue;
    char path[400], name[300];
    snprintf(path, sizeof path, "tasks/%s", e->d_name);
    snprintf(name, sizeof name, "%.*s", (int)(dot - e->d_name), e->d_name);
    struct cJSON *doc = json_load(path, &(Error){0});
    JsonAt root = json_root(doc, path);
    bool grid = json_find(&root, "task").node != NULL;  // of a sweep
    json_free(doc);
    if (grid) continue;
    Ocp *o = load(path);
    TEST_ASSERT_EQUAL_STRING(name, o->name);
    TEST_ASSERT_EQUAL_STRING(path, o->path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o->n_note, o->n_note ? o->note[0] : "");
    ocp_free(o);
    n++;
  }
  closedir(dir);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(7, n);
}

static void test_the_benchmark_is_as_the_paper_has_it(void) {
  Ocp *o = load("tasks/reach_smooth.json");
  TEST_ASSERT_EQUAL_PTR(&dyn_implicit, o->form);
  TEST_ASSERT_TRUE(o->T == 2 && !o->free_time && o->n_interval == 100 && o->degree == 4);
  TEST_ASSERT_TRUE(o->scheme == OCP_RADAU && o->layout == OCP_CONDENSED && o->limits.inner);
  TEST_ASSERT_TRUE(o->cost.torque == 1 && o->cost.torque_rate == 1e5);
  TEST_ASSERT_EQUAL_STRING("tip", o->model->frame[o->goal.frame].name);
  const double target[3] = {0.63, 0, -0.1};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, target, o->goal.position, 3);
  TEST_ASSERT_TRUE(o->goal.fixed[0] && o->goal.fixed[1] && o->goal.fixed[2]);
  TEST_ASSERT_TRUE(o->goal.at_rest && o->goal.equilibrium);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.65, 0.6 * cos(o->q_start[1]) + 0.1);
  TEST_ASSERT_TRUE(o->strategy.kind == OCP_COLD && o->guess.kind == OCP_GUESS_HOLD);
  ocp_free(o);

  o = load("tasks/reach_left.json");
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.63, hypot(o->goal.position[0], o->goal.position[1]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, M_PI / 4, atan2(o->goal.position[1], o->goal.position[0]));
  TEST_ASSERT_TRUE(o->cost.torque_rate == 0 && o->strategy.kind == OCP_CONTINUATION);
  ocp_free(o);
}

static void test_the_cart_pole_is_as_kelly_has_it(void) {
  Ocp *o = load("tasks/cartpole_swingup.json");
  TEST_ASSERT_TRUE(o->goal.joint_fixed[0] && o->goal.joint_fixed[1] && o->goal.frame == -1);
  TEST_ASSERT_TRUE(o->goal.joint_value[0] == 1 && o->goal.joint_value[1] == M_PI);
  TEST_ASSERT_TRUE(o->goal.at_rest && !o->goal.equilibrium);
  TEST_ASSERT_TRUE(o->limits.u_lower[0] == -20 && o->limits.u_upper[0] == 20);
  TEST_ASSERT_TRUE(o->limits.q_lower[0] == -2 && o->limits.q_upper[0] == 2);
  TEST_ASSERT_TRUE(isinf(o->limits.q_upper[1]) && isinf(o->limits.v_upper[0]));
  ocp_free(o);

  o = load("tasks/cartpole_min_time.json");
  TEST_ASSERT_TRUE(o->free_time && o->T_lower == 0.5 && o->T_upper == 4 && o->T == 2);
  TEST_ASSERT_TRUE(o->cost.time == 1);
  ocp_free(o);
}

static void test_what_is_not_said_is_the_default(void) {
  Ocp *o = parse(ARM_TASK(""));
  TEST_ASSERT_EQUAL_STRING("t", o->name);
  TEST_ASSERT_EQUAL_PTR(&dyn_implicit, o->form);
  TEST_ASSERT_TRUE(o->n_interval == 100 && o->scheme == OCP_RADAU && o->degree == 4);
  TEST_ASSERT_TRUE(o->layout == OCP_CONDENSED && o->limits.inner);
  TEST_ASSERT_TRUE(o->T_lower == 2 && o->T_upper == 2);
  TEST_ASSERT_TRUE(o->goal.frame == -1 && o->goal.at_rest && o->goal.equilibrium);
  TEST_ASSERT_TRUE(o->cost.torque == 1 && o->cost.torque_rate == 0 && o->cost.velocity == 0);
  TEST_ASSERT_TRUE(o->cost.tracking == 0 && o->cost.tracking_frame == -1);
  TEST_ASSERT_TRUE(o->n_obstacle == 0 && o->n_option == 0 && o->n_note == 0);
  TEST_ASSERT_TRUE(o->guess.kind == OCP_GUESS_HOLD && o->guess.path == NULL);
  TEST_ASSERT_TRUE(o->guess.seed == 1 && o->guess.amplitude == 0.1);
  TEST_ASSERT_TRUE(o->strategy.kind == OCP_CONTINUATION && o->strategy.smoothing_start == 1e5);
  TEST_ASSERT_TRUE(o->strategy.n_start == 8 && o->strategy.seed == 1);
  for (int i = 0; i < 6; i++) {
    TEST_ASSERT_TRUE(o->v_start[i] == 0 && !o->goal.joint_fixed[i]);
    TEST_ASSERT_TRUE(o->limits.q_lower[i] == o->model->joint[i].lower);
    TEST_ASSERT_TRUE(o->limits.q_upper[i] == o->model->joint[i].upper);
  }
  TEST_ASSERT_TRUE(isinf(o->limits.u_upper[0]) && isinf(o->limits.u_rate[3]));
  ocp_free(o);
}

static void test_schemes_have_their_points_and_controls(void) {
  static const struct {
    const char *text;
    OcpScheme scheme;
    int n_point, n_control;
  } good[] = {
      {"'scheme':'radau'", OCP_RADAU, 4, 10},
      {"'scheme':'radau','degree':9", OCP_RADAU, 9, 10},
      {"'scheme':'radau-3'", OCP_RADAU, 3, 10},
      {"'scheme':'gauss-1'", OCP_GAUSS, 1, 10},
      {"'scheme':'gauss','degree':2", OCP_GAUSS, 2, 10},
      {"'scheme':'trapezoidal'", OCP_TRAPEZOIDAL, 2, 11},
      {"'scheme':'hermite-simpson'", OCP_HERMITE_SIMPSON, 3, 21},
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, CART_TASK(",'intervals':10,%s"), good[i].text);
    Ocp *o = parse(text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].scheme, o->scheme, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].n_point, ocp_n_point(o), text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].n_control, ocp_n_control(o), text);
    ocp_free(o);
  }
}

static void test_start_and_goal_by_name_array_and_pose(void) {
  Ocp *o = parse("{" CART ",'horizon':1,'start':{'pose':'upright','q':{'cart':0.5},'v':[0.1,-2]},"
                 "'goal':{'frame':'tip','position':{'z':0.2},'q':[null,3],'at_rest':false}}");
  TEST_ASSERT_TRUE(o->q_start[0] == 0.5 && o->q_start[1] == M_PI);
  TEST_ASSERT_TRUE(o->v_start[0] == 0.1 && o->v_start[1] == -2);
  TEST_ASSERT_TRUE(!o->goal.fixed[0] && !o->goal.fixed[1] && o->goal.fixed[2]);
  TEST_ASSERT_TRUE(o->goal.position[2] == 0.2);
  TEST_ASSERT_TRUE(!o->goal.joint_fixed[0] && o->goal.joint_fixed[1]);
  TEST_ASSERT_TRUE(o->goal.joint_value[1] == 3 && !o->goal.at_rest && o->goal.equilibrium);
  ocp_free(o);

  o = parse("{" CART ",'horizon':1,'start':{'q':[1,2]},"
            "'goal':{'pose':'upright','q':{'comment':'further','cart':1.5}}}");
  TEST_ASSERT_TRUE(o->q_start[0] == 1 && o->q_start[1] == 2);
  TEST_ASSERT_TRUE(o->goal.joint_value[0] == 1.5 && o->goal.joint_value[1] == M_PI);
  ocp_free(o);

  o = parse(CART_TASK(",'comment':['a','b']"));
  TEST_ASSERT_TRUE(o->q_start[0] == 0 && o->q_start[1] == 0);
  ocp_free(o);
}

static void test_limits_of_the_task_replace_those_of_the_robot(void) {
  Ocp *o = parse(
      ARM_TASK(",'limits':{'position':{'q2':[-1,null],'q1':[-3,3]},'velocity':{'q2':4,'q3':[-1,2]},"
               "'torque':{'q2':[0,40],'q4':5,'q1':null},'torque_rate':{'q4':500},'inner':false}"));
  const OcpLimits *l = &o->limits;
  TEST_ASSERT_TRUE(l->q_lower[0] == -3 && l->q_upper[0] == 3);
  TEST_ASSERT_TRUE(l->q_lower[1] == -1 && isinf(l->q_upper[1]));
  TEST_ASSERT_TRUE(l->v_lower[1] == -4 && l->v_upper[1] == 4);
  TEST_ASSERT_TRUE(l->v_lower[2] == -1 && l->v_upper[2] == 2 && isinf(l->v_upper[3]));
  TEST_ASSERT_TRUE(l->u_lower[1] == 0 && l->u_upper[1] == 40);
  TEST_ASSERT_TRUE(l->u_lower[3] == -5 && l->u_upper[3] == 5 && isinf(l->u_lower[0]));
  TEST_ASSERT_TRUE(l->u_rate[3] == 500 && isinf(l->u_rate[0]) && !l->inner);
  TEST_ASSERT_EQUAL_INT(1, o->n_note);
  TEST_ASSERT_NOT_NULL(strstr(o->note[0], "some/t.json: limits.position.q2: wider"));
  ocp_free(o);
}

static void test_costs_and_obstacles_are_read(void) {
  Ocp *o = parse(ARM_TASK(
      ",'cost':{'velocity':2,'acceleration':0.5,'torque_rate':3,"
      "'tracking':{'frame':'tip','target':[1,2,3],'weight':7}},"
      "'obstacles':[{'name':'ball','frame':'tip','sphere':{'center':[0.5,0.3,0],'radius':0.1}},"
      "{'frame':'hand','half_space':{'normal':[0,0,2],'offset':-1}}]"));
  TEST_ASSERT_TRUE(o->cost.torque == 0 && o->cost.velocity == 2 && o->cost.acceleration == 0.5);
  TEST_ASSERT_TRUE(o->cost.torque_rate == 3 && o->cost.time == 0 && o->cost.tracking == 7);
  TEST_ASSERT_EQUAL_STRING("tip", o->model->frame[o->cost.tracking_frame].name);
  TEST_ASSERT_TRUE(o->cost.tracking_target[2] == 3);
  TEST_ASSERT_EQUAL_INT(2, o->n_obstacle);
  TEST_ASSERT_TRUE(o->obstacle[0].sphere && o->obstacle[0].radius == 0.1);
  TEST_ASSERT_EQUAL_STRING("ball", o->obstacle[0].name);
  TEST_ASSERT_EQUAL_STRING("obstacle 1", o->obstacle[1].name);
  TEST_ASSERT_TRUE(!o->obstacle[1].sphere && o->obstacle[1].normal[2] == 1);
  TEST_ASSERT_TRUE(o->obstacle[1].offset == -0.5);
  TEST_ASSERT_EQUAL_INT(1, o->n_note);
  TEST_ASSERT_NOT_NULL(strstr(o->note[0], "obstacles[1].half_space.normal: has length 2"));
  ocp_free(o);
}

static void test_guess_strategy_and_options_are_read(void) {
  Ocp *o = parse(ARM_TASK(",'guess':{'kind':'random','seed':7,'amplitude':0.3},"
                          "'strategy':{'kind':'multistart','starts':20,'seed':3},"
                          "'solver':{'comment':'loose','tol':1e-8,'max_iter':500,"
                          "'mu_strategy':'adaptive','print_timing_statistics':true}"));
  TEST_ASSERT_TRUE(o->guess.kind == OCP_GUESS_RANDOM && o->guess.seed == 7);
  TEST_ASSERT_TRUE(o->guess.amplitude == 0.3);
  TEST_ASSERT_TRUE(o->strategy.kind == OCP_MULTISTART && o->strategy.n_start == 20);
  TEST_ASSERT_TRUE(o->strategy.seed == 3);
  static const char *const expected[4][2] = {{"tol", "1e-08"},
                                             {"max_iter", "500"},
                                             {"mu_strategy", "adaptive"},
                                             {"print_timing_statistics", "yes"}};
  TEST_ASSERT_EQUAL_INT(4, o->n_option);
  for (int i = 0; i < 4; i++) {
    TEST_ASSERT_EQUAL_STRING(expected[i][0], o->option[i].name);
    TEST_ASSERT_EQUAL_STRING(expected[i][1], o->option[i].value);
  }
  ocp_free(o);

  // a continuation begins well above the weight where it ends
  o = parse(ARM_TASK(",'cost':{'torque_rate':1e5},'strategy':'continuation','guess':'zero'"));
  TEST_ASSERT_TRUE(o->strategy.smoothing_start == 1e7 && o->guess.kind == OCP_GUESS_ZERO);
  ocp_free(o);
  o = parse(ARM_TASK(",'strategy':{'kind':'continuation','smoothing_start':10}"));
  TEST_ASSERT_TRUE(o->strategy.smoothing_start == 10);
  ocp_free(o);
}

static void test_things_worth_knowing_are_noted(void) {
  static const struct {
    const char *text, *note;
  } noted[] = {
      {"{" CART ",'horizon':2,'start':{'q':{'pole':1}},'goal':{}}",
       "start: not an equilibrium: passive joint \"pole\" would need 1.23"},
      {ARM_TASK(",'limits':{'torque':{'q2':10}}"),
       "start: can't be held: joint \"q2\" would need 19"},
      {CART_TASK(",'cost':{'torque':1,'time':1}"), "cost.time: has no effect"},
      {CART_TASK(",'cost':{}"), "cost: all weights are 0"},
      {"{" CART ",'horizon':2,'start':{},'goal':{'pose':'upright','frame':'tip',"
       "'position':[1,0,0.5]}}",
       "goal: asks for 5 values of a posture with 2 coordinates"},
  };
  for (size_t i = 0; i < sizeof noted / sizeof noted[0]; i++) {
    Ocp *o = parse(noted[i].text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, o->n_note, noted[i].text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(o->note[0], noted[i].note), o->note[0]);
    ocp_free(o);
  }
  // moving at the start: nothing to balance
  Ocp *o = parse("{" CART ",'horizon':2,'start':{'q':{'pole':1},'v':{'pole':1}},'goal':{}}");
  TEST_ASSERT_EQUAL_INT(0, o->n_note);
  ocp_free(o);
}

static void test_every_key_of_the_tables_is_described(void) {
  for (int t = 0; t < n_ocp_keys; t++) {
    const JsonKeys *keys = ocp_keys[t];
    for (int i = 0; i < keys->n; i++) {
      const JsonKey *key = &keys->key[i];
      TEST_ASSERT_EQUAL_PTR_MESSAGE(key, json_keys_find(keys, key->name), key->name);
      TEST_ASSERT_TRUE_MESSAGE(key->unit && *key->what && *key->example, key->name);
      // the example is valid JSON of an allowed type
      Error err = {0};
      struct cJSON *doc = json_parse(key->example, strlen(key->example), key->name, &err);
      TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
      JsonAt at = json_root(doc, "");
      JsonType type = json_type(&at);
      json_free(doc);
      TEST_ASSERT_TRUE_MESSAGE(key->types & type, key->name);
    }
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_task_of_the_folder_loads_without_notes);
  RUN_TEST(test_the_benchmark_is_as_the_paper_has_it);
  RUN_TEST(test_the_cart_pole_is_as_kelly_has_it);
  RUN_TEST(test_what_is_not_said_is_the_default);
  RUN_TEST(test_schemes_have_their_points_and_controls);
  RUN_TEST(test_start_and_goal_by_name_array_and_pose);
  RUN_TEST(test_limits_of_the_task_replace_those_of_the_robot);
  RUN_TEST(test_costs_and_obstacles_are_read);
  RUN_TEST(test_guess_strategy_and_options_are_read);
  RUN_TEST(test_things_worth_knowing_are_noted);
  RUN_TEST(test_every_key_of_the_tables_is_described);
  return UNITY_END();
}
