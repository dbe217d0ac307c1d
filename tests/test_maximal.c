// SPDX-License-Identifier: MIT
// Maximal coordinates against joint coordinates: the same accelerations on trees and, at closed states, on
// mechanisms with loops; operations that grow with the number of bodies; what is refused.
#include "dynamics/maximal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_support.h"
#include "dynamics/loop_method.h"
#include "loop_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { MAX_M = 40 };

// v := v - J^T (J J^T)^-1 J v
static void close_velocity(const Model *m, const double *q, double *v) {
  DynFunction *f;
  ExprTape *tape;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, loops_function_build(&f, m, &err), err.what);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, &err));
  Arena *arena = arena_new();
  void *work = arena_alloc(arena, expr_tape_work_size(tape));
  const ExprMatrix *P = &f->f.out[3].value;
  int r = P->n_row;
  double phi[MAX_M], rate[MAX_M], gamma[MAX_M], S[MAX_M * MAX_M] = {0};
  double *e = arena_array(arena, (size_t)P->nnz + 1, sizeof *e);
  double *J = arena_array(arena, (size_t)r * (size_t)m->nv + 1, sizeof *J);
  const LaneIn in[2] = {{q, 1, 0}, {v, 1, 0}};
  const LaneOut out[4] = {{phi, 1, 0}, {rate, 1, 0}, {gamma, 1, 0}, {e, 1, 0}};
  TEST_ASSERT_TRUE(expr_tape_eval(tape, 1, in, out, work));
  for (int j = 0; j < m->nv; j++) {
    for (int k = P->colptr[j]; k < P->colptr[j + 1]; k++) J[P->row[k] + r * j] = e[k];
  }
  for (int i = 0; i < r; i++) {
    for (int k = 0; k < r; k++) {
      for (int j = 0; j < m->nv; j++) S[i + r * k] += J[i + r * j] * J[k + r * j];
    }
  }
  TEST_ASSERT_TRUE(cholesky(r, S));
  cholesky_solve(r, S, rate);
  for (int j = 0; j < m->nv; j++) {
    for (int i = 0; i < r; i++) v[j] -= J[i + r * j] * rate[i];
  }
  expr_tape_free(tape);
  dyn_function_free(f);
  arena_free(arena);
}

static double worst_difference(const Model *m, const double *q, uint64_t seed, int n_state) {
  Trace t;
  Expr out[2 * MAX_NV + MAX_M];
  int n = m->nv;
  trace_open(&t, m);
  TEST_ASSERT_TRUE(loop_maximal.map(&t.tr, t.tr.tau, out, NULL));
  if (m->n_loop) TEST_ASSERT_TRUE(loop_tree_aug.map(&t.tr, t.tr.tau, out + n, out + 2 * n));
  else TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t.tr, t.tr.tau, out + n));
  Numbers f = numbers_open(t.g, 2 * n, out);
  Rng rng;
  rng_seed(&rng, seed);
  double worst = 0;
  for (int k = 0; k < n_state; k++) {
    State s;
    double y[2 * MAX_NV];
    state_random(&s, m, &rng);
    // a force on a row of joints without mass between them is none that a body could feel
    if (q) memcpy(s.q, q, (size_t)n * sizeof *q);
    for (int i = 0; i < n; i++) {
      int p = m->joint[i].parent;
      if (m->body[i].mass == 0 || (p >= 0 && m->body[p].mass == 0)) s.tau[i] = 0;
    }
    if (m->n_loop) close_velocity(m, s.q, s.v);
    numbers_eval(&f, 1, &s, y);
    worst = fmax(worst, error_relative(n, y + n, y));
  }
  numbers_close(&f);
  trace_close(&t);
  return worst;
}

static void test_trees_accelerate_as_in_joint_coordinates(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot), tried = 0;
  for (int i = 0; i < n; i++) {
    Error err = {0};
    if (loop_maximal.applies(robot[i], &err) != STATUS_OK) {
      printf("%s\n", err.what);
      continue;
    }
    double worst = worst_difference(robot[i], NULL, 3, 10);
    printf("%s: %.2g\n", robot[i]->name, worst);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-8, worst, robot[i]->name);
    tried++;
  }
  robots_free(n, robot);
  TEST_ASSERT_GREATER_THAN_INT(0, tried);
}

static void test_random_trees_accelerate_as_in_joint_coordinates(void) {
  int tried = 0;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    Model *m = tree_random(2 + (int)seed % 12, seed);
    for (int i = 0; i < m->nv; i++) m->joint[i].armature = 0;
    Error err = {0};
    if (loop_maximal.applies(m, &err) == STATUS_OK) {
      double worst = worst_difference(m, NULL, seed, 5);
      char text[80];
      snprintf(text, sizeof text, "seed %d: %.2g", (int)seed, worst);
      TEST_ASSERT_TRUE_MESSAGE(worst < 1e-7, text);
      tried++;
    }
    model_free(m);
  }
  printf("random trees: %d of 30\n", tried);
  TEST_ASSERT_GREATER_THAN_INT(9, tried);
}

