// SPDX-License-Identifier: MIT
// IPOPT through its C interface.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "solver/solver_ipopt_internal.h"

// The one place where infinities become IPOPT's: anything beyond its nlp_*_bound_inf of 1e19.
static double ipopt_bound(double b) {
  return isinf(b) ? copysign(2e19, b) : b;
}

// ---- the solve ----------------------------------------------------------------------------------

// Bounds must not cross, and no NaN anywhere.
static Status check_bounds(const Nlp *nlp, bool variable, Error *err) {
  int n = variable ? nlp->n : nlp->m;
  const double *lower = variable ? nlp->x_lower : nlp->g_lower;
  const double *upper = variable ? nlp->x_upper : nlp->g_upper;
  for (int i = 0; i < n; i++) {
    if (lower[i] <= upper[i] && lower[i] < INFINITY && upper[i] > -INFINITY) continue;
    char name[128];
    ipopt_name(nlp, variable, i, name, sizeof name);
    if (isnan(lower[i]) || isnan(upper[i]))
      return error_set(err, STATUS_NUMERIC, name, "bounds %g and %g", lower[i], upper[i]);
    return error_set(err, STATUS_INPUT, name, "lower bound %g, upper bound %g: nothing between",
                     lower[i], upper[i]);
  }
  return STATUS_OK;
}

static Status check_problem(const Nlp *nlp, const double *x, Error *err) {
  assert(nlp->n >= 0 && nlp->m >= 0 && nlp->objective && nlp->gradient);
  assert(nlp->m == 0 || (nlp->constraints && nlp->jacobian));
  if (nlp->n == 0) return error_set(err, STATUS_INPUT, "", "a problem without variables");
  if (nlp->m > 0 && nlp->jac_nnz == 0)
    return error_set(err, STATUS_INPUT, "", "no constraint depends on a variable");
  if (check_bounds(nlp, true, err) != STATUS_OK || check_bounds(nlp, false, err) != STATUS_OK)
    return err->code;
  for (int i = 0; i < nlp->n; i++) {
    if (isfinite(x[i])) continue;
    char name[128];
    ipopt_name(nlp, true, i, name, sizeof name);
    return error_set(err, STATUS_NUMERIC, name, "starts at %g", x[i]);
  }
  return STATUS_OK;
}

