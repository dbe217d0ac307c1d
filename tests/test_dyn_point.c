// SPDX-License-Identifier: MIT
// Residual, Jacobian and Hessian of a collocation point: against differences in long double, both
// rules against each other, and the patterns and counts of the benchmark.
#include "dynamics/dyn_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dyn_support.h"
#include "expr_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { N_INPUTS = 6 };

static DynPoint *build(const Model *m, const DynForm *form, DynRule rule) {
  Error err = {0};
  DynPoint *p = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, dyn_point_build(&p, m, form, rule, &err), err.what);
  return p;
}

// ---- long double -------------------------------------------------------------------------------

// A state in long double; numbers of the inputs as in dyn.h.
typedef struct Wide {
  long double x[N_INPUTS][MAX_NV];
} Wide;

static Wide widen(const State *s) {
  Wide w;
  for (int i = 0; i < MAX_NV; i++) {
    w.x[DYN_Q][i] = s->q[i];
    w.x[DYN_V][i] = s->v[i];
    w.x[DYN_A][i] = s->a[i];
    w.x[DYN_U][i] = s->u[i];
    w.x[DYN_LAMBDA][i] = s->lambda[i];
    w.x[DYN_TAU][i] = s->tau[i];
  }
  return w;
}

// variable `column` of a point
static long double *variable(Wide *w, const DynPoint *p, int column) {
  int nv = p->nv;
  if (column < nv) return &w->x[DYN_Q][column];
  if (column < 2 * nv) return &w->x[DYN_V][column - nv];
  if (p->form->algebraic && column < 3 * nv) return &w->x[DYN_A][column - 2 * nv];
  return &w->x[DYN_U][column - (p->form->algebraic ? 3 : 2) * nv];
}

static void eval_wide(const DynPoint *p, const ExprMatrix *m, const Wide *w, long double *y) {
  const long double *x[N_INPUTS];
  for (int i = 0; i < N_INPUTS; i++) x[i] = w->x[i];
  graph_eval_long(p->g, m->nnz, m->e, x, y);
}

// lambda^T J: one number per column
static void lambda_jacobian(const DynPoint *p, const Wide *w, long double *values,
                            long double *sum) {
  const ExprMatrix *jac = &p->jacobian.out[0].value;
  eval_wide(p, jac, w, values);
  for (int j = 0; j < jac->n_col; j++) {
    sum[j] = 0;
    for (int e = jac->colptr[j]; e < jac->colptr[j + 1]; e++) {
      sum[j] += w->x[DYN_LAMBDA][jac->row[e]] * values[e];
    }
  }
}

// derivative by four points, h^4; rounding of long double over h stays far below
static const long double STEP = 1e-4L;
static long double slope(const long double y[4]) {
  return (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * STEP);
}
static const long double place[4] = {-2, -1, 1, 2};

// Worst errors relative to the largest entry of the matrix.
typedef struct Errors {
  double jacobian, hessian;
} Errors;

static double compare_column(const ExprMatrix *m, int j, int first_row, const long double *values,
                             const long double *expected) {
  long double dense[4 * MAX_NV] = {0}, worst = 0;
  for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++) dense[m->row[e]] = values[e];
  for (int i = first_row; i < m->n_row; i++) worst = fmaxl(worst, fabsl(dense[i] - expected[i]));
  return (double)worst;
}

static double largest(int n, const long double *x) {
  long double most = 0;
  for (int i = 0; i < n; i++) most = fmaxl(most, fabsl(x[i]));
  return (double)most;
}

static Errors difference(const DynPoint *p, const State *s) {
  const ExprMatrix *res = &p->residual.out[0].value, *jac = &p->jacobian.out[0].value,
                   *hess = &p->hessian.out[0].value;
  int most = jac->nnz > hess->nnz ? jac->nnz : hess->nnz;
  long double *J = calloc((size_t)most + 1, sizeof *J), *H = calloc((size_t)most + 1, sizeof *H);
  long double *scratch = calloc((size_t)most + 1, sizeof *scratch);
  TEST_ASSERT_TRUE(J && H && scratch);
  Wide w = widen(s);
  eval_wide(p, jac, &w, J);
  eval_wide(p, hess, &w, H);
  Errors worst = {0};
  for (int j = 0; j < p->nx; j++) {
    long double r[4][MAX_NV], g[4][4 * MAX_NV], column[4 * MAX_NV];
    for (int k = 0; k < 4; k++) {
      Wide moved = w;
      *variable(&moved, p, j) += place[k] * STEP;
      eval_wide(p, res, &moved, r[k]);
      lambda_jacobian(p, &moved, scratch, g[k]);
    }
    for (int i = 0; i < p->nv; i++) {
      column[i] = slope((long double[4]){r[0][i], r[1][i], r[2][i], r[3][i]});
    }
    worst.jacobian = fmax(worst.jacobian, compare_column(jac, j, 0, J, column));
    for (int i = 0; i < p->nx; i++) {
      column[i] = slope((long double[4]){g[0][i], g[1][i], g[2][i], g[3][i]});
    }
    worst.hessian = fmax(worst.hessian, compare_column(hess, j, j, H, column));
  }
  worst.jacobian /= largest(jac->nnz, J);
  worst.hessian /= fmax(largest(hess->nnz, H), 1e-30);
  free(J);
  free(H);
  free(scratch);
  return worst;
}

