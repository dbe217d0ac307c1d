// SPDX-License-Identifier: MIT
#include "dynamics/rnea.h"

// The moment about axis k of n = vee(beta J), written with what turning about k leaves unchanged:
//   n_k = alpha_k (J_ii + J_ll) + w_i w_l (J_ii - J_ll) + J_il (beta_ll - beta_ii)
//         + beta_lk J_ki - beta_ik J_kl
static Expr moment_about(ExprGraph *g, int k, const Mat3 *J, const KinMotion *m) {
  int i = (k + 1) % 3, l = (k + 2) % 3;
  const Expr *beta = m->beta.x, *w = m->w.x;
  Expr Jii = J->x[4 * i], Jll = J->x[4 * l], Jil = J->x[i + 3 * l];
  Expr n = expr_mul(g, m->alpha.x[k], expr_add(g, Jii, Jll));
  n = expr_add(g, n, expr_mul(g, expr_mul(g, w[i], w[l]), expr_sub(g, Jii, Jll)));
  n = expr_add(g, n, expr_mul(g, Jil, expr_sub(g, beta[4 * l], beta[4 * i])));
  n = expr_add(g, n, expr_mul(g, beta[l + 3 * k], J->x[k + 3 * i]));
  return expr_sub(g, n, expr_mul(g, beta[i + 3 * k], J->x[k + 3 * l]));
}

// f = m acc + beta h,  n = h x acc + vee(beta J): integrals of (acc + beta x) and of its moment
RneaWrench rnea_body_wrench(ExprGraph *g, const DynJoint *j, const KinBody *b, const KinMotion *m) {
  RneaWrench w = {.lines = m->lines,
                  .f = vec3_scale(g, expr_const(g, j->mass.m), m->acc),
                  .n = mat3_vee(g, mat3_mul(g, m->beta, b->J))};
  if (j->type == JOINT_REVOLUTE) w.n.x[j->axis] = moment_about(g, j->axis, &b->J, m);
  if (w.lines && j->h_on_line) {
    Expr along = expr_const(g, j->h_along);
    w.f = vec3_add(g, w.f, vec3_scale(g, along, m->line));
    w.arm = vec3_scale(g, along, m->acc);
  } else {
    w.f = vec3_add(g, w.f, mat3_vec(g, m->beta, b->h));
    w.n = vec3_add(g, w.n, vec3_cross(g, b->h, m->acc));
  }
  return w;
}

void rnea_add_to_parent(ExprGraph *g, const DynJoint *j, const KinBody *b, Vec3 f, Vec3 n,
                        RneaWrench *parent) {
  f = kin_to_parent(g, b, f);
  parent->f = vec3_add(g, parent->f, f);
  parent->n = vec3_add(g, parent->n, kin_to_parent(g, b, n));
  if (parent->lines && j->r_on_line) {
    parent->arm = vec3_add(g, parent->arm, vec3_scale(g, expr_const(g, j->r_along), f));
  } else {
    parent->n = vec3_add(g, parent->n, vec3_cross(g, b->r, f));
  }
}

Vec3 rnea_moment(ExprGraph *g, const DynJoint *j, const KinBody *b, const RneaWrench *w) {
  return w->lines && j->has_line ? vec3_add(g, w->n, vec3_cross(g, b->line, w->arm)) : w->n;
}

bool rnea_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, const Expr *v,
                const Expr *a, Expr *tau) {
  Arena *arena = arena_new();
  KinMotion *motion = arena_array(arena, (size_t)t->n, sizeof *motion);
  RneaWrench *wrench = arena_array(arena, (size_t)t->n, sizeof *wrench);
  if (!motion || !wrench) {
    arena_free(arena);
    expr_graph_fail(g);
    return false;
  }
  int origin = expr_graph_origin(g, "rnea: motion");
  kin_motion(g, t, body, v, a, motion);

  // forces on the bodies, then from the leaves to the root
  for (int i = 0; i < t->n; i++) {
    expr_graph_origin(g, "rnea: forces at joint %s", m->joint[i].name);
    wrench[i] = rnea_body_wrench(g, &t->joint[i], &body[i], &motion[i]);
  }
  for (int i = t->n - 1; i >= 0; i--) {
    const DynJoint *j = &t->joint[i];
    expr_graph_origin(g, "rnea: forces at joint %s", m->joint[i].name);
    Vec3 n = rnea_moment(g, j, &body[i], &wrench[i]);
    tau[i] = vec3_dot(g, body[i].axis, j->type == JOINT_REVOLUTE ? n : wrench[i].f);
    if (a) tau[i] = expr_add(g, tau[i], expr_scale(g, j->armature, a[i]));
    if (j->parent < 0) continue;
    rnea_add_to_parent(g, j, &body[i], wrench[i].f, n, &wrench[j->parent]);
  }
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
  return true;
}
