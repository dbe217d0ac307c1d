// SPDX-License-Identifier: MIT
// For the tests of src/expr: random expressions kept twice, as nodes of a graph (simplified while
// they were built) and as the plain list of operations that was asked for, which is evaluated here
// in long double with a bound for the rounding of doubles, and with exact derivatives (hyper-dual
// numbers).
#ifndef POISE_TESTS_EXPR_SUPPORT_H
#define POISE_TESTS_EXPR_SUPPORT_H

#include "base/rng.h"
#include "expr/expr_tape.h"

enum { DAG_MAX = 400 };

typedef struct DagOp {
  ExprOp op;     // EXPR_NEG may stand anywhere here
  int a, b;      // operands: earlier places of the list; for EXPR_INPUT a is the element
  double value;  // of a constant
} DagOp;

typedef struct Dag {
  ExprGraph *g;  // borrowed
  int n_in;      // elements of input 0; they are the first n_in places of the list
  int n;         //
  DagOp op[DAG_MAX];
  Expr e[DAG_MAX];  // what the graph made of each
} Dag;

// n_op operations, all kinds, on n_in inputs; defined for all inputs. At most DAG_MAX places.
void dag_random(Dag *d, ExprGraph *g, Rng *rng, int n_in, int n_op);

// One operation more; its place in the list.
int dag_push(Dag *d, ExprOp op, int a, int b, double value);

// Values of all places, and how far evaluations in double may be off (first order).
void dag_eval(const Dag *d, const double *x, long double *value, long double *bound);

// f, df/dx_i, df/dx_j and d2f/dx_i dx_j of every place; no truncation error.
typedef struct Hyper {
  long double f, i, j, ij;
} Hyper;
void dag_hyper(const Dag *d, const double *x, int i, int j, Hyper *value);

// Every node of a graph that is needed for these outputs, one by one; inputs are x[input][element].
// out: values of the outputs, signs included.
void graph_eval(const ExprGraph *g, int n_out, const Expr *out, const double *const *x, double *y);
void graph_eval_long(const ExprGraph *g, int n_out, const Expr *out, const long double *const *x,
                     long double *y);

// A function of one dense input "x" (number 0) of n elements to one dense column; storage is the
// arena's.
ExprFunction column_function(const ExprGraph *g, Arena *arena, int n, int n_out, const Expr *out);

#endif
