// SPDX-License-Identifier: MIT
// Does our linear solver lead IPOPT as well as MUMPS does? Cold solves of the benchmark's 15 targets (phi in
// {-pi/2, -pi/4, 0, pi/4, pi/2}, z in {-0.1, 0, 0.1}, r = 0.63), with and without smoothing, in every
// formulation: iterations, optima, and who is lost. bench/targets runs it.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collocation/colloc.h"
#include "solver/solver.h"

enum { N_PHI = 5, N_Z = 3, N_LINEAR = 2, MAX_FORMS = 16, PATH_SIZE = 4096 };

static const double RADIUS = 0.63;
static const char *const linear[N_LINEAR] = {"stage", "mumps"};
static const char *const tasks[2] = {"reach", "reach_smooth"};

typedef struct Options {
  const char *root;
  int n_form;
  const DynForm *form[MAX_FORMS];
  OcpLayout layout;
  const char *max_iter;
  bool help;
} Options;

static const char usage[] =
    "usage: bench/targets [--form F]... [--layout L] [--max-iter N]\n"
    "\n"
    "Cold solves of the benchmark's 15 targets with and without smoothing, by IPOPT with our linear\n"
    "solver and with MUMPS: iterations, optima, who is lost.\n"
    "\n"
    "  --form F       IMPL, SEMI, EXP1-O, EXP1-A, EXP2-O, EXP2-A; may be repeated (default all)\n"
    "  --layout L     condensed (default) or paper\n"
    "  --max-iter N   iterations at most (default 400)\n"
    "\n"
    "example: bench/targets --form IMPL\n";

static Status read_options(Options *o, int argc, char **argv, Error *err) {
  *o = (Options){.root = ".", .max_iter = "400"};
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return o->help = true, STATUS_OK;
    if (i + 1 == argc) return error_set(err, STATUS_INPUT, word, "is no option, or needs a value");
    const char *value = argv[++i];
    if (strcmp(word, "--root") == 0) {
      o->root = value;
    } else if (strcmp(word, "--max-iter") == 0) {
      o->max_iter = value;
    } else if (strcmp(word, "--form") == 0 && o->n_form < MAX_FORMS) {
      o->form[o->n_form] = dyn_form_find(value);
      if (!o->form[o->n_form++])
        return error_set(err, STATUS_INPUT, word, "%s is no formulation", value);
    } else if (strcmp(word, "--layout") == 0) {
      if (strcmp(value, "paper") != 0 && strcmp(value, "condensed") != 0)
        return error_set(err, STATUS_INPUT, word, "%s is no layout", value);
      o->layout = strcmp(value, "paper") == 0 ? OCP_PAPER : OCP_CONDENSED;
    } else {
      return error_set(err, STATUS_INPUT, word, "is no option; see --help");
    }
  }
  static const char *const six[] = {"IMPL", "SEMI", "EXP1-O", "EXP1-A", "EXP2-O", "EXP2-A"};
  bool all = o->n_form == 0;
  for (int i = 0; all && i < 6; i++) o->form[o->n_form++] = dyn_form_find(six[i]);
  return STATUS_OK;
}

typedef struct Outcome {
  bool solved;
  int iterations, factorisations;
  double objective;
} Outcome;

static Status solve(const Options *o, const Ocp *ocp, const char *with, Outcome *out, Error *err) {
  Colloc *c = NULL;
  Trajectory *guess = NULL;
  SolveInfo info = {0};
  Status status = colloc_build(&c, ocp, err);
  if (status == STATUS_OK) status = guess_build(&guess, ocp, err);
  if (status == STATUS_OK) {
    const SolveOption list[] = {{"linear_solver", with, "bench/targets"},
                                {"max_iter", o->max_iter, "bench/targets"}};
    const SolveOptions opt = {.option = list, .n_option = 2};
    colloc_start(c, guess);
    Nlp *nlp = colloc_nlp(c);
    status = solver_solve(nlp, &opt, nlp->x_start, NULL, NULL, NULL, &info, err);
  }
  *out = (Outcome){status == STATUS_OK && solve_status_solved(info.status), info.iterations,
                   info.stage.factorisations, info.objective};
  solver_info_free(&info);
  trajectory_free(guess);
  colloc_free(c);
  return status;
}

