// SPDX-License-Identifier: MIT
// EXP2: accelerations by the articulated body algorithm, order n.
#include "dynamics/aba.h"
#include "dynamics/dyn.h"

static bool map(const DynTrace *tr, const Expr *tau, Expr *a) {
  Expr *net = arena_array(tr->arena, (size_t)tr->m->nv, sizeof *net);
  if (!net) return false;
  for (int i = 0; i < tr->m->nv; i++) {
    Expr damping = expr_scale(tr->g, tr->m->joint[i].damping, tr->v[i]);
    net[i] = expr_sub(tr->g, tau[i], damping);
  }
  return aba_build(tr->g, tr->m, &tr->tree, tr->body, tr->v, net, a);
}

const DynForm dyn_exp2_ode = {
    .name = "EXP2-O",
    .family = "EXP2",
    .title = "explicit, articulated bodies, order n (ODE)",
    .terms = "nu(q, v, Q)",
    .explicit_form = true,
    .map = map,
};

const DynForm dyn_exp2_dae = {
    .name = "EXP2-A",
    .family = "EXP2",
    .title = "explicit, articulated bodies, order n (DAE)",
    .terms = "nu(q, v, Q)",
    .explicit_form = true,
    .algebraic = true,
    .map = map,
};
