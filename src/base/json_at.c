// SPDX-License-Identifier: MIT
#include "base/json_at.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_keys.h"
#include "base/json_text.h"

enum { PATH_SIZE = 192, KEY_SHOWN = 60, STRING_SHOWN = 60, VALUE_SIZE = 96 };

struct cJSON *json_parse(const char *text, size_t len, const char *name, Error *err) {
  if (len > JSON_MAX_BYTES) {
    error_set(err, STATUS_INPUT, name, "larger than %d MiB", JSON_MAX_BYTES >> 20);
    return NULL;
  }
  if (!json_text_check(text, len, name, err)) return NULL;
  cJSON *doc = cJSON_ParseWithLength(text, len);
  if (!doc) {
    error_no_memory(err);
    return NULL;
  }
  JsonAt root = json_root(doc, name);
  if (!json_keys_unique(&root, err)) {
    cJSON_Delete(doc);
    return NULL;
  }
  return doc;
}

struct cJSON *json_load(const char *path, Error *err) {
  size_t len = 0;
  char *text = file_read(path, JSON_MAX_BYTES, &len, err);
  if (!text) return NULL;
  cJSON *doc = json_parse(text, len, path, err);
  free(text);
  return doc;
}

void json_free(struct cJSON *doc) {
  cJSON_Delete(doc);
}

JsonAt json_root(const struct cJSON *doc, const char *file) {
  return (JsonAt){.node = doc, .file = file};
}

JsonAt json_find(const JsonAt *object, const char *key) {
  const cJSON *node = NULL;
  if (cJSON_IsObject(object->node)) {
    node = cJSON_GetObjectItemCaseSensitive(object->node, key);
  }
  return (JsonAt){.node = node, .parent = object, .file = object->file, .key = key};
}

JsonAt json_first(const JsonAt *at) {
  const cJSON *node = at->node ? at->node->child : NULL;
  return (JsonAt){.node = node, .parent = at, .file = at->file, .key = node ? node->string : NULL};
}

void json_next(JsonAt *item) {
  item->node = item->node->next;
  item->key = item->node ? item->node->string : NULL;
  item->index++;
}

int json_count(const JsonAt *at) {
  return at->node ? cJSON_GetArraySize(at->node) : 0;
}

JsonType json_type(const JsonAt *at) {
  if (!at->node) return JSON_NONE;
  switch (at->node->type & 0xff) {
    case cJSON_False:
    case cJSON_True: return JSON_BOOL;
    case cJSON_Number: return JSON_NUMBER;
    case cJSON_String: return JSON_STRING;
    case cJSON_Array: return JSON_ARRAY;
    case cJSON_Object: return JSON_OBJECT;
    default: return JSON_NULL;
  }
}

// appends to out, cut to fit
static void append(char *out, size_t size, const char *text) {
  size_t n = strlen(out);
  snprintf(out + n, size - n, "%s", text);
}

void json_path(const JsonAt *at, char *out, size_t size) {
  if (!at->parent) {
    snprintf(out, size, "%s", "");
    return;
  }
  json_path(at->parent, out, size);
  char step[KEY_SHOWN + 8];
  if (at->key) {
    snprintf(step, sizeof step, "%s%.*s", *out ? "." : "", KEY_SHOWN, at->key);
  } else {
    snprintf(step, sizeof step, "[%d]", at->index);
  }
  append(out, size, step);
}

void json_describe(const JsonAt *at, char *out, size_t size) {
  switch (json_type(at)) {
    case JSON_NONE: snprintf(out, size, "nothing"); break;
    case JSON_NULL: snprintf(out, size, "null"); break;
    case JSON_BOOL: snprintf(out, size, cJSON_IsTrue(at->node) ? "true" : "false"); break;
    case JSON_NUMBER: snprintf(out, size, "%.12g", at->node->valuedouble); break;
    case JSON_STRING: snprintf(out, size, "\"%.*s\"", STRING_SHOWN, at->node->valuestring); break;
    case JSON_ARRAY: snprintf(out, size, "an array of %d", json_count(at)); break;
    case JSON_OBJECT: snprintf(out, size, "an object"); break;
  }
}

static void hide_controls(char *text) {
  for (char *c = text; *c; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
  }
}

Status json_failv(const char *file, const char *path, Error *err, const char *format,
                  va_list args) {
  // the path is worth more than the start of a long file name
  char where[sizeof err->where];
  size_t n = strlen(file), used = strlen(path) + 8;
  size_t room = used < sizeof where ? sizeof where - used : 0;
  const char *dots = n > room ? "..." : "";
  const char *tail = n > room ? file + n - room : file;
  snprintf(where, sizeof where, "%s%s%s%s", dots, tail, *path ? ": " : "", path);
  error_setv(err, STATUS_INPUT, where, format, args);
  hide_controls(err->where);
  hide_controls(err->what);
  return STATUS_INPUT;
}

Status json_fail(const JsonAt *at, Error *err, const char *format, ...) {
  char path[PATH_SIZE];
  json_path(at, path, sizeof path);
  va_list args;
  va_start(args, format);
  json_failv(at->file, path, err, format, args);
  va_end(args);
  return STATUS_INPUT;
}

// true if the value has the type; otherwise says what it must be
static bool expect(const JsonAt *at, JsonType type, const char *what, Error *err) {
  if (json_type(at) == type) return true;
  char value[VALUE_SIZE];
  json_describe(at, value, sizeof value);
  if (at->node) {
    json_fail(at, err, "must be %s, not %s", what, value);
  } else {
    json_fail(at, err, "missing; must be %s", what);
  }
  return false;
}

bool json_number(const JsonAt *at, double *out, Error *err) {
  if (!expect(at, JSON_NUMBER, "a number", err)) return false;
  *out = at->node->valuedouble;
  return true;
}

bool json_numbers(const JsonAt *at, int n, double *out, Error *err) {
  char what[40];
  snprintf(what, sizeof what, "an array of %d numbers", n);
  if (!expect(at, JSON_ARRAY, what, err)) return false;
  if (json_count(at) != n) {
    json_fail(at, err, "must be %s, not of %d", what, json_count(at));
    return false;
  }
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (!expect(&e, JSON_NUMBER, "a number", err)) return false;
  }
  for (JsonAt e = json_first(at); e.node; json_next(&e)) out[e.index] = e.node->valuedouble;
  return true;
}

bool json_bool(const JsonAt *at, bool *out, Error *err) {
  if (!expect(at, JSON_BOOL, "true or false", err)) return false;
  *out = cJSON_IsTrue(at->node);
  return true;
}

bool json_string(const JsonAt *at, const char **out, Error *err) {
  if (!expect(at, JSON_STRING, "a string", err)) return false;
  *out = at->node->valuestring;
  return true;
}

bool json_array(const JsonAt *at, Error *err) {
  return expect(at, JSON_ARRAY, "an array", err);
}

bool json_object(const JsonAt *at, Error *err) {
  return expect(at, JSON_OBJECT, "an object", err);
}
