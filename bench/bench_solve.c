// SPDX-License-Identifier: MIT
// How long a cold solve takes and where its time goes, for each formulation and layout; beside it
// CasADi with the same nonlinear program. bench/solve runs it; bench/README.md tells what is compared.
#include "bench_solve.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FORMS = 16, MAX_TASKS = 16, PATH_SIZE = 4096, MAX_REPETITIONS = 1000 };

static const double SLOW = 4.0;  // a solve that takes longer is not repeated [s]

typedef struct Options {
  const char *root;                // of the source tree
  const char *python;              // "" or NULL: without CasADi
  const char *casadi;              // "own": the task's formulation alone; "all"; "none"
  const char *ways;                // of CasADi
  int repetitions;                 //
  int n_task;                      //
  const char *task[MAX_TASKS];     // n_task
  int n_form;                      //
  const DynForm *form[MAX_FORMS];  // n_form
  int n_layout;                    //
  OcpLayout layout[2];             // n_layout
  int n_linear;                    //
  const char *linear[2];           // n_linear: stage, mumps
  bool json, keep, help;           //
} Options;

static const char usage[] =
    "usage: bench/solve [--task TASK.json]... [--form F]... [--layout L]... [--casadi own|all|none]\n"
    "                   [--linear-solver stage|mumps] [--ways W,...] [--repetitions N] [--json] [--keep]\n"
    "\n"
    "Cold solves with IPOPT, with our linear solver and with MUMPS: iterations, objective, seconds,\n"
    "and where the time of an iteration goes; beside them CasADi with the same nonlinear program, by\n"
    "IPOPT with MUMPS and by fatrop, where a Python with the casadi wheel is found ($POISE_PYTHON,\n"
    "python3, build-venv/bin/python3).\n"
    "\n"
    "  --task FILE      may be repeated (default tasks/reach.json and tasks/reach_smooth.json)\n"
    "  --form F         IMPL, SEMI, EXP1-O, EXP1-A, EXP2-O, EXP2-A; may be repeated (default all)\n"
    "  --layout L       condensed, paper; may be repeated (default both)\n"
    "  --linear-solver S  stage or mumps alone, ours (default both)\n"
    "  --casadi WHICH   own: with the formulation IMPL, or the first one given (default); all; none\n"
    "  --ways W,...     how CasADi's functions are made: map, blocks, unrolled, fatrop (default\n"
    "                   blocks,fatrop)\n"
    "  --repetitions N  solves, of which the quickest counts (default 3)\n"
    "  --json           print the same as JSON\n"
    "  --keep           leave the files exchanged with CasADi and say where\n"
    "\n"
    "example: bench/solve --task tasks/reach.json --form IMPL\n";

// ---- command line -------------------------------------------------------------------------------

static Status add_form(Options *o, const char *name, Error *err) {
  const DynForm *form = dyn_form_find(name);
  if (!form) return error_set(err, STATUS_INPUT, "--form", "%s is no formulation", name);
  for (int i = 0; i < o->n_form; i++) {
    if (o->form[i] == form) return STATUS_OK;
  }
  o->form[o->n_form++] = form;  // distinct, so they fit
  return STATUS_OK;
}

static Status add_layout(Options *o, const char *name, Error *err) {
  for (int k = 0; k < N_OCP_LAYOUTS; k++) {
    if (strcmp(name, ocp_layout_names[k]) != 0) continue;
    for (int i = 0; i < o->n_layout; i++) {
      if (o->layout[i] == (OcpLayout)k) return STATUS_OK;
    }
    o->layout[o->n_layout++] = (OcpLayout)k;
    return STATUS_OK;
  }
  return error_set(err, STATUS_INPUT, "--layout", "%s is no layout", name);
}

