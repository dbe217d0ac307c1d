// SPDX-License-Identifier: MIT
// Known pivots: which rows and columns of the insides of one pattern are eliminated sparsely, in an order
// found once by Markowitz' count with the values at hand (Duff, Erisman, Reid: Direct methods for sparse
// matrices, ch. 7), and the index lists that follow from it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/kkt_internal.h"

static const double WORTHWHILE = 0.25;  // a known pivot touches at most this part of what is left
static const double STABLE = 0.1;       // and is at least this part of its column

typedef struct Search {
  int n, nq;
  double *a;          // n x n, by rows
  unsigned char *on;  // n x (n + nq): pattern with fill
  int *row, *col;     // n, chosen rows and columns: the first `done` are known pivots
  int done;
  bool *row_gone, *col_gone;
  int *row_count, *col_count;
} Search;

static bool on(const Search *s, int i, int j) {
  return s->on[i * (s->n + s->nq) + j];
}

static double column_most(const Search *s, int j) {
  double most = 0.0;
  for (int i = 0; i < s->n; i++) {
    if (!s->row_gone[i]) most = fmax(most, fabs(s->a[i * s->n + j]));
  }
  return most;
}

// the cheapest stable pivot; false: none is worthwhile
static bool find(const Search *s, int *row, int *col) {
  long best = -1;
  double best_value = 0.0;
  long left = s->n - s->done - 1;
  for (int j = 0; j < s->n; j++) {
    if (s->col_gone[j]) continue;
    double most = column_most(s, j);
    for (int i = 0; i < s->n; i++) {
      double x = fabs(s->a[i * s->n + j]);
      if (s->row_gone[i] || !on(s, i, j) || x < STABLE * most || x == 0.0) continue;
      long cost = (long)(s->row_count[i] - 1) * (s->col_count[j] - 1);
      if (best < 0 || cost < best || (cost == best && x > best_value)) {
        best = cost;
        best_value = x;
        *row = i;
        *col = j;
      }
    }
  }
  return best >= 0 && (double)best <= WORTHWHILE * (double)(left * left);
}

static void count(Search *s) {
  memset(s->row_count, 0, (size_t)s->n * sizeof(int));
  memset(s->col_count, 0, (size_t)s->n * sizeof(int));
  for (int i = 0; i < s->n; i++) {
    for (int j = 0; j < s->n; j++) {
      bool live = !s->row_gone[i] && !s->col_gone[j] && on(s, i, j);
      s->row_count[i] += live;
      s->col_count[j] += live;
    }
  }
}

// eliminates column `col` from the rows left, in values and pattern
static void eliminate(Search *s, int row, int col) {
  s->row_gone[row] = s->col_gone[col] = true;
  s->row[s->done] = row;
  s->col[s->done++] = col;
  const double *p = s->a + row * s->n;
  for (int i = 0; i < s->n; i++) {
    if (s->row_gone[i] || !on(s, i, col)) continue;
    double f = s->a[i * s->n + col] / p[col];
    for (int j = 0; j < s->n; j++) {
      if (!s->col_gone[j]) s->a[i * s->n + j] -= f * p[j];
    }
    for (int j = 0; j < s->n + s->nq; j++) {
      if ((j >= s->n || !s->col_gone[j]) && on(s, row, j)) s->on[i * (s->n + s->nq) + j] = 1;
    }
  }
}

static bool search_init(Search *s, const KktClass *c, const double *values, Arena *scratch) {
  int n = c->nu;
  *s = (Search){.n = n, .nq = c->nq};
  size_t m = (size_t)n;
  s->a = arena_array(scratch, m * m, sizeof(double));
  s->on = arena_array(scratch, m * (m + (size_t)c->nq), 1);
  s->row = arena_array(scratch, m, sizeof(int));
  s->col = arena_array(scratch, m, sizeof(int));
  s->row_gone = arena_array(scratch, m, sizeof(bool));
  s->col_gone = arena_array(scratch, m, sizeof(bool));
  s->row_count = arena_array(scratch, m, sizeof(int));
  s->col_count = arena_array(scratch, m, sizeof(int));
  if (!s->a || !s->on || !s->row || !s->col || !s->row_gone || !s->col_gone || !s->row_count ||
      !s->col_count) {
    return false;
  }
  for (int e = 0; e < c->n_entry; e++) {
    int i = c->entry_row[e], j = c->entry_col[e];
    s->on[i * (n + c->nq) + j] = 1;
    if (j < n) s->a[i * n + j] = values[e];
  }
  return true;
}

// positions: known pivots first, the others as they were
static void positions(const Search *s, KktClass *c) {
  int row = s->done, col = s->done;
  for (int i = 0; i < s->n; i++) {
    if (!s->row_gone[i]) c->e_at[i] = row++;
    if (!s->col_gone[i]) c->u_at[i] = col++;
  }
  for (int p = 0; p < s->done; p++) {
    c->e_at[s->row[p]] = p;
    c->u_at[s->col[p]] = p;
  }
}

// lists of one known pivot; counts only where the lists are NULL
static void list_pivot(const Search *s, const KktClass *c, int p, KktPrelude *l, int n[3]) {
  int row = s->row[p], col = s->col[p];
  for (int i = 0; i < s->n; i++) {
    if (c->e_at[i] > p && on(s, i, col)) {
      if (l->row) l->row[n[0]] = c->e_at[i];
      n[0]++;
    }
    if (c->u_at[i] > p && on(s, row, i)) {
      if (l->col) {
        l->at[n[1]] = c->u_at[i];
        l->col[n[1]] = kkt_column(c, c->u_at[i]);
      }
      n[1]++;
    }
  }
  for (int b = 0; b < c->ldq; b += KKT_LANES) {
    bool any = false;
    for (int q = b; q < b + KKT_LANES && q < s->nq; q++) any |= on(s, row, s->n + q);
    if (!any) continue;
    if (l->tail) l->tail[n[2]] = b;
    n[2]++;
  }
}

