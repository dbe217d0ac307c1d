// SPDX-License-Identifier: MIT
// Single functions of a robot, each with a graph of its own: what commands, simulation and tests call
// when they do not need derivatives.
#ifndef POISE_DYNAMICS_DYN_FUNCTION_H
#define POISE_DYNAMICS_DYN_FUNCTION_H

#include "dynamics/dyn.h"

typedef struct DynFunction {
  Arena *arena;    // owns the rest
  ExprGraph *g;    //
  ExprFunction f;  //
} DynFunction;

// Each sets *out to NULL on failure.

// (q, v, a) -> tau, or (q, v, tau) -> a for explicit forms; damping and armature included.
Status dyn_map_build(DynFunction **out, const Model *m, const DynForm *form, Error *err);

// The dynamic terms that the paper counts (form->terms): the same as the map, or M and c for SEMI.
Status dyn_terms_build(DynFunction **out, const Model *m, const DynForm *form, Error *err);

// (q, v) -> "position" and "velocity", 3 x n_frame each, in the world frame.
Status dyn_frames_build(DynFunction **out, const Model *m, Error *err);

// (q, v) -> "kinetic", "potential", in joule.
Status dyn_energy_build(DynFunction **out, const Model *m, Error *err);

void dyn_function_free(DynFunction *f);  // NULL-safe

#endif
