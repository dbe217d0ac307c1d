// SPDX-License-Identifier: MIT
#include "collocation/colloc_class.h"

#include <string.h>

static unsigned hash(int row, int slot) {
  unsigned h = (unsigned)row * 2654435761u ^ (unsigned)slot * 40503u * 2654435761u;
  return h ^ (h >> 15);
}

static void insert(Classes *c, int e) {
  unsigned h = hash(c->list.entry[e].row, c->list.entry[e].slot), last = (unsigned)c->n_bucket - 1;
  while (c->bucket[h & last]) h++;
  c->bucket[h & last] = e + 1;
}

static void grow_classes(Classes *c) {
  int cap = c->list.cap ? 2 * c->list.cap : 256;
  Entry *entry = arena_array(c->arena, (size_t)cap, sizeof *entry);
  int *bucket = arena_array(c->arena, 2 * (size_t)cap, sizeof *bucket);
  if (!entry || !bucket) {
    c->failed = true;
    return;
  }
  if (c->list.n) memcpy(entry, c->list.entry, (size_t)c->list.n * sizeof *entry);
  c->list.entry = entry;
  c->list.cap = cap;
  c->bucket = bucket;
  c->n_bucket = 2 * cap;
  for (int e = 0; e < c->list.n; e++) insert(c, e);
}

int class_at(Classes *c, int row, int slot, int N) {
  if (c->list.n == c->list.cap) grow_classes(c);
  if (c->failed) return 0;
  unsigned last = (unsigned)c->n_bucket - 1;
  for (unsigned h = hash(row, slot); c->bucket[h & last]; h++) {
    const Entry *e = &c->list.entry[c->bucket[h & last] - 1];
    if (e->row == row && e->slot == slot) return e->at;
  }
  int at = c->list.n * N;
  c->list.entry[c->list.n++] = (Entry){row, slot, at};
  insert(c, c->list.n - 1);
  return at;
}

void class_add_term(Classes *c, TermList *list, Term term) {
  if (list->n == list->cap) {
    int cap = list->cap ? 2 * list->cap : 64;
    Term *t = arena_array(c->arena, (size_t)cap, sizeof *t);
    if (!t) {
      c->failed = true;
      return;
    }
    if (list->n) memcpy(t, list->term, (size_t)list->n * sizeof *t);
    list->term = t;
    list->cap = cap;
  }
  list->term[list->n++] = term;
}
