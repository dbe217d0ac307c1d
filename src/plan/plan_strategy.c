// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "plan/plan_internal.h"

// The weight falls by this factor from solve to solve, by its square after a quick one, by its root after
// a failure; below FLOOR of the first weight, or when the factor gets too short, it goes to the wanted
// one directly.
static const double FALL = 100.0, FLOOR = 1e-8, SHORTEST = 1.5;
enum { QUICK = 5 };  // iterations of a solve after which the next step may be longer

static Status start_from_guess(Run *run, const Ocp *o, Error *err) {
  Trajectory *guess;
  const Trajectory *start = run->opt->start;
  Status status = start ? guess_from(&guess, o, start, err) : guess_build(&guess, o, err);
  if (status != STATUS_OK) return status;
  colloc_start(run->c, guess);
  memcpy(run->x, run->nlp->x_start, (size_t)run->nlp->n * sizeof *run->x);
  trajectory_free(guess);
  return STATUS_OK;
}

static bool step_solved(const PlanStep *s) {
  return solve_status_solved(s->status);
}

// Where an attempt of a solve out of nothing starts.
typedef enum Start {
  START_TASK,   // the task's guess
  START_LINE,   // a straight line to a posture that meets the goal
  START_OTHER,  // the other torques, holding or none: which is the good start changes with the task
} Start;

typedef struct Attempt {
  Start start;
  PlanKind kind;
} Attempt;

static OcpGuessKind start_kind(const Ocp *o, Start start) {
  if (start == START_TASK) return o->guess.kind;
  if (start == START_LINE) return OCP_GUESS_LINE;
  return o->guess.kind == OCP_GUESS_ZERO ? OCP_GUESS_HOLD : OCP_GUESS_ZERO;
}

// A solve out of nothing, by one attempt after the other; goal: where it is now, if moved aside.
static Status fresh_solve(Run *run, double weight, int n, const Attempt *attempt,
                          const double *goal, PlanStep *step, Error *err) {
  Ocp o = *run->o;
  if (goal) memcpy(o.goal.position, goal, sizeof o.goal.position);
  Status status = STATUS_OK;
  for (int i = 0; i < n && status == STATUS_OK; i++) {
    o.guess.kind = start_kind(run->o, attempt[i].start);
    if (attempt[i].start != START_TASK && o.guess.kind == run->o->guess.kind) continue;
    step->start = attempt[i].start == START_TASK ? NULL : ocp_guess_names[o.guess.kind];
    status = start_from_guess(run, &o, err);
    if (status == STATUS_INPUT && attempt[i].start == START_LINE) {  // no posture for this goal
      status = STATUS_OK;
      step->status = SOLVE_INTERNAL_ERROR;
      continue;
    }
    if (status == STATUS_OK) status = plan_solve(run, weight, attempt[i].kind, step, err);
    if (status != STATUS_OK || step_solved(step) || run->r->interrupted) break;
  }
  return status;
}

static Status cold(Run *run, Error *err) {
  PlanStep step = {.seed = -1};
  double weight = run->o->cost.torque_rate;
  static const Attempt attempts[] = {{START_TASK, PLAN_TRY},
                                     {START_LINE, PLAN_TRY},
                                     {START_OTHER, PLAN_TRY},
                                     {START_TASK, PLAN_FULL}};
  if (run->opt->retry && !run->opt->start)
    return fresh_solve(run, weight, 4, attempts, NULL, &step, err);
  Status status = start_from_guess(run, run->o, err);
  PlanKind kind = run->opt->start ? PLAN_WARM : PLAN_FULL;
  return status == STATUS_OK ? plan_solve(run, weight, kind, &step, err) : status;
}

// ---- continuation ------------------------------------------------------------------------------

// Smooth problems are solved soon from the right start: mostly a line to the goal, on which the motion is
// nearly right and only its balance is to be found.
static const Attempt smooth[] = {{START_LINE, PLAN_TRY},   {START_TASK, PLAN_PEEK},
                                 {START_OTHER, PLAN_PEEK}, {START_TASK, PLAN_TRY},
                                 {START_OTHER, PLAN_TRY},  {START_TASK, PLAN_FULL}};
enum { N_SMOOTH = sizeof smooth / sizeof smooth[0] };

