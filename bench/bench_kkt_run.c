// SPDX-License-Identifier: MIT
// Measures linear solvers on the systems of one solve.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench_kkt.h"
#include "collocation/colloc.h"

enum { PATH_SIZE = 4096, MAX_SYSTEMS = 10000 };

static const double THRESHOLD = 1e-8;  // IPOPT's ma97_u

// ---- one system ---------------------------------------------------------------------------------

// r: n, scratch
static double residual(const KktMatrix *m, const double *x, const double *b, double *r) {
  double *sum = calloc((size_t)m->n + 1, sizeof *sum);
  if (!sum) return NAN;
  memcpy(r, b, (size_t)m->n * sizeof *r);
  for (int j = 0; j < m->n; j++) {
    for (int e = m->ptr[j]; e < m->ptr[j + 1]; e++) {
      int i = m->row[e];
      r[i] -= m->values[e] * x[j];
      sum[i] += fabs(m->values[e]);
      if (i == j) continue;
      r[j] -= m->values[e] * x[i];
      sum[j] += fabs(m->values[e]);
    }
  }
  double worst = 0, norm = 0, x_max = 0, b_max = 0;
  for (int i = 0; i < m->n; i++) {
    worst = fmax(worst, isfinite(r[i]) ? fabs(r[i]) : INFINITY);
    norm = fmax(norm, sum[i]);
    x_max = fmax(x_max, fabs(x[i]));
    b_max = fmax(b_max, fabs(b[i]));
  }
  free(sum);
  return worst / (norm * x_max + b_max);
}

static void least(double *out, double seconds) {
  if (*out == 0 || seconds < *out) *out = seconds;
}

double bench_kkt_clock(int threads) {
  if (threads > 1) return clock_seconds();
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void own_once(Kkt *k, const KktMatrix *m, double *x, int threads, BenchLdl *out) {
  KktInfo info;
  double t0 = bench_kkt_clock(threads);
  bool finite = kkt_factor(k, m->values, THRESHOLD, &info);
  double t1 = bench_kkt_clock(threads);
  kkt_solve(k, 1, x, m->n);
  double t2 = bench_kkt_clock(threads);
  least(&out->factor_s, t1 - t0);
  least(&out->solve_s, t2 - t1);
  out->singular = !finite || info.n_zero > 0;
  out->n_negative = info.n_negative;
  out->n_delayed = info.n_delayed;
  out->flops = info.flops;
  out->bytes = (double)info.bytes;
}

typedef struct Solvers {
  Kkt *own;
  BenchMumps *mumps[BENCH_ORDERS];  // NULL: not built in, or it failed
} Solvers;

// everyone in turn, so that a busy moment does not hit one alone
static void measure(const Solvers *with, const KktMatrix *m, const double *b, double *x, double *r,
                    int repetitions, int threads, BenchSystem *s) {
  size_t bytes = (size_t)m->n * sizeof *x;
  for (int i = 0; i < repetitions; i++) {
    memcpy(x, b, bytes);
    own_once(with->own, m, x, threads, &s->own);
    if (i == 0) s->own.residual = residual(m, x, b, r);
    for (int k = 0; k < BENCH_ORDERS; k++) {
      if (!with->mumps[k] || (i > 0 && i % 3)) continue;  // every third: it takes so much longer
      memcpy(x, b, bytes);
      bench_mumps_factor(with->mumps[k], m, &s->mumps[k]);
      if (s->mumps[k].singular) continue;
      bench_mumps_solve(with->mumps[k], x, &s->mumps[k]);
      if (i == 0) s->mumps[k].residual = residual(m, x, b, r);
    }
  }
  s->referee = -1;
  for (int k = 0; k < BENCH_ORDERS && s->referee < 0; k++) {
    if (with->mumps[k] && s->mumps[k].n_negative != s->own.n_negative)
      s->referee = bench_mumps_referee(with->mumps[k], m);
  }
}

static void describe(BenchSystem *s, const KktMap *map, const KktMatrix *m, int rows) {
  s->dim = m->n;
  s->nnz = m->ptr[m->n];
  s->indefinite = m->n_negative >= 0 && m->n_negative != rows;
  int first = map->n_free + map->n_slack;
  for (int j = first; j < first + map->n_equation; j++) {
    for (int e = m->ptr[j]; e < m->ptr[j + 1]; e++) {
      if (m->row[e] == j && m->values[e] != 0) s->regularised = true;
    }
  }
}

// ---- the systems of a folder --------------------------------------------------------------------

static int by_number(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

// numbers of the files 0001.mtx, ...
static int list_matrices(const char *folder, int *number) {
  int n = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir)) && n < MAX_SYSTEMS;) {
    char *end;
    long i = strtol(e->d_name, &end, 10);
    if (end != e->d_name && strcmp(end, ".mtx") == 0) number[n++] = (int)i;
  }
  if (dir) closedir(dir);
  qsort(number, (size_t)n, sizeof *number, by_number);
  return n;
}

