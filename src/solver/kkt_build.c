// SPDX-License-Identifier: MIT
// The symbolic phase: who eliminates what, and where each entry of the matrix goes.
#include <stdlib.h>
#include <string.h>

#include "solver/kkt_build_internal.h"

Status kkt_mismatch(const KktBuild *b, int i, int j, Error *err) {
  const KktMap *m = &b->k->map;
  return error_set(err, STATUS_INPUT, "KKT matrix",
                   "entry (%d, %d) couples stages %d and %d, which the stage map keeps apart", i, j,
                   m->stage[i], m->stage[j]);
}

bool kkt_is_inside(const KktMap *m, int i) {
  return m->role[i] == KKT_UNKNOWN || m->role[i] == KKT_EQUATION;
}

// Front of a node or border unknown.
static int front_of(const KktMap *m, int i) {
  return m->role[i] == KKT_BORDER ? m->n_stage + 1 : m->stage[i];
}

// Who eliminates the entry (i, j) of ordinary unknowns first: inside k, or n_stage + front; -1: nobody may.
static int owner_of(const KktMap *m, int i, int j) {
  if (kkt_is_inside(m, j)) {
    int t = i;
    i = j;
    j = t;
  }
  if (kkt_is_inside(m, i)) {
    int k = m->stage[i];
    if (kkt_is_inside(m, j)) return m->stage[j] == k ? k : -1;
    int f = front_of(m, j);
    return f == k || f == k + 1 || f == m->n_stage + 1 ? k : -1;
  }
  int a = front_of(m, i), c = front_of(m, j);
  int low = a < c ? a : c, high = a < c ? c : a;
  return high - low <= 1 || high == m->n_stage + 1 ? m->n_stage + low : -1;
}

static bool is_pair(const KktMap *m, int i) {
  return m->role[i] == KKT_SLACK || m->role[i] == KKT_INEQUALITY;
}

// entries of inequalities: slack, coupling, diagonal, coefficients (counted first, then stored)
static Status pair_entry(KktBuild *b, int i, int j, int e, bool store, Error *err) {
  const KktMap *m = &b->k->map;
  if (m->role[j] == KKT_INEQUALITY || (m->role[j] == KKT_SLACK && m->role[i] != KKT_INEQUALITY)) {
    int t = i;
    i = j;
    j = t;
  }
  // now i is the inequality, or both are slacks
  if (m->role[i] == KKT_SLACK) {
    if (i != j) return kkt_mismatch(b, i, j, err);
    b->pair[b->pair_of[i]].at_slack = e;
    return STATUS_OK;
  }
  KktPair *p = &b->pair[b->pair_of[i]];
  if (i == j) p->at_row = e;
  else if (m->role[j] == KKT_SLACK) {
    if (b->pair_of[j] != b->pair_of[i]) return kkt_mismatch(b, i, j, err);
    p->at_couple = e;
  } else if (m->role[j] == KKT_INEQUALITY || m->role[j] == KKT_EQUATION) {
    return kkt_mismatch(b, i, j, err);
  } else {
    if (store) {
      p->unknown[p->n_entry] = j;
      p->from[p->n_entry] = e;
    }
    p->n_entry++;
  }
  return STATUS_OK;
}

// places that occur twice
static bool find_again(KktBuild *b) {
  Kkt *k = b->k;
  int dim = k->map.dim, n = 0;
  int *seen = arena_array(b->scratch, (size_t)dim + 1, sizeof(int));  // entry + 1 of this column
  b->again = arena_array(b->scratch, (size_t)b->ptr[dim] + 1, sizeof(bool));
  if (!seen || !b->again) return false;
  for (int pass = 0; pass < 2; pass++) {
    memset(seen, 0, (size_t)dim * sizeof(int));
    for (int j = 0; j < dim; j++) {
      for (int e = b->ptr[j]; e < b->ptr[j + 1]; e++) {
        int *first = &seen[b->row[e]];
        if (*first <= b->ptr[j]) {
          *first = e + 1;
        } else if (pass == 0) {
          b->again[e] = true;
          n++;
        } else {
          k->again[k->n_again][0] = e;
          k->again[k->n_again++][1] = *first - 1;
        }
      }
    }
    if (n == 0) return true;
    if (pass == 0) {
      k->again = arena_array(k->arena, (size_t)n, sizeof *k->again);
      k->merged = arena_array(k->arena, (size_t)b->ptr[dim], sizeof(double));
      if (!k->again || !k->merged) return false;
    }
  }
  return true;
}

