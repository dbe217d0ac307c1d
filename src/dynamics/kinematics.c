// SPDX-License-Identifier: MIT
#include "dynamics/kinematics.h"

// ---- placements --------------------------------------------------------------------------------

static const KinBody world = {
    .X = {{EXPR_ONE, 0, 0, 0, EXPR_ONE, 0, 0, 0, EXPR_ONE}},
    .E = {{EXPR_ONE, 0, 0, 0, EXPR_ONE, 0, 0, 0, EXPR_ONE}},
};

static void place_revolute(ExprGraph *g, const DynJoint *j, const KinBody *p, Expr q, KinBody *b) {
  Expr angle = j->sign < 0 ? expr_neg(q) : q;
  b->turn_axis = j->axis;
  b->axis = vec3_unit(j->axis, j->sign);
  if (j->turn == TURN_KEEP) {
    b->theta = expr_add(g, p->theta, angle);
    b->E = mat3_rotation(g, j->axis, b->theta);
    return;
  }
  b->moves = true;
  b->X = mat3_mul(g, p->E, mat3_const(g, j->rot));
  if (j->turn == TURN_LATE) {
    b->theta = angle;
    b->E = mat3_rotation(g, j->axis, angle);
  } else {
    b->X = mat3_mul(g, b->X, mat3_rotation(g, j->axis, angle));
  }
}

void kin_place(ExprGraph *g, const DynJoint *j, const KinBody *parent, Expr q, KinBody *b) {
  const KinBody *p = parent ? parent : &world;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a parent may be NULL, b never is
  *b = (KinBody){.X = mat3_identity(), .E = mat3_identity()};
  Vec3 r = vec3_const(g, j->pos);
  if (j->type == JOINT_REVOLUTE) {
    place_revolute(g, j, p, q, b);
  } else {
    Vec3 dir = vec3_const(g, j->dir);
    b->E = p->E;
    b->theta = p->theta;
    b->turn_axis = p->turn_axis;
    b->axis = mat3_vec(g, p->E, dir);
    r = vec3_add(g, r, vec3_scale(g, q, dir));
  }
  b->r = mat3_vec(g, p->E, r);
}

void kin_build(ExprGraph *g, const DynTree *t, const Expr *q, KinBody *body) {
  for (int i = 0; i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    KinBody *b = &body[i];
    kin_place(g, j, j->parent < 0 ? NULL : &body[j->parent], q[i], b);
    b->line = mat3_vec(g, b->E, vec3_const(g, j->line));
    b->h = mat3_vec(g, b->E, vec3_const(g, j->mass.h));
    b->J = mat3_rotate_sym(g, b->E, mat3_const(g, j->mass.J));
  }
}

Vec3 kin_to_parent(ExprGraph *g, const KinBody *body, Vec3 x) {
  return body->moves ? mat3_vec(g, body->X, x) : x;
}

Vec3 kin_from_parent(ExprGraph *g, const KinBody *body, Vec3 x) {
  return body->moves ? mat3_vec_t(g, body->X, x) : x;
}

// ---- motion ------------------------------------------------------------------------------------

