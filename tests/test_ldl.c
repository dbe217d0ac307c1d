// SPDX-License-Identifier: MIT
// Sparse L D L^T on systems [M C^T; C 0] of random mechanisms: numbers and expressions solve them,
// redundant rows are found and set aside, and the order fills little.
#include "dynamics/ldl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dynamics/kkt_order.h"
#include "expr/expr_tape.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX_N = 400, MAX_ENTRY = 40000, MAX_JOINT = 64 };

// bodies of `size` rows and joints of given rows between them, dense blocks of random numbers
typedef struct System {
  Arena *arena;
  int n, n_body, size, n_joint, n_entry;
  KktJoint joint[MAX_JOINT];
  int first[MAX_JOINT];
  LdlEntry entry[MAX_ENTRY];
  double value[MAX_ENTRY];
  int order[MAX_N];
  Ldl ldl;
} System;

static void add(System *s, int i, int j, double x) {
  TEST_ASSERT_LESS_THAN_INT(MAX_ENTRY, s->n_entry);
  s->entry[s->n_entry] = (LdlEntry){i, j};
  s->value[s->n_entry++] = x;
}

static void fill(System *s, Rng *rng) {
  s->n = s->n_body * s->size;
  for (int b = 0; b < s->n_body; b++) {
    for (int j = 0; j < s->size; j++) {
      for (int i = j; i < s->size; i++) {
        add(s, b * s->size + i, b * s->size + j,
            i == j ? rng_uniform(rng, 5, 8) : rng_uniform(rng, -1, 1));
      }
    }
  }
  for (int k = 0; k < s->n_joint; k++) {
    s->first[k] = s->n;
    s->n += s->joint[k].rows;
    for (int r = 0; r < s->joint[k].rows; r++) {
      for (int e = 0; e < 2; e++) {
        for (int i = 0; i < s->size && s->joint[k].body[e] >= 0; i++) {
          add(s, s->first[k] + r, s->joint[k].body[e] * s->size + i, rng_uniform(rng, -1, 1));
        }
      }
    }
  }
  TEST_ASSERT_LESS_THAN_INT(MAX_N, s->n);
}

static void factor_order(System *s) {
  int block[MAX_JOINT + MAX_N], n = 0;
  TEST_ASSERT_TRUE(kkt_order(s->n_body, s->size, s->n_joint, s->joint, block));
  for (int k = 0; k < s->n_body + s->n_joint; k++) {
    bool body = block[k] < s->n_body;
    int at = block[k] - s->n_body;
    int first = body ? block[k] * s->size : s->first[at];
    for (int r = 0; r < (body ? s->size : s->joint[at].rows); r++) s->order[n++] = first + r;
  }
  TEST_ASSERT_EQUAL_INT(s->n, n);
  s->arena = arena_new();
  TEST_ASSERT_TRUE(ldl_build(&s->ldl, s->arena, s->n, s->n_entry, s->entry, s->order));
}

// |A x - b| over |b|
static double residual(const System *s, const double *x, const double *b) {
  double r[MAX_N], worst = 0, size = 0;
  memcpy(r, b, (size_t)s->n * sizeof *r);
  for (int e = 0; e < s->n_entry; e++) {
    int i = s->entry[e].i, j = s->entry[e].j;
    r[i] -= s->value[e] * x[j];
    if (i != j) r[j] -= s->value[e] * x[i];
  }
  for (int i = 0; i < s->n; i++) {
    worst = fmax(worst, fabs(r[i]));
    size = fmax(size, fabs(b[i]));
  }
  return worst / size;
}

static System *random_system(uint64_t seed, int n_body, int extra) {
  Rng rng;
  rng_seed(&rng, seed);
  System *s = calloc(1, sizeof *s);
  TEST_ASSERT_NOT_NULL(s);
  s->n_body = n_body;
  s->size = 6;
  for (int b = 0; b < n_body; b++) {  // a tree
    s->joint[s->n_joint++] = (KktJoint){{b ? rng_int(&rng, b) : -1, b}, 5};
  }
  for (int k = 0; k < extra; k++) {  // and loops
    int a = rng_int(&rng, n_body), b = rng_int(&rng, n_body + 1) - 1;
    if (a != b) s->joint[s->n_joint++] = (KktJoint){{a, b}, rng_int(&rng, 2)};
  }
  fill(s, &rng);
  factor_order(s);
  return s;
}

static void release(System *s) {
  arena_free(s->arena);
  free(s);
}

