// SPDX-License-Identifier: MIT
// Solves an Nlp with IPOPT. Options keep IPOPT's names, statuses its names and integers, the table
// of iterations its look. Nothing is printed: whoever wants the table gives a function that takes
// it. Not converging is no error, it is a status. One solve at a time in a process (MUMPS).
//
//   SolveOptions opt = {.option = list, .n_option = n};  // {0} is good: the defaults
//   SolveInfo info;
//   Status status = solver_solve(nlp, &opt, x, NULL, NULL, NULL, &info, &err);
//   ... info.status, info.timing.total_s ...
//   solver_info_free(&info);
#ifndef POISE_SOLVER_SOLVER_H
#define POISE_SOLVER_SOLVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "nlp/nlp.h"

// IPOPT's ApplicationReturnStatus, the same integers.
typedef enum SolveStatus {
  SOLVE_SUCCEEDED = 0,
  SOLVE_ACCEPTABLE = 1,
  SOLVE_INFEASIBLE = 2,
  SOLVE_STEP_TOO_SMALL = 3,
  SOLVE_DIVERGING = 4,
  SOLVE_USER_STOP = 5,
  SOLVE_FEASIBLE_POINT = 6,
  SOLVE_MAX_ITERATIONS = -1,
  SOLVE_RESTORATION_FAILED = -2,
  SOLVE_STEP_FAILED = -3,
  SOLVE_MAX_CPU_TIME = -4,
  SOLVE_MAX_WALL_TIME = -5,
  SOLVE_TOO_FEW_FREEDOMS = -10,
  SOLVE_INVALID_PROBLEM = -11,
  SOLVE_INVALID_OPTION = -12,
  SOLVE_INVALID_NUMBER = -13,
  SOLVE_UNRECOVERABLE = -100,
  SOLVE_FOREIGN_EXCEPTION = -101,
  SOLVE_NO_MEMORY = -102,
  SOLVE_INTERNAL_ERROR = -199,
} SolveStatus;

// "Solve_Succeeded" and so on, as IPOPT spells them; "Unknown_Status" for other integers.
const char *solve_status_name(SolveStatus status);
bool solve_status_find(const char *name, SolveStatus *out);  // false: no such name
bool solve_status_solved(SolveStatus status);                // Succeeded or Acceptable

typedef enum SolveFunction {
  SOLVE_OBJECTIVE,
  SOLVE_GRADIENT,
  SOLVE_CONSTRAINTS,
  SOLVE_JACOBIAN,
  SOLVE_HESSIAN,
  SOLVE_N_FUNCTION,
} SolveFunction;

const char *solve_function_name(SolveFunction f);  // "objective", ... "Hessian"

typedef struct SolveOption {
  const char *name;   // "max_iter"
  const char *value;  // as text: "500", "1e-6", "adaptive"
  const char
      *where;  // where it was written, for messages: "--set", "reach.json: solver"; may be NULL
} SolveOption;

// One row of IPOPT's table.
typedef struct SolveIteration {
  int iteration;
  bool restoration;       // in the restoration phase
  double objective;       //
  double inf_pr;          // constraint violation
  double inf_du;          // dual infeasibility, scaled
  double mu;              // barrier parameter
  double d_norm;          // length of the step in the unknowns, largest component
  double regularisation;  // added to the Hessian; 0: none
  double alpha_du;        // step sizes
  double alpha_pr;        //
  int ls_trials;          // trial points of the line search
  double seconds;         // wall time since solver_solve was called
} SolveIteration;

typedef struct SolveOptions {
  const SolveOption *option;  // n_option, passed to IPOPT verbatim, the last of equals counts
  int n_option;
  // A file in the format of ipopt.opt; NULL: none (not even ./ipopt.opt). The list wins over the
  // file, the file over solver_defaults.
  const char *option_file;
  // The table as IPOPT prints it, piece by piece while it solves (one row late); NULL: nowhere.
  // Option print_level says how much (5 if not given) and never makes IPOPT print by itself. For a
  // FILE* as data: solver_write_stream. All streams of the process are flushed meanwhile.
  void (*write_table)(void *data, const char *text, size_t len);
  void *write_data;
  // Called once per iteration; false stops (User_Requested_Stop). NULL: none.
  bool (*progress)(void *data, const SolveIteration *it);
  void *progress_data;
  const volatile sig_atomic_t *interrupt;  // not 0: stop at the next iteration; NULL: none
  int threads;                             // of the linear solver "stage"; 0: one
  const char *dump_kkt;  // a folder for every linear system (kkt_dump.h), "stage" only; NULL: none
  int dump_every;        // only the first factorisation, and each so many after it; 0: all
} SolveOptions;

