// SPDX-License-Identifier: MIT
#include "dynamics/tree_aug.h"

#include <string.h>

#include "dynamics/crba.h"
#include "dynamics/loop_method.h"
#include "dynamics/rnea.h"

const char *const aug_step_name[AUG_N_STEPS] = {"1", "2", "3.1", "3.2", "3.3", "3.4", "3.5", "4"};

static void step(ExprGraph *g, int i) {
  expr_graph_origin(g, "%s", aug_step_name[i]);
}

static void subtract(ExprGraph *g, Expr *x, Expr a, Expr b) {
  if (a != EXPR_ZERO && b != EXPR_ZERO) *x = expr_sub(g, *x, expr_mul(g, a, b));
}

// J^T, n x m, dense storage
static void fill_transpose(const ExprMatrix *J, Expr *T) {
  memset(T, 0, (size_t)J->n_col * (size_t)J->n_row * sizeof *T);
  for (int j = 0; j < J->n_col; j++) {
    for (int e = J->colptr[j]; e < J->colptr[j + 1]; e++) {
      T[j + (size_t)J->n_col * (size_t)J->row[e]] = J->e[e];
    }
  }
}

// ---- Alg-S -------------------------------------------------------------------------------------

// in place, from the leaves to the root: M = L^T D L without fill-in
static void factor_tree(ExprGraph *g, const AugSystem *s, Expr *L, Expr *d_inv) {
  size_t n = (size_t)s->n;
  for (int k = s->n - 1; k >= 0; k--) {
    d_inv[k] = expr_div(g, EXPR_ONE, L[(size_t)k + n * (size_t)k]);
    for (int i = s->parent[k]; i >= 0; i = s->parent[i]) {
      Expr below = L[(size_t)k + n * (size_t)i];
      if (below == EXPR_ZERO) continue;
      Expr l = expr_mul(g, below, d_inv[k]);
      for (int j = i; j >= 0; j = s->parent[j]) {
        subtract(g, &L[(size_t)i + n * (size_t)j], l, L[(size_t)k + n * (size_t)j]);
      }
      // rows further up still need the unscaled entries, those of j <= i; this one is done with
      L[(size_t)k + n * (size_t)i] = l;
    }
  }
}

// x := L^-T x
static void solve_up(ExprGraph *g, const AugSystem *s, const Expr *L, Expr *x) {
  for (int k = s->n - 1; k >= 0; k--) {
    if (x[k] == EXPR_ZERO) continue;
    for (int i = s->parent[k]; i >= 0; i = s->parent[i]) {
      subtract(g, &x[i], L[(size_t)k + (size_t)s->n * (size_t)i], x[k]);
    }
  }
}

// x := L^-1 x
static void solve_down(ExprGraph *g, const AugSystem *s, const Expr *L, Expr *x) {
  for (int k = 0; k < s->n; k++) {
    for (int i = s->parent[k]; i >= 0; i = s->parent[i]) {
      subtract(g, &x[k], L[(size_t)k + (size_t)s->n * (size_t)i], x[i]);
    }
  }
}

// S x = b in place for dense symmetric S (lower triangle, overwritten): L D L^T
static void solve_symmetric(ExprGraph *g, int m, Expr *S, Expr *x) {
  size_t n = (size_t)m;
  for (size_t j = 0; j < n; j++) {
    Expr inv = expr_div(g, EXPR_ONE, S[j + n * j]);
    for (size_t i = j + 1; i < n; i++) {
      Expr l = expr_mul(g, S[i + n * j], inv);
      for (size_t k = j + 1; k <= i; k++) subtract(g, &S[i + n * k], l, S[k + n * j]);
    }
    for (size_t i = j + 1; i < n; i++) {
      Expr l = expr_mul(g, S[i + n * j], inv);
      subtract(g, &x[i], l, x[j]);
      S[i + n * j] = l;
    }
    S[j + n * j] = inv;
  }
  for (size_t j = n; j-- > 0;) {
    x[j] = expr_mul(g, x[j], S[j + n * j]);
    for (size_t i = j + 1; i < n; i++) subtract(g, &x[j], S[i + n * j], x[i]);
  }
}

// S = W^T T, lower triangle
static void gram(ExprGraph *g, int n, int m, const Expr *W, const Expr *T, Expr *S) {
  for (int j = 0; j < m; j++) {
    for (int i = j; i < m; i++) {
      Expr sum = EXPR_ZERO;
      for (int k = 0; k < n; k++) {
        Expr a = W[k + (size_t)n * (size_t)i], b = T[k + (size_t)n * (size_t)j];
        if (a != EXPR_ZERO && b != EXPR_ZERO) sum = expr_add(g, sum, expr_mul(g, a, b));
      }
      S[i + (size_t)m * (size_t)j] = sum;
    }
  }
}

