// SPDX-License-Identifier: MIT
// Symbolic scalars. An algorithm that is run over Expr values instead of doubles records a graph of
// elementary operations for exactly the robot at hand; zeros, ones, constants and repeated
// subexpressions disappear while it is recorded, so what is left is what must be computed.
//
// An Expr is a node of the graph with a sign: 2 * node + (1 if negated). Signs move outwards
// ((-a) b = -(a b), a + (-b) = a - b, b - a = -(a - b)), so that no node has a negated operand,
// expressions that differ in sign share a node, and a negation costs an operation only where it
// reaches an output.
//
// Building never fails halfway: when memory runs out the graph is marked and every constructor
// returns 0; ask expr_graph_status once at the end. Derivatives (expr_ad.h) are new nodes of
// the same graph. A set of outputs becomes a function (expr_function.h) and that a tape
// (expr_tape.h) or C source (expr_emit_c.h).
#ifndef POISE_EXPR_EXPR_H
#define POISE_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef int32_t Expr;

#define EXPR_ZERO ((Expr)0)  // node 0 is the constant 0
#define EXPR_ONE ((Expr)2)   // node 1 is the constant 1

typedef enum ExprOp {
  EXPR_CONST,  // value
  EXPR_INPUT,  // element b of input a
  EXPR_ADD,    // a + b
  EXPR_SUB,    // a - b
  EXPR_MUL,    // a b
  EXPR_DIV,    // a / b
  EXPR_NEG,    // -a, only as an operand of sqrt, exp, log
  EXPR_SQRT,   //
  EXPR_SIN,    //
  EXPR_COS,    //
  EXPR_EXP,    //
  EXPR_LOG,    //
  EXPR_N_OPS,
} ExprOp;

typedef struct ExprNode {
  ExprOp op;       //
  int32_t a, b;    // operand nodes (without sign), or input and element; 0 where unused
  int32_t origin;  // label that was current when it was built, see expr_graph_origin
  double value;    // of a constant, > 0 or node 0
} ExprNode;

typedef struct ExprGraph ExprGraph;

// An empty graph, or NULL when out of memory. Free is NULL-safe.
ExprGraph *expr_graph_new(void);
void expr_graph_free(ExprGraph *g);

// STATUS_OK, or STATUS_NO_MEMORY when any constructor failed since expr_graph_new.
Status expr_graph_status(const ExprGraph *g, Error *err);

// Nodes so far, and one of them; operands always have smaller numbers than the node.
int expr_graph_n_nodes(const ExprGraph *g);
const ExprNode *expr_graph_node(const ExprGraph *g, int node);

// Forgets all nodes from number n on, as if they had never been built: for trying alternatives, which would
// otherwise find each other's expressions again. Nobody may hold on to them.
void expr_graph_rewind(ExprGraph *g, int n);

// Marks the graph as failed: for builders that run out of memory outside of it.
void expr_graph_fail(ExprGraph *g);

// Nodes built from here on carry this label ("rnea: joint q3"); a later NaN is reported with it.
// Returns the label that was current, for expr_graph_origin_restore.
int expr_graph_origin(ExprGraph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void expr_graph_origin_restore(ExprGraph *g, int origin);
const char *expr_graph_origin_text(const ExprGraph *g, int origin);  // "" if it has none

// Element i of input number `input`. Inputs are numbered by the caller; a function that is
// made of the graph later says how long each is and what it is called.
Expr expr_input(ExprGraph *g, int input, int i);

Expr expr_const(ExprGraph *g, double value);  // must be finite
Expr expr_add(ExprGraph *g, Expr a, Expr b);
Expr expr_sub(ExprGraph *g, Expr a, Expr b);
Expr expr_mul(ExprGraph *g, Expr a, Expr b);
Expr expr_div(ExprGraph *g, Expr a, Expr b);
Expr expr_sqrt(ExprGraph *g, Expr a);
Expr expr_sin(ExprGraph *g, Expr a);
Expr expr_cos(ExprGraph *g, Expr a);
Expr expr_exp(ExprGraph *g, Expr a);
Expr expr_log(ExprGraph *g, Expr a);
Expr expr_scale(ExprGraph *g, double c, Expr a);  // c a

static inline Expr expr_neg(Expr a) {
  return a == EXPR_ZERO ? a : a ^ 1;
}
static inline int expr_node(Expr a) {
  return a >> 1;
}
static inline bool expr_negated(Expr a) {
  return a & 1;
}

// Replaces from[i] by to[i] in the expressions e[0..n), in place; from are distinct inputs, positive.
// New nodes keep the labels of the old ones. Marks the graph when out of memory.
void expr_substitute(ExprGraph *g, int n, Expr *e, int n_from, const Expr *from, const Expr *to);

// Is it a constant? Then *value is it, sign included.
bool expr_is_const(const ExprGraph *g, Expr a, double *value);

// What an operation does to numbers; used by folding, by the evaluator's slow path and by tests.
double expr_op_value(ExprOp op, double a, double b);
int expr_op_arity(ExprOp op);         // 0 for constants and inputs
const char *expr_op_name(ExprOp op);  // "add"

#endif
