// SPDX-License-Identifier: MIT
// Recursive coordinate reduction and the standard order-n method against a dense solve of the
// augmented system at states that close the loops.
#include "dynamics/rcr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_plain.h"
#include "dyn_support.h"
#include "dynamics/crba.h"
#include "dynamics/loop_method.h"
#include "dynamics/rcr_function.h"
#include "dynamics/rnea.h"
#include "loop_support.h"
#include "model/geom3.h"
#include "model/mechanism_gen.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX_M = 40, MAX_ALL = MAX_NV + MAX_M };

// ---- numbers -----------------------------------------------------------------------------------

// M, c, J, gamma, phi; accelerations by TREE+LAMBDA and RCR, and all rates by RCR's closure
typedef struct Fixture {
  const Model *model;
  Trace t;
  Arena *arena;
  LoopTrace lt;
  RcrPlan *plan;
  int n, m;
  Numbers f;
  double y[MAX_NV * MAX_NV + 8 * MAX_ALL + MAX_M * MAX_NV];
  const double *mass, *c, *J, *gamma, *phi, *lambda, *rcr, *v;
} Fixture;

static Expr *put(Expr *to, const Expr *e, size_t n) {
  memcpy(to, e, n * sizeof *e);
  return to + n;
}

static void fixture_open(Fixture *x, const Model *model) {
  *x = (Fixture){.model = model, .arena = arena_new(), .n = model->nv, .m = model_n_rows(model)};
  TEST_ASSERT_LESS_OR_EQUAL_INT(MAX_NV, x->n);
  TEST_ASSERT_LESS_OR_EQUAL_INT(MAX_M, x->m);
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, rcr_plan_at(&x->plan, model, NULL, &err), err.what);
  trace_open(&x->t, model);
  const DynTrace *tr = &x->t.tr;
  TEST_ASSERT_TRUE(loops_build(&x->lt, tr, x->arena));
  size_t n = (size_t)x->n, m = (size_t)x->m, nnz = (size_t)x->lt.J.nnz;
  Expr *out = arena_array(x->arena, n * n + 6 * n + nnz + 4 * m, sizeof *out), *e = out;
  TEST_ASSERT_TRUE(out && crba_build(x->t.g, model, &tr->tree, tr->body, e));
  e += n * n;
  TEST_ASSERT_TRUE(rnea_build(x->t.g, model, &tr->tree, tr->body, tr->v, NULL, e));
  e = put(e + n, x->lt.J.e, nnz);
  e = put(e, x->lt.gamma, m);
  e = put(e, x->lt.phi, m);
  TEST_ASSERT_TRUE(loop_tree_lambda.map(tr, tr->tau, e, e + n));
  e += n + m;
  TEST_ASSERT_TRUE(loop_rcr.map(tr, tr->tau, e, NULL));
  e += n;
  Rcr *r = rcr_open(tr, x->plan);
  TEST_ASSERT_NOT_NULL(r);
  memcpy(e, tr->v, n * sizeof *e);
  rcr_velocity(r, e);
  rcr_end(r);
  e += n;
  x->f = numbers_open(x->t.g, (int)(e - out), out);
  x->mass = x->y;
  x->c = x->mass + n * n;
  x->J = x->c + n;
  x->gamma = x->J + nnz;
  x->phi = x->gamma + m;
  x->lambda = x->phi + m;
  x->rcr = x->lambda + n + m;
  x->v = x->rcr + n;
}

static void fixture_close(Fixture *x) {
  numbers_close(&x->f);
  trace_close(&x->t);
  rcr_plan_free(x->plan);
  arena_free(x->arena);
}

// A x = b, partial pivoting; x replaces b
static void gauss(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int big = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i + n * k]) > fabs(A[big + n * k])) big = i;
    }
    TEST_ASSERT_TRUE_MESSAGE(fabs(A[big + n * k]) > 1e-13, "singular");
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
}

