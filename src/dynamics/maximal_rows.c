// SPDX-License-Identifier: MIT
// Constraints between two bodies. All are products of two vectors that move with the bodies, with
// their rates and accelerations; a row of the Jacobian follows by letting each factor move alone.
#include "dynamics/maximal_internal.h"

// A vector as it moves: fixed to one of the two bodies, or from a point of body 0 to one of
// body 1, or fixed in the world.
typedef struct Moving {
  Vec3 x, dx, ddx;  // in the world; ddx without the bodies' accelerations
  double sign[2];   // 0: does not depend on this body
  bool point;       // moves with the bodies' centres too
  Vec3 arm[2];      // in body axes
} Moving;

// R arm and its derivatives, added with a sign
static void add_fixed(ExprGraph *g, Moving *m, int s, const MaxPose *pose, const double arm[3],
                      double sign) {
  Vec3 a = vec3_const(g, arm);
  Vec3 da = vec3_cross(g, pose->w, a), dda = vec3_cross(g, pose->w, da);
  Expr e = expr_const(g, sign);
  m->sign[s] = sign;
  m->arm[s] = a;
  m->x = vec3_add(g, m->x, vec3_scale(g, e, mat3_vec(g, pose->R, a)));
  m->dx = vec3_add(g, m->dx, vec3_scale(g, e, mat3_vec(g, pose->R, da)));
  m->ddx = vec3_add(g, m->ddx, vec3_scale(g, e, mat3_vec(g, pose->R, dda)));
}

static Moving fixed_to(ExprGraph *g, int s, const MaxPose *pose, const double arm[3]) {
  Moving m = {.x = VEC3_ZERO};
  add_fixed(g, &m, s, pose, arm, 1);
  return m;
}

// from the point on body 0 to that on body 1
static Moving between(ExprGraph *g, const MaxJoint *j, const MaxPose *const pose[2]) {
  Moving m = {.x = vec3_sub(g, pose[1]->p, pose[0]->p),
              .dx = vec3_sub(g, pose[1]->v, pose[0]->v),
              .point = true};
  add_fixed(g, &m, 0, pose[0], j->pos[0], -1);
  add_fixed(g, &m, 1, pose[1], j->pos[1], 1);
  return m;
}

// adds y^T dx/d(bodies) to the row: y . (+-p' +- R (w x arm)) = +-y . p' +- w . (arm x R^T y)
static void pull(ExprGraph *g, const Moving *m, const MaxPose *const pose[2], Vec3 y, MaxRow *row) {
  for (int s = 0; s < 2; s++) {
    if (m->sign[s] == 0) continue;
    Vec3 turn = vec3_cross(g, m->arm[s], mat3_vec_t(g, pose[s]->R, y));
    for (int k = 0; k < 3; k++) {
      Expr e = expr_const(g, m->sign[s]);
      if (m->point) row->J[s][k] = expr_add(g, row->J[s][k], expr_mul(g, e, y.x[k]));
      row->J[s][3 + k] = expr_add(g, row->J[s][3 + k], expr_mul(g, e, turn.x[k]));
    }
  }
}

// c = a . b - offset
static void product(ExprGraph *g, const Moving *a, const Moving *b, double offset,
                    const MaxPose *const pose[2], MaxRow *row) {
  *row = (MaxRow){.c = expr_sub(g, vec3_dot(g, a->x, b->x), expr_const(g, offset))};
  row->rate = expr_add(g, vec3_dot(g, a->dx, b->x), vec3_dot(g, a->x, b->dx));
  Expr twice = expr_scale(g, 2.0, vec3_dot(g, a->dx, b->dx));
  row->bias = expr_add(g, vec3_dot(g, a->ddx, b->x), vec3_dot(g, a->x, b->ddx));
  row->bias = expr_add(g, row->bias, twice);
  pull(g, a, pose, b->x, row);
  pull(g, b, pose, a->x, row);
}

static MaxRow scaled(ExprGraph *g, MaxRow row, double factor) {
  row.c = expr_scale(g, factor, row.c);
  row.rate = expr_scale(g, factor, row.rate);
  row.bias = expr_scale(g, factor, row.bias);
  for (int k = 0; k < 12; k++) row.J[k / 6][k % 6] = expr_scale(g, factor, row.J[k / 6][k % 6]);
  return row;
}

void maximal_rows(ExprGraph *g, const MaxJoint *j, const MaxPose *const pose[2], MaxRow *row) {
  const unsigned position = LOOP_X | LOOP_Y | LOOP_Z;
  Moving d = between(g, j, pose);
  int n = 0;
  for (int k = 0; k < 3; k++) {
    if (!(j->rows & (unsigned)LOOP_X << k)) continue;
    Moving axis = {
        .x = vec3_unit(k, 1)};  // all three: along the axes of the world, which is cheaper
    if (j->world) axis.x = vec3_const(g, j->axes + 3 * k);
    else if ((j->rows & position) != position) axis = fixed_to(g, 0, pose[0], j->axes + 3 * k);
    product(g, &axis, &d, 0, pose, &row[n++]);
  }
  const struct {
    unsigned bit;
    int first, second;  // axes of the two frames
    double sign, offset;
  } turn[] = {{LOOP_RX, 1, 2, -1, 0},
              {LOOP_RY, 0, 2, 1, 0},
              {LOOP_RZ, 1, 0, 1, 0},
              {LOOP_ZZ, 2, 2, 1, j->zz}};
  for (int k = 0; k < 4; k++) {
    if (!(j->rows & turn[k].bit)) continue;
    Moving a = fixed_to(g, 0, pose[0], j->turn[0] + 3 * turn[k].first);
    Moving b = fixed_to(g, 1, pose[1], j->turn[1] + 3 * turn[k].second);
    product(g, &a, &b, turn[k].offset, pose, &row[n]);
    if (turn[k].sign < 0) row[n] = scaled(g, row[n], -1);
    n++;
  }
  if (j->rows & LOOP_LENGTH) {
    product(g, &d, &d, j->distance * j->distance, pose, &row[n]);
    row[n] = scaled(g, row[n], 0.5);
    n++;
  }
}

void maximal_coordinate(ExprGraph *g, const MaxJoint *j, const MaxPose *const pose[2],
                        MaxRow *row) {
  if (j->type == JOINT_PRISMATIC) {
    Moving d = between(g, j, pose), axis = fixed_to(g, 0, pose[0], j->axes + 6);
    product(g, &axis, &d, 0, pose, row);
    return;
  }
  // the rate of the turn: z1 . (R1 w1 - R0 w0)
  *row = (MaxRow){.rate = EXPR_ZERO};
  Vec3 z1 = vec3_const(g, j->turn[1] + 6);
  Vec3 z0 = mat3_vec_t(g, pose[0]->R, mat3_vec(g, pose[1]->R, z1));
  row->rate = expr_sub(g, vec3_dot(g, z1, pose[1]->w), vec3_dot(g, z0, pose[0]->w));
  for (int k = 0; k < 3; k++) {
    row->J[1][3 + k] = z1.x[k];
    row->J[0][3 + k] = expr_neg(z0.x[k]);
  }
}
