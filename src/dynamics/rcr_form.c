// SPDX-License-Identifier: MIT
#include "dynamics/rcr_form.h"

static int at(int i, int k) {
  return i + RCR_SIZE * k;
}

void rcr_six(Motion m, Expr *x) {
  for (int k = 0; k < 3; k++) {
    x[k] = m.w.x[k];
    x[3 + k] = m.v.x[k];
  }
}

Expr rcr_dot6(ExprGraph *g, const Expr *x, Motion y) {
  Expr z[6], sum = EXPR_ZERO;
  rcr_six(y, z);
  for (int k = 0; k < 6; k++) sum = expr_add(g, sum, expr_mul(g, x[k], z[k]));
  return sum;
}

RcrForm rcr_form_zero(int first) {
  return (RcrForm){.first = first, .end = RCR_S};  // EXPR_ZERO is 0
}

RcrForm rcr_form_body(ExprGraph *g, const DynJoint *j, const KinBody *b, const WorldBody *w,
                      const RneaWrench *bias) {
  RcrForm f = rcr_form_zero(RCR_R);
  Mat3 J = mat3_rotate_sym(g, w->W, b->J), H = mat3_skew(mat3_vec(g, w->W, b->h));
  Expr trace = expr_add(g, expr_add(g, J.x[0], J.x[4]), J.x[8]);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      Expr sum = i == k ? trace : EXPR_ZERO;
      f.Q[at(RCR_R + i, RCR_R + k)] = expr_sub(g, sum, J.x[i + 3 * k]);
      f.Q[at(RCR_R + i, RCR_R + 3 + k)] = H.x[i + 3 * k];
      f.Q[at(RCR_R + 3 + k, RCR_R + i)] = H.x[i + 3 * k];
    }
    f.Q[at(RCR_R + 3 + i, RCR_R + 3 + i)] = expr_const(g, j->mass.m);
  }
  Vec3 n = mat3_vec(g, w->W, bias->n), force = mat3_vec(g, w->W, bias->f);
  for (int k = 0; k < 3; k++) {
    f.b[RCR_R + k] = expr_neg(n.x[k]);
    f.b[RCR_R + 3 + k] = expr_neg(force.x[k]);
  }
  return f;
}

void rcr_form_add(ExprGraph *g, RcrForm *to, const RcrForm *from) {
  for (int i = to->first; i < from->end; i++) {
    for (int k = to->first; k < from->end; k++) {
      to->Q[at(i, k)] = expr_add(g, to->Q[at(i, k)], from->Q[at(i, k)]);
    }
    to->b[i] = expr_add(g, to->b[i], from->b[i]);
  }
}

void rcr_form_add_tail(ExprGraph *g, RcrForm *to, const RcrForm *from) {
  const int move = RCR_S - RCR_R;
  for (int i = to->first; i < from->end; i++) {
    int i_to = i < RCR_R ? i : i + move;
    if (i_to >= to->end) continue;
    for (int k = to->first; k < from->end; k++) {
      int k_to = k < RCR_R ? k : k + move;
      if (k_to >= to->end) continue;
      Expr *x = &to->Q[at(i_to, k_to)];
      *x = expr_add(g, *x, from->Q[at(i, k)]);
    }
    to->b[i_to] = expr_add(g, to->b[i_to], from->b[i]);
  }
}

void rcr_form_add_whole(ExprGraph *g, RcrForm *to, const RcrForm *from) {
  for (int i = to->first; i < RCR_S; i++) {
    for (int k = to->first; k < RCR_S; k++) {
      Expr x = from->Q[at(RCR_R + i % 6, RCR_R + k % 6)];
      to->Q[at(i, k)] = expr_add(g, to->Q[at(i, k)], x);
    }
    to->b[i] = expr_add(g, to->b[i], from->b[RCR_R + i % 6]);
  }
}

RcrForm rcr_form_of_base(const RcrForm *f) {
  RcrForm base = rcr_form_zero(RCR_R);
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      base.Q[at(RCR_R + i, RCR_R + k)] = f->Q[at(RCR_A + i, RCR_A + k)];
    }
    base.b[RCR_R + i] = f->b[RCR_A + i];
  }
  return base;
}

