// SPDX-License-Identifier: MIT
// One cold solve of a task, ours or CasADi's, as bench/solve compares them.
#ifndef POISE_BENCH_BENCH_SOLVE_H
#define POISE_BENCH_BENCH_SOLVE_H

#include "plan/plan.h"

enum {
  BENCH_MAX_RUNS = 16,  // variants of CasADi for one formulation
  BENCH_LIMIT = 30,     // a solve is stopped after this time, ours and CasADi's [s]
  BENCH_MAX_OWN = 4,    // layouts times linear solvers
};

// Times are those of the quickest repetition.
typedef struct BenchSolve {
  char who[24];        // "Poise", "CasADi map", "CasADi blocks"
  char layout[16];     // "condensed", "paper"
  char functions[16];  // "evaluator", "interpreted", "compiled"
  char linear[16];     // "stage", "mumps", "fatrop"
  char ordering[16];   // MUMPS: "pord", "amd"; "" for others
  char status[48];     // as IPOPT spells it
  bool solved;         //
  int variables, constraints, jacobian_nonzeros, hessian_nonzeros;
  int iterations;       //
  double objective;     //
  double solve_s;       // from the start values to the solution
  double cpu_s;         // processor time: ours with setup, CasADi's of the solve alone
  double setup_s;       // before that: expressions, derivatives, patterns
  double compile_s;     // of setup: the C compiler; CasADi only
  double first_s;       // from reading the files to iteration 0; NAN if unknown
  double evaluation_s;  // of solve: in the functions of the problem
  double linear_s;      // of solve: IPOPT's linear systems
} BenchSolve;

// A task in one formulation: ours in each layout, then CasADi's.
typedef struct BenchTask {
  const char *path;                 // as given
  char name[64];                    // of the task
  const DynForm *form;              //
  int n_own;                        //
  BenchSolve own[BENCH_MAX_OWN];    // n_own, by layout and linear solver
  int size[4];                      // of our paper layout: variables, constraints, both nonzeros
  int n_peer;                       //
  BenchSolve peer[BENCH_MAX_RUNS];  // n_peer
  char casadi_version[32];          // "" without CasADi
  char no_peer[96];                 // why CasADi did not take part; "" if it did
} BenchTask;

// Solves the task (loaded anew each time) cold `repetitions` times, fewer where a solve takes longer
// than `slow` seconds.
Status bench_solve_own(BenchSolve *out, const char *path, const DynForm *form, OcpLayout layout,
                       const char *linear, int repetitions, double slow, Error *err);

typedef struct BenchPeer {
  const char *python;  // with casadi
  const char *script;  // casadi_solve.py
  const char *folder;  // for what is exchanged; exists
  const char *ways;    // "blocks,fatrop", ...
  int repetitions;     //
  double slow;         // [s]
} BenchPeer;

// CasADi with the same nonlinear program in the paper layout, into t->peer. A task that the script
// can't pose leaves a reason in t->no_peer. STATUS_NUMERIC if the script fails or finds other numbers.
Status bench_solve_peer(BenchTask *t, const BenchPeer *peer, Error *err);

typedef struct BenchSolveReport {
  int repetitions;  //
  int n_task;       //
  BenchTask *task;  // n_task: one for each task and formulation
  const char *cpu;  //
} BenchSolveReport;

void bench_solve_print_text(const BenchSolveReport *r);
Status bench_solve_print_json(const BenchSolveReport *r, Error *err);

#endif
