// SPDX-License-Identifier: MIT
// C source of functions, with the interface of CasADi's external functions (casadi_abi.h): one file
// that needs nothing but math.h, and its header. CasADi loads the compiled file with external(),
// and so does expr_load.h.
//
// For each function NAME there is also NAME_lanes, which takes many points as expr_tape_eval does
// and computes eight at a time in vector registers. The arithmetic is the evaluator's, instruction
// by instruction; compiled with -ffp-contract=fast (expr_compile.h) the results agree to rounding.
#ifndef POISE_EXPR_EXPR_EMIT_C_H
#define POISE_EXPR_EXPR_EMIT_C_H

#include "base/textbuf.h"
#include "expr/expr_function.h"

// An input that is declared but has no nonzero: CasADi hands the nominal outputs of a function to
// its Jacobian in such places.
typedef struct ExprEmpty {
  const char *name;  // "out_r"
  int n_row, n_col;  // size of the output it stands for
} ExprEmpty;

typedef struct ExprEmitItem {
  const ExprFunction *f;   //
  int n_empty;             //
  const ExprEmpty *empty;  // n_empty, inputs behind those of f
} ExprEmitItem;

typedef struct ExprEmit {
  const char *stem;          // name of the files without .c and .h
  const char *comment;       // one line for the top of the file; NULL: none
  int n_item;                //
  const ExprEmitItem *item;  // n_item, functions with distinct names
  bool lanes;                // also NAME_lanes; it keeps its values (64 bytes each) on the stack
} ExprEmit;

// Appends to both texts (header may be NULL). Names of functions, inputs and outputs must be what
// CasADi takes for a name: letters, digits and single underscores, a letter first; else
// STATUS_INPUT. On failure the texts are incomplete; the caller frees them in any case.
Status expr_emit_c(TextBuf *source, TextBuf *header, const ExprEmit *what, Error *err);

// The Jacobian of a function in the shape that CasADi looks for: "jac_NAME" with the inputs of
// NAME, then its outputs as empty inputs "out_o", and an output "jac_o_i" for each output o and
// input i, d vec(o) / d i, in that order. Emitted in one file with NAME it makes the loaded
// function differentiable; applied to its own result it gives second derivatives. New nodes go to
// `g`, the graph of the function; arrays and names come from the arena.
Status expr_emit_jacobian(ExprEmitItem *jac, ExprGraph *g, Arena *arena, const ExprEmitItem *of,
                          Error *err);

#endif
