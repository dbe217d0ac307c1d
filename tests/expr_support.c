// SPDX-License-Identifier: MIT
#include "expr_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "unity.h"

// ---- random lists ------------------------------------------------------------------------------

static Expr build(Dag *d, const DagOp *o) {
  ExprGraph *g = d->g;
  switch (o->op) {
    case EXPR_CONST: return expr_const(g, o->value);
    case EXPR_INPUT: return expr_input(g, 0, o->a);
    case EXPR_ADD: return expr_add(g, d->e[o->a], d->e[o->b]);
    case EXPR_SUB: return expr_sub(g, d->e[o->a], d->e[o->b]);
    case EXPR_MUL: return expr_mul(g, d->e[o->a], d->e[o->b]);
    case EXPR_DIV: return expr_div(g, d->e[o->a], d->e[o->b]);
    case EXPR_NEG: return expr_neg(d->e[o->a]);
    case EXPR_SQRT: return expr_sqrt(g, d->e[o->a]);
    case EXPR_SIN: return expr_sin(g, d->e[o->a]);
    case EXPR_COS: return expr_cos(g, d->e[o->a]);
    case EXPR_EXP: return expr_exp(g, d->e[o->a]);
    case EXPR_LOG: return expr_log(g, d->e[o->a]);
    case EXPR_N_OPS: break;
  }
  return EXPR_ZERO;
}

int dag_push(Dag *d, ExprOp op, int a, int b, double value) {
  TEST_ASSERT_LESS_THAN_INT(DAG_MAX, d->n);
  d->op[d->n] = (DagOp){op, a, b, value};
  d->e[d->n] = build(d, &d->op[d->n]);
  return d->n++;
}

static int unary(Dag *d, ExprOp op, int a) {
  return dag_push(d, op, a, 0, 0);
}

// x x + c, positive wherever it is evaluated
static int positive(Dag *d, int a, double c) {
  int square = dag_push(d, EXPR_MUL, a, a, 0);
  return dag_push(d, EXPR_ADD, square, dag_push(d, EXPR_CONST, 0, 0, c), 0);
}

// a constant that often meets a rule
static double some_constant(Rng *rng) {
  static const double special[] = {0, 1, -1, 2, -2, 0.5};
  int k = rng_int(rng, 12);
  return k < 6 ? special[k] : rng_uniform(rng, -3, 3);
}

// what grows without bound would only measure overflow
static int tame(Dag *d, int a) {
  return unary(d, EXPR_SIN, a);
}

static void push_random(Dag *d, Rng *rng) {
  int a = rng_int(rng, d->n), b = rng_int(rng, d->n);
  if (rng_int(rng, 3) == 0) a = d->n - 1;
  switch (rng_int(rng, 14)) {
    case 0:
    case 1: dag_push(d, EXPR_ADD, a, b, 0); break;
    case 2:
    case 3: dag_push(d, EXPR_SUB, a, b, 0); break;
    case 4:
    case 5: dag_push(d, EXPR_MUL, tame(d, a), b, 0); break;
    case 6: dag_push(d, EXPR_DIV, a, positive(d, b, 1), 0); break;
    case 7: dag_push(d, EXPR_NEG, a, 0, 0); break;
    case 8: unary(d, EXPR_SQRT, positive(d, a, 0.5)); break;
    case 9: unary(d, rng_int(rng, 2) ? EXPR_SIN : EXPR_COS, a); break;
    case 10:
      unary(d, EXPR_EXP, rng_int(rng, 2) ? tame(d, a) : unary(d, EXPR_NEG, positive(d, a, 0.1)));
      break;
    case 11: unary(d, EXPR_LOG, positive(d, a, 1)); break;
    case 12: {
      int c = dag_push(d, EXPR_CONST, 0, 0, some_constant(rng));
      dag_push(d, rng_int(rng, 2) ? EXPR_MUL : EXPR_ADD, c, a, 0);
      break;
    }
    default: {
      int c = dag_push(d, EXPR_CONST, 0, 0, rng_uniform(rng, 0.5, 4));
      dag_push(d, EXPR_DIV, rng_int(rng, 2) ? a : c, rng_int(rng, 2) ? c : positive(d, b, 0.3), 0);
    }
  }
}

