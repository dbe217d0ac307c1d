// SPDX-License-Identifier: MIT
#include "base/rng.h"

#include <math.h>

#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_a_seed_repeats_its_sequence_and_seeds_differ(void) {
  Rng a, b, c;
  rng_seed(&a, 7);
  rng_seed(&b, 7);
  rng_seed(&c, 8);
  int same = 0;
  for (int i = 0; i < 1000; i++) {
    uint64_t x = rng_next(&a);
    TEST_ASSERT_TRUE(x == rng_next(&b));
    same += x == rng_next(&c);
  }
  TEST_ASSERT_EQUAL_INT(0, same);
}

static void test_xoshiro_gives_its_known_first_numbers(void) {
  // with the state {1, 2, 3, 4}: first outputs of the authors' reference code
  Rng r = {{1, 2, 3, 4}};
  TEST_ASSERT_TRUE(rng_next(&r) == 11520);
  TEST_ASSERT_TRUE(rng_next(&r) == 0);
  TEST_ASSERT_TRUE(rng_next(&r) == 1509978240);
}

static void test_uniform_fills_its_range_evenly(void) {
  enum { N = 100000 };
  Rng r;
  rng_seed(&r, 0);
  double sum = 0, sum2 = 0;
  for (int i = 0; i < N; i++) {
    double x = rng_uniform(&r, -1, 3);
    TEST_ASSERT_TRUE(x >= -1 && x < 3);
    sum += x;
    sum2 += (x - 1) * (x - 1);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 1, sum / N);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 16.0 / 12, sum2 / N);
}

static void test_integers_reach_every_value(void) {
  Rng r;
  rng_seed(&r, 3);
  int count[7] = {0};
  for (int i = 0; i < 7000; i++) count[rng_int(&r, 7)]++;
  for (int i = 0; i < 7; i++) TEST_ASSERT_INT_WITHIN(150, 1000, count[i]);
}

static void test_directions_have_unit_length(void) {
  Rng r;
  rng_seed(&r, 4);
  for (int i = 0; i < 1000; i++) {
    double d[3];
    rng_direction(&r, d);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_seed_repeats_its_sequence_and_seeds_differ);
  RUN_TEST(test_xoshiro_gives_its_known_first_numbers);
  RUN_TEST(test_uniform_fills_its_range_evenly);
  RUN_TEST(test_integers_reach_every_value);
  RUN_TEST(test_directions_have_unit_length);
  return UNITY_END();
}
