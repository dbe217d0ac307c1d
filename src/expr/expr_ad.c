// SPDX-License-Identifier: MIT
#include "expr/expr_ad.h"

#include <string.h>

#include "expr/expr_elim.h"

// Greedy orders cost time in the square of the graph's size; beyond this only reverse order is tried.
enum { GREEDY_MAX_VERTICES = 6000 };

// The nodes between x and the outputs, numbered as vertices: x first, then upwards.
typedef struct Active {
  int n;        // vertices without outputs
  int n_x;      //
  int *vertex;  // one per node of the graph: its vertex, -1 if not active
  int *node;    // n, node of a vertex
} Active;

// ---- local derivatives -------------------------------------------------------------------------

// d node / d operand (0 for a, 1 for b)
static Expr local_partial(ExprGraph *g, int node, int operand) {
  const ExprNode x = *expr_graph_node(g, node);
  Expr a = x.a * 2, b = x.b * 2, self = node * 2;
  switch (x.op) {
    case EXPR_ADD: return EXPR_ONE;
    case EXPR_SUB: return operand ? expr_neg(EXPR_ONE) : EXPR_ONE;
    case EXPR_MUL: return operand ? a : b;
    case EXPR_DIV: {
      Expr inverse = expr_div(g, EXPR_ONE, b);
      return operand ? expr_neg(expr_mul(g, self, inverse)) : inverse;
    }
    case EXPR_NEG: return expr_neg(EXPR_ONE);
    case EXPR_SQRT: return expr_div(g, expr_const(g, 0.5), self);
    case EXPR_SIN: return expr_cos(g, a);
    case EXPR_COS: return expr_neg(expr_sin(g, a));
    case EXPR_EXP: return self;
    case EXPR_LOG: return expr_div(g, EXPR_ONE, a);
    case EXPR_CONST:
    case EXPR_INPUT:
    case EXPR_N_OPS: break;
  }
  return EXPR_ZERO;
}

// d2 node / d operand1 d operand2
static Expr local_second(ExprGraph *g, int node, int first, int second) {
  const ExprNode x = *expr_graph_node(g, node);
  Expr self = node * 2;
  switch (x.op) {
    case EXPR_MUL: return first != second ? EXPR_ONE : EXPR_ZERO;
    case EXPR_DIV: {
      if (!first && !second) return EXPR_ZERO;
      Expr inverse = expr_div(g, EXPR_ONE, x.b * 2);
      Expr square = expr_mul(g, inverse, inverse);
      return first != second ? expr_neg(square) : expr_scale(g, 2.0, expr_mul(g, self, square));
    }
    case EXPR_SQRT: return expr_neg(expr_div(g, expr_const(g, 0.25), expr_mul(g, self, x.a * 2)));
    case EXPR_SIN:
    case EXPR_COS: return expr_neg(self);
    case EXPR_EXP: return self;
    case EXPR_LOG: {
      Expr inverse = expr_div(g, EXPR_ONE, x.a * 2);
      return expr_neg(expr_mul(g, inverse, inverse));
    }
    default: return EXPR_ZERO;
  }
}

static int operand_node(const ExprNode *x, int operand) {
  return operand ? x->b : x->a;
}

// ---- the active part of the graph --------------------------------------------------------------

static bool find_active(Active *act, const ExprGraph *g, Arena *arena, int n_out, const Expr *out,
                        int n_x, const Expr *x) {
  int n_node = expr_graph_n_nodes(g);
  act->vertex = arena_array(arena, (size_t)n_node, sizeof *act->vertex);
  act->node = arena_array(arena, (size_t)n_node + 1, sizeof *act->node);
  char *needed = arena_alloc(arena, (size_t)n_node);
  char *depends = arena_alloc(arena, (size_t)n_node);
  if (!act->vertex || !act->node || !needed || !depends) return false;

  // needed for the outputs, without looking behind x
  for (int j = 0; j < n_x; j++) depends[expr_node(x[j])] = 2;
  for (int i = 0; i < n_out; i++) needed[expr_node(out[i])] = 1;
  for (int v = n_node - 1; v >= 0; v--) {
    if (!needed[v] || depends[v] == 2) continue;
    const ExprNode *node = expr_graph_node(g, v);
    for (int k = 0; k < expr_op_arity(node->op); k++) needed[operand_node(node, k)] = 1;
  }

  // depends on x
  act->n = act->n_x = n_x;
  for (int v = 0; v < n_node; v++) act->vertex[v] = -1;
  for (int j = 0; j < n_x; j++) {
    act->vertex[expr_node(x[j])] = j;
    act->node[j] = expr_node(x[j]);
  }
  for (int v = 0; v < n_node; v++) {
    if (!needed[v] || depends[v]) continue;
    const ExprNode *node = expr_graph_node(g, v);
    for (int k = 0; k < expr_op_arity(node->op); k++) {
      if (depends[operand_node(node, k)]) depends[v] = 1;
    }
    if (!depends[v]) continue;
    act->vertex[v] = act->n;
    act->node[act->n++] = v;
  }
  return true;
}