static void solve_sparse(ExprGraph *g, const AugSystem *s, Expr *L, Expr *d_inv, Expr *T, Expr *W,
                         Expr *S, Expr *a, Expr *lambda) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  step(g, 0);
  memcpy(L, s->mass, n * n * sizeof *L);
  factor_tree(g, s, L, d_inv);
  step(g, 1);
  memcpy(a, s->force, n * sizeof *a);
  solve_up(g, s, L, a);
  step(g, 2);
  fill_transpose(&s->J, T);
  for (size_t j = 0; j < m; j++) solve_up(g, s, L, T + n * j);
  step(g, 3);
  for (size_t j = 0; j < m; j++) {
    for (size_t k = 0; k < n; k++) W[k + n * j] = expr_mul(g, d_inv[k], T[k + n * j]);
    lambda[j] = expr_neg(s->gamma[j]);
    for (size_t k = 0; k < n; k++) subtract(g, &lambda[j], expr_neg(W[k + n * j]), a[k]);
  }
  step(g, 4);
  gram(g, s->n, s->m, W, T, S);
  step(g, 5);
  solve_symmetric(g, s->m, S, lambda);
  step(g, 6);
  for (size_t k = 0; k < n; k++) {
    a[k] = expr_mul(g, d_inv[k], a[k]);
    for (size_t j = 0; j < m; j++) subtract(g, &a[k], W[k + n * j], lambda[j]);
  }
  step(g, 7);
  solve_down(g, s, L, a);
}

bool aug_solve_sparse(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  Arena *arena = arena_new();
  Expr *L = arena_array(arena, n * n, sizeof *L);
  Expr *d_inv = arena_array(arena, n, sizeof *d_inv);
  Expr *T = arena_array(arena, n * m, sizeof *T), *W = arena_array(arena, n * m, sizeof *W);
  Expr *S = arena_array(arena, m * m, sizeof *S);
  bool ok = L && d_inv && T && W && S;
  int origin = expr_graph_origin(g, "augmented system");
  if (ok) solve_sparse(g, s, L, d_inv, T, W, S, a, lambda);
  else expr_graph_fail(g);
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
  return ok;
}

// ---- Alg-D -------------------------------------------------------------------------------------

// in place, lower triangle: A = C C^T; the diagonal of C is kept, divisions are by it
static void cholesky(ExprGraph *g, size_t n, Expr *A) {
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < j; k++) subtract(g, &A[j + n * j], A[j + n * k], A[j + n * k]);
    A[j + n * j] = expr_sqrt(g, A[j + n * j]);
    for (size_t i = j + 1; i < n; i++) {
      for (size_t k = 0; k < j; k++) subtract(g, &A[i + n * j], A[i + n * k], A[j + n * k]);
      A[i + n * j] = expr_div(g, A[i + n * j], A[j + n * j]);
    }
  }
}

static void forward(ExprGraph *g, size_t n, const Expr *C, Expr *x) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) subtract(g, &x[i], C[i + n * k], x[k]);
    x[i] = expr_div(g, x[i], C[i + n * i]);
  }
}

static void backward(ExprGraph *g, size_t n, const Expr *C, Expr *x) {
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) subtract(g, &x[i], C[k + n * i], x[k]);
    x[i] = expr_div(g, x[i], C[i + n * i]);
  }
}

static void solve_dense(ExprGraph *g, const AugSystem *s, Expr *C, Expr *T, Expr *S, Expr *a,
                        Expr *lambda) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  step(g, 0);
  memcpy(C, s->mass, n * n * sizeof *C);
  cholesky(g, n, C);
  step(g, 1);
  memcpy(a, s->force, n * sizeof *a);
  forward(g, n, C, a);
  step(g, 2);
  fill_transpose(&s->J, T);
  for (size_t j = 0; j < m; j++) forward(g, n, C, T + n * j);
  step(g, 3);
  for (size_t j = 0; j < m; j++) {
    lambda[j] = expr_neg(s->gamma[j]);
    for (size_t k = 0; k < n; k++) subtract(g, &lambda[j], expr_neg(T[k + n * j]), a[k]);
  }
  step(g, 4);
  gram(g, s->n, s->m, T, T, S);
  step(g, 5);
  cholesky(g, m, S);
  forward(g, m, S, lambda);
  backward(g, m, S, lambda);
  step(g, 6);
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < m; j++) subtract(g, &a[k], T[k + n * j], lambda[j]);
  }
  step(g, 7);
  backward(g, n, C, a);
}

bool aug_solve_dense(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  Arena *arena = arena_new();
  Expr *C = arena_array(arena, n * n, sizeof *C), *T = arena_array(arena, n * m, sizeof *T);
  Expr *S = arena_array(arena, m * m, sizeof *S);
  bool ok = C && T && S;
  int origin = expr_graph_origin(g, "augmented system");
  if (ok) solve_dense(g, s, C, T, S, a, lambda);
  else expr_graph_fail(g);
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
  return ok;
}

// ---- Gauss -------------------------------------------------------------------------------------

// position of joint i in the elimination: leaves first
static size_t place(const AugSystem *s, int i) {
  return (size_t)(s->n - 1 - i);
}

