// SPDX-License-Identifier: MIT
// The file around the arithmetic: prologue, patterns, and the functions that describe a function.
#include "expr/expr_emit_c.h"

#include <ctype.h>
#include <string.h>

#include "expr/expr_emit_internal.h"

// A pattern as it is written; equal ones are written once.
typedef struct Pattern {
  int n_row, n_col, nnz;    //
  const int *colptr, *row;  // n_col + 1 and nnz; NULL: a dense column, or an empty matrix
} Pattern;

typedef struct Emit {
  TextBuf *c, *h;        // h may be NULL
  const ExprEmit *what;  //
  int n_pattern;         //
  Pattern *pattern;      // as many as there are inputs and outputs
  int *pattern_of;       // per input and output, in the order of the items
} Emit;

// ---- names -------------------------------------------------------------------------------------

// what CasADi takes for the name of a function, an input or an output
static bool is_name(const char *s) {
  if (!s || !isalpha((unsigned char)*s)) return false;
  for (const char *c = s; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
    if (c[0] == '_' && c[1] == '_') return false;
  }
  return strcmp(s, "null") != 0 && strcmp(s, "jac") != 0 && strcmp(s, "hess") != 0;
}

static Status check_name(const char *function, const char *kind, const char *name, Error *err) {
  if (is_name(name)) return STATUS_OK;
  return error_set(err, STATUS_INPUT, function,
                   "%s name \"%s\" can't be used in C with CasADi's interface", kind,
                   name ? name : "");
}

static Status check_names(const ExprEmit *what, Error *err) {
  for (int k = 0; k < what->n_item; k++) {
    const ExprEmitItem *item = &what->item[k];
    const ExprFunction *f = item->f;
    Status s = check_name("", "function", f->name, err);
    for (int i = 0; s == STATUS_OK && i < f->n_in; i++) {
      s = check_name(f->name, "input", f->in[i].name, err);
    }
    for (int i = 0; s == STATUS_OK && i < item->n_empty; i++) {
      s = check_name(f->name, "input", item->empty[i].name, err);
    }
    for (int o = 0; s == STATUS_OK && o < f->n_out; o++) {
      s = check_name(f->name, "output", f->out[o].name, err);
    }
    for (int j = 0; s == STATUS_OK && j < k; j++) {
      if (strcmp(f->name, what->item[j].f->name) == 0) {
        s = error_set(err, STATUS_INPUT, f->name, "two functions have this name");
      }
    }
    if (s != STATUS_OK) return s;
  }
  return STATUS_OK;
}

// ---- patterns ----------------------------------------------------------------------------------

static int colptr_at(const Pattern *p, int j) {
  return p->colptr ? p->colptr[j] : j == 0 ? 0 : p->nnz;
}

static int row_at(const Pattern *p, int e) {
  return p->row ? p->row[e] : e;
}

static bool same_pattern(const Pattern *a, const Pattern *b) {
  if (a->n_row != b->n_row || a->n_col != b->n_col || a->nnz != b->nnz) return false;
  for (int j = 0; j <= a->n_col; j++) {
    if (colptr_at(a, j) != colptr_at(b, j)) return false;
  }
  for (int e = 0; e < a->nnz; e++) {
    if (row_at(a, e) != row_at(b, e)) return false;
  }
  return true;
}

static int add_pattern(Emit *e, Pattern p) {
  for (int i = 0; i < e->n_pattern; i++) {
    if (same_pattern(&e->pattern[i], &p)) return i;
  }
  e->pattern[e->n_pattern] = p;
  return e->n_pattern++;
}

static bool collect_patterns(Emit *e, Arena *arena) {
  size_t n = 0;
  for (int k = 0; k < e->what->n_item; k++) {
    const ExprEmitItem *item = &e->what->item[k];
    n += (size_t)item->f->n_in + (size_t)item->n_empty + (size_t)item->f->n_out;
  }
  e->pattern = arena_array(arena, n + 1, sizeof *e->pattern);
  e->pattern_of = arena_array(arena, n + 1, sizeof *e->pattern_of);
  if (!e->pattern || !e->pattern_of) return false;
  int *of = e->pattern_of;
  for (int k = 0; k < e->what->n_item; k++) {
    const ExprEmitItem *item = &e->what->item[k];
    for (int i = 0; i < item->f->n_in; i++) {
      int len = item->f->in[i].n;
      *of++ = add_pattern(e, (Pattern){len, 1, len, NULL, NULL});
    }
    for (int i = 0; i < item->n_empty; i++) {
      *of++ = add_pattern(e, (Pattern){item->empty[i].n_row, item->empty[i].n_col, 0, NULL, NULL});
    }
    for (int o = 0; o < item->f->n_out; o++) {
      const ExprMatrix *m = &item->f->out[o].value;
      *of++ = add_pattern(e, (Pattern){m->n_row, m->n_col, m->nnz, m->colptr, m->row});
    }
  }
  return true;
}