static void test_derivatives_equal_differences_for_all_robots_and_formulations(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  Errors worst = {0};
  for (int i = 0; i < n; i++) {
    for (int f = 0; dyn_forms[f]; f++) {
      DynPoint *p = build(robot[i], dyn_forms[f], DYN_RULE_BEST);
      Rng rng;
      rng_seed(&rng, 41 + (uint64_t)f);
      State s;
      state_random(&s, robot[i], &rng);
      Errors e = difference(p, &s);
      char text[160];
      snprintf(text, sizeof text, "%s %s: Jacobian %.2g, Hessian %.2g", robot[i]->name,
               dyn_forms[f]->name, e.jacobian, e.hessian);
      TEST_ASSERT_TRUE_MESSAGE(e.jacobian < 1e-8 && e.hessian < 1e-7, text);
      worst.jacobian = fmax(worst.jacobian, e.jacobian);
      worst.hessian = fmax(worst.hessian, e.hessian);
      dyn_point_free(p);
    }
  }
  robots_free(n, robot);
  printf("differences: worst Jacobian %.2g, Hessian %.2g\n", worst.jacobian, worst.hessian);
}

// ---- numbers in double -------------------------------------------------------------------------

// dense values of a function's one output
static void dense_values(const DynPoint *p, const ExprFunction *f, const State *s, double *dense) {
  const ExprMatrix *m = &f->out[0].value;
  double *y = calloc((size_t)m->nnz + 1, sizeof *y);
  TEST_ASSERT_NOT_NULL(y);
  Numbers num = numbers_open(p->g, m->nnz, m->e);
  if (m->nnz) numbers_eval(&num, 1, s, y);
  memset(dense, 0, (size_t)m->n_row * (size_t)m->n_col * sizeof *dense);
  for (int j = 0; j < m->n_col; j++) {
    for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++) dense[m->row[e] + m->n_row * j] = y[e];
  }
  numbers_close(&num);
  free(y);
}

static void test_both_rules_give_the_same_derivatives(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot), n_robot = n;
  // random trees too, with passive joints
  for (int k = 2; k <= 5; k++) robot[n++] = tree_random(k, 900 + (uint64_t)k);
  double worst[2] = {0};
  for (int i = 0; i < n; i++) {
    for (int f = 0; dyn_forms[f]; f++) {
      if (!dyn_forms[f]->explicit_form) continue;
      DynPoint *direct = build(robot[i], dyn_forms[f], DYN_RULE_DIRECT);
      DynPoint *implicit = build(robot[i], dyn_forms[f], DYN_RULE_IMPLICIT);
      TEST_ASSERT_EQUAL_INT(DYN_RULE_DIRECT, direct->jacobian_rule);
      TEST_ASSERT_EQUAL_INT(DYN_RULE_IMPLICIT, implicit->hessian_rule);
      size_t nx = (size_t)direct->nx;
      double *a = calloc(nx * nx, sizeof *a), *b = calloc(nx * nx, sizeof *b);
      TEST_ASSERT_TRUE(a && b);
      Rng rng;
      rng_seed(&rng, 51);
      for (int k = 0; k < 3; k++) {
        State s;
        state_random(&s, robot[i], &rng);
        dense_values(direct, &direct->jacobian, &s, a);
        dense_values(implicit, &implicit->jacobian, &s, b);
        double e = error_relative(direct->nv * direct->nx, a, b);
        TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-9, e, robot[i]->name);
        worst[0] = fmax(worst[0], e);
        dense_values(direct, &direct->hessian, &s, a);
        dense_values(implicit, &implicit->hessian, &s, b);
        e = error_relative(direct->nx * direct->nx, a, b);
        TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-9, e, robot[i]->name);
        worst[1] = fmax(worst[1], e);
      }
      free(a);
      free(b);
      dyn_point_free(direct);
      dyn_point_free(implicit);
    }
  }
  robots_free(n, robot);
  TEST_ASSERT_GREATER_THAN_INT(n_robot, n);
  printf("two rules: worst Jacobian %.2g, Hessian %.2g\n", worst[0], worst[1]);
}

