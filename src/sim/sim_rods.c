// SPDX-License-Identifier: MIT
#include "sim/sim_rods.h"

#include <math.h>
#include <string.h>

#include "dynamics/kkt_order.h"

// ---- building ----------------------------------------------------------------------------------

// rods in the order given: the first to reach a joint carries it, the others close loops
static Status build_tree(SimRods *s, const RodNet *net, Arena *work, Error *err) {
  int *carrier = arena_array(work, (size_t)net->n_joint + 1, sizeof *carrier);
  if (!carrier) return error_no_memory(err);
  for (int k = 0; k < net->n_joint; k++) carrier[k] = k < net->n_fixed ? -1 : -2;
  int d = s->dim;
  for (int j = 0; j < s->n; j++) {
    int base = net->rod[j][0], tip = net->rod[j][1];
    if (carrier[base] == -2) {
      return error_set(err, STATUS_INPUT, "",
                       "rod %d starts at a joint that no rod before it reaches", j);
    }
    s->father[j] = carrier[base];
    memcpy(s->base + (size_t)d * j, net->joint + (size_t)d * base, (size_t)d * sizeof *s->base);
    for (int c = 0; c < d; c++) {
      s->start[2 * d * j + c] = net->joint[d * tip + c];
      s->start[2 * d * j + d + c] = net->joint[d * tip + c] - net->joint[d * base + c];
    }
    if (carrier[tip] == -2) {
      carrier[tip] = j;
      continue;
    }
    memcpy(s->meet + (size_t)d * s->n_loop, net->joint + (size_t)d * tip,
           (size_t)d * sizeof *s->meet);
    s->loop[s->n_loop][0] = j;
    s->loop[s->n_loop++][1] = carrier[tip];
  }
  return STATUS_OK;
}

static void add_entry(SimRods *s, int i, int j, double value, int turns) {
  s->entry[s->n_entry] = (LdlEntry){i, j};
  s->value[s->n_entry] = value;
  s->turns[s->n_entry++] = turns;
}

// [M G^T; G 0]: rows of rod j are 2 d j ..., its constraints (d of the base, 1 of the length) follow
static void build_system(SimRods *s) {
  int d = s->dim, first = 2 * d * s->n;
  for (int j = 0; j < s->n; j++) {
    int x = 2 * d * j, c = first + (d + 1) * j;
    for (int k = 0; k < d; k++) {
      add_entry(s, x + k, x + k, s->mass, -1);
      add_entry(s, x + d + k, x + k, -s->mass / 2, -1);
      add_entry(s, x + d + k, x + d + k, s->mass / 3, -1);
      add_entry(s, c + k, x + k, 1, -1);
      add_entry(s, c + k, x + d + k, -1, -1);
      if (s->father[j] >= 0) add_entry(s, c + k, 2 * d * s->father[j] + k, -1, -1);
      add_entry(s, c + d, x + d + k, 0, x + d + k);
    }
  }
  s->n_row = first + (d + 1) * s->n;
}

// the constraints of a rod go with the joint at its base
static bool build_order(SimRods *s, Arena *work) {
  int d = s->dim, n = s->n, at = 0;
  KktJoint *joint = arena_array(work, (size_t)n + 1, sizeof *joint);
  int *block = arena_array(work, 2 * (size_t)n + 1, sizeof *block);
  int *order = arena_array(work, (size_t)s->n_row + 1, sizeof *order);
  if (!joint || !block || !order) return false;
  for (int j = 0; j < n; j++) joint[j] = (KktJoint){{s->father[j], j}, d + 1};
  if (!kkt_order(n, 2 * d, n, joint, block)) return false;
  for (int k = 0; k < 2 * n; k++) {
    bool rod = block[k] < n;
    int first = rod ? 2 * d * block[k] : 2 * d * n + (d + 1) * (block[k] - n);
    for (int r = 0; r < (rod ? 2 * d : d + 1); r++) order[at++] = first + r;
  }
  return ldl_build(&s->ldl, s->arena, s->n_row, s->n_entry, s->entry, order);
}

