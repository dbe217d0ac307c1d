// SPDX-License-Identifier: MIT
// From the list of work to the journal.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sweep/sweep_internal.h"

enum { PATIENCE = 200, MAX_ROUNDS = 10000 };  // ms between two looks at the clock

typedef struct Runner {
  const Sweep *s;
  const SweepOptions *opt;
  SweepFolder folder;
  SweepCrew *crew;
  Ocp *o;         // the first point's task: its robot
  Journal *j;     // as it was when this pass began
  SweepJob *job;  // n_job, of this pass
  int n_job;      //
  SweepProgress progress;
  double begin;
} Runner;

bool sweep_failed(const JournalRun *r) {
  static const char *const words[] = {"crashed", "killed", "timeout", "error"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(r->status, words[i]) == 0) return true;
  }
  return false;
}

static bool interrupted(const Runner *r) {
  return r->opt->interrupt && *r->opt->interrupt;
}

static Status load_journal(Runner *r, Error *err) {
  journal_free(r->j);
  return journal_load(&r->j, r->folder.path, err);
}

static bool on_disk(const Runner *r, uint64_t key) {
  const JournalRun *run = journal_find(r->j, key);
  return run && !(r->opt->retry && sweep_failed(run));
}

// ---- progress -----------------------------------------------------------------------------------

static void count(SweepProgress *p, const JournalRun *run) {
  p->done++;
  if (sweep_failed(run)) p->failed++;
  else if (!run->solved) p->unsolved++;
  else if (!run->verified) p->unverified++;
  else p->good++;
}

static void tell(Runner *r, const JournalRun *last, const char *kase) {
  r->progress.seconds = clock_seconds() - r->begin;
  r->progress.last = last;
  r->progress.last_case = kase;
  if (r->opt->progress) r->opt->progress(r->opt->progress_data, &r->progress);
}

// ---- one job ------------------------------------------------------------------------------------

// the motion that a job of relax begins with, as bytes
static Status source_motion(Runner *r, const SweepJob *job, unsigned char **bytes, size_t *n,
                            Error *err) {
  const JournalRun *run = journal_find(r->j, job->source);
  Trajectory *t = NULL;
  if (!run) return error_set(err, STATUS_INPUT, r->folder.path, "a source is gone");
  Status status = journal_trajectory(&t, r->j, run, err);
  if (status != STATUS_OK) return status;
  if (job->mirrored) sweep_mirror_motion(&r->s->mirror, r->o->model, t);
  status = journal_pack(bytes, n, t, false, err);
  trajectory_free(t);
  return status;
}

static Status start_job(Runner *r, int id, Error *err) {
  const SweepJob *job = &r->job[id];
  const Sweep *s = r->s;
  unsigned char *motion = NULL, *bytes = NULL;
  size_t n_motion = 0, n = 0;
  char name[256];
  sweep_describe(s, job->point, job->kase, name, sizeof name);
  char *task = sweep_task(s, job->point, job->kase, err);
  Status status = task ? STATUS_OK : err->code;
  if (status == STATUS_OK && job->source) status = source_motion(r, job, &motion, &n_motion, err);
  if (status == STATUS_OK) {
    status = sweep_message(&bytes, &n, s, name, task, motion, n_motion, err);
  }
  free(motion);
  free(task);
  return status == STATUS_OK ? r->crew->ops->start(r->crew, id, bytes, n, err) : status;
}

// signals by which a program ends itself
static bool own_signal(int number) {
  return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
         number == SIGILL || number == SIGTRAP || number == SIGSYS;
}

