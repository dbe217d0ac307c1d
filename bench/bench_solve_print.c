// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_solve.h"
#include "cli/json_out.h"

// ---- what the goals are about -----------------------------------------------------------------------

// all that a user waits for, once expressions are there
static double total(const BenchSolve *s) {
  return s->setup_s + s->solve_s;
}

static const BenchSolve *own_in(const BenchTask *t, OcpLayout layout, const char *linear) {
  for (int i = 0; i < t->n_own; i++) {
    const BenchSolve *s = &t->own[i];
    if (!strcmp(s->layout, ocp_layout_names[layout]) && !strcmp(s->linear, linear)) return s;
  }
  return NULL;
}

// quickest solve of CasADi by processor time, its setup not counted; NULL linear: any
static const BenchSolve *best_peer(const BenchTask *t, const char *linear) {
  const BenchSolve *best = NULL;
  for (int i = 0; i < t->n_peer; i++) {
    const BenchSolve *s = &t->peer[i];
    if (!s->solved || (linear && strcmp(s->linear, linear) != 0)) continue;
    if (!best || s->cpu_s < best->cpu_s) best = s;
  }
  return best;
}

static double per_iteration(const BenchSolve *s, double seconds) {
  return 1e3 * seconds / (s->iterations > 0 ? s->iterations : 1);
}

static double rest(const BenchSolve *s) {
  return s->solve_s - s->evaluation_s - s->linear_s;
}

// ---- text -------------------------------------------------------------------------------------------

static void print_solve(const BenchTask *t, const BenchSolve *s, bool first) {
  printf("%-7s %-13s %-9s %-11s %-6s %-5s %5d %16.10g %8.3f %8.3f |", first ? t->form->name : "",
         s->who, s->layout, s->functions, s->linear, s->ordering, s->iterations, s->objective,
         s->solve_s, s->cpu_s);
  printf(" %7.2f %7.2f %7.2f %7.2f |", per_iteration(s, s->solve_s),
         per_iteration(s, s->evaluation_s), per_iteration(s, s->linear_s),
         per_iteration(s, rest(s)));
  printf(" %7.3f", s->setup_s);
  if (isfinite(s->first_s)) printf(" %7.3f", s->first_s);
  else printf(" %7s", "");
  if (!s->solved) printf("  %s", s->status);
  putchar('\n');
}

static void print_against(const BenchSolve *own, const BenchSolve *peer, const char *goal) {
  if (!own || !peer) return;
  printf("    %s, %s, against %s %s %s:%s\n", own->layout, own->linear, peer->who, peer->linear,
         peer->ordering, goal);
  printf(
      "      %.1f times faster by the clock, %.1f in processor time (our setup counted, CasADi's not; %.1f\n",
      peer->solve_s / total(own), peer->cpu_s / own->cpu_s, total(peer) / total(own));
  printf("      with both), %.1f per iteration; iterations %d and %d; objectives differ by %.1e\n",
         per_iteration(peer, peer->solve_s) / per_iteration(own, own->solve_s), own->iterations,
         peer->iterations, fabs(peer->objective - own->objective) / fabs(own->objective));
}

static void print_ratios(const BenchTask *t) {
  const BenchSolve *stage = own_in(t, OCP_CONDENSED, "stage");
  const BenchSolve *mumps = own_in(t, OCP_CONDENSED, "mumps");
  const BenchSolve *own = stage ? stage : mumps;
  if (own) {
    printf(
        "  %s %s condensed, %s: evaluation %.1f percent of the solve; iteration 0 after %.0f ms;\n",
        t->name, t->form->name, own->linear, 100 * own->evaluation_s / own->solve_s,
        1e3 * own->first_s);
    printf("    %.2f ms an iteration by the clock, %.2f in processor time with setup\n",
           per_iteration(own, own->solve_s), per_iteration(own, own->cpu_s));
  }
  if (stage && mumps)
    printf(
        "    stage against mumps, ours: %.1f times, per iteration %.1f; objectives differ by %.1e\n",
        mumps->cpu_s / stage->cpu_s,
        per_iteration(mumps, mumps->cpu_s) / per_iteration(stage, stage->cpu_s),
        fabs(mumps->objective - stage->objective) / fabs(stage->objective));
  if (t->n_peer && t->size[0])
    printf("    sizes of the paper layout, the same in CasADi: %d, %d, %d, %d\n", t->size[0],
           t->size[1], t->size[2], t->size[3]);
  print_against(mumps, best_peer(t, "mumps"), " (goal 2.5, IMPL on reach)");
  print_against(stage, best_peer(t, NULL), " (the quickest; goal 15, IMPL on reach)");
  print_against(stage, best_peer(t, "fatrop"), "");
  print_against(own_in(t, OCP_PAPER, "mumps"), best_peer(t, "mumps"), "");
  if (*t->no_peer) printf("    no CasADi: %s\n", t->no_peer);
}