static BenchSystem *add_system(BenchGroup *g) {
  if (g->n == g->cap) {
    int more = g->cap ? 2 * g->cap : 64;
    BenchSystem *grown = realloc(g->system, (size_t)more * sizeof *grown);
    if (!grown) return NULL;
    g->system = grown;
    g->cap = more;
  }
  g->system[g->n] = (BenchSystem){0};
  return &g->system[g->n++];
}

static Status get_rhs(double **b, bool *own, const KktMatrix *m, const char *folder, int i,
                      Arena *arena, Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%04d_rhs_01.mtx", folder, i);
  *own = access(path, R_OK) == 0;
  if (*own) return kkt_dump_read_vector(b, m->n, path, arena, err);
  *b = arena_array(arena, (size_t)m->n, sizeof **b);
  if (!*b) return error_no_memory(err);
  Rng rng;
  rng_seed(&rng, (uint64_t)i);
  for (int e = 0; e < m->n; e++) (*b)[e] = rng_uniform(&rng, -1, 1);
  return STATUS_OK;
}

static Status open_solvers(Solvers *with, BenchGroup *g, const KktMap *map, const KktMatrix *m,
                           int threads, Error *err) {
  double before = bench_kkt_clock(1);
  Status status = kkt_build(&with->own, map, m->ptr, m->row, err);
  if (status != STATUS_OK) return status;
  g->build_s += bench_kkt_clock(1) - before;
  kkt_set_threads(with->own, threads);
  for (int k = 0; k < BENCH_ORDERS; k++) {
    double seconds = 0;
    with->mumps[k] = bench_mumps_new(k, m, &seconds);
    g->analysis_s[k] += seconds;
  }
  return STATUS_OK;
}

static Status one_system(BenchGroup *g, Solvers *with, const KktMap *map, const char *folder,
                         const char *label, int i, bool late, int repetitions, int threads,
                         Error *err) {
  char path[PATH_SIZE];
  KktMatrix m;
  double *b = NULL;
  bool own_rhs;
  Arena *arena = arena_new();
  snprintf(path, sizeof path, "%s/%04d.mtx", folder, i);
  Status status = kkt_dump_read_matrix(&m, path, arena, err);
  if (status == STATUS_OK && m.n != map->dim)
    status = error_set(err, STATUS_INPUT, path, "has %d rows, map.json %d", m.n, map->dim);
  if (status == STATUS_OK) status = get_rhs(&b, &own_rhs, &m, folder, i, arena, err);
  if (status == STATUS_OK && !with->own) status = open_solvers(with, g, map, &m, threads, err);
  BenchSystem *s = status == STATUS_OK ? add_system(g) : NULL;
  double *x = arena_array(arena, 2 * (size_t)map->dim, sizeof *x);
  if (status == STATUS_OK && (!s || !x)) status = error_no_memory(err);
  if (status == STATUS_OK) {
    snprintf(s->name, sizeof s->name, "%.48s %04d", label, i);
    s->own_rhs = own_rhs;
    s->late = late;
    describe(s, map, &m, map->n_equation + map->n_slack);
    measure(with, &m, b, x, x + map->dim, repetitions, threads, s);
  }
  arena_free(arena);
  return status;
}

