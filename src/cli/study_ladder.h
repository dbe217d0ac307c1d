// SPDX-License-Identifier: MIT
// The spatial ladder of Anderson and Critchley 2003 (figure 9), with L loops: L + 1 legs of length 1
// hang from ground by Hooke's joints along the x axis, L rungs join their lower ends by revolute joints.
// As in the paper the tree is one chain: leg, rung, leg, ..., with a copy of the ground at the upper end
// of every leg but the first, welded to the ground: n = 4 L + 2 coordinates, m = 4 L independent
// constraints, 2 degrees of freedom. The copies do not move, so that their mass is of no account.
//
// Masses are shared out so that the motion of the first leg, q1 about x and q2 across it, does not depend
// on L: it is that of the pendulum with kinetic energy (A(q2) q1'^2 + B q2'^2) / 2.
#ifndef POISE_CLI_STUDY_LADDER_H
#define POISE_CLI_STUDY_LADDER_H

#include "model/model.h"

enum { LADDER_X, LADDER_Y };  // coordinates q1 and q2 in every ladder

// At its pose "start" it is closed with q1 = 0.4, q2 = 0.6. On failure *out is NULL.
Status study_ladder(Model **out, int n_loop, Error *err);

// x = (q1, q2, q1', q2') -> x': the equivalent pendulum, in closed form.
void study_pendulum(const double *x, double *dx);

#endif
