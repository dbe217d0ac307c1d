// SPDX-License-Identifier: MIT
// Error-controlled integration of a robot's motion under given joint forces, with SUNDIALS CVODE
// (Hindmarsh et al., ACM TOMS 31(3), 2005):
//   q' = v,  v' = a(q, v, tau(t)),  W' = tau . v,  D' = sum of damping v^2
// so that the work W of the forces and the loss D to damping come with the accuracy of the motion.
//
//   Sim *sim;
//   if (sim_build(&sim, model, NULL, NULL, err) != STATUS_OK) return err->code;
//   status = sim_run(sim, 0, 1, q, v, NULL, NULL, err);  // falls freely for one second
//   sim_free(sim);
#ifndef POISE_SIM_SIM_INTEGRATE_H
#define POISE_SIM_SIM_INTEGRATE_H

#include "sim/sim_options.h"

typedef struct Sim Sim;  // CVODE's memory has invariants to protect

// Joint forces along a run: force(data, t, tau) if force is given, else the constant tau, else
// none. A force must be smooth between the ends of a run: jumps belong between runs.
typedef struct SimDrive {
  const double *tau;                                       // nv; NULL: 0
  void (*force)(const void *data, double t, double *tau);  // fills nv values; NULL: none
  const void *data;                                        // for force
} SimDrive;

// Instants at which a run hands out its state.
typedef struct SimOutput {
  int n;               // instants
  const double *time;  // n, ascending, within [t0, t1]
  void (*at)(void *data, int k, double t, const double *q, const double *v);  // called for each
  void *data;                                                                 // for at
} SimOutput;

typedef struct SimStats {
  long runs;         // sim_run calls
  long steps;        //
  long evaluations;  // of the accelerations
} SimStats;

// form NULL: EXP2 (order N); robots with loops go by opt->loop_method. opt NULL: sim_defaults. Keeps the model. On failure *out is NULL.
Status sim_build(Sim **out, const Model *m, const DynForm *form, const SimOptions *opt, Error *err);
void sim_free(Sim *sim);  // NULL-safe

// Moves q, v (nv each) from t0 to t1 > t0. drive NULL: passive; output NULL: none wanted. On
// failure q and v hold the state last reached, err (STATUS_NUMERIC) names that time and the joint
// that blew up; bad arguments (times in the wrong order, a state not finite) are STATUS_INPUT.
Status sim_run(Sim *sim, double t0, double t1, double *q, double *v, const SimDrive *drive,
               const SimOutput *output, Error *err);

// Of the last run, complete or not: the time reached [s], the work of the joint forces and the
// energy lost to damping [J].
double sim_time(const Sim *sim);
double sim_work(const Sim *sim);
double sim_loss(const Sim *sim);

// Accelerations of the robot as the runs use them, nv; false if they are not finite.
bool sim_accelerations(const Sim *sim, const double *q, const double *v, const double *tau,
                       double *a);

// Sums over all runs so far.
SimStats sim_stats(const Sim *sim);

#endif
