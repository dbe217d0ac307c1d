// SPDX-License-Identifier: MIT
// Collocation schemes on one interval [0, 1]: places c_j of the points, and the matrices that integrate and
// differentiate. With accelerations a_l at the points and an interval of length h
//   v(c_j) = v_0 + h sum_l A_jl a_l,          v(1) = v_0 + h sum_l b_l a_l
//   q(c_j) = q_0 + h c_j v_0 + h^2 sum_l A2_jl a_l,   q(1) = q_0 + h v_0 + h^2 sum_l b2_l a_l
// A2 = A A and b2 = b^T A: the Runge-Kutta method of the scheme applied to q' = v, v' = a (Hairer and
// Wanner, Solving ODEs II, ch. IV.5). Radau is Radau IIA (last point at 1), Gauss has no end point;
// trapezoidal and Hermite-Simpson are the Lobatto IIIA methods of 2 and 3 points.
#ifndef POISE_COLLOCATION_COLLOC_SCHEME_H
#define POISE_COLLOCATION_COLLOC_SCHEME_H

#include <stdbool.h>

#include "ocp/ocp.h"

enum { SCHEME_MAX = 9 };  // points

typedef struct Scheme {
  int d;                                 // points
  double c[SCHEME_MAX];                  // ascending
  double A[SCHEME_MAX][SCHEME_MAX];      // d x d
  double A2[SCHEME_MAX][SCHEME_MAX];     //
  double b[SCHEME_MAX], b2[SCHEME_MAX];  // d
  bool at_start, at_end;                 // c_0 == 0, c_{d-1} == 1
  // differential form of the collocation equations, where c_0 > 0: sum_l D_jl x_l - h f_j = 0 over
  // x_0 and the points; the end from all of them: x(1) = sum_l end_l x_l
  double D[SCHEME_MAX][SCHEME_MAX + 1];  // d x (d + 1)
  double end[SCHEME_MAX + 1];            // d + 1
  // controls: u(c_j) = sum_c w_jc u_c over the n_control controls of the interval, `step` new ones each
  int n_control;            // 1 constant, 2 linear, 3 quadratic
  int control_step;         // controls from one interval to the next
  double w[SCHEME_MAX][3];  //
} Scheme;

// The scheme of a problem (o->scheme, o->degree).
void colloc_scheme(Scheme *s, const Ocp *o);

#endif
