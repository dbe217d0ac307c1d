// SPDX-License-Identifier: MIT
// Recursive coordinate reduction, second part: the traced recursions. Anderson and Critchley,
// "Improved order-N performance algorithm for the simulation of constrained multi-rigid-body dynamic
// systems", Multibody System Dynamics 9 (2003). Order n + m, and the loops stay closed at the
// level of velocities because dependent rates are computed, not integrated:
//   q' = v(q, v_ind),   v_ind' = a_ind(q, v_ind, tau)
//
// Inside a loop the dependent rates follow from the motion V of body p relative to the base by
// projections (equations 44, 45 and 47): with g_k the columns of the closure and tau the projector,
//   h_k = tau g_k,  Delta_k = g_k . h_k,  tau -= h_k h_k^T / Delta_k      from the base inwards,
//   v_k = -h_k . y / Delta_k,  y += g_k v_k                              outwards from y = E^T V.
// The paper writes the closure with six rows and a phantom body whose joint is projected out first; here
// it has the rows E of the cut joint, where this joint has no part to begin with. Bodies behind p
// add to its form (rcr_form.h) what they take when they move with it (60); the bias of the closure, known at
// once, plays the part of Xi and Theta (53, 79): a body that a loop has settled can be the p of the
// next one, so that each loop is worked on once, however many stand between it and the base.
#ifndef POISE_DYNAMICS_RCR_H
#define POISE_DYNAMICS_RCR_H

#include "dynamics/dyn.h"
#include "dynamics/rcr_plan.h"

typedef struct Rcr Rcr;  // placements and closures of one trace

// Closures of all loops at tr->q. Keeps trace and plan. NULL when out of memory.
Rcr *rcr_open(const DynTrace *tr, const RcrPlan *plan);
void rcr_end(Rcr *r);  // NULL-safe

// Completes v: independent rates are read, dependent ones written; nv.
void rcr_velocity(Rcr *r, Expr *v);

// Accelerations under joint forces tau (damping included) at rates v that close the loops; nv each.
void rcr_acceleration(Rcr *r, const Expr *v, const Expr *tau, Expr *a);

// Relative pivots, one per dependent coordinate in the order of the plan's loops: see rcr_plan_check.
void rcr_pivots(Rcr *r, Expr *pivot);

#endif
