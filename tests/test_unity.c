// SPDX-License-Identifier: MIT
// The assertions that the tests rely on accept what they should, with Unity or with our own header.
#include <math.h>
#include <stdlib.h>

#include "unity.h"

static int n_set_up, n_torn_down;

void setUp(void) {
  n_set_up++;
}

void tearDown(void) {
  n_torn_down++;
}

static void test_set_up_runs_before_and_tear_down_after_each_test(void) {
  TEST_ASSERT_EQUAL_INT(1, n_set_up);
  TEST_ASSERT_EQUAL_INT(0, n_torn_down);
}

static void test_integers_compare(void) {
  TEST_ASSERT_EQUAL_INT(-3, -3);
  TEST_ASSERT_NOT_EQUAL_INT(-3, 3);
  TEST_ASSERT_INT_WITHIN(2, 5, 7);
  TEST_ASSERT_INT_WITHIN(2, 5, 3);
  TEST_ASSERT_GREATER_THAN_INT(1, 2);
  TEST_ASSERT_LESS_THAN_INT(2, 1);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(2, 2);
  TEST_ASSERT_LESS_OR_EQUAL_INT(2, 2);
  TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, UINT64_MAX);
  TEST_ASSERT_EQUAL_INT64_MESSAGE(INT64_MIN, INT64_MIN, "message");
  TEST_ASSERT_EQUAL_INT_ARRAY(((int[]){1, 2}), ((int[]){1, 2}), 2);
}

static void test_doubles_compare(void) {
  const double expected[3] = {1, -2, NAN}, actual[3] = {1 + 1e-10, -2, NAN};
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, 1 - 1e-10);
  TEST_ASSERT_DOUBLE_WITHIN(0.0, INFINITY, INFINITY);
  TEST_ASSERT_EQUAL_DOUBLE(1e20, 1e20 * (1 + 1e-15));
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-9, expected, actual, 3);
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(expected, expected, 3);
  TEST_ASSERT_GREATER_THAN_DOUBLE(1.0, 1.5);
  TEST_ASSERT_LESS_THAN_DOUBLE(1.5, 1.0);
  TEST_ASSERT_DOUBLE_IS_NAN(NAN);
  TEST_ASSERT_DOUBLE_IS_DETERMINATE(1.0);
}

static void test_strings_pointers_and_truth_compare(void) {
  const char *none = NULL;
  TEST_ASSERT_EQUAL_STRING("abc", "abc");
  TEST_ASSERT_EQUAL_STRING_LEN("abcd", "abce", 3);
  TEST_ASSERT_EQUAL_MEMORY("abc", "abc", 4);
  TEST_ASSERT_EQUAL_PTR(&n_set_up, &n_set_up);
  TEST_ASSERT_NULL(none);
  TEST_ASSERT_NOT_NULL_MESSAGE(&none, "message");
  TEST_ASSERT_TRUE(1);
  TEST_ASSERT_FALSE_MESSAGE(0, "message");
  TEST_ASSERT_MESSAGE(1, "message");
}

static void test_pass_leaves_the_test(void) {
  TEST_PASS();
  abort();
}

static void test_ignore_leaves_the_test(void) {
  TEST_IGNORE_MESSAGE("this one is meant to be ignored");
  abort();
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_set_up_runs_before_and_tear_down_after_each_test);
  RUN_TEST(test_integers_compare);
  RUN_TEST(test_doubles_compare);
  RUN_TEST(test_strings_pointers_and_truth_compare);
  RUN_TEST(test_pass_leaves_the_test);
  RUN_TEST(test_ignore_leaves_the_test);
  return UNITY_END();
}
