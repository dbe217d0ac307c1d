// SPDX-License-Identifier: MIT
// Inverse and forward dynamics against MuJoCo, an independent engine, on all robots and on random
// trees. Each Model is written as MJCF with one body per joint. Without MuJoCo the test is skipped
// (exit 77).
#include <stdio.h>

#ifndef POISE_HAVE_MUJOCO

int main(void) {
  puts("MuJoCo is not installed (Debian: libmujoco-dev): skipped");
  return 77;
}

#else

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

#include "base/textbuf.h"
#include "dyn_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// MuJoCo wants every moving body to have mass and inertia: bodies inside chains of joints get
// these, just above what it takes for zero.
static const double TINY_MASS = 1e-14, TINY_INERTIA = 2e-15;

// ---- MJCF --------------------------------------------------------------------------------------

static void add_numbers(TextBuf *b, const char *key, int n, const double *x) {
  textbuf_addf(b, " %s=\"", key);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, " ");
    textbuf_add_double(b, x[i]);
  }
  textbuf_add(b, "\"");
}

// w x y z of a rotation matrix, column-major; the largest component first, for accuracy
static void quaternion(const double R[9], double q[4]) {
  double trace = R[0] + R[4] + R[8];
  const double square[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace,
                            1 + 2 * R[8] - trace};
  int big = 0;
  for (int i = 1; i < 4; i++) {
    if (square[i] > square[big]) big = i;
  }
  // antisymmetric and symmetric parts give the products of two components
  const double wx = R[5] - R[7], wy = R[6] - R[2], wz = R[1] - R[3];
  const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  const double rows[4][4] = {{square[0], wx, wy, wz},
                             {wx, square[1], xy, xz},
                             {wy, xy, square[2], yz},
                             {wz, xz, yz, square[3]}};
  double norm = 0;
  for (int i = 0; i < 4; i++) norm += rows[big][i] * rows[big][i];
  for (int i = 0; i < 4; i++) q[i] = rows[big][i] / sqrt(norm);
}

// Principal axes by Jacobi rotations, I = R diag R^T, column-major and right-handed; MuJoCo's own
// diagonalisation of a full inertia stops at some 1e-8.
static void principal_axes(const double I[9], double diag[3], double R[9]) {
  double A[9];
  memcpy(A, I, sizeof A);
  for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
  for (int turn = 0; turn < 60; turn++) {
    int p = turn % 3, q = (p + 1) % 3;
    if (A[p + 3 * q] == 0) continue;
    double gap = A[4 * q] - A[4 * p];  // an angle within pi/4 converges
    double angle = gap == 0 ? atan(1) : 0.5 * atan(2 * A[p + 3 * q] / gap);
    double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) {  // A := A G, R := R G
      double ap = A[k + 3 * p], aq = A[k + 3 * q], rp = R[k + 3 * p], rq = R[k + 3 * q];
      A[k + 3 * p] = c * ap - s * aq;
      A[k + 3 * q] = s * ap + c * aq;
      R[k + 3 * p] = c * rp - s * rq;
      R[k + 3 * q] = s * rp + c * rq;
    }
    for (int k = 0; k < 3; k++) {  // A := G^T A
      double ap = A[p + 3 * k], aq = A[q + 3 * k];
      A[p + 3 * k] = c * ap - s * aq;
      A[q + 3 * k] = s * ap + c * aq;
    }
  }
  for (int i = 0; i < 3; i++) diag[i] = A[4 * i];
}

static void add_inertial(TextBuf *b, const ModelBody *body) {
  const double *I = body->inertia;
  const double zero[3] = {0}, tiny[3] = {TINY_INERTIA, TINY_INERTIA, TINY_INERTIA};
  textbuf_add(b, "<inertial");
  add_numbers(b, "pos", 3, body->mass > 0 ? body->com : zero);
  add_numbers(b, "mass", 1, body->mass > 0 ? &body->mass : &TINY_MASS);
  if (body->mass > 0 && I[0] + I[4] + I[8] > 0) {
    double diag[3], R[9], q[4];
    principal_axes(I, diag, R);
    quaternion(R, q);
    add_numbers(b, "quat", 4, q);
    add_numbers(b, "diaginertia", 3, diag);
  } else {
    add_numbers(b, "diaginertia", 3, tiny);
  }
  textbuf_add(b, "/>");
}

