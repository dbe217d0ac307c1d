// SPDX-License-Identifier: MIT
#include "dynamics/world.h"

#include <math.h>

// Directions of a cut joint closer than this to a coordinate axis are taken for it.
static const double SNAP = 1e-14;

Motion motion_add(ExprGraph *g, Motion a, Motion b) {
  return (Motion){vec3_add(g, a.w, b.w), vec3_add(g, a.v, b.v)};
}

Motion motion_sub(ExprGraph *g, Motion a, Motion b) {
  return (Motion){vec3_sub(g, a.w, b.w), vec3_sub(g, a.v, b.v)};
}

Motion motion_scale(ExprGraph *g, Expr s, Motion a) {
  return (Motion){vec3_scale(g, s, a.w), vec3_scale(g, s, a.v)};
}

Expr motion_dot(ExprGraph *g, Motion a, Motion b) {
  return expr_add(g, vec3_dot(g, a.w, b.w), vec3_dot(g, a.v, b.v));
}

Motion motion_at(ExprGraph *g, Motion a, Vec3 to) {
  return (Motion){a.w, vec3_add(g, a.v, vec3_cross(g, a.w, to))};
}

Motion world_joint(ExprGraph *g, const DynJoint *j, const WorldBody *b, Vec3 to) {
  if (j->type == JOINT_PRISMATIC) return (Motion){VEC3_ZERO, b->axis};
  return (Motion){b->axis, vec3_cross(g, b->axis, to)};
}

Vec3 world_origin(const WorldBody *world, int i) {
  return i < 0 ? VEC3_ZERO : world[i].x;
}

static Mat3 axes_of(const WorldBody *world, int i) {
  return i < 0 ? mat3_identity() : world[i].W;
}

void world_build(ExprGraph *g, const DynTree *t, const KinBody *body, WorldBody *world) {
  for (int i = 0; i < t->n; i++) {
    const KinBody *b = &body[i];
    int p = t->joint[i].parent;
    Mat3 W = axes_of(world, p);
    world[i].x = vec3_add(g, world_origin(world, p), mat3_vec(g, W, b->r));
    world[i].W = b->moves ? mat3_mul(g, W, b->X) : W;
    world[i].axis = mat3_vec(g, world[i].W, b->axis);
  }
}

void world_motion(ExprGraph *g, const DynTree *t, const WorldBody *world, const Expr *v,
                  Motion *motion) {
  for (int i = 0; i < t->n; i++) {
    int p = t->joint[i].parent;
    Vec3 r = vec3_sub(g, world[i].x, world_origin(world, p));
    Motion from = p < 0 ? MOTION_ZERO : motion_at(g, motion[p], r);
    Motion own = motion_scale(g, v[i], world_joint(g, &t->joint[i], &world[i], VEC3_ZERO));
    motion[i] = motion_add(g, from, own);
  }
}

// ---- cut joints --------------------------------------------------------------------------------

// One of the two frames of a cut joint.
typedef struct CutFrame {
  int body;
  Vec3 x;        // its origin in the world
  Vec3 axis[3];  // its axes in the world
} CutFrame;

static CutFrame cut_frame(ExprGraph *g, const DynTree *t, const KinBody *body,
                          const WorldBody *world, const ModelLoop *loop, int side) {
  CutFrame c = {.body = loop->body[side]};
  Mat3 W = axes_of(world, c.body);
  double pos[3], rot[9];
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double *to_file = c.body < 0 ? identity : t->joint[c.body].to_file;
  num3_vec_t(to_file, loop->pos[side], pos);
  num3_mul_t(to_file, loop->rot[side], rot);
  for (int i = 0; i < 9; i++) {
    if (fabs(rot[i] - nearbyint(rot[i])) < SNAP) rot[i] = nearbyint(rot[i]);
  }
  Mat3 axes = mat3_const(g, rot);
  Vec3 arm = vec3_const(g, pos);
  if (c.body >= 0) {
    arm = mat3_vec(g, body[c.body].E, arm);
    axes = mat3_mul(g, body[c.body].E, axes);
  }
  axes = mat3_mul(g, W, axes);
  c.x = vec3_add(g, world_origin(world, c.body), mat3_vec(g, W, arm));
  for (int k = 0; k < 3; k++) {
    c.axis[k] = (Vec3){{axes.x[3 * k], axes.x[3 * k + 1], axes.x[3 * k + 2]}};
  }
  return c;
}

