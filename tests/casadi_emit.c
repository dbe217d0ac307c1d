// SPDX-License-Identifier: MIT
// Our side of tests/test_casadi.sh.
//   casadi_emit emit DIR       writes DIR/ours.c and DIR/ours.h with a known function and its first
//                              and second derivatives, compiles DIR/ours.so, and prints, for some
//                              points, the inputs and what our evaluator makes of them
//   casadi_emit eval LIB NAME  loads a function; reads the values of its inputs from standard input
//                              and prints, for each output, its pattern and values; twice: one
//                              point, and by way of many points
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/textbuf.h"
#include "expr/expr_compile.h"
#include "expr/expr_emit_c.h"
#include "expr/expr_load.h"
#include "expr/expr_tape.h"

enum { N_Q = 3, N_P = 2, N_POINT = 5, MAX_VALUES = 4096 };

static Error err;

static int failed(const char *doing) {
  fprintf(stderr, "casadi_emit: %s: %s: %s\n", doing, err.where, err.what);
  return 1;
}

static void *work_block(size_t size) {
  void *p = aligned_alloc(64, (size / 64 + 1) * 64);
  if (!p) exit(3);
  return p;
}

static void print_values(const char *title, int n, const double *x) {
  printf("%s", title);
  for (int i = 0; i < n; i++) printf(" %.17g", x[i]);
  printf("\n");
}

// ---- our function, known to casadi_check.py too ------------------------------------------------

static bool known_function(ExprFunction *f, ExprGraph *g, Arena *arena) {
  static const ExprInput in[] = {{"q", N_Q, 0}, {"p", N_P, 1}};
  static int colptr[] = {0, 1, 2, 3}, row[] = {0, 2, 1};
  Expr q[N_Q], p[N_P];
  for (int i = 0; i < N_Q; i++) q[i] = expr_input(g, 0, i);
  for (int i = 0; i < N_P; i++) p[i] = expr_input(g, 1, i);
  Expr decay =
      expr_div(g, expr_exp(g, expr_neg(q[0])), expr_add(g, expr_const(g, 2), expr_cos(g, p[1])));
  Expr root = expr_sqrt(g, expr_add(g, EXPR_ONE, expr_mul(g, q[1], q[1])));
  Expr r[] = {expr_add(g, expr_mul(g, q[0], p[0]), expr_sin(g, q[1])),
              expr_sub(g, expr_mul(g, q[2], q[2]), decay),
              expr_mul(g, root, expr_log(g, expr_add(g, expr_const(g, 3), expr_sin(g, q[0])))),
              expr_neg(p[1]), expr_const(g, 0.1)};
  Expr *d = arena_array(arena, 3, sizeof *d);
  ExprOutput *out = arena_array(arena, 2, sizeof *out);
  if (!d || !out || !expr_column(&out[0].value, arena, 5, r)) return false;
  d[0] = expr_mul(g, q[0], q[1]);
  d[1] = expr_cos(g, q[2]);
  d[2] = expr_neg(q[0]);
  out[0].name = "r";
  out[1] = (ExprOutput){"D", {N_Q, N_Q, 3, colptr, row, d}};
  *f = (ExprFunction){"ours", g, 2, in, 2, out};
  return true;
}

static int print_points(const ExprFunction *f) {
  ExprTape *t;
  if (expr_tape_build(&t, f, TAPE_FOR_EVALUATOR, &err) != STATUS_OK) return failed("tape");
  void *work = work_block(expr_tape_work_size(t));
  Rng rng;
  rng_seed(&rng, 2);
  for (int k = 0; k < N_POINT; k++) {
    double q[N_Q], p[N_P], r[5], d[3];
    for (int i = 0; i < N_Q; i++) q[i] = rng_uniform(&rng, -3, 3);
    for (int i = 0; i < N_P; i++) p[i] = rng_uniform(&rng, -3, 3);
    LaneIn in[] = {{q, 1, 0}, {p, 1, 0}};
    LaneOut out[] = {{r, 1, 0}, {d, 1, 0}};
    if (!expr_tape_eval(t, 1, in, out, work)) fprintf(stderr, "not finite\n");
    print_values("q", N_Q, q);
    print_values("p", N_P, p);
    print_values("r", 5, r);
    print_values("D", 3, d);
  }
  free(work);
  expr_tape_free(t);
  return 0;
}

