// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "dynamics/rcr_plan_internal.h"

// The branch of the file's order is kept unless the other one is better by this much.
static const double CLEARLY_BETTER = 4.0;

// A choice with pivots above this is taken without looking at others, which start with other loops.
static const double GOOD = 0.25;
enum { MOST_STARTS = 16 };

// What a loop leaves of the motions that come to it, over those motions, is rounding below this.
static const double CONSISTENT = 1e-6;

// ---- one loop ----------------------------------------------------------------------------------

// dependence on independent coordinates of what the rows feel, from settled joints of the head, through
// the projector: must vanish
static bool overruled(RcrPlanner *pl, const RcrWay *w, const RcrChoice *c, int head) {
  double y[RCR_MAX_ROWS];
  for (int col = 0; col < pl->n_ind; col++) {
    double all = 0, left = 0;
    memset(y, 0, sizeof y);
    for (int k = 0; k < w->n[head]; k++) {
      int joint = w->joint[head][k];
      if (!pl->known[joint] || col >= pl->n_rate[joint]) continue;
      const double *g = pl->J + w->row + (size_t)joint * pl->n_row;
      for (int i = 0; i < w->n_row; i++) {
        y[i] += g[i] * pl->rate[joint][col];
        all += fabs(g[i] * pl->rate[joint][col]);
      }
    }
    for (int i = 0; i < w->n_row; i++) {
      double x = 0;
      for (int k = 0; k < w->n_row; k++) x += c->left[i + k * RCR_MAX_ROWS] * y[k];
      left += fabs(x);
    }
    if (left > CONSISTENT * all) return true;
  }
  return false;
}

static RcrChoice try_head(RcrPlanner *pl, int l, int head) {
  RcrChoice c;
  rcr_choose(&c, &pl->way[l], head, pl->known, pl->n_row, pl->J);
  bool fewer = c.reason == RCR_REDUNDANT;
  if (fewer && overruled(pl, &pl->way[l], &c, head)) c.reason = RCR_OVERRULED;
  return c;
}

static int settled_on(const RcrPlanner *pl, int l, int side) {
  const RcrWay *w = &pl->way[l];
  int n = 0;
  while (n < w->n[side] && pl->known[w->joint[side][n]]) n++;
  return n;
}

static Status explain(const RcrPlanner *pl, int l, const RcrChoice *c, Error *err) {
  const Model *m = pl->m;
  const char *loop = m->loop[l].name;
  const char *joint = c->joint >= 0 ? m->joint[c->joint].name : "";
  switch (c->reason) {
    case RCR_NEAR:
      return rcr_refuse(
          pl, l, err,
          "loop \"%s\": the configuration is too near to one that is singular for its "
          "independent coordinates: relative pivot %.1e at joint \"%s\" is below %.0e",
          loop, c->pivot, joint, RCR_SINGULAR);
    case RCR_REDUNDANT:
      return rcr_refuse(
          pl, l, err,
          "loop \"%s\": only %d of its %d constraints are independent: the configuration "
          "is singular, or the others follow from the geometry and \"rows\" should leave "
          "them out",
          loop, c->n_dep, pl->way[l].n_row);
    default:
      return rcr_refuse(
          pl, l, err,
          "loop \"%s\" also restricts coordinates that the loops before it leave "
          "independent: recursive coordinate reduction takes one loop after the other",
          loop);
  }
}

static double *new_rate(RcrPlanner *pl, int joint) {
  pl->known[joint] = true;
  pl->n_rate[joint] = pl->n_ind;
  pl->rate[joint] = arena_array(pl->arena, (size_t)pl->n_ind + 1, sizeof(double));
  return pl->rate[joint];
}

static bool is_dependent(const RcrChoice *c, int joint) {
  for (int i = 0; i < c->n_dep; i++) {
    if (c->dep[i] == joint) return true;
  }
  return false;
}

// what the rows feel of one independent coordinate, dependent joints aside
static void felt_of(const RcrPlanner *pl, const RcrWay *w, const RcrChoice *c, int col, double *y) {
  memset(y, 0, RCR_MAX_ROWS * sizeof *y);
  for (int e = 0; e < w->n[0] + w->n[1]; e++) {
    int joint = e < w->n[0] ? w->joint[0][e] : w->joint[1][e - w->n[0]];
    if (is_dependent(c, joint) || col >= pl->n_rate[joint]) continue;
    const double *g = pl->J + w->row + (size_t)joint * pl->n_row;
    for (int i = 0; i < w->n_row; i++) y[i] += g[i] * pl->rate[joint][col];
  }
}