static Status read_valued(Options *o, const char *option, const char *value, Error *err) {
  if (strcmp(option, "--form") == 0) return add_form(o, value, err);
  if (strcmp(option, "--layout") == 0) return add_layout(o, value, err);
  if (strcmp(option, "--task") == 0) {
    if (o->n_task == MAX_TASKS)
      return error_set(err, STATUS_INPUT, option, "at most %d", MAX_TASKS);
    o->task[o->n_task++] = value;
  } else if (strcmp(option, "--casadi") == 0) {
    if (strcmp(value, "own") && strcmp(value, "all") && strcmp(value, "none")) {
      return error_set(err, STATUS_INPUT, option, "%s is not own, all or none", value);
    }
    o->casadi = value;
  } else if (strcmp(option, "--repetitions") == 0) {
    char *end;
    errno = 0;
    long x = strtol(value, &end, 10);
    if (errno || *end || end == value || x < 1 || x > MAX_REPETITIONS) {
      return error_set(err, STATUS_INPUT, option, "%s is not a number in 1 .. %d", value,
                       MAX_REPETITIONS);
    }
    o->repetitions = (int)x;
  } else if (strcmp(option, "--linear-solver") == 0) {
    if (strcmp(value, "stage") != 0 && strcmp(value, "mumps") != 0)
      return error_set(err, STATUS_INPUT, option, "%s is not stage or mumps", value);
    o->linear[0] = value;
    o->n_linear = 1;
  } else if (strcmp(option, "--ways") == 0) {
    o->ways = value;
  } else if (strcmp(option, "--root") == 0) {
    o->root = value;
  } else {
    o->python = value;
  }
  return STATUS_OK;
}

static bool has_value(const char *option) {
  static const char *const valued[] = {"--task",   "--form",   "--layout",
                                       "--casadi", "--ways",   "--repetitions",
                                       "--root",   "--python", "--linear-solver"};
  for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
    if (strcmp(option, valued[i]) == 0) return true;
  }
  return false;
}

static Status read_options(Options *o, int argc, char **argv, Error *err) {
  *o = (Options){.root = ".", .casadi = "own", .ways = "blocks,fatrop", .repetitions = 3};
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (has_value(word)) {
      if (++i == argc) return error_set(err, STATUS_INPUT, word, "needs a value");
      Status status = read_valued(o, word, argv[i], err);
      if (status != STATUS_OK) return status;
    } else if (strcmp(word, "--json") == 0) {
      o->json = true;
    } else if (strcmp(word, "--keep") == 0) {
      o->keep = true;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      o->help = true;
    } else {
      return error_set(err, STATUS_INPUT, word, "is no option; see --help");
    }
  }
  for (int i = 0; o->n_form == 0 && dyn_forms[i]; i++) o->form[i] = dyn_forms[i];
  while (o->n_form < MAX_FORMS && o->form[o->n_form]) o->n_form++;
  if (o->n_layout == 0) {
    o->layout[o->n_layout++] = OCP_CONDENSED;
    o->layout[o->n_layout++] = OCP_PAPER;
  }
  if (o->n_linear == 0) {
    o->linear[o->n_linear++] = "stage";
    o->linear[o->n_linear++] = "mumps";
  }
  return STATUS_OK;
}

// ---- the run ------------------------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *at) {
  (void)s, (void)type, (void)at;
  return remove(path);
}

static Status make_folder(char path[PATH_SIZE], Error *err) {
  const char *base = getenv("TMPDIR");
  snprintf(path, PATH_SIZE, "%s/poise-bench-XXXXXX", base && *base ? base : "/tmp");
  if (mkdtemp(path)) return STATUS_OK;
  return error_set(err, STATUS_IO, path, "can't make the folder: %s", strerror(errno));
}

// "model name : X" of the system's description; "" if there is none
static void cpu_name(char out[128]) {
  out[0] = '\0';
  FILE *f = fopen("/proc/cpuinfo", "r");
  char line[512];
  while (f && !out[0] && fgets(line, sizeof line, f)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && colon) snprintf(out, 128, "%.127s", colon + 2);
  }
  if (f) fclose(f);
  out[strcspn(out, "\n")] = '\0';
}

