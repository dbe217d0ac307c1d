// SPDX-License-Identifier: MIT
#include "dynamics/dyn_point.h"

#include <string.h>

#include "dynamics/crba.h"
#include "dynamics/loop_method.h"

// Beyond this size the direct way of explicit forms is not tried: it grows with the cube of nv.
enum { DIRECT_MAX_NV = 4 };

// Working state: variables of the point in order, and where each kind starts.
typedef struct Work {
  DynPoint *p;
  DynTrace tr;
  Expr *x;       // nx
  int at_a;      // column of a[0], -1 if the form has none
  int at_u;      // column of u[0]
  Expr *forces;  // nv, B u
  Expr *accel;   // nv, explicit forms: xi(q, v, u)
  Expr *r;       // nv, residual
} Work;

// out = a - b
static bool subtract(ExprGraph *g, int n, const Expr *a, const Expr *b, Expr *out) {
  for (int i = 0; i < n; i++) out[i] = expr_sub(g, a[i], b[i]);
  return true;
}

// Loops close as the family of the form does it: EXP1 by the factorised mass matrix and J, EXP2 in order n.
static const LoopMethod *loop_method_of(const DynForm *form) {
  return strcmp(form->family, dyn_exp1_ode.family) == 0 ? &loop_tree_aug : &loop_rcr;
}

static bool explicit_map(Work *w) {
  DynPoint *p = w->p;
  if (!w->tr.m->n_loop) return p->form->map(&w->tr, w->forces, w->accel);
  Expr *lambda = arena_array(p->arena, (size_t)model_n_rows(w->tr.m) + 1, sizeof *lambda);
  return lambda && loop_method_of(p->form)->map(&w->tr, w->forces, w->accel, lambda);
}

static bool build_residual(Work *w) {
  const DynForm *form = w->p->form;
  ExprGraph *g = w->p->g;
  int nv = w->p->nv;
  dyn_actuator_forces(&w->tr, w->forces);
  if (!form->explicit_form) {
    return form->map(&w->tr, w->tr.a, w->r) && subtract(g, nv, w->r, w->forces, w->r);
  }
  if (!explicit_map(w)) return false;
  if (form->algebraic) return subtract(g, nv, w->tr.a, w->accel, w->r);
  memcpy(w->r, w->accel, (size_t)nv * sizeof *w->r);
  return true;
}

static bool setup(Work *w, const Model *m) {
  DynPoint *p = w->p;
  size_t nv = (size_t)p->nv;
  if (!dyn_trace_build(&w->tr, p->g, m)) return false;
  w->x = arena_array(p->arena, (size_t)p->nx, sizeof *w->x);
  w->forces = arena_array(p->arena, nv, sizeof *w->forces);
  w->accel = arena_array(p->arena, nv, sizeof *w->accel);
  w->r = arena_array(p->arena, nv, sizeof *w->r);
  if (!w->x || !w->forces || !w->accel || !w->r) return false;
  memcpy(w->x, w->tr.q, nv * sizeof *w->x);
  memcpy(w->x + nv, w->tr.v, nv * sizeof *w->x);
  w->at_a = p->form->algebraic ? 2 * p->nv : -1;
  w->at_u = p->form->algebraic ? 3 * p->nv : 2 * p->nv;
  if (p->form->algebraic) memcpy(w->x + 2 * nv, w->tr.a, nv * sizeof *w->x);
  if (p->nu) memcpy(w->x + w->at_u, w->tr.u, (size_t)p->nu * sizeof *w->x);
  return true;
}

// lambda^T r
static Expr lagrangian(const Work *w, const Expr *lambda, const Expr *r) {
  Expr sum = EXPR_ZERO;
  for (int i = 0; i < w->p->nv; i++) {
    sum = expr_add(w->p->g, sum, expr_mul(w->p->g, lambda[i], r[i]));
  }
  return sum;
}

// ---- the implicit-function rule ----------------------------------------------------------------

// dense, column-major, over the columns (q, v, a, u) of the implicit residual
typedef struct Implicit {
  Expr *factor, *d_inv;  // of M
  Expr *accel_x;         // nv x (2 nv + nu): d xi / d (q, v, u)
  int nz;                // 2 nv + nu
} Implicit;