// Rows that are products of an axis of the first frame with one of the second: sign a0 . b1.
typedef struct Product {
  unsigned bit;
  int a, b, sign;
} Product;

static const Product products[] = {
    {LOOP_RX, 1, 2, -1}, {LOOP_RY, 0, 2, 1}, {LOOP_RZ, 1, 0, 1}, {LOOP_ZZ, 2, 2, 1}};

// The axes of the base body along which the position rows are taken, as loops.h does: all three,
// or those across the first frame's z where that is an axis of the world. False: the rows are seen
// from the first frame.
static bool base_axes(ExprGraph *g, const KinBody *body, const WorldBody *world,
                      const ModelLoop *loop, int base, const CutFrame *c0, Vec3 axis[3]) {
  const unsigned all = LOOP_X | LOOP_Y | LOOP_Z;
  unsigned rows = loop->rows & all;
  int z = rows == all ? 2 : -1;
  if (rows == (LOOP_X | LOOP_Y) && loop->type != LOOP_PRISMATIC) {
    for (int k = 0; k < 3; k++) {
      if ((c0->axis[2].x[k] & ~1) == EXPR_ONE) z = k;
    }
  }
  if (z < 0) return false;
  Mat3 axes = base < 0 ? mat3_identity() : mat3_mul(g, world[base].W, body[base].E);
  if (rows != all && (axes.x[4 * (size_t)z] & ~1) != EXPR_ONE) return false;
  for (int k = 0; k < 3; k++) {
    const Expr *col = &axes.x[3 * (size_t)((z + 1 + k) % 3)];
    axis[k] = (Vec3){{col[0], col[1], col[2]}};
  }
  return true;
}

static Vec3 negative(Vec3 a) {
  return (Vec3){{expr_neg(a.x[0]), expr_neg(a.x[1]), expr_neg(a.x[2])}};
}

// a row of equal and opposite loads
static void add_row(WorldRows *rows, Vec3 w, Vec3 f) {
  int r = rows->n++;
  rows->w[1][r] = w;
  rows->f[1][r] = f;
  rows->w[0][r] = negative(w);
  rows->f[0][r] = negative(f);
}

void world_rows(ExprGraph *g, const DynTree *t, const KinBody *body, const WorldBody *world,
                const ModelLoop *loop, int base, WorldRows *rows) {
  CutFrame c0 = cut_frame(g, t, body, world, loop, 0), c1 = cut_frame(g, t, body, world, loop, 1);
  Vec3 axis[3];
  bool from_base = base_axes(g, body, world, loop, base, &c0, axis);
  // seen from the first frame, the first body moves the place where the second origin is now
  bool at_second = !from_base && !(loop->rows & LOOP_LENGTH);
  *rows = (WorldRows){.point = {at_second ? c1.x : c0.x, c1.x}};
  for (int k = 0; k < 3; k++) {
    if (!(loop->rows & (unsigned)LOOP_X << k)) continue;
    add_row(rows, VEC3_ZERO, from_base ? axis[k] : c0.axis[k]);
  }
  for (int k = 0; k < 4; k++) {
    const Product *p = &products[k];
    if (!(loop->rows & p->bit)) continue;
    Vec3 w = vec3_cross(g, c1.axis[p->b], c0.axis[p->a]);  // of a0 . (w x b1)
    add_row(rows, p->sign < 0 ? negative(w) : w, VEC3_ZERO);
  }
  if (loop->rows & LOOP_LENGTH) add_row(rows, VEC3_ZERO, vec3_sub(g, c1.x, c0.x));
}

// ---- accelerations -----------------------------------------------------------------------------

// beta x in the world, for x in the world
static Vec3 beta_times(ExprGraph *g, const WorldBody *world, const KinMotion *bias, int i, Vec3 x) {
  if (i < 0) return VEC3_ZERO;
  Vec3 y = mat3_vec(g, bias[i].beta, mat3_vec_t(g, world[i].W, x));
  return mat3_vec(g, world[i].W, y);
}

