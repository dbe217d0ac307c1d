// SPDX-License-Identifier: MIT
// From the instructions of a tape to statements. Registers become variables that are written once,
// so that the compiler sees what depends on what and allocates the machine's registers itself.
#include <string.h>

#include "expr/expr_emit_internal.h"

// Compilers take more than linear time for one function: a long tape is cut into parts of this many
// instructions, and what a later part reads is kept in memory, in the places of the registers.
enum { PART_LENGTH = 1000 };

typedef struct Body {
  TextBuf *b;
  const ExprTape *t;
  const char *type;   // of the variables
  const int *in_at;   // per input: place of its first element, where inputs lie in one array
  const int *out_at;  // the same for outputs
  bool lanes;         //
  int *var;           // t->n_reg, number of the variable that a register holds
  int *var_part;      // t->n_reg, part in which it is declared
  int *last_use;      // 2 per instruction, part of the last use of its first and second result
  int n_var;          // so far
  int part;           // the current one
  int at;             // the current instruction
} Body;

// ---- one instruction ---------------------------------------------------------------------------

// how an instruction looks: %a %b %c variables, %k constant b, %K constant c
static const char *form_of(TapeOp op) {
  switch (op) {
    case TAPE_ADD: return "%a + %b";
    case TAPE_ADD_K: return "%a + %k";
    case TAPE_SUB: return "%a - %b";
    case TAPE_K_SUB: return "%k - %a";
    case TAPE_MUL: return "%a * %b";
    case TAPE_MUL_K: return "%a * %k";
    case TAPE_DIV: return "%a / %b";
    case TAPE_K_DIV: return "%k / %a";
    case TAPE_FMA: return "%a * %b + %c";
    case TAPE_FMS: return "%a * %b - %c";
    case TAPE_FNMA: return "%c - %a * %b";
    case TAPE_FMA_K: return "%a * %k + %c";
    case TAPE_FMS_K: return "%a * %k - %c";
    case TAPE_NEG: return "-%a";
    case TAPE_OUT: return "%c";
    case TAPE_OUT_NEG: return "-%c";
    case TAPE_OUT_K: return "%K";
    default: return NULL;
  }
}

// operands that are registers: bit 0 for a, 1 for b, 2 for c
static int operand_mask(TapeOp op) {
  const char *form = form_of(op);
  if (form) return !!strstr(form, "%a") + 2 * !!strstr(form, "%b") + 4 * !!strstr(form, "%c");
  return op != TAPE_IN && op != TAPE_K;
}

// a constant that is a double in C whatever its digits, in parentheses if it has a sign
static void add_constant(TextBuf *b, double x) {
  size_t at = b->len;
  textbuf_add(b, x < 0 ? "(" : "");
  textbuf_add_double(b, x);
  if (!b->failed && !strpbrk(b->text + at, ".e")) textbuf_add(b, ".0");
  textbuf_add(b, x < 0 ? ")" : "");
}

// the variable of a register; in a new part it is read from memory first
static int read_var(Body *body, int reg) {
  if (body->var_part[reg] != body->part) {
    textbuf_addf(body->b, "  const %s t%d = v[%d];\n", body->type, body->n_var, reg);
    body->var[reg] = body->n_var++;
    body->var_part[reg] = body->part;
  }
  return body->var[reg];
}

static void read_operands(Body *body, const TapeInstr *i) {
  int mask = operand_mask((TapeOp)i->op);
  if (mask & 1) read_var(body, i->a);
  if (mask & 2) read_var(body, i->b);
  if (mask & 4) read_var(body, i->c);
}

static void add_operands(const Body *body, const char *form, const TapeInstr *i) {
  TextBuf *b = body->b;
  for (const char *c = form; *c; c++) {
    if (*c != '%') {
      textbuf_addf(b, "%c", *c);
      continue;
    }
    switch (*++c) {
      case 'a': textbuf_addf(b, "t%d", body->var[i->a]); break;
      case 'b': textbuf_addf(b, "t%d", body->var[i->b]); break;
      case 'c': textbuf_addf(b, "t%d", body->var[i->c]); break;
      case 'k': add_constant(b, body->t->constant[i->b]); break;
      default: add_constant(b, body->t->constant[i->c]); break;
    }
  }
}

static int new_var(Body *body, int reg) {
  body->var_part[reg] = body->part;
  return body->var[reg] = body->n_var++;
}

