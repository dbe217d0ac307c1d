// SPDX-License-Identifier: MIT
// The stage-wise LDL^T against slow dense oracles, on random systems of all shapes.
#include "solver/kkt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kkt_support.h"
#include "unity.h"

enum { N_RHS = 3 };
static const double U = 1e-8;

static KktSystem s;
static Kkt *k;
static KktInfo info;
static double *a, *x, *b;  // dim x dim; dim x N_RHS each
static Error err;
static char place[160];

void setUp(void) {
  s = (KktSystem){0};
  k = NULL;
  a = x = b = NULL;
}
void tearDown(void) {
  kkt_free(k);
  kkt_system_free(&s);
  free(a);
  free(x);
  free(b);
}

static void make(const KktShape *shape, uint64_t seed) {
  tearDown();
  setUp();
  TEST_ASSERT_TRUE(kkt_random(&s, shape, seed));
  size_t n = (size_t)s.map.dim;
  x = calloc(N_RHS * n + 1, sizeof *x);
  b = calloc(N_RHS * n + 1, sizeof *b);
  TEST_ASSERT_TRUE(x && b);
  Rng rng;
  rng_seed(&rng, seed + 77);
  for (size_t i = 0; i < N_RHS * n; i++) x[i] = b[i] = rng_uniform(&rng, -1, 1);
  snprintf(place, sizeof place, "%s, seed %d", shape->name, (int)seed);
}

static void factor(double u) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, kkt_build(&k, &s.map, s.ptr, s.row, &err), err.what);
  TEST_ASSERT_TRUE_MESSAGE(kkt_factor(k, s.values, u, &info), place);
}

static DenseInertia oracle(void) {
  size_t n = (size_t)s.map.dim;
  double *work = calloc(n + 1, sizeof *work);
  a = calloc(n * n + 1, sizeof *a);
  TEST_ASSERT_TRUE(a && work);
  kkt_dense(&s, a);
  DenseInertia out = n <= 150 ? dense_inertia_eigen((int)n, a, work)
                              : dense_inertia_pivots((int)n, a);
  free(work);
  free(a);
  a = NULL;
  return out;
}

static bool singular(const KktShape *shape) {
  return (shape->flags & KKT_DEPENDENT) && !(shape->flags & KKT_REGULARISED);
}

static void test_inertia_is_that_of_the_eigenvalues(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    for (uint64_t seed = 0; seed < 6; seed++) {
      make(&kkt_shapes[i], seed);
      factor(U);
      DenseInertia expected = oracle();
      bool sure = expected.smallest > 1e-9 || (kkt_shapes[i].flags & KKT_LATE);
      if (!sure) continue;
      TEST_ASSERT_EQUAL_INT_MESSAGE(expected.n_negative, info.n_negative, place);
      TEST_ASSERT_TRUE_MESSAGE((expected.n_zero > 0) == (info.n_zero > 0), place);
    }
  }
}

static void test_a_row_twice_is_a_singular_matrix(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    if (!singular(&kkt_shapes[i])) continue;
    for (uint64_t seed = 0; seed < 10; seed++) {
      make(&kkt_shapes[i], seed);
      factor(U);
      TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(1, info.n_zero, place);
    }
  }
}

static void test_solutions_fit_without_refinement(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    if (singular(&kkt_shapes[i])) continue;
    for (uint64_t seed = 0; seed < 20; seed++) {
      make(&kkt_shapes[i], seed);
      factor(U);
      int n = s.map.dim;
      kkt_solve(k, N_RHS, x, n);
      if (info.n_zero >
          0) {  // a hollow system may be singular by chance: then the oracle says so too
        TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(1, oracle().n_zero, place);
        continue;
      }
      for (int r = 0; r < N_RHS; r++) {
        double residual = kkt_residual(&s, x + r * n, b + r * n);
        char text[240];
        snprintf(text, sizeof text, "%s: %.2e", place, residual);
        TEST_ASSERT_TRUE_MESSAGE(residual < 1e-9, text);
      }
    }
  }
}

static void test_a_higher_threshold_does_not_make_it_worse(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    if (singular(&kkt_shapes[i])) continue;
    make(&kkt_shapes[i], 4);
    factor(0.1);
    kkt_solve(k, 1, x, s.map.dim);
    TEST_ASSERT_TRUE_MESSAGE(kkt_residual(&s, x, b) < 1e-11, place);
  }
}

