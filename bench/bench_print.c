// SPDX-License-Identifier: MIT
#include "bench_print.h"

#include <math.h>
#include <stdio.h>

#include "cli/json_out.h"

static void cell(int width, double x, const char *unit) {
  if (isfinite(x)) printf(" %*.*f%s", width, x < 100 ? 1 : 0, x, unit);
  else printf(" %*s", width, "-");
}

static void print_times(const BenchReport *r) {
  printf("nanoseconds per point\n"
         "%-7s %-8s %6s | %8s %8s %8s %8s | %6s %8s %8s\n",
         "", "", "ops", "1 lane", "lanes", "C", "C lanes", "ops", "CasADi", "CasADi C");
  for (int i = 0; i < r->n_form; i++) {
    for (int k = 0; k < BENCH_N_FNS; k++) {
      const BenchCase *c = &r->form[i].fn[k];
      printf("%-7s %-8s %6d |", k == 0 ? r->form[i].form->name : "", bench_fn_name[k], c->ops);
      cell(8, c->ns[BENCH_ONE_LANE], "");
      cell(8, c->ns[BENCH_LANES], "");
      cell(8, c->ns[BENCH_C], "");
      cell(8, c->ns[BENCH_C_LANES], "");
      if (r->form[i].casadi) {
        printf(" | %6d", c->casadi_ops);
        cell(8, c->ns[BENCH_CASADI_VM], "");
        cell(8, c->ns[BENCH_CASADI_C], "");
      } else {
        printf(" | %6s %8s %8s", "-", "-", "-");
      }
      printf("\n");
    }
  }
  printf(
      "\n1 lane: evaluator, a call per point; lanes: evaluator, one call for all points; C: emitted\n"
      "C compiled, a call per point; C lanes: emitted lane-wise C, one call. CasADi: its\n"
      "interpreter; CasADi C: its generated C, cc -O3 -march=native, a call per point. ops without\n"
      "sin and cos.\n");
}

static void print_ratios(const BenchReport *r) {
  printf("\ntimes faster, of the same run\n"
         "%-7s %-8s | %22s %18s %20s\n",
         "", "", "lanes / CasADi interp.", "lanes / CasADi C", "C lanes / CasADi C");
  for (int i = 0; i < r->n_form; i++) {
    for (int k = 0; k < BENCH_N_FNS && r->form[i].casadi; k++) {
      const double *ns = r->form[i].fn[k].ns;
      printf("%-7s %-8s |", k == 0 ? r->form[i].form->name : "", bench_fn_name[k]);
      cell(22, ns[BENCH_CASADI_VM] / ns[BENCH_LANES], "");
      cell(18, ns[BENCH_CASADI_C] / ns[BENCH_LANES], "");
      cell(20, ns[BENCH_CASADI_C] / ns[BENCH_C_LANES], "");
      printf("\n");
    }
  }
  printf("goals: 30 in the first column for the IMPL Hessian, 2 in the last\n");
}

static void print_rows(const BenchReport *r) {
  printf(
      "\nthe same with each point contiguous in memory (inputs gathered, outputs scattered), ns\n"
      "%-7s | %8s %8s %8s | %8s %8s %8s\n",
      "", "lanes: r", "J", "H", "C lns: r", "J", "H");
  for (int i = 0; i < r->n_form; i++) {
    printf("%-7s |", r->form[i].form->name);
    for (int k = 0; k < BENCH_N_FNS; k++) cell(8, r->form[i].fn[k].ns[BENCH_LANES_ROWS], "");
    printf(" |");
    for (int k = 0; k < BENCH_N_FNS; k++) cell(8, r->form[i].fn[k].ns[BENCH_C_LANES_ROWS], "");
    printf("\n");
  }
}

static void print_builds(const BenchReport *r) {
  printf("\nto build: graph, Jacobian, Hessian; tapes; and compiled C\n"
         "%-7s | %11s %9s %9s | %11s %9s | %s\n",
         "", "graph [ms]", "tape [ms]", "cc [s]", "CasADi [ms]", "cc [s]", "largest difference");
  for (int i = 0; i < r->n_form; i++) {
    const BenchForm *f = &r->form[i];
    double worst = 0;
    for (int k = 0; k < BENCH_N_FNS; k++) worst = fmax(worst, f->fn[k].difference);
    printf("%-7s |", f->form->name);
    cell(11, f->build_ms, "");
    cell(9, f->tape_ms, "");
    cell(9, f->compile_s, "");
    printf(" |");
    cell(11, f->casadi ? f->casadi_build_ms : NAN, "");
    cell(9, f->casadi ? f->casadi_compile_s : NAN, "");
    printf(" | %.1e\n", worst);
  }
  printf("goals: graph below 50 ms for IMPL, below 300 ms for EXP2\n");
}

