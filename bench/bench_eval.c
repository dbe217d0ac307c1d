// SPDX-License-Identifier: MIT
// How long the functions of a formulation take per collocation point, ours and CasADi's, in one run on one
// machine. bench/eval runs it; bench/README.md tells what is compared.
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_chain.h"
#include "bench_form.h"
#include "bench_peer.h"
#include "bench_print.h"
#include "expr/expr_compile.h"

enum { MAX_FORMS = 16, PATH_SIZE = 4096, MAX_POINTS = 1000000, MAX_REPETITIONS = 10000 };

typedef struct Options {
  const char *robot;               // NULL: the benchmark arm
  const char *root;                // of the source tree
  const char *python;              // "" or NULL: without CasADi
  int n_point, repetitions;        //
  int n_form;                      //
  const DynForm *form[MAX_FORMS];  // n_form
  bool json, keep, help;           //
} Options;

static const char usage[] =
    "usage: bench/eval [ROBOT.json] [--points N] [--form F]... [--repetitions N] [--json] [--keep]\n"
    "\n"
    "Nanoseconds per collocation point of residual, Jacobian and Hessian, for each formulation:\n"
    "Poise's evaluator and compiled C, and CasADi's interpreter and compiled C where a Python with\n"
    "the casadi wheel is found ($POISE_PYTHON, python3, build-venv/bin/python3).\n"
    "\n"
    "  --points N       collocation points (default 400)\n"
    "  --form F         IMPL, SEMI, EXP1-O, EXP1-A, EXP2-O, EXP2-A; may be repeated (default all)\n"
    "  --repetitions N  samples, of which the least counts (default 25)\n"
    "  --json           print the same as JSON\n"
    "  --keep           leave the generated files and say where\n"
    "\n"
    "example: bench/eval --form IMPL --form EXP2-O\n";

// ---- command line -------------------------------------------------------------------------------

static Status read_count(const char *option, const char *text, int largest, int *out, Error *err) {
  char *end;
  errno = 0;
  long x = strtol(text, &end, 10);
  if (errno || *end || end == text || x < 1 || x > largest) {
    return error_set(err, STATUS_INPUT, option, "%s is not a number in 1 .. %d", text, largest);
  }
  *out = (int)x;
  return STATUS_OK;
}

static Status add_form(Options *o, const char *name, Error *err) {
  const DynForm *form = dyn_form_find(name);
  if (!form) return error_set(err, STATUS_INPUT, "--form", "%s is no formulation", name);
  for (int i = 0; i < o->n_form; i++) {
    if (o->form[i] == form) return STATUS_OK;
  }
  o->form[o->n_form++] = form;  // distinct, so they fit
  return STATUS_OK;
}

static Status read_valued(Options *o, const char *option, const char *value, Error *err) {
  if (strcmp(option, "--points") == 0) {
    return read_count(option, value, MAX_POINTS, &o->n_point, err);
  }
  if (strcmp(option, "--repetitions") == 0) {
    return read_count(option, value, MAX_REPETITIONS, &o->repetitions, err);
  }
  if (strcmp(option, "--form") == 0) return add_form(o, value, err);
  if (strcmp(option, "--root") == 0) o->root = value;
  else o->python = value;
  return STATUS_OK;
}

static bool has_value(const char *option) {
  static const char *const valued[] = {"--points", "--repetitions", "--form", "--root", "--python"};
  for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
    if (strcmp(option, valued[i]) == 0) return true;
  }
  return false;
}

static Status read_options(Options *o, int argc, char **argv, Error *err) {
  *o = (Options){.root = ".", .n_point = 400, .repetitions = 25};
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
    } else if (*word == '-') {
      return error_set(err, STATUS_INPUT, word, "is no option; see --help");
    } else if (o->robot) {
      return error_set(err, STATUS_INPUT, word, "one robot at a time");
    } else {
      o->robot = word;
    }
  }
  for (int i = 0; o->n_form == 0 && dyn_forms[i]; i++) o->form[i] = dyn_forms[i];
  while (o->n_form < MAX_FORMS && o->form[o->n_form]) o->n_form++;
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

static Status run_forms(const Options *o, BenchSetup *setup, const char *folder, BenchForm *result,
                        Error *err) {
  for (int i = 0; i < o->n_form; i++) {
    fprintf(stderr, "bench/eval: %s\n", o->form[i]->name);
    char own[PATH_SIZE + 32];
    snprintf(own, sizeof own, "%s/%s", folder, o->form[i]->name);
    if (mkdir(own, 0700) != 0) {
      return error_set(err, STATUS_IO, own, "can't make the folder: %s", strerror(errno));
    }
    setup->folder = own;
    Status status = bench_peer_write_task(setup, err);
    if (status == STATUS_OK) status = bench_form_run(&result[i], o->form[i], setup, err);
    if (status != STATUS_OK) return status;
  }
  return STATUS_OK;
}

static Status run(const Options *o, const Model *m, Arena *arena, const char *folder, Error *err) {
  char script[PATH_SIZE];
  snprintf(script, sizeof script, "%s/bench/casadi_peer.py", o->root);
  BenchPoints points;
  if (!bench_points_build(&points, arena, m, o->n_point)) return error_no_memory(err);
  BenchSetup setup = {.model = m,
                      .points = &points,
                      .python = o->python && *o->python ? o->python : NULL,
                      .peer_script = script,
                      .repetitions = o->repetitions};
  if (!setup.python) {
    fprintf(stderr, "bench/eval: no Python with the casadi wheel: its columns stay empty\n");
  }
  BenchForm result[MAX_FORMS];
  BenchChain chain[BENCH_N_CHAINS] = {{0}};
  Status status = run_forms(o, &setup, folder, result, err);
  if (status == STATUS_OK) status = bench_chain_run(chain, err);
  if (status != STATUS_OK) return status;

  char cpu[128];
  cpu_name(cpu);
  const BenchReport report = {m->name, o->n_point, o->repetitions, o->n_form, result, chain, cpu};
  if (o->json) return bench_print_json(&report, err);
  bench_print_text(&report);
  return STATUS_OK;
}

int main(int argc, char **argv) {
  Options o;
  Error err = {0};
  Model *m = NULL;
  char folder[PATH_SIZE] = "", robot[PATH_SIZE];
  Status status = read_options(&o, argc, argv, &err);
  if (status == STATUS_OK && o.help) {
    fputs(usage, stdout);
    return 0;
  }
  if (status == STATUS_OK && !expr_compile_available()) {
    status = error_set(&err, STATUS_INPUT, "cc", "no C compiler; install one, or name one in CC");
  }
  snprintf(robot, sizeof robot, "%s/configs/robots/arm_pendulum.json", o.root);
  if (status == STATUS_OK) status = model_load(&m, o.robot ? o.robot : robot, &err);
  if (status == STATUS_OK) status = make_folder(folder, &err);
  Arena *arena = arena_new();
  if (status == STATUS_OK) status = run(&o, m, arena, folder, &err);
  arena_free(arena);
  model_free(m);
  if (*folder && o.keep) fprintf(stderr, "bench/eval: files are in %s\n", folder);
  else if (*folder) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  if (status == STATUS_OK) return 0;
  fprintf(stderr, "bench/eval: %s%s%s\n", err.where, *err.where ? ": " : "", err.what);
  return status == STATUS_INPUT ? 2 : status == STATUS_NUMERIC ? 1 : 3;
}
