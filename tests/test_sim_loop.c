// SPDX-License-Identifier: MIT
// Motion of mechanisms with loops by fixed steps: methods agree, energy stays, RCR keeps the loops
// closed in velocity and changes its coordinates where they become singular.
#include "sim/sim_loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/loop_eval.h"
#include "loop_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX = 64 };

static SimLoop *start(const Model *m, const LoopMethod *method) {
  Error err = {0};
  SimLoop *s;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, sim_loop_build(&s, m, method, NULL, &err), err.what);
  return s;
}

static void go(SimLoop *s, double h, int steps, const double *tau) {
  Error err = {0};
  for (int k = 0; k < steps; k++) {
    Status status = sim_loop_step(s, sim_scheme_find("rk4"), h, tau, &err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  }
}

static void test_every_method_moves_alike(void) {
  static const char *const names[] = {"fourbar", "fivebar", "squares4", "ladder2", "shoulder"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Model *m = mechanism_load(names[i]);
    double q[MAX], other[MAX];
    TEST_ASSERT_LESS_OR_EQUAL_INT(MAX, m->nv);
    SimLoop *s = start(m, &loop_rcr);
    go(s, 0.001, 150, NULL);
    sim_loop_get(s, q, NULL);
    sim_loop_free(s);
    for (int k = 0; loop_methods[k]; k++) {
      Error err = {0};
      if (loop_methods[k] == &loop_rcr || loop_methods[k]->applies(m, &err)) continue;
      s = start(m, loop_methods[k]);
      go(s, 0.001, 150, NULL);
      sim_loop_get(s, other, NULL);
      sim_loop_free(s);
      double worst = 0;
      for (int j = 0; j < m->nv; j++) worst = fmax(worst, fabs(q[j] - other[j]));
      char text[100];
      snprintf(text, sizeof text, "%s, %s: %.2g", names[i], loop_methods[k]->name, worst);
      TEST_ASSERT_TRUE_MESSAGE(worst < 1e-7, text);
    }
    model_free(m);
  }
}

// legs that pass through straight are singular for the coordinates of the others
static void test_rcr_changes_coordinates_where_they_are_singular(void) {
  Model *m = mechanism_load("fivebar");
  SimLoop *rcr = start(m, &loop_rcr), *aug = start(m, &loop_tree_aug);
  double q[MAX], v[MAX], other[MAX], rate[MAX];
  LoopEval *e;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_eval_build(&e, m, &err));
  go(rcr, 0.0005, 2000, NULL);
  go(aug, 0.0005, 2000, NULL);
  sim_loop_get(rcr, q, v);
  sim_loop_get(aug, other, NULL);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(1, sim_loop_choices(rcr));
  TEST_ASSERT_TRUE(loop_eval(e, q, v, NULL, rate, NULL, NULL));
  for (int r = 0; r < e->n_row; r++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, rate[r]);
  for (int i = 0; i < m->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-5, other[i], q[i]);
  loop_eval_free(e);
  sim_loop_free(rcr);
  sim_loop_free(aug);
  model_free(m);
}

// With all bars in line every choice is singular: refused at the start, by name.
static void test_rcr_refuses_where_nothing_is_fit(void) {
  Model *m = mechanism_load("fourbar");
  const double flat[3] = {0, 0, 0};  // not closed, which is of no account
  SimLoop *s;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_loop_build(&s, m, &loop_rcr, flat, &err));
  TEST_ASSERT_NULL(s);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "\"pin\""));
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_method_moves_alike);
  RUN_TEST(test_rcr_changes_coordinates_where_they_are_singular);
  RUN_TEST(test_rcr_refuses_where_nothing_is_fit);
  return UNITY_END();
}
