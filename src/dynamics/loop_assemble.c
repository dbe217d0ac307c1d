// SPDX-License-Identifier: MIT
#include "dynamics/loop_assemble.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/rng.h"

const double loop_closed_tolerance = 1e-10;
const double loop_rank_tolerance = 1e-8;

static const double POLISHED = 1e-14;       // where closing stops
static const double LEAST_DAMPING = 1e-14;  // of the largest diagonal element
static const double MOST_DAMPING = 1e8;
static const double LARGEST_STEP = 0.5;  // [rad | m], of any joint
static const double NO_NEARER = 1e-9;    // relative decrease of the distance that ends sliding
static const double NUDGE = 0.1;         // [rad | m], where the start itself is a dead end
enum { NEWTON_STEPS = 200, SLIDES = 30, NUDGES = 5 };

typedef struct Work {
  const LoopEval *e;
  int n, m;
  int skip, skip_end;  // rows that are left out
  double *C;           // n x n, Cholesky factor of M at the start
  double *J;           // m x n
  double *B;           // n x m, C^-1 J^T
  double *S, *factor;  // m x m
  double *phi, *w;     // m
  double *step, *trial, *trial_phi, *start;
} Work;

static bool allocate(Work *k, const LoopEval *e, Arena *arena) {
  size_t n = (size_t)e->nv, m = (size_t)e->n_row;
  *k = (Work){.e = e, .n = e->nv, .m = e->n_row};
  k->C = arena_array(arena, n * n, sizeof *k->C);
  k->J = arena_array(arena, m * n, sizeof *k->J);
  k->B = arena_array(arena, n * m, sizeof *k->B);
  k->S = arena_array(arena, m * m, sizeof *k->S);
  k->factor = arena_array(arena, m * m, sizeof *k->factor);
  k->phi = arena_array(arena, m, sizeof *k->phi);
  k->w = arena_array(arena, m, sizeof *k->w);
  k->step = arena_array(arena, n, sizeof *k->step);
  k->trial = arena_array(arena, n, sizeof *k->trial);
  k->trial_phi = arena_array(arena, m, sizeof *k->trial_phi);
  k->start = arena_array(arena, n, sizeof *k->start);
  return k->C && k->J && k->B && k->S && k->factor && k->phi && k->w && k->step && k->trial &&
         k->trial_phi && k->start;
}

// phi and, unless NULL, k->J without the rows left out
static bool constraints(const Work *k, const double *q, double *phi, double *J) {
  if (!loop_eval(k->e, q, NULL, phi, NULL, NULL, J)) return false;
  for (int r = k->skip; r < k->skip_end; r++) {
    phi[r] = 0;
    for (int j = 0; J && j < k->n; j++) J[(size_t)r + (size_t)k->m * (size_t)j] = 0;
  }
  return true;
}

static Status factor_mass(Work *k, const double *q, Error *err) {
  if (loop_eval_mass(k->e, q, k->C) && dense_cholesky(k->n, k->C)) return STATUS_OK;
  return error_set(err, STATUS_NUMERIC, k->e->m->path,
                   "the mass matrix is singular at the start configuration");
}

// B = C^-1 J^T: rows of J in the metric, as columns
static void to_metric(Work *k) {
  size_t n = (size_t)k->n, m = (size_t)k->m;
  for (size_t r = 0; r < m; r++) {
    for (size_t j = 0; j < n; j++) k->B[j + n * r] = k->J[r + m * j];
    dense_forward(k->n, k->C, k->B + n * r);
  }
}

static void gram(Work *k) {
  size_t n = (size_t)k->n, m = (size_t)k->m;
  for (size_t j = 0; j < m; j++) {
    for (size_t i = j; i < m; i++) {
      double sum = 0;
      for (size_t l = 0; l < n; l++) sum += k->B[l + n * i] * k->B[l + n * j];
      k->S[i + m * j] = sum;
    }
  }
}

// step = C^-T B (S + mu)^-1 rhs
static bool metric_step(Work *k, double mu, const double *rhs) {
  size_t n = (size_t)k->n, m = (size_t)k->m;
  memcpy(k->factor, k->S, m * m * sizeof *k->S);
  for (size_t i = 0; i < m; i++) k->factor[i + m * i] += mu;
  if (!dense_cholesky(k->m, k->factor)) return false;
  memcpy(k->w, rhs, m * sizeof *k->w);
  dense_forward(k->m, k->factor, k->w);
  dense_backward(k->m, k->factor, k->w);
  memset(k->step, 0, n * sizeof *k->step);
  for (size_t r = 0; r < m; r++) {
    for (size_t j = 0; j < n; j++) k->step[j] += k->B[j + n * r] * k->w[r];
  }
  dense_backward(k->n, k->C, k->step);
  return true;
}