void dag_random(Dag *d, ExprGraph *g, Rng *rng, int n_in, int n_op) {
  d->g = g;
  d->n_in = n_in;
  d->n = 0;
  for (int i = 0; i < n_in; i++) dag_push(d, EXPR_INPUT, i, 0, 0);
  for (int k = 0; k < n_op; k++) push_random(d, rng);
}

// ---- values ------------------------------------------------------------------------------------

static long double op_long(ExprOp op, long double a, long double b) {
  switch (op) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_NEG: return -a;
    case EXPR_SQRT: return sqrtl(a);
    case EXPR_SIN: return sinl(a);
    case EXPR_COS: return cosl(a);
    case EXPR_EXP: return expl(a);
    case EXPR_LOG: return logl(a);
    case EXPR_CONST:
    case EXPR_INPUT:
    case EXPR_N_OPS: break;
  }
  return NAN;
}

void dag_eval(const Dag *d, const double *x, long double *value, long double *bound) {
  const long double eps = DBL_EPSILON;
  for (int k = 0; k < d->n; k++) {
    const DagOp *o = &d->op[k];
    if (o->op == EXPR_CONST || o->op == EXPR_INPUT) {
      value[k] = o->op == EXPR_CONST ? o->value : x[o->a];
      bound[k] = 0;
      continue;
    }
    long double a = value[o->a], b = value[o->b], ea = bound[o->a], eb = bound[o->b], e = 0;
    value[k] = op_long(o->op, a, b);
    switch (o->op) {
      case EXPR_ADD:
      case EXPR_SUB: e = ea + eb; break;
      case EXPR_MUL: e = fabsl(a) * eb + fabsl(b) * ea; break;
      case EXPR_DIV: e = (ea + fabsl(value[k]) * eb) / fabsl(b); break;
      case EXPR_SQRT: e = 0.5L * ea / value[k]; break;
      case EXPR_EXP: e = value[k] * ea; break;
      case EXPR_LOG: e = ea / fabsl(a); break;
      default: e = ea; break;
    }
    bound[k] = e + eps * fabsl(value[k]) + 1e-300L;
    if (o->op == EXPR_SIN || o->op == EXPR_COS) bound[k] += eps;
  }
}

void dag_hyper(const Dag *d, const double *x, int i, int j, Hyper *value) {
  for (int k = 0; k < d->n; k++) {
    const DagOp *o = &d->op[k];
    Hyper *v = &value[k];
    if (o->op == EXPR_CONST || o->op == EXPR_INPUT) {
      *v = (Hyper){.f = o->op == EXPR_CONST ? o->value : x[o->a]};
      if (o->op == EXPR_INPUT) v->i = o->a == i, v->j = o->a == j;
      continue;
    }
    const Hyper a = value[o->a], b = value[o->b];
    long double f = op_long(o->op, a.f, b.f), d1 = 0, d2 = 0;  // of a function of a alone
    switch (o->op) {
      case EXPR_ADD: *v = (Hyper){f, a.i + b.i, a.j + b.j, a.ij + b.ij}; continue;
      case EXPR_SUB: *v = (Hyper){f, a.i - b.i, a.j - b.j, a.ij - b.ij}; continue;
      case EXPR_MUL:
        *v = (Hyper){f, a.i * b.f + a.f * b.i, a.j * b.f + a.f * b.j,
                     a.ij * b.f + a.i * b.j + a.j * b.i + a.f * b.ij};
        continue;
      case EXPR_DIV: {  // a = f b, differentiated
        long double fi = (a.i - f * b.i) / b.f, fj = (a.j - f * b.j) / b.f;
        *v = (Hyper){f, fi, fj, (a.ij - fi * b.j - fj * b.i - f * b.ij) / b.f};
        continue;
      }
      case EXPR_NEG: d1 = -1; break;
      case EXPR_SQRT: d1 = 0.5L / f, d2 = -0.25L / (f * a.f); break;
      case EXPR_SIN: d1 = cosl(a.f), d2 = -f; break;
      case EXPR_COS: d1 = -sinl(a.f), d2 = -f; break;
      case EXPR_EXP: d1 = d2 = f; break;
      case EXPR_LOG: d1 = 1 / a.f, d2 = -1 / (a.f * a.f); break;
      default: break;
    }
    *v = (Hyper){f, d1 * a.i, d1 * a.j, d2 * a.i * a.j + d1 * a.ij};
  }
}

