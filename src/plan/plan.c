// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "plan/plan_internal.h"

// ---- one solve ---------------------------------------------------------------------------------

// From a solution of a neighbouring problem the barrier starts small and the point is hardly moved off
// its bounds (IPOPT's warm_start_init_point wants multipliers of the same problem, which these are not).
static const SolveOption warm_options[] = {
    {"mu_init", "1e-3", NULL}, {"bound_push", "1e-6", NULL}, {"bound_frac", "1e-6", NULL}};
static const SolveOption peek_options[] = {{"max_iter", "40", NULL}};
static const SolveOption try_options[] = {{"max_iter", "150", NULL}};
enum {
  N_WARM = sizeof warm_options / sizeof warm_options[0],
  N_TRY = sizeof try_options / sizeof try_options[0]
};

static SolveOption *all_options(const Run *run, PlanKind kind, int *n) {
  const Ocp *o = run->o;
  size_t most = (size_t)N_WARM + (size_t)N_TRY + (size_t)o->n_option + (size_t)run->opt->n_option;
  SolveOption *list = arena_array(run->r->arena, most, sizeof *list);
  if (!list) return NULL;
  *n = 0;
  for (int i = 0; kind == PLAN_WARM && i < N_WARM; i++) list[(*n)++] = warm_options[i];
  if (kind == PLAN_PEEK) list[(*n)++] = peek_options[0];
  for (int i = 0; kind == PLAN_TRY && i < N_TRY; i++) list[(*n)++] = try_options[i];
  for (int i = 0; i < o->n_option; i++) {
    list[(*n)++] = (SolveOption){o->option[i].name, o->option[i].value, o->path};
  }
  for (int i = 0; i < run->opt->n_option; i++) list[(*n)++] = run->opt->option[i];
  return list;
}

static void add_times(PlanResult *r, const SolveInfo *info) {
  r->evaluation_s += info->timing.evaluation_s;
  r->linear_solver_s += info->timing.linear_solver_s;  // NAN stays NAN
  r->iterations += info->iterations;
}

// appends a step, with its iterations
static Status keep_step(Run *run, const PlanStep *step, Error *err) {
  PlanResult *r = run->r;
  if (r->n_step == run->cap_step) {
    int cap = run->cap_step ? 2 * run->cap_step : 16;
    PlanStep *more = arena_array(r->arena, (size_t)cap, sizeof *more);
    if (!more) return error_no_memory(err);
    if (r->n_step) memcpy(more, r->step, (size_t)r->n_step * sizeof *more);
    r->step = more;
    run->cap_step = cap;
  }
  PlanStep *to = &r->step[r->n_step];
  *to = *step;
  to->n_history = r->info.n_history;
  to->history = arena_array(r->arena, (size_t)to->n_history + 1, sizeof *to->history);
  if (!to->history) return error_no_memory(err);
  if (to->n_history) {
    memcpy(to->history, r->info.history, (size_t)to->n_history * sizeof *to->history);
  }
  r->n_step++;
  return STATUS_OK;
}

Status plan_solve(Run *run, double torque_rate, PlanKind kind, PlanStep *step, Error *err) {
  PlanResult *r = run->r;
  SolveOptions opt = {.option_file = run->opt->option_file,
                      .write_table = run->opt->write_table,
                      .write_data = run->opt->write_data,
                      .progress = run->opt->progress,
                      .progress_data = run->opt->progress_data,
                      .interrupt = run->opt->interrupt,
                      .threads = run->opt->threads,
                      .dump_kkt = run->opt->dump_kkt};
  opt.option = all_options(run, kind, &opt.n_option);
  if (!opt.option) return error_no_memory(err);
  colloc_set_weights(run->c, run->o->cost.torque, torque_rate);
  solver_info_free(&r->info);
  Status status = solver_solve(run->nlp, &opt, run->x, run->lambda, NULL, NULL, &r->info, err);
  if (status != STATUS_OK) return status;
  step->intervals = run->o->n_interval;
  step->degree = run->o->degree;
  step->torque_rate = torque_rate;
  step->status = r->status = r->info.status;
  step->iterations = r->info.iterations;
  step->objective = r->objective = r->info.objective;
  step->seconds = r->info.timing.total_s;
  step->error = step->defect = NAN;
  r->interrupted = r->info.interrupted;
  add_times(r, &r->info);
  return keep_step(run, step, err);
}

// ---- the run -----------------------------------------------------------------------------------

// counts nonzeros by cells; no picture (count NULL) of an empty matrix
static Status spy(PlanSpy *s, Arena *arena, int rows, int cols, int nnz, const int *row,
                  const int *col, Error *err) {
  *s = (PlanSpy){rows, cols, rows < PLAN_SPY ? rows : PLAN_SPY, cols < PLAN_SPY ? cols : PLAN_SPY,
                 NULL};
  if (rows == 0 || cols == 0) return STATUS_OK;
  s->count = arena_array(arena, (size_t)s->n_row * (size_t)s->n_col, sizeof *s->count);
  if (!s->count) return error_no_memory(err);
  for (int e = 0; e < nnz; e++) {
    int i = (int)((long long)row[e] * s->n_row / rows),
        j = (int)((long long)col[e] * s->n_col / cols);
    s->count[i + j * s->n_row]++;
  }
  return STATUS_OK;
}

