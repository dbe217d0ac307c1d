// SPDX-License-Identifier: MIT
// What would have to give: the problem again with conditions that may be broken at a price. Each of them
// (the upper torque limit of a joint, one obstacle, one row of the goal) has one slack s >= 0 for all
// times, so that its value is how much more would do:
//   g - c s <= upper,  g + c s >= lower,      least  sum of s / scale + a little of the task's own cost
// Bounds of variables become rows for it, one for each side; a row with two sides gets a variable for what it
// exceeds them by, whose sides are soft. Once with goal, obstacles and the user's constraints soft and all
// limits hard, once the other way round.
#include "plan/plan_relax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Prices: what one unit of a slack is divided by.
static const double REST_SCALE = 0.1;  // speeds and accelerations at the goal are the last to give
// Parts of the task's cost, over its size: slacks alone make a bad start.
static const double OWN_COST[] = {1.0, 1e-2, 1e-4, 1e-6};
enum { N_OWN = sizeof OWN_COST / sizeof OWN_COST[0] };
static const double FAR = 1e8;     // a bound that is none
static const double START = 1e-2;  // least slack at the start, over its scale

// ---- the functions -----------------------------------------------------------------------------

// variable of a slack, or (< 0) of an excess
static int soft_var(const Relaxed *r, int soft) {
  return soft >= 0 ? r->of->n + soft : r->of->n + r->n_soft - 1 - soft;
}

// variable of a new row
static int extra_var(const Relaxed *r, const SoftRow *row) {
  return row->var >= 0 ? row->var : soft_var(r, row->var);
}

static bool objective(void *data, const double *x, bool new_x, double *f) {
  const Relaxed *r = data;
  if (!r->of->objective(r->of->data, x, new_x, f)) return false;
  *f *= r->own;
  for (int s = 0; s < r->n_soft; s++) *f += x[r->of->n + s] / r->soft[s].scale;
  return true;
}

static bool gradient(void *data, const double *x, bool new_x, double *grad) {
  const Relaxed *r = data;
  if (!r->of->gradient(r->of->data, x, new_x, grad)) return false;
  for (int i = 0; i < r->of->n; i++) grad[i] *= r->own;
  for (int i = r->of->n; i < r->nlp.n; i++) grad[i] = 0.0;
  for (int s = 0; s < r->n_soft; s++) grad[r->of->n + s] = 1.0 / r->soft[s].scale;
  return true;
}

static bool constraints(void *data, const double *x, bool new_x, double *g) {
  const Relaxed *r = data;
  if (!r->of->constraints(r->of->data, x, new_x, g)) return false;
  for (int e = 0; e < r->n_extra; e++) g[r->of->m + e] = x[extra_var(r, &r->extra[e])];
  for (int e = 0; e < r->n_use; e++) {
    g[r->use[e].row] += r->use[e].coef * x[soft_var(r, r->use[e].soft)];
  }
  return true;
}

static bool jacobian(void *data, const double *x, bool new_x, double *values) {
  const Relaxed *r = data;
  double *use = values + r->of->jac_nnz, *extra = use + r->n_use;
  for (int e = 0; e < r->n_use; e++) use[e] = r->use[e].coef;
  for (int e = 0; e < r->n_extra; e++) extra[e] = 1.0;
  return r->of->jacobian(r->of->data, x, new_x, values);
}

static bool hessian(void *data, const double *x, bool new_x, double sigma, const double *lambda,
                    double *values) {
  const Relaxed *r = data;
  return r->of->hessian(r->of->data, x, new_x, sigma * r->own, lambda, values);
}

static void name_variable(const void *data, int i, char *out, size_t size) {
  const Relaxed *r = data;
  if (i < r->of->n) r->of->name_variable(r->of->data, i, out, size);
  else snprintf(out, size, "slack %d", i - r->of->n);
}

static void name_row(const void *data, int i, char *out, size_t size) {
  const Relaxed *r = data;
  if (i < r->of->m) r->of->name_constraint(r->of->data, i, out, size);
  else snprintf(out, size, "soft bound %d", i - r->of->m);
}

// ---- what may give -----------------------------------------------------------------------------