// ---- graphs, node by node ----------------------------------------------------------------------

static char *needed_nodes(const ExprGraph *g, int n_out, const Expr *out, int *n_node) {
  *n_node = 0;
  for (int i = 0; i < n_out; i++) {
    if (expr_node(out[i]) >= *n_node) *n_node = expr_node(out[i]) + 1;
  }
  char *needed = calloc((size_t)*n_node + 1, 1);
  TEST_ASSERT_NOT_NULL(needed);
  for (int i = 0; i < n_out; i++) needed[expr_node(out[i])] = 1;
  for (int v = *n_node - 1; v >= 0; v--) {
    const ExprNode *x = expr_graph_node(g, v);
    if (needed[v] && expr_op_arity(x->op) > 0) needed[x->a] = 1;
    if (needed[v] && expr_op_arity(x->op) > 1) needed[x->b] = 1;
  }
  return needed;
}

void graph_eval(const ExprGraph *g, int n_out, const Expr *out, const double *const *x, double *y) {
  int n_node;
  char *needed = needed_nodes(g, n_out, out, &n_node);
  double *value = calloc((size_t)n_node + 1, sizeof *value);
  TEST_ASSERT_NOT_NULL(value);
  for (int v = 0; v < n_node; v++) {
    const ExprNode *n = expr_graph_node(g, v);
    if (!needed[v]) continue;
    if (n->op == EXPR_CONST) value[v] = n->value;
    else if (n->op == EXPR_INPUT) value[v] = x[n->a][n->b];
    else value[v] = expr_op_value(n->op, value[n->a], value[n->b]);
  }
  for (int i = 0; i < n_out; i++) {
    y[i] = expr_negated(out[i]) ? -value[expr_node(out[i])] : value[expr_node(out[i])];
  }
  free(value);
  free(needed);
}

void graph_eval_long(const ExprGraph *g, int n_out, const Expr *out, const long double *const *x,
                     long double *y) {
  int n_node;
  char *needed = needed_nodes(g, n_out, out, &n_node);
  long double *value = calloc((size_t)n_node + 1, sizeof *value);
  TEST_ASSERT_NOT_NULL(value);
  for (int v = 0; v < n_node; v++) {
    const ExprNode *n = expr_graph_node(g, v);
    if (!needed[v]) continue;
    if (n->op == EXPR_CONST) value[v] = n->value;
    else if (n->op == EXPR_INPUT) value[v] = x[n->a][n->b];
    else value[v] = op_long(n->op, value[n->a], value[n->b]);
  }
  for (int i = 0; i < n_out; i++) {
    y[i] = expr_negated(out[i]) ? -value[expr_node(out[i])] : value[expr_node(out[i])];
  }
  free(value);
  free(needed);
}

ExprFunction column_function(const ExprGraph *g, Arena *arena, int n, int n_out, const Expr *out) {
  ExprInput *in = arena_array(arena, 1, sizeof *in);
  ExprOutput *y = arena_array(arena, 1, sizeof *y);
  TEST_ASSERT_NOT_NULL(in);
  TEST_ASSERT_NOT_NULL(y);
  *in = (ExprInput){"x", n, 0};
  y->name = "y";
  TEST_ASSERT_TRUE(expr_column(&y->value, arena, n_out, out));
  return (ExprFunction){.name = "f", .g = g, .n_in = 1, .in = in, .n_out = 1, .out = y};
}