static void write_patterns(const Emit *e) {
  enum { PER_LINE = 20 };
  for (int i = 0; i < e->n_pattern; i++) {
    const Pattern *p = &e->pattern[i];
    textbuf_addf(e->c, "static const casadi_int poise_s%d[] = {%d, %d", i, p->n_row, p->n_col);
    for (int j = 0; j <= p->n_col; j++) {
      textbuf_addf(e->c, ",%s%d", j % PER_LINE ? " " : "\n  ", colptr_at(p, j));
    }
    for (int k = 0; k < p->nnz; k++) {
      textbuf_addf(e->c, ",%s%d", k % PER_LINE ? " " : "\n  ", row_at(p, k));
    }
    textbuf_add(e->c, "};\n");
  }
  textbuf_add(e->c, "\n");
}

// ---- what describes a function -----------------------------------------------------------------

// a function of the interface: its definition begins in the source and is declared in the header
static void define(const Emit *e, const char *type, const char *name, const char *suffix,
                   const char *parameters) {
  textbuf_addf(e->c, "CASADI_SYMBOL_EXPORT %s %s%s(%s) {", type, name, suffix, parameters);
  if (e->h) textbuf_addf(e->h, "%s %s%s(%s);\n", type, name, suffix, parameters);
}

static void write_memory(const Emit *e, const char *name) {
  define(e, "int", name, "_alloc_mem", "void");
  textbuf_add(e->c, " return 0; }\n");
  define(e, "int", name, "_init_mem", "int mem");
  textbuf_add(e->c, " (void)mem; return 0; }\n");
  define(e, "void", name, "_free_mem", "int mem");
  textbuf_add(e->c, " (void)mem; }\n");
  define(e, "int", name, "_checkout", "void");
  textbuf_add(e->c, " return 0; }\n");
  define(e, "void", name, "_release", "int mem");
  textbuf_add(e->c, " (void)mem; }\n");
  define(e, "void", name, "_incref", "void");
  textbuf_add(e->c, " }\n");
  define(e, "void", name, "_decref", "void");
  textbuf_add(e->c, " }\n");
}

static void write_names(const Emit *e, const ExprEmitItem *item) {
  const ExprFunction *f = item->f;
  define(e, "const char*", f->name, "_name_in", "casadi_int i");
  textbuf_add(e->c, "\n  switch (i) {\n");
  for (int i = 0; i < f->n_in; i++) {
    textbuf_addf(e->c, "    case %d: return \"%s\";\n", i, f->in[i].name);
  }
  for (int i = 0; i < item->n_empty; i++) {
    textbuf_addf(e->c, "    case %d: return \"%s\";\n", f->n_in + i, item->empty[i].name);
  }
  textbuf_add(e->c, "    default: return 0;\n  }\n}\n");
  define(e, "const char*", f->name, "_name_out", "casadi_int i");
  textbuf_add(e->c, "\n  switch (i) {\n");
  for (int o = 0; o < f->n_out; o++) {
    textbuf_addf(e->c, "    case %d: return \"%s\";\n", o, f->out[o].name);
  }
  textbuf_add(e->c, "    default: return 0;\n  }\n}\n");
}

static void write_sparsity(const Emit *e, const char *name, const char *suffix, int n,
                           const int *pattern_of) {
  define(e, "const casadi_int*", name, suffix, "casadi_int i");
  textbuf_add(e->c, "\n  switch (i) {\n");
  for (int i = 0; i < n; i++) {
    textbuf_addf(e->c, "    case %d: return poise_s%d;\n", i, pattern_of[i]);
  }
  textbuf_add(e->c, "    default: return 0;\n  }\n}\n");
}

