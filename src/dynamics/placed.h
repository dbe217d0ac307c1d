// SPDX-License-Identifier: MIT
// Placements and velocities of all bodies of a tree in the world, in order n: for what joins bodies far
// apart in the tree. The recursions along the tree use kinematics.h, where vectors stay with the bodies.
#ifndef POISE_DYNAMICS_PLACED_H
#define POISE_DYNAMICS_PLACED_H

#include "dynamics/dyn.h"

typedef struct Placed {
  Mat3 W;     // its expression frame (dyn_tree.h) in the world
  Mat3 R;     // its axes as in the file
  Vec3 o;     // its origin
  Vec3 r;     // its origin from the parent's origin
  Vec3 axis;  // of its joint
  Vec3 w, u;  // angular velocity, velocity of the origin
} Placed;

extern const Placed placed_world;

// out: nv, at the q and v of the trace.
void placed_build(const DynTrace *tr, Placed *out);

// A vector in the file's axes of body i, in its expression frame.
Vec3 placed_own(const DynTrace *tr, int i, Vec3 x);

#endif
