// SPDX-License-Identifier: MIT
#include "report/report_text.h"

#include <math.h>
#include <string.h>

void report_add_escaped(TextBuf *b, const char *text) {
  while (*text) {
    size_t n = strcspn(text, "&<>\"");
    textbuf_addf(b, "%.*s", (int)n, text);
    text += n;
    if (!*text) break;
    textbuf_add(b, *text == '&'   ? "&amp;"
                   : *text == '<' ? "&lt;"
                   : *text == '>' ? "&gt;"
                                  : "&quot;");
    text++;
  }
}

void report_add_script_json(TextBuf *b, const char *json) {
  for (const char *less; (less = strchr(json, '<')); json = less + 1) {
    textbuf_addf(b, "%.*s\\u003c", (int)(less - json), json);
  }
  textbuf_add(b, json);
}

void report_add_number(TextBuf *b, double x) {
  if (isfinite(x)) textbuf_add_double(b, x);
  else textbuf_add(b, "null");
}
