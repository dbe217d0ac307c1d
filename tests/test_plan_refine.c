// SPDX-License-Identifier: MIT
// Local refinement of grids, and what a result tells about several solves.
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
}

static const PlanResult *run(const PlanOptions *opt) {
  plan_result_free(result);
  result = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, plan_run(&result, ocp, opt, &err), err.what);
  return result;
}

// a swing-up on a grid that is too coarse in places
static void coarse(const char *task, OcpScheme scheme, int degree, int n) {
  load(task);
  ocp->scheme = scheme;
  ocp->degree = degree;
  ocp->n_interval = n;
  ocp->strategy.kind = OCP_COLD;
}

static void test_only_intervals_with_large_errors_are_split(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 25);
  const PlanResult *r = run(&(PlanOptions){.refine = 1e-5});
  TEST_ASSERT_TRUE(r->solved);
  TEST_ASSERT_TRUE_MESSAGE(r->error <= 1e-5, "error");
  TEST_ASSERT_GREATER_THAN_INT(25, r->o->n_interval);
  TEST_ASSERT_EQUAL_INT(r->o->n_interval, r->trajectory->n_interval);
  // some are as long as before, others shorter
  int whole = 0;
  double shortest = INFINITY;
  for (int k = 0; k < r->o->n_interval; k++) {
    double h = r->trajectory->time[k + 1] - r->trajectory->time[k];
    whole += fabs(h - 2.0 / 25) < 1e-12;
    shortest = fmin(shortest, h);
  }
  TEST_ASSERT_GREATER_THAN_INT(0, whole);
  TEST_ASSERT_TRUE(shortest < 0.6 * 2.0 / 25);
}

static void test_split_intervals_keep_one_torque_and_the_first_objective_is_reported(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 25);
  double own = run(&(PlanOptions){0})->objective;
  TEST_ASSERT_EQUAL_INT(result->n_step, result->n_unrefined);
  const PlanResult *r = run(&(PlanOptions){.refine = 1e-5});
  TEST_ASSERT_EQUAL_DOUBLE(own, r->unrefined_objective);
  TEST_ASSERT_EQUAL_DOUBLE(own, r->step[r->n_unrefined - 1].objective);
  TEST_ASSERT_GREATER_THAN_INT(r->n_unrefined, r->n_step);
  int changes = 0;
  for (int k = 0; k + 1 < r->o->n_interval; k++) {
    bool same = r->trajectory->u[k] == r->trajectory->u[k + 1];
    if (r->o->piece[k] == r->o->piece[k + 1]) TEST_ASSERT_TRUE(same);
    changes += !same;
  }
  TEST_ASSERT_LESS_OR_EQUAL_INT(24, changes);
  // the same torques to choose from: the optimum moves by the error of the dynamics only
  TEST_ASSERT_DOUBLE_WITHIN(1e-2 * own, own, r->objective);
}

static void test_a_solution_that_fails_the_verification_is_refined_until_it_passes(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 40);
  TEST_ASSERT_FALSE(run(&(PlanOptions){0})->verification.verified);
  const PlanResult *r = run(&(PlanOptions){.refine_to_verify = true});
  TEST_ASSERT_TRUE_MESSAGE(r->verification.verified, r->verification.failure);
  TEST_ASSERT_TRUE(r->step[r->n_step - 1].defect <= 1e-6);
  TEST_ASSERT_TRUE(r->step[r->n_unrefined - 1].defect > 1e-6);
}

static void test_linear_torques_get_finer_too_and_approach_the_limit(void) {
  coarse("tasks/cartpole_swingup.json", OCP_TRAPEZOIDAL, 2, 25);
  const PlanResult *r = run(&(PlanOptions){.refine = 2e-4});
  TEST_ASSERT_TRUE(r->error <= 2e-4);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, 58.81, r->objective);  // 60.04 on 25 equal intervals
}

static void test_a_free_horizon_is_refined_in_both_layouts(void) {
  for (int layout = 0; layout < 2; layout++) {
    ocp_free(ocp);
    coarse("tasks/cartpole_min_time.json", OCP_RADAU, 3, 20);
    ocp->layout = layout ? OCP_PAPER : OCP_CONDENSED;
    const PlanResult *r = run(&(PlanOptions){.refine = 1e-4});
    TEST_ASSERT_TRUE(r->solved);
    TEST_ASSERT_TRUE(r->error <= 1e-4);
    TEST_ASSERT_GREATER_THAN_INT(20, r->o->n_interval);
    double T = r->trajectory->time[r->o->n_interval];
    // nodes keep their fractions of the horizon that was found
    for (int k = 0; k <= r->o->n_interval; k++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, r->o->node[k] * T, r->trajectory->time[k]);
    }
  }
}

