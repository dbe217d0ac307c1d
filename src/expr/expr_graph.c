// SPDX-License-Identifier: MIT
// Nodes in one flat array, found again by the value they stand for, and the rules that simplify while
// building. Equal values are recognised by their fingerprints (x + y - y, sin^2 + cos^2, x (1 / x),
// products in another order, ...); the rules here are for what is new, to give it the cheapest shape.
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "expr/expr_fingerprint.h"

enum { FIRST_NODES = 1024, MAX_NODES = 1 << 30, LABEL_SIZE = 64, N_SAMPLES = 2 };

// A sum of two numbers that cancel to less than this part of them, at all samples, is zero: what is left is
// the rounding of constants that were folded before (0.1 * 3 - 0.3), which fingerprints can't see.
static const double CANCELLED = 1e-12;
static const double SAME = 1e-14;    // relative difference of samples that only rounding makes
static const double VISIBLE = 1e-3;  // and one that the value itself makes

// A node with what the graph alone needs to know of it.
typedef struct Entry {
  ExprNode node;
  uint64_t print;            // fingerprint
  uint64_t reads;            // bit i: reads input i (modulo 64)
  double sample[N_SAMPLES];  // value at random points, in doubles
} Entry;

struct ExprGraph {
  int n, cap;              // nodes in use, allocated
  Entry *entry;            // cap
  int32_t *slot;           // n_slot, open addressing by fingerprint: node + 1, or 0
  int n_slot;              // power of two, at least 2 cap
  int n_label, label_cap;  //
  char (*label)[LABEL_SIZE];
  int origin;   // current label
  bool failed;  // out of memory somewhere
};

// ---- storage -----------------------------------------------------------------------------------

static void put_in_slot(ExprGraph *g, int node) {
  uint64_t h = fingerprint_hash(g->entry[node].print), last = (uint64_t)g->n_slot - 1;
  while (g->slot[h & last]) h++;
  g->slot[h & last] = node + 1;
}

static bool grow(ExprGraph *g) {
  if (g->cap >= MAX_NODES) return false;
  int cap = g->cap ? 2 * g->cap : FIRST_NODES;
  Entry *entry = realloc(g->entry, (size_t)cap * sizeof *entry);
  if (!entry) return false;
  g->entry = entry;
  int32_t *slot = calloc((size_t)cap * 2, sizeof *slot);
  if (!slot) return false;
  free(g->slot);
  g->slot = slot;
  g->n_slot = 2 * cap;
  g->cap = cap;
  for (int i = 0; i < g->n; i++) put_in_slot(g, i);
  return true;
}

void expr_graph_rewind(ExprGraph *g, int n) {
  assert(n >= 2 && n <= g->n);
  g->n = n;
  memset(g->slot, 0, (size_t)g->n_slot * sizeof *g->slot);
  for (int i = 0; i < n; i++) put_in_slot(g, i);
}

void expr_graph_fail(ExprGraph *g) {
  g->failed = true;
}

// May an existing node stand for a new one of the same value? Not if it reads inputs that the new one
// does not (they cancel in it, but a function would have to declare them). Explicit negations stay
// as they are written.
static bool may_stand_for(const Entry *old, const Entry *new) {
  if (old->node.op == EXPR_NEG || new->node.op == EXPR_NEG) {
    return old->node.op == new->node.op && old->node.a == new->node.a;
  }
  return (old->reads & ~new->reads) == 0;
}

// An existing expression of this value. False if there is none.
static bool find_value(const ExprGraph *g, const Entry *x, Expr *out) {
  uint64_t minus = fingerprint_neg(x->print), last = (uint64_t)g->n_slot - 1;
  for (uint64_t h = fingerprint_hash(x->print); g->slot[h & last]; h++) {
    int32_t at = g->slot[h & last] - 1;
    const Entry *old = &g->entry[at];
    if ((old->print != x->print && old->print != minus) || !may_stand_for(old, x)) continue;
    *out = at * 2 + (old->print != x->print);
    return true;
  }
  return false;
}

// An expression of this value: an existing one, or a new node at the end.
static Expr intern(ExprGraph *g, Entry *x) {
  Expr found;
  if (g->failed) return EXPR_ZERO;
  if (x->print == 0 && g->n > 0) return EXPR_ZERO;
  if (find_value(g, x, &found)) return found;
  if (g->n == g->cap && !grow(g)) {
    expr_graph_fail(g);
    return EXPR_ZERO;
  }
  x->node.origin = g->origin;
  g->entry[g->n] = *x;
  put_in_slot(g, g->n);
  return g->n++ * 2;
}

