// SPDX-License-Identifier: MIT
#include "dynamics/rcr_choice.h"

#include <math.h>
#include <string.h>

#include "dynamics/rcr_plan.h"

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

// how many of the new joints the closure fixes: the rank of their columns, largest first
static int rank_of(const Columns *c, const RcrWay *w, const bool *known) {
  double tau[RCR_MAX_ROWS * RCR_MAX_ROWS], h[RCR_MAX_ROWS], best_h[RCR_MAX_ROWS];
  identity(tau);
  for (int rank = 0; rank < c->n; rank++) {
    double best = 0.0, best_delta = 1.0, delta;
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < w->n[side]; k++) {
        if (known[w->joint[side][k]]) continue;
        double r = relative(c, tau, w->joint[side][k], h, &delta);
        if (r <= best) continue;
        best = r;
        best_delta = delta;
        memcpy(best_h, h, sizeof h);
      }
    }
    if (best < RCR_RANK) return rank;
    take_out(c->n, tau, best_h, best_delta);
  }
  return c->n;
}

// takes the joint out of the rows; false if it can't be dependent
static bool take_joint(RcrChoice *ch, const Columns *c, int joint) {
  double *h = ch->h[ch->n_dep], *delta = &ch->delta[ch->n_dep];
  double r = relative(c, ch->left, joint, h, delta);
  if (r < RCR_SINGULAR) {
    ch->reason = r < RCR_RANK ? RCR_UNFIT : RCR_NEAR;
    ch->joint = joint;
    ch->pivot = r;
    return false;
  }
  take_out(c->n, ch->left, h, *delta);
  ch->dep[ch->n_dep++] = joint;
  ch->pivot = fmin(ch->pivot, r);
  return true;
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
  *ch = (RcrChoice){.reason = RCR_CHOSEN, .joint = -1, .pivot = 1.0};
  identity(ch->left);
  int rank = rank_of(&c, w, known), tail = 1 - head;
  for (int k = 0; k < w->n[tail]; k++) {
    if (ch->n_dep == rank) {
      ch->reason = RCR_LEFT;
      ch->joint = w->joint[tail][k];
      return;
    }
    if (!take_joint(ch, &c, w->joint[tail][k])) return;
  }
  ch->n_tail = ch->n_dep;
  for (int k = w->n[head] - 1; ch->n_dep < rank; k--) {
    // the rank is that of the joints not known, so there is one left
    if (!take_joint(ch, &c, w->joint[head][k])) return;
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