static bool scatter(const ExprMatrix *m, Expr *dense) {
  for (int j = 0; j < m->n_col; j++) {
    for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++) dense[m->row[e] + m->n_row * j] = m->e[e];
  }
  return true;
}

// keeps the entries of a dense matrix (its lower triangle only, if asked) that are not zero
static bool gather(ExprMatrix *m, Arena *arena, int n_row, int n_col, const Expr *dense,
                   bool lower) {
  *m = (ExprMatrix){.n_row = n_row, .n_col = n_col};
  size_t most = (size_t)n_row * (size_t)n_col;
  m->colptr = arena_array(arena, (size_t)n_col + 1, sizeof *m->colptr);
  m->row = arena_array(arena, most + 1, sizeof *m->row);
  m->e = arena_array(arena, most + 1, sizeof *m->e);
  if (!m->colptr || !m->row || !m->e) return false;
  for (int j = 0; j < n_col; j++) {
    for (int i = lower ? j : 0; i < n_row; i++) {
      if (dense[i + n_row * j] == EXPR_ZERO) continue;
      m->row[m->nnz] = i;
      m->e[m->nnz++] = dense[i + n_row * j];
    }
    m->colptr[j + 1] = m->nnz;
  }
  return true;
}

// d xi / d (q, v, u) = -M^-1 R_x, at a = xi
static bool accel_derivatives(Work *w, Implicit *im) {
  DynPoint *p = w->p;
  ExprGraph *g = p->g;
  int nv = p->nv;
  size_t n = (size_t)nv;
  im->nz = 2 * nv + p->nu;
  im->factor = arena_array(p->arena, n * n, sizeof *im->factor);
  im->d_inv = arena_array(p->arena, n, sizeof *im->d_inv);
  im->accel_x = arena_array(p->arena, n * (size_t)im->nz, sizeof *im->accel_x);
  Expr *phi = arena_array(p->arena, n, sizeof *phi);
  ExprMatrix jac;
  if (!im->factor || !im->d_inv || !im->accel_x || !phi ||
      !dyn_mass_factor(&w->tr, im->factor, im->d_inv) || !dyn_implicit.map(&w->tr, w->tr.a, phi) ||
      !expr_jacobian(g, p->arena, nv, phi, 2 * nv, w->x, &jac)) {
    return false;
  }
  expr_substitute(g, jac.nnz, jac.e, nv, w->tr.a, w->accel);
  scatter(&jac, im->accel_x);
  for (int k = 0; k < p->nu; k++) {
    im->accel_x[w->tr.m->u_joint[k] + nv * (2 * nv + k)] = expr_neg(EXPR_ONE);
  }
  for (int j = 0; j < im->nz; j++) {
    Expr *column = im->accel_x + n * (size_t)j;
    for (int i = 0; i < nv; i++) column[i] = expr_neg(column[i]);
    crba_solve(g, &w->tr.tree, im->factor, im->d_inv, column);
  }
  return true;
}

// column of the point that column j of (q, v, u) is
static int point_column(const Work *w, int j) {
  return j < 2 * w->p->nv ? j : w->at_u + j - 2 * w->p->nv;
}

static bool implicit_jacobian(Work *w, const Implicit *im, ExprMatrix *jac) {
  DynPoint *p = w->p;
  int nv = p->nv;
  Expr *dense = arena_array(p->arena, (size_t)nv * (size_t)p->nx, sizeof *dense);
  if (!dense) return false;
  for (int j = 0; j < im->nz; j++) {
    for (int i = 0; i < nv; i++) {
      Expr e = im->accel_x[i + nv * j];
      dense[i + nv * point_column(w, j)] = p->form->algebraic ? expr_neg(e) : e;
    }
  }
  for (int i = 0; p->form->algebraic && i < nv; i++) dense[i + nv * (w->at_a + i)] = EXPR_ONE;
  return gather(jac, p->arena, nv, p->nx, dense, false);
}