static bool number_pairs(KktBuild *b) {
  const KktMap *m = &b->k->map;
  int slack = 0, row = 0;
  for (int i = 0; i < m->dim; i++) {
    b->pair_of[i] = -1;
    if (m->role[i] == KKT_SLACK) {
      if (slack >= m->n_slack) return false;
      b->pair[slack].slack = i;
      b->pair[slack].at_slack = b->pair[slack].at_couple = b->pair[slack].at_row = -1;
      b->pair_of[i] = slack++;
    } else if (m->role[i] == KKT_INEQUALITY) {
      if (row >= m->n_slack) return false;
      b->pair[row].row = i;
      b->pair_of[i] = row++;
    }
  }
  return slack == m->n_slack && row == m->n_slack;
}

// all entries of inequalities
static Status read_pairs(KktBuild *b, Error *err) {
  const KktMap *m = &b->k->map;
  for (int pass = 0; pass < 2; pass++) {
    for (int p = 0; pass == 1 && p < m->n_slack; p++) {
      KktPair *pair = &b->pair[p];
      size_t n = (size_t)pair->n_entry;
      pair->unknown = arena_array(b->k->arena, n + 1, sizeof(int));
      pair->from = arena_array(b->k->arena, n + 1, sizeof(int));
      pair->coef = arena_array(b->k->arena, n + 1, sizeof(double));
      pair->to = arena_array(b->k->arena, n * (n + 1) / 2 + 1, sizeof *pair->to);
      if (!pair->unknown || !pair->from || !pair->coef || !pair->to) return error_no_memory(err);
      pair->n_entry = 0;
    }
    for (int j = 0; j < m->dim; j++) {
      for (int e = b->ptr[j]; e < b->ptr[j + 1]; e++) {
        int i = b->row[e];
        if (b->again[e] || (!is_pair(m, i) && !is_pair(m, j))) continue;
        Status status = pair_entry(b, i, j, e, pass == 1, err);
        if (status != STATUS_OK) return status;
      }
    }
  }
  for (int p = 0; p < m->n_slack; p++) {
    const KktPair *pair = &b->pair[p];
    if (pair->at_slack < 0 || pair->at_couple < 0 || pair->at_row < 0) {
      return error_set(err, STATUS_INPUT, "KKT matrix", "inequality %d has no slack or diagonal",
                       p);
    }
    // the pair belongs to whoever eliminates the first of its unknowns
    int owner = 2 * m->n_stage + 1;
    for (int i = 0; i < pair->n_entry; i++) {
      for (int j = 0; j <= i; j++) {
        int o = owner_of(m, pair->unknown[i], pair->unknown[j]);
        if (o < 0) return kkt_mismatch(b, pair->unknown[i], pair->unknown[j], err);
        if (o < owner) owner = o;
      }
    }
    b->pair_owner[p] = owner;
  }
  return STATUS_OK;
}

static bool sort_pairs(KktBuild *b) {
  const KktMap *m = &b->k->map;
  int n_owner = 2 * m->n_stage + 2;
  b->pair_ptr = arena_array(b->scratch, (size_t)n_owner + 2, sizeof(int));
  b->pair_by = arena_array(b->scratch, (size_t)m->n_slack + 1, sizeof(int));
  if (!b->pair_ptr || !b->pair_by) return false;
  for (int p = 0; p < m->n_slack; p++) b->pair_ptr[b->pair_owner[p] + 2]++;
  for (int o = 0; o < n_owner; o++) b->pair_ptr[o + 2] += b->pair_ptr[o + 1];
  for (int p = 0; p < m->n_slack; p++) b->pair_by[b->pair_ptr[b->pair_owner[p] + 1]++] = p;
  return true;
}

// the other entries, sorted by owner
static Status sort_entries(KktBuild *b, Error *err) {
  const KktMap *m = &b->k->map;
  int n_owner = 2 * m->n_stage + 2;
  b->owner_ptr = arena_array(b->scratch, (size_t)n_owner + 2, sizeof(int));
  b->entry = arena_array(b->scratch, (size_t)b->ptr[m->dim] + 1, sizeof *b->entry);
  if (!b->owner_ptr || !b->entry) return error_no_memory(err);
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < m->dim; j++) {
      for (int e = b->ptr[j]; e < b->ptr[j + 1]; e++) {
        int i = b->row[e];
        if (b->again[e] || is_pair(m, i) || is_pair(m, j)) continue;
        int owner = owner_of(m, i, j);
        if (owner < 0) return kkt_mismatch(b, i, j, err);
        if (pass == 0) b->owner_ptr[owner + 2]++;
        else b->entry[b->owner_ptr[owner + 1]++] = (KktEntry){i, j, e};
      }
    }
    for (int o = 0; pass == 0 && o < n_owner; o++) b->owner_ptr[o + 2] += b->owner_ptr[o + 1];
  }
  return STATUS_OK;
}

