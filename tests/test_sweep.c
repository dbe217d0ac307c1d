// SPDX-License-Identifier: MIT
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/sim_verify.h"
#include "sweep/sweep_internal.h"
#include "unity.h"

static Error err;
static char file[64];

void setUp(void) {
  err = (Error){0};
  snprintf(file, sizeof file, "tests/data/sweep/.test%ld.json", (long)getpid());
}

void tearDown(void) {
  unlink(file);
}

static void write_file(const char *text) {
  FILE *f = fopen(file, "w");
  TEST_ASSERT_NOT_NULL(f);
  fputs(text, f);
  fclose(f);
}

static Sweep *load(const char *text) {
  write_file(text);
  Sweep *s = NULL;
  Status status = sweep_load(&s, file, NULL, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  return s;
}

static void refuse(const char *text, const char *where, const char *what) {
  write_file(text);
  Sweep *s = NULL;
  err = (Error){0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, sweep_load(&s, file, NULL, &err), text);
  TEST_ASSERT_NULL(s);
  if (!strstr(err.where, where)) TEST_ASSERT_EQUAL_STRING_MESSAGE(where, err.where, text);
  if (!strstr(err.what, what)) TEST_ASSERT_EQUAL_STRING_MESSAGE(what, err.what, text);
}

#define TASK "{\"task\": \"crane.json\", "
#define TASK_AGAIN                                                                          \
  "\"task\": \"crane.json\", \"axes\": [{\"key\": \"horizon\", \"linspace\": [1, 2, 3]}], " \
  "\"cases\": [{\"formulation\": \"SEMI\"}]}"
#define AXIS "\"axes\": [{\"key\": \"horizon\", \"values\": [1, 2]}]"

// ---- files --------------------------------------------------------------------------------------

static void test_bad_files_are_refused_with_place_and_rule(void) {
  refuse("[]", ".json", "must be an object");
  refuse("{\"axes\": []}", ".json", "missing \"task\"");
  refuse(TASK "\"axis\": []}", ".json", "did you mean");
  refuse("{\"task\": \"nowhere.json\", \"axes\": []}", "task", "can't read task file");
  refuse("{\"task\": \"../../../configs/robots/cartpole.json\", \"axes\": []}", "cartpole.json",
         "");
  refuse(TASK "\"axes\": [{\"key\": \"horizon\"}]}", "axes[0]",
         "either \"values\" or \"linspace\"");
  refuse(TASK "\"axes\": [{\"key\": \"horizon\", \"values\": []}]}", "axes[0].values", "is empty");
  refuse(TASK "\"axes\": [{\"key\": \"horizon\", \"values\": [1, 1]}]}", "axes[0].values[1]",
         "twice");
  refuse(TASK "\"axes\": [{\"key\": \"horizon\", \"linspace\": [1, 2, 2.5]}]}", "axes[0].linspace",
         "whole number");
  refuse(TASK "\"axes\": [{\"key\": \"horizon\", \"linspace\": [1, 2, 1]}]}", "axes[0].linspace",
         "both 1 and 2");
  refuse(TASK "\"axes\": [{\"key\": \"horizn\", \"values\": [1]}]}", "horizn", "did you mean");
  refuse(TASK "\"axes\": [{\"key\": \"goal..q\", \"values\": [1]}]}", "axes[0].key",
         "no path of the task");
  refuse(TASK "\"axes\": [{\"key\": \"goal.q[0]\", \"values\": [1]}]}", "axes[0].key", "no array");
  refuse(TASK "\"axes\": [{\"key\": \"horizon\", \"values\": [1, -2]}]}", "horizon", "above 0");
  refuse(TASK "\"axes\": [{\"key\": \"target.x\", \"values\": [1]}]}", "", "no goal.frame");
  refuse(TASK "\"axes\": [{\"key\": \"target.w\", \"values\": [1]}]}", "axes[0].key",
         "unknown coordinate");
  refuse(TASK AXIS ", \"target\": {\"r\": 1, \"x\": 1}}", "target.x", "x, y, z or by r, phi, z");
  refuse(TASK AXIS ", \"cases\": []}", "cases", "is empty");
  refuse(TASK AXIS ", \"cases\": [{\"formulation\": \"IMPLL\"}]}", "formulation", "did you mean");
  refuse(TASK AXIS ", \"cases\": [{\"strategy\": \"lukewarm\"}]}", "strategy", "");
  refuse(TASK AXIS ", \"cases\": [{\"cost\": \"set3\"}]}", "cases[0].cost", "unknown cost set");
  refuse(TASK AXIS ", \"costs\": {\"set1\": {\"torqe\": 1}}}", "cost", "did you mean");
  refuse(TASK AXIS ", \"cases\": [{\"seed\": 1}]}", "cases[0].seed", "multistart");
  refuse(TASK AXIS ", \"cases\": [{}, {}]}", "cases[1]", "two cases are called");
  refuse(TASK AXIS ", \"cases\": [{\"set\": {\"goal.at_rest.x\": 1}}]}", "cases[0].set",
         "no path of the task");
  refuse(TASK AXIS ", \"relax\": {\"rounds\": 0}}", "relax.rounds", "from 1 to 10000");
  refuse(TASK AXIS ", \"cases\": [{\"strategy\": \"relax\"}], \"relax\": {\"first\": \"relax\"}}",
         "relax.first", "can't be \"relax\"");
  refuse(TASK AXIS ", \"trajectories\": \"half\"}", "trajectories", "one of single, double, none");
  refuse(TASK AXIS ", \"timeout\": -1}", "timeout", "negative");
}

static void test_axes_change_the_task_and_the_last_is_fastest(void) {
  Sweep *s = load(TASK "\"axes\": [{\"key\": \"goal.q.cart\", \"linspace\": [-1, 1, 5]},"
                       "{\"key\": \"horizon\", \"name\": \"T\", \"values\": [1, 2]},"
                       "{\"key\": \"solver.max_iter\", \"values\": [7]}]}");
  TEST_ASSERT_EQUAL_INT(10, s->n_point);
  TEST_ASSERT_EQUAL_INT(1, s->n_case);
  for (int p = 0; p < 10; p++) {
    Ocp *o = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, sweep_ocp(&o, s, p, 0, &err), err.what);
    TEST_ASSERT_TRUE(o->goal.joint_value[0] == -1 + 0.5 * (p / 2) && o->T == 1 + p % 2);
    TEST_ASSERT_EQUAL_STRING("max_iter", o->option[0].name);
    TEST_ASSERT_EQUAL_STRING("7", o->option[0].value);
    ocp_free(o);
  }
  TEST_ASSERT_EQUAL_STRING("cart", s->axis[0].name);
  TEST_ASSERT_EQUAL_STRING("T", s->axis[1].name);
  sweep_free(s);
}

