// SPDX-License-Identifier: MIT
// Recursive Newton-Euler algorithm: inverse dynamics tau = Phi(q, v, a) in order n.
// Luh, Walker, Paul 1980; Featherstone 2008, ch. 5. Forwards the motion, backwards the forces.
#ifndef POISE_DYNAMICS_RNEA_H
#define POISE_DYNAMICS_RNEA_H

#include "dynamics/kinematics.h"

typedef struct RneaWrench {
  Vec3 f;  // force, in F_i
  Vec3 n;  // moment about the body's origin
} RneaWrench;

// Force and moment that body i alone needs for its motion (reduced inertia).
RneaWrench rnea_body_wrench(ExprGraph *g, const DynJoint *j, const KinBody *b, const KinMotion *m);

// tau: n. Damping is not part of Phi (it belongs to the applied forces); armature is.
// a == NULL gives the bias c(q, v). False when out of memory.
bool rnea_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, const Expr *v,
                const Expr *a, Expr *tau);

#endif