// rates of the loop's joints as functions of the independent ones, for the loops behind it
static bool settle_rates(RcrPlanner *pl, const RcrWay *w, const RcrChoice *c) {
  for (int e = 0; e < w->n[0] + w->n[1]; e++) {
    int joint = e < w->n[0] ? w->joint[0][e] : w->joint[1][e - w->n[0]];
    if (pl->known[joint] || is_dependent(c, joint)) continue;
    pl->n_ind++;
    double *rate = new_rate(pl, joint);
    if (!rate) return false;
    rate[pl->n_ind - 1] = 1.0;
  }
  for (int i = 0; i < c->n_dep; i++) {
    if (!new_rate(pl, c->dep[i])) return false;
  }
  for (int col = 0; col < pl->n_ind; col++) {
    double y[RCR_MAX_ROWS], rate[RCR_MAX_ROWS];
    felt_of(pl, w, c, col, y);
    rcr_close(c, w, pl->n_row, pl->J, y, rate);
    for (int i = 0; i < c->n_dep; i++) pl->rate[c->dep[i]][col] = rate[i];
  }
  return true;
}

// the joints before s; those behind p and s, which of them are dependent and in which order
static bool list_joints(RcrPlan *plan, RcrLoop *out, const RcrWay *w, const RcrChoice *c) {
  size_t n = (size_t)out->n_joint + 1;
  const int *tail = w->joint[1 - out->head], *head = w->joint[out->head];
  out->in = arena_array(plan->arena, (size_t)out->n_in + 1, sizeof *out->in);
  out->joint = arena_array(plan->arena, n, sizeof *out->joint);
  out->dep = arena_array(plan->arena, n, sizeof *out->dep);
  out->free = arena_array(plan->arena, n, sizeof *out->free);
  if (!out->in || !out->joint || !out->dep || !out->free) return false;
  for (int e = 0; e < out->n_in; e++) out->in[e] = tail[e];
  for (int e = 0; e < out->n_joint; e++) {
    int k = e - out->n_tail;
    out->joint[e] = k < 0 ? tail[out->n_in + e] : head[w->n[out->head] - 1 - k];
    if (!is_dependent(c, out->joint[e])) out->free[out->n_free++] = e;
    for (int i = 0; i < c->n_dep; i++) {
      if (c->dep[i] == out->joint[e]) out->dep[i] = e;
    }
  }
  return true;
}

static Status keep_loop(RcrPlanner *pl, int l, int head, const RcrChoice *c, Error *err) {
  const RcrWay *w = &pl->way[l];
  RcrPlan *plan = pl->plan;
  RcrLoop *out = &plan->loop[plan->n_loop++];
  int before = w->n[head] - c->n_head, n_in = w->n[1 - head] - c->n_tail;
  *out = (RcrLoop){.loop = l,
                   .base = w->base,
                   .head = head,
                   .p = before > 0 ? w->joint[head][before - 1] : w->base,
                   .s = n_in > 0 ? w->joint[1 - head][n_in - 1] : w->base,
                   .n_in = n_in,
                   .n_joint = c->n_tail + c->n_head,
                   .n_tail = c->n_tail,
                   .n_dep = c->n_dep,
                   .pivot = c->pivot};
  if (!list_joints(plan, out, w, c) || !settle_rates(pl, w, c)) return error_no_memory(err);
  pl->done[l] = true;
  return STATUS_OK;
}

// independent coordinates that the loop itself eliminates
static int extra(const RcrWay *w, int head, const RcrChoice *c) {
  return w->n[1 - head] + c->n_head - c->n_dep;
}

// Takes a loop whose tail is new. *retry when it would have to come earlier.
static Status take_loop(RcrPlanner *pl, int l, bool *retry, Error *err) {
  int settled[2] = {settled_on(pl, l, 0), settled_on(pl, l, 1)};
  RcrChoice c[2] = {{.joint = -1}, {.joint = -1}};
  bool fit[2], tried[2];
  for (int head = 0; head < 2; head++) {
    tried[head] = settled[1 - head] == 0;
    if (tried[head]) c[head] = try_head(pl, l, head);
    fit[head] = tried[head] && c[head].reason == RCR_CHOSEN;
  }
  *retry = (tried[0] && c[0].reason == RCR_OVERRULED) || (tried[1] && c[1].reason == RCR_OVERRULED);
  if (!fit[0] && !fit[1]) return explain(pl, l, tried[0] ? &c[0] : &c[1], err);
  // rather with few extra ones, as long as the pivots are not clearly worse
  int first = fit[0] && fit[1] && extra(&pl->way[l], 1, &c[1]) < extra(&pl->way[l], 0, &c[0]);
  bool better = fit[1 - first] && c[1 - first].pivot > CLEARLY_BETTER * c[first].pivot;
  int head = !fit[first] || (better && c[first].pivot < GOOD) ? 1 - first : first;
  return keep_loop(pl, l, head, &c[head], err);
}

