// SPDX-License-Identifier: MIT
// The symbolic phase of one interval's inside: local numbers, entries of its blocks, its class.
#include <string.h>

#include "solver/kkt_build_internal.h"

// A new inside: its pattern before it is known whether a class has it already.
typedef struct Draft {
  KktClass c;
  KktInside s;
  bool *touches;  // nw, an equation
  int *p_col;     // n_p, outside
  int *p_entry;   // n_p, value
  Arena *arena;
} Draft;

static int *ints(Arena *a, int n) {
  return arena_array(a, (size_t)n + 1, sizeof(int));
}

static void meet(KktBuild *b, Draft *d, int w, bool equation) {
  if (b->local[w] < 0) {
    b->local[w] = d->c.nw;
    d->s.outside[d->c.nw++] = w;
  }
  if (equation) d->touches[b->local[w]] = true;
}

static bool is_equation(const KktBuild *b, int i) {
  return b->k->map.role[i] == KKT_EQUATION;
}

// who is inside, whom it touches outside; those that touch equations first, each part by index
static bool number(KktBuild *b, int k, Draft *d) {
  const KktMap *m = &b->k->map;
  int first = b->inside_ptr[k], n = b->inside_ptr[k + 1] - first;
  int room = 0;
  for (int i = 0; i < n; i++) d->c.nu += m->role[b->inside[first + i]] == KKT_UNKNOWN;
  d->c.ne = n - d->c.nu;
  d->s.unknown_local = ints(d->arena, d->c.nu);
  d->s.equation_local = ints(d->arena, d->c.ne);
  if (!d->s.unknown_local || !d->s.equation_local) return false;
  int nu = 0, ne = 0;
  for (int i = 0; i < n; i++) {
    int x = b->inside[first + i];
    b->local[x] = is_equation(b, x) ? ne : nu;
    if (is_equation(b, x)) d->s.equation_local[ne++] = x;
    else d->s.unknown_local[nu++] = x;
  }
  room = b->node_ptr[k + 2] - b->node_ptr[k] + b->node_ptr[m->n_stage + 2] -
         b->node_ptr[m->n_stage + 1];
  d->s.outside = ints(d->arena, room);
  d->touches = arena_array(b->scratch, (size_t)room + 1, sizeof(bool));
  int *sorted = ints(b->scratch, room);
  if (!d->s.outside || !d->touches || !sorted) return false;
  for (int e = b->owner_ptr[k]; e < b->owner_ptr[k + 1]; e++) {
    int i = b->entry[e].i, j = b->entry[e].j;
    if (!kkt_is_inside(m, i)) meet(b, d, i, is_equation(b, j));
    if (!kkt_is_inside(m, j)) meet(b, d, j, is_equation(b, i));
  }
  for (int p = 0; p < d->s.n_pair; p++) {
    for (int i = 0; i < d->s.pair[p].n_entry; i++) {
      int x = d->s.pair[p].unknown[i];
      if (!kkt_is_inside(m, x)) meet(b, d, x, false);
    }
  }
  // sorted: insertion by (touches no equation, index)
  for (int i = 0; i < d->c.nw; i++) {
    int x = d->s.outside[i], at = i;
    bool late = !d->touches[b->local[x]];
    for (; at > 0; at--) {
      int y = sorted[at - 1];
      bool y_late = !d->touches[b->local[y]];
      if (y_late < late || (y_late == late && y < x)) break;
      sorted[at] = y;
    }
    sorted[at] = x;
    d->c.nq += !late;
  }
  for (int i = 0; i < d->c.nw; i++) b->local[d->s.outside[i] = sorted[i]] = i;
  return true;
}

static bool make_room(KktBuild *b, Draft *d, int n_entry, int n_pair) {
  size_t h = (size_t)d->c.nu * (size_t)d->c.nu + 1, t = (size_t)d->c.nu * (size_t)d->c.nw + 1;
  if (h > b->h_room) b->h_mark = arena_array(b->scratch, b->h_room = h, sizeof(int));
  if (t > b->t_room) b->t_mark = arena_array(b->scratch, b->t_room = t, sizeof(int));
  if (!b->h_mark || !b->t_mark) return false;
  memset(b->h_mark, 0, h * sizeof(int));
  memset(b->t_mark, 0, t * sizeof(int));
  int most = n_entry + n_pair;
  KktClass *c = &d->c;
  c->entry_row = ints(b->scratch, n_entry);
  c->entry_col = ints(b->scratch, n_entry);
  d->s.entry_from = ints(d->arena, n_entry);
  c->h_row = ints(b->scratch, most);
  c->h_col = ints(b->scratch, most);
  d->s.h_from = ints(d->arena, most);
  c->t_row = ints(b->scratch, most);
  c->t_col = ints(b->scratch, most);
  d->s.t_from = ints(d->arena, most);
  c->p_local = ints(b->scratch, most);
  d->p_col = ints(b->scratch, most);
  d->p_entry = ints(b->scratch, most);
  d->s.d_from = ints(d->arena, c->ne);
  return c->entry_row && c->entry_col && d->s.entry_from && c->h_row && c->h_col && d->s.h_from &&
         c->t_row && c->t_col && d->s.t_from && c->p_local && d->p_col && d->p_entry && d->s.d_from;
}

