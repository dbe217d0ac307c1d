// SPDX-License-Identifier: MIT
// Every key of a sweep file as tables: the reader validates from them and `poise explain` prints them.
// docs/sweep.md tells the same in prose.
#ifndef POISE_SWEEP_SWEEP_KEYS_H
#define POISE_SWEEP_SWEEP_KEYS_H

#include "base/json_keys.h"

extern const JsonKeys sweep_keys_sweep, sweep_keys_axis, sweep_keys_target, sweep_keys_case,
    sweep_keys_relax;

// All of them, in the order of the file; n_sweep_keys tables.
extern const JsonKeys *const sweep_keys[];
extern const int n_sweep_keys;

#endif
