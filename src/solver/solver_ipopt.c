// SPDX-License-Identifier: MIT
// IPOPT through its C interface.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "solver/solver_ipopt_internal.h"

// What the callbacks know.
typedef struct Run {
  const Nlp *nlp;
  const SolveOptions *opt;
  SolveInfo *info;
  SolverLog log;
  bool table;       // somebody reads it
  double start;     // clock() at the beginning of solver_solve
  double last;      // at the last iteration
  double max_wall;  // [s]; INFINITY where IPOPT keeps the limit itself
  bool too_long;    // max_wall reached
  bool no_memory;   //
  int capacity;     // of the history
  double *x_lower;  // n, with IPOPT's infinities; the others likewise
  double *x_upper;  //
  double *g_lower;  // m
  double *g_upper;  //
  double *lambda;   // m
  double *z_lower;  // n
  double *z_upper;  //
  double *scratch;  // 2 n + m + jac_nnz
} Run;

// The one place where infinities become IPOPT's: anything beyond its nlp_*_bound_inf of 1e19.
static double ipopt_bound(double b) {
  return isinf(b) ? copysign(2e19, b) : b;
}

// ---- evaluation ---------------------------------------------------------------------------------

static bool call(const Nlp *nlp, SolveFunction f, const double *x, bool new_x, double sigma,
                 const double *lambda, double *out) {
  switch (f) {
    case SOLVE_OBJECTIVE: return nlp->objective(nlp->data, x, new_x, out);
    case SOLVE_GRADIENT: return nlp->gradient(nlp->data, x, new_x, out);
    case SOLVE_CONSTRAINTS: return nlp->constraints(nlp->data, x, new_x, out);
    case SOLVE_JACOBIAN: return nlp->jacobian(nlp->data, x, new_x, out);
    case SOLVE_HESSIAN: return nlp->hessian(nlp->data, x, new_x, sigma, lambda, out);
    case SOLVE_N_FUNCTION: break;
  }
  return false;
}

static void name_of(const Nlp *nlp, bool variable, int i, char *out, size_t size) {
  void (*name)(const void *, int, char *, size_t) = variable ? nlp->name_variable
                                                             : nlp->name_constraint;
  if (name) name(nlp->data, i, out, size);
  else snprintf(out, size, "%s %d", variable ? "variable" : "constraint", i);
}

// the name of entry e of a function
static void name_entry(const Nlp *nlp, SolveFunction f, int e, char *out, size_t size) {
  char a[88], b[88];
  out[0] = 0;
  if (f == SOLVE_GRADIENT) name_of(nlp, true, e, out, size);
  if (f == SOLVE_CONSTRAINTS) name_of(nlp, false, e, out, size);
  if (f != SOLVE_JACOBIAN && f != SOLVE_HESSIAN) return;
  bool jac = f == SOLVE_JACOBIAN;
  name_of(nlp, !jac, jac ? nlp->jac_row[e] : nlp->hess_row[e], a, sizeof a);
  name_of(nlp, true, jac ? nlp->jac_col[e] : nlp->hess_col[e], b, sizeof b);
  snprintf(out, size, jac ? "d (%s) / d (%s)" : "(%s), (%s)", a, b);
}

static void note_bad(Run *r, SolveFunction f, const double *out, int n) {
  SolveBad *bad = &r->info->bad;
  bad->count++;
  bad->function = f;
  bad->iteration = r->info->iterations;
  bad->entry = -1;
  bad->name[0] = 0;
  for (int e = 0; e < n && bad->entry < 0; e++) {
    if (!isfinite(out[e])) bad->entry = e;
  }
  if (bad->entry >= 0) name_entry(r->nlp, f, bad->entry, bad->name, sizeof bad->name);
}

static bool evaluate(Run *r, SolveFunction f, const double *x, bool new_x, double sigma,
                     const double *lambda, double *out, int n) {
  double before = clock_seconds();
  bool ok = call(r->nlp, f, x, new_x, sigma, lambda, out);
  r->info->timing.function_s[f] += clock_seconds() - before;
  r->info->count[f]++;
  if (ok && solver_all_finite(out, n)) return true;
  if (!ok) {
    // it may have left `out` unwritten: once more, to see which entry it is
    memset(out, 0, (size_t)n * sizeof *out);
    call(r->nlp, f, x, true, sigma, lambda, out);
  }
  note_bad(r, f, out, n);
  return false;
}

