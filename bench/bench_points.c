// SPDX-License-Identifier: MIT
#include "bench_points.h"

#include <math.h>
#include <time.h>

#include "base/rng.h"
#include "dynamics/dyn.h"

static const double v_size = 2, a_size = 8, u_size = 10, lambda_size = 1, slide_size = 0.5;

static double random_position(Rng *rng, const ModelJoint *j) {
  double size = j->type == JOINT_REVOLUTE ? M_PI : slide_size;
  double lower = isfinite(j->lower) ? j->lower : -size;
  double upper = isfinite(j->upper) ? j->upper : size;
  return rng_uniform(rng, lower, upper);
}

static void fill_point(const Model *m, const BenchPoints *p, Rng *rng, double *x) {
  for (int i = 0; i < m->nv; i++) {
    x[p->offset[DYN_Q] + i] = random_position(rng, &m->joint[i]);
    x[p->offset[DYN_V] + i] = rng_uniform(rng, -v_size, v_size);
    x[p->offset[DYN_A] + i] = rng_uniform(rng, -a_size, a_size);
    x[p->offset[DYN_LAMBDA] + i] = rng_uniform(rng, -lambda_size, lambda_size);
  }
  for (int k = 0; k < m->nu; k++) x[p->offset[DYN_U] + k] = rng_uniform(rng, -u_size, u_size);
}

bool bench_points_build(BenchPoints *p, Arena *arena, const Model *m, int n) {
  int nv = m->nv;
  *p = (BenchPoints){.n = n, .n_item = 4 * nv + m->nu};
  p->offset[DYN_Q] = 0;
  p->offset[DYN_V] = nv;
  p->offset[DYN_A] = 2 * nv;
  p->offset[DYN_U] = 3 * nv;
  p->offset[DYN_LAMBDA] = 3 * nv + m->nu;
  size_t size = (size_t)n * (size_t)p->n_item;
  p->by_point = arena_array(arena, size, sizeof(double));
  p->by_item = arena_array(arena, size, sizeof(double));
  if (!p->by_point || !p->by_item) return false;

  Rng rng;
  rng_seed(&rng, 1);
  for (int j = 0; j < n; j++) {
    double *x = p->by_point + (size_t)j * (size_t)p->n_item;
    fill_point(m, p, &rng, x);
    for (int k = 0; k < p->n_item; k++) p->by_item[(size_t)k * (size_t)n + (size_t)j] = x[k];
  }
  return true;
}

int bench_points_offset(const BenchPoints *p, const ExprInput *in) {
  return p->offset[in->input];
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
