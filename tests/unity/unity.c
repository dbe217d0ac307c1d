// SPDX-License-Identifier: MIT
#include "unity.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static const double equal_precision = 1e-12;  // of EQUAL_DOUBLE, relative: Unity's default

typedef enum Outcome { RUNNING, PASSED, IGNORED, FAILED } Outcome;

// The runner's state: one file of tests per process, as in Unity.
static const char *test_file;
static const char *test_name;
static int n_tests, n_failures, n_ignored;
static volatile Outcome outcome;
static jmp_buf leave;

void UnityBegin(const char *file) {
  test_file = file;
  n_tests = n_failures = n_ignored = 0;
}

int UnityEnd(void) {
  printf("\n-----------------------\n%d Tests %d Failures %d Ignored\n%s\n", n_tests, n_failures,
         n_ignored, n_failures ? "FAIL" : "OK");
  fflush(stdout);
  return n_failures;
}

static void print_line(int line, const char *verdict, const char *msg) {
  printf("%s:%d:%s:%s%s%s\n", test_file, line, test_name, verdict, msg ? ": " : "", msg ? msg : "");
  fflush(stdout);
}

void UnityDefaultTestRun(void (*test)(void), const char *name, int line) {
  test_name = name;
  n_tests++;
  outcome = RUNNING;
  if (setjmp(leave) == 0) {
    setUp();
    test();
  }
  // tearDown runs whatever happened, and may itself fail
  if (setjmp(leave) == 0) tearDown();

  if (outcome == FAILED) n_failures++;
  else if (outcome == IGNORED) n_ignored++;
  else if (outcome == RUNNING) print_line(line, "PASS", NULL);
}

void unity_fail(int line, const char *msg) {
  print_line(line, "FAIL", msg);
  outcome = FAILED;
  longjmp(leave, 1);
}

void unity_ignore(int line, const char *msg) {
  print_line(line, "IGNORE", msg);
  if (outcome != FAILED) outcome = IGNORED;
  longjmp(leave, 1);
}

void unity_pass(int line, const char *msg) {
  print_line(line, "PASS", msg);
  if (outcome != FAILED) outcome = PASSED;
  longjmp(leave, 1);
}

void unity_message(int line, const char *msg) {
  print_line(line, "INFO", msg);
}

// fails with the text of the comparison, and the caller's message behind it
static _Noreturn void fail_compared(int line, const char *compared, const char *msg) {
  char text[1024];
  snprintf(text, sizeof text, "%s%s%s", compared, msg ? ". " : "", msg ? msg : "");
  unity_fail(line, text);
}

static const char *relation_text(UnityRelation rel) {
  static const char *const text[] = {"",
                                     "to be not equal to ",
                                     "to be less than ",
                                     "to be less or equal to ",
                                     "to be greater than ",
                                     "to be greater or equal to "};
  return text[rel];
}

static bool holds(UnityRelation rel, bool less, bool greater) {
  switch (rel) {
    case UNITY_EQ: return !less && !greater;
    case UNITY_NE: return less || greater;
    case UNITY_LT: return less;
    case UNITY_LE: return !greater;
    case UNITY_GT: return greater;
    case UNITY_GE: return !less;
  }
  return false;
}

// Unity's wording: "Expected 3 Was 4" for equality, "Expected 4 to be less than 3" otherwise
static _Noreturn void fail_relation(UnityRelation rel, const char *bound, const char *actual,
                                    int line, const char *msg) {
  char text[256];
  if (rel == UNITY_EQ) snprintf(text, sizeof text, "Expected %s Was %s", bound, actual);
  else snprintf(text, sizeof text, "Expected %s %s%s", actual, relation_text(rel), bound);
  fail_compared(line, text, msg);
}

void unity_int(UnityRelation rel, int64_t bound, int64_t actual, int line, const char *msg) {
  if (holds(rel, actual<bound, actual> bound)) return;
  char b[32], a[32];
  snprintf(b, sizeof b, "%" PRId64, bound);
  snprintf(a, sizeof a, "%" PRId64, actual);
  fail_relation(rel, b, a, line, msg);
}

void unity_uint(UnityRelation rel, uint64_t bound, uint64_t actual, int line, const char *msg) {
  if (holds(rel, actual<bound, actual> bound)) return;
  char b[32], a[32];
  snprintf(b, sizeof b, "%" PRIu64, bound);
  snprintf(a, sizeof a, "%" PRIu64, actual);
  fail_relation(rel, b, a, line, msg);
}

void unity_int_within(uint64_t delta, int64_t expected, int64_t actual, int line, const char *msg) {
  // the distance of two int64_t always fits in a uint64_t
  uint64_t distance = actual > expected ? (uint64_t)actual - (uint64_t)expected
                                        : (uint64_t)expected - (uint64_t)actual;
  if (distance <= delta) return;
  char text[160];
  snprintf(text, sizeof text,
           "Values Not Within Delta %" PRIu64 " Expected %" PRId64 " Was %" PRId64, delta, expected,
           actual);
  fail_compared(line, text, msg);
}

