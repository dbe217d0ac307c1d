// SPDX-License-Identifier: MIT
// Functions from shared objects with the interface of CasADi's external functions (casadi_abi.h):
// ours, CasADi's, or written by hand.
//
// A library is code: loading a file runs it. Everything it says about itself is checked, so that a
// wrong one gives an error, but what it does when it runs is its own.
#ifndef POISE_EXPR_EXPR_LOAD_H
#define POISE_EXPR_EXPR_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "expr/expr_lanes.h"

// One input or output.
typedef struct ExprPort {
  const char *name;      //
  int n_row, n_col;      //
  int nnz;               // values that are passed, in the order of the pattern
  const int *colptr;     // n_col + 1
  const int *row;        // nnz, ascending in each column
  double default_value;  // of an input
} ExprPort;

typedef struct ExprExtern {
  Arena *arena;                 // owns everything below
  const char *name;             //
  const char *path;             // of the shared object
  int n_in, n_out;              //
  const ExprPort *in;           // n_in
  const ExprPort *out;          // n_out
  bool has_lanes;               // NAME_lanes is there
  struct ExprExternCode *code;  // the library and its entry points
} ExprExtern;

// Loads function `name` of the shared object `path`. On failure *out is NULL and the library is
// closed: STATUS_INPUT for a missing file, another kind of file, a missing function, wrong
// patterns; STATUS_IO if the system can't load it.
Status expr_load(ExprExtern **out, const char *path, const char *name, Error *err);
void expr_extern_free(ExprExtern *f);  // NULL-safe; closes the library

// Bytes of scratch that one thread needs to evaluate; aligned to 64.
size_t expr_extern_work_size(const ExprExtern *f);

// Evaluates one point. arg: n_in arrays of nnz values, NULL for zeros; res: n_out, NULL if not
// wanted. Allocates nothing of its own. STATUS_NUMERIC if the function reports a failure, or if an
// output is NaN or Inf; the outputs are written all the same.
Status expr_extern_eval(const ExprExtern *f, const double *const *arg, double *const *res,
                        void *work, Error *err);

// Evaluates n_point points as expr_tape_eval does, by NAME_lanes where there is one, else point by
// point. Returns false if the function fails or an output is NaN or Inf at any point.
bool expr_extern_eval_points(const ExprExtern *f, int n_point, const LaneIn *in, const LaneOut *out,
                             void *work);

#endif