// unknowns by place
static bool sort_unknowns(KktBuild *b) {
  const KktMap *m = &b->k->map;
  b->node_ptr = arena_array(b->scratch, (size_t)m->n_stage + 5, sizeof(int));
  b->inside_ptr = arena_array(b->scratch, (size_t)m->n_stage + 3, sizeof(int));
  b->node = arena_array(b->scratch, (size_t)m->dim + 1, sizeof(int));
  b->inside = arena_array(b->scratch, (size_t)m->dim + 1, sizeof(int));
  if (!b->node_ptr || !b->inside_ptr || !b->node || !b->inside) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < m->dim; i++) {
      if (is_pair(m, i)) continue;
      bool in = kkt_is_inside(m, i);
      if (in && m->stage[i] >= m->n_stage) return false;
      int *ptr = in ? b->inside_ptr : b->node_ptr, place = in ? m->stage[i] : front_of(m, i);
      if (pass == 0) ptr[place + 2]++;
      else if (in) b->inside[ptr[place + 1]++] = i;
      else b->node[ptr[place + 1]++] = i;
    }
    if (pass == 1) break;
    for (int k = 0; k < m->n_stage; k++) b->inside_ptr[k + 2] += b->inside_ptr[k + 1];
    for (int k = 0; k < m->n_stage + 2; k++) b->node_ptr[k + 2] += b->node_ptr[k + 1];
  }
  return true;
}

static void mark(KktBuild *b, KktFront *f, int i) {
  if (b->local[i] >= 0) return;
  b->local[i] = f->n_all;
  f->unknown[f->n_all++] = i;
}

// unknowns of front k: its own, then what it touches through entries, inequalities, its inside, the front before
static bool list_front(KktBuild *b, int k) {
  Kkt *kkt = b->k;
  const KktMap *m = &kkt->map;
  KktFront *f = &kkt->node[k];
  const KktFront *before = k > 0 ? &kkt->node[k - 1] : NULL;
  int owner = m->n_stage + k, next = k <= m->n_stage ? b->node_ptr[k + 2] : b->node_ptr[k + 1];
  int own = b->node_ptr[k + 1] - b->node_ptr[k];
  int border = b->node_ptr[m->n_stage + 2] - b->node_ptr[m->n_stage + 1];
  size_t most = (size_t)(next - b->node_ptr[k] + border) + 1;
  f->unknown = arena_array(kkt->arena, most, sizeof(int));
  if (!f->unknown) return false;
  for (int i = 0; i < own; i++) mark(b, f, b->node[b->node_ptr[k] + i]);
  f->n_own = own;
  for (int e = b->owner_ptr[owner]; e < b->owner_ptr[owner + 1]; e++) {
    mark(b, f, b->entry[e].i);
    mark(b, f, b->entry[e].j);
  }
  for (int p = b->pair_ptr[owner]; p < b->pair_ptr[owner + 1]; p++) {
    const KktPair *pair = &b->pair[b->pair_by[p]];
    for (int i = 0; i < pair->n_entry; i++) mark(b, f, pair->unknown[i]);
  }
  if (k < m->n_stage) {
    const KktInside *s = &kkt->inside[k];
    for (int i = 0; i < s->c->nw; i++) mark(b, f, s->outside[i]);
  }
  for (int i = before ? before->n_own : 0; before && i < before->n_all; i++) {
    mark(b, f, before->unknown[i]);
  }
  return true;
}

static bool move_entries(KktBuild *b, int k) {
  KktFront *f = &b->k->node[k];
  int owner = b->k->map.n_stage + k;
  size_t n = (size_t)(b->owner_ptr[owner + 1] - b->owner_ptr[owner]) + 1;
  f->move_row = arena_array(b->k->arena, n, sizeof(int));
  f->move_col = arena_array(b->k->arena, n, sizeof(int));
  f->move_from = arena_array(b->k->arena, n, sizeof(int));
  if (!f->move_row || !f->move_col || !f->move_from) return false;
  for (int e = b->owner_ptr[owner]; e < b->owner_ptr[owner + 1]; e++) {
    f->move_row[f->n_move] = b->entry[e].i;
    f->move_col[f->n_move] = b->entry[e].j;
    f->move_from[f->n_move++] = b->entry[e].from;
  }
  for (int i = 0; i < f->n_all; i++) b->local[f->unknown[i]] = -1;
  return true;
}

