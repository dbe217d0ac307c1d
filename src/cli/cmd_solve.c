// SPDX-License-Identifier: MIT
// poise solve: plans one trajectory for a task, verifies it, explains what it found.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/form_option.h"
#include "plan/plan.h"
#include "report/report_html.h"

enum { EXIT_NOT_VERIFIED = 3, EXIT_INTERRUPTED = 130, MAX_SETS = 32, MAX_THREADS = 64 };
enum { SHOWN_SEEDS = 5, SHOWN_ERRORS = 3 };
static const double ERROR_LARGE = 1e-6;  // of an interval, for the count that is printed

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

// ---- options -----------------------------------------------------------------------------------

static Status choose(const Args *args, const char *option, const char *const *names, int n,
                     int *out, Error *err) {
  const char *value = options_value(args, option);
  if (!value) return STATUS_OK;
  char list[128] = "";
  for (int i = 0; i < n; i++) {
    if (strcmp(value, names[i]) == 0) return *out = i, STATUS_OK;
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
  }
  char where[64];
  snprintf(where, sizeof where, "--%s", option);
  return error_set(err, STATUS_INPUT, where, "unknown value \"%s\"; one of %s", value, list);
}

// what the command line says over the task
static Status override(const Args *args, Ocp *o, Error *err) {
  int layout = (int)o->layout, strategy = (int)o->strategy.kind;
  Status status = form_option(args, o->form, &o->form, err);
  if (status == STATUS_OK)
    status = choose(args, "layout", ocp_layout_names, N_OCP_LAYOUTS, &layout, err);
  if (status == STATUS_OK)
    status = choose(args, "strategy", ocp_strategy_names, N_OCP_STRATEGIES, &strategy, err);
  o->layout = (OcpLayout)layout;
  o->strategy.kind = (OcpStrategyKind)strategy;
  return status;
}

// --set a=1,b=2: options for IPOPT; text is cut up in place
static Status read_sets(char *text, SolveOption *list, int *n, Error *err) {
  *n = 0;
  for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
    char *equals = strchr(item, '=');
    if (!equals || equals == item || !equals[1]) {
      return error_set(err, STATUS_INPUT, "--set", "\"%s\" is not key=value", item);
    }
    if (*n == MAX_SETS)
      return error_set(err, STATUS_INPUT, "--set", "more than %d options", MAX_SETS);
    *equals = '\0';
    list[(*n)++] = (SolveOption){item, equals + 1, "--set"};
  }
  return STATUS_OK;
}

// all that goes to the solver as options: --set, then --linear-solver; `text` keeps the words
static Status read_solver_options(const Args *args, char *text, size_t size, SolveOption *list,
                                  int *n, Error *err) {
  const char *given = options_value(args, "set");
  const char *linear = options_value(args, "linear-solver");
  *n = 0;
  if (given && strlen(given) >= size)
    return error_set(err, STATUS_INPUT, "--set", "the text is too long");
  snprintf(text, size, "%s", given ? given : "");
  Status status = given ? read_sets(text, list, n, err) : STATUS_OK;
  if (status == STATUS_OK && linear)
    list[(*n)++] = (SolveOption){"linear_solver", linear, "--linear-solver"};
  return status;
}

// ---- words -------------------------------------------------------------------------------------

static bool show_progress(void *data, const SolveIteration *it) {
  (void)data;
  fprintf(stderr, "\r  iteration %4d%c  objective %-14.8g  violation %-9.2e  optimality %-9.2e ",
          it->iteration, it->restoration ? 'r' : ' ', it->objective, it->inf_pr, it->inf_du);
  fflush(stderr);
  return true;
}

