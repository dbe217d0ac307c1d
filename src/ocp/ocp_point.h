// SPDX-License-Identifier: MIT
// The functions of one instant that a problem is made of, ready to evaluate over many instants: dynamics,
// obstacles, running cost, goal position. All of them are written over the same local variables
// z = (q, v, a, u), 3 nv + nu of them, whatever they really depend on.
#ifndef POISE_OCP_OCP_POINT_H
#define POISE_OCP_OCP_POINT_H

#include "ocp/ocp_block.h"

typedef struct OcpPoint {
  Arena *arena;    // owns the patterns
  int nv, nu, nz;  // nz = 3 nv + nu
  OcpBlock
      dyn;  // residual of the formulation; ODE forms: the accelerations xi(q, v, u), which may be a
            // user's
  OcpBlock path;   // one row per obstacle: distance to it, to be >= 0
  OcpBlock cost;   // one row: integrand of velocity, acceleration and tracking costs; may be absent
  OcpBlock goal;   // components of the goal frame's position that are asked for
  int n_term;      //
  OcpBlock *term;  // n_term: the user's terms in their order; dynamics are in dyn, and empty here
} OcpPoint;

// On failure *out is NULL.
Status ocp_point_build(OcpPoint **out, const Ocp *o, Error *err);
void ocp_point_free(OcpPoint *p);  // NULL-safe

#endif
