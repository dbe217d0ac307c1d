// SPDX-License-Identifier: MIT
// MUMPS through its C interface, with the settings that IPOPT gives it.
#include <stdlib.h>

#include "bench_kkt.h"

const char *const bench_order_names[BENCH_ORDERS] = {"AMD", "PORD", "METIS"};

#ifdef HAVE_MUMPS

#include <dmumps_c.h>

struct BenchMumps {
  DMUMPS_STRUC_C m;
  int *row, *col;  // nnz, 1-based
};

enum { START = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3, USE_WORLD = -987654 };

// 1-based as in MUMPS' manual
#define ICNTL(i) icntl[(i)-1]
#define CNTL(i) cntl[(i)-1]
#define INFOG(i) infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]

bool bench_mumps_present(void) {
  return true;
}

static bool call(BenchMumps *s, int job) {
  s->m.job = job;
  dmumps_c(&s->m);
  return s->m.INFOG(1) >= 0;
}

static bool set_pattern(BenchMumps *s, const KktMatrix *m) {
  size_t nnz = (size_t)m->ptr[m->n];
  s->row = malloc(nnz * sizeof *s->row);
  s->col = malloc(nnz * sizeof *s->col);
  if (!s->row || !s->col) return false;
  for (int j = 0; j < m->n; j++) {
    for (int e = m->ptr[j]; e < m->ptr[j + 1]; e++) s->row[e] = m->row[e] + 1, s->col[e] = j + 1;
  }
  s->m.n = m->n;
  s->m.nnz = (MUMPS_INT8)nnz;
  s->m.irn = s->row;
  s->m.jcn = s->col;
  return true;
}

BenchMumps *bench_mumps_new(int order, const KktMatrix *m, double *analysis_s) {
  static const int codes[BENCH_ORDERS] = {0, 4, 5};
  BenchMumps *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->m.sym = 2;  // symmetric, indefinite
  s->m.par = 1;
  s->m.comm_fortran = USE_WORLD;
  if (!call(s, START) || !set_pattern(s, m)) {
    bench_mumps_free(s);
    return NULL;
  }
  for (int i = 1; i <= 3; i++) s->m.ICNTL(i) = 0;  // silence
  s->m.ICNTL(4) = 0;
  s->m.ICNTL(6) = 7;             // mumps_permuting_scaling
  s->m.ICNTL(7) = codes[order];  // mumps_pivot_order
  s->m.ICNTL(8) = 77;            // mumps_scaling
  s->m.ICNTL(10) = 0;            // no refinement
  s->m.ICNTL(13) = 1;            // no parallel root
  s->m.ICNTL(14) = 1000;         // mumps_mem_percent
  s->m.CNTL(1) = 1e-6;           // mumps_pivtol
  s->m.a = m->values;
  double before = bench_kkt_clock(1);
  bool ok = call(s, ANALYSE);
  *analysis_s = bench_kkt_clock(1) - before;
  if (ok) return s;
  bench_mumps_free(s);
  return NULL;
}

void bench_mumps_factor(BenchMumps *s, const KktMatrix *m, BenchLdl *out) {
  s->m.a = m->values;
  double before = bench_kkt_clock(1);
  bool ok = call(s, FACTOR);
  double seconds = bench_kkt_clock(1) - before;
  if (out->factor_s == 0 || seconds < out->factor_s) out->factor_s = seconds;
  out->singular = !ok;
  out->n_negative = s->m.INFOG(12);
  out->n_delayed = s->m.INFOG(13);
  out->flops = s->m.RINFOG(3);
  out->bytes = 1e6 * s->m.INFOG(22);
}

int bench_mumps_referee(BenchMumps *s, const KktMatrix *m) {
  double kept = s->m.CNTL(1);
  s->m.a = m->values;
  s->m.CNTL(1) = 0.1;
  bool ok = call(s, FACTOR);
  s->m.CNTL(1) = kept;
  return ok ? s->m.INFOG(12) : -1;
}

void bench_mumps_solve(BenchMumps *s, double *x, BenchLdl *out) {
  s->m.rhs = x;
  s->m.nrhs = 1;
  s->m.lrhs = s->m.n;
  double before = bench_kkt_clock(1);
  call(s, SOLVE);
  double seconds = bench_kkt_clock(1) - before;
  if (out->solve_s == 0 || seconds < out->solve_s) out->solve_s = seconds;
}

void bench_mumps_free(BenchMumps *s) {
  if (!s) return;
  call(s, END);
  free(s->row);
  free(s->col);
  free(s);
}

#else

bool bench_mumps_present(void) {
  return false;
}

BenchMumps *bench_mumps_new(int order, const KktMatrix *m, double *analysis_s) {
  (void)order, (void)m, (void)analysis_s;
  return NULL;
}

void bench_mumps_factor(BenchMumps *s, const KktMatrix *m, BenchLdl *out) {
  (void)s, (void)m, (void)out;
}

int bench_mumps_referee(BenchMumps *s, const KktMatrix *m) {
  (void)s, (void)m;
  return -1;
}

void bench_mumps_solve(BenchMumps *s, double *x, BenchLdl *out) {
  (void)s, (void)x, (void)out;
}

void bench_mumps_free(BenchMumps *s) {
  (void)s;
}

#endif
