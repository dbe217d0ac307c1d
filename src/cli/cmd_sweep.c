// SPDX-License-Identifier: MIT
// poise sweep: a grid of tasks and settings, each run in a worker process of its own.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "sweep/sweep.h"
#include "sweep/sweep_mpi.h"

enum { EXIT_INTERRUPTED = 130, MAX_JOBS = 4096, BAR = 24, MAX_SHARDS = 1000000 };
static const double BETWEEN_LINES = 10.0;  // seconds, where there is no terminal

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

// ---- progress -----------------------------------------------------------------------------------

typedef struct Display {
  bool terminal;  //
  double last;    // when something was printed
  int round;      // it was about
} Display;

static void put_time(double seconds) {
  int s = (int)(seconds + 0.5);
  if (s >= 3600) fprintf(stderr, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
  else fprintf(stderr, "%d:%02d", s / 60, s % 60);
}

static void put_counts(const SweepProgress *p) {
  fprintf(stderr, "%d/%d", p->done, p->total);
  if (p->good) fprintf(stderr, ", %d good", p->good);
  if (p->unverified) fprintf(stderr, ", %d not verified", p->unverified);
  if (p->unsolved) fprintf(stderr, ", %d not solved", p->unsolved);
  if (p->failed) fprintf(stderr, ", %d failed", p->failed);
  int fresh = p->done - p->before;
  if (fresh < 1 || p->seconds <= 0) return;
  double rate = fresh / p->seconds;
  fprintf(stderr, rate >= 1 ? ", %.1f/s, " : ", %.3g/s, ", rate);
  put_time((p->total - p->done) / rate);
  fprintf(stderr, " left");
}

static void show(void *data, const SweepProgress *p) {
  Display *d = data;
  double now = clock_seconds();
  bool begins = p->round != d->round || d->last == 0, ends = p->last && p->done == p->total;
  double pause = d->terminal ? 0.1 : BETWEEN_LINES;
  if (!begins && !ends && now - d->last < pause) return;
  d->last = now;
  d->round = p->round;
  if (d->terminal) {
    char bar[BAR + 1];
    int full = p->total ? (int)((long long)BAR * p->done / p->total) : BAR;
    for (int i = 0; i < BAR; i++) bar[i] = i < full ? '#' : '-';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K[%s] ", bar);
  }
  if (p->round) fprintf(stderr, "round %d: ", p->round);
  put_counts(p);
  if (!d->terminal || ends) fputc('\n', stderr);
  fflush(stderr);
}

// ---- options ------------------------------------------------------------------------------------

// "2/8"
static Status read_shard(const Args *args, SweepOptions *opt, Error *err) {
  const char *text = options_value(args, "shard");
  if (!text) return STATUS_OK;
  char behind = 0;
  int n = sscanf(text, "%d/%d%c", &opt->shard, &opt->n_shard, &behind);
  if (n != 2) {
    return error_set(err, STATUS_INPUT, "--shard", "\"%.40s\" is not i/n, such as 2/8", text);
  }
  if (opt->n_shard < 1 || opt->n_shard > MAX_SHARDS || opt->shard < 1 ||
      opt->shard > opt->n_shard) {
    return error_set(err, STATUS_INPUT, "--shard", "%.40s: i must be from 1 to n", text);
  }
  return STATUS_OK;
}

static Status read_options(const Args *args, SweepOptions *opt, Error *err) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  opt->jobs = cores > 0 && !opt->mpi ? (int)cores : 1;
  Status status = options_int(args, "jobs", 1, MAX_JOBS, &opt->jobs, err);
  if (status == STATUS_OK) status = options_double(args, "timeout", 1e-3, 1e9, &opt->timeout, err);
  if (status == STATUS_OK) status = read_shard(args, opt, err);
  opt->folder = options_value(args, "output");
  opt->retry = options_has(args, "retry");
  opt->fresh = options_has(args, "fresh");
  if (status == STATUS_OK && opt->fresh && options_has(args, "resume")) {
    status = error_set(err, STATUS_INPUT, "--fresh", "contradicts --resume");
  }
  if (status == STATUS_OK && !opt->folder && !options_has(args, "dry-run")) {
    status = error_set(err, STATUS_INPUT, "", "sweep needs -o DIR, the folder of its journal");
  }
  return status;
}

// ---- words --------------------------------------------------------------------------------------

static void print_plan(const Sweep *s) {
  int n_first = 0;
  printf("%s: %d points", s->name, s->n_point);
  for (int i = 0; i < s->n_axis; i++) {
    printf("%s%s (%d)", i ? " x " : ": ", s->axis[i].name, s->axis[i].n_value);
  }
  putchar('\n');
  for (int i = 0; i < s->n_case; i++) {
    printf("  %s\n", s->kase[i].j.name);
    n_first += !s->kase[i].relax;
  }
  printf("%d runs in the first pass\n", s->n_point * n_first);
  if (!s->mirror.found) {
    printf("no plane of symmetry was found\n");
    return;
  }
  int pairs = 0;
  for (int p = 0; p < s->n_point; p++) pairs += s->mirror_point[p] > p;
  printf("plane of symmetry with normal (%.4g, %.4g, %.4g): %d pairs of points mirror each other\n",
         s->mirror.normal[0], s->mirror.normal[1], s->mirror.normal[2], pairs);
}

