// SPDX-License-Identifier: MIT
// Shared by sim_motion.c and sim_motion_step.c.
#ifndef POISE_SIM_SIM_MOTION_INTERNAL_H
#define POISE_SIM_SIM_MOTION_INTERNAL_H

#include "dynamics/loop_eval.h"
#include "sim/sim_accel.h"
#include "sim/sim_ida.h"
#include "sim/sim_loop.h"
#include "sim/sim_maximal.h"
#include "sim/sim_motion.h"

// What takes fixed steps: coordinates of its own inside.
typedef struct MotionStepper {
  Status (*build)(SimMotion *s, const double *q, Error *err);
  Status (*set)(SimMotion *s, const double *q, const double *v, Error *err);
  Status (*step)(SimMotion *s, double h, Error *err);  // under s->tau
  Status (*get)(SimMotion *s, double *q, double *v, Error *err);
} MotionStepper;

struct SimMotion {
  Arena *arena;                        // owns the arrays
  const Model *m;                      // borrowed
  SimMotionOptions opt;                // all set
  const SimScheme *scheme;             // NULL: cvode or ida
  const MotionStepper *stepper;        // of fixed steps
  Sim *sim;                            // cvode; also accelerations of output
  SimIda *ida;                         //
  LoopEval *loops;                     // NULL without loops
  SimAccel *accel;                     // of fixed steps on all coordinates, and of output
  SimLoop *reduced;                    // RCR with fixed steps
  SimMaximal *maximal;                 // MAXIMAL with fixed steps
  SimSrm *srm;                         // SRM
  double *x, *work;                    // state of the stepper; SIM_STEP_WORK(2 nv)
  double *tau;                         // nv
  double *q, *v;                       // nv
  double *a, *phi, *rate, *gamma, *J;  // nv, rows, rows x nv
  double w, d;                         // of the last run
  SimMotionStats stats;                //
};

extern const MotionStepper motion_all, motion_reduced, motion_maximal, motion_srm;

#endif