// the body's motion from the parent's, both about the joint's origin
static void move_revolute(ExprGraph *g, const DynJoint *j, const KinBody *b, const KinMotion *p,
                          Expr v, Expr a, KinMotion *m) {
  int k = j->axis, i = (k + 1) % 3, l = (k + 2) % 3;
  Expr rate = j->sign < 0 ? expr_neg(v) : v, accel = j->sign < 0 ? expr_neg(a) : a;
  m->w = kin_from_parent(g, b, p->w);
  m->w.x[k] = expr_add(g, m->w.x[k], rate);

  // column k of beta is the parent's
  Vec3 ek = kin_to_parent(g, b, vec3_unit(k, 1));
  Vec3 fixed = kin_from_parent(g, b, mat3_vec(g, p->beta, ek));
  const Expr *w = m->w.x;
  Expr ki = expr_mul(g, w[k], w[i]), kl = expr_mul(g, w[k], w[l]), il = expr_mul(g, w[i], w[l]);

  // alpha along the axis adds up; across it follows from column k
  m->alpha.x[k] = expr_add(g, vec3_dot(g, ek, p->alpha), accel);
  m->alpha.x[i] = expr_sub(g, kl, fixed.x[l]);
  m->alpha.x[l] = expr_sub(g, fixed.x[i], ki);

  Expr *beta = m->beta.x;
  for (int e = 0; e < 3; e++) beta[e + 3 * k] = fixed.x[e];
  beta[k + 3 * i] = expr_sub(g, expr_scale(g, 2.0, ki), fixed.x[i]);
  beta[k + 3 * l] = expr_sub(g, expr_scale(g, 2.0, kl), fixed.x[l]);
  beta[l + 3 * i] = expr_add(g, il, m->alpha.x[k]);
  beta[i + 3 * l] = expr_sub(g, il, m->alpha.x[k]);
  Expr kk = expr_mul(g, w[k], w[k]);
  beta[4 * i] = expr_neg(expr_add(g, expr_mul(g, w[l], w[l]), kk));
  beta[4 * l] = expr_neg(expr_add(g, expr_mul(g, w[i], w[i]), kk));
}

void kin_motion(ExprGraph *g, const DynTree *t, const KinBody *body, const Expr *v, const Expr *a,
                KinMotion *motion) {
  const bool lines = a != NULL;
  KinMotion rest = {.w = VEC3_ZERO};
  for (int i = 0; i < 3; i++) rest.acc.x[i] = expr_const(g, -t->gravity[i]);
  for (int i = 0; i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    const KinBody *b = &body[i];
    const KinMotion *p = j->parent < 0 ? &rest : &motion[j->parent];
    KinMotion *m = &motion[i];
    Expr ai = a ? a[i] : EXPR_ZERO;
    Vec3 arm = lines && j->r_on_line ? vec3_scale(g, expr_const(g, j->r_along), p->line)
                                     : mat3_vec(g, p->beta, b->r);
    Vec3 acc = vec3_add(g, p->acc, arm);
    if (j->type == JOINT_REVOLUTE) {
      move_revolute(g, j, b, p, v[i], ai, m);
      m->acc = kin_from_parent(g, b, acc);
    } else {
      *m = *p;
      // Coriolis and relative acceleration of the slide
      Vec3 rate = vec3_scale(g, expr_scale(g, 2.0, v[i]), vec3_cross(g, p->w, b->axis));
      m->acc = vec3_add(g, vec3_add(g, acc, rate), vec3_scale(g, ai, b->axis));
    }
    m->lines = lines;
    if (lines && j->has_line) m->line = mat3_vec(g, m->beta, b->line);
  }
}

// ---- points ------------------------------------------------------------------------------------

void kin_point(ExprGraph *g, const DynTree *t, const KinBody *body, int i, const double pos[3],
               const Expr *v, Vec3 *position, Vec3 *velocity) {
  Vec3 x = vec3_const(g, pos), dx = VEC3_ZERO;
  if (i >= 0) {
    double own[3];
    num3_vec_t(t->joint[i].to_file, pos, own);
    x = mat3_vec(g, body[i].E, vec3_const(g, own));
  }
  // from the body to the world: x is the point from the body's origin, dx its velocity seen there
  for (; i >= 0; i = t->joint[i].parent) {
    const KinBody *b = &body[i];
    bool revolute = t->joint[i].type == JOINT_REVOLUTE;
    if (velocity) {
      Vec3 rate = revolute ? vec3_cross(g, b->axis, x) : b->axis;
      dx = kin_to_parent(g, b, vec3_add(g, dx, vec3_scale(g, v[i], rate)));
    }
    x = vec3_add(g, kin_to_parent(g, b, x), b->r);
  }
  *position = x;
  if (velocity) *velocity = dx;
}