// bias acceleration of a point of body i that now is at x
static Vec3 point_acc(ExprGraph *g, const DynTree *t, const WorldBody *world, const KinMotion *bias,
                      int i, Vec3 x) {
  if (i < 0) {
    const double up[3] = {-t->gravity[0], -t->gravity[1], -t->gravity[2]};
    return vec3_const(g, up);
  }
  Vec3 arm = mat3_vec_t(g, world[i].W, vec3_sub(g, x, world[i].x));
  Vec3 acc = vec3_add(g, bias[i].acc, mat3_vec(g, bias[i].beta, arm));
  return mat3_vec(g, world[i].W, acc);
}

static Vec3 point_vel(ExprGraph *g, const WorldBody *world, const Motion *vel, int i, Vec3 x) {
  if (i < 0) return VEC3_ZERO;
  return motion_at(g, vel[i], vec3_sub(g, x, world[i].x)).v;
}

// (a0 . b1)'' = a0 . beta1 b1 + beta0 a0 . b1 + 2 (w0 x a0) . (w1 x b1)
static Expr product_gamma(ExprGraph *g, const WorldBody *world, const KinMotion *bias,
                          const Motion *vel, const int body[2], Vec3 a0, Vec3 b1) {
  Vec3 w0 = body[0] < 0 ? VEC3_ZERO : vel[body[0]].w, w1 = body[1] < 0 ? VEC3_ZERO : vel[body[1]].w;
  Expr x = vec3_dot(g, a0, beta_times(g, world, bias, body[1], b1));
  x = expr_add(g, x, vec3_dot(g, beta_times(g, world, bias, body[0], a0), b1));
  Expr cross = vec3_dot(g, vec3_cross(g, w0, a0), vec3_cross(g, w1, b1));
  return expr_add(g, x, expr_scale(g, 2.0, cross));
}

// Relative acceleration, less Coriolis' and that of the frame, of a point that moves with
// (x1, v1, a1) as seen from a body; d from the point (v0, a0) of it.
typedef struct Seen {
  Vec3 v, a;
} Seen;

static Vec3 seen_from(ExprGraph *g, const WorldBody *world, const KinMotion *bias,
                      const Motion *vel, int body, Vec3 d, Seen one, Seen zero) {
  Vec3 a = vec3_sub(g, one.a, zero.a);
  if (body < 0) return a;
  Vec3 rate = vec3_sub(g, vec3_sub(g, one.v, zero.v), vec3_cross(g, vel[body].w, d));
  Vec3 coriolis = vec3_scale(g, expr_const(g, 2.0), vec3_cross(g, vel[body].w, rate));
  return vec3_sub(g, vec3_sub(g, a, beta_times(g, world, bias, body, d)), coriolis);
}

void world_gamma(ExprGraph *g, const DynTree *t, const KinBody *body, const WorldBody *world,
                 const KinMotion *bias, const Motion *vel, const ModelLoop *loop, int base,
                 Expr *gamma) {
  CutFrame c0 = cut_frame(g, t, body, world, loop, 0), c1 = cut_frame(g, t, body, world, loop, 1);
  int b0 = c0.body, b1 = c1.body, n = 0;
  Vec3 d = vec3_sub(g, c1.x, c0.x), axis[3];
  Seen one = {point_vel(g, world, vel, b1, c1.x), point_acc(g, t, world, bias, b1, c1.x)};
  Seen zero = {point_vel(g, world, vel, b0, c0.x), point_acc(g, t, world, bias, b0, c0.x)};
  bool from_base = base_axes(g, body, world, loop, base, &c0, axis);
  Vec3 seen = seen_from(g, world, bias, vel, from_base ? base : b0, d, one, zero);
  for (int k = 0; k < 3; k++) {
    if (!(loop->rows & (unsigned)LOOP_X << k)) continue;
    gamma[n++] = vec3_dot(g, from_base ? axis[k] : c0.axis[k], seen);
  }
  for (int k = 0; k < 4; k++) {
    const Product *p = &products[k];
    if (!(loop->rows & p->bit)) continue;
    Expr x = product_gamma(g, world, bias, vel, loop->body, c0.axis[p->a], c1.axis[p->b]);
    gamma[n++] = p->sign < 0 ? expr_neg(x) : x;
  }
  if (loop->rows & LOOP_LENGTH) {
    Vec3 rate = vec3_sub(g, one.v, zero.v);
    Expr x = vec3_dot(g, d, vec3_sub(g, one.a, zero.a));
    gamma[n++] = expr_add(g, x, vec3_dot(g, rate, rate));
  }
}