static bool soft_kind(CollocKind kind, bool limits) {
  switch (kind) {
    case COLLOC_POSITION:
    case COLLOC_VELOCITY:
    case COLLOC_FORCE:
    case COLLOC_RATE:
    case COLLOC_HORIZON: return limits;
    case COLLOC_OBSTACLE:
    case COLLOC_TERM:
    case COLLOC_GOAL_FRAME:
    case COLLOC_GOAL_JOINT:
    case COLLOC_GOAL_REST:
    case COLLOC_GOAL_BALANCE: return !limits;
    default: return false;
  }
}

static double price(const CollocItem *item, double bound) {
  double size = fmax(1.0, fabs(bound));
  switch (item->kind) {
    case COLLOC_FORCE:
    case COLLOC_VELOCITY:
    case COLLOC_RATE:
    case COLLOC_TERM:
    case COLLOC_HORIZON: return size;
    case COLLOC_GOAL_REST:
    case COLLOC_GOAL_BALANCE: return REST_SCALE;
    default: return 1.0;
  }
}

static int find_soft(Relaxed *r, const CollocItem *item, bool upper, double bound) {
  for (int s = 0; s < r->n_soft; s++) {
    const Soft *x = &r->soft[s];
    if (x->item.kind == item->kind && x->item.index == item->index && x->item.part == item->part &&
        x->upper == upper) {
      return s;
    }
  }
  if (r->n_soft == MAX_SOFT) return -1;
  r->soft[r->n_soft] = (Soft){*item, upper, bound, price(item, bound)};
  return r->n_soft++;
}

static void use_soft(Relaxed *r, int row, int soft, double coef) {
  r->use[r->n_use++] = (SoftUse){row, soft, coef};
}

// New rows for the sides of a value, each with its slack. unit: of the value over that of the limit as a
// robot knows it; lower, upper: of the new rows; bounds of the limit itself beside them.
static void soft_sides(Relaxed *r, int var, const CollocItem *item, int stage,
                       const double bound[2], const double limit[2], double unit) {
  for (int side = 0; side < 2; side++) {
    int s = isfinite(limit[side]) ? find_soft(r, item, side, limit[side] / unit) : -1;
    if (s < 0) continue;
    use_soft(r, r->of->m + r->n_extra, s, side ? -unit : unit);
    r->extra[r->n_extra++] =
        (SoftRow){var, item->time, stage, side ? -INFINITY : bound[0], side ? bound[1] : INFINITY};
  }
}

// a row of the problem that may give
static void soft_row(Relaxed *r, int row, const CollocItem *item, double unit) {
  const double limit[2] = {r->of->g_lower[row], r->of->g_upper[row]}, none[2] = {0.0, 0.0};
  bool two = isfinite(limit[0]) && isfinite(limit[1]) && limit[0] < limit[1];
  if (two) {
    use_soft(r, row, -1 - r->n_excess, -1.0);
    soft_sides(r, -1 - r->n_excess, item, r->of->g_stage[row], none, limit, unit);
    r->excess[r->n_excess++] = row;
    return;
  }
  for (int side = 0; side < 2; side++) {
    int s = isfinite(limit[side]) ? find_soft(r, item, side, limit[side] / unit) : -1;
    if (s >= 0) use_soft(r, row, s, side ? -unit : unit);
  }
}

// rows of a limited rate are differences of forces: unit is the time between them
static double row_unit(const Run *run, const CollocItem *item, double upper) {
  double rate = item->kind == COLLOC_RATE ? run->o->limits.u_rate[item->index] : 0.0;
  return rate > 0.0 ? upper / rate : 1.0;
}

static bool find_all(Relaxed *r, const Run *run, bool limits, Arena *arena) {
  const Nlp *of = r->of;
  size_t most = 2 * ((size_t)of->m + (size_t)of->n);
  r->use = arena_array(arena, most + (size_t)of->m, sizeof *r->use);
  r->extra = arena_array(arena, most, sizeof *r->extra);
  r->excess = arena_array(arena, (size_t)of->m, sizeof *r->excess);
  r->bound = arena_array(arena, (size_t)of->n, sizeof *r->bound);
  r->soft = arena_array(arena, MAX_SOFT, sizeof *r->soft);
  if (!r->use || !r->extra || !r->excess || !r->bound || !r->soft) return false;
  for (int i = 0; i < of->m; i++) {
    CollocItem item = colloc_row(run->c, i);
    if (!soft_kind(item.kind, limits)) continue;
    soft_row(r, i, &item, row_unit(run, &item, of->g_upper[i]));
  }
  for (int i = 0; i < of->n; i++) {
    CollocItem item = colloc_variable(run->c, i);
    bool bounded = isfinite(of->x_lower[i]) || isfinite(of->x_upper[i]);
    if (!bounded || !soft_kind(item.kind, limits)) continue;
    const double limit[2] = {of->x_lower[i], of->x_upper[i]};
    soft_sides(r, i, &item, of->x_stage[i], limit, limit, 1.0);
    r->bound[r->n_bound++] = i;
  }
  return true;
}

