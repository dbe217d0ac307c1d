// SPDX-License-Identifier: MIT
// What the parts of the symbolic phase share.
#ifndef POISE_SOLVER_KKT_BUILD_INTERNAL_H
#define POISE_SOLVER_KKT_BUILD_INTERNAL_H

#include "solver/kkt_internal.h"

// An entry of the matrix: unknowns, its number among the values.
typedef struct KktEntry {
  int i, j, from;
} KktEntry;

typedef struct KktBuild {
  Kkt *k;
  Arena *scratch;
  const int *ptr, *row;
  bool *again;      // of an entry: its place was there before
  int *pair_of;     // dim, inequality -> number of its pair; slack likewise; -1
  KktPair *pair;    // n_slack
  int *pair_owner;  // n_slack: interval, or n_stage + front
  int *pair_ptr;    // 2 n_stage + 3: pairs by owner
  int *pair_by;     // n_slack
  int *owner_ptr;   // n_stage + n_stage + 3: entries by owner: insides, then fronts
  KktEntry *entry;  // by owner
  int *local;       // dim, number within the inside or front under way; -1
  int *node_ptr;    // n_stage + 3: unknowns by place: node k, border
  int *node;        //
  int *inside_ptr;  // n_stage + 1
  int *inside;      //
  int *h_mark;      // of the inside under way: entry + 1 of H (nu x nu), of P^T (nu x nw)
  int *t_mark;      //
  size_t h_room, t_room;
} KktBuild;

Status kkt_mismatch(const KktBuild *b, int i, int j, Error *err);
bool kkt_is_inside(const KktMap *m, int i);

// Fills inside k and its class.
Status kkt_build_inside(KktBuild *b, int k, Error *err);

#endif
