// SPDX-License-Identifier: MIT
// A JSON reader that knows its path. A JsonAt is a value together with the way that led to it, so
// that every complaint names the place: "robot.json: joints[2].limits.upper: must be a number, not
// \"a\"". Built on cJSON, which no other header shows. json_keys.h checks objects against tables.
//
//   struct cJSON *doc = json_load(path, err);             // NULL: err says why
//   JsonAt root = json_root(doc, path);
//   JsonAt mass = json_find(&root, "mass");
//   if (!json_number(&mass, &m, err)) return err->code;   // absent, wrong type
//   json_free(doc);
#ifndef POISE_BASE_JSON_AT_H
#define POISE_BASE_JSON_AT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cJSON;

enum { JSON_MAX_BYTES = 16 << 20 };  // largest file; json_text.h has the other limits

typedef enum JsonType {  // single bits, so that tables can allow several
  JSON_NONE = 0,         // absent
  JSON_NULL = 1,
  JSON_BOOL = 2,
  JSON_NUMBER = 4,
  JSON_STRING = 8,
  JSON_ARRAY = 16,
  JSON_OBJECT = 32,
} JsonType;

typedef struct JsonAt {
  const struct cJSON *node;     // the value, borrowed; NULL if absent
  const struct JsonAt *parent;  // where it lies, borrowed: must outlive this; NULL at the root
  const char *file;             // borrowed
  const char *key;              // name in an object, borrowed; NULL in an array and at the root
  int index;                    // position in an array
} JsonAt;

// Reads a whole file. NULL with err filled if it is missing, a folder, empty, larger than
// JSON_MAX_BYTES, not JSON (json_text.h), or has one key twice in an object.
struct cJSON *json_load(const char *path, Error *err);

// The same from text[0..len-1]; `name` stands for the file in messages.
struct cJSON *json_parse(const char *text, size_t len, const char *name, Error *err);

// NULL-safe.
void json_free(struct cJSON *doc);

JsonAt json_root(const struct cJSON *doc, const char *file);

// The member of an object; its node is NULL if absent (or if *object is no object), its path is
// good for messages all the same.
JsonAt json_find(const JsonAt *object, const char *key);

// Walks the members of an object or the elements of an array, in the order of the file:
//   for (JsonAt e = json_first(&list); e.node; json_next(&e)) ...
JsonAt json_first(const JsonAt *at);
void json_next(JsonAt *item);

int json_count(const JsonAt *at);      // members or elements; 0 for other values
JsonType json_type(const JsonAt *at);  // JSON_NONE if absent

// Typed getters. Each returns false with err filled ("missing", "must be a number, not ...") and
// leaves *out alone if the value is absent or of another type. Strings are borrowed.
bool json_number(const JsonAt *at, double *out, Error *err);
bool json_numbers(const JsonAt *at, int n, double *out, Error *err);  // array of exactly n
bool json_bool(const JsonAt *at, bool *out, Error *err);
bool json_string(const JsonAt *at, const char **out, Error *err);
bool json_array(const JsonAt *at, Error *err);
bool json_object(const JsonAt *at, Error *err);

// The path of a value without the file, "joints[2].axis"; cut to fit. Empty at the root.
void json_path(const JsonAt *at, char *out, size_t size);

// A short text of the value for messages: 5, "abc", an array.
void json_describe(const JsonAt *at, char *out, size_t size);

// Fills err at this value (STATUS_INPUT) and returns STATUS_INPUT.
Status json_fail(const JsonAt *at, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for a path that is no JsonAt any more. "file: path"; a long file name loses its start,
// control characters become '?'.
Status json_failv(const char *file, const char *path, Error *err, const char *format, va_list args);

#endif
