// SPDX-License-Identifier: MIT
// Shared by the files of maximal.h.
#ifndef POISE_DYNAMICS_MAXIMAL_INTERNAL_H
#define POISE_DYNAMICS_MAXIMAL_INTERNAL_H

#include "dynamics/maximal.h"

// Bodies and joints from the model: x->body, body_of, joint, n_row, n_soft, n.
Status maximal_joints_build(Maximal *x, MaxSoft soft, Error *err);

// Loop k of the model as a joint between the model's bodies themselves: points from their origins.
void maximal_loop(const Model *m, int k, MaxJoint *j);

// Where a body is and how it moves, as expressions. The world: R = 1, the rest zero.
typedef struct MaxPose {
  Mat3 R;     // body axes in the world
  Vec3 p, v;  // centre of mass, in the world
  Vec3 w;     // angular velocity, in body axes
} MaxPose;

// One constraint c(x) = 0 with c' = J x', c'' = J x'' + bias.
typedef struct MaxRow {
  Expr c, rate, bias;
  Expr J[2][6];  // by the two bodies: p, rotation in body axes
} MaxRow;

// The constraints of a joint, j->n_row of them.
void maximal_rows(ExprGraph *g, const MaxJoint *j, const MaxPose *const pose[2], MaxRow *row);

// The coordinate of a single joint as such a row: its J^T carries the joint's force. For turns only
// J and rate are set.
void maximal_coordinate(ExprGraph *g, const MaxJoint *j, const MaxPose *const pose[2], MaxRow *row);

// An empty one on a graph that it does not own until maximal_free is called; NULL when out of
// memory.
Maximal *maximal_new(const Model *m, ExprGraph *g);

// The system for bodies placed by `pose` (n_body) under joint forces tau (nv), and its order. False when
// out of memory.
bool maximal_assemble(Maximal *x, const MaxPose *pose, const Expr *tau);

// Solves it in place for n_rhs right-hand sides of x->n rows each. drop: n_row, may be NULL.
bool maximal_solve(const Maximal *x, const bool *drop, int n_rhs, Expr *const *rhs);

#endif
