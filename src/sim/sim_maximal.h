// SPDX-License-Identifier: MIT
// Steps of a mechanism in maximal coordinates (maximal.h). As Tasora has it: accelerations by the
// sparse factorisation, an explicit step, then positions and velocities moved back to their constraints with
// the factors that are there (eqs 36, 37; repeated until the violation is gone). Or, with soft
// constraints, Ascher and Lin's iterates side by side (srm.h), without any projection.
//
// A state is, iterate after iterate, p (3 n_body), e (4 n_body), v and w (3 n_body each).
#ifndef POISE_SIM_SIM_MAXIMAL_H
#define POISE_SIM_SIM_MAXIMAL_H

#include "dynamics/maximal.h"
#include "expr/expr_tape.h"
#include "sim/sim_step.h"

typedef struct SimMaximalOptions {
  MaxSoft soft;           //
  int iterations;         // of soft constraints; otherwise 1
  double eps;             // of soft constraints, gains are alpha / eps
  double alpha1, alpha2;  // on the rate of the constraints and on the constraints
  double null_tol;        // what is left of a pivot when it counts as null, relative
  double tol;             // violation that is left alone by the projection [m, -]
  int max_corrections;    // of positions, and of velocities; 0: no projection
} SimMaximalOptions;

extern const SimMaximalOptions sim_maximal_defaults;

typedef struct SimMaximalStats {
  long steps;           //
  long factorisations;  //
  long corrections;     // solves for the projection
  int null_pivots;      // of the last factorisation
  int max_null_pivots;  // of all
} SimMaximalStats;

typedef struct SimMaximal {
  Arena *arena;           // owns the rest but the model
  SimMaximalOptions opt;  //
  Maximal *x;             //
  int n_state;            // 13 n_body iterations
  ExprTape *system;       // hard constraints: matrix and right-hand side
  ExprTape *solve;        // soft ones: accelerations and multipliers
  ExprTape *violation;    //
  void *work;             // scratch of the tapes
  double *tau;            // nv, constant joint forces; zero at first
  double *matrix, *rhs;   //
  double *l, *d_inv, *y;  // factors, scratch
  double *c, *rate;       // n_row
  double *mu;             // 2 x n_row, multipliers of two iterates
  double *accel;          // 6 n_body
  double energy[2];       // of the last violation asked for: kinetic, potential [J]
  double *step_work;      // of sim_step
  SimMaximalStats stats;  //
} SimMaximal;

// opt NULL: defaults. Keeps the model. On failure *out is NULL.
Status sim_maximal_build(SimMaximal **out, const Model *m, const SimMaximalOptions *opt,
                         Error *err);
void sim_maximal_free(SimMaximal *s);  // NULL-safe

// The state (n_state) of a configuration and its speeds, nv each, the same for all iterates. False when
// out of memory.
bool sim_maximal_start(const SimMaximal *s, const double *q, const double *v, double *state);

// One step, then quaternions of unit length and the projection. False if something is not finite, or
// a violation does not go away; then the state is where it got to.
bool sim_maximal_step(SimMaximal *s, const SimScheme *scheme, double h, double *state);

// Moves a state onto its constraints, as every step does at its end.
bool sim_maximal_project(SimMaximal *s, double *state);

// Largest violation of the last iterate [m, -] and of its rate; fills s->energy. NULL: not wanted.
void sim_maximal_violation(SimMaximal *s, const double *state, double *position, double *rate);

// Accelerations (6 n_body: p'', alpha) of the first iterate at a state.
bool sim_maximal_accelerations(SimMaximal *s, const double *state, double *accel);

#endif
