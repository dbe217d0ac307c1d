// SPDX-License-Identifier: MIT
// The part of Unity's test API that Poise uses, in a small writing of our own, for machines without
// Unity: the same test files build with either (tests/CMakeLists.txt chooses). A failed assertion
// prints file:line:test:FAIL: message and leaves the test; UNITY_END returns the number of failures.
// As in Unity, NaN equals NaN, an infinity equals itself, EQUAL_DOUBLE means within 1e-12 of the
// expected value (relative), and comparing arrays of no elements is a failure.
#ifndef POISE_TESTS_UNITY_H
#define POISE_TESTS_UNITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Written by each test file: run before and after every test.
void setUp(void);
void tearDown(void);

// ---- running a file of tests ----
#define UNITY_BEGIN() UnityBegin(__FILE__)
#define UNITY_END() UnityEnd()
#define RUN_TEST(test) UnityDefaultTestRun(test, #test, __LINE__)

void UnityBegin(const char *file);
int UnityEnd(void);  // prints the summary, returns the number of failures
void UnityDefaultTestRun(void (*test)(void), const char *name, int line);

// ---- what the macros call; `msg` may be NULL ----
typedef enum UnityRelation {
  UNITY_EQ,
  UNITY_NE,
  UNITY_LT,
  UNITY_LE,
  UNITY_GT,
  UNITY_GE
} UnityRelation;

_Noreturn void unity_fail(int line, const char *msg);
_Noreturn void unity_ignore(int line, const char *msg);
_Noreturn void unity_pass(int line, const char *msg);
void unity_message(int line, const char *msg);
void unity_int(UnityRelation rel, int64_t bound, int64_t actual, int line, const char *msg);
void unity_uint(UnityRelation rel, uint64_t bound, uint64_t actual, int line, const char *msg);
void unity_int_within(uint64_t delta, int64_t expected, int64_t actual, int line, const char *msg);
void unity_uint_within(uint64_t delta, uint64_t expected, uint64_t actual, int line,
                       const char *msg);
void unity_int_array(const int *expected, const int *actual, size_t n, int line, const char *msg);
void unity_double(UnityRelation rel, double bound, double actual, int line, const char *msg);
void unity_double_within(double delta, double expected, double actual, int line, const char *msg);
void unity_double_equal(double expected, double actual, int line, const char *msg);
void unity_double_array_within(double delta, const double *expected, const double *actual, size_t n,
                               int line, const char *msg);
void unity_double_array_equal(const double *expected, const double *actual, size_t n, int line,
                              const char *msg);
void unity_pointer(const void *expected, const void *actual, int line, const char *msg);
void unity_memory(const void *expected, const void *actual, size_t n, int line, const char *msg);
void unity_string(const char *expected, const char *actual, size_t longest, int line,
                  const char *msg);

#define UNITY_REQUIRE(ok, msg)              \
  do {                                      \
    if (!(ok)) unity_fail(__LINE__, (msg)); \
  } while (0)

// ---- leaving a test ----
#define TEST_FAIL_MESSAGE(msg) unity_fail(__LINE__, (msg))
#define TEST_FAIL() unity_fail(__LINE__, NULL)
#define TEST_IGNORE_MESSAGE(msg) unity_ignore(__LINE__, (msg))
#define TEST_IGNORE() unity_ignore(__LINE__, NULL)
#define TEST_PASS_MESSAGE(msg) unity_pass(__LINE__, (msg))
#define TEST_PASS() unity_pass(__LINE__, NULL)
#define TEST_MESSAGE(msg) unity_message(__LINE__, (msg))