static void test_several_right_hand_sides_are_one_after_the_other(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    if (singular(&kkt_shapes[i])) continue;
    make(&kkt_shapes[i], 2);
    factor(U);
    int n = s.map.dim;
    kkt_solve(k, N_RHS, x, n);
    for (int r = 0; r < N_RHS; r++) {
      kkt_solve(k, 1, b + r * n, n);
      double worst = 0, largest = 0;
      for (int e = 0; e < n; e++) {
        worst = fmax(worst, fabs(x[r * n + e] - b[r * n + e]));
        largest = fmax(largest, fabs(x[r * n + e]));
      }
      TEST_ASSERT_TRUE_MESSAGE(worst <= 1e-9 * largest, place);
    }
  }
}

static void test_threads_change_no_bit(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    make(&kkt_shapes[i], 1);
    factor(U);
    int n = s.map.dim;
    kkt_solve(k, N_RHS, x, n);
    KktInfo alone = info;
    for (int threads = 2; threads <= 3; threads++) {
      double *y = malloc(N_RHS * (size_t)n * sizeof *y);
      TEST_ASSERT_NOT_NULL(y);
      memcpy(y, b, N_RHS * (size_t)n * sizeof *y);
      kkt_set_threads(k, threads);
      TEST_ASSERT_TRUE(kkt_factor(k, s.values, U, &info));
      kkt_solve(k, N_RHS, y, n);
      bool same = memcmp(x, y, N_RHS * (size_t)n * sizeof *y) == 0;
      free(y);
      TEST_ASSERT_TRUE_MESSAGE(same, place);
      TEST_ASSERT_EQUAL_INT_MESSAGE(alone.n_negative, info.n_negative, place);
      TEST_ASSERT_EQUAL_INT_MESSAGE(alone.n_delayed, info.n_delayed, place);
    }
  }
}

// other values in the same pattern, there and back
static void test_a_second_factorisation_remembers_nothing_of_the_first(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    if (singular(&kkt_shapes[i])) continue;
    make(&kkt_shapes[i], 5);
    factor(U);
    int n = s.map.dim, nnz = s.ptr[n];
    kkt_solve(k, 1, x, n);
    double *other = calloc((size_t)nnz, sizeof *other);
    double *y = malloc((size_t)n * sizeof *y);
    TEST_ASSERT_TRUE(other && y);
    KktInfo between;
    for (int e = 0; e < nnz; e++) other[e] = 1.0 + 0.1 * (e % 7);  // singular insides, delays
    TEST_ASSERT_TRUE(kkt_factor(k, other, U, &between));
    memcpy(y, b, (size_t)n * sizeof *y);
    TEST_ASSERT_TRUE(kkt_factor(k, s.values, U, &info));
    kkt_solve(k, 1, y, n);
    bool same = memcmp(x, y, (size_t)n * sizeof *y) == 0;
    free(other);
    free(y);
    TEST_ASSERT_TRUE_MESSAGE(same, place);
  }
}

static void test_entries_that_are_not_finite_are_refused(void) {
  make(&kkt_shapes[4], 1);
  factor(U);
  for (int e = 0; e < s.ptr[s.map.dim]; e += 7) {
    double kept = s.values[e];
    s.values[e] = e % 2 ? NAN : INFINITY;
    TEST_ASSERT_FALSE(kkt_factor(k, s.values, U, &info));
    s.values[e] = kept;
  }
  TEST_ASSERT_TRUE(kkt_factor(k, s.values, U, &info));
}

// an entry between unknowns of two intervals, or of nodes that are no neighbours
static void test_a_pattern_that_does_not_fit_the_map_is_refused(void) {
  make(&kkt_shapes[5], 1);
  int n_bad = 0;
  for (int j = 0; j < s.map.n_free && n_bad < 20; j += 3) {
    for (int i = j + 1; i < s.map.n_free; i++) {
      int apart = abs(s.map.stage[i] - s.map.stage[j]);
      bool nodes = s.map.role[i] == KKT_NODE && s.map.role[j] == KKT_NODE;
      bool insides = s.map.role[i] == KKT_UNKNOWN && s.map.role[j] == KKT_UNKNOWN;
      if (!(nodes && apart > 1) && !(insides && apart > 0)) continue;
      int at = s.ptr[j + 1] - 1, kept = s.row[at];
      s.row[at] = i;
      TEST_ASSERT_EQUAL_INT(STATUS_INPUT, kkt_build(&k, &s.map, s.ptr, s.row, &err));
      TEST_ASSERT_NULL(k);
      TEST_ASSERT_TRUE(err.what[0] != 0);
      s.row[at] = kept;
      n_bad++;
      break;
    }
  }
  TEST_ASSERT_GREATER_THAN_INT(5, n_bad);
}

