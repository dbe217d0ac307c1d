// SPDX-License-Identifier: MIT
// Shared by the files of this folder.
#ifndef POISE_SOLVER_SOLVER_INTERNAL_H
#define POISE_SOLVER_SOLVER_INTERNAL_H

#include "base/arena.h"
#include "solver/solver.h"

// ---- solver_options.c: what is to be set, in order ----------------------------------------------

typedef struct OptionList {
  SolveOption
      *option;       // n; defaults first, then the file, then the caller's; of equals the last one
  int n;             //
  bool show_timing;  // the caller wants print_timing_statistics
  bool stage;        // linear_solver is "stage": it says "ma97" here, for the hook (kkt_hsl.h)
  int print_level;   // of the table
} OptionList;

// All options that count, texts copied to the arena. STATUS_INPUT for a file that can't be
// understood. Without `stage` the linear solver of that name is replaced by MUMPS.
Status option_list_build(OptionList *list, const Nlp *nlp, const SolveOptions *opt, bool stage,
                         Arena *arena, Error *err);

// The last value given for a name; NULL if none.
const char *option_list_find(const OptionList *list, const char *name);

// The option that a misspelt name may stand for; NULL if nothing is close.
const char *option_nearest(const char *name);

// ---- solver_log.c: what IPOPT says, through a temporary file ------------------------------------

typedef struct SolverLog {
  int fd;           // -1: none
  char path[1024];  // only until unlinked
  size_t sent;      // bytes passed on so far
} SolverLog;

// A new temporary file in TMPDIR; false if there can't be one. solver_log_unlink once IPOPT has
// opened it.
bool solver_log_open(SolverLog *log);
void solver_log_unlink(SolverLog *log);
void solver_log_close(SolverLog *log);

// Passes on what came since the last call. All streams of the process are flushed (stdio has no
// other way to reach a stream that IPOPT has opened).
void solver_log_follow(SolverLog *log, const SolveOptions *opt);
void solver_log_skip(SolverLog *log);  // what came so far is not for the table

// The whole text, from malloc; NULL if there is none. After IPOPT has closed the file.
char *solver_log_text(const SolverLog *log);

// The rest of the table, without the timing statistics unless the caller asked for them.
void solver_log_finish(SolverLog *log, const SolveOptions *opt, const char *text, bool show_timing);

// Fills linear_solver and the fields of the timing that IPOPT knows.
void solver_log_parse(const char *text, SolveInfo *info);

// ---- solver_blas.c ------------------------------------------------------------------------------

// One thread of BLAS, unless the environment says otherwise (OPENBLAS_NUM_THREADS); and as it was.
int solver_blas_enter(void);
void solver_blas_leave(int before);

// ---- solver_residual.c --------------------------------------------------------------------------

// Violation, dual infeasibility, complementarity at x; scratch: n + m + n + jac_nnz doubles.
void solver_residual(const Nlp *nlp, const double *x, const double *lambda, const double *z_lower,
                     const double *z_upper, double *scratch, SolveInfo *info);

// True if every entry is a number and finite.
bool solver_all_finite(const double *values, int n);

#endif
