// SPDX-License-Identifier: MIT
#include "base/json_keys.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

enum { FEW_KEYS = 16, MANY_KEYS = 64, TYPES_SIZE = 96, VALUE_SIZE = 96 };

const JsonKey *json_keys_find(const JsonKeys *keys, const char *name) {
  for (int i = 0; i < keys->n; i++) {
    if (strcmp(keys->key[i].name, name) == 0) return &keys->key[i];
  }
  return NULL;
}

static bool fail_unknown(const JsonAt *member, const JsonKeys *keys, Error *err) {
  const char *names[MANY_KEYS] = {NULL};
  int n = keys->n < MANY_KEYS ? keys->n : MANY_KEYS;
  for (int i = 0; i < n; i++) names[i] = keys->key[i].name;
  const char *near = nearest_name(member->key, names, n);
  const JsonAt *object = member->parent;
  if (near) {
    json_fail(object, err, "unknown key \"%.60s\"; did you mean \"%s\"?", member->key, near);
    return false;
  }
  // nothing is close: name them all
  char list[320] = "";
  for (int i = 0; i < n; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  }
  json_fail(object, err, "unknown key \"%.60s\"; known keys: %s", member->key, list);
  return false;
}

// "a number or an array of 3 numbers"
static void list_types(const JsonKey *key, char *out, size_t size) {
  char array[40] = "an array";
  if (key->count > 0) snprintf(array, sizeof array, "an array of %d numbers", key->count);
  const struct {
    JsonType type;
    const char *text;
  } names[] = {{JSON_NUMBER, "a number"},
               {JSON_BOOL, "true or false"},
               {JSON_STRING, "a string"},
               {JSON_ARRAY, array},
               {JSON_OBJECT, "an object"}};
  snprintf(out, size, "%s", "");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (!(key->types & names[i].type)) continue;
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? " or " : "", names[i].text);
  }
}

// every number in the value against the rule and the range
static bool check_numbers(const JsonAt *at, const JsonKey *key, double largest, Error *err) {
  JsonType type = json_type(at);
  if (type == JSON_ARRAY) {
    for (JsonAt e = json_first(at); e.node; json_next(&e)) {
      if (json_type(&e) == JSON_OBJECT) continue;  // has its own table
      if (!check_numbers(&e, key, largest, err)) return false;
    }
  }
  if (type != JSON_NUMBER) return true;
  double x = 0;
  if (!json_number(at, &x, err)) return false;
  if (!isfinite(x) || fabs(x) > largest) {
    json_fail(at, err, "%.12g is out of range: at most %g in size", x, largest);
    return false;
  }
  if (key->rule == JSON_NOT_NEGATIVE && x < 0) {
    json_fail(at, err, "%.12g is negative: %s can't be", x, key->name);
    return false;
  }
  return true;
}

static bool check_member(const JsonAt *member, const JsonKey *key, double largest, Error *err) {
  JsonType type = json_type(member);
  if (!(key->types & type)) {
    char types[TYPES_SIZE], value[VALUE_SIZE];
    list_types(key, types, sizeof types);
    json_describe(member, value, sizeof value);
    json_fail(member, err, "must be %s, not %s", types, value);
    return false;
  }
  if (type == JSON_ARRAY && key->count > 0) {
    double x[16];
    assert(key->count <= 16);
    if (!json_numbers(member, key->count, x, err)) return false;
  }
  return check_numbers(member, key, largest, err);
}

static bool check_comment(const JsonAt *at, Error *err) {
  bool ok = json_type(at) == JSON_STRING || json_type(at) == JSON_ARRAY;
  for (JsonAt e = json_first(at); ok && e.node; json_next(&e)) ok = json_type(&e) == JSON_STRING;
  if (!ok) json_fail(at, err, "must be a string or an array of strings");
  return ok;
}

bool json_keys_check(const JsonAt *at, const JsonKeys *keys, Error *err) {
  if (!json_object(at, err)) return false;
  for (JsonAt member = json_first(at); member.node; json_next(&member)) {
    const JsonKey *key = json_keys_find(keys, member.key);
    bool comment = !key && strcmp(member.key, "comment") == 0;
    if (comment && !check_comment(&member, err)) return false;
    if (comment) continue;
    if (!key) return fail_unknown(&member, keys, err);
    if (!check_member(&member, key, keys->largest, err)) return false;
  }
  for (int i = 0; i < keys->n; i++) {
    const JsonKey *key = &keys->key[i];
    if (key->fallback || json_find(at, key->name).node) continue;
    json_fail(at, err, "missing \"%s\": %s", key->name, key->what);
    return false;
  }
  return true;
}

// the entry of an absent key, for its default
static const JsonKey *absent(const JsonKeys *keys, const char *name) {
  const JsonKey *key = json_keys_find(keys, name);
  assert(key && key->fallback && key->fallback[0]);
  return key;
}

bool json_keys_numbers(const JsonAt *at, const JsonKeys *keys, const char *name, int n, double *out,
                       Error *err) {
  JsonAt member = json_find(at, name);
  if (member.node) return json_numbers(&member, n, out, err);
  const char *text = absent(keys, name)->fallback;
  for (int i = 0; i < n; i++) {
    text += strspn(text, "[, ");
    char *end = NULL;
    out[i] = strtod(text, &end);
    assert(end != text);
    text = end;
  }
  return true;
}

bool json_keys_number(const JsonAt *at, const JsonKeys *keys, const char *name, double *out,
                      Error *err) {
  JsonAt member = json_find(at, name);
  if (member.node) return json_number(&member, out, err);
  return json_keys_numbers(at, keys, name, 1, out, err);
}

bool json_keys_bool(const JsonAt *at, const JsonKeys *keys, const char *name, bool *out,
                    Error *err) {
  JsonAt member = json_find(at, name);
  if (member.node) return json_bool(&member, out, err);
  *out = strcmp(absent(keys, name)->fallback, "true") == 0;
  return true;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool keys_unique_here(const JsonAt *at, Error *err) {
  int n = json_count(at);
  const char *few[FEW_KEYS];
  const char **names = n <= FEW_KEYS ? few : malloc((size_t)n * sizeof *names);
  if (!names) {
    error_no_memory(err);
    return false;
  }
  for (JsonAt e = json_first(at); e.node; json_next(&e)) names[e.index] = e.key;
  qsort(names, (size_t)n, sizeof *names, compare_names);
  bool ok = true;
  for (int i = 1; ok && i < n; i++) {
    if (strcmp(names[i - 1], names[i]) != 0) continue;
    json_fail(at, err, "key \"%.60s\" appears twice", names[i]);
    ok = false;
  }
  if (names != few) free(names);
  return ok;
}

bool json_keys_unique(const JsonAt *at, Error *err) {
  JsonType type = json_type(at);
  if (type != JSON_OBJECT && type != JSON_ARRAY) return true;
  if (type == JSON_OBJECT && !keys_unique_here(at, err)) return false;
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (!json_keys_unique(&e, err)) return false;
  }
  return true;
}
