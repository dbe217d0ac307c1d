// SPDX-License-Identifier: MIT
// Our stage-wise linear solver against MUMPS on the same KKT systems: those of folders that poise solve
// --dump-kkt wrote, or of benchmark solves made here. bench/kkt runs it; bench/README.md explains.
#include "bench_kkt.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collocation/colloc.h"
#include "solver/solver.h"

enum { MAX_FORMS = 16, MAX_FOLDERS = BENCH_MAX_GROUPS, PATH_SIZE = 4096, MAX_COUNT = 1000 };

typedef struct Options {
  const char *root;                 //
  int n_folder;                     //
  const char *folder[MAX_FOLDERS];  // n_folder, given
  int n_form;                       //
  const DynForm *form[MAX_FORMS];   //
  int n_layout;                     //
  OcpLayout layout[2];              //
  int every, repetitions, threads, largest;
  bool json, keep, help;
} Options;

static const char usage[] =
    "usage: bench/kkt [DIR]... [--form F]... [--layout L]... [--every N] [--repetitions N]\n"
    "                 [--threads N] [--intervals N] [--json] [--keep]\n"
    "\n"
    "Factorises KKT systems with Poise's stage-wise solver and with MUMPS (AMD, PORD, METIS) and\n"
    "compares times, residuals before refinement and inertia; then times growing grids.\n"
    "\n"
    "  DIR              written by poise solve --dump-kkt; without one the systems are recorded\n"
    "                   from cold solves of tasks/reach.json and tasks/reach_smooth.json\n"
    "  --form F         to record: IMPL, SEMI, ...; may be repeated (default all)\n"
    "  --layout L       to record: condensed, paper; may be repeated (default both)\n"
    "  --every N        record each so many factorisations (default 7)\n"
    "  --repetitions N  the quickest counts (default 7; a third of them for MUMPS)\n"
    "  --threads N      of our solver (default 1)\n"
    "  --intervals N    largest grid of the table of growing grids (default 3200; 0: no table)\n"
    "  --json           print the same as JSON\n"
    "  --keep           leave the recorded systems and say where\n"
    "\n"
    "example: bench/kkt --form IMPL --layout condensed\n";

// MUMPS and we alike use one thread; OpenBLAS would take all. Absent with another BLAS.
extern void openblas_set_num_threads(int n) __attribute__((weak));

// ---- command line -------------------------------------------------------------------------------

static Status read_count(const char *option, const char *value, int lower, int *out, Error *err) {
  char *end;
  errno = 0;
  long x = strtol(value, &end, 10);
  if (errno || *end || end == value || x < lower || x > 10 * MAX_COUNT) {
    return error_set(err, STATUS_INPUT, option, "%s is not a number in %d .. %d", value, lower,
                     10 * MAX_COUNT);
  }
  *out = (int)x;
  return STATUS_OK;
}

static Status read_valued(Options *o, const char *option, const char *value, Error *err) {
  if (strcmp(option, "--every") == 0) return read_count(option, value, 1, &o->every, err);
  if (strcmp(option, "--repetitions") == 0)
    return read_count(option, value, 1, &o->repetitions, err);
  if (strcmp(option, "--threads") == 0) return read_count(option, value, 1, &o->threads, err);
  if (strcmp(option, "--intervals") == 0) return read_count(option, value, 0, &o->largest, err);
  if (strcmp(option, "--root") == 0) return o->root = value, STATUS_OK;
  if (strcmp(option, "--form") == 0) {
    const DynForm *form = dyn_form_find(value);
    if (!form) return error_set(err, STATUS_INPUT, option, "%s is no formulation", value);
    if (o->n_form < MAX_FORMS) o->form[o->n_form++] = form;
    return STATUS_OK;
  }
  for (int k = 0; k < N_OCP_LAYOUTS; k++) {
    if (strcmp(value, ocp_layout_names[k]) != 0) continue;
    if (o->n_layout < 2) o->layout[o->n_layout++] = (OcpLayout)k;
    return STATUS_OK;
  }
  return error_set(err, STATUS_INPUT, option, "%s is no layout", value);
}