static Expr intern_const(ExprGraph *g, double value) {
  Entry x = {.node = {.op = EXPR_CONST, .value = value}, .print = fingerprint_const(value)};
  for (int k = 0; k < N_SAMPLES; k++) x.sample[k] = value;
  return intern(g, &x);
}

// Does the value change from sample to sample, visibly? Only then can what happens to it in a sum be
// judged by its samples.
static bool varies(const Entry *x) {
  return fabs(x->sample[0] - x->sample[1]) > VISIBLE * fabs(x->sample[0]);
}

// Do the operands of a sum cancel, so that nothing but rounding is left?
static bool cancels(const Entry *a, const Entry *b, const Entry *sum) {
  for (int k = 0; k < N_SAMPLES; k++) {
    double size = fabs(a->sample[k]) + fabs(b->sample[k]);
    if (!(fabs(sum->sample[k]) <= CANCELLED * size)) return false;
  }
  return varies(a) && varies(b);
}

// Does what varies in the operands cancel, so that their sum is a constant? (1.3 - x) + (x + 0.1)
static bool is_hidden_const(const Entry *a, const Entry *b, const Entry *sum) {
  double change = fabs(sum->sample[1] - sum->sample[0]);
  return change <= SAME * fabs(sum->sample[0]) && varies(a) && varies(b);
}

static Expr intern_op(ExprGraph *g, ExprOp op, int32_t a, int32_t b) {
  if (g->failed) return EXPR_ZERO;
  Entry x = {.node = {.op = op, .a = a, .b = b}};
  const Entry *ea = &g->entry[a], *eb = &g->entry[b];
  for (int k = 0; k < N_SAMPLES; k++) {
    x.sample[k] = expr_op_value(op, ea->sample[k], eb->sample[k]);
  }
  x.reads = ea->reads | eb->reads;
  x.print = fingerprint_op(op, ea->print, eb->print);
  bool sum = op == EXPR_ADD || op == EXPR_SUB;
  if (sum && cancels(ea, eb, &x)) return EXPR_ZERO;
  Expr found;
  if (sum && is_hidden_const(ea, eb, &x) && !find_value(g, &x, &found)) {
    Expr constant = intern_const(g, fabs(x.sample[0]));
    return x.sample[0] < 0 ? expr_neg(constant) : constant;
  }
  return intern(g, &x);
}

ExprGraph *expr_graph_new(void) {
  ExprGraph *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  if (!grow(g)) {
    expr_graph_free(g);
    return NULL;
  }
  intern_const(g, 0.0);
  intern_const(g, 1.0);
  return g;
}

void expr_graph_free(ExprGraph *g) {
  if (!g) return;
  free(g->entry);
  free(g->slot);
  free(g->label);
  free(g);
}

Status expr_graph_status(const ExprGraph *g, Error *err) {
  return g->failed ? error_no_memory(err) : STATUS_OK;
}

int expr_graph_n_nodes(const ExprGraph *g) {
  return g->n;
}

const ExprNode *expr_graph_node(const ExprGraph *g, int node) {
  assert(node >= 0 && node < g->n);
  return &g->entry[node].node;
}

// ---- labels ------------------------------------------------------------------------------------

int expr_graph_origin(ExprGraph *g, const char *format, ...) {
  int before = g->origin;
  if (g->n_label == g->label_cap) {
    int cap = g->label_cap ? 2 * g->label_cap : 32;
    void *label = realloc(g->label, (size_t)cap * sizeof *g->label);
    if (!label) {
      expr_graph_fail(g);
      return before;
    }
    g->label = label;
    g->label_cap = cap;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(g->label[g->n_label], LABEL_SIZE, format, args);
  va_end(args);
  g->origin = ++g->n_label;
  return before;
}

void expr_graph_origin_restore(ExprGraph *g, int origin) {
  g->origin = origin;
}

const char *expr_graph_origin_text(const ExprGraph *g, int origin) {
  return origin > 0 && origin <= g->n_label ? g->label[origin - 1] : "";
}

// ---- operations on numbers ---------------------------------------------------------------------

static const struct {
  const char *name;
  int arity;
} op_table[EXPR_N_OPS] = {
    [EXPR_CONST] = {"const", 0}, [EXPR_INPUT] = {"input", 0}, [EXPR_ADD] = {"add", 2},
    [EXPR_SUB] = {"sub", 2},     [EXPR_MUL] = {"mul", 2},     [EXPR_DIV] = {"div", 2},
    [EXPR_NEG] = {"neg", 1},     [EXPR_SQRT] = {"sqrt", 1},   [EXPR_SIN] = {"sin", 1},
    [EXPR_COS] = {"cos", 1},     [EXPR_EXP] = {"exp", 1},     [EXPR_LOG] = {"log", 1},
};

int expr_op_arity(ExprOp op) {
  return op_table[op].arity;
}

const char *expr_op_name(ExprOp op) {
  return op_table[op].name;
}

double expr_op_value(ExprOp op, double a, double b) {
  switch (op) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_NEG: return -a;
    case EXPR_SQRT: return sqrt(a);
    case EXPR_SIN: return sin(a);
    case EXPR_COS: return cos(a);
    case EXPR_EXP: return exp(a);
    case EXPR_LOG: return log(a);
    case EXPR_CONST:
    case EXPR_INPUT:
    case EXPR_N_OPS: break;
  }
  assert(!"no value for this operation");
  return NAN;
}

