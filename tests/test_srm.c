// SPDX-License-Identifier: MIT
// Sequential regularization, traced: the multipliers act as -J^T mu, whatever the loops; the cost grows
// with the number of bodies.
#include "dynamics/srm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_support.h"
#include "expr/expr_ad.h"
#include "loop_support.h"
#include "model/mechanism_gen.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// a(mu) against the forward dynamics under tau - J^T mu_s, and phi' against J v, J by differentiation
static void check(const Model *m, uint64_t seed) {
  Trace t;
  trace_open(&t, m);
  Arena *arena = arena_new();
  int n = m->nv, rows = model_n_rows(m);
  const Expr gain[2] = {expr_const(t.g, 3.0), expr_const(t.g, 7.0)};
  SrmTrace s;
  Expr *mu = arena_array(arena, (size_t)rows, sizeof *mu);
  for (int k = 0; k < rows; k++) mu[k] = expr_input(t.g, DYN_LAMBDA, k);
  TEST_ASSERT_TRUE(srm_build(&s, &t.tr, t.tr.tau, mu, gain, arena));
  TEST_ASSERT_EQUAL_INT(rows, s.m);

  ExprMatrix J;
  TEST_ASSERT_TRUE(expr_jacobian(t.g, arena, rows, s.phi, n, t.tr.q, &J));
  Expr *force = arena_array(arena, (size_t)n, sizeof *force);
  Expr *out = arena_array(arena, (size_t)(2 * n + 2 * rows), sizeof *out);
  memcpy(force, t.tr.tau, (size_t)n * sizeof *force);
  memcpy(out, s.a, (size_t)n * sizeof *out);
  memcpy(out + 2 * n, s.rate, (size_t)rows * sizeof *out);
  for (int k = 0; k < rows; k++) out[2 * n + rows + k] = EXPR_ZERO;
  for (int j = 0; j < n; j++) {
    for (int e = J.colptr[j]; e < J.colptr[j + 1]; e++) {
      Expr *rate = &out[2 * n + rows + J.row[e]];
      force[j] = expr_sub(t.g, force[j], expr_mul(t.g, J.e[e], s.mu[J.row[e]]));
      *rate = expr_add(t.g, *rate, expr_mul(t.g, J.e[e], t.tr.v[j]));
    }
  }
  TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t.tr, force, out + n));
  Numbers f = numbers_open(t.g, 2 * n + 2 * rows, out);
  double *y = arena_array(arena, (size_t)(2 * n + 2 * rows), sizeof *y);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < 3; k++) {
    State x;
    state_random(&x, m, &rng);
    numbers_eval(&f, 1, &x, y);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, error_relative(n, y + n, y));
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, error_relative(rows, y + 2 * n + rows, y + 2 * n));
  }
  numbers_close(&f);
  trace_close(&t);
  arena_free(arena);
}

static void test_multipliers_push_along_the_constraints(void) {
  static const char *const names[] = {"fourbar", "fivebar", "shoulder", "squares4"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Model *m = mechanism_load(names[i]);
    check(m, i + 1);
    model_free(m);
  }
  for (uint64_t seed = 1; seed <= 3; seed++) {
    Model *m = chain_with_loops(seed);
    check(m, seed);
    model_free(m);
  }
}

static int operations(MechanismKind kind, int size, int width) {
  TextBuf text = {0};
  mechanism_gen(&text, &(MechanismOptions){kind, size, width});
  Model *m;
  DynFunction *f;
  ExprTape *tape;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_parse(&m, text.text, "made", &err), err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, srm_function_build(&f, m, &err), err.what);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, &f->f, TAPE_FOR_COMPILER, &err));
  int total = tape->count.total;
  expr_tape_free(tape);
  dyn_function_free(f);
  model_free(m);
  textbuf_free(&text);
  return total;
}

static void test_the_cost_grows_with_the_number_of_bodies(void) {
  int squares[3], nets[3];
  for (int k = 0; k < 3; k++) {
    squares[k] = operations(MECHANISM_SQUARES, 8 << k, 0);
    nets[k] = operations(MECHANISM_NET, 4 << k, 4);
  }
  printf("squares %d %d %d, nets %d %d %d\n", squares[0], squares[1], squares[2], nets[0], nets[1],
         nets[2]);
  TEST_ASSERT_LESS_OR_EQUAL_INT(2 * (squares[1] - squares[0]) + 20, squares[2] - squares[1]);
  TEST_ASSERT_LESS_OR_EQUAL_INT(2 * (nets[1] - nets[0]) + 20, nets[2] - nets[1]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_multipliers_push_along_the_constraints);
  RUN_TEST(test_the_cost_grows_with_the_number_of_bodies);
  return UNITY_END();
}
