// SPDX-License-Identifier: MIT
// A compiled function reached as barely as possible, for timing: the entry point and its work arrays.
// (expr_load.h checks what it loads and what comes out; that would be part of the time.)
#ifndef POISE_BENCH_BENCH_ABI_H
#define POISE_BENCH_BENCH_ABI_H

#include "base/arena.h"
#include "base/error.h"
#include "expr/casadi_abi.h"
#include "expr/expr_load.h"

typedef struct BenchAbi {
  ExprExtern *checked;  // the same function with its patterns; keeps the library open
  void *library;        //
  CasadiEval eval;      //
  LanesEval lanes;      // NULL: none
  int mem;              // checked out once
  const double **arg;   // as many as NAME_work asks for
  double **res;         //
  casadi_int *iw;       //
  double *w;            //
  void *work;           // for `checked`
} BenchAbi;

// Arrays from the arena. bench_abi_free closes the library, also after a failure.
Status bench_abi_load(BenchAbi *f, Arena *arena, const char *path, const char *name, Error *err);
void bench_abi_free(BenchAbi *f);

#endif
