// SPDX-License-Identifier: MIT
// IPOPT's C interface of 3.11 and of 3.14 under one set of names. Only solver_ipopt*.c include
// this.
#ifndef POISE_SOLVER_SOLVER_IPOPT_INTERNAL_H
#define POISE_SOLVER_SOLVER_IPOPT_INTERNAL_H

#include <IpStdCInterface.h>
#include <IpoptConfig.h>
#include <stdbool.h>

// 3.14 renamed the types (the old names are deprecated there) and made its booleans C's
#if IPOPT_VERSION_MAJOR > 3 || (IPOPT_VERSION_MAJOR == 3 && IPOPT_VERSION_MINOR >= 14)
typedef ipnumber IpoptNumber;
typedef ipindex IpoptIndex;
typedef bool IpoptBool;
#else
typedef Number IpoptNumber;
typedef Index IpoptIndex;
typedef Bool IpoptBool;
#endif

_Static_assert(sizeof(IpoptNumber) == sizeof(double), "IPOPT built for single precision");
_Static_assert(sizeof(IpoptIndex) == sizeof(int), "IPOPT built for 64-bit indices");

#include "solver/kkt_hsl.h"
#include "solver/solver_internal.h"

// What the callbacks know.
typedef struct IpoptRun {
  const Nlp *nlp;
  const SolveOptions *opt;
  SolveInfo *info;
  SolverLog log;
  bool table;       // somebody reads it
  double start;     // clock() at the beginning of solver_solve
  double last;      // at the last iteration
  double max_wall;  // [s]; INFINITY where IPOPT keeps the limit itself
  KktHook *hook;    // the linear solver "stage"; NULL: another one
  bool too_long;    // max_wall reached
  bool no_memory;   //
  int capacity;     // of the history
  double *x_lower;  // n, with IPOPT's infinities; the others likewise
  double *x_upper;  //
  double *g_lower;  // m
  double *g_upper;  //
  double *lambda;   // m
  double *z_lower;  // n
  double *z_upper;  //
  double *scratch;  // 2 n + m + jac_nnz
} IpoptRun;

// ---- solver_ipopt_eval.c ------------------------------------------------------------------------

// The problem with all its callbacks, to which IpoptSolve must hand r; NULL: IPOPT refuses it.
IpoptProblem ipopt_create(const IpoptRun *r);

// The name of a variable or of a constraint, cut to fit.
void ipopt_name(const Nlp *nlp, bool variable, int i, char *out, size_t size);

// ---- solver_ipopt_options.c ---------------------------------------------------------------------

// Hands the options to IPOPT, which stays silent. False at the first that it refuses (*refused: its
// place in the list). max_wall_time, unknown to 3.11, goes to *max_wall instead of failing there.
bool ipopt_set_options(IpoptProblem problem, const OptionList *list, int *refused,
                       double *max_wall);

// True if ma97 is chosen and neither registered nor in an HSL library: 3.11 would end the process
// (it answers decently for all other solvers that are missing).
bool ipopt_missing_ma97(const OptionList *list);

// Why IPOPT refused an option, from what it printed.
Status ipopt_refused(const SolveOption *option, const char *log, Error *err);

#endif
