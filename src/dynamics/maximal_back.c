// SPDX-License-Identifier: MIT
// Back from maximal coordinates: the joint coordinates that bodies stand and move at. Joints between
// two bodies with mass are slides, then turns about a common point (maximal.h), so that
// their parts of a relative placement come apart.
#include <math.h>
#include <string.h>

#include "dynamics/maximal.h"

enum { MAX_CHAIN = 6, MAX_NEWTON = 30 };
static const double NEWTON_TOL = 1e-15;

typedef struct Body {
  double R[9], o[3], w[3], u[3];  // axes, origin, angular velocity, velocity of the origin
} Body;

typedef struct Chain {
  int n;                      // joints
  int joint[MAX_CHAIN];       // from the base outwards
  double axis[MAX_CHAIN][3];  // in the world
} Chain;

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    c[i] = a[k] * b[l] - a[l] * b[k];
  }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// b turned about the unit vector u
static void turn(const double u[3], double angle, const double b[3], double out[3]) {
  double c = cos(angle), s = sin(angle), x[3], along = dot(u, b) * (1 - c);
  cross(u, b, x);
  for (int i = 0; i < 3; i++) out[i] = c * b[i] + s * x[i] + along * u[i];
}

static void rotation_of(const double e[4], double R[9]) {
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    R[4 * i] = 2 * (e[0] * e[0] + e[1 + i] * e[1 + i]) - 1;
    R[l + 3 * k] = 2 * (e[1 + k] * e[1 + l] + e[0] * e[1 + i]);
    R[k + 3 * l] = 2 * (e[1 + k] * e[1 + l] - e[0] * e[1 + i]);
  }
}

// the body as the maximal coordinates have it
static Body body_at(const Maximal *x, int b, const double *p, const double *e, const double *v,
                    const double *w) {
  Body out = {0};
  double r[3], wr[3];
  rotation_of(e + (size_t)4 * b, out.R);
  num3_vec(out.R, x->body[b].com, r);
  num3_vec(out.R, w + (size_t)3 * b, out.w);
  cross(out.w, r, wr);
  for (int k = 0; k < 3; k++) {
    out.o[k] = p[3 * b + k] - r[k];
    out.u[k] = v[3 * b + k] - wr[k];
  }
  return out;
}

// the axes of the chain at q, and where its last body is
static void walk(const Model *m, Chain *c, const Body *base, const double *q, Body *out) {
  *out = *base;
  for (int i = 0; i < c->n; i++) {
    const ModelJoint *j = &m->joint[c->joint[i]];
    double r[3], rot[9];
    num3_vec(out->R, j->pos, r);
    num3_mul(out->R, j->rot, rot);
    num3_vec(rot, j->axis, c->axis[i]);
    bool revolute = j->type == JOINT_REVOLUTE;
    for (int k = 0; k < 3; k++) {
      out->o[k] += r[k] + (revolute ? 0 : q[c->joint[i]] * c->axis[i][k]);
      if (revolute) turn(c->axis[i], q[c->joint[i]], rot + (size_t)3 * k, out->R + (size_t)3 * k);
      else memcpy(out->R + (size_t)3 * k, rot + (size_t)3 * k, 3 * sizeof *rot);
    }
  }
}

// adds to x, by joint, the parts of d along the axes of all joints of a type: least squares
static void take_apart(const Model *m, const Chain *c, JointType type, const double d[3],
                       double *x) {
  int at[MAX_CHAIN], n = 0;
  double A[MAX_CHAIN][MAX_CHAIN + 1];
  for (int i = 0; i < c->n; i++) {
    if (m->joint[c->joint[i]].type == type) at[n++] = i;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i][j] = dot(c->axis[at[i]], c->axis[at[j]]);
    A[i][n] = dot(c->axis[at[i]], d);
  }
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      double f = i == k ? 0 : A[i][k] / A[k][k];
      for (int j = k; f != 0 && j <= n; j++) A[i][j] -= f * A[k][j];
    }
  }
  for (int i = 0; i < n; i++) x[c->joint[at[i]]] += A[i][n] / A[i][i];
}

// Newton's iteration from the q that is there
static bool find_position(const Model *m, Chain *c, const Body *base, const Body *own, double *q) {
  for (int it = 0; it < MAX_NEWTON; it++) {
    Body guess;
    double turned[3] = {0}, moved[3], x[3], size = 0;
    walk(m, c, base, q, &guess);
    for (int k = 0; k < 3; k++) {
      cross(guess.R + (size_t)3 * k, own->R + (size_t)3 * k, x);
      for (int i = 0; i < 3; i++) turned[i] += 0.5 * x[i];
      moved[k] = own->o[k] - guess.o[k];
    }
    double before[MAX_CHAIN];
    for (int i = 0; i < c->n; i++) before[i] = q[c->joint[i]];
    take_apart(m, c, JOINT_REVOLUTE, turned, q);
    take_apart(m, c, JOINT_PRISMATIC, moved, q);
    for (int i = 0; i < c->n; i++) {
      size = fmax(size, fabs(q[c->joint[i]] - before[i]) / (1 + fabs(before[i])));
    }
    if (!isfinite(size)) return false;
    if (size <= NEWTON_TOL * (1 + it)) break;
  }
  return true;
}

static void find_speed(const Model *m, const Chain *c, const Body *base, const Body *own,
                       double *qd) {
  double r[3], carried[3], turned[3], moved[3];
  for (int k = 0; k < 3; k++) r[k] = own->o[k] - base->o[k];
  cross(base->w, r, carried);
  for (int k = 0; k < 3; k++) {
    turned[k] = own->w[k] - base->w[k];
    moved[k] = own->u[k] - base->u[k] - carried[k];
  }
  for (int i = 0; i < c->n; i++) qd[c->joint[i]] = 0;
  take_apart(m, c, JOINT_REVOLUTE, turned, qd);
  take_apart(m, c, JOINT_PRISMATIC, moved, qd);
}

bool maximal_to_joints(const Maximal *x, const double *p, const double *e, const double *v,
                       const double *w, double *q, double *qd) {
  const Body world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  bool ok = true;
  for (int b = 0; b < x->n_body; b++) {
    Chain c = {0};
    int k = x->body[b].index;
    do {
      c.joint[c.n++] = k;
      k = x->m->joint[k].parent;
    } while (c.n < MAX_CHAIN && k >= 0 && x->body_of[k] < 0);
    for (int i = 0; i < c.n / 2; i++) {
      int other = c.joint[i];
      c.joint[i] = c.joint[c.n - 1 - i];
      c.joint[c.n - 1 - i] = other;
    }
    Body own = body_at(x, b, p, e, v, w);
    Body base = k < 0 ? world : body_at(x, x->body_of[k], p, e, v, w);
    ok = find_position(x->m, &c, &base, &own, q) && ok;
    find_speed(x->m, &c, &base, &own, qd);
  }
  return ok;
}
