// SPDX-License-Identifier: MIT
// The methods on the augmented system against a dense solve with numbers, and the counts and
// patterns that Negrut, Serban and Potra promise.
#include "dynamics/tree_aug.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_support.h"
#include "dynamics/aug_function.h"
#include "dynamics/crba.h"
#include "dynamics/loop_method.h"
#include "dynamics/rnea.h"
#include "loop_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX_M = 40, MAX_ALL = MAX_NV + MAX_M };

// A x = b, partial pivoting; x replaces b. False if singular.
static bool gauss(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int big = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i + n * k]) > fabs(A[big + n * k])) big = i;
    }
    if (fabs(A[big + n * k]) < 1e-12) return false;
    for (int j = 0; j < n; j++) {
      double t = A[k + n * j];
      A[k + n * j] = A[big + n * j];
      A[big + n * j] = t;
    }
    double t = b[k];
    b[k] = b[big];
    b[big] = t;
    for (int i = k + 1; i < n; i++) {
      double l = A[i + n * k] / A[k + n * k];
      for (int j = k; j < n; j++) A[i + n * j] -= l * A[k + n * j];
      b[i] -= l * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= A[i + n * k] * b[k];
    b[i] /= A[i + n * i];
  }
  return true;
}

// numbers of M, c, J, gamma, then of a and lambda by every method
typedef struct Fixture {
  Trace t;
  Arena *arena;
  LoopTrace lt;
  int n, m, n_method;
  Numbers f;
} Fixture;

static void fixture_open(Fixture *x, const Model *model) {
  *x = (Fixture){.arena = arena_new(), .n = model->nv, .m = model_n_rows(model)};
  trace_open(&x->t, model);
  const DynTrace *tr = &x->t.tr;
  TEST_ASSERT_TRUE(loops_build(&x->lt, tr, x->arena));
  size_t n = (size_t)x->n, m = (size_t)x->m, nnz = (size_t)x->lt.J.nnz;
  Expr *out = arena_array(x->arena, n * n + n + nnz + m + 16 * (n + m), sizeof *out), *e = out;
  TEST_ASSERT_TRUE(out && crba_build(x->t.g, model, &tr->tree, tr->body, e));
  e += n * n;
  TEST_ASSERT_TRUE(rnea_build(x->t.g, model, &tr->tree, tr->body, tr->v, NULL, e));
  e += n;
  memcpy(e, x->lt.J.e, nnz * sizeof *e);
  e += nnz;
  memcpy(e, x->lt.gamma, m * sizeof *e);
  e += m;
  for (int k = 0; loop_methods[k]; k++) {
    Error err = {0};
    if (!loop_methods[k]->has_multipliers || loop_methods[k]->applies(model, &err)) continue;
    TEST_ASSERT_TRUE(loop_methods[k]->map(tr, tr->tau, e, e + n));
    e += n + m;
    x->n_method++;
  }
  TEST_ASSERT_GREATER_OR_EQUAL_INT(3, x->n_method);
  x->f = numbers_open(x->t.g, (int)(e - out), out);
}

static void fixture_close(Fixture *x) {
  numbers_close(&x->f);
  trace_close(&x->t);
  arena_free(x->arena);
}

// largest relative difference of any method from the dense solve
static double compare(const Fixture *x, const Model *model, const State *s) {
  static double y[MAX_NV * MAX_NV + 20 * MAX_ALL + MAX_M * MAX_NV], A[MAX_ALL * MAX_ALL];
  double b[MAX_ALL];
  int n = x->n, m = x->m, N = n + m, nnz = x->lt.J.nnz;
  numbers_eval(&x->f, 1, s, y);
  const double *mass = y, *c = y + n * n, *J = c + n, *gamma = J + nnz, *found = gamma + m;
  memset(A, 0, sizeof A);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) A[i + N * j] = A[j + N * i] = mass[i + n * j];
    for (int e = x->lt.J.colptr[j]; e < x->lt.J.colptr[j + 1]; e++) {
      A[n + x->lt.J.row[e] + N * j] = A[j + N * (n + x->lt.J.row[e])] = J[e];
    }
    b[j] = s->tau[j] - model->joint[j].damping * s->v[j] - c[j];
  }
  memcpy(b + n, gamma, (size_t)m * sizeof *b);
  TEST_ASSERT_TRUE_MESSAGE(gauss(N, A, b), "singular");
  double worst = 0;
  for (int k = 0; k < x->n_method; k++) {
    worst = fmax(worst, error_relative(n, b, found + k * N));
    worst = fmax(worst, error_relative(m, b + n, found + k * N + n));
  }
  return worst;
}

