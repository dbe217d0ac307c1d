// SPDX-License-Identifier: MIT
#include "emit_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/textbuf.h"
#include "expr/expr_compile.h"

// ---- the allocator (linked with --wrap) --------------------------------------------------------

static int fail_at = -1, n_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool fails(void) {
  return n_allocations++ >= fail_at && fail_at >= 0;
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size) {
  return fails() ? NULL : __real_realloc(p, size);
}

void fail_allocation(int n) {
  fail_at = n;
  n_allocations = 0;
}

int allocations_so_far(void) {
  return n_allocations;
}

// ---- files -------------------------------------------------------------------------------------

static char folder[256];

const char *scratch_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/poise_emit_XXXXXX", base && *base ? base : "/tmp");
  return mkdtemp(folder);
}

const char *scratch_path(const char *name) {
  static char path[4][512];
  static int next;
  char *p = path[next++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", folder, name);
  return p;
}

void scratch_remove(void) {
  DIR *d = opendir(folder);
  for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) unlink(scratch_path(e->d_name));
  if (d) closedir(d);
  rmdir(folder);
}

const char *scratch_library(const char *name, const char *text, bool native, Error *err) {
  char file[128];
  snprintf(file, sizeof file, "%s.c", name);
  const char *source = scratch_path(file);
  snprintf(file, sizeof file, "%s.so", name);
  const char *library = scratch_path(file);
  TextBuf b = {0};
  textbuf_add(&b, text);
  Status s = textbuf_save(&b, source, err);
  textbuf_free(&b);
  if (s == STATUS_OK) s = expr_compile(source, library, native, err);
  return s == STATUS_OK ? library : NULL;
}

// ---- random functions --------------------------------------------------------------------------

// a new expression of earlier ones that stays finite and of moderate size
static Expr random_expr(ExprGraph *g, Rng *rng, const Expr *pool, int n) {
  Expr a = pool[rng_int(rng, n)], b = pool[rng_int(rng, n)];
  Expr two = expr_const(g, 2);
  switch (rng_int(rng, 14)) {
    case 0: return expr_add(g, a, b);
    case 1: return expr_sub(g, a, b);
    case 2: return expr_mul(g, a, expr_sin(g, b));
    case 3: return expr_mul(g, expr_cos(g, a), b);
    case 4: return expr_add(g, expr_sin(g, a), expr_cos(g, a));
    case 5: return expr_div(g, a, expr_add(g, two, expr_sin(g, b)));
    case 6:
      return expr_div(g, expr_const(g, rng_uniform(rng, -2, 2)), expr_add(g, two, expr_cos(g, b)));
    case 7: return expr_sqrt(g, expr_add(g, EXPR_ONE, expr_mul(g, a, a)));
    case 8: return expr_exp(g, expr_neg(expr_sin(g, a)));
    case 9: return expr_log(g, expr_add(g, two, expr_cos(g, a)));
    case 10: return expr_scale(g, rng_uniform(rng, -0.5, 0.5), a);
    case 11: return expr_sub(g, expr_const(g, rng_uniform(rng, -3, 3)), a);
    case 12: return expr_neg(expr_mul(g, expr_sin(g, a), expr_sin(g, b)));
    default: return expr_sub(g, expr_scale(g, 0.3, a), expr_mul(g, expr_cos(g, a), expr_sin(g, b)));
  }
}

// a sparse matrix of late expressions, about half full
static bool random_matrix(ExprMatrix *m, Arena *arena, Rng *rng, int n_row, int n_col,
                          const Expr *pool, int n) {
  *m = (ExprMatrix){.n_row = n_row, .n_col = n_col};
  m->colptr = arena_array(arena, (size_t)n_col + 1, sizeof *m->colptr);
  m->row = arena_array(arena, (size_t)(n_row * n_col), sizeof *m->row);
  m->e = arena_array(arena, (size_t)(n_row * n_col), sizeof *m->e);
  if (!m->colptr || !m->row || !m->e) return false;
  for (int j = 0; j < n_col; j++) {
    for (int i = 0; i < n_row; i++) {
      if (j == 2 || rng_int(rng, 2)) continue;  // column 2 stays empty
      Expr e = pool[n - 1 - rng_int(rng, n / 2)];
      m->row[m->nnz] = i;
      m->e[m->nnz++] = rng_int(rng, 3) ? e : expr_neg(e);
    }
    m->colptr[j + 1] = m->nnz;
  }
  return true;
}

static bool random_outputs(RandomFunction *r, Rng *rng, const Expr *pool, int n) {
  ExprOutput *out = arena_array(r->arena, RANDOM_N_OUT, sizeof *out);
  if (!out) return false;
  Expr last = pool[n - 1], all = last;
  for (int i = 0; i < n; i++) all = expr_add(r->g, all, pool[i]);  // nothing is left out
  Expr column[10] = {
      last,    EXPR_ZERO,         expr_neg(last), expr_const(r->g, 0.1), expr_const(r->g, -7),
      pool[0], expr_neg(pool[1]), last,           expr_neg(pool[n - 2]), all};
  out[0].name = "column";
  out[1].name = "sparse_4";
  out[2].name = "Empty";
  out[2].value = (ExprMatrix){.n_row = 3, .n_col = 2};
  out[2].value.colptr = arena_array(r->arena, 3, sizeof(int));
  r->f.n_out = RANDOM_N_OUT;
  r->f.out = out;
  return out[2].value.colptr && expr_column(&out[0].value, r->arena, 10, column) &&
         random_matrix(&out[1].value, r->arena, rng, 4, 6, pool, n);
}

bool random_function(RandomFunction *r, const char *name, uint64_t seed, int n_op) {
  static const ExprInput in[RANDOM_N_IN] = {
      {"x", 5, 0}, {"unused", 3, 1}, {"p", 4, 7}, {"nothing", 0, 2}};
  Rng rng;
  rng_seed(&rng, seed);
  *r = (RandomFunction){.arena = arena_new(), .g = expr_graph_new()};
  Expr *pool = arena_array(r->arena, (size_t)n_op + 16, sizeof *pool);
  if (!r->g || !pool) return false;
  r->f = (ExprFunction){.name = name, .g = r->g, .n_in = RANDOM_N_IN, .in = in};
  int n = 0;
  for (int i = 0; i < 5; i++) pool[n++] = expr_input(r->g, 0, i);
  for (int i = 0; i < 4; i++) pool[n++] = expr_input(r->g, 7, i);
  for (int i = 0; i < n_op; i++) {
    int window = n < 40 ? n : 40;
    pool[n] = random_expr(r->g, &rng, pool + n - window, window);
    n++;
  }
  Error err;
  return random_outputs(r, &rng, pool, n) && expr_graph_status(r->g, &err) == STATUS_OK;
}

void random_function_free(RandomFunction *r) {
  expr_graph_free(r->g);
  arena_free(r->arena);
  *r = (RandomFunction){0};
}
