// SPDX-License-Identifier: MIT
// What can be said without derivatives: patterns, bounds, names, ranges, and the report as text.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nlp/nlp_check_internal.h"

bool by_column_build(ByColumn *out, Arena *arena, int n, int nnz, const int *col) {
  out->start = arena_array(arena, (size_t)n + 2, sizeof *out->start);
  out->order = arena_array(arena, (size_t)nnz + 1, sizeof *out->order);
  if (!out->start || !out->order) return false;
  // counting sort: start[j + 1] runs through the places of column j
  int *next = out->start + 1;
  for (int e = 0; e < nnz; e++) {
    if (col[e] + 1 < n) next[col[e] + 1]++;
  }
  for (int j = 1; j < n; j++) next[j] += next[j - 1];
  for (int e = 0; e < nnz; e++) out->order[next[col[e]]++] = e;
  return true;
}

static void name_one(const Nlp *nlp, bool variable, int i, char *out, size_t size) {
  void (*name)(const void *, int, char *, size_t) = variable ? nlp->name_variable
                                                             : nlp->name_constraint;
  if (name) name(nlp->data, i, out, size);
  else snprintf(out, size, "%s %d", variable ? "variable" : "constraint", i);
}

void name_entry(const Nlp *nlp, NlpCheckKind kind, int row, int col, char *out, size_t size) {
  char a[88] = "objective", b[88] = "a direction";
  if (kind == NLP_CHECK_HESSIAN) name_one(nlp, true, row, a, sizeof a);
  if (kind == NLP_CHECK_JACOBIAN) name_one(nlp, false, row, a, sizeof a);
  if (col >= 0) name_one(nlp, true, col, b, sizeof b);
  if (kind == NLP_CHECK_HESSIAN) snprintf(out, size, "d2 / d (%s) d (%s)", a, b);
  else snprintf(out, size, "d (%s) / d (%s)", a, b);
}

void check_range(const Nlp *nlp, NlpCheckKind kind, int nnz, const int *row, const int *col,
                 const double *values, NlpCheckRange *out) {
  out->smallest_entry = out->largest_entry = -1;
  for (int e = 0; e < nnz; e++) {
    double size = fabs(values[e]);
    if (!(size > 0)) continue;
    if (out->smallest_entry < 0 || size < out->smallest) {
      out->smallest = size;
      out->smallest_entry = e;
    }
    if (out->largest_entry < 0 || size > out->largest) {
      out->largest = size;
      out->largest_entry = e;
    }
  }
  if (out->largest_entry < 0) return;
  int s = out->smallest_entry, l = out->largest_entry;
  name_entry(nlp, kind, row ? row[s] : -1, col ? col[s] : s, out->smallest_name,
             sizeof out->smallest_name);
  name_entry(nlp, kind, row ? row[l] : -1, col ? col[l] : l, out->largest_name,
             sizeof out->largest_name);
}

static int count_outside(int nnz, const int *row, const int *col, int rows, int cols) {
  int bad = 0;
  for (int e = 0; e < nnz; e++) bad += row[e] < 0 || row[e] >= rows || col[e] < 0 || col[e] >= cols;
  return bad;
}

static int count_crossed(int n, const double *lower, const double *upper) {
  int bad = 0;
  for (int i = 0; i < n; i++) bad += !(lower[i] <= upper[i]);
  return bad;
}

// places that occur more than once; last: scratch, one per row
static int count_duplicates(const ByColumn *by, int n, int rows, const int *row, int *last) {
  int again = 0;
  for (int i = 0; i < rows; i++) last[i] = -1;
  for (int j = 0; j < n; j++) {
    for (int k = by->start[j]; k < by->start[j + 1]; k++) {
      int i = row[by->order[k]];
      again += last[i] == j;
      last[i] = j;
    }
  }
  return again;
}

Status check_pattern(const Nlp *nlp, NlpCheckReport *out, Arena *arena, Error *err) {
  int n = nlp->n, m = nlp->m, hess_nnz = nlp->hessian ? nlp->hess_nnz : 0;
  out->out_of_range = count_outside(nlp->jac_nnz, nlp->jac_row, nlp->jac_col, m, n) +
                      count_outside(hess_nnz, nlp->hess_row, nlp->hess_col, n, n);
  for (int e = 0; e < hess_nnz; e++) out->above_diagonal += nlp->hess_row[e] < nlp->hess_col[e];
  out->crossed_bounds = count_crossed(n, nlp->x_lower, nlp->x_upper) +
                        count_crossed(m, nlp->g_lower, nlp->g_upper);
  if (out->out_of_range) return STATUS_OK;

  int *mark = arena_array(arena, (size_t)n + (size_t)m + 1, sizeof *mark);
  ByColumn jac, hess;
  if (!mark || !by_column_build(&jac, arena, n, nlp->jac_nnz, nlp->jac_col) ||
      !by_column_build(&hess, arena, n, hess_nnz, nlp->hess_col))
    return error_no_memory(err);
  out->jac_duplicates = count_duplicates(&jac, n, m, nlp->jac_row, mark);
  for (int i = 0; i < m; i++) out->jac_empty_rows += mark[i] < 0;
  out->hess_duplicates = count_duplicates(&hess, n, n, nlp->hess_row, mark);
  return STATUS_OK;
}

static void range_text(const char *what, const NlpCheckRange *r, TextBuf *out) {
  if (r->largest_entry < 0) {
    textbuf_addf(out, "%s: no nonzero\n", what);
    return;
  }
  textbuf_addf(out, "%s: |entries| from %.3g [%s] to %.3g [%s]\n", what, r->smallest,
               r->smallest_name, r->largest, r->largest_name);
}

static void count_text(int count, const char *what, TextBuf *out) {
  if (count) textbuf_addf(out, "%s: %d\n", what, count);
}

void nlp_check_text(const NlpCheckReport *r, TextBuf *out) {
  textbuf_addf(
      out, "derivatives: %s, %s; largest error: gradient %.2g, Jacobian %.2g, Hessian %.2g\n",
      r->ok ? "no fault found" : "FAULTY", r->entrywise ? "every entry" : "random directions",
      r->error[NLP_CHECK_GRADIENT], r->error[NLP_CHECK_JACOBIAN], r->error[NLP_CHECK_HESSIAN]);
  count_text(r->out_of_range, "pattern entries out of range", out);
  count_text(r->above_diagonal, "Hessian entries above the diagonal", out);
  count_text(r->crossed_bounds, "crossed bounds", out);
  if (r->not_finite)
    textbuf_addf(out, "not finite: %d, the first: %s\n", r->not_finite, r->not_finite_name);
  count_text(r->wrong, "entries beyond the tolerance", out);
  count_text(r->outside, "of these outside the pattern", out);
  count_text(r->skipped, "directions without a value", out);
  count_text(r->jac_duplicates, "Jacobian entries that repeat a place", out);
  count_text(r->hess_duplicates, "Hessian entries that repeat a place", out);
  count_text(r->jac_empty_rows, "constraints without a variable", out);
  for (int i = 0; i < r->n_worst; i++) {
    const NlpCheckEntry *e = &r->worst[i];
    textbuf_addf(out, "  %s: given %.10g, difference %.10g, error %.2g%s\n", e->name, e->given,
                 e->difference, e->error, e->outside ? ", outside the pattern" : "");
  }
  range_text("gradient", &r->gradient, out);
  range_text("Jacobian", &r->jacobian, out);
  range_text("Hessian", &r->hessian, out);
}
