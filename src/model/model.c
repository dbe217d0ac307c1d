// SPDX-License-Identifier: MIT
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "model/model_internal.h"

// reads, checks and builds; *m has its arena
static Status read_robot(Model *m, const struct cJSON *doc, const char *name, Error *err) {
  RawRobot r = {.arena = arena_new(), .file = name};
  if (!r.arena) return error_no_memory(err);
  Status status = raw_read_json(&r, doc, err);
  if (status == STATUS_OK) status = raw_check(&r, err);
  if (status == STATUS_OK) status = raw_tree(&r, err);
  if (status == STATUS_OK) status = raw_build(m, &r, err);
  if (status == STATUS_OK) status = model_check(m, &r, err);
  arena_free(r.arena);
  return status;
}

// takes the document, which may be NULL with err filled
static Status from_document(Model **out, struct cJSON *doc, const char *name, Error *err) {
  *out = NULL;
  if (!doc) return err->code;
  Arena *arena = arena_new();
  Model *m = arena_alloc(arena, sizeof *m);
  Status status = m ? STATUS_OK : error_no_memory(err);
  if (m) {
    m->arena = arena;
    status = read_robot(m, doc, name, err);
  }
  json_free(doc);
  if (status == STATUS_OK) {
    *out = m;
  } else {
    arena_free(arena);
  }
  return status;
}

Status model_load(Model **out, const char *path, Error *err) {
  return from_document(out, json_load(path, err), path, err);
}

Status model_parse(Model **out, const char *text, const char *name, Error *err) {
  return from_document(out, json_parse(text, strlen(text), name, err), name, err);
}

int model_find_joint(const Model *m, const char *name) {
  for (int i = 0; i < m->nv; i++) {
    if (strcmp(m->joint[i].name, name) == 0) return i;
  }
  return -1;
}

int model_find_frame(const Model *m, const char *name) {
  for (int i = 0; i < m->n_frame; i++) {
    if (strcmp(m->frame[i].name, name) == 0) return i;
  }
  return -1;
}

const double *model_start(const Model *m) {
  for (int i = 0; i < m->n_pose; i++) {
    if (strcmp(m->pose[i].name, "start") == 0) return m->pose[i].q;
  }
  return m->n_pose > 0 ? m->pose[0].q : NULL;
}

int model_loop_rows(const ModelLoop *loop) {
  int n = 0;
  for (unsigned rows = loop->rows; rows; rows &= rows - 1) n++;
  return n;
}

int model_n_rows(const Model *m) {
  int n = 0;
  for (int i = 0; i < m->n_loop; i++) n += model_loop_rows(&m->loop[i]);
  return n;
}

Status model_require_tree(const Model *m, const char *what, Error *err) {
  if (m->n_loop == 0) return STATUS_OK;
  char where[sizeof err->where];
  snprintf(where, sizeof where, "%s: %s", m->path, m->loop[0].where);
  return error_set(err, STATUS_INPUT, where, "loop \"%s\": %s knows robots without loops only",
                   m->loop[0].name, what);
}

double model_mass(const Model *m) {
  double mass = 0;
  for (int i = 0; i < m->nv; i++) mass += m->body[i].mass;
  return mass;
}

void model_free(Model *m) {
  if (m) arena_free(m->arena);
}