static double J_at(const Fixture *x, int r, int j) {
  for (int e = x->lt.J.colptr[j]; e < x->lt.J.colptr[j + 1]; e++) {
    if (x->lt.J.row[e] == r) return x->J[e];
  }
  return 0;
}

// [M J^T; J 0] (a, lambda) = b, or with M = 1 for projections
static void augmented(const Fixture *x, bool with_mass, double *b) {
  static double A[MAX_ALL * MAX_ALL];
  int n = x->n, N = n + x->m;
  memset(A, 0, sizeof A);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double mass = with_mass ? x->mass[i + n * j] : i == j;
      A[i + N * j] = A[j + N * i] = mass;
    }
    for (int r = 0; r < x->m; r++) A[n + r + N * j] = A[j + N * (n + r)] = J_at(x, r, j);
  }
  gauss(N, A, b);
}

// moves q to the nearest closed configuration
static void close_loops(Fixture *x, State *s) {
  for (int k = 0; k < 30; k++) {
    numbers_eval(&x->f, 1, s, x->y);
    if (max_abs(x->m, x->phi) < 1e-13) return;
    double b[MAX_ALL] = {0};
    for (int r = 0; r < x->m; r++) b[x->n + r] = -x->phi[r];
    augmented(x, false, b);
    for (int i = 0; i < x->n; i++) s->q[i] += b[i];
  }
  TEST_FAIL_MESSAGE("not closed");
}

static void check_state(Fixture *x, State *s) {
  char text[160];
  int n = x->n;
  close_loops(x, s);
  numbers_eval(&x->f, 1, s, x->y);
  memcpy(s->v, x->v, (size_t)n * sizeof *s->v);
  for (int r = 0; r < x->m; r++) {
    double rate = 0;
    for (int j = 0; j < n; j++) rate += J_at(x, r, j) * s->v[j];
    snprintf(text, sizeof text, "%s: rate %.2g of row %d", x->model->name, rate, r);
    TEST_ASSERT_TRUE_MESSAGE(fabs(rate) < 1e-10 * (1 + max_abs(n, s->v)), text);
  }
  numbers_eval(&x->f, 1, s, x->y);
  double b[MAX_ALL];
  for (int i = 0; i < n; i++) {
    b[i] = s->tau[i] - x->model->joint[i].damping * s->v[i] - x->c[i];
  }
  memcpy(b + n, x->gamma, (size_t)x->m * sizeof *b);
  augmented(x, true, b);
  double lambda = error_relative(n + x->m, b, x->lambda), rcr = error_relative(n, b, x->rcr);
  snprintf(text, sizeof text, "%s: TREE+LAMBDA %.2g, RCR %.2g", x->model->name, lambda, rcr);
  TEST_ASSERT_TRUE_MESSAGE(lambda < 1e-8, text);
  TEST_ASSERT_TRUE_MESSAGE(rcr < 1e-8, text);
}

static void check_model(const Model *m, double spread) {
  static Fixture x;
  fixture_open(&x, m);
  Rng rng;
  rng_seed(&rng, 7);
  for (int k = 0; k < 5; k++) {
    State s;
    state_random(&s, m, &rng);
    const double *start = model_start(m);
    for (int i = 0; i < m->nv; i++) s.q[i] = (start ? start[i] : 0) + spread * s.q[i];
    check_state(&x, &s);
  }
  fixture_close(&x);
}

// ---- agreement ---------------------------------------------------------------------------------

static void test_agrees_with_a_dense_solve_on_mechanisms(void) {
  static const char *const names[] = {"fourbar", "fivebar", "squares4", "diamonds4", "shoulder"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Model *m = mechanism_load(names[i]);
    check_model(m, 0.05);
    model_free(m);
  }
}

