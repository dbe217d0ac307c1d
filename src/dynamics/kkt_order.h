// SPDX-License-Identifier: MIT
// An order of elimination for equations of motion with multipliers, [M C^T; C 0], that fills little
// and never meets a null pivot which is not a property of the mechanism itself.
//
// Blocks are bodies (their inertia is positive definite: any time is right) and joints (their
// diagonal is zero until their bodies are gone). A joint may be eliminated when
//   all its bodies are: then the pivots tell whether the mechanism of the bodies so far, with the joints
//   so far, has independent constraints; if not, neither has the whole; or when
//   one of its bodies is left and what hangs on its other side hangs on nothing else: a part that
//   moves freely but for this joint (the order from the leaves to the root of Baraff 1996).
// Among these the one with the fewest neighbours comes next (minimum degree, by rows).
#ifndef POISE_DYNAMICS_KKT_ORDER_H
#define POISE_DYNAMICS_KKT_ORDER_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct KktJoint {
  int body[2];  // -1: the world
  int rows;     // constraints; 0 is allowed
} KktJoint;

// order: n_body + n_joint blocks; body b is block b, joint j is block n_body + j. body_rows: rows
// of a body's block. False when out of memory.
bool kkt_order(int n_body, int body_rows, int n_joint, const KktJoint *joint, int *order);

#endif
