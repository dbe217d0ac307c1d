// SPDX-License-Identifier: MIT
// The keys of a file format as tables. One JsonKey says all there is to say about a key; the reader
// validates from the table, takes defaults from it, and `poise explain KEY` prints it. The key
// "comment" (a string or an array of strings) is allowed in every object and needs no entry.
#ifndef POISE_BASE_JSON_KEYS_H
#define POISE_BASE_JSON_KEYS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json_at.h"

typedef enum JsonRule { JSON_ANY, JSON_NOT_NEGATIVE } JsonRule;

typedef struct JsonKey {
  const char *name;      // "damping"
  unsigned types;        // JsonType bits that are allowed
  int count;             // numbers in the array, where a fixed number is required; else 0
  JsonRule rule;         // on numbers
  const char *unit;      // "N m s/rad | N s/m"; "" if none
  const char *fallback;  // default as text: "0", "[0, 0, -9.81]", "inf", "false"; "" if there is
                         // none but the key may be absent; NULL: the key is required
  const char *what;      // one line: what it is
  const char *example;   // JSON text of a value
} JsonKey;

typedef struct JsonKeys {
  const char *object;  // what the object is: "joint"
  const char *place;   // where it stands: "joints[i]"; "" at the root
  const JsonKey *key;  // n
  int n;               //
  double largest;      // numbers beyond +-largest are refused
} JsonKeys;

// The entry of a name; NULL if there is none.
const JsonKey *json_keys_find(const JsonKeys *keys, const char *name);

// Checks that a value is an object with only known keys, all required ones, each of an allowed type
// and its numbers within the rule and the range. False with err filled.
bool json_keys_check(const JsonAt *at, const JsonKeys *keys, Error *err);

// Values of an object that json_keys_check has passed: what the file says, or the default of the
// table. `name` must be in the table (assert), with a default if it is not required.
bool json_keys_number(const JsonAt *at, const JsonKeys *keys, const char *name, double *out,
                      Error *err);
bool json_keys_numbers(const JsonAt *at, const JsonKeys *keys, const char *name, int n, double *out,
                       Error *err);
bool json_keys_bool(const JsonAt *at, const JsonKeys *keys, const char *name, bool *out,
                    Error *err);

// False with err filled if any object under `at` has a key twice.
bool json_keys_unique(const JsonAt *at, Error *err);

#endif
