// SPDX-License-Identifier: MIT
// From expressions to instructions: dead code left out, registers reused, operations counted.
#include "expr/expr_tape.h"

#include <stdlib.h>
#include <string.h>

#include "expr_support.h"
#include "unity.h"

static ExprGraph *g;
static Arena *arena;
static Expr x[8];

void setUp(void) {
  g = expr_graph_new();
  arena = arena_new();
  TEST_ASSERT_TRUE(g && arena);
  for (int i = 0; i < 8; i++) x[i] = expr_input(g, 0, i);
}

void tearDown(void) {
  expr_graph_free(g);
  arena_free(arena);
}

static ExprTape *tape_of(int n_out, const Expr *out, TapeOrder order) {
  ExprFunction f = column_function(g, arena, 8, n_out, out);
  Error err = {0};
  ExprTape *t = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, expr_tape_build(&t, &f, order, &err), err.what);
  return t;
}

static void check_count(int n_out, const Expr *out, ExprCount expected) {
  for (int order = 0; order < 2; order++) {
    ExprTape *t = tape_of(n_out, out, (TapeOrder)order);
    const ExprCount *c = &t->count;
    TEST_ASSERT_EQUAL_INT(expected.add, c->add);
    TEST_ASSERT_EQUAL_INT(expected.sub, c->sub);
    TEST_ASSERT_EQUAL_INT(expected.mul, c->mul);
    TEST_ASSERT_EQUAL_INT(expected.div, c->div);
    TEST_ASSERT_EQUAL_INT(expected.neg, c->neg);
    TEST_ASSERT_EQUAL_INT(expected.sqrt, c->sqrt);
    TEST_ASSERT_EQUAL_INT(expected.sincos, c->sincos);
    TEST_ASSERT_EQUAL_INT(expected.other, c->other);
    TEST_ASSERT_EQUAL_INT(c->add + c->sub + c->mul + c->div + c->neg + c->sqrt + c->other,
                          c->total);
    expr_tape_free(t);
  }
}

static void test_operations_of_known_expressions_are_counted(void) {
  Expr p = expr_mul(g, x[0], x[1]);
  Expr fused = expr_add(g, p, x[2]);  // a fused instruction is two operations
  check_count(1, &fused, (ExprCount){.add = 1, .mul = 1});
  Expr difference = expr_sub(g, x[0], x[1]);
  check_count(1, &difference, (ExprCount){.sub = 1});
  Expr turned = expr_neg(difference);  // x1 - x0, no negation
  check_count(1, &turned, (ExprCount){.sub = 1});
  const Expr both[] = {difference, turned};
  check_count(2, both, (ExprCount){.sub = 1, .neg = 1});
  const Expr trig[] = {expr_sin(g, x[0]), expr_cos(g, x[0]), expr_cos(g, x[1])};
  check_count(3, trig, (ExprCount){.sincos = 3});
  Expr quotient = expr_div(g, expr_sqrt(g, x[0]), x[1]);
  check_count(1, &quotient, (ExprCount){.div = 1, .sqrt = 1});
  const Expr rest[] = {expr_exp(g, x[0]), expr_log(g, x[1])};
  check_count(2, rest, (ExprCount){.other = 2});
  Expr minus = expr_neg(x[3]);
  check_count(1, &minus, (ExprCount){.neg = 1});
  const Expr free[] = {x[0], x[0], expr_const(g, -2), EXPR_ZERO};
  check_count(4, free, (ExprCount){.add = 0});
  const Expr shared[] = {expr_add(g, p, x[2]), expr_sub(g, p, x[3]), p};
  check_count(3, shared, (ExprCount){.add = 1, .sub = 1, .mul = 1});
}

static void test_dead_code_is_left_out(void) {
  Expr wanted = expr_add(g, x[0], x[1]);
  for (int i = 0; i < 100; i++) expr_mul(g, expr_const(g, i + 2.5), expr_sin(g, wanted));
  for (int order = 0; order < 2; order++) {
    ExprTape *t = tape_of(1, &wanted, (TapeOrder)order);
    TEST_ASSERT_EQUAL_INT(4, t->n_instr);  // two inputs, sum, output
    TEST_ASSERT_EQUAL_INT(TAPE_N_OPS, t->instr[t->n_instr].op);
    expr_tape_free(t);
  }
}

static void test_registers_are_reused(void) {
  // a chain of 1000 operations never needs more than a few values at once
  Expr e = x[0];
  for (int i = 0; i < 500; i++) {
    e = expr_sin(g, e);
    e = expr_mul(g, e, x[1 + i % 7]);
  }
  ExprTape *t = tape_of(1, &e, TAPE_FOR_COMPILER);
  TEST_ASSERT_LESS_OR_EQUAL_INT(16, t->n_reg);
  expr_tape_free(t);
  t = tape_of(1, &e, TAPE_FOR_EVALUATOR);
  TEST_ASSERT_LESS_OR_EQUAL_INT(64, t->n_reg);
  expr_tape_free(t);
}

