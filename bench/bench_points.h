// SPDX-License-Identifier: MIT
// The collocation points that every contestant gets: random, reproducible, in both memory layouts.
#ifndef POISE_BENCH_BENCH_POINTS_H
#define POISE_BENCH_BENCH_POINTS_H

#include "base/arena.h"
#include "base/error.h"
#include "expr/expr_function.h"
#include "model/model.h"

typedef struct BenchPoints {
  int n;             // points
  int n_item;        // numbers of a point: q, v, a, u, lambda
  int offset[5];     // where DYN_Q, DYN_V, DYN_A, DYN_U, DYN_LAMBDA begin
  double *by_point;  // n_item x n, one point contiguous
  double *by_item;   // n x n_item, one variable contiguous over the points
} BenchPoints;

// q within the limits of the joints (or +-pi), v, a, u, lambda of a size that motions have.
bool bench_points_build(BenchPoints *p, Arena *arena, const Model *m, int n);

// Element (item, point) = by_point[item + point * n_item] for the input `in` of a function.
int bench_points_offset(const BenchPoints *p, const ExprInput *in);

// Monotonic seconds.
double bench_now(void);

#endif