static void test_opposite_values_of_linspace_are_exact_opposites(void) {
  Sweep *s = load(TASK "\"axes\": [{\"key\": \"goal.q.cart\", \"linspace\": [-1.57, 1.57, 21]}]}");
  for (int i = 0; i < 21; i++) TEST_ASSERT_TRUE(s->axis[0].value[i] == -s->axis[0].value[20 - i]);
  TEST_ASSERT_TRUE(s->axis[0].value[10] == 0 && !signbit(s->axis[0].value[10]));
  sweep_free(s);
}

static void test_cylindrical_targets_lie_on_the_cylinder(void) {
  Sweep *s = load("{\"task\": \"../../../tasks/reach.json\", \"target\": {\"r\": 0.63}, \"axes\": "
                  "[{\"key\": \"target.phi\", \"linspace\": [-1, 1, 3]}]}");
  for (int p = 0; p < 3; p++) {
    Ocp *o = NULL;
    TEST_ASSERT_EQUAL_INT(STATUS_OK, sweep_ocp(&o, s, p, 0, &err));
    const double *x = o->goal.position;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.63, hypot(x[0], x[1]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, p - 1, atan2(x[1], x[0]));
    TEST_ASSERT_TRUE(x[2] == -0.1);  // the task's own
    ocp_free(o);
  }
  sweep_free(s);
}

static void test_cases_are_all_combinations(void) {
  Sweep *s = load(TASK AXIS ", \"costs\": {\"a\": {\"torque\": 1}, \"b\": {\"torque\": 2}}, "
                            "\"cases\": [{\"formulation\": \"all\", \"layout\": [\"paper\", "
                            "\"condensed\"]}, {\"name\": \"m\", \"cost\": \"b\", \"strategy\": "
                            "{\"kind\": \"multistart\", \"starts\": 2}, \"seed\": [4, 5]}]}");
  TEST_ASSERT_EQUAL_INT(2 * 6 * 2 + 2, s->n_case);
  TEST_ASSERT_EQUAL_STRING("a/IMPL/paper/cold", s->kase[0].j.name);
  TEST_ASSERT_EQUAL_STRING("m/b/IMPL/condensed/multistart/seed5", s->kase[25].j.name);
  TEST_ASSERT_EQUAL_INT(5, s->kase[25].j.seed);
  Ocp *o = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, sweep_ocp(&o, s, 1, 25, &err));
  TEST_ASSERT_TRUE(o->strategy.seed == 5 && o->strategy.n_start == 2 && o->cost.torque == 2);
  TEST_ASSERT_EQUAL_STRING("IMPL", o->form->name);
  ocp_free(o);
  sweep_free(s);
}

static void test_the_command_line_chooses_formulations(void) {
  write_file(TASK AXIS ", \"cases\": [{\"formulation\": \"all\"}]}");
  Sweep *s = NULL;
  SweepChange change = {"SEMI,EXP1-A", "--formulation"};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, sweep_load(&s, file, &change, &err));
  TEST_ASSERT_EQUAL_INT(2, s->n_case);
  TEST_ASSERT_EQUAL_STRING("EXP1-A", s->kase[1].j.formulation);
  sweep_free(s);
  change.formulations = "SEMI,NONE";
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sweep_load(&s, file, &change, &err));
  TEST_ASSERT_EQUAL_STRING("--formulation", err.where);
}

