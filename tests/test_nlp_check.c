// SPDX-License-Identifier: MIT
#include "nlp/nlp_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc_support.h"
#include "nlp_support.h"
#include "unity.h"

static Error err;
static NlpCheckReport report;
static const double inside[4] = {1.1, 4.2, 3.7, 1.4};

void setUp(void) {
  err = (Error){0};
}

void tearDown(void) {
  alloc_fail_from(0);
}

static void check(const Nlp *nlp, const double *x, const NlpCheckOptions *opt) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, nlp_check(nlp, x, NULL, opt, &report, &err), err.what);
}

static void test_right_derivatives_pass_by_entries_and_by_directions(void) {
  check(&hs071, inside, NULL);
  TEST_ASSERT_TRUE(report.ok);
  TEST_ASSERT_TRUE(report.entrywise);
  for (int k = 0; k < 3; k++) TEST_ASSERT_TRUE(report.error[k] < 1e-9);
  check(&hs071, inside, &(NlpCheckOptions){.entrywise_up_to = -1});
  TEST_ASSERT_TRUE(report.ok);
  TEST_ASSERT_FALSE(report.entrywise);
  check(&rosenbrock, (double[]){-1.2, 1}, NULL);
  TEST_ASSERT_TRUE(report.ok);
  double x[2 * PAIRS];
  for (int i = 0; i < 2 * PAIRS; i++) x[i] = 0.01 * i;
  check(&pairs, x, NULL);
  TEST_ASSERT_TRUE(report.ok);
  TEST_ASSERT_EQUAL_INT(0, report.n_worst);
}

// ---- one fault at a time ------------------------------------------------------------------------

static bool wrong_grad(void *data, const double *x, bool new_x, double *grad) {
  hs071.gradient(data, x, new_x, grad);
  grad[2] += 0.5;
  return true;
}

static void test_a_wrong_gradient_entry_is_named(void) {
  Nlp nlp = hs071;
  nlp.gradient = wrong_grad;
  check(&nlp, inside, &(NlpCheckOptions){.directions = -1});
  TEST_ASSERT_FALSE(report.ok);
  TEST_ASSERT_EQUAL_INT(NLP_CHECK_GRADIENT, report.worst[0].kind);
  TEST_ASSERT_EQUAL_INT(2, report.worst[0].col);
  TEST_ASSERT_EQUAL_STRING("d (objective) / d (x2)", report.worst[0].name);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.5, report.worst[0].given - report.worst[0].difference);
  TEST_ASSERT_EQUAL_INT(1, report.wrong);
}

static bool wrong_jac(void *data, const double *x, bool new_x, double *v) {
  hs071.jacobian(data, x, new_x, v);
  v[6] *= 1.01;
  return true;
}

static void test_a_wrong_jacobian_entry_is_named_and_its_row_along_directions(void) {
  Nlp nlp = hs071;
  nlp.jacobian = wrong_jac;
  nlp.hessian = NULL;
  check(&nlp, inside, &(NlpCheckOptions){.directions = -1});
  TEST_ASSERT_EQUAL_INT(1, report.wrong);
  TEST_ASSERT_EQUAL_STRING("d (row 1) / d (x2)", report.worst[0].name);
  TEST_ASSERT_FALSE(report.worst[0].outside);
  check(&nlp, inside, &(NlpCheckOptions){.entrywise_up_to = -1});
  TEST_ASSERT_FALSE(report.ok);
  TEST_ASSERT_EQUAL_INT(1, report.worst[0].row);
  TEST_ASSERT_EQUAL_INT(-1, report.worst[0].col);
  TEST_ASSERT_EQUAL_STRING("d (row 1) / d (a direction)", report.worst[0].name);
}

static bool wrong_hess(void *data, const double *x, bool new_x, double s, const double *l,
                       double *v) {
  hs071.hessian(data, x, new_x, s, l, v);
  v[7] = -v[7];
  return true;
}

static void test_a_wrong_hessian_entry_is_named(void) {
  Nlp nlp = hs071;
  nlp.hessian = wrong_hess;
  check(&nlp, inside, &(NlpCheckOptions){.directions = -1});
  TEST_ASSERT_EQUAL_INT(1, report.wrong);
  TEST_ASSERT_EQUAL_INT(NLP_CHECK_HESSIAN, report.worst[0].kind);
  TEST_ASSERT_EQUAL_INT(3, report.worst[0].row);
  TEST_ASSERT_EQUAL_INT(1, report.worst[0].col);
  TEST_ASSERT_EQUAL_STRING("d2 / d (x3) d (x1)", report.worst[0].name);
}

static bool short_jac(void *data, const double *x, bool new_x, double *v) {
  double all[8];
  hs071.jacobian(data, x, new_x, all);
  memcpy(v, all, 7 * sizeof *v);
  return true;
}

static void test_a_forgotten_nonzero_is_outside_the_pattern(void) {
  Nlp nlp = hs071;
  nlp.jacobian = short_jac;
  nlp.jac_nnz = 7;
  nlp.hessian = NULL;
  check(&nlp, inside, NULL);
  TEST_ASSERT_FALSE(report.ok);
  TEST_ASSERT_EQUAL_INT(1, report.outside);
  bool found = false;
  for (int i = 0; i < report.n_worst; i++)
    found = found ||
            (report.worst[i].outside && report.worst[i].row == 1 && report.worst[i].col == 3);
  TEST_ASSERT_TRUE(found);
}

