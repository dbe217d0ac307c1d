// SPDX-License-Identifier: MIT
#include "sim/sim_resample.h"

#include <math.h>
#include <string.h>

#include "sim/sim_integrate.h"

// Times closer than this, over the horizon, are the same.
static const double SAME_TIME = 1e-12;

typedef struct Resample {
  Trajectory *to;          //
  const Trajectory *from;  //
  const Model *m;          //
  Sim *sim;                //
  int k;                   // interval of `to` under way
  double *q, *v;           // nv, state
  double *tau, *u;         // nv, nu
  double *time;            // points of an interval
} Resample;

// a constant control by the middle of the interval: ends belong to two of them
static void force(const void *data, double time, double *tau) {
  const Resample *w = data;
  const double *t = w->to->time + w->k;
  bool constant = w->from->n_control == w->from->n_interval;
  trajectory_control(w->from, constant ? 0.5 * (t[0] + t[1]) : time, w->u);
  memset(tau, 0, (size_t)w->m->nv * sizeof *tau);
  for (int j = 0; j < w->m->nu; j++) tau[w->m->u_joint[j]] = w->u[j];
}

static void store(void *data, int j, double time, const double *q, const double *v) {
  Resample *w = data;
  size_t nv = (size_t)w->to->nv, at = ((size_t)w->k * (size_t)w->to->n_point + (size_t)j) * nv;
  force(w, time, w->tau);
  if (!sim_accelerations(w->sim, q, v, w->tau, w->to->pa + at)) return;
  memcpy(w->to->pq + at, q, nv * sizeof *q);
  memcpy(w->to->pv + at, v, nv * sizeof *v);
}

// intervals first .. last - 1 of `to`, the parts of interval `of`
static Status follow(Resample *w, int of, int first, int last, Error *err) {
  const Trajectory *from = w->from;
  Trajectory *to = w->to;
  size_t nv = (size_t)to->nv, bytes = nv * sizeof *w->q;
  memcpy(w->q, from->q + (size_t)of * nv, bytes);
  memcpy(w->v, from->v + (size_t)of * nv, bytes);
  Status status = STATUS_OK;
  for (w->k = first; status == STATUS_OK && w->k < last; w->k++) {
    double t0 = to->time[w->k], t1 = to->time[w->k + 1];
    for (int j = 0; j < to->n_point; j++) w->time[j] = fmin(t0 + to->point[j] * (t1 - t0), t1);
    const SimDrive drive = {NULL, force, w};
    const SimOutput output = {to->n_point, w->time, store, w};
    status = sim_run(w->sim, t0, t1, w->q, w->v, &drive, &output, err);
    if (status != STATUS_OK || w->k + 1 == last) break;
    memcpy(to->q + ((size_t)w->k + 1) * nv, w->q, bytes);
    memcpy(to->v + ((size_t)w->k + 1) * nv, w->v, bytes);
  }
  return status;
}

static bool build_arrays(Resample *w, Arena *arena) {
  size_t nv = (size_t)w->to->nv;
  w->q = arena_array(arena, nv, sizeof *w->q);
  w->v = arena_array(arena, nv, sizeof *w->v);
  w->tau = arena_array(arena, nv, sizeof *w->tau);
  w->u = arena_array(arena, (size_t)w->to->nu + 1, sizeof *w->u);
  w->time = arena_array(arena, (size_t)w->to->n_point, sizeof *w->time);
  return w->q && w->v && w->tau && w->u && w->time;
}

Status sim_resample(Trajectory *to, const Model *m, const Trajectory *from, Error *err) {
  Resample w = {.to = to, .from = from, .m = m};
  Status status = build_arrays(&w, to->arena) ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK) status = sim_build(&w.sim, m, NULL, NULL, err);
  double near = SAME_TIME * from->time[from->n_interval];
  int first = 0;
  for (int k = 0; status == STATUS_OK && k < from->n_interval; k++) {
    int last = first;
    while (last < to->n_interval && to->time[last + 1] <= from->time[k + 1] + near) last++;
    if (last > first + 1) status = follow(&w, k, first, last, err);
    if (status == STATUS_NUMERIC) status = STATUS_OK;
    first = last;
  }
  if (status == STATUS_OK) *err = (Error){0};
  sim_free(w.sim);
  return status;
}
