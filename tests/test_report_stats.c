// SPDX-License-Identifier: MIT
// Statistics against values worked out by hand, published examples and tables.
#include "report/report_stats.h"

#include <math.h>

#include "base/rng.h"
#include "unity.h"

enum { N = 400 };
static Error err;

void setUp(void) {
  err = (Error){0};
}

void tearDown(void) {
}

static StatsPaired paired(const double *x, int n) {
  double copy[N];
  StatsPaired t;
  for (int i = 0; i < n; i++) copy[i] = x[i];
  TEST_ASSERT_EQUAL_INT(STATUS_OK, stats_paired(&t, copy, n, &err));
  return t;
}

// ---- quantiles, boxes --------------------------------------------------------------------------

static void test_quartiles_follow_definition_5_of_hyndman_and_fan(void) {
  // n = 8: places 1.5, 3.5 (from 0) and 5.5; R: quantile(x, type = 5)
  const double x[8] = {1, 2, 4, 7, 11, 16, 22, 29};
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 3, stats_quantile(x, 8, 0.25));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 9, stats_quantile(x, 8, 0.5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 19, stats_quantile(x, 8, 0.75));
  // n = 5: 5 / 4 - 1/2 = 0.75
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.75, stats_quantile(x, 5, 0.25));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, stats_quantile(x, 8, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 29, stats_quantile(x, 8, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 4, stats_quantile(x + 2, 1, 0.3));
  TEST_ASSERT_TRUE(isnan(stats_quantile(x, 0, 0.5)));
}

static void test_whiskers_end_at_values_and_the_rest_are_outliers(void) {
  // quartiles 2.5 and 7.5 (n = 10: places 2 and 7): whiskers reach to -5 .. 15
  double x[10] = {9, 1, 2, 100, 4, 3, 8, 5, 6, -7};
  stats_sort(x, 10);
  StatsBox b;
  stats_box(&b, x, 10);
  TEST_ASSERT_EQUAL_INT(10, b.n);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2, b.q1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 4.5, b.median);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 8, b.q3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -7, b.low);  // -7 is the end of the reach: no outlier
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 9, b.high);
  TEST_ASSERT_EQUAL_INT(0, b.n_below);
  TEST_ASSERT_EQUAL_INT(1, b.n_above);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 13.1, b.mean);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 100, b.largest);
  x[0] = -7.001;
  stats_box(&b, x, 10);
  TEST_ASSERT_EQUAL_INT(1, b.n_below);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, b.low);
}

static void test_boxes_of_nothing_and_of_equal_values(void) {
  const double x[6] = {3, 3, 3, 3, 3, 3};
  StatsBox b;
  stats_box(&b, x, 0);
  TEST_ASSERT_TRUE(b.n == 0 && isnan(b.mean) && isnan(b.median) && isnan(b.high));
  stats_box(&b, x, 6);
  TEST_ASSERT_TRUE(b.q1 == 3 && b.q3 == 3 && b.low == 3 && b.high == 3);
  TEST_ASSERT_EQUAL_INT(0, b.n_below + b.n_above);
}

// ---- Wilcoxon ----------------------------------------------------------------------------------

static void test_wilcoxon_of_hollander_and_wolfe(void) {
  // depression scale factors, Hollander and Wolfe (1973), p. 29: V = 40, one-sided 0.01953
  const double first[9] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const double second[9] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  double d[9];
  for (int i = 0; i < 9; i++) d[i] = first[i] - second[i];
  StatsPaired t = paired(d, 9);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 40, t.w);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0390625, t.p);
  TEST_ASSERT_TRUE(t.exact);
}

static void test_wilcoxon_of_darwins_maize(void) {
  // Darwin's fifteen pairs of maize (Fisher 1935) in eighths of an inch: V = 96, p = 0.04126
  const double d[15] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  StatsPaired t = paired(d, 15);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 96, t.w);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.04126, t.p);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 24, t.median);
  TEST_ASSERT_TRUE(t.n_less == 2 && t.n_more == 13);
}

// the sample of n ranks whose positive ones sum to w: the largest first
static double table_p(int n, int w) {
  double d[N];
  for (int rank = n; rank >= 1; rank--) {
    bool positive = rank <= w;
    if (positive) w -= rank;
    d[rank - 1] = positive ? rank : -rank;
  }
  return paired(d, n).p;
}

static void test_wilcoxon_agrees_with_the_table_of_critical_values(void) {
  // largest w that is significant at 0.05 two-sided (Wilcoxon and Wilcox 1964)
  const int table[][2] = {{6, 0},   {7, 2},   {8, 3},   {9, 5},   {10, 8},
                          {12, 13}, {15, 25}, {20, 52}, {25, 89}, {30, 137}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    TEST_ASSERT_TRUE(table_p(table[i][0], table[i][1]) <= 0.05);
    TEST_ASSERT_TRUE(table_p(table[i][0], table[i][1] + 1) > 0.05);
  }
}

static void test_exact_p_with_ties_is_that_of_all_signs(void) {
  const double d[8] = {1, 1, -1, 2, 2, -3, 4, 0};  // the zero is left out
  const double rank[7] = {2, 2, 2, 4.5, 4.5, 6, 7};
  StatsPaired t = paired(d, 8);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2 + 2 + 4.5 + 4.5 + 7, t.w);
  int n = 0;
  for (int signs = 0; signs < 128; signs++) {
    double sum = 0;
    for (int i = 0; i < 7; i++) sum += signs >> i & 1 ? rank[i] : 0;
    n += sum <= 28 - t.w;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 * n / 128, t.p);
  TEST_ASSERT_TRUE(t.n == 8 && t.n_less == 2 && t.n_more == 5);
}

