// SPDX-License-Identifier: MIT
#include "ocp/trajectory.h"

#include <assert.h>
#include <math.h>

// Gauss-Legendre on [-1, 1] with 5 points, exact to degree 9: enough for l_j of OCP_MAX_DEGREE
// points
enum { N_QUADRATURE = 5 };
static const double NODE_SIDE =
    1e-6;  // part of the way to a neighbour that tells the side of a node

Status trajectory_new(Trajectory **out, int nv, int nu, int n_interval, int n_point, int n_control,
                      Error *err) {
  *out = NULL;
  assert(n_interval > 0 && n_point > 0 && n_point <= OCP_MAX_DEGREE);
  Arena *arena = arena_new();
  Trajectory *t = arena_alloc(arena, sizeof *t);
  if (!t) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *t = (Trajectory){.arena = arena,
                    .nv = nv,
                    .nu = nu,
                    .n_interval = n_interval,
                    .n_point = n_point,
                    .n_control = n_control};
  size_t n = (size_t)nv, nodes = (size_t)n_interval + 1;
  size_t points = (size_t)n_interval * (size_t)n_point;
  t->time = arena_array(arena, nodes, sizeof *t->time);
  t->q = arena_array(arena, n * nodes, sizeof *t->q);
  t->v = arena_array(arena, n * nodes, sizeof *t->v);
  t->u = arena_array(arena, (size_t)nu * (size_t)n_control, sizeof *t->u);
  t->point = arena_array(arena, (size_t)n_point, sizeof *t->point);
  t->pq = arena_array(arena, n * points, sizeof *t->pq);
  t->pv = arena_array(arena, n * points, sizeof *t->pv);
  t->pa = arena_array(arena, n * points, sizeof *t->pa);
  if (!t->time || !t->q || !t->v || !t->u || !t->point || !t->pq || !t->pv || !t->pa) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *out = t;
  return STATUS_OK;
}

Status trajectory_build(Trajectory **out, const Ocp *o, Error *err) {
  Status status = trajectory_new(out, o->model->nv, o->model->nu, o->n_interval, ocp_n_point(o),
                                 ocp_n_control(o), err);
  Trajectory *t = *out;
  if (!t) return status;
  ocp_points(o, t->point);
  for (int k = 0; k <= t->n_interval; k++) t->time[k] = o->T * ocp_node(o, k);
  return STATUS_OK;
}

void trajectory_free(Trajectory *t) {
  if (t) arena_free(t->arena);
}

const char *trajectory_control_kind(const Trajectory *t) {
  if (t->n_control == t->n_interval) return "constant";
  return t->n_control == t->n_interval + 1 ? "linear" : "quadratic";
}

double trajectory_control_time(const Trajectory *t, int c) {
  if (t->n_control == t->n_interval) return 0.5 * (t->time[c] + t->time[c + 1]);
  if (t->n_control == t->n_interval + 1) return t->time[c];
  int k = c / 2;
  return c % 2 ? 0.5 * (t->time[k] + t->time[k + 1]) : t->time[k];
}

// the interval of a time, and the place 0 .. 1 in it
static int find_interval(const Trajectory *t, double time, double *s) {
  int lo = 0, hi = t->n_interval;  // time[lo] <= time < time[hi], as far as it can be
  while (hi - lo > 1) {
    int middle = (lo + hi) / 2;
    if (time < t->time[middle]) hi = middle;
    else lo = middle;
  }
  double h = t->time[lo + 1] - t->time[lo];
  *s = fmin(fmax((time - t->time[lo]) / h, 0), 1);
  return lo;
}

void trajectory_control(const Trajectory *t, double time, double *u) {
  double s = 0;
  int k = find_interval(t, time, &s), n = 1;
  double w[3] = {1, 0, 0};  // weights of n controls from `first` on
  const double *first = t->u + (size_t)k * (size_t)t->nu;
  if (t->n_control == t->n_interval + 1) {
    n = 2;
    w[0] = 1 - s;
    w[1] = s;
  } else if (t->n_control != t->n_interval) {
    n = 3;
    first = t->u + 2 * (size_t)k * (size_t)t->nu;
    w[0] = (1 - s) * (1 - 2 * s);
    w[1] = 4 * s * (1 - s);
    w[2] = s * (2 * s - 1);
  }
  for (int i = 0; i < t->nu; i++) {
    u[i] = 0;
    for (int c = 0; c < n; c++) u[i] += w[c] * first[i + c * t->nu];
  }
}