static IpoptBool eval_f(IpoptIndex n, IpoptNumber *x, IpoptBool new_x, IpoptNumber *f, void *data) {
  (void)n;
  return evaluate(data, SOLVE_OBJECTIVE, x, new_x, 0, NULL, f, 1);
}

static IpoptBool eval_grad_f(IpoptIndex n, IpoptNumber *x, IpoptBool new_x, IpoptNumber *grad,
                             void *data) {
  return evaluate(data, SOLVE_GRADIENT, x, new_x, 0, NULL, grad, n);
}

static IpoptBool eval_g(IpoptIndex n, IpoptNumber *x, IpoptBool new_x, IpoptIndex m, IpoptNumber *g,
                        void *data) {
  (void)n;
  return m == 0 || evaluate(data, SOLVE_CONSTRAINTS, x, new_x, 0, NULL, g, m);
}

static void copy_pattern(int nnz, const int *row, const int *col, int *row_out, int *col_out) {
  memcpy(row_out, row, (size_t)nnz * sizeof *row);
  memcpy(col_out, col, (size_t)nnz * sizeof *col);
}

static IpoptBool eval_jac_g(IpoptIndex n, IpoptNumber *x, IpoptBool new_x, IpoptIndex m,
                            IpoptIndex nnz, IpoptIndex *row, IpoptIndex *col, IpoptNumber *values,
                            void *data) {
  (void)n, (void)m;
  Run *r = data;
  if (nnz == 0) return true;
  if (values) return evaluate(r, SOLVE_JACOBIAN, x, new_x, 0, NULL, values, nnz);
  copy_pattern(nnz, r->nlp->jac_row, r->nlp->jac_col, row, col);
  return true;
}

static IpoptBool eval_h(IpoptIndex n, IpoptNumber *x, IpoptBool new_x, IpoptNumber sigma,
                        IpoptIndex m, IpoptNumber *lambda, IpoptBool new_lambda, IpoptIndex nnz,
                        IpoptIndex *row, IpoptIndex *col, IpoptNumber *values, void *data) {
  (void)n, (void)m, (void)new_lambda;
  Run *r = data;
  if (!r->nlp->hessian) return false;  // asked for although the approximation was to be used
  if (nnz == 0) return true;
  if (values) return evaluate(r, SOLVE_HESSIAN, x, new_x, sigma, lambda, values, nnz);
  copy_pattern(nnz, r->nlp->hess_row, r->nlp->hess_col, row, col);
  return true;
}

// ---- once per iteration -------------------------------------------------------------------------

static bool push_history(Run *r, const SolveIteration *it) {
  SolveInfo *info = r->info;
  if (info->n_history == r->capacity) {
    int more = r->capacity ? 2 * r->capacity : 128;
    SolveIteration *grown = realloc(info->history, (size_t)more * sizeof *grown);
    if (!grown) return false;
    info->history = grown;
    r->capacity = more;
  }
  info->history[info->n_history++] = *it;
  return true;
}

static IpoptBool intermediate(IpoptIndex mode, IpoptIndex iteration, IpoptNumber objective,
                              IpoptNumber inf_pr, IpoptNumber inf_du, IpoptNumber mu,
                              IpoptNumber d_norm, IpoptNumber regularisation, IpoptNumber alpha_du,
                              IpoptNumber alpha_pr, IpoptIndex ls_trials, void *data) {
  Run *r = data;
  SolveInfo *info = r->info;
  double now = clock_seconds();
  SolveIteration it = {iteration, mode == RestorationPhaseMode,
                       objective, inf_pr,
                       inf_du,    mu,
                       d_norm,    regularisation,
                       alpha_du,  alpha_pr,
                       ls_trials, now - r->start};
  info->iterations = iteration;
  if (it.restoration) {
    info->restorations++;
    info->timing.restoration_s += now - r->last;
  }
  r->last = now;
  r->no_memory = !push_history(r, &it);
  if (r->table) solver_log_follow(&r->log, r->opt);

  bool stop = r->opt->progress && !r->opt->progress(r->opt->progress_data, &it);
  if (r->opt->interrupt && *r->opt->interrupt) stop = true;
  info->interrupted = stop;
  r->too_long = now - r->start > r->max_wall;
  return !stop && !r->no_memory && !r->too_long;
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
    name_of(nlp, variable, i, name, sizeof name);
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
    name_of(nlp, true, i, name, sizeof name);
    return error_set(err, STATUS_NUMERIC, name, "starts at %g", x[i]);
  }
  return STATUS_OK;
}

