// SPDX-License-Identifier: MIT
// From the instructions of a tape to statements. Registers become variables that are written once, so
// that the compiler sees what depends on what and allocates the machine's registers itself.
#include <string.h>

#include "expr/expr_emit_internal.h"

typedef struct Body {
  TextBuf *b;
  const ExprTape *t;
  int *var;          // t->n_reg, number of the variable that a register holds
  const int *in_at;  // per input: place of its first element, where inputs lie in one array
  const int *out_at; // the same for outputs
  const char *type;  // of the variables
  bool lanes;        //
  int n_var;         // so far
} Body;

int emit_n_input_elements(const ExprFunction *f) {
  int n = 0;
  for (int i = 0; i < f->n_in; i++) n += f->in[i].n;
  return n;
}

int emit_n_output_elements(const ExprFunction *f) {
  int n = 0;
  for (int o = 0; o < f->n_out; o++) n += f->out[o].value.nnz;
  return n;
}

int emit_largest_input(const ExprFunction *f) {
  int n = 0;
  for (int i = 0; i < f->n_in; i++) n = f->in[i].n > n ? f->in[i].n : n;
  return n;
}

int emit_largest_output(const ExprFunction *f) {
  int n = 0;
  for (int o = 0; o < f->n_out; o++) n = f->out[o].value.nnz > n ? f->out[o].value.nnz : n;
  return n;
}

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

// a constant that is a double in C whatever its digits, in parentheses if it has a sign
static void add_constant(TextBuf *b, double x) {
  size_t at = b->len;
  textbuf_add(b, x < 0 ? "(" : "");
  textbuf_add_double(b, x);
  if (!b->failed && !strpbrk(b->text + at, ".e")) textbuf_add(b, ".0");
  textbuf_add(b, x < 0 ? ")" : "");
}

