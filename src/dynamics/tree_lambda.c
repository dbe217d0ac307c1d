// SPDX-License-Identifier: MIT
// TREE+LAMBDA: the standard order-n treatment of loops, Anderson and Critchley 2003, section 2.
// The tree's accelerations eta without the loops, and zeta, those that unit loads in the cut
// joints add (equations 24 to 29), both by articulated bodies; then
//   a = eta + zeta lambda,   (J zeta) lambda = gamma - J eta         (13, 32)
// at a cost of order n + n m for the recursions, n m^2 for the product and m^3 for its solution: cheap
// for few loops on a large tree, cubic where the loops grow with the bodies.
#include <string.h>

#include "dynamics/aba.h"
#include "dynamics/loop_method.h"

typedef struct Lambda {
  const DynTrace *tr;
  ExprGraph *g;
  int n, m;
  LoopTrace loops;
  AbaJoint *keep;  // n
  Expr *eta;       // n
  Expr *load;      // n, scratch
  Expr *zeta;      // n x m
  Expr *K;  // m x m, lower triangle: J M^-1 J^T, then its factor L D L^T, 1 / D on the diagonal
  Expr *lambda;  // m
} Lambda;

static bool lambda_init(Lambda *s, Arena *arena) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  s->keep = arena_array(arena, n, sizeof *s->keep);
  s->eta = arena_array(arena, n, sizeof *s->eta);
  s->load = arena_array(arena, n, sizeof *s->load);
  s->zeta = arena_array(arena, n * m + 1, sizeof *s->zeta);
  s->K = arena_array(arena, m * m + 1, sizeof *s->K);
  s->lambda = arena_array(arena, m + 1, sizeof *s->lambda);
  return s->keep && s->eta && s->load && s->zeta && s->K && s->lambda &&
         loops_build(&s->loops, s->tr, arena);
}

// minus the response to the loads that unit multipliers put on the tree
static bool find_zeta(Lambda *s) {
  const ExprMatrix *J = &s->loops.J;
  for (int r = 0; r < s->m; r++) {
    expr_graph_origin(s->g, "tree+lambda: load of loop %s", s->tr->m->loop[s->loops.loop[r]].name);
    for (int j = 0; j < s->n; j++) {
      s->load[j] = EXPR_ZERO;
      for (int e = J->colptr[j]; e < J->colptr[j + 1]; e++) {
        if (J->row[e] == r) s->load[j] = expr_neg(J->e[e]);
      }
    }
    Expr *zeta = s->zeta + (size_t)r * (size_t)s->n;
    if (!aba_response(s->g, &s->tr->tree, s->tr->body, s->keep, s->load, zeta)) return false;
  }
  return true;
}

// K = -J zeta (it is positive definite), lambda = J eta - gamma, so that K lambda' = lambda
static void find_system(Lambda *s) {
  const ExprMatrix *J = &s->loops.J;
  expr_graph_origin(s->g, "tree+lambda: system of the multipliers");
  for (int r = 0; r < s->m; r++) s->lambda[r] = expr_neg(s->loops.gamma[r]);
  for (int j = 0; j < s->n; j++) {
    for (int e = J->colptr[j]; e < J->colptr[j + 1]; e++) {
      int r = J->row[e];
      s->lambda[r] = expr_add(s->g, s->lambda[r], expr_mul(s->g, J->e[e], s->eta[j]));
      for (int k = 0; k <= r; k++) {
        Expr *x = &s->K[r + (size_t)k * (size_t)s->m];
        Expr zeta = s->zeta[j + (size_t)k * (size_t)s->n];
        *x = expr_sub(s->g, *x, expr_mul(s->g, J->e[e], zeta));
      }
    }
  }
}

// L D L^T by columns, without square roots
static void factor(ExprGraph *g, int m, Expr *K) {
  for (int k = 0; k < m; k++) {
    Expr *pivot = &K[k + (size_t)k * (size_t)m];
    *pivot = expr_div(g, EXPR_ONE, *pivot);
    for (int j = k + 1; j < m; j++) {
      Expr x = K[j + (size_t)k * (size_t)m];
      if (x == EXPR_ZERO) continue;
      Expr over = expr_mul(g, x, *pivot);
      for (int i = j; i < m; i++) {
        Expr *e = &K[i + (size_t)j * (size_t)m];
        *e = expr_sub(g, *e, expr_mul(g, K[i + (size_t)k * (size_t)m], over));
      }
    }
    for (int i = k + 1; i < m; i++) {
      Expr *e = &K[i + (size_t)k * (size_t)m];
      *e = expr_mul(g, *e, *pivot);
    }
  }
}

static void solve(ExprGraph *g, int m, const Expr *K, Expr *x) {
  for (int k = 0; k < m; k++) {
    for (int i = k + 1; i < m; i++) {
      x[i] = expr_sub(g, x[i], expr_mul(g, K[i + (size_t)k * (size_t)m], x[k]));
    }
  }
  for (int k = m - 1; k >= 0; k--) {
    x[k] = expr_mul(g, x[k], K[k + (size_t)k * (size_t)m]);
    for (int i = k + 1; i < m; i++) {
      x[k] = expr_sub(g, x[k], expr_mul(g, K[i + (size_t)k * (size_t)m], x[i]));
    }
  }
}

static bool map(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda) {
  Arena *arena = arena_new();
  Lambda s = {.tr = tr, .g = tr->g, .n = tr->m->nv, .m = model_n_rows(tr->m)};
  int origin = expr_graph_origin(tr->g, "tree+lambda");
  bool ok = lambda_init(&s, arena);
  if (ok) {
    for (int i = 0; i < s.n; i++) {
      Expr loss = expr_scale(tr->g, tr->tree.joint[i].damping, tr->v[i]);
      s.load[i] = expr_sub(tr->g, force[i], loss);
    }
    ok = aba_build_keep(tr->g, tr->m, &tr->tree, tr->body, tr->v, s.load, s.eta, s.keep) &&
         find_zeta(&s);
  }
  if (ok) {
    find_system(&s);
    factor(tr->g, s.m, s.K);
    solve(tr->g, s.m, s.K, s.lambda);
    for (int i = 0; i < s.n; i++) {
      a[i] = s.eta[i];
      for (int r = 0; r < s.m; r++) {
        Expr zeta = s.zeta[i + (size_t)r * (size_t)s.n];
        a[i] = expr_add(tr->g, a[i], expr_mul(tr->g, zeta, s.lambda[r]));
      }
    }
    memcpy(lambda, s.lambda, (size_t)s.m * sizeof *lambda);
  } else {
    expr_graph_fail(tr->g);
  }
  expr_graph_origin_restore(tr->g, origin);
  arena_free(arena);
  return ok;
}

static Status applies(const Model *m, Error *err) {
  (void)m;
  (void)err;
  return STATUS_OK;
}

const LoopMethod loop_tree_lambda = {
    .name = "TREE+LAMBDA",
    .title = "standard order-n treatment of loops (Anderson and Critchley 2003, section 2)",
    .has_multipliers = true,
    .applies = applies,
    .map = map,
};
