// SPDX-License-Identifier: MIT
// The inside of one interval: blocks from the values, LU of G, Schur complement; and its part of a solve.
#include <math.h>
#include <string.h>

#include "solver/kkt_internal.h"

static const double GROWTH = 1e3;     // largest multiplier of a known pivot
static const double SINGULAR = 1e-4;  // smallest pivot of G, rows and columns scaled to 1

static void place_pair(KktInside *s, const KktScratch *room, int to, double x) {
  int index = to / 4;
  switch (to % 4) {
    case KKT_AT_H: room->H[index] += x; break;
    case KKT_AT_T: s->T[s->c->t_to[index]] += x; break;
    case KKT_AT_P: s->P[index] += x; break;
    default: s->S[index] += x; break;
  }
}

void kkt_pair_load(KktPair *p, const double *values) {
  p->E = values[p->at_slack];
  p->c = values[p->at_couple];
  p->d = -values[p->at_row];
  p->det = p->c * p->c + p->E * p->d;
  for (int i = 0; i < p->n_entry; i++) p->coef[i] = values[p->from[i]];
}

static void add_pairs(KktInside *s, const KktScratch *room, const double *values) {
  for (int k = 0; k < s->n_pair; k++) {
    KktPair *p = &s->pair[k];
    kkt_pair_load(p, values);
    double weight = kkt_pair_weight(p);
    const int *to = p->to;
    for (int i = 0; i < p->n_entry; i++) {
      double f = weight * p->coef[i];
      for (int j = 0; j <= i; j++) place_pair(s, room, *to++, f * p->coef[j]);
    }
  }
}

// the blocks of an inside from the values
static void load(KktInside *s, const KktScratch *room, const double *values) {
  const KktClass *c = s->c;
  memset(room->W, 0, (size_t)c->ne * (size_t)c->ldw * sizeof(double));
  memset(s->T, 0, (size_t)c->nu * (size_t)c->ldq * sizeof(double));
  memset(s->S, 0, (size_t)c->nw * (size_t)c->lds * sizeof(double));
  for (int e = 0; e < c->n_entry; e++) room->W[c->g_to[e]] = values[s->entry_from[e]];
  for (int e = 0; e < c->n_h; e++) room->H[e] = s->h_from[e] < 0 ? 0.0 : values[s->h_from[e]];
  for (int e = 0; e < c->n_t; e++) {
    if (s->t_from[e] >= 0) s->T[c->t_to[e]] = values[s->t_from[e]];
  }
  for (int e = 0; e < c->n_p; e++) s->P[e] = s->p_from[e] < 0 ? 0.0 : values[s->p_from[e]];
  add_pairs(s, room, values);
}

// Known pivots of W; false: one was too small here.
KKT_INLINE bool eliminate_known(KktInside *s, double *W) {
  const KktClass *c = s->c;
  const KktPrelude *l = &c->prelude;
  for (int p = 0; p < l->n; p++) {
    const double *restrict row = W + p * (long)c->ldw;
    if (row[p] == 0.0) return false;
    double inverse = s->inverse[p] = 1.0 / row[p], most = 0.0;
    for (int t = l->col_ptr[p]; t < l->col_ptr[p + 1]; t++) s->upper[t] = row[l->col[t]];
    for (int r = l->row_ptr[p]; r < l->row_ptr[p + 1]; r++) {
      double *restrict x = W + l->row[r] * (long)c->ldw;
      double f = s->lower[r] = x[p] * inverse, size = fabs(f);
      if (f == 0.0) continue;
      most = size > most ? size : most;
      for (int t = l->col_ptr[p]; t < l->col_ptr[p + 1]; t++) x[l->col[t]] -= f * row[l->col[t]];
      for (int t = l->tail_ptr[p]; t < l->tail_ptr[p + 1]; t++) {
        int at = c->ldg + l->tail[t];
        for (int i = 0; i < KKT_LANES; i++) x[at + i] -= f * row[at + i];
      }
    }
    if (!(most <= GROWTH)) return false;
  }
  return true;
}

// Y = -G^-1 Q^T from the eliminated rows, from the last one up
KKT_INLINE void back_substitute(KktInside *s, const double *W) {
  const KktClass *c = s->c;
  const KktPrelude *l = &c->prelude;
  int ldw = c->ldw, ldq = c->ldq, n = c->nu, known = l->n, first = kkt_pad(known);
  for (int p = n - 1; p >= 0; p--) {
    const double *row = W + p * (long)ldw;
    double *restrict y = s->Y + p * (long)ldq, inverse;
    for (int i = 0; i < ldq; i++) y[i] = -row[c->ldg + i];
    if (p >= known) {
      int col = first + p - known;
      inverse = 1.0 / row[col];
      kkt_rows_sub(ldq, y, n - 1 - p, row + col + 1, NULL, y + ldq, ldq);
    } else {
      int t = l->col_ptr[p];
      inverse = s->inverse[p];
      kkt_rows_sub(ldq, y, l->col_ptr[p + 1] - t, s->upper + t, l->at + t, s->Y, ldq);
    }
    for (int i = 0; i < ldq; i++) y[i] *= inverse;
  }
}

