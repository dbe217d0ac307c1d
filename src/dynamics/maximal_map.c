// SPDX-License-Identifier: MIT
// MAXIMAL as a method of joint coordinates (loop_method.h): bodies placed by the joints, accelerations
// by the system of maximal.h, and back to the joints, whose axes take apart how a body
// accelerates beyond its parent.
#include "dynamics/loop_method.h"
#include "dynamics/maximal_internal.h"
#include "dynamics/placed.h"

// How a body with mass accelerates, in the world: angular, and its origin.
typedef struct Accel {
  Vec3 al, ac;
} Accel;

static MaxPose pose_of(ExprGraph *g, const MaxBody *b, const Placed *x) {
  Vec3 c = mat3_vec(g, x->R, vec3_const(g, b->com));
  return (MaxPose){.R = x->R,
                   .p = vec3_add(g, x->o, c),
                   .v = vec3_add(g, x->u, vec3_cross(g, x->w, c)),
                   .w = mat3_vec_t(g, x->R, x->w)};
}

// accelerations of the origin from those of the centre of mass, alpha in body axes
static Accel acceleration(ExprGraph *g, const MaxBody *b, const Expr *a, const Placed *x) {
  Accel out;
  const Vec3 alpha = {{a[3], a[4], a[5]}};
  Vec3 c = mat3_vec(g, x->R, vec3_const(g, b->com));
  out.al = mat3_vec(g, x->R, alpha);
  Vec3 turn = vec3_cross(g, out.al, c);
  Vec3 spin = vec3_cross(g, x->w, vec3_cross(g, x->w, c));
  out.ac = vec3_sub(g, (Vec3){{a[0], a[1], a[2]}}, vec3_add(g, turn, spin));
  return out;
}

// x with sum_k A_k x_k = d, for up to three independent directions
static void take_apart(ExprGraph *g, int n, const Vec3 *A, Vec3 d, Expr *x) {
  if (n == 1) {
    x[0] = vec3_dot(g, A[0], d);
  } else if (n == 2) {
    Vec3 normal = vec3_cross(g, A[0], A[1]);
    Expr square = vec3_dot(g, normal, normal);
    x[0] = expr_div(g, vec3_dot(g, vec3_cross(g, d, A[1]), normal), square);
    x[1] = expr_div(g, vec3_dot(g, vec3_cross(g, A[0], d), normal), square);
  } else if (n == 3) {
    Expr det = vec3_dot(g, A[0], vec3_cross(g, A[1], A[2]));
    for (int k = 0; k < 3; k++) {
      Vec3 normal = vec3_cross(g, A[(k + 1) % 3], A[(k + 2) % 3]);
      x[k] = expr_div(g, vec3_dot(g, d, normal), det);
    }
  }
}

// accelerations of the joints that lead to body i, slides and turns
static void joint_accelerations(const DynTrace *tr, const Maximal *x, const Placed *placed,
                                const Accel *accel, int i, Expr *a) {
  ExprGraph *g = tr->g;
  int slide[3], turn[3], n_slide = 0, n_turn = 0;
  Vec3 slides[3], turns[3];
  Vec3 al = accel[i].al, ac = accel[i].ac;
  Vec3 r = VEC3_ZERO;  // origin of i from the origin of the parent with mass
  int k = i;
  do {
    int up = tr->m->joint[k].parent;
    const Placed *p = &placed[k], *before = up < 0 ? &placed_world : &placed[up];
    Vec3 rate = vec3_scale(g, tr->v[k], p->axis);
    r = vec3_add(g, r, p->r);
    if (tr->m->joint[k].type == JOINT_REVOLUTE) {
      al = vec3_sub(g, al, vec3_cross(g, before->w, rate));
      turns[n_turn] = p->axis;
      turn[n_turn++] = k;
    } else {
      Vec3 coriolis = vec3_scale(g, expr_const(g, 2.0), vec3_cross(g, before->w, rate));
      ac = vec3_sub(g, ac, coriolis);
      slides[n_slide] = p->axis;
      slide[n_slide++] = k;
    }
    k = up;
  } while (k >= 0 && x->body_of[k] < 0);
  const Placed *base = k < 0 ? &placed_world : &placed[k];
  const Accel rest = {VEC3_ZERO, VEC3_ZERO}, *from = k < 0 ? &rest : &accel[k];
  Vec3 carried =
      vec3_add(g, vec3_cross(g, from->al, r), vec3_cross(g, base->w, vec3_cross(g, base->w, r)));
  Expr out[3] = {EXPR_ZERO, EXPR_ZERO, EXPR_ZERO};
  take_apart(g, n_turn, turns, vec3_sub(g, al, from->al), out);
  for (int s = 0; s < n_turn && s < 3; s++) a[turn[s]] = out[s];
  take_apart(g, n_slide, slides, vec3_sub(g, ac, vec3_add(g, from->ac, carried)), out);
  for (int s = 0; s < n_slide && s < 3; s++) a[slide[s]] = out[s];
}

static bool trace(const DynTrace *tr, Maximal *x, const Expr *force, Expr *a) {
  size_t nv = (size_t)tr->m->nv;
  Placed *placed = arena_array(x->arena, nv + 1, sizeof *placed);
  Accel *accel = arena_array(x->arena, nv + 1, sizeof *accel);
  MaxPose *pose = arena_array(x->arena, (size_t)x->n_body + 1, sizeof *pose);
  if (!placed || !accel || !pose) return false;
  placed_build(tr, placed);
  for (int b = 0; b < x->n_body; b++) {
    pose[b] = pose_of(tr->g, &x->body[b], &placed[x->body[b].index]);
  }
  if (!maximal_assemble(x, pose, force) || !maximal_solve(x, NULL, 1, &x->rhs)) return false;
  for (int b = 0; b < x->n_body; b++) {
    int i = x->body[b].index;
    accel[i] = acceleration(tr->g, &x->body[b], x->rhs + (size_t)6 * b, &placed[i]);
  }
  for (int b = 0; b < x->n_body; b++) {
    joint_accelerations(tr, x, placed, accel, x->body[b].index, a);
  }
  return true;
}

static bool map(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda) {
  (void)lambda;
  Error err = {0};
  Maximal *x = maximal_new(tr->m, tr->g);
  bool ok = x && maximal_joints_build(x, MAX_SOFT_NONE, &err) == STATUS_OK &&
            trace(tr, x, force, a);
  if (!ok) expr_graph_fail(tr->g);
  if (x) arena_free(x->arena);
  return ok;
}

static Status applies(const Model *m, Error *err) {
  Maximal *x = maximal_new(m, NULL);
  Status status = x ? maximal_joints_build(x, MAX_SOFT_NONE, err) : error_no_memory(err);
  maximal_free(x);
  return status;
}

const LoopMethod loop_maximal = {
    .name = "MAXIMAL",
    .title = "every body on its own, sparse factorisation (Tasora)",
    .applies = applies,
    .map = map,
};
