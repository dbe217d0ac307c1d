// SPDX-License-Identifier: MIT
// A function made ready to run without a compiler: a list of instructions on registers, dead code
// left out, ordered for short live ranges, multiplications fused with the sum they feed, registers
// reused. Each instruction acts on a block of EXPR_LANES points, so that decoding is paid once per
// block and the arithmetic is vector arithmetic.
#ifndef POISE_EXPR_EXPR_TAPE_H
#define POISE_EXPR_EXPR_TAPE_H

#include "expr/expr_function.h"
#include "expr/expr_lanes.h"

enum { EXPR_LANES = 8 * LANE_WIDTH };

typedef enum TapeOp {
  TAPE_IN,       // r[dst] = element b of input a
  TAPE_OUT,      // element b of output a = r[c]
  TAPE_OUT_NEG,  // element b of output a = -r[c]
  TAPE_OUT_K,    // element b of output a = k[c]
  TAPE_K,        // r[dst] = k[b]
  TAPE_ADD,      //          r[a] + r[b]
  TAPE_ADD_K,    //          r[a] + k[b]
  TAPE_SUB,      //          r[a] - r[b]
  TAPE_K_SUB,    //          k[b] - r[a]
  TAPE_MUL,      //          r[a] r[b]
  TAPE_MUL_K,    //          r[a] k[b]
  TAPE_DIV,      //          r[a] / r[b]
  TAPE_K_DIV,    //          k[b] / r[a]
  TAPE_FMA,      //          r[a] r[b] + r[c]
  TAPE_FMS,      //          r[a] r[b] - r[c]
  TAPE_FNMA,     //          r[c] - r[a] r[b]
  TAPE_FMA_K,    //          r[a] k[b] + r[c]
  TAPE_FMS_K,    //          r[a] k[b] - r[c]
  TAPE_NEG,      //          -r[a]
  TAPE_SQRT,     //          sqrt r[a]
  TAPE_SINCOS,   // r[dst], r[c] = sin r[a], cos r[a]
  TAPE_SIN,      // r[dst] = sin r[a]
  TAPE_COS,      //          cos r[a]
  TAPE_EXP,      //
  TAPE_LOG,      //
  TAPE_N_OPS,    // ends the list
} TapeOp;

typedef struct TapeInstr {
  int op;            // TapeOp
  int dst, a, b, c;  // registers, constants, or input and element, as said above
} TapeInstr;

// Depth first, each value computed just before its use, suits a compiler, which sees the whole
// function. The evaluator is faster with runs of the same operation: one decision per run, and
// neighbours that do not wait for each other.
typedef enum TapeOrder { TAPE_FOR_EVALUATOR, TAPE_FOR_COMPILER } TapeOrder;

typedef struct ExprTape {
  Arena *arena;        // owns everything below
  const char *name;    // of the function
  int n_instr;         //
  TapeInstr *instr;    // n_instr, and behind them one with op TAPE_N_OPS
  int *origin;         // n_instr, index of a label
  int n_label;         //
  const char **label;  // n_label, where in the algorithm an instruction comes from; label[0] is ""
  int n_reg;           // registers of EXPR_LANES doubles
  int n_const;         //
  double *constant;    // n_const
  int n_in, n_out;     // inputs and outputs of the function
  const char **in_name;  // n_in
  ExprCount count;       // operations per point, fused ones counted as two
} ExprTape;

// Does not keep the function nor its graph. On failure *out is NULL.
Status expr_tape_build(ExprTape **out, const ExprFunction *f, TapeOrder order, Error *err);
void expr_tape_free(ExprTape *t);  // NULL-safe

// Bytes of scratch that one thread needs to evaluate; aligned to 64.
size_t expr_tape_work_size(const ExprTape *t);

// Evaluates n_point points. in: n_in, out: n_out; outputs hold the nonzeros in the order of the
// pattern. Allocates nothing. Returns false if an output is NaN or Inf at any point (all are written).
bool expr_tape_eval(const ExprTape *t, int n_point, const LaneIn *in, const LaneOut *out,
                    void *work);

// After a false: finds the first point, and in it the first instruction, that made a NaN or Inf of
// finite operands, and tells the operation and its origin. Slow; STATUS_OK if all is finite.
Status expr_tape_explain(const ExprTape *t, int n_point, const LaneIn *in, void *work, Error *err);

#endif
