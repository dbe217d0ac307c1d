// SPDX-License-Identifier: MIT
// Building expressions: equal ones are one node, signs are shared, rules keep the value.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "expr_support.h"
#include "unity.h"

static ExprGraph *g;
static Expr x, y, z;

void setUp(void) {
  g = expr_graph_new();
  TEST_ASSERT_NOT_NULL(g);
  x = expr_input(g, 0, 0);
  y = expr_input(g, 0, 1);
  z = expr_input(g, 0, 2);
}

void tearDown(void) {
  expr_graph_free(g);
  g = NULL;
}

static double value_at(Expr e, const double at[3]) {
  const double *in[1] = {at};
  double v;
  graph_eval(g, 1, &e, in, &v);
  return v;
}

static Expr k(double c) {
  return expr_const(g, c);
}

static void test_equal_expressions_are_one_node(void) {
  TEST_ASSERT_EQUAL_INT(x, expr_input(g, 0, 0));
  TEST_ASSERT_NOT_EQUAL_INT(x, expr_input(g, 1, 0));
  TEST_ASSERT_EQUAL_INT(expr_add(g, x, y), expr_add(g, y, x));
  TEST_ASSERT_EQUAL_INT(expr_mul(g, x, y), expr_mul(g, y, x));
  TEST_ASSERT_EQUAL_INT(expr_sin(g, expr_mul(g, x, y)), expr_sin(g, expr_mul(g, y, x)));
  TEST_ASSERT_EQUAL_INT(k(2.5), k(2.5));
  TEST_ASSERT_EQUAL_INT(expr_div(g, x, y), expr_div(g, x, y));
  TEST_ASSERT_NOT_EQUAL_INT(expr_div(g, x, y), expr_div(g, y, x));
  TEST_ASSERT_NOT_EQUAL_INT(expr_sin(g, x), expr_cos(g, x));
  int n = expr_graph_n_nodes(g);
  expr_sqrt(g, expr_add(g, expr_mul(g, x, y), expr_mul(g, y, x)));
  int m = expr_graph_n_nodes(g);
  expr_sqrt(g, expr_add(g, expr_mul(g, y, x), expr_mul(g, x, y)));
  TEST_ASSERT_GREATER_THAN_INT(n, m);
  TEST_ASSERT_EQUAL_INT(m, expr_graph_n_nodes(g));
}

static void test_expressions_that_differ_in_sign_share_a_node(void) {
  Expr d = expr_sub(g, x, y);
  TEST_ASSERT_EQUAL_INT(expr_neg(d), expr_sub(g, y, x));
  TEST_ASSERT_EQUAL_INT(expr_node(d), expr_node(expr_sub(g, y, x)));
  TEST_ASSERT_EQUAL_INT(expr_neg(expr_add(g, x, y)), expr_add(g, expr_neg(x), expr_neg(y)));
  TEST_ASSERT_EQUAL_INT(expr_neg(expr_mul(g, x, y)), expr_mul(g, expr_neg(x), y));
  TEST_ASSERT_EQUAL_INT(expr_mul(g, x, y), expr_mul(g, expr_neg(x), expr_neg(y)));
  TEST_ASSERT_EQUAL_INT(expr_neg(expr_div(g, x, y)), expr_div(g, x, expr_neg(y)));
  TEST_ASSERT_EQUAL_INT(expr_neg(expr_sin(g, x)), expr_sin(g, expr_neg(x)));
  TEST_ASSERT_EQUAL_INT(expr_cos(g, x), expr_cos(g, expr_neg(x)));
  TEST_ASSERT_EQUAL_INT(expr_cos(g, d), expr_cos(g, expr_sub(g, y, x)));
  TEST_ASSERT_EQUAL_INT(expr_neg(k(3)), k(-3));
  TEST_ASSERT_NOT_EQUAL_INT(expr_exp(g, x), expr_exp(g, expr_neg(x)));
}

