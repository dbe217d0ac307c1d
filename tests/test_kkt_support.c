// SPDX-License-Identifier: MIT
// The oracles of the tests of kkt, against each other and against what is known.
#include "kkt_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "unity.h"

static KktSystem s;
static double *a, *work;

void setUp(void) {
  a = work = NULL;
  s = (KktSystem){0};
}
void tearDown(void) {
  free(a);
  free(work);
  kkt_system_free(&s);
}

static void make(const KktShape *shape, uint64_t seed) {
  tearDown();
  TEST_ASSERT_TRUE(kkt_random(&s, shape, seed));
  size_t n = (size_t)s.map.dim;
  a = calloc(n * n, sizeof *a);
  work = calloc(3 * n, sizeof *work);
  TEST_ASSERT_TRUE(a && work);
  kkt_dense(&s, a);
}

static void test_eigenvalues_of_a_chain_of_springs_are_the_known_ones(void) {
  enum { N = 30 };
  double m[N * N] = {0}, w[N];
  for (int i = 0; i < N; i++) {
    m[i + i * N] = 2;
    if (i) m[i - 1 + i * N] = m[i + (i - 1) * N] = -1;
  }
  dense_eigenvalues(N, m, w);
  for (int k = 1; k <= N; k++) {
    double expected = 2 - 2 * cos(k * M_PI / (N + 1)), nearest = INFINITY;
    for (int i = 0; i < N; i++) nearest = fmin(nearest, fabs(w[i] - expected));
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, nearest);
  }
}

static void test_pivots_and_eigenvalues_give_the_same_inertia(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    for (uint64_t seed = 0; seed < 2; seed++) {
      make(&kkt_shapes[i], seed);
      if (s.map.dim > 140) continue;
      DenseInertia by_pivots = dense_inertia_pivots(s.map.dim, a);
      kkt_dense(&s, a);
      DenseInertia by_values = dense_inertia_eigen(s.map.dim, a, work);
      if (by_values.smallest < 1e-10) continue;  // nobody can tell
      TEST_ASSERT_EQUAL_INT_MESSAGE(by_values.n_negative, by_pivots.n_negative, kkt_shapes[i].name);
      TEST_ASSERT_EQUAL_INT_MESSAGE(by_values.n_zero, by_pivots.n_zero, kkt_shapes[i].name);
    }
  }
}

static void test_a_convex_system_has_as_many_negative_eigenvalues_as_rows(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    if ((kkt_shapes[i].flags & (KKT_CONVEX | KKT_DEPENDENT)) != KKT_CONVEX) continue;
    make(&kkt_shapes[i], 3);
    DenseInertia inertia = dense_inertia_pivots(s.map.dim, a);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, inertia.n_zero, kkt_shapes[i].name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(s.map.n_equation + s.map.n_slack, inertia.n_negative,
                                  kkt_shapes[i].name);
  }
}

static void test_shapes_are_regular_but_for_those_with_a_row_twice(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    make(&kkt_shapes[i], 1);
    int n = s.map.dim;
    Rng rng;
    rng_seed(&rng, 5);
    for (int k = 0; k < n; k++) work[k] = work[n + k] = rng_uniform(&rng, -1, 1);
    bool singular = (kkt_shapes[i].flags & KKT_DEPENDENT) &&
                    !(kkt_shapes[i].flags & KKT_REGULARISED);
    TEST_ASSERT_EQUAL_INT_MESSAGE(!singular, dense_solve(n, a, work), kkt_shapes[i].name);
    if (singular) continue;
    TEST_ASSERT_TRUE_MESSAGE(kkt_residual(&s, work, work + n) < 1e-13, kkt_shapes[i].name);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_eigenvalues_of_a_chain_of_springs_are_the_known_ones);
  RUN_TEST(test_pivots_and_eigenvalues_give_the_same_inertia);
  RUN_TEST(test_a_convex_system_has_as_many_negative_eigenvalues_as_rows);
  RUN_TEST(test_shapes_are_regular_but_for_those_with_a_row_twice);
  return UNITY_END();
}
