// SPDX-License-Identifier: MIT
// Derivatives of random expressions against hyper-dual numbers (exact, computed from the list as it
// was asked for), Hessians against Jacobians of gradients, and patterns of known functions.
#include "expr/expr_ad.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr_support.h"
#include "unity.h"

static ExprGraph *g;
static Arena *arena;
static Expr x[4];

void setUp(void) {
  g = expr_graph_new();
  arena = arena_new();
  TEST_ASSERT_TRUE(g && arena);
  for (int i = 0; i < 4; i++) x[i] = expr_input(g, 0, i);
}

void tearDown(void) {
  expr_graph_free(g);
  arena_free(arena);
}

enum { N_X = 4, N_OUT = 5 };

// One random list with outputs from its end, one of them negated and one twice.
typedef struct Case {
  Dag d;
  int place[N_OUT];
  int sign[N_OUT];
  Expr out[N_OUT];
  double at[N_X];
  long double wide[N_X];
} Case;

static void make_case(Case *c, Rng *rng, int n_op) {
  dag_random(&c->d, g, rng, N_X, n_op);
  for (int i = 0; i < N_OUT; i++) {
    c->place[i] = i == 4 ? c->place[1] : c->d.n - 1 - i;
    c->sign[i] = i == 2 ? -1 : 1;
    c->out[i] = c->sign[i] < 0 ? expr_neg(c->d.e[c->place[i]]) : c->d.e[c->place[i]];
  }
  for (int i = 0; i < N_X; i++) c->wide[i] = c->at[i] = rng_uniform(rng, -1.5, 1.5);
}

static void values(const Case *c, int n, const Expr *e, long double *y) {
  const long double *in[1] = {c->wide};
  graph_eval_long(g, n, e, in, y);
}

// dense values; entries that are not kept are zero
static void dense(const Case *c, const ExprMatrix *m, long double *full) {
  long double y[N_X * N_X + N_X * N_OUT];
  values(c, m->nnz, m->e, y);
  memset(full, 0, (size_t)(m->n_row * m->n_col) * sizeof *full);
  for (int j = 0; j < m->n_col; j++) {
    for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++) full[m->row[e] + m->n_row * j] = y[e];
  }
}

// Both sides are in long double; cancellation in random expressions costs some of its 19 digits.
static const long double TOLERANCE = 1e-12L;

static bool close(long double a, long double b, long double scale) {
  return fabsl(a - b) <= TOLERANCE * (1 + scale);
}

static long double largest(int n, const long double *v) {
  long double most = 0;
  for (int i = 0; i < n; i++) most = fmaxl(most, fabsl(v[i]));
  return most;
}

static void fresh_graph(void) {
  tearDown();
  setUp();
}

static void test_jacobians_and_gradients_of_random_expressions_are_exact(void) {
  static Case c;
  static Hyper h[DAG_MAX];
  Rng rng;
  rng_seed(&rng, 1);
  for (int turn = 0; turn < 400; turn++) {
    fresh_graph();
    make_case(&c, &rng, 10 + turn % 50);
    ExprMatrix jac;
    TEST_ASSERT_TRUE(expr_jacobian(g, arena, N_OUT, c.out, N_X, x, &jac));
    long double full[N_OUT * N_X], grad[N_X];
    dense(&c, &jac, full);
    for (int j = 0; j < N_X; j++) {
      dag_hyper(&c.d, c.at, j, j, h);
      for (int i = 0; i < N_OUT; i++) {
        long double expected = c.sign[i] * h[c.place[i]].i;
        TEST_ASSERT_TRUE(close(full[i + N_OUT * j], expected, largest(N_OUT * N_X, full)));
      }
    }
    for (int e = 0; e < jac.nnz; e++) TEST_ASSERT_NOT_EQUAL_INT(EXPR_ZERO, jac.e[e]);
    for (int i = 0; i < N_OUT; i++) {
      Expr row[N_X];
      TEST_ASSERT_TRUE(expr_gradient(g, c.out[i], N_X, x, row));
      values(&c, N_X, row, grad);
      for (int j = 0; j < N_X; j++) {
        TEST_ASSERT_TRUE(close(grad[j], full[i + N_OUT * j], largest(N_OUT * N_X, full)));
      }
    }
  }
}