// rows a of M = Y^T half for columns b .. b + KKT_LANES: S takes M + M^T
KKT_INLINE void add_product(KktInside *s, const double *half, int a, int b) {
  const KktClass *c = s->c;
  int ldq = c->ldq, i = 0;
  double m[KKT_LANES] = {0}, m2[KKT_LANES] = {0};
  for (; i + 1 < c->nu; i += 2) {
    double f = s->Y[i * (long)ldq + a], g = s->Y[(i + 1) * (long)ldq + a];
    const double *z = half + i * (long)ldq + b;
    for (int l = 0; l < KKT_LANES; l++) m[l] += f * z[l];
    for (int l = 0; l < KKT_LANES; l++) m2[l] += g * z[ldq + l];
  }
  if (i < c->nu) {
    double f = s->Y[i * (long)ldq + a];
    for (int l = 0; l < KKT_LANES; l++) m[l] += f * half[i * (long)ldq + b + l];
  }
  for (int l = 0; l < KKT_LANES && b + l < c->nq; l++) {
    int q = b + l, low = a < q ? a : q, high = a < q ? q : a;
    s->S[low * c->lds + high] += (a == q ? 2.0 : 1.0) * (m[l] + m2[l]);
  }
}

// T += H Y, S += Y^T (H Y / 2 + P^T) + its transpose, P Y beside it
KKT_INLINE void schur(KktInside *s, const KktScratch *room) {
  const KktClass *c = s->c;
  int ldq = c->ldq, nu = c->nu;
  double *half = room->half;
  for (int i = 0; i < c->h_ptr[nu]; i++) s->H[i] = -room->H[c->h_entry[i]];
  for (int i = 0; i < nu; i++) {
    double *restrict z = half + i * (long)ldq, *restrict t = s->T + i * (long)ldq;
    for (int q = 0; q < ldq; q++) z[q] = 0.0;
    int at = c->h_ptr[i];
    kkt_rows_sub(ldq, z, c->h_ptr[i + 1] - at, s->H + at, c->h_at + at, s->Y, ldq);
    for (int q = 0; q < ldq; q++) {
      double hy = z[q];
      z[q] = 0.5 * hy + t[q];
      t[q] += hy;
    }
  }
  for (int a = 0; a < c->nq; a++) {
    for (int b = 0; b < ldq; b += KKT_LANES) add_product(s, half, a, b);
  }
  // rows of P beyond nq: S(q, p) = sum of P Y
  for (int p = c->nq; p < c->nw; p++) {
    for (int e = c->p_ptr[p - c->nq]; e < c->p_ptr[p - c->nq + 1]; e++) {
      const double *y = s->Y + c->p_row[e] * (long)ldq;
      for (int q = 0; q < c->nq; q++) s->S[q * c->lds + p] += s->P[e] * y[q];
    }
  }
}

// scales of the dense rest of G: largest entries of its rows, and of its columns with rows divided by theirs
KKT_INLINE void measure(const KktClass *c, const KktScratch *room, const double *a) {
  double *restrict col = room->col;
  for (int j = 0; j < c->ldr; j++) col[j] = 0.0;
  for (int i = 0; i < c->nu - c->prelude.n; i++) {
    const double *restrict x = a + i * (long)c->ldw;
    double most[KKT_LANES] = {0}, largest = 0.0;
    for (int j = 0; j < c->ldr; j += KKT_LANES) {
      for (int l = 0; l < KKT_LANES; l++) {
        double y = fabs(x[j + l]);
        most[l] = y > most[l] ? y : most[l];
      }
    }
    for (int l = 0; l < KKT_LANES; l++) largest = most[l] > largest ? most[l] : largest;
    room->row[i] = largest;
    double scale = largest > 0.0 ? 1.0 / largest : 1.0;
    for (int j = 0; j < c->ldr; j++) {
      double y = scale * fabs(x[j]);
      col[j] = y > col[j] ? y : col[j];
    }
  }
}

// Is the pivot of every row and column large enough against what these were? a: the dense rest, eliminated.
static bool is_regular(const KktInside *s, const KktScratch *room, const double *a) {
  const KktClass *c = s->c;
  double *row = room->row;
  for (int p = 0; p < c->nu - c->prelude.n; p++) {
    double r = row[s->swap[p]];
    row[s->swap[p]] = row[p];
    if (!(fabs(a[p * (long)c->ldw + p]) > SINGULAR * r * room->col[p])) return false;
  }
  return true;
}

