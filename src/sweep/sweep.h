// SPDX-License-Identifier: MIT
// Many runs: a base task, axes that change keys of it, and cases that say how to solve. Every run is done
// by a worker process of its own, its result is a line of the journal (journal.h). The same inputs give the
// same journal whoever works: 1 or 20 jobs, shards that are merged, ranks of MPI.
//
//   Sweep *s;
//   sweep_load(&s, "tasks/grid231.json", NULL, &err);
//   SweepOptions opt = {.folder = "out", .jobs = 2, .program = "/proc/self/exe"};
//   sweep_run(s, &opt, &outcome, &err);
//
// The list of work: for every point of the grid, the last axis fastest, every case. A case with the strategy
// "relax" comes after all others, in rounds: every point is solved again from the best known motions of its
// neighbours, and from those of its mirror image and of other cases where they are better, until no point
// improves. What a round begins from is settled before it begins: the order of runs does not matter.
#ifndef POISE_SWEEP_SWEEP_H
#define POISE_SWEEP_SWEEP_H

#include <signal.h>

#include "sweep/journal.h"

struct cJSON;

// How the goal's position is made up from named coordinates.
typedef enum SweepTarget { SWEEP_NO_TARGET, SWEEP_CARTESIAN, SWEEP_CYLINDRICAL } SweepTarget;

typedef struct SweepAxis {
  const char *key;      // path in the task, "goal.position[2]"; or "target.phi"
  int coordinate;       // of the target: 0 to 2 (x y z, or r phi z); -1: a path
  struct cJSON **json;  // n_value, the values as they are put into the task
} SweepAxis;

typedef struct SweepCase {
  JournalCase j;          // what the journal says about it
  struct cJSON *changes;  // an object: path in the task -> value; in this order
  bool relax;             // solved in rounds; not part of the first pass
} SweepCase;

// A reflection that maps the robot and its motions onto themselves: q -> centre + sign (q - centre).
typedef struct SweepMirror {
  bool found;        //
  int nv;            //
  double *sign;      // nv, 1 or -1
  double *centre;    // nv
  double normal[3];  // of the plane, unit: x -> x - 2 (normal . x - offset) normal
  double offset;     //
} SweepMirror;

typedef struct SweepRelax {
  int rounds;        // at most
  double tolerance;  // relative; an improvement is more than this
  bool mirror;       // use mirror images
} SweepRelax;

typedef struct Sweep {
  Arena *arena;             // owns the arrays; the documents are owned too
  struct cJSON *doc;        // the file
  struct cJSON *task;       // the base task
  const char *path;         // of the file
  const char *name;         //
  const char *task_path;    // base task
  const char *task_folder;  // where it lies, "" or with a slash at its end
  int n_axis;               //
  JournalAxis *axis;        // n_axis: names, units, values
  SweepAxis *way;           // n_axis: what they change
  int n_point;              // product of the values
  int n_case;               //
  SweepCase *kase;          // n_case
  SweepTarget target;       //
  double coordinate[3];     // of the target where no axis gives it
  SweepRelax relax;         //
  double timeout;           // seconds a run may take; 0: as long as it likes
  bool keep, single;        // motions: kept, in single precision
  bool refine;              // solve again with more points where the replay does not pass
  uint64_t robot_hash;      // of the robot file
  const char *robot;        // its text
  SweepMirror mirror;       //
  int *mirror_point;        // n_point, -1: none
} Sweep;

// What the command line says over the file.
typedef struct SweepChange {
  const char
      *formulations;  // "IMPL,SEMI" or "all", in place of those of every case; NULL: as in the file
  const char *where;  // for messages: "--formulation"
} SweepChange;

// Reads and checks a sweep file: every case at the first point, every point in the first case. change may be NULL.
// On failure *out is NULL.
Status sweep_load(Sweep **out, const char *path, const SweepChange *change, Error *err);
void sweep_free(Sweep *s);  // NULL-safe

// Value of an axis at a point, by its place in the list of values.
int sweep_place(const Sweep *s, int point, int axis);

// The task of one run as JSON text, to be freed by the caller; NULL with err filled on failure.
char *sweep_task(const Sweep *s, int point, int kase, Error *err);

// The same, read; `name` of it in messages says which run it is. On failure *out is NULL.
Status sweep_ocp(Ocp **out, const Sweep *s, int point, int kase, Error *err);

// ---- running --------------------------------------------------------------------------------------

typedef struct SweepProgress {
  int total, done;         // of this pass or round, with those that were on disk
  int before;              // of done: on disk when it began
  int good;                // of done: solved and verified
  int unverified;          // solved, not verified
  int unsolved;            // IPOPT gave up
  int failed;              // crashed, killed, timeout or error
  int running;             //
  int round;               // 0: first pass
  int improved;            // points that this round has improved so far
  double seconds;          // since this pass or round began
  const JournalRun *last;  // that has just finished; NULL: none yet
  const char *last_case;   //
} SweepProgress;

typedef struct SweepOptions {
  const char *folder;   // of the journal; made if absent
  const char *program;  // this program: it is started as `program sweep --worker`
  int jobs;             // worker processes at a time (of each rank)
  bool mpi;             // this is rank 0 of several (sweep_mpi.h)
  int shard, n_shard;   // 1 .. n_shard; 0, 0: all
  bool fresh;           // refuse a folder that has a journal already
  bool retry;           // again what crashed, was killed or took too long
  double timeout;       // over the file's; 0: as in the file
  void (*progress)(void *data, const SweepProgress *p);  // now and then; NULL: none
  void *progress_data;                                   //
  const volatile sig_atomic_t *interrupt;                // not 0: stop; NULL: none
} SweepOptions;

typedef struct SweepOutcome {
  int runs, good, unverified, unsolved, failed;  // of the first pass, this shard's
  int before;                                    // of them on disk at the beginning
  int rounds, attempts, improved;                // of relax: rounds, solves, points that got better
  bool relax_left;                               // rounds that a shard leaves for the merged folder
  bool interrupted;                              //
} SweepOutcome;

// Runs what is missing. STATUS_INPUT: another sweep is at work in the folder, or it is of another robot.
Status sweep_run(const Sweep *s, const SweepOptions *opt, SweepOutcome *out, Error *err);

// The journals of several folders (shards of one sweep) into a new one; *n_run: lines written.
Status sweep_merge(const char *folder, const char *const *from, int n_from, int *n_run, Error *err);

// What a worker process does: one job from standard input, its result on standard output. An exit code.
int sweep_worker(void);

#endif