static void test_agrees_with_a_dense_solve_on_ladders(void) {
  for (int L = 1; L <= 7; L += 3) {
    const MechanismOptions opt = {.kind = MECHANISM_LADDER, .size = L};
    Error err = {0};
    Model *m = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, mechanism_build(&m, &opt, &err), err.what);
    TEST_ASSERT_EQUAL_INT(4 * L + 2, m->nv);
    TEST_ASSERT_EQUAL_INT(4 * L, model_n_rows(m));
    check_model(m, 0);
    model_free(m);
  }
}

// pieces with spherical joints: spins close nothing and stay free behind the dependent coordinates
static void test_agrees_with_a_dense_solve_on_rings(void) {
  for (int size = 5; size <= 11; size += 3) {
    const MechanismOptions opt = {.kind = MECHANISM_RING, .size = size};
    Error err = {0};
    Model *m = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, mechanism_build(&m, &opt, &err), err.what);
    check_model(m, 0.02);
    model_free(m);
  }
}

// A tree with n_loop loops between random bodies, made to be closed at a random configuration.
static Model *random_mechanism(int n_joint, int n_loop, uint64_t seed) {
  Model *m = tree_random(n_joint, seed);
  Rng rng;
  rng_seed(&rng, seed + 1000);
  State s;
  state_random(&s, m, &rng);
  PlainBody body[MAX_NV];
  plain_motion(m, s.q, s.v, NULL, body);
  m->n_loop = n_loop;
  m->loop = arena_array(m->arena, (size_t)n_loop, sizeof *m->loop);
  m->n_pose = 1;
  m->pose = arena_alloc(m->arena, sizeof *m->pose);
  m->pose->name = "start";
  m->pose->q = arena_array(m->arena, (size_t)m->nv, sizeof *s.q);
  memcpy(m->pose->q, s.q, (size_t)m->nv * sizeof *s.q);
  for (int l = 0; l < n_loop; l++) {
    ModelLoop *loop = &m->loop[l];
    *loop = (ModelLoop){.name = l ? "second" : "first", .where = "test", .distance = 0.3};
    loop->type = (LoopType)((seed + (uint64_t)l) % N_LOOP_TYPES);
    loop->rows = model_loop_all_rows(loop->type);
    do {
      for (int k = 0; k < 2; k++) loop->body[k] = (int)rng_uniform(&rng, -1, m->nv - 1e-9);
    } while (loop->body[0] == loop->body[1]);
    // a frame in the world, written in both bodies; second one moved as its type allows
    double axis[3], x[3], R[2][9];
    for (int k = 0; k < 3; k++) {
      axis[k] = rng_uniform(&rng, -3, 3);
      x[k] = rng_uniform(&rng, -0.5, 0.5);
    }
    geom3_rpy(axis, R[0]);
    const double turn[3] = {loop->type == LOOP_UNIVERSAL ? 1.57079632679489661923 : 0, 0,
                            loop->type == LOOP_REVOLUTE ? 0.7 : 0};
    double T[9];
    geom3_rpy(turn, T);
    geom3_mul(R[0], T, R[1]);
    for (int k = 0; k < 2; k++) {
      const PlainBody *b = loop->body[k] < 0 ? NULL : &body[loop->body[k]];
      for (int i = 0; i < 3; i++) {
        double d[3];
        for (int e = 0; e < 3; e++) {
          d[e] = x[e] - (b ? b->p[e] : 0);
          if (k == 1 && loop->type == LOOP_DISTANCE && e == 0) d[e] += 0.3;
          if (k == 1 && loop->type == LOOP_PRISMATIC) d[e] += 0.2 * R[0][6 + e];
        }
        loop->pos[k][i] = b ? geom3_dot(b->R + 3 * (size_t)i, d) : d[i];
        for (int e = 0; e < 3; e++) {
          const double *col = R[k] + 3 * (size_t)e;
          loop->rot[k][i + 3 * e] = b ? geom3_dot(b->R + 3 * (size_t)i, col) : col[i];
        }
      }
    }
  }
  return m;
}

