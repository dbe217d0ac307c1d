// SPDX-License-Identifier: MIT
// Every test here must fail: ctest expects a non-zero exit, test_unity_counts.sh the exact count.
#include <math.h>
#include <stdlib.h>

#include "unity.h"

static const double one[2] = {1, 1}, other[2] = {1, 2};

void setUp(void) {
}

void tearDown(void) {
}

// one test per assertion: it has to leave the test before abort()
#define FAILING(name, assertion)   \
  static void fails_##name(void) { \
    assertion;                     \
    abort();                       \
  }

FAILING(assert, TEST_ASSERT(one[0] > one[1]))
FAILING(true, TEST_ASSERT_TRUE_MESSAGE(0, "told why"))
FAILING(false, TEST_ASSERT_FALSE(1))
FAILING(null, TEST_ASSERT_NULL(one))
FAILING(not_null, TEST_ASSERT_NOT_NULL(NULL))
FAILING(equal_int, TEST_ASSERT_EQUAL_INT(1, 2))
FAILING(equal_int_message, TEST_ASSERT_EQUAL_INT_MESSAGE(1, 2, "told why"))
FAILING(int_within, TEST_ASSERT_INT_WITHIN(1, 5, 7))
FAILING(equal_uint64, TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, 0))
FAILING(greater, TEST_ASSERT_GREATER_THAN_INT(2, 2))
FAILING(less, TEST_ASSERT_LESS_THAN_INT(2, 2))
FAILING(greater_or_equal, TEST_ASSERT_GREATER_OR_EQUAL_INT(2, 1))
FAILING(less_or_equal, TEST_ASSERT_LESS_OR_EQUAL_INT(2, 3))
FAILING(double_within, TEST_ASSERT_DOUBLE_WITHIN(0.5, 1.0, 1.6))
FAILING(double_nan, TEST_ASSERT_DOUBLE_WITHIN(0.5, 1.0, NAN))
FAILING(double_infinite, TEST_ASSERT_DOUBLE_WITHIN(INFINITY, 1.0, INFINITY))
FAILING(double_equal, TEST_ASSERT_EQUAL_DOUBLE(1.0, 1.0 + 1e-11))
FAILING(double_array, TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0.5, one, other, 2))
FAILING(double_array_of_none, TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0.5, one, other, 0))
FAILING(double_less, TEST_ASSERT_LESS_THAN_DOUBLE(1.0, 1.5))
FAILING(string, TEST_ASSERT_EQUAL_STRING("a", "b"))
FAILING(string_null, TEST_ASSERT_EQUAL_STRING("a", NULL))
FAILING(pointer, TEST_ASSERT_EQUAL_PTR(one, other))
FAILING(memory, TEST_ASSERT_EQUAL_MEMORY("ab", "ac", 2))
FAILING(fail, TEST_FAIL_MESSAGE("told why"))

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(fails_assert);
  RUN_TEST(fails_true);
  RUN_TEST(fails_false);
  RUN_TEST(fails_null);
  RUN_TEST(fails_not_null);
  RUN_TEST(fails_equal_int);
  RUN_TEST(fails_equal_int_message);
  RUN_TEST(fails_int_within);
  RUN_TEST(fails_equal_uint64);
  RUN_TEST(fails_greater);
  RUN_TEST(fails_less);
  RUN_TEST(fails_greater_or_equal);
  RUN_TEST(fails_less_or_equal);
  RUN_TEST(fails_double_within);
  RUN_TEST(fails_double_nan);
  RUN_TEST(fails_double_infinite);
  RUN_TEST(fails_double_equal);
  RUN_TEST(fails_double_array);
  RUN_TEST(fails_double_array_of_none);
  RUN_TEST(fails_double_less);
  RUN_TEST(fails_string);
  RUN_TEST(fails_string_null);
  RUN_TEST(fails_pointer);
  RUN_TEST(fails_memory);
  RUN_TEST(fails_fail);
  return UNITY_END();
}