// what there is to say about a run that gave no answer
static void fill_failure(const SweepDone *done, SweepAnswer *a) {
  *a = (SweepAnswer){.magic = SWEEP_MAGIC};
  a->run.refined_objective = a->run.refined_defect = a->run.refined_cpu_s = NAN;
  a->run.objective = a->run.solve_cpu_s = a->run.setup_s = a->run.evaluation_s = NAN;
  a->run.linear_solver_s = a->run.defect = a->run.terminal_error = a->run.error_estimate = NAN;
  for (int i = 0; i < 3; i++) a->run.operations[i] = NAN;
  const char *status = "crashed";
  if (done->timed_out) status = "timeout";
  else if (done->signal && !own_signal(done->signal)) status = "killed";
  snprintf(a->status, sizeof a->status, "%s", status);
  if (done->timed_out) {
    snprintf(a->message, sizeof a->message, "ended after %.3g s", done->wall_s);
  } else if (done->signal) {
    snprintf(a->message, sizeof a->message, "signal %d (%s)", done->signal,
             strsignal(done->signal));
  } else {
    snprintf(a->message, sizeof a->message, "exit code %d without an answer", done->exit_code);
  }
}

static const double *target_of(const Ocp *o) {
  bool whole = o && o->goal.frame >= 0 && o->goal.fixed[0] && o->goal.fixed[1] && o->goal.fixed[2];
  return whole ? o->goal.position : NULL;
}

static Status record(Runner *r, const SweepDone *done, Error *err) {
  const SweepJob *job = &r->job[done->id];
  const Sweep *s = r->s;
  SweepAnswer a = {0};
  if (done->n >= sizeof a) memcpy(&a, done->bytes, sizeof a);
  bool answered = !done->signal && done->exit_code == 0 && a.magic == SWEEP_MAGIC &&
                  done->n == sizeof a + a.n_motion;
  if (!answered) fill_failure(done, &a);
  JournalRun *run = &a.run;
  run->key = job->key, run->source = job->source, run->mirrored = job->mirrored;
  run->index = job->index, run->round = job->round;
  run->status = a.status, run->message = a.message, run->solver = a.solver;
  run->cpu_s = done->cpu_s - (isfinite(run->refined_cpu_s) ? run->refined_cpu_s : 0);
  run->wall_s = done->wall_s;
  double value[64];
  for (int i = 0; i < s->n_axis; i++) value[i] = s->axis[i].value[sweep_place(s, job->point, i)];
  Ocp *o = NULL;
  Error ignored = {0};  // a task that is wrong has been reported by the worker
  sweep_ocp(&o, s, job->point, job->kase, &ignored);
  const unsigned char *motion = answered ? done->bytes + sizeof a : NULL;
  Status status = sweep_folder_append(&r->folder, s->n_axis, s->axis, value, target_of(o),
                                      &s->kase[job->kase].j, run, motion, answered ? a.n_motion : 0,
                                      err);
  ocp_free(o);
  if (status == STATUS_OK) {
    count(&r->progress, run);
    tell(r, run, s->kase[job->kase].j.name);
  }
  return status;
}

// ---- one pass -----------------------------------------------------------------------------------

// does r->job, less what is on disk
static Status do_jobs(Runner *r, int round, Error *err) {
  r->begin = clock_seconds();
  r->progress = (SweepProgress){.total = r->n_job, .round = round};
  int *todo = malloc(((size_t)r->n_job + 1) * sizeof *todo), n = 0;
  if (!todo) return error_no_memory(err);
  for (int i = 0; i < r->n_job; i++) {
    if (on_disk(r, r->job[i].key)) count(&r->progress, journal_find(r->j, r->job[i].key));
    else todo[n++] = i;
  }
  r->progress.before = r->progress.done;
  tell(r, NULL, NULL);
  Status status = STATUS_OK;
  int next = 0;
  while (status == STATUS_OK && !interrupted(r) && (next < n || r->progress.running > 0)) {
    while (status == STATUS_OK && next < n && r->crew->ops->room(r->crew)) {
      status = start_job(r, todo[next++], err);
      if (status == STATUS_OK) r->progress.running++;
    }
    SweepDone done;
    if (status != STATUS_OK || !r->crew->ops->wait(r->crew, PATIENCE, &done)) {
      tell(r, NULL, NULL);
      continue;
    }
    r->progress.running--;
    status = record(r, &done, err);
    free(done.bytes);
  }
  free(todo);
  return status;
}

