// SPDX-License-Identifier: MIT
// Recursive Newton-Euler algorithm: inverse dynamics tau = Phi(q, v, a) in order n.
// Luh, Walker, Paul 1980; Featherstone 2008, ch. 5. Forwards the motion, backwards the forces.
#ifndef POISE_DYNAMICS_RNEA_H
#define POISE_DYNAMICS_RNEA_H

#include "dynamics/kinematics.h"

typedef struct RneaWrench {
  Vec3 f;      // force, in F_i
  Vec3 n;      // moment about the body's origin, without line x arm if lines are used
  Vec3 arm;    // forces times their distance along the body's line
  bool lines;  //
} RneaWrench;

// Force and moment that body i alone needs for its motion (reduced inertia).
RneaWrench rnea_body_wrench(ExprGraph *g, const DynJoint *j, const KinBody *b, const KinMotion *m);

// Adds the wrench that child i takes, given in F_i, to its parent's.
void rnea_add_to_parent(ExprGraph *g, const DynJoint *j, const KinBody *b, Vec3 f, Vec3 n,
                        RneaWrench *parent);

// The whole moment about the body's origin, once all children are added.
Vec3 rnea_moment(ExprGraph *g, const DynJoint *j, const KinBody *b, const RneaWrench *w);

// tau: n. Damping is not part of Phi (it belongs to the applied forces); armature is.
// a == NULL gives the bias c(q, v). False when out of memory.
bool rnea_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, const Expr *v,
                const Expr *a, Expr *tau);

#endif
