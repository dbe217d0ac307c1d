// SPDX-License-Identifier: MIT
// The folder of a sweep on disk, and the reader of it: flat arrays, 100000 runs in well under a second.
//
//   DIR/sweep.json        what was asked for: axes with all their values, cases, mirror images; written once
//   DIR/robot.json        the robot, so that the folder can be looked at anywhere
//   DIR/journal.jsonl     one line per finished run, appended and flushed; never rewritten
//   DIR/trajectories.bin  motions, one behind the other; a line says where its own begins
//   DIR/lock              held (fcntl) by the sweep that writes
//
// A line of the journal is one JSON object:
//   {"key": "16 hex digits", "index": 17, "point": {"phi": 0.5, "z": 0.1}, "target": [x, y, z],
//    "case": {"name": "set1/IMPL/condensed/cold", "cost": "set1", "formulation": "IMPL",
//             "layout": "condensed", "strategy": "cold", "guess": "hold", "seed": 3,
//             "linear_solver": "mumps"},
//    "status": "Solve_Succeeded", "message": "...", "solved": true, "verified": true,
//    "objective": .., "iterations": .., "solves": .., "cpu_s": .., "wall_s": .., "solve_cpu_s": ..,
//    "setup_s": .., "evaluation_s": .., "linear_solver_s": .., "defect": .., "terminal_error": ..,
//    "error_estimate": .., "refined": {"degree": 6, "objective": .., "defect": .., "cpu_s": ..},
//    "nlp": [variables, constraints, Jacobian, Hessian],
//    "operations": [residual, Jacobian, Hessian], "round": 2, "source": "16 hex digits",
//    "mirrored": true, "trajectory": {"offset": 0, "bytes": 16392}}
// Keys that do not apply are absent; what is not finite is null. Figures are those of the task's own grid.
// "refined": the grid was too coarse for the replay to pass, so the run was solved again, from its solution,
// with more points per interval (same controls, condensed layout); verified is then the verdict on that, and
// only if its cost is within a percent. status is IPOPT's name, or
//   crashed  the worker ended by a signal of its own making (message: which)
//   killed   somebody else ended it: SIGKILL, SIGTERM and the like
//   timeout  it took longer than --timeout
//   error    it refused: message says why
// A key is the hash of everything that decides the result: the task as resolved for this run, the bytes
// of the robot and of other files that it names, and for "relax" the run it began from. Of two lines with
// one key the later counts.
#ifndef POISE_SWEEP_JOURNAL_H
#define POISE_SWEEP_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/textbuf.h"
#include "ocp/trajectory.h"

typedef struct JournalAxis {
  const char *name;    // "phi"
  const char *unit;    // "rad"; "" if unknown
  int n_value;         // of the whole grid; 0 if sweep.json is gone
  double *value;       // n_value; positions in label where the values are no numbers
  int n_label;         // values that are no numbers
  const char **label;  // n_label, their JSON text
} JournalAxis;

// One way to solve. Texts are "" and seed is -1 where they do not apply.
typedef struct JournalCase {
  const char *name;           // of all the rest, unique
  const char *cost;           // name of the cost set
  const char *formulation;    //
  const char *layout;         //
  const char *strategy;       // cold, continuation, multistart or relax
  const char *guess;          //
  const char *linear_solver;  // as asked for
  int seed;                   //
} JournalCase;

typedef struct JournalPoint {
  int grid;          // number in the whole grid, the last axis fastest; -1: not in it any more
  int mirror;        // point (of this journal) that is its mirror image, may be itself; -1: none
  bool has_target;   //
  double target[3];  // goal of the frame, world [m]
  double *value;     // n_axis, as in JournalAxis
} JournalPoint;

typedef struct JournalRun {
  uint64_t key;           //
  uint64_t source;        // relax: key of the run it began from; 0: none
  const char *status;     //
  const char *message;    // "" if none
  const char *solver;     // linear solver as IPOPT names it; "" if unknown
  int index;              // place in the work list
  int point;              // index of Journal.point
  int kase;               // index of Journal.kase
  int round;              // relax: 1, 2, ...; else 0
  int iterations;         // of all solves
  int solves;             //
  int nlp[4];             // variables, constraints, nonzeros of Jacobian and Hessian; 0: unknown
  bool mirrored;          // relax: began from the mirror image of the source
  bool solved, verified;  // verified only if solved
  int refined_degree;     // points per interval that it was verified with; 0: as solved
  double objective;       // this and the rest: NAN if unknown
  double refined_objective, refined_defect;  // with more points per interval
  double refined_cpu_s;                      // spent on that, no part of cpu_s
  double cpu_s;                              // of the worker, all but refined_cpu_s
  double wall_s;                             //
  double solve_cpu_s;      // CPU between the first and the last iteration: IPOPT's share
  double setup_s;          // wall, before the first solve
  double evaluation_s;     // wall, in the functions
  double linear_solver_s;  // wall
  double defect;           // largest over joints and intervals
  double terminal_error;   // distance from the goal at the last node [m], or largest of the joints
  double error_estimate;   // of the grid, relative
  double operations[3];    // of one evaluation: residual, Jacobian, Hessian
  int64_t offset, bytes;   // of its motion in trajectories.bin; bytes 0: not kept
} JournalRun;

typedef struct Journal {
  Arena *arena;         // owns everything below
  const char *folder;   //
  const char *name;     // of the sweep
  const char *robot;    // path of the robot file in the folder
  int n_axis;           //
  JournalAxis *axis;    // n_axis
  int n_point;          // that have a run
  JournalPoint *point;  // n_point, in the order of the journal
  int n_case;           //
  JournalCase *kase;    // n_case, in the order of the journal
  int n_run;            //
  JournalRun *run;      // n_run, in the order of the journal
  int n_bad;            // lines that are no runs: torn ones
  int *slot;            // n_slot, open hash table from key to run; -1: empty
  int n_slot;           // a power of 2
} Journal;

// Reads a folder. A torn or foreign line is counted, not an error. On failure *out is NULL.
Status journal_load(Journal **out, const char *folder, Error *err);
void journal_free(Journal *j);  // NULL-safe

// The run of a key; NULL if there is none.
const JournalRun *journal_find(const Journal *j, uint64_t key);

// Solved and verified: only these have a cost that counts.
bool journal_good(const JournalRun *r);

// The best known run of every point over all cases with this cost set (NULL: of any); run: n_point
// indices, -1 where no run is good. Of equals the first.
void journal_best(const Journal *j, const char *cost, int *run);

// Its motion, with states and accelerations at the collocation points. On failure *out is NULL.
Status journal_trajectory(Trajectory **out, const Journal *j, const JournalRun *r, Error *err);

// ---- the other direction --------------------------------------------------------------------------

// The line of a run, with its newline, appended to b; value: n_axis; target may be NULL.
void journal_line(TextBuf *b, int n_axis, const JournalAxis *axis, const double *value,
                  const double *target, const JournalCase *c, const JournalRun *r);

// A motion as bytes, in single or double precision: nodes, controls, accelerations at the points; the
// states there follow from them. The caller frees *bytes. On failure it is NULL.
Status journal_pack(unsigned char **bytes, size_t *n, const Trajectory *t, bool single, Error *err);

// Back; `name` stands for the file in messages. On failure *out is NULL.
Status journal_unpack(Trajectory **out, const unsigned char *bytes, size_t n, const char *name,
                      Error *err);

#endif