// ---- constructors ------------------------------------------------------------------------------

static const ExprNode *node_of(const ExprGraph *g, Expr a) {
  return &g->entry[expr_node(a)].node;
}

static Expr with_sign(Expr a, bool negative) {
  return negative ? expr_neg(a) : a;
}

bool expr_is_const(const ExprGraph *g, Expr a, double *value) {
  const ExprNode *x = node_of(g, a);
  if (x->op != EXPR_CONST) return false;
  *value = expr_negated(a) ? -x->value : x->value;
  return true;
}

Expr expr_const(ExprGraph *g, double value) {
  assert(isfinite(value));
  if (value == 0.0) return EXPR_ZERO;
  return with_sign(intern_const(g, fabs(value)), value < 0);
}

Expr expr_input(ExprGraph *g, int input, int i) {
  Entry x = {.node = {.op = EXPR_INPUT, .a = input, .b = i}, .print = fingerprint_input(input, i)};
  x.reads = (uint64_t)1 << (input % 64);
  for (int k = 0; k < N_SAMPLES; k++) x.sample[k] = fingerprint_sample(x.print, k);
  return intern(g, &x);
}

// If a is (constant) x (anything), splits it: a = *factor * *rest; otherwise factor 1.
static void split_factor(const ExprGraph *g, Expr a, double *factor, Expr *rest) {
  const ExprNode *x = node_of(g, a);
  *factor = expr_negated(a) ? -1.0 : 1.0;
  *rest = a & ~1;
  if (x->op == EXPR_MUL && g->entry[x->a].node.op == EXPR_CONST) {
    *factor *= g->entry[x->a].node.value;
    *rest = x->b * 2;
  }
}

// Rules for sums that look one level into the operands. Returns false if none applies.
static bool add_simplified(ExprGraph *g, Expr a, Expr b, Expr *sum) {
  // f r + h r = (f + h) r
  double f, h;
  Expr ra, rb;
  split_factor(g, a, &f, &ra);
  split_factor(g, b, &h, &rb);
  if (ra == rb && isfinite(f + h)) {
    *sum = expr_scale(g, f + h, ra);
    return true;
  }

  // c + (d + x) = (c + d) + x
  double c, d;
  bool swap = expr_is_const(g, a, &c);
  if (!swap && !expr_is_const(g, b, &c)) return false;
  Expr other = swap ? b : a;
  const ExprNode x = *node_of(g, other);
  if (x.op != EXPR_ADD && x.op != EXPR_SUB) return false;
  Expr first = with_sign(x.a * 2, expr_negated(other));
  Expr second = with_sign(x.b * 2, expr_negated(other) != (x.op == EXPR_SUB));
  if (expr_is_const(g, first, &d)) return *sum = expr_add(g, expr_const(g, c + d), second), true;
  if (expr_is_const(g, second, &d)) return *sum = expr_add(g, first, expr_const(g, c + d)), true;
  return false;
}

Expr expr_add(ExprGraph *g, Expr a, Expr b) {
  if (g->failed) return EXPR_ZERO;
  if (a == EXPR_ZERO) return b;
  if (b == EXPR_ZERO) return a;
  double x, y;
  if (expr_is_const(g, a, &x) && expr_is_const(g, b, &y) && isfinite(x + y)) {
    return expr_const(g, x + y);
  }
  Expr sum;
  if (add_simplified(g, a, b, &sum)) return sum;

  // canonical: smaller node first, no negated operand
  if (expr_node(a) > expr_node(b)) {
    Expr swap = a;
    a = b;
    b = swap;
  }
  ExprOp op = expr_negated(a) == expr_negated(b) ? EXPR_ADD : EXPR_SUB;
  return with_sign(intern_op(g, op, expr_node(a), expr_node(b)), expr_negated(a));
}

