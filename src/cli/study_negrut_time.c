// SPDX-License-Identifier: MIT
#include "cli/study_negrut_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/textbuf.h"
#include "dynamics/aug_function.h"
#include "dynamics/loop_eval.h"
#include "expr/expr_compile.h"
#include "expr/expr_emit_c.h"
#include "expr/expr_load.h"
#include "expr/expr_tape.h"

#ifdef POISE_HAVE_LAPACK
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void dsysv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, int *ipiv,
            double *b, const int *ldb, double *work, const int *lwork, int *info);
// of OpenBLAS, where that is what LAPACK is: threads only hurt at this size
void openblas_set_num_threads(int n) __attribute__((weak));
#endif

enum { N_IN = 4, BLOCK = 64, PATH_SIZE = 300 };
static const double ANGLE = 0.2, FORCE = 100;  // spread of the states and of the right-hand sides

typedef struct Bench {
  Arena *arena;
  AugFunction *f;
  ExprTape *tape;
  ExprExtern *code;  // NULL: no compiler
  int n, m, N;       // N = n + m
  int n_system;
  int size[N_IN];          // elements of the inputs
  double *by_item[N_IN];   // size x n_system, systems of one element side by side
  double *by_point[N_IN];  // the same, one system after the other
  double *matrix, *rhs;    // N x N and N of each system, for LAPACK
  double *x, *y;           // N of each system: by evaluator or compiled code; by LAPACK
  double *A, *b, *lwork;   // copies that LAPACK overwrites; its scratch
  int *pivot;
  void *work, *code_work;
} Bench;

// ---- the systems -------------------------------------------------------------------------------

static Status allocate(Bench *b, Error *err) {
  size_t N = (size_t)b->N, s = (size_t)b->n_system;
  bool ok = true;
  for (int i = 0; i < N_IN; i++) {
    b->size[i] = b->f->f->f.in[i].n;
    b->by_item[i] = arena_array(b->arena, (size_t)b->size[i] * s, sizeof(double));
    b->by_point[i] = arena_array(b->arena, (size_t)b->size[i] * s, sizeof(double));
    ok = ok && b->by_item[i] && b->by_point[i];
  }
  b->matrix = arena_array(b->arena, N * N * s, sizeof(double));
  b->rhs = arena_array(b->arena, N * s, sizeof(double));
  b->x = arena_array(b->arena, N * s, sizeof(double));
  b->y = arena_array(b->arena, N * s, sizeof(double));
  b->A = arena_array(b->arena, N * N, sizeof(double));
  b->b = arena_array(b->arena, N, sizeof(double));
  b->lwork = arena_array(b->arena, N * BLOCK, sizeof(double));
  b->pivot = arena_array(b->arena, N, sizeof *b->pivot);
  b->work = arena_alloc(b->arena, expr_tape_work_size(b->tape));
  ok = ok && b->matrix && b->rhs && b->x && b->y && b->A && b->b && b->lwork && b->pivot && b->work;
  return ok ? STATUS_OK : error_no_memory(err);
}

static void put(Bench *b, int input, int k, int e, double value) {
  b->by_item[input][(size_t)e * (size_t)b->n_system + (size_t)k] = value;
  b->by_point[input][(size_t)k * (size_t)b->size[input] + (size_t)e] = value;
}

// system k from the mass matrix and the Jacobian of a state
static void set_system(Bench *b, int k, const double *M, const double *J, Rng *rng) {
  size_t n = (size_t)b->n, m = (size_t)b->m, N = (size_t)b->N;
  double *A = b->matrix + N * N * (size_t)k, *rhs = b->rhs + N * (size_t)k;
  for (size_t j = 0; j < n; j++) {
    memcpy(A + N * j, M + n * j, n * sizeof *A);
    for (size_t i = 0; i < m; i++) A[n + i + N * j] = A[j + N * (n + i)] = J[i + m * j];
  }
  for (int i = 0; i < b->N; i++) {
    rhs[i] = rng_uniform(rng, -FORCE, FORCE) * (i < b->n ? 1 : 0.01);
    if (i < b->n) put(b, 2, k, i, rhs[i]);
    else put(b, 3, k, i - b->n, rhs[i]);
  }
  for (int e = 0; e < b->f->n_mass; e++) put(b, 0, k, e, M[b->f->mass_at[e]]);
  for (int e = 0; e < b->f->n_jac; e++) put(b, 1, k, e, J[b->f->jac_at[e]]);
}

