// SPDX-License-Identifier: MIT
// What the files of the emitter share.
#ifndef POISE_EXPR_EXPR_EMIT_INTERNAL_H
#define POISE_EXPR_EXPR_EMIT_INTERNAL_H

#include "base/textbuf.h"
#include "expr/expr_emit_c.h"
#include "expr/expr_tape.h"

// The text of expr_lanes.h, made from it by the build (embed_text.cmake).
extern const char expr_lanes_text[];

// Nonzeros of all inputs or outputs of a function.
int emit_n_input_elements(const ExprFunction *f);
int emit_n_output_elements(const ExprFunction *f);
int emit_largest_input(const ExprFunction *f);
int emit_largest_output(const ExprFunction *f);

// The function that computes: `static int NAME_eval(arg, res, w)`. False when out of memory.
bool emit_scalar_body(TextBuf *b, const ExprFunction *f, const ExprTape *t);

// NAME_lanes and what it calls; emit_lanes_prologue once before the first.
void emit_lanes_prologue(TextBuf *b);
bool emit_lanes_body(TextBuf *b, const ExprEmitItem *item, const ExprTape *t);

#endif
