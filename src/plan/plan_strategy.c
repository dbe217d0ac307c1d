// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "plan/plan_internal.h"

// The weight falls by this factor from solve to solve, by its square after a quick one, by its root after
// a failure; below FLOOR of the first weight, or when the factor gets too short, it goes to the wanted
// one directly.
static const double FALL = 100.0, FLOOR = 1e-8, SHORTEST = 1.5;
enum { QUICK = 12 };  // iterations of a solve after which the next step may be longer
// A joint that moves less than this over the whole solution has not been moved at all [rad | m].
static const double UNMOVED = 1e-7;
// Size of the push out of a plane of symmetry [rad | m].
static const double PUSH = 0.05;

static Status start_from_guess(Run *run, const Ocp *o, Error *err) {
  Trajectory *guess;
  Status status = guess_build(&guess, o, err);
  if (status != STATUS_OK) return status;
  colloc_start(run->c, guess);
  memcpy(run->x, run->nlp->x_start, (size_t)run->nlp->n * sizeof *run->x);
  trajectory_free(guess);
  return STATUS_OK;
}

static Status cold(Run *run, Error *err) {
  PlanStep step = {.seed = -1};
  Status status = start_from_guess(run, run->o, err);
  return status == STATUS_OK ? plan_solve(run, run->o->cost.torque_rate, false, &step, err)
                             : status;
}

// ---- continuation ------------------------------------------------------------------------------

static bool moves(const Trajectory *t, int i) {
  for (int k = 0; k <= t->n_interval; k++) {
    if (fabs(t->q[i + t->nv * k] - t->q[i]) > UNMOVED) return true;
  }
  return false;
}

// Adds a smooth bump to the joints that stand still; returns how many there are. A joint that a goal
// or its limits hold is left alone.
static int push_unmoved(Run *run, Error *err) {
  Trajectory *t;
  if (trajectory_build(&t, run->o, err) != STATUS_OK) return -1;
  colloc_extract(run->c, run->x, t);
  int n = 0;
  for (int i = 0; i < t->nv; i++) {
    const OcpLimits *lim = &run->o->limits;
    bool held = run->o->goal.joint_fixed[i] || lim->q_upper[i] - lim->q_lower[i] < 2 * PUSH;
    if (held || moves(t, i)) continue;
    n++;
    double T = t->time[t->n_interval], sign = n % 2 ? 1.0 : -1.0;
    for (int k = 0; k <= t->n_interval; k++) {
      double s = t->time[k] / T;
      t->q[i + t->nv * k] += sign * PUSH * 0.5 * (1.0 - cos(2 * M_PI * s));
      t->v[i + t->nv * k] += sign * PUSH * M_PI / T * sin(2 * M_PI * s);
    }
    for (int p = 0; p < t->n_interval * t->n_point; p++) {
      int k = p / t->n_point;
      double h = t->time[k + 1] - t->time[k];
      double s = (t->time[k] + h * t->point[p % t->n_point]) / T, w = 2 * M_PI * s;
      t->pq[i + t->nv * p] += sign * PUSH * 0.5 * (1.0 - cos(w));
      t->pv[i + t->nv * p] += sign * PUSH * M_PI / T * sin(w);
      t->pa[i + t->nv * p] += sign * PUSH * 2 * M_PI * M_PI / (T * T) * cos(w);
    }
  }
  if (n > 0) {
    colloc_start(run->c, t);
    memcpy(run->x, run->nlp->x_start, (size_t)run->nlp->n * sizeof *run->x);
  }
  trajectory_free(t);
  return n;
}

static bool step_solved(const PlanStep *s) {
  return solve_status_solved(s->status);
}

// the first solve, from the task's guess; where that fails, from the other torques
static Status first_solve(Run *run, double weight, PlanStep *step, Error *err) {
  Status status = start_from_guess(run, run->o, err);
  if (status == STATUS_OK) status = plan_solve(run, weight, false, step, err);
  if (status != STATUS_OK || step_solved(step) || run->r->interrupted) return status;
  Ocp other = *run->o;
  other.guess.kind = run->o->guess.kind == OCP_GUESS_ZERO ? OCP_GUESS_HOLD : OCP_GUESS_ZERO;
  status = start_from_guess(run, &other, err);
  return status == STATUS_OK ? plan_solve(run, weight, false, step, err) : status;
}

// The sequence of weights: longer steps while solves are quick, shorter ones after a failure.
static Status descend(Run *run, double weight, double *good, Error *err) {
  const double wanted = run->o->cost.torque_rate, first = weight;
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  double fall = FALL;
  PlanStep step = {.seed = -1};
  Status status = STATUS_OK;
  step.pushed = push_unmoved(run, err);
  if (step.pushed < 0) return err->code;
  while (status == STATUS_OK && !run->r->interrupted && weight > wanted &&
         run->r->n_step < PLAN_MAX_STEPS) {
    double next = fall < SHORTEST ? wanted : weight / fall;
    if (next < wanted || next < FLOOR * first) next = wanted;
    status = plan_solve(run, next, step.pushed == 0, &step, err);
    step.pushed = 0;
    if (status != STATUS_OK || run->r->interrupted) break;
    if (step_solved(&step)) {
      memcpy(good, run->x, bytes);
      weight = next;
      fall = step.iterations <= QUICK ? FALL * FALL : FALL;
    } else if (next == wanted && fall < SHORTEST) {
      break;  // not even from the nearest solution
    } else {
      memcpy(run->x, good, bytes);
      fall = sqrt(fall);
    }
  }
  return status;
}

static Status continuation(Run *run, Error *err) {
  const double wanted = run->o->cost.torque_rate, first = run->o->strategy.smoothing_start;
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  double *good = arena_alloc(run->r->arena, bytes);
  if (!good) return error_no_memory(err);
  double weight = first > wanted ? first : wanted;
  PlanStep step = {.seed = -1};
  Status status = first_solve(run, weight, &step, err);
  if (status != STATUS_OK || run->r->interrupted) return status;
  if (!step_solved(&step)) return cold(run, err);
  memcpy(good, run->x, bytes);
  return descend(run, weight, good, err);
}

// ---- multistart --------------------------------------------------------------------------------

static Status multistart(Run *run, Error *err) {
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  double *best = arena_alloc(run->r->arena, bytes), least = INFINITY;
  if (!best) return error_no_memory(err);
  PlanStep best_step = {0};
  Status status = STATUS_OK;
  Ocp o = *run->o;
  for (int i = 0; status == STATUS_OK && !run->r->interrupted && i < o.strategy.n_start; i++) {
    PlanStep step = {.seed = o.strategy.seed + i};
    o.guess.kind = i == 0 ? run->o->guess.kind : OCP_GUESS_RANDOM;
    o.guess.seed = step.seed;
    if (o.guess.amplitude == 0.0) o.guess.amplitude = 0.2;
    status = start_from_guess(run, &o, err);
    if (status == STATUS_OK) status = plan_solve(run, o.cost.torque_rate, false, &step, err);
    if (status != STATUS_OK || !step_solved(&step) || !(step.objective < least)) continue;
    least = step.objective;
    best_step = step;
    memcpy(best, run->x, bytes);
  }
  if (status == STATUS_OK && isfinite(least)) {
    memcpy(run->x, best, bytes);
    run->r->status = best_step.status;
    run->r->objective = least;
  }
  return status;
}

Status plan_strategy(Run *run, Error *err) {
  switch (run->o->strategy.kind) {
    case OCP_COLD: return cold(run, err);
    case OCP_CONTINUATION: return continuation(run, err);
    case OCP_MULTISTART: return multistart(run, err);
  }
  return STATUS_OK;
}