// every kind of loop, on moving and on fixed bases, with branches and prismatic joints around them
static void test_agrees_with_a_dense_solve_on_random_mechanisms(void) {
  int taken = 0, refused = 0, moving = 0, two_sided = 0, free_inside = 0;
  for (uint64_t seed = 1; seed <= 240; seed++) {
    Model *m = random_mechanism(8 + (int)(seed % 9), seed % 3 ? 1 : 2, seed);
    Error err = {0};
    RcrPlan *plan;
    Status status = rcr_plan_at(&plan, m, NULL, &err);
    if (status == STATUS_OK) {
      const RcrLoop *l = &plan->loop[0];
      taken++;
      moving += l->base >= 0 && l->p != l->base;
      two_sided += l->n_in > 0;
      free_inside += l->n_free > 0;
      check_model(m, 0);
    } else {
      refused++;
      TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, "test"), err.where);
      TEST_ASSERT_TRUE_MESSAGE(
          strstr(err.what, "loop \"first\"") || strstr(err.what, "loop \"second\""), err.what);
    }
    rcr_plan_free(plan);
    model_free(m);
  }
  TEST_ASSERT_GREATER_OR_EQUAL_INT(70, taken);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(100, refused);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(20, moving);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(10, two_sided);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(2, free_inside);
}

// ---- derivatives -------------------------------------------------------------------------------

// d a / d (q, v) of the traced method, against differences
static void test_is_differentiable(void) {
  Model *m = mechanism_load("fivebar");
  Trace t;
  trace_open(&t, m);
  Arena *arena = arena_new();
  enum { N = 6 };
  TEST_ASSERT_EQUAL_INT(N, m->nv);
  Expr a[N], x[2 * N], all[N + 2 * N * N];
  ExprMatrix J;
  TEST_ASSERT_TRUE(loop_rcr.map(&t.tr, t.tr.tau, a, NULL));
  memcpy(x, t.tr.q, sizeof a);
  memcpy(x + N, t.tr.v, sizeof a);
  TEST_ASSERT_TRUE(expr_jacobian(t.g, arena, N, a, 2 * N, x, &J));
  memcpy(all, a, sizeof a);
  memcpy(all + N, J.e, (size_t)J.nnz * sizeof *J.e);
  Numbers f = numbers_open(t.g, N + J.nnz, all);
  State s = {0};
  for (int i = 0; i < N; i++) {
    s.q[i] = model_start(m)[i];
    s.v[i] = 0.3 * i - 0.5;
    s.tau[i] = 0.2 * i;
  }
  double y[N + 2 * N * N], plus[N + 2 * N * N], minus[N + 2 * N * N];
  numbers_eval(&f, 1, &s, y);
  const double h = 1e-6;
  for (int j = 0; j < 2 * N; j++) {
    double *moved = j < N ? &s.q[j] : &s.v[j - N], at = *moved;
    *moved = at + h;
    numbers_eval(&f, 1, &s, plus);
    *moved = at - h;
    numbers_eval(&f, 1, &s, minus);
    *moved = at;
    for (int e = J.colptr[j]; e < J.colptr[j + 1]; e++) {
      double slope = (plus[J.row[e]] - minus[J.row[e]]) / (2 * h);
      TEST_ASSERT_DOUBLE_WITHIN(1e-5 * (1 + fabs(slope)), slope, y[N + e]);
    }
  }
  numbers_close(&f);
  arena_free(arena);
  trace_close(&t);
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_agrees_with_a_dense_solve_on_mechanisms);
  RUN_TEST(test_agrees_with_a_dense_solve_on_ladders);
  RUN_TEST(test_agrees_with_a_dense_solve_on_rings);
  RUN_TEST(test_agrees_with_a_dense_solve_on_random_mechanisms);
  RUN_TEST(test_is_differentiable);
  return UNITY_END();
}
