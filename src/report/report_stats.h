// SPDX-License-Identifier: MIT
// Statistics of samples without a model of their distribution: box plots, intervals, paired tests. Values are
// finite; the caller leaves out what is not.
//
// Quartiles follow Hyndman and Fan (1996), definition 5: the sorted value i of n (from 1) is the quantile
// (i - 1/2) / n, linear in between. It is what MATLAB's prctile and boxplot use, so that boxes can be
// laid beside those of the literature made with it.
#ifndef POISE_REPORT_REPORT_STATS_H
#define POISE_REPORT_REPORT_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// Sorts in ascending order.
void stats_sort(double *x, int n);

// The quantile p in 0 .. 1 of a sorted sample; NAN if n is 0.
double stats_quantile(const double *sorted, int n, double p);

double stats_mean(const double *x, int n);  // NAN if n is 0

// A box plot. Whiskers end at the outermost values within 1.5 interquartile ranges of the box; what is
// beyond is an outlier: the first n_below and the last n_above values of the sorted sample.
typedef struct StatsBox {
  int n;                     // values; with 0 all figures are NAN
  double mean;               //
  double q1, median, q3;     //
  double low, high;          // ends of the whiskers
  double smallest, largest;  //
  int n_below, n_above;      // outliers
} StatsBox;

void stats_box(StatsBox *out, const double *sorted, int n);

typedef struct StatsInterval {
  double low, high;  // NAN where the sample is too small for it
} StatsInterval;

// 95 percent intervals. Of a mean: percentiles of 1000 bootstrap resamples, reproducible by `seed`; above
// 1000 values mean +- 1.96 standard errors. Of a share k of n: Wilson's. Of a median: between order
// statistics, exact by the binomial distribution (conservative).
enum { STATS_RESAMPLES = 1000, STATS_BOOTSTRAP_MOST = 1000 };
Status stats_mean_interval(StatsInterval *out, const double *x, int n, uint64_t seed, Error *err);
StatsInterval stats_share_interval(int k, int n);
StatsInterval stats_median_interval(const double *sorted, int n);

// Wilcoxon's signed-rank test of paired differences, two-sided. Zeros are left out, ties get the mean of
// their ranks. Up to STATS_EXACT pairs p is exact, also with ties (the distribution over all signs of the
// ranks at hand); above it is the normal approximation with corrections for ties and continuity.
enum { STATS_EXACT = 60 };
typedef struct StatsPaired {
  int n;                 // pairs
  int n_less, n_more;    // negative and positive differences
  double median;         // of the differences; NAN if n is 0
  StatsInterval within;  // 95 percent interval of it
  double w;              // sum of the ranks of the positive differences
  double p;              // 1 if all differences are 0, NAN if n is 0
  bool exact;            //
} StatsPaired;

// difference: n, sorted on return.
Status stats_paired(StatsPaired *out, double *difference, int n, Error *err);

// McNemar's exact test that two success rates on the same tasks are equal: b tasks were solved by the first
// alone, c by the second alone. Two-sided; 1 if b + c is 0.
double stats_mcnemar(int b, int c);

// Holm's correction for n tests at once: p becomes the adjusted p. NANs are no tests.
Status stats_holm(double *p, int n, Error *err);

#endif