static double *copy_or_zero(Arena *arena, const double *from, int n) {
  double *to = arena_array(arena, (size_t)n + 1, sizeof *to);
  if (to && from) memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

static bool allocate(IpoptRun *r, Arena *arena, const double *lambda, const double *z_lower,
                     const double *z_upper) {
  const Nlp *nlp = r->nlp;
  r->x_lower = copy_or_zero(arena, nlp->x_lower, nlp->n);
  r->x_upper = copy_or_zero(arena, nlp->x_upper, nlp->n);
  r->g_lower = copy_or_zero(arena, nlp->g_lower, nlp->m);
  r->g_upper = copy_or_zero(arena, nlp->g_upper, nlp->m);
  r->lambda = copy_or_zero(arena, lambda, nlp->m);
  r->z_lower = copy_or_zero(arena, z_lower, nlp->n);
  r->z_upper = copy_or_zero(arena, z_upper, nlp->n);
  size_t scratch = 2 * (size_t)nlp->n + (size_t)nlp->m + (size_t)nlp->jac_nnz;
  r->scratch = arena_array(arena, scratch, sizeof *r->scratch);
  if (!r->x_lower || !r->x_upper || !r->g_lower || !r->g_upper || !r->lambda || !r->z_lower ||
      !r->z_upper || !r->scratch)
    return false;
  for (int i = 0; i < nlp->n; i++) {
    r->x_lower[i] = ipopt_bound(r->x_lower[i]);
    r->x_upper[i] = ipopt_bound(r->x_upper[i]);
  }
  for (int i = 0; i < nlp->m; i++) {
    r->g_lower[i] = ipopt_bound(r->g_lower[i]);
    r->g_upper[i] = ipopt_bound(r->g_upper[i]);
  }
  return true;
}

// The file IPOPT prints to. Without one there are no times of the linear solver; that alone is no
// reason to fail.
static Status open_log(IpoptRun *r, IpoptProblem problem, int level, Error *err) {
  enum { SUMMARY = 3 };  // level of the timing statistics
  if (solver_log_open(&r->log) &&
      OpenIpoptOutputFile(problem, r->log.path, r->table && level > SUMMARY ? level : SUMMARY)) {
    solver_log_unlink(&r->log);
    return STATUS_OK;
  }
  if (r->table) error_set(err, STATUS_IO, r->log.path, "can't write a temporary file (TMPDIR)");
  solver_log_close(&r->log);
  return r->table ? err->code : STATUS_OK;
}

// IPOPT's own reason for Invalid_Option, in what it printed
static Status invalid_option(const char *log, Error *err) {
  static const char *const marks[] = {"Exception message: ", "Error opening"};
  for (int i = 0; i < 2 && log; i++) {
    const char *text = strstr(log, marks[i]);
    if (!text) continue;
    if (i == 0) text += strlen(marks[i]);
    return error_set(err, STATUS_INPUT, "solver options", "IPOPT: %.*s", (int)strcspn(text, "\n"),
                     text);
  }
  return error_set(err, STATUS_INPUT, "solver options", "IPOPT can't use them");
}

static void tell_stage(const KktHook *h, SolveInfo *info) {
  snprintf(info->linear_solver, sizeof info->linear_solver, "stage");
  info->stage = (SolveStage){.factorisations = h->n_factor,
                             .singular = h->n_singular,
                             .right_hand_sides = h->n_solve,
                             .delayed = h->n_delayed,
                             .max_front = h->info.max_front,
                             .flops = h->info.flops,
                             .bytes = h->info.bytes,
                             .factor_s = h->factor_s,
                             .solve_s = h->solve_s};
}

static void finish(IpoptRun *r, const OptionList *list, const char *log, const double *x) {
  SolveInfo *info = r->info;
  SolveTiming *t = &info->timing;
  const char *solver = option_list_find(list, "linear_solver");
  snprintf(info->linear_solver, sizeof info->linear_solver, "%s", solver);
  if (log) solver_log_parse(log, info);
  if (r->hook) tell_stage(r->hook, info);
  if (log && r->table) solver_log_finish(&r->log, r->opt, log, list->show_timing);
  solver_residual(r->nlp, x, r->lambda, r->z_lower, r->z_upper, r->scratch, info);
  for (int f = 0; f < SOLVE_N_FUNCTION; f++) t->evaluation_s += t->function_s[f];
  t->total_s = clock_seconds() - r->start;
  t->rest_s = t->total_s - t->evaluation_s - t->linear_solver_s;
}

// IpoptSolve with the options of the list; STATUS_OK whatever its verdict.
static Status run_ipopt(IpoptRun *r, const OptionList *list, double *x, Error *err) {
  IpoptProblem problem = ipopt_create(r);
  if (!problem) return error_set(err, STATUS_INPUT, "", "IPOPT refuses the problem");
  int refused = -1, verdict = SOLVE_INTERNAL_ERROR;
  Status status = open_log(r, problem, list->print_level, err);
  bool set = status == STATUS_OK && ipopt_set_options(problem, list, &refused, &r->max_wall);
  if (set) {
    if (r->table) solver_log_skip(&r->log);
    r->last = clock_seconds();
    int threads = solver_blas_enter();
    verdict = (int)IpoptSolve(problem, x, NULL, &r->info->objective, r->lambda, r->z_lower,
                              r->z_upper, r);
    solver_blas_leave(threads);
  }
  // 3.14 crashes when it frees an ma97 that it could not load: rather leave it
  bool lost = verdict == SOLVE_INVALID_OPTION &&
              !strcmp(option_list_find(list, "linear_solver"), "ma97");
  if (lost) fflush(NULL);
  else FreeIpoptProblem(problem);
  char *log = solver_log_text(&r->log);
  r->info->status = r->too_long ? SOLVE_MAX_WALL_TIME : (SolveStatus)verdict;
  if (status == STATUS_OK && !set)
    status = refused < 0 ? error_set(err, STATUS_INPUT, "", "IPOPT refuses to be silent")
                         : ipopt_refused(&list->option[refused], log, err);
  else if (set && verdict == SOLVE_INVALID_OPTION) status = invalid_option(log, err);
  else if (set && r->no_memory) status = error_no_memory(err);
  else if (set) finish(r, list, log, x);
  free(log);
  solver_log_close(&r->log);
  return status;
}

// ---- the linear solver "stage" ------------------------------------------------------------------

// Why our linear solver can't be used, in *why (STATUS_OK: it was used).
static Status try_stages(IpoptRun *r, const OptionList *list, KktHook *hook, double *x, Error *why,
                         Error *err) {
  if (!kkt_hsl_enter(hook)) return error_set(why, STATUS_INPUT, "", "IPOPT has no door for it");
  r->hook = hook;
  Status status = run_ipopt(r, list, x, err);
  r->hook = NULL;
  if (hook->failed) *why = hook->err;
  // options that IPOPT refuses with any linear solver are found when MUMPS runs
  else if (status == STATUS_INPUT) *why = *err;
  return status;
}

// Solves with our linear solver. *fell: it can't be used here, for the reason in info->note.
static Status solve_by_stages(IpoptRun *r, const OptionList *list, Arena *arena, double *x,
                              bool *fell, Error *err) {
  KktMap map;
  KktDump dump;
  KktHook hook = {.map = &map, .threads = r->opt->threads, .dump_every = r->opt->dump_every};
  Error why = {0};
  Status status = STATUS_OK;
  if (r->nlp->n_stage == 0) error_set(&why, STATUS_INPUT, "", "the program has no stage map");
  else if (!kkt_map_build(&map, r->nlp, arena)) status = error_no_memory(err);
  else if (r->opt->dump_kkt) {
    hook.dump = &dump;
    status = kkt_dump_open(&dump, r->opt->dump_kkt, &map, err);
  }
  if (status == STATUS_OK && why.code == STATUS_OK)
    status = try_stages(r, list, &hook, x, &why, err);
  kkt_hsl_leave(&hook);
  if (why.code == STATUS_OK) return status;
  // no memory and no place for the systems are no better with MUMPS, and MUMPS can't write systems
  if (why.code != STATUS_INPUT) return *err = why, why.code;
  if (r->opt->dump_kkt)
    return error_set(err, STATUS_INPUT, "linear systems", "can't write them: %s", why.what);
  *fell = true;
  snprintf(r->info->note, sizeof r->info->note, "%.320s", why.what);
  return STATUS_OK;
}

static void empty_info(SolveInfo *info) {
  *info = (SolveInfo){
      .objective = NAN,
      .timing = {
          .linear_solver_s = NAN, .symbolic_s = NAN, .factorisation_s = NAN, .back_solve_s = NAN}};
  snprintf(info->version, sizeof info->version, "%s", IPOPT_VERSION);
}

// Multipliers as the caller gave them, each may be NULL.
typedef struct Multipliers {
  const double *lambda, *z_lower, *z_upper;
} Multipliers;

// One solve from the start x_start, in *x (n) what came out. *fell: see solve_by_stages.
static Status solve(IpoptRun *r, const double *x_start, const Multipliers *from, bool stage,
                    Arena *arena, double **x, bool *fell, Error *err) {
  *fell = false;
  *x = copy_or_zero(arena, x_start, r->nlp->n);
  if (!*x || !allocate(r, arena, from->lambda, from->z_lower, from->z_upper))
    return error_no_memory(err);
  OptionList list;
  Status status = option_list_build(&list, r->nlp, r->opt, stage, arena, err);
  if (status != STATUS_OK) return status;
  r->table = r->opt->write_table && list.print_level > 0;
  if (list.stage) return solve_by_stages(r, &list, arena, *x, fell, err);
  if (r->opt->dump_kkt)
    return error_set(err, STATUS_INPUT, "linear systems",
                     "only linear solver \"stage\" can write them, not \"%s\"",
                     option_list_find(&list, "linear_solver"));
  if (ipopt_missing_ma97(&list))
    return error_set(err, STATUS_INPUT, "solver options", "linear solver ma97 is not available");
  return run_ipopt(r, &list, *x, err);
}

static void copy_out(double *to, const double *from, int n) {
  if (to && from) memcpy(to, from, (size_t)n * sizeof *to);
}

Status solver_solve(const Nlp *nlp, const SolveOptions *opt, double *x, double *lambda_g,
                    double *z_lower, double *z_upper, SolveInfo *info, Error *err) {
  empty_info(info);
  IpoptRun run = {
      .nlp = nlp, .opt = opt, .info = info, .start = clock_seconds(), .log = {.fd = -1}};
  const Multipliers from = {lambda_g, z_lower, z_upper};
  double *at = NULL;
  bool fell = false;
  Status status = check_problem(nlp, x, err);
  Arena *arena = status == STATUS_OK ? arena_new() : NULL;
  if (status == STATUS_OK) status = solve(&run, x, &from, true, arena, &at, &fell, err);
  if (fell) {
    char why[sizeof info->note];
    memcpy(why, info->note, sizeof why);
    solver_info_free(info);
    empty_info(info);
    snprintf(info->note, sizeof info->note, "linear solver mumps instead of stage: %.320s", why);
    run = (IpoptRun){.nlp = nlp, .opt = opt, .info = info, .start = run.start, .log = {.fd = -1}};
    status = solve(&run, x, &from, false, arena, &at, &fell, err);
  }
  if (status == STATUS_OK) {
    copy_out(x, at, nlp->n);
    copy_out(lambda_g, run.lambda, nlp->m);
    copy_out(z_lower, run.z_lower, nlp->n);
    copy_out(z_upper, run.z_upper, nlp->n);
  } else {
    solver_info_free(info);
    info->status = SOLVE_INTERNAL_ERROR;  // never like a solution
    info->objective = NAN;
  }
  arena_free(arena);
  return status;
}
