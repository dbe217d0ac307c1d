// SPDX-License-Identifier: MIT
// The numeric phase: insides of all intervals, then the chain of nodes, then the border; solves.
#include "solver/kkt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/kkt_internal.h"

static const double LEAST_U = 1e-8;  // of pivots against what stays behind

static double *doubles(Arena *arena, size_t n) {
  return arena_array(arena, n + KKT_LANES, sizeof(double));
}

// unknowns and equations by position, and room for the blocks
static bool inside_init(Kkt *k, KktInside *s) {
  const KktClass *c = s->c;
  const KktPrelude *l = &c->prelude;
  size_t nu = (size_t)c->nu, ldq = (size_t)c->ldq, rest = nu - (size_t)l->n;
  s->unknown = arena_array(k->arena, nu + 1, sizeof(int));
  s->equation = arena_array(k->arena, (size_t)c->ne + 1, sizeof(int));
  s->swap = arena_array(k->arena, nu + 1, sizeof(int));
  s->lower = doubles(k->arena, l->n ? (size_t)l->row_ptr[l->n] : 0);
  s->upper = doubles(k->arena, l->n ? (size_t)l->col_ptr[l->n] : 0);
  s->inverse = doubles(k->arena, (size_t)l->n);
  s->lu = doubles(k->arena, rest * (size_t)c->ldr);
  s->Y = doubles(k->arena, nu * ldq);
  s->H = doubles(k->arena, (size_t)c->h_ptr[c->nu]);
  s->T = doubles(k->arena, nu * ldq);
  s->P = doubles(k->arena, (size_t)c->n_p);
  s->S = doubles(k->arena, (size_t)c->nw * (size_t)c->lds);
  if (!s->unknown || !s->equation || !s->swap || !s->lower || !s->upper || !s->inverse || !s->lu ||
      !s->Y || !s->H || !s->T || !s->P || !s->S) {
    return false;
  }
  for (int i = 0; i < c->nu; i++) s->unknown[c->u_at[i]] = s->unknown_local[i];
  for (int i = 0; i < c->ne; i++) s->equation[c->e_at[i]] = s->equation_local[i];
  return true;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

// a room for each thread
static bool make_rooms(Kkt *k) {
  size_t W = 0, H = 0, half = 0, work = 0, n = 0;
  for (int i = 0; i < k->n_class; i++) {
    const KktClass *c = k->cls[i];
    size_t nu = (size_t)c->nu, ldq = (size_t)c->ldq;
    W = larger(W, (size_t)c->ne * (size_t)c->ldw);
    H = larger(H, (size_t)c->n_h);
    half = larger(half, nu * ldq);
    n = larger(n, (size_t)c->ldr);
    work = larger(work, 3 * (nu + KKT_LANES) + ldq);
  }
  KktScratch *scratch = arena_array(k->arena, (size_t)k->threads, sizeof *scratch);
  if (!k->work) k->work = doubles(k->arena, work);
  if (!scratch || !k->work) return false;
  for (int i = 0; i < k->threads; i++) {
    scratch[i] = i < k->n_scratch ? k->scratch[i]
                                  : (KktScratch){doubles(k->arena, W), doubles(k->arena, H),
                                                 doubles(k->arena, half), doubles(k->arena, n),
                                                 doubles(k->arena, n)};
    if (!scratch[i].W || !scratch[i].H || !scratch[i].half || !scratch[i].row || !scratch[i].col) {
      return false;
    }
  }
  k->scratch = scratch;
  k->n_scratch = k->threads;
  return true;
}

// at the first factorisation: known pivots from the values
static bool prepare(Kkt *k, const double *values) {
  for (int i = 0; i < k->map.n_stage; i++) {
    KktInside *s = &k->inside[i];
    if (s->S) continue;
    double *entry = malloc(((size_t)s->c->n_entry + 1) * sizeof *entry);
    if (!entry) return false;
    for (int e = 0; e < s->c->n_entry; e++) entry[e] = values[s->entry_from[e]];
    bool ok = kkt_class_prepare(s->c, entry, k->arena) && inside_init(k, s);
    free(entry);
    if (!ok) return false;
  }
  return k->n_scratch >= k->threads || make_rooms(k);
}

static void work_inside(Kkt *k, int i, int thread) {
  kkt_inside_factor(k, &k->inside[i], &k->scratch[thread]);
}

static inline void add_at(KktFront *f, int i, int j, double x) {
  f->a[(i < j ? i : j) * (long)f->ld + (i < j ? j : i)] += x;
}

// an upper triangle (n, ld apart) of the unknowns `index` is added to the front under way; k->at: scratch
static void add_triangle(const Kkt *k, KktFront *to, int n, const double *a, int ld,
                         const int *index) {
  int *restrict at = k->at;
  for (int i = 0; i < n; i++) at[i] = k->where[index[i]];
  for (int i = 0; i < n; i++) {
    const double *row = a + i * (long)ld;
    for (int j = i; j < n; j++) add_at(to, at[i], at[j], row[j]);
  }
}

// what a front left behind its pivots
static void add_schur(const Kkt *k, KktFront *to, const KktFront *from) {
  int p = from->ldl.n_pivot;
  add_triangle(k, to, from->n - p, from->a + p * (long)from->ld + p, from->ld, from->index + p);
}

static void add_inside(const Kkt *k, KktFront *to, const KktInside *s) {
  if (s->general) {
    add_schur(k, to, s->front);
    for (int i = s->front->ldl.n_pivot; i < s->front->n; i++) {
      double *size = &to->size[k->where[s->front->index[i]]];
      *size = fmax(*size, s->front->size[i]);
    }
  }
  add_triangle(k, to, s->c->nw, s->S, s->c->lds, s->outside);
}

static void add_node_pairs(Kkt *k, KktFront *f) {
  for (int p = f->pair_first; p < f->pair_end; p++) {
    KktPair *pair = &k->pair[p];
    kkt_pair_load(pair, k->values);
    double weight = kkt_pair_weight(pair);
    for (int i = 0; i < pair->n_entry; i++) {
      for (int j = 0; j <= i; j++) {
        add_at(f, k->where[pair->unknown[i]], k->where[pair->unknown[j]],
               weight * pair->coef[i] * pair->coef[j]);
      }
    }
  }
}

static int n_delayed(const KktFront *f) {
  return f->nf - f->ldl.n_pivot;
}

static int take_delayed(KktFront *to, int at, const KktFront *from) {
  for (int i = from->ldl.n_pivot; i < from->nf; i++) to->index[at++] = from->index[i];
  return at;
}

// front i of the chain: own unknowns, delayed ones, touched ones
static bool factor_node(Kkt *k, int i) {
  KktFront *f = &k->node[i];
  const KktFront *before = i > 0 ? &k->node[i - 1] : NULL;
  const KktInside *s = i < k->map.n_stage ? &k->inside[i] : NULL;
  const KktFront *general = s && s->general ? s->front : NULL;
  int late = (before ? n_delayed(before) : 0) + (general ? n_delayed(general) : 0);
  if (!kkt_front_begin(f, f->n_all + late, f->n_own + late)) return false;
  int at = 0;
  for (int j = 0; j < f->n_own; j++) f->index[at++] = f->unknown[j];
  if (before) at = take_delayed(f, at, before);
  if (general) at = take_delayed(f, at, general);
  for (int j = f->n_own; j < f->n_all; j++) f->index[at++] = f->unknown[j];
  for (int j = 0; j < f->n; j++) {
    k->where[f->index[j]] = j;
    f->size[j] = k->size[f->index[j]];
  }

  for (int e = 0; e < f->n_move; e++) {
    add_at(f, k->where[f->move_row[e]], k->where[f->move_col[e]], k->values[f->move_from[e]]);
  }
  add_node_pairs(k, f);
  if (s) add_inside(k, f, s);
  if (before) add_schur(k, f, before);
  kkt_front_factor(f, k->u);
  for (int j = f->ldl.n_pivot; j < f->n; j++) k->size[f->index[j]] = f->size[j];
  return true;
}

// the last front has nowhere to pass unknowns on to
static void close_border(KktFront *f) {
  for (int p = f->ldl.n_pivot; p < f->nf; p++) {
    f->d[2 * p] = 1.0;
    f->d[2 * p + 1] = 0.0;
    for (int j = p; j < f->n; j++) f->a[p * (long)f->ld + j] = 0.0;
    f->ldl.n_zero++;
  }
  f->ldl.n_pivot = f->nf;
}

static void count_front(KktInfo *info, const KktFront *f) {
  info->n_negative += f->ldl.n_negative;
  info->n_zero += f->ldl.n_zero;
  info->n_delayed += n_delayed(f);
  if (f->n > info->max_front) info->max_front = f->n;
  double n = f->n, rest = f->n - f->ldl.n_pivot;
  info->flops += (n * n * n - rest * rest * rest) / 3.0;
  info->bytes += f->room * sizeof(double) + (size_t)f->cap * 28;
}

static double lu_flops(const KktClass *c) {
  const KktPrelude *l = &c->prelude;
  double flops = 0.0, rest = c->nu - l->n, nq = c->nq, nu = c->nu;
  for (int p = 0; p < l->n; p++) {
    double rows = l->row_ptr[p + 1] - l->row_ptr[p], cols = l->col_ptr[p + 1] - l->col_ptr[p];
    double tails = KKT_LANES * (l->tail_ptr[p + 1] - l->tail_ptr[p]);
    flops += 2.0 * rows * (cols + tails) + 2.0 * cols * nq;
  }
  flops += 2.0 / 3.0 * rest * rest * rest + 2.0 * rest * rest * nq;
  return flops + 2.0 * c->h_ptr[c->nu] * nq + 2.0 * nu * nq * nq + 2.0 * c->n_p * nq;
}

// a pair has one negative eigenvalue unless slack and regularisation have the wrong signs
static void count_pairs(KktInfo *info, int n, const KktPair *pair) {
  for (int p = 0; p < n; p++) {
    const KktPair *a = &pair[p];
    if (a->det == 0.0) info->n_zero += 2;
    else info->n_negative += a->det > 0.0 ? 1 : a->E < 0.0 ? 2 : 0;
  }
}

static void summary(const Kkt *k, KktInfo *info) {
  *info = (KktInfo){.bytes = arena_bytes(k->arena)};
  count_pairs(info, k->n_pair, k->pair);
  for (int i = 0; i < k->map.n_stage; i++) {
    const KktInside *s = &k->inside[i];
    count_pairs(info, s->n_pair, s->pair);
    if (s->general) {
      count_front(info, s->front);
      info->n_general++;
    } else if (s->c->nu > 0) {
      info->n_negative += s->c->nu;
      info->flops += lu_flops(s->c);
    }
  }
  for (int i = 0; i < k->map.n_stage + 2; i++) count_front(info, &k->node[i]);
}

static bool finite_all(int n, const double *x) {
  double sum[KKT_LANES] = {0}, all = 0.0;
  int i = 0;
  for (; i + KKT_LANES <= n; i += KKT_LANES) {
    for (int l = 0; l < KKT_LANES; l++) sum[l] += x[i + l] * 0.0;
  }
  for (; i < n; i++) all += x[i] * 0.0;
  for (int l = 0; l < KKT_LANES; l++) all += sum[l];
  return all == 0.0;
}

bool kkt_factor(Kkt *k, const double *values, double u, KktInfo *info) {
  *info = (KktInfo){0};
  if (k->n_again > 0) {
    memcpy(k->merged, values, (size_t)k->n_value * sizeof *values);
    for (int e = 0; e < k->n_again; e++) k->merged[k->again[e][1]] += values[k->again[e][0]];
    values = k->merged;
  }
  k->values = values;
  k->u = fmax(u, LEAST_U);
  if (!finite_all(k->n_value, values) || !prepare(k, values)) return false;
  memset(k->size, 0, (size_t)k->map.dim * sizeof *k->size);
  kkt_team_run(k, k->map.n_stage, work_inside);
  for (int i = 0; i < k->map.n_stage; i++) {
    if (k->inside[i].failed) return false;
  }
  for (int i = 0; i < k->map.n_stage + 2; i++) {
    if (!factor_node(k, i)) return false;
  }
  int late = n_delayed(&k->node[k->map.n_stage + 1]);
  close_border(&k->node[k->map.n_stage + 1]);
  summary(k, info);
  info->n_delayed += late;
  return true;
}

static void pairs_forward(int n, const KktPair *pair, double *x) {
  for (int p = 0; p < n; p++) {
    const KktPair *a = &pair[p];
    if (a->det == 0.0) continue;
    double z = (a->c * x[a->slack] - a->E * x[a->row]) / a->det;
    for (int i = 0; i < a->n_entry; i++) x[a->unknown[i]] -= a->coef[i] * z;
  }
}

static void pairs_backward(int n, const KktPair *pair, double *x) {
  for (int p = 0; p < n; p++) {
    const KktPair *a = &pair[p];
    if (a->det == 0.0) continue;
    double r = x[a->row], rs = x[a->slack];
    for (int i = 0; i < a->n_entry; i++) r -= a->coef[i] * x[a->unknown[i]];
    x[a->slack] = (a->d * rs + a->c * r) / a->det;
    x[a->row] = (a->c * rs - a->E * r) / a->det;
  }
}

static void solve_one(const Kkt *k, double *x) {
  int n = k->map.n_stage;
  pairs_forward(k->n_pair, k->pair, x);
  for (int i = 0; i < n; i++) {
    pairs_forward(k->inside[i].n_pair, k->inside[i].pair, x);
    kkt_inside_forward(&k->inside[i], x, k->work);
  }
  for (int i = 0; i < n + 2; i++) kkt_front_forward(&k->node[i], x);
  for (int i = n + 1; i >= 0; i--) kkt_front_backward(&k->node[i], x);
  for (int i = 0; i < n; i++) {
    kkt_inside_backward(&k->inside[i], x, k->work);
    pairs_backward(k->inside[i].n_pair, k->inside[i].pair, x);
  }
  pairs_backward(k->n_pair, k->pair, x);
}

void kkt_solve(const Kkt *k, int n_rhs, double *x, int ld) {
  for (int r = 0; r < n_rhs; r++) solve_one(k, x + (size_t)r * (size_t)ld);
}

void kkt_set_threads(Kkt *k, int n) {
  kkt_team_free(k->team);
  k->threads = n > 1 ? n : 1;
  k->team = n > 1 ? kkt_team_new(n) : NULL;
}

void kkt_free(Kkt *k) {
  if (!k) return;
  kkt_team_free(k->team);
  for (int i = 0; i < k->map.n_stage; i++) kkt_front_free(&k->insides[i]);
  for (int i = 0; i < k->map.n_stage + 2; i++) kkt_front_free(&k->node[i]);
  arena_free(k->arena);
}