// entry of H at local unknowns i, j: found or made; `from` -1 where the matrix has none
static int h_entry(KktBuild *b, Draft *d, int i, int j, int from) {
  int low = i < j ? i : j, high = i < j ? j : i;
  int *at = &b->h_mark[high * d->c.nu + low];
  if (*at == 0) {
    d->c.h_row[d->c.n_h] = high;
    d->c.h_col[d->c.n_h] = low;
    d->s.h_from[d->c.n_h] = -1;
    *at = ++d->c.n_h;
  }
  if (from >= 0) d->s.h_from[*at - 1] = from;
  return *at - 1;
}

// of P^T at local unknown i, outside w: in T or P by w
static int t_entry(KktBuild *b, Draft *d, int i, int w, int from) {
  int *at = &b->t_mark[i * d->c.nw + w];
  bool in_t = w < d->c.nq;
  if (*at == 0 && in_t) {
    d->c.t_row[d->c.n_t] = i;
    d->c.t_col[d->c.n_t] = w;
    d->s.t_from[d->c.n_t] = -1;
    *at = ++d->c.n_t;
  } else if (*at == 0) {
    d->c.p_local[d->c.n_p] = i;
    d->p_col[d->c.n_p] = w;
    d->p_entry[d->c.n_p] = -1;
    *at = ++d->c.n_p;
  }
  if (from >= 0) (in_t ? d->s.t_from : d->p_entry)[*at - 1] = from;
  return *at - 1;
}

static Status place_entry(KktBuild *b, Draft *d, const KktEntry *e, Error *err) {
  const KktMap *m = &b->k->map;
  int i = e->i, j = e->j;
  if (is_equation(b, j) || (!kkt_is_inside(m, i))) {  // i: the equation, or the one inside
    i = e->j;
    j = e->i;
  }
  int li = b->local[i], lj = b->local[j];
  if (is_equation(b, i) && is_equation(b, j)) {
    if (i != j) return kkt_mismatch(b, i, j, err);
    d->s.d_from[li] = e->from;
  } else if (is_equation(b, i) || is_equation(b, j)) {
    if (is_equation(b, j)) {
      int t = li;
      li = lj;
      lj = t;
      j = i;
    }
    d->c.entry_row[d->c.n_entry] = li;
    d->c.entry_col[d->c.n_entry] = kkt_is_inside(m, j) ? lj : d->c.nu + lj;
    d->s.entry_from[d->c.n_entry++] = e->from;
  } else if (kkt_is_inside(m, j)) {
    h_entry(b, d, li, lj, e->from);
  } else {
    t_entry(b, d, li, lj, e->from);
  }
  return STATUS_OK;
}

static void place_pairs(KktBuild *b, Draft *d) {
  const KktMap *m = &b->k->map;
  for (int p = 0; p < d->s.n_pair; p++) {
    KktPair *pair = &d->s.pair[p];
    int *to = pair->to;
    for (int i = 0; i < pair->n_entry; i++) {
      for (int j = 0; j <= i; j++, to++) {
        int x = pair->unknown[i], y = pair->unknown[j];
        bool in_x = kkt_is_inside(m, x), in_y = kkt_is_inside(m, y);
        int lx = b->local[x], ly = b->local[y];
        if (in_x && in_y) *to = KKT_AT_H + 4 * h_entry(b, d, lx, ly, -1);
        else if (!in_x && !in_y) {
          *to = KKT_AT_S + 4 * ((lx < ly ? lx : ly) * kkt_pad(d->c.nw) + (lx < ly ? ly : lx));
        } else {
          int w = in_x ? ly : lx, at = t_entry(b, d, in_x ? lx : ly, w, -1);
          *to = (w < d->c.nq ? KKT_AT_T : KKT_AT_P) + 4 * at;
        }
      }
    }
  }
}

// P by columns; pairs that point to its entries follow
static bool sort_p(KktBuild *b, Draft *d) {
  KktClass *c = &d->c;
  int n_col = c->nw - c->nq;
  c->p_ptr = ints(b->scratch, n_col + 1);
  int *local = ints(b->scratch, c->n_p), *moved = ints(b->scratch, c->n_p);
  d->s.p_from = ints(d->arena, c->n_p);
  c->p_row = ints(b->scratch, c->n_p);
  if (!c->p_ptr || !local || !moved || !d->s.p_from || !c->p_row) return false;
  int at = 0;
  for (int w = 0; w < n_col; w++) {
    for (int e = 0; e < c->n_p; e++) {
      if (d->p_col[e] != c->nq + w) continue;
      local[at] = c->p_local[e];
      d->s.p_from[at] = d->p_entry[e];
      moved[e] = at++;
    }
    c->p_ptr[w + 1] = at;
  }
  c->p_local = local;
  for (int p = 0; p < d->s.n_pair; p++) {
    KktPair *pair = &d->s.pair[p];
    for (int i = 0; i < pair->n_entry * (pair->n_entry + 1) / 2; i++) {
      if (pair->to[i] % 4 == KKT_AT_P) pair->to[i] = KKT_AT_P + 4 * moved[pair->to[i] / 4];
    }
  }
  return true;
}

