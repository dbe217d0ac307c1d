// SPDX-License-Identifier: MIT
// The classes of nonzeros of an interval's pattern (colloc.h), found by (row, slot) through a hash table, and
// lists of terms that grow.
#ifndef POISE_COLLOCATION_COLLOC_CLASS_H
#define POISE_COLLOCATION_COLLOC_CLASS_H

#include "collocation/colloc_internal.h"

typedef struct Classes {
  Arena *arena;
  EntryList list;
  int *bucket;   // n_bucket, entry + 1
  int n_bucket;  // power of two
  bool failed;   // out of memory
} Classes;       // {.arena = ...} is empty

// First value of the class of (row, slot), made if it is new; N values per class.
int class_at(Classes *c, int row, int slot, int N);

void class_add_term(Classes *c, TermList *list, Term term);

#endif
