// SPDX-License-Identifier: MIT
// What IPOPT calls back: the functions of the program, and once per iteration.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "solver/solver_ipopt_internal.h"

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

void ipopt_name(const Nlp *nlp, bool variable, int i, char *out, size_t size) {
  void (*name)(const void *, int, char *, size_t) = variable ? nlp->name_variable
                                                             : nlp->name_constraint;
  if (name) name(nlp->data, i, out, size);
  else snprintf(out, size, "%s %d", variable ? "variable" : "constraint", i);
}

// the name of entry e of a function
static void name_entry(const Nlp *nlp, SolveFunction f, int e, char *out, size_t size) {
  char a[88], b[88];
  out[0] = 0;
  if (f == SOLVE_GRADIENT) ipopt_name(nlp, true, e, out, size);
  if (f == SOLVE_CONSTRAINTS) ipopt_name(nlp, false, e, out, size);
  if (f != SOLVE_JACOBIAN && f != SOLVE_HESSIAN) return;
  bool jac = f == SOLVE_JACOBIAN;
  ipopt_name(nlp, !jac, jac ? nlp->jac_row[e] : nlp->hess_row[e], a, sizeof a);
  ipopt_name(nlp, true, jac ? nlp->jac_col[e] : nlp->hess_col[e], b, sizeof b);
  snprintf(out, size, jac ? "d (%s) / d (%s)" : "(%s), (%s)", a, b);
}

static void note_bad(IpoptRun *r, SolveFunction f, const double *out, int n) {
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

static bool evaluate(IpoptRun *r, SolveFunction f, const double *x, bool new_x, double sigma,
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
  IpoptRun *r = data;
  if (nnz == 0) return true;
  if (values) return evaluate(r, SOLVE_JACOBIAN, x, new_x, 0, NULL, values, nnz);
  copy_pattern(nnz, r->nlp->jac_row, r->nlp->jac_col, row, col);
  return true;
}

static IpoptBool eval_h(IpoptIndex n, IpoptNumber *x, IpoptBool new_x, IpoptNumber sigma,
                        IpoptIndex m, IpoptNumber *lambda, IpoptBool new_lambda, IpoptIndex nnz,
                        IpoptIndex *row, IpoptIndex *col, IpoptNumber *values, void *data) {
  (void)n, (void)m, (void)new_lambda;
  IpoptRun *r = data;
  if (!r->nlp->hessian) return false;  // asked for although the approximation was to be used
  if (nnz == 0) return true;
  if (values) return evaluate(r, SOLVE_HESSIAN, x, new_x, sigma, lambda, values, nnz);
  copy_pattern(nnz, r->nlp->hess_row, r->nlp->hess_col, row, col);
  return true;
}

// ---- once per iteration -------------------------------------------------------------------------

static bool push_history(IpoptRun *r, const SolveIteration *it) {
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
  IpoptRun *r = data;
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
  bool lost = r->hook && r->hook->failed;
  return !stop && !r->no_memory && !r->too_long && !lost;
}

IpoptProblem ipopt_create(const IpoptRun *r) {
  const Nlp *nlp = r->nlp;
  IpoptProblem problem = CreateIpoptProblem(
      nlp->n, r->x_lower, r->x_upper, nlp->m, r->g_lower, r->g_upper, nlp->m ? nlp->jac_nnz : 0,
      nlp->hessian ? nlp->hess_nnz : 0, 0, eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
  if (problem) SetIntermediateCallback(problem, intermediate);
  return problem;
}
