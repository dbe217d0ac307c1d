// SPDX-License-Identifier: MIT
// What the two parts of the planning of a recursive coordinate reduction share: rcr_plan.c knows the
// topology, rcr_take.c takes the loops one after the other.
#ifndef POISE_DYNAMICS_RCR_PLAN_INTERNAL_H
#define POISE_DYNAMICS_RCR_PLAN_INTERNAL_H

#include "dynamics/rcr_choice.h"
#include "dynamics/rcr_plan.h"

typedef struct RcrPlanner {
  Arena *arena;     // scratch
  const Model *m;   //
  int n_row;        //
  const double *J;  // n_row x nv
  RcrWay *way;      // n_loop
  int *order;       // n_loop, in which loops are tried
  bool *done;       // n_loop
  bool *known;      // nv, joint settled by a loop
  int n_ind;        // independent joints of loops so far
  int *n_rate;      // nv, length of rate[j]
  double **rate;    // nv, rates of settled joints as functions of the independent ones
  RcrPlan *plan;    //
} RcrPlanner;

// Fills plan->loop: the order of the loops, and of each what is dependent.
Status rcr_take_loops(RcrPlanner *pl, Error *err);

// STATUS_INPUT at the place of the loop.
Status rcr_refuse(const RcrPlanner *pl, int loop, Error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

const char *rcr_body_name(const Model *m, int i);  // "the world" for -1

#endif