static void test_numbers_and_expressions_solve_random_mechanisms(void) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    System *s = random_system(seed, 4 + (int)seed, 6);
    Rng rng;
    rng_seed(&rng, seed + 100);
    double b[MAX_N], x[MAX_N], work[MAX_N], d[MAX_N];
    double *l = arena_array(s->arena, (size_t)s->ldl.nnz + 1, sizeof *l);
    for (int i = 0; i < s->n; i++) x[i] = b[i] = rng_uniform(&rng, -1, 1);
    TEST_ASSERT_EQUAL_INT(0, ldl_factor(&s->ldl, s->value, 1e-12, l, d, NULL, work));
    ldl_solve(&s->ldl, l, d, x, work);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, residual(s, x, b));

    // constants fold: what the trace gives are the same numbers
    ExprGraph *g = expr_graph_new();
    Expr *a = arena_array(s->arena, (size_t)s->n_entry, sizeof *a), xe[MAX_N], de[MAX_N];
    Expr *le = arena_array(s->arena, (size_t)s->ldl.nnz + 1, sizeof *le);
    for (int e = 0; e < s->n_entry; e++) a[e] = expr_const(g, s->value[e]);
    for (int i = 0; i < s->n; i++) xe[i] = expr_const(g, b[i]);
    TEST_ASSERT_TRUE(ldl_trace(g, &s->ldl, a, NULL, le, de));
    TEST_ASSERT_TRUE(ldl_trace_solve(g, &s->ldl, le, de, xe));
    for (int i = 0; i < s->n; i++) {
      double value;
      TEST_ASSERT_TRUE(expr_is_const(g, xe[i], &value));
      TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + fabs(x[i])), x[i], value);
    }
    expr_graph_free(g);
    release(s);
  }
}

// a row twice: one of the two is null, and the rest is solved as if it were not there
static void test_a_repeated_constraint_is_null_and_harmless(void) {
  System *s = calloc(1, sizeof *s);
  TEST_ASSERT_NOT_NULL(s);
  Rng rng;
  rng_seed(&rng, 5);
  s->n_body = 2;
  s->size = 6;
  s->n_joint = 2;
  s->joint[0] = (KktJoint){{0, 1}, 3};
  s->joint[1] = (KktJoint){{0, 1}, 1};
  fill(s, &rng);
  // the fourth row becomes the third
  int at[2][12], n[2] = {0, 0};
  for (int e = 0; e < s->n_entry; e++) {
    int r = s->entry[e].i - s->first[0];
    if (r >= 2 && r < 4) at[r - 2][n[r - 2]++] = e;
  }
  for (int k = 0; k < 12; k++) s->value[at[1][k]] = s->value[at[0][k]];
  factor_order(s);
  double b[MAX_N], x[MAX_N], work[MAX_N], d[MAX_N];
  bool null[MAX_N];
  double *l = arena_array(s->arena, (size_t)s->ldl.nnz + 1, sizeof *l);
  for (int i = 0; i < s->n; i++) b[i] = rng_uniform(&rng, -1, 1);
  b[s->first[1]] = b[s->first[0] + 2];
  memcpy(x, b, sizeof x);
  TEST_ASSERT_EQUAL_INT(1, ldl_factor(&s->ldl, s->value, 1e-12, l, d, null, work));
  ldl_solve(&s->ldl, l, d, x, work);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, residual(s, x, b));
  TEST_ASSERT_TRUE(null[s->first[0] + 2] != null[s->first[1]]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-20, 0, null[s->first[1]] ? x[s->first[1]] : x[s->first[0] + 2]);
  release(s);
}

// stars and chains fill nothing beyond the blocks of a joint and its bodies; rings a constant more
static int nonzeros(int n, int kind) {
  KktJoint joint[1000];
  int n_joint = 0;
  for (int b = 1; b < n; b++) joint[n_joint++] = (KktJoint){{kind == 0 ? 0 : b - 1, b}, 1};
  if (kind == 2) joint[n_joint++] = (KktJoint){{n - 1, 0}, 1};
  int order[2000];
  LdlEntry entry[6000];
  TEST_ASSERT_TRUE(kkt_order(n, 1, n_joint, joint, order));
  int n_entry = 0;
  for (int b = 0; b < n; b++) entry[n_entry++] = (LdlEntry){b, b};
  for (int k = 0; k < n_joint; k++) {
    for (int s = 0; s < 2; s++) entry[n_entry++] = (LdlEntry){n + k, joint[k].body[s]};
  }
  Arena *arena = arena_new();
  Ldl f;
  TEST_ASSERT_TRUE(ldl_build(&f, arena, n + n_joint, n_entry, entry, order));
  int nnz = f.nnz;
  arena_free(arena);
  return nnz;
}

static void test_the_order_fills_little(void) {
  TEST_ASSERT_EQUAL_INT(2 * 499, nonzeros(500, 0));      // star
  TEST_ASSERT_LESS_THAN_INT(3 * 500, nonzeros(500, 1));  // chain
  TEST_ASSERT_LESS_THAN_INT(5 * 500, nonzeros(500, 2));  // ring
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_numbers_and_expressions_solve_random_mechanisms);
  RUN_TEST(test_a_repeated_constraint_is_null_and_harmless);
  RUN_TEST(test_the_order_fills_little);
  return UNITY_END();
}