Status bench_kkt_folder(BenchGroup *g, const char *folder, const char *label, int repetitions,
                        int threads, Error *err) {
  char path[PATH_SIZE];
  KktMap map;
  Solvers with = {0};
  Arena *arena = arena_new();
  int *number = arena_array(arena, MAX_SYSTEMS, sizeof *number);
  if (!number) {
    arena_free(arena);
    return error_no_memory(err);
  }
  snprintf(path, sizeof path, "%s/map.json", folder);
  Status status = kkt_dump_read_map(&map, path, arena, err);
  int n = list_matrices(folder, number);
  for (int i = 0; status == STATUS_OK && i < n; i++) {
    status = one_system(g, &with, &map, folder, label, number[i], 3 * i >= 2 * n, repetitions,
                        threads, err);
  }
  g->n_folder++;
  kkt_free(with.own);
  for (int k = 0; k < BENCH_ORDERS; k++) bench_mumps_free(with.mumps[k]);
  arena_free(arena);
  return status;
}

// ---- growing grids ------------------------------------------------------------------------------

// The KKT matrix of a program at its start with diagonals of an interior-point method, lower triangle.
typedef struct Assembly {
  int n, cap;
  struct {
    int row, col;
    double value;
  } * entry;
} Assembly;

static int by_place(const void *a, const void *b) {
  const int *x = a, *y = b;  // row, col
  return x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : (x[0] > y[0]) - (x[0] < y[0]);
}

static bool put(Assembly *s, int i, int j, double value) {
  if (s->n == s->cap) return false;
  s->entry[s->n].row = i > j ? i : j;
  s->entry[s->n].col = i > j ? j : i;
  s->entry[s->n++].value = value;
  return true;
}

// places of variables and rows in the matrix; -1: fixed
static void number_all(const Nlp *nlp, const KktMap *map, int *variable, int *row, int *slack) {
  int at = 0, s = map->n_free, eq = s + map->n_slack, in = eq + map->n_equation;
  for (int i = 0; i < nlp->n; i++) variable[i] = nlp->x_lower[i] == nlp->x_upper[i] ? -1 : at++;
  for (int i = 0; i < nlp->m; i++) {
    bool equation = nlp->g_lower[i] == nlp->g_upper[i];
    row[i] = equation ? eq++ : in++;
    slack[i] = equation ? -1 : s++;
  }
}

static bool fill(Assembly *s, const Nlp *nlp, const KktMap *map, Arena *arena) {
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  int *variable = arena_array(arena, n + 1, sizeof(int));
  int *row = arena_array(arena, 2 * m + 2, sizeof(int)), *slack = row + m;
  double *jac = arena_array(arena, (size_t)nlp->jac_nnz + 1, sizeof *jac);
  double *hess = arena_array(arena, (size_t)nlp->hess_nnz + 1, sizeof *hess);
  double *lambda = arena_array(arena, m + 1, sizeof *lambda);
  if (!variable || !row || !jac || !hess || !lambda) return false;
  number_all(nlp, map, variable, row, slack);
  Rng rng;
  rng_seed(&rng, 1);
  for (size_t i = 0; i < m; i++) lambda[i] = rng_uniform(&rng, -0.1, 0.1);
  if (!nlp->jacobian(nlp->data, nlp->x_start, true, jac) ||
      !nlp->hessian(nlp->data, nlp->x_start, false, 1.0, lambda, hess))
    return false;
  bool ok = true;
  for (int i = 0; i < map->dim; i++) {
    double d = i < map->n_free + map->n_slack ? rng_uniform(&rng, 0.5, 1.5) : 0;
    ok = ok && put(s, i, i, d);
  }
  for (int e = 0; e < nlp->hess_nnz; e++) {
    int i = variable[nlp->hess_row[e]], j = variable[nlp->hess_col[e]];
    if (i >= 0 && j >= 0) ok = ok && put(s, i, j, hess[e]);
  }
  for (int e = 0; e < nlp->jac_nnz; e++) {
    int i = row[nlp->jac_row[e]], j = variable[nlp->jac_col[e]];
    if (j >= 0) ok = ok && put(s, i, j, jac[e]);
  }
  for (size_t i = 0; i < m; i++) {
    if (slack[i] >= 0) ok = ok && put(s, row[i], slack[i], -1);
  }
  return ok;
}