static void test_keys_are_of_inputs_only(void) {
  uint64_t key[4], again = 0;
  Sweep *s = load(TASK "\"axes\": [{\"key\": \"horizon\", \"values\": [1, 2]}], \"cases\": "
                       "[{\"formulation\": [\"IMPL\", \"SEMI\"]}]}");
  for (int i = 0; i < 4; i++) {
    TEST_ASSERT_EQUAL_INT(STATUS_OK, sweep_resolve(s, i / 2, i % 2, NULL, &key[i], &err));
    for (int k = 0; k < i; k++) TEST_ASSERT_TRUE(key[i] != key[k]);
  }
  sweep_free(s);
  // another grid that has the same point: the same key
  s = load("{\"comment\": \"other\", " TASK_AGAIN);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, sweep_resolve(s, 2, 0, NULL, &again, &err));
  TEST_ASSERT_TRUE(again == key[3]);
  sweep_free(s);
}

// ---- mirror images --------------------------------------------------------------------------------

static void test_the_arm_mirrors_left_and_right(void) {
  Sweep *s = load("{\"task\": \"../../../tasks/reach.json\", \"target\": {\"r\": 0.63}, \"axes\": "
                  "[{\"key\": \"target.phi\", \"linspace\": [-1, 1, 5]},"
                  " {\"key\": \"target.z\", \"values\": [-0.1, 0.1]}]}");
  const double sign[6] = {-1, 1, 1, 1, 1, -1}, normal[3] = {0, 1, 0};
  TEST_ASSERT_TRUE(s->mirror.found);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, sign, s->mirror.sign, 6);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-12, normal, s->mirror.normal, 3);
  for (int p = 0; p < 10; p++) TEST_ASSERT_EQUAL_INT((4 - p / 2) * 2 + p % 2, s->mirror_point[p]);
  sweep_free(s);
}

static void test_what_is_not_symmetric_has_no_image(void) {
  // limits on one side only, a goal that has no partner, a start aside
  Sweep *s = load(TASK "\"axes\": [{\"key\": \"goal.q.cart\", \"values\": [-1, 0.5, 1]}]}");
  TEST_ASSERT_TRUE(s->mirror.found);
  TEST_ASSERT_EQUAL_INT(2, s->mirror_point[0]);
  TEST_ASSERT_EQUAL_INT(-1, s->mirror_point[1]);
  sweep_free(s);
  s = load(TASK "\"axes\": [{\"key\": \"goal.q.cart\", \"values\": [-1, 1]}], \"cases\": "
                "[{\"set\": {\"limits.position\": {\"cart\": [-1.5, 2]}}}]}");
  TEST_ASSERT_EQUAL_INT(-1, s->mirror_point[0]);
  sweep_free(s);
}

static void test_a_mirrored_motion_obeys_the_mirrored_dynamics(void) {
  Sweep *s = load("{\"task\": \"../../../tasks/reach.json\", \"axes\": []}");
  Ocp *o = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, sweep_ocp(&o, s, 0, 0, &err));
  o->guess = (OcpGuess){.kind = OCP_GUESS_RANDOM, .seed = 2, .amplitude = 0.3};
  Trajectory *a = NULL, *b = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, guess_build(&a, o, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, guess_build(&b, o, &err));
  sweep_mirror_motion(&s->mirror, o->model, b);
  SimReport ra, rb;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, sim_verify(&ra, o, a, NULL, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, sim_verify(&rb, o, b, NULL, &err));
  for (int k = 0; k < ra.n_interval; k++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-7 * (1 + ra.defect_q[k]), ra.defect_q[k], rb.defect_q[k]);
  }
  sweep_mirror_motion(&s->mirror, o->model, b);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-14, a->pq, b->pq, 6 * 400);
  sim_report_free(&ra);
  sim_report_free(&rb);
  trajectory_free(a);
  trajectory_free(b);
  ocp_free(o);
  sweep_free(s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_bad_files_are_refused_with_place_and_rule);
  RUN_TEST(test_axes_change_the_task_and_the_last_is_fastest);
  RUN_TEST(test_opposite_values_of_linspace_are_exact_opposites);
  RUN_TEST(test_cylindrical_targets_lie_on_the_cylinder);
  RUN_TEST(test_cases_are_all_combinations);
  RUN_TEST(test_the_command_line_chooses_formulations);
  RUN_TEST(test_keys_are_of_inputs_only);
  RUN_TEST(test_the_arm_mirrors_left_and_right);
  RUN_TEST(test_what_is_not_symmetric_has_no_image);
  RUN_TEST(test_a_mirrored_motion_obeys_the_mirrored_dynamics);
  return UNITY_END();
}
