// SPDX-License-Identifier: MIT
#include "dynamics/loop_eval.h"

#include <string.h>

#include "dynamics/crba.h"

static Status build_loops(LoopEval *e, Error *err) {
  DynFunction *f = NULL;
  if (loops_function_build(&f, e->m, err) != STATUS_OK) return err->code;
  const ExprMatrix *J = &f->f.out[3].value;
  e->nnz = J->nnz;
  e->colptr = arena_array(e->arena, (size_t)e->nv + 1, sizeof *e->colptr);
  e->row = arena_array(e->arena, (size_t)J->nnz, sizeof *e->row);
  Status status = e->colptr && e->row ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK) {
    memcpy(e->colptr, J->colptr, ((size_t)e->nv + 1) * sizeof *e->colptr);
    if (J->nnz) memcpy(e->row, J->row, (size_t)J->nnz * sizeof *e->row);
    f->f.n_out = 5;  // "facing" too
    status = expr_tape_build(&e->loops, &f->f, TAPE_FOR_EVALUATOR, err);
  }
  dyn_function_free(f);
  return status;
}

// the nonzeros of the lower triangle as one column
static bool collect(LoopEval *e, const Expr *mass, ExprMatrix *out) {
  size_t n = (size_t)e->nv;
  int nnz = 0;
  for (size_t k = 0; k < n * n; k++) nnz += mass[k] != EXPR_ZERO;
  Expr *value = arena_array(e->arena, (size_t)nnz, sizeof *value);
  e->mass_at = arena_array(e->arena, (size_t)nnz, sizeof *e->mass_at);
  if (!value || !e->mass_at) return false;
  for (size_t k = 0; k < n * n; k++) {
    if (mass[k] == EXPR_ZERO) continue;
    e->mass_at[e->mass_nnz] = (int)k;
    value[e->mass_nnz++] = mass[k];
  }
  return expr_column(out, e->arena, nnz, value);
}

static Status build_mass(LoopEval *e, Error *err) {
  size_t n = (size_t)e->nv;
  Arena *arena = arena_new();
  ExprGraph *g = expr_graph_new();
  Expr *mass = arena_array(arena, n * n, sizeof *mass);
  DynTrace tr = {0};
  ExprInput in = {"q", e->nv, DYN_Q};
  ExprOutput out = {.name = "mass"};
  bool ok = g && mass && dyn_trace_build(&tr, g, e->m) &&
            crba_build(g, e->m, &tr.tree, tr.body, mass) && collect(e, mass, &out.value) &&
            expr_graph_status(g, err) == STATUS_OK;
  const ExprFunction f = {.name = "mass", .g = g, .n_in = 1, .in = &in, .n_out = 1, .out = &out};
  Status status = ok ? expr_tape_build(&e->mass, &f, TAPE_FOR_EVALUATOR, err)
                     : error_no_memory(err);
  dyn_trace_free(&tr);
  expr_graph_free(g);
  arena_free(arena);
  return status;
}

static Status build_work(LoopEval *e, Error *err) {
  size_t a = expr_tape_work_size(e->loops), b = expr_tape_work_size(e->mass);
  int most = e->nnz > e->mass_nnz ? e->nnz : e->mass_nnz;
  e->work = arena_alloc(e->arena, a > b ? a : b);
  e->value = arena_array(e->arena, (size_t)most, sizeof *e->value);
  e->zero = arena_array(e->arena, (size_t)e->nv, sizeof *e->zero);
  return e->work && e->value && e->zero ? STATUS_OK : error_no_memory(err);
}

Status loop_eval_build(LoopEval **out, const Model *m, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  LoopEval *e = arena_alloc(arena, sizeof *e);
  if (!e) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *e = (LoopEval){.arena = arena, .m = m, .nv = m->nv, .n_row = model_n_rows(m)};
  Status status = build_loops(e, err);
  if (status == STATUS_OK) status = build_mass(e, err);
  if (status == STATUS_OK) status = build_work(e, err);
  if (status == STATUS_OK) *out = e;
  else loop_eval_free(e);
  return status;
}

void loop_eval_free(LoopEval *e) {
  if (!e) return;
  expr_tape_free(e->loops);
  expr_tape_free(e->mass);
  arena_free(e->arena);
}

bool loop_eval(const LoopEval *e, const double *q, const double *v, double *phi, double *rate,
               double *gamma, double *J) {
  const LaneIn in[2] = {{q, 1, e->nv}, {v ? v : e->zero, 1, e->nv}};
  const LaneOut out[5] = {
      {phi, 1, 0}, {rate, 1, 0}, {gamma, 1, 0}, {J ? e->value : NULL, 1, 0}, {NULL, 1, 0}};
  if (!expr_tape_eval(e->loops, 1, in, out, e->work)) return false;
  if (!J) return true;
  memset(J, 0, (size_t)e->n_row * (size_t)e->nv * sizeof *J);
  for (int j = 0; j < e->nv; j++) {
    for (int k = e->colptr[j]; k < e->colptr[j + 1]; k++) {
      J[e->row[k] + (size_t)e->n_row * (size_t)j] = e->value[k];
    }
  }
  return true;
}

bool loop_eval_facing(const LoopEval *e, const double *q, double *facing) {
  const LaneIn in[2] = {{q, 1, e->nv}, {e->zero, 1, e->nv}};
  const LaneOut out[5] = {{NULL, 1, 0}, {NULL, 1, 0}, {NULL, 1, 0}, {NULL, 1, 0}, {facing, 1, 0}};
  return expr_tape_eval(e->loops, 1, in, out, e->work);
}

bool loop_eval_mass(const LoopEval *e, const double *q, double *M) {
  const LaneIn in = {q, 1, e->nv};
  const LaneOut out = {e->value, 1, 0};
  size_t n = (size_t)e->nv;
  if (!expr_tape_eval(e->mass, 1, &in, &out, e->work)) return false;
  memset(M, 0, n * n * sizeof *M);
  for (int k = 0; k < e->mass_nnz; k++) {
    size_t i = (size_t)e->mass_at[k] % n, j = (size_t)e->mass_at[k] / n;
    M[i + n * j] = M[j + n * i] = e->value[k];
  }
  return true;
}
