// SPDX-License-Identifier: MIT
#include "dynamics/aba.h"

#include "dynamics/rnea.h"

// Articulated inertia about the body's origin, in F_i: with angular acceleration al and
// acceleration ac of the origin, n = I al + H ac and f = H^T al + M ac.
typedef struct Articulated {
  Mat3 I, H, M;     // I and M symmetric
  RneaWrench bias;  // force and moment that the bias motion takes
  Vec3 Un, Uf;      // inertia times the joint's axis
  Expr d_inv;       // 1 / D, D = axis^T inertia axis + armature
  Expr u_over_d;    // force left for the joint, over D
} Articulated;

typedef struct Accel {
  Vec3 al, ac;  // beyond the bias motion, in F_i
} Accel;

static void start(ExprGraph *g, const DynJoint *j, const KinBody *b, const KinMotion *m,
                  Articulated *A) {
  Expr trace = expr_add(g, expr_add(g, b->J.x[0], b->J.x[4]), b->J.x[8]);
  for (int i = 0; i < 9; i++) {
    bool diagonal = i % 4 == 0;
    A->I.x[i] = expr_sub(g, diagonal ? trace : EXPR_ZERO, b->J.x[i]);
    A->M.x[i] = diagonal ? expr_const(g, j->mass.m) : EXPR_ZERO;
  }
  A->H = mat3_skew(b->h);
  A->bias = rnea_body_wrench(g, j, b, m);
}

static void joint_pivot(ExprGraph *g, const DynJoint *j, const KinBody *b, Expr tau,
                        Articulated *A) {
  bool revolute = j->type == JOINT_REVOLUTE;
  Vec3 e = b->axis;
  A->Un = mat3_vec(g, revolute ? A->I : A->H, e);
  A->Uf = revolute ? mat3_vec_t(g, A->H, e) : mat3_vec(g, A->M, e);
  Expr D = expr_add(g, vec3_dot(g, e, revolute ? A->Un : A->Uf), expr_const(g, j->armature));
  A->bias.n = rnea_moment(g, j, b, &A->bias);
  Expr u = expr_sub(g, tau, vec3_dot(g, e, revolute ? A->bias.n : A->bias.f));
  A->d_inv = expr_div(g, EXPR_ONE, D);
  A->u_over_d = j->parent < 0 ? expr_div(g, u, D) : expr_mul(g, u, A->d_inv);
}

// m - a b^T / D. Along the joint's axis the articulated inertia keeps only what the rotor holds
// against, armature / D of it: exactly zero without one, which the graph can't see by itself.
static Mat3 deflate(ExprGraph *g, Mat3 m, Vec3 a, Vec3 b_over_d) {
  return mat3_sub(g, m, mat3_outer(g, a, b_over_d));
}

static int coordinate(Vec3 e) {
  for (int k = 0; k < 3; k++) {
    if ((e.x[k] & ~1) == EXPR_ONE) return k;
  }
  return -1;
}

static void set_symmetric(Mat3 *m, int k, Vec3 v) {
  for (int i = 0; i < 3; i++) m->x[i + 3 * k] = m->x[k + 3 * i] = v.x[i];
}

// the inertia that the parent feels through the joint, still about i's origin and in F_i
static void through_joint(ExprGraph *g, const DynJoint *j, const KinBody *b, const Articulated *A,
                          Mat3 *I, Mat3 *H, Mat3 *M) {
  Vec3 Un = vec3_scale(g, A->d_inv, A->Un), Uf = vec3_scale(g, A->d_inv, A->Uf);
  *I = deflate(g, A->I, A->Un, Un);
  *H = deflate(g, A->H, A->Un, Uf);
  *M = deflate(g, A->M, A->Uf, Uf);
  int k = coordinate(b->axis);
  if (k < 0) return;
  Expr rotor = expr_const(g, j->armature);
  if (expr_negated(b->axis.x[k])) rotor = expr_neg(rotor);
  Vec3 rn = vec3_scale(g, rotor, Un), rf = vec3_scale(g, rotor, Uf);
  if (j->type == JOINT_REVOLUTE) {
    set_symmetric(I, k, rn);
    for (int i = 0; i < 3; i++) H->x[k + 3 * i] = rf.x[i];
  } else {
    set_symmetric(M, k, rf);
    for (int i = 0; i < 3; i++) H->x[i + 3 * k] = rn.x[i];
  }
}

// adds an inertia about i's origin (frame of the parent) to the parent's: with R = skew(r)
//   M' = M,  H' = H + R M,  I' = I - H R + (R H'^T): from n' = n + r x f, ac = ac' - r x al
static void shift_to_parent(ExprGraph *g, Vec3 r, Mat3 I, Mat3 H, Mat3 M, Articulated *p) {
  Mat3 R = mat3_skew(r);
  Mat3 shifted = mat3_add(g, H, mat3_mul(g, R, M));
  Mat3 HR = mat3_mul(g, H, R), RHt = mat3_mul(g, R, mat3_transpose(shifted));
  for (int k = 0; k < 3; k++) {
    for (int i = k; i < 3; i++) {
      Expr x = expr_sub(g, RHt.x[i + 3 * k], HR.x[i + 3 * k]);
      Expr sum = expr_add(g, p->I.x[i + 3 * k], expr_add(g, I.x[i + 3 * k], x));
      p->I.x[i + 3 * k] = p->I.x[k + 3 * i] = sum;
    }
  }
  p->H = mat3_add(g, p->H, shifted);
  p->M = mat3_add(g, p->M, M);
}

