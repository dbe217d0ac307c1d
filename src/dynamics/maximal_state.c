// SPDX-License-Identifier: MIT
// States of maximal.h in numbers, from joint coordinates.
#include <math.h>
#include <string.h>

#include "dynamics/maximal.h"

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    c[i] = a[k] * b[l] - a[l] * b[k];
  }
}

// Rodrigues: 1 + sin s [u] + (1 - cos s) [u]^2
static void turn_about(const double u[3], double angle, double R[9]) {
  double s = sin(angle), c = 1 - cos(angle);
  for (int i = 0; i < 9; i++) {
    int a = i % 3, b = i / 3;
    R[i] = c * u[a] * u[b] + (a == b ? 1 - c : 0);
  }
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    R[l + 3 * k] += s * u[i];
    R[k + 3 * l] -= s * u[i];
  }
}

// the largest of the four components first, the others from sums and differences of entries
static void quaternion_of(const double R[9], double e[4]) {
  double trace = R[0] + R[4] + R[8];
  int big = -1;  // -1: the real part
  double most = trace;
  for (int i = 0; i < 3; i++) {
    if (R[4 * i] > most) most = R[4 * i], big = i;
  }
  if (big < 0) {
    e[0] = 0.5 * sqrt(1 + trace);
    for (int i = 0; i < 3; i++) {
      int k = (i + 1) % 3, l = (i + 2) % 3;
      e[1 + i] = (R[l + 3 * k] - R[k + 3 * l]) / (4 * e[0]);
    }
    return;
  }
  int k = (big + 1) % 3, l = (big + 2) % 3;
  double x = 0.5 * sqrt(1 + 2 * R[4 * big] - trace);
  e[1 + big] = x;
  e[0] = (R[l + 3 * k] - R[k + 3 * l]) / (4 * x);
  e[1 + k] = (R[big + 3 * k] + R[k + 3 * big]) / (4 * x);
  e[1 + l] = (R[big + 3 * l] + R[l + 3 * big]) / (4 * x);
}

static void rotation_of(const double e[4], double R[9]) {
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    R[4 * i] = 2 * (e[0] * e[0] + e[1 + i] * e[1 + i]) - 1;
    R[l + 3 * k] = 2 * (e[1 + k] * e[1 + l] + e[0] * e[1 + i]);
    R[k + 3 * l] = 2 * (e[1 + k] * e[1 + l] - e[0] * e[1 + i]);
  }
}

// A body as it moves, in the world.
typedef struct Body {
  double R[9], o[3], w[3], u[3];  // axes, origin, angular velocity, velocity of the origin
} Body;

static Body move(const ModelJoint *j, const Body *p, double q, double qd) {
  Body b;
  double r[3], rot[9], axis[3], wr[3], turn[9];
  num3_vec(p->R, j->pos, r);
  num3_mul(p->R, j->rot, rot);
  num3_vec(rot, j->axis, axis);
  bool revolute = j->type == JOINT_REVOLUTE;
  for (int k = 0; k < 3; k++) r[k] += revolute ? 0 : q * axis[k];
  cross(p->w, r, wr);
  for (int k = 0; k < 3; k++) {
    b.o[k] = p->o[k] + r[k];
    b.u[k] = p->u[k] + wr[k] + (revolute ? 0 : qd * axis[k]);
    b.w[k] = p->w[k] + (revolute ? qd * axis[k] : 0);
  }
  memcpy(b.R, rot, sizeof rot);
  if (revolute) {
    turn_about(j->axis, q, turn);
    num3_mul(rot, turn, b.R);
  }
  return b;
}

bool maximal_from_joints(const Maximal *x, const double *q, const double *qd, double *p, double *e,
                         double *v, double *w) {
  const Body world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  Arena *arena = arena_new();
  Body *body = arena_array(arena, (size_t)x->m->nv + 1, sizeof *body);
  for (int i = 0; body && i < x->m->nv; i++) {
    const ModelJoint *j = &x->m->joint[i];
    body[i] = move(j, j->parent < 0 ? &world : &body[j->parent], q[i], qd[i]);
    int b = x->body_of[i];
    if (b < 0) continue;
    double r[3], wr[3];
    num3_vec(body[i].R, x->body[b].com, r);
    cross(body[i].w, r, wr);
    for (int k = 0; k < 3; k++) {
      p[3 * b + k] = body[i].o[k] + r[k];
      v[3 * b + k] = body[i].u[k] + wr[k];
    }
    num3_vec_t(body[i].R, body[i].w, w + (size_t)3 * b);
    quaternion_of(body[i].R, e + (size_t)4 * b);
  }
  bool ok = body != NULL;
  arena_free(arena);
  return ok;
}

void maximal_point(const Maximal *x, const double *p, const double *e, int body,
                   const double pos[3], double out[3]) {
  memcpy(out, pos, 3 * sizeof *out);
  if (body < 0) return;
  int b = x->body_of[body];
  double R[9], r[3];
  rotation_of(e + (size_t)4 * b, R);
  for (int k = 0; k < 3; k++) r[k] = pos[k] - x->body[b].com[k];
  num3_vec(R, r, out);
  for (int k = 0; k < 3; k++) out[k] += p[3 * b + k];
}