// Calls with each operand of the vertex that is active itself.
static void add_local_edges(Elim *el, const Active *act, int vertex) {
  int node = act->node[vertex];
  const ExprNode x = *expr_graph_node(el->g, node);
  expr_graph_origin_restore(el->g, x.origin);
  for (int k = 0; k < expr_op_arity(x.op); k++) {
    int from = act->vertex[operand_node(&x, k)];
    if (from >= 0) elim_add_edge(el, from, vertex, local_partial(el->g, node, k));
  }
}

static void add_local_second(Elim *el, const Active *act, int vertex, Expr adjoint) {
  int node = act->node[vertex];
  const ExprNode x = *expr_graph_node(el->g, node);
  expr_graph_origin_restore(el->g, x.origin);
  int n = expr_op_arity(x.op);
  for (int k = 0; k < n; k++) {
    for (int m = k; m < n; m++) {
      int i = act->vertex[operand_node(&x, k)], j = act->vertex[operand_node(&x, m)];
      if (i < 0 || j < 0) continue;
      Expr entry = expr_mul(el->g, adjoint, local_second(el->g, node, k, m));
      // two different operands that are the same node: both mixed terms fall on the diagonal
      if (k != m && i == j) entry = expr_scale(el->g, 2.0, entry);
      elim_add_second(el, i, j, entry);
    }
  }
}

// ---- results -----------------------------------------------------------------------------------

// Entries row by row (vertex lists) into compressed columns.
static bool to_columns(ExprMatrix *m, Arena *arena, const ElimList *row_list, int n_row,
                       int n_col) {
  *m = (ExprMatrix){.n_row = n_row, .n_col = n_col};
  for (int i = 0; i < n_row; i++) m->nnz += row_list[i].n;
  m->colptr = arena_array(arena, (size_t)n_col + 1, sizeof *m->colptr);
  m->row = arena_array(arena, (size_t)m->nnz + 1, sizeof *m->row);
  m->e = arena_array(arena, (size_t)m->nnz + 1, sizeof *m->e);
  int *next = arena_array(arena, (size_t)n_col + 1, sizeof *next);
  if (!m->colptr || !m->row || !m->e || !next) return false;
  for (int i = 0; i < n_row; i++) {
    for (int k = 0; k < row_list[i].n; k++) m->colptr[row_list[i].edge[k].to + 1]++;
  }
  for (int j = 0; j < n_col; j++) m->colptr[j + 1] += m->colptr[j];
  memcpy(next, m->colptr, (size_t)n_col * sizeof *next);
  for (int i = 0; i < n_row; i++) {
    for (int k = 0; k < row_list[i].n; k++) {
      int at = next[row_list[i].edge[k].to]++;
      m->row[at] = i;
      m->e[at] = row_list[i].edge[k].partial;
    }
  }
  return true;
}

int expr_cost(const ExprGraph *g, int n_out, const Expr *out) {
  Arena *arena = arena_new();
  int n_node = expr_graph_n_nodes(g);
  char *needed = arena_alloc(arena, (size_t)n_node);
  int cost = needed ? 0 : -1;
  for (int i = 0; needed && i < n_out; i++) needed[expr_node(out[i])] = 1;
  for (int v = n_node - 1; needed && v >= 0; v--) {
    const ExprNode *x = expr_graph_node(g, v);
    if (!needed[v] || expr_op_arity(x->op) == 0) continue;
    cost += x->op != EXPR_SIN && x->op != EXPR_COS;
    for (int k = 0; k < expr_op_arity(x->op); k++) needed[operand_node(x, k)] = 1;
  }
  arena_free(arena);
  return cost;
}

