// SPDX-License-Identifier: MIT
#include "dynamics/crba.h"
#include "dynamics/dyn.h"

static Expr *inputs(DynTrace *tr, int input, int n) {
  Expr *e = arena_array(tr->arena, (size_t)n, sizeof *e);
  for (int i = 0; e && i < n; i++) e[i] = expr_input(tr->g, input, i);
  return e;
}

bool dyn_trace_build(DynTrace *tr, ExprGraph *g, const Model *m) {
  *tr = (DynTrace){.arena = arena_new(), .g = g, .m = m};
  tr->body = arena_array(tr->arena, (size_t)m->nv, sizeof *tr->body);
  tr->q = inputs(tr, DYN_Q, m->nv);
  tr->v = inputs(tr, DYN_V, m->nv);
  tr->a = inputs(tr, DYN_A, m->nv);
  tr->tau = inputs(tr, DYN_TAU, m->nv);
  tr->u = inputs(tr, DYN_U, m->nu);
  tr->lambda = inputs(tr, DYN_LAMBDA, m->nv);
  bool ok = tr->body && tr->q && tr->v && tr->a && tr->tau && tr->u && tr->lambda &&
            dyn_tree_build(&tr->tree, m, tr->arena);
  if (ok) kin_build(g, &tr->tree, tr->q, tr->body);
  else expr_graph_fail(g);
  return ok;
}

void dyn_trace_free(DynTrace *tr) {
  arena_free(tr->arena);
  tr->arena = NULL;
}

void dyn_actuator_forces(const DynTrace *tr, Expr *force) {
  for (int i = 0; i < tr->m->nv; i++) force[i] = EXPR_ZERO;
  for (int k = 0; k < tr->m->nu; k++) force[tr->m->u_joint[k]] = tr->u[k];
}

bool dyn_mass_factor(const DynTrace *tr, Expr *factor, Expr *d_inv) {
  if (!crba_build(tr->g, tr->m, &tr->tree, tr->body, factor)) return false;
  crba_factor(tr->g, tr->m, &tr->tree, factor, d_inv);
  return true;
}
