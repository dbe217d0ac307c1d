// SPDX-License-Identifier: MIT
// EXP1: accelerations by factorising the mass matrix on the tree.
#include "dynamics/crba.h"
#include "dynamics/dyn.h"
#include "dynamics/rnea.h"

static bool map(const DynTrace *tr, const Expr *tau, Expr *a) {
  size_t n = (size_t)tr->m->nv;
  Expr *factor = arena_array(tr->arena, n * n, sizeof *factor);
  Expr *d_inv = arena_array(tr->arena, n, sizeof *d_inv);
  if (!factor || !d_inv || !dyn_mass_factor(tr, factor, d_inv)) return false;
  if (!rnea_build(tr->g, tr->m, &tr->tree, tr->body, tr->v, NULL, a)) return false;
  for (int i = 0; i < tr->m->nv; i++) {
    Expr damping = expr_scale(tr->g, tr->m->joint[i].damping, tr->v[i]);
    a[i] = expr_sub(tr->g, expr_sub(tr->g, tau[i], damping), a[i]);
  }
  crba_solve(tr->g, &tr->tree, factor, d_inv, a);
  return true;
}

const DynForm dyn_exp1_ode = {
    .name = "EXP1-O",
    .family = "EXP1",
    .title = "explicit, factorised mass matrix (ODE)",
    .terms = "gamma(q, v, Q)",
    .explicit_form = true,
    .map = map,
};

const DynForm dyn_exp1_dae = {
    .name = "EXP1-A",
    .family = "EXP1",
    .title = "explicit, factorised mass matrix (DAE)",
    .terms = "gamma(q, v, Q)",
    .explicit_form = true,
    .algebraic = true,
    .map = map,
};
