// SPDX-License-Identifier: MIT
// The one evaluation loop.
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "expr/expr_tape.h"

// Points are taken EXPR_LANES at a time, the rest LANE_WIDTH at a time.
//
// One binary serves every x86-64: the loop is compiled for several instruction sets and the right one
// bound at load time. Not needed when the whole build is for this machine.
#if defined(POISE_MULTIVERSION) && defined(__x86_64__)
#define VECTOR_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define VECTOR_CLONES
#endif

enum { PARTS = EXPR_LANES / LANE_WIDTH };  // vectors per register

typedef struct Run {
  const TapeInstr *instr;  // ends with TAPE_N_OPS
  const double *k;
  const LaneIn *in;
  const LaneOut *out;
} Run;

// A decision is paid once per run of equal operations; the list ends with one that is none.
#define RUN for (; i->op == op; i++)
// the operands of instruction i, part l
#define EACH for (int l = 0; l < parts; l++)
#define D r[(ptrdiff_t)i->dst * parts + l]
#define A r[(ptrdiff_t)i->a * parts + l]
#define B r[(ptrdiff_t)i->b * parts + l]
#define C r[(ptrdiff_t)i->c * parts + l]
#define K k[i->b]

// Points from `first` on, in `parts` vectors, of n. Registers lie `parts` vectors apart, so that few points
// touch little memory. *finite becomes zero where all outputs are finite,
// NaN else.
LANE_INLINE void run_parts(const Run *run, const int parts, long long first, long long n, Lane *r,
                           Lane *finite) {
  const double *k = run->k;
  Lane acc = {0};
  for (const TapeInstr *i = run->instr; i->op != TAPE_N_OPS;) {
    const int op = i->op;
    switch ((TapeOp)op) {
      case TAPE_IN: RUN EACH lane_load(&run->in[i->a], i->b, first + l * LANE_WIDTH, n, &D); break;
      case TAPE_OUT:
        RUN EACH {
          acc += C * 0.0;
          if (run->out[i->a].p) lane_store(&run->out[i->a], i->b, first + l * LANE_WIDTH, n, &C);
        }
        break;
      case TAPE_OUT_NEG:
        RUN EACH {
          Lane y = -C;
          acc += y * 0.0;
          if (run->out[i->a].p) lane_store(&run->out[i->a], i->b, first + l * LANE_WIDTH, n, &y);
        }
        break;
      case TAPE_OUT_K:
        RUN EACH {
          Lane y = (Lane){0} + k[i->c];
          if (run->out[i->a].p) lane_store(&run->out[i->a], i->b, first + l * LANE_WIDTH, n, &y);
        }
        break;
      case TAPE_K: RUN EACH D = (Lane){0} + K; break;
      case TAPE_ADD: RUN EACH D = A + B; break;
      case TAPE_ADD_K: RUN EACH D = A + K; break;
      case TAPE_SUB: RUN EACH D = A - B; break;
      case TAPE_K_SUB: RUN EACH D = K - A; break;
      case TAPE_MUL: RUN EACH D = A * B; break;
      case TAPE_MUL_K: RUN EACH D = A * K; break;
      case TAPE_DIV: RUN EACH D = A / B; break;
      case TAPE_K_DIV: RUN EACH D = K / A; break;
      case TAPE_FMA: RUN EACH D = A * B + C; break;
      case TAPE_FMS: RUN EACH D = A * B - C; break;
      case TAPE_FNMA: RUN EACH D = C - A * B; break;
      case TAPE_FMA_K: RUN EACH D = A * K + C; break;
      case TAPE_FMS_K: RUN EACH D = A * K - C; break;
      case TAPE_NEG: RUN EACH D = -A; break;
      case TAPE_SQRT: RUN EACH lane_sqrt(&A, &D); break;
      case TAPE_SINCOS: {
        RUN EACH {
          Lane x = A;
          lane_sincos(&x, &D, &C);
        }
        break;
      }
      case TAPE_SIN:
        RUN EACH {
          Lane x = A, other;
          lane_sincos(&x, &D, &other);
        }
        break;
      case TAPE_COS:
        RUN EACH {
          Lane x = A, other;
          lane_sincos(&x, &other, &D);
        }
        break;
      case TAPE_EXP: RUN EACH lane_map(exp, &A, &D); break;
      case TAPE_LOG: RUN EACH lane_map(log, &A, &D); break;
      case TAPE_N_OPS: break;
    }
  }
  *finite = acc;
}

VECTOR_CLONES static void run_wide(const Run *run, long long first, long long n, Lane *r,
                                   Lane *finite) {
  run_parts(run, PARTS, first, n, r, finite);
}

VECTOR_CLONES static void run_narrow(const Run *run, long long first, long long n, Lane *r,
                                     Lane *finite) {
  run_parts(run, 1, first, n, r, finite);
}

size_t expr_tape_work_size(const ExprTape *t) {
  return (size_t)t->n_reg * EXPR_LANES * sizeof(double);
}

bool expr_tape_eval(const ExprTape *t, int n_point, const LaneIn *in, const LaneOut *out,
                    void *work) {
  assert((uintptr_t)work % sizeof(Lane) == 0);
  const Run run = {t->instr, t->constant, in, out};
  Lane acc = {0};
  Lane finite;
  int first = 0;
  // a wide block costs about as much as half as many points in narrow ones
  for (; first + EXPR_LANES / 2 < n_point; first += EXPR_LANES) {
    run_wide(&run, first, n_point, work, &finite);
    acc += finite;
  }
  for (; first < n_point; first += LANE_WIDTH) {
    run_narrow(&run, first, n_point, work, &finite);
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
    TapeInstr one[2] = {[1] = {.op = TAPE_N_OPS}};
    const Run run = {one, t->constant, in, NULL};
    for (int e = 0; e < t->n_instr; e++) {
      const TapeInstr *i = &t->instr[e];
      one[0] = *i;
      if (i->op == TAPE_OUT || i->op == TAPE_OUT_NEG || i->op == TAPE_OUT_K) continue;
      Lane finite;
      run_narrow(&run, point, point + 1, work, &finite);
      const double *r = work;
      double value = r[(size_t)i->dst * LANE_WIDTH];
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
