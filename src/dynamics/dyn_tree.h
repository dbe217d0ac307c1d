// SPDX-License-Identifier: MIT
// What the recursions need to know of a robot, prepared so that few operations are left to trace.
//
// Frames. Each body gets axes of our own choice, parallel to its parent's at q = 0 whenever the joint
// turns about a coordinate axis of the parent: constant rotations then vanish into the constants.
// Vectors of body i are written in its *expression frame* F_i, and `turn` says how F_i and the
// body's axes move (E_i is the body's orientation in F_i):
//   TURN_KEEP     F_i = F_parent; the body turns in it: E_i = Rot(e_axis, theta_i), where
//                 theta_i = theta_parent + sign q_i sums the angles of consecutive parallel axes
//   TURN_LATE     F_i = the parent's body axes (times a constant); E_i = Rot(e_axis, q_i)
//   TURN_NOW      F_i turns with the body, E_i = 1
// Between joints with parallel axes nothing is rotated at all.
//
// Inertia. Mass, first moment and pseudo-inertia J = integral of x x^T dm about the joint's origin.
// What a joint cannot tell apart from a part of the parent is given to the parent (Khalil and
// Bennis 1995; Wittenburg's augmented bodies): everything that sits on the axis of a revolute joint
// (mass, moment along the axis, J along the axis), the rotational inertia of a prismatic one.
// The motion is the same, the constants are fewer. Energies use the true bodies instead.
//
// Lines. Often the centre of mass and the joints of the children lie on one line through the body's origin:
// then products with these vectors are one product with the line's direction, scaled.
#ifndef POISE_DYNAMICS_DYN_TREE_H
#define POISE_DYNAMICS_DYN_TREE_H

#include "base/arena.h"
#include "model/model.h"

typedef enum DynTurn { TURN_KEEP, TURN_LATE, TURN_NOW } DynTurn;

typedef struct DynMass {
  double m;     // mass
  double h[3];  // first moment
  double J[9];  // pseudo-inertia about the origin of the body frame
} DynMass;

typedef struct DynJoint {
  int parent;      // -1: world
  JointType type;  //
  DynTurn turn;    // prismatic: always TURN_KEEP, without adding to theta
  int axis;        // revolute: coordinate axis e_axis of the body and of F that it turns about
  int sign;        // revolute: turns about sign e_axis
  double dir[3];   // prismatic: direction in the parent's body axes
  double pos[3];   // origin of the joint in the parent's body axes
  double
      rot[9];  // body axes at q = 0 in the parent's body axes; identity unless the axis is slanted
  double to_file[9];  // vectors of the file's body frame = to_file * vectors in our body axes
  bool has_line;      // the reduced first moment, or a child, lies on a line with (another) child
  double line[3];     // its direction, in body axes
  double h_along;     // reduced first moment along the line, if it lies on it; else 0
  bool h_on_line;     //
  double r_along;     // revolute: pos along the parent's line, if it lies on it
  bool r_on_line;     //
  DynMass mass;       // reduced, see above
  DynMass own;        // true one
  double armature;    //
  double damping;     //
} DynJoint;

typedef struct DynTree {
  int n;              // joints
  DynJoint *joint;    // n
  double gravity[3];  //
} DynTree;

// From the arena; false when out of memory.
bool dyn_tree_build(DynTree *t, const Model *m, Arena *arena);

#endif