static void fill_augmented(const AugSystem *s, Expr *A) {
  size_t n = (size_t)s->n, N = n + (size_t)s->m;
  for (int j = 0; j < s->n; j++) {
    for (int i = j; i < s->n; i++) {
      Expr e = s->mass[(size_t)i + n * (size_t)j];
      A[place(s, i) + N * place(s, j)] = A[place(s, j) + N * place(s, i)] = e;
    }
    for (int e = s->J.colptr[j]; e < s->J.colptr[j + 1]; e++) {
      size_t r = n + (size_t)s->J.row[e];
      A[r + N * place(s, j)] = A[place(s, j) + N * r] = s->J.e[e];
    }
  }
}

// by rows; symmetry is not used
void aug_eliminate(ExprGraph *g, size_t N, Expr *A, Expr *x) {
  for (size_t k = 0; k < N; k++) {
    for (size_t i = k + 1; i < N; i++) {
      if (A[i + N * k] == EXPR_ZERO) continue;
      Expr l = expr_div(g, A[i + N * k], A[k + N * k]);
      for (size_t j = k + 1; j < N; j++) subtract(g, &A[i + N * j], l, A[k + N * j]);
      subtract(g, &x[i], l, x[k]);
    }
  }
  for (size_t i = N; i-- > 0;) {
    for (size_t k = i + 1; k < N; k++) subtract(g, &x[i], A[i + N * k], x[k]);
    x[i] = expr_div(g, x[i], A[i + N * i]);
  }
}

bool aug_solve_gauss(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda) {
  size_t n = (size_t)s->n, N = n + (size_t)s->m;
  Arena *arena = arena_new();
  Expr *A = arena_array(arena, N * N, sizeof *A), *x = arena_array(arena, N, sizeof *x);
  bool ok = A && x;
  int origin = expr_graph_origin(g, "augmented system");
  if (ok) {
    fill_augmented(s, A);
    for (int i = 0; i < s->n; i++) x[place(s, i)] = s->force[i];
    for (int r = 0; r < s->m; r++) x[n + (size_t)r] = s->gamma[r];
    aug_eliminate(g, N, A, x);
    for (int i = 0; i < s->n; i++) a[i] = x[place(s, i)];
    for (int r = 0; r < s->m; r++) lambda[r] = x[n + (size_t)r];
  } else {
    expr_graph_fail(g);
  }
  expr_graph_origin_restore(g, origin);
  arena_free(arena);
  return ok;
}

// ---- methods -----------------------------------------------------------------------------------

typedef bool Solver(ExprGraph *g, const AugSystem *s, Expr *a, Expr *lambda);

static bool map(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda, Solver *solve) {
  size_t n = (size_t)tr->m->nv;
  Arena *arena = arena_new();
  Expr *mass = arena_array(arena, n * n, sizeof *mass);
  Expr *Q = arena_array(arena, n, sizeof *Q);
  int *parent = arena_array(arena, n, sizeof *parent);
  LoopTrace lt;
  bool ok = mass && Q && parent && crba_build(tr->g, tr->m, &tr->tree, tr->body, mass) &&
            rnea_build(tr->g, tr->m, &tr->tree, tr->body, tr->v, NULL, Q) &&
            loops_build(&lt, tr, arena);
  if (ok) {
    for (size_t i = 0; i < n; i++) {
      Expr damping = expr_scale(tr->g, tr->m->joint[i].damping, tr->v[i]);
      Q[i] = expr_sub(tr->g, expr_sub(tr->g, force[i], damping), Q[i]);
      parent[i] = tr->tree.joint[i].parent;
    }
    AugSystem s = {(int)n, lt.m, parent, mass, lt.J, Q, lt.gamma};
    ok = solve(tr->g, &s, a, lambda);
  }
  if (!ok) expr_graph_fail(tr->g);
  arena_free(arena);
  return ok;
}

static bool map_sparse(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda) {
  return map(tr, force, a, lambda, aug_solve_sparse);
}

static bool map_dense(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda) {
  return map(tr, force, a, lambda, aug_solve_dense);
}

static bool map_gauss(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda) {
  return map(tr, force, a, lambda, aug_solve_gauss);
}

// any robot whose constraints are independent (loops_check)
static Status applies(const Model *m, Error *err) {
  (void)m;
  (void)err;
  return STATUS_OK;
}

const LoopMethod loop_tree_aug = {
    .name = "TREE+AUG",
    .title = "augmented system on the tree, sparse (Negrut, Serban, Potra: Alg-S)",
    .has_multipliers = true,
    .applies = applies,
    .map = map_sparse,
};

const LoopMethod loop_tree_aug_dense = {
    .name = "TREE+AUG-D",
    .title = "the same with dense Cholesky factors (Alg-D)",
    .has_multipliers = true,
    .applies = applies,
    .map = map_dense,
};

const LoopMethod loop_gauss = {
    .name = "GAUSS",
    .title = "Gaussian elimination of the augmented system",
    .has_multipliers = true,
    .applies = applies,
    .map = map_gauss,
};
