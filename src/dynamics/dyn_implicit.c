// SPDX-License-Identifier: MIT
// IMPL: the inverse dynamics itself is the equation of motion.
#include "dynamics/dyn.h"
#include "dynamics/rnea.h"

static bool map(const DynTrace *tr, const Expr *a, Expr *tau) {
  if (!rnea_build(tr->g, tr->m, &tr->tree, tr->body, tr->v, a, tau)) return false;
  for (int i = 0; i < tr->m->nv; i++) {
    Expr damping = expr_scale(tr->g, tr->m->joint[i].damping, tr->v[i]);
    tau[i] = expr_add(tr->g, tau[i], damping);
  }
  return true;
}

const DynForm dyn_implicit = {
    .name = "IMPL",
    .family = "IMPL",
    .title = "implicit, recursive Newton-Euler (DAE)",
    .terms = "Phi(q, v, a)",
    .algebraic = true,
    .map = map,
};
