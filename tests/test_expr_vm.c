// SPDX-License-Identifier: MIT
// The evaluator: any number of points, any layout, the values of node-by-node evaluation, no
// allocation, and NaN and Inf found where they arise.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_support.h"
#include "expr/expr_tape.h"
#include "expr_support.h"
#include "unity.h"

static ExprGraph *g;
static Arena *arena;

void setUp(void) {
  g = expr_graph_new();
  arena = arena_new();
  TEST_ASSERT_TRUE(g && arena);
}

void tearDown(void) {
  expr_graph_free(g);
  arena_free(arena);
}

static ExprTape *tape_of(const ExprFunction *f, TapeOrder order) {
  Error err = {0};
  ExprTape *t = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, expr_tape_build(&t, f, order, &err), err.what);
  return t;
}

static void *work_for(const ExprTape *t) {
  void *work = arena_alloc(arena, expr_tape_work_size(t) + 64);
  TEST_ASSERT_NOT_NULL(work);
  return work;
}

enum { N_X = 4, N_OUT = 6, MOST_POINTS = 400 };

// outputs from the end of the list: plain, negated, repeated, a constant
static void choose_outputs(const Dag *d, Expr out[N_OUT]) {
  for (int i = 0; i < N_OUT; i++) out[i] = d->e[d->n - 1 - i];
  out[2] = expr_neg(out[2]);
  out[3] = out[1];
  out[4] = expr_neg(out[1]);
  if (d->n % 3 == 0) out[5] = expr_const(g, -2.5);
}

static void check_point(const Dag *d, const Expr *out, const double *x, const double *y) {
  // node by node, and how far rounding may go
  const double *in[1] = {x};
  double expected[N_OUT];
  static long double v[DAG_MAX], bound[DAG_MAX];
  dag_eval(d, x, v, bound);
  graph_eval(g, N_OUT, out, in, expected);
  for (int i = 0; i < N_OUT; i++) {
    int place = i == 3 || i == 4 ? d->n - 2 : d->n - 1 - i;
    long double allowed = 1e-13L * fabsl(expected[i]);
    if (16 * bound[place] > allowed) allowed = 16 * bound[place];
    char text[100];
    snprintf(text, sizeof text, "output %d: %.17g, not %.17g", i, y[i], expected[i]);
    TEST_ASSERT_TRUE_MESSAGE(fabsl(y[i] - expected[i]) <= allowed, text);
  }
}

static void test_random_expressions_have_their_values_in_both_orders(void) {
  static Dag d;
  static double x[32 * N_X], y[32 * N_OUT];
  Rng rng;
  rng_seed(&rng, 1);
  for (int turn = 0; turn < 3000; turn++) {
    tearDown();
    setUp();
    dag_random(&d, g, &rng, N_X, 10 + turn % 60);
    Expr out[N_OUT];
    choose_outputs(&d, out);
    ExprFunction f = column_function(g, arena, N_X, N_OUT, out);
    int n = 1 + turn % 11;
    for (int i = 0; i < n * N_X; i++) x[i] = rng_uniform(&rng, -2, 2);
    for (int order = 0; order < 2; order++) {
      ExprTape *t = tape_of(&f, (TapeOrder)order);
      const LaneIn in = {x, 1, N_X};
      const LaneOut to = {y, 1, N_OUT};
      TEST_ASSERT_TRUE(expr_tape_eval(t, n, &in, &to, work_for(t)));
      for (int k = 0; k < n; k++) check_point(&d, out, x + k * N_X, y + k * N_OUT);
      expr_tape_free(t);
    }
  }
}