Expr expr_sub(ExprGraph *g, Expr a, Expr b) {
  return expr_add(g, a, expr_neg(b));
}

Expr expr_scale(ExprGraph *g, double c, Expr a) {
  return expr_mul(g, expr_const(g, c), a);
}

// Rules for products of two positive nodes. Returns false if none applies.
static bool mul_simplified(ExprGraph *g, Expr a, Expr b, Expr *product) {
  const ExprNode x = *node_of(g, a), y = *node_of(g, b);
  if (x.op == EXPR_CONST && y.op == EXPR_CONST && isfinite(x.value * y.value)) {
    *product = expr_const(g, x.value * y.value);
    return true;
  }
  // c (d r) = (c d) r
  double c, d;
  Expr rest;
  if (x.op == EXPR_CONST) {
    split_factor(g, b, &d, &rest);
    if (rest == b || !isfinite(x.value * d)) return false;
    *product = expr_scale(g, x.value * d, rest);
    return true;
  }
  // (c r) (d s) = (c d) (r s)
  Expr other;
  split_factor(g, a, &c, &rest);
  split_factor(g, b, &d, &other);
  if (rest != a && other != b && isfinite(c * d)) {
    *product = expr_scale(g, c * d, expr_mul(g, rest, other));
    return true;
  }
  return false;
}

Expr expr_mul(ExprGraph *g, Expr a, Expr b) {
  if (g->failed || a == EXPR_ZERO || b == EXPR_ZERO) return EXPR_ZERO;
  bool negative = expr_negated(a) != expr_negated(b);
  a &= ~1;
  b &= ~1;
  if (a == EXPR_ONE) return with_sign(b, negative);
  if (b == EXPR_ONE) return with_sign(a, negative);
  // canonical: a constant first, otherwise the smaller node
  bool a_const = node_of(g, a)->op == EXPR_CONST, b_const = node_of(g, b)->op == EXPR_CONST;
  if (b_const ? !a_const || a > b : !a_const && a > b) {
    Expr swap = a;
    a = b;
    b = swap;
  }
  Expr product;
  if (!mul_simplified(g, a, b, &product)) {
    product = intern_op(g, EXPR_MUL, expr_node(a), expr_node(b));
  }
  return with_sign(product, negative);
}

Expr expr_div(ExprGraph *g, Expr a, Expr b) {
  if (g->failed || a == EXPR_ZERO) return EXPR_ZERO;
  bool negative = expr_negated(a) != expr_negated(b);
  a &= ~1;
  b &= ~1;
  if (a == b) return with_sign(EXPR_ONE, negative);
  double d;
  if (expr_is_const(g, b, &d) && isfinite(1.0 / d)) {
    return with_sign(expr_scale(g, 1.0 / d, a), negative);
  }
  return with_sign(intern_op(g, EXPR_DIV, expr_node(a), expr_node(b)), negative);
}

// A unary function; constants fold where the result is finite.
static Expr unary(ExprGraph *g, ExprOp op, Expr a) {
  if (g->failed) return EXPR_ZERO;
  double x;
  if (expr_is_const(g, a, &x) && isfinite(expr_op_value(op, x, 0.0))) {
    return expr_const(g, expr_op_value(op, x, 0.0));
  }
  int32_t node = expr_node(a);
  if (expr_negated(a)) node = expr_node(intern_op(g, EXPR_NEG, node, 0));
  return intern_op(g, op, node, 0);
}

Expr expr_sin(ExprGraph *g, Expr a) {
  return with_sign(unary(g, EXPR_SIN, a & ~1), expr_negated(a));
}

Expr expr_cos(ExprGraph *g, Expr a) {
  return unary(g, EXPR_COS, a & ~1);
}

Expr expr_sqrt(ExprGraph *g, Expr a) {
  return unary(g, EXPR_SQRT, a);
}

Expr expr_exp(ExprGraph *g, Expr a) {
  return unary(g, EXPR_EXP, a);
}

Expr expr_log(ExprGraph *g, Expr a) {
  return unary(g, EXPR_LOG, a);
}
