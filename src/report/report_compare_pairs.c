// SPDX-License-Identifier: MIT
// Cases against each other, target by target.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_compare_internal.h"

static const double HIGH = 0.01;        // of the best known: a higher minimum
static const double EQUAL_COST = 1e-6;  // relative: no difference

// the one field in which two cases differ; -1 if there are more
static int only_difference(const CompareCase *a, const CompareCase *b) {
  int found = -1;
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    if (strcmp(a->field[f], b->field[f]) == 0) continue;
    if (found >= 0) return -1;
    found = f;
  }
  return found;
}

// seeds are repetitions, not rivals
static bool worth_a_pair(const Compare *c, int a, int b, int *field) {
  if (c->kase[a].set != c->kase[b].set) return false;
  *field = only_difference(&c->kase[a], &c->kase[b]);
  return *field >= 0 && *field != COMPARE_SEED && *field != COMPARE_COST;
}

static Status list_pairs(Compare *c, Error *err) {
  int field;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      c->pair = arena_array(c->arena, (size_t)c->n_pair + 1, sizeof *c->pair);
      if (!c->pair) return error_no_memory(err);
    }
    c->n_pair = 0;
    for (int a = 0; a < c->n_case; a++) {
      for (int b = a + 1; b < c->n_case; b++) {
        if (!worth_a_pair(c, a, b, &field)) continue;
        if (pass == 1) {
          c->pair[c->n_pair] = (ComparePair){.a = a, .b = b, .differs = (CompareField)field};
        }
        c->n_pair++;
      }
    }
  }
  return STATUS_OK;
}

static Status test_ratio(const Compare *c, ComparePair *p, int measure, double *scratch,
                         Error *err) {
  int n = 0;
  for (int i = 0; i < c->n_point; i++) {
    const CompareRun *a = compare_at(c, p->a, i), *b = compare_at(c, p->b, i);
    if (!a || !b || !a->good || !b->good) continue;
    double x = a->value[measure], y = b->value[measure];
    if (!(x > 0 && y > 0 && isfinite(x) && isfinite(y))) continue;
    double d = log(y / x);
    bool equal = measure == COMPARE_OBJECTIVE && fabs(d) < EQUAL_COST;
    scratch[n++] = equal ? 0 : d;
  }
  StatsPaired t;
  Status status = stats_paired(&t, scratch, n, err);
  p->ratio[measure] = (CompareRatio){
      .n = n,
      .n_less = t.n_less,
      .n_more = t.n_more,
      .ratio = exp(t.median),
      .within = {exp(t.within.low), exp(t.within.high)},
      .p = t.p,
      .p_adjusted = t.p,
  };
  return status;
}

static void test_shares(const Compare *c, ComparePair *p) {
  CompareShare success = {.n = 0}, high = {.n = 0};
  for (int i = 0; i < c->n_point; i++) {
    const CompareRun *a = compare_at(c, p->a, i), *b = compare_at(c, p->b, i);
    if (!a || !b) continue;
    success.n++;
    success.only_a += a->good && !b->good;
    success.only_b += b->good && !a->good;
    double x = a->value[COMPARE_GAP], y = b->value[COMPARE_GAP];
    if (isnan(x) || isnan(y)) continue;
    high.n++;
    high.only_a += x > HIGH && !(y > HIGH);
    high.only_b += y > HIGH && !(x > HIGH);
  }
  success.p = success.p_adjusted = stats_mcnemar(success.only_a, success.only_b);
  high.p = high.p_adjusted = stats_mcnemar(high.only_a, high.only_b);
  p->success = success;
  p->high = high;
}

// ---- Holm --------------------------------------------------------------------------------------

static bool same_family(const Compare *c, const ComparePair *x, const ComparePair *y) {
  if (x->differs != y->differs || c->kase[x->a].set != c->kase[y->a].set) return false;
  return x->differs != COMPARE_FORM || c->kase[x->a].group == c->kase[y->a].group;
}

// the p values of a pair, one after the other
enum { N_TESTS = N_COMPARE_PAIRED + 2 };
static double *adjusted(ComparePair *p, int test) {
  if (test < N_COMPARE_PAIRED) return &p->ratio[test].p_adjusted;
  return test == N_COMPARE_PAIRED ? &p->success.p_adjusted : &p->high.p_adjusted;
}

static Status adjust_family(Compare *c, int first, bool *done, int *member, double *p, Error *err) {
  int n = 0;
  for (int i = first; i < c->n_pair; i++) {
    if (done[i] || !same_family(c, &c->pair[first], &c->pair[i])) continue;
    done[i] = true;
    member[n++] = i;
  }
  for (int test = 0; test < N_TESTS; test++) {
    for (int i = 0; i < n; i++) p[i] = *adjusted(&c->pair[member[i]], test);
    Status status = stats_holm(p, n, err);
    if (status != STATUS_OK) return status;
    for (int i = 0; i < n; i++) *adjusted(&c->pair[member[i]], test) = p[i];
  }
  return STATUS_OK;
}

static Status adjust(Compare *c, Error *err) {
  size_t n = (size_t)c->n_pair + 1;
  bool *done = calloc(n, sizeof *done);
  int *member = malloc(n * sizeof *member);
  double *p = malloc(n * sizeof *p);
  Status status = done && member && p ? STATUS_OK : error_no_memory(err);
  for (int i = 0; status == STATUS_OK && i < c->n_pair; i++) {
    if (!done[i]) status = adjust_family(c, i, done, member, p, err);
  }
  free(p);
  free(member);
  free(done);
  return status;
}

Status compare_pairs(Compare *c, Error *err) {
  double *scratch = malloc(((size_t)c->n_point + 1) * sizeof *scratch);
  Status status = scratch ? list_pairs(c, err) : error_no_memory(err);
  for (int i = 0; status == STATUS_OK && i < c->n_pair; i++) {
    for (int k = 0; status == STATUS_OK && k < N_COMPARE_PAIRED; k++) {
      status = test_ratio(c, &c->pair[i], k, scratch, err);
    }
    test_shares(c, &c->pair[i]);
  }
  free(scratch);
  return status == STATUS_OK ? adjust(c, err) : status;
}
