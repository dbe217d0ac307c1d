// SPDX-License-Identifier: MIT
// Motion of a robot with loops, by any method of constrained forward dynamics and a fixed step:
//   q' = v, v' = a(q, v, tau)                  methods on all coordinates: loops closed for a only
//   q' = v(q, v_ind), v_ind' = a_ind(...)      RCR: loops closed for v and a (rcr.h)
// Nothing is projected: what the loops drift apart by is the method's own.
//
// RCR chooses its independent coordinates at the start, and again whenever a pivot of the choice gets
// small and another choice is clearly better; where none is fit it stops and names the loop.
#ifndef POISE_SIM_SIM_LOOP_H
#define POISE_SIM_SIM_LOOP_H

#include "dynamics/loop_method.h"
#include "sim/sim_step.h"

typedef struct SimLoop SimLoop;  // state and tapes that belong together

// Keeps the model. Fails where the method does not apply at q (nv; NULL: model_start). Starts
// there, at rest. On failure *out is NULL.
Status sim_loop_build(SimLoop **out, const Model *m, const LoopMethod *method, const double *q,
                      Error *err);
void sim_loop_free(SimLoop *s);  // NULL-safe

// Puts it to q and v, nv each. RCR takes the independent rates from v and computes the others.
Status sim_loop_set(SimLoop *s, const double *q, const double *v, Error *err);

// One step under constant joint forces tau (nv; NULL: none). STATUS_NUMERIC if accelerations are not
// finite or, for RCR, no choice of coordinates is fit; then the state is the one before the step.
Status sim_loop_step(SimLoop *s, const SimScheme *scheme, double h, const double *tau, Error *err);

// The state: nv each; either may be NULL.
void sim_loop_get(const SimLoop *s, double *q, double *v);

// State derivatives: operations of one evaluation (without pivots), how many so far, and how often
// RCR has chosen anew.
int sim_loop_operations(const SimLoop *s);
long sim_loop_evaluations(const SimLoop *s);
int sim_loop_choices(const SimLoop *s);

#endif
