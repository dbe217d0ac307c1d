// SPDX-License-Identifier: MIT
// Recursive coordinate reduction, first part: which coordinates of a mechanism with loops are
// independent, and in which order the rest follows from them. Anderson and Critchley, Multibody
// System Dynamics 9 (2003), sections 3.1, 4.2 and 4.3.
//
// Each loop is walked from its base body, the last body common to its two branches, along one branch
// (the head), across the cut joint, and back to the base along the other one (the tail). The last
// coordinates on this way are dependent, as many as the closure fixes; the body before them is called
// p, and all bodies behind it move as functions of the motion of p relative to the base. Coupled
// loops are taken one after the other: the head of a later one starts on bodies that an earlier one
// has settled (ladders, parallel manipulators), its tail is new. For this the loops must share their
// base body. Which branch is the head is chosen for the better conditioned closure.
//
// The paper cuts loops at their base, so that there is no tail. Here the cut may be anywhere, and the
// dependent coordinates are some of those next to it: behind p on the head and behind a body s on
// the tail. In between a few may stay independent where they close nothing, as a spin.
#ifndef POISE_DYNAMICS_RCR_PLAN_H
#define POISE_DYNAMICS_RCR_PLAN_H

#include "model/model.h"

// A dependent joint's part of the closure that the joints behind it can't make, squared and over the
// whole: below RCR_RANK it has none, below RCR_SINGULAR too little to compute with.
#define RCR_RANK 1e-14
#define RCR_SINGULAR 1e-8

enum { RCR_NO_GROUP = -2 };

typedef struct RcrLoop {
  int loop;      // of the model
  int base;      // body; -1 is the world
  int head;      // 0 or 1: the branch to ModelLoop.body[head] is the head
  int p;         // body, on the head or the base itself
  int s;         // the same on the tail; the base, if all of the tail is behind
  int n_in;      // joints between the base and s, independent
  int *in;       // n_in, from the base outwards
  int n_joint;   // joints behind p and s
  int *joint;    // n_joint, those of the tail from s outwards, then of the head from its tip to p
  int n_tail;    // the first n_tail of them are on the tail
  int n_dep;     // dependent ones, as many as the loop has rows
  int *dep;      // n_dep, indices in joint, in the order of elimination
  int n_free;    // the others, independent
  int *free;     // n_free, indices in joint
  double pivot;  // smallest of the relative pivots at the configuration of the choice
} RcrLoop;

typedef struct RcrEvent {
  bool is_loop;  // a loop settles its dependent bodies, or a joint its body
  int index;     // in RcrPlan.loop, or the joint
} RcrEvent;

typedef struct RcrPlan {
  Arena *arena;     // owns the rest
  int nv;           //
  int n_ind;        // independent coordinates
  int *ind;         // n_ind, joints, ascending
  int n_loop;       //
  RcrLoop *loop;    // n_loop, in the order of the reduction
  int *base;        // nv, base body of the loops that body i moves in; RCR_NO_GROUP if none
  int n_event;      //
  RcrEvent *event;  // n_event, from the world outwards: every body after what it depends on
} RcrPlan;

// Chooses at a configuration with the constraint Jacobian J (rows of the loops one after the other,
// as many as each has bits in ModelLoop.rows; column-major, n_row x nv). On failure *out is NULL and
// err names the loop and what is in the way: coupled loops without a common base body, no choice of
// independent coordinates that precede the dependent ones, a singular configuration, constraints
// that depend on each other.
Status rcr_plan_build(RcrPlan **out, const Model *m, int n_row, const double *J, Error *err);
void rcr_plan_free(RcrPlan *plan);  // NULL-safe

// STATUS_OK if all relative pivots (n_dep of all loops in order, as the traced function gives them)
// are fit to compute with, else STATUS_NUMERIC: names the loop and the joint.
Status rcr_plan_check(const RcrPlan *plan, const Model *m, const double *pivot, Error *err);

#endif
