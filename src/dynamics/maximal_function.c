// SPDX-License-Identifier: MIT
// The functions of maximal.h, all on the graph of the Maximal.
#include "dynamics/maximal_internal.h"

static DynFunction *function_new(const Maximal *x, const char *name, bool forces) {
  int n_in = !forces ? 4 : x->n_soft ? 7 : 5;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprInput *in = arena_array(arena, 7, sizeof *in);
  if (!f || !in) {
    arena_free(arena);
    return NULL;
  }
  int n = x->n_body;
  in[0] = (ExprInput){"p", 3 * n, MAX_P};
  in[1] = (ExprInput){"e", 4 * n, MAX_E};
  in[2] = (ExprInput){"v", 3 * n, MAX_V};
  in[3] = (ExprInput){"w", 3 * n, MAX_W};
  in[4] = (ExprInput){"tau", x->m->nv, MAX_TAU};
  in[5] = (ExprInput){"mu", x->n_soft, MAX_MU};
  in[6] = (ExprInput){"gain", 2, MAX_GAIN};
  *f = (DynFunction){.arena = arena, .f = {.name = name, .g = x->g, .n_in = n_in, .in = in}};
  return f;
}

typedef struct Column {
  const char *name;
  int n;
  const Expr *e;
} Column;

// Takes f, which may be NULL; frees it on failure.
static Status finish(DynFunction **out, DynFunction *f, const Maximal *x, int n,
                     const Column *column, Error *err) {
  ExprOutput *o = f ? arena_array(f->arena, (size_t)n, sizeof *o) : NULL;
  bool ok = o != NULL;
  for (int k = 0; ok && k < n; k++) {
    o[k].name = column[k].name;
    ok = expr_column(&o[k].value, f->arena, column[k].n, column[k].e);
  }
  if (!ok || expr_graph_status(x->g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  f->f.n_out = n;
  f->f.out = o;
  *out = f;
  return STATUS_OK;
}

Status maximal_system_build(DynFunction **out, const Maximal *x, Error *err) {
  *out = NULL;
  const Column column[] = {{"matrix", x->n_entry, x->value}, {"rhs", x->n, x->rhs}};
  return finish(out, function_new(x, "system", true), x, 2, column, err);
}

Status maximal_violation_build(DynFunction **out, const Maximal *x, Error *err) {
  *out = NULL;
  const Column column[] = {
      {"violation", x->n_row, x->violation}, {"rate", x->n_row, x->rate}, {"energy", 2, x->energy}};
  return finish(out, function_new(x, "violation", false), x, 3, column, err);
}

Status maximal_solve_build(DynFunction **out, const Maximal *x, const bool *drop, bool steps,
                           Error *err) {
  *out = NULL;
  DynFunction *f = function_new(x, "solve", true);
  Expr *rhs[3] = {NULL};
  bool ok = f != NULL;
  for (int k = 0; k < 3 && ok; k++) {
    rhs[k] = arena_array(f->arena, (size_t)x->n + 1, sizeof *rhs[k]);
    ok = rhs[k] != NULL;
  }
  int first = 6 * x->n_body;
  Expr *multiplier = f ? arena_array(f->arena, (size_t)x->n_row + 1, sizeof *multiplier) : NULL;
  ok = ok && multiplier;
  for (int i = 0; ok && i < x->n; i++) rhs[0][i] = x->rhs[i];
  for (int k = 0; ok && k < x->n_joint; k++) {
    const MaxJoint *j = &x->joint[k];
    for (int r = 0; r < j->n_row && !j->soft; r++) {
      rhs[1][j->row + r] = expr_neg(x->violation[j->first + r]);
      rhs[2][j->row + r] = expr_neg(x->rate[j->first + r]);
    }
  }
  if (!ok || !maximal_solve(x, drop, steps ? 3 : 1, rhs)) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  for (int k = 0; k < x->n_joint; k++) {
    const MaxJoint *j = &x->joint[k];
    const Expr *from = j->soft ? x->mu : rhs[0];
    for (int r = 0; r < j->n_row; r++) multiplier[j->first + r] = from[j->row + r];
  }
  const Column column[] = {{"acceleration", first, rhs[0]},
                           {"multiplier", x->n_row, multiplier},
                           {"position", first, rhs[1]},
                           {"velocity", first, rhs[2]}};
  return finish(out, f, x, steps ? 4 : 2, column, err);
}
