// SPDX-License-Identifier: MIT
// Vectors and matrices of expressions in three dimensions, and their constants. Zeros and ones fold
// away in the graph, so that sparse operands cost what they should without special cases here.
#ifndef POISE_DYNAMICS_SPATIAL_H
#define POISE_DYNAMICS_SPATIAL_H

#include "expr/expr.h"

typedef struct Vec3 {
  Expr x[3];
} Vec3;

typedef struct Mat3 {
  Expr x[9];  // column-major
} Mat3;

#define VEC3_ZERO ((Vec3){{EXPR_ZERO, EXPR_ZERO, EXPR_ZERO}})

Vec3 vec3_const(ExprGraph *g, const double v[3]);
Vec3 vec3_unit(int axis, int sign);  // sign e_axis
Vec3 vec3_add(ExprGraph *g, Vec3 a, Vec3 b);
Vec3 vec3_sub(ExprGraph *g, Vec3 a, Vec3 b);
Vec3 vec3_scale(ExprGraph *g, Expr s, Vec3 a);
Vec3 vec3_cross(ExprGraph *g, Vec3 a, Vec3 b);
Expr vec3_dot(ExprGraph *g, Vec3 a, Vec3 b);

Mat3 mat3_identity(void);
Mat3 mat3_const(ExprGraph *g, const double m[9]);
Mat3 mat3_rotation(ExprGraph *g, int axis, Expr angle);  // about e_axis
Mat3 mat3_skew(Vec3 a);                                  // skew(a) b = a x b
Mat3 mat3_transpose(Mat3 m);
Mat3 mat3_add(ExprGraph *g, Mat3 a, Mat3 b);
Mat3 mat3_sub(ExprGraph *g, Mat3 a, Mat3 b);
Mat3 mat3_mul(ExprGraph *g, Mat3 a, Mat3 b);
Vec3 mat3_vec(ExprGraph *g, Mat3 m, Vec3 v);         // m v
Vec3 mat3_vec_t(ExprGraph *g, Mat3 m, Vec3 v);       // m^T v
Mat3 mat3_outer(ExprGraph *g, Vec3 a, Vec3 b);       // a b^T
Mat3 mat3_rotate_sym(ExprGraph *g, Mat3 r, Mat3 s);  // r s r^T for symmetric s; stays symmetric
Vec3 mat3_vee(ExprGraph *g, Mat3 m);                 // (m32 - m23, m13 - m31, m21 - m12)

// Numbers, column-major.
void num3_mul(const double a[9], const double b[9], double ab[9]);
void num3_mul_t(const double a[9], const double b[9], double atb[9]);  // a^T b
void num3_vec(const double m[9], const double v[3], double mv[3]);
void num3_vec_t(const double m[9], const double v[3], double mtv[3]);

#endif
