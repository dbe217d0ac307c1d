// SPDX-License-Identifier: MIT
#include "base/json_out.h"

#include <assert.h>
#include <math.h>

// what comes before a value: comma, line break, key
static void begin_value(JsonOut *j, const char *key, bool opens_object) {
  if (j->depth > 0) {
    int top = j->depth - 1;
    assert((key != NULL) == (j->bracket[top] == '{'));
    // one line per element of an array of objects, and per key of the outermost object
    bool new_line = top == 0 || (opens_object && !key);
    if (j->has[top]) textbuf_add(&j->buf, new_line ? "," : ", ");
    if (new_line) textbuf_addf(&j->buf, "\n%*s", 2 * j->depth, "");
    j->has[top] = true;
  }
  if (!key) return;
  textbuf_add_json_string(&j->buf, key);
  textbuf_add(&j->buf, ": ");
}

void json_out_open(JsonOut *j, const char *key, char bracket) {
  assert(j->depth < JSON_OUT_DEPTH && (bracket == '{' || bracket == '['));
  begin_value(j, key, bracket == '{');
  textbuf_add(&j->buf, bracket == '{' ? "{" : "[");
  j->bracket[j->depth] = bracket;
  j->has[j->depth] = false;
  j->depth++;
}

void json_out_close(JsonOut *j) {
  assert(j->depth > 0);
  j->depth--;
  if (j->depth == 0) textbuf_add(&j->buf, "\n");
  textbuf_add(&j->buf, j->bracket[j->depth] == '{' ? "}" : "]");
}

void json_out_string(JsonOut *j, const char *key, const char *text) {
  begin_value(j, key, false);
  if (text) textbuf_add_json_string(&j->buf, text);
  else textbuf_add(&j->buf, "null");
}

void json_out_int(JsonOut *j, const char *key, int x) {
  begin_value(j, key, false);
  textbuf_addf(&j->buf, "%d", x);
}

void json_out_bool(JsonOut *j, const char *key, bool x) {
  begin_value(j, key, false);
  textbuf_add(&j->buf, x ? "true" : "false");
}

void json_out_number(JsonOut *j, const char *key, double x) {
  begin_value(j, key, false);
  if (isfinite(x)) textbuf_add_double(&j->buf, x);
  else textbuf_add(&j->buf, "null");
}

void json_out_vector(JsonOut *j, const char *key, const double *x, int n) {
  json_out_open(j, key, '[');
  for (int i = 0; i < n; i++) json_out_number(j, NULL, x[i]);
  json_out_close(j);
}
