// SPDX-License-Identifier: MIT
#ifndef POISE_PLAN_PLAN_INTERNAL_H
#define POISE_PLAN_PLAN_INTERNAL_H

#include "plan/plan.h"

enum { PLAN_MAX_DESCENT = 64 };  // solves of one continuation

// A run under way.
typedef struct Run {
  PlanResult *r;
  const Ocp *o;
  const PlanOptions *opt;
  Colloc *c;
  const Nlp *nlp;
  double *x;       // n, last iterate
  double *lambda;  // m, its multipliers
  int cap_step;    // room for steps
} Run;

// Transcribes run->o: run->c, x, lambda. describe: what the result says about the program.
Status plan_transcribe(Run *run, Error *err);
Status plan_describe(Run *run, Error *err);

// Trajectory, objective, explanation and verification of run->x.
Status plan_finish(Run *run, Error *err);

// Finer grids until the options are content.
Status plan_refine(Run *run, Error *err);

// Distinct solutions of a multistart, from the trajectories of its solved steps (NULL: not solved).
Status plan_optima(Run *run, Trajectory *const *solution, Error *err);

typedef enum PlanKind {
  PLAN_FULL,  // as many iterations as the options allow
  PLAN_PEEK,  // one of several attempts: soon given up
  PLAN_TRY,   // the same with more patience
  PLAN_WARM,  // from near the solution
} PlanKind;

// One solve with this weight of the torque rate, from run->x to run->x; appends a step.
Status plan_solve(Run *run, double torque_rate, PlanKind kind, PlanStep *step, Error *err);

// The strategy of the problem, from guess to run->x.
Status plan_strategy(Run *run, Error *err);

// Where to move the goal position aside so that joints which the last iterate leaves exactly where they
// started come into play: Newton steps never leave a plane of symmetry. Returns how many there are
// (0: no need, `aside` is unset), -1 on failure.
int plan_goal_aside(Run *run, double aside[3], Error *err);

// Fills r->explanation from the last iterate: what is violated, where and by how much.
void plan_explain(Run *run);

// Solves the problem with a goal, obstacles and constraints that may be missed, then with limits that may
// be exceeded, and adds to r->explanation which would have to give, by how much and when.
Status plan_relax(Run *run, Error *err);

// Appends to r->explanation, cut to fit.
void plan_say(PlanResult *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
