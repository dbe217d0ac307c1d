// SPDX-License-Identifier: MIT
// The distinct solutions that a multistart found: two solves ended in the same one when their costs
// agree to a part in 10^5 and their motions to a hundredth.
#include <math.h>
#include <stdlib.h>

#include "plan/plan_internal.h"

static const double SAME_COST = 1e-5, SAME_MOTION = 1e-2;

// Instants at which motions are compared.
enum { INSTANTS = 200 };

double plan_distance(const Trajectory *a, const Trajectory *b) {
  if (a->nv != b->nv) return INFINITY;
  size_t nv = (size_t)a->nv;
  double *work = calloc(4 * nv, sizeof *work), worst = 0.0;
  if (!work) return INFINITY;
  double *qa = work, *qb = qa + nv, *size = qb + nv, *apart = size + nv;
  for (int k = 0; k <= INSTANTS; k++) {
    double s = (double)k / INSTANTS;
    trajectory_state(a, s * a->time[a->n_interval], qa, NULL, NULL);
    trajectory_state(b, s * b->time[b->n_interval], qb, NULL, NULL);
    for (size_t i = 0; i < nv; i++) {
      size[i] = fmax(size[i], fabs(qa[i]));
      apart[i] = fmax(apart[i], fabs(qa[i] - qb[i]));
    }
  }
  for (size_t i = 0; i < nv; i++) worst = fmax(worst, apart[i] / (1.0 + size[i]));
  free(work);
  return worst;
}

typedef struct Basin {
  PlanOptimum o;
  const Trajectory *t;  // of its best solve
} Basin;

static int by_cost(const void *a, const void *b) {
  double x = ((const Basin *)a)->o.objective, y = ((const Basin *)b)->o.objective;
  return (x > y) - (x < y);
}

static bool same(const Basin *b, double objective, const Trajectory *t) {
  double size = fmax(1.0, fmax(fabs(b->o.objective), fabs(objective)));
  return fabs(b->o.objective - objective) <= SAME_COST * size &&
         plan_distance(b->t, t) <= SAME_MOTION;
}

Status plan_optima(Run *run, Trajectory *const *solution, Error *err) {
  PlanResult *r = run->r;
  int n_start = run->o->strategy.n_start, n = 0;
  Basin *basin = arena_array(r->arena, (size_t)n_start, sizeof *basin);
  r->optimum = arena_array(r->arena, (size_t)n_start, sizeof *r->optimum);
  if (!basin || !r->optimum) return error_no_memory(err);
  for (int i = 0; i < n_start && i < r->n_step; i++) {
    if (!solution[i]) continue;
    const PlanStep *step = &r->step[i];
    int b = 0;
    while (b < n && !same(&basin[b], step->objective, solution[i])) b++;
    if (b == n) {
      basin[n++] = (Basin){{.objective = step->objective, .step = i}, solution[i]};
      basin[b].o.seed = arena_array(r->arena, (size_t)n_start, sizeof(int));
      if (!basin[b].o.seed) return error_no_memory(err);
    } else if (step->objective < basin[b].o.objective) {
      basin[b].o.objective = step->objective;
      basin[b].o.step = i;
      basin[b].t = solution[i];
    }
    basin[b].o.seed[basin[b].o.n_seed++] = step->seed;
    basin[b].o.count++;
  }
  qsort(basin, (size_t)n, sizeof *basin, by_cost);
  for (int b = 0; b < n; b++) {
    r->optimum[b] = basin[b].o;
    r->optimum[b].distance = plan_distance(basin[0].t, basin[b].t);
  }
  r->n_optimum = n;
  return STATUS_OK;
}
