// SPDX-License-Identifier: MIT
// Bodies and cut joints in the axes of the world: where loops close, the branches that meet must
// speak of the same axes. Motions are pairs of an angular and a linear part, the latter that of a
// named point: the body's origin unless said otherwise.
#ifndef POISE_DYNAMICS_WORLD_H
#define POISE_DYNAMICS_WORLD_H

#include "dynamics/kinematics.h"

typedef struct Motion {
  Vec3 w, v;  // angular, linear
} Motion;

#define MOTION_ZERO ((Motion){VEC3_ZERO, VEC3_ZERO})

typedef struct WorldBody {
  Mat3 W;     // F_i -> world
  Vec3 x;     // origin
  Vec3 axis;  // of the joint that moves it
} WorldBody;

// The rows of a cut joint as loads on its two bodies: the rate of row r is the sum over both sides of
// w[side][r] . angular + f[side][r] . linear part of the body's motion relative to the loop's base
// (loops.h), taken at point[side].
typedef struct WorldRows {
  int n;
  Vec3 w[2][6], f[2][6];
  Vec3 point[2];
} WorldRows;

// Placements of all bodies. world: t->n.
void world_build(ExprGraph *g, const DynTree *t, const KinBody *body, WorldBody *world);

// Velocities of all bodies in the world; v: n rates. motion: t->n.
void world_motion(ExprGraph *g, const DynTree *t, const WorldBody *world, const Expr *v,
                  Motion *motion);

Motion motion_add(ExprGraph *g, Motion a, Motion b);
Motion motion_sub(ExprGraph *g, Motion a, Motion b);
Motion motion_scale(ExprGraph *g, Expr s, Motion a);
Expr motion_dot(ExprGraph *g, Motion a, Motion b);
// linear part at the point that lies `to` from the one it was at
Motion motion_at(ExprGraph *g, Motion a, Vec3 to);
// of a body by its joint alone at unit rate, at the point `to` from the body's origin
Motion world_joint(ExprGraph *g, const DynJoint *j, const WorldBody *b, Vec3 to);

// Origin of a body; the world's if i == -1.
Vec3 world_origin(const WorldBody *world, int i);

// Rows of a loop's constraints in the order of the bits of ModelLoop.rows, those of loops.h; base:
// nearest common ancestor of the loop's bodies.
void world_rows(ExprGraph *g, const DynTree *t, const KinBody *body, const WorldBody *world,
                const ModelLoop *loop, int base, WorldRows *rows);

// Second derivatives of the rows when all joint accelerations are zero, n values. bias: motion of
// the bodies by kin_motion without accelerations; vel: by world_motion.
void world_gamma(ExprGraph *g, const DynTree *t, const KinBody *body, const WorldBody *world,
                 const KinMotion *bias, const Motion *vel, const ModelLoop *loop, int base,
                 Expr *gamma);

#endif
