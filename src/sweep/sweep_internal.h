// SPDX-License-Identifier: MIT
// Shared by the files of the sweep.
#ifndef POISE_SWEEP_SWEEP_INTERNAL_H
#define POISE_SWEEP_SWEEP_INTERNAL_H

#include "base/json_at.h"
#include "sweep/sweep.h"

// ---- the file (sweep_json.c, sweep_cases_json.c, sweep_task_json.c) --------------------------------

typedef struct SweepReader {
  Sweep *s;
  const JsonAt *root;
  const SweepChange *change;  // may be NULL
} SweepReader;

// Fills s->kase from "cases", "costs" and "relax".
Status sweep_read_cases(SweepReader *r, Error *err);

// Sets the value at a path of a task, making the objects on the way; the value is copied. `where` is where
// it is asked for.
Status sweep_set_path(struct cJSON *task, const char *path, const struct cJSON *value,
                      const JsonAt *where, Error *err);

// The value of a task at a path; NULL if it is not there.
struct cJSON *sweep_get_path(struct cJSON *task, const char *path);

// The task of a run as text (appended to b) and its key: of the task, the files it names, the case and the
// place in the grid. b and key may be NULL.
Status sweep_resolve(const Sweep *s, int point, int kase, TextBuf *b, uint64_t *key, Error *err);

// "grid.json (phi = 0.5, z = 0.1; IMPL/cold)" for messages.
void sweep_describe(const Sweep *s, int point, int kase, char *out, size_t size);

// ---- mirror images ----------------------------------------------------------------------------------

// Looks for a plane of symmetry of the robot, and of what the task says about its frames; s->mirror.
Status sweep_mirror_find(Sweep *s, const Ocp *o, Error *err);

// s->mirror_point, from the tasks of all points (which are checked on the way).
Status sweep_mirror_pair(Sweep *s, Error *err);

// Reflects a motion in place.
void sweep_mirror_motion(const SweepMirror *m, const Model *model, Trajectory *t);

// ---- the folder -------------------------------------------------------------------------------------

typedef struct SweepFolder {
  char path[2048];
  int lock, journal, motions;  // descriptors; -1: closed
  int64_t end;                 // of the motions
} SweepFolder;

// Makes the folder if need be, takes its lock, repairs a torn last line, drops motions that no line names.
Status sweep_folder_open(SweepFolder *f, const char *path, bool fresh, Error *err);
void sweep_folder_close(SweepFolder *f);

// Keeps robot and description of the sweep; refuses a folder of another robot.
Status sweep_folder_describe(SweepFolder *f, const Sweep *s, Error *err);

// A motion, then the line that names it: each on disk before the next. Sets r->offset, r->bytes.
Status sweep_folder_append(SweepFolder *f, int n_axis, const JournalAxis *axis, const double *value,
                           const double *target, const JournalCase *c, JournalRun *r,
                           const unsigned char *motion, size_t n, Error *err);

// ---- work -------------------------------------------------------------------------------------------

// Crashed, killed, timeout or error: the run says nothing about the task.
bool sweep_failed(const JournalRun *r);

// One run to be done.
typedef struct SweepJob {
  uint64_t key, source;  // source 0: from the guess
  int index, point, kase, round;
  bool mirrored;
} SweepJob;

// What a worker answers, before the bytes of the motion.
typedef struct SweepAnswer {
  uint32_t magic;     // SWEEP_MAGIC
  JournalRun run;     // numbers only; pointers mean nothing
  char status[64];    //
  char message[512];  //
  char solver[48];    //
  uint64_t n_motion;  // bytes behind this
} SweepAnswer;

static const uint32_t SWEEP_MAGIC = 0x50575331;

// The message that makes a worker do a job: the task (name and folder for messages and paths), how to answer,
// and the motion to begin with. The caller frees *bytes.
Status sweep_message(unsigned char **bytes, size_t *n, const Sweep *s, const char *name,
                     const char *task, const unsigned char *motion, size_t n_motion, Error *err);

// How a job ended.
typedef struct SweepDone {
  int id;                // as given to start
  unsigned char *bytes;  // what the worker wrote, to be freed by the caller
  size_t n;              //
  int signal;            // that ended it; 0: none
  int exit_code;         //
  bool timed_out;        //
  double cpu_s, wall_s;  //
} SweepDone;

// Those who do the work: processes of this machine, or ranks elsewhere.
typedef struct SweepCrew {
  const struct SweepCrewOps *ops;  // implementations embed this first
} SweepCrew;
struct SweepCrewOps {
  bool (*room)(const SweepCrew *c);  // whether start may be called
  // takes bytes
  Status (*start)(SweepCrew *c, int id, unsigned char *bytes, size_t n, Error *err);
  // waits at most this long for a job to end; whether one has
  bool (*wait)(SweepCrew *c, int milliseconds, SweepDone *done);
  void (*free)(SweepCrew *c);  // ends what is under way, without waiting for results; NULL-safe
};

// n worker processes of `program`, each for at most `timeout` seconds (0: no limit).
Status sweep_pool_new(SweepCrew **out, const char *program, int n, double timeout, Error *err);

// The same over the ranks of MPI, this being rank 0: n processes on each.
Status sweep_mpi_crew(SweepCrew **out, const char *program, int n, double timeout, Error *err);

// ---- rounds -----------------------------------------------------------------------------------------

// The jobs of one round of relax, from what the journal holds of the rounds before, done ones too; *list from
// the arena. *improved: points that the round before has made better.
Status sweep_relax_jobs(const Sweep *s, const Journal *j, int kase, int round, Arena *arena,
                        SweepJob **list, int *n, int *improved, Error *err);

#endif