static void write_work(const Emit *e, const char *name, int n_in, int n_out, int n_w) {
  static const char parameters[] =
      "casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, casadi_int* sz_w";
  define(e, "int", name, "_work", parameters);
  textbuf_addf(e->c, "\n  if (sz_arg) *sz_arg = %d;\n  if (sz_res) *sz_res = %d;\n", n_in, n_out);
  textbuf_addf(e->c, "  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = %d;\n  return 0;\n}\n", n_w);
  define(e, "int", name, "_work_bytes", parameters);
  textbuf_addf(e->c, "\n  if (sz_arg) *sz_arg = %d * sizeof(const casadi_real*);\n", n_in);
  textbuf_addf(e->c, "  if (sz_res) *sz_res = %d * sizeof(casadi_real*);\n", n_out);
  textbuf_addf(e->c, "  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = %d * sizeof(casadi_real);\n",
               n_w);
  textbuf_add(e->c, "  return 0;\n}\n\n");
  if (!e->h) return;
  textbuf_addf(e->h, "#define %s_SZ_ARG %d\n#define %s_SZ_RES %d\n", name, n_in, name, n_out);
  textbuf_addf(e->h, "#define %s_SZ_IW 0\n#define %s_SZ_W %d\n", name, name, n_w);
}

static void write_interface(const Emit *e, const ExprEmitItem *item, const int *pattern_of,
                            int n_w) {
  const ExprFunction *f = item->f;
  int n_in = f->n_in + item->n_empty;
  define(e, "int", f->name, "",
         "const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem");
  textbuf_addf(e->c, "\n  (void)iw;\n  (void)mem;\n  return %s_eval(arg, res, w);\n}\n", f->name);
  write_memory(e, f->name);
  define(e, "casadi_int", f->name, "_n_in", "void");
  textbuf_addf(e->c, " return %d; }\n", n_in);
  define(e, "casadi_int", f->name, "_n_out", "void");
  textbuf_addf(e->c, " return %d; }\n", f->n_out);
  define(e, "casadi_real", f->name, "_default_in", "casadi_int i");
  textbuf_add(e->c, " (void)i; return 0; }\n");
  write_names(e, item);
  write_sparsity(e, f->name, "_sparsity_in", n_in, pattern_of);
  write_sparsity(e, f->name, "_sparsity_out", f->n_out, pattern_of + n_in);
  write_work(e, f->name, n_in, f->n_out, n_w);
}

// ---- the file ----------------------------------------------------------------------------------

static const char numbers[] = "#ifndef casadi_real\n#define casadi_real double\n#endif\n"
                              "#ifndef casadi_int\n#define casadi_int long long int\n#endif\n\n";

static const char c_prologue[] =
    "#ifndef CASADI_SYMBOL_EXPORT\n"
    "#if defined(_WIN32) && !defined(STATIC_LINKED)\n"
    "#define CASADI_SYMBOL_EXPORT __declspec(dllexport)\n"
    "#elif defined(__GNUC__)\n"
    "#define CASADI_SYMBOL_EXPORT __attribute__((visibility(\"default\")))\n"
    "#else\n"
    "#define CASADI_SYMBOL_EXPORT\n"
    "#endif\n"
    "#endif\n\n"
    "#ifdef __cplusplus\n"
    "#define POISE_RESTRICT __restrict\n"
    "#else\n"
    "#define POISE_RESTRICT restrict\n"
    "#endif\n"
    "#ifdef __GNUC__\n"
    "#define POISE_HELPER static __attribute__((noinline, unused))\n"
    "#else\n"
    "#define POISE_HELPER static\n"
    "#endif\n\n";

static const char h_lanes[] =
    "/* Many points at once: element k of point j of an input lies at p[k * item + j * point],\n"
    " * nonzero k of an output too. p may be NULL: zeros, not wanted. Returns 1 if an output is\n"
    " * not finite. */\n"
    "#if !defined(POISE_EXPR_LANES_H) && !defined(POISE_LANE_PLACES)\n"
    "#define POISE_LANE_PLACES\n"
    "typedef struct LaneIn {\n  const double *p;\n  long long item, point;\n} LaneIn;\n"
    "typedef struct LaneOut {\n  double *p;\n  long long item, point;\n} LaneOut;\n"
    "#endif\n";