static void test_hessians_of_random_expressions_are_exact_and_jacobians_of_gradients(void) {
  static Case c;
  static Hyper h[DAG_MAX];
  Rng rng;
  rng_seed(&rng, 2);
  for (int turn = 0; turn < 400; turn++) {
    fresh_graph();
    make_case(&c, &rng, 10 + turn % 50);
    // weights as in lambda^T r
    Expr sum = EXPR_ZERO;
    for (int i = 0; i < N_OUT; i++) sum = expr_add(g, sum, expr_scale(g, 1 + 0.5 * i, c.out[i]));
    ExprMatrix lower, jac;
    Expr grad[N_X];
    TEST_ASSERT_TRUE(expr_hessian(g, arena, sum, N_X, x, &lower));
    TEST_ASSERT_TRUE(expr_gradient(g, sum, N_X, x, grad));
    TEST_ASSERT_TRUE(expr_jacobian(g, arena, N_X, grad, N_X, x, &jac));
    long double H[N_X * N_X], J[N_X * N_X];
    dense(&c, &lower, H);
    dense(&c, &jac, J);
    long double scale = largest(N_X * N_X, H);
    for (int j = 0; j < N_X; j++) {
      for (int i = 0; i < N_X; i++) {
        long double expected = 0;
        dag_hyper(&c.d, c.at, i, j, h);
        for (int o = 0; o < N_OUT; o++) {
          expected += (1 + 0.5L * o) * c.sign[o] * h[c.place[o]].ij;
        }
        if (i >= j) TEST_ASSERT_TRUE(close(H[i + N_X * j], expected, scale));
        else TEST_ASSERT_TRUE_MESSAGE(H[i + N_X * j] == 0, "upper triangle");
        TEST_ASSERT_TRUE(close(J[i + N_X * j], expected, scale));
      }
    }
    for (int e = 0; e < lower.nnz; e++) TEST_ASSERT_NOT_EQUAL_INT(EXPR_ZERO, lower.e[e]);
  }
}

static void test_derivatives_equal_central_differences(void) {
  static Case c;
  Rng rng;
  rng_seed(&rng, 3);
  const long double step = 1e-6L;
  for (int turn = 0; turn < 50; turn++) {
    fresh_graph();
    make_case(&c, &rng, 15);
    ExprMatrix jac;
    TEST_ASSERT_TRUE(expr_jacobian(g, arena, N_OUT, c.out, N_X, x, &jac));
    long double full[N_OUT * N_X], up[N_OUT], down[N_OUT];
    dense(&c, &jac, full);
    for (int j = 0; j < N_X; j++) {
      long double keep = c.wide[j];
      c.wide[j] = keep + step;
      values(&c, N_OUT, c.out, up);
      c.wide[j] = keep - step;
      values(&c, N_OUT, c.out, down);
      c.wide[j] = keep;
      for (int i = 0; i < N_OUT; i++) {
        long double slope = (up[i] - down[i]) / (2 * step);
        long double error = fabsl(slope - full[i + N_OUT * j]);
        TEST_ASSERT_TRUE(error < 1e-6L * (1 + largest(N_OUT * N_X, full)));
      }
    }
  }
}

// ---- known functions ---------------------------------------------------------------------------

static void check_pattern(const ExprMatrix *m, const char *const *expected) {
  int n = 0;
  for (int i = 0; i < m->n_row; i++) {
    for (int j = 0; j < m->n_col; j++) {
      bool kept = false;
      for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++) kept = kept || m->row[e] == i;
      char text[40];
      snprintf(text, sizeof text, "entry (%d, %d)", i, j);
      TEST_ASSERT_EQUAL_INT_MESSAGE(expected[i][j] == 'x', kept, text);
      n += kept;
    }
  }
  TEST_ASSERT_EQUAL_INT(n, m->nnz);
}