// ---- Jacobian ----------------------------------------------------------------------------------

static bool jacobian_in_order(ExprGraph *g, Arena *work, const Active *act, int n_out,
                              const Expr *out, bool greedy, Elim *el) {
  if (!elim_init(el, g, work, act->n + n_out)) return false;
  for (int v = act->n_x; v < act->n; v++) add_local_edges(el, act, v);
  for (int i = 0; i < n_out; i++) {
    int from = act->vertex[expr_node(out[i])];
    Expr sign = expr_negated(out[i]) ? expr_neg(EXPR_ONE) : EXPR_ONE;
    if (from >= 0) elim_add_edge(el, from, act->n + i, sign);
  }
  elim_run(el, act->n_x, act->n, greedy);
  return !el->failed;
}

// One way to a matrix of derivatives, for trying several: builds it into *m, false when out of memory.
typedef struct Way {
  bool (*build)(const struct Way *w, ExprMatrix *m);
  ExprGraph *g;
  Arena *arena, *work;  // of the result, of everything else
  const Active *act;
  int n_out;
  const Expr *out;      // n_out; of a Hessian: the gradient, n_x
  const Expr *adjoint;  // of a Hessian
  const Expr *x;        // n_x
  bool greedy;
} Way;

// Builds every way, keeps the one with the fewest operations. Each starts from the same graph.
static bool build_cheapest(const Way *way, int n_way, ExprMatrix *best) {
  ExprGraph *g = way[0].g;
  int mark = expr_graph_n_nodes(g), best_way = 0, best_cost = 0;
  for (int i = 0; i < n_way && n_way > 1; i++) {
    Arena *scratch = arena_new();
    Way trial = way[i];
    trial.arena = trial.work = scratch;
    ExprMatrix m;
    bool ok = scratch && trial.build(&trial, &m);
    int cost = ok ? expr_cost(g, m.nnz, m.e) : -1;
    arena_free(scratch);
    expr_graph_rewind(g, mark);
    if (cost < 0) return false;
    if (i > 0 && cost >= best_cost) continue;
    best_way = i;
    best_cost = cost;
  }
  return way[best_way].build(&way[best_way], best);
}

static bool jacobian_way(const Way *w, ExprMatrix *m) {
  Elim el;
  return jacobian_in_order(w->g, w->work, w->act, w->n_out, w->out, w->greedy, &el) &&
         to_columns(m, w->arena, el.pred + w->act->n, w->n_out, w->act->n_x);
}

bool expr_jacobian(ExprGraph *g, Arena *arena, int n_out, const Expr *out, int n_x, const Expr *x,
                   ExprMatrix *jac) {
  int origin = expr_graph_origin(g, "derivative");
  Arena *work = arena_new();
  Active act;
  bool ok = work && find_active(&act, g, work, n_out, out, n_x, x);
  if (ok) {
    Way way[2] = {{.build = jacobian_way,
                   .g = g,
                   .arena = arena,
                   .work = work,
                   .act = &act,
                   .n_out = n_out,
                   .out = out,
                   .x = x}};
    way[1] = way[0];
    way[1].greedy = true;
    ok = build_cheapest(way, act.n <= GREEDY_MAX_VERTICES ? 2 : 1, jac);
  }
  arena_free(work);
  expr_graph_origin_restore(g, origin);
  if (!ok) expr_graph_fail(g);
  return ok;
}

// ---- gradient and Hessian ----------------------------------------------------------------------

// adjoint[v] = d out / d vertex v, by one reverse sweep
static void adjoints(ExprGraph *g, const Active *act, Expr out, Expr *adjoint) {
  int top = act->vertex[expr_node(out)];
  if (top < 0) return;
  adjoint[top] = expr_negated(out) ? expr_neg(EXPR_ONE) : EXPR_ONE;
  for (int v = act->n - 1; v >= act->n_x; v--) {
    int node = act->node[v];
    const ExprNode x = *expr_graph_node(g, node);
    expr_graph_origin_restore(g, x.origin);
    for (int k = 0; k < expr_op_arity(x.op) && adjoint[v] != EXPR_ZERO; k++) {
      int from = act->vertex[operand_node(&x, k)];
      if (from < 0) continue;
      Expr term = expr_mul(g, adjoint[v], local_partial(g, node, k));
      adjoint[from] = expr_add(g, adjoint[from], term);
    }
  }
}

