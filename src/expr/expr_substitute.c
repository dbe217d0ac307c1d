// SPDX-License-Identifier: MIT
#include "base/arena.h"
#include "expr/expr.h"

static Expr rebuild(ExprGraph *g, const ExprNode *x, Expr a, Expr b) {
  switch (x->op) {
    case EXPR_ADD: return expr_add(g, a, b);
    case EXPR_SUB: return expr_sub(g, a, b);
    case EXPR_MUL: return expr_mul(g, a, b);
    case EXPR_DIV: return expr_div(g, a, b);
    case EXPR_NEG: return expr_neg(a);
    case EXPR_SQRT: return expr_sqrt(g, a);
    case EXPR_SIN: return expr_sin(g, a);
    case EXPR_COS: return expr_cos(g, a);
    case EXPR_EXP: return expr_exp(g, a);
    case EXPR_LOG: return expr_log(g, a);
    case EXPR_CONST:
    case EXPR_INPUT:
    case EXPR_N_OPS: break;
  }
  return EXPR_ZERO;
}

void expr_substitute(ExprGraph *g, int n, Expr *e, int n_from, const Expr *from, const Expr *to) {
  int n_node = 0;
  for (int i = 0; i < n; i++) {
    if (expr_node(e[i]) >= n_node) n_node = expr_node(e[i]) + 1;
  }
  Arena *arena = arena_new();
  Expr *now = arena_array(arena, (size_t)n_node + 1, sizeof *now);
  char *needed = arena_alloc(arena, (size_t)n_node + 1);
  char *changed = arena_alloc(arena, (size_t)n_node + 1);
  if (!now || !needed || !changed) {
    arena_free(arena);
    expr_graph_fail(g);
    return;
  }
  for (int i = 0; i < n; i++) needed[expr_node(e[i])] = 1;
  for (int v = n_node - 1; v >= 0; v--) {
    const ExprNode *x = expr_graph_node(g, v);
    now[v] = v * 2;
    if (needed[v] && expr_op_arity(x->op) > 0) needed[x->a] = 1;
    if (needed[v] && expr_op_arity(x->op) > 1) needed[x->b] = 1;
  }
  for (int i = 0; i < n_from; i++) {
    int v = expr_node(from[i]);
    if (v >= n_node) continue;
    now[v] = to[i];
    changed[v] = 1;
  }
  int origin = expr_graph_origin(g, "substitution");
  for (int v = 0; v < n_node; v++) {
    const ExprNode x = *expr_graph_node(g, v);
    if (!needed[v] || expr_op_arity(x.op) == 0) continue;
    if (!changed[x.a] && !(expr_op_arity(x.op) > 1 && changed[x.b])) continue;
    expr_graph_origin_restore(g, x.origin);
    now[v] = rebuild(g, &x, now[x.a], now[x.b]);
    changed[v] = 1;
  }
  for (int i = 0; i < n; i++) {
    Expr y = now[expr_node(e[i])];
    e[i] = expr_negated(e[i]) ? expr_neg(y) : y;
  }
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
}
