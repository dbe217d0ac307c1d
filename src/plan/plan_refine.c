// SPDX-License-Identifier: MIT
// Finer grids. An interval that is r times worse than it may be is split in r^(1 / (d + 1)) parts: the
// polynomials of d points are off by h^(d + 1) inside an interval.
#include <math.h>
#include <string.h>

#include "plan/plan_internal.h"
#include "sim/sim_resample.h"

enum { MAX_ROUNDS = 8, MAX_PARTS = 4, MAX_INTERVALS = 10000 };
// Once any interval is to be split, all that come close are too: a new solution moves a little.
static const double CLOSE = 0.3;

// by how much interval k misses what is asked of it; at most 1: not at all
static double excess(const Run *run, int k) {
  const SimReport *v = &run->r->verification;
  double tol = run->opt->refine;
  double most = tol > 0 ? v->error[k] / tol : 0.0;
  return run->opt->refine_to_verify ? fmax(most, v->excess[k]) : most;
}

static int parts(const Run *run, double excess) {
  if (!(excess > CLOSE)) return 1;
  double n = ceil(pow(excess / CLOSE, 1.0 / (run->o->degree + 1)));
  return n < 2.0 ? 2 : n < MAX_PARTS ? (int)n : MAX_PARTS;
}

// The grid of `from` with its bad intervals split; false if there are none or too many would be.
static bool split(const Run *run, Ocp *to, Error *err) {
  const Ocp *from = run->o;
  PlanResult *r = run->r;
  int n = 0;
  bool any = false;
  for (int k = 0; k < from->n_interval; k++) {
    double x = excess(run, k);
    n += parts(run, x);
    any = any || !(x <= 1.0);
  }
  if (!any || n > MAX_INTERVALS) return false;
  double *node = arena_array(r->arena, (size_t)n + 1, sizeof *node);
  int *piece = arena_array(r->arena, (size_t)n, sizeof *piece);
  if (!node || !piece) {
    error_no_memory(err);
    return false;
  }
  int at = 0;
  for (int k = 0; k < from->n_interval; k++) {
    int m = parts(run, excess(run, k));
    double begin = ocp_node(from, k), end = ocp_node(from, k + 1);
    for (int i = 0; i < m; i++, at++) {
      node[at] = begin + (end - begin) * i / m;
      piece[at] = from->piece ? from->piece[k] : k;
    }
  }
  node[n] = 1.0;
  *to = *from;
  to->n_interval = n;
  to->node = node;
  to->piece = piece;
  return true;
}

static bool own_dynamics(const Ocp *o) {
  for (int i = 0; i < o->n_term; i++) {
    if (o->term[i].use == OCP_TERM_DYNAMICS) return false;
  }
  return true;
}

// parts of a split interval as the robot would move: polynomials that were not good enough are a bad start
static Status start_from(Run *run, const Trajectory *from, Error *err) {
  Trajectory *start;
  Status status = guess_from(&start, run->o, from, err);
  if (status != STATUS_OK) return status;
  if (own_dynamics(run->o)) status = sim_resample(start, run->o->model, from, err);
  if (status != STATUS_OK) {
    trajectory_free(start);
    return status;
  }
  colloc_start(run->c, start);
  memcpy(run->x, run->nlp->x_start, (size_t)run->nlp->n * sizeof *run->x);
  trajectory_free(start);
  return STATUS_OK;
}

// warm, and if that does not get there with the solver's own start
static Status solve(Run *run, Error *err) {
  PlanStep step = {.seed = -1};
  Status status = STATUS_OK;
  for (int i = 0; i < 2 && status == STATUS_OK; i++) {
    status = start_from(run, run->r->trajectory, err);
    if (status == STATUS_OK) {
      status = plan_solve(run, run->o->cost.torque_rate, i ? PLAN_TRY : PLAN_WARM, &step, err);
    }
    if (run->r->interrupted || solve_status_solved(step.status)) break;
  }
  return status;
}

// One round from the solution that stands in the result; where the finer problem is not solved, that one
// stays. *more: it was, and another round may follow.
static Status round_of(Run *run, const Ocp *finer, bool *more, Error *err) {
  const Run before = *run;
  PlanResult *r = run->r;
  run->c = NULL;
  run->o = finer;
  Status status = plan_transcribe(run, err);
  if (status == STATUS_OK) status = solve(run, err);
  *more = status == STATUS_OK && solve_status_solved(r->status) && !r->interrupted;
  if (status == STATUS_OK && (*more || r->interrupted)) {
    colloc_free(before.c);
    r->refined = *finer;
    run->o = &r->refined;
    status = plan_describe(run, err);
    return status == STATUS_OK ? plan_finish(run, err) : status;
  }
  colloc_free(run->c);
  int cap = run->cap_step;
  *run = before;
  run->cap_step = cap;
  return status;
}

Status plan_refine(Run *run, Error *err) {
  PlanResult *r = run->r;
  Status status = STATUS_OK;
  bool more = r->solved && r->has_verification;
  for (int i = 0; more && i < MAX_ROUNDS && status == STATUS_OK; i++) {
    SolveStatus solved = r->status;
    Ocp *finer = arena_alloc(r->arena, sizeof *finer);
    if (!finer) return error_no_memory(err);
    if (!split(run, finer, err)) return err->code;
    status = round_of(run, finer, &more, err);
    if (!more && !r->interrupted) r->status = solved;
  }
  return status;
}
