// SPDX-License-Identifier: MIT
// Recursive coordinate reduction as functions: the state of the paper, coordinates and independent
// rates, and its derivative.
#ifndef POISE_DYNAMICS_RCR_FUNCTION_H
#define POISE_DYNAMICS_RCR_FUNCTION_H

#include "dynamics/dyn_function.h"
#include "dynamics/rcr_plan.h"

// The choice of independent coordinates at q (nv; NULL: model_start). Fails like rcr_plan_build.
Status rcr_plan_at(RcrPlan **out, const Model *m, const double *q, Error *err);

// (q, v_ind, tau) -> "v" (nv), "a" (n_ind, of the independent coordinates) and "pivot"
// (nv - n_ind, see rcr_plan_check); damping included. On failure *out is NULL.
Status rcr_function_build(DynFunction **out, const Model *m, const RcrPlan *plan, Error *err);

// (q, v_ind) -> "v" (nv): all rates of the independent ones.
Status rcr_rates_build(DynFunction **out, const Model *m, const RcrPlan *plan, Error *err);

#endif