// ---- the relaxed program -----------------------------------------------------------------------

static void *extend(Arena *arena, const void *from, int n, int more, size_t size) {
  char *to = arena_array(arena, (size_t)(n + more) + 1, size);
  if (to) memcpy(to, from, (size_t)n * size);
  return to;
}

static bool extend_all(Relaxed *r, Arena *arena) {
  const Nlp *of = r->of;
  Nlp *p = &r->nlp;
  int n = of->n, m = of->m, more = r->n_use + r->n_extra, vars = r->n_soft + r->n_excess;
  p->n = n + vars;
  p->m = m + r->n_extra;
  p->jac_nnz = of->jac_nnz + more;
  p->x_lower = extend(arena, of->x_lower, n, vars, sizeof(double));
  p->x_upper = extend(arena, of->x_upper, n, vars, sizeof(double));
  p->x_start = extend(arena, of->x_start, n, vars, sizeof(double));
  p->x_stage = extend(arena, of->x_stage, n, vars, sizeof(int));
  p->x_kind = extend(arena, of->x_kind, n, vars, sizeof(NlpKind));
  p->g_lower = extend(arena, of->g_lower, m, r->n_extra, sizeof(double));
  p->g_upper = extend(arena, of->g_upper, m, r->n_extra, sizeof(double));
  p->g_stage = extend(arena, of->g_stage, m, r->n_extra, sizeof(int));
  p->g_kind = extend(arena, of->g_kind, m, r->n_extra, sizeof(NlpKind));
  p->jac_row = extend(arena, of->jac_row, of->jac_nnz, more, sizeof(int));
  p->jac_col = extend(arena, of->jac_col, of->jac_nnz, more, sizeof(int));
  return p->x_lower && p->x_upper && p->x_start && p->x_stage && p->x_kind && p->g_lower &&
         p->g_upper && p->g_stage && p->g_kind && p->jac_row && p->jac_col;
}

static bool build(Relaxed *r, const Run *run, bool limits, Arena *arena) {
  const Nlp *of = r->of = run->nlp;
  Nlp *p = &r->nlp;
  *p = *of;
  if (!find_all(r, run, limits, arena) || !extend_all(r, arena)) return false;
  for (int s = 0; s < r->n_soft; s++) {
    p->x_lower[of->n + s] = 0.0;
    p->x_upper[of->n + s] = INFINITY;
    p->x_stage[of->n + s] = -1;
    p->x_kind[of->n + s] = NLP_GLOBAL;
  }
  for (int e = 0; e < r->n_excess; e++) {
    int i = of->n + r->n_soft + e;
    p->x_lower[i] = -INFINITY;
    p->x_upper[i] = INFINITY;
    p->x_stage[i] = of->g_stage[r->excess[e]];
    p->x_kind[i] = NLP_CONTROL;
  }
  int *row = p->jac_row + of->jac_nnz, *col = p->jac_col + of->jac_nnz;
  for (int e = 0; e < r->n_use; e++) *row++ = r->use[e].row, *col++ = soft_var(r, r->use[e].soft);
  for (int e = 0; e < r->n_extra; e++) {
    const SoftRow *x = &r->extra[e];
    *row++ = of->m + e, *col++ = extra_var(r, x);
    p->g_lower[of->m + e] = x->lower;
    p->g_upper[of->m + e] = x->upper;
    p->g_stage[of->m + e] = x->stage < 0 ? 0 : x->stage;
    p->g_kind[of->m + e] = x->stage < 0 ? NLP_GLOBAL : NLP_BOUNDARY;
  }
  for (int b = 0; b < r->n_bound; b++) {
    p->x_lower[r->bound[b]] = -INFINITY;
    p->x_upper[r->bound[b]] = INFINITY;
  }
  p->data = r;
  p->objective = objective;
  p->gradient = gradient;
  p->constraints = constraints;
  p->jacobian = jacobian;
  p->hessian = hessian;
  p->name_variable = name_variable;
  p->name_constraint = name_row;
  return true;
}

