// SPDX-License-Identifier: MIT
// What there is to say about each case by itself, and the best known costs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_compare_internal.h"

static const double HIGH = 0.01;   // of the best known: a higher minimum
static const double EQUAL = 1e-6;  // costs that agree

// how far a cost is above another, in parts of it
static double above(double cost, double best) {
  double size = fabs(best) > 1e-12 ? fabs(best) : 1e-12;
  return (cost - best) / size;
}

// ---- best known --------------------------------------------------------------------------------

static Status find_best(Compare *c, Error *err) {
  for (int s = 0; s < c->n_set; s++) {
    c->set[s].best = arena_array(c->arena, (size_t)c->n_point + 1, sizeof(int));
    if (!c->set[s].best) return error_no_memory(err);
    for (int p = 0; p < c->n_point; p++) c->set[s].best[p] = -1;
  }
  for (int i = 0; i < c->n_run; i++) {
    const CompareRun *r = &c->run[i];
    int *best = &c->set[c->kase[r->kase].set].best[r->point];
    double cost = r->value[COMPARE_OBJECTIVE];
    if (!r->good || !isfinite(cost)) continue;
    if (*best < 0 || cost < c->run[*best].value[COMPARE_OBJECTIVE]) *best = i;
  }
  for (int i = 0; i < c->n_run; i++) {
    CompareRun *r = &c->run[i];
    int best = c->set[c->kase[r->kase].set].best[r->point];
    if (!r->good || best < 0) continue;
    r->value[COMPARE_GAP] =
        above(r->value[COMPARE_OBJECTIVE], c->run[best].value[COMPARE_OBJECTIVE]);
  }
  for (int s = 0; s < c->n_set; s++) {
    for (int p = 0; p < c->n_point; p++) c->set[s].n_solved += c->set[s].best[p] >= 0;
  }
  return STATUS_OK;
}

// ---- boxes -------------------------------------------------------------------------------------

// a good run and its value
typedef struct Ranked {
  double value;
  int run;
} Ranked;

static int by_value(const void *a, const void *b) {
  const Ranked *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->run < y->run ? -1 : x->run > y->run;
}

// scratch: n_point each
static Status build_box(Compare *c, int kase, int measure, Ranked *ranked, double *value,
                        Error *err) {
  CompareCase *k = &c->kase[kase];
  int n = 0;
  for (int p = 0; p < c->n_point; p++) {
    const CompareRun *r = compare_at(c, kase, p);
    if (!r || !r->good || !isfinite(r->value[measure])) continue;
    ranked[n++] = (Ranked){r->value[measure], (int)(r - c->run)};
  }
  if (n > 1) qsort(ranked, (size_t)n, sizeof *ranked, by_value);
  k->sorted[measure] = arena_array(c->arena, (size_t)n + 1, sizeof(int));
  if (!k->sorted[measure]) return error_no_memory(err);
  for (int i = 0; i < n; i++) {
    k->sorted[measure][i] = ranked[i].run;
    value[i] = ranked[i].value;
  }
  stats_box(&k->box[measure], value, n);
  if (measure != COMPARE_ITERATIONS) return STATUS_OK;
  return stats_mean_interval(&k->mean_iterations, value, n, 1, err);
}

static void count_runs(Compare *c, int kase) {
  CompareCase *k = &c->kase[kase];
  for (int p = 0; p < c->n_point; p++) {
    const CompareRun *r = compare_at(c, kase, p);
    if (!r) continue;
    k->n_run++;
    k->n_solved += r->source->solved;
    k->n_good += r->good;
    k->n_refined += r->good && r->source->verified && r->source->refined_degree > 0;
    double gap = r->value[COMPARE_GAP];
    if (isnan(gap)) continue;
    k->n_judged++;
    k->n_high += gap > HIGH;
    k->n_best += gap <= EQUAL;
  }
  k->success = stats_share_interval(k->n_good, k->n_run);
}

// sizes are those of every run of the case, or unknown
static void find_size(Compare *c, int kase) {
  CompareCase *k = &c->kase[kase];
  const JournalRun *first = NULL;
  bool same = true;
  for (int i = 0; i < 3; i++) k->operations[i] = NAN;
  for (int p = 0; p < c->n_point; p++) {
    const CompareRun *r = compare_at(c, kase, p);
    if (!r || r->source->nlp[0] == 0) continue;
    if (!first) first = r->source;
    same = same && memcmp(first->nlp, r->source->nlp, sizeof first->nlp) == 0;
  }
  if (!first || !same) return;
  memcpy(k->nlp, first->nlp, sizeof k->nlp);
  for (int i = 0; i < 3; i++) k->operations[i] = first->operations[i];
}

