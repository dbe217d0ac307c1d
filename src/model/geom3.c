// SPDX-License-Identifier: MIT
#include "model/geom3.h"

#include <math.h>
#include <string.h>

const Frame3 frame3_identity = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static const double ROUND_OFF = 4e-16;
static const double RAD_PER_DEG = 0.017453292519943295;
enum { SWEEPS = 30 };

// values within rounding of -1, 0, 1 become exact
static void snap(double R[9]) {
  for (int i = 0; i < 9; i++) {
    double nearest = round(R[i]);
    if (fabs(R[i] - nearest) <= ROUND_OFF) R[i] = nearest + 0.0;
  }
}

// s, c: sine and cosine of roll, pitch, yaw
static void from_sines(const double s[3], const double c[3], double R[9]) {
  R[0] = c[2] * c[1];
  R[1] = s[2] * c[1];
  R[2] = -s[1];
  R[3] = c[2] * s[1] * s[0] - s[2] * c[0];
  R[4] = s[2] * s[1] * s[0] + c[2] * c[0];
  R[5] = c[1] * s[0];
  R[6] = c[2] * s[1] * c[0] + s[2] * s[0];
  R[7] = s[2] * s[1] * c[0] - c[2] * s[0];
  R[8] = c[1] * c[0];
  snap(R);
}

void geom3_rpy(const double rpy[3], double R[9]) {
  double s[3], c[3];
  for (int i = 0; i < 3; i++) {
    s[i] = sin(rpy[i]);
    c[i] = cos(rpy[i]);
  }
  from_sines(s, c, R);
}

void geom3_rpy_deg(const double rpy[3], double R[9]) {
  double rad[3];
  for (int i = 0; i < 3; i++) rad[i] = fmod(rpy[i], 360) * RAD_PER_DEG;
  geom3_rpy(rad, R);
}

// Rz(a) Ry(b) Rz(-a), the shortest way; upside down a half turn about x
void geom3_z_to(const double u[3], double R[9]) {
  if (u[2] <= -1 + ROUND_OFF) {
    memcpy(R, (double[9]){1, 0, 0, 0, -1, 0, 0, 0, -1}, 9 * sizeof *R);
    return;
  }
  double k = 1 / (1 + u[2]);
  const double r[9] = {1 - k * u[0] * u[0],
                       -k * u[0] * u[1],
                       -u[0],
                       -k * u[0] * u[1],
                       1 - k * u[1] * u[1],
                       -u[1],
                       u[0],
                       u[1],
                       u[2]};
  memcpy(R, r, sizeof r);
  snap(R);
}

void geom3_mul(const double A[9], const double B[9], double AB[9]) {
  for (int j = 0; j < 3; j++) geom3_apply(A, B + 3 * j, AB + 3 * j);
}

void geom3_apply(const double R[9], const double x[3], double Rx[3]) {
  for (int i = 0; i < 3; i++) Rx[i] = R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2];
}

double geom3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Frame3 frame3_compose(const Frame3 *outer, const Frame3 *inner) {
  Frame3 f;
  geom3_apply(outer->R, inner->p, f.p);
  for (int i = 0; i < 3; i++) f.p[i] += outer->p[i];
  geom3_mul(outer->R, inner->R, f.R);
  snap(f.R);
  return f;
}

void geom3_turn_inertia(const double R[9], const double I[9], double out[9]) {
  double RI[9], Rt[9], full[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) Rt[i + 3 * j] = R[j + 3 * i];
  }
  geom3_mul(R, I, RI);
  geom3_mul(RI, Rt, full);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[i + 3 * j] = 0.5 * (full[i + 3 * j] + full[j + 3 * i]);
  }
}

// I += mass (d^T d 1 - d d^T)
static void add_offset(double I[9], double mass, const double d[3]) {
  double d2 = geom3_dot(d, d);
  for (int i = 0; i < 3; i++) {
    I[i + 3 * i] += mass * d2;
    for (int j = 0; j < 3; j++) I[i + 3 * j] -= mass * d[i] * d[j];
  }
}

void inertia3_add(Inertia3 *sum, const Inertia3 *body, const Frame3 *frame) {
  if (body->mass == 0) return;
  Inertia3 b = {.mass = body->mass};
  geom3_apply(frame->R, body->com, b.com);
  for (int i = 0; i < 3; i++) b.com[i] += frame->p[i];
  geom3_turn_inertia(frame->R, body->I, b.I);
  if (sum->mass == 0) {
    *sum = b;
    return;
  }

  // common centre of mass, then both inertias about it
  Inertia3 s = {.mass = sum->mass + b.mass};
  double d_sum[3], d_b[3];
  for (int i = 0; i < 3; i++) {
    s.com[i] = (sum->mass * sum->com[i] + b.mass * b.com[i]) / s.mass;
    d_sum[i] = sum->com[i] - s.com[i];
    d_b[i] = b.com[i] - s.com[i];
  }
  for (int i = 0; i < 9; i++) s.I[i] = sum->I[i] + b.I[i];
  add_offset(s.I, sum->mass, d_sum);
  add_offset(s.I, b.mass, d_b);
  *sum = s;
}

double inertia3_about(const Inertia3 *body, const double axis[3]) {
  double I[9], Ia[3];
  memcpy(I, body->I, sizeof I);
  add_offset(I, body->mass, body->com);
  geom3_apply(I, axis, Ia);
  return geom3_dot(axis, Ia);
}

// one Jacobi rotation that makes A(p,q) zero (Golub and Van Loan, section 8.5)
static void rotate_away(double A[9], int p, int q) {
  double apq = A[p + 3 * q];
  if (apq == 0) return;
  double theta = (A[q + 3 * q] - A[p + 3 * p]) / (2 * apq);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1));
  double c = 1 / hypot(t, 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    double akp = A[k + 3 * p], akq = A[k + 3 * q];
    A[k + 3 * p] = c * akp - s * akq;
    A[k + 3 * q] = s * akp + c * akq;
  }
  for (int k = 0; k < 3; k++) {
    double apk = A[p + 3 * k], aqk = A[q + 3 * k];
    A[p + 3 * k] = c * apk - s * aqk;
    A[q + 3 * k] = s * apk + c * aqk;
  }
}

void geom3_eigenvalues(const double A[9], double out[3]) {
  double W[9];
  memcpy(W, A, sizeof W);
  double size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(W[i]));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = fabs(W[3]) + fabs(W[6]) + fabs(W[7]);
    if (off <= 1e-16 * size) break;
    rotate_away(W, 0, 1);
    rotate_away(W, 0, 2);
    rotate_away(W, 1, 2);
  }
  for (int i = 0; i < 3; i++) out[i] = W[i + 3 * i];
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 2; i++) {
      if (out[i] <= out[i + 1]) continue;
      double larger = out[i];
      out[i] = out[i + 1];
      out[i + 1] = larger;
    }
  }
}