static bool wants_casadi(const Options *o, const DynForm *form) {
  if (!o->python || !*o->python || strcmp(o->casadi, "none") == 0) return false;
  if (strcmp(o->casadi, "all") == 0) return true;
  const DynForm *own = o->form[0];
  for (int i = 0; i < o->n_form; i++) {
    if (strcmp(o->form[i]->name, "IMPL") == 0) own = o->form[i];
  }
  return form == own;
}

static Status run_task(const Options *o, BenchTask *t, const char *folder, int number, Error *err) {
  const char *slash = strrchr(t->path, '/');
  snprintf(t->name, sizeof t->name, "%s", slash ? slash + 1 : t->path);
  t->name[strcspn(t->name, ".")] = '\0';
  for (int i = 0; i < o->n_layout * o->n_linear; i++) {
    OcpLayout layout = o->layout[i / o->n_linear];
    const char *linear = o->linear[i % o->n_linear];
    fprintf(stderr, "bench/solve: %s %s %s %s\n", t->name, t->form->name, ocp_layout_names[layout],
            linear);
    Status status = bench_solve_own(&t->own[t->n_own++], t->path, t->form, layout, linear,
                                    o->repetitions, SLOW, err);
    if (status != STATUS_OK) return status;
  }
  if (!wants_casadi(o, t->form)) return STATUS_OK;
  fprintf(stderr, "bench/solve: %s %s CasADi\n", t->name, t->form->name);
  char own[PATH_SIZE + 32], script[PATH_SIZE];
  snprintf(own, sizeof own, "%s/%d", folder, number);
  snprintf(script, sizeof script, "%s/bench/casadi_solve.py", o->root);
  if (mkdir(own, 0700) != 0) {
    return error_set(err, STATUS_IO, own, "can't make the folder: %s", strerror(errno));
  }
  const BenchPeer peer = {o->python, script, own, o->ways, o->repetitions, SLOW};
  return bench_solve_peer(t, &peer, err);
}

static Status run(const Options *o, const char *folder, Error *err) {
  static char standard[2][PATH_SIZE];
  const char *task[MAX_TASKS] = {standard[0], standard[1]};
  int n_task = o->n_task ? o->n_task : 2;
  snprintf(standard[0], PATH_SIZE, "%s/tasks/reach.json", o->root);
  snprintf(standard[1], PATH_SIZE, "%s/tasks/reach_smooth.json", o->root);
  if (o->n_task) memcpy(task, o->task, sizeof task);
  if (!o->python || !*o->python) {
    fprintf(stderr, "bench/solve: no Python with the casadi wheel: Poise alone\n");
  }
  BenchTask *list = calloc((size_t)(n_task * o->n_form), sizeof *list);
  if (!list) return error_no_memory(err);
  Status status = STATUS_OK;
  int n = 0;
  for (int i = 0; i < n_task; i++) {
    for (int k = 0; status == STATUS_OK && k < o->n_form; k++, n++) {
      list[n].path = task[i];
      list[n].form = o->form[k];
      status = run_task(o, &list[n], folder, n, err);
    }
  }
  char cpu[128];
  cpu_name(cpu);
  const BenchSolveReport report = {o->repetitions, n, list, cpu};
  if (status == STATUS_OK && o->json) status = bench_solve_print_json(&report, err);
  else if (status == STATUS_OK) bench_solve_print_text(&report);
  free(list);
  return status;
}

int main(int argc, char **argv) {
  Options o;
  Error err = {0};
  char folder[PATH_SIZE] = "";
  Status status = read_options(&o, argc, argv, &err);
  if (status == STATUS_OK && o.help) {
    fputs(usage, stdout);
    return 0;
  }
  if (status == STATUS_OK) status = make_folder(folder, &err);
  if (status == STATUS_OK) status = run(&o, folder, &err);
  if (*folder && o.keep) fprintf(stderr, "bench/solve: files are in %s\n", folder);
  else if (*folder) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  if (status == STATUS_OK) return 0;
  fprintf(stderr, "bench/solve: %s%s%s\n", err.where, *err.where ? ": " : "", err.what);
  return status == STATUS_INPUT ? 2 : status == STATUS_NUMERIC ? 1 : 3;
}