// Second derivatives of mu^T Phi over (q, v, a), dense and symmetric, 3 nv, at a = xi, mu = M^-1 lambda
static bool adjoint_second(Work *w, const Implicit *im, Expr *G) {
  DynPoint *p = w->p;
  ExprGraph *g = p->g;
  int nv = p->nv, n3 = 3 * nv;
  size_t n = (size_t)nv;
  Expr *phi = arena_array(p->arena, n, sizeof *phi);
  Expr *qva = arena_array(p->arena, 3 * n, sizeof *qva);
  Expr *from = arena_array(p->arena, 2 * n, sizeof *from);
  Expr *to = arena_array(p->arena, 2 * n, sizeof *to);
  if (!phi || !qva || !from || !to || !dyn_implicit.map(&w->tr, w->tr.a, phi)) return false;
  memcpy(qva, w->x, 2 * n * sizeof *qva);
  memcpy(qva + 2 * n, w->tr.a, n * sizeof *qva);
  ExprMatrix lower;
  Expr scalar = lagrangian(w, w->tr.lambda, phi);
  if (!expr_hessian(g, p->arena, scalar, n3, qva, &lower)) return false;
  memcpy(from, w->tr.a, n * sizeof *from);
  memcpy(from + n, w->tr.lambda, n * sizeof *from);
  memcpy(to, w->accel, n * sizeof *to);
  memcpy(to + n, w->tr.lambda, n * sizeof *to);
  crba_solve(g, &w->tr.tree, im->factor, im->d_inv, to + n);
  expr_substitute(g, lower.nnz, lower.e, 2 * nv, from, to);
  for (int j = 0; j < n3; j++) {
    for (int e = lower.colptr[j]; e < lower.colptr[j + 1]; e++) {
      G[lower.row[e] + n3 * j] = G[j + n3 * lower.row[e]] = lower.e[e];
    }
  }
  return true;
}

// sum_k G(i, a_k) d xi_k / d z_j
static Expr chain(const Work *w, const Implicit *im, const Expr *G, int i, int j) {
  int nv = w->p->nv;
  Expr sum = EXPR_ZERO;
  if (i >= 2 * nv) return sum;
  for (int k = 0; k < nv; k++) {
    Expr term = expr_mul(w->p->g, G[i + 3 * nv * (2 * nv + k)], im->accel_x[k + nv * j]);
    sum = expr_add(w->p->g, sum, term);
  }
  return sum;
}

static bool implicit_hessian(Work *w, const Implicit *im, ExprMatrix *lower) {
  DynPoint *p = w->p;
  ExprGraph *g = p->g;
  int nv = p->nv, n3 = 3 * nv;
  Expr *G = arena_array(p->arena, (size_t)n3 * (size_t)n3, sizeof *G);
  Expr *dense = arena_array(p->arena, (size_t)p->nx * (size_t)p->nx, sizeof *dense);
  if (!G || !dense || !adjoint_second(w, im, G)) return false;
  for (int j = 0; j < im->nz; j++) {
    for (int i = j; i < im->nz; i++) {
      Expr e = i < 2 * nv ? G[i + n3 * j] : EXPR_ZERO;
      e = expr_add(g, e, chain(w, im, G, i, j));
      e = expr_add(g, e, chain(w, im, G, j, i));
      dense[point_column(w, i) + p->nx * point_column(w, j)] = p->form->algebraic ? e : expr_neg(e);
    }
  }
  return gather(lower, p->arena, p->nx, p->nx, dense, true);
}

// ---- the choice --------------------------------------------------------------------------------

static DynRule cheaper(const Work *w, ExprMatrix *direct, const ExprMatrix *implicit) {
  int a = expr_cost(w->p->g, direct->nnz, direct->e);
  int b = expr_cost(w->p->g, implicit->nnz, implicit->e);
  if (a < 0 || b < 0) expr_graph_fail(w->p->g);  // out of memory
  if (a <= b) return DYN_RULE_DIRECT;
  *direct = *implicit;
  return DYN_RULE_IMPLICIT;
}