static void test_zeros_and_ones_disappear(void) {
  Expr zero = EXPR_ZERO, one = EXPR_ONE;
  TEST_ASSERT_EQUAL_INT(zero, k(0));
  TEST_ASSERT_EQUAL_INT(zero, k(-0.0));
  TEST_ASSERT_EQUAL_INT(one, k(1));
  TEST_ASSERT_EQUAL_INT(zero, expr_neg(zero));
  TEST_ASSERT_EQUAL_INT(x, expr_add(g, x, zero));
  TEST_ASSERT_EQUAL_INT(x, expr_add(g, zero, x));
  TEST_ASSERT_EQUAL_INT(x, expr_sub(g, x, zero));
  TEST_ASSERT_EQUAL_INT(expr_neg(x), expr_sub(g, zero, x));
  TEST_ASSERT_EQUAL_INT(zero, expr_sub(g, x, x));
  TEST_ASSERT_EQUAL_INT(zero, expr_add(g, x, expr_neg(x)));
  TEST_ASSERT_EQUAL_INT(zero, expr_mul(g, x, zero));
  TEST_ASSERT_EQUAL_INT(x, expr_mul(g, one, x));
  TEST_ASSERT_EQUAL_INT(expr_neg(x), expr_mul(g, x, k(-1)));
  TEST_ASSERT_EQUAL_INT(zero, expr_div(g, zero, x));
  TEST_ASSERT_EQUAL_INT(x, expr_div(g, x, one));
  TEST_ASSERT_EQUAL_INT(one, expr_div(g, x, x));
  TEST_ASSERT_EQUAL_INT(k(-1), expr_div(g, x, expr_neg(x)));
  TEST_ASSERT_EQUAL_INT(x, expr_neg(expr_neg(x)));
  TEST_ASSERT_EQUAL_INT(zero, expr_sin(g, zero));
  TEST_ASSERT_EQUAL_INT(one, expr_cos(g, zero));
  TEST_ASSERT_EQUAL_INT(one, expr_exp(g, zero));
  TEST_ASSERT_EQUAL_INT(zero, expr_log(g, one));
}

static void test_equal_values_are_recognised(void) {
  Expr sum = expr_add(g, x, y), s = expr_sin(g, z), c = expr_cos(g, z);
  Expr one = expr_add(g, expr_mul(g, s, s), expr_mul(g, c, c));
  TEST_ASSERT_EQUAL_INT(EXPR_ONE, one);
  TEST_ASSERT_EQUAL_INT(
      k(3), expr_add(g, expr_scale(g, 3, expr_mul(g, s, s)), expr_scale(g, 3, expr_mul(g, c, c))));
  TEST_ASSERT_EQUAL_INT(x, expr_sub(g, sum, y));
  TEST_ASSERT_EQUAL_INT(expr_neg(y), expr_sub(g, x, sum));
  TEST_ASSERT_EQUAL_INT(x, expr_mul(g, y, expr_div(g, x, y)));
  TEST_ASSERT_EQUAL_INT(expr_scale(g, 2, x), expr_add(g, x, x));
  TEST_ASSERT_EQUAL_INT(expr_scale(g, 6, x), expr_scale(g, 2, expr_scale(g, 3, x)));
  TEST_ASSERT_EQUAL_INT(x, expr_scale(g, 0.5, expr_scale(g, 2, x)));
  TEST_ASSERT_EQUAL_INT(EXPR_ZERO, expr_add(g, expr_scale(g, 2, x), expr_scale(g, -2, x)));
  TEST_ASSERT_EQUAL_INT(expr_add(g, k(5), x), expr_add(g, k(2), expr_add(g, x, k(3))));
  TEST_ASSERT_EQUAL_INT(x, expr_sub(g, expr_add(g, x, k(3)), k(3)));
  TEST_ASSERT_EQUAL_INT(expr_scale(g, 0.25, x), expr_div(g, x, k(4)));
}

static void test_constants_fold(void) {
  const double c[] = {0.3, -0.7, 2, 11, -1e-3};
  double v;
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 5; j++) {
      TEST_ASSERT_TRUE(expr_is_const(g, expr_add(g, k(c[i]), k(c[j])), &v));
      TEST_ASSERT_DOUBLE_WITHIN(1e-15 * 30, c[i] + c[j], v);
      TEST_ASSERT_TRUE(expr_is_const(g, expr_mul(g, k(c[i]), k(c[j])), &v));
      TEST_ASSERT_DOUBLE_WITHIN(1e-15 * 200, c[i] * c[j], v);
      TEST_ASSERT_TRUE(expr_is_const(g, expr_div(g, k(c[i]), k(c[j])), &v));
      TEST_ASSERT_DOUBLE_WITHIN(4e-16 * fabs(c[i] / c[j]), c[i] / c[j], v);
    }
    TEST_ASSERT_TRUE(expr_is_const(g, expr_sin(g, k(c[i])), &v));
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, sin(c[i]), v);
    TEST_ASSERT_TRUE(expr_is_const(g, expr_cos(g, k(c[i])), &v));
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, cos(c[i]), v);
    TEST_ASSERT_TRUE(expr_is_const(g, expr_exp(g, k(c[i])), &v));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15 * exp(c[i]), exp(c[i]), v);
  }
  TEST_ASSERT_TRUE(expr_is_const(g, expr_sqrt(g, k(2)), &v));
  TEST_ASSERT_DOUBLE_WITHIN(1e-16, sqrt(2), v);
  // what has no finite value is left for the evaluation to find
  TEST_ASSERT_FALSE(expr_is_const(g, expr_sqrt(g, k(-2)), &v));
  TEST_ASSERT_FALSE(expr_is_const(g, expr_log(g, EXPR_ZERO), &v));
  TEST_ASSERT_FALSE(expr_is_const(g, expr_div(g, EXPR_ONE, EXPR_ZERO), &v));
  TEST_ASSERT_FALSE(expr_is_const(g, expr_mul(g, k(1e300), k(1e300)), &v));
  TEST_ASSERT_FALSE(expr_is_const(g, x, &v));
}

