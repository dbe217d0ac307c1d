// SPDX-License-Identifier: MIT
#include "dynamics/ldl.h"

#include <math.h>
#include <string.h>

// ---- pattern -----------------------------------------------------------------------------------

// entries of the matrix sorted by the later of their two pivots
static bool sort_entries(Ldl *f, Arena *arena, const LdlEntry *entry) {
  f->a_ptr = arena_array(arena, (size_t)f->n + 2, sizeof *f->a_ptr);
  f->a_col = arena_array(arena, (size_t)f->n_entry + 1, sizeof *f->a_col);
  f->a_from = arena_array(arena, (size_t)f->n_entry + 1, sizeof *f->a_from);
  if (!f->a_ptr || !f->a_col || !f->a_from) return false;
  int *next = f->a_ptr + 1;  // becomes the start of each row, then its end
  for (int e = 0; e < f->n_entry; e++) {
    int i = f->place[entry[e].i], j = f->place[entry[e].j];
    next[(i > j ? i : j) + 1]++;
  }
  for (int k = 1; k <= f->n; k++) next[k] += next[k - 1];
  for (int e = 0; e < f->n_entry; e++) {
    int i = f->place[entry[e].i], j = f->place[entry[e].j];
    int at = next[i > j ? i : j]++;
    f->a_col[at] = i > j ? j : i;
    f->a_from[at] = e;
  }
  return true;
}

// Row k of L: from every entry of row k of the matrix up the elimination tree, until a pivot that was
// met before. Calls once per element; `met` and `up` have n elements, `up` starts as -1.
typedef struct Reach {
  const Ldl *f;
  int *met;  // last row that met pivot i, or -1
  int *up;   // parent in the elimination tree, -1 while unknown
} Reach;

static int reach_row(Reach *r, int k, int *out) {
  int n = 0;
  r->met[k] = k;
  for (int e = r->f->a_ptr[k]; e < r->f->a_ptr[k + 1]; e++) {
    for (int i = r->f->a_col[e]; r->met[i] != k; i = r->up[i]) {
      if (r->up[i] < 0) r->up[i] = k;
      r->met[i] = k;
      if (out) out[n] = i;
      n++;
    }
  }
  return n;
}

static void reach_start(Reach *r) {
  for (int i = 0; i < r->f->n; i++) r->met[i] = r->up[i] = -1;
}

// columns from rows: going through the rows in order makes them ascend; and back once more
static void transpose(int n, const int *from_ptr, const int *from, int *to_ptr, int *to,
                      int *next) {
  memset(to_ptr, 0, ((size_t)n + 1) * sizeof *to_ptr);
  for (int e = 0; e < from_ptr[n]; e++) to_ptr[from[e] + 1]++;
  for (int k = 0; k < n; k++) to_ptr[k + 1] += to_ptr[k];
  memcpy(next, to_ptr, (size_t)n * sizeof *next);
  for (int k = 0; k < n; k++) {
    for (int e = from_ptr[k]; e < from_ptr[k + 1]; e++) to[next[from[e]]++] = k;
  }
}

static bool build_pattern(Ldl *f, Arena *arena, Arena *work) {
  size_t n = (size_t)f->n;
  Reach r = {.f = f,
             .met = arena_array(work, n + 1, sizeof *r.met),
             .up = arena_array(work, n + 1, sizeof *r.up)};
  f->rowptr = arena_array(arena, n + 1, sizeof *f->rowptr);
  f->colptr = arena_array(arena, n + 1, sizeof *f->colptr);
  if (!r.met || !r.up || !f->rowptr || !f->colptr) return false;
  reach_start(&r);
  for (int k = 0; k < f->n; k++) f->rowptr[k + 1] = f->rowptr[k] + reach_row(&r, k, NULL);
  f->nnz = f->rowptr[f->n];
  f->row = arena_array(arena, (size_t)f->nnz + 1, sizeof *f->row);
  f->col = arena_array(arena, (size_t)f->nnz + 1, sizeof *f->col);
  if (!f->row || !f->col) return false;
  reach_start(&r);
  for (int k = 0; k < f->n; k++) reach_row(&r, k, f->col + f->rowptr[k]);
  transpose(f->n, f->rowptr, f->col, f->colptr, f->row, r.met);
  transpose(f->n, f->colptr, f->row, f->rowptr, f->col, r.met);
  return true;
}

bool ldl_build(Ldl *f, Arena *arena, int n, int n_entry, const LdlEntry *entry, const int *order) {
  *f = (Ldl){.n = n, .n_entry = n_entry};
  f->perm = arena_array(arena, (size_t)n + 1, sizeof *f->perm);
  f->place = arena_array(arena, (size_t)n + 1, sizeof *f->place);
  Arena *work = arena_new();
  bool ok = f->perm && f->place && work;
  for (int k = 0; ok && k < n; k++) {
    f->perm[k] = order[k];
    f->place[order[k]] = k;
  }
  ok = ok && sort_entries(f, arena, entry) && build_pattern(f, arena, work);
  arena_free(work);
  return ok;
}

