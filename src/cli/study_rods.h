// SPDX-License-Identifier: MIT
// The nets of Ascher and Lin, section 4, as rods between joints (sim_rods.h): unit lengths and masses.
#ifndef POISE_CLI_STUDY_RODS_H
#define POISE_CLI_STUDY_RODS_H

#include "base/arena.h"
#include "sim/sim_rods.h"

// `n` squares side by side in a plane, joint 0 fixed at a corner; up: the squares stand on the line
// through it, else they hang from it. 3 n + 1 rods. False when out of memory.
bool study_squares(RodNet *out, Arena *arena, int n, bool up);

// A net of `columns` hanging from fixed joints, `rows` rods long each and joined by rods in every row, in a
// plane that leans `angle` to the vertical. (2 columns - 1) rows rods.
bool study_net(RodNet *out, Arena *arena, int columns, int rows, double angle);

#endif
