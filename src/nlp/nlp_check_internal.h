// SPDX-License-Identifier: MIT
// Shared by nlp_check*.c.
#ifndef POISE_NLP_NLP_CHECK_INTERNAL_H
#define POISE_NLP_NLP_CHECK_INTERNAL_H

#include "base/arena.h"
#include "nlp/nlp_check.h"

// Nonzeros of a pattern by column: those of column j are order[start[j] .. start[j+1]-1].
typedef struct ByColumn {
  int *start;  // n + 1
  int *order;  // nnz
} ByColumn;

// False when out of memory. All columns must be below n.
bool by_column_build(ByColumn *out, Arena *arena, int n, int nnz, const int *col);

// Fills the fields about patterns and bounds. STATUS_NO_MEMORY or STATUS_OK.
Status check_pattern(const Nlp *nlp, NlpCheckReport *out, Arena *arena, Error *err);

void name_entry(const Nlp *nlp, NlpCheckKind kind, int row, int col, char *out, size_t size);

// The smallest and the largest of the nonzero values; row and col as in the Nlp (NULL: gradient).
void check_range(const Nlp *nlp, NlpCheckKind kind, int nnz, const int *row, const int *col,
                 const double *values, NlpCheckRange *out);

#endif