static void test_every_kept_entry_is_nonzero_somewhere(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    for (int f = 0; dyn_forms[f]; f++) {
      DynPoint *p = build(robot[i], dyn_forms[f], DYN_RULE_BEST);
      const ExprFunction *fun[2] = {&p->jacobian, &p->hessian};
      for (int k = 0; k < 2; k++) {
        const ExprMatrix *m = &fun[k]->out[0].value;
        long double *y = calloc((size_t)m->nnz + 1, sizeof *y);
        long double *most = calloc((size_t)m->nnz + 1, sizeof *most);
        TEST_ASSERT_TRUE(y && most);
        Rng rng;
        rng_seed(&rng, 61);
        for (int turn = 0; turn < 2; turn++) {
          State s;
          state_random(&s, robot[i], &rng);
          Wide w = widen(&s);
          eval_wide(p, m, &w, y);
          for (int e = 0; e < m->nnz; e++) most[e] = fmaxl(most[e], fabsl(y[e]));
        }
        double scale = largest(m->nnz, most);
        int zeros = 0;
        for (int e = 0; e < m->nnz; e++) zeros += !(most[e] > 1e-15L * scale);
        char text[120];
        snprintf(text, sizeof text, "%s %s %s: %d of %d kept entries are zero", robot[i]->name,
                 dyn_forms[f]->name, fun[k]->name, zeros, m->nnz);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, zeros, text);
        free(y);
        free(most);
      }
      dyn_point_free(p);
    }
  }
  robots_free(n, robot);
}

// ---- the benchmark -----------------------------------------------------------------------------

static int count(const ExprFunction *f) {
  Error err = {0};
  ExprTape *tape;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, f, TAPE_FOR_EVALUATOR, &err));
  int total = tape->count.total;
  expr_tape_free(tape);
  return total;
}

static bool column_is_empty(const ExprMatrix *m, int j) {
  bool in_row = false;
  for (int e = 0; e < m->nnz; e++) in_row = in_row || (m->n_row == m->n_col && m->row[e] == j);
  return m->colptr[j] == m->colptr[j + 1] && !in_row;
}

static void test_the_arm_has_the_patterns_and_counts_of_the_benchmark(void) {
  static const struct {
    const DynForm *form;
    int jacobian_nonzeros, hessian_nonzeros, jacobian_ops, hessian_ops;
  } row[] = {{&dyn_implicit, 103, 96, 2803, 6052},  {&dyn_semi, 103, 96, 4152, 8676},
             {&dyn_exp1_ode, 90, 86, 9584, 20896},  {&dyn_exp1_dae, 96, 86, 9584, 20896},
             {&dyn_exp2_ode, 90, 86, 11130, 21629}, {&dyn_exp2_dae, 96, 86, 11130, 21629}};
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  for (int rule = DYN_RULE_BEST; rule <= DYN_RULE_IMPLICIT; rule++) {
    for (int i = 0; i < 6; i++) {
      const char *name = row[i].form->name;
      DynPoint *p = build(m, row[i].form, (DynRule)rule);
      const ExprMatrix *jac = &p->jacobian.out[0].value, *hess = &p->hessian.out[0].value;
      TEST_ASSERT_EQUAL_INT(row[i].form->algebraic ? 22 : 16, p->nx);
      TEST_ASSERT_TRUE(jac->n_row == 6 && jac->n_col == p->nx && hess->n_row == p->nx);
      TEST_ASSERT_EQUAL_INT_MESSAGE(row[i].jacobian_nonzeros, jac->nnz, name);
      TEST_ASSERT_EQUAL_INT_MESSAGE(row[i].hessian_nonzeros, hess->nnz, name);
      TEST_ASSERT_TRUE_MESSAGE(column_is_empty(jac, 0) && column_is_empty(hess, 0),
                               "depends on q1");
      if (rule == DYN_RULE_BEST) {
        int j = count(&p->jacobian), h = count(&p->hessian);
        printf("%s: Jacobian %d operations, Hessian %d\n", name, j, h);
        TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(row[i].jacobian_ops, j, name);
        TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(row[i].hessian_ops, h, name);
      }
      dyn_point_free(p);
    }
  }
  model_free(m);
}

static void test_matrices_are_sorted_columns_and_one_triangle(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    for (int f = 0; dyn_forms[f]; f++) {
      DynPoint *p = build(robot[i], dyn_forms[f], DYN_RULE_BEST);
      const ExprMatrix *m[2] = {&p->jacobian.out[0].value, &p->hessian.out[0].value};
      for (int k = 0; k < 2; k++) {
        TEST_ASSERT_EQUAL_INT(0, m[k]->colptr[0]);
        TEST_ASSERT_EQUAL_INT(m[k]->nnz, m[k]->colptr[m[k]->n_col]);
        for (int j = 0; j < m[k]->n_col; j++) {
          for (int e = m[k]->colptr[j]; e < m[k]->colptr[j + 1]; e++) {
            TEST_ASSERT_TRUE(e == m[k]->colptr[j] || m[k]->row[e] > m[k]->row[e - 1]);
            TEST_ASSERT_TRUE(m[k]->row[e] < m[k]->n_row && (k == 0 || m[k]->row[e] >= j));
            TEST_ASSERT_TRUE(m[k]->e[e] != EXPR_ZERO);
          }
        }
      }
      dyn_point_free(p);
    }
  }
  robots_free(n, robot);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_derivatives_equal_differences_for_all_robots_and_formulations);
  RUN_TEST(test_both_rules_give_the_same_derivatives);
  RUN_TEST(test_every_kept_entry_is_nonzero_somewhere);
  RUN_TEST(test_the_arm_has_the_patterns_and_counts_of_the_benchmark);
  RUN_TEST(test_matrices_are_sorted_columns_and_one_triangle);
  return UNITY_END();
}