void bench_solve_print_text(const BenchSolveReport *r) {
  const char *version = "";
  for (int i = 0; i < r->n_task; i++) {
    if (*r->task[i].casadi_version) version = r->task[i].casadi_version;
  }
  printf("cold solves, quickest of %d", r->repetitions);
  if (*r->cpu) printf(", %s", r->cpu);
  if (*version) printf(", CasADi %s", version);
  putchar('\n');
  for (int i = 0; i < r->n_task; i++) {
    const BenchTask *t = &r->task[i];
    if (i == 0 || strcmp(t->path, r->task[i - 1].path) != 0) {
      printf("\n%s\n%-7s %-13s %-9s %-11s %-6s %-5s %5s %16s %8s %8s | %7s %7s %7s %7s | %7s %7s\n",
             t->name, "", "", "layout", "functions", "linear", "order", "iter", "objective",
             "solve s", "cpu s", "ms/iter", "eval", "linear", "rest", "setup s", "iter 0");
    }
    for (int k = 0; k < t->n_own; k++) print_solve(t, &t->own[k], k == 0);
    for (int k = 0; k < t->n_peer; k++) print_solve(t, &t->peer[k], false);
  }
  printf("\nof the same run\n");
  for (int i = 0; i < r->n_task; i++) print_ratios(&r->task[i]);
  printf(
      "goals, IMPL condensed on reach: 2.5 times faster than the best of CasADi with MUMPS in both; 15\n"
      "times than the quicker of its IPOPT and fatrop with our linear solver; evaluation below 15\n"
      "percent with MUMPS; iteration 0 before 150 ms; below 5 ms an iteration\n");
}

// ---- JSON ---------------------------------------------------------------------------------------------

static void add_solve(JsonOut *j, const BenchSolve *s) {
  json_out_open(j, NULL, '{');
  json_out_string(j, "who", s->who);
  json_out_string(j, "layout", s->layout);
  json_out_string(j, "functions", s->functions);
  json_out_string(j, "linear_solver", s->linear);
  json_out_string(j, "ordering", s->ordering);
  json_out_string(j, "status", s->status);
  json_out_open(j, "nlp", '{');
  json_out_int(j, "variables", s->variables);
  json_out_int(j, "constraints", s->constraints);
  json_out_int(j, "jacobian_nonzeros", s->jacobian_nonzeros);
  json_out_int(j, "hessian_nonzeros", s->hessian_nonzeros);
  json_out_close(j);
  json_out_int(j, "iterations", s->iterations);
  json_out_number(j, "objective", s->objective);
  json_out_number(j, "setup_s", s->setup_s);
  json_out_number(j, "compile_s", s->compile_s);
  json_out_number(j, "iteration_0_s", s->first_s);
  json_out_number(j, "solve_s", s->solve_s);
  json_out_number(j, "cpu_s", s->cpu_s);
  json_out_number(j, "evaluation_s", s->evaluation_s);
  json_out_number(j, "linear_solver_s", s->linear_s);
  json_out_number(j, "rest_s", rest(s));
  json_out_close(j);
}

static void add_ratio(JsonOut *j, const char *key, const BenchSolve *own, const BenchSolve *peer) {
  if (!own || !peer) return;
  json_out_open(j, key, '{');
  json_out_number(j, "clock", peer->solve_s / total(own));
  json_out_number(j, "processor", peer->cpu_s / own->cpu_s);
  json_out_close(j);
}

static void add_ratios(JsonOut *j, const BenchTask *t) {
  const BenchSolve *stage = own_in(t, OCP_CONDENSED, "stage");
  const BenchSolve *mumps = own_in(t, OCP_CONDENSED, "mumps");
  if (mumps) json_out_number(j, "evaluation_share", mumps->evaluation_s / mumps->solve_s);
  add_ratio(j, "times_faster_mumps", mumps, best_peer(t, "mumps"));
  add_ratio(j, "times_faster_stage", stage, best_peer(t, NULL));
  add_ratio(j, "times_faster_than_fatrop", stage, best_peer(t, "fatrop"));
}

Status bench_solve_print_json(const BenchSolveReport *r, Error *err) {
  JsonOut j = {0};
  json_out_open(&j, NULL, '{');
  json_out_string(&j, "cpu", r->cpu);
  json_out_int(&j, "repetitions", r->repetitions);
  json_out_string(&j, "statistic", "minimum");
  json_out_open(&j, "tasks", '[');
  for (int i = 0; i < r->n_task; i++) {
    const BenchTask *t = &r->task[i];
    json_out_open(&j, NULL, '{');
    json_out_string(&j, "task", t->name);
    json_out_string(&j, "formulation", t->form->name);
    json_out_string(&j, "casadi", *t->casadi_version ? t->casadi_version : NULL);
    json_out_string(&j, "no_casadi", *t->no_peer ? t->no_peer : NULL);
    add_ratios(&j, t);
    json_out_open(&j, "solves", '[');
    for (int k = 0; k < t->n_own; k++) add_solve(&j, &t->own[k]);
    for (int k = 0; k < t->n_peer; k++) add_solve(&j, &t->peer[k]);
    json_out_close(&j);
    json_out_close(&j);
  }
  json_out_close(&j);
  json_out_close(&j);
  return json_out_print(&j, err);
}
