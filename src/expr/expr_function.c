// SPDX-License-Identifier: MIT
#include "expr/expr_function.h"

bool expr_column(ExprMatrix *m, Arena *arena, int n, const Expr *e) {
  *m = (ExprMatrix){.n_row = n, .n_col = 1, .nnz = n};
  m->colptr = arena_array(arena, 2, sizeof *m->colptr);
  m->row = arena_array(arena, (size_t)n, sizeof *m->row);
  m->e = arena_array(arena, (size_t)n, sizeof *m->e);
  if (!m->colptr || !m->row || !m->e) return false;
  m->colptr[1] = n;
  for (int i = 0; i < n; i++) {
    m->row[i] = i;
    m->e[i] = e[i];
  }
  return true;
}
