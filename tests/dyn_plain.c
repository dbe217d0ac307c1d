// SPDX-License-Identifier: MIT
#include "dyn_plain.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "dyn_support.h"

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void rotate(const double R[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2];
}

static void product(const double A[9], const double B[9], double AB[9]) {
  for (int j = 0; j < 3; j++) rotate(A, B + 3 * j, AB + 3 * j);
}

// Rodrigues: R = 1 + sin K + (1 - cos) K^2
static void axis_rotation(const double n[3], double angle, double R[9]) {
  double s = sin(angle), c = 1 - cos(angle);
  const double K[9] = {0, n[2], -n[1], -n[2], 0, n[0], n[1], -n[0], 0};
  double K2[9];
  product(K, K, K2);
  for (int i = 0; i < 9; i++) R[i] = (i % 4 == 0) + s * K[i] + c * K2[i];
}

// velocity and acceleration of a point at r from a moving origin
static void carry(const double w[3], const double alpha[3], const double r[3], double vel[3],
                  double acc[3]) {
  double wr[3], wwr[3], ar[3];
  cross(w, r, wr);
  cross(w, wr, wwr);
  cross(alpha, r, ar);
  for (int i = 0; i < 3; i++) {
    vel[i] += wr[i];
    acc[i] += ar[i] + wwr[i];
  }
}

static void move(const ModelJoint *j, const PlainBody *p, double q, double v, double a,
                 PlainBody *b) {
  double R0[9], turn[9], r[3], coriolis[3];
  product(p->R, j->rot, R0);
  rotate(R0, j->axis, b->axis);
  rotate(p->R, j->pos, r);
  memcpy(b->w, p->w, sizeof b->w);
  memcpy(b->alpha, p->alpha, sizeof b->alpha);
  memcpy(b->vel, p->vel, sizeof b->vel);
  memcpy(b->acc, p->acc, sizeof b->acc);
  memcpy(b->R, R0, sizeof R0);
  if (j->type == JOINT_REVOLUTE) {
    carry(p->w, p->alpha, r, b->vel, b->acc);
    axis_rotation(j->axis, q, turn);
    product(R0, turn, b->R);
    cross(p->w, b->axis, coriolis);
    for (int i = 0; i < 3; i++) {
      b->w[i] += v * b->axis[i];
      b->alpha[i] += a * b->axis[i] + v * coriolis[i];
    }
  } else {
    for (int i = 0; i < 3; i++) r[i] += q * b->axis[i];
    carry(p->w, p->alpha, r, b->vel, b->acc);
    cross(p->w, b->axis, coriolis);
    for (int i = 0; i < 3; i++) {
      b->vel[i] += v * b->axis[i];
      b->acc[i] += a * b->axis[i] + 2 * v * coriolis[i];
    }
  }
  for (int i = 0; i < 3; i++) b->p[i] = p->p[i] + r[i];
}

void plain_motion(const Model *m, const double *q, const double *v, const double *a,
                  PlainBody *body) {
  const PlainBody world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *j = &m->joint[i];
    PlainBody *b = &body[i];
    move(j, j->parent < 0 ? &world : &body[j->parent], q[i], v[i], a ? a[i] : 0, b);
    double r[3];
    rotate(b->R, m->body[i].com, r);
    memcpy(b->com_vel, b->vel, sizeof b->vel);
    memcpy(b->com_acc, b->acc, sizeof b->acc);
    carry(b->w, b->alpha, r, b->com_vel, b->com_acc);
    for (int k = 0; k < 3; k++) b->com[k] = b->p[k] + r[k];
  }
}

// inertia about the centre of mass times x, both in world axes
static void inertia_times(const ModelBody *mb, const PlainBody *b, const double x[3], double y[3]) {
  double local[3], Il[3];
  for (int i = 0; i < 3; i++) local[i] = dot(b->R + 3 * i, x);
  rotate(mb->inertia, local, Il);
  rotate(b->R, Il, y);
}

static bool moves(const Model *m, int joint, int body) {
  while (body > joint) body = m->joint[body].parent;
  return body == joint;
}

void plain_inverse(const Model *m, const double *q, const double *v, const double *a, double *tau) {
  PlainBody body[MAX_NV];
  plain_motion(m, q, v, a, body);
  for (int i = 0; i < m->nv; i++) tau[i] = m->joint[i].armature * a[i] + m->joint[i].damping * v[i];
  for (int k = 0; k < m->nv; k++) {
    const PlainBody *b = &body[k];
    double force[3], moment[3], Iw[3], gyro[3];
    for (int i = 0; i < 3; i++) force[i] = m->body[k].mass * (b->com_acc[i] - m->gravity[i]);
    inertia_times(&m->body[k], b, b->alpha, moment);
    inertia_times(&m->body[k], b, b->w, Iw);
    cross(b->w, Iw, gyro);
    for (int i = 0; i < 3; i++) moment[i] += gyro[i];
    for (int j = 0; j <= k; j++) {
      if (!moves(m, j, k)) continue;
      double arm[3], torque[3];
      for (int i = 0; i < 3; i++) arm[i] = b->com[i] - body[j].p[i];
      cross(arm, force, torque);
      tau[j] += m->joint[j].type == JOINT_REVOLUTE
                    ? dot(body[j].axis, moment) + dot(body[j].axis, torque)
                    : dot(body[j].axis, force);
    }
  }
}

void plain_energy(const Model *m, const double *q, const double *v, double *kinetic,
                  double *potential) {
  PlainBody body[MAX_NV];
  plain_motion(m, q, v, NULL, body);
  *kinetic = *potential = 0;
  for (int i = 0; i < m->nv; i++) {
    const PlainBody *b = &body[i];
    double Iw[3];
    inertia_times(&m->body[i], b, b->w, Iw);
    *kinetic += 0.5 * (m->body[i].mass * dot(b->com_vel, b->com_vel) + dot(b->w, Iw) +
                       m->joint[i].armature * v[i] * v[i]);
    *potential -= m->body[i].mass * dot(m->gravity, b->com);
  }
}

void plain_point(const PlainBody *body, int i, const double pos[3], double x[3], double dx[3]) {
  double r[3], unused[3] = {0}, none[3] = {0};
  memcpy(x, pos, 3 * sizeof *x);
  memset(dx, 0, 3 * sizeof *dx);
  if (i < 0) return;
  rotate(body[i].R, pos, r);
  memcpy(dx, body[i].vel, 3 * sizeof *dx);
  carry(body[i].w, none, r, dx, unused);
  for (int k = 0; k < 3; k++) x[k] = body[i].p[k] + r[k];
}