static void print_chains(const BenchReport *r) {
  printf("\noperations of the dynamic terms of chains\n"
         "%-7s | %9s %7s %10s | %9s %7s %10s\n",
         "joints", "IMPL", "ratio", "build [ms]", "EXP2", "ratio", "build [ms]");
  for (int i = 0; i < BENCH_N_CHAINS; i++) {
    const BenchChain *c = &r->chain[i], *last = i > 0 ? &r->chain[i - 1] : NULL;
    printf("%-7d | %9d", c->n_joint, c->implicit_ops);
    if (last) printf(" %7.3f", (double)c->implicit_ops / last->implicit_ops);
    else printf(" %7s", "");
    printf(" %10.1f | %9d", c->implicit_ms, c->explicit_ops);
    if (last) printf(" %7.3f", (double)c->explicit_ops / last->explicit_ops);
    else printf(" %7s", "");
    printf(" %10.1f\n", c->explicit_ms);
  }
  printf("goal: 400 joints at most 2.1 times 200\n");
}

void bench_print_text(const BenchReport *r) {
  bool casadi = r->n_form > 0 && r->form[0].casadi;
  printf("%s, %d points, least of %d repetitions", r->robot, r->n_point, r->repetitions);
  if (*r->cpu) printf(", %s", r->cpu);
  if (casadi) printf(", CasADi %s", r->form[0].casadi_version);
  printf("\n\n");
  print_times(r);
  if (casadi) print_ratios(r);
  print_rows(r);
  print_builds(r);
  print_chains(r);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_case(JsonOut *j, const char *name, const BenchCase *c, bool casadi) {
  json_out_open(j, name, '{');
  json_out_open(j, "ns_per_point", '{');
  for (int way = 0; way < BENCH_N_WAYS; way++) {
    if (isfinite(c->ns[way])) json_out_number(j, bench_way_key[way], c->ns[way]);
  }
  json_out_close(j);
  json_out_int(j, "operations", c->ops);
  json_out_int(j, "sincos", c->sincos);
  json_out_int(j, "nonzeros", c->nonzeros);
  json_out_number(j, "largest_difference", c->difference);
  if (casadi) {
    json_out_int(j, "casadi_operations", c->casadi_ops);
    json_out_int(j, "casadi_sincos", c->casadi_sincos);
    json_out_int(j, "casadi_nonzeros", c->casadi_nonzeros);
    json_out_open(j, "times_faster", '{');
    json_out_number(j, "lanes_vs_casadi_interpreter", c->ns[BENCH_CASADI_VM] / c->ns[BENCH_LANES]);
    json_out_number(j, "lanes_vs_casadi_compiled", c->ns[BENCH_CASADI_C] / c->ns[BENCH_LANES]);
    json_out_number(j, "compiled_lanes_vs_casadi_compiled",
                    c->ns[BENCH_CASADI_C] / c->ns[BENCH_C_LANES]);
    json_out_close(j);
  }
  json_out_close(j);
}

static void add_form(JsonOut *j, const BenchForm *f) {
  json_out_open(j, NULL, '{');
  json_out_string(j, "name", f->form->name);
  json_out_number(j, "build_ms", f->build_ms);
  json_out_number(j, "tape_ms", f->tape_ms);
  json_out_number(j, "compile_s", f->compile_s);
  if (f->casadi) {
    json_out_number(j, "casadi_build_ms", f->casadi_build_ms);
    json_out_number(j, "casadi_compile_s", f->casadi_compile_s);
  }
  for (int k = 0; k < BENCH_N_FNS; k++) add_case(j, bench_fn_name[k], &f->fn[k], f->casadi);
  json_out_close(j);
}

Status bench_print_json(const BenchReport *r, Error *err) {
  JsonOut j = {0};
  json_out_open(&j, NULL, '{');
  json_out_string(&j, "robot", r->robot);
  json_out_string(&j, "cpu", r->cpu);
  json_out_int(&j, "points", r->n_point);
  json_out_int(&j, "repetitions", r->repetitions);
  json_out_string(&j, "statistic", "minimum");
  bool casadi = r->n_form > 0 && r->form[0].casadi;
  json_out_string(&j, "casadi", casadi ? r->form[0].casadi_version : NULL);
  json_out_open(&j, "formulations", '[');
  for (int i = 0; i < r->n_form; i++) add_form(&j, &r->form[i]);
  json_out_close(&j);
  json_out_open(&j, "chains", '[');
  for (int i = 0; i < BENCH_N_CHAINS; i++) {
    json_out_open(&j, NULL, '{');
    json_out_int(&j, "joints", r->chain[i].n_joint);
    json_out_int(&j, "implicit_operations", r->chain[i].implicit_ops);
    json_out_int(&j, "explicit_operations", r->chain[i].explicit_ops);
    json_out_number(&j, "implicit_ms", r->chain[i].implicit_ms);
    json_out_number(&j, "explicit_ms", r->chain[i].explicit_ms);
    json_out_close(&j);
  }
  json_out_close(&j);
  json_out_close(&j);
  return json_out_print(&j, err);
}