// ---- expressions -------------------------------------------------------------------------------

// Row k of L and its pivot from the rows before: with y = row k of what is left of the matrix,
//   y_i = a_ki - sum_j l_ij y_j,  l_ki = y_i / d_i,  d_k = a_kk - sum_i l_ki y_i
bool ldl_trace(ExprGraph *g, const Ldl *f, const Expr *a, const bool *drop, Expr *l, Expr *d_inv) {
  Arena *work = arena_new();
  Expr *y = arena_array(work, (size_t)f->n + 1, sizeof *y);
  int *filled = arena_array(work, (size_t)f->n + 1, sizeof *filled);
  bool ok = y && filled;
  if (!ok) expr_graph_fail(g);
  for (int k = 0; ok && k < f->n; k++) {
    Expr d = EXPR_ZERO;
    for (int e = f->a_ptr[k]; e < f->a_ptr[k + 1]; e++) {
      Expr *to = f->a_col[e] == k ? &d : &y[f->a_col[e]];
      *to = expr_add(g, *to, a[f->a_from[e]]);
    }
    for (int e = f->rowptr[k]; e < f->rowptr[k + 1]; e++) {
      int i = f->col[e];
      Expr yi = y[i];
      y[i] = EXPR_ZERO;
      for (int p = f->colptr[i]; p < f->colptr[i] + filled[i]; p++) {
        y[f->row[p]] = expr_sub(g, y[f->row[p]], expr_mul(g, l[p], yi));
      }
      Expr lki = expr_mul(g, yi, d_inv[i]);
      d = expr_sub(g, d, expr_mul(g, lki, yi));
      l[f->colptr[i] + filled[i]++] = lki;
    }
    bool null = drop && drop[f->perm[k]];
    d_inv[k] = null ? EXPR_ZERO : expr_div(g, EXPR_ONE, d);
  }
  arena_free(work);
  return ok;
}

bool ldl_trace_solve(ExprGraph *g, const Ldl *f, const Expr *l, const Expr *d_inv, Expr *x) {
  Arena *work = arena_new();
  Expr *y = arena_array(work, (size_t)f->n + 1, sizeof *y);
  if (!y) expr_graph_fail(g);
  for (int k = 0; y && k < f->n; k++) y[k] = x[f->perm[k]];
  for (int k = 0; y && k < f->n; k++) {
    for (int p = f->colptr[k]; p < f->colptr[k + 1]; p++) {
      y[f->row[p]] = expr_sub(g, y[f->row[p]], expr_mul(g, l[p], y[k]));
    }
  }
  for (int k = f->n - 1; y && k >= 0; k--) {
    y[k] = expr_mul(g, y[k], d_inv[k]);
    for (int p = f->colptr[k]; p < f->colptr[k + 1]; p++) {
      y[k] = expr_sub(g, y[k], expr_mul(g, l[p], y[f->row[p]]));
    }
  }
  for (int k = 0; y && k < f->n; k++) x[f->perm[k]] = y[k];
  arena_free(work);
  return y != NULL;
}

// ---- numbers -----------------------------------------------------------------------------------

int ldl_factor(const Ldl *f, const double *a, double tol, double *l, double *d_inv, bool *is_null,
               double *work) {
  double *y = work;
  int n_null = 0;
  memset(y, 0, (size_t)f->n * sizeof *y);
  for (int k = 0; k < f->n; k++) {
    double d = 0, size = 0;
    for (int e = f->a_ptr[k]; e < f->a_ptr[k + 1]; e++) {
      double x = a[f->a_from[e]];
      if (f->a_col[e] == k) d += x;
      else y[f->a_col[e]] += x;
    }
    size = fabs(d);
    for (int e = f->rowptr[k]; e < f->rowptr[k + 1]; e++) {
      int i = f->col[e];
      const double yi = y[i];
      y[i] = 0;
      // rows of column i that come before k are done, and k is the next of them
      int p = f->colptr[i];
      for (; f->row[p] < k; p++) y[f->row[p]] -= l[p] * yi;
      l[p] = yi * d_inv[i];
      d -= l[p] * yi;
      size += fabs(l[p] * yi);
    }
    bool null = !(fabs(d) > tol * size);
    n_null += null;
    d_inv[k] = null ? 1.0 / LDL_HUGE : 1.0 / d;
    if (is_null) is_null[f->perm[k]] = null;
  }
  return n_null;
}

void ldl_solve(const Ldl *f, const double *l, const double *d_inv, double *x, double *work) {
  double *y = work;
  for (int k = 0; k < f->n; k++) y[k] = x[f->perm[k]];
  for (int k = 0; k < f->n; k++) {
    for (int p = f->colptr[k]; p < f->colptr[k + 1]; p++) y[f->row[p]] -= l[p] * y[k];
  }
  for (int k = f->n - 1; k >= 0; k--) {
    y[k] *= d_inv[k];
    for (int p = f->colptr[k]; p < f->colptr[k + 1]; p++) y[k] -= l[p] * y[f->row[p]];
  }
  for (int k = 0; k < f->n; k++) x[f->perm[k]] = y[k];
}
