// SPDX-License-Identifier: MIT
// The Jacobian of a function as CasADi wants to find it.
#include <stdio.h>
#include <string.h>

#include "expr/expr_emit_c.h"

// prefix + a + "_" + b, or prefix + a; NULL when out of memory
static const char *join(Arena *arena, const char *prefix, const char *a, const char *b) {
  size_t size = strlen(prefix) + strlen(a) + (b ? strlen(b) + 1 : 0) + 1;
  char *s = arena_alloc(arena, size);
  if (s) snprintf(s, size, "%s%s%s%s", prefix, a, b ? "_" : "", b ? b : "");
  return s;
}

// All nonzeros of all outputs, differentiated at once, so that the blocks share what they can.
static bool differentiate(ExprMatrix *all, ExprGraph *g, Arena *arena, const ExprFunction *f) {
  int n_e = 0, n_x = 0;
  for (int o = 0; o < f->n_out; o++) n_e += f->out[o].value.nnz;
  for (int i = 0; i < f->n_in; i++) n_x += f->in[i].n;
  Expr *e = arena_array(arena, (size_t)n_e + 1, sizeof *e);
  Expr *x = arena_array(arena, (size_t)n_x + 1, sizeof *x);
  if (!e || !x) return false;
  n_e = n_x = 0;
  for (int o = 0; o < f->n_out; o++) {
    const ExprMatrix *m = &f->out[o].value;
    for (int k = 0; k < m->nnz; k++) e[n_e++] = m->e[k];
  }
  for (int i = 0; i < f->n_in; i++) {
    for (int k = 0; k < f->in[i].n; k++) x[n_x++] = expr_input(g, f->in[i].input, k);
  }
  return expr_jacobian(g, arena, n_e, e, n_x, x, all);
}

// Rows first_row .. + m->nnz and columns first_col .. + n_col of `all`, with rows numbered as
// elements of the full matrix m, column by column.
static bool cut_block(ExprMatrix *block, Arena *arena, const ExprMatrix *all, const ExprMatrix *m,
                      int first_row, int first_col, int n_col) {
  *block = (ExprMatrix){.n_row = m->n_row * m->n_col, .n_col = n_col};
  int most = all->colptr[first_col + n_col] - all->colptr[first_col];
  int *place = arena_array(arena, (size_t)m->nnz + 1, sizeof *place);
  block->colptr = arena_array(arena, (size_t)n_col + 1, sizeof *block->colptr);
  block->row = arena_array(arena, (size_t)most + 1, sizeof *block->row);
  block->e = arena_array(arena, (size_t)most + 1, sizeof *block->e);
  if (!place || !block->colptr || !block->row || !block->e) return false;
  for (int j = 0; j < m->n_col; j++) {
    for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++) place[k] = m->row[k] + j * m->n_row;
  }
  for (int j = 0; j < n_col; j++) {
    for (int k = all->colptr[first_col + j]; k < all->colptr[first_col + j + 1]; k++) {
      int r = all->row[k] - first_row;
      if (r < 0 || r >= m->nnz) continue;
      block->row[block->nnz] = place[r];
      block->e[block->nnz++] = all->e[k];
    }
    block->colptr[j + 1] = block->nnz;
  }
  return true;
}

// derivatives by the empty inputs are zero
static bool empty_block(ExprMatrix *block, Arena *arena, const ExprMatrix *m, const ExprEmpty *by) {
  *block = (ExprMatrix){.n_row = m->n_row * m->n_col, .n_col = by->n_row * by->n_col};
  block->colptr = arena_array(arena, (size_t)block->n_col + 1, sizeof *block->colptr);
  return block->colptr != NULL;
}

static bool fill_outputs(ExprOutput *out, Arena *arena, const ExprEmitItem *of,
                         const ExprMatrix *all) {
  const ExprFunction *f = of->f;
  for (int o = 0, row = 0; o < f->n_out; row += f->out[o].value.nnz, o++) {
    const ExprMatrix *m = &f->out[o].value;
    for (int i = 0, col = 0; i < f->n_in; col += f->in[i].n, i++, out++) {
      out->name = join(arena, "jac_", f->out[o].name, f->in[i].name);
      if (!out->name || !cut_block(&out->value, arena, all, m, row, col, f->in[i].n)) return false;
    }
    for (int i = 0; i < of->n_empty; i++, out++) {
      out->name = join(arena, "jac_", f->out[o].name, of->empty[i].name);
      if (!out->name || !empty_block(&out->value, arena, m, &of->empty[i])) return false;
    }
  }
  return true;
}

static bool fill_empty(ExprEmpty *empty, Arena *arena, const ExprEmitItem *of) {
  for (int i = 0; i < of->n_empty; i++) *empty++ = of->empty[i];
  for (int o = 0; o < of->f->n_out; o++, empty++) {
    const ExprMatrix *m = &of->f->out[o].value;
    *empty = (ExprEmpty){join(arena, "out_", of->f->out[o].name, NULL), m->n_row, m->n_col};
    if (!empty->name) return false;
  }
  return true;
}

Status expr_emit_jacobian(ExprEmitItem *jac, ExprGraph *g, Arena *arena, const ExprEmitItem *of,
                          Error *err) {
  const ExprFunction *f = of->f;
  int n_out = f->n_out * (f->n_in + of->n_empty), n_empty = of->n_empty + f->n_out;
  ExprFunction *df = arena_alloc(arena, sizeof *df);
  ExprOutput *out = arena_array(arena, (size_t)n_out + 1, sizeof *out);
  ExprEmpty *empty = arena_array(arena, (size_t)n_empty + 1, sizeof *empty);
  const char *name = join(arena, "jac_", f->name, NULL);
  ExprMatrix all;
  *jac = (ExprEmitItem){0};
  if (!df || !out || !empty || !name || !differentiate(&all, g, arena, f) ||
      !fill_outputs(out, arena, of, &all) || !fill_empty(empty, arena, of)) {
    return error_no_memory(err);
  }
  *df = (ExprFunction){name, g, f->n_in, f->in, n_out, out};
  *jac = (ExprEmitItem){df, n_empty, empty};
  return expr_graph_status(g, err);
}