static void test_any_number_of_points_in_any_layout_gives_the_same_bits(void) {
  static const int counts[] = {1, 7, 8, 9, 16, 24, 25, 31, 32, 33, 57, 400};
  static Dag d;
  static double x[MOST_POINTS * N_X], wide[MOST_POINTS * 3 * N_X], turned[MOST_POINTS * N_X];
  static double one[MOST_POINTS * N_OUT], y[MOST_POINTS * 3 * N_OUT + 8];
  Rng rng;
  rng_seed(&rng, 2);
  for (int turn = 0; turn < 30; turn++) {
    tearDown();
    setUp();
    dag_random(&d, g, &rng, N_X, 60);
    Expr out[N_OUT];
    choose_outputs(&d, out);
    ExprFunction f = column_function(g, arena, N_X, N_OUT, out);
    ExprTape *t = tape_of(&f, (TapeOrder)(turn % 2));
    void *work = work_for(t);
    for (int i = 0; i < MOST_POINTS * N_X; i++) {
      x[i] = rng_uniform(&rng, -2, 2);
      turned[i % N_X * MOST_POINTS + i / N_X] = x[i];
      wide[i / N_X * 3 * N_X + 2 * (i % N_X)] = x[i];
    }
    // one point at a time is what the others are compared with
    for (int k = 0; k < MOST_POINTS; k++) {
      const LaneIn in = {x + k * N_X, 1, N_X};
      const LaneOut to = {one + k * N_OUT, 1, N_OUT};
      TEST_ASSERT_TRUE(expr_tape_eval(t, 1, &in, &to, work));
    }
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      int n = counts[c];
      const LaneIn in[3] = {{x, 1, N_X}, {turned, MOST_POINTS, 1}, {wide, 2, 3 * N_X}};
      const long long item[3] = {1, n, 3}, point[3] = {N_OUT, 1, 3 * N_OUT};
      for (int layout = 0; layout < 3; layout++) {
        for (size_t i = 0; i < sizeof y / sizeof y[0]; i++) y[i] = -77;
        const LaneOut to = {y, item[layout], point[layout]};
        TEST_ASSERT_TRUE(expr_tape_eval(t, n, &in[layout], &to, work));
        int written = 0;
        for (int k = 0; k < n; k++) {
          for (int i = 0; i < N_OUT; i++) {
            double actual = y[i * item[layout] + k * point[layout]];
            TEST_ASSERT_TRUE_MESSAGE(actual == one[k * N_OUT + i], "a point depends on the others");
          }
        }
        // and nothing is written beside
        for (size_t i = 0; i < sizeof y / sizeof y[0]; i++) written += y[i] != -77;
        TEST_ASSERT_EQUAL_INT(n * N_OUT, written);
      }
    }
    expr_tape_free(t);
  }
}

// several inputs and outputs, one of them not wanted, constants and zeros among them
static void test_outputs_that_are_not_wanted_are_not_written(void) {
  Expr a = expr_input(g, 3, 0), b = expr_input(g, 9, 1);
  const ExprInput in[2] = {{"a", 1, 3}, {"b", 2, 9}};
  const Expr first[3] = {expr_add(g, a, b), EXPR_ZERO, expr_const(g, 4)};
  const Expr second[2] = {expr_neg(b), expr_const(g, -3)};
  ExprOutput out[2] = {{.name = "first"}, {.name = "second"}};
  TEST_ASSERT_TRUE(expr_column(&out[0].value, arena, 3, first));
  TEST_ASSERT_TRUE(expr_column(&out[1].value, arena, 2, second));
  const ExprFunction f = {.name = "f", .g = g, .n_in = 2, .in = in, .n_out = 2, .out = out};
  ExprTape *t = tape_of(&f, TAPE_FOR_EVALUATOR);
  void *work = work_for(t);
  const double xa[1] = {1.5}, xb[2] = {7, -2};
  double y[3], w[2];
  const LaneIn lane[2] = {{xa, 1, 1}, {xb, 1, 2}};
  TEST_ASSERT_TRUE(expr_tape_eval(t, 1, lane, (LaneOut[2]){{y, 1, 3}, {w, 1, 2}}, work));
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(((double[3]){-0.5, 0, 4}), y, 3);
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(((double[2]){2, -3}), w, 2);
  y[0] = y[1] = y[2] = w[0] = w[1] = 99;
  TEST_ASSERT_TRUE(expr_tape_eval(t, 1, lane, (LaneOut[2]){{NULL, 1, 3}, {w, 1, 2}}, work));
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(((double[2]){2, -3}), w, 2);
  TEST_ASSERT_TRUE(expr_tape_eval(t, 1, lane, (LaneOut[2]){{y, 1, 3}, {NULL, 1, 2}}, work));
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(((double[3]){-0.5, 0, 4}), y, 3);
  expr_tape_free(t);
}

