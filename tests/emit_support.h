// SPDX-License-Identifier: MIT
// For the tests of emitted and loaded functions: random functions of every shape, a folder for
// files, and an allocator that fails on demand.
#ifndef POISE_TESTS_EMIT_SUPPORT_H
#define POISE_TESTS_EMIT_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "expr/expr_emit_c.h"

// A function with the graph and the arena behind it. Inputs: x (5), unused (3), p (4), nothing (0).
// Outputs: a column with zeros, constants, inputs, negated and repeated elements; a sparse 4 x 6
// matrix; a 3 x 2 matrix without nonzeros.
typedef struct RandomFunction {
  Arena *arena;
  ExprGraph *g;
  ExprFunction f;
} RandomFunction;

enum { RANDOM_N_IN = 4, RANDOM_N_OUT = 3 };

// About n_op operations of all kinds, finite for inputs in -1 .. 1. False when out of memory.
bool random_function(RandomFunction *r, const char *name, uint64_t seed, int n_op);
void random_function_free(RandomFunction *r);

// A new folder in the system's place for temporary files, removed with all its files by the other.
const char *scratch_folder(void);
void scratch_remove(void);

// folder/name, valid until the fourth next call.
const char *scratch_path(const char *name);

// C text to folder/NAME.c and, compiled, folder/NAME.so; the path of the latter, NULL if that
// fails.
const char *scratch_library(const char *name, const char *text, bool native, Error *err);

// After this the n-th allocation (from 0) and all later ones fail; -1: none.
void fail_allocation(int n);
int allocations_so_far(void);  // since fail_allocation

#endif
