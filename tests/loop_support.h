// SPDX-License-Identifier: MIT
// For tests of robots with loops: random trees with one loop of each type.
#ifndef POISE_TESTS_LOOP_SUPPORT_H
#define POISE_TESTS_LOOP_SUPPORT_H

#include <stdint.h>

#include "model/model.h"

// A random tree of n joints (at least 4) with a loop of every type between random frames on two
// random bodies, the world among them. Nothing is closed. Asserts.
Model *tree_with_loops(int n, uint64_t seed);

// A chain of 36 joints with a loop of every type over six joints each, so that the constraints are
// independent of each other nearly everywhere.
Model *chain_with_loops(uint64_t seed);

// A file of configs/mechanisms by name; asserts.
Model *mechanism_load(const char *name);

// T + V [J]; asserts.
double mechanism_energy(const Model *m, const double *q, const double *v);

#endif
