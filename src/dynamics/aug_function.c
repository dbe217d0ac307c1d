// SPDX-License-Identifier: MIT
#include "dynamics/aug_function.h"

#include <stdlib.h>
#include <string.h>

#include "dynamics/crba.h"
#include "dynamics/loops.h"

enum { IN_MASS, IN_JAC, IN_FORCE, IN_GAMMA };

// ---- patterns ----------------------------------------------------------------------------------

// is there an entry? mass: n x n lower triangle, jac: m x n
typedef struct Pattern {
  bool *mass, *jac;
} Pattern;

static bool traced_pattern(const Model *m, Arena *arena, Pattern *p) {
  size_t n = (size_t)m->nv;
  ExprGraph *g = expr_graph_new();
  Expr *mass = arena_array(arena, n * n, sizeof *mass);
  DynTrace tr = {0};
  LoopTrace lt;
  Error err = {0};
  bool ok = g && mass && dyn_trace_build(&tr, g, m) && crba_build(g, m, &tr.tree, tr.body, mass) &&
            loops_build(&lt, &tr, arena) && expr_graph_status(g, &err) == STATUS_OK;
  for (size_t k = 0; ok && k < n * n; k++) p->mass[k] = mass[k] != EXPR_ZERO;
  for (int j = 0; ok && j < m->nv; j++) {
    for (int e = lt.J.colptr[j]; e < lt.J.colptr[j + 1]; e++) {
      p->jac[lt.J.row[e] + (size_t)lt.m * (size_t)j] = true;
    }
  }
  dyn_trace_free(&tr);
  expr_graph_free(g);
  return ok;
}

static void topology_pattern(const Model *m, Pattern *p) {
  size_t n = (size_t)m->nv, rows = (size_t)model_n_rows(m);
  for (int i = 0; i < m->nv; i++) {
    for (int j = i; j >= 0; j = m->joint[j].parent) p->mass[(size_t)i + n * (size_t)j] = true;
  }
  size_t first = 0;
  for (int l = 0; l < m->n_loop; l++) {
    size_t count = (size_t)model_loop_rows(&m->loop[l]);
    for (int s = 0; s < 2; s++) {
      for (int j = m->loop[l].body[s]; j >= 0; j = m->joint[j].parent) {
        for (size_t r = first; r < first + count; r++) p->jac[r + rows * (size_t)j] = true;
      }
    }
    first += count;
  }
}

static bool make_pattern(const Model *m, AugPattern which, Arena *arena, Pattern *p) {
  size_t n = (size_t)m->nv, rows = (size_t)model_n_rows(m);
  p->mass = arena_array(arena, n * n, sizeof *p->mass);
  p->jac = arena_array(arena, rows * n, sizeof *p->jac);
  if (!p->mass || !p->jac) return false;
  if (which == AUG_TRACED) return traced_pattern(m, arena, p);
  if (which == AUG_TOPOLOGY) {
    topology_pattern(m, p);
    return true;
  }
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) p->mass[i + n * j] = true;
  }
  memset(p->jac, true, rows * n * sizeof *p->jac);
  return true;
}

// ---- the function ------------------------------------------------------------------------------

// inputs at the places of a pattern (n_row x n_col); those places go to *at
static Expr *inputs(AugFunction *a, ExprGraph *g, int input, size_t size, const bool *there, int *n,
                    int **at) {
  Expr *e = arena_array(a->f->arena, size, sizeof *e);
  *at = arena_array(a->f->arena, size, sizeof **at);
  *n = 0;
  for (size_t k = 0; e && *at && k < size; k++) {
    if (there && !there[k]) continue;
    e[k] = expr_input(g, input, *n);
    (*at)[(*n)++] = (int)k;
  }
  return *at ? e : NULL;
}