bool expr_gradient(ExprGraph *g, Expr out, int n_x, const Expr *x, Expr *grad) {
  int origin = expr_graph_origin(g, "gradient");
  Arena *work = arena_new();
  Active act;
  bool ok = work && find_active(&act, g, work, 1, &out, n_x, x);
  Expr *adjoint = ok ? arena_array(work, (size_t)act.n, sizeof *adjoint) : NULL;
  if (adjoint) {
    adjoints(g, &act, out, adjoint);
    memcpy(grad, adjoint, (size_t)n_x * sizeof *grad);
  }
  ok = adjoint != NULL;
  arena_free(work);
  expr_graph_origin_restore(g, origin);
  if (!ok) expr_graph_fail(g);
  return ok;
}

static bool hessian_in_order(ExprGraph *g, Arena *work, const Active *act, const Expr *adjoint,
                             bool greedy, Elim *el) {
  if (!elim_init(el, g, work, act->n)) return false;
  for (int v = act->n_x; v < act->n; v++) {
    add_local_edges(el, act, v);
    if (adjoint[v] != EXPR_ZERO) add_local_second(el, act, v, adjoint[v]);
  }
  elim_run(el, act->n_x, act->n, greedy);
  return !el->failed;
}

// the lower triangle of the second-order part that is left
static bool lower_triangle(const Elim *el, int n_x, Arena *arena, Arena *work, ExprMatrix *lower) {
  ElimList *row = arena_array(work, (size_t)n_x + 1, sizeof *row);
  if (!row) return false;
  for (int i = 0; i < n_x; i++) {
    row[i].edge = arena_array(work, (size_t)el->second[i].n + 1, sizeof *row[i].edge);
    if (!row[i].edge) return false;
    for (int k = 0; k < el->second[i].n; k++) {
      if (el->second[i].edge[k].to < i) row[i].edge[row[i].n++] = el->second[i].edge[k];
    }
    if (el->diag[i] != EXPR_ZERO) row[i].edge[row[i].n++] = (ElimEdge){i, el->diag[i]};
  }
  return to_columns(lower, arena, row, n_x, n_x);
}

static bool hessian_way(const Way *w, ExprMatrix *m) {
  Elim el;
  return hessian_in_order(w->g, w->work, w->act, w->adjoint, w->greedy, &el) &&
         lower_triangle(&el, w->act->n_x, w->arena, w->work, m);
}

// the same by differentiating the gradient entry by entry; entries above the diagonal are dropped
static bool gradient_way(const Way *w, ExprMatrix *m) {
  int n_x = w->act->n_x, n = 0;
  if (!expr_jacobian(w->g, w->arena, n_x, w->out, n_x, w->x, m)) return false;
  for (int j = 0, from = 0; j < n_x; j++) {
    int end = m->colptr[j + 1];
    for (int e = from; e < end; e++) {
      if (m->row[e] < j) continue;
      m->row[n] = m->row[e];
      m->e[n++] = m->e[e];
    }
    from = end;
    m->colptr[j + 1] = n;
  }
  m->nnz = n;
  return true;
}

bool expr_hessian(ExprGraph *g, Arena *arena, Expr out, int n_x, const Expr *x, ExprMatrix *lower) {
  int origin = expr_graph_origin(g, "second derivative");
  Arena *work = arena_new();
  Active act;
  bool ok = work && find_active(&act, g, work, 1, &out, n_x, x);
  Expr *adjoint = ok ? arena_array(work, (size_t)act.n, sizeof *adjoint) : NULL;
  ok = adjoint != NULL;
  if (ok) {
    adjoints(g, &act, out, adjoint);
    Way way[3] = {{.build = hessian_way,
                   .g = g,
                   .arena = arena,
                   .work = work,
                   .act = &act,
                   .n_out = n_x,
                   .out = adjoint,
                   .adjoint = adjoint,
                   .x = x}};
    way[1] = way[2] = way[0];
    way[1].build = gradient_way;
    way[2].greedy = true;
    ok = build_cheapest(way, act.n <= GREEDY_MAX_VERTICES ? 3 : 2, lower);
  }
  arena_free(work);
  expr_graph_origin_restore(g, origin);
  if (!ok) expr_graph_fail(g);
  return ok;
}
