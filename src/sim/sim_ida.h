// SPDX-License-Identifier: MIT
// Motion of a robot with loops by SUNDIALS IDA (variable-order BDF), on the stabilised index-2 form
// of loop_dae.h: loops stay closed for position and velocity to the accuracy of Newton's iteration,
// and the multipliers come along. Index 1 (constraints for accelerations only) would drift like the
// explicit methods; index 3 (for positions only) is beyond what error control by BDF can do.
// Multipliers are left out of the error test, as index 2 demands; Jacobians are exact.
#ifndef POISE_SIM_SIM_IDA_H
#define POISE_SIM_SIM_IDA_H

#include "sim/sim_integrate.h"

typedef struct SimIda SimIda;

// Keeps the model. On failure *out is NULL. largest, max_steps, rel_tol, abs_tol of the options count;
// opt->loop_method must have multipliers, for the start; NULL: TREE+AUG.
Status sim_ida_build(SimIda **out, const Model *m, const SimOptions *opt, Error *err);
void sim_ida_free(SimIda *s);  // NULL-safe

// As sim_run; the state must close the loops.
Status sim_ida_run(SimIda *s, double t0, double t1, double *q, double *v, const SimDrive *drive,
                   const SimOutput *output, Error *err);

// Of the last run: the work of the joint forces and the energy lost to damping [J].
double sim_ida_work(const SimIda *s);
double sim_ida_loss(const SimIda *s);

long sim_ida_steps(const SimIda *s);      // sums over all runs
long sim_ida_residuals(const SimIda *s);  //
long sim_ida_jacobians(const SimIda *s);  //
int sim_ida_operations(const SimIda *s);  // of one residual

#endif
