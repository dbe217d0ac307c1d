// SPDX-License-Identifier: MIT
// Times of the augmented solve: our evaluator, our compiled code, and LAPACK on the same matrices.
#ifndef POISE_CLI_STUDY_NEGRUT_TIME_H
#define POISE_CLI_STUDY_NEGRUT_TIME_H

#include <stdbool.h>

#include "base/error.h"
#include "model/model.h"

typedef struct NegrutTimes {
  int n_system, n_run;   //
  bool has_lapack;       // built with it
  double dgesv, dsysv;   // microseconds per system, matrices copied in both
  double vm;             // our evaluator, systems side by side
  bool has_compiled;     // there is a C compiler
  double scalar, lanes;  // compiled, one system at a time; eight at a time
  double error;          // of ours against LAPACK (or of compiled against the evaluator)
} NegrutTimes;

Status negrut_times(NegrutTimes *out, const Model *m, int n_system, int n_run, Error *err);

#endif