KKT_CLONES static bool factor_lu(KktInside *s, const KktScratch *room) {
  const KktClass *c = s->c;
  int known = c->prelude.n, rest = c->nu - known, first = kkt_pad(known);
  if (known && !eliminate_known(s, room->W)) return false;
  double *a = room->W + known * (long)c->ldw + first;
  measure(c, room, a);
  if (kkt_lu(rest, c->ldw - first, a, c->ldw, 0.0, s->swap) < rest) return false;
  if (!is_regular(s, room, a)) return false;
  for (int i = 0; i < rest; i++) {
    for (int j = 0; j < c->ldr; j++) s->lu[i * (long)c->ldr + j] = a[i * (long)c->ldw + j];
  }
  back_substitute(s, room->W);
  schur(s, room);
  return true;
}

// the inside as one front: unknowns, equations | outside
static void factor_front(Kkt *k, KktInside *s, const KktScratch *room) {
  const KktClass *c = s->c;
  KktFront *f = s->front;
  int nu = c->nu, ne = c->ne, n = nu + ne + c->nw;
  s->general = true;
  if (!kkt_front_begin(f, n, nu + ne)) {
    s->failed = true;
    return;
  }
  load(s, room, k->values);
  for (int i = 0; i < nu; i++) f->index[i] = s->unknown[i];
  for (int i = 0; i < ne; i++) f->index[nu + i] = s->equation[i];
  for (int i = 0; i < c->nw; i++) f->index[nu + ne + i] = s->outside[i];
  for (int e = 0; e < c->n_h; e++) {
    int i = c->u_at[c->h_row[e]], j = c->u_at[c->h_col[e]];
    f->a[(i < j ? i : j) * (long)f->ld + (i < j ? j : i)] = room->H[e];
  }
  for (int e = 0; e < c->n_entry; e++) {
    int i = c->e_at[c->entry_row[e]], j = c->entry_col[e];
    double x = room->W[c->g_to[e]];
    if (j < nu) f->a[c->u_at[j] * (long)f->ld + nu + i] = x;
    else f->a[(nu + i) * (long)f->ld + ne + j] = x;
  }
  for (int e = 0; e < c->n_t; e++) {
    f->a[c->u_at[c->t_row[e]] * (long)f->ld + nu + ne + c->t_col[e]] = s->T[c->t_to[e]];
  }
  for (int p = c->nq; p < c->nw; p++) {
    for (int e = c->p_ptr[p - c->nq]; e < c->p_ptr[p - c->nq + 1]; e++) {
      f->a[c->p_row[e] * (long)f->ld + nu + ne + p] = s->P[e];
    }
  }
  for (int i = 0; i < ne; i++) {
    int at = nu + c->e_at[i];
    if (s->d_from[i] >= 0) f->a[at * (long)f->ld + at] = k->values[s->d_from[i]];
  }
  kkt_front_factor(f, k->u);
}

static bool has_diagonal(const KktInside *s, const double *values) {
  for (int i = 0; i < s->c->ne; i++) {
    if (s->d_from[i] >= 0 && values[s->d_from[i]] != 0.0) return true;
  }
  return false;
}

void kkt_inside_factor(Kkt *k, KktInside *s, const KktScratch *room) {
  s->general = s->failed = false;
  const KktClass *c = s->c;
  if (c->nu != c->ne || has_diagonal(s, k->values)) {
    factor_front(k, s, room);
    return;
  }
  load(s, room, k->values);
  if (c->nu > 0 && !factor_lu(s, room)) factor_front(k, s, room);
}

// b = G^-1 b: b by row positions on entry, by unknowns' positions on return
KKT_INLINE void solve_g(const KktInside *s, double *restrict b) {
  const KktClass *c = s->c;
  const KktPrelude *l = &c->prelude;
  int known = l->n, rest = c->nu - known;
  for (int p = 0; p < known; p++) {
    for (int r = l->row_ptr[p]; r < l->row_ptr[p + 1]; r++) b[l->row[r]] -= s->lower[r] * b[p];
  }
  double *restrict x = b + known;
  for (int p = 0; p < rest; p++) {
    double t = x[p];
    x[p] = x[s->swap[p]];
    x[s->swap[p]] = t;
  }
  for (int p = 1; p < rest; p++) x[p] -= kkt_dot(p, s->lu + p * (long)c->ldr, x);
  for (int p = rest - 1; p >= 0; p--) {
    const double *row = s->lu + p * (long)c->ldr + p;
    x[p] = (x[p] - kkt_dot(rest - 1 - p, row + 1, x + p + 1)) / row[0];
  }
  for (int p = known - 1; p >= 0; p--) {
    double sum = b[p];
    for (int t = l->col_ptr[p]; t < l->col_ptr[p + 1]; t++) sum -= s->upper[t] * b[l->at[t]];
    b[p] = sum * s->inverse[p];
  }
}

