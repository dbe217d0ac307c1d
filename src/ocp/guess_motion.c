// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "ocp/guess_internal.h"

enum { CHUNK = 64, SAMPLES = 200 };  // instants in one evaluation; places where a wave is measured

bool guess_motion_build(GuessMotion *g, const Ocp *o, Arena *arena) {
  size_t nv = (size_t)o->model->nv;
  *g = (GuessMotion){.nv = o->model->nv, .T = o->T};
  g->q0 = arena_array(arena, nv, sizeof(double));
  g->v0 = arena_array(arena, nv, sizeof(double));
  g->dq = arena_array(arena, nv, sizeof(double));
  g->wave = arena_array(arena, nv * GUESS_WAVES, sizeof(double));
  if (!g->q0 || !g->v0 || !g->dq || !g->wave) return false;
  memcpy(g->q0, o->q_start, nv * sizeof(double));
  return true;
}

void guess_motion_at(const GuessMotion *g, double time, double *q, double *v, double *a) {
  double T = g->T, s = time / T, s2 = s * s, s3 = s2 * s;
  double f = s3 * (10 - 15 * s + 6 * s2), df = 30 * s2 * (1 - s) * (1 - s);
  double ddf = 60 * s * (1 - s) * (1 - 2 * s);
  double e = s - s3 * (6 - 8 * s + 3 * s2), de = 1 - s2 * (18 - 32 * s + 15 * s2);
  double dde = -s * (36 - 96 * s + 60 * s2);
  for (int i = 0; i < g->nv; i++) {
    double dq = g->dq[i], v0 = g->v0[i];
    q[i] = g->q0[i] + dq * f + T * v0 * e;
    v[i] = dq * df / T + v0 * de;
    a[i] = (dq * ddf / T + v0 * dde) / T;
    for (int m = 0; m < GUESS_WAVES; m++) {
      double w = g->wave[i + g->nv * m], rate = (m + 1) * M_PI;
      q[i] += 0.5 * w * (1 - cos(rate * s));
      v[i] += 0.5 * w * rate * sin(rate * s) / T;
      a[i] += 0.5 * w * rate * rate * cos(rate * s) / (T * T);
    }
  }
}

// least and largest value of a sum of waves
static void wave_range(const double *w, double *least, double *largest) {
  *least = *largest = 0;
  for (int k = 1; k <= SAMPLES; k++) {
    double sum = 0;
    for (int m = 0; m < GUESS_WAVES; m++)
      sum += 0.5 * w[m] * (1 - cos((m + 1) * M_PI * k / SAMPLES));
    *least = fmin(*least, sum);
    *largest = fmax(*largest, sum);
  }
}

// the factor that keeps least .. largest within the room below and above
static double fit(double least, double largest, double below, double above) {
  double up = largest > 0 ? above / largest : INFINITY;
  double down = least < 0 ? below / -least : INFINITY;
  return fmin(up, down);
}

void guess_motion_shake(GuessMotion *g, const Ocp *o, int seed, double amplitude) {
  Rng rng;
  rng_seed(&rng, (uint64_t)seed);
  for (int i = 0; i < g->nv; i++) {
    double w[GUESS_WAVES], least = 0, largest = 0;
    for (int m = 0; m < GUESS_WAVES; m++) w[m] = rng_uniform(&rng, -1, 1) / (m + 1);
    wave_range(w, &least, &largest);
    double above = fmin(amplitude, fmax(o->limits.q_upper[i] - g->q0[i], 0));
    double below = fmin(amplitude, fmax(g->q0[i] - o->limits.q_lower[i], 0));
    // turned round if there is more room on the other side
    double scale = fit(least, largest, below, above), other = fit(-largest, -least, below, above);
    if (other > scale) scale = -other;
    if (!isfinite(scale)) scale = 0;
    for (int m = 0; m < GUESS_WAVES; m++) g->wave[i + g->nv * m] = scale * w[m];
  }
}

// controls first .. first + n - 1; x: nv x CHUNK, four of them
static bool fill_controls(Trajectory *t, const Ocp *o, const RobotEval *e, const GuessMotion *g,
                          int first, int n, double *const x[4]) {
  const Model *m = o->model;
  for (int c = 0; c < n; c++) {
    size_t at = (size_t)c * (size_t)t->nv;
    guess_motion_at(g, trajectory_control_time(t, first + c), x[0] + at, x[1] + at, x[2] + at);
  }
  if (!robot_eval_torque(e, n, x[0], x[1], x[2], x[3])) return false;
  for (int c = 0; c < n; c++) {
    for (int k = 0; k < t->nu; k++) {
      double u = x[3][m->u_joint[k] + (size_t)c * (size_t)t->nv];
      u = fmin(fmax(u, o->limits.u_lower[k]), o->limits.u_upper[k]);
      t->u[k + (size_t)(first + c) * (size_t)t->nu] = u;
    }
  }
  return true;
}

Status guess_motion_fill(Trajectory *t, const Ocp *o, const RobotEval *e, const GuessMotion *g,
                         Error *err) {
  size_t nv = (size_t)t->nv;
  double *x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = arena_array(t->arena, nv * CHUNK, sizeof(double));
    if (!x[i]) return error_no_memory(err);
  }
  for (int k = 0; k <= t->n_interval; k++) {
    size_t node = (size_t)k * nv;
    guess_motion_at(g, t->time[k], t->q + node, t->v + node, x[0]);
    for (int j = 0; k < t->n_interval && j < t->n_point; j++) {
      size_t at = node * (size_t)t->n_point + (size_t)j * nv;
      double time = t->time[k] + t->point[j] * (t->time[k + 1] - t->time[k]);
      guess_motion_at(g, time, t->pq + at, t->pv + at, t->pa + at);
    }
  }
  for (int first = 0; first < t->n_control; first += CHUNK) {
    int n = t->n_control - first < CHUNK ? t->n_control - first : CHUNK;
    if (!fill_controls(t, o, e, g, first, n, x)) {
      return error_set(err, STATUS_NUMERIC, o->path,
                       "the torques of the guess are not finite near t = %g s",
                       trajectory_control_time(t, first));
    }
  }
  return STATUS_OK;
}
