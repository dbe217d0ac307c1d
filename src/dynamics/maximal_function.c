// SPDX-License-Identifier: MIT
// The functions of maximal.h, all on the graph of the Maximal.
#include "dynamics/maximal_internal.h"

static DynFunction *function_new(const Maximal *x, const char *name, bool forces) {
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprInput *in = arena_array(arena, 5, sizeof *in);
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
  *f = (DynFunction){.arena = arena, .f = {.name = name, .g = x->g, .n_in = 4 + forces, .in = in}};
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
  for (int i = 0; ok && i < x->n; i++) rhs[0][i] = x->rhs[i];
  for (int r = 0; ok && r < x->n_row; r++) {
    rhs[1][first + r] = expr_neg(x->violation[r]);
    rhs[2][first + r] = expr_neg(x->rate[r]);
  }
  if (!ok || !maximal_solve(x, drop, steps ? 3 : 1, rhs)) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  const Column column[] = {{"acceleration", first, rhs[0]},
                           {"multiplier", x->n_row, rhs[0] + first},
                           {"position", first, rhs[1]},
                           {"velocity", first, rhs[2]}};
  return finish(out, f, x, steps ? 4 : 2, column, err);
}