// ---- symmetry ----------------------------------------------------------------------------------

// run: n_point, or -1; scratch: n_point
static void symmetry(const Compare *c, const int *run, double *scratch, CompareSymmetry *out) {
  CompareSymmetry s = {.n = 0};
  for (int p = 0; p < c->n_point; p++) {
    int q = c->point[p].mirror;
    if (q <= p || run[p] < 0 || run[q] < 0) continue;  // each pair once, none with itself
    double a = c->run[run[p]].value[COMPARE_OBJECTIVE];
    double b = c->run[run[q]].value[COMPARE_OBJECTIVE];
    double gap = above(fmax(a, b), fmin(a, b));
    if (!c->run[run[p]].good || !c->run[run[q]].good || !isfinite(gap)) continue;
    scratch[s.n++] = gap;
    s.n_apart += gap > EQUAL;
    s.n_high += gap > HIGH;
  }
  stats_sort(scratch, s.n);
  s.median = stats_quantile(scratch, s.n, 0.5);
  s.largest = s.n ? scratch[s.n - 1] : NAN;
  *out = s;
}

// ---- coarser grids -----------------------------------------------------------------------------

// is value i of n one of the m evenly spread ones?
static bool kept(int i, int n, int m) {
  if (m >= n) return true;
  if (m == 1) return i == (n - 1) / 2;
  for (int k = 0; k < m; k++) {
    if ((int)lround((double)k * (n - 1) / (m - 1)) == i) return true;
  }
  return false;
}

static int thinned(int n, double share) {
  int m = (int)lround(n * share);
  return n < 2 ? n : m < 2 ? 2 : m > n ? n : m;
}

static bool in_grid(const Compare *c, const ComparePoint *p, double share) {
  for (int i = 0; i < c->n_axis; i++) {
    int n = c->axis[i].n;
    if (!kept(p->index[i], n, thinned(n, share))) return false;
  }
  return true;
}

static Status build_grids(Compare *c, bool *member, Error *err) {
  CompareGrids *g = &c->grids;
  for (int level = 1; level <= COMPARE_GRIDS; level++) {
    double share = (double)level / COMPARE_GRIDS;
    int size = 0;
    for (int p = 0; p < c->n_point; p++) size += member[p] = in_grid(c, &c->point[p], share);
    if (size == 0 || (g->n && size <= g->size[g->n - 1])) continue;
    double *mean = arena_array(c->arena, (size_t)c->n_case, sizeof *mean);
    if (!mean) return error_no_memory(err);
    for (int k = 0; k < c->n_case; k++) {
      double sum = 0;
      int n = 0;
      for (int p = 0; p < c->n_point; p++) {
        const CompareRun *r = member[p] ? compare_at(c, k, p) : NULL;
        if (!r || !r->good) continue;
        sum += r->value[COMPARE_ITERATIONS];
        n++;
      }
      mean[k] = n ? sum / n : NAN;
    }
    g->size[g->n] = size;
    g->mean[g->n++] = mean;
  }
  return STATUS_OK;
}

Status compare_cases(Compare *c, Error *err) {
  size_t n = (size_t)c->n_point + 1;
  Ranked *ranked = malloc(n * sizeof *ranked);
  double *value = malloc(n * sizeof *value);
  bool *member = malloc(n * sizeof *member);
  Status status = ranked && value && member ? find_best(c, err) : error_no_memory(err);
  for (int k = 0; status == STATUS_OK && k < c->n_case; k++) {
    count_runs(c, k);
    find_size(c, k);
    for (int i = 0; status == STATUS_OK && i < N_COMPARE_MEASURES; i++) {
      status = build_box(c, k, i, ranked, value, err);
    }
    symmetry(c, c->table + (size_t)k * (size_t)c->n_point, value, &c->kase[k].symmetry);
  }
  for (int s = 0; status == STATUS_OK && s < c->n_set; s++) {
    symmetry(c, c->set[s].best, value, &c->set[s].symmetry);
  }
  if (status == STATUS_OK) status = build_grids(c, member, err);
  free(member);
  free(value);
  free(ranked);
  return status;
}