static Status read_options(Options *o, int argc, char **argv, Error *err) {
  static const char *const valued[] = {"--every", "--repetitions", "--threads", "--intervals",
                                       "--root",  "--form",        "--layout"};
  *o = (Options){.root = ".", .every = 7, .repetitions = 7, .threads = 1, .largest = 3200};
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    bool has_value = false;
    for (size_t k = 0; k < sizeof valued / sizeof *valued; k++)
      has_value = has_value || strcmp(word, valued[k]) == 0;
    if (has_value) {
      if (++i == argc) return error_set(err, STATUS_INPUT, word, "needs a value");
      Status status = read_valued(o, word, argv[i], err);
      if (status != STATUS_OK) return status;
    } else if (strcmp(word, "--json") == 0) {
      o->json = true;
    } else if (strcmp(word, "--keep") == 0) {
      o->keep = true;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      o->help = true;
    } else if (word[0] == '-' || o->n_folder == MAX_FOLDERS) {
      return error_set(err, STATUS_INPUT, word, "is no option; see --help");
    } else {
      o->folder[o->n_folder++] = word;
    }
  }
  for (int i = 0; o->n_form == 0 && i < MAX_FORMS && dyn_forms[i]; i++) o->form[i] = dyn_forms[i];
  while (o->n_form < MAX_FORMS && o->form[o->n_form]) o->n_form++;
  if (o->n_layout == 0) {
    o->layout[o->n_layout++] = OCP_CONDENSED;
    o->layout[o->n_layout++] = OCP_PAPER;
  }
  return STATUS_OK;
}

// ---- recording ----------------------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *at) {
  (void)s, (void)type, (void)at;
  return remove(path);
}

