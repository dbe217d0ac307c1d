// SPDX-License-Identifier: MIT
#include "dynamics/spatial.h"

// ---- vectors -----------------------------------------------------------------------------------

Vec3 vec3_const(ExprGraph *g, const double v[3]) {
  return (Vec3){{expr_const(g, v[0]), expr_const(g, v[1]), expr_const(g, v[2])}};
}

Vec3 vec3_unit(int axis, int sign) {
  Vec3 e = VEC3_ZERO;
  e.x[axis] = sign < 0 ? expr_neg(EXPR_ONE) : EXPR_ONE;
  return e;
}

Vec3 vec3_add(ExprGraph *g, Vec3 a, Vec3 b) {
  for (int i = 0; i < 3; i++) a.x[i] = expr_add(g, a.x[i], b.x[i]);
  return a;
}

Vec3 vec3_sub(ExprGraph *g, Vec3 a, Vec3 b) {
  for (int i = 0; i < 3; i++) a.x[i] = expr_sub(g, a.x[i], b.x[i]);
  return a;
}

Vec3 vec3_scale(ExprGraph *g, Expr s, Vec3 a) {
  for (int i = 0; i < 3; i++) a.x[i] = expr_mul(g, s, a.x[i]);
  return a;
}

Vec3 vec3_cross(ExprGraph *g, Vec3 a, Vec3 b) {
  Vec3 c;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    c.x[i] = expr_sub(g, expr_mul(g, a.x[j], b.x[k]), expr_mul(g, a.x[k], b.x[j]));
  }
  return c;
}

Expr vec3_dot(ExprGraph *g, Vec3 a, Vec3 b) {
  Expr sum = EXPR_ZERO;
  for (int i = 0; i < 3; i++) sum = expr_add(g, sum, expr_mul(g, a.x[i], b.x[i]));
  return sum;
}

// ---- matrices ----------------------------------------------------------------------------------

Mat3 mat3_identity(void) {
  Mat3 m = {{EXPR_ZERO}};
  for (int i = 0; i < 3; i++) m.x[4 * i] = EXPR_ONE;
  return m;
}

Mat3 mat3_const(ExprGraph *g, const double m[9]) {
  Mat3 c;
  for (int i = 0; i < 9; i++) c.x[i] = expr_const(g, m[i]);
  return c;
}

Mat3 mat3_rotation(ExprGraph *g, int axis, Expr angle) {
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  Expr c = expr_cos(g, angle), s = expr_sin(g, angle);
  Mat3 m = mat3_identity();
  m.x[i + 3 * i] = m.x[j + 3 * j] = c;
  m.x[j + 3 * i] = s;
  m.x[i + 3 * j] = expr_neg(s);
  return m;
}

Mat3 mat3_skew(Vec3 a) {
  Mat3 m = {{EXPR_ZERO}};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    m.x[k + 3 * j] = a.x[i];
    m.x[j + 3 * k] = expr_neg(a.x[i]);
  }
  return m;
}

Mat3 mat3_transpose(Mat3 m) {
  Mat3 t;
  for (int i = 0; i < 9; i++) t.x[i] = m.x[i / 3 + 3 * (i % 3)];
  return t;
}

Mat3 mat3_add(ExprGraph *g, Mat3 a, Mat3 b) {
  for (int i = 0; i < 9; i++) a.x[i] = expr_add(g, a.x[i], b.x[i]);
  return a;
}

Mat3 mat3_sub(ExprGraph *g, Mat3 a, Mat3 b) {
  for (int i = 0; i < 9; i++) a.x[i] = expr_sub(g, a.x[i], b.x[i]);
  return a;
}

Mat3 mat3_mul(ExprGraph *g, Mat3 a, Mat3 b) {
  Mat3 c;
  for (int j = 0; j < 3; j++) {
    Vec3 column = mat3_vec(g, a, (Vec3){{b.x[3 * j], b.x[3 * j + 1], b.x[3 * j + 2]}});
    for (int i = 0; i < 3; i++) c.x[i + 3 * j] = column.x[i];
  }
  return c;
}

