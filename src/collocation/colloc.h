// SPDX-License-Identifier: MIT
// Direct collocation: an Ocp becomes a sparse nonlinear program with exact derivatives.
//
// Variables lie in blocks, one per interval and a last one for the end:
//   condensed  q_k v_k | controls | accelerations at the points          (positions and velocities at the
//              points are affine in these: colloc_scheme.h)
//   paper      q_k v_k | controls | q v [a] at each point
// so that variable `slot` of block k is k * stride + slot. Rows of an interval repeat in the same way,
// and so do the nonzeros: a *class* of nonzeros is one place of the interval's pattern, its values for
// all intervals are contiguous, and every evaluation loop runs over intervals without index maps.
#ifndef POISE_COLLOCATION_COLLOC_H
#define POISE_COLLOCATION_COLLOC_H

#include "collocation/colloc_scheme.h"
#include "nlp/nlp.h"
#include "ocp/ocp.h"
#include "ocp/trajectory.h"

typedef struct Colloc Colloc;

// Keeps o (borrowed: it must outlive the result). On failure *out is NULL.
Status colloc_build(Colloc **out, const Ocp *o, Error *err);
void colloc_free(Colloc *c);  // NULL-safe

Nlp *colloc_nlp(Colloc *c);

// Start values of the variables from a trajectory on the same grid; and back.
void colloc_start(Colloc *c, const Trajectory *t);
void colloc_extract(const Colloc *c, const double *x, Trajectory *t);

// Other weights of torque and torque rate, for continuation; the structure must allow it: a rate weight
// that was zero when the problem was built stays so.
void colloc_set_weights(Colloc *c, double torque, double torque_rate);

// Another goal position, of the same components.
void colloc_set_goal(Colloc *c, const double position[3]);

// What a variable, or what a row is about; index in the brackets.
typedef enum CollocKind {
  COLLOC_POSITION,      // [joint] a variable, or a row that limits it
  COLLOC_VELOCITY,      // [joint] the same
  COLLOC_ACCELERATION,  // [joint] a variable
  COLLOC_FORCE,         // [actuator] a variable
  COLLOC_RATE,          // [actuator] limits the change of a force
  COLLOC_TIED,          // [actuator] keeps it constant in a piece
  COLLOC_HORIZON,       // a variable
  COLLOC_START_Q,       // [joint]
  COLLOC_START_V,       // [joint]
  COLLOC_DYNAMICS,      // [joint]
  COLLOC_MOTION,        // [joint] collocation
  COLLOC_CONTINUITY,    // [joint]
  COLLOC_OBSTACLE,      // [obstacle]
  COLLOC_TERM,          // [term]
  COLLOC_GOAL_FRAME,    // [component]
  COLLOC_GOAL_JOINT,    // [joint]
  COLLOC_GOAL_REST,     // [joint]
  COLLOC_GOAL_BALANCE,  // [joint] equilibrium
} CollocKind;

typedef struct CollocItem {
  CollocKind kind;
  int index;
  int part;     // row of a term
  double time;  // [s], of a force when it begins
} CollocItem;

CollocItem colloc_variable(const Colloc *c, int i);
CollocItem colloc_row(const Colloc *c, int i);

// Operations of one evaluation of residuals, Jacobian, Hessian over all points, without those in the
// user's functions, which nobody can count; bytes held.
typedef struct CollocCost {
  long long residual, jacobian, hessian;
  size_t bytes;
} CollocCost;
CollocCost colloc_cost(const Colloc *c);

#endif