static double over(const Nlp *p, const double *g, const SoftUse *u) {
  return u->coef < 0 ? g[u->row] - p->g_upper[u->row] : p->g_lower[u->row] - g[u->row];
}

// Excesses and slacks as large as the point needs them; false where the functions have no values there.
static bool start_at(Relaxed *r, const double *x, double *g) {
  double *to = r->nlp.x_start;
  int n = r->of->n;
  memcpy(to, x, (size_t)n * sizeof *to);
  for (int i = n; i < r->nlp.n; i++) to[i] = 0.0;
  if (!constraints(r, to, true, g)) return false;
  for (int e = 0; e < r->n_excess; e++) {
    int row = r->excess[e];
    double *w = &to[n + r->n_soft + e];
    *w = fmax(g[row] - r->of->g_upper[row], 0.0) - fmax(r->of->g_lower[row] - g[row], 0.0);
  }
  if (!constraints(r, to, true, g)) return false;
  for (int s = 0; s < r->n_soft; s++) to[n + s] = START * r->soft[s].scale;
  for (int e = 0; e < r->n_use; e++) {
    const SoftUse *u = &r->use[e];
    if (u->soft < 0) continue;
    double *s = &to[n + u->soft];
    *s = fmax(*s, 1.1 * over(&r->nlp, g, u) / fabs(u->coef));
  }
  return true;
}

static Status solve_once(Relaxed *r, const Nlp *nlp, double *x, const Run *run, bool *solved,
                         Error *err) {
  static const SolveOption options[] = {
      {"max_iter", "200", NULL}, {"tol", "1e-6", NULL}, {"acceptable_tol", "1e-4", NULL}};
  const SolveOptions opt = {.option = options, .n_option = 3, .interrupt = run->opt->interrupt};
  SolveInfo info;
  Status status = solver_solve(nlp, &opt, x, NULL, NULL, NULL, &info, err);
  *solved = status == STATUS_OK && solve_status_solved(info.status);
  r->stopped = status == STATUS_OK && info.interrupted;
  solver_info_free(&info);
  return status;
}

// Less and less of the task's own cost, from the point that the program starts at; the last that was
// solved counts.
static Status descend(Relaxed *r, const Run *run, double *good, bool *solved, Error *err) {
  size_t bytes = (size_t)r->nlp.n * sizeof *good;
  Status status = STATUS_OK;
  *solved = false;
  for (int i = 0; i < N_OWN && status == STATUS_OK && !r->stopped; i++) {
    bool now = false;
    double f = 0.0;
    if (!r->of->objective(r->of->data, r->nlp.x_start, true, &f)) break;
    r->own = OWN_COST[i] / fmax(1.0, fabs(f));
    status = solve_once(r, &r->nlp, r->nlp.x_start, run, &now, err);
    if (!now) break;
    *solved = true;
    memcpy(good, r->nlp.x_start, bytes);
  }
  if (*solved) memcpy(r->nlp.x_start, good, bytes);
  return status;
}

// The guess of the task as it would be without limits, into the start of its program.
static Status free_guess(const Run *run, Arena *arena, Error *err) {
  Ocp o = *run->o;
  size_t nv = (size_t)o.model->nv, nu = (size_t)o.model->nu;
  double *inf = arena_array(arena, nv + nu, sizeof *inf);
  double *minus = arena_array(arena, nv + nu, sizeof *minus);
  if (!inf || !minus) return error_no_memory(err);
  for (size_t i = 0; i < nv + nu; i++) inf[i] = INFINITY, minus[i] = -INFINITY;
  o.limits.q_lower = o.limits.v_lower = o.limits.u_lower = minus;
  o.limits.q_upper = o.limits.v_upper = o.limits.u_upper = inf;
  Trajectory *guess = NULL;
  Status status = guess_build(&guess, &o, err);
  if (status == STATUS_OK) colloc_start(run->c, guess);
  trajectory_free(guess);
  return status;
}