// a shape at random, small enough for the oracle
static KktShape random_shape(uint64_t seed) {
  Rng rng;
  rng_seed(&rng, seed);
  KktShape shape = {.name = "random", .n_stage = 1 + rng_int(&rng, 5)};
  shape.node = rng_int(&rng, 5);
  shape.control = rng_int(&rng, 3);
  shape.unknown = rng_int(&rng, 6);
  shape.equation = rng_int(&rng, shape.unknown + 1);
  shape.node_equation = rng_int(&rng, shape.node + 1);
  shape.start = rng_int(&rng, 2) * rng_int(&rng, shape.node + 1);
  shape.inequality = rng_int(&rng, 3) ? 0 : rng_int(&rng, 4);
  shape.goal_inequality = rng_int(&rng, 4) ? 0 : rng_int(&rng, 3);
  shape.border = rng_int(&rng, 2) * rng_int(&rng, 3);
  shape.border_equation = rng_int(&rng, shape.border + 1) / 2;
  shape.border_inequality = shape.border ? rng_int(&rng, 2) : 0;
  shape.density = rng_uniform(&rng, 0.1, 1.0);
  for (unsigned bit = 1; bit <= KKT_SHUFFLED; bit *= 2) {
    bool often = bit == KKT_CONVEX || bit == KKT_SHUFFLED;
    if (rng_int(&rng, often ? 2 : 5) == 0) shape.flags |= bit;
  }
  return shape;
}

static void test_shapes_at_random(void) {
  int n_sure = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    KktShape shape = random_shape(seed);
    make(&shape, seed);
    snprintf(place, sizeof place, "random shape %d, flags %u, dim %d", (int)seed, shape.flags,
             s.map.dim);
    if (s.map.dim == 0) continue;
    factor(U);
    DenseInertia expected = oracle();
    if (expected.n_zero > 0 || expected.smallest < 1e-9) continue;
    n_sure++;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, info.n_zero, place);
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected.n_negative, info.n_negative, place);
    kkt_solve(k, 1, x, s.map.dim);
    TEST_ASSERT_TRUE_MESSAGE(kkt_residual(&s, x, b) < 1e-9, place);
  }
  TEST_ASSERT_GREATER_THAN_INT(150, n_sure);
}

static void test_large_chains_are_as_good_as_small_ones(void) {
  const KktShape shape = {.name = "long",
                          .n_stage = 300,
                          .node = 4,
                          .control = 1,
                          .unknown = 6,
                          .equation = 6,
                          .node_equation = 4,
                          .start = 4,
                          .goal = 1,
                          .inequality = 2,
                          .border = 1,
                          .density = 0.5,
                          .flags = KKT_CONVEX};
  make(&shape, 1);
  factor(U);
  TEST_ASSERT_EQUAL_INT(s.map.n_equation + s.map.n_slack, info.n_negative);
  TEST_ASSERT_EQUAL_INT(0, info.n_zero);
  kkt_solve(k, 1, x, s.map.dim);
  TEST_ASSERT_TRUE(kkt_residual(&s, x, b) < 1e-9);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_inertia_is_that_of_the_eigenvalues);
  RUN_TEST(test_a_row_twice_is_a_singular_matrix);
  RUN_TEST(test_solutions_fit_without_refinement);
  RUN_TEST(test_a_higher_threshold_does_not_make_it_worse);
  RUN_TEST(test_several_right_hand_sides_are_one_after_the_other);
  RUN_TEST(test_threads_change_no_bit);
  RUN_TEST(test_a_second_factorisation_remembers_nothing_of_the_first);
  RUN_TEST(test_entries_that_are_not_finite_are_refused);
  RUN_TEST(test_a_pattern_that_does_not_fit_the_map_is_refused);
  RUN_TEST(test_shapes_at_random);
  RUN_TEST(test_large_chains_are_as_good_as_small_ones);
  return UNITY_END();
}
