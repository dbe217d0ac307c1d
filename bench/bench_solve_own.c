// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench_solve.h"

typedef struct First {
  double at;  // clock at iteration 0; NAN: not reached
} First;

static bool note_first(void *data, const SolveIteration *it) {
  First *first = data;
  if (it->iteration == 0 && isnan(first->at)) first->at = clock_seconds();
  return true;
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(BenchSolve *out, const PlanResult *r, double start, const First *first) {
  *out = (BenchSolve){.solved = r->solved,
                      .variables = r->variables,
                      .constraints = r->constraints,
                      .jacobian_nonzeros = r->jacobian_nonzeros,
                      .hessian_nonzeros = r->hessian_nonzeros,
                      .iterations = r->iterations,
                      .objective = r->objective,
                      .solve_s = r->info.timing.total_s,
                      .first_s = first->at - start,
                      .evaluation_s = r->evaluation_s,
                      .linear_s = r->linear_solver_s};
  snprintf(out->who, sizeof out->who, "Poise");
  snprintf(out->layout, sizeof out->layout, "%s", ocp_layout_names[r->o->layout]);
  snprintf(out->functions, sizeof out->functions, "evaluator");
  bool stage = strcmp(r->info.linear_solver, "stage") == 0;
  snprintf(out->linear, sizeof out->linear, "%s", stage ? "stage" : "mumps");
  snprintf(out->ordering, sizeof out->ordering, "%s", stage ? "" : "pord");
  snprintf(out->status, sizeof out->status, "%s", solve_status_name(r->status));
}

static Status solve_once(BenchSolve *out, const char *path, const DynForm *form, OcpLayout layout,
                         const char *linear, Error *err) {
  First first = {NAN};
  double start = clock_seconds(), cpu = cpu_seconds();
  Ocp *o;
  Status status = ocp_load(&o, path, err);
  if (status != STATUS_OK) return status;
  o->form = form;
  o->layout = layout;
  o->strategy.kind = OCP_COLD;
  char limit[16];
  snprintf(limit, sizeof limit, "%d", BENCH_LIMIT);
  const SolveOption list[] = {{"max_wall_time", limit, "bench/solve"},
                              {"linear_solver", linear, "bench/solve"}};
  const PlanOptions opt = {.option = list,
                           .n_option = 2,
                           .skip_verification = true,
                           .progress = note_first,
                           .progress_data = &first};
  PlanResult *r;
  status = plan_run(&r, o, &opt, err);
  if (status == STATUS_OK) {
    fill(out, r, start, &first);
    out->setup_s = clock_seconds() - start - out->solve_s;
    out->cpu_s = cpu_seconds() - cpu;
  }
  plan_result_free(status == STATUS_OK ? r : NULL);
  ocp_free(o);
  return status;
}

Status bench_solve_own(BenchSolve *out, const char *path, const DynForm *form, OcpLayout layout,
                       const char *linear, int repetitions, double slow, Error *err) {
  double first = INFINITY, cpu = INFINITY;
  for (int i = 0; i < repetitions; i++) {
    BenchSolve one;
    Status status = solve_once(&one, path, form, layout, linear, err);
    if (status != STATUS_OK) return status;
    if (one.first_s < first) first = one.first_s;
    if (one.cpu_s < cpu) cpu = one.cpu_s;
    if (i == 0 || one.solve_s < out->solve_s) *out = one;
    if (one.solve_s > slow) break;
  }
  out->first_s = isfinite(first) ? first : NAN;
  out->cpu_s = cpu;
  return STATUS_OK;
}