static void check_methods(const Model *m, const double *q, uint64_t seed) {
  Fixture x;
  fixture_open(&x, m);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < 5; k++) {
    State s;
    state_random(&s, m, &rng);
    if (q) memcpy(s.q, q, (size_t)m->nv * sizeof *q);
    double worst = compare(&x, m, &s);
    char text[120];
    snprintf(text, sizeof text, "%s: %.2g", m->name, worst);
    TEST_ASSERT_TRUE_MESSAGE(worst < 1e-7, text);
  }
  fixture_close(&x);
}

static void test_methods_agree_with_a_dense_solve_on_mechanisms(void) {
  static const char *const names[] = {"fourbar", "fivebar",  "hmmwv", "shoulder",
                                      "ladder8", "squares4", "net3x4"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Model *m = mechanism_load(names[i]);
    check_methods(m, model_start(m), i + 1);
    model_free(m);
  }
}

// 24 rows on 36 coordinates
static void test_methods_agree_with_a_dense_solve_on_random_chains(void) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    Model *m = chain_with_loops(seed);
    check_methods(m, NULL, seed);
    model_free(m);
  }
}

// d a / d q of the traced solve against central differences
static void check_derivatives(const char *name, const LoopMethod *method) {
  enum { MOST = 12 };
  Model *m = mechanism_load(name);
  int n = m->nv;
  TEST_ASSERT_LESS_OR_EQUAL_INT(MOST, n);
  Trace t;
  trace_open(&t, m);
  Expr out[MOST + MOST * MOST], lambda[MAX_M];
  ExprMatrix jac;
  Arena *arena = arena_new();
  TEST_ASSERT_TRUE(method->map(&t.tr, t.tr.tau, out, lambda));
  TEST_ASSERT_TRUE(expr_jacobian(t.g, arena, n, out, n, t.tr.q, &jac));
  memcpy(out + n, jac.e, (size_t)jac.nnz * sizeof *out);
  Numbers f = numbers_open(t.g, n + jac.nnz, out);
  Rng rng;
  rng_seed(&rng, 2);
  State s;
  double y[MOST + MOST * MOST], plus[MOST + MOST * MOST], minus[MOST + MOST * MOST];
  state_random(&s, m, &rng);
  memcpy(s.q, model_start(m), (size_t)n * sizeof *s.q);
  numbers_eval(&f, 1, &s, y);
  const double h = 1e-5, scale = 1 + max_abs(jac.nnz, y + n);
  for (int j = 0; j < n; j++) {
    State shifted = s;
    shifted.q[j] += h;
    numbers_eval(&f, 1, &shifted, plus);
    shifted.q[j] -= 2 * h;
    numbers_eval(&f, 1, &shifted, minus);
    for (int e = jac.colptr[j]; e < jac.colptr[j + 1]; e++) {
      double slope = (plus[jac.row[e]] - minus[jac.row[e]]) / (2 * h);
      TEST_ASSERT_DOUBLE_WITHIN(1e-6 * scale, slope, y[n + e]);
    }
  }
  numbers_close(&f);
  arena_free(arena);
  trace_close(&t);
  model_free(m);
}

static void test_accelerations_have_exact_derivatives(void) {
  static const LoopMethod *const methods[] = {&loop_tree_aug, &loop_tree_aug_dense, &loop_gauss};
  for (int i = 0; i < 3; i++) {
    check_derivatives("fourbar", methods[i]);
    check_derivatives("fivebar", methods[i]);
    check_derivatives("shoulder", methods[i]);
  }
}

