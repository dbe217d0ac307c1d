// SPDX-License-Identifier: MIT
#include "ocp/ocp.h"

#include <stdio.h>
#include <string.h>

#include "ocp/ocp_internal.h"

static const char *vprint(Ocp *o, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = n < 0 ? NULL : arena_alloc(o->arena, (size_t)n + 1);
  if (text) vsnprintf(text, (size_t)n + 1, format, args);
  return text;
}

const char *ocp_printf(Ocp *o, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *text = vprint(o, format, args);
  va_end(args);
  return text;
}

Status ocp_note(Ocp *o, const JsonAt *at, Error *err, const char *format, ...) {
  char path[sizeof err->where];
  json_path(at, path, sizeof path);
  va_list args;
  va_start(args, format);
  const char *what = vprint(o, format, args);
  va_end(args);
  if (!what) return error_no_memory(err);
  const char *text = ocp_printf(o, "%s%s%s: %s", at->file, *path ? ": " : "", path, what);
  const char **note = arena_array(o->arena, (size_t)o->n_note + 1, sizeof *note);
  if (!text || !note) return error_no_memory(err);
  // few notes: a new list each time
  if (o->n_note) memcpy(note, o->note, (size_t)o->n_note * sizeof *note);
  note[o->n_note++] = text;
  o->note = note;
  return STATUS_OK;
}

const char *ocp_resolve(OcpReader *r, const char *path) {
  bool here = !*r->folder || strcmp(r->folder, ".") == 0;
  if (*path == '/' || here) return ocp_printf(r->o, "%s", path);
  const char *slash = r->folder[strlen(r->folder) - 1] == '/' ? "" : "/";
  return ocp_printf(r->o, "%s%s%s", r->folder, slash, path);
}

// takes the document, which may be NULL with err filled
static Status from_document(Ocp **out, struct cJSON *doc, const char *name, const char *folder,
                            Error *err) {
  *out = NULL;
  if (!doc) return err->code;
  Arena *arena = arena_new();
  Ocp *o = arena_alloc(arena, sizeof *o);
  if (!o) {
    json_free(doc);
    arena_free(arena);
    return error_no_memory(err);
  }
  o->arena = arena;
  o->path = arena_strdup(arena, name);
  OcpReader r = {.o = o, .root = json_root(doc, name), .folder = folder};
  Status status = o->path ? ocp_read_task(&r, err) : error_no_memory(err);
  if (status == STATUS_OK) status = ocp_check(&r, err);
  json_free(doc);
  if (status == STATUS_OK) *out = o;
  else ocp_free(o);
  return status;
}

Status ocp_load(Ocp **out, const char *path, Error *err) {
  *out = NULL;
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;  // with the slash
  Arena *arena = arena_new();
  char *folder = arena_alloc(arena, n + 1);
  Status status = folder ? STATUS_OK : error_no_memory(err);
  if (folder) {
    memcpy(folder, path, n);
    status = from_document(out, json_load(path, err), path, folder, err);
  }
  arena_free(arena);
  return status;
}

Status ocp_parse(Ocp **out, const char *text, const char *name, const char *folder, Error *err) {
  return from_document(out, json_parse(text, strlen(text), name, err), name, folder, err);
}

void ocp_free(Ocp *o) {
  if (!o) return;
  model_free(o->model);
  arena_free(o->arena);
}