static void test_a_refined_result_is_a_guess_for_other_grids(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 25);
  run(&(PlanOptions){.refine = 1e-5});
  Trajectory *t = NULL;
  ocp->n_interval = 100;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, guess_from(&t, ocp, result->trajectory, &err));
  double q[2];
  for (int k = 0; k <= 100; k++) {
    trajectory_state(result->trajectory, t->time[k], q, NULL, NULL);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, q[0], t->q[2 * k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, q[1], t->q[2 * k + 1]);
  }
  trajectory_free(t);
}

static void test_the_history_has_the_iterations_of_all_solves(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 25);
  const PlanResult *r = run(&(PlanOptions){.refine = 1e-5});
  int n = 0;
  for (int i = 0; i < r->n_step; i++) {
    TEST_ASSERT_EQUAL_INT(r->step[i].iterations + 1, r->step[i].n_history);
    n += r->step[i].iterations;
  }
  TEST_ASSERT_EQUAL_INT(r->iterations, n);
  TextBuf b = {0};
  plan_result_write_json(r, &b);
  struct cJSON *doc = json_parse(b.text, b.len, "result", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  JsonAt root = json_root(doc, "result"), history = json_find(&root, "history");
  TEST_ASSERT_EQUAL_INT(n + r->n_step, json_count(&history));
  json_free(doc);
  textbuf_free(&b);
}

static void test_a_multistart_lists_distinct_optima_the_best_first(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 30);
  ocp->strategy = (OcpStrategy){.kind = OCP_MULTISTART, .n_start = 8, .seed = 1};
  ocp->guess.amplitude = 1.5;
  const PlanResult *r = run(&(PlanOptions){.skip_verification = true});
  int solved = 0, counted = 0;
  for (int i = 0; i < r->n_step; i++) solved += solve_status_solved(r->step[i].status);
  for (int i = 0; i < r->n_optimum; i++) {
    const PlanOptimum *o = &r->optimum[i];
    TEST_ASSERT_EQUAL_INT(o->count, o->n_seed);
    counted += o->count;
    if (i == 0) continue;
    TEST_ASSERT_TRUE(o->objective >= r->optimum[i - 1].objective);
    TEST_ASSERT_TRUE(o->distance > 1e-2 || o->objective > r->optimum[0].objective * (1 + 1e-5));
  }
  TEST_ASSERT_EQUAL_INT(8, r->n_step);
  TEST_ASSERT_EQUAL_INT(solved, counted);
  TEST_ASSERT_GREATER_THAN_INT(1, r->n_optimum);  // left and right first, and more
  TEST_ASSERT_LESS_THAN_INT(solved, r->n_optimum);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * r->objective, r->optimum[0].objective, r->objective);
}

static void test_what_was_not_solved_is_not_verified(void) {
  coarse("tasks/cartpole_swingup.json", OCP_RADAU, 3, 25);
  const SolveOption few = {"max_iter", "2", NULL};
  const PlanResult *r =
      run(&(PlanOptions){.option = &few, .n_option = 1, .refine_to_verify = true});
  TEST_ASSERT_FALSE(r->solved);
  TEST_ASSERT_FALSE(r->verification.verified);
  TEST_ASSERT_TRUE(r->verification.failure[0] != '\0');
  TEST_ASSERT_EQUAL_INT(r->n_unrefined, r->n_step);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_only_intervals_with_large_errors_are_split);
  RUN_TEST(test_split_intervals_keep_one_torque_and_the_first_objective_is_reported);
  RUN_TEST(test_a_solution_that_fails_the_verification_is_refined_until_it_passes);
  RUN_TEST(test_linear_torques_get_finer_too_and_approach_the_limit);
  RUN_TEST(test_a_free_horizon_is_refined_in_both_layouts);
  RUN_TEST(test_a_refined_result_is_a_guess_for_other_grids);
  RUN_TEST(test_the_history_has_the_iterations_of_all_solves);
  RUN_TEST(test_a_multistart_lists_distinct_optima_the_best_first);
  RUN_TEST(test_what_was_not_solved_is_not_verified);
  return UNITY_END();
}
