// SPDX-License-Identifier: MIT
// Positions, velocities and accelerations of the bodies of a tree as expressions, each body in
// its expression frame F_i (dyn_tree.h). Shared by all recursions.
//
// Accelerations are carried as beta = skew(alpha) + skew(omega)^2, so that a point fixed to the body
// at x accelerates with acc + beta x. A revolute joint leaves beta e unchanged along its axis e;
// that column is copied from the parent, and the rest follows from it:
//   beta_kj = 2 w_k w_j - beta_jk (j != k),  beta_ij = w_i w_j -+ alpha_k,  beta_ii = -(w_j^2 + w_k^2)
#ifndef POISE_DYNAMICS_KINEMATICS_H
#define POISE_DYNAMICS_KINEMATICS_H

#include "dynamics/dyn_tree.h"
#include "dynamics/spatial.h"

typedef struct KinBody {
  Mat3 X;         // F_i -> F_parent
  bool moves;     // F_i differs from F_parent
  Vec3 r;         // origin of the body from the parent's origin, in F_parent
  Vec3 axis;      // unit vector of the joint, in F_i
  Expr theta;     // angle of the body in F_i; 0 if TURN_NOW
  int turn_axis;  // coordinate axis of theta
  Mat3 E;         // orientation of the body's axes in F_i
  Vec3 line;      // direction of the body's line, in F_i; unused if it has none
  Vec3 h;         // reduced first moment, in F_i
  Mat3 J;         // reduced pseudo-inertia, in F_i
} KinBody;

typedef struct KinMotion {
  Vec3 w;      // angular velocity, in F_i
  Vec3 alpha;  // angular acceleration
  Mat3 beta;   // skew(alpha) + skew(w)^2
  bool lines;  // products with the body's line are used (dyn_tree.h)
  Vec3 line;   // beta times the body's line
  Vec3 acc;    // acceleration of the origin, minus gravity
} KinMotion;

// Placements of all bodies at q. body: t->n.
void kin_build(ExprGraph *g, const DynTree *t, const Expr *q, KinBody *body);

// Placement of one body on its parent's (NULL: the world, or any body taken for it), without what
// belongs to its mass: line, h and J stay zero.
void kin_place(ExprGraph *g, const DynJoint *j, const KinBody *parent, Expr q, KinBody *b);

// Velocities and accelerations; a == NULL stands for zero accelerations. motion: t->n. Lines are used
// with accelerations only: the bias motion goes with algorithms that need r and h themselves anyway.
void kin_motion(ExprGraph *g, const DynTree *t, const KinBody *body, const Expr *v, const Expr *a,
                KinMotion *motion);

// A vector of body i's expression frame in the parent's; and the other way.
Vec3 kin_to_parent(ExprGraph *g, const KinBody *body, Vec3 x);
Vec3 kin_from_parent(ExprGraph *g, const KinBody *body, Vec3 x);

// World position and velocity of a point fixed to body i at `pos` in the file's body frame (i == -1:
// the world). vel may be NULL; v is used only for it.
void kin_point(ExprGraph *g, const DynTree *t, const KinBody *body, int i, const double pos[3],
               const Expr *v, Vec3 *position, Vec3 *velocity);

#endif
