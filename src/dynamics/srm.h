// SPDX-License-Identifier: MIT
// Sequential regularization (Ascher and Lin, "Sequential regularization methods for simulating mechanical
// systems with many closed loops"): the tree is solved exactly in order n, its loops are held by
// multipliers that need no equation of their own,
//   M(q_s) a_s + c + d v_s = tau - J^T mu_s,   mu_s = mu_{s-1} + (alpha_1 phi' + alpha_2 phi) / eps,
// form (3.12) with the tree in joint coordinates, where its constraints hold by themselves. Iterate s
// is a motion of its own, s = 1, 2, ... from a given mu_0(t); each one takes the violation another
// factor of eps down. Nothing is inverted that a singular Jacobian could spoil, and an iterate costs
// order n whatever the number of loops: their forces act on the bodies directly.
// Form (3.10), which regularizes the joints of the tree too, is maximal_build with MAX_SOFT_ALL.
#ifndef POISE_DYNAMICS_SRM_H
#define POISE_DYNAMICS_SRM_H

#include "dynamics/dyn_function.h"

enum { SRM_GAIN = 16 };  // number of the input "gain"

typedef struct SrmTrace {
  int m;       // rows of all loops: model_n_rows
  Expr *phi;   // m
  Expr *rate;  // m, phi'
  Expr *mu;    // m, mu_s
  Expr *a;     // nv
} SrmTrace;

// At the trace's q and v under joint forces `force` (nv, without damping), with mu_{s-1} (m) and gains
// alpha_1 / eps and alpha_2 / eps. Position rows are along the axes of the world unless the loop slides.
// Arrays from the arena; false when out of memory.
bool srm_build(SrmTrace *out, const DynTrace *tr, const Expr *force, const Expr *mu,
               const Expr gain[2], Arena *arena);

// (q, v, tau, mu, gain) -> "a" (nv), "mu", "phi", "rate" (m each). On failure *out is NULL.
Status srm_function_build(DynFunction **out, const Model *m, Error *err);

#endif