static void test_pattern_faults_are_counted(void) {
  Nlp nlp = hs071;
  int row[8] = {0, 0, 0, 0, 1, 1, 1, 2};
  nlp.jac_row = row;
  check(&nlp, inside, NULL);
  TEST_ASSERT_FALSE(report.ok);
  TEST_ASSERT_EQUAL_INT(1, report.out_of_range);
  nlp = hs071;
  int hess_row[10] = {0, 0, 1, 2, 2, 2, 3, 3, 3, 3}, hess_col[10] = {0, 1, 1, 0, 1, 2, 0, 1, 2, 3};
  nlp.hess_row = hess_row;
  nlp.hess_col = hess_col;
  check(&nlp, inside, NULL);
  TEST_ASSERT_EQUAL_INT(1, report.above_diagonal);
  TEST_ASSERT_EQUAL_INT(0, report.wrong);
  TEST_ASSERT_FALSE(report.ok);
  nlp = hs071;
  double lower[4] = {1, 6, NAN, 1};
  nlp.x_lower = lower;
  check(&nlp, inside, NULL);
  TEST_ASSERT_EQUAL_INT(2, report.crossed_bounds);
}

// every entry of the first row in two halves
static bool halves_jac(void *data, const double *x, bool new_x, double *v) {
  double all[8];
  hs071.jacobian(data, x, new_x, all);
  memcpy(v, all, sizeof all);
  v[8] = 0.25 * v[0];
  v[0] *= 0.75;
  return true;
}

static void test_duplicates_add_up_and_are_counted(void) {
  Nlp nlp = hs071;
  int row[9] = {0, 0, 0, 0, 1, 1, 1, 1, 0}, col[9] = {0, 1, 2, 3, 0, 1, 2, 3, 0};
  nlp.jac_row = row;
  nlp.jac_col = col;
  nlp.jac_nnz = 9;
  nlp.jacobian = halves_jac;
  check(&nlp, inside, NULL);
  TEST_ASSERT_TRUE(report.ok);
  TEST_ASSERT_EQUAL_INT(1, report.jac_duplicates);
  TEST_ASSERT_EQUAL_INT(0, report.hess_duplicates);
}

static bool nan_jac(void *data, const double *x, bool new_x, double *v) {
  hs071.jacobian(data, x, new_x, v);
  v[5] = NAN;
  return true;
}

static bool no_value(void *data, const double *x, bool new_x, double *f) {
  (void)data, (void)x, (void)new_x, (void)f;
  return false;
}

static void test_nan_is_located(void) {
  Nlp nlp = hs071;
  nlp.jacobian = nan_jac;
  check(&nlp, inside, NULL);
  TEST_ASSERT_FALSE(report.ok);
  TEST_ASSERT_EQUAL_INT(1, report.not_finite);
  TEST_ASSERT_EQUAL_STRING("Jacobian, entry 5", report.not_finite_name);
  nlp = hs071;
  nlp.objective = no_value;
  check(&nlp, inside, NULL);
  TEST_ASSERT_EQUAL_STRING("objective: no value here", report.not_finite_name);
  TEST_ASSERT_TRUE(report.skipped > 0);
}

static void test_ranges_tell_the_scaling(void) {
  check(&hs071, inside, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.2, report.jacobian.smallest);
  TEST_ASSERT_EQUAL_STRING("d (row 1) / d (x0)", report.jacobian.smallest_name);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4.2 * 3.7 * 1.4, report.jacobian.largest);
  TEST_ASSERT_EQUAL_STRING("d (row 0) / d (x0)", report.jacobian.largest_name);
  check(&rosenbrock, (double[]){-1.2, 1}, NULL);
  TEST_ASSERT_EQUAL_INT(-1, report.jacobian.largest_entry);
}

static void test_the_report_as_text_names_the_worst(void) {
  Nlp nlp = hs071;
  nlp.gradient = wrong_grad;
  check(&nlp, inside, NULL);
  TextBuf text = {0};
  nlp_check_text(&report, &text);
  bool found = text.text && strstr(text.text, "FAULTY") &&
               strstr(text.text, "d (objective) / d (x2)");
  textbuf_free(&text);
  TEST_ASSERT_TRUE(found);
}

static void test_every_allocation_may_fail(void) {
  for (long n = 1;; n++) {
    long before = alloc_live();
    alloc_fail_from(n);
    Status status = nlp_check(&hs071, inside, NULL, NULL, &report, &err);
    bool reached = alloc_count() >= n;
    alloc_fail_from(0);
    TEST_ASSERT_TRUE(alloc_live() == before);
    TEST_ASSERT_EQUAL_INT(reached ? STATUS_NO_MEMORY : STATUS_OK, status);
    if (!reached) return;
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_right_derivatives_pass_by_entries_and_by_directions);
  RUN_TEST(test_a_wrong_gradient_entry_is_named);
  RUN_TEST(test_a_wrong_jacobian_entry_is_named_and_its_row_along_directions);
  RUN_TEST(test_a_wrong_hessian_entry_is_named);
  RUN_TEST(test_a_forgotten_nonzero_is_outside_the_pattern);
  RUN_TEST(test_pattern_faults_are_counted);
  RUN_TEST(test_duplicates_add_up_and_are_counted);
  RUN_TEST(test_nan_is_located);
  RUN_TEST(test_ranges_tell_the_scaling);
  RUN_TEST(test_the_report_as_text_names_the_worst);
  RUN_TEST(test_every_allocation_may_fail);
  return UNITY_END();
}
