// SPDX-License-Identifier: MIT
// What recursive coordinate reduction refuses, by the loop's name, and how its operations grow.
#include "dynamics/rcr_plan.h"

#include <math.h>
#include <string.h>

#include "base/textbuf.h"
#include "dynamics/rcr_function.h"
#include "expr/expr_tape.h"
#include "loop_support.h"
#include "model/mechanism_gen.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// ---- refusals ----------------------------------------------------------------------------------

static void check_refused(const Model *m, const double *q, const char *loop, const char *why) {
  Error err = {0};
  RcrPlan *plan;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, rcr_plan_at(&plan, m, q, &err), m->name);
  TEST_ASSERT_NULL(plan);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, loop), err.what);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, why), err.what);
}

// a planar chain of six unit bars along x with pins from `first` to the end of each bar of `second`
static Model *pinned_chain(const int first[2], const int second[2]) {
  TextBuf b = {0};
  textbuf_add(&b, "{\"name\": \"chain\", \"planar\": [0, 1, 0], \"bodies\": [{\"name\": \"b0\"}");
  for (int i = 1; i <= 6; i++) {
    textbuf_addf(&b, ", {\"name\": \"b%d\", \"mass\": 1, \"inertia\": [1, 1, 1]}", i);
  }
  textbuf_add(&b, "], \"joints\": [");
  for (int i = 1; i <= 6; i++) {
    textbuf_addf(&b,
                 "%s{\"name\": \"q%d\", \"type\": \"revolute\", \"parent\": \"b%d\", \"child\": "
                 "\"b%d\", \"axis\": [0, -1, 0], \"origin\": {\"xyz\": [%d, 0, 0]}}",
                 i > 1 ? ", " : "", i, i - 1, i, i > 1);
  }
  textbuf_add(&b, "], \"loops\": [");
  for (int k = 0; k < 2; k++) {
    textbuf_addf(&b,
                 "%s{\"name\": \"pin%d\", \"type\": \"revolute\", \"first\": {\"body\": \"b%d\", "
                 "\"axis\": [0, 1, 0]}, \"second\": {\"body\": \"b%d\", \"xyz\": [1, 0, 0], "
                 "\"axis\": [0, 1, 0]}}",
                 k ? ", " : "", k, first[k], second[k]);
  }
  textbuf_add(&b, "]}");
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_FALSE(b.failed);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_parse(&m, b.text, "chain", &err), err.what);
  textbuf_free(&b);
  return m;
}

static void test_refuses_what_it_cannot_do_and_names_the_loop(void) {
  const double bent[6] = {0.1, 0.9, 1.2, 0.8, 1.1, 0.7};

  // coupled loops, one on the world and one on bar 2
  Model *m = pinned_chain((const int[]){0, 2}, (const int[]){4, 6});
  check_refused(m, bent, "loop \"pin1\" shares joint \"q3\" with loop \"pin0\"",
                "base body (b2, not");
  model_free(m);

  // the same loop twice
  m = pinned_chain((const int[]){0, 0}, (const int[]){5, 5});
  check_refused(m, bent, "loop \"pin1\"", "only 0 of its 2 constraints are independent");
  model_free(m);

  // all bars in line: nothing moves the end along them
  m = pinned_chain((const int[]){0, 3}, (const int[]){3, 6});
  const double line[6] = {0};
  check_refused(m, line, "loop \"pin0\"", "only 1 of its 2 constraints are independent");

  // and nearly so
  const double near[6] = {0, 1e-5, 0, 0.1, 0.9, 1.2};
  check_refused(m, near, "loop \"pin0\"", "too near to one that is singular");
  model_free(m);

  // loops on what other loops settle already
  m = mechanism_load("net3x4");
  check_refused(m, NULL, "loop \"mesh0_2\" joins two bodies", "a branch from its base body");
  model_free(m);

  // tie rods and ball joints share the spindles' coordinates
  m = mechanism_load("hmmwv");
  check_refused(m, NULL, "loop \"left_front_ball\"", "restricts coordinates");
  model_free(m);
}

static void test_pivots_tell_the_loop_that_gets_singular(void) {
  Model *m = mechanism_load("fivebar");
  Error err = {0};
  RcrPlan *plan;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, rcr_plan_at(&plan, m, NULL, &err));
  double pivot[4] = {0.5, 0.5, 0.5, 0.5};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, rcr_plan_check(plan, m, pivot, &err));
  pivot[3] = 1e-12;
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, rcr_plan_check(plan, m, pivot, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, m->loop[plan->loop[1].loop].name), err.what);
  pivot[3] = NAN;
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, rcr_plan_check(plan, m, pivot, &err));
  rcr_plan_free(plan);
  model_free(m);
}

// ---- operations --------------------------------------------------------------------------------

static int operations(MechanismKind kind, int size) {
  const MechanismOptions opt = {.kind = kind, .size = size};
  Error err = {0};
  Model *m = NULL;
  RcrPlan *plan = NULL;
  DynFunction *f = NULL;
  ExprTape *tape = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, mechanism_build(&m, &opt, &err), err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, rcr_plan_at(&plan, m, NULL, &err), err.what);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, rcr_function_build(&f, m, plan, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, &err));
  int total = tape->count.total;
  expr_tape_free(tape);
  dyn_function_free(f);
  rcr_plan_free(plan);
  model_free(m);
  return total;
}

// many coupled loops, and one long one that is cut in its middle
static void test_operations_grow_with_n_and_m(void) {
  for (int n = 2; n <= 16; n *= 2) {
    double ratio = (double)operations(MECHANISM_LADDER, 2 * n) / operations(MECHANISM_LADDER, n);
    TEST_ASSERT_TRUE_MESSAGE(ratio <= 2.1, "ladder");
  }
  double ratio = (double)operations(MECHANISM_RING, 40) / operations(MECHANISM_RING, 20);
  TEST_ASSERT_TRUE_MESSAGE(ratio <= 2.1, "ring");
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_refuses_what_it_cannot_do_and_names_the_loop);
  RUN_TEST(test_pivots_tell_the_loop_that_gets_singular);
  RUN_TEST(test_operations_grow_with_n_and_m);
  return UNITY_END();
}