static Status assemble(KktMatrix *m, const Nlp *nlp, const KktMap *map, Arena *arena, Error *err) {
  Assembly s = {.cap = nlp->jac_nnz + nlp->hess_nnz + 2 * map->dim};
  s.entry = arena_array(arena, (size_t)s.cap, sizeof *s.entry);
  if (!s.entry || !fill(&s, nlp, map, arena)) return error_no_memory(err);
  qsort(s.entry, (size_t)s.n, sizeof *s.entry, by_place);
  *m = (KktMatrix){.n = map->dim, .n_negative = -1};
  m->ptr = arena_array(arena, (size_t)m->n + 2, sizeof *m->ptr);
  m->row = arena_array(arena, (size_t)s.n, sizeof *m->row);
  m->values = arena_array(arena, (size_t)s.n, sizeof *m->values);
  if (!m->ptr || !m->row || !m->values) return error_no_memory(err);
  int kept = 0;
  for (int e = 0; e < s.n; e++) {
    bool again = e > 0 && s.entry[e].row == s.entry[e - 1].row &&
                 s.entry[e].col == s.entry[e - 1].col;
    if (!again) {
      m->row[kept++] = s.entry[e].row;
      m->ptr[s.entry[e].col + 1]++;
    }
    m->values[kept - 1] += s.entry[e].value;
  }
  for (int j = 0; j < m->n; j++) m->ptr[j + 1] += m->ptr[j];
  return STATUS_OK;
}

static Status scale_one(BenchScale *out, const Nlp *nlp, int repetitions, int threads, Arena *arena,
                        Error *err) {
  KktMap map;
  KktMatrix m;
  if (!kkt_map_build(&map, nlp, arena)) return error_no_memory(err);
  Status status = assemble(&m, nlp, &map, arena, err);
  if (status != STATUS_OK) return status;
  double *x = arena_array(arena, (size_t)map.dim, sizeof *x);
  if (!x) return error_no_memory(err);
  Kkt *k;
  double before = bench_kkt_clock(1);
  status = kkt_build(&k, &map, m.ptr, m.row, err);
  if (status != STATUS_OK) return status;
  out->build_s = bench_kkt_clock(1) - before;
  out->dim = map.dim;
  out->nnz = m.ptr[m.n];
  kkt_set_threads(k, threads);
  BenchLdl ldl = {0};
  for (int i = 0; i < repetitions; i++) {
    for (int e = 0; e < map.dim; e++) x[e] = 1;
    own_once(k, &m, x, threads, &ldl);
  }
  kkt_free(k);
  out->factor_s = ldl.factor_s;
  out->solve_s = ldl.solve_s;
  out->bytes = ldl.bytes;
  return STATUS_OK;
}

Status bench_kkt_scale(BenchScale *out, const char *task, OcpLayout layout, int intervals,
                       int repetitions, int threads, Error *err) {
  *out = (BenchScale){.intervals = intervals};
  Ocp *o;
  Status status = ocp_load(&o, task, err);
  if (status != STATUS_OK) return status;
  o->layout = layout;
  o->n_interval = intervals;
  Colloc *c = NULL;
  Trajectory *guess = NULL;
  Arena *arena = arena_new();
  status = colloc_build(&c, o, err);
  if (status == STATUS_OK) status = guess_build(&guess, o, err);
  if (status == STATUS_OK) {
    colloc_start(c, guess);
    status = scale_one(out, colloc_nlp(c), repetitions, threads, arena, err);
  }
  arena_free(arena);
  trajectory_free(guess);
  colloc_free(c);
  ocp_free(o);
  return status;
}