static void print_steps(const PlanResult *r) {
  for (int i = 0; r->n_step > 1 && i < r->n_step; i++) {
    const PlanStep *s = &r->step[i];
    printf("  %d x %d points, torque rate weight %-8.3g %4d iterations  objective %-14.8g %s",
           s->intervals, s->degree, s->torque_rate, s->iterations, s->objective,
           solve_status_name(s->status));
    if (s->seed >= 0) printf("  (seed %d)", s->seed);
    if (s->start) printf("  (guess %s)", s->start);
    if (i >= r->n_unrefined) printf("  (refined)");
    if (s->pushed) printf("  (goal moved aside: %d joints stood still)", s->pushed);
    putchar('\n');
  }
}

static void print_optima(const PlanResult *r) {
  if (!r->n_optimum) return;
  printf("optima        %d distinct:\n", r->n_optimum);
  for (int i = 0; i < r->n_optimum; i++) {
    const PlanOptimum *p = &r->optimum[i];
    printf("  %-14.10g %3d of %d starts, motion %.2g away from the best's (seed %d", p->objective,
           p->count, r->n_unrefined, p->distance, p->seed[0]);
    for (int k = 1; k < p->n_seed && k < SHOWN_SEEDS; k++) printf(", %d", p->seed[k]);
    printf("%s)\n", p->n_seed > SHOWN_SEEDS ? ", ..." : "");
  }
}

static void print_refinement(const PlanResult *r) {
  if (r->n_step == r->n_unrefined) return;
  const PlanStep *own = &r->step[r->n_unrefined - 1];
  if (r->o != &r->refined) {
    printf("grid          %d intervals; a finer one was not solved\n", own->intervals);
    return;
  }
  printf("grid          refined from %d to %d intervals%s\n", own->intervals, r->o->n_interval,
         ocp_n_control(r->o) == r->o->n_interval ? ", torques as on the first" : "");
  printf("              objective %.10g on the task's grid (defect %.2g), %.10g on this one\n",
         r->unrefined_objective, own->defect, r->objective);
}

// error estimates of the intervals: how many are large, and where the largest are
static void print_errors(const PlanResult *r) {
  const SimReport *v = &r->verification;
  const Trajectory *t = r->trajectory;
  int above = 0, shown[SHOWN_ERRORS], n_shown = 0;
  for (int k = 0; k < v->n_interval; k++) above += v->error[k] > ERROR_LARGE;
  printf(
      "              error estimate (relative): largest %.2g, above %.0e in %d of %d intervals\n",
      r->error, ERROR_LARGE, above, v->n_interval);
  while (n_shown < SHOWN_ERRORS && n_shown < v->n_interval) {
    int worst = -1;
    for (int k = 0; k < v->n_interval; k++) {
      bool seen = false;
      for (int i = 0; i < n_shown; i++) seen = seen || shown[i] == k;
      if (!seen && (worst < 0 || v->error[k] > v->error[worst])) worst = k;
    }
    printf("%s %.2g in interval %d (%.4g to %.4g s)",
           n_shown ? "," : "              worst:", v->error[worst], worst, t->time[worst],
           t->time[worst + 1]);
    shown[n_shown++] = worst;
  }
  putchar('\n');
}

static void print_verification(const PlanResult *r) {
  if (!r->has_verification) {
    printf("verification  not done\n");
    return;
  }
  const SimReport *v = &r->verification;
  printf("verification  %s by %s: largest defect %.2g, goal missed by %.2g m at the last node\n",
         v->verified ? "passed" : "FAILED", v->method, fmax(v->q_defect.value, v->v_defect.value),
         v->goal.position);
  if (v->open_loop.completed) {
    printf("              open loop over %.3g s: frame off by %.2g m at the end\n",
           v->open_loop.end, v->open_loop.position);
  } else {
    printf("              open loop runs away after %.3g s\n", v->open_loop.end);
  }
  print_errors(r);
  if (!v->verified) printf("              %s\n", v->failure);
}