static bool to_columns(Arena *arena, int m, int n, const Expr *dense, ExprMatrix *J) {
  size_t size = (size_t)m * (size_t)n;
  *J = (ExprMatrix){.n_row = m, .n_col = n};
  J->colptr = arena_array(arena, (size_t)n + 1, sizeof *J->colptr);
  J->row = arena_array(arena, size, sizeof *J->row);
  J->e = arena_array(arena, size, sizeof *J->e);
  if (!J->colptr || !J->row || !J->e) return false;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      Expr e = dense[i + (size_t)m * (size_t)j];
      if (e == EXPR_ZERO) continue;
      J->row[J->nnz] = i;
      J->e[J->nnz++] = e;
    }
    J->colptr[j + 1] = J->nnz;
  }
  return true;
}

static bool solve(AugFunction *a, const Model *m, const Pattern *p, AugSolver solver, Expr *force,
                  Expr *gamma, Expr *x) {
  Arena *arena = a->f->arena;
  ExprGraph *g = a->f->g;
  size_t n = (size_t)a->n, rows = (size_t)a->m;
  Expr *mass = inputs(a, g, IN_MASS, n * n, p->mass, &a->n_mass, &a->mass_at);
  Expr *jac = inputs(a, g, IN_JAC, rows * n, p->jac, &a->n_jac, &a->jac_at);
  int *parent = arena_array(arena, n, sizeof *parent);
  AugSystem s = {a->n, a->m, parent, mass, {0}, force, gamma};
  if (!mass || !jac || !parent || !to_columns(arena, a->m, a->n, jac, &s.J)) return false;
  for (size_t i = 0; i < n; i++) parent[i] = m->joint[i].parent;
  switch (solver) {
    case AUG_SPARSE: return aug_solve_sparse(g, &s, x, x + n);
    case AUG_DENSE: return aug_solve_dense(g, &s, x, x + n);
    case AUG_GAUSS: return aug_solve_gauss(g, &s, x, x + n);
  }
  return false;
}

// elimination of a matrix without any zero
static bool solve_full(AugFunction *a, const Expr *force, const Expr *gamma, Expr *x) {
  size_t n = (size_t)a->n, m = (size_t)a->m, N = n + m;
  Expr *A = inputs(a, a->f->g, IN_MASS, N * N, NULL, &a->n_mass, &a->mass_at);
  if (!A) return false;
  memcpy(x, force, n * sizeof *x);
  memcpy(x + n, gamma, m * sizeof *x);
  aug_eliminate(a->f->g, N, A, x);
  return true;
}

static bool make_function(AugFunction *a, const Model *m, AugPattern pattern, AugSolver solver) {
  Arena *arena = a->f->arena;
  ExprGraph *g = a->f->g;
  int N = a->n + a->m;
  Expr *rhs = arena_array(arena, (size_t)N, sizeof *rhs);
  Expr *x = arena_array(arena, (size_t)N, sizeof *x);
  ExprInput *in = arena_array(arena, 4, sizeof *in);
  ExprOutput *out = arena_array(arena, 2, sizeof *out);
  Pattern p;
  if (!rhs || !x || !in || !out || !make_pattern(m, pattern, arena, &p)) return false;
  for (int i = 0; i < N; i++) {
    rhs[i] = i < a->n ? expr_input(g, IN_FORCE, i) : expr_input(g, IN_GAMMA, i - a->n);
  }
  bool whole = solver == AUG_GAUSS && pattern == AUG_FULL;
  bool ok = whole ? solve_full(a, rhs, rhs + a->n, x) : solve(a, m, &p, solver, rhs, rhs + a->n, x);
  if (!ok || !expr_column(&out[0].value, arena, a->n, x) ||
      !expr_column(&out[1].value, arena, a->m, x + a->n)) {
    return false;
  }
  in[0] = (ExprInput){"mass", a->n_mass, IN_MASS};
  in[1] = (ExprInput){"jacobian", a->n_jac, IN_JAC};
  in[2] = (ExprInput){"force", a->n, IN_FORCE};
  in[3] = (ExprInput){"gamma", a->m, IN_GAMMA};
  out[0].name = "a";
  out[1].name = "lambda";
  a->f->f.n_in = 4;
  a->f->f.in = in;
  a->f->f.n_out = 2;
  a->f->f.out = out;
  return true;
}

