// SPDX-License-Identifier: MIT
// Constrained accelerations against MuJoCo's matrices, on mechanisms whose loops it can express
// (connect and weld). MuJoCo itself softens its constraints, and leaves J' v to that; so its mass
// matrix, bias and constraint Jacobian are taken, J' v by finite differences of it, and the system solved here.
// Without MuJoCo the test is skipped (exit 77).
#include <stdio.h>

#ifndef POISE_HAVE_MUJOCO

int main(void) {
  puts("MuJoCo is not installed (Debian: libmujoco-dev): skipped");
  return 77;
}

#else

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "dyn_support.h"
#include "dynamics/loop_eval.h"
#include "dynamics/loop_method.h"
#include "loop_support.h"
#include "mujoco_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX_M = 200 };

// rows of J, n_row x nv with rows MAX_M apart
static int mujoco_jacobian(const mjModel *mj, mjData *d, const double *q, double *J) {
  memcpy(d->qpos, q, (size_t)mj->nv * sizeof *q);
  memset(d->qvel, 0, (size_t)mj->nv * sizeof *d->qvel);
  mj_forward(mj, d);
  TEST_ASSERT_LESS_OR_EQUAL_INT(MAX_M, d->nefc);
  TEST_ASSERT_FALSE(mj_isSparse(mj));
  for (int r = 0; r < d->nefc; r++) {
    for (int j = 0; j < mj->nv; j++) J[r + MAX_M * j] = d->efc_J[r * mj->nv + j];
  }
  return d->nefc;
}

// independent rows, first[0..rank)
static int independent(int m, int n, const double *J, int *first) {
  static double A[MAX_NV * MAX_M];
  for (int r = 0; r < m; r++) {
    for (int j = 0; j < n; j++) A[j + n * r] = J[r + MAX_M * j];
  }
  return dense_qr_rank(n, m, A, first, 1e-8);
}

// gaussian elimination with pivoting of N x N, x replaces b
static void solve(int N, double *A, double *b) {
  for (int k = 0; k < N; k++) {
    int big = k;
    for (int i = k + 1; i < N; i++) big = fabs(A[i + N * k]) > fabs(A[big + N * k]) ? i : big;
    TEST_ASSERT_TRUE(fabs(A[big + N * k]) > 1e-12);
    for (int j = 0; j < N; j++) {
      double t = A[k + N * j];
      A[k + N * j] = A[big + N * j];
      A[big + N * j] = t;
    }
    double t = b[k];
    b[k] = b[big];
    b[big] = t;
    for (int i = k + 1; i < N; i++) {
      double l = A[i + N * k] / A[k + N * k];
      for (int j = k; j < N; j++) A[i + N * j] -= l * A[k + N * j];
      b[i] -= l * b[k];
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    for (int k = i + 1; k < N; k++) b[i] -= A[i + N * k] * b[k];
    b[i] /= A[i + N * i];
  }
}

// [M J^T; J 0] x = b; x replaces b
static void solve_augmented(int n, const double *M, int rank, const int *row, const double *J,
                            double *b) {
  int N = n + rank;
  double *A = calloc((size_t)(N * N), sizeof *A);
  TEST_ASSERT_NOT_NULL(A);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) A[i + N * j] = M[i * n + j];
    for (int r = 0; r < rank; r++) A[n + r + N * j] = A[j + N * (n + r)] = J[row[r] + MAX_M * j];
  }
  solve(N, A, b);
  free(A);
}

// accelerations under tau, v made to fit the loops first
static void mujoco_accelerations(const mjModel *mj, mjData *d, const State *s, double *v,
                                 int expected_rank, double *a) {
  enum { ALL = MAX_NV + MAX_M };
  static double J[MAX_M * MAX_NV], ahead[MAX_M * MAX_NV], behind[MAX_M * MAX_NV];
  static double M[MAX_NV * MAX_NV];
  double b[ALL] = {0}, q[MAX_NV];
  int row[MAX_M], n = mj->nv, m = mujoco_jacobian(mj, d, s->q, J);
  int rank = independent(m, n, J, row);
  TEST_ASSERT_EQUAL_INT(expected_rank, rank);
  mj_fullM(mj, M, d->qM);

  // v - M^-1 J^T (J M^-1 J^T)^-1 J v: the solution x of M x + J^T l = M v, J x = 0
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) b[i] += M[i * n + j] * s->v[j];
  }
  solve_augmented(n, M, rank, row, J, b);
  memcpy(v, b, (size_t)n * sizeof *v);

  // J' v along q + t v
  const double h = 1e-5;
  for (int i = 0; i < n; i++) q[i] = s->q[i] + h * v[i];
  mujoco_jacobian(mj, d, q, ahead);
  for (int i = 0; i < n; i++) q[i] = s->q[i] - h * v[i];
  mujoco_jacobian(mj, d, q, behind);
  mujoco_jacobian(mj, d, s->q, J);
  memcpy(d->qvel, v, (size_t)n * sizeof *v);
  mj_forward(mj, d);
  for (int i = 0; i < n; i++) b[i] = s->tau[i] - d->qfrc_bias[i] + d->qfrc_passive[i];
  for (int r = 0; r < rank; r++) {
    b[n + r] = 0;
    for (int j = 0; j < n; j++) {
      int e = row[r] + MAX_M * j;
      b[n + r] -= (ahead[e] - behind[e]) / (2 * h) * v[j];
    }
  }
  solve_augmented(n, M, rank, row, J, b);
  memcpy(a, b, (size_t)n * sizeof *a);
}

static double compare(const Model *m, int expected_rank) {
  mjModel *mj = mujoco_build(m);
  mj->opt.jacobian = mjJAC_DENSE;
  mjData *d = mj_makeData(mj);
  Trace t;
  Expr a[MAX_NV], lambda[MAX_M];
  trace_open(&t, m);
  TEST_ASSERT_TRUE(loop_tree_aug.map(&t.tr, t.tr.tau, a, lambda));
  Numbers f = numbers_open(t.g, m->nv, a);
  Rng rng;
  rng_seed(&rng, 5);
  double worst = 0;
  for (int k = 0; k < 5; k++) {
    State s;
    double theirs[MAX_NV], v[MAX_NV], ours[MAX_NV];
    state_random(&s, m, &rng);
    memcpy(s.q, model_start(m), (size_t)m->nv * sizeof *s.q);
    mujoco_accelerations(mj, d, &s, v, expected_rank, theirs);
    memcpy(s.v, v, (size_t)m->nv * sizeof *v);
    numbers_eval(&f, 1, &s, ours);
    worst = fmax(worst, error_relative(m->nv, theirs, ours));
  }
  numbers_close(&f);
  trace_close(&t);
  mj_deleteData(d);
  mj_deleteModel(mj);
  return worst;
}

static void test_mechanisms_accelerate_as_mujocos_matrices_say(void) {
  static const char *const names[] = {"fourbar", "fivebar", "squares4", "diamonds4",
                                      "net3x4",  "ladder2", "ladder8"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Model *m = mechanism_load(names[i]);
    double worst = compare(m, model_n_rows(m));
    printf("%s: %.2g\n", names[i], worst);
    TEST_ASSERT_TRUE_MESSAGE(worst < 1e-7, names[i]);
    model_free(m);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_mechanisms_accelerate_as_mujocos_matrices_say);
  return UNITY_END();
}

#endif