// keeps the results of an instruction for later parts
static void keep_results(Body *body, const TapeInstr *i) {
  if (body->last_use[2 * body->at] > body->part) {
    textbuf_addf(body->b, "  v[%d] = t%d;\n", i->dst, body->var[i->dst]);
  }
  if (body->last_use[2 * body->at + 1] > body->part) {
    textbuf_addf(body->b, "  v[%d] = t%d;\n", i->c, body->var[i->c]);
  }
}

static void add_input(Body *body, const TapeInstr *i) {
  int v = new_var(body, i->dst);
  if (body->lanes) {
    textbuf_addf(body->b, "  const Lane t%d = x[%d];\n", v, body->in_at[i->a] + i->b);
  } else {
    textbuf_addf(body->b, "  const casadi_real t%d = x%d[%d];\n", v, i->a, i->b);
  }
}

static void add_output(Body *body, const TapeInstr *i) {
  TextBuf *b = body->b;
  if (!body->lanes) {
    textbuf_addf(b, "  y%d[%d] = ", i->a, i->b);
  } else {
    bool constant = i->op == TAPE_OUT_K;
    textbuf_addf(b, "  y[%d] = %s", body->out_at[i->a] + i->b, constant ? "(Lane){0} + " : "");
  }
  add_operands(body, form_of((TapeOp)i->op), i);
  textbuf_add(b, ";\n");
}

// sin and cos of one argument, one of them perhaps unwanted
static void add_trig(Body *body, const TapeInstr *i) {
  TextBuf *b = body->b;
  int a = body->var[i->a];
  bool want_sin = i->op != TAPE_COS, want_cos = i->op != TAPE_SIN;
  int s = want_sin ? new_var(body, i->dst) : body->n_var++;
  int c = want_cos ? new_var(body, want_sin ? i->c : i->dst) : body->n_var++;
  if (body->lanes) {
    textbuf_addf(b, "  Lane t%d, t%d;\n  poise_sincos(&t%d, &t%d, &t%d);\n", s, c, a, s, c);
    return;
  }
  if (want_sin) textbuf_addf(b, "  const casadi_real t%d = sin(t%d);\n", s, a);
  if (want_cos) textbuf_addf(b, "  const casadi_real t%d = cos(t%d);\n", c, a);
}

static void add_call(Body *body, const TapeInstr *i) {
  TextBuf *b = body->b;
  const char *name = i->op == TAPE_SQRT ? "sqrt" : i->op == TAPE_EXP ? "exp" : "log";
  int a = body->var[i->a], v = new_var(body, i->dst);
  if (!body->lanes) {
    textbuf_addf(b, "  const casadi_real t%d = %s(t%d);\n", v, name, a);
  } else if (i->op == TAPE_SQRT) {
    textbuf_addf(b, "  Lane t%d;\n  lane_sqrt(&t%d, &t%d);\n", v, a, v);
  } else {
    textbuf_addf(b, "  Lane t%d;\n  poise_%s(&t%d, &t%d);\n", v, name, a, v);
  }
}

static void add_instruction(Body *body, const TapeInstr *i) {
  TextBuf *b = body->b;
  switch ((TapeOp)i->op) {
    case TAPE_IN: add_input(body, i); break;
    case TAPE_OUT:
    case TAPE_OUT_NEG:
    case TAPE_OUT_K: add_output(body, i); break;
    case TAPE_K: {
      int v = new_var(body, i->dst);
      textbuf_addf(b, "  const %s t%d = %s", body->type, v, body->lanes ? "(Lane){0} + " : "");
      add_constant(b, body->t->constant[i->b]);
      textbuf_add(b, ";\n");
      break;
    }
    case TAPE_SINCOS:
    case TAPE_SIN:
    case TAPE_COS: add_trig(body, i); break;
    case TAPE_SQRT:
    case TAPE_EXP:
    case TAPE_LOG: add_call(body, i); break;
    default: {
      // the operands are read before the register gets its new variable
      textbuf_addf(b, "  const %s t%d = ", body->type, body->n_var);
      add_operands(body, form_of((TapeOp)i->op), i);
      textbuf_add(b, ";\n");
      new_var(body, i->dst);
    }
  }
}

// ---- parts -------------------------------------------------------------------------------------

