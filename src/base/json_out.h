// SPDX-License-Identifier: MIT
// Writes JSON: commas, quotes and nesting are right by construction, numbers read back exactly, NaN and
// infinities become null. `key` is NULL inside an array. Out of memory is remembered in buf.failed.
#ifndef POISE_BASE_JSON_OUT_H
#define POISE_BASE_JSON_OUT_H

#include <stdbool.h>

#include "base/textbuf.h"

enum { JSON_OUT_DEPTH = 16 };

typedef struct JsonOut {
  TextBuf buf;                   //
  int depth;                     // open brackets
  char bracket[JSON_OUT_DEPTH];  // depth, '{' or '['
  bool has[JSON_OUT_DEPTH];      // depth, an element was written: the next one needs a comma
} JsonOut;                       // {0} is an empty text

void json_out_open(JsonOut *j, const char *key, char bracket);        // '{' or '['
void json_out_close(JsonOut *j);                                      // the innermost one
void json_out_string(JsonOut *j, const char *key, const char *text);  // NULL gives null
void json_out_int(JsonOut *j, const char *key, int x);
void json_out_bool(JsonOut *j, const char *key, bool x);
void json_out_number(JsonOut *j, const char *key, double x);
void json_out_vector(JsonOut *j, const char *key, const double *x, int n);

#endif