// l_j(s) on the points, all j
static void lagrange(int d, const double *point, double s, double *l) {
  for (int j = 0; j < d; j++) {
    l[j] = 1;
    for (int i = 0; i < d; i++) {
      if (i != j) l[j] *= (s - point[i]) / (point[j] - point[i]);
    }
  }
}

// the integrals of l_j from 0 to s, all j
static void lagrange_integral(int d, const double *point, double s, double *integral) {
  static const double x[N_QUADRATURE] = {-0.9061798459386640, -0.5384693101056831, 0,
                                         0.5384693101056831, 0.9061798459386640};
  static const double w[N_QUADRATURE] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                         0.4786286704993665, 0.2369268850561891};
  double l[OCP_MAX_DEGREE];
  for (int j = 0; j < d; j++) integral[j] = 0;
  for (int i = 0; i < N_QUADRATURE; i++) {
    lagrange(d, point, 0.5 * s * (1 + x[i]), l);
    for (int j = 0; j < d; j++) integral[j] += 0.5 * s * w[i] * l[j];
  }
}

void trajectory_fill_points(Trajectory *t) {
  int d = t->n_point, nv = t->nv;
  double integral[OCP_MAX_DEGREE][OCP_MAX_DEGREE];
  for (int j = 0; j < d; j++) lagrange_integral(d, t->point, t->point[j], integral[j]);
  for (int k = 0; k < t->n_interval; k++) {
    double h = t->time[k + 1] - t->time[k];
    size_t node = (size_t)k * (size_t)nv, first = node * (size_t)d;
    const double *a = t->pa + first;
    double *q = t->pq + first, *v = t->pv + first;
    for (int e = 0; e < nv * d; e++) {
      int i = e % nv;
      v[e] = t->v[node + (size_t)i];
      for (int l = 0; l < d; l++) v[e] += h * integral[e / nv][l] * a[i + nv * l];
    }
    for (int e = 0; e < nv * d; e++) {
      int i = e % nv;
      q[e] = t->q[node + (size_t)i];
      for (int l = 0; l < d; l++) q[e] += h * integral[e / nv][l] * v[i + nv * l];
    }
  }
}

// the polynomial of interval k at s
static void state_in(const Trajectory *t, int k, double s, double *q, double *v, double *a) {
  int d = t->n_point;
  double l[OCP_MAX_DEGREE], integral[OCP_MAX_DEGREE];
  double h = t->time[k + 1] - t->time[k];
  lagrange(d, t->point, s, l);
  lagrange_integral(d, t->point, s, integral);
  size_t node = (size_t)k * (size_t)t->nv, first = node * (size_t)d;
  for (int i = 0; i < t->nv; i++) {
    double a_sum = 0, dv = 0, dq = 0;
    for (int j = 0; j < d; j++) {
      size_t at = first + (size_t)(i + j * t->nv);
      a_sum += l[j] * t->pa[at];
      dv += integral[j] * t->pa[at];
      dq += integral[j] * t->pv[at];
    }
    if (a) a[i] = a_sum;
    if (v) v[i] = t->v[node + (size_t)i] + h * dv;
    if (q) q[i] = t->q[node + (size_t)i] + h * dq;
  }
}

void trajectory_state(const Trajectory *t, double time, double *q, double *v, double *a) {
  double s = 0;
  int k = find_interval(t, time, &s);
  state_in(t, k, s, q, v, a);
}

void trajectory_state_beside(const Trajectory *t, double time, double inside, double *q, double *v,
                             double *a) {
  double s = 0;
  int k = find_interval(t, time + NODE_SIDE * (inside - time), &s);
  double h = t->time[k + 1] - t->time[k];
  state_in(t, k, fmin(fmax((time - t->time[k]) / h, 0), 1), q, v, a);
}
