// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "model/model_internal.h"

enum { PATH_SIZE = 192 };

static const RawCoordinate floating[] = {
    {".x", JOINT_PRISMATIC, {1, 0, 0}}, {".y", JOINT_PRISMATIC, {0, 1, 0}},
    {".z", JOINT_PRISMATIC, {0, 0, 1}}, {".rz", JOINT_REVOLUTE, {0, 0, 1}},
    {".ry", JOINT_REVOLUTE, {0, 1, 0}}, {".rx", JOINT_REVOLUTE, {1, 0, 0}}};

static const RawCoordinate planar[] = {{".x", JOINT_PRISMATIC, {1, 0, 0}},
                                       {".y", JOINT_PRISMATIC, {0, 1, 0}},
                                       {".rz", JOINT_REVOLUTE, {0, 0, 1}}};

const RawTypeInfo raw_types[N_RAW_TYPES] = {
    [RAW_REVOLUTE] = {"revolute", 1, NULL},
    [RAW_CONTINUOUS] = {"continuous", 1, NULL},
    [RAW_PRISMATIC] = {"prismatic", 1, NULL},
    [RAW_FIXED] = {"fixed", 0, NULL},
    [RAW_FLOATING] = {"floating", 6, floating},
    [RAW_SPHERICAL] = {"spherical", 3, floating + 3},  // the rotations of a floating joint
    [RAW_PLANAR] = {"planar", 3, planar},
};

static void place(char out[PATH_SIZE], const char *where, const char *key) {
  snprintf(out, PATH_SIZE, "%s%s%s", where, *where && key ? "." : "", key ? key : "");
}

Status raw_fail(const RawRobot *r, const char *where, const char *key, Error *err,
                const char *format, ...) {
  char path[PATH_SIZE];
  place(path, where, key);
  va_list args;
  va_start(args, format);
  json_failv(r->file, path, err, format, args);
  va_end(args);
  return STATUS_INPUT;
}

void raw_note(RawRobot *r, const char *where, const char *key, const char *format, ...) {
  char path[PATH_SIZE];
  place(path, where, key);
  Error e;  // the same composition as an error
  va_list args;
  va_start(args, format);
  json_failv(r->file, path, &e, format, args);
  va_end(args);

  RawNote *note = arena_alloc(r->arena, sizeof *note);
  const char *text = raw_printf(r, "%s: %s", e.where, e.what);
  if (!note || !text) {
    r->no_memory = true;
    return;
  }
  note->text = text;
  if (r->last_note) r->last_note->next = note;
  if (!r->first_note) r->first_note = note;
  r->last_note = note;
  r->n_note++;
}

const char *raw_printf(RawRobot *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = n < 0 ? NULL : arena_alloc(r->arena, (size_t)n + 1);
  if (!text) return NULL;
  va_start(args, format);
  vsnprintf(text, (size_t)n + 1, format, args);
  va_end(args);
  return text;
}

bool name_index_new(NameIndex *x, Arena *arena, int n) {
  *x = (NameIndex){.entry = arena_array(arena, (size_t)n, sizeof *x->entry)};
  return x->entry != NULL;
}

void name_index_add(NameIndex *x, const char *name, int index) {
  x->entry[x->n++] = (NameEntry){.name = name, .index = index};
}

static int by_name_then_index(const void *a, const void *b) {
  const NameEntry *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

int name_index_sort(NameIndex *x, int *first) {
  qsort(x->entry, (size_t)x->n, sizeof *x->entry, by_name_then_index);
  for (int i = 1; i < x->n; i++) {
    if (strcmp(x->entry[i - 1].name, x->entry[i].name) != 0) continue;
    *first = x->entry[i - 1].index;
    return x->entry[i].index;
  }
  return -1;
}

static int by_name(const void *word, const void *entry) {
  return strcmp(word, ((const NameEntry *)entry)->name);
}

int name_index_find(const NameIndex *x, const char *name) {
  const NameEntry *found = bsearch(name, x->entry, (size_t)x->n, sizeof *x->entry, by_name);
  return found ? found->index : -1;
}

void name_index_suggest(const NameIndex *x, const char *word, Arena *arena, char *out,
                        size_t size) {
  snprintf(out, size, "%s", "");
  const char **names = arena_array(arena, (size_t)x->n, sizeof *names);
  if (!names) return;
  for (int i = 0; i < x->n; i++) names[i] = x->entry[i].name;
  const char *near = nearest_name(word, names, x->n);
  if (near) snprintf(out, size, "; did you mean \"%s\"?", near);
}
