// SPDX-License-Identifier: MIT
#include "cli/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

InputKind input_kind(const JsonAt *root) {
  static const struct {
    const char *key;
    InputKind kind;
  } marks[] = {{"axes", INPUT_SWEEP},
               {"trajectory", INPUT_RESULT},
               {"robot", INPUT_TASK},
               {"bodies", INPUT_ROBOT},
               {"joints", INPUT_ROBOT}};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    if (json_find(root, marks[i].key).node) return marks[i].kind;
  }
  return INPUT_OTHER;
}

Status input_refuse(const char *path, InputKind kind, const char *wanted, Error *err) {
  switch (kind) {
    case INPUT_ROBOT:
      return error_set(err, STATUS_INPUT, path,
                       "this is a robot file, not %s; 'poise template' makes a task for a robot",
                       wanted);
    case INPUT_TASK:
      return error_set(
          err, STATUS_INPUT, path,
          "this is a task file, not %s; 'poise solve TASK.json -o RESULT.json' makes a "
          "result of a task",
          wanted);
    case INPUT_RESULT:
      return error_set(err, STATUS_INPUT, path,
                       "this is a result file, not %s; 'poise show' summarises a result", wanted);
    case INPUT_SWEEP:
      return error_set(err, STATUS_INPUT, path,
                       "this is a sweep file, not %s; 'poise sweep --dry-run' says what is in it",
                       wanted);
    case INPUT_OTHER: break;
  }
  return error_set(err, STATUS_INPUT, path,
                   "not %s: a robot has \"bodies\" and \"joints\", a task has \"robot\", a result "
                   "has \"trajectory\"",
                   wanted);
}

// the kind of a text that may be no JSON at all; *kind is left alone then
static Status find_kind(const char *text, size_t len, const char *path, InputKind *kind,
                        Error *err) {
  struct cJSON *doc = json_parse(text, len, path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path);
  *kind = input_kind(&root);
  json_free(doc);
  return STATUS_OK;
}

// the folder of a path with its slash, "" for the working folder; NULL when out of memory
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = calloc(n + 1, 1);
  if (folder) memcpy(folder, path, n);
  return folder;
}

static Status load_task(Ocp **out, const char *text, const char *path, Error *err) {
  char *folder = folder_of(path);
  Status status = folder ? ocp_parse(out, text, path, folder, err) : error_no_memory(err);
  free(folder);
  return status;
}

Status input_load(Input *out, const char *path, Error *err) {
  *out = (Input){0};
  size_t len = 0;
  char *text = file_read(path, JSON_MAX_BYTES, &len, err);
  if (!text) return err->code;
  InputKind kind = INPUT_OTHER;
  Status status = find_kind(text, len, path, &kind, err);
  if (status == STATUS_OK && kind == INPUT_ROBOT) {
    status = model_parse(&out->model, text, path, err);
  } else if (status == STATUS_OK && kind == INPUT_TASK) {
    status = load_task(&out->task, text, path, err);
  } else if (status == STATUS_OK) {
    status = input_refuse(path, kind, "a robot or a task", err);
  }
  free(text);
  return status;
}

void input_free(Input *in) {
  ocp_free(in->task);
  model_free(in->model);
  *in = (Input){0};
}
