// SPDX-License-Identifier: MIT
// Who belongs where: from the stage map of a nonlinear program to the unknowns of its KKT systems.
#include "solver/kkt.h"

static int clamp(int k, int n) {
  return k < 0 ? 0 : k > n ? n : k;
}

static void place_variable(KktMap *map, int at, const Nlp *nlp, int i) {
  NlpKind kind = nlp->x_kind[i];
  map->stage[at] = clamp(nlp->x_stage[i], map->n_stage);
  map->role[at] = kind == NLP_GLOBAL             ? KKT_BORDER
                  : kind == NLP_INTERIOR_UNKNOWN ? KKT_UNKNOWN
                                                 : KKT_NODE;
}

// rows that join an interval to the next node are eliminated with that node
static void place_equation(KktMap *map, int at, const Nlp *nlp, int i) {
  NlpKind kind = nlp->g_kind[i];
  int stage = nlp->g_stage[i] + (kind == NLP_CONTINUITY);
  map->stage[at] = clamp(stage, map->n_stage);
  map->role[at] = kind == NLP_GLOBAL              ? KKT_BORDER
                  : kind == NLP_INTERIOR_EQUATION ? KKT_EQUATION
                                                  : KKT_NODE;
}

bool kkt_map_build(KktMap *map, const Nlp *nlp, Arena *arena) {
  *map = (KktMap){.n_stage = nlp->n_stage};
  if (nlp->n_stage == 0) return false;
  for (int i = 0; i < nlp->n; i++) map->n_free += nlp->x_lower[i] != nlp->x_upper[i];
  for (int i = 0; i < nlp->m; i++) {
    if (nlp->g_lower[i] == nlp->g_upper[i]) map->n_equation++;
    else map->n_slack++;
  }
  map->dim = map->n_free + map->n_equation + 2 * map->n_slack;
  map->stage = arena_array(arena, (size_t)map->dim, sizeof *map->stage);
  map->role = arena_array(arena, (size_t)map->dim, sizeof *map->role);
  if (!map->stage || !map->role) return false;

  int at = 0;
  for (int i = 0; i < nlp->n; i++) {
    if (nlp->x_lower[i] != nlp->x_upper[i]) place_variable(map, at++, nlp, i);
  }
  int slack = at, equation = slack + map->n_slack, inequality = equation + map->n_equation;
  for (int i = 0; i < nlp->m; i++) {
    if (nlp->g_lower[i] == nlp->g_upper[i]) {
      place_equation(map, equation++, nlp, i);
      continue;
    }
    map->stage[slack] = map->stage[inequality] = clamp(nlp->g_stage[i], map->n_stage);
    map->role[slack++] = KKT_SLACK;
    map->role[inequality++] = KKT_INEQUALITY;
  }
  return true;
}
