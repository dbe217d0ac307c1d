// SPDX-License-Identifier: MIT
#include "dynamics/rcr_function.h"

#include <string.h>

#include "dynamics/loop_method.h"
#include "dynamics/rcr.h"
#include "expr/expr_tape.h"

// ---- the choice --------------------------------------------------------------------------------

// J at q, dense; from the arena, NULL when out of memory
static double *jacobian_at(Arena *arena, const DynFunction *f, const ExprTape *tape, const Model *m,
                           const double *q) {
  size_t n = (size_t)m->nv, rows = (size_t)model_n_rows(m);
  const ExprMatrix *J = &f->f.out[3].value;
  double *dense = arena_array(arena, rows * n + 1, sizeof *dense);
  double *nz = arena_array(arena, (size_t)J->nnz + 1, sizeof *nz);
  double *zero = arena_array(arena, n + 1, sizeof *zero);
  void *work = arena_alloc(arena, expr_tape_work_size(tape));
  if (!dense || !nz || !zero || !work) return NULL;
  const LaneIn in[2] = {{q ? q : zero, 1, 0}, {zero, 1, 0}};
  const LaneOut out[4] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, {nz, 1, 0}};
  expr_tape_eval(tape, 1, in, out, work);
  for (int j = 0; j < m->nv; j++) {
    for (int e = J->colptr[j]; e < J->colptr[j + 1]; e++) {
      dense[(size_t)J->row[e] + (size_t)j * rows] = nz[e];
    }
  }
  return dense;
}

Status rcr_plan_at(RcrPlan **out, const Model *m, const double *q, Error *err) {
  *out = NULL;
  DynFunction *f = NULL;
  ExprTape *tape = NULL;
  Arena *arena = arena_new();
  Status s = loops_function_build(&f, m, err);
  if (s == STATUS_OK) s = expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, err);
  if (s == STATUS_OK) {
    double *J = jacobian_at(arena, f, tape, m, q ? q : model_start(m));
    s = J ? rcr_plan_build(out, m, model_n_rows(m), J, err) : error_no_memory(err);
  }
  arena_free(arena);
  expr_tape_free(tape);
  dyn_function_free(f);
  return s;
}

// ---- functions ---------------------------------------------------------------------------------

static const int NUMBERS[] = {DYN_Q, DYN_V, DYN_TAU};

static bool set_inputs(DynFunction *f, const RcrPlan *plan, int n_in) {
  ExprInput *in = arena_array(f->arena, 3, sizeof *in);
  if (!in) return false;
  static const char *const names[] = {"q", "v_ind", "tau"};
  for (int i = 0; i < 3; i++) {
    in[i] = (ExprInput){names[i], i == 1 ? plan->n_ind : plan->nv, NUMBERS[i]};
  }
  f->f.n_in = n_in;
  f->f.in = in;
  return true;
}

static void damped(const DynTrace *tr, const Expr *force, const Expr *v, Expr *tau) {
  for (int i = 0; i < tr->m->nv; i++) {
    Expr loss = expr_scale(tr->g, tr->tree.joint[i].damping, v[i]);
    tau[i] = expr_sub(tr->g, force[i], loss);
  }
}

// rates only, or everything
static bool make(DynFunction *f, const DynTrace *tr, const RcrPlan *plan, bool rates_only) {
  size_t n = (size_t)plan->nv;
  Expr *v = arena_array(f->arena, n, sizeof *v);
  Expr *tau = arena_array(f->arena, n, sizeof *tau);
  Expr *a = arena_array(f->arena, n, sizeof *a);
  Expr *ind = arena_array(f->arena, n, sizeof *ind);
  Expr *pivot = arena_array(f->arena, n, sizeof *pivot);
  ExprOutput *out = arena_array(f->arena, 3, sizeof *out);
  if (!v || !tau || !a || !ind || !pivot || !out) return false;
  Rcr *r = rcr_open(tr, plan);
  if (!r) return false;
  for (int i = 0; i < plan->n_ind; i++) v[plan->ind[i]] = expr_input(tr->g, DYN_V, i);
  rcr_velocity(r, v);
  if (!rates_only) {
    damped(tr, tr->tau, v, tau);
    rcr_acceleration(r, v, tau, a);
    rcr_pivots(r, pivot);
  }
  rcr_end(r);
  for (int i = 0; i < plan->n_ind; i++) ind[i] = a[plan->ind[i]];
  out[0].name = "v";
  out[1].name = "a";
  out[2].name = "pivot";
  f->f.n_out = rates_only ? 1 : 3;
  f->f.out = out;
  return set_inputs(f, plan, rates_only ? 2 : 3) &&
         expr_column(&out[0].value, f->arena, plan->nv, v) &&
         expr_column(&out[1].value, f->arena, plan->n_ind, ind) &&
         expr_column(&out[2].value, f->arena, plan->nv - plan->n_ind, pivot);
}

static Status build(DynFunction **out, const Model *m, const RcrPlan *plan, const char *name,
                    bool rates_only, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprGraph *g = f ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = name, .g = g}};
  DynTrace tr;
  bool ok = dyn_trace_build(&tr, g, m) && make(f, &tr, plan, rates_only);
  dyn_trace_free(&tr);
  if (!ok || expr_graph_status(g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  *out = f;
  return STATUS_OK;
}

Status rcr_function_build(DynFunction **out, const Model *m, const RcrPlan *plan, Error *err) {
  return build(out, m, plan, "reduced_dynamics", false, err);
}

Status rcr_rates_build(DynFunction **out, const Model *m, const RcrPlan *plan, Error *err) {
  return build(out, m, plan, "reduced_rates", true, err);
}

// ---- as one of the methods ---------------------------------------------------------------------

static Status applies(const Model *m, Error *err) {
  RcrPlan *plan;
  Status s = rcr_plan_at(&plan, m, NULL, err);
  rcr_plan_free(plan);
  return s;
}

static bool map(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda) {
  (void)lambda;
  Error err = {0};
  RcrPlan *plan;
  Arena *arena = arena_new();
  Expr *tau = arena_array(arena, (size_t)tr->m->nv, sizeof *tau);
  bool ok = tau && rcr_plan_at(&plan, tr->m, NULL, &err) == STATUS_OK;
  if (ok) {
    Rcr *r = rcr_open(tr, plan);
    ok = r != NULL;
    damped(tr, force, tr->v, tau);
    if (ok) rcr_acceleration(r, tr->v, tau, a);
    rcr_end(r);
    rcr_plan_free(plan);
  }
  if (!ok) expr_graph_fail(tr->g);
  arena_free(arena);
  return ok;
}

const LoopMethod loop_rcr = {
    .name = "RCR",
    .title = "recursive coordinate reduction, order n + m (Anderson and Critchley 2003)",
    .has_multipliers = false,
    .applies = applies,
    .map = map,
};
