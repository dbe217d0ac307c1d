// SPDX-License-Identifier: MIT
// The inside of a Sim, for sim_integrate.c and sim_integrate_fail.c.
#ifndef POISE_SIM_SIM_INTERNAL_H
#define POISE_SIM_SIM_INTERNAL_H

#include <cvode/cvode.h>

#include "sim/sim_accel.h"
#include "sim/sim_integrate.h"

struct Sim {
  Arena *arena;                    // owns the arrays
  const Model *m;                  // borrowed
  SimOptions opt;                  //
  SimAccel *accel;                 //
  SUNContext context;              //
  N_Vector x;                      // q, v, W, D: 2 nv + 2
  SUNNonlinearSolver fixed_point;  // Adams
  SUNMatrix jacobian;              // BDF
  SUNLinearSolver dense;           // BDF
  void *cvode;                     //
  double *zero;                    // nv
  double *tau;                     // nv, forces at the instant evaluated
  double *a;                       // nv
  const SimDrive *drive;           // of the run under way; NULL: passive
  double time;                     // reached by the last run
  int refused;      // evaluations of the run that were: not finite, or beyond opt.largest
  int bad_force;    // joint with a force that is not finite, -1: none
  double bad_time;  // the earliest
  SimStats stats;   //
};

// Forces at time t, nv, in sim->tau or elsewhere.
const double *sim_forces(Sim *sim, double t);

// Turns CVODE's refusal at sim->time into an Error in terms of the robot.
Status sim_integrate_fail(Sim *sim, int flag, double t0, double t1, Error *err);

#endif
