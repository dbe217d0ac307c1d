// SPDX-License-Identifier: MIT
#include "sweep/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_at.h"
#include "sweep/journal_internal.h"

static const size_t LARGEST = (size_t)4 << 30;  // bytes of a journal

// ---- sweep.json ---------------------------------------------------------------------------------

static Status read_axis(JournalBuild *b, const JsonAt *at, Error *err) {
  JsonAt name = json_find(at, "name"), unit = json_find(at, "unit");
  JsonAt values = json_find(at, "values");
  const char *text = NULL;
  if (!json_string(&name, &text, err) || !json_array(&values, err)) return err->code;
  JournalAxis *a = journal_axis(b, text);
  if (!a) return json_fail(at, err, "more than %d axes", JOURNAL_MAX_AXES);
  if (unit.node && !json_string(&unit, &a->unit, err)) return err->code;
  a->unit = journal_intern(b, a->unit);
  a->value = arena_array(b->j->arena, (size_t)json_count(&values) + 1, sizeof *a->value);
  if (!a->value || !a->unit) return error_no_memory(err);
  JsonAt labels = json_find(at, "labels");
  for (JsonAt e = json_first(&labels); e.node; json_next(&e)) {
    if (!json_string(&e, &text, err)) return err->code;
    if (journal_label(b, a, text) < 0) return error_no_memory(err);
  }
  for (JsonAt e = json_first(&values); e.node; json_next(&e)) {
    if (!json_number(&e, &a->value[a->n_value], err)) return err->code;
    a->value[a->n_value++] += 0.0;
  }
  return STATUS_OK;
}

static Status read_mirror(JournalBuild *b, const JsonAt *at, Error *err) {
  b->mirror = arena_array(b->j->arena, (size_t)json_count(at) + 1, sizeof *b->mirror);
  if (!b->mirror) return error_no_memory(err);
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    double x = 0;
    if (!json_number(&e, &x, err)) return err->code;
    b->mirror[b->n_mirror++] = x >= 0 && x < 1e9 ? (int)x : -1;
  }
  return STATUS_OK;
}

Status journal_read_manifest(JournalBuild *b, Error *err) {
  Journal *j = b->j;
  char path[4096];
  snprintf(path, sizeof path, "%s/sweep.json", j->folder);
  if (access(path, F_OK) != 0) return STATUS_OK;
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path), name = json_find(&root, "name");
  JsonAt axes = json_find(&root, "axes"), mirror = json_find(&root, "mirror");
  JsonAt points = json_find(&mirror, "points");
  Status status = STATUS_OK;
  const char *text = "";
  if (name.node && !json_string(&name, &text, err)) status = err->code;
  j->name = journal_intern(b, text);
  for (JsonAt e = json_first(&axes); e.node && status == STATUS_OK; json_next(&e)) {
    status = read_axis(b, &e, err);
  }
  if (status == STATUS_OK) status = read_mirror(b, &points, err);
  json_free(doc);
  return status == STATUS_OK && !j->name ? error_no_memory(err) : status;
}

// ---- places in the grid -------------------------------------------------------------------------

// the number of a point in the whole grid, the last axis fastest; -1 if it is not there
static int grid_number(const Journal *j, const double *value) {
  int n = 0;
  for (int i = 0; i < j->n_axis; i++) {
    const JournalAxis *a = &j->axis[i];
    int k = 0;
    while (k < a->n_value && a->value[k] != value[i]) k++;
    if (k == a->n_value) return -1;
    n = n * a->n_value + k;
  }
  return n;
}

// numbers of the points, then who mirrors whom
static Status place_points(JournalBuild *b, Error *err) {
  Journal *j = b->j;
  size_t n = (size_t)(b->n_mirror > 0 ? b->n_mirror : 1);
  int *at = arena_array(j->arena, n, sizeof *at);  // by number in the grid: point + 1
  if (!at) return error_no_memory(err);
  for (int p = 0; p < j->n_point; p++) {
    j->point[p].grid = grid_number(j, j->point[p].value);
    if (j->point[p].grid >= 0 && j->point[p].grid < b->n_mirror) at[j->point[p].grid] = p + 1;
  }
  for (int p = 0; p < j->n_point; p++) {
    int grid = j->point[p].grid;
    int other = grid >= 0 && grid < b->n_mirror ? b->mirror[grid] : -1;
    if (other >= 0 && other < b->n_mirror) j->point[p].mirror = at[other] - 1;
  }
  return STATUS_OK;
}

// ---- the journal --------------------------------------------------------------------------------

static Status read_lines(JournalBuild *b, char *text, size_t len, Error *err) {
  char *end = text + len;
  for (char *line = text; line < end;) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    char *last = stop ? stop : end;
    *last = '\0';  // numbers are read up to it; behind the text there is a NUL already
    Status status = stop ? journal_read_line(b, line, last, err) : STATUS_INPUT;
    if (status == STATUS_NO_MEMORY) return status;
    if (status != STATUS_OK && last > line) b->j->n_bad++;
    line = last + 1;
  }
  *err = (Error){0};
  return STATUS_OK;
}

static Status load(JournalBuild *b, Error *err) {
  char path[4096];
  snprintf(path, sizeof path, "%s/journal.jsonl", b->j->folder);
  Status status = journal_read_manifest(b, err);
  if (status != STATUS_OK) return status;
  size_t len = 0;
  char *text = file_read(path, LARGEST, &len, err);
  if (!text) return err->code;
  status = read_lines(b, text, len, err);
  free(text);
  return status == STATUS_OK ? place_points(b, err) : status;
}

Status journal_load(Journal **out, const char *folder, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  Journal *j = arena_alloc(arena, sizeof *j);
  JournalAxis *axis = arena_array(arena, JOURNAL_MAX_AXES, sizeof *axis);
  size_t room = strlen(folder) + sizeof "/robot.json";
  char *robot = arena_alloc(arena, room);
  char *copy = arena_strdup(arena, folder);
  if (!j || !axis || !robot || !copy) {
    arena_free(arena);
    return error_no_memory(err);
  }
  snprintf(robot, room, "%s/robot.json", folder);
  *j = (Journal){.arena = arena, .folder = copy, .name = "", .robot = robot, .axis = axis};
  JournalBuild b = {.j = j};
  Status status = load(&b, err);
  if (status == STATUS_OK) *out = j;
  else journal_free(j);
  return status;
}

void journal_free(Journal *j) {
  if (j) arena_free(j->arena);
}

bool journal_good(const JournalRun *r) {
  return r->solved && r->verified && isfinite(r->objective);
}

void journal_best(const Journal *j, const char *cost, int *run) {
  for (int p = 0; p < j->n_point; p++) run[p] = -1;
  for (int i = 0; i < j->n_run; i++) {
    const JournalRun *r = &j->run[i];
    if (!journal_good(r)) continue;
    if (cost && strcmp(j->kase[r->kase].cost, cost) != 0) continue;
    int *best = &run[r->point];
    if (*best < 0 || r->objective < j->run[*best].objective) *best = i;
  }
}
