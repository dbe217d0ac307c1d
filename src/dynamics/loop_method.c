// SPDX-License-Identifier: MIT
#include "dynamics/loop_method.h"

#include <strings.h>

const LoopMethod *const loop_methods[] = {
    &loop_tree_aug, &loop_tree_aug_dense, &loop_gauss, &loop_tree_lambda,
    &loop_rcr,      &loop_maximal,        NULL};

const LoopMethod *loop_method_find(const char *name) {
  for (int i = 0; loop_methods[i]; i++) {
    if (strcasecmp(name, loop_methods[i]->name) == 0) return loop_methods[i];
  }
  return NULL;
}

static bool make_function(DynFunction *f, const DynTrace *tr, const LoopMethod *method) {
  int n = tr->m->nv, m = model_n_rows(tr->m);
  ExprInput *in = arena_array(f->arena, 3, sizeof *in);
  ExprOutput *out = arena_array(f->arena, 2, sizeof *out);
  Expr *a = arena_array(f->arena, (size_t)n, sizeof *a);
  Expr *lambda = arena_array(f->arena, (size_t)m, sizeof *lambda);
  if (!in || !out || !a || !lambda || !method->map(tr, tr->tau, a, lambda)) return false;
  if (!expr_column(&out[0].value, f->arena, n, a)) return false;
  if (!expr_column(&out[1].value, f->arena, m, lambda)) return false;
  in[0] = (ExprInput){"q", n, DYN_Q};
  in[1] = (ExprInput){"v", n, DYN_V};
  in[2] = (ExprInput){"tau", n, DYN_TAU};
  out[0].name = "a";
  out[1].name = "lambda";
  f->f.n_in = 3;
  f->f.in = in;
  f->f.n_out = method->has_multipliers ? 2 : 1;
  f->f.out = out;
  return true;
}

Status loop_function_build(DynFunction **out, const Model *m, const LoopMethod *method,
                           Error *err) {
  *out = NULL;
  if (method->applies(m, err) != STATUS_OK) return err->code;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprGraph *g = f ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = "constrained_dynamics", .g = g}};
  DynTrace tr;
  bool ok = dyn_trace_build(&tr, g, m) && make_function(f, &tr, method);
  dyn_trace_free(&tr);
  if (!ok || expr_graph_status(g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  *out = f;
  return STATUS_OK;
}
