// SPDX-License-Identifier: MIT
#include "report/report_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_compare_internal.h"

const char *const compare_field_names[N_COMPARE_FIELDS] = {
    "cost", "name", "layout", "linear_solver", "strategy", "guess", "seed", "folder", "formulation",
};

const CompareMeasureInfo compare_measures[N_COMPARE_MEASURES] = {
    {"objective", "Cost", "", 1},
    {"iterations", "Iterations", "", 1},
    {"cpu", "CPU time", "s", 1},
    {"cpu_per_iteration", "CPU time per iteration", "ms", 1e3},
    {"gap", "Cost above the best known", "%", 100},
    {"evaluation_share", "Share of the functions", "%", 100},
    {"linear_share", "Share of the linear solver", "%", 100},
};

Status compare_build(Compare **out, const Journal *const *journal, int n, const CompareOptions *opt,
                     Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  Compare *c = arena_alloc(arena, sizeof *c);
  if (!c) {
    arena_free(arena);
    return error_no_memory(err);
  }
  c->arena = arena;
  c->unverified = opt->unverified;
  Status status = compare_merge(c, journal, n, opt, err);
  if (status == STATUS_OK) status = compare_cases(c, err);
  if (status == STATUS_OK) status = compare_pairs(c, err);
  if (status == STATUS_OK) *out = c;
  else arena_free(arena);
  return status;
}

void compare_free(Compare *c) {
  if (c) arena_free(c->arena);
}

const CompareRun *compare_at(const Compare *c, int kase, int point) {
  int i = c->table[(size_t)kase * (size_t)c->n_point + (size_t)point];
  return i < 0 ? NULL : &c->run[i];
}

const ComparePair *compare_find_pair(const Compare *c, int a, int b, bool *swapped) {
  for (int i = 0; i < c->n_pair; i++) {
    const ComparePair *p = &c->pair[i];
    *swapped = p->a == b && p->b == a;
    if (*swapped || (p->a == a && p->b == b)) return p;
  }
  return NULL;
}

bool compare_varies(const Compare *c, CompareField field) {
  for (int i = 1; i < c->n_case; i++) {
    if (strcmp(c->kase[i].field[field], c->kase[0].field[field]) != 0) return true;
  }
  return false;
}

// "hold" says nothing beside others: kinds of texts that need their name in front
static void add_field(TextBuf *b, CompareField field, const char *text) {
  if (field == COMPARE_SEED || field == COMPARE_GUESS) {
    textbuf_addf(b, "%s %s", compare_field_names[field], text);
  } else if (field == COMPARE_LAYOUT) {
    textbuf_addf(b, "%s layout", text);
  } else {
    textbuf_add(b, text);
  }
}

void compare_common_label(const Compare *c, TextBuf *b) {
  int n = 0;
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    const char *text = c->kase[0].field[f];
    if (!*text || compare_varies(c, (CompareField)f)) continue;
    if (n++) textbuf_add(b, ", ");
    add_field(b, (CompareField)f, text);
  }
}

void compare_point_label(const Compare *c, int point, TextBuf *b) {
  for (int i = 0; i < c->n_axis; i++) {
    const CompareAxis *axis = &c->axis[i];
    int k = c->point[point].index[i];
    textbuf_addf(b, "%s%s = ", i ? ", " : "", axis->name);
    if (axis->label) textbuf_add(b, axis->label[k]);
    else textbuf_addf(b, "%.6g", fabs(axis->value[k]) < 1e-12 ? 0.0 : axis->value[k]);
    if (*axis->unit) textbuf_addf(b, " %s", axis->unit);
  }
}
