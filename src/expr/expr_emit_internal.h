// SPDX-License-Identifier: MIT
// What the files of the emitter share.
#ifndef POISE_EXPR_EXPR_EMIT_INTERNAL_H
#define POISE_EXPR_EXPR_EMIT_INTERNAL_H

#include "base/textbuf.h"
#include "expr/expr_emit_c.h"
#include "expr/expr_tape.h"

// The text of expr_lanes.h, made from it by the build (embed_text.cmake).
extern const char expr_lanes_text[];

// Elements of all inputs, nonzeros of all outputs, and the largest of each.
int emit_n_input_elements(const ExprFunction *f);
int emit_n_output_elements(const ExprFunction *f);
int emit_largest_input(const ExprFunction *f);
int emit_largest_output(const ExprFunction *f);

// The statements of a tape in functions NAME_part0, NAME_part1, ... of (x, y, v), or NAME_lanes0,
// ...: x and y are an array of pointers per input and output for one point, one array with all
// elements for many; v has room for the emit_n_kept values that later parts read. False when out of
// memory.
bool emit_parts(TextBuf *b, const ExprFunction *f, const ExprTape *t, bool lanes);
int emit_n_parts(const ExprTape *t);
int emit_n_kept(const ExprTape *t);  // 0 if there is only one part

// `static int NAME_eval(arg, res, w)` with its parts; w as long as emit_largest_output and
// emit_n_kept together. False when out of memory.
bool emit_one_point(TextBuf *b, const ExprFunction *f, const ExprTape *t);

// NAME_lanes with its parts; emit_lanes_prologue comes once before the first.
void emit_lanes_prologue(TextBuf *b);
bool emit_many_points(TextBuf *b, const ExprFunction *f, const ExprTape *t);

#endif
