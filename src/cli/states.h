// SPDX-License-Identifier: MIT
// A file of states for `poise dynamics`: a JSON array of {"q", "v", "a" or "tau"}, each an array in the
// order of the joints or an object by joint name (joints left out are 0). Other keys are ignored, so
// that files of other programs can be used; the needed ones must be there.
#ifndef POISE_CLI_STATES_H
#define POISE_CLI_STATES_H

#include "model/model.h"

typedef struct States {
  Arena *arena;  // owns the rest
  int n;         // states
  double *q;     // nv x n, column-major
  double *v;     // nv x n
  double *x;     // nv x n, accelerations or forces
} States;

// `key` is what x is read from: "a" or "tau". On failure *out is NULL.
Status states_load(States **out, const char *path, const Model *m, const char *key, Error *err);
void states_free(States *s);  // NULL-safe

#endif