static void add_body(TextBuf *b, const Model *m, int i) {
  const ModelJoint *j = &m->joint[i];
  double q[4];
  quaternion(j->rot, q);
  textbuf_add(b, "<body");
  add_numbers(b, "pos", 3, j->pos);
  add_numbers(b, "quat", 4, q);
  textbuf_addf(b, "><joint type=\"%s\" limited=\"false\"",
               j->type == JOINT_REVOLUTE ? "hinge" : "slide");
  add_numbers(b, "axis", 3, j->axis);
  add_numbers(b, "damping", 1, &j->damping);
  add_numbers(b, "armature", 1, &j->armature);
  textbuf_add(b, "/>");
  add_inertial(b, &m->body[i]);
  for (int k = i + 1; k < m->nv; k++) {
    if (m->joint[k].parent == i) add_body(b, m, k);
  }
  textbuf_add(b, "</body>\n");
}

static mjModel *to_mujoco(const Model *m) {
  TextBuf b = {0};
  textbuf_add(&b, "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" "
                  "balanceinertia=\"false\"/>\n<option");
  add_numbers(&b, "gravity", 3, m->gravity);
  textbuf_add(&b, "/>\n<worldbody>\n");
  for (int i = 0; i < m->nv; i++) {
    if (m->joint[i].parent < 0) add_body(&b, m, i);
  }
  textbuf_add(&b, "</worldbody></mujoco>\n");
  TEST_ASSERT_FALSE(b.failed);
  mjVFS *files = malloc(sizeof *files);
  TEST_ASSERT_NOT_NULL(files);
  mj_defaultVFS(files);
  TEST_ASSERT_EQUAL_INT(0, mj_makeEmptyFileVFS(files, "robot.xml", (int)b.len));
  memcpy(files->filedata[0], b.text, b.len);
  char error[500] = "";
  mjModel *mj = mj_loadXML("robot.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  free(files);
  textbuf_free(&b);
  TEST_ASSERT_NOT_NULL_MESSAGE(mj, error);
  TEST_ASSERT_EQUAL_INT(m->nv, mj->nv);
  return mj;
}

// ---- comparison --------------------------------------------------------------------------------

typedef struct Worst {
  double inverse, forward;
} Worst;

static void compare(const Model *m, uint64_t seed, int n_state, Worst *worst) {
  mjModel *mj = to_mujoco(m);
  mjData *d = mj_makeData(mj);
  TEST_ASSERT_NOT_NULL(d);
  Trace t;
  trace_open(&t, m);
  Expr out[2 * MAX_NV];
  TEST_ASSERT_TRUE(dyn_implicit.map(&t.tr, t.tr.a, out));
  TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t.tr, t.tr.tau, out + m->nv));
  Numbers f = numbers_open(t.g, 2 * m->nv, out);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < n_state; k++) {
    State s;
    double y[2 * MAX_NV];
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    size_t size = (size_t)m->nv * sizeof *y;
    memcpy(d->qpos, s.q, size);
    memcpy(d->qvel, s.v, size);
    memcpy(d->qacc, s.a, size);
    mj_inverse(mj, d);
    double inverse = error_relative(m->nv, d->qfrc_inverse, y);
    memcpy(d->qfrc_applied, s.tau, size);
    mj_forward(mj, d);
    double forward = error_relative(m->nv, d->qacc, y + m->nv);
    char text[120];
    snprintf(text, sizeof text, "%s: inverse %.2g, forward %.2g", m->name, inverse, forward);
    TEST_ASSERT_TRUE_MESSAGE(inverse < 1e-8, text);
    TEST_ASSERT_TRUE_MESSAGE(forward < 1e-8, text);
    worst->inverse = fmax(worst->inverse, inverse);
    worst->forward = fmax(worst->forward, forward);
  }
  numbers_close(&f);
  trace_close(&t);
  mj_deleteData(d);
  mj_deleteModel(mj);
}

static void test_every_robot_moves_as_in_mujoco(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    Worst worst = {0};
    compare(robot[i], 1, 50, &worst);
    printf("%s: inverse %.2g, forward %.2g\n", robot[i]->name, worst.inverse, worst.forward);
  }
  robots_free(n, robot);
}

static void test_random_trees_move_as_in_mujoco(void) {
  Worst worst = {0};
  for (int n = 1; n <= 30; n++) {
    for (uint64_t seed = 0; seed < 2; seed++) {
      Model *m = tree_random(n, 1000 + 2 * (uint64_t)n + seed);
      compare(m, seed, 5, &worst);
      model_free(m);
    }
  }
  printf("60 random trees: inverse %.2g, forward %.2g\n", worst.inverse, worst.forward);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_robot_moves_as_in_mujoco);
  RUN_TEST(test_random_trees_move_as_in_mujoco);
  return UNITY_END();
}

#endif
