// SPDX-License-Identifier: MIT
// What the Python peers read: a robot as JSON, arrays as raw doubles.
#ifndef POISE_BENCH_BENCH_EXPORT_H
#define POISE_BENCH_BENCH_EXPORT_H

#include "cli/json_out.h"
#include "model/model.h"

// Adds "gravity", "actuated" and "joints" to the object that is open, as casadi_dynamics.py wants them.
void bench_export_robot(JsonOut *j, const Model *m);

// Saves the text, complete by now, as folder/name and frees it.
Status bench_export_json(JsonOut *j, const char *folder, const char *name, Error *err);

// Writes `n` raw doubles to folder/name.
Status bench_export_doubles(const char *folder, const char *name, const double *x, size_t n,
                            Error *err);

#endif