// for each result, the part that reads it last
static bool find_last_uses(Body *body, Arena *arena) {
  const ExprTape *t = body->t;
  body->last_use = arena_array(arena, 2 * (size_t)t->n_instr + 2, sizeof *body->last_use);
  int *result = arena_array(arena, (size_t)t->n_reg + 1, sizeof *result);  // that a register holds
  if (!body->last_use || !result) return false;
  for (int e = 0; e < t->n_instr; e++) {
    const TapeInstr *i = &t->instr[e];
    int mask = operand_mask((TapeOp)i->op), part = e / PART_LENGTH;
    if (mask & 1) body->last_use[result[i->a]] = part;
    if (mask & 2) body->last_use[result[i->b]] = part;
    if (mask & 4) body->last_use[result[i->c]] = part;
    if (i->op == TAPE_OUT || i->op == TAPE_OUT_NEG || i->op == TAPE_OUT_K) continue;
    result[i->dst] = 2 * e;
    if (i->op == TAPE_SINCOS) result[i->c] = 2 * e + 1;
  }
  return true;
}

int emit_n_parts(const ExprTape *t) {
  return (t->n_instr + PART_LENGTH - 1) / PART_LENGTH;
}

int emit_n_kept(const ExprTape *t) {
  return emit_n_parts(t) > 1 ? t->n_reg : 0;
}

static void open_part(const Body *body, const ExprFunction *f) {
  TextBuf *b = body->b;
  const char *helper = emit_n_parts(body->t) > 1 ? "POISE_HELPER" : "static";
  if (body->lanes) {
    textbuf_addf(b, "%s void %s_lanes%d(const Lane *POISE_RESTRICT x, Lane *POISE_RESTRICT y,\n",
                 helper, f->name, body->part);
    textbuf_add(b, "    Lane *POISE_RESTRICT v) {\n  (void)x;\n  (void)y;\n  (void)v;\n");
    return;
  }
  textbuf_addf(b, "%s void %s_part%d(const casadi_real *const *x, casadi_real *const *y,\n", helper,
               f->name, body->part);
  textbuf_add(b, "    casadi_real *POISE_RESTRICT v) {\n  (void)x;\n  (void)y;\n  (void)v;\n");
  for (int i = 0; i < f->n_in; i++) {
    if (!f->in[i].n) continue;
    textbuf_addf(b, "  const casadi_real *POISE_RESTRICT x%d = x[%d]; (void)x%d;\n", i, i, i);
  }
  for (int o = 0; o < f->n_out; o++) {
    if (!f->out[o].value.nnz) continue;
    textbuf_addf(b, "  casadi_real *POISE_RESTRICT y%d = y[%d]; (void)y%d;\n", o, o, o);
  }
}

static void add_parts(Body *body, const ExprFunction *f) {
  const ExprTape *t = body->t;
  for (int r = 0; r < t->n_reg; r++) body->var_part[r] = -1;
  for (int e = 0; e < t->n_instr; e++) {
    if (e % PART_LENGTH == 0) {
      body->part = e / PART_LENGTH;
      body->n_var = 0;
      open_part(body, f);
    }
    body->at = e;
    read_operands(body, &t->instr[e]);
    add_instruction(body, &t->instr[e]);
    keep_results(body, &t->instr[e]);
    if ((e + 1) % PART_LENGTH == 0 || e + 1 == t->n_instr) textbuf_add(body->b, "}\n\n");
  }
}

static int *offsets(Arena *arena, int n) {
  return arena_array(arena, (size_t)n + 1, sizeof(int));
}

bool emit_parts(TextBuf *b, const ExprFunction *f, const ExprTape *t, bool lanes) {
  Arena *arena = arena_new();
  Body body = {.b = b, .t = t, .type = lanes ? "Lane" : "casadi_real", .lanes = lanes};
  body.var = offsets(arena, t->n_reg);
  body.var_part = offsets(arena, t->n_reg);
  int *in_at = offsets(arena, f->n_in), *out_at = offsets(arena, f->n_out);
  bool ok = body.var && body.var_part && in_at && out_at && find_last_uses(&body, arena);
  if (ok) {
    for (int i = 0; i < f->n_in; i++) in_at[i + 1] = in_at[i] + f->in[i].n;
    for (int o = 0; o < f->n_out; o++) out_at[o + 1] = out_at[o] + f->out[o].value.nnz;
    body.in_at = in_at;
    body.out_at = out_at;
    add_parts(&body, f);
  }
  arena_free(arena);
  return ok;
}
