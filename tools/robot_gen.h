// SPDX-License-Identifier: MIT
// Robots of any size as robot files (docs/robot_format.md), for tests and benchmarks: chains of
// equal links and random trees. The same options give the same text on every machine.
#ifndef POISE_TOOLS_ROBOT_GEN_H
#define POISE_TOOLS_ROBOT_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/textbuf.h"

typedef enum RobotGenKind {
  ROBOT_GEN_CHAIN,  // n equal links along x, 0.3 m and 1 kg each
  ROBOT_GEN_TREE,   // random everything
} RobotGenKind;

typedef struct RobotGenOptions {
  RobotGenKind kind;
  int n_joint;       // moving joints, at least 1
  bool alternating;  // chain: axes y and z in turn; otherwise all y (a planar chain)
  uint64_t seed;     // tree
  double prismatic;  // tree: share of prismatic joints, 0 .. 1
  double branching;  // tree: 0 a chain, 1 every parent drawn from all bodies
  double massless;   // tree: share of inner bodies without mass (pairs of joints as in a gimbal)
  bool damping;      // random viscous damping on every joint
  bool armature;     // random rotor inertia on every joint
  bool limits;       // position, velocity and effort limits on every joint
  double actuated;   // tree: share of actuated joints; a chain is actuated but for its last joint
} RobotGenOptions;

// A tree of 10 joints, a third prismatic, half of the parents drawn, no massless bodies, no
// damping, no armature, no limits, all actuated; seed 1.
RobotGenOptions robot_gen_defaults(void);

// Appends the text of the robot. Joints are "j1" .. "jn", bodies "base", "b1" .. "bn", and the
// frame "tip" is at the end of the last body. Memory failure shows in out->failed.
void robot_gen(TextBuf *out, const RobotGenOptions *opt);

#endif
