// SPDX-License-Identifier: MIT
// What would have to give: the problem again, but with goal and obstacles allowed to be missed, at least total
// cost of missing them. Rows r become r - p + n with p, n >= 0, and the objective is the sum of p + n.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan_internal.h"

enum { NAME_SIZE = 160, SHOWN = 6 };
static const double GIVES = 1e-5;  // smaller slacks are left out

typedef struct Relaxed {
  const Nlp *of;  // the problem
  Nlp nlp;        // the relaxed one
  int n_row;      // rows that may be missed
  int *row;       // n_row
} Relaxed;

// slack s of row e: 2 e for p, 2 e + 1 for n, behind the variables of the problem
static bool objective(void *data, const double *x, bool new_x, double *f) {
  const Relaxed *r = data;
  (void)new_x;
  *f = 0.0;
  for (int i = r->of->n; i < r->nlp.n; i++) *f += x[i];
  return true;
}

static bool gradient(void *data, const double *x, bool new_x, double *grad) {
  const Relaxed *r = data;
  (void)x;
  (void)new_x;
  for (int i = 0; i < r->nlp.n; i++) grad[i] = i < r->of->n ? 0.0 : 1.0;
  return true;
}

static bool constraints(void *data, const double *x, bool new_x, double *g) {
  const Relaxed *r = data;
  if (!r->of->constraints(r->of->data, x, new_x, g)) return false;
  for (int e = 0; e < r->n_row; e++) g[r->row[e]] += x[r->of->n + 2 * e + 1] - x[r->of->n + 2 * e];
  return true;
}

static bool jacobian(void *data, const double *x, bool new_x, double *values) {
  const Relaxed *r = data;
  for (int e = 0; e < 2 * r->n_row; e++) values[r->of->jac_nnz + e] = e % 2 ? 1.0 : -1.0;
  return r->of->jacobian(r->of->data, x, new_x, values);
}

static bool hessian(void *data, const double *x, bool new_x, double sigma, const double *lambda,
                    double *values) {
  const Relaxed *r = data;
  (void)sigma;
  return r->of->hessian(r->of->data, x, new_x, 0.0, lambda, values);
}

// goal rows and those with one open side, which obstacles are; the start and the motion itself stay
static bool may_give(const Nlp *nlp, int i) {
  bool goal = nlp->g_kind[i] == NLP_BOUNDARY && nlp->g_stage[i] > 0;
  return goal || (isinf(nlp->g_upper[i]) && isfinite(nlp->g_lower[i]));
}

static double *extend(Arena *arena, const double *from, int n, int more, double value) {
  double *to = arena_array(arena, (size_t)(n + more), sizeof *to);
  if (!to) return NULL;
  memcpy(to, from, (size_t)n * sizeof *to);
  for (int i = n; i < n + more; i++) to[i] = value;
  return to;
}

static bool build(Relaxed *r, const Nlp *of, const double *x, Arena *arena) {
  r->of = of;
  r->nlp = *of;
  r->row = arena_array(arena, (size_t)of->m, sizeof *r->row);
  if (!r->row) return false;
  for (int i = 0; i < of->m; i++) {
    if (may_give(of, i)) r->row[r->n_row++] = i;
  }
  int more = 2 * r->n_row;
  Nlp *nlp = &r->nlp;
  nlp->n = of->n + more;
  nlp->jac_nnz = of->jac_nnz + more;
  nlp->x_lower = extend(arena, of->x_lower, of->n, more, 0.0);
  nlp->x_upper = extend(arena, of->x_upper, of->n, more, INFINITY);
  nlp->x_start = extend(arena, x, of->n, more, 0.1);
  nlp->jac_row = arena_array(arena, (size_t)nlp->jac_nnz, sizeof(int));
  nlp->jac_col = arena_array(arena, (size_t)nlp->jac_nnz, sizeof(int));
  if (!nlp->x_lower || !nlp->x_upper || !nlp->x_start || !nlp->jac_row || !nlp->jac_col)
    return false;
  memcpy(nlp->jac_row, of->jac_row, (size_t)of->jac_nnz * sizeof(int));
  memcpy(nlp->jac_col, of->jac_col, (size_t)of->jac_nnz * sizeof(int));
  for (int e = 0; e < more; e++) {
    nlp->jac_row[of->jac_nnz + e] = r->row[e / 2];
    nlp->jac_col[of->jac_nnz + e] = of->n + e;
  }
  nlp->data = r;
  nlp->n_stage = 0;
  nlp->objective = objective;
  nlp->gradient = gradient;
  nlp->constraints = constraints;
  nlp->jacobian = jacobian;
  nlp->hessian = hessian;
  return true;
}

static void name_slack(const void *data, int i, char *out, size_t size) {
  const Relaxed *r = data;
  if (i < r->of->n) r->of->name_variable(r->of->data, i, out, size);
  else snprintf(out, size, "slack %d", i - r->of->n);
}

static void name_row(const void *data, int i, char *out, size_t size) {
  const Relaxed *r = data;
  r->of->name_constraint(r->of->data, i, out, size);
}

// the rows that give, the largest first
static void tell(const Relaxed *r, const double *x, PlanResult *result) {
  double last = INFINITY;
  bool any = false;
  for (int shown = 0; shown < SHOWN; shown++) {
    int best = -1;
    double most = GIVES;
    for (int e = 0; e < r->n_row; e++) {
      double slack = fabs(x[r->of->n + 2 * e] - x[r->of->n + 2 * e + 1]);
      if (slack > most && slack < last) best = e, most = slack;
    }
    if (best < 0) break;
    last = most;
    char name[NAME_SIZE];
    r->of->name_constraint(r->of->data, r->row[best], name, sizeof name);
    plan_say(result, "%s  %s by %.3g\n",
             any ? "" : "The motion exists if these give, and by no less in all:\n", name, most);
    any = true;
  }
  if (!any)
    plan_say(result, "With a goal that may be missed the motion meets it: a better guess, or the "
                     "strategy continuation or multistart, should solve this.\n");
}

Status plan_relax(Run *run, Error *err) {
  Relaxed r = {0};
  if (!build(&r, run->nlp, run->x, run->r->arena)) return error_no_memory(err);
  r.nlp.name_variable = name_slack;
  r.nlp.name_constraint = name_row;
  static const SolveOption options[] = {{"max_iter", "300", NULL}, {"tol", "1e-6", NULL}};
  const SolveOptions opt = {.option = options, .n_option = 2, .interrupt = run->opt->interrupt};
  SolveInfo info;
  Status status = solver_solve(&r.nlp, &opt, r.nlp.x_start, NULL, NULL, NULL, &info, err);
  if (status == STATUS_OK && solve_status_solved(info.status)) tell(&r, r.nlp.x_start, run->r);
  else if (status == STATUS_OK) {
    plan_say(run->r,
             "Not even with a goal that may be missed was a motion found: limits or start are in "
             "the way.\n");
  }
  solver_info_free(&info);
  return status;
}
