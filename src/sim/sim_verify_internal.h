// SPDX-License-Identifier: MIT
// Shared by sim_verify.c and sim_replay.c: one verification under way.
#ifndef POISE_SIM_SIM_VERIFY_INTERNAL_H
#define POISE_SIM_SIM_VERIFY_INTERNAL_H

#include "expr/expr_tape.h"
#include "ocp/ocp_block.h"
#include "sim/sim_verify.h"

typedef struct Verify {
  SimReport *r;               // being filled; its arena owns the arrays here too
  const Ocp *o;               //
  const Trajectory *t;        //
  const SimOptions *opt;      //
  Sim *sim;                   //
  ExprTape *frames;           // (q, v) -> positions
  ExprTape *energy;           // (q, v) -> T, V
  OcpBlock *term;             // n_term of the task: the user's constraints; empty for other terms
  double *term_value;         // rows of the largest
  double term_worst;          // over what is allowed
  void *work;                 // scratch of all
  int k;                      // interval under way
  double *q, *v, *a;          // nv, state of the replay
  double *pq, *pv;            // nv, state of the polynomial
  double *q_scale, *v_scale;  // nv, 1 + largest magnitude over the nodes
  double *u, *tau;            // nu, nv
  double *position;           // 3 n_frame
  double *sample;             // n_sample, times
} Verify;

// Control inside interval k at s in 0 .. 1, by the interval's own values, nu; and as joint
// forces, nv.
void replay_control(const Trajectory *t, int k, double s, double *u);
void replay_forces(const Verify *w, int k, double s, double *tau);

// Largest value so far wins.
void replay_worse(SimWorst *w, double value, int index, int interval, double time);

// By how much a row of a user's constraint may exceed its bounds.
double replay_term_tol(const Verify *w, int term, int row);

// Positions of all frames at q.
bool replay_frames(const Verify *w, const double *q, double *position);

// Distance over the components that the goal asks for [m]; 0 without a goal frame.
double replay_goal_distance(const Verify *w, const double *position);

// Every interval from its first node: defects, error estimates, limits, work. Then the whole
// horizon. A replay that fails is noted in the report; only out of memory is a failure.
Status replay_intervals(Verify *w, Error *err);
Status replay_open_loop(Verify *w, Error *err);

#endif