static void add_operands(Body *body, const char *form, const TapeInstr *i) {
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
  return body->var[reg] = body->n_var++;
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
    textbuf_addf(b, "  Lane t%d;\n  lane_map(%s, &t%d, &t%d);\n", v, name, a, v);
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

static bool add_instructions(Body *body) {
  Arena *arena = arena_new();
  body->var = arena_array(arena, (size_t)body->t->n_reg + 1, sizeof *body->var);
  bool ok = body->var != NULL;
  for (int i = 0; ok && i < body->t->n_instr; i++) add_instruction(body, &body->t->instr[i]);
  arena_free(arena);
  return ok;
}

// ---- one point ---------------------------------------------------------------------------------

bool emit_scalar_body(TextBuf *b, const ExprFunction *f, const ExprTape *t) {
  textbuf_addf(b,
               "static int %s_eval(const casadi_real** arg, casadi_real** res, casadi_real* w) {\n",
               f->name);
  // what is absent reads as zeros and writes to where nobody looks
  int zeros = emit_largest_input(f);
  if (zeros) textbuf_addf(b, "  static const casadi_real zeros[%d] = {0};\n", zeros);
  for (int i = 0; i < f->n_in; i++) {
    if (!f->in[i].n) continue;
    textbuf_addf(b, "  const casadi_real *POISE_RESTRICT x%d = arg[%d] ? arg[%d] : zeros;\n", i, i,
                 i);
  }
  for (int o = 0; o < f->n_out; o++) {
    if (!f->out[o].value.nnz) continue;
    textbuf_addf(b, "  casadi_real *POISE_RESTRICT y%d = res[%d] ? res[%d] : w;\n", o, o, o);
  }
  Body body = {.b = b, .t = t, .type = "casadi_real"};
  bool ok = add_instructions(&body);
  for (int i = 0; i < f->n_in; i++) {
    if (f->in[i].n) textbuf_addf(b, "  (void)x%d;\n", i);
  }
  textbuf_add(b, "  (void)arg;\n  (void)res;\n  (void)w;\n  return 0;\n}\n\n");
  return ok;
}

// ---- many points -------------------------------------------------------------------------------

static const char *const lanes_prologue[] = {
    "/* all inputs of the eight points from `first` on, one after the other */\n",
    "POISE_HELPER void poise_gather(int n_in, const int *n, const LaneIn *in, long long first,\n",
    "                               long long n_point, Lane *x) {\n",
    "  for (int i = 0; i < n_in; i++) {\n",
    "    for (int k = 0; k < n[i]; k++, x++) {\n",
    "      if (in[i].p) lane_load(&in[i], k, first, n_point, x);\n",
    "      else *x = (Lane){0};\n",
    "    }\n",
    "  }\n",
    "}\n\n",
    "/* is one of n values NaN or Inf? then the result is NaN, else zero */\n",
    "POISE_HELPER void poise_check(int n, const Lane *y, Lane *sum) {\n",
    "  Lane s0 = *sum, s1 = {0}, s2 = {0}, s3 = {0};\n",
    "  int k = 0;\n",
    "  for (; k + 4 <= n; k += 4) {\n",
    "    s0 += y[k] * 0.0;\n",
    "    s1 += y[k + 1] * 0.0;\n",
    "    s2 += y[k + 2] * 0.0;\n",
    "    s3 += y[k + 3] * 0.0;\n",
    "  }\n",
    "  for (; k < n; k++) s0 += y[k] * 0.0;\n",
    "  *sum = (s0 + s1) + (s2 + s3);\n",
    "}\n\n",
    "/* the outputs back */\n",
    "POISE_HELPER void poise_scatter(int n_out, const int *n, const LaneOut *out, long long first,\n",
    "                                long long n_point, const Lane *y) {\n",
    "  for (int o = 0; o < n_out; y += n[o], o++) {\n",
    "    if (!out[o].p) continue;\n",
    "    for (int k = 0; k < n[o]; k++) lane_store(&out[o], k, first, n_point, &y[k]);\n",
    "  }\n",
    "}\n\n",
    "/* not inlined: its rare slow way would burden the registers of the caller */\n",
    "POISE_HELPER void poise_sincos(const Lane *x, Lane *s, Lane *c) {\n",
    "  lane_sincos(x, s, c);\n",
    "}\n\n",
};

void emit_lanes_prologue(TextBuf *b) {
  textbuf_add(b, expr_lanes_text);
  textbuf_add(b, "\n#define POISE_HELPER static __attribute__((noinline, unused))\n\n");
  for (size_t i = 0; i < sizeof lanes_prologue / sizeof *lanes_prologue; i++) {
    textbuf_add(b, lanes_prologue[i]);
  }
}

static void add_counts(TextBuf *b, const char *name, int n, const int *at) {
  textbuf_addf(b, "  static const int %s[] = {", name);
  for (int i = 0; i < n; i++) textbuf_addf(b, "%d, ", at[i + 1] - at[i]);
  textbuf_add(b, "0};\n");
}

static void add_lanes_loop(TextBuf *b, const ExprEmitItem *item, const int *in_at,
                           const int *out_at) {
  const ExprFunction *f = item->f;
  textbuf_addf(b, "CASADI_SYMBOL_EXPORT int %s_lanes(int n_point, const LaneIn *in, ", f->name);
  textbuf_add(b, "const LaneOut *out) {\n");
  add_counts(b, "n_in", f->n_in, in_at);
  add_counts(b, "n_out", f->n_out, out_at);
  textbuf_addf(b, "  Lane x[%d], y[%d], sum = {0};\n", in_at[f->n_in] + 1, out_at[f->n_out] + 1);
  textbuf_add(b, "  for (long long first = 0; first < n_point; first += LANE_WIDTH) {\n");
  textbuf_addf(b, "    poise_gather(%d, n_in, in, first, n_point, x);\n", f->n_in);
  textbuf_addf(b, "    %s_block(x, y);\n", f->name);
  textbuf_addf(b, "    poise_check(%d, y, &sum);\n", out_at[f->n_out]);
  textbuf_addf(b, "    poise_scatter(%d, n_out, out, first, n_point, y);\n  }\n", f->n_out);
  textbuf_add(b, "  int bad = 0;\n");
  textbuf_add(b, "  for (int i = 0; i < LANE_WIDTH; i++) bad |= !(sum[i] == 0.0);\n");
  textbuf_add(b, "  return bad;\n}\n\n");
}

bool emit_lanes_body(TextBuf *b, const ExprEmitItem *item, const ExprTape *t) {
  const ExprFunction *f = item->f;
  Arena *arena = arena_new();
  int *in_at = arena_array(arena, (size_t)f->n_in + 1, sizeof *in_at);
  int *out_at = arena_array(arena, (size_t)f->n_out + 1, sizeof *out_at);
  bool ok = in_at && out_at;
  if (ok) {
    for (int i = 0; i < f->n_in; i++) in_at[i + 1] = in_at[i] + f->in[i].n;
    for (int o = 0; o < f->n_out; o++) out_at[o + 1] = out_at[o] + f->out[o].value.nnz;
    textbuf_addf(b, "POISE_HELPER void %s_block(const Lane *POISE_RESTRICT x, ", f->name);
    textbuf_add(b, "Lane *POISE_RESTRICT y) {\n");
    Body body = {.b = b, .t = t, .in_at = in_at, .out_at = out_at, .type = "Lane", .lanes = true};
    ok = add_instructions(&body);
    textbuf_add(b, "  (void)x;\n  (void)y;\n}\n\n");
    add_lanes_loop(b, item, in_at, out_at);
  }
  arena_free(arena);
  return ok;
}
