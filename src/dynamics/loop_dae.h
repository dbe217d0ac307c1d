// SPDX-License-Identifier: MIT
// The motion of a robot with loops as a differential-algebraic equation, with its loops closed for
// position and velocity at once (Gear, Leimkuhler, Gupta 1985), index 2:
//   q' = v - J(q)^T mu
//   M(q) v' + c(q, v) + d v + J(q)^T lambda = tau
//   0 = J(q) v,   0 = phi(q)
// mu is zero along exact solutions; it takes up what would make the loops drift apart.
#ifndef POISE_DYNAMICS_LOOP_DAE_H
#define POISE_DYNAMICS_LOOP_DAE_H

#include "dynamics/loops.h"

enum { LOOP_DAE_MU = 20 };  // number of the input "mu"

// (q, v, a, lambda, mu, tau) -> "residual" (J^T mu - v, then the other three: 2 nv + 2 m) and
// "jacobian" of it over (q, v, a, lambda, mu). On failure *out is NULL.
Status loop_dae_build(DynFunction **out, const Model *m, Error *err);

#endif