static void print_text(const PlanResult *r) {
  command_put_text(stdout, r->o->name);
  printf(": %s, %s layout, %d variables, %d constraints, %d and %d nonzeros\n", r->o->form->name,
         r->o->layout == OCP_PAPER ? "paper" : "condensed", r->variables, r->constraints,
         r->jacobian_nonzeros, r->hessian_nonzeros);
  print_steps(r);
  printf("status        %s\n", r->interrupted ? "interrupted" : solve_status_name(r->status));
  printf("objective     %.10g\n", r->objective);
  print_refinement(r);
  print_optima(r);
  if (r->o->free_time)
    printf("final time    %.6g s\n", r->trajectory->time[r->trajectory->n_interval]);
  printf("iterations    %d\n", r->iterations);
  if (r->info.note[0]) printf("note          %s\n", r->info.note);
  printf("time          %.3g s: setup %.3g, functions %.3g, linear algebra %.3g\n", r->total_s,
         r->setup_s, r->evaluation_s, r->linear_solver_s);
  print_verification(r);
  if (!r->solved && r->explanation[0]) printf("%s", r->explanation);
}

// ---- files -------------------------------------------------------------------------------------

static void write_csv(const PlanResult *r, TextBuf *b) {
  trajectory_write_csv(r->trajectory, r->o->model, b);
}

static Status save(const PlanResult *r, const char *path,
                   void (*write)(const PlanResult *r, TextBuf *b), Error *err) {
  if (!path) return STATUS_OK;
  TextBuf b = {0};
  write(r, &b);
  Status status = b.failed ? error_no_memory(err) : textbuf_save(&b, path, err);
  textbuf_free(&b);
  return status;
}

static Status report(const Args *args, const PlanResult *r, Error *err) {
  Status status = save(r, options_value(args, "output"), plan_result_write_json, err);
  if (status == STATUS_OK) status = save(r, options_value(args, "csv"), write_csv, err);
  if (status == STATUS_OK) status = save(r, options_value(args, "html"), report_html, err);
  if (status != STATUS_OK) return status;
  if (!options_has(args, "json")) {
    print_text(r);
    return STATUS_OK;
  }
  TextBuf b = {0};
  plan_result_write_json(r, &b);
  status = b.failed ? error_no_memory(err) : STATUS_OK;
  if (status == STATUS_OK) fputs(b.text, stdout);
  textbuf_free(&b);
  return status;
}

static int exit_code(const Args *args, const PlanResult *r) {
  if (r->interrupted) return EXIT_INTERRUPTED;
  if (!r->solved) return EXIT_NOT_SOLVED;
  if (options_has(args, "no-verify")) return EXIT_SOLVED;
  return r->has_verification && r->verification.verified ? EXIT_SOLVED : EXIT_NOT_VERIFIED;
}

// a place that can't be written to is found before solving, not after
static Status check_writable(const char *path, Error *err) {
  if (!path) return STATUS_OK;
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash == folder) slash[1] = '\0';
  else if (slash) *slash = '\0';
  else snprintf(folder, sizeof folder, ".");
  if (access(folder, W_OK | X_OK) == 0) return STATUS_OK;
  return error_set(err, STATUS_IO, path, "can't write to the folder \"%s\"", folder);
}

static Status solve(const Args *args, Ocp *o, const PlanOptions *opt, int *code, Error *err) {
  PlanResult *r = NULL;
  Status status = plan_run(&r, o, opt, err);
  if (opt->progress) fputs("\r\033[K", stderr);
  if (status == STATUS_OK) status = report(args, r, err);
  if (status == STATUS_OK) *code = exit_code(args, r);
  plan_result_free(r);
  return status;
}

