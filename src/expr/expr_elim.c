// SPDX-License-Identifier: MIT
#include "expr/expr_elim.h"

#include <string.h>

enum { COST_UNKNOWN = -1, COST_GONE = -2 };

bool elim_init(Elim *el, ExprGraph *g, Arena *arena, int n) {
  *el = (Elim){.g = g, .arena = arena, .n = n};
  el->pred = arena_array(arena, (size_t)n, sizeof *el->pred);
  el->succ = arena_array(arena, (size_t)n, sizeof *el->succ);
  el->second = arena_array(arena, (size_t)n, sizeof *el->second);
  el->diag = arena_array(arena, (size_t)n, sizeof *el->diag);
  el->failed = !el->pred || !el->succ || !el->second || !el->diag;
  return !el->failed;
}

static ElimEdge *find(const ElimList *list, int to) {
  for (int i = 0; i < list->n; i++) {
    if (list->edge[i].to == to) return &list->edge[i];
  }
  return NULL;
}

static void append(Elim *el, ElimList *list, int to, Expr partial) {
  if (list->n == list->cap) {
    int cap = list->cap ? 2 * list->cap : 4;
    ElimEdge *edge = arena_array(el->arena, (size_t)cap, sizeof *edge);
    if (!edge) {
      el->failed = true;
      return;
    }
    if (list->n) memcpy(edge, list->edge, (size_t)list->n * sizeof *edge);
    list->edge = edge;
    list->cap = cap;
  }
  list->edge[list->n++] = (ElimEdge){to, partial};
}

static void drop(ElimList *list, int to) {
  ElimEdge *edge = find(list, to);
  if (edge) *edge = list->edge[--list->n];
}

void elim_add_edge(Elim *el, int from, int to, Expr partial) {
  ElimEdge *edge = find(&el->pred[to], from);
  if (edge) {
    edge->partial = expr_add(el->g, edge->partial, partial);
    if (edge->partial != EXPR_ZERO) return;
    drop(&el->pred[to], from);
    drop(&el->succ[from], to);
  } else if (partial != EXPR_ZERO) {
    append(el, &el->pred[to], from, partial);
    append(el, &el->succ[from], to, partial);
  }
}

void elim_add_second(Elim *el, int i, int j, Expr entry) {
  if (i == j) {
    el->diag[i] = expr_add(el->g, el->diag[i], entry);
    return;
  }
  ElimEdge *edge = find(&el->second[i], j);
  if (edge) {
    edge->partial = expr_add(el->g, edge->partial, entry);
    if (edge->partial == EXPR_ZERO) {
      drop(&el->second[i], j);
      drop(&el->second[j], i);
    } else {
      find(&el->second[j], i)->partial = edge->partial;
    }
  } else if (entry != EXPR_ZERO) {
    append(el, &el->second[i], j, entry);
    append(el, &el->second[j], i, entry);
  }
}

// replaces v in the second-order part by sum_p c_vp p
static void push_second(Elim *el, int v) {
  ExprGraph *g = el->g;
  const ElimList *pred = &el->pred[v];
  for (int i = 0; i < pred->n; i++) {
    int p = pred->edge[i].to;
    Expr c = pred->edge[i].partial;
    Expr dc = expr_mul(g, el->diag[v], c);
    for (int j = 0; j <= i; j++) {
      elim_add_second(el, p, pred->edge[j].to, expr_mul(g, dc, pred->edge[j].partial));
    }
  }
  // an entry with p itself counts from both sides
  const ElimList row = el->second[v];
  for (int e = 0; e < row.n; e++) {
    int k = row.edge[e].to;
    for (int i = 0; i < pred->n; i++) {
      Expr x = expr_mul(g, row.edge[e].partial, pred->edge[i].partial);
      if (pred->edge[i].to == k) x = expr_scale(g, 2.0, x);
      elim_add_second(el, k, pred->edge[i].to, x);
    }
  }
  for (int e = 0; e < row.n; e++) drop(&el->second[row.edge[e].to], v);
  el->second[v].n = 0;
  el->diag[v] = EXPR_ZERO;
}