typedef struct SolveTiming {            // wall clock [s]
  double total_s;                       // all of solver_solve
  double function_s[SOLVE_N_FUNCTION];  // in the functions of the Nlp, by function
  double evaluation_s;                  // sum of function_s
  double linear_solver_s;  // all of IPOPT's augmented-system solves; its parts: (IPOPT's timing
  double symbolic_s;       // statistics, in ms, without restoration phases; NAN if it didn't tell)
  double factorisation_s;  // where IPOPT doesn't time it (MUMPS): what the other parts leave
  double back_solve_s;     //
  double restoration_s;    // iterations in the restoration phase, whatever they did
  double rest_s;           // total - evaluation - linear solver; NAN if that one is
} SolveTiming;

// The last evaluation that had no finite value.
typedef struct SolveBad {
  int count;               // how many evaluations failed in all; 0: none
  SolveFunction function;  // the rest describes the last one
  int iteration;           // 0: at the starting point
  int entry;               // first entry that is not finite; -1: unknown
  char name[192];          // of the entry: "d (torque row) / d (q2 at 0.3 s)"; may be empty
} SolveBad;

// What the linear solver "stage" did (kkt.h).
typedef struct SolveStage {
  int factorisations;    // 0: it was not used
  int singular;          // of these
  int right_hand_sides;  //
  long delayed;          // pivots that had to wait for a later front, in all
  int max_front;         // largest dense front of the last factorisation
  double flops;          // of the last factorisation
  size_t bytes;          // held
  double factor_s;       // all factorisations [s]
  double solve_s;        // all substitutions [s]
} SolveStage;

typedef struct SolveInfo {
  SolveStatus status;
  bool interrupted;             // by the flag or by progress
  int iterations;               //
  int restorations;             // iterations in the restoration phase
  double objective;             // at the x returned; NAN if IPOPT didn't get that far
  double constraint_violation;  // largest; this and the next three are unscaled and computed here
  double bound_violation;       // from x and the multipliers returned; NAN where that is impossible
  double dual_infeasibility;    //
  double complementarity;       //
  SolveTiming timing;           //
  int count[SOLVE_N_FUNCTION];  // evaluations
  SolveBad bad;                 //
  SolveIteration *history;      // n_history, owned
  int n_history;                //
  char version[32];             // of IPOPT: "3.11.9"
  char linear_solver[48];       // as IPOPT names it, or "stage"
  SolveStage stage;             //
  char note[384];               // why not the linear solver that was to be used; "" if it was
} SolveInfo;

// What is set unless options say otherwise. Option linear_solver knows one value more than IPOPT:
// "stage", ours (kkt.h), the default for programs with a stage map. Where IPOPT has no door for it, or
// the program's matrix does not fit its map, MUMPS takes over from the start and info->note says so.
// For the others "mumps" (mumps_pivot_order 4 only for large sparse problems, 0
// for others: MUMPS' PORD ends the process where it finds no separator, and the automatic choice,
// 7, may take PORD; whoever sets 4 or 7 for a tiny or dense problem is not protected).
const SolveOption *solver_defaults(int *n);

// Minimises. x: n, the start on entry, the last iterate on return. lambda_g (m), z_lower, z_upper
// (n): multipliers returned, and taken as a start with option warm_start_init_point yes; each may
// be NULL (a start of zeros then). The Lagrangian is f + lambda^T g - z_lower^T x + z_upper^T x.
//
// STATUS_OK whatever IPOPT's verdict, with *info filled. STATUS_INPUT: an option that IPOPT
// refuses, an option file that can't be read, crossed bounds; STATUS_NUMERIC: NaN in the start or
// the bounds; STATUS_IO: no temporary file for the table; STATUS_NO_MEMORY. Then x is as it was and
// *info empty but for status SOLVE_INTERNAL_ERROR. *info needs solver_info_free in any case.
Status solver_solve(const Nlp *nlp, const SolveOptions *opt, double *x, double *lambda_g,
                    double *z_lower, double *z_upper, SolveInfo *info, Error *err);

void solver_info_free(SolveInfo *info);  // frees what it owns and empties it; NULL-safe

// For SolveOptions.write_table with a FILE * as data: writes and flushes.
void solver_write_stream(void *file, const char *text, size_t len);

#endif