static double *copy_or_zero(Arena *arena, const double *from, int n) {
  double *to = arena_array(arena, (size_t)n + 1, sizeof *to);
  if (to && from) memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

static bool allocate(Run *r, Arena *arena, const double *lambda, const double *z_lower,
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
static Status open_log(Run *r, IpoptProblem problem, int level, Error *err) {
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

static void finish(Run *r, const OptionList *list, const char *log, const double *x) {
  SolveInfo *info = r->info;
  SolveTiming *t = &info->timing;
  const char *solver = option_list_find(list, "linear_solver");
  snprintf(info->linear_solver, sizeof info->linear_solver, "%s", solver);
  if (log) solver_log_parse(log, info);
  if (log && r->table) solver_log_finish(&r->log, r->opt, log, list->show_timing);
  solver_residual(r->nlp, x, r->lambda, r->z_lower, r->z_upper, r->scratch, info);
  for (int f = 0; f < SOLVE_N_FUNCTION; f++) t->evaluation_s += t->function_s[f];
  t->total_s = clock_seconds() - r->start;
  t->rest_s = t->total_s - t->evaluation_s - t->linear_solver_s;
}

static Status solve(Run *r, Arena *arena, double *x, Error *err) {
  const Nlp *nlp = r->nlp;
  OptionList list;
  Status status = option_list_build(&list, nlp, r->opt, arena, err);
  if (status != STATUS_OK) return status;
  if (ipopt_missing_ma97(&list))
    return error_set(err, STATUS_INPUT, "solver options", "linear solver ma97 is not available");
  r->table = r->opt->write_table && list.print_level > 0;

  IpoptProblem problem = CreateIpoptProblem(
      nlp->n, r->x_lower, r->x_upper, nlp->m, r->g_lower, r->g_upper, nlp->m ? nlp->jac_nnz : 0,
      nlp->hessian ? nlp->hess_nnz : 0, 0, eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
  if (!problem) return error_set(err, STATUS_INPUT, "", "IPOPT refuses the problem");
  int refused = -1, verdict = SOLVE_INTERNAL_ERROR;
  status = open_log(r, problem, list.print_level, err);
  bool set = status == STATUS_OK && ipopt_set_options(problem, &list, &refused, &r->max_wall);
  if (set) {
    SetIntermediateCallback(problem, intermediate);
    if (r->table) solver_log_skip(&r->log);
    r->last = clock_seconds();
    verdict = (int)IpoptSolve(problem, x, NULL, &r->info->objective, r->lambda, r->z_lower,
                              r->z_upper, r);
  }
  // 3.14 crashes when it frees an ma97 that it could not load: rather leave it
  bool lost = verdict == SOLVE_INVALID_OPTION &&
              !strcmp(option_list_find(&list, "linear_solver"), "ma97");
  if (lost) fflush(NULL);
  else FreeIpoptProblem(problem);
  char *log = solver_log_text(&r->log);
  r->info->status = r->too_long ? SOLVE_MAX_WALL_TIME : (SolveStatus)verdict;
  if (status == STATUS_OK && !set)
    status = refused < 0 ? error_set(err, STATUS_INPUT, "", "IPOPT refuses to be silent")
                         : ipopt_refused(&list.option[refused], log, err);
  else if (set && verdict == SOLVE_INVALID_OPTION) status = invalid_option(log, err);
  else if (set && r->no_memory) status = error_no_memory(err);
  else if (set) finish(r, &list, log, x);
  free(log);
  solver_log_close(&r->log);
  return status;
}

static void copy_out(double *to, const double *from, int n) {
  if (to && from) memcpy(to, from, (size_t)n * sizeof *to);
}

Status solver_solve(const Nlp *nlp, const SolveOptions *opt, double *x, double *lambda_g,
                    double *z_lower, double *z_upper, SolveInfo *info, Error *err) {
  *info = (SolveInfo){
      .objective = NAN,
      .timing = {
          .linear_solver_s = NAN, .symbolic_s = NAN, .factorisation_s = NAN, .back_solve_s = NAN}};
  Run run = {.nlp = nlp, .opt = opt, .info = info, .start = clock_seconds(), .log = {.fd = -1}};
  snprintf(info->version, sizeof info->version, "%s", IPOPT_VERSION);
  Status status = check_problem(nlp, x, err);
  Arena *arena = status == STATUS_OK ? arena_new() : NULL;
  double *at = copy_or_zero(arena, x, nlp->n);
  if (status == STATUS_OK && (!at || !allocate(&run, arena, lambda_g, z_lower, z_upper)))
    status = error_no_memory(err);
  if (status == STATUS_OK) status = solve(&run, arena, at, err);
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