// operands that an instruction reads from registers, as expr_tape.h says
static int reads(const TapeInstr *i, int r[3]) {
  switch ((TapeOp)i->op) {
    case TAPE_OUT:
    case TAPE_OUT_NEG: return r[0] = i->c, 1;
    case TAPE_ADD:
    case TAPE_SUB:
    case TAPE_MUL:
    case TAPE_DIV: return r[0] = i->a, r[1] = i->b, 2;
    case TAPE_ADD_K:
    case TAPE_K_SUB:
    case TAPE_MUL_K:
    case TAPE_K_DIV:
    case TAPE_NEG:
    case TAPE_SQRT:
    case TAPE_SINCOS:
    case TAPE_SIN:
    case TAPE_COS:
    case TAPE_EXP:
    case TAPE_LOG: return r[0] = i->a, 1;
    case TAPE_FMA:
    case TAPE_FMS:
    case TAPE_FNMA: return r[0] = i->a, r[1] = i->b, r[2] = i->c, 3;
    case TAPE_FMA_K:
    case TAPE_FMS_K: return r[0] = i->a, r[1] = i->c, 2;
    default: return 0;
  }
}

static void test_no_register_is_read_before_it_is_written(void) {
  Rng rng;
  rng_seed(&rng, 7);
  static Dag d;
  for (int turn = 0; turn < 300; turn++) {
    tearDown();
    setUp();
    dag_random(&d, g, &rng, 4, 60);
    ExprTape *t = tape_of(8, d.e + d.n - 8, (TapeOrder)(turn % 2));
    char *written = calloc((size_t)t->n_reg + 1, 1);
    TEST_ASSERT_NOT_NULL(written);
    int stored = 0;
    for (int e = 0; e < t->n_instr; e++) {
      const TapeInstr *i = &t->instr[e];
      int r[3], n = reads(i, r);
      for (int k = 0; k < n; k++) {
        TEST_ASSERT_TRUE(r[k] >= 0 && r[k] < t->n_reg);
        TEST_ASSERT_TRUE_MESSAGE(written[r[k]], "reads what nobody wrote");
      }
      bool out = i->op == TAPE_OUT || i->op == TAPE_OUT_NEG || i->op == TAPE_OUT_K;
      stored += out;
      if (!out) {
        TEST_ASSERT_TRUE(i->dst >= 0 && i->dst < t->n_reg);
        written[i->dst] = 1;
      }
      if (i->op == TAPE_SINCOS) {
        TEST_ASSERT_TRUE(i->c >= 0 && i->c < t->n_reg && i->c != i->dst);
        written[i->c] = 1;
      }
      TEST_ASSERT_TRUE(t->origin[e] >= 0 && t->origin[e] < t->n_label);
    }
    TEST_ASSERT_EQUAL_INT(8, stored);
    free(written);
    expr_tape_free(t);
  }
}

static void test_both_orders_count_the_same_operations(void) {
  Rng rng;
  rng_seed(&rng, 8);
  static Dag d;
  for (int turn = 0; turn < 300; turn++) {
    tearDown();
    setUp();
    dag_random(&d, g, &rng, 4, 60);
    const Expr *out = d.e + d.n - 6;
    ExprTape *a = tape_of(6, out, TAPE_FOR_EVALUATOR), *b = tape_of(6, out, TAPE_FOR_COMPILER);
    TEST_ASSERT_EQUAL_MEMORY(&a->count, &b->count, sizeof a->count);
    // never more than the graph says, but for negations where signs reach outputs
    TEST_ASSERT_LESS_OR_EQUAL_INT(expr_cost(g, 6, out) + 6, a->count.total);
    TEST_ASSERT_GREATER_OR_EQUAL_INT(expr_cost(g, 6, out), a->count.total);
    expr_tape_free(a);
    expr_tape_free(b);
  }
}

static void test_the_tape_outlives_its_graph(void) {
  expr_graph_origin(g, "the sum");
  Expr e = expr_add(g, expr_sin(g, x[0]), x[1]);
  ExprTape *t = tape_of(1, &e, TAPE_FOR_EVALUATOR);
  tearDown();
  g = NULL;
  arena = NULL;
  _Alignas(64) static double work[1024];
  TEST_ASSERT_LESS_OR_EQUAL_size_t(sizeof work, expr_tape_work_size(t));
  const double in[8] = {0.5, 2};
  double y;
  const LaneIn lane = {in, 1, 8};
  const LaneOut out = {&y, 1, 1};
  TEST_ASSERT_TRUE(expr_tape_eval(t, 1, &lane, &out, work));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.479425538604203, y);
  TEST_ASSERT_EQUAL_STRING("f", t->name);
  TEST_ASSERT_EQUAL_STRING("x", t->in_name[0]);
  TEST_ASSERT_EQUAL_STRING("the sum", t->label[t->n_label - 1]);
  expr_tape_free(t);
}

static void test_a_failed_graph_gives_no_tape(void) {
  ExprFunction f = column_function(g, arena, 8, 1, x);
  expr_graph_fail(g);
  Error err = {0};
  ExprTape *t = (ExprTape *)&err;
  TEST_ASSERT_EQUAL_INT(STATUS_NO_MEMORY, expr_tape_build(&t, &f, TAPE_FOR_EVALUATOR, &err));
  TEST_ASSERT_NULL(t);
  expr_tape_free(NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_operations_of_known_expressions_are_counted);
  RUN_TEST(test_dead_code_is_left_out);
  RUN_TEST(test_registers_are_reused);
  RUN_TEST(test_no_register_is_read_before_it_is_written);
  RUN_TEST(test_both_orders_count_the_same_operations);
  RUN_TEST(test_the_tape_outlives_its_graph);
  RUN_TEST(test_a_failed_graph_gives_no_tape);
  return UNITY_END();
}
