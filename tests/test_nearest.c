// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <string.h>

#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static const char *const keys[] = {"name",   "type",    "parent",   "child",    "origin",   NULL,
                                   "limits", "damping", "armature", "actuated", "velocity", "axis"};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

static const char *near(const char *word) {
  const char *name = nearest_name(word, keys, N_KEYS);
  return name ? name : "(none)";
}

static void test_misspelt_words_find_their_name(void) {
  TEST_ASSERT_EQUAL_STRING("damping", near("dampng"));
  TEST_ASSERT_EQUAL_STRING("damping", near("Damping"));
  TEST_ASSERT_EQUAL_STRING("parent", near("parnet"));
  TEST_ASSERT_EQUAL_STRING("limits", near("limit"));
  TEST_ASSERT_EQUAL_STRING("axis", near("axsi"));
  TEST_ASSERT_EQUAL_STRING("velocity", near("vel"));
  TEST_ASSERT_EQUAL_STRING("actuated", near("actuator"));
}

static void test_distant_words_find_nothing(void) {
  TEST_ASSERT_EQUAL_STRING("(none)", near("friction"));
  TEST_ASSERT_EQUAL_STRING("(none)", near("xyz"));
  TEST_ASSERT_EQUAL_STRING("(none)", near(""));
  TEST_ASSERT_NULL(nearest_name("a", keys, 0));
}

static void test_distance_counts_edits(void) {
  TEST_ASSERT_EQUAL_INT(0, nearest_distance("effort-rate", "Effort_Rate"));
  TEST_ASSERT_EQUAL_INT(1, nearest_distance("abc", "acb"));
  TEST_ASSERT_EQUAL_INT(3, nearest_distance("kitten", "sitting"));
  TEST_ASSERT_EQUAL_INT(4, nearest_distance("", "four"));
}

static void test_long_words_are_safe(void) {
  char word[5000];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  TEST_ASSERT_EQUAL_STRING("(none)", near(word));
  TEST_ASSERT_EQUAL_INT(0, nearest_distance(word, word));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_misspelt_words_find_their_name);
  RUN_TEST(test_distant_words_find_nothing);
  RUN_TEST(test_distance_counts_edits);
  RUN_TEST(test_long_words_are_safe);
  return UNITY_END();
}
