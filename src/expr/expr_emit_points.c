// SPDX-License-Identifier: MIT
// The functions around the statements: one point, and many points eight at a time.
#include "expr/expr_emit_internal.h"

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

// ---- one point ---------------------------------------------------------------------------------

bool emit_one_point(TextBuf *b, const ExprFunction *f, const ExprTape *t) {
  if (!emit_parts(b, f, t, false)) return false;
  textbuf_addf(b, "static int %s_eval(const casadi_real** arg, casadi_real** res, ", f->name);
  textbuf_add(b, "casadi_real* w) {\n");
  // what is absent reads as zeros and writes to where nobody looks
  int zeros = emit_largest_input(f), sink = emit_largest_output(f);
  textbuf_addf(b, "  static const casadi_real zeros[%d] = {0};\n", zeros + 1);
  textbuf_addf(b, "  const casadi_real *x[%d];\n  casadi_real *y[%d];\n", f->n_in + 1,
               f->n_out + 1);
  for (int i = 0; i < f->n_in; i++) {
    textbuf_addf(b, "  x[%d] = arg[%d] ? arg[%d] : zeros;\n", i, i, i);
  }
  for (int o = 0; o < f->n_out; o++) {
    textbuf_addf(b, "  y[%d] = res[%d] ? res[%d] : w;\n", o, o, o);
  }
  textbuf_add(b, "  (void)arg, (void)res, (void)w, (void)zeros, (void)x, (void)y;\n");
  const char *kept = emit_n_kept(t) ? "w + " : "0";
  for (int p = 0; p < emit_n_parts(t); p++) {
    textbuf_addf(b, "  %s_part%d(x, y, %s", f->name, p, kept);
    if (emit_n_kept(t)) textbuf_addf(b, "%d", sink);
    textbuf_add(b, ");\n");
  }
  textbuf_add(b, "  return 0;\n}\n\n");
  return true;
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
    "POISE_HELPER void poise_scatter(int n_out, const int *n, const LaneOut *out,\n",
    "                                long long first, long long n_point, const Lane *y) {\n",
    "  for (int o = 0; o < n_out; y += n[o], o++) {\n",
    "    if (!out[o].p) continue;\n",
    "    for (int k = 0; k < n[o]; k++) lane_store(&out[o], k, first, n_point, &y[k]);\n",
    "  }\n",
    "}\n\n",
    "/* not inlined: calls of the C library would burden the registers of the caller */\n",
    "POISE_HELPER void poise_sincos(const Lane *x, Lane *s, Lane *c) {\n",
    "  lane_sincos(x, s, c);\n",
    "}\n\n",
    "POISE_HELPER void poise_exp(const Lane *x, Lane *y) {\n",
    "  lane_map(exp, x, y);\n",
    "}\n\n",
    "POISE_HELPER void poise_log(const Lane *x, Lane *y) {\n",
    "  lane_map(log, x, y);\n",
    "}\n\n",
};

void emit_lanes_prologue(TextBuf *b) {
  textbuf_add(b, expr_lanes_text);
  textbuf_add(b, "\n");
  for (size_t i = 0; i < sizeof lanes_prologue / sizeof *lanes_prologue; i++) {
    textbuf_add(b, lanes_prologue[i]);
  }
}

// the numbers of elements of the inputs, and of the outputs
static void add_counts(TextBuf *b, const ExprFunction *f) {
  textbuf_add(b, "  static const int n_in[] = {");
  for (int i = 0; i < f->n_in; i++) textbuf_addf(b, "%d, ", f->in[i].n);
  textbuf_add(b, "0};\n  static const int n_out[] = {");
  for (int o = 0; o < f->n_out; o++) textbuf_addf(b, "%d, ", f->out[o].value.nnz);
  textbuf_add(b, "0};\n");
}

bool emit_many_points(TextBuf *b, const ExprFunction *f, const ExprTape *t) {
  if (!emit_parts(b, f, t, true)) return false;
  int n_x = emit_n_input_elements(f), n_y = emit_n_output_elements(f);
  textbuf_addf(b, "CASADI_SYMBOL_EXPORT int %s_lanes(int n_point, const LaneIn *in, ", f->name);
  textbuf_add(b, "const LaneOut *out) {\n");
  add_counts(b, f);
  textbuf_addf(b, "  Lane x[%d], y[%d], v[%d], sum = {0};\n  (void)v;\n", n_x + 1, n_y + 1,
               emit_n_kept(t) + 1);
  textbuf_add(b, "  for (long long first = 0; first < n_point; first += LANE_WIDTH) {\n");
  textbuf_addf(b, "    poise_gather(%d, n_in, in, first, n_point, x);\n", f->n_in);
  for (int p = 0; p < emit_n_parts(t); p++) {
    textbuf_addf(b, "    %s_lanes%d(x, y, v);\n", f->name, p);
  }
  textbuf_addf(b, "    poise_check(%d, y, &sum);\n", n_y);
  textbuf_addf(b, "    poise_scatter(%d, n_out, out, first, n_point, y);\n  }\n", f->n_out);
  textbuf_add(b, "  int bad = 0;\n");
  textbuf_add(b, "  for (int i = 0; i < LANE_WIDTH; i++) bad |= !(sum[i] == 0.0);\n");
  textbuf_add(b, "  return bad;\n}\n\n");
  return true;
}