static void eliminate(Elim *el, int v) {
  push_second(el, v);
  const ElimList pred = el->pred[v], succ = el->succ[v];
  for (int j = 0; j < succ.n; j++) {
    int s = succ.edge[j].to;
    Expr c = find(&el->pred[s], v)->partial;
    drop(&el->pred[s], v);
    for (int i = 0; i < pred.n; i++) {
      elim_add_edge(el, pred.edge[i].to, s, expr_mul(el->g, c, pred.edge[i].partial));
    }
  }
  for (int i = 0; i < pred.n; i++) drop(&el->succ[pred.edge[i].to], v);
  el->pred[v].n = el->succ[v].n = 0;
}

// ---- order -------------------------------------------------------------------------------------

static bool is_unit(Expr e) {
  return (e & ~1) == EXPR_ONE;
}

// operations that eliminating v would add: products that are not trivial, sums with what is there
static int elimination_cost(const Elim *el, int v) {
  const ElimList *pred = &el->pred[v], *succ = &el->succ[v], *row = &el->second[v];
  int n_unit = 0, cost = 0;
  for (int i = 0; i < pred->n; i++) n_unit += is_unit(pred->edge[i].partial);
  for (int j = 0; j < succ->n; j++) {
    const ElimList *into = &el->pred[succ->edge[j].to];
    bool unit = is_unit(find(into, v)->partial);
    if (!unit) cost += pred->n - n_unit;
    for (int i = 0; i < pred->n; i++) cost += find(into, pred->edge[i].to) != NULL;
  }
  for (int e = 0; e < row->n; e++) {
    cost += pred->n - n_unit;
    const ElimList *other = &el->second[row->edge[e].to];
    for (int i = 0; i < pred->n; i++) cost += find(other, pred->edge[i].to) != NULL;
  }
  if (el->diag[v] != EXPR_ZERO) {
    cost += pred->n - n_unit;
    for (int i = 0; i < pred->n; i++) {
      const ElimList *mine = &el->second[pred->edge[i].to];
      for (int j = 0; j <= i; j++) {
        cost += !is_unit(pred->edge[j].partial);
        cost += i == j ? el->diag[pred->edge[i].to] != EXPR_ZERO
                       : find(mine, pred->edge[j].to) != NULL;
      }
    }
  }
  return cost;
}

static void forget_list(const ElimList *list, int *cost) {
  for (int i = 0; i < list->n; i++) {
    if (cost[list->edge[i].to] >= 0) cost[list->edge[i].to] = COST_UNKNOWN;
  }
}

// costs around v that its elimination changes
static void forget_costs(const Elim *el, int v, int *cost) {
  forget_list(&el->pred[v], cost);
  forget_list(&el->succ[v], cost);
  forget_list(&el->second[v], cost);
  for (int i = 0; i < el->pred[v].n; i++) forget_list(&el->succ[el->pred[v].edge[i].to], cost);
}

void elim_run(Elim *el, int first, int end, bool greedy) {
  int *cost = arena_array(el->arena, (size_t)el->n, sizeof *cost);
  if (!cost) {
    el->failed = true;
    return;
  }
  for (int v = first; v < end; v++) cost[v] = COST_UNKNOWN;
  for (int left = end - first; left > 0 && !el->failed; left--) {
    int best = greedy ? -1 : first + left - 1;
    for (int v = end - 1; greedy && v >= first; v--) {
      if (cost[v] == COST_GONE) continue;
      if (cost[v] == COST_UNKNOWN) cost[v] = elimination_cost(el, v);
      if (best < 0 || cost[v] < cost[best]) best = v;
    }
    forget_costs(el, best, cost);
    eliminate(el, best);
    cost[best] = COST_GONE;
  }
}