// constants are told apart over the whole range, powers of two of each other too
static void test_different_constants_are_different(void) {
  Rng rng;
  rng_seed(&rng, 5);
  for (int i = 0; i < 60; i++) {
    double c = i < 20 ? i + 1 : rng_uniform(&rng, 0.001, 1000);
    for (int e = -300; e <= 300; e++) {
      double other = ldexp(c, e), v;
      TEST_ASSERT_TRUE(expr_is_const(g, k(other), &v));
      TEST_ASSERT_TRUE_MESSAGE(v == other, "a constant became another");
      const ExprNode *p = expr_graph_node(g, expr_node(expr_mul(g, k(other), x)));
      if (other != 1) TEST_ASSERT_TRUE(expr_is_const(g, p->a * 2, &v) && v == other);
    }
  }
}

// every rule keeps the value: the list as it was asked for, against the graph
static void test_random_expressions_keep_their_value(void) {
  Rng rng;
  rng_seed(&rng, 1);
  static Dag d;
  long double v[DAG_MAX], bound[DAG_MAX];
  int folded = 0, places = 0;
  for (int turn = 0; turn < 3000; turn++) {
    ExprGraph *own = expr_graph_new();
    TEST_ASSERT_NOT_NULL(own);
    dag_random(&d, own, &rng, 3, 40);
    double at[3];
    for (int i = 0; i < 3; i++) at[i] = rng_uniform(&rng, -2, 2);
    const double *in[1] = {at};
    double actual[DAG_MAX];
    dag_eval(&d, at, v, bound);
    graph_eval(own, d.n, d.e, in, actual);
    for (int i = 0; i < d.n; i++) {
      char text[100];
      snprintf(text, sizeof text, "list %d, place %d (%s): %.17g, not %.17g", turn, i,
               expr_op_name(d.op[i].op), actual[i], (double)v[i]);
      TEST_ASSERT_TRUE_MESSAGE(fabsl(actual[i] - v[i]) <= 8 * bound[i], text);
    }
    folded += d.n - expr_graph_n_nodes(own);
    places += d.n;
    expr_graph_free(own);
  }
  printf("%d places, %d of them folded away\n", places, folded);
  TEST_ASSERT_GREATER_THAN_INT(0, folded);
}