// The sequence of weights: longer steps while solves are quick, shorter ones after a failure.
static Status descend(Run *run, double weight, int pushed, double *good, Error *err) {
  const double wanted = run->o->cost.torque_rate, first = weight;
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  double fall = FALL;
  PlanStep step = {.seed = -1, .pushed = pushed};
  Status status = STATUS_OK;
  while (status == STATUS_OK && !run->r->interrupted && weight > wanted &&
         run->r->n_step < PLAN_MAX_DESCENT) {
    double next = fall < SHORTEST ? wanted : weight / fall;
    if (next < wanted || next < FLOOR * first) next = wanted;
    status = plan_solve(run, next, PLAN_WARM, &step, err);
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

// Out of a plane of symmetry: the whole sequence with the goal moved aside, then back to the goal in steps.
static Status detour(Run *run, double weight, int still, const double aside[3], double *good,
                     Error *err) {
  static const double way_back[] = {0.5, 0.0};
  const double *goal = run->o->goal.position;
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  PlanStep step = {.seed = -1, .pushed = still};
  colloc_set_goal(run->c, aside);
  Status status = fresh_solve(run, weight, N_SMOOTH - 1, smooth, aside, &step, err);
  step.start = NULL;
  if (status == STATUS_OK && !step_solved(&step)) {
    colloc_set_goal(run->c, goal);
    memcpy(run->x, good, bytes);
    return descend(run, weight, 0, good, err);
  }
  memcpy(good, run->x, bytes);
  if (status == STATUS_OK) status = descend(run, weight, still, good, err);
  for (int i = 0; i < 2 && status == STATUS_OK && !run->r->interrupted; i++) {
    double position[3];
    for (int k = 0; k < 3; k++) position[k] = goal[k] + way_back[i] * (aside[k] - goal[k]);
    colloc_set_goal(run->c, position);
    step.pushed = way_back[i] > 0 ? still : 0;
    status = plan_solve(run, run->o->cost.torque_rate, PLAN_WARM, &step, err);
  }
  return status;
}

// A guess that the user made (a file, random waves) comes before the line.
static Status smooth_solve(Run *run, double weight, PlanStep *step, Error *err) {
  OcpGuessKind kind = run->o->guess.kind;
  int first = kind == OCP_GUESS_FILE || kind == OCP_GUESS_RANDOM;
  if (first) {
    Status status = fresh_solve(run, weight, 1, &smooth[1], NULL, step, err);
    if (status != STATUS_OK || step_solved(step) || run->r->interrupted) return status;
  }
  return fresh_solve(run, weight, N_SMOOTH, smooth, NULL, step, err);
}

static Status continuation(Run *run, Error *err) {
  const double wanted = run->o->cost.torque_rate, first = run->o->strategy.smoothing_start;
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  double *good = arena_alloc(run->r->arena, bytes);
  if (!good) return error_no_memory(err);
  double weight = first > wanted ? first : wanted;
  PlanStep step = {.seed = -1};
  Status status = smooth_solve(run, weight, &step, err);
  if (status != STATUS_OK || run->r->interrupted) return status;
  if (!step_solved(&step)) return cold(run, err);
  memcpy(good, run->x, bytes);
  double aside[3];
  int still = plan_goal_aside(run, aside, err);
  if (still < 0) return err->code;
  return still ? detour(run, weight, still, aside, good, err) : descend(run, weight, 0, good, err);
}

// ---- multistart --------------------------------------------------------------------------------

static Status multistart(Run *run, Error *err) {
  size_t bytes = (size_t)run->nlp->n * sizeof *run->x;
  double *best = arena_alloc(run->r->arena, bytes), least = INFINITY;
  if (!best) return error_no_memory(err);
  PlanStep best_step = {0};
  Ocp o = *run->o;
  Trajectory **solution = arena_array(run->r->arena, (size_t)o.strategy.n_start, sizeof(void *));
  if (!solution) return error_no_memory(err);
  Status status = STATUS_OK;
  for (int i = 0; status == STATUS_OK && !run->r->interrupted && i < o.strategy.n_start; i++) {
    PlanStep step = {.seed = o.strategy.seed + i};
    o.guess.kind = i == 0 ? run->o->guess.kind : OCP_GUESS_RANDOM;
    o.guess.seed = step.seed;
    if (o.guess.amplitude == 0.0) o.guess.amplitude = 0.2;
    status = start_from_guess(run, &o, err);
    if (status == STATUS_OK) status = plan_solve(run, o.cost.torque_rate, PLAN_FULL, &step, err);
    if (status == STATUS_OK && step_solved(&step)) {
      status = trajectory_build(&solution[i], run->o, err);
      if (status == STATUS_OK) colloc_extract(run->c, run->x, solution[i]);
    }
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
  if (status == STATUS_OK) status = plan_optima(run, solution, err);
  for (int i = 0; i < o.strategy.n_start; i++) trajectory_free(solution[i]);
  return status;
}

Status plan_strategy(Run *run, Error *err) {
  if (run->opt->start) return cold(run, err);  // near the solution already
  switch (run->o->strategy.kind) {
    case OCP_COLD: return cold(run, err);
    case OCP_CONTINUATION: return continuation(run, err);
    case OCP_MULTISTART: return multistart(run, err);
  }
  return STATUS_OK;
}