static bool build_arrays(SimRods *s) {
  Arena *a = s->arena;
  size_t n = (size_t)s->n, d = (size_t)s->dim, rows = (3 * d + 1) * n;
  s->father = arena_array(a, n + 1, sizeof *s->father);
  s->base = arena_array(a, d * n + 1, sizeof *s->base);
  s->loop = arena_array(a, n + 1, sizeof *s->loop);
  s->meet = arena_array(a, d * n + 1, sizeof *s->meet);
  s->start = arena_array(a, 2 * d * n + 1, sizeof *s->start);
  s->entry = arena_array(a, 7 * d * n + 1, sizeof *s->entry);
  s->turns = arena_array(a, 7 * d * n + 1, sizeof *s->turns);
  s->value = arena_array(a, 7 * d * n + 1, sizeof *s->value);
  s->d_inv = arena_array(a, rows + 1, sizeof *s->d_inv);
  s->y = arena_array(a, rows + 1, sizeof *s->y);
  s->rhs = arena_array(a, rows + 1, sizeof *s->rhs);
  s->lambda = arena_array(a, (2 * d + 1) * n + 1, sizeof *s->lambda);
  s->n_state = 4 * s->dim * s->n * s->opt.iterations;
  s->step_work = arena_array(a, SIM_STEP_WORK((size_t)s->n_state) + 1, sizeof *s->step_work);
  return s->father && s->base && s->loop && s->meet && s->start && s->entry && s->turns &&
         s->value && s->d_inv && s->y && s->rhs && s->lambda && s->step_work;
}

Status sim_rods_build(SimRods **out, const RodNet *net, const RodOptions *opt, Error *err) {
  *out = NULL;
  Arena *arena = arena_new(), *work = arena_new();
  SimRods *s = work ? arena_alloc(arena, sizeof *s) : NULL;
  Status status = s ? STATUS_OK : error_no_memory(err);
  if (s) {
    *s = (SimRods){.arena = arena,
                   .opt = *opt,
                   .dim = net->dim,
                   .n = net->n_rod,
                   .mass = net->mass,
                   .length = net->length,
                   .gravity = net->gravity};
    if (!build_arrays(s)) status = error_no_memory(err);
  }
  if (status == STATUS_OK) status = build_tree(s, net, work, err);
  if (status == STATUS_OK) {
    build_system(s);
    bool ok = build_order(s, work);
    s->l = ok ? arena_array(arena, (size_t)s->ldl.nnz + 1, sizeof *s->l) : NULL;
    if (!s->l) status = error_no_memory(err);
  }
  arena_free(work);
  if (status == STATUS_OK) *out = s;
  else arena_free(arena);
  return status;
}

void sim_rods_free(SimRods *s) {
  if (s) arena_free(s->arena);
}

void sim_rods_start(const SimRods *s, double *state) {
  size_t half = 2 * (size_t)s->dim * (size_t)s->n;
  for (int k = 0; k < s->opt.iterations; k++, state += 2 * half) {
    memcpy(state, s->start, half * sizeof *state);
    memset(state + half, 0, half * sizeof *state);
  }
}

// ---- forces ------------------------------------------------------------------------------------

// adds the new multiplier of one component, c with rate: returns it
static double step_multiplier(const SimRods *s, double *mu, double c, double rate) {
  *mu += (s->opt.alpha1 * rate + s->opt.alpha2 * c) / s->opt.eps;
  return *mu;
}

static void push_loops(const SimRods *s, const double *p, const double *v, double *mu, double *f) {
  int d = s->dim;
  for (int i = 0; i < s->n_loop; i++) {
    for (int c = 0; c < d; c++) {
      int a = 2 * d * s->loop[i][0] + c, b = 2 * d * s->loop[i][1] + c;
      bool fixed = s->loop[i][1] < 0;
      double gap = p[a] - (fixed ? s->meet[d * i + c] : p[b]), rate = v[a] - (fixed ? 0 : v[b]);
      double x = step_multiplier(s, &mu[d * i + c], gap, rate);
      f[a] -= x;
      if (!fixed) f[b] += x;
    }
  }
}

static void push_tree(const SimRods *s, const double *p, const double *v, double *mu, double *f) {
  int d = s->dim;
  for (int j = 0; j < s->n; j++, mu += d + 1) {
    const double *x = p + 2 * d * j, *u = v + 2 * d * j;
    double *fx = f + 2 * d * j, square = -s->length * s->length, rate = 0;
    for (int c = 0; c < d; c++) {
      int b = 2 * d * s->father[j] + c;
      bool fixed = s->father[j] < 0;
      double gap = x[c] - x[d + c] - (fixed ? s->base[d * j + c] : p[b]);
      double m = step_multiplier(s, &mu[c], gap, u[c] - u[d + c] - (fixed ? 0 : v[b]));
      fx[c] -= m;
      fx[d + c] += m;
      if (!fixed) f[b] += m;
      square += x[d + c] * x[d + c];
      rate += 2 * x[d + c] * u[d + c];
    }
    double m = step_multiplier(s, &mu[d], square, rate);
    for (int c = 0; c < d; c++) fx[d + c] -= 2 * m * x[d + c];
  }
}