typedef struct Sum {
  int solved[N_LINEAR], lost;     // lost: MUMPS alone solves it
  long iterations[N_LINEAR];      // of targets that both solve
  int both, same, lower, higher;  // optima: equal to 1e-6, ours lower, ours higher
} Sum;

static void add(Sum *s, const Outcome *r) {
  for (int k = 0; k < N_LINEAR; k++) s->solved[k] += r[k].solved;
  s->lost += r[1].solved && !r[0].solved;
  if (!r[0].solved || !r[1].solved) return;
  s->both++;
  for (int k = 0; k < N_LINEAR; k++) s->iterations[k] += r[k].iterations;
  double gap = (r[0].objective - r[1].objective) / fabs(r[1].objective);
  if (fabs(gap) <= 1e-6) s->same++;
  else if (gap < 0) s->lower++;
  else s->higher++;
}

static void print_sum(const char *name, const char *form, const Sum *s) {
  printf(
      "%-13s %-7s solved %2d and %2d, lost %d; both solve %2d: iterations %5ld and %5ld; optima the same %2d, "
      "ours lower %d, higher %d\n",
      name, form, s->solved[0], s->solved[1], s->lost, s->both, s->iterations[0], s->iterations[1],
      s->same, s->lower, s->higher);
  fflush(stdout);
}

static Status run_form(const Options *o, const char *task, const DynForm *form, Sum *all,
                       Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/tasks/%s.json", o->root, task);
  Ocp *ocp;
  Status status = ocp_load(&ocp, path, err);
  if (status != STATUS_OK) return status;
  ocp->form = form;
  ocp->layout = o->layout;
  Sum sum = {0};
  for (int t = 0; t < N_PHI * N_Z && status == STATUS_OK; t++) {
    double phi = (t / N_Z - 2) * M_PI / 4, z = 0.1 * (t % N_Z - 1);
    Outcome r[N_LINEAR];
    ocp->goal.position[0] = RADIUS * cos(phi);
    ocp->goal.position[1] = RADIUS * sin(phi);
    ocp->goal.position[2] = z;
    for (int k = 0; k < N_LINEAR && status == STATUS_OK; k++)
      status = solve(o, ocp, linear[k], &r[k], err);
    if (status != STATUS_OK) break;
    add(&sum, r);
    add(all, r);
    fprintf(stderr, "%s %s phi %+.4f z %+.1f: %s%d %.8g and %s%d %.8g\n", task, form->name, phi, z,
            r[0].solved ? "" : "not solved ", r[0].iterations, r[0].objective,
            r[1].solved ? "" : "not solved ", r[1].iterations, r[1].objective);
  }
  ocp_free(ocp);
  if (status == STATUS_OK) print_sum(task, form->name, &sum);
  return status;
}

int main(int argc, char **argv) {
  Options o;
  Error err = {0};
  Status status = read_options(&o, argc, argv, &err);
  if (status == STATUS_OK && o.help) {
    fputs(usage, stdout);
    return 0;
  }
  Sum all = {0};
  if (status == STATUS_OK)
    printf("15 targets, cold, %s layout, at most %s iterations; stage and mumps\n",
           ocp_layout_names[o.layout], o.max_iter);
  for (int i = 0; i < 2 * o.n_form && status == STATUS_OK; i++)
    status = run_form(&o, tasks[i / o.n_form], o.form[i % o.n_form], &all, &err);
  if (status == STATUS_OK) {
    print_sum("all", "", &all);
    return 0;
  }
  fprintf(stderr, "bench/targets: %s%s%s\n", err.where, *err.where ? ": " : "", err.what);
  return status == STATUS_INPUT ? 2 : 3;
}
