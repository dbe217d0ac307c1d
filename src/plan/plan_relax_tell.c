// SPDX-License-Identifier: MIT
// The relaxed problem in words: which conditions give, by how much and when, the largest first.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan_relax.h"

enum { SHOWN = 6 };
static const double GIVES = 2e-4;  // smaller slacks, over their scale, are left out
static const double BEYOND =
    0.01;  // of the slack: what counts as beyond the bound, for the span of time

typedef struct Span {
  double from, to;
} Span;

// times at which rows of a soft condition are beyond their own bounds; g without slacks
static Span find_span(const Run *run, const Relaxed *r, const double *g, int soft, double amount) {
  Span s = {INFINITY, -INFINITY};
  for (int e = 0; e < r->n_use; e++) {
    const SoftUse *u = &r->use[e];
    if (u->soft != soft) continue;
    double over = u->coef < 0 ? g[u->row] - r->nlp.g_upper[u->row]
                              : r->nlp.g_lower[u->row] - g[u->row];
    if (!(over > BEYOND * amount * fabs(u->coef))) continue;
    double t = u->row < r->of->m ? colloc_row(run->c, u->row).time
                                 : r->extra[u->row - r->of->m].time;
    s.from = fmin(s.from, t);
    s.to = fmax(s.to, t);
  }
  return s;
}

static void say_span(PlanResult *r, const Span *s) {
  if (s->from < s->to) plan_say(r, " from %.3g to %.3g s", s->from, s->to);
  else if (isfinite(s->from)) plan_say(r, " at %.3g s", s->from);
}

static bool slides(const Model *m, int joint) {
  return m->joint[joint].type == JOINT_PRISMATIC;
}

static void say_limit(Run *run, const Soft *x, double amount, const Span *span) {
  const Model *m = run->o->model;
  PlanResult *r = run->r;
  bool actuator = x->item.kind == COLLOC_FORCE || x->item.kind == COLLOC_RATE;
  int joint = x->item.kind == COLLOC_HORIZON ? 0
              : actuator                     ? m->u_joint[x->item.index]
                                             : x->item.index;
  bool linear = slides(m, joint);
  const char *what = "", *unit = "";
  switch (x->item.kind) {
    case COLLOC_POSITION: what = "position", unit = linear ? "m" : "rad"; break;
    case COLLOC_VELOCITY: what = "velocity", unit = linear ? "m/s" : "rad/s"; break;
    case COLLOC_FORCE: what = linear ? "force" : "torque", unit = linear ? "N" : "N m"; break;
    case COLLOC_RATE:
      what = linear ? "force rate" : "torque rate", unit = linear ? "N/s" : "N m/s";
      break;
    default:
      plan_say(r, "  horizon: %.3g s %s would do\n", amount, x->upper ? "more" : "less");
      return;
  }
  plan_say(r, "  %s of %s at its %s limit of %.4g %s", what, m->joint[joint].name,
           x->upper ? "upper" : "lower", x->bound, unit);
  say_span(r, span);
  plan_say(r, "; %.3g %s more would do\n", amount, unit);
}

static void say_condition(Run *run, const Soft *x, double amount, const Span *span) {
  const Model *m = run->o->model;
  const Ocp *o = run->o;
  PlanResult *r = run->r;
  int i = x->item.index;
  switch (x->item.kind) {
    case COLLOC_OBSTACLE:
      plan_say(r, "  obstacle %s entered by %.3g m", o->obstacle[i].name, amount);
      say_span(r, span);
      break;
    case COLLOC_TERM:
      plan_say(r, "  term %s, row %d: %.3g %s its %s bound", o->term[i].name, x->item.part, amount,
               x->upper ? "above" : "below", x->upper ? "upper" : "lower");
      say_span(r, span);
      break;
    case COLLOC_GOAL_FRAME:
      plan_say(r, "  goal %c of frame %s missed by %.3g m", "xyz"[i],
               m -> frame[o->goal.frame].name, amount);
      break;
    case COLLOC_GOAL_JOINT:
      plan_say(r, "  goal of joint %s missed by %.3g %s", m->joint[i].name, amount,
               slides(m, i) ? "m" : "rad");
      break;
    case COLLOC_GOAL_REST:
      plan_say(r, "  joint %s not at rest at the end: %.3g %s", m->joint[i].name, amount,
               slides(m, i) ? "m/s" : "rad/s");
      break;
    default:
      plan_say(r, "  joint %s not in equilibrium at the end: off by %.3g", m->joint[i].name,
               amount);
      break;
  }
  plan_say(r, "\n");
}

// distance of the goal frame, where its components give
static double goal_distance(const Relaxed *r, const double *slack) {
  double sum = 0.0;
  for (int s = 0; s < r->n_soft; s++) {
    if (r->soft[s].item.kind == COLLOC_GOAL_FRAME) sum += slack[s] * slack[s];
  }
  return sqrt(sum);
}

// How much a condition gives, over its scale; 0: not worth telling.
static double gives(const Run *run, const Relaxed *r, const double *g, int soft, double slack) {
  const Soft *x = &r->soft[soft];
  if (!(slack > GIVES * x->scale)) return 0.0;
  Span span = find_span(run, r, g, soft, slack);
  return isfinite(span.from) || x->item.kind == COLLOC_HORIZON ? slack / x->scale : 0.0;
}

int plan_relax_tell(Run *run, const Relaxed *r, Arena *arena, bool limits) {
  const double *x = r->nlp.x_start, *slack = x + r->of->n;
  double *g = arena_array(arena, (size_t)r->nlp.m, sizeof *g);
  double *size = arena_array(arena, (size_t)r->n_soft, sizeof *size);
  if (!g || !size || !r->of->constraints(r->of->data, x, true, g)) return 0;
  for (int e = 0; e < r->n_extra; e++) {
    int var = r->extra[e].var;
    g[r->of->m + e] = x[var >= 0 ? var : r->of->n + r->n_soft - 1 - var];
  }
  int n = 0;
  for (int s = 0; s < r->n_soft; s++) n += (size[s] = gives(run, r, g, s, slack[s])) > 0.0;
  if (n == 0) return 0;
  plan_say(run->r,
           limits ? "The goal can be met with wider limits, and no less in all:\n"
                  : "Within the limits the motion exists if these give, and by no less in all:\n");
  double distance = limits ? 0.0 : goal_distance(r, slack);
  if (distance > GIVES) {
    plan_say(run->r, "  goal %.3g m out of reach for frame %s\n", distance,
             run->o->model->frame[run->o->goal.frame].name);
  }
  for (int shown = 0; shown < SHOWN && shown < n; shown++) {
    int best = 0;
    for (int s = 1; s < r->n_soft; s++) best = size[s] > size[best] ? s : best;
    Span span = find_span(run, r, g, best, slack[best]);
    if (limits) say_limit(run, &r->soft[best], slack[best], &span);
    else say_condition(run, &r->soft[best], slack[best], &span);
    size[best] = 0.0;
  }
  return n;
}