// With v = v' + w x r: the angular part of every row and column gains r x its linear part.
void rcr_form_shift(ExprGraph *g, RcrForm *f, Vec3 r) {
  RcrForm half = *f;
  for (int i = f->first; i < f->end; i++) {
    for (int k = f->first; k < f->end; k += 6) {
      Vec3 ang = {{f->Q[at(i, k)], f->Q[at(i, k + 1)], f->Q[at(i, k + 2)]}};
      Vec3 lin = {{f->Q[at(i, k + 3)], f->Q[at(i, k + 4)], f->Q[at(i, k + 5)]}};
      ang = vec3_add(g, ang, vec3_cross(g, r, lin));
      for (int e = 0; e < 3; e++) half.Q[at(i, k + e)] = ang.x[e];
    }
  }
  for (int k = f->first; k < f->end; k++) {
    for (int i = f->first; i < f->end; i += 6) {
      const Expr *col = &half.Q[at(i, k)];
      Vec3 ang = {{col[0], col[1], col[2]}}, lin = {{col[3], col[4], col[5]}};
      ang = vec3_add(g, ang, vec3_cross(g, r, lin));
      for (int e = 0; e < 6; e++) f->Q[at(i + e, k)] = e < 3 ? ang.x[e] : lin.x[e - 3];
    }
  }
  // one triangle is enough
  for (int k = f->first; k < f->end; k++) {
    for (int i = f->first; i < k; i++) f->Q[at(i, k)] = f->Q[at(k, i)];
  }
  for (int i = f->first; i < f->end; i += 6) {
    Vec3 ang = {{f->b[i], f->b[i + 1], f->b[i + 2]}};
    Vec3 lin = {{f->b[i + 3], f->b[i + 4], f->b[i + 5]}};
    ang = vec3_add(g, ang, vec3_cross(g, r, lin));
    for (int e = 0; e < 3; e++) f->b[i + e] = ang.x[e];
  }
}

void rcr_form_apply(ExprGraph *g, const RcrForm *f, int block, Motion x, Expr *y) {
  for (int i = 0; i < RCR_SIZE; i++) {
    Expr row[6];
    for (int k = 0; k < 6; k++) row[k] = f->Q[at(i, block + k)];
    y[i] = i < f->first || i >= f->end ? EXPR_ZERO : rcr_dot6(g, row, x);
  }
}

// the coordinate that a joint moves along, if it is one; -1 if not
static int coordinate(Motion joint) {
  Expr x[6];
  rcr_six(joint, x);
  int found = -1;
  for (int k = 0; k < 6; k++) {
    if (x[k] == EXPR_ZERO) continue;
    if ((x[k] & ~1) != EXPR_ONE || found >= 0) return -1;
    found = k;
  }
  return found;
}

RcrPivot rcr_form_pivot(ExprGraph *g, RcrForm *f, int block, Motion joint, double armature,
                        Expr tau) {
  RcrPivot p;
  Expr U[RCR_SIZE];
  rcr_form_apply(g, f, block, joint, U);
  Expr D = expr_add(g, rcr_dot6(g, U + block, joint), expr_const(g, armature));
  Expr d_inv = expr_div(g, EXPR_ONE, D);
  Expr force = expr_add(g, tau, rcr_dot6(g, f->b + block, joint));
  p.rest = expr_mul(g, force, d_inv);
  for (int i = 0; i < RCR_SIZE; i++) p.u[i] = expr_mul(g, U[i], d_inv);
  // along the joint's axis only the rotor is left of R, which the graph can't see by itself
  int axis = coordinate(joint);
  for (int k = f->first; k < f->end; k++) {
    for (int i = k; i < f->end; i++) {
      Expr x = expr_sub(g, f->Q[at(i, k)], expr_mul(g, U[i], p.u[k]));
      bool along = axis >= 0 && (i == block + axis || k == block + axis);
      if (along && armature == 0.0) x = EXPR_ZERO;
      f->Q[at(i, k)] = f->Q[at(k, i)] = x;
    }
    f->b[k] = expr_sub(g, f->b[k], expr_mul(g, U[k], p.rest));
    if (axis >= 0 && k == block + axis && armature == 0.0) {
      // b . joint - U . joint rest, with U . joint = D: what is left is the joint's own force
      Expr own = expr_neg(tau);
      Expr sign = axis < 3 ? joint.w.x[axis] : joint.v.x[axis - 3];
      f->b[k] = expr_mul(g, sign, own);
    }
  }
  return p;
}
