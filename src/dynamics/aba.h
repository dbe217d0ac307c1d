// SPDX-License-Identifier: MIT
// Articulated body algorithm: forward dynamics a = nu(q, v, tau) in order n. Featherstone 1983 and
// 2008, ch. 7; the order-N method of Schwertassek and Rulka 1989 is the same three recursions.
// Written about the bias motion (accelerations with all joint accelerations zero): the first pass is
// the one of rnea, the articulated forces are those that the bias motion lacks, and the last pass
// finds the joint accelerations that make up for it. So no inertia is multiplied by a bias.
#ifndef POISE_DYNAMICS_ABA_H
#define POISE_DYNAMICS_ABA_H

#include "dynamics/kinematics.h"

// What is left of the first two passes: inertia times the joint's axis, and 1 / (axis inertia axis).
typedef struct AbaJoint {
  Vec3 Un, Uf;  // moment and force, in F_i
  Expr d_inv;
} AbaJoint;

// tau: n, all applied forces (actuators and damping); a: n. False when out of memory.
bool aba_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, const Expr *v,
               const Expr *tau, Expr *a);

// The same, and the joints for aba_response; keep: n.
bool aba_build_keep(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body,
                    const Expr *v, const Expr *tau, Expr *a, AbaJoint *keep);

// M^-1 tau by the last two passes alone: what further forces add to the accelerations. Where
// forces are zero nothing is traced. False when out of memory.
bool aba_response(ExprGraph *g, const DynTree *t, const KinBody *body, const AbaJoint *keep,
                  const Expr *tau, Expr *a);

// The same with forces on the bodies themselves. push: n; force and moment about the body's origin, in
// its expression frame.
typedef struct AbaPush {
  Vec3 f, n;
} AbaPush;
bool aba_build_pushed(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body,
                      const Expr *v, const Expr *tau, const AbaPush *push, Expr *a);

#endif
