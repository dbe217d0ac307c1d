// SPDX-License-Identifier: MIT
// Loop constraints: Jacobian, rates and gamma against finite differences, for every type of loop, on
// random trees, where nothing is closed: the derivatives are exact all the same.
#include "dynamics/loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_support.h"
#include "loop_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX_M = 40 };

typedef struct Values {
  double phi[MAX_M], rate[MAX_M], gamma[MAX_M], J[MAX_M * MAX_NV];
} Values;

typedef struct Traced {
  Trace t;
  LoopTrace lt;
  Arena *arena;
  Numbers f;
} Traced;

static void traced_open(Traced *x, const Model *m) {
  x->arena = arena_new();
  trace_open(&x->t, m);
  TEST_ASSERT_TRUE(loops_build(&x->lt, &x->t.tr, x->arena));
  int rows = x->lt.m, nnz = x->lt.J.nnz;
  TEST_ASSERT_EQUAL_INT(model_n_rows(m), rows);
  TEST_ASSERT_LESS_OR_EQUAL_INT(MAX_M, rows);
  Expr *out = arena_array(x->arena, (size_t)(3 * rows + nnz), sizeof *out);
  TEST_ASSERT_NOT_NULL(out);
  size_t size = (size_t)rows * sizeof *out;
  memcpy(out, x->lt.phi, size);
  memcpy(out + rows, x->lt.rate, size);
  memcpy(out + 2 * rows, x->lt.gamma, size);
  memcpy(out + 3 * rows, x->lt.J.e, (size_t)nnz * sizeof *out);
  x->f = numbers_open(x->t.g, 3 * rows + nnz, out);
}

static void traced_close(Traced *x) {
  numbers_close(&x->f);
  trace_close(&x->t);
  arena_free(x->arena);
}

static void traced_eval(const Traced *x, const State *s, Values *v) {
  double y[3 * MAX_M + MAX_M * MAX_NV];
  int m = x->lt.m;
  size_t size = (size_t)m * sizeof *y;
  numbers_eval(&x->f, 1, s, y);
  memcpy(v->phi, y, size);
  memcpy(v->rate, y + m, size);
  memcpy(v->gamma, y + 2 * m, size);
  memset(v->J, 0, sizeof v->J);
  for (int j = 0; j < x->lt.J.n_col; j++) {
    for (int e = x->lt.J.colptr[j]; e < x->lt.J.colptr[j + 1]; e++) {
      v->J[x->lt.J.row[e] + MAX_M * j] = y[3 * m + e];
    }
  }
}

// phi at q + h v + h^2/2 a, for the derivatives along a motion
static void phi_along(const Traced *x, const State *s, double h, double *phi) {
  State moved = *s;
  Values v;
  for (int i = 0; i < x->t.tr.m->nv; i++) moved.q[i] += h * s->v[i] + 0.5 * h * h * s->a[i];
  traced_eval(x, &moved, &v);
  memcpy(phi, v.phi, sizeof v.phi);
}

static void check_jacobian(const Traced *x, const State *s, const Values *v) {
  const double h = 1e-5;
  int m = x->lt.m, n = x->t.tr.m->nv;
  for (int j = 0; j < n; j++) {
    State plus = *s, minus = *s;
    Values a, b;
    plus.q[j] += h;
    minus.q[j] -= h;
    traced_eval(x, &plus, &a);
    traced_eval(x, &minus, &b);
    for (int r = 0; r < m; r++) {
      double slope = (a.phi[r] - b.phi[r]) / (2 * h), exact = v->J[r + MAX_M * j];
      TEST_ASSERT_DOUBLE_WITHIN(1e-7 * (1 + fabs(exact)), slope, exact);
    }
  }
}

// phi' = J v and phi'' = J a - gamma along any motion
static void check_motion(const Traced *x, const State *s, const Values *v) {
  const double h = 1e-3;
  int m = x->lt.m, n = x->t.tr.m->nv;
  double p[5][MAX_M];
  for (int k = 0; k < 5; k++) phi_along(x, s, (k - 2) * h, p[k]);
  for (int r = 0; r < m; r++) {
    double first = (p[0][r] - 8 * p[1][r] + 8 * p[3][r] - p[4][r]) / (12 * h);
    double second = (-p[0][r] + 16 * p[1][r] - 30 * p[2][r] + 16 * p[3][r] - p[4][r]) /
                    (12 * h * h);
    double Ja = 0, Jv = 0;
    for (int j = 0; j < n; j++) {
      Ja += v->J[r + MAX_M * j] * s->a[j];
      Jv += v->J[r + MAX_M * j] * s->v[j];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-10 * (1 + fabs(Jv)), Jv, v->rate[r]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(Jv)), first, v->rate[r]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * (1 + fabs(second)), second, Ja - v->gamma[r]);
  }
}

static void test_derivatives_of_every_loop_type_are_exact(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    Model *m = tree_with_loops(6 + (int)seed % 5, seed);
    TEST_ASSERT_EQUAL_INT(N_LOOP_TYPES, m->n_loop);
    Traced x;
    traced_open(&x, m);
    Rng rng;
    rng_seed(&rng, seed);
    for (int k = 0; k < 3; k++) {
      State s;
      Values v;
      state_random(&s, m, &rng);
      for (int i = 0; i < m->nv; i++) s.v[i] *= 0.3, s.a[i] *= 0.2;
      traced_eval(&x, &s, &v);
      check_jacobian(&x, &s, &v);
      check_motion(&x, &s, &v);
    }
    traced_close(&x);
    model_free(m);
  }
}

// columns exist only between the nearest common ancestor and the two bodies
static void test_rows_have_columns_between_the_bodies_only(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    Model *m = tree_with_loops(12, seed);
    Traced x;
    traced_open(&x, m);
    const DynTree *t = &x.t.tr.tree;
    for (int j = 0; j < m->nv; j++) {
      for (int e = x.lt.J.colptr[j]; e < x.lt.J.colptr[j + 1]; e++) {
        const ModelLoop *l = &m->loop[x.lt.loop[x.lt.J.row[e]]];
        int on_path = 0;
        for (int s = 0; s < 2; s++) {
          int i = l->body[s];
          while (i > j) i = t->joint[i].parent;
          on_path += i == j;
        }
        TEST_ASSERT_EQUAL_INT(1, on_path);
      }
    }
    traced_close(&x);
    model_free(m);
  }
}

static void test_mechanisms_are_closed_at_their_start(void) {
  static const char *const files[] = {"configs/mechanisms/fourbar.json",
                                      "configs/mechanisms/fivebar.json"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    Error err = {0};
    Model *m = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_load(&m, files[i], &err), err.what);
    Traced x;
    traced_open(&x, m);
    State s = {0};
    memcpy(s.q, model_start(m), (size_t)m->nv * sizeof *s.q);
    Values v;
    traced_eval(&x, &s, &v);
    TEST_ASSERT_TRUE_MESSAGE(max_abs(x.lt.m, v.phi) < 1e-12, files[i]);
    check_jacobian(&x, &s, &v);
    traced_close(&x);
    model_free(m);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_derivatives_of_every_loop_type_are_exact);
  RUN_TEST(test_rows_have_columns_between_the_bodies_only);
  RUN_TEST(test_mechanisms_are_closed_at_their_start);
  return UNITY_END();
}