static int write_library(const char *folder, ExprGraph *g, Arena *arena, const ExprFunction *f) {
  ExprEmitItem item[3] = {{f, 0, NULL}};
  for (int i = 0; i < 2; i++) {
    if (expr_emit_jacobian(&item[i + 1], g, arena, &item[i], &err) != STATUS_OK) {
      return failed("jacobian");
    }
  }
  ExprEmit what = {"ours", "test function", 3, item, true};
  TextBuf source = {0}, header = {0};
  char path[3][1024];
  static const char *const end[] = {"c", "h", "so"};
  for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/ours.%s", folder, end[i]);
  Status s = expr_emit_c(&source, &header, &what, &err);
  if (s == STATUS_OK) s = textbuf_save(&source, path[0], &err);
  if (s == STATUS_OK) s = textbuf_save(&header, path[1], &err);
  if (s == STATUS_OK) s = expr_compile(path[0], path[2], false, &err);
  textbuf_free(&source);
  textbuf_free(&header);
  return s == STATUS_OK ? 0 : failed("library");
}

static int emit(const char *folder) {
  ExprGraph *g = expr_graph_new();
  Arena *arena = arena_new();
  ExprFunction f;
  int code = 3;
  if (g && known_function(&f, g, arena)) {
    code = print_points(&f);
    if (!code) code = write_library(folder, g, arena, &f);
  }
  expr_graph_free(g);
  arena_free(arena);
  return code;
}

// ---- their function ----------------------------------------------------------------------------

static void print_port(const ExprPort *p, const double *value) {
  printf("%s %d %d %d\n", p->name, p->n_row, p->n_col, p->nnz);
  for (int j = 0; j <= p->n_col; j++) printf("%d ", p->colptr[j]);
  printf("\n");
  for (int e = 0; e < p->nnz; e++) printf("%d ", p->row[e]);
  printf("\n");
  print_values("=", p->nnz, value);
}

static int eval(const char *library, const char *name) {
  enum { MAX_PORT = 8 };
  static double x[MAX_PORT][MAX_VALUES], y[MAX_PORT][MAX_VALUES];
  const double *arg[MAX_PORT];
  double *res[MAX_PORT];
  LaneIn in[MAX_PORT];
  LaneOut out[MAX_PORT];
  ExprExtern *f;
  if (expr_load(&f, library, name, &err) != STATUS_OK) return failed("load");
  if (f->n_in > MAX_PORT || f->n_out > MAX_PORT) return 3;
  for (int i = 0; i < f->n_in; i++) {
    arg[i] = x[i];
    in[i] = (LaneIn){x[i], 1, 0};
    for (int e = 0; e < f->in[i].nnz && e < MAX_VALUES; e++) {
      if (scanf("%lf", &x[i][e]) != 1) return 3;
    }
  }
  for (int o = 0; o < f->n_out; o++) {
    res[o] = y[o];
    out[o] = (LaneOut){y[o], 1, 0};
  }
  void *work = work_block(expr_extern_work_size(f));
  Status s = expr_extern_eval(f, arg, res, work, &err);
  for (int o = 0; s == STATUS_OK && o < f->n_out; o++) print_port(&f->out[o], y[o]);
  memset(y, 0, sizeof y);
  bool ok = expr_extern_eval_points(f, 3, in, out, work);
  for (int o = 0; ok && o < f->n_out; o++) print_port(&f->out[o], y[o]);
  free(work);
  expr_extern_free(f);
  return s == STATUS_OK && ok ? 0 : failed("eval");
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "emit") == 0) return emit(argv[2]);
  if (argc == 4 && strcmp(argv[1], "eval") == 0) return eval(argv[2], argv[3]);
  fprintf(stderr, "usage: casadi_emit emit DIR | eval LIB NAME\n");
  return 2;
}
