// SPDX-License-Identifier: MIT
// Vertex elimination on a linearised computational graph: the machinery under expr_ad.c.
// Vertices are numbered in order of computation: the independent ones first, then intermediate
// ones, then, for Jacobians, one vertex per output.
#ifndef POISE_EXPR_EXPR_ELIM_H
#define POISE_EXPR_EXPR_ELIM_H

#include "base/arena.h"
#include "expr/expr.h"

typedef struct ElimEdge {
  int to;        // vertex at the other end
  Expr partial;  // d to / d from, or the second-order entry
} ElimEdge;

typedef struct ElimList {
  int n, cap;      //
  ElimEdge *edge;  // cap
} ElimList;

typedef struct Elim {
  ExprGraph *g;      //
  Arena *arena;      // working memory
  int n;             // vertices
  ElimList *pred;    // n, edges to what a vertex is computed from
  ElimList *succ;    // n, edges to what is computed from it (partial unused)
  ElimList *second;  // n, second-order entries with other vertices, in both lists
  Expr *diag;        // n, second-order entry with itself
  bool failed;       // out of memory
} Elim;

// A graph of n vertices without edges. False when out of memory.
bool elim_init(Elim *el, ExprGraph *g, Arena *arena, int n);

void elim_add_edge(Elim *el, int from, int to, Expr partial);  // d to / d from += partial
void elim_add_second(Elim *el, int i, int j, Expr entry);      // W(i, j) += entry, i == j allowed

// Eliminates the vertices first <= v < end: greedily the cheapest next, or from the last to the
// first. Afterwards edges join only the vertices that are left.
void elim_run(Elim *el, int first, int end, bool greedy);

#endif
