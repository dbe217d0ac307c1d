// SPDX-License-Identifier: MIT
// A motion on a grid: states at the nodes, states and accelerations at the collocation points of
// each interval, controls. Matrices are column-major, one instant is one contiguous column.
//
// Inside interval k of length h, at s = (t - t_k) / h, with l_j the Lagrange polynomials on the
// points:
//   a(t) = sum_j l_j(s) a_kj
//   v(t) = v_k + h sum_j a_kj int_0^s l_j
//   q(t) = q_k + h sum_j v_kj int_0^s l_j
// the collocation polynomials themselves: they pass through the values at points and nodes.
#ifndef POISE_OCP_TRAJECTORY_H
#define POISE_OCP_TRAJECTORY_H

#include "base/json_at.h"
#include "base/textbuf.h"
#include "ocp/ocp.h"

typedef struct Trajectory {
  Arena *arena;          // owns everything below
  int nv, nu;            //
  int n_interval;        // N
  int n_point;           // collocation points per interval, d
  int n_control;         // N: constant on each interval; N + 1: linear; 2 N + 1: quadratic
  double *time;          // N + 1 [s]
  double *q, *v;         // nv x (N + 1)
  double *u;             // nu x n_control
  double *point;         // d, place of the points in an interval, 0 to 1
  double *pq, *pv, *pa;  // nv x (N d), at the points
} Trajectory;

// Sized for a problem, with its points and its nodes over its horizon; all else is zero. On
// failure *out is NULL.
Status trajectory_build(Trajectory **out, const Ocp *o, Error *err);

// The same by sizes alone; time and point are zero too.
Status trajectory_new(Trajectory **out, int nv, int nu, int n_interval, int n_point, int n_control,
                      Error *err);
void trajectory_free(Trajectory *t);  // NULL-safe

// States at the points from those at the nodes and the accelerations at the points, by the polynomials.
void trajectory_fill_points(Trajectory *t);

// "constant", "linear" or "quadratic", by n_control.
const char *trajectory_control_kind(const Trajectory *t);

// Time at which control c applies: middle of its interval if constant, else node or middle.
double trajectory_control_time(const Trajectory *t, int c);

// Control at time t (right-continuous where it jumps), nu; and state by the interval's collocation
// polynomial, nv each (q, v and a may be NULL). Times outside are taken as the nearest end; at a
// node the interval that begins there counts, at the end the last one.
void trajectory_control(const Trajectory *t, double time, double *u);
void trajectory_state(const Trajectory *t, double time, double *q, double *v, double *a);

// The same with the interval on the side of `inside` where time is a node: accelerations jump there.
void trajectory_state_beside(const Trajectory *t, double time, double inside, double *q, double *v,
                             double *a);

// The "trajectory" object of a result file, appended to b (docs/task_format.md): joints, actuators,
// control, time, q, v, a, u by instants, and points. Numbers read back exactly; NaN and infinities
// become null.
void trajectory_write_json(const Trajectory *t, const Model *m, TextBuf *b);

// Reads that object back; for files without points the motion between nodes is the cubic through q
// and v. Refused if the joints are not those of m. On failure *out is NULL.
Status trajectory_read_json(Trajectory **out, const JsonAt *at, const Model *m, Error *err);

// The same from the key "trajectory" of a result file.
Status trajectory_load(Trajectory **out, const char *path, const Model *m, Error *err);

// Nodes as CSV, appended to b: one header line "time,q.NAME..,v.NAME..,a.NAME..,u.NAME..", then one
// line per node.
void trajectory_write_csv(const Trajectory *t, const Model *m, TextBuf *b);

// The first guess that a problem asks for (o->guess). A result file of another grid is resampled,
// in proportion if its horizon differs (a free horizon starts at the file's instead); of another
// robot it is refused. time[N] is the horizon to start with. On failure *out is NULL.
Status guess_build(Trajectory **out, const Ocp *o, Error *err);

// A motion of the same robot on the grid of a problem, resampled in the same way.
Status guess_from(Trajectory **out, const Ocp *o, const Trajectory *from, Error *err);

#endif