static bool direct_derivatives(Work *w, ExprMatrix *jac, ExprMatrix *hess) {
  DynPoint *p = w->p;
  p->jacobian_rule = p->hessian_rule = DYN_RULE_DIRECT;
  return expr_jacobian(p->g, p->arena, p->nv, w->r, p->nx, w->x, jac) &&
         expr_hessian(p->g, p->arena, lagrangian(w, w->tr.lambda, w->r), p->nx, w->x, hess);
}

static bool derivatives(Work *w, DynRule rule, ExprMatrix *jac, ExprMatrix *hess) {
  DynPoint *p = w->p;
  if (!p->form->explicit_form || w->tr.m->n_loop) rule = DYN_RULE_DIRECT;
  if (rule == DYN_RULE_BEST && p->nv > DIRECT_MAX_NV) rule = DYN_RULE_IMPLICIT;
  if (rule == DYN_RULE_DIRECT) return direct_derivatives(w, jac, hess);
  Implicit im;
  ExprMatrix other_jac, other_hess;
  if (!accel_derivatives(w, &im) || !implicit_jacobian(w, &im, &other_jac) ||
      !implicit_hessian(w, &im, &other_hess)) {
    return false;
  }
  if (rule == DYN_RULE_IMPLICIT) {
    *jac = other_jac;
    *hess = other_hess;
    p->jacobian_rule = p->hessian_rule = DYN_RULE_IMPLICIT;
    return true;
  }
  if (!direct_derivatives(w, jac, hess)) return false;
  p->jacobian_rule = cheaper(w, jac, &other_jac);
  p->hessian_rule = cheaper(w, hess, &other_hess);
  return true;
}

// ---- functions ---------------------------------------------------------------------------------

static bool make_function(DynPoint *p, ExprFunction *f, const char *name, const char *output,
                          bool with_lambda, const ExprMatrix *value) {
  ExprInput *in = arena_array(p->arena, 5, sizeof *in);
  ExprOutput *out = arena_array(p->arena, 1, sizeof *out);
  if (!in || !out) return false;
  int n = 0;
  in[n++] = (ExprInput){"q", p->nv, DYN_Q};
  in[n++] = (ExprInput){"v", p->nv, DYN_V};
  if (p->form->algebraic) in[n++] = (ExprInput){"a", p->nv, DYN_A};
  in[n++] = (ExprInput){"u", p->nu, DYN_U};
  if (with_lambda) in[n++] = (ExprInput){"lambda", p->nv, DYN_LAMBDA};
  *out = (ExprOutput){output, *value};
  *f = (ExprFunction){.name = name, .g = p->g, .n_in = n, .in = in, .n_out = 1, .out = out};
  return true;
}

static bool build(DynPoint *p, const Model *m, DynRule rule) {
  Work w = {.p = p};
  ExprMatrix residual, jac, hess;
  bool ok = setup(&w, m) && build_residual(&w) && derivatives(&w, rule, &jac, &hess) &&
            expr_column(&residual, p->arena, p->nv, w.r) &&
            make_function(p, &p->residual, "residual", "residual", false, &residual) &&
            make_function(p, &p->jacobian, "jacobian", "jacobian", false, &jac) &&
            make_function(p, &p->hessian, "hessian", "hessian", true, &hess);
  dyn_trace_free(&w.tr);
  return ok;
}

Status dyn_point_build(DynPoint **out, const Model *m, const DynForm *form, DynRule rule,
                       Error *err) {
  *out = NULL;
  if (m->n_loop && !form->explicit_form) return model_require_tree(m, form->name, err);
  if (m->n_loop && loop_method_of(form)->applies(m, err)) return err->code;
  Arena *arena = arena_new();
  DynPoint *p = arena_alloc(arena, sizeof *p);
  ExprGraph *g = p ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *p = (DynPoint){.arena = arena, .g = g, .form = form, .nv = m->nv, .nu = m->nu};
  p->nx = (form->algebraic ? 3 : 2) * m->nv + m->nu;
  if (!build(p, m, rule) || expr_graph_status(g, err) != STATUS_OK) {
    dyn_point_free(p);
    return error_no_memory(err);
  }
  *out = p;
  return STATUS_OK;
}

void dyn_point_free(DynPoint *p) {
  if (!p) return;
  expr_graph_free(p->g);
  arena_free(p->arena);
}