static AugCount total_count(const Model *m, AugPattern pattern, AugSolver solver,
                            AugCount count[AUG_N_STEPS + 1]) {
  AugFunction *f = NULL;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, aug_function_build(&f, m, pattern, solver, &err),
                                err.what);
  TEST_ASSERT_TRUE(aug_count(f, count));
  aug_function_free(f);
  return count[AUG_N_STEPS];
}

// tables 1 to 3 of the paper
static void test_counts_on_the_vehicle_are_those_of_the_paper(void) {
  Model *m = mechanism_load("hmmwv");
  TEST_ASSERT_EQUAL_INT(27, m->nv);
  TEST_ASSERT_EQUAL_INT(16, model_n_rows(m));
  AugCount step[AUG_N_STEPS + 1];
  AugCount c = total_count(m, AUG_FULL, AUG_GAUSS, step);
  TEST_ASSERT_EQUAL_INT(27391, c.add);
  TEST_ASSERT_EQUAL_INT(27391, c.mul);
  TEST_ASSERT_EQUAL_INT(946, c.div);

  c = total_count(m, AUG_FULL, AUG_DENSE, step);
  static const int add[5] = {3276, 351, 5616, 432, 3536}, mul[5] = {3276, 351, 5616, 432, 3672};
  for (int k = 0; k < 5; k++) {
    TEST_ASSERT_EQUAL_INT(add[k], step[k].add);
    TEST_ASSERT_EQUAL_INT(mul[k], step[k].mul);
  }
  TEST_ASSERT_EQUAL_INT(989, c.div);
  TEST_ASSERT_EQUAL_INT(43, c.sqrt);

  c = total_count(m, AUG_TOPOLOGY, AUG_SPARSE, step);
  TEST_ASSERT_EQUAL_INT(165, step[1].mul);
  TEST_ASSERT_EQUAL_INT(804, step[2].mul);
  TEST_ASSERT_EQUAL_INT(165, step[7].mul);
  TEST_ASSERT_EQUAL_INT(0, c.sqrt);
  TEST_ASSERT_LESS_OR_EQUAL_INT(8700, c.add + c.mul + c.div);
  AugCount traced = total_count(m, AUG_TRACED, AUG_SPARSE, step);
  TEST_ASSERT_LESS_THAN_INT(c.add + c.mul, traced.add + traced.mul);
  model_free(m);
}

static void test_leaves_first_the_factor_has_no_fill_in(void) {
  Rng rng;
  rng_seed(&rng, 7);
  for (int k = 0; k < 1000; k++) {
    int parent[40], leaves[40], roots[40], nnz = 0, n = 2 + k % 39;
    for (int i = 0; i < n; i++) {
      parent[i] = i == 0 ? -1 : (int)rng_uniform(&rng, -0.5, i - 0.001);
      leaves[i] = n - 1 - i;
      roots[i] = i;
    }
    int without_fill = aug_factor_nonzeros(n, parent, leaves, &nnz);
    TEST_ASSERT_EQUAL_INT(nnz, without_fill);
    int with_fill = aug_factor_nonzeros(n, parent, roots, &nnz);
    TEST_ASSERT_GREATER_OR_EQUAL_INT(without_fill, with_fill);
  }
  // a star: roots first everything fills
  const int star[4] = {-1, 0, 0, 0}, order[4] = {0, 1, 2, 3};
  int nnz = 0;
  TEST_ASSERT_EQUAL_INT(10, aug_factor_nonzeros(4, star, order, &nnz));
  TEST_ASSERT_EQUAL_INT(7, nnz);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_counts_on_the_vehicle_are_those_of_the_paper);
  RUN_TEST(test_accelerations_have_exact_derivatives);
  RUN_TEST(test_leaves_first_the_factor_has_no_fill_in);
  RUN_TEST(test_methods_agree_with_a_dense_solve_on_mechanisms);
  RUN_TEST(test_methods_agree_with_a_dense_solve_on_random_chains);
  return UNITY_END();
}