static void print_outcome(const Sweep *s, const SweepOutcome *o, const char *folder) {
  printf("%s: %d runs, %d of them were on disk: %d solved and verified", s->name, o->runs,
         o->before, o->good);
  if (o->unverified) printf(", %d solved but not verified", o->unverified);
  if (o->unsolved) printf(", %d not solved", o->unsolved);
  if (o->failed) printf(", %d failed (crashed, killed, timeout or error)", o->failed);
  putchar('\n');
  if (o->rounds) {
    printf("relax: %d rounds, %d solves, %d improvements\n", o->rounds, o->attempts, o->improved);
  }
  if (o->relax_left) {
    printf("relax needs all shards: merge them, then sweep into the merged folder\n");
  }
  if (o->interrupted) printf("interrupted: the same command goes on where it stopped\n");
  else printf("journal in %s\n", folder);
}

static int exit_code(const SweepOutcome *o) {
  if (o->interrupted) return EXIT_INTERRUPTED;
  return o->good == o->runs ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

// ---- the command --------------------------------------------------------------------------------

static Status sweep(const Args *args, SweepOptions *opt, int *code, Error *err) {
  SweepChange change = {options_value(args, "formulation"), "--formulation"};
  Sweep *s = NULL;
  Status status = read_options(args, opt, err);
  if (status == STATUS_OK) status = sweep_load(&s, args->positional[0], &change, err);
  if (status == STATUS_OK && options_has(args, "dry-run")) {
    print_plan(s);
    *code = EXIT_SOLVED;
    sweep_free(s);
    return STATUS_OK;
  }
  Display display = {.terminal = isatty(STDERR_FILENO)};
  if (!options_has(args, "quiet")) opt->progress = show, opt->progress_data = &display;
  SweepOutcome outcome = {0};
  if (status == STATUS_OK) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    opt->interrupt = &interrupted;
    status = sweep_run(s, opt, &outcome, err);
  }
  opt->progress_data = NULL;
  if (status == STATUS_OK) {
    if (display.terminal && outcome.interrupted) fputc('\n', stderr);
    print_outcome(s, &outcome, opt->folder);
    *code = exit_code(&outcome);
  }
  sweep_free(s);
  return status;
}

// under mpirun: rank 0 sweeps, the others work for it
static Status with_ranks(const Args *args, SweepOptions *opt, int *code, Error *err) {
  int rank = 0, n_rank = 1;
  Status status = sweep_mpi_join(&rank, &n_rank, err);
  if (status != STATUS_OK) return status;
  opt->mpi = n_rank > 1;
  if (rank == 0) {
    status = sweep(args, opt, code, err);
    sweep_mpi_dismiss();
  } else {
    Error ignored = {0};  // rank 0 says it
    int jobs = 1;
    signal(SIGINT, SIG_IGN);
    options_int(args, "jobs", 1, MAX_JOBS, &jobs, &ignored);
    status = sweep_mpi_serve(opt->program, jobs, err);
    *code = EXIT_SOLVED;
  }
  sweep_mpi_leave();
  return status;
}

static int run(const Args *args) {
  if (options_has(args, "worker")) return sweep_worker();
  Error err = {0};
  int code = EXIT_INTERNAL;
  SweepOptions opt = {.program = "/proc/self/exe"};
  Status status = STATUS_OK;
  if (args->n_positional == 0) status = error_set(&err, STATUS_INPUT, "", "which SWEEP.json?");
  else if (sweep_mpi_started()) status = with_ranks(args, &opt, &code, &err);
  else status = sweep(args, &opt, &code, &err);
  return status == STATUS_OK ? code : command_fail(&err);
}

static const Option options[] = {
    {"output", 'o', "DIR", "folder of the journal; made if absent"},
    {"jobs", 'j', "N", "worker processes at a time; default: the cores, or 1 per MPI rank"},
    {"formulation", 'f', "F,...", "instead of the file's: names with commas between, or all"},
    {"shard", 0, "I/N", "only every N-th run, beginning with the I-th: for job arrays"},
    {"resume", 0, NULL, "run what is missing in DIR (the default)"},
    {"fresh", 0, NULL, "refuse a DIR that has runs already"},
    {"retry", 0, NULL, "run again what crashed, was killed, took too long or was refused"},
    {"timeout", 0, "S", "end a run after this many seconds; default: the file's"},
    {"dry-run", 0, NULL, "say what would be run, and run nothing"},
    {"quiet", 'q', NULL, "no progress on stderr"},
    {"worker", 0, NULL, "do one run, as told on standard input: what a sweep starts itself"},
};

const Command cmd_sweep = {
    .name = "sweep",
    .summary = "solve a grid of tasks and settings",
    .positional = "SWEEP.json",
    .n_positional_min = 0,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "A sweep file names a base task, axes that change keys of it from point to point, and\n"
        "cases: formulations, layouts, cost sets, strategies, seeds. Every run is done by a\n"
        "process of its own and ends as one line of DIR/journal.jsonl, on disk at once. The\n"
        "same command goes on where an earlier one was stopped, however that was. Under\n"
        "mpirun the work is spread over the ranks; shards are put together by 'poise merge'.\n"
        "Results do not depend on the number of jobs, shards or ranks.\n"
        "Exit codes: 0 every run of the first pass solved and verified, 1 not every one, 2 bad\n"
        "input or the folder is in use, 3 internal, 130 interrupted.\n",
    .example = "poise sweep tasks/grid231.json -o grid\n"
               "mpirun -n 4 poise sweep tasks/grid231.json -o grid\n",
    .run = run,
};
