// SPDX-License-Identifier: MIT
// Puts the solver of kkt.h under an unmodified IPOPT, in place of HSL's MA97 (linear_solver ma97):
// IPOPT 3.11 takes function pointers (LSL_setMA97), 3.14 loads a shared library that option hsllib
// names, which is ours (kkt_hsl_library.c). Neither hands anything of ours to the functions, so that
// they find the solve at hand by a thread-local pointer.
//
//   KktHook hook = {.map = &map, .threads = 1};
//   if (kkt_hsl_enter(&hook)) ... IpoptSolve with linear_solver ma97, FreeIpoptProblem ...
//   kkt_hsl_leave(&hook);
#ifndef POISE_SOLVER_KKT_HSL_H
#define POISE_SOLVER_KKT_HSL_H

#include "solver/kkt.h"
#include "solver/kkt_dump.h"

// One solve. Zero but for the first four.
typedef struct KktHook {
  const KktMap *map;  // of the program that is solved
  int threads;        // for kkt_set_threads
  KktDump *dump;      // where systems go; NULL: nowhere
  int dump_every;     // the first, and each so many after it; 0: all
  Kkt *kkt;           // once IPOPT has shown its pattern
  int nnz;            // of the pattern
  int *ptr, *row;     // dim + 1, nnz; 0-based
  KktInfo info;       // of the last factorisation
  bool failed;        // the pattern does not fit the map, or no memory, or the dump failed:
  Error err;          // why; the solve can't go on
  bool dumping;       // the last factorisation was written
  int n_factor;       // factorisations
  int n_singular;     // of these
  int n_solve;        // right-hand sides
  long n_delayed;     // pivots that had to wait, in all
  double factor_s;    // seconds in kkt_factor
  double solve_s;     // in kkt_solve
} KktHook;

// Makes `hook` the one of this thread's next solve. False where IPOPT offers no such door.
bool kkt_hsl_enter(KktHook *hook);

// The value of option hsllib; NULL where it is not needed.
const char *kkt_hsl_library(void);

// Frees what the hook holds. After FreeIpoptProblem.
void kkt_hsl_leave(KktHook *hook);

#endif
