// SPDX-License-Identifier: MIT
// What `poise simulate` works on: a robot, where it starts, what drives it, and the motion that came out.
#ifndef POISE_CLI_SIMULATION_H
#define POISE_CLI_SIMULATION_H

#include "cli/options.h"
#include "ocp/trajectory.h"
#include "sim/sim_motion.h"

typedef enum SimulationKind { SIMULATE_ROBOT, SIMULATE_TASK, SIMULATE_RESULT } SimulationKind;

typedef struct Simulation {
  Arena *arena;          // owns the arrays
  SimulationKind kind;   //
  Model *m;              // owned by o if there is one
  Ocp *o;                // of a task; else NULL
  Trajectory *t;         // of a result; else NULL
  SimMotionOptions opt;  //
  SimSrmOptions srm;     // if asked for
  const char *method;    // name of the method or formulation
  double until;          // [s]
  double *q, *v;         // nv, the state
  double *q0, *v0;       // nv, at the start
  double *tau, *u;       // nv, nu, forces held, or those of the result
  int n_time;            // instants of the output, t = 0 the first
  double *time;          // n_time
  double *x;             // (2 nv) x n_time, q and v
  double *energy;        // n_time, T + V [J]
  SimViolation *off;     // n_time; robots with loops
  double *spent;         // n_time, seconds up to there
  long *steps;           // n_time, steps up to there
  int first;             // next instant to fill
  double work, loss;     // [J]
  double started;        // clock
  SimMotion *motion;     //
  SimMotionStats stats;  //
  bool progress;         // a line on stderr
  double told;           // clock of the last one
} Simulation;

// Reads the file and the options. On failure free is still to be called.
Status simulation_load(Simulation *s, const Args *args, Error *err);
void simulation_free(Simulation *s);

// Runs it. STATUS_NUMERIC if the motion can't be followed; then n_time ends where it got to.
Status simulation_run(Simulation *s, Error *err);

// Change of T + V that neither work nor damping explains [J].
double simulation_drift(const Simulation *s);

// The worst over all instants, level by level; `at` is where the position is worst.
SimViolation simulation_worst(const Simulation *s, double *at);

// Output: a summary in words or as JSON; files.
void simulation_print(const Simulation *s);
Status simulation_print_json(const Simulation *s, Error *err);
Status simulation_save(const Simulation *s, const Args *args, Error *err);

#endif