// b = G^-T b: b by unknowns' positions on entry, by row positions on return
KKT_INLINE void solve_g_transposed(const KktInside *s, double *restrict b) {
  const KktClass *c = s->c;
  const KktPrelude *l = &c->prelude;
  int known = l->n, rest = c->nu - known;
  for (int p = 0; p < known; p++) {
    double f = b[p] *= s->inverse[p];
    for (int t = l->col_ptr[p]; t < l->col_ptr[p + 1]; t++) b[l->at[t]] -= s->upper[t] * f;
  }
  double *restrict x = b + known;
  for (int p = 0; p < rest; p++) {
    const double *restrict row = s->lu + p * (long)c->ldr;
    double f = x[p] /= row[p];
    for (int j = p + 1; j < rest; j++) x[j] -= row[j] * f;
  }
  for (int p = rest - 1; p > 0; p--) {
    const double *restrict row = s->lu + p * (long)c->ldr;
    double f = x[p];
    for (int j = 0; j < p; j++) x[j] -= row[j] * f;
  }
  for (int p = rest - 1; p >= 0; p--) {
    double t = x[p];
    x[p] = x[s->swap[p]];
    x[s->swap[p]] = t;
  }
  for (int p = known - 1; p >= 0; p--) {
    double sum = b[p];
    for (int r = l->row_ptr[p]; r < l->row_ptr[p + 1]; r++) sum -= s->lower[r] * b[l->row[r]];
    b[p] = sum;
  }
}

// with r_u, r_e: z = G^-1 r_e; the right-hand side outside gains Y^T r_u - T^T z - P z;
// x keeps z in place of the unknowns and r_u - H z in place of the equations
KKT_CLONES static void forward_lu(const KktInside *s, double *x, double *work) {
  const KktClass *c = s->c;
  int nu = c->nu, ldq = c->ldq;
  double *restrict z = work, *restrict r = z + kkt_pad(nu), *restrict w = r + kkt_pad(nu);
  for (int i = 0; i < nu; i++) z[i] = x[s->equation[i]];
  for (int i = 0; i < nu; i++) r[i] = x[s->unknown[i]];
  solve_g(s, z);
  for (int q = 0; q < ldq; q++) w[q] = 0.0;
  for (int i = 0; i < nu; i++) {
    const double *y = s->Y + i * (long)ldq, *t = s->T + i * (long)ldq;
    for (int q = 0; q < ldq; q++) w[q] += r[i] * y[q] - z[i] * t[q];
  }
  for (int q = 0; q < c->nq; q++) x[s->outside[q]] += w[q];
  for (int p = c->nq; p < c->nw; p++) {
    double sum = 0.0;
    for (int e = c->p_ptr[p - c->nq]; e < c->p_ptr[p - c->nq + 1]; e++) {
      sum += s->P[e] * z[c->p_row[e]];
    }
    x[s->outside[p]] -= sum;
  }
  for (int i = 0; i < nu; i++) {
    double sum = r[i];
    for (int e = c->h_ptr[i]; e < c->h_ptr[i + 1]; e++) sum += s->H[e] * z[c->h_at[e]];
    x[s->unknown[i]] = z[i];
    x[s->equation[i]] = sum;
  }
}

// unknowns z + Y w, equations G^-T (kept - T w - P^T w)
KKT_CLONES static void backward_lu(const KktInside *s, double *x, double *work) {
  const KktClass *c = s->c;
  int nu = c->nu, ldq = c->ldq;
  double *restrict r = work, *restrict w = r + kkt_pad(nu);
  for (int q = 0; q < ldq; q++) w[q] = q < c->nq ? x[s->outside[q]] : 0.0;
  for (int i = 0; i < nu; i++) {
    x[s->unknown[i]] += kkt_dot(ldq, s->Y + i * (long)ldq, w);
    r[i] = x[s->equation[i]] - kkt_dot(ldq, s->T + i * (long)ldq, w);
  }
  for (int p = c->nq; p < c->nw; p++) {
    double f = x[s->outside[p]];
    for (int e = c->p_ptr[p - c->nq]; e < c->p_ptr[p - c->nq + 1]; e++) {
      r[c->p_row[e]] -= s->P[e] * f;
    }
  }
  solve_g_transposed(s, r);
  for (int i = 0; i < nu; i++) x[s->equation[i]] = r[i];
}

void kkt_inside_forward(const KktInside *s, double *x, double *work) {
  if (s->general) kkt_front_forward(s->front, x);
  else if (s->c->nu > 0) forward_lu(s, x, work);
}

void kkt_inside_backward(const KktInside *s, double *x, double *work) {
  if (s->general) kkt_front_backward(s->front, x);
  else if (s->c->nu > 0) backward_lu(s, x, work);
}
