// SPDX-License-Identifier: MIT
// What a body and all that hangs on it take of forces: the quadratic form
//   x^T Q x / 2 - b^T x,  x = (A, R)
// in the acceleration A of a loop's base body and R of the body itself relative to it, both beyond
// the bias motion, at the body's origin, in the axes of the world. Its blocks are Anderson and
// Critchley's articulated inertias of a body in a loop (equations 60 to 64): Q_RR is 0I^k, Q_RA is
// I^{k;0}, and b_R is 0F^k. A body in no loop, or in loops on the world, has R only, its acceleration.
#ifndef POISE_DYNAMICS_RCR_FORM_H
#define POISE_DYNAMICS_RCR_FORM_H

#include "dynamics/rnea.h"
#include "dynamics/world.h"

// First indices of A and R: angular, then linear. While a loop is reduced its form also has S, the
// acceleration of a body on the tail relative to the base.
enum { RCR_A = 0, RCR_R = 6, RCR_S = 12, RCR_SIZE = 18 };

typedef struct RcrForm {
  int first;  // RCR_A, or RCR_R where there is no A
  int end;    // RCR_S, or RCR_SIZE with S
  Expr Q[RCR_SIZE * RCR_SIZE];
  Expr b[RCR_SIZE];
} RcrForm;

// What the elimination of a joint leaves behind: its acceleration is a = rest - u . x.
typedef struct RcrPivot {
  Expr u[RCR_SIZE];
  Expr rest;
} RcrPivot;

RcrForm rcr_form_zero(int first);  // without S

// A rigid body alone, with R its acceleration. bias: force that the bias motion takes, in F_i.
RcrForm rcr_form_body(ExprGraph *g, const DynJoint *j, const KinBody *b, const WorldBody *w,
                      const RneaWrench *bias);

// from: without S.
void rcr_form_add(ExprGraph *g, RcrForm *to, const RcrForm *from);

// The same with R of `from` for S of `to`; where `to` has no S, it is zero.
void rcr_form_add_tail(ExprGraph *g, RcrForm *to, const RcrForm *from);

// `from` has R only, the acceleration of the body itself, which for `to` is A + R.
void rcr_form_add_whole(ExprGraph *g, RcrForm *to, const RcrForm *from);

// The part in A alone, as a form in the acceleration of the base.
RcrForm rcr_form_of_base(const RcrForm *f);

// The same form (without S), of the motion of the point that lies r before the one it was at.
void rcr_form_shift(ExprGraph *g, RcrForm *f, Vec3 r);

// Eliminates the joint's acceleration: R = R' + joint a, where tau acts on a; block: RCR_R, or
// RCR_S for S = S' + joint a.
RcrPivot rcr_form_pivot(ExprGraph *g, RcrForm *f, int block, Motion joint, double armature,
                        Expr tau);

// y = Q x, for x in one block; y: RCR_SIZE.
void rcr_form_apply(ExprGraph *g, const RcrForm *f, int block, Motion x, Expr *y);

// x^T y of six components; a motion as such.
Expr rcr_dot6(ExprGraph *g, const Expr *x, Motion y);
void rcr_six(Motion m, Expr *x);

#endif
