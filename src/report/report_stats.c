// SPDX-License-Identifier: MIT
#include "report/report_stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

static const double WHISKER = 1.5;    // interquartile ranges
static const double TAIL = 0.025;     // on each side of an interval
static const double Z = 1.959963985;  // normal quantile of 1 - TAIL
enum { BINOMIAL_EXACT = 2000 };       // pairs; above it the normal approximation is as good

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void stats_sort(double *x, int n) {
  if (n > 1) qsort(x, (size_t)n, sizeof *x, ascending);
}

double stats_quantile(const double *sorted, int n, double p) {
  if (n == 0) return NAN;
  double at = n * p - 0.5;  // place among 0 .. n-1
  if (at <= 0) return sorted[0];
  if (at >= n - 1) return sorted[n - 1];
  int i = (int)at;
  double s = at - i;
  // not a sum of weights: equal neighbours give exactly their value
  return sorted[i] + s * (sorted[i + 1] - sorted[i]);
}

double stats_mean(const double *x, int n) {
  if (n == 0) return NAN;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum / n;
}

void stats_box(StatsBox *out, const double *sorted, int n) {
  StatsBox b = {.n = n, .mean = stats_mean(sorted, n)};
  b.q1 = stats_quantile(sorted, n, 0.25);
  b.median = stats_quantile(sorted, n, 0.5);
  b.q3 = stats_quantile(sorted, n, 0.75);
  b.low = b.high = b.smallest = b.largest = NAN;
  if (n > 0) {
    double reach = WHISKER * (b.q3 - b.q1);
    while (sorted[b.n_below] < b.q1 - reach) b.n_below++;
    while (sorted[n - 1 - b.n_above] > b.q3 + reach) b.n_above++;
    b.low = sorted[b.n_below];
    b.high = sorted[n - 1 - b.n_above];
    b.smallest = sorted[0];
    b.largest = sorted[n - 1];
  }
  *out = b;
}

// ---- intervals ---------------------------------------------------------------------------------

Status stats_mean_interval(StatsInterval *out, const double *x, int n, uint64_t seed, Error *err) {
  *out = (StatsInterval){NAN, NAN};
  if (n < 2) return STATUS_OK;
  if (n > STATS_BOOTSTRAP_MOST) {
    double mean = stats_mean(x, n), sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    double half = Z * sqrt(sum / (n - 1) / n);
    *out = (StatsInterval){mean - half, mean + half};
    return STATUS_OK;
  }
  double *mean = malloc(STATS_RESAMPLES * sizeof *mean);
  if (!mean) return error_no_memory(err);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < STATS_RESAMPLES; k++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[rng_int(&rng, n)];
    mean[k] = sum / n;
  }
  stats_sort(mean, STATS_RESAMPLES);
  out->low = stats_quantile(mean, STATS_RESAMPLES, TAIL);
  out->high = stats_quantile(mean, STATS_RESAMPLES, 1 - TAIL);
  free(mean);
  return STATUS_OK;
}

// Wilson, "Probable inference, the law of succession, and statistical inference" (1927)
StatsInterval stats_share_interval(int k, int n) {
  if (n == 0) return (StatsInterval){NAN, NAN};
  double share = (double)k / n, z2 = Z * Z / n;
  double middle = (share + z2 / 2) / (1 + z2);
  double half = Z / (1 + z2) * sqrt(share * (1 - share) / n + z2 / (4 * n));
  return (StatsInterval){k == 0 ? 0 : middle - half, k == n ? 1 : middle + half};
}

// P(X <= k) of n throws of a fair coin
static double coin_tail(int k, int n) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  if (n > BINOMIAL_EXACT) return 0.5 * erfc(-(k + 0.5 - 0.5 * n) / sqrt(0.5 * n));
  double sum = 0;
  for (int i = 0; i <= k; i++) {
    sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * M_LN2);
  }
  return sum < 1 ? sum : 1;
}

StatsInterval stats_median_interval(const double *sorted, int n) {
  // the largest number of values that may be cut from each end
  int cut = -1;
  int first = n > BINOMIAL_EXACT ? (int)(0.5 * n - 2 * Z * sqrt(0.25 * n)) : 0;
  for (int k = first; k < n && coin_tail(k, n) <= TAIL; k++) cut = k;
  if (cut < 0) return (StatsInterval){NAN, NAN};
  return (StatsInterval){sorted[cut], sorted[n - 1 - cut]};
}