static void test_exact_distribution_meets_the_normal_approximation(void) {
  Rng rng;
  rng_seed(&rng, 5);
  for (int k = 0; k < 20; k++) {
    double x[STATS_EXACT];
    for (int i = 0; i < STATS_EXACT; i++) x[i] = rng_uniform(&rng, -1, 1.2);
    StatsPaired t = paired(x, STATS_EXACT);
    double n = STATS_EXACT, mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24;
    double z = fmax(0, fabs(t.w - mean) - 0.5) / sqrt(variance);
    TEST_ASSERT_TRUE(t.exact);
    TEST_ASSERT_DOUBLE_WITHIN(0.003, erfc(z / sqrt(2)), t.p);
  }
}

static void test_normal_approximation_by_hand(void) {
  // 100 differences +1, 60 differences -1: all ranks 80.5, ties 160^3 - 160
  double x[160];
  for (int i = 0; i < 160; i++) x[i] = i < 100 ? 1 : -1;
  StatsPaired t = paired(x, 160);
  double variance = 160.0 * 161 * 321 / 24 - (160.0 * 160 * 160 - 160) / 48;
  double z = (8050 - 6440 - 0.5) / sqrt(variance);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, erfc(z / sqrt(2)), t.p);
}

static void test_paired_without_differences_or_pairs(void) {
  const double zero[5] = {0, 0, 0, 0, 0};
  TEST_ASSERT_DOUBLE_WITHIN(0, 1, paired(zero, 5).p);
  TEST_ASSERT_TRUE(isnan(paired(zero, 0).p));
}

// ---- intervals, other tests --------------------------------------------------------------------

static void test_median_interval_is_that_of_the_sign_test(void) {
  // n = 10: P(X <= 1) = 11/1024 = 0.0107, P(X <= 2) = 0.0547: one value may go at each end
  const double x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  StatsInterval i = stats_median_interval(x, 10);
  TEST_ASSERT_TRUE(i.low == 2 && i.high == 9);
  TEST_ASSERT_TRUE(isnan(stats_median_interval(x, 5).low));  // 1/32 > 0.025
  TEST_ASSERT_TRUE(stats_median_interval(x, 6).low == 1);    // 1/64
  // n = 100: order statistics 40 and 61 (Conover 1999)
  double many[100];
  for (int k = 0; k < 100; k++) many[k] = k + 1;
  i = stats_median_interval(many, 100);
  TEST_ASSERT_TRUE(i.low == 40 && i.high == 61);
}

static void test_share_interval_is_wilsons(void) {
  // Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662; 15 of 148: 0.0624 to 0.1605;
  // 0 of 20: 0 to 0.1611
  StatsInterval i = stats_share_interval(81, 263);
  TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.2553, i.low);
  TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.3662, i.high);
  i = stats_share_interval(15, 148);
  TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.0624, i.low);
  TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.1605, i.high);
  i = stats_share_interval(0, 20);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, i.low);
  TEST_ASSERT_DOUBLE_WITHIN(5e-5, 0.1611, i.high);
}

static void test_bootstrap_is_reproducible_and_near_the_standard_error(void) {
  Rng rng;
  rng_seed(&rng, 11);
  double x[200], mean, sum = 0;
  for (int i = 0; i < 200; i++) x[i] = rng_uniform(&rng, 0, 1);
  mean = stats_mean(x, 200);
  for (int i = 0; i < 200; i++) sum += (x[i] - mean) * (x[i] - mean);
  double half = 1.96 * sqrt(sum / 199 / 200);
  StatsInterval a, b;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, stats_mean_interval(&a, x, 200, 1, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, stats_mean_interval(&b, x, 200, 1, &err));
  TEST_ASSERT_TRUE(a.low == b.low && a.high == b.high);
  TEST_ASSERT_DOUBLE_WITHIN(0.2 * half, mean - half, a.low);
  TEST_ASSERT_DOUBLE_WITHIN(0.2 * half, mean + half, a.high);
}

static void test_mcnemar_is_the_sign_test_of_discordant_pairs(void) {
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, stats_mcnemar(0, 0));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 / 32, stats_mcnemar(0, 5));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2 * 56.0 / 1024, stats_mcnemar(8, 2));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, stats_mcnemar(4, 4));
}

static void test_holm_by_hand(void) {
  double p[5] = {0.01, 0.04, NAN, 0.03, 0.005};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, stats_holm(p, 5, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.03, p[0]);  // 3 x 0.01
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.06, p[1]);  // not below the one before
  TEST_ASSERT_TRUE(isnan(p[2]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.06, p[3]);  // 2 x 0.03
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02, p[4]);  // 4 x 0.005
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_quartiles_follow_definition_5_of_hyndman_and_fan);
  RUN_TEST(test_whiskers_end_at_values_and_the_rest_are_outliers);
  RUN_TEST(test_boxes_of_nothing_and_of_equal_values);
  RUN_TEST(test_wilcoxon_of_hollander_and_wolfe);
  RUN_TEST(test_wilcoxon_of_darwins_maize);
  RUN_TEST(test_wilcoxon_agrees_with_the_table_of_critical_values);
  RUN_TEST(test_exact_p_with_ties_is_that_of_all_signs);
  RUN_TEST(test_exact_distribution_meets_the_normal_approximation);
  RUN_TEST(test_normal_approximation_by_hand);
  RUN_TEST(test_paired_without_differences_or_pairs);
  RUN_TEST(test_median_interval_is_that_of_the_sign_test);
  RUN_TEST(test_share_interval_is_wilsons);
  RUN_TEST(test_bootstrap_is_reproducible_and_near_the_standard_error);
  RUN_TEST(test_mcnemar_is_the_sign_test_of_discordant_pairs);
  RUN_TEST(test_holm_by_hand);
  return UNITY_END();
}
