// SPDX-License-Identifier: MIT
#ifdef POISE_HAVE_MUJOCO

#include "mujoco_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/textbuf.h"
#include "unity.h"

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
  textbuf_addf(b, "<body name=\"b%d\"", i);
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

static void add_body_name(TextBuf *b, const char *key, int body) {
  if (body < 0) textbuf_addf(b, " %s=\"world\"", key);
  else textbuf_addf(b, " %s=\"b%d\"", key, body);
}

// the anchors are put into the finished model: MuJoCo would take the second one from the posture zero
static void add_loop(TextBuf *b, const ModelLoop *l) {
  textbuf_addf(b, "<%s", l->type == LOOP_WELD ? "weld" : "connect");
  add_body_name(b, "body1", l->body[0]);
  add_body_name(b, "body2", l->body[1]);
  textbuf_add(b, l->type == LOOP_WELD ? "/>\n" : " anchor=\"0 0 0\"/>\n");
}

// connect: anchors on both bodies; weld: anchor on the second body, pose of the second body in the first
static void set_loop(mjModel *mj, int index, const ModelLoop *l) {
  mjtNum *data = mj->eq_data + mjNEQDATA * index;
  memset(data, 0, mjNEQDATA * sizeof *data);
  if (l->type != LOOP_WELD) {
    memcpy(data, l->pos[0], sizeof l->pos[0]);
    memcpy(data + 3, l->pos[1], sizeof l->pos[1]);
    return;
  }
  // both frames are one: R0 = B R1 with B the axes of the second body in the first
  double B[9], q[4];
  for (int i = 0; i < 9; i++) {
    B[i] = 0;
    for (int k = 0; k < 3; k++) B[i] += l->rot[0][i % 3 + 3 * k] * l->rot[1][i / 3 + 3 * k];
  }
  quaternion(B, q);
  memcpy(data, l->pos[1], sizeof l->pos[1]);
  memcpy(data + 3, l->pos[0], sizeof l->pos[0]);
  memcpy(data + 6, q, sizeof q);
  data[10] = 1;
}

mjModel *mujoco_build(const Model *m) {
  TextBuf b = {0};
  textbuf_add(&b, "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" "
                  "balanceinertia=\"false\"/>\n<option");
  add_numbers(&b, "gravity", 3, m->gravity);
  textbuf_add(&b, "/>\n<worldbody>\n");
  for (int i = 0; i < m->nv; i++) {
    if (m->joint[i].parent < 0) add_body(&b, m, i);
  }
  textbuf_add(&b, "</worldbody>\n<equality>\n");
  for (int l = 0; l < m->n_loop; l++) add_loop(&b, &m->loop[l]);
  textbuf_add(&b, "</equality></mujoco>\n");
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
  for (int l = 0; l < m->n_loop; l++) set_loop(mj, l, &m->loop[l]);
  return mj;
}

#else
typedef int mujoco_support_is_empty;
#endif