void unity_uint_within(uint64_t delta, uint64_t expected, uint64_t actual, int line,
                       const char *msg) {
  if ((actual > expected ? actual - expected : expected - actual) <= delta) return;
  char text[160];
  snprintf(text, sizeof text,
           "Values Not Within Delta %" PRIu64 " Expected %" PRIu64 " Was %" PRIu64, delta, expected,
           actual);
  fail_compared(line, text, msg);
}

static void require_elements(const void *expected, const void *actual, size_t n, int line,
                             const char *msg) {
  if (n == 0) fail_compared(line, "You Asked Me To Compare Nothing, Which Was Pointless.", msg);
  if (!expected) fail_compared(line, "Expected array is NULL", msg);
  if (!actual) fail_compared(line, "Actual array is NULL", msg);
}

void unity_int_array(const int *expected, const int *actual, size_t n, int line, const char *msg) {
  require_elements(expected, actual, n, line, msg);
  for (size_t i = 0; i < n; i++) {
    if (expected[i] == actual[i]) continue;
    char text[160];
    snprintf(text, sizeof text, "Element %zu Expected %d Was %d", i, expected[i], actual[i]);
    fail_compared(line, text, msg);
  }
}

void unity_double(UnityRelation rel, double bound, double actual, int line, const char *msg) {
  // a NaN stands in no relation; LE and GE are asked directly, as "not greater" would let it pass
  bool ok = isnan(bound) || isnan(actual) ? rel == UNITY_NE
                                          : holds(rel, actual<bound, actual> bound);
  if (ok) return;
  char b[40], a[40];
  snprintf(b, sizeof b, "%.17g", bound);
  snprintf(a, sizeof a, "%.17g", actual);
  fail_relation(rel, b, a, line, msg);
}

static bool within(double delta, double expected, double actual) {
  if (isnan(expected) || isnan(actual)) return isnan(expected) && isnan(actual);
  if (isinf(expected) || isinf(actual)) return expected == actual;
  return fabs(actual - expected) <= fabs(delta);
}

static _Noreturn void fail_within(double delta, double expected, double actual, const char *element,
                                  int line, const char *msg) {
  char text[240];
  snprintf(text, sizeof text, "%sExpected %.17g Was %.17g (off by %.3g, allowed %.3g)", element,
           expected, actual, fabs(actual - expected), fabs(delta));
  fail_compared(line, text, msg);
}

void unity_double_within(double delta, double expected, double actual, int line, const char *msg) {
  if (!within(delta, expected, actual)) fail_within(delta, expected, actual, "", line, msg);
}

void unity_double_equal(double expected, double actual, int line, const char *msg) {
  unity_double_within(expected * equal_precision, expected, actual, line, msg);
}

// delta(i) = absolute + relative |expected[i]|
static void double_array(double absolute, double relative, const double *expected,
                         const double *actual, size_t n, int line, const char *msg) {
  require_elements(expected, actual, n, line, msg);
  for (size_t i = 0; i < n; i++) {
    double delta = fabs(absolute) + relative * fabs(expected[i]);
    if (within(delta, expected[i], actual[i])) continue;
    char element[40];
    snprintf(element, sizeof element, "Element %zu ", i);
    fail_within(delta, expected[i], actual[i], element, line, msg);
  }
}

void unity_double_array_within(double delta, const double *expected, const double *actual, size_t n,
                               int line, const char *msg) {
  double_array(delta, 0, expected, actual, n, line, msg);
}

void unity_double_array_equal(const double *expected, const double *actual, size_t n, int line,
                              const char *msg) {
  double_array(0, equal_precision, expected, actual, n, line, msg);
}

void unity_pointer(const void *expected, const void *actual, int line, const char *msg) {
  if (expected == actual) return;
  char text[160];
  snprintf(text, sizeof text, "Expected 0x%" PRIXPTR " Was 0x%" PRIXPTR, (uintptr_t)expected,
           (uintptr_t)actual);
  fail_compared(line, text, msg);
}

void unity_memory(const void *expected, const void *actual, size_t n, int line, const char *msg) {
  require_elements(expected, actual, n, line, msg);
  const unsigned char *e = expected, *a = actual;
  for (size_t i = 0; i < n; i++) {
    if (e[i] == a[i]) continue;
    char text[160];
    snprintf(text, sizeof text, "Memory Mismatch. Byte %zu Expected 0x%02X Was 0x%02X", i, e[i],
             a[i]);
    fail_compared(line, text, msg);
  }
}

void unity_string(const char *expected, const char *actual, size_t longest, int line,
                  const char *msg) {
  if (expected == actual) return;
  bool same =
      expected && actual &&
      (longest == SIZE_MAX ? strcmp(expected, actual) : strncmp(expected, actual, longest)) == 0;
  if (same) return;
  char text[800];
  snprintf(text, sizeof text, "Expected %s%.380s%s Was %s%.380s%s", expected ? "'" : "",
           expected ? expected : "NULL", expected ? "'" : "", actual ? "'" : "",
           actual ? actual : "NULL", actual ? "'" : "");
  fail_compared(line, text, msg);
}
