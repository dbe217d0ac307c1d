// SPDX-License-Identifier: MIT
// Why a problem was not solved, in robot terms: what the last iterate violates, grouped by meaning, with the
// span of time, the largest first; and which actuators work at their limits.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"

enum { MAX_GROUPS = 64, SHOWN = 6, NAME_SIZE = 160 };
static const double VIOLATED = 1e-6;  // smaller violations are left out

typedef struct Group {
  char name[NAME_SIZE];  // "equation of motion of q3"
  double worst;          //
  int n;                 // rows
  double from, to;       // times, if the name has them
} Group;

// Splits "... at 0.36 s" (or "after", "from") into name and time; NAN without one.
static double split_time(char *name) {
  static const char *const words[] = {" at ", " after ", " from "};
  for (int w = 0; w < 3; w++) {
    char *at = strstr(name, words[w]);
    char *end = NULL;
    double t = at ? strtod(at + strlen(words[w]), &end) : NAN;
    if (at && end > at + strlen(words[w])) {
      *at = '\0';
      return t;
    }
  }
  return NAN;
}

static void add(Group *group, int *n, const char *text, double violation) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s", text);
  double t = split_time(name);
  int i = 0;
  while (i < *n && strcmp(group[i].name, name) != 0) i++;
  if (i == MAX_GROUPS) return;
  if (i == *n) {
    group[(*n)++] = (Group){.from = INFINITY, .to = -INFINITY};
    snprintf(group[i].name, NAME_SIZE, "%s", name);
  }
  group[i].n++;
  group[i].worst = fmax(group[i].worst, violation);
  if (!isnan(t)) {
    group[i].from = fmin(group[i].from, t);
    group[i].to = fmax(group[i].to, t);
  }
}

static int by_size(const void *a, const void *b) {
  double x = ((const Group *)a)->worst, y = ((const Group *)b)->worst;
  return (x < y) - (x > y);
}

void plan_say(PlanResult *r, const char *format, ...) {
  size_t len = strlen(r->explanation);
  va_list args;
  va_start(args, format);
  vsnprintf(r->explanation + len, sizeof r->explanation - len, format, args);
  va_end(args);
}

static void tell_violations(Run *run, const double *g) {
  const Nlp *nlp = run->nlp;
  Group group[MAX_GROUPS];
  int n = 0;
  for (int i = 0; i < nlp->m; i++) {
    double violation = fmax(nlp->g_lower[i] - g[i], g[i] - nlp->g_upper[i]);
    if (!(violation > VIOLATED)) continue;
    char name[NAME_SIZE];
    nlp->name_constraint(nlp->data, i, name, sizeof name);
    add(group, &n, name, violation);
  }
  qsort(group, (size_t)n, sizeof *group, by_size);
  if (n == 0) plan_say(run->r, "The last iterate keeps all conditions, but is not optimal.\n");
  else plan_say(run->r, "Not met by the last iterate, the largest first:\n");
  for (int i = 0; i < n && i < SHOWN; i++) {
    plan_say(run->r, "  %s: off by %.3g", group[i].name, group[i].worst);
    if (group[i].from < group[i].to) {
      plan_say(run->r, " (%d times from %.3g to %.3g s)", group[i].n, group[i].from, group[i].to);
    } else if (isfinite(group[i].from)) {
      plan_say(run->r, " (at %.3g s)", group[i].from);
    }
    plan_say(run->r, "\n");
  }
  if (n > SHOWN) plan_say(run->r, "  and %d more\n", n - SHOWN);
}

// actuators that work at their limit for part of the time
static void tell_limits(Run *run) {
  const Trajectory *t = run->r->trajectory;
  const OcpLimits *lim = &run->o->limits;
  for (int i = 0; i < t->nu; i++) {
    double range = lim->u_upper[i] - lim->u_lower[i];
    if (!isfinite(range)) continue;
    int n = 0;
    for (int c = 0; c < t->n_control; c++) {
      double u = t->u[i + t->nu * c];
      n += fmin(u - lim->u_lower[i], lim->u_upper[i] - u) < 1e-4 * range;
    }
    if (n > t->n_control / 20) {
      plan_say(run->r, "  the actuator of %s is at its limit for %.0f percent of the time\n",
               run->o->model->joint[run->o->model->u_joint[i]].name, 100.0 * n / t->n_control);
    }
  }
}

void plan_explain(Run *run) {
  PlanResult *r = run->r;
  const SolveBad *bad = &r->info.bad;
  if (bad->count > 0) {
    plan_say(r, "%d evaluations had no finite value; the last was the %s in iteration %d%s%s.\n",
             bad->count, solve_function_name(bad->function), bad->iteration,
             bad->name[0] ? ": " : "", bad->name);
  }
  double *g = arena_array(r->arena, (size_t)run->nlp->m, sizeof *g);
  if (!g || !run->nlp->constraints(run->nlp->data, run->x, true, g)) {
    plan_say(r, "The constraints have no finite value at the last iterate.\n");
    return;
  }
  tell_violations(run, g);
  tell_limits(run);
}