// accelerations of one iterate; a holds the forces at first
static void solve_masses(const SimRods *s, double *a) {
  int d = s->dim;
  for (int j = 0; j < s->n; j++, a += 2 * d) {
    for (int c = 0; c < d; c++) {
      double x = a[c], r = a[d + c];
      a[c] = (4 * x + 6 * r) / s->mass;
      a[d + c] = (6 * x + 12 * r) / s->mass;
    }
  }
}

static void solve_tree(SimRods *s, const double *p, const double *v, double *a) {
  int d = s->dim, first = 2 * d * s->n;
  for (int e = 0; e < s->n_entry; e++) {
    if (s->turns[e] >= 0) s->value[e] = 2 * p[s->turns[e]];
  }
  memcpy(s->rhs, a, (size_t)first * sizeof *a);
  memset(s->rhs + first, 0, (size_t)(s->n_row - first) * sizeof *a);
  for (int j = 0; j < s->n; j++) {
    double square = 0;
    for (int c = 0; c < d; c++) square += v[2 * d * j + d + c] * v[2 * d * j + d + c];
    s->rhs[first + (d + 1) * j + d] = -2 * square;
  }
  ldl_factor(&s->ldl, s->value, 0, s->l, s->d_inv, NULL, s->y);
  ldl_solve(&s->ldl, s->l, s->d_inv, s->rhs, s->y);
  memcpy(a, s->rhs, (size_t)first * sizeof *a);
}

static bool rates(void *data, double t, const double *x, double *dx) {
  (void)t;
  SimRods *s = data;
  int d = s->dim;
  size_t half = 2 * (size_t)d * (size_t)s->n, n_loop = (size_t)d * (size_t)s->n_loop;
  memset(s->lambda, 0, (2 * (size_t)d + 1) * (size_t)s->n * sizeof *s->lambda);
  for (int k = 0; k < s->opt.iterations; k++, x += 2 * half, dx += 2 * half) {
    const double *p = x, *v = x + half;
    double *a = dx + half;
    memcpy(dx, v, half * sizeof *dx);
    memset(a, 0, half * sizeof *a);
    for (int j = 0; j < s->n; j++) {
      a[2 * d * j + d - 1] = -s->mass * s->gravity;
      a[2 * d * j + 2 * d - 1] = s->mass * s->gravity / 2;
    }
    push_loops(s, p, v, s->lambda, a);
    if (s->opt.all) {
      push_tree(s, p, v, s->lambda + n_loop, a);
      solve_masses(s, a);
    } else {
      solve_tree(s, p, v, a);
    }
    for (size_t i = 0; i < half; i++) {
      if (!isfinite(a[i])) return false;
    }
  }
  return true;
}

bool sim_rods_step(SimRods *s, const SimScheme *scheme, double h, double *state) {
  return sim_step(scheme, s->n_state, rates, s, 0, h, state, s->step_work);
}

RodDrift sim_rods_drift(const SimRods *s, const double *state, int k) {
  int d = s->dim;
  const double *p = state + 4 * (size_t)d * (size_t)s->n * (size_t)k;
  RodDrift worst = {0, 0, 0};
  for (int i = 0; i < s->n_loop; i++) {
    double square = 0;
    for (int c = 0; c < d; c++) {
      int b = s->loop[i][1];
      double gap = p[2 * d * s->loop[i][0] + c] - (b < 0 ? s->meet[d * i + c] : p[2 * d * b + c]);
      square += gap * gap;
    }
    worst.loop = fmax(worst.loop, sqrt(square));
  }
  for (int j = 0; j < s->n; j++) {
    double square = 0, length = -s->length * s->length;
    for (int c = 0; c < d; c++) {
      const double *x = p + 2 * d * j;
      int b = s->father[j];
      double gap = x[c] - x[d + c] - (b < 0 ? s->base[d * j + c] : p[2 * d * b + c]);
      square += gap * gap;
      length += x[d + c] * x[d + c];
    }
    worst.joint = fmax(worst.joint, sqrt(square));
    worst.length = fmax(worst.length, fabs(length));
  }
  return worst;
}
