// SPDX-License-Identifier: MIT
// Can the mass matrix be inverted? Its pivots, eliminated from the leaves to the root, are
// d_i = s_i^T I_i^A s_i + armature_i with the articulated inertia I^A (Featherstone, "Rigid Body
// Dynamics Algorithms", 2008, section 7.3). A zero pivot at general postures is a zero everywhere.
// Spatial vectors are [angular; linear]; 6x6 matrices are column-major.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/model_internal.h"

static const double ZERO_PIVOT = 1e-12;       // relative to the terms that cancel in it
static const double ANGLE = 3, LENGTH = 0.3;  // spread of the postures tried [rad], [m]
enum { POSTURES = 3 };

// I = [Ic + m cx cx^T, m cx; m cx^T, m 1] of body b
static void spatial_inertia(const ModelBody *b, double I[36]) {
  memset(I, 0, 36 * sizeof *I);
  const double *c = b->com;
  const double cx[9] = {0, c[2], -c[1], -c[2], 0, c[0], c[1], -c[0], 0};
  double d2 = geom3_dot(c, c);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double same = i == j;
      I[i + 6 * j] = b->inertia[i + 3 * j] + b->mass * (d2 * same - c[i] * c[j]);
      I[i + 6 * (j + 3)] = b->mass * cx[i + 3 * j];
      I[j + 3 + 6 * i] = b->mass * cx[i + 3 * j];
      I[i + 3 + 6 * (j + 3)] = b->mass * same;
    }
  }
}

// placement of body i in its parent at position q
static Frame3 placement(const ModelJoint *j, double q) {
  Frame3 origin, move = frame3_identity;
  memcpy(origin.p, j->pos, sizeof origin.p);
  memcpy(origin.R, j->rot, sizeof origin.R);
  const double *a = j->axis;
  if (j->type == JOINT_PRISMATIC) {
    for (int i = 0; i < 3; i++) move.p[i] = a[i] * q;
  } else {
    // Rodrigues: R = c 1 + s ax + (1 - c) a a^T
    double s = sin(q), c = cos(q);
    const double ax[9] = {0, a[2], -a[1], -a[2], 0, a[0], a[1], -a[0], 0};
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        move.R[i + 3 * k] = c * (i == k) + s * ax[i + 3 * k] + (1 - c) * a[i] * a[k];
      }
    }
  }
  return frame3_compose(&origin, &move);
}

// parent += X^T I X, X = [R^T, 0; -R^T px, R^T] from parent to child coordinates
static void add_to_parent(double parent[36], const double I[36], const Frame3 *f) {
  double X[36] = {0}, IX[36];
  const double *p = f->p;
  const double px[9] = {0, p[2], -p[1], -p[2], 0, p[0], p[1], -p[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      X[i + 6 * j] = X[i + 3 + 6 * (j + 3)] = f->R[j + 3 * i];
      for (int k = 0; k < 3; k++) X[i + 3 + 6 * j] -= f->R[k + 3 * i] * px[k + 3 * j];
    }
  }
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) {
      IX[i + 6 * j] = 0;
      for (int k = 0; k < 6; k++) IX[i + 6 * j] += I[i + 6 * k] * X[k + 6 * j];
    }
  }
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) {
      for (int k = 0; k < 6; k++) parent[i + 6 * j] += X[k + 6 * i] * IX[k + 6 * j];
    }
  }
}

// s^T I s + armature
static double pivot(const ModelJoint *j, const double I[36], double U[6]) {
  int first = j->type == JOINT_REVOLUTE ? 0 : 3;
  double d = j->armature;
  for (int i = 0; i < 6; i++) {
    U[i] = 0;
    for (int k = 0; k < 3; k++) U[i] += I[i + 6 * (first + k)] * j->axis[k];
  }
  for (int k = 0; k < 3; k++) d += j->axis[k] * U[first + k];
  return d;
}

// Eliminates from the leaves to the root at a random posture; the first joint without a pivot, or
// -1. articulated: I^A of each body. before: the same had its children's joints not been
// eliminated, so that s^T before s is the size of the terms that cancel in the pivot.
static int zero_pivot(const Model *m, Rng *rng, double *articulated, double *before) {
  for (int i = 0; i < m->nv; i++) {
    spatial_inertia(&m->body[i], articulated + 36 * (size_t)i);
    memcpy(before + 36 * (size_t)i, articulated + 36 * (size_t)i, 36 * sizeof *before);
  }
  for (int i = m->nv - 1; i >= 0; i--) {
    const ModelJoint *j = &m->joint[i];
    double *A = articulated + 36 * (size_t)i, U[6];
    double size = pivot(j, before + 36 * (size_t)i, U);
    double d = pivot(j, A, U);
    if (d <= ZERO_PIVOT * size) return i;
    if (j->parent < 0) continue;
    double reach = j->type == JOINT_REVOLUTE ? ANGLE : LENGTH;
    Frame3 f = placement(j, rng_uniform(rng, -reach, reach));
    add_to_parent(before + 36 * (size_t)j->parent, A, &f);
    for (int k = 0; k < 36; k++) A[k] -= U[k % 6] * U[k / 6] / d;
    add_to_parent(articulated + 36 * (size_t)j->parent, A, &f);
  }
  return -1;
}

int model_singular_joint(const Model *m, bool *ok) {
  size_t n = 36 * (size_t)m->nv;
  double *work = calloc(2 * n, sizeof *work);
  *ok = work != NULL;
  Rng rng;
  rng_seed(&rng, 1);
  int joint = work ? 0 : -1;
  for (int i = 0; i < POSTURES && joint >= 0; i++) joint = zero_pivot(m, &rng, work, work + n);
  free(work);
  return joint;
}
