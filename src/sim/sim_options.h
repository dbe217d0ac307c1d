// SPDX-License-Identifier: MIT
// Settings of time integration and verification, one table of defaults.
#ifndef POISE_SIM_SIM_OPTIONS_H
#define POISE_SIM_SIM_OPTIONS_H

#include "dynamics/loop_method.h"

typedef enum SimMethod {
  SIM_ADAMS,  // orders 1 to 12, for motions that are not stiff
  SIM_BDF,    // orders 1 to 5 with a dense Newton solver, for strong damping
} SimMethod;

typedef struct SimOptions {
  // integration
  SimMethod method;               //
  double rel_tol;                 // local error, relative to each coordinate and speed
  double abs_tol;                 // and absolute [rad | m, rad/s | m/s]
  long max_steps;                 // of one run: beyond it the run fails
  double largest;                 // a coordinate or speed beyond this has blown up
  const LoopMethod *loop_method;  // for robots with loops; NULL: TREE+AUG

  // verification
  const DynForm *form;  // to replay with; NULL: EXP2, or EXP1 if EXP2 was optimised
  int n_sample;         // instants per interval at which limits are looked at, the end included

  // what "verified" asks for
  double defect_tol;  // end of an interval's replay against the next node [rad | m, and per s]
  double start_tol;   // first node against the start state
  double goal_tol;    // last node against the goal [m, rad, rad/s]
  double acceleration_tol;  // at the last node, where an equilibrium is the goal [rad/s^2 | m/s^2]
  double limit_tol;         // beyond limits of position [rad | m], speed, and into obstacles [m]
  double effort_tol;        // beyond limits of effort and its rate, relative
  double energy_tol;        // energy balance, relative
} SimOptions;

extern const SimOptions sim_defaults;

#endif