// ---- truth ----
#define TEST_ASSERT(c) UNITY_REQUIRE(c, "Expression Evaluated To FALSE: " #c)
#define TEST_ASSERT_MESSAGE(c, msg) UNITY_REQUIRE(c, msg)
#define TEST_ASSERT_TRUE(c) UNITY_REQUIRE(c, "Expected TRUE Was FALSE: " #c)
#define TEST_ASSERT_TRUE_MESSAGE(c, msg) UNITY_REQUIRE(c, msg)
#define TEST_ASSERT_FALSE(c) UNITY_REQUIRE(!(c), "Expected FALSE Was TRUE: " #c)
#define TEST_ASSERT_FALSE_MESSAGE(c, msg) UNITY_REQUIRE(!(c), msg)
#define TEST_ASSERT_NULL(p) UNITY_REQUIRE((p) == NULL, "Expected NULL: " #p)
#define TEST_ASSERT_NULL_MESSAGE(p, msg) UNITY_REQUIRE((p) == NULL, msg)
#define TEST_ASSERT_NOT_NULL(p) UNITY_REQUIRE((p) != NULL, "Expected Non-NULL: " #p)
#define TEST_ASSERT_NOT_NULL_MESSAGE(p, msg) UNITY_REQUIRE((p) != NULL, msg)
#define TEST_ASSERT_EQUAL_PTR(e, a) unity_pointer((e), (a), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_PTR_MESSAGE(e, a, msg) unity_pointer((e), (a), __LINE__, (msg))
#define TEST_ASSERT_EQUAL(e, a) TEST_ASSERT_EQUAL_INT(e, a)
#define TEST_ASSERT_EQUAL_MESSAGE(e, a, msg) TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, msg)

