// SPDX-License-Identifier: MIT
#include "dynamics/rnea.h"

RneaWrench rnea_body_wrench(ExprGraph *g, const DynJoint *j, const KinBody *b, const KinMotion *m) {
  RneaWrench w;
  // f = m acc + beta h,  n = h x acc + vee(beta J): integrals of (acc + beta x) and of its moment
  w.f = vec3_add(g, mat3_vec(g, m->beta, b->h),
                 vec3_scale(g, expr_const(g, j->mass.m), m->acc));
  w.n = vec3_add(g, mat3_vee(g, mat3_mul(g, m->beta, b->J)), vec3_cross(g, b->h, m->acc));
  return w;
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
    Vec3 along = j->type == JOINT_REVOLUTE ? wrench[i].n : wrench[i].f;
    tau[i] = vec3_dot(g, body[i].axis, along);
    if (a) tau[i] = expr_add(g, tau[i], expr_scale(g, j->armature, a[i]));
    if (j->parent < 0) continue;
    RneaWrench *p = &wrench[j->parent];
    Vec3 f = kin_to_parent(g, &body[i], wrench[i].f);
    Vec3 n = kin_to_parent(g, &body[i], wrench[i].n);
    p->f = vec3_add(g, p->f, f);
    p->n = vec3_add(g, p->n, vec3_add(g, n, vec3_cross(g, body[i].r, f)));
  }
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
  return true;
}
