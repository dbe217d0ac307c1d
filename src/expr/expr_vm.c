// SPDX-License-Identifier: MIT
// The one evaluation loop.
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "expr/expr_tape.h"

// One binary serves every x86-64: the loop is compiled for several instruction sets and the right one
// bound at load time. Not needed when the whole build is for this machine.
#if defined(POISE_MULTIVERSION) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define VECTOR_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define VECTOR_CLONES
#endif

enum { PARTS = EXPR_LANES / LANE_WIDTH };  // vectors per register

typedef struct Run {
  const TapeInstr *instr;
  int n_instr;
  const double *k;
  const LaneIn *in;
  const LaneOut *out;
} Run;

// the operands of instruction i, part l
#define EACH for (int l = 0; l < PARTS; l++)
#define D r[i->dst][l]
#define A r[i->a][l]
#define B r[i->b][l]
#define C r[i->c][l]
#define K k[i->b]

// Points first .. first + EXPR_LANES of n. The result is zero where all outputs are finite, NaN else.
VECTOR_CLONES static void run_block(const Run *run, long long first, long long n, Lane (*r)[PARTS],
                                    Lane *finite) {
  const double *k = run->k;
  Lane acc = {0};
  for (const TapeInstr *i = run->instr, *end = i + run->n_instr; i < end; i++) {
    switch ((TapeOp)i->op) {
      case TAPE_IN:
        EACH lane_load(&run->in[i->a], i->b, first + l * LANE_WIDTH, n, &D);
        break;
      case TAPE_OUT:
        EACH {
          acc += C * 0.0;
          if (run->out[i->a].p) lane_store(&run->out[i->a], i->b, first + l * LANE_WIDTH, n, &C);
        }
        break;
      case TAPE_OUT_NEG:
        EACH {
          Lane y = -C;
          acc += y * 0.0;
          if (run->out[i->a].p) lane_store(&run->out[i->a], i->b, first + l * LANE_WIDTH, n, &y);
        }
        break;
      case TAPE_OUT_K:
        EACH {
          Lane y = (Lane){0} + k[i->c];
          if (run->out[i->a].p) lane_store(&run->out[i->a], i->b, first + l * LANE_WIDTH, n, &y);
        }
        break;
      case TAPE_K: EACH D = (Lane){0} + K; break;
      case TAPE_ADD: EACH D = A + B; break;
      case TAPE_ADD_K: EACH D = A + K; break;
      case TAPE_SUB: EACH D = A - B; break;
      case TAPE_K_SUB: EACH D = K - A; break;
      case TAPE_MUL: EACH D = A * B; break;
      case TAPE_MUL_K: EACH D = A * K; break;
      case TAPE_DIV: EACH D = A / B; break;
      case TAPE_K_DIV: EACH D = K / A; break;
      case TAPE_FMA: EACH D = A * B + C; break;
      case TAPE_FMS: EACH D = A * B - C; break;
      case TAPE_FNMA: EACH D = C - A * B; break;
      case TAPE_FMA_K: EACH D = A * K + C; break;
      case TAPE_FMS_K: EACH D = A * K - C; break;
      case TAPE_NEG: EACH D = -A; break;
      case TAPE_SQRT: EACH lane_sqrt(&A, &D); break;
      case TAPE_SINCOS: {
        EACH {
          Lane x = A;
          lane_sincos(&x, &D, &C);
        }
        break;
      }
      case TAPE_SIN:
        EACH {
          Lane x = A, other;
          lane_sincos(&x, &D, &other);
        }
        break;
      case TAPE_COS:
        EACH {
          Lane x = A, other;
          lane_sincos(&x, &other, &D);
        }
        break;
      case TAPE_EXP: EACH lane_map(exp, &A, &D); break;
      case TAPE_LOG: EACH lane_map(log, &A, &D); break;
    }
  }
  *finite = acc;
}

size_t expr_tape_work_size(const ExprTape *t) {
  return (size_t)t->n_reg * EXPR_LANES * sizeof(double);
}

static Run make_run(const ExprTape *t, const LaneIn *in, const LaneOut *out) {
  return (Run){t->instr, t->n_instr, t->constant, in, out};
}

bool expr_tape_eval(const ExprTape *t, int n_point, const LaneIn *in, const LaneOut *out,
                    void *work) {
  assert((uintptr_t)work % sizeof(Lane) == 0);
  Run run = make_run(t, in, out);
  Lane acc = {0};
  for (int first = 0; first < n_point; first += EXPR_LANES) {
    Lane finite;
    run_block(&run, first, n_point, work, &finite);
    acc += finite;
  }
  bool ok = true;
  for (int l = 0; l < LANE_WIDTH; l++) ok = ok && acc[l] == 0.0;
  return ok;
}

// ---- where a NaN comes from --------------------------------------------------------------------

static const char *tape_op_name(TapeOp op) {
  switch (op) {
    case TAPE_IN: return "input";
    case TAPE_DIV:
    case TAPE_K_DIV: return "division";
    case TAPE_SQRT: return "square root";
    case TAPE_SINCOS:
    case TAPE_SIN:
    case TAPE_COS: return "sine or cosine";
    case TAPE_EXP: return "exponential";
    case TAPE_LOG: return "logarithm";
    default: return "sum or product";
  }
}

Status expr_tape_explain(const ExprTape *t, int n_point, const LaneIn *in, void *work, Error *err) {
  for (int point = 0; point < n_point; point++) {
    // one point at a time, one instruction at a time: in order, so the first bad one is the cause
    Run run = make_run(t, in, NULL);
    run.n_instr = 1;
    for (int e = 0; e < t->n_instr; e++, run.instr++) {
      const TapeInstr *i = &t->instr[e];
      if (i->op == TAPE_OUT || i->op == TAPE_OUT_NEG || i->op == TAPE_OUT_K) continue;
      Lane finite;
      run_block(&run, point, point + 1, work, &finite);
      const double *r = work;
      double value = r[(size_t)i->dst * EXPR_LANES];
      if (isfinite(value)) continue;
      const char *label = t->label[t->origin[e]];
      if (i->op == TAPE_IN) {
        return error_set(err, STATUS_NUMERIC, t->name, "%s[%d] is %g at point %d", t->in_name[i->a],
                         i->b, value, point);
      }
      return error_set(err, STATUS_NUMERIC, t->name, "%s gives %g at point %d%s%s",
                       tape_op_name((TapeOp)i->op), value, point, *label ? ", in " : "", label);
    }
  }
  return STATUS_OK;
}
