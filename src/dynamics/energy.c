// SPDX-License-Identifier: MIT
#include "dynamics/energy.h"

// What the sums need of a body, in its expression frame.
typedef struct Motion {
  Vec3 w, u;   // angular velocity, velocity of the origin
  Vec3 down;   // gravity
  Expr depth;  // gravity times the position of the origin
} Motion;

static Motion move(ExprGraph *g, const DynJoint *j, const KinBody *b, const Motion *p, Expr v) {
  Motion m;
  m.down = kin_from_parent(g, b, p->down);
  m.depth = expr_add(g, p->depth, vec3_dot(g, p->down, b->r));
  m.w = kin_from_parent(g, b, p->w);
  m.u = kin_from_parent(g, b, vec3_add(g, p->u, vec3_cross(g, p->w, b->r)));
  Vec3 rate = vec3_scale(g, v, b->axis);
  if (j->type == JOINT_REVOLUTE) m.w = vec3_add(g, m.w, rate);
  else m.u = vec3_add(g, m.u, rate);
  return m;
}

static Expr kinetic_of(ExprGraph *g, const DynMass *mass, const KinBody *b, const Motion *m) {
  Vec3 h = mat3_vec(g, b->E, vec3_const(g, mass->h));
  Mat3 J = mat3_rotate_sym(g, b->E, mat3_const(g, mass->J));
  double trace = mass->J[0] + mass->J[4] + mass->J[8];
  Expr twice = expr_scale(g, mass->m, vec3_dot(g, m->u, m->u));
  twice = expr_add(g, twice, expr_scale(g, 2.0, vec3_dot(g, m->u, vec3_cross(g, m->w, h))));
  twice = expr_add(g, twice, expr_scale(g, trace, vec3_dot(g, m->w, m->w)));
  twice = expr_sub(g, twice, vec3_dot(g, m->w, mat3_vec(g, J, m->w)));
  return expr_scale(g, 0.5, twice);
}

bool energy_build(ExprGraph *g, const DynTree *t, const KinBody *body, const Expr *v, Expr *kinetic,
                  Expr *potential) {
  Arena *arena = arena_new();
  Motion *motion = arena_array(arena, (size_t)t->n, sizeof *motion);
  const Motion rest = {.down = vec3_const(g, t->gravity)};
  *kinetic = *potential = EXPR_ZERO;
  if (!motion) expr_graph_fail(g);
  for (int i = 0; motion && i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    motion[i] = move(g, j, &body[i], j->parent < 0 ? &rest : &motion[j->parent], v[i]);
    *kinetic = expr_add(g, *kinetic, kinetic_of(g, &j->own, &body[i], &motion[i]));
    Expr rotor = expr_scale(g, 0.5 * j->armature, expr_mul(g, v[i], v[i]));
    *kinetic = expr_add(g, *kinetic, rotor);

    Vec3 h = mat3_vec(g, body[i].E, vec3_const(g, j->own.h));
    Expr below = expr_scale(g, j->own.m, motion[i].depth);
    *potential = expr_sub(g, *potential, expr_add(g, below, vec3_dot(g, motion[i].down, h)));
  }
  arena_free(arena);
  return motion != NULL;
}