static void test_evaluation_allocates_nothing(void) {
  static Dag d;
  static double x[MOST_POINTS * N_X], y[MOST_POINTS * N_OUT];
  Rng rng;
  rng_seed(&rng, 3);
  dag_random(&d, g, &rng, N_X, 80);
  Expr out[N_OUT];
  choose_outputs(&d, out);
  ExprFunction f = column_function(g, arena, N_X, N_OUT, out);
  ExprTape *t = tape_of(&f, TAPE_FOR_EVALUATOR);
  void *work = work_for(t);
  const LaneIn in = {x, 1, N_X};
  const LaneOut to = {y, 1, N_OUT};
  Error err = {0};
  alloc_fail_from(1);
  bool ok = expr_tape_eval(t, MOST_POINTS, &in, &to, work);
  Status status = expr_tape_explain(t, MOST_POINTS, &in, work, &err);
  long n = alloc_count();
  alloc_fail_from(0);
  TEST_ASSERT_TRUE(ok);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, status);
  TEST_ASSERT_EQUAL_INT64(0, n);
  expr_tape_free(t);
}

// ---- NaN and Inf -------------------------------------------------------------------------------

// Evaluates e at 40 points that are all good but one; the message must name these parts.
static void check_bad(Expr e, double good, double bad, const char *const part[3]) {
  enum { N = 40 };
  ExprFunction f = column_function(g, arena, 2, 1, &e);
  static const int place[] = {0, 5, 8, 31, 32, 39};
  for (int order = 0; order < 2; order++) {
    ExprTape *t = tape_of(&f, (TapeOrder)order);
    void *work = work_for(t);
    for (size_t k = 0; k < sizeof place / sizeof place[0]; k++) {
      double x[2 * N], y[N];
      for (int i = 0; i < N; i++) x[2 * i] = good, x[2 * i + 1] = 0.5;
      const LaneIn in = {x, 1, 2};
      const LaneOut to = {y, 1, 1};
      Error err = {0};
      TEST_ASSERT_TRUE(expr_tape_eval(t, N, &in, &to, work));
      TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_explain(t, N, &in, work, &err));
      x[2 * place[k]] = bad;
      TEST_ASSERT_FALSE(expr_tape_eval(t, N, &in, &to, work));
      for (int i = 0; i < N; i++) TEST_ASSERT_EQUAL_INT(i != place[k], isfinite(y[i]) != 0);
      // not wanted is no excuse
      TEST_ASSERT_FALSE(expr_tape_eval(t, N, &in, &(LaneOut){NULL, 1, 1}, work));
      TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, expr_tape_explain(t, N, &in, work, &err));
      char point[20];
      snprintf(point, sizeof point, "at point %d", place[k]);
      TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, point), err.what);
      TEST_ASSERT_EQUAL_STRING("f", err.where);
      for (int i = 0; i < 3 && part[i]; i++) {
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, part[i]), err.what);
      }
    }
    expr_tape_free(t);
  }
}

static void test_nan_and_inf_are_reported_with_their_origin(void) {
  Expr x = expr_input(g, 0, 0), y = expr_input(g, 0, 1);
  int none = expr_graph_origin(g, "the pivot of joint %s", "q3");
  Expr root = expr_sqrt(g, x), ratio = expr_div(g, y, x), inverse = expr_div(g, EXPR_ONE, x);
  Expr logarithm = expr_log(g, x), power = expr_exp(g, x), square = expr_mul(g, x, x);
  Expr sine = expr_sin(g, x);
  expr_graph_origin_restore(g, none);
  expr_graph_origin(g, "elsewhere");
  const char *pivot = "in the pivot of joint q3";
  check_bad(expr_add(g, root, y), 2, -1, (const char *[3]){"square root", "nan", pivot});
  check_bad(expr_mul(g, ratio, y), 2, 0, (const char *[3]){"division", "inf", pivot});
  check_bad(expr_sub(g, y, inverse), 2, 0, (const char *[3]){"division", "inf", pivot});
  check_bad(expr_add(g, logarithm, y), 2, 0, (const char *[3]){"logarithm", "-inf", pivot});
  check_bad(expr_cos(g, logarithm), 2, -3, (const char *[3]){"logarithm", "nan", pivot});
  check_bad(expr_mul(g, power, y), 2, 1e3, (const char *[3]){"exponential", "inf", pivot});
  check_bad(expr_mul(g, expr_add(g, square, y), y), 2, 1e200,
            (const char *[3]){"sum or product", "inf", NULL});
  check_bad(expr_add(g, sine, y), 2, INFINITY, (const char *[3]){"x[0] is inf", NULL, NULL});
  check_bad(expr_add(g, sine, y), 2, NAN, (const char *[3]){"x[0] is", "nan", NULL});
  check_bad(expr_neg(x), 2, NAN, (const char *[3]){"x[0] is", "nan", NULL});
}