Vec3 mat3_vec(ExprGraph *g, Mat3 m, Vec3 v) {
  Vec3 mv = VEC3_ZERO;
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      mv.x[i] = expr_add(g, mv.x[i], expr_mul(g, m.x[i + 3 * j], v.x[j]));
    }
  }
  return mv;
}

Vec3 mat3_vec_t(ExprGraph *g, Mat3 m, Vec3 v) {
  return mat3_vec(g, mat3_transpose(m), v);
}

Mat3 mat3_outer(ExprGraph *g, Vec3 a, Vec3 b) {
  Mat3 m;
  for (int i = 0; i < 9; i++) m.x[i] = expr_mul(g, a.x[i % 3], b.x[i / 3]);
  return m;
}

// the axis that a rotation leaves alone, if it is a coordinate axis; else -1
static int plane_axis(const Mat3 *r) {
  for (int k = 0; k < 3; k++) {
    if (r->x[4 * k] == EXPR_ONE) return k;
  }
  return -1;
}

// The rotation about e_k by (c, s): with d = s_ii - s_jj and u = c d - 2 s s_ij
//   s_ii' = s_jj + c u,  s_ij' = s_ij + s u,  s_jj' = s_ii + s_jj - s_ii'
static Mat3 rotate_sym_plane(ExprGraph *g, int k, Expr c, Expr s, Mat3 m) {
  int i = (k + 1) % 3, j = (k + 2) % 3;
  Expr ii = m.x[4 * i], jj = m.x[4 * j], ij = m.x[i + 3 * j];
  Expr u = expr_sub(g, expr_mul(g, c, expr_sub(g, ii, jj)), expr_mul(g, s, expr_scale(g, 2.0, ij)));
  m.x[4 * i] = expr_add(g, jj, expr_mul(g, c, u));
  m.x[4 * j] = expr_sub(g, expr_add(g, ii, jj), m.x[4 * i]);
  m.x[i + 3 * j] = m.x[j + 3 * i] = expr_add(g, ij, expr_mul(g, s, u));
  Expr ik = m.x[i + 3 * k], jk = m.x[j + 3 * k];
  m.x[i + 3 * k] = m.x[k + 3 * i] = expr_sub(g, expr_mul(g, c, ik), expr_mul(g, s, jk));
  m.x[j + 3 * k] = m.x[k + 3 * j] = expr_add(g, expr_mul(g, s, ik), expr_mul(g, c, jk));
  return m;
}

Mat3 mat3_rotate_sym(ExprGraph *g, Mat3 r, Mat3 s) {
  int k = plane_axis(&r);
  if (k >= 0) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return rotate_sym_plane(g, k, r.x[4 * i], r.x[j + 3 * i], s);
  }
  Mat3 rs = mat3_mul(g, r, s), m;
  for (int j = 0; j < 3; j++) {
    for (int i = j; i < 3; i++) {
      Expr sum = EXPR_ZERO;
      for (int k3 = 0; k3 < 3; k3++) {
        sum = expr_add(g, sum, expr_mul(g, rs.x[i + 3 * k3], r.x[j + 3 * k3]));
      }
      m.x[i + 3 * j] = m.x[j + 3 * i] = sum;
    }
  }
  return m;
}

Vec3 mat3_vee(ExprGraph *g, Mat3 m) {
  Vec3 v;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    v.x[i] = expr_sub(g, m.x[k + 3 * j], m.x[j + 3 * k]);
  }
  return v;
}

// ---- numbers -----------------------------------------------------------------------------------

void num3_mul(const double a[9], const double b[9], double ab[9]) {
  for (int j = 0; j < 3; j++) num3_vec(a, b + 3 * j, ab + 3 * j);
}

void num3_mul_t(const double a[9], const double b[9], double atb[9]) {
  for (int j = 0; j < 3; j++) num3_vec_t(a, b + 3 * j, atb + 3 * j);
}

void num3_vec(const double m[9], const double v[3], double mv[3]) {
  for (int i = 0; i < 3; i++) mv[i] = m[i] * v[0] + m[i + 3] * v[1] + m[i + 6] * v[2];
}

void num3_vec_t(const double m[9], const double v[3], double mtv[3]) {
  for (int i = 0; i < 3; i++) mtv[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}