Status aug_function_build(AugFunction **out, const Model *m, AugPattern pattern, AugSolver solver,
                          Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  AugFunction *a = arena_alloc(arena, sizeof *a);
  ExprGraph *g = f && a ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = "augmented_solve", .g = g}};
  *a = (AugFunction){.f = f, .n = m->nv, .m = model_n_rows(m)};
  if (!make_function(a, m, pattern, solver) || expr_graph_status(g, err) != STATUS_OK) {
    aug_function_free(a);
    return error_no_memory(err);
  }
  *out = a;
  return STATUS_OK;
}

void aug_function_free(AugFunction *f) {
  if (f) dyn_function_free(f->f);  // its arena holds *f too
}

// ---- counts ------------------------------------------------------------------------------------

static void count_node(const ExprGraph *g, const ExprNode *node, AugCount *count) {
  int step = AUG_N_STEPS;
  const char *label = expr_graph_origin_text(g, node->origin);
  for (int i = 0; i < AUG_N_STEPS; i++) {
    if (strcmp(label, aug_step_name[i]) == 0) step = i;
  }
  for (int k = 0; k < 2; k++) {
    AugCount *c = &count[k ? AUG_N_STEPS : step];
    if (k == 1 && step == AUG_N_STEPS) break;  // counted as a sum already
    c->add += node->op == EXPR_ADD || node->op == EXPR_SUB;
    c->mul += node->op == EXPR_MUL;
    c->div += node->op == EXPR_DIV;
    c->sqrt += node->op == EXPR_SQRT;
  }
}

bool aug_count(const AugFunction *f, AugCount count[AUG_N_STEPS + 1]) {
  const ExprGraph *g = f->f->g;
  int n = expr_graph_n_nodes(g);
  bool *used = calloc((size_t)n, sizeof *used);
  if (!used) return false;
  memset(count, 0, (AUG_N_STEPS + 1) * sizeof *count);
  for (int o = 0; o < f->f->f.n_out; o++) {
    const ExprMatrix *value = &f->f->f.out[o].value;
    for (int e = 0; e < value->nnz; e++) used[expr_node(value->e[e])] = true;
  }
  for (int i = n - 1; i >= 0; i--) {  // operands have smaller numbers
    if (!used[i]) continue;
    const ExprNode *node = expr_graph_node(g, i);
    int arity = expr_op_arity(node->op);
    if (arity >= 1) used[node->a] = true;
    if (arity >= 2) used[node->b] = true;
    count_node(g, node, count);
  }
  free(used);
  return true;
}

int aug_factor_nonzeros(int n, const int *parent, const int *order, int *nnz) {
  size_t N = (size_t)n;
  bool *A = calloc(N * N, sizeof *A);
  int *place = calloc(N, sizeof *place), filled = -1;
  if (A && place) {
    for (int k = 0; k < n; k++) place[order[k]] = k;
    *nnz = 0;
    for (int i = 0; i < n; i++) {
      for (int j = i; j >= 0; j = parent[j], ++*nnz) {
        A[(size_t)place[i] + N * (size_t)place[j]] = true;
        A[(size_t)place[j] + N * (size_t)place[i]] = true;
      }
    }
    filled = 0;
    for (size_t k = 0; k < N; k++) {
      for (size_t j = k; j < N; j++) {
        if (!A[j + N * k]) continue;
        filled++;
        for (size_t i = k + 1; i < N && j > k; i++) A[i + N * j] |= A[i + N * k];
      }
    }
  }
  free(A);
  free(place);
  return filled;
}