static void test_a_constant_without_a_value_is_reported(void) {
  expr_graph_origin(g, "the constant");
  const Expr bad[] = {expr_div(g, EXPR_ONE, EXPR_ZERO), expr_log(g, EXPR_ZERO),
                      expr_sqrt(g, expr_const(g, -1)),
                      expr_mul(g, expr_const(g, 1e300), expr_const(g, 1e300))};
  for (int i = 0; i < 4; i++) {
    ExprFunction f = column_function(g, arena, 1, 1, &bad[i]);
    ExprTape *t = tape_of(&f, TAPE_FOR_EVALUATOR);
    void *work = work_for(t);
    const double x = 1;
    double y;
    const LaneIn in = {&x, 1, 1};
    Error err = {0};
    TEST_ASSERT_FALSE(expr_tape_eval(t, 1, &in, &(LaneOut){&y, 1, 1}, work));
    TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, expr_tape_explain(t, 1, &in, work, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "in the constant"), err.what);
    expr_tape_free(t);
  }
}

// ---- accuracy ----------------------------------------------------------------------------------

// error in units in the last place of the exact value
static double ulps(double actual, long double exact) {
  if (isnan((double)exact)) return isnan(actual) ? 0 : INFINITY;
  if (isinf((double)exact)) return actual == (double)exact ? 0 : INFINITY;
  int e;
  frexpl(exact, &e);
  double unit = e > DBL_MIN_EXP ? ldexp(1, e - DBL_MANT_DIG) : DBL_TRUE_MIN;
  return (double)(fabsl(actual - exact) / unit);
}

// sin and cos of arguments, together and alone
typedef struct Trig {
  ExprTape *t;
  void *work;
  double absolute;  // worst error
  double units;  // worst error where the value is no smaller than 0.1, in units in the last place
} Trig;

static void note_error(Trig *trig, double actual, long double exact) {
  double u = ulps(actual, exact);
  if (isnan((double)exact) || fabsl(exact) >= 0.1L) trig->units = fmax(trig->units, u);
  if (!isnan((double)exact)) trig->absolute = fmax(trig->absolute, (double)fabsl(actual - exact));
  TEST_ASSERT_TRUE_MESSAGE(u <= 2 || fabsl(actual - exact) <= 1e-15L, "sine or cosine");
}

static void check_trig(Trig *trig, int n, const double *x) {
  static double y[3 * 1000];
  TEST_ASSERT_LESS_OR_EQUAL_INT(1000, n);
  const LaneIn in[2] = {{x, 1, 1}, {x, 1, 1}};
  expr_tape_eval(trig->t, n, in, &(LaneOut){y, 1, 3}, trig->work);
  for (int i = 0; i < n; i++) {
    note_error(trig, y[3 * i], sinl(x[i]));
    note_error(trig, y[3 * i + 1], cosl(x[i]));
    note_error(trig, y[3 * i + 2], sinl(x[i]));
  }
}