static void add_to_parent(ExprGraph *g, const DynJoint *j, const KinBody *b, const Articulated *A,
                          Articulated *p) {
  Mat3 I, H, M;
  through_joint(g, j, b, A, &I, &H, &M);
  Vec3 f = vec3_add(g, A->bias.f, vec3_scale(g, A->u_over_d, A->Uf));
  Vec3 n = vec3_add(g, A->bias.n, vec3_scale(g, A->u_over_d, A->Un));
  if (b->moves) {
    I = mat3_rotate_sym(g, b->X, I);
    M = mat3_rotate_sym(g, b->X, M);
    H = mat3_mul(g, mat3_mul(g, b->X, H), mat3_transpose(b->X));
  }
  shift_to_parent(g, b->r, I, H, M, p);
  rnea_add_to_parent(g, j, b, f, n, &p->bias);
}

static Accel accelerate(ExprGraph *g, const DynJoint *j, const KinBody *b, const Articulated *A,
                        const Accel *p, Expr *a) {
  Accel x;
  Vec3 ac = vec3_add(g, p->ac, vec3_cross(g, p->al, b->r));
  x.al = kin_from_parent(g, b, p->al);
  x.ac = kin_from_parent(g, b, ac);
  Expr felt = expr_add(g, vec3_dot(g, A->Un, x.al), vec3_dot(g, A->Uf, x.ac));
  *a = expr_sub(g, A->u_over_d, expr_mul(g, felt, A->d_inv));
  Vec3 own = vec3_scale(g, *a, b->axis);
  if (j->type == JOINT_REVOLUTE) x.al = vec3_add(g, x.al, own);
  else x.ac = vec3_add(g, x.ac, own);
  return x;
}

static bool build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body,
                  const Expr *v, const Expr *tau, const AbaPush *push, Expr *a, AbaJoint *keep) {
  Arena *arena = arena_new();
  KinMotion *motion = arena_array(arena, (size_t)t->n, sizeof *motion);
  Articulated *A = arena_array(arena, (size_t)t->n, sizeof *A);
  Accel *x = arena_array(arena, (size_t)t->n, sizeof *x);
  if (!motion || !A || !x) {
    arena_free(arena);
    expr_graph_fail(g);
    return false;
  }
  int origin = expr_graph_origin(g, "aba: bias motion");
  kin_motion(g, t, body, v, NULL, motion);
  for (int i = 0; i < t->n; i++) start(g, &t->joint[i], &body[i], &motion[i], &A[i]);
  for (int i = 0; push && i < t->n; i++) {
    A[i].bias.f = vec3_sub(g, A[i].bias.f, push[i].f);
    A[i].bias.n = vec3_sub(g, A[i].bias.n, push[i].n);
  }

  // from the leaves to the root: articulated inertias and forces
  for (int i = t->n - 1; i >= 0; i--) {
    const DynJoint *j = &t->joint[i];
    expr_graph_origin(g, "aba: pivot at joint %s", m->joint[i].name);
    joint_pivot(g, j, &body[i], tau[i], &A[i]);
    if (j->parent >= 0) add_to_parent(g, j, &body[i], &A[i], &A[j->parent]);
  }

  // back to the leaves: accelerations
  const Accel rest = {VEC3_ZERO, VEC3_ZERO};
  for (int i = 0; i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    expr_graph_origin(g, "aba: acceleration of joint %s", m->joint[i].name);
    x[i] = accelerate(g, j, &body[i], &A[i], j->parent < 0 ? &rest : &x[j->parent], &a[i]);
  }
  expr_graph_origin_restore(g, origin);
  for (int i = 0; keep && i < t->n; i++) keep[i] = (AbaJoint){A[i].Un, A[i].Uf, A[i].d_inv};
  arena_free(arena);
  return true;
}

bool aba_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, const Expr *v,
               const Expr *tau, Expr *a) {
  return build(g, m, t, body, v, tau, NULL, a, NULL);
}

bool aba_build_keep(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body,
                    const Expr *v, const Expr *tau, Expr *a, AbaJoint *keep) {
  return build(g, m, t, body, v, tau, NULL, a, keep);
}

bool aba_build_pushed(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body,
                      const Expr *v, const Expr *tau, const AbaPush *push, Expr *a) {
  return build(g, m, t, body, v, tau, push, a, NULL);
}

bool aba_response(ExprGraph *g, const DynTree *t, const KinBody *body, const AbaJoint *keep,
                  const Expr *tau, Expr *a) {
  Arena *arena = arena_new();
  Articulated *A = arena_array(arena, (size_t)t->n, sizeof *A);
  Accel *x = arena_array(arena, (size_t)t->n, sizeof *x);
  if (!A || !x) {
    arena_free(arena);
    expr_graph_fail(g);
    return false;
  }
  for (int i = t->n - 1; i >= 0; i--) {
    const DynJoint *j = &t->joint[i];
    Articulated *b = &A[i];  // zeroed: no force yet
    b->Un = keep[i].Un;
    b->Uf = keep[i].Uf;
    b->d_inv = keep[i].d_inv;
    Expr held = vec3_dot(g, body[i].axis, j->type == JOINT_REVOLUTE ? b->bias.n : b->bias.f);
    b->u_over_d = expr_mul(g, expr_sub(g, tau[i], held), b->d_inv);
    if (j->parent < 0) continue;
    Vec3 f = vec3_add(g, b->bias.f, vec3_scale(g, b->u_over_d, b->Uf));
    Vec3 n = vec3_add(g, b->bias.n, vec3_scale(g, b->u_over_d, b->Un));
    rnea_add_to_parent(g, j, &body[i], f, n, &A[j->parent].bias);
  }
  const Accel rest = {VEC3_ZERO, VEC3_ZERO};
  for (int i = 0; i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    x[i] = accelerate(g, j, &body[i], &A[i], j->parent < 0 ? &rest : &x[j->parent], &a[i]);
  }
  arena_free(arena);
  return true;
}
