// SPDX-License-Identifier: MIT
// Passes over the instructions of a tape whose operands are still values (numbered 0 .. n_value, each
// written once) instead of registers. second[e]: the other value that instruction e writes, 0 if none.
#ifndef POISE_EXPR_EXPR_TAPE_INTERNAL_H
#define POISE_EXPR_EXPR_TAPE_INTERNAL_H

#include "expr/expr_tape.h"

// Reorders within a sliding window so that equal operations follow each other.
bool tape_group_runs(ExprTape *t, int *second, int n_value, Arena *work);

// Turns values into registers, each reused as soon as its value has been read for the last time.
bool tape_assign_registers(ExprTape *t, const int *second, int n_value, Arena *work);

#endif
