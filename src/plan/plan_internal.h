// SPDX-License-Identifier: MIT
#ifndef POISE_PLAN_PLAN_INTERNAL_H
#define POISE_PLAN_PLAN_INTERNAL_H

#include "plan/plan.h"

enum { PLAN_MAX_STEPS = 64 };

// A run under way.
typedef struct Run {
  PlanResult *r;
  const Ocp *o;
  const PlanOptions *opt;
  Colloc *c;
  const Nlp *nlp;
  double *x;       // n, last iterate
  double *lambda;  // m, its multipliers
} Run;

// One solve with this weight of the torque rate, from run->x to run->x; appends a step. warm: x is near
// the solution.
Status plan_solve(Run *run, double torque_rate, bool warm, PlanStep *step, Error *err);

// The strategy of the problem, from guess to run->x.
Status plan_strategy(Run *run, Error *err);

// Fills r->explanation from the last iterate: what is violated, where and by how much.
void plan_explain(Run *run);

#endif