// ---- order of the loops ------------------------------------------------------------------------

// The next loop: one that touches settled joints with one branch only, else one that touches none;
// -1: none is left, -2: only such that touch them with both branches, *stuck is one.
static int next_loop(const RcrPlanner *pl, int *stuck) {
  int fresh = -1;
  *stuck = -1;
  for (int i = 0; i < pl->m->n_loop; i++) {
    int l = pl->order[i];
    if (pl->done[l]) continue;
    bool a = settled_on(pl, l, 0) > 0, b = settled_on(pl, l, 1) > 0;
    if (a != b) return l;
    if (!a && fresh < 0) fresh = l;
    if (a && *stuck < 0) *stuck = l;
  }
  return fresh >= 0 ? fresh : *stuck >= 0 ? -2 : -1;
}

static void start_over(RcrPlanner *pl) {
  size_t n = (size_t)pl->m->nv;
  memset(pl->known, 0, n * sizeof *pl->known);
  memset(pl->done, 0, (size_t)pl->m->n_loop * sizeof *pl->done);
  pl->n_ind = 0;
  pl->plan->n_loop = 0;
}

// moves loop l to the front of the order; false if it has been there before
static bool promote(RcrPlanner *pl, int l, bool *promoted) {
  if (promoted[l]) return false;
  promoted[l] = true;
  int i = 0;
  while (pl->order[i] != l) i++;
  memmove(pl->order + 1, pl->order, (size_t)i * sizeof *pl->order);
  pl->order[0] = l;
  return true;
}

static Status take_loops(RcrPlanner *pl, Error *err) {
  const Model *m = pl->m;
  bool *promoted = arena_array(pl->arena, (size_t)m->n_loop + 1, sizeof *promoted);
  if (!promoted) return error_no_memory(err);
  for (;;) {
    int stuck;
    int l = next_loop(pl, &stuck);
    if (l == -1) return STATUS_OK;
    if (l == -2) {
      return rcr_refuse(
          pl, stuck, err,
          "loop \"%s\" joins two bodies that other loops settle already: recursive "
          "coordinate reduction needs a branch from its base body (%s) that is its own",
          m->loop[stuck].name, rcr_body_name(m, pl->way[stuck].base));
    }
    bool retry;
    Status s = take_loop(pl, l, &retry, err);
    if (s == STATUS_OK) continue;
    if (!retry || !promote(pl, l, promoted)) return s;
    start_over(pl);
  }
}

static double worst_pivot(const RcrPlan *plan) {
  double x = 1.0;
  for (int l = 0; l < plan->n_loop; l++) x = fmin(x, plan->loop[l].pivot);
  return x;
}

// the file's order, but for `first`
static Status take_from(RcrPlanner *pl, int first, Error *err) {
  for (int i = 0; i < pl->m->n_loop; i++) {
    pl->order[i] = i == 0 ? first : i <= first ? i - 1 : i;
  }
  start_over(pl);
  return take_loops(pl, err);
}

// The loop that is taken first decides which branches stay independent: the best of several.
Status rcr_take_loops(RcrPlanner *pl, Error *err) {
  int n = pl->m->n_loop < MOST_STARTS ? pl->m->n_loop : MOST_STARTS, best = 0;
  double pivot = -1.0;
  for (int first = 0; first < n && pivot < GOOD; first++) {
    Error ignored = {0};
    Status s = take_from(pl, first, first ? &ignored : err);
    if (s == STATUS_NO_MEMORY) return error_no_memory(err);
    if (s != STATUS_OK || worst_pivot(pl->plan) <= CLEARLY_BETTER * pivot) continue;
    best = first;
    pivot = worst_pivot(pl->plan);
  }
  if (pivot < 0 && n > 0) return err->code;
  return n > 0 ? take_from(pl, best, err) : STATUS_OK;
}