static Status make_systems(Bench *b, const Model *m, Error *err) {
  LoopEval *e = NULL;
  if (loop_eval_build(&e, m, err) != STATUS_OK) return err->code;
  double *M = arena_array(b->arena, (size_t)(b->n * b->n), sizeof *M);
  double *J = arena_array(b->arena, (size_t)(b->m * b->n), sizeof *J);
  double *q = arena_array(b->arena, (size_t)b->n, sizeof *q);
  Status status = M && J && q ? STATUS_OK : error_no_memory(err);
  Rng rng;
  rng_seed(&rng, 1);
  for (int k = 0; status == STATUS_OK && k < b->n_system; k++) {
    for (int i = 0; i < b->n; i++) q[i] = rng_uniform(&rng, -ANGLE, ANGLE);
    if (!loop_eval(e, q, NULL, NULL, NULL, NULL, J) || !loop_eval_mass(e, q, M)) {
      status = error_set(err, STATUS_NUMERIC, m->name, "a system of the study is not finite");
    }
    if (status == STATUS_OK) set_system(b, k, M, J, &rng);
  }
  loop_eval_free(e);
  return status;
}

// compiled code in a folder of its own, gone afterwards; without a compiler b->code stays NULL
static Status compile(Bench *b, Error *err) {
  if (!expr_compile_available()) return STATUS_OK;
  const char *base = getenv("TMPDIR");
  char folder[PATH_SIZE], source[PATH_SIZE + 20], library[PATH_SIZE + 20];
  snprintf(folder, sizeof folder, "%s/poise-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) return error_set(err, STATUS_IO, folder, "can't make a folder");
  snprintf(source, sizeof source, "%s/solve.c", folder);
  snprintf(library, sizeof library, "%s/solve.so", folder);
  const ExprEmitItem item = {.f = &b->f->f->f};
  const ExprEmit what = {.stem = "solve", .n_item = 1, .item = &item, .lanes = true};
  TextBuf text = {0};
  Status status = expr_emit_c(&text, NULL, &what, err);
  if (status == STATUS_OK) status = textbuf_save(&text, source, err);
  if (status == STATUS_OK) status = expr_compile(source, library, true, err);
  if (status == STATUS_OK) status = expr_load(&b->code, library, b->f->f->f.name, err);
  textbuf_free(&text);
  unlink(source);
  unlink(library);
  rmdir(folder);
  if (status != STATUS_OK) return status;
  b->code_work = arena_alloc(b->arena, expr_extern_work_size(b->code));
  return b->code_work ? STATUS_OK : error_no_memory(err);
}

// ---- the ways to solve -------------------------------------------------------------------------

static void lanes_of(const Bench *b, LaneIn in[N_IN], LaneOut out[2]) {
  for (int i = 0; i < N_IN; i++) in[i] = (LaneIn){b->by_item[i], b->n_system, 1};
  out[0] = (LaneOut){b->x, b->n_system, 1};
  out[1] = (LaneOut){b->x + (size_t)b->n * (size_t)b->n_system, b->n_system, 1};
}

static void pass_vm(Bench *b) {
  LaneIn in[N_IN];
  LaneOut out[2];
  lanes_of(b, in, out);
  expr_tape_eval(b->tape, b->n_system, in, out, b->work);
}

static void pass_lanes(Bench *b) {
  LaneIn in[N_IN];
  LaneOut out[2];
  lanes_of(b, in, out);
  expr_extern_eval_points(b->code, b->n_system, in, out, b->code_work);
}

static void pass_scalar(Bench *b) {
  Error err = {0};
  for (int k = 0; k < b->n_system; k++) {
    const double *arg[N_IN];
    for (int i = 0; i < N_IN; i++) arg[i] = b->by_point[i] + (size_t)k * (size_t)b->size[i];
    double *x = b->x + (size_t)k * (size_t)b->N;
    double *res[2] = {x, x + b->n};
    expr_extern_eval(b->code, arg, res, b->code_work, &err);
  }
}

#ifdef POISE_HAVE_LAPACK
static void pass_lapack(Bench *b, bool symmetric) {
  const int one = 1, lwork = b->N * BLOCK;
  size_t N = (size_t)b->N;
  for (int k = 0; k < b->n_system; k++) {
    int info = 0;
    double *y = b->y + N * (size_t)k;
    memcpy(b->A, b->matrix + N * N * (size_t)k, N * N * sizeof *b->A);
    memcpy(y, b->rhs + N * (size_t)k, N * sizeof *y);
    if (symmetric) {
      dsysv_("L", &b->N, &one, b->A, &b->N, b->pivot, y, &b->N, b->lwork, &lwork, &info);
    } else {
      dgesv_(&b->N, &one, b->A, &b->N, b->pivot, y, &b->N, &info);
    }
  }
}

static void pass_dgesv(Bench *b) {
  pass_lapack(b, false);
}

static void pass_dsysv(Bench *b) {
  pass_lapack(b, true);
}
#endif

typedef void Pass(Bench *b);

// keeps the least time per system [us]
static void take_time(Bench *b, Pass *pass, double *least) {
  double start = clock_seconds();
  pass(b);
  double us = 1e6 * (clock_seconds() - start) / b->n_system;
  if (*least == 0 || us < *least) *least = us;
}

// largest relative difference of x (systems side by side) from y (one after the other)
static double difference(const Bench *b) {
  double worst = 0;
  for (int k = 0; k < b->n_system; k++) {
    double scale = 0, most = 0;
    for (int i = 0; i < b->N; i++) {
      double y = b->y[(size_t)k * (size_t)b->N + (size_t)i];
      double x = b->x[(size_t)i * (size_t)b->n_system + (size_t)k];
      scale = fmax(scale, fabs(y));
      most = fmax(most, fabs(x - y));
    }
    worst = fmax(worst, most / scale);
  }
  return worst;
}

static void run_all(Bench *b, NegrutTimes *t, int n_run) {
#ifdef POISE_HAVE_LAPACK
  if (openblas_set_num_threads) openblas_set_num_threads(1);
#endif
  for (int r = 0; r < n_run; r++) {
#ifdef POISE_HAVE_LAPACK
    t->has_lapack = true;
    take_time(b, pass_dgesv, &t->dgesv);
    take_time(b, pass_dsysv, &t->dsysv);
#endif
    take_time(b, pass_vm, &t->vm);
    if (r == 0 && t->has_lapack) t->error = difference(b);
    if (!b->code) continue;
    take_time(b, pass_scalar, &t->scalar);
    if (r == 0 && !t->has_lapack)
      memcpy(b->y, b->x, (size_t)b->N * (size_t)b->n_system * sizeof *b->y);
    take_time(b, pass_lanes, &t->lanes);
    if (r == 0) t->error = fmax(t->error, difference(b));
  }
  t->has_compiled = b->code != NULL;
}

Status negrut_times(NegrutTimes *out, const Model *m, int n_system, int n_run, Error *err) {
  *out = (NegrutTimes){.n_system = n_system, .n_run = n_run};
  Bench b = {.arena = arena_new(), .n = m->nv, .m = model_n_rows(m), .n_system = n_system};
  b.N = b.n + b.m;
  Status status = b.arena ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK) status = aug_function_build(&b.f, m, AUG_TRACED, AUG_SPARSE, err);
  if (status == STATUS_OK) {
    status = expr_tape_build(&b.tape, &b.f->f->f, TAPE_FOR_EVALUATOR, err);
  }
  if (status == STATUS_OK) status = allocate(&b, err);
  if (status == STATUS_OK) status = make_systems(&b, m, err);
  if (status == STATUS_OK) status = compile(&b, err);
  if (status == STATUS_OK) run_all(&b, out, n_run);
  expr_extern_free(b.code);
  expr_tape_free(b.tape);
  aug_function_free(b.f);
  arena_free(b.arena);
  return status;
}
