// SPDX-License-Identifier: MIT
#include "dynamics/loop_dae.h"

#include <string.h>

// y += J^T x
static void add_transposed(ExprGraph *g, const ExprMatrix *J, const Expr *x, Expr *y) {
  for (int j = 0; j < J->n_col; j++) {
    for (int e = J->colptr[j]; e < J->colptr[j + 1]; e++) {
      y[j] = expr_add(g, y[j], expr_mul(g, J->e[e], x[J->row[e]]));
    }
  }
}

// columns q, v, a, lambda, mu
static Expr *unknowns(Arena *arena, const DynTrace *tr, int m) {
  size_t n = (size_t)tr->m->nv;
  Expr *x = arena_array(arena, 3 * n + 2 * (size_t)m, sizeof *x);
  if (!x) return NULL;
  memcpy(x, tr->q, n * sizeof *x);
  memcpy(x + n, tr->v, n * sizeof *x);
  memcpy(x + 2 * n, tr->a, n * sizeof *x);
  for (int i = 0; i < m; i++) {
    x[3 * n + (size_t)i] = expr_input(tr->g, DYN_LAMBDA, i);
    x[3 * n + (size_t)m + (size_t)i] = expr_input(tr->g, LOOP_DAE_MU, i);
  }
  return x;
}

static bool make(DynFunction *f, const DynTrace *tr) {
  ExprGraph *g = tr->g;
  LoopTrace loops;
  if (!loops_build(&loops, tr, f->arena)) return false;
  int n = tr->m->nv, m = loops.m;
  size_t rows = 2 * ((size_t)n + (size_t)m);
  Expr *x = unknowns(f->arena, tr, m);
  Expr *r = arena_array(f->arena, rows, sizeof *r);
  ExprInput *in = arena_array(f->arena, 6, sizeof *in);
  ExprOutput *out = arena_array(f->arena, 2, sizeof *out);
  if (!x || !r || !in || !out || !dyn_implicit.map(tr, tr->a, r + n)) return false;
  for (int i = 0; i < n; i++) {
    r[i] = expr_neg(tr->v[i]);
    r[n + i] = expr_sub(g, r[n + i], tr->tau[i]);
  }
  add_transposed(g, &loops.J, x + 3 * (size_t)n, r + n);
  add_transposed(g, &loops.J, x + 3 * (size_t)n + m, r);
  for (int i = 0; i < m; i++) {
    r[2 * n + i] = loops.rate[i];
    r[2 * n + m + i] = loops.phi[i];
  }
  in[0] = (ExprInput){"q", n, DYN_Q};
  in[1] = (ExprInput){"v", n, DYN_V};
  in[2] = (ExprInput){"a", n, DYN_A};
  in[3] = (ExprInput){"lambda", m, DYN_LAMBDA};
  in[4] = (ExprInput){"mu", m, LOOP_DAE_MU};
  in[5] = (ExprInput){"tau", n, DYN_TAU};
  out[0].name = "residual";
  out[1].name = "jacobian";
  f->f.n_in = 6;
  f->f.in = in;
  f->f.n_out = 2;
  f->f.out = out;
  return expr_column(&out[0].value, f->arena, (int)rows, r) &&
         expr_jacobian(g, f->arena, (int)rows, r, 3 * n + 2 * m, x, &out[1].value);
}

Status loop_dae_build(DynFunction **out, const Model *m, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprGraph *g = f ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = "loop_dae", .g = g}};
  DynTrace tr;
  bool ok = dyn_trace_build(&tr, g, m) && make(f, &tr);
  dyn_trace_free(&tr);
  if (!ok || expr_graph_status(g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  *out = f;
  return STATUS_OK;
}