Status plan_transcribe(Run *run, Error *err) {
  // the structure needs room for the largest torque-rate weight that the strategy uses
  Ocp *shape = arena_alloc(run->r->arena, sizeof *shape);
  if (!shape) return error_no_memory(err);
  *shape = *run->o;
  if (shape->strategy.kind == OCP_CONTINUATION) {
    shape->cost.torque_rate = fmax(shape->cost.torque_rate, shape->strategy.smoothing_start);
  }
  Status status = colloc_build(&run->c, shape, err);
  if (status != STATUS_OK) return status;
  run->nlp = colloc_nlp(run->c);
  run->x = arena_array(run->r->arena, (size_t)run->nlp->n, sizeof *run->x);
  run->lambda = arena_array(run->r->arena, (size_t)run->nlp->m, sizeof *run->lambda);
  return run->x && run->lambda ? STATUS_OK : error_no_memory(err);
}

Status plan_describe(Run *run, Error *err) {
  PlanResult *r = run->r;
  r->variables = run->nlp->n;
  r->constraints = run->nlp->m;
  r->jacobian_nonzeros = run->nlp->jac_nnz;
  r->hessian_nonzeros = run->nlp->hess_nnz;
  r->cost = colloc_cost(run->c);
  const Nlp *p = run->nlp;
  Status status = spy(&r->jacobian, r->arena, p->m, p->n, p->jac_nnz, p->jac_row, p->jac_col, err);
  if (status != STATUS_OK) return status;
  return spy(&r->hessian, r->arena, p->n, p->n, p->hess_nnz, p->hess_row, p->hess_col, err);
}

static double largest_error(const SimReport *v) {
  double most = 0.0;
  for (int k = 0; k < v->n_interval; k++) most = fmax(most, v->error[k]);
  return most;
}

// A motion that was not solved for is not verified, however well the dynamics holds.
static void judge_unsolved(SimReport *v) {
  if (!v->failure[0]) snprintf(v->failure, sizeof v->failure, "the task was not solved");
  v->verified = false;
}

Status plan_finish(Run *run, Error *err) {
  PlanResult *r = run->r;
  r->o = run->o;
  r->solved = solve_status_solved(r->status) && !r->interrupted;
  r->error = NAN;
  r->explanation[0] = '\0';
  colloc_set_weights(run->c, run->o->cost.torque, run->o->cost.torque_rate);
  run->nlp->objective(run->nlp->data, run->x, true, &r->objective);
  trajectory_free(r->trajectory);
  Status status = trajectory_build(&r->trajectory, run->o, err);
  if (status != STATUS_OK) return status;
  colloc_extract(run->c, run->x, r->trajectory);
  if (!r->solved) plan_explain(run);
  if (!r->solved && !r->interrupted && !run->opt->skip_explanation) status = plan_relax(run, err);
  if (status != STATUS_OK) return status;
  sim_report_free(&r->verification);
  r->has_verification = false;
  if (run->opt->skip_verification || r->interrupted) return STATUS_OK;
  status = sim_verify(&r->verification, run->o, r->trajectory, NULL, err);
  r->has_verification = status == STATUS_OK;
  if (!r->has_verification) return status;
  if (!r->solved) judge_unsolved(&r->verification);
  r->error = largest_error(&r->verification);
  PlanStep *last = &r->step[r->n_step - 1];
  last->error = r->error;
  last->defect = fmax(r->verification.q_defect.value, r->verification.v_defect.value);
  return status;
}

Status plan_run(PlanResult **out, const Ocp *o, const PlanOptions *opt, Error *err) {
  *out = NULL;
  double begin = clock_seconds();
  Arena *arena = arena_new();
  PlanResult *r = arena_alloc(arena, sizeof *r);
  if (!r) {
    arena_free(arena);
    return error_no_memory(err);
  }
  r->arena = arena;
  r->o = o;
  r->status = SOLVE_INTERNAL_ERROR;
  Run run = {.r = r, .o = o, .opt = opt};
  Status status = plan_transcribe(&run, err);
  if (status == STATUS_OK) status = plan_describe(&run, err);
  r->setup_s = clock_seconds() - begin;
  if (status == STATUS_OK) status = plan_strategy(&run, err);
  if (status == STATUS_OK) status = plan_finish(&run, err);
  r->n_unrefined = r->n_step;
  r->unrefined_objective = r->objective;
  if (status == STATUS_OK) status = plan_refine(&run, err);
  colloc_free(run.c);
  r->total_s = clock_seconds() - begin;
  if (status == STATUS_OK) *out = r;
  else plan_result_free(r);
  return status;
}

void plan_result_free(PlanResult *r) {
  if (!r) return;
  trajectory_free(r->trajectory);
  solver_info_free(&r->info);
  sim_report_free(&r->verification);
  arena_free(r->arena);
}