// ---- Wilcoxon ----------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
  return (x > y) - (x < y);
}

// twice the mid-ranks of x, which is sorted by size; returns the sum of t^3 - t over the ties
static double double_ranks(const double *x, int n, int *rank) {
  double ties = 0;
  for (int i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && fabs(x[next]) == fabs(x[i]);) next++;
    double t = next - i;
    ties += t * t * t - t;
    for (int k = i; k < next; k++) rank[k] = i + next + 1;  // ranks i+1 .. next
  }
  return ties;
}

// P(sum <= most) of the ranks with random signs. share[s]: chance that the sum so far is s
static Status signed_tail(const int *rank, int n, int most, double *out, Error *err) {
  int top = 0;
  for (int i = 0; i < n; i++) top += rank[i];
  double *share = calloc((size_t)top + 1, sizeof *share);
  if (!share) return error_no_memory(err);
  share[0] = 1;
  for (int i = 0, sum = 0; i < n; i++) {
    sum += rank[i];
    for (int s = sum; s >= 0; s--) {
      share[s] = 0.5 * (share[s] + (s >= rank[i] ? share[s - rank[i]] : 0));
    }
  }
  *out = 0;
  for (int s = 0; s <= most; s++) *out += share[s];
  free(share);
  return STATUS_OK;
}

// x: the n differences that are not 0, sorted by size
static Status rank_test(StatsPaired *t, const double *x, int n, Error *err) {
  int *rank = malloc((size_t)n * sizeof *rank);
  if (!rank) return error_no_memory(err);
  double ties = double_ranks(x, n, rank);
  double all = (double)n * (n + 1) / 2, sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] > 0 ? rank[i] : 0;
  t->w = sum / 2;
  t->exact = n <= STATS_EXACT;
  double smaller = fmin(t->w, all - t->w);
  Status status = STATUS_OK;
  if (t->exact) {
    double tail = NAN;
    status = signed_tail(rank, n, (int)lround(2 * smaller), &tail, err);
    t->p = fmin(1, 2 * tail);
  } else {
    double variance = all * (2.0 * n + 1) / 12 - ties / 48;
    double z = fmax(0, all / 2 - smaller - 0.5) / sqrt(variance);
    t->p = erfc(z / M_SQRT2);
  }
  free(rank);
  return status;
}

Status stats_paired(StatsPaired *out, double *difference, int n, Error *err) {
  *out = (StatsPaired){.n = n, .median = NAN, .within = {NAN, NAN}, .p = NAN, .exact = true};
  if (n == 0) return STATUS_OK;
  Status status = STATUS_OK;
  qsort(difference, (size_t)n, sizeof *difference, by_size);
  int zeros = 0;
  while (zeros < n && difference[zeros] == 0) zeros++;
  if (zeros < n) status = rank_test(out, difference + zeros, n - zeros, err);
  else out->p = 1;
  stats_sort(difference, n);
  while (out->n_less < n && difference[out->n_less] < 0) out->n_less++;
  out->n_more = n - zeros - out->n_less;
  out->median = stats_quantile(difference, n, 0.5);
  out->within = stats_median_interval(difference, n);
  return status;
}

// ---- other tests -------------------------------------------------------------------------------

double stats_mcnemar(int b, int c) {
  return b + c == 0 ? 1 : fmin(1, 2 * coin_tail(b < c ? b : c, b + c));
}

static int by_value(const void *a, const void *b) {
  return ascending(*(const double *const *)a, *(const double *const *)b);
}

Status stats_holm(double *p, int n, Error *err) {
  double **sorted = malloc((size_t)(n > 0 ? n : 1) * sizeof *sorted);
  if (!sorted) return error_no_memory(err);
  int n_test = 0;
  for (int i = 0; i < n; i++) {
    if (!isnan(p[i])) sorted[n_test++] = &p[i];
  }
  if (n_test > 1) qsort(sorted, (size_t)n_test, sizeof(double *), by_value);
  // smallest first, times the number of those left; never less than the one before
  double last = 0;
  for (int i = 0; i < n_test; i++) {
    last = fmax(last, fmin(1, (n_test - i) * *sorted[i]));
    *sorted[i] = last;
  }
  free(sorted);
  return STATUS_OK;
}
