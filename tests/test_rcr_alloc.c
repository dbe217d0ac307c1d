// SPDX-License-Identifier: MIT
// Every allocation of planning and building a recursive coordinate reduction fails once, in turn: the
// call says so, gives nothing back and keeps nothing.
#include <stdio.h>

#include "alloc_support.h"
#include "dynamics/loop_method.h"
#include "dynamics/rcr_function.h"
#include "loop_support.h"
#include "sim/sim_loop.h"
#include "unity.h"

static Model *model;

void setUp(void) {
  model = mechanism_load("fivebar");
}

void tearDown(void) {
  alloc_fail_from(0);
  model_free(model);
}

// Builds and frees something.
typedef Status Job(Error *err);

static Status plan(Error *err) {
  RcrPlan *p;
  Status s = rcr_plan_at(&p, model, NULL, err);
  TEST_ASSERT_TRUE((s == STATUS_OK) == (p != NULL));
  rcr_plan_free(p);
  return s;
}

static Status method(const LoopMethod *which, Error *err) {
  DynFunction *f;
  Status s = loop_function_build(&f, model, which, err);
  TEST_ASSERT_TRUE((s == STATUS_OK) == (f != NULL));
  dyn_function_free(f);
  return s;
}

static Status rcr(Error *err) {
  return method(&loop_rcr, err);
}

static Status lambda(Error *err) {
  return method(&loop_tree_lambda, err);
}

static Status simulation(Error *err) {
  SimLoop *sim;
  Status s = sim_loop_build(&sim, model, &loop_rcr, NULL, err);
  TEST_ASSERT_TRUE((s == STATUS_OK) == (sim != NULL));
  sim_loop_free(sim);
  return s;
}

static void walk(Job *job, const char *name) {
  for (long n = 1;; n++) {
    long before = alloc_live();
    Error err = {0};
    alloc_fail_from(n);
    Status s = job(&err);
    bool reached = alloc_count() >= n;
    alloc_fail_from(0);
    char text[200];
    snprintf(text, sizeof text, "%s, allocation %ld: status %d, %.80s", name, n, s, err.what);
    TEST_ASSERT_TRUE_MESSAGE(alloc_live() == before, text);
    if (!reached) {
      TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, s, text);
      TEST_ASSERT_GREATER_THAN_INT(5, (int)n);
      return;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_NO_MEMORY, s, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_NO_MEMORY, err.code, text);
  }
}

static void test_planning_survives_every_failing_allocation(void) {
  walk(plan, "plan");
}

static void test_methods_survive_every_failing_allocation(void) {
  walk(rcr, "RCR");
  walk(lambda, "TREE+LAMBDA");
}

static void test_simulations_survive_every_failing_allocation(void) {
  walk(simulation, "simulation");
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_planning_survives_every_failing_allocation);
  RUN_TEST(test_methods_survive_every_failing_allocation);
  RUN_TEST(test_simulations_survive_every_failing_allocation);
  return UNITY_END();
}