static void remove_folder(const char *path) {
  nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static Status record(const Options *o, const char *task, const DynForm *form, OcpLayout layout,
                     const char *into, Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/tasks/%s.json", o->root, task);
  Ocp *ocp;
  Status status = ocp_load(&ocp, path, err);
  if (status != STATUS_OK) return status;
  ocp->form = form;
  ocp->layout = layout;
  Colloc *c = NULL;
  Trajectory *guess = NULL;
  SolveInfo info = {0};
  status = colloc_build(&c, ocp, err);
  if (status == STATUS_OK) status = guess_build(&guess, ocp, err);
  if (status == STATUS_OK) {
    // some solves take hundreds of iterations: these show all there is to see
    static const SolveOption list[] = {{"max_iter", "150", "bench/kkt"},
                                       {"linear_solver", "stage", "bench/kkt"}};
    const SolveOptions opt = {
        .option = list, .n_option = 2, .dump_kkt = into, .dump_every = o->every};
    colloc_start(c, guess);
    Nlp *nlp = colloc_nlp(c);
    status = solver_solve(nlp, &opt, nlp->x_start, NULL, NULL, NULL, &info, err);
  }
  solver_info_free(&info);
  trajectory_free(guess);
  colloc_free(c);
  ocp_free(ocp);
  return status;
}

// solves, and measures what was recorded; the files go as soon as they were used
static Status record_all(const Options *o, BenchGroup *group, const char *folder, Error *err) {
  static const char *const tasks[] = {"reach", "reach_smooth"};
  int number = 0;
  Status status = STATUS_OK;
  for (int l = 0; l < o->n_layout; l++) {
    snprintf(group[l].name, sizeof group[l].name, "%s", ocp_layout_names[o->layout[l]]);
    for (int f = 0; f < o->n_form; f++) {
      for (int t = 0; t < 2 && status == STATUS_OK; t++) {
        char into[PATH_SIZE + 32], solve[PATH_SIZE + 64], label[64];
        snprintf(label, sizeof label, "%s %s", tasks[t], o->form[f]->name);
        fprintf(stderr, "bench/kkt: %s %s\n", group[l].name, label);
        snprintf(into, sizeof into, "%s/%02d", folder, ++number);
        snprintf(solve, sizeof solve, "%s/001", into);
        status = record(o, tasks[t], o->form[f], o->layout[l], into, err);
        if (status == STATUS_OK)
          status = bench_kkt_folder(&group[l], solve, label, o->repetitions, o->threads, err);
        if (!o->keep) remove_folder(into);
      }
    }
  }
  return status;
}

// a folder as --dump-kkt makes it, or one solve of it
static Status read_given(const Options *o, BenchGroup *g, const char *folder, Error *err) {
  char path[PATH_SIZE];
  const char *slash = strrchr(folder, '/');
  snprintf(g->name, sizeof g->name, "%s", slash && slash[1] ? slash + 1 : folder);
  snprintf(path, sizeof path, "%s/map.json", folder);
  if (access(path, R_OK) == 0)
    return bench_kkt_folder(g, folder, "", o->repetitions, o->threads, err);
  Status status = STATUS_OK;
  for (int i = 1; status == STATUS_OK; i++) {
    char label[16];
    snprintf(path, sizeof path, "%s/%03d", folder, i);
    if (access(path, R_OK) != 0) break;
    snprintf(label, sizeof label, "%03d", i);
    status = bench_kkt_folder(g, path, label, o->repetitions, o->threads, err);
  }
  if (status == STATUS_OK && g->n == 0)
    status = error_set(err, STATUS_INPUT, folder, "no systems there: neither map.json nor 001/");
  return status;
}

// ---- the run ------------------------------------------------------------------------------------

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

static Status grow(const Options *o, BenchKktReport *r, Error *err) {
  char task[PATH_SIZE];
  snprintf(task, sizeof task, "%s/tasks/reach_smooth.json", o->root);
  for (int l = 0; l < o->n_layout; l++) {
    OcpLayout layout = o->layout[l];
    for (int n = 25; n <= o->largest && r->n_scale[layout] < 16; n *= 2) {
      fprintf(stderr, "bench/kkt: %s, %d intervals\n", ocp_layout_names[layout], n);
      Status status = bench_kkt_scale(&r->scale[layout][r->n_scale[layout]++], task, layout, n,
                                      o->repetitions, o->threads, err);
      if (status != STATUS_OK) return status;
    }
  }
  return STATUS_OK;
}

static Status run(const Options *o, const char *folder, Error *err) {
  static BenchGroup group[BENCH_MAX_GROUPS];
  char cpu[128];
  cpu_name(cpu);
  BenchKktReport report = {.repetitions = o->repetitions,
                           .threads = o->threads,
                           .n_group = o->n_folder ? o->n_folder : o->n_layout,
                           .group = group,
                           .peak = bench_peak(),
                           .cpu = cpu};
  if (!bench_mumps_present()) fprintf(stderr, "bench/kkt: built without MUMPS: Poise alone\n");
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  Status status = o->n_folder ? STATUS_OK : record_all(o, group, folder, err);
  for (int i = 0; status == STATUS_OK && i < o->n_folder; i++)
    status = read_given(o, &group[i], o->folder[i], err);
  if (status == STATUS_OK) status = grow(o, &report, err);
  if (status == STATUS_OK && o->json) status = bench_kkt_print_json(&report, err);
  else if (status == STATUS_OK) bench_kkt_print_text(&report);
  for (int i = 0; i < BENCH_MAX_GROUPS; i++) free(group[i].system);
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
  if (*folder && o.keep) fprintf(stderr, "bench/kkt: files are in %s\n", folder);
  else if (*folder) remove_folder(folder);
  if (status == STATUS_OK) return 0;
  fprintf(stderr, "bench/kkt: %s%s%s\n", err.where, *err.where ? ": " : "", err.what);
  return status == STATUS_INPUT ? 2 : status == STATUS_NUMERIC ? 1 : 3;
}