static void test_patterns_are_exact_on_known_functions(void) {
  // x0 x1, sin x2, 3, x3, -x3, x0 x1 - x1 x0 + x2, x0 + x3 - x0
  Expr p = expr_mul(g, x[0], x[1]);
  const Expr out[] = {p,
                      expr_sin(g, x[2]),
                      expr_const(g, 3),
                      x[3],
                      expr_neg(x[3]),
                      expr_add(g, expr_sub(g, p, expr_mul(g, x[1], x[0])), x[2]),
                      expr_sub(g, expr_add(g, x[0], x[3]), x[0])};
  ExprMatrix jac, hess;
  TEST_ASSERT_TRUE(expr_jacobian(g, arena, 7, out, 4, x, &jac));
  const char *const rows[] = {"xx..", "..x.", "....", "...x", "...x", "..x.", "...x"};
  check_pattern(&jac, rows);

  // x0 x1 + x2^2 + x3: x3 is linear, x0 and x1 only couple
  Expr f = expr_add(g, expr_add(g, p, expr_mul(g, x[2], x[2])), x[3]);
  TEST_ASSERT_TRUE(expr_hessian(g, arena, f, 4, x, &hess));
  const char *const lower[] = {"....", "x...", "..x.", "...."};
  check_pattern(&hess, lower);
  TEST_ASSERT_EQUAL_INT(EXPR_ONE, hess.e[0]);
  TEST_ASSERT_EQUAL_INT(expr_const(g, 2), hess.e[1]);

  // second derivatives that cancel: (x0 + x1)^2 - (x0 - x1)^2 = 4 x0 x1
  Expr plus = expr_add(g, x[0], x[1]), minus = expr_sub(g, x[0], x[1]);
  f = expr_sub(g, expr_mul(g, plus, plus), expr_mul(g, minus, minus));
  TEST_ASSERT_TRUE(expr_hessian(g, arena, f, 4, x, &hess));
  const char *const cross[] = {"....", "x...", "....", "...."};
  check_pattern(&hess, cross);
}

static void test_outputs_that_are_inputs_constants_negated_and_repeated(void) {
  const Expr out[] = {x[1], expr_neg(x[1]), EXPR_ZERO, EXPR_ONE, x[1], expr_neg(expr_const(g, 7))};
  ExprMatrix jac;
  TEST_ASSERT_TRUE(expr_jacobian(g, arena, 6, out, 4, x, &jac));
  TEST_ASSERT_EQUAL_INT(3, jac.nnz);
  const int row[3] = {0, 1, 4};
  const Expr e[3] = {EXPR_ONE, expr_neg(EXPR_ONE), EXPR_ONE};
  TEST_ASSERT_EQUAL_INT_ARRAY(row, jac.row, 3);
  for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT(e[i], jac.e[i]);
  ExprMatrix hess;
  for (int i = 0; i < 6; i++) {
    TEST_ASSERT_TRUE(expr_hessian(g, arena, out[i], 4, x, &hess));
    TEST_ASSERT_EQUAL_INT(0, hess.nnz);
  }
  Expr grad[4];
  TEST_ASSERT_TRUE(expr_gradient(g, EXPR_ONE, 4, x, grad));
  for (int i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(EXPR_ZERO, grad[i]);
}

static void test_intermediate_values_can_be_independent(void) {
  // f = s^2 + x0 with s = sin x0 held as a variable: df/ds = 2 s, df/dx0 = 1
  Expr s = expr_sin(g, x[0]), f = expr_add(g, expr_mul(g, s, s), x[0]);
  const Expr by[2] = {x[0], s};
  ExprMatrix jac;
  TEST_ASSERT_TRUE(expr_jacobian(g, arena, 1, &f, 2, by, &jac));
  TEST_ASSERT_EQUAL_INT(2, jac.nnz);
  TEST_ASSERT_EQUAL_INT(EXPR_ONE, jac.e[0]);
  TEST_ASSERT_EQUAL_INT(expr_scale(g, 2, s), jac.e[1]);
}

static void test_cost_counts_shared_operations_once(void) {
  Expr p = expr_mul(g, x[0], x[1]), s = expr_sin(g, p);
  const Expr out[] = {expr_add(g, p, s), expr_sub(g, p, s), s, x[0]};
  TEST_ASSERT_EQUAL_INT(3, expr_cost(g, 4, out));  // mul, add, sub; sin apart
  TEST_ASSERT_EQUAL_INT(0, expr_cost(g, 1, &x[0]));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_jacobians_and_gradients_of_random_expressions_are_exact);
  RUN_TEST(test_hessians_of_random_expressions_are_exact_and_jacobians_of_gradients);
  RUN_TEST(test_derivatives_equal_central_differences);
  RUN_TEST(test_patterns_are_exact_on_known_functions);
  RUN_TEST(test_outputs_that_are_inputs_constants_negated_and_repeated);
  RUN_TEST(test_intermediate_values_can_be_independent);
  RUN_TEST(test_cost_counts_shared_operations_once);
  return UNITY_END();
}