static Status first_pass(Runner *r, Arena *arena, SweepOutcome *out, Error *err) {
  const Sweep *s = r->s;
  size_t most = (size_t)s->n_point * (size_t)s->n_case;
  r->job = arena_array(arena, most, sizeof *r->job);
  if (!r->job) return error_no_memory(err);
  for (int i = 0; i < s->n_point * s->n_case; i++) {
    int kase = i % s->n_case;
    if (s->kase[kase].relax) continue;
    if (r->opt->n_shard > 0 && i % r->opt->n_shard != r->opt->shard - 1) continue;
    SweepJob *job = &r->job[r->n_job++];
    *job = (SweepJob){.index = i, .point = i / s->n_case, .kase = kase};
    Status status = sweep_resolve(s, job->point, kase, NULL, &job->key, err);
    if (status != STATUS_OK) return status;
  }
  Status status = do_jobs(r, 0, err);
  const SweepProgress *p = &r->progress;
  out->runs = p->total, out->before = p->before;
  out->good = p->good, out->unverified = p->unverified;
  out->unsolved = p->unsolved, out->failed = p->failed;
  return status;
}

// rounds of one case until nothing gets better
static Status relax_case(Runner *r, int kase, SweepOutcome *out, Error *err) {
  Status status = STATUS_OK;
  for (int round = 1; round <= r->s->relax.rounds && status == STATUS_OK && !interrupted(r);
       round++) {
    Arena *arena = arena_new();
    int improved = 0;
    status = load_journal(r, err);
    if (status == STATUS_OK) {
      status = sweep_relax_jobs(r->s, r->j, kase, round, arena, &r->job, &r->n_job, &improved, err);
    }
    out->improved += improved;
    bool end = status != STATUS_OK || r->n_job == 0;
    if (!end) {
      status = do_jobs(r, round, err);
      out->rounds = round > out->rounds ? round : out->rounds;
      out->attempts += r->n_job;
    }
    arena_free(arena);
    if (end) break;
  }
  return status;
}

static Status all_passes(Runner *r, SweepOutcome *out, Error *err) {
  Arena *arena = arena_new();
  Status status = load_journal(r, err);
  if (status == STATUS_OK) status = first_pass(r, arena, out, err);
  arena_free(arena);
  for (int k = 0; k < r->s->n_case && status == STATUS_OK && !interrupted(r); k++) {
    if (!r->s->kase[k].relax) continue;
    if (r->opt->n_shard > 1) out->relax_left = true;  // needs what the other shards found
    else status = relax_case(r, k, out, err);
  }
  return status;
}

Status sweep_run(const Sweep *s, const SweepOptions *opt, SweepOutcome *out, Error *err) {
  *out = (SweepOutcome){0};
  Runner r = {.s = s, .opt = opt};
  Status status = sweep_folder_open(&r.folder, opt->folder, opt->fresh, err);
  if (status != STATUS_OK) return status;
  status = sweep_folder_describe(&r.folder, s, err);
  if (status == STATUS_OK) status = sweep_ocp(&r.o, s, 0, 0, err);
  double timeout = opt->timeout > 0 ? opt->timeout : s->timeout;
  if (status == STATUS_OK) {
    status = opt->mpi ? sweep_mpi_crew(&r.crew, opt->program, opt->jobs, timeout, err)
                      : sweep_pool_new(&r.crew, opt->program, opt->jobs, timeout, err);
  }
  if (status == STATUS_OK) status = all_passes(&r, out, err);
  out->interrupted = interrupted(&r);
  if (r.crew) r.crew->ops->free(r.crew);
  journal_free(r.j);
  ocp_free(r.o);
  sweep_folder_close(&r.folder);
  return status;
}
