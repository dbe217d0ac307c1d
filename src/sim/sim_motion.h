// SPDX-License-Identifier: MIT
// The motion of a robot by any method of its dynamics and any integrator:
//   euler, rk2, rk4  fixed steps (sim_step.h), nothing is projected: what loops drift apart by is the
//                    method's own. RCR integrates coordinates and independent rates (sim_loop.h),
//                    MAXIMAL its own coordinates, projected after each step (sim_maximal.h), SRM
//                    the iterates of sim_srm.h.
//   cvode            controls its error (sim_integrate.h), likewise
//   ida              controls its error and keeps the loops closed (sim_ida.h); solves equations of
//                    motion and constraints together, so that the method only serves the start
#ifndef POISE_SIM_SIM_MOTION_H
#define POISE_SIM_SIM_MOTION_H

#include "sim/sim_integrate.h"
#include "sim/sim_srm.h"
#include "sim/sim_step.h"

typedef struct SimMotionOptions {
  const LoopMethod *method;  // of robots with loops; NULL: TREE+AUG
  const SimSrmOptions *srm;  // not NULL: sequential regularization instead, fixed steps only
  const DynForm *form;       // of robots without; NULL: EXP2
  const char *integrator;    // NULL: cvode
  double step;               // of fixed steps [s]
  double rel_tol, abs_tol;   // of cvode and ida; 0: those of sim_defaults (ida: what it can reach)
} SimMotionOptions;

typedef struct SimMotionStats {
  long steps;        //
  long evaluations;  // of the accelerations; ida: of the residual
  long jacobians;    // ida only
  int operations;    // of one evaluation, sin and cos apart
  double seconds;    // of all runs
} SimMotionStats;

typedef struct SimMotion SimMotion;

// Keeps the model. q: where RCR chooses its coordinates, nv; NULL: model_start. On failure *out is
// NULL: the integrator is unknown, or the method does not apply and err names the loop.
Status sim_motion_build(SimMotion **out, const Model *m, const SimMotionOptions *opt,
                        const double *q, Error *err);
void sim_motion_free(SimMotion *s);  // NULL-safe

// As sim_run. Fixed steps end at the instants of the output, and take a varying force at the middle
// of each step; their work is exact for constant forces, their loss by the trapezoidal rule.
Status sim_motion_run(SimMotion *s, double t0, double t1, double *q, double *v,
                      const SimDrive *drive, const SimOutput *output, Error *err);

double sim_motion_work(const SimMotion *s);  // of the last run [J]
double sim_motion_loss(const SimMotion *s);  //

// Accelerations at a state by the method itself, nv; false if they are not finite.
bool sim_motion_accelerations(const SimMotion *s, const double *q, const double *v,
                              const double *tau, double *a);

SimMotionStats sim_motion_stats(const SimMotion *s);  // also during a run

// How far a state is from closing its loops: largest over the rows, at three levels.
typedef struct SimViolation {
  double position;      // |phi| [m | -]
  double velocity;      // |J v|
  double acceleration;  // |J a - gamma|, a by the method at this state
  int loop;             // where the first is largest; -1: no loops
} SimViolation;

SimViolation sim_motion_violation(const SimMotion *s, const double *q, const double *v,
                                  const double *tau);

extern const char sim_motion_integrators[];  // for messages: "euler, rk2, rk4, cvode, ida"

#endif
