// SPDX-License-Identifier: MIT
// Which variable sits where, and what the local variables of a point are made of.
#include "collocation/colloc_internal.h"

// adds base h^power times a slot
static void add(Combo *to, int slot, double base, int power) {
  if (base == 0.0) return;
  to->slot[to->n] = slot;
  to->coef[to->n++] = factor(base, power);
}

static Combo *combo(const Colloc *c, int local, int j) {
  return &c->combo[local + (3 * c->nv + c->nu) * j];
}

static void combine_condensed(Colloc *c, int i, int j) {
  const Scheme *s = &c->s;
  Combo *q = combo(c, i, j), *v = combo(c, c->nv + i, j), *a = combo(c, 2 * c->nv + i, j);
  add(q, i, 1.0, 0);
  add(q, c->nv + i, s->c[j], 1);
  add(v, c->nv + i, 1.0, 0);
  for (int l = 0; l < c->d; l++) {
    add(q, c->slot_point[l] + i, s->A2[j][l], 2);
    add(v, c->slot_point[l] + i, s->A[j][l], 1);
  }
  add(a, c->slot_point[j] + i, 1.0, 0);
}

static void combine_paper(Colloc *c, int i, int j) {
  for (int kind = 0; kind < (c->has_a ? 3 : 2); kind++) {
    add(combo(c, kind * c->nv + i, j), c->slot_point[j] + kind * c->nv + i, 1.0, 0);
  }
}

bool colloc_layout(Colloc *c) {
  int per_point = c->condensed ? c->nv : (c->has_a ? 3 : 2) * c->nv;
  c->slot_u = 2 * c->nv;
  int slot = c->slot_u + c->s.control_step * c->nu;
  for (int j = 0; j < c->d; j++, slot += per_point) c->slot_point[j] = slot;
  c->stride = slot;
  c->nlp.n = c->N * c->stride + 2 * c->nv + (c->s.n_control > 1 ? c->nu : 0);
  c->T_var = c->o->free_time ? c->nlp.n++ : -1;

  size_t n = (size_t)(3 * c->nv + c->nu) * (size_t)c->d;
  c->combo = arena_array(c->arena, n, sizeof *c->combo);
  if (!c->combo) return false;
  for (int j = 0; j < c->d; j++) {
    for (int i = 0; i < c->nv; i++) {
      if (c->condensed) combine_condensed(c, i, j);
      else combine_paper(c, i, j);
    }
    for (int i = 0; i < c->nu; i++) {
      for (int k = 0; k < c->s.n_control; k++) {
        add(combo(c, 3 * c->nv + i, j), colloc_control_slot(c, k) + i, c->s.w[j][k], 0);
      }
    }
  }
  return true;
}
