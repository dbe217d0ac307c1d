// SPDX-License-Identifier: MIT
#include "dynamics/placed.h"

const Placed placed_world = {.W = {{EXPR_ONE, 0, 0, 0, EXPR_ONE, 0, 0, 0, EXPR_ONE}},
                             .R = {{EXPR_ONE, 0, 0, 0, EXPR_ONE, 0, 0, 0, EXPR_ONE}}};

static Placed place(const DynTrace *tr, int i, const Placed *p) {
  ExprGraph *g = tr->g;
  const KinBody *b = &tr->body[i];
  const DynJoint *j = &tr->tree.joint[i];
  double back[9];
  for (int k = 0; k < 9; k++) back[k] = j->to_file[k / 3 + 3 * (k % 3)];
  Placed x = {.W = b->moves ? mat3_mul(g, p->W, b->X) : p->W};
  x.R = mat3_mul(g, mat3_mul(g, x.W, b->E), mat3_const(g, back));
  x.r = mat3_vec(g, p->W, b->r);
  x.o = vec3_add(g, p->o, x.r);
  x.axis = mat3_vec(g, x.W, b->axis);
  x.w = p->w;
  x.u = vec3_add(g, p->u, vec3_cross(g, p->w, x.r));
  Vec3 own = vec3_scale(g, tr->v[i], x.axis);
  if (j->type == JOINT_REVOLUTE) x.w = vec3_add(g, x.w, own);
  else x.u = vec3_add(g, x.u, own);
  return x;
}

void placed_build(const DynTrace *tr, Placed *out) {
  for (int i = 0; i < tr->m->nv; i++) {
    int p = tr->m->joint[i].parent;
    out[i] = place(tr, i, p < 0 ? &placed_world : &out[p]);
  }
}

Vec3 placed_own(const DynTrace *tr, int i, Vec3 x) {
  const double *to_file = tr->tree.joint[i].to_file;
  return mat3_vec(tr->g, tr->body[i].E, mat3_vec_t(tr->g, mat3_const(tr->g, to_file), x));
}