static double most_diagonal(const Work *k) {
  double most = 0;
  for (int i = 0; i < k->m; i++) most = fmax(most, k->S[(size_t)i * (size_t)(k->m + 1)]);
  return most > 0 ? most : 1;
}

// a step of at most LARGEST_STEP, tried; true if it brings phi down
static bool try_step(Work *k, const double *q, double before) {
  double most = 0;
  for (int i = 0; i < k->n; i++) most = fmax(most, fabs(k->step[i]));
  double scale = most > LARGEST_STEP ? LARGEST_STEP / most : 1;
  for (int i = 0; i < k->n; i++) k->trial[i] = q[i] - scale * k->step[i];
  return constraints(k, k->trial, k->trial_phi, NULL) && dense_norm(k->m, k->trial_phi) < before;
}

// closes q as far as it will go; the Newton steps it took
static int close_loops(Work *k, double *q) {
  double damping = LEAST_DAMPING;
  for (int i = 0; i < NEWTON_STEPS; i++) {
    if (!constraints(k, q, k->phi, k->J)) return i;
    double before = dense_norm(k->m, k->phi);
    if (before < POLISHED) return i;
    to_metric(k);
    gram(k);
    double unit = most_diagonal(k);
    bool better = false;
    while (!better && damping <= MOST_DAMPING) {
      better = metric_step(k, damping * unit, k->phi) && try_step(k, q, before);
      if (!better) damping *= 10;
    }
    if (!better) return i;
    damping = fmax(0.01 * damping, LEAST_DAMPING);
    memcpy(q, k->trial, (size_t)k->n * sizeof *q);
  }
  return NEWTON_STEPS;
}

// |C^T (q - start)|
static double distance(Work *k, const double *q) {
  size_t n = (size_t)k->n;
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    double x = 0;
    for (size_t i = j; i < n; i++) x += k->C[i + n * j] * (q[i] - k->start[i]);
    sum += x * x;
  }
  return sqrt(sum);
}

static double largest(int n, const double *x, int *at) {
  double most = 0;
  *at = 0;
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) <= most) continue;
    most = fabs(x[i]);
    *at = i;
  }
  return most;
}

// one step towards the start along the closed configurations, and back onto them; false if no nearer
static bool slide(Work *k, double *q, double *candidate, double *apart, int *iterations) {
  size_t n = (size_t)k->n, m = (size_t)k->m;
  int at = 0;
  if (!constraints(k, q, k->phi, k->J)) return false;
  to_metric(k);
  gram(k);
  // of q - start the part that keeps phi: off comes M^-1 J^T S^-1 J (q - start)
  for (size_t r = 0; r < m; r++) {
    k->trial_phi[r] = 0;
    for (size_t j = 0; j < n; j++) k->trial_phi[r] += k->J[r + m * j] * (q[j] - k->start[j]);
  }
  if (!metric_step(k, 1e-12 * most_diagonal(k), k->trial_phi)) return false;
  for (size_t j = 0; j < n; j++) candidate[j] = k->start[j] + k->step[j];
  *iterations += close_loops(k, candidate);
  if (!constraints(k, candidate, k->phi, NULL)) return false;
  double nearer = distance(k, candidate);
  if (largest(k->m, k->phi, &at) > loop_closed_tolerance) return false;
  if (!(nearer < *apart * (1 - NO_NEARER))) return false;
  memcpy(q, candidate, n * sizeof *q);
  *apart = nearer;
  return true;
}

static double violation(Work *k, const double *q) {
  int at = 0;
  bool finite = constraints(k, q, k->phi, NULL);
  return finite ? largest(k->m, k->phi, &at) : INFINITY;
}

// From the start; where it is a dead end (a rod of length 0 has no direction to grow in), from near by.
static int close_from_start(Work *k, double *q, double *candidate) {
  int steps = close_loops(k, q);
  double least = violation(k, q);
  Rng rng;
  rng_seed(&rng, 1);
  for (int t = 0; t < NUDGES && least > loop_closed_tolerance; t++) {
    for (int i = 0; i < k->n; i++) candidate[i] = k->start[i] + rng_uniform(&rng, -NUDGE, NUDGE);
    steps += close_loops(k, candidate);
    double left = violation(k, candidate);
    if (!(left < least * (1 - NO_NEARER))) continue;
    least = left;
    memcpy(q, candidate, (size_t)k->n * sizeof *q);
  }
  return steps;
}