// rules that need two special operands: all triples of a small set, both associations
static void test_sums_and_products_of_special_operands_keep_their_value(void) {
  enum { N = 16 };
  Expr s = expr_sin(g, x), c = expr_cos(g, x), xy = expr_mul(g, x, y);
  const Expr e[N] = {x,
                     expr_neg(y),
                     EXPR_ONE,
                     k(-2),
                     expr_scale(g, 3, x),
                     expr_scale(g, -3, x),
                     expr_mul(g, s, s),
                     expr_mul(g, c, c),
                     expr_add(g, x, y),
                     expr_sub(g, y, x),
                     expr_div(g, x, y),
                     expr_div(g, EXPR_ONE, x),
                     xy,
                     expr_add(g, k(2), y),
                     expr_scale(g, 0.5, xy),
                     expr_neg(expr_add(g, xy, k(1)))};
  const double at[3] = {0.7, -1.3, 0.2};
  for (int t = 0; t < N * N * N; t++) {
    Expr a = e[t % N], b = e[t / N % N], d = e[t / N / N];
    double va = value_at(a, at), vb = value_at(b, at), vd = value_at(d, at);
    double tol = 1e-14 * (1 + fabs(va)) * (1 + fabs(vb)) * (1 + fabs(vd)) / fabs(vb * vd);
    Expr sum = expr_add(g, a, b), product = expr_mul(g, a, b), ratio = expr_div(g, a, b);
    TEST_ASSERT_DOUBLE_WITHIN(tol, va + vb + vd, value_at(expr_add(g, sum, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(tol, va + vb - vd, value_at(expr_sub(g, sum, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(tol, (va + vb) * vd, value_at(expr_mul(g, sum, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(tol, va * vb + vd, value_at(expr_add(g, product, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(tol, vd - va * vb, value_at(expr_sub(g, d, product), at));
    TEST_ASSERT_DOUBLE_WITHIN(tol, va * vb * vd, value_at(expr_mul(g, product, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(tol, va * vb / vd, value_at(expr_div(g, product, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(10 * tol, va / vb * vd, value_at(expr_mul(g, ratio, d), at));
    TEST_ASSERT_DOUBLE_WITHIN(10 * tol, va / vb + vd, value_at(expr_add(g, d, ratio), at));
  }
}

static void test_substitution_equals_building_with_the_new_operands(void) {
  Rng rng;
  rng_seed(&rng, 2);
  static Dag d;
  for (int turn = 0; turn < 300; turn++) {
    ExprGraph *own = expr_graph_new();
    TEST_ASSERT_NOT_NULL(own);
    dag_random(&d, own, &rng, 3, 30);
    Expr a = expr_input(own, 0, 0), b = expr_input(own, 0, 1), c = expr_input(own, 0, 2);
    // x -> y z + 1, y -> -x, at once
    const Expr from[2] = {a, b};
    const Expr to[2] = {expr_add(own, expr_mul(own, b, c), EXPR_ONE), expr_neg(a)};
    Expr e[DAG_MAX];
    memcpy(e, d.e, sizeof e);
    expr_substitute(own, d.n, e, 2, from, to);
    double at[3], moved[3], actual[DAG_MAX];
    for (int i = 0; i < 3; i++) at[i] = rng_uniform(&rng, -1, 1);
    moved[0] = at[1] * at[2] + 1;
    moved[1] = -at[0];
    moved[2] = at[2];
    const double *in[1] = {at};
    long double v[DAG_MAX], bound[DAG_MAX];
    dag_eval(&d, moved, v, bound);
    graph_eval(own, d.n, e, in, actual);
    // moved[0] itself is rounded: a thousand times the bound covers its amplification
    for (int i = 0; i < d.n; i++) {
      TEST_ASSERT_TRUE(fabsl(actual[i] - v[i]) <= 1e3L * bound[i] + 1e-13L);
    }
    Error err = {0};
    TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_graph_status(own, &err));
    expr_graph_free(own);
  }
}

static void test_operands_come_before_their_node_and_are_not_negated(void) {
  Rng rng;
  rng_seed(&rng, 3);
  static Dag d;
  dag_random(&d, g, &rng, 3, 120);
  for (int v = 0; v < expr_graph_n_nodes(g); v++) {
    const ExprNode *n = expr_graph_node(g, v);
    int arity = expr_op_arity(n->op);
    if (arity > 0) TEST_ASSERT_TRUE(n->a >= 0 && n->a < v);
    if (arity > 1) TEST_ASSERT_TRUE(n->b >= 0 && n->b < v);
    if (n->op == EXPR_CONST) TEST_ASSERT_TRUE(v == 0 ? n->value == 0 : n->value > 0);
  }
}

static void test_a_node_remembers_the_label_it_was_built_under(void) {
  int before = expr_graph_origin(g, "joint %d", 3);
  Expr a = expr_sin(g, x);
  expr_graph_origin_restore(g, before);
  Expr b = expr_sin(g, y);
  const ExprNode *na = expr_graph_node(g, expr_node(a)), *nb = expr_graph_node(g, expr_node(b));
  TEST_ASSERT_EQUAL_STRING("joint 3", expr_graph_origin_text(g, na->origin));
  TEST_ASSERT_EQUAL_STRING("", expr_graph_origin_text(g, nb->origin));
}

static void test_many_nodes_are_found_again(void) {
  enum { N = 20000 };
  Expr *e = calloc(N, sizeof *e);
  TEST_ASSERT_NOT_NULL(e);
  for (int i = 0; i < N; i++) e[i] = expr_mul(g, expr_input(g, 1, i), x);
  int n = expr_graph_n_nodes(g);
  for (int i = 0; i < N; i++) {
    TEST_ASSERT_EQUAL_INT(e[i], expr_mul(g, x, expr_input(g, 1, i)));
  }
  TEST_ASSERT_EQUAL_INT(n, expr_graph_n_nodes(g));
  free(e);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_equal_expressions_are_one_node);
  RUN_TEST(test_expressions_that_differ_in_sign_share_a_node);
  RUN_TEST(test_zeros_and_ones_disappear);
  RUN_TEST(test_equal_values_are_recognised);
  RUN_TEST(test_constants_fold);
  RUN_TEST(test_different_constants_are_different);
  RUN_TEST(test_random_expressions_keep_their_value);
  RUN_TEST(test_sums_and_products_of_special_operands_keep_their_value);
  RUN_TEST(test_substitution_equals_building_with_the_new_operands);
  RUN_TEST(test_operands_come_before_their_node_and_are_not_negated);
  RUN_TEST(test_a_node_remembers_the_label_it_was_built_under);
  RUN_TEST(test_many_nodes_are_found_again);
  return UNITY_END();
}
