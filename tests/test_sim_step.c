// SPDX-License-Identifier: MIT
// Fixed-step integrators: their order on problems with known solutions, what happens when f refuses.
#include "sim/sim_step.h"

#include <math.h>

#include "unity.h"

static const char *const names[] = {"euler", "rk2", "rk4"};

void setUp(void) {
}
void tearDown(void) {
}

// x' = t x, x = exp(t^2 / 2) from 1; and a rotation beside it
static bool rate(void *data, double t, const double *x, double *dx) {
  (void)data;
  dx[0] = t * x[0];
  dx[1] = -x[2];
  dx[2] = x[1];
  return true;
}

static double error_after(const SimScheme *s, int steps) {
  double x[3] = {1, 1, 0}, work[SIM_STEP_WORK(3)], h = 1.0 / steps;
  for (int k = 0; k < steps; k++) {
    TEST_ASSERT_TRUE(sim_step(s, 3, rate, NULL, k * h, h, x, work));
  }
  return fabs(x[0] - exp(0.5)) + fabs(x[1] - cos(1.0)) + fabs(x[2] - sin(1.0));
}

static void test_error_falls_with_the_order_of_the_scheme(void) {
  for (int i = 0; i < 3; i++) {
    const SimScheme *s = sim_scheme_find(names[i]);
    TEST_ASSERT_NOT_NULL(s);
    double ratio = error_after(s, 40) / error_after(s, 80);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.1, s->order, log2(ratio), s->name);
  }
}

static bool refuses_late(void *data, double t, const double *x, double *dx) {
  (void)data;
  dx[0] = x[0];
  return t <= 0.0;
}

static void test_a_step_given_up_leaves_the_state(void) {
  double x[1] = {3}, work[SIM_STEP_WORK(1)];
  TEST_ASSERT_FALSE(sim_step(sim_scheme_find("rk4"), 1, refuses_late, NULL, 0, 0.1, x, work));
  TEST_ASSERT_EQUAL_DOUBLE(3, x[0]);
}

static void test_unknown_names_are_not_found(void) {
  TEST_ASSERT_NULL(sim_scheme_find("rk3"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_error_falls_with_the_order_of_the_scheme);
  RUN_TEST(test_a_step_given_up_leaves_the_state);
  RUN_TEST(test_unknown_names_are_not_found);
  return UNITY_END();
}