// ---- signed integers: expected or bound first, actual second ----
#define TEST_ASSERT_EQUAL_INT(e, a) unity_int(UNITY_EQ, (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, msg) \
  unity_int(UNITY_EQ, (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_NOT_EQUAL_INT(e, a) \
  unity_int(UNITY_NE, (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_NOT_EQUAL_INT_MESSAGE(e, a, msg) \
  unity_int(UNITY_NE, (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_LESS_THAN_INT(e, a) \
  unity_int(UNITY_LT, (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_LESS_THAN_INT_MESSAGE(e, a, msg) \
  unity_int(UNITY_LT, (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_LESS_OR_EQUAL_INT(e, a) \
  unity_int(UNITY_LE, (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(e, a, msg) \
  unity_int(UNITY_LE, (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_GREATER_THAN_INT(e, a) \
  unity_int(UNITY_GT, (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_GREATER_THAN_INT_MESSAGE(e, a, msg) \
  unity_int(UNITY_GT, (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_GREATER_OR_EQUAL_INT(e, a) \
  unity_int(UNITY_GE, (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(e, a, msg) \
  unity_int(UNITY_GE, (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_INT_WITHIN(delta, e, a) \
  unity_int_within((uint64_t)(delta), (int64_t)(e), (int64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_INT_WITHIN_MESSAGE(delta, e, a, msg) \
  unity_int_within((uint64_t)(delta), (int64_t)(e), (int64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_EQUAL_INT_ARRAY(e, a, n) unity_int_array((e), (a), (size_t)(n), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_INT_ARRAY_MESSAGE(e, a, n, msg) \
  unity_int_array((e), (a), (size_t)(n), __LINE__, (msg))

// ---- unsigned integers: expected or bound first, actual second ----
#define TEST_ASSERT_EQUAL_UINT(e, a) \
  unity_uint(UNITY_EQ, (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_UINT_MESSAGE(e, a, msg) \
  unity_uint(UNITY_EQ, (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_NOT_EQUAL_UINT(e, a) \
  unity_uint(UNITY_NE, (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_NOT_EQUAL_UINT_MESSAGE(e, a, msg) \
  unity_uint(UNITY_NE, (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_LESS_THAN_UINT(e, a) \
  unity_uint(UNITY_LT, (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_LESS_THAN_UINT_MESSAGE(e, a, msg) \
  unity_uint(UNITY_LT, (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_LESS_OR_EQUAL_UINT(e, a) \
  unity_uint(UNITY_LE, (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_UINT_MESSAGE(e, a, msg) \
  unity_uint(UNITY_LE, (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_GREATER_THAN_UINT(e, a) \
  unity_uint(UNITY_GT, (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_GREATER_THAN_UINT_MESSAGE(e, a, msg) \
  unity_uint(UNITY_GT, (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_GREATER_OR_EQUAL_UINT(e, a) \
  unity_uint(UNITY_GE, (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL_UINT_MESSAGE(e, a, msg) \
  unity_uint(UNITY_GE, (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))
#define TEST_ASSERT_UINT_WITHIN(delta, e, a) \
  unity_uint_within((uint64_t)(delta), (uint64_t)(e), (uint64_t)(a), __LINE__, NULL)
#define TEST_ASSERT_UINT_WITHIN_MESSAGE(delta, e, a, msg) \
  unity_uint_within((uint64_t)(delta), (uint64_t)(e), (uint64_t)(a), __LINE__, (msg))

#define TEST_ASSERT_EQUAL_INT64 TEST_ASSERT_EQUAL_INT
#define TEST_ASSERT_EQUAL_INT64_MESSAGE TEST_ASSERT_EQUAL_INT_MESSAGE
#define TEST_ASSERT_NOT_EQUAL_INT64 TEST_ASSERT_NOT_EQUAL_INT
#define TEST_ASSERT_NOT_EQUAL_INT64_MESSAGE TEST_ASSERT_NOT_EQUAL_INT_MESSAGE
#define TEST_ASSERT_LESS_THAN_INT64 TEST_ASSERT_LESS_THAN_INT
#define TEST_ASSERT_LESS_THAN_INT64_MESSAGE TEST_ASSERT_LESS_THAN_INT_MESSAGE
#define TEST_ASSERT_LESS_OR_EQUAL_INT64 TEST_ASSERT_LESS_OR_EQUAL_INT
#define TEST_ASSERT_LESS_OR_EQUAL_INT64_MESSAGE TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE
#define TEST_ASSERT_GREATER_THAN_INT64 TEST_ASSERT_GREATER_THAN_INT
#define TEST_ASSERT_GREATER_THAN_INT64_MESSAGE TEST_ASSERT_GREATER_THAN_INT_MESSAGE
#define TEST_ASSERT_GREATER_OR_EQUAL_INT64 TEST_ASSERT_GREATER_OR_EQUAL_INT
#define TEST_ASSERT_GREATER_OR_EQUAL_INT64_MESSAGE TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE
#define TEST_ASSERT_INT64_WITHIN TEST_ASSERT_INT_WITHIN
#define TEST_ASSERT_INT64_WITHIN_MESSAGE TEST_ASSERT_INT_WITHIN_MESSAGE

#define TEST_ASSERT_EQUAL_UINT64 TEST_ASSERT_EQUAL_UINT
#define TEST_ASSERT_EQUAL_UINT64_MESSAGE TEST_ASSERT_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_NOT_EQUAL_UINT64 TEST_ASSERT_NOT_EQUAL_UINT
#define TEST_ASSERT_NOT_EQUAL_UINT64_MESSAGE TEST_ASSERT_NOT_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_LESS_THAN_UINT64 TEST_ASSERT_LESS_THAN_UINT
#define TEST_ASSERT_LESS_THAN_UINT64_MESSAGE TEST_ASSERT_LESS_THAN_UINT_MESSAGE
#define TEST_ASSERT_LESS_OR_EQUAL_UINT64 TEST_ASSERT_LESS_OR_EQUAL_UINT
#define TEST_ASSERT_LESS_OR_EQUAL_UINT64_MESSAGE TEST_ASSERT_LESS_OR_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_GREATER_THAN_UINT64 TEST_ASSERT_GREATER_THAN_UINT
#define TEST_ASSERT_GREATER_THAN_UINT64_MESSAGE TEST_ASSERT_GREATER_THAN_UINT_MESSAGE
#define TEST_ASSERT_GREATER_OR_EQUAL_UINT64 TEST_ASSERT_GREATER_OR_EQUAL_UINT
#define TEST_ASSERT_GREATER_OR_EQUAL_UINT64_MESSAGE TEST_ASSERT_GREATER_OR_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_UINT64_WITHIN TEST_ASSERT_UINT_WITHIN
#define TEST_ASSERT_UINT64_WITHIN_MESSAGE TEST_ASSERT_UINT_WITHIN_MESSAGE

#define TEST_ASSERT_EQUAL_size_t TEST_ASSERT_EQUAL_UINT
#define TEST_ASSERT_EQUAL_size_t_MESSAGE TEST_ASSERT_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_NOT_EQUAL_size_t TEST_ASSERT_NOT_EQUAL_UINT
#define TEST_ASSERT_NOT_EQUAL_size_t_MESSAGE TEST_ASSERT_NOT_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_LESS_THAN_size_t TEST_ASSERT_LESS_THAN_UINT
#define TEST_ASSERT_LESS_THAN_size_t_MESSAGE TEST_ASSERT_LESS_THAN_UINT_MESSAGE
#define TEST_ASSERT_LESS_OR_EQUAL_size_t TEST_ASSERT_LESS_OR_EQUAL_UINT
#define TEST_ASSERT_LESS_OR_EQUAL_size_t_MESSAGE TEST_ASSERT_LESS_OR_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_GREATER_THAN_size_t TEST_ASSERT_GREATER_THAN_UINT
#define TEST_ASSERT_GREATER_THAN_size_t_MESSAGE TEST_ASSERT_GREATER_THAN_UINT_MESSAGE
#define TEST_ASSERT_GREATER_OR_EQUAL_size_t TEST_ASSERT_GREATER_OR_EQUAL_UINT
#define TEST_ASSERT_GREATER_OR_EQUAL_size_t_MESSAGE TEST_ASSERT_GREATER_OR_EQUAL_UINT_MESSAGE
#define TEST_ASSERT_size_t_WITHIN TEST_ASSERT_UINT_WITHIN
#define TEST_ASSERT_size_t_WITHIN_MESSAGE TEST_ASSERT_UINT_WITHIN_MESSAGE

// ---- double ----
#define TEST_ASSERT_LESS_THAN_DOUBLE(e, a) unity_double(UNITY_LT, (e), (a), __LINE__, NULL)
#define TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(e, a, msg) \
  unity_double(UNITY_LT, (e), (a), __LINE__, (msg))
#define TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(e, a) unity_double(UNITY_LE, (e), (a), __LINE__, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_DOUBLE_MESSAGE(e, a, msg) \
  unity_double(UNITY_LE, (e), (a), __LINE__, (msg))
#define TEST_ASSERT_GREATER_THAN_DOUBLE(e, a) unity_double(UNITY_GT, (e), (a), __LINE__, NULL)
#define TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(e, a, msg) \
  unity_double(UNITY_GT, (e), (a), __LINE__, (msg))
#define TEST_ASSERT_GREATER_OR_EQUAL_DOUBLE(e, a) unity_double(UNITY_GE, (e), (a), __LINE__, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL_DOUBLE_MESSAGE(e, a, msg) \
  unity_double(UNITY_GE, (e), (a), __LINE__, (msg))
#define TEST_ASSERT_EQUAL_DOUBLE(e, a) unity_double_equal((e), (a), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(e, a, msg) unity_double_equal((e), (a), __LINE__, (msg))
#define TEST_ASSERT_DOUBLE_WITHIN(delta, e, a) \
  unity_double_within((delta), (e), (a), __LINE__, NULL)
#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(delta, e, a, msg) \
  unity_double_within((delta), (e), (a), __LINE__, (msg))
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY(e, a, n) \
  unity_double_array_equal((e), (a), (size_t)(n), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(e, a, n, msg) \
  unity_double_array_equal((e), (a), (size_t)(n), __LINE__, (msg))
#define TEST_ASSERT_DOUBLE_ARRAY_WITHIN(delta, e, a, n) \
  unity_double_array_within((delta), (e), (a), (size_t)(n), __LINE__, NULL)
#define TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(delta, e, a, n, msg) \
  unity_double_array_within((delta), (e), (a), (size_t)(n), __LINE__, (msg))
#define TEST_ASSERT_DOUBLE_IS_NAN(a) UNITY_REQUIRE((a) != (a), "Expected NaN: " #a)
#define TEST_ASSERT_DOUBLE_IS_NAN_MESSAGE(a, msg) UNITY_REQUIRE((a) != (a), msg)
#define TEST_ASSERT_DOUBLE_IS_DETERMINATE(a) UNITY_REQUIRE((a) - (a) == 0, "Expected Finite: " #a)
#define TEST_ASSERT_DOUBLE_IS_DETERMINATE_MESSAGE(a, msg) UNITY_REQUIRE((a) - (a) == 0, msg)

// ---- text and bytes ----
#define TEST_ASSERT_EQUAL_STRING(e, a) unity_string((e), (a), SIZE_MAX, __LINE__, NULL)
#define TEST_ASSERT_EQUAL_STRING_MESSAGE(e, a, msg) \
  unity_string((e), (a), SIZE_MAX, __LINE__, (msg))
#define TEST_ASSERT_EQUAL_STRING_LEN(e, a, n) unity_string((e), (a), (size_t)(n), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(e, a, n, msg) \
  unity_string((e), (a), (size_t)(n), __LINE__, (msg))
#define TEST_ASSERT_EQUAL_MEMORY(e, a, n) unity_memory((e), (a), (size_t)(n), __LINE__, NULL)
#define TEST_ASSERT_EQUAL_MEMORY_MESSAGE(e, a, n, msg) \
  unity_memory((e), (a), (size_t)(n), __LINE__, (msg))

#endif
