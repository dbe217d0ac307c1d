// SPDX-License-Identifier: MIT
// Ascher and Lin's sequential regularization (srm.h) as an ordinary differential equation: the iterates
// s = 1 .. S move side by side, each pushed by the multipliers of the one before, so that nothing has
// to be kept over time. A state is, iterate after iterate, q and v (nv each).
#ifndef POISE_SIM_SIM_SRM_H
#define POISE_SIM_SIM_SRM_H

#include "dynamics/srm.h"
#include "expr/expr_tape.h"
#include "sim/sim_step.h"

typedef struct SimSrmOptions {
  int iterations;         // S
  double eps;             //
  double alpha1, alpha2;  //
} SimSrmOptions;

extern const SimSrmOptions sim_srm_defaults;

typedef struct SimSrm {
  Arena *arena;        // owns the rest but the model
  const Model *m;      // borrowed
  SimSrmOptions opt;   // may be changed between steps, iterations excepted
  int nv, n_row;       //
  int n_state;         // 2 nv S
  ExprTape *tape;      // one iterate
  void *work;          // its scratch
  double *tau;         // nv, constant joint forces; zero at first
  double *mu0;         // n_row, mu_0, constant in time; zero at first
  double *mu;          // n_row x (S + 1), of the last evaluation
  double *phi, *rate;  // n_row x S, likewise
  double *a;           // nv
  double *step_work;   // of sim_step
} SimSrm;

// opt NULL: defaults. Keeps the model. On failure *out is NULL.
Status sim_srm_build(SimSrm **out, const Model *m, const SimSrmOptions *opt, Error *err);
void sim_srm_free(SimSrm *s);  // NULL-safe

// All iterates at q and v (nv each); v NULL: at rest.
void sim_srm_start(const SimSrm *s, const double *q, const double *v, double *state);

// Sets mu0 to the multipliers that hold the loops at q and v (NULL: at rest), by conjugate gradients on
// J M^-1 J^T mu = J a + J' v: without them the motion starts with a layer in which the violation is
// larger (assumption 3.1 of the paper). False if something is not finite; then mu0 is as before.
bool sim_srm_exact_start(SimSrm *s, const double *q, const double *v);

// One step; false if something is not finite, then the state is as before.
bool sim_srm_step(SimSrm *s, const SimScheme *scheme, double h, double *state);

// Largest constraint violation of iterate k (from 0) and of its rate at a state; NULL: not wanted.
// Infinite where it can't be told.
void sim_srm_violation(SimSrm *s, const double *state, int k, double *position, double *rate);

// The largest eigenvalue of J M^-1 J^T at q, by power iteration: an explicit scheme with stability
// interval r on the negative axis needs alpha_1 h eigenvalue / eps < r (Euler, rk2: 2; rk4: 2.78).
// NAN if something is not finite.
double sim_srm_stiffness(SimSrm *s, const double *q);

#endif
