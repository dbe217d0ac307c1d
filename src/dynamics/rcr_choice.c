// SPDX-License-Identifier: MIT
#include "dynamics/rcr_choice.h"

#include <math.h>
#include <string.h>

#include "dynamics/rcr_plan.h"

// Pivots above this are not worth a coordinate more behind p; below, by this factor.
static const double ENOUGH = 0.01;
static const double BETTER = 10.0;
enum { MORE = 6 };  // and never more than these, if there is a choice

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

// joint k of those next to the cut: n_tail of the tail outwards, then the head's from its tip
static int behind(const RcrWay *w, int head, int n_tail, int k) {
  const int *tail = w->joint[1 - head] + (w->n[1 - head] - n_tail);
  return k < n_tail ? tail[k] : w->joint[head][w->n[head] - 1 - (k - n_tail)];
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
static RcrChoice choose_behind(const Columns *c, const RcrWay *w, int head, int n_head,
                               int n_tail) {
  RcrChoice ch = {.n_head = n_head, .n_tail = n_tail, .joint = -1, .pivot = 1.0};
  int n = n_tail + n_head;
  double h[RCR_MAX_ROWS], delta;
  identity(ch.left);
  while (ch.n_dep < c->n && ch.n_dep < n) {
    double best = 0.0;
    int joint = -1;
    if (n == c->n) {
      joint = behind(w, head, n_tail, ch.n_dep);
      best = relative(c, ch.left, joint, h, &delta);
    }
    for (int k = 0; n != c->n && k < n; k++) {
      double r = relative(c, ch.left, behind(w, head, n_tail, k), h, &delta);
      if (r <= best) continue;
      best = r;
      joint = behind(w, head, n_tail, k);
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
  int most_head = 0, most_tail = w->n[1 - head];
  while (most_head < w->n[head] && !known[w->joint[head][w->n[head] - 1 - most_head]]) most_head++;
  int all = most_head + most_tail;
  *ch = choose_behind(&c, w, head, most_head, most_tail);
  if (ch->n_dep < c.n) return;
  bool chosen = false;
  for (int n = c.n; n <= all && n <= c.n + MORE && !(chosen && ch->pivot >= ENOUGH); n++) {
    for (int tail = n < most_tail ? n : most_tail; tail >= 0 && n - tail <= most_head; tail--) {
      RcrChoice other = choose_behind(&c, w, head, n - tail, tail);
      if (other.n_dep < c.n || (chosen && other.pivot <= BETTER * ch->pivot)) continue;
      *ch = other;
      chosen = true;
    }
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
