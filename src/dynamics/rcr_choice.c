// SPDX-License-Identifier: MIT
#include "dynamics/rcr_choice.h"

#include <math.h>
#include <string.h>

#include "dynamics/rcr_plan.h"

// Pivots above this are not worth a coordinate more behind p; below, by this factor.
static const double ENOUGH = 0.01;
static const double BETTER = 10.0;

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// h = tau g, and g^T tau g
static double project(int n, const double *tau, const double *g, double *h) {
  for (int i = 0; i < n; i++) h[i] = dot(n, tau + (size_t)i * RCR_MAX_ROWS, g);
  return dot(n, g, h);
}

// tau -= h h^T / delta (44)
static void take_out(int n, double *tau, const double *h, double delta) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) tau[i + k * RCR_MAX_ROWS] -= h[i] * h[k] / delta;
  }
}

static void identity(double *tau) {
  memset(tau, 0, sizeof(double) * RCR_MAX_ROWS * RCR_MAX_ROWS);
  for (int i = 0; i < RCR_MAX_ROWS; i++) tau[i * (RCR_MAX_ROWS + 1)] = 1.0;
}

typedef struct Columns {
  int n;            // rows
  int stride;       //
  const double *J;  // first row of the loop
  double small;     // squared columns below this are rounding
} Columns;

static const double *column(const Columns *c, int joint) {
  return c->J + (size_t)joint * c->stride;
}

static double relative(const Columns *c, const double *tau, int joint, double *h, double *delta) {
  const double *g = column(c, joint);
  double all = dot(c->n, g, g);
  *delta = project(c->n, tau, g, h);
  return all > c->small ? *delta / all : 0.0;
}

// joint k of those behind p, as many as there are on the tail and n_head on the head: the tail from
// the base outwards, then the head from its tip
static int behind(const RcrWay *w, int head, int k) {
  int tail = 1 - head;
  return k < w->n[tail] ? w->joint[tail][k] : w->joint[head][w->n[head] - 1 - (k - w->n[tail])];
}

static void take_joint(RcrChoice *ch, const Columns *c, int joint) {
  int e = ch->n_dep++;
  double r = relative(c, ch->left, joint, ch->h[e], &ch->delta[e]);
  take_out(c->n, ch->left, ch->h[e], ch->delta[e]);
  ch->dep[e] = joint;
  if (r >= ch->pivot) return;
  ch->pivot = r;
  ch->joint = joint;
}

// As many dependent joints as there are rows, if the columns allow: in the order of the paper where there is
// no choice, else those with the largest pivots first.
static RcrChoice choose_behind(const Columns *c, const RcrWay *w, int head, int n_head) {
  RcrChoice ch = {.n_head = n_head, .joint = -1, .pivot = 1.0};
  int n = w->n[1 - head] + n_head;
  double h[RCR_MAX_ROWS], delta;
  identity(ch.left);
  while (ch.n_dep < c->n && ch.n_dep < n) {
    double best = 0.0;
    int joint = -1;
    if (n == c->n) {
      joint = behind(w, head, ch.n_dep);
      best = relative(c, ch.left, joint, h, &delta);
    }
    for (int k = 0; n != c->n && k < n; k++) {
      double r = relative(c, ch.left, behind(w, head, k), h, &delta);
      if (r <= best) continue;
      best = r;
      joint = behind(w, head, k);
    }
    if (joint < 0 || best < RCR_RANK) break;
    take_joint(&ch, c, joint);
  }
  if (ch.n_dep < c->n) ch.reason = RCR_REDUNDANT;
  else ch.reason = ch.pivot < RCR_SINGULAR ? RCR_NEAR : RCR_CHOSEN;
  return ch;
}

void rcr_choose(RcrChoice *ch, const RcrWay *w, int head, const bool *known, int n_row_all,
                const double *J) {
  Columns c = {.n = w->n_row, .stride = n_row_all, .J = J + w->row};
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < w->n[side]; k++) {
      const double *g = column(&c, w->joint[side][k]);
      c.small = fmax(c.small, RCR_RANK * dot(c.n, g, g));
    }
  }
  int n_head = c.n > w->n[1 - head] ? c.n - w->n[1 - head] : 0, most = 0;
  while (most < w->n[head] && !known[w->joint[head][w->n[head] - 1 - most]]) most++;
  if (n_head > most) n_head = most;
  *ch = choose_behind(&c, w, head, n_head);
  while (++n_head <= most && (ch->n_dep < c.n || ch->pivot < ENOUGH)) {
    RcrChoice other = choose_behind(&c, w, head, n_head);
    bool better = other.n_dep > ch->n_dep || other.pivot > BETTER * ch->pivot;
    if (other.n_dep >= ch->n_dep && better) *ch = other;
  }
}

void rcr_close(const RcrChoice *c, const RcrWay *w, int n_row_all, const double *J, double *y,
               double *rate) {
  for (int i = c->n_dep - 1; i >= 0; i--) {
    rate[i] = -dot(w->n_row, c->h[i], y) / c->delta[i];
    const double *g = J + w->row + (size_t)c->dep[i] * n_row_all;
    for (int k = 0; k < w->n_row; k++) y[k] += g[k] * rate[i];
  }
}