static void test_sine_and_cosine_are_accurate(void) {
  Expr a = expr_input(g, 0, 0), b = expr_input(g, 1, 0);
  const ExprInput in[2] = {{"a", 1, 0}, {"b", 1, 1}};
  const Expr e[3] = {expr_sin(g, a), expr_cos(g, a), expr_sin(g, b)};
  ExprOutput out = {.name = "y"};
  TEST_ASSERT_TRUE(expr_column(&out.value, arena, 3, e));
  const ExprFunction f = {.name = "f", .g = g, .n_in = 2, .in = in, .n_out = 1, .out = &out};
  Trig trig = {.t = tape_of(&f, TAPE_FOR_EVALUATOR)};
  trig.work = work_for(trig.t);
  static double x[1000];
  Rng rng;
  rng_seed(&rng, 4);
  static const double range[] = {1e-8, 1, 4, 100, 1e5, 9.9e5, 1e6, 1e8, 1e15};
  for (size_t r = 0; r < sizeof range / sizeof range[0]; r++) {
    for (int turn = 0; turn < 20; turn++) {
      for (int i = 0; i < 1000; i++) x[i] = rng_uniform(&rng, -range[r], range[r]);
      check_trig(&trig, 1000, x);
    }
  }
  // multiples of pi/2 and their neighbours
  for (int block = 0; block < 700; block++) {
    for (int i = 0; i < 1000; i++) {
      double k = block * 1000 + i, at = k * 1.5707963267948966;
      int step = i % 7 - 3;
      for (int s = 0; s < (step < 0 ? -step : step); s++) at = nextafter(at, step < 0 ? -1e9 : 1e9);
      x[i] = i % 2 ? at : -at;
    }
    check_trig(&trig, 1000, x);
  }
  const double special[] = {0.0,  -0.0,        1e-300, -5e-324, 0.785398163397448, 1e6,
                            -1e6, 999999.9999, 1e22,   -1e300,  INFINITY,          -INFINITY,
                            NAN,  DBL_MAX,     1.0,    2.0};
  check_trig(&trig, 16, special);
  printf("sine and cosine: worst error %.3f ulp, %.2g absolute\n", trig.units, trig.absolute);
  TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(3.0, trig.units);
  TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(DBL_EPSILON, trig.absolute);
  expr_tape_free(trig.t);
}

static void test_the_other_functions_are_accurate(void) {
  Expr a = expr_input(g, 0, 0), b = expr_input(g, 0, 1);
  const Expr e[5] = {expr_exp(g, a), expr_log(g, expr_exp(g, a)), expr_sqrt(g, b),
                     expr_div(g, a, b), expr_log(g, b)};
  ExprFunction f = column_function(g, arena, 2, 5, e);
  ExprTape *t = tape_of(&f, TAPE_FOR_EVALUATOR);
  void *work = work_for(t);
  static double x[2000], y[5000];
  Rng rng;
  rng_seed(&rng, 5);
  double worst[5] = {0};
  for (int turn = 0; turn < 50; turn++) {
    for (int i = 0; i < 1000; i++) {
      x[2 * i] = rng_uniform(&rng, -30, 30);
      x[2 * i + 1] = exp(rng_uniform(&rng, -200, 200));
    }
    const LaneIn in = {x, 1, 2};
    TEST_ASSERT_TRUE(expr_tape_eval(t, 1000, &in, &(LaneOut){y, 1, 5}, work));
    for (int i = 0; i < 1000; i++) {
      long double p = x[2 * i], q = x[2 * i + 1];
      worst[0] = fmax(worst[0], ulps(y[5 * i], expl(p)));
      worst[1] = fmax(worst[1], ulps(y[5 * i + 1], logl(y[5 * i])));
      worst[2] = fmax(worst[2], ulps(y[5 * i + 2], sqrtl(q)));
      worst[3] = fmax(worst[3], ulps(y[5 * i + 3], p / q));
      worst[4] = fmax(worst[4], ulps(y[5 * i + 4], logl(q)));
    }
  }
  static const double most[5] = {2, 2, 0.5001, 0.5001, 2};
  for (int i = 0; i < 5; i++) TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(most[i], worst[i]);
  expr_tape_free(t);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random_expressions_have_their_values_in_both_orders);
  RUN_TEST(test_any_number_of_points_in_any_layout_gives_the_same_bits);
  RUN_TEST(test_outputs_that_are_not_wanted_are_not_written);
  RUN_TEST(test_evaluation_allocates_nothing);
  RUN_TEST(test_nan_and_inf_are_reported_with_their_origin);
  RUN_TEST(test_a_constant_without_a_value_is_reported);
  RUN_TEST(test_sine_and_cosine_are_accurate);
  RUN_TEST(test_the_other_functions_are_accurate);
  return UNITY_END();
}
