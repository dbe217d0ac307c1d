// SPDX-License-Identifier: MIT
#include "dynamics/crba.h"

typedef struct Composite {
  Expr m;  // mass
  Vec3 h;  // first moment about the body's origin, in F_i
  Mat3 J;  // pseudo-inertia about it
} Composite;

// moves the composite of child i to the origin and frame of its parent and adds it
static void add_to_parent(ExprGraph *g, const KinBody *b, const Composite *child, Composite *p) {
  Vec3 h = kin_to_parent(g, b, child->h);
  Mat3 J = b->moves ? mat3_rotate_sym(g, b->X, child->J) : child->J;
  // J + r h^T + h r^T + m r r^T, symmetric entries once
  Vec3 mr = vec3_scale(g, child->m, b->r);
  for (int k = 0; k < 3; k++) {
    for (int i = k; i < 3; i++) {
      Expr hr = expr_add(g, h.x[k], mr.x[k]);
      Expr shift = expr_add(g, expr_mul(g, b->r.x[i], hr), expr_mul(g, h.x[i], b->r.x[k]));
      Expr sum = expr_add(g, p->J.x[i + 3 * k], expr_add(g, J.x[i + 3 * k], shift));
      p->J.x[i + 3 * k] = p->J.x[k + 3 * i] = sum;
    }
  }
  p->h = vec3_add(g, p->h, vec3_add(g, h, mr));
  p->m = expr_add(g, p->m, child->m);
}

// column i of M: the force of a unit acceleration of joint i, seen by i and its ancestors
static void column(ExprGraph *g, const DynTree *t, const KinBody *body, const Composite *c, int i,
                   Expr *mass) {
  Vec3 e = body[i].axis, f, n;
  if (t->joint[i].type == JOINT_REVOLUTE) {
    f = vec3_cross(g, e, c->h);
    n = mat3_vee(g, mat3_mul(g, mat3_skew(e), c->J));
  } else {
    f = vec3_scale(g, c->m, e);
    n = vec3_cross(g, c->h, e);
  }
  for (int k = i; k >= 0; k = t->joint[k].parent) {
    Vec3 along = t->joint[k].type == JOINT_REVOLUTE ? n : f;
    mass[i + t->n * k] = vec3_dot(g, body[k].axis, along);
    f = kin_to_parent(g, &body[k], f);
    n = vec3_add(g, kin_to_parent(g, &body[k], n), vec3_cross(g, body[k].r, f));
  }
  mass[i + t->n * i] = expr_add(g, mass[i + t->n * i], expr_const(g, t->joint[i].armature));
}

bool crba_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, Expr *mass) {
  Arena *arena = arena_new();
  Composite *c = arena_array(arena, (size_t)t->n, sizeof *c);
  if (!c) {
    arena_free(arena);
    expr_graph_fail(g);
    return false;
  }
  for (int i = 0; i < t->n * t->n; i++) mass[i] = EXPR_ZERO;
  for (int i = 0; i < t->n; i++) {
    c[i] = (Composite){expr_const(g, t->joint[i].mass.m), body[i].h, body[i].J};
  }
  int origin = expr_graph_origin(g, "crba");
  for (int i = t->n - 1; i >= 0; i--) {
    expr_graph_origin(g, "crba: joint %s", m->joint[i].name);
    column(g, t, body, &c[i], i, mass);
    int p = t->joint[i].parent;
    if (p >= 0) add_to_parent(g, &body[i], &c[i], &c[p]);
  }
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
  return true;
}

void crba_factor(ExprGraph *g, const Model *m, const DynTree *t, Expr *mass, Expr *d_inv) {
  int n = t->n, origin = expr_graph_origin(g, "factor of the mass matrix");
  for (int k = n - 1; k >= 0; k--) {
    expr_graph_origin(g, "pivot of the mass matrix at joint %s", m->joint[k].name);
    d_inv[k] = expr_div(g, EXPR_ONE, mass[k + n * k]);
    for (int i = t->joint[k].parent; i >= 0; i = t->joint[i].parent) {
      Expr l = expr_mul(g, mass[k + n * i], d_inv[k]);
      for (int j = i; j >= 0; j = t->joint[j].parent) {
        Expr *entry = &mass[i + n * j];
        *entry = expr_sub(g, *entry, expr_mul(g, l, mass[k + n * j]));
      }
    }
    for (int i = t->joint[k].parent; i >= 0; i = t->joint[i].parent) {
      mass[k + n * i] = expr_mul(g, mass[k + n * i], d_inv[k]);
    }
  }
  expr_graph_origin_restore(g, origin);
}

void crba_solve(ExprGraph *g, const DynTree *t, const Expr *factor, const Expr *d_inv, Expr *x) {
  int n = t->n;
  // L^T y = x
  for (int k = n - 1; k >= 0; k--) {
    for (int i = t->joint[k].parent; i >= 0; i = t->joint[i].parent) {
      x[i] = expr_sub(g, x[i], expr_mul(g, factor[k + n * i], x[k]));
    }
  }
  // D L x = y
  for (int k = 0; k < n; k++) {
    x[k] = expr_mul(g, x[k], d_inv[k]);
    for (int i = t->joint[k].parent; i >= 0; i = t->joint[i].parent) {
      x[k] = expr_sub(g, x[k], expr_mul(g, factor[k + n * i], x[i]));
    }
  }
}
