// SPDX-License-Identifier: MIT
// Articulated body algorithm: forward dynamics a = nu(q, v, tau) in order n. Featherstone 1983 and
// 2008, ch. 7; the order-N method of Schwertassek and Rulka 1989 is the same three recursions.
// Written about the bias motion (accelerations with all joint accelerations zero): the first pass is
// the one of rnea, the articulated forces are those that the bias motion lacks, and the last pass
// finds the joint accelerations that make up for it. So no inertia is multiplied by a bias.
#ifndef POISE_DYNAMICS_ABA_H
#define POISE_DYNAMICS_ABA_H

#include "dynamics/kinematics.h"

// tau: n, all applied forces (actuators and damping); a: n. False when out of memory.
bool aba_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, const Expr *v,
               const Expr *tau, Expr *a);

#endif
