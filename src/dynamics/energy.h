// SPDX-License-Identifier: MIT
// Kinetic and potential energy of a tree, with the true bodies (not the reduced inertias of the
// recursions, so that energies test those): T = sum of m u^2 / 2 + u.(w x h) + w.I w / 2 over the
// bodies plus rotors, V = -sum of m g.c, zero at the world's origin.
#ifndef POISE_DYNAMICS_ENERGY_H
#define POISE_DYNAMICS_ENERGY_H

#include "dynamics/kinematics.h"

// body: placements by kin_build. False when out of memory.
bool energy_build(ExprGraph *g, const DynTree *t, const KinBody *body, const Expr *v, Expr *kinetic,
                  Expr *potential);

#endif