// joints of several coordinates: their massless bodies vanish
static const char rows_text[] =
    "{'name': 'rows', 'bodies': [{'name': 'ground'},"
    " {'name': 'ship', 'mass': 2, 'com': [0.1, 0.2, 0.3], 'inertia': [[0.2, 0.01, 0.02], [0.01, 0.3, 0.03], [0.02, 0.03, 0.4]]},"
    " {'name': 'ball', 'mass': 1, 'com': [0.2, 0, 0.1], 'inertia': [0.1, 0.2, 0.15]},"
    " {'name': 'disc', 'mass': 1.5, 'com': [0, 0.1, 0], 'inertia': [0.1, 0.1, 0.15]},"
    " {'name': 'arm', 'mass': 1, 'com': [0.2, 0, 0], 'inertia': [0.01, 0.1, 0.1]},"
    " {'name': 'cross'},"
    " {'name': 'tip', 'mass': 0.5, 'com': [0.1, 0, 0], 'inertia': [0.01, 0.02, 0.02]},"
    " {'name': 'slide'},"
    " {'name': 'drum', 'mass': 0.7, 'com': [0, 0.1, 0.1], 'inertia': [0.01, 0.02, 0.02]}],"
    " 'joints': [{'name': 'sea', 'type': 'floating', 'parent': 'ground', 'child': 'ship'},"
    " {'name': 's', 'type': 'spherical', 'parent': 'ship', 'child': 'ball',"
    "  'origin': {'xyz': [0.4, 0, 0.1], 'rpy': [0.1, 0.2, 0.3]}},"
    " {'name': 'p', 'type': 'planar', 'parent': 'ball', 'child': 'disc',"
    "  'origin': {'xyz': [0, 0.3, 0.1], 'rpy': [0.5, 0.2, -0.3]}},"
    " {'name': 'r', 'type': 'revolute', 'parent': 'disc', 'child': 'arm', 'axis': [0.6, 0, 0.8],"
    "  'damping': 0.3, 'origin': {'xyz': [0.2, 0, 0]}},"
    " {'name': 'u1', 'type': 'revolute', 'parent': 'arm', 'child': 'cross', 'axis': [0, 1, 0],"
    "  'origin': {'xyz': [0.4, 0, 0], 'rpy': [0.3, 0, 0]}},"
    " {'name': 'u2', 'type': 'revolute', 'parent': 'cross', 'child': 'tip', 'axis': [0, 0.6, 0.8]},"
    " {'name': 'c1', 'type': 'prismatic', 'parent': 'ship', 'child': 'slide', 'axis': [0, 0.6, 0.8],"
    "  'origin': {'xyz': [0, 0, 0.4]}},"
    " {'name': 'c2', 'type': 'revolute', 'parent': 'slide', 'child': 'drum', 'axis': [0, 0.8, -0.6],"
    "  'origin': {'xyz': [0.1, 0, 0.1]}}]}";

static void test_rows_of_joints_are_one_joint(void) {
  Model *m = robot_parse(rows_text);
  TEST_ASSERT_EQUAL_INT(17, m->nv);
  double worst = worst_difference(m, NULL, 9, 20);
  printf("rows of joints: %.2g\n", worst);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, worst);
  Maximal *x;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, maximal_build(&x, m, MAX_SOFT_NONE, &err));
  TEST_ASSERT_EQUAL_INT(6, x->n_body);
  TEST_ASSERT_EQUAL_INT(6 * 6 - m->nv, x->n_row);
  maximal_free(x);
  model_free(m);
}

static void test_what_bodies_on_their_own_cannot_do_is_refused_by_name(void) {
  const struct {
    const char *find, *put, *said;
  } bad[] = {
      {"'damping': 0.3", "'armature': 0.3", "\"r\" has a rotor inertia"},
      {", 'inertia': [0.01, 0.1, 0.1]", "", "\"arm\" has no inertia about some axis"},
      {"'child': 'cross', ", "'child': 'cross', 'damping': 1, ", "\"u1\" is driven or damped"},
      {"'child': 'tip', ", "'child': 'tip', 'origin': {'xyz': [0.1, 0, 0]}, ",
       "\"u2\" stands in a row"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[sizeof rows_text + 100];
    const char *at = strstr(rows_text, bad[i].find);
    TEST_ASSERT_NOT_NULL(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - rows_text), rows_text, bad[i].put,
             at + strlen(bad[i].find));
    Model *m = robot_parse(text);
    Error err = {0};
    Maximal *x;
    TEST_ASSERT_EQUAL_INT(STATUS_INPUT, maximal_build(&x, m, MAX_SOFT_NONE, &err));
    TEST_ASSERT_NULL(x);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, bad[i].said), err.what);
    model_free(m);
  }
}

static void test_mechanisms_accelerate_as_in_joint_coordinates(void) {
  static const char *const names[] = {"fourbar", "fivebar"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    Model *m = mechanism_load(names[i]);
    double worst = worst_difference(m, model_start(m), 3, 10);
    printf("%s: %.2g\n", names[i], worst);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-8, worst, names[i]);
    model_free(m);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_trees_accelerate_as_in_joint_coordinates);
  RUN_TEST(test_random_trees_accelerate_as_in_joint_coordinates);
  RUN_TEST(test_rows_of_joints_are_one_joint);
  RUN_TEST(test_what_bodies_on_their_own_cannot_do_is_refused_by_name);
  RUN_TEST(test_mechanisms_accelerate_as_in_joint_coordinates);
  return UNITY_END();
}
