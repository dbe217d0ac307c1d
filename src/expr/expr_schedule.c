// SPDX-License-Identifier: MIT
#include <string.h>

#include "expr/expr_tape_internal.h"

// the operands of an instruction that are values: bit 0 for a, 1 for b, 2 for c
static int value_operands(TapeOp op) {
  switch (op) {
    case TAPE_IN:
    case TAPE_K:
    case TAPE_OUT_K: return 0;
    case TAPE_OUT:
    case TAPE_OUT_NEG: return 4;
    case TAPE_ADD:
    case TAPE_SUB:
    case TAPE_MUL:
    case TAPE_DIV: return 3;
    case TAPE_FMA:
    case TAPE_FMS:
    case TAPE_FNMA: return 7;
    case TAPE_FMA_K:
    case TAPE_FMS_K: return 5;
    default: return 1;
  }
}

static bool writes_value(TapeOp op) {
  return op != TAPE_OUT && op != TAPE_OUT_NEG && op != TAPE_OUT_K;
}

// the values an instruction reads, at most three
static int operands(const TapeInstr *i, int value[3]) {
  int mask = value_operands((TapeOp)i->op), n = 0;
  if (mask & 1) value[n++] = i->a;
  if (mask & 2) value[n++] = i->b;
  if (mask & 4) value[n++] = i->c;
  return n;
}

// ---- runs --------------------------------------------------------------------------------------

// How far ahead of the oldest waiting instruction another one may be taken. Measured on the benchmark
// arm: longer windows make longer runs but push the registers out of the first-level cache.
enum { WINDOW = 128 };

typedef struct Runs {
  const ExprTape *t;
  int *made_by;  // n_value, instruction that writes a value
  bool *done;    // n_instr
  int first;     // oldest instruction that waits
} Runs;

static bool is_ready(const Runs *r, int e) {
  int value[3], n = operands(&r->t->instr[e], value);
  for (int k = 0; k < n; k++) {
    if (!r->done[r->made_by[value[k]]]) return false;
  }
  return true;
}

static int window_end(const Runs *r) {
  int end = r->first + WINDOW;
  return end < r->t->n_instr ? end : r->t->n_instr;
}

// the operation of which most instructions are ready
static TapeOp most_ready(const Runs *r) {
  int count[TAPE_N_OPS] = {0}, best = r->t->instr[r->first].op;
  for (int e = r->first; e < window_end(r); e++) {
    if (!r->done[e] && is_ready(r, e)) count[r->t->instr[e].op]++;
  }
  for (int op = 0; op < TAPE_N_OPS; op++) {
    if (count[op] > count[best]) best = op;
  }
  return (TapeOp)best;
}

bool tape_group_runs(ExprTape *t, int *second, int n_value, Arena *work) {
  size_t n = (size_t)t->n_instr + 1;
  Runs r = {.t = t};
  r.made_by = arena_array(work, (size_t)n_value + 1, sizeof *r.made_by);
  r.done = arena_array(work, n, sizeof *r.done);
  int *order = arena_array(work, n, sizeof *order);
  TapeInstr *instr = arena_array(work, n, sizeof *instr);
  int *other = arena_array(work, 2 * n, sizeof *other);
  if (!r.made_by || !r.done || !order || !instr || !other) return false;
  for (int e = 0; e < t->n_instr; e++) {
    if (!writes_value((TapeOp)t->instr[e].op)) continue;
    r.made_by[t->instr[e].dst] = e;
    if (second[e]) r.made_by[second[e]] = e;
  }

  int n_order = 0;
  while (n_order < t->n_instr) {
    TapeOp op = most_ready(&r);
    for (int e = r.first; e < window_end(&r); e++) {
      if (r.done[e] || t->instr[e].op != (int)op || !is_ready(&r, e)) continue;
      r.done[e] = true;
      order[n_order++] = e;
      while (r.first < t->n_instr && r.done[r.first]) r.first++;
    }
  }

  memcpy(instr, t->instr, n * sizeof *instr);
  memcpy(other, second, n * sizeof *other);
  memcpy(other + n, t->origin, n * sizeof *other);
  for (int e = 0; e < t->n_instr; e++) {
    t->instr[e] = instr[order[e]];
    second[e] = other[order[e]];
    t->origin[e] = other[n + (size_t)order[e]];
  }
  return true;
}

// ---- registers ---------------------------------------------------------------------------------

typedef struct Registers {
  int *last_use;  // n_value, instruction after which the register is free
  int *reg;       // n_value, -1: none
  int *idle;      // registers to use again
  int n_idle;     //
  int n;          // registers in all
} Registers;

static int take(Registers *r) {
  return r->n_idle ? r->idle[--r->n_idle] : r->n++;
}

static void release(Registers *r, int value, int e) {
  if (r->last_use[value] != e || r->reg[value] < 0) return;
  r->idle[r->n_idle++] = r->reg[value];
  r->reg[value] = -1;
}

static void find_last_uses(Registers *r, const ExprTape *t, const int *second) {
  for (int e = 0; e < t->n_instr; e++) {
    int value[3], n = operands(&t->instr[e], value);
    for (int k = 0; k < n; k++) r->last_use[value[k]] = e;
    if (writes_value((TapeOp)t->instr[e].op)) r->last_use[t->instr[e].dst] = e;
    if (second[e]) r->last_use[second[e]] = e;
  }
}

static void assign(Registers *r, TapeInstr *i, int e, int other) {
  int value[3], n = operands(i, value), mask = value_operands((TapeOp)i->op), dst = i->dst;
  if (mask & 1) i->a = r->reg[i->a];
  if (mask & 2) i->b = r->reg[i->b];
  if (mask & 4) i->c = r->reg[i->c];
  for (int k = 0; k < n; k++) release(r, value[k], e);
  i->dst = 0;
  if (!writes_value((TapeOp)i->op)) return;
  i->dst = r->reg[dst] = take(r);
  if (other) i->c = r->reg[other] = take(r);
  release(r, dst, e);
  if (other) release(r, other, e);
}

bool tape_assign_registers(ExprTape *t, const int *second, int n_value, Arena *work) {
  size_t n = (size_t)n_value + 1;
  Registers r = {0};
  r.last_use = arena_array(work, n, sizeof *r.last_use);
  r.reg = arena_array(work, n, sizeof *r.reg);
  r.idle = arena_array(work, n, sizeof *r.idle);
  if (!r.last_use || !r.reg || !r.idle) return false;
  for (int v = 0; v < n_value; v++) r.reg[v] = -1;
  find_last_uses(&r, t, second);
  for (int e = 0; e < t->n_instr; e++) assign(&r, &t->instr[e], e, second[e]);
  t->n_reg = r.n;
  return true;
}