// text that can't end the comment it stands in
static void add_harmless(TextBuf *b, const char *text) {
  for (const char *c = text; *c; c++) {
    textbuf_addf(b, "%c", iscntrl((unsigned char)*c) || *c == '*' ? ' ' : *c);
  }
}

static void write_comment(TextBuf *b, const ExprEmit *what) {
  textbuf_add(
      b, "/* Functions with the interface of CasADi's external functions, written by Poise.\n");
  if (what->comment) {
    textbuf_add(b, " * ");
    add_harmless(b, what->comment);
    textbuf_add(b, "\n");
  }
  textbuf_add(b,
              " * cc -O3 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math \\\n");
  textbuf_add(b, " *    -fPIC -shared ");
  add_harmless(b, what->stem);
  textbuf_add(b, ".c -o ");
  add_harmless(b, what->stem);
  textbuf_add(b, ".so -lm */\n");
}

static void add_guard(TextBuf *h, const char *directive, const char *stem) {
  textbuf_addf(h, "#%s POISE_", directive);
  for (const char *c = stem; *c; c++) {
    textbuf_addf(h, "%c", isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_');
  }
  textbuf_add(h, "_H\n");
}

static void open_files(const Emit *e) {
  write_comment(e->c, e->what);
  textbuf_add(e->c, "#include <math.h>\n\n");
  textbuf_add(e->c, numbers);
  textbuf_add(e->c, c_prologue);
  if (e->what->lanes) {
    textbuf_add(e->c, "#ifdef __GNUC__\n");
    emit_lanes_prologue(e->c);
    textbuf_add(e->c, "#endif\n\n");
  }
  textbuf_add(e->c, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  if (!e->h) return;
  write_comment(e->h, e->what);
  add_guard(e->h, "ifndef", e->what->stem);
  add_guard(e->h, "define", e->what->stem);
  textbuf_add(e->h, "\n");
  textbuf_add(e->h, numbers);
  textbuf_add(e->h, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  if (e->what->lanes) textbuf_add(e->h, h_lanes);
}

static void close_files(const Emit *e) {
  textbuf_add(e->c, "#ifdef __cplusplus\n}\n#endif\n");
  if (e->h) textbuf_add(e->h, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static Status write_function(const Emit *e, const ExprEmitItem *item, const int *pattern_of,
                             Error *err) {
  ExprTape *t;
  Status s = expr_tape_build(&t, item->f, TAPE_FOR_COMPILER, err);
  if (s != STATUS_OK) return s;
  bool ok = emit_one_point(e->c, item->f, t);
  if (e->h) textbuf_add(e->h, "\n");
  write_interface(e, item, pattern_of, emit_largest_output(item->f) + emit_n_kept(t));
  if (e->what->lanes) {
    textbuf_add(e->c, "#ifdef __GNUC__\n");
    ok = ok && emit_many_points(e->c, item->f, t);
    textbuf_add(e->c, "#endif\n\n");
    if (e->h) {
      textbuf_addf(e->h, "int %s_lanes(int n_point, const LaneIn *in, const LaneOut *out);\n",
                   item->f->name);
    }
  }
  expr_tape_free(t);
  return ok ? STATUS_OK : error_no_memory(err);
}

Status expr_emit_c(TextBuf *source, TextBuf *header, const ExprEmit *what, Error *err) {
  Status s = check_names(what, err);
  if (s != STATUS_OK) return s;
  Arena *arena = arena_new();
  Emit e = {.c = source, .h = header, .what = what};
  if (!collect_patterns(&e, arena)) {
    arena_free(arena);
    return error_no_memory(err);
  }
  open_files(&e);
  write_patterns(&e);
  const int *of = e.pattern_of;
  for (int k = 0; s == STATUS_OK && k < what->n_item; k++) {
    const ExprEmitItem *item = &what->item[k];
    s = write_function(&e, item, of, err);
    of += item->f->n_in + item->n_empty + item->f->n_out;
  }
  if (s == STATUS_OK) close_files(&e);
  arena_free(arena);
  if (s == STATUS_OK && (source->failed || (header && header->failed))) s = error_no_memory(err);
  return s;
}
