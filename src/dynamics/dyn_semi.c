// SPDX-License-Identifier: MIT
// SEMI: mass matrix and bias computed apart, then M a + c.
#include "dynamics/crba.h"
#include "dynamics/dyn.h"
#include "dynamics/rnea.h"

// Mass matrix (lower triangle, nv x nv) and bias with damping (nv).
static bool mass_and_bias(const DynTrace *tr, Expr *mass, Expr *bias) {
  if (!crba_build(tr->g, tr->m, &tr->tree, tr->body, mass) ||
      !rnea_build(tr->g, tr->m, &tr->tree, tr->body, tr->v, NULL, bias)) {
    return false;
  }
  for (int i = 0; i < tr->m->nv; i++) {
    Expr damping = expr_scale(tr->g, tr->m->joint[i].damping, tr->v[i]);
    bias[i] = expr_add(tr->g, bias[i], damping);
  }
  return true;
}

static bool map(const DynTrace *tr, const Expr *a, Expr *tau) {
  int n = tr->m->nv;
  Expr *mass = arena_array(tr->arena, (size_t)n * (size_t)n, sizeof *mass);
  if (!mass || !mass_and_bias(tr, mass, tau)) return false;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      Expr entry = i >= j ? mass[i + n * j] : mass[j + n * i];
      tau[i] = expr_add(tr->g, tau[i], expr_mul(tr->g, entry, a[j]));
    }
  }
  return true;
}

static int parts(const DynTrace *tr, Expr *out) {
  int n = tr->m->nv;
  return mass_and_bias(tr, out, out + n * n) ? n * n + n : 0;
}

const DynForm dyn_semi = {
    .name = "SEMI",
    .family = "SEMI",
    .title = "semi-explicit, mass matrix and bias (DAE)",
    .terms = "M(q), c(q, v)",
    .algebraic = true,
    .map = map,
    .parts = parts,
};