static void report(Work *k, const double *q, double apart, LoopAssembly *out) {
  constraints(k, q, k->phi, NULL);
  out->violation = largest(k->m, k->phi, &out->worst);
  out->closed = out->violation <= loop_closed_tolerance;
  double mass = model_mass(k->e->m);
  out->moved = apart / sqrt(mass > 0 ? mass : 1);
  for (int i = 0; i < k->n; i++) k->step[i] = q[i] - k->start[i];
  largest(k->n, k->step, &out->joint);
  out->change = k->step[out->joint];
}

Status loop_assemble(const LoopEval *e, double *q, LoopAssembly *out, Error *err) {
  return loop_assemble_without(e, -1, q, out, err);
}

Status loop_assemble_without(const LoopEval *e, int loop, double *q, LoopAssembly *out,
                             Error *err) {
  Work k;
  *out = (LoopAssembly){.iterations = 0};
  Arena *arena = arena_new();
  double *candidate = arena_array(arena, (size_t)e->nv, sizeof *candidate);
  Status status = candidate && allocate(&k, e, arena) ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK) status = factor_mass(&k, q, err);
  if (status == STATUS_OK) {
    for (int l = 0; l < loop; l++) k.skip += model_loop_rows(&e->m->loop[l]);
    k.skip_end = k.skip + (loop < 0 ? 0 : model_loop_rows(&e->m->loop[loop]));
    memcpy(k.start, q, (size_t)e->nv * sizeof *q);
    out->iterations = close_from_start(&k, q, candidate);
    double apart = distance(&k, q);
    report(&k, q, apart, out);
    for (int i = 0; out->closed && apart > 0 && i < SLIDES; i++) {
      if (!slide(&k, q, candidate, &apart, &out->iterations)) break;
    }
    report(&k, q, apart, out);
  }
  arena_free(arena);
  return status;
}

// ---- rank --------------------------------------------------------------------------------------

// rows to length 1; the first one without any, or -1
static int normalise(Work *k) {
  size_t n = (size_t)k->n;
  double most = 0;
  int empty = -1;
  for (int r = 0; r < k->m; r++) {
    k->w[r] = dense_norm(k->n, k->B + n * (size_t)r);
    most = fmax(most, k->w[r]);
  }
  for (int r = k->m - 1; r >= 0; r--) {
    bool none = k->w[r] <= loop_rank_tolerance * most;
    if (none) empty = r;
    for (size_t j = 0; j < n; j++) k->B[j + n * (size_t)r] *= none ? 0 : 1 / k->w[r];
  }
  return empty;
}

Status loop_rank(const LoopEval *e, const double *q, Arena *arena, LoopRank *out, Error *err) {
  Work k;
  *out = (LoopRank){.dependent = -1};
  size_t m = (size_t)e->n_row;
  int *perm = arena_array(arena, m, sizeof *perm);
  out->coefficient = arena_array(arena, m, sizeof *out->coefficient);
  Arena *scratch = arena_new();
  Status status = perm && out->coefficient && allocate(&k, e, scratch) ? STATUS_OK
                                                                       : error_no_memory(err);
  if (status == STATUS_OK) status = factor_mass(&k, q, err);
  if (status == STATUS_OK && !loop_eval(e, q, NULL, NULL, NULL, NULL, k.J)) {
    status = error_set(err, STATUS_NUMERIC, e->m->path, "the constraints are not finite");
  }
  if (status == STATUS_OK && m > 0) {
    to_metric(&k);
    int empty = normalise(&k);
    out->rank = dense_qr_rank(k.n, k.m, k.B, perm, loop_rank_tolerance);
    if (empty >= 0) {
      out->dependent = empty;
      out->no_effect = true;
    } else if (out->rank < k.m) {
      // the first row of the file that was left: R11 c = its column of R
      int at = out->rank;
      for (int i = at + 1; i < k.m; i++) at = perm[i] > perm[at] ? at : i;
      out->dependent = perm[at];
      memcpy(k.phi, k.B + (size_t)k.n * (size_t)at, (size_t)out->rank * sizeof *k.phi);
      dense_solve_upper(k.n, out->rank, k.B, k.phi);
      for (int i = 0; i < out->rank; i++) out->coefficient[perm[i]] = k.phi[i];
    }
  }
  arena_free(scratch);
  return status;
}