static bool list_all(const Search *s, KktClass *c, Arena *arena) {
  KktPrelude *l = &c->prelude;
  *l = (KktPrelude){.n = s->done};
  int n[3] = {0};
  for (int p = 0; p < s->done; p++) list_pivot(s, c, p, l, n);
  int *row = arena_array(arena, (size_t)n[0] + 1, sizeof(int));
  int *col = arena_array(arena, (size_t)n[1] + 1, sizeof(int));
  int *tail = arena_array(arena, (size_t)n[2] + 1, sizeof(int));
  l->at = arena_array(arena, (size_t)n[1] + 1, sizeof(int));
  l->row_ptr = arena_array(arena, (size_t)s->done + 1, sizeof(int));
  l->col_ptr = arena_array(arena, (size_t)s->done + 1, sizeof(int));
  l->tail_ptr = arena_array(arena, (size_t)s->done + 1, sizeof(int));
  if (!row || !col || !tail || !l->at || !l->row_ptr || !l->col_ptr || !l->tail_ptr) return false;
  l->row = row;
  l->col = col;
  l->tail = tail;
  memset(n, 0, sizeof n);
  for (int p = 0; p < s->done; p++) {
    list_pivot(s, c, p, l, n);
    l->row_ptr[p + 1] = n[0];
    l->col_ptr[p + 1] = n[1];
    l->tail_ptr[p + 1] = n[2];
  }
  return true;
}

// H by rows, both triangles, in positions
static bool fill_h(KktClass *c, Arena *arena) {
  int *ptr = c->h_ptr = arena_array(arena, (size_t)c->nu + 2, sizeof(int));
  c->h_at = arena_array(arena, 2 * (size_t)c->n_h + 1, sizeof(int));
  c->h_entry = arena_array(arena, 2 * (size_t)c->n_h + 1, sizeof(int));
  if (!ptr || !c->h_at || !c->h_entry) return false;
  for (int e = 0; e < c->n_h; e++) {
    int i = c->u_at[c->h_row[e]], j = c->u_at[c->h_col[e]];
    ptr[i + 1]++;
    if (i != j) ptr[j + 1]++;
  }
  for (int i = 0; i < c->nu; i++) ptr[i + 1] += ptr[i];
  int *next = arena_array(arena, (size_t)c->nu + 1, sizeof(int));
  if (!next) return false;
  memcpy(next, ptr, (size_t)c->nu * sizeof(int));
  for (int e = 0; e < c->n_h; e++) {
    int i = c->u_at[c->h_row[e]], j = c->u_at[c->h_col[e]];
    c->h_at[next[i]] = j;
    c->h_entry[next[i]++] = e;
    if (i == j) continue;
    c->h_at[next[j]] = i;
    c->h_entry[next[j]++] = e;
  }
  return true;
}

static bool fill_places(KktClass *c, Arena *arena) {
  c->g_to = arena_array(arena, (size_t)c->n_entry + 1, sizeof(int));
  c->t_to = arena_array(arena, (size_t)c->n_t + 1, sizeof(int));
  if (!c->g_to || !c->t_to || !fill_h(c, arena)) return false;
  for (int e = 0; e < c->n_entry; e++) {
    int j = c->entry_col[e];
    c->g_to[e] = c->e_at[c->entry_row[e]] * c->ldw +
                 (j < c->nu ? kkt_column(c, c->u_at[j]) : c->ldg + j - c->nu);
  }
  for (int e = 0; e < c->n_t; e++) c->t_to[e] = c->u_at[c->t_row[e]] * c->ldq + c->t_col[e];
  for (int e = 0; e < c->n_p; e++) c->p_row[e] = c->u_at[c->p_local[e]];
  return true;
}

static void set_widths(KktClass *c) {
  c->ldr = kkt_pad(c->nu - c->prelude.n);
  c->ldg = kkt_pad(c->prelude.n) + c->ldr;
  c->ldw = c->ldg + c->ldq;
}

bool kkt_class_prepare(KktClass *c, const double *values, Arena *arena) {
  if (c->ready) return true;
  c->u_at = arena_array(arena, (size_t)c->nu + 1, sizeof(int));
  c->e_at = arena_array(arena, (size_t)c->ne + 1, sizeof(int));
  if (!c->u_at || !c->e_at) return false;
  for (int i = 0; i < c->nu; i++) c->u_at[i] = i;
  for (int i = 0; i < c->ne; i++) c->e_at[i] = i;
  bool ok = true;
  set_widths(c);
  if (c->nu == c->ne) {
    Arena *scratch = arena_new();
    Search s;
    ok = search_init(&s, c, values, scratch);
    int row, col;
    if (ok) count(&s);
    while (ok && s.done < s.n && find(&s, &row, &col)) {
      eliminate(&s, row, col);
      count(&s);
    }
    if (ok) positions(&s, c);
    if (ok) c->prelude.n = s.done;
    set_widths(c);
    ok = ok && list_all(&s, c, arena);
    arena_free(scratch);
  }
  c->ready = ok && fill_places(c, arena);
  return c->ready;
}
