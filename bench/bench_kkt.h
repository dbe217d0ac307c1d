// SPDX-License-Identifier: MIT
// Linear solvers on recorded KKT systems, as bench/kkt compares them.
#ifndef POISE_BENCH_BENCH_KKT_H
#define POISE_BENCH_BENCH_KKT_H

#include "ocp/ocp.h"
#include "solver/kkt.h"
#include "solver/kkt_dump.h"

enum { BENCH_ORDERS = 3, BENCH_MAX_GROUPS = 16 };

extern const char *const bench_order_names[BENCH_ORDERS];  // AMD, PORD, METIS

// One factorisation and one substitution.
typedef struct BenchLdl {
  double factor_s, solve_s;   // least of the repetitions
  double residual;            // |b - A x| / (|A| |x| + |b|), no refinement
  int n_negative, n_delayed;  //
  bool singular;              //
  double flops;               //
  double bytes;               // held
} BenchLdl;

typedef struct BenchSystem {
  char name[64];  // "reach IMPL 001/0013"
  int dim, nnz;
  bool indefinite;               // more or fewer negative eigenvalues than rows: to be regularised
  bool regularised;              // a diagonal under the multipliers of equations
  bool late;                     // in the last third of its solve
  bool own_rhs;                  // b was recorded too, else random
  BenchLdl own;                  //
  int referee;                   // where our inertia is not that of MUMPS: what MUMPS finds with a
                                 // pivot threshold of 0.1; -1: nobody was asked
  BenchLdl mumps[BENCH_ORDERS];  //
} BenchSystem;

// Systems that belong together: a layout, or a folder that was given.
typedef struct BenchGroup {
  char name[64];
  int n, cap;
  BenchSystem *system;              // n, from malloc
  int n_folder;                     // solves that they come from
  double build_s;                   // symbolic phase, ours, of all solves
  double analysis_s[BENCH_ORDERS];  // of MUMPS
} BenchGroup;

// Adds the systems of one solve's folder (kkt_dump.h) to the group, measured. label: for their names.
Status bench_kkt_folder(BenchGroup *g, const char *folder, const char *label, int repetitions,
                        int threads, Error *err);

// How long one system of the first iteration takes with n intervals; ours alone.
typedef struct BenchScale {
  int intervals, dim, nnz;
  double build_s, factor_s, solve_s, bytes;
} BenchScale;
Status bench_kkt_scale(BenchScale *out, const char *task, OcpLayout layout, int intervals,
                       int repetitions, int threads, Error *err);

// ---- MUMPS, called directly ---------------------------------------------------------------------

typedef struct BenchMumps BenchMumps;

bool bench_mumps_present(void);  // false: built without it

// Instance with IPOPT's settings and ordering `order`, analysed for the pattern (and the values, as
// IPOPT does). NULL on failure.
BenchMumps *bench_mumps_new(int order, const KktMatrix *m, double *analysis_s);
void bench_mumps_factor(BenchMumps *s, const KktMatrix *m, BenchLdl *out);  // times into *out
int bench_mumps_referee(BenchMumps *s, const KktMatrix *m);  // negative eigenvalues, high threshold
void bench_mumps_solve(BenchMumps *s, double *x, BenchLdl *out);
void bench_mumps_free(BenchMumps *s);  // NULL-safe

// Seconds for timings: processor time of the process (MUMPS may have threads of its own), or with several of ours the wall clock.
double bench_kkt_clock(int threads);

// Multiplications and additions per second that one core reaches at best, measured.
double bench_peak(void);

typedef struct BenchKktReport {
  int repetitions, threads;
  int n_group;
  const BenchGroup *group;  // n_group
  int n_scale[2];           // by layout
  BenchScale scale[2][16];
  double peak;  // flops per second
  const char *cpu;
} BenchKktReport;

void bench_kkt_print_text(const BenchKktReport *r);
Status bench_kkt_print_json(const BenchKktReport *r, Error *err);

#endif
