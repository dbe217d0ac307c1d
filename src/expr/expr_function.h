// SPDX-License-Identifier: MIT
// A function: named inputs to named sparse outputs. The unit that is evaluated (expr_tape.h), emitted
// as C (expr_emit_c.h), counted and compared.
#ifndef POISE_EXPR_EXPR_FUNCTION_H
#define POISE_EXPR_EXPR_FUNCTION_H

#include "expr/expr_ad.h"

typedef struct ExprInput {
  const char *name;  // "q"
  int n;             // elements, a dense column
  int input;         // number that expr_input was called with
} ExprInput;

typedef struct ExprOutput {
  const char *name;  // "jacobian"
  ExprMatrix value;  //
} ExprOutput;

typedef struct ExprFunction {
  const char *name;       // a C identifier
  const ExprGraph *g;     // borrowed: must outlive the function
  int n_in;               //
  const ExprInput *in;    // n_in
  int n_out;              //
  const ExprOutput *out;  // n_out
} ExprFunction;

// Operations of one evaluation.
typedef struct ExprCount {
  int add, sub, mul, div, neg, sqrt, sincos, other;  // sincos: each sin and each cos
  int total;                                         // all but sincos
} ExprCount;

// A dense n x 1 matrix with these elements; zeros are kept. False when out of memory.
bool expr_column(ExprMatrix *m, Arena *arena, int n, const Expr *e);

#endif
