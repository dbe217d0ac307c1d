// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "unity.h"

static Arena *arena;

void setUp(void) {
  arena = arena_new();
}

void tearDown(void) {
  arena_free(arena);
  arena = NULL;
}

static void test_memory_is_zeroed_aligned_and_does_not_overlap(void) {
  enum { N = 200 };
  unsigned char *p[N];
  for (int i = 0; i < N; i++) {
    size_t size = (size_t)(i * 37 % 5000);
    p[i] = arena_alloc(arena, size);
    TEST_ASSERT_NOT_NULL(p[i]);
    TEST_ASSERT_EQUAL_INT(0, (uintptr_t)p[i] % 64);
    for (size_t k = 0; k < size; k++) TEST_ASSERT_EQUAL_INT(0, p[i][k]);
    memset(p[i], i + 1, size);
  }
  for (int i = 0; i < N; i++) {
    for (size_t k = 0; k < (size_t)(i * 37 % 5000); k++) {
      TEST_ASSERT_EQUAL_INT((unsigned char)(i + 1), p[i][k]);
    }
  }
}

static void test_large_and_empty_requests_are_met(void) {
  char *large = arena_alloc(arena, (size_t)5 << 20);
  TEST_ASSERT_NOT_NULL(large);
  large[((size_t)5 << 20) - 1] = 1;
  TEST_ASSERT_NOT_NULL(arena_alloc(arena, 0));
  TEST_ASSERT_NOT_NULL(arena_array(arena, 0, sizeof(double)));
  TEST_ASSERT_TRUE(arena_bytes(arena) >= (size_t)5 << 20);
}

static void test_sizes_that_overflow_give_null(void) {
  TEST_ASSERT_NULL(arena_alloc(arena, SIZE_MAX));
  TEST_ASSERT_NULL(arena_alloc(arena, SIZE_MAX - 63));
  TEST_ASSERT_NULL(arena_array(arena, SIZE_MAX / 4, 8));
}

static void test_a_missing_arena_gives_null(void) {
  TEST_ASSERT_NULL(arena_alloc(NULL, 8));
  TEST_ASSERT_NULL(arena_array(NULL, 2, 8));
  TEST_ASSERT_NULL(arena_strdup(NULL, "x"));
  TEST_ASSERT_EQUAL_INT(0, arena_bytes(NULL));
  arena_free(NULL);
}

static void test_strings_are_copied(void) {
  char text[] = "joint";
  char *copy = arena_strdup(arena, text);
  text[0] = 'p';
  TEST_ASSERT_EQUAL_STRING("joint", copy);
  TEST_ASSERT_NULL(arena_strdup(arena, NULL));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_memory_is_zeroed_aligned_and_does_not_overlap);
  RUN_TEST(test_large_and_empty_requests_are_met);
  RUN_TEST(test_sizes_that_overflow_give_null);
  RUN_TEST(test_a_missing_arena_gives_null);
  RUN_TEST(test_strings_are_copied);
  return UNITY_END();
}
