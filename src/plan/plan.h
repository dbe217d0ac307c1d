// SPDX-License-Identifier: MIT
// One run from a problem to a verified trajectory: transcribe, guess, solve by a strategy, extract, replay.
// The only place that knows the whole chain.
//
// Strategies. cold: one solve from the guess; where it has not got there in some iterations and other
// starts are allowed, one from the other torques (holding or none), and the first again with all its
// iterations. continuation: a sequence of solves in which the weight of
// the torque rate goes from large to the wanted one, each from the solution before; where the first solution
// leaves joints exactly where they started (a plane of symmetry, which Newton steps never leave) the goal
// is moved aside for the sequence and back at its end. multistart: several random guesses, the best
// solution kept, the distinct ones listed.
//
// Refinement. Intervals whose error estimate is too large, or which fail the verification, are split in
// as many parts as the order of the scheme asks for, and the problem is solved again from the last
// solution, until all is well. Constant controls stay as they were: the parts of an interval share
// one, so that the optimum remains that of the task's own torques, with exacter dynamics.
#ifndef POISE_PLAN_PLAN_H
#define POISE_PLAN_PLAN_H

#include "collocation/colloc.h"
#include "ocp/trajectory.h"
#include "sim/sim_verify.h"
#include "solver/solver.h"

typedef struct PlanOptions {
  const SolveOption *option;  // n_option, for IPOPT, after those of the task
  int n_option;               //
  const char *option_file;    // ipopt.opt; NULL: none
  bool skip_verification;     //
  bool skip_explanation;      // don't solve again to find out why it was not solved
  const Trajectory
      *start;             // a motion near the solution to begin with, on any grid; NULL: the guess
  double refine;          // refine the grid until the error estimate is below this; 0: don't
  bool refine_to_verify;  // refine it until the verification passes; else the task's grid is all
  bool retry;             // other starts where the guess does not lead to a solution soon
  void (*write_table)(void *data, const char *text, size_t len);  // IPOPT's table; NULL: nowhere
  void *write_data;                                               //
  bool (*progress)(void *data, const SolveIteration *it);         // each iteration; NULL: none
  void *progress_data;                                            //
  const volatile sig_atomic_t *interrupt;  // stops at the next iteration; NULL: none
  int threads;                             // of the linear solver "stage"; 0: one
  const char *dump_kkt;  // a folder for every linear system (solver/kkt_dump.h); NULL: none
} PlanOptions;

// One solve of the strategy.
typedef struct PlanStep {
  int intervals, degree;  // grid it was solved on
  double torque_rate;     // weight it was solved with
  int seed;               // multistart: of its guess; else -1
  const char *start;      // another start than the task's guess: its name; NULL: the guess, or warm
  int pushed;          // joints that stood still, so that the goal was moved aside; 0: at the goal
  SolveStatus status;  //
  int iterations;      //
  double objective;    //
  double seconds;      //
  double error;        // largest error estimate of an interval; NAN if it was not verified
  double defect;       // largest defect; NAN
  int n_history;       //
  SolveIteration *history;  // n_history
} PlanStep;

// A solution that starts led to: those of nearly equal cost and motion are one.
typedef struct PlanOptimum {
  double objective;  // least of its solves
  int step;          // solve that gave it
  int count;         // solves that ended there
  double distance;   // of its motion from the best one's, see plan_distance
  int n_seed;        //
  int *seed;         // n_seed, of the starts that ended there
} PlanOptimum;

enum { PLAN_SPY = 200 };  // rows and columns at most of a picture of a sparsity pattern

// Where a sparse matrix has nonzeros, in cells that each cover part of it.
typedef struct PlanSpy {
  int rows, cols;    // of the matrix
  int n_row, n_col;  // of the picture, PLAN_SPY at most
  int *count;        // n_row x n_col, nonzeros in a cell
} PlanSpy;

typedef struct PlanResult {
  Arena *arena;        // owns the arrays
  const Ocp *o;        // the problem that was solved last: the given one (borrowed), or `refined`
  Ocp refined;         // on a finer grid; shares the arrays of the given one
  double error;        // largest error estimate of an interval (sim_verify.h); NAN if not verified
  SolveStatus status;  // of the solve that gave the trajectory
  bool solved;         // succeeded, or to an acceptable level
  bool interrupted;    //
  double objective;    // with the task's own weights
  double unrefined_objective;  // the same on the task's own grid, before any refinement
  int iterations;              // of all solves
  Trajectory *trajectory;      // the last iterate, also where it was not solved
  SolveInfo info;              // of the solve that gave the trajectory
  PlanStep *step;              // n_step
  int n_step;                  //
  int n_unrefined;             // steps on the task's own grid; the others refine it
  int n_optimum;               //
  PlanOptimum *optimum;        // n_optimum, the best first; multistart only
  bool has_verification;       //
  SimReport verification;      //
  int variables, constraints, jacobian_nonzeros, hessian_nonzeros;  // of the nonlinear program
  CollocCost cost;                                                  //
  PlanSpy jacobian, hessian;                               // pictures; the Hessian's lower triangle
  double setup_s, total_s, evaluation_s, linear_solver_s;  // of all solves; NAN where unknown
  char explanation[4096];  // why it was not solved, in robot terms; empty if it was
} PlanResult;

// Runs. Not converging is no error: see the result. On failure *out is NULL.
Status plan_run(PlanResult **out, const Ocp *o, const PlanOptions *opt, Error *err);
void plan_result_free(PlanResult *r);  // NULL-safe

// Largest difference of positions of two motions at equal fractions of their horizons, over 1 + the
// largest position of that joint.
double plan_distance(const Trajectory *a, const Trajectory *b);

// The result file: status, figures, verification, trajectory and the resolved problem, as JSON.
void plan_result_write_json(const PlanResult *r, TextBuf *b);

#endif
