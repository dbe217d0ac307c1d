// SPDX-License-Identifier: MIT
// One loop of the recursive coordinate reduction (rcr.h): its closure, and what the bodies behind p
// add to the form of p.
#ifndef POISE_DYNAMICS_RCR_LOOP_H
#define POISE_DYNAMICS_RCR_LOOP_H

#include "dynamics/dyn.h"
#include "dynamics/rcr_choice.h"
#include "dynamics/rcr_form.h"
#include "dynamics/rcr_plan.h"

// A loop's closure at a configuration. Motions at `c`, the origin of p. Indices e are those of
// RcrLoop.joint, i those of RcrLoop.dep.
typedef struct RcrClosure {
  const RcrLoop *l;
  int n;                               // rows
  Vec3 c;                              //
  Motion row[RCR_MAX_ROWS];            // what rows feel of bodies of the head, with p among them
  Motion tail_row[RCR_MAX_ROWS];       // and of the tail
  Motion *joint;                       // n_joint, by unit rates
  Expr (*g)[RCR_MAX_ROWS];             // n_joint, what rows feel of them
  Expr h[RCR_MAX_ROWS][RCR_MAX_ROWS];  // of dep[i], projected
  Expr d_inv[RCR_MAX_ROWS];            // 1 / Delta of dep[i]
  Expr pivot[RCR_MAX_ROWS];            // Delta over the squared column
  Expr gamma[RCR_MAX_ROWS];            // bias acceleration of the rows, for rcr_loop_reduce
  Motion *in;                          // n_in, joints before s, by unit rates
  RcrPivot *in_left;                   // n_in, their eliminations
  RcrPivot *left;                      // n_free, the free joints' eliminations
  Expr *between;                       // n_free x n_free: their part in each other's
} RcrClosure;

// Everything from the arena; false when out of memory.
bool rcr_loop_open(RcrClosure *cl, const RcrLoop *l, const DynTrace *tr, const WorldBody *world,
                   Arena *arena);

// Rates (or, with the bias in y, accelerations) of all joints behind p, x: n_joint; free ones are read,
// dependent ones written. y: rows, what they feel of p, s and of the bias; used up (47).
void rcr_loop_close(ExprGraph *g, const RcrClosure *cl, Expr *y, Expr *x);

// The form in (A, R of p) of the bodies behind p when they move with it (60). form: of all bodies,
// each at its origin; tau: nv.
RcrForm rcr_loop_reduce(RcrClosure *cl, const DynTrace *tr, const WorldBody *world,
                        const RcrForm *form, const Expr *tau, Arena *arena);

// Accelerations of the joints before s, into in (n_in), and of the free ones, into x (n_joint), when A
// and R are known; returns that of s, relative to the base, at c.
Motion rcr_loop_independent(ExprGraph *g, const RcrClosure *cl, Motion A, Motion R, Expr *in,
                            Expr *x);

#endif