static int run(const Args *args) {
  Error err = {0};
  Ocp *o = NULL;
  SolveOption set[MAX_SETS + 1];
  int n_set = 0, code = EXIT_INTERNAL, threads = 1;
  char sets[2048];
  Status status = read_solver_options(args, sets, sizeof sets, set, &n_set, &err);
  if (status == STATUS_OK) status = options_int(args, "threads", 1, MAX_THREADS, &threads, &err);
  if (status == STATUS_OK) status = ocp_load(&o, args->positional[0], &err);
  if (status == STATUS_OK) status = override(args, o, &err);
  double tolerance = 0.0;
  if (status == STATUS_OK) status = options_double(args, "refine", 1e-12, 1.0, &tolerance, &err);
  if (status == STATUS_OK) status = check_writable(options_value(args, "output"), &err);
  if (status == STATUS_OK) status = check_writable(options_value(args, "csv"), &err);
  if (status == STATUS_OK) status = check_writable(options_value(args, "html"), &err);
  if (status == STATUS_OK) status = check_writable(options_value(args, "dump-kkt"), &err);
  if (status == STATUS_OK) {
    for (int i = 0; i < o->n_note; i++) command_warn("%s", o->note[i]);
    PlanOptions opt = {.option = set,
                       .n_option = n_set,
                       .option_file = options_value(args, "options"),
                       .skip_verification = options_has(args, "no-verify"),
                       .refine = tolerance,
                       .refine_to_verify = o->strategy.refine && !options_has(args, "exact"),
                       .retry = o->strategy.retry && !options_has(args, "exact"),
                       .interrupt = &interrupted,
                       .threads = threads,
                       .dump_kkt = options_value(args, "dump-kkt")};
    if (!opt.option_file && access("ipopt.opt", R_OK) == 0) opt.option_file = "ipopt.opt";
    if (options_has(args, "table")) opt.write_table = solver_write_stream, opt.write_data = stderr;
    else if (isatty(STDERR_FILENO)) opt.progress = show_progress;
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of writing, not the end
    status = solve(args, o, &opt, &code, &err);
  }
  ocp_free(o);
  return status == STATUS_OK ? code : command_fail(&err);
}

static const Option options[] = {
    {"formulation", 'f', "F", "instead of the task's: IMPL, SEMI, EXP1-O, EXP1-A, EXP2-O, EXP2-A"},
    {"layout", 'l', "L", "instead of the task's: condensed or paper"},
    {"strategy", 0, "S", "instead of the task's: cold, continuation or multistart"},
    {"set", 0, "K=V,...", "options for IPOPT, by its own names"},
    {"options", 0, "FILE", "options for IPOPT in its format; default: ipopt.opt if there is one"},
    {"linear-solver", 0, "S", "stage (Poise's own, the default), mumps, or another one of IPOPT's"},
    {"threads", 0, "N", "threads of the linear solver stage (default 1); results stay the same"},
    {"refine", 0, "TOL", "split intervals until their error estimate is below this, e.g. 1e-6"},
    {"exact", 0, NULL, "the task's own grid and guess: no finer intervals, no other starts"},
    {"output", 'o', "FILE", "write the result as JSON"},
    {"csv", 0, "FILE", "write the trajectory as CSV"},
    {"html", 0, "FILE", "write a page with the motion, plots and figures"},
    {"dump-kkt", 0, "DIR", "write every linear system there (Matrix Market); with stage only"},
    {"json", 0, NULL, "print the result as JSON instead of words"},
    {"table", 0, NULL, "show IPOPT's table of iterations on stderr"},
    {"no-verify", 0, NULL, "don't replay the trajectory"},
};

const Command cmd_solve = {
    .name = "solve",
    .summary = "plan one trajectory for a task and verify it",
    .positional = "TASK.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "Transcribes the task by direct collocation, solves it with IPOPT, replays the result\n"
        "through another formulation of the dynamics with an error-controlled integrator.\n"
        "Intervals that fail the replay are split and the task is solved again; a guess that\n"
        "does not lead to a solution soon is changed. --exact does without both, for studies.\n"
        "Exit codes: 0 solved and verified, 1 not solved, 2 bad input, 3 solved but not\n"
        "verified, 130 interrupted (Ctrl-C stops at the next iteration; what there is is\n"
        "written and marked).\n",
    .example = "poise solve tasks/reach.json -o reach.result.json --csv reach.csv\n",
    .run = run,
};