// inequalities between nodes only
static bool node_pairs(KktBuild *b) {
  Kkt *k = b->k;
  const KktMap *m = &k->map;
  int n = b->pair_ptr[2 * m->n_stage + 2] - b->pair_ptr[m->n_stage];
  k->pair = arena_array(k->arena, (size_t)n + 1, sizeof *k->pair);
  if (!k->pair) return false;
  for (int f = 0; f < m->n_stage + 2; f++) {
    k->node[f].pair_first = k->n_pair;
    int owner = m->n_stage + f;
    for (int p = b->pair_ptr[owner]; p < b->pair_ptr[owner + 1]; p++) {
      k->pair[k->n_pair++] = b->pair[b->pair_by[p]];
    }
    k->node[f].pair_end = k->n_pair;
  }
  return true;
}

static Status build(KktBuild *b, const KktMap *map, Error *err) {
  Kkt *k = b->k;
  const KktMap *m = &k->map;
  size_t dim = (size_t)map->dim + 1, n = (size_t)map->n_stage + 2;
  k->map = *map;
  k->map.stage = arena_array(k->arena, dim, sizeof(int));
  k->map.role = arena_array(k->arena, dim, 1);
  k->inside = arena_array(k->arena, n, sizeof *k->inside);
  k->insides = arena_array(k->arena, n, sizeof *k->insides);
  k->node = arena_array(k->arena, n, sizeof *k->node);
  k->cls = arena_array(k->arena, n, sizeof(void *));
  k->where = arena_array(k->arena, dim, sizeof(int));
  k->size = arena_array(k->arena, dim, sizeof(double));
  k->at = arena_array(k->arena, dim, sizeof(int));
  b->local = arena_array(b->scratch, dim, sizeof(int));
  b->pair_of = arena_array(b->scratch, dim, sizeof(int));
  b->pair = arena_array(b->scratch, (size_t)map->n_slack + 1, sizeof *b->pair);
  b->pair_owner = arena_array(b->scratch, (size_t)map->n_slack + 1, sizeof(int));
  if (!k->map.stage || !k->map.role || !k->inside || !k->insides || !k->node || !k->cls ||
      !k->where || !k->size || !k->at || !b->local || !b->pair_of || !b->pair || !b->pair_owner) {
    return error_no_memory(err);
  }
  memcpy(k->map.stage, map->stage, (dim - 1) * sizeof(int));
  memcpy(k->map.role, map->role, dim - 1);
  for (int i = 0; i < m->dim; i++) b->local[i] = -1;
  k->n_value = b->ptr[m->dim];
  if (!number_pairs(b)) {
    return error_set(err, STATUS_INPUT, "KKT map", "slacks and inequalities do not match");
  }
  if (!find_again(b)) return error_no_memory(err);
  Status status = read_pairs(b, err);
  if (status == STATUS_OK && !sort_pairs(b)) status = error_no_memory(err);
  if (status == STATUS_OK) status = sort_entries(b, err);
  if (status == STATUS_OK && !sort_unknowns(b)) status = error_no_memory(err);
  for (int i = 0; status == STATUS_OK && i < m->n_stage; i++) status = kkt_build_inside(b, i, err);
  for (int i = 0; status == STATUS_OK && i < m->n_stage + 2; i++) {
    if (!list_front(b, i) || !move_entries(b, i)) status = error_no_memory(err);
  }
  if (status == STATUS_OK && !node_pairs(b)) status = error_no_memory(err);
  return status;
}

Status kkt_build(Kkt **out, const KktMap *map, const int *ptr, const int *row, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  KktBuild b = {
      .k = arena_alloc(arena, sizeof(Kkt)), .scratch = arena_new(), .ptr = ptr, .row = row};
  Status status = b.k && b.scratch ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK) {
    b.k->arena = arena;
    b.k->threads = 1;
    status = build(&b, map, err);
  }
  arena_free(b.scratch);
  if (status == STATUS_OK) *out = b.k;
  else arena_free(arena);
  return status;
}