static bool same(const int *a, const int *b, int n) {
  return memcmp(a, b, (size_t)n * sizeof(int)) == 0;
}

static bool same_class(const KktClass *a, const KktClass *b) {
  return a->nu == b->nu && a->ne == b->ne && a->nq == b->nq && a->nw == b->nw &&
         a->n_entry == b->n_entry && a->n_h == b->n_h && a->n_t == b->n_t && a->n_p == b->n_p &&
         same(a->entry_row, b->entry_row, a->n_entry) &&
         same(a->entry_col, b->entry_col, a->n_entry) && same(a->h_row, b->h_row, a->n_h) &&
         same(a->h_col, b->h_col, a->n_h) && same(a->t_row, b->t_row, a->n_t) &&
         same(a->t_col, b->t_col, a->n_t) && same(a->p_local, b->p_local, a->n_p) &&
         same(a->p_ptr, b->p_ptr, a->nw - a->nq + 1);
}

static KktClass *find_class(Kkt *k, const KktClass *draft) {
  for (int i = 0; i < k->n_class; i++) {
    if (same_class(k->cls[i], draft)) return k->cls[i];
  }
  KktClass *c = arena_alloc(k->arena, sizeof *c);
  if (!c) return NULL;
  *c = *draft;
  struct {
    int **array, n;
  } keep[] = {
      {&c->entry_row, c->n_entry}, {&c->entry_col, c->n_entry}, {&c->h_row, c->n_h},
      {&c->h_col, c->n_h},         {&c->t_row, c->n_t},         {&c->t_col, c->n_t},
      {&c->p_local, c->n_p},       {&c->p_row, c->n_p},         {&c->p_ptr, c->nw - c->nq + 1}};
  for (size_t i = 0; i < sizeof keep / sizeof keep[0]; i++) {
    int *copy = ints(k->arena, keep[i].n);
    if (!copy) return NULL;
    memcpy(copy, *keep[i].array, (size_t)keep[i].n * sizeof(int));
    *keep[i].array = copy;
  }
  c->ldq = kkt_pad(c->nq);
  c->lds = kkt_pad(c->nw);
  k->cls[k->n_class++] = c;
  return c;
}

// the inequalities that interval k eliminates
static bool own_pairs(KktBuild *b, int k, Draft *d) {
  int first = b->pair_ptr[k], n = b->pair_ptr[k + 1] - first;
  d->s.pair = arena_array(b->k->arena, (size_t)n + 1, sizeof *d->s.pair);
  if (!d->s.pair) return false;
  for (int p = 0; p < n; p++) d->s.pair[d->s.n_pair++] = b->pair[b->pair_by[first + p]];
  return true;
}

Status kkt_build_inside(KktBuild *b, int k, Error *err) {
  Draft d = {.arena = b->k->arena};
  if (!own_pairs(b, k, &d) || !number(b, k, &d)) return error_no_memory(err);
  int n_entry = b->owner_ptr[k + 1] - b->owner_ptr[k], n_pair = 0;
  for (int p = 0; p < d.s.n_pair; p++) {
    n_pair += d.s.pair[p].n_entry * (d.s.pair[p].n_entry + 1) / 2;
  }
  if (!make_room(b, &d, n_entry, n_pair)) return error_no_memory(err);
  for (int i = 0; i < d.c.ne; i++) d.s.d_from[i] = -1;
  for (int e = b->owner_ptr[k]; e < b->owner_ptr[k + 1]; e++) {
    Status status = place_entry(b, &d, &b->entry[e], err);
    if (status != STATUS_OK) return status;
  }
  place_pairs(b, &d);
  if (!sort_p(b, &d)) return error_no_memory(err);
  KktInside *s = &b->k->inside[k];
  *s = d.s;
  s->c = find_class(b->k, &d.c);
  s->front = &b->k->insides[k];
  if (!s->c) return error_no_memory(err);
  for (int i = 0; i < d.c.nu; i++) b->local[s->unknown_local[i]] = -1;
  for (int i = 0; i < d.c.ne; i++) b->local[s->equation_local[i]] = -1;
  for (int i = 0; i < d.c.nw; i++) b->local[s->outside[i]] = -1;
  return STATUS_OK;
}