// The problem without the limits that may give, from the guess without them: *x is its solution, or the
// guess if there is none.
static Status solve_free(Relaxed *r, const Run *run, Arena *arena, double **x, Error *err) {
  Nlp free = *r->of;
  Status status = free_guess(run, arena, err);
  if (status != STATUS_OK) return status;
  free.x_lower = extend(arena, r->of->x_lower, free.n, 0, sizeof(double));
  free.x_upper = extend(arena, r->of->x_upper, free.n, 0, sizeof(double));
  free.g_lower = extend(arena, r->of->g_lower, free.m, 0, sizeof(double));
  free.g_upper = extend(arena, r->of->g_upper, free.m, 0, sizeof(double));
  *x = extend(arena, r->of->x_start, free.n, 0, sizeof(double));
  if (!free.x_lower || !free.x_upper || !free.g_lower || !free.g_upper || !*x) {
    return error_no_memory(err);
  }
  for (int b = 0; b < r->n_bound; b++) {
    free.x_lower[r->bound[b]] = -INFINITY;
    free.x_upper[r->bound[b]] = INFINITY;
  }
  for (int e = 0; e < r->n_use; e++) {
    int row = r->use[e].row;
    if (row < free.m) free.g_lower[row] = -FAR, free.g_upper[row] = FAR;
  }
  bool solved = false;
  status = solve_once(r, &free, *x, run, &solved, err);
  if (!solved) memcpy(*x, r->of->x_start, (size_t)free.n * sizeof **x);
  return status;
}

// from the guess, from `near` if there is one, from the last iterate
static Status solve(Relaxed *r, const Run *run, bool limits, const double *near, Arena *arena,
                    bool *solved, Error *err) {
  double *guess = run->nlp->x_start;
  Status status = limits ? solve_free(r, run, arena, &guess, err) : STATUS_OK;
  const double *starts[] = {guess, near, run->x};
  double *g = arena_array(arena, (size_t)r->nlp.m, sizeof *g);
  double *good = arena_array(arena, (size_t)r->nlp.n, sizeof *good);
  if (!g || !good) return error_no_memory(err);
  for (int i = 0; i < 3 && status == STATUS_OK && !*solved && !r->stopped; i++) {
    if (starts[i] && start_at(r, starts[i], g)) status = descend(r, run, good, solved, err);
  }
  return status;
}

// One relaxed solve: adds to the explanation what gives. *told: how many. near (n of the problem): a
// motion to start from, if *solved; on return the solution's.
static Status relax(Run *run, bool limits, double *near, bool *solved, int *told, Error *err) {
  const bool have_near = *solved;
  Arena *arena = arena_new();
  Relaxed *r = arena_alloc(arena, sizeof *r);
  *told = 0;
  *solved = false;
  Status status = STATUS_OK;
  if (!r || !build(r, run, limits, arena)) status = error_no_memory(err);
  if (status == STATUS_OK && r->n_soft > 0) {
    status = solve(r, run, limits, have_near ? near : NULL, arena, solved, err);
    if (*solved) memcpy(near, r->nlp.x_start, (size_t)run->nlp->n * sizeof *near);
    if (*solved) *told = plan_relax_tell(run, r, arena, limits);
  }
  arena_free(arena);
  return status;
}

Status plan_relax(Run *run, Error *err) {
  bool missed = false, wider = false;
  int n_missed = 0, n_wider = 0;
  double *near = arena_array(run->r->arena, (size_t)run->nlp->n, sizeof *near);
  if (!near) return error_no_memory(err);
  Status status = relax(run, false, near, &missed, &n_missed, err);
  wider = missed;
  if (status == STATUS_OK && missed && n_missed == 0) {
    plan_say(run->r, "With a goal that may be missed the motion meets it: a better guess, or the "
                     "strategy continuation or multistart, should solve this.\n");
    return status;
  }
  if (status == STATUS_OK) status = relax(run, true, near, &wider, &n_wider, err);
  if (status != STATUS_OK) return status;
  if (wider && n_wider == 0) {
    plan_say(run->r,
             "With wider limits the motion stays within the old ones: a better guess, or the "
             "strategy continuation or multistart, should solve this.\n");
  }
  if (missed && !wider) plan_say(run->r, "No wider limits were found that would do.\n");
  if (!missed && !wider) {
    plan_say(run->r, "Neither with a goal that may be missed nor with wider limits was a motion "
                     "found: the start, the dynamics or the guess is in the way.\n");
  }
  return status;
}
