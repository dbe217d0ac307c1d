// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_kkt.h"
#include "cli/json_out.h"

enum { NOBODY = -1, SHOWN = 5 };

static const double SMALL_RESIDUAL = 1e-9;

// ---- figures ------------------------------------------------------------------------------------

// one solver's result on a system: ours, or MUMPS with an ordering
static const BenchLdl *of(const BenchSystem *s, int who) {
  return who < 0 ? &s->own : &s->mumps[who];
}

static bool took_part(const BenchGroup *g, int who) {
  return who < 0 || (g->n > 0 && g->system[0].mumps[who].factor_s > 0);
}

static double both(const BenchLdl *l) {
  return l->factor_s + l->solve_s;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct Figures {
  double factor_s, solve_s;            // means
  double residual_median, residual;    // the second: largest
  double delayed, flops, bytes, rate;  // means; rate of all
  int singular;
} Figures;

static Figures figures(const BenchGroup *g, int who) {
  Figures f = {0};
  double *residual = calloc((size_t)g->n + 1, sizeof *residual), seconds = 0;
  int n = 0;
  for (int i = 0; i < g->n && residual; i++) {
    const BenchLdl *l = of(&g->system[i], who);
    f.factor_s += l->factor_s / g->n;
    f.solve_s += l->solve_s / g->n;
    f.delayed += (double)l->n_delayed / g->n;
    f.flops += l->flops / g->n;
    f.bytes += l->bytes / g->n;
    f.singular += l->singular;
    seconds += l->factor_s;
    if (!l->singular) residual[n++] = l->residual;
  }
  f.rate = seconds > 0 ? f.flops * g->n / seconds : 0;
  if (residual) qsort(residual, (size_t)n, sizeof *residual, by_value);
  f.residual_median = residual && n ? residual[n / 2] : NAN;
  f.residual = residual && n ? residual[n - 1] : NAN;
  free(residual);
  return f;
}

// the ordering with the least time in all; NOBODY without MUMPS
static int best_order(const BenchGroup *g) {
  int best = NOBODY;
  double least = INFINITY;
  for (int k = 0; k < BENCH_ORDERS; k++) {
    double sum = 0;
    for (int i = 0; i < g->n; i++) sum += both(&g->system[i].mumps[k]);
    if (took_part(g, k) && sum < least) least = sum, best = k;
  }
  return best;
}

typedef struct Ratios {
  double total, median, least;
  int n_small;    // residuals below SMALL_RESIDUAL
  int n_regular;  // systems that we found regular
  int n_worse;    // residual more than 10 times that of MUMPS
  int n_sure;     // both found the matrix regular
  int n_referee;  // of those with other inertia: MUMPS with a high threshold agrees with us
  int n_inertia;  // of these: other inertia
} Ratios;

static bool worse(const BenchSystem *s, int order) {
  return !s->own.singular && !s->mumps[order].singular &&
         s->own.residual > 10 * s->mumps[order].residual;
}

static bool other_inertia(const BenchSystem *s, int order) {
  return !s->own.singular && !s->mumps[order].singular &&
         s->own.n_negative != s->mumps[order].n_negative;
}

static Ratios ratios(const BenchGroup *g, int order) {
  Ratios r = {.least = INFINITY};
  double *ratio = calloc((size_t)g->n + 1, sizeof *ratio), own = 0, mumps = 0;
  for (int i = 0; i < g->n; i++) {
    const BenchSystem *s = &g->system[i];
    r.n_regular += !s->own.singular;
    r.n_small += !s->own.singular && s->own.residual < SMALL_RESIDUAL;
    if (order < 0 || !ratio) continue;
    own += both(&s->own);
    mumps += both(&s->mumps[order]);
    ratio[i] = both(&s->mumps[order]) / both(&s->own);
    r.least = fmin(r.least, ratio[i]);
    r.n_worse += worse(s, order);
    r.n_sure += !s->own.singular && !s->mumps[order].singular;
    r.n_inertia += other_inertia(s, order);
    r.n_referee += other_inertia(s, order) && s->referee == s->own.n_negative;
  }
  r.total = mumps / own;
  if (ratio) qsort(ratio, (size_t)g->n, sizeof *ratio, by_value);
  r.median = ratio && g->n ? ratio[g->n / 2] : NAN;
  free(ratio);
  return r;
}

// ---- text ---------------------------------------------------------------------------------------

static void print_solver(const BenchKktReport *r, const BenchGroup *g, int who) {
  if (!took_part(g, who)) return;
  Figures f = figures(g, who);
  printf("  %-6s%-6s %9.3f %9.3f %9.3f  %9.1e %9.1e %8.1f %8d %9.2f %7.2f %6.1f %8.2f\n",
         who < 0 ? "Poise" : "MUMPS", who < 0 ? "" : bench_order_names[who], 1e3 * f.factor_s,
         1e3 * f.solve_s, 1e3 * (f.factor_s + f.solve_s), f.residual_median, f.residual, f.delayed,
         f.singular, 1e-6 * f.flops, 1e-9 * f.rate,
         100 * f.rate / (r->peak * (who < 0 ? r->threads : 1)), 1e-6 * f.bytes);
}

static void print_offenders(const BenchGroup *g, int order,
                            bool (*is)(const BenchSystem *s, int order)) {
  int shown = 0;
  for (int i = 0; i < g->n && shown < SHOWN; i++) {
    const BenchSystem *s = &g->system[i];
    if (!is(s, order)) continue;
    const BenchLdl *m = &s->mumps[order];
    printf("    %s: residual %.1e and %.1e, negative %d and %d (%d), delayed %d and %d\n", s->name,
           s->own.residual, m->residual, s->own.n_negative, m->n_negative, s->referee,
           s->own.n_delayed, m->n_delayed);
    shown++;
  }
}

static void print_group(const BenchKktReport *r, const BenchGroup *g) {
  int indefinite = 0, regularised = 0, late = 0, rhs = 0;
  for (int i = 0; i < g->n; i++) {
    indefinite += g->system[i].indefinite;
    regularised += g->system[i].regularised;
    late += g->system[i].late;
    rhs += g->system[i].own_rhs;
  }
  printf("\n%s: %d systems of %d solves", g->name, g->n, g->n_folder);
  if (g->n == 0) {
    putchar('\n');
    return;
  }
  printf(" (%d unknowns, %d nonzeros the last); %d of wrong inertia, %d with regularised rows,\n",
         g->system[g->n - 1].dim, g->system[g->n - 1].nnz, indefinite, regularised);
  printf("  %d late ones; %d with the right-hand side of IPOPT, the others with a random one\n",
         late, rhs);
  printf("  %-12s %9s %9s %9s  %9s %9s %8s %8s %9s %7s %6s %8s\n", "", "factor ms", "solve ms",
         "both", "residual", "largest", "delayed", "singular", "MFlop", "GFlop/s", "% peak", "MB");
  for (int who = NOBODY; who < BENCH_ORDERS; who++) print_solver(r, g, who);
  printf("  symbolic phase, ms a solve: Poise %.1f", 1e3 * g->build_s / g->n_folder);
  for (int k = 0; k < BENCH_ORDERS; k++) {
    if (took_part(g, k))
      printf(", MUMPS %s %.1f", bench_order_names[k], 1e3 * g->analysis_s[k] / g->n_folder);
  }
  int order = best_order(g);
  Ratios q = ratios(g, order);
  printf("\n  residual below %g: %d of %d", SMALL_RESIDUAL, q.n_small, q.n_regular);
  if (order < 0) {
    putchar('\n');
    return;
  }
  printf("; more than 10 times MUMPS': %d\n", q.n_worse);
  print_offenders(g, order, worse);
  printf(
      "  inertia other than MUMPS': %d of the %d that both find regular; with a pivot threshold of 0.1 instead of\n"
      "  1e-6 MUMPS agrees with us on %d of these\n",
      q.n_inertia, q.n_sure, q.n_referee);
  print_offenders(g, order, other_inertia);
  printf(
      "  factorisation and solve against MUMPS %s: %.1f times faster (median %.1f, least %.1f)\n",
      bench_order_names[order], q.total, q.median, q.least);
}

static void print_scale(const BenchKktReport *r, OcpLayout layout) {
  if (r->n_scale[layout] == 0) return;
  printf("\ngrowing grids, %s layout\n", ocp_layout_names[layout]);
  printf("  %9s %9s %9s %9s %9s %9s %12s %9s\n", "intervals", "unknowns", "nonzeros", "build ms",
         "factor ms", "solve ms", "us/interval", "MB");
  for (int i = 0; i < r->n_scale[layout]; i++) {
    const BenchScale *s = &r->scale[layout][i];
    printf("  %9d %9d %9d %9.2f %9.3f %9.3f %12.2f %9.2f\n", s->intervals, s->dim, s->nnz,
           1e3 * s->build_s, 1e3 * s->factor_s, 1e3 * s->solve_s,
           1e6 * (s->factor_s + s->solve_s) / s->intervals, 1e-6 * s->bytes);
  }
}

void bench_kkt_print_text(const BenchKktReport *r) {
  printf("KKT systems, quickest of %d, %d thread%s", r->repetitions, r->threads,
         r->threads > 1 ? "s (MUMPS 1)" : "");
  if (*r->cpu) printf(", %s", r->cpu);
  printf(", peak of a core %.1f GFlop/s (measured)\n", 1e-9 * r->peak);
  for (int i = 0; i < r->n_group; i++) print_group(r, &r->group[i]);
  for (int l = 0; l < N_OCP_LAYOUTS; l++) print_scale(r, (OcpLayout)l);
  printf(
      "\ngoals: 12 times faster than MUMPS in the condensed layout, 8 in the paper layout; all residuals\n"
      "below 1e-9 and none above 10 times MUMPS'; the same inertia; linear in the intervals\n");
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_ldl(JsonOut *j, const char *key, const BenchLdl *l) {
  json_out_open(j, key, '{');
  json_out_number(j, "factor_s", l->factor_s);
  json_out_number(j, "solve_s", l->solve_s);
  json_out_number(j, "residual", l->singular ? NAN : l->residual);
  json_out_int(j, "negative", l->n_negative);
  json_out_int(j, "delayed", l->n_delayed);
  json_out_bool(j, "singular", l->singular);
  json_out_number(j, "flops", l->flops);
  json_out_number(j, "bytes", l->bytes);
  json_out_close(j);
}

static void add_system(JsonOut *j, const BenchGroup *g, const BenchSystem *s) {
  json_out_open(j, NULL, '{');
  json_out_string(j, "name", s->name);
  json_out_int(j, "unknowns", s->dim);
  json_out_int(j, "nonzeros", s->nnz);
  json_out_bool(j, "wrong_inertia", s->indefinite);
  json_out_bool(j, "regularised", s->regularised);
  json_out_bool(j, "late", s->late);
  add_ldl(j, "poise", &s->own);
  for (int k = 0; k < BENCH_ORDERS; k++) {
    if (took_part(g, k)) add_ldl(j, bench_order_names[k], &s->mumps[k]);
  }
  json_out_close(j);
}

static void add_group(JsonOut *j, const BenchGroup *g) {
  int order = best_order(g);
  Ratios q = ratios(g, order);
  json_out_open(j, NULL, '{');
  json_out_string(j, "name", g->name);
  json_out_int(j, "solves", g->n_folder);
  json_out_number(j, "symbolic_s", g->build_s);
  json_out_string(j, "best_ordering", order < 0 ? NULL : bench_order_names[order]);
  json_out_number(j, "times_faster", order < 0 ? NAN : q.total);
  json_out_number(j, "times_faster_median", order < 0 ? NAN : q.median);
  json_out_number(j, "times_faster_least", order < 0 ? NAN : q.least);
  json_out_int(j, "small_residuals", q.n_small);
  json_out_int(j, "regular", q.n_regular);
  json_out_int(j, "worse_residuals", q.n_worse);
  json_out_int(j, "other_inertia", q.n_inertia);
  json_out_int(j, "other_inertia_referee_agrees", q.n_referee);
  json_out_open(j, "systems", '[');
  for (int i = 0; i < g->n; i++) add_system(j, g, &g->system[i]);
  json_out_close(j);
  json_out_close(j);
}

static void add_scale(JsonOut *j, const BenchKktReport *r, OcpLayout layout) {
  json_out_open(j, ocp_layout_names[layout], '[');
  for (int i = 0; i < r->n_scale[layout]; i++) {
    const BenchScale *s = &r->scale[layout][i];
    json_out_open(j, NULL, '{');
    json_out_int(j, "intervals", s->intervals);
    json_out_int(j, "unknowns", s->dim);
    json_out_int(j, "nonzeros", s->nnz);
    json_out_number(j, "symbolic_s", s->build_s);
    json_out_number(j, "factor_s", s->factor_s);
    json_out_number(j, "solve_s", s->solve_s);
    json_out_number(j, "bytes", s->bytes);
    json_out_close(j);
  }
  json_out_close(j);
}

Status bench_kkt_print_json(const BenchKktReport *r, Error *err) {
  JsonOut j = {0};
  json_out_open(&j, NULL, '{');
  json_out_string(&j, "cpu", r->cpu);
  json_out_int(&j, "threads", r->threads);
  json_out_number(&j, "peak_flops", r->peak);
  json_out_open(&j, "groups", '[');
  for (int i = 0; i < r->n_group; i++) add_group(&j, &r->group[i]);
  json_out_close(&j);
  json_out_open(&j, "growing", '{');
  for (int l = 0; l < N_OCP_LAYOUTS; l++) add_scale(&j, r, (OcpLayout)l);
  json_out_close(&j);
  json_out_close(&j);
  return json_out_print(&j, err);
}
