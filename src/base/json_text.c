// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 60, FOUND_SIZE = 48, LONGEST_NAME = 160 };

typedef struct Scan {
  const char *text;  // start of all
  const char *at;    // next byte
  const char *end;   // behind the last byte
  const char *name;  // of the file
  Error *err;
} Scan;

static bool fail(Scan *s, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// an error at a byte of the text; columns count characters, not bytes
static bool fail(Scan *s, const char *at, const char *format, ...) {
  int line = 1, column = 1;
  for (const char *c = s->text; c < at; c++) {
    if (*c == '\n') {
      line++;
      column = 1;
    } else if (((unsigned char)*c & 0xc0) != 0x80) {
      column++;
    }
  }
  char where[sizeof s->err->where];
  size_t n = strlen(s->name);
  const char *tail = n > LONGEST_NAME ? s->name + n - LONGEST_NAME : s->name;
  snprintf(where, sizeof where, "%s%s: line %d, column %d", tail == s->name ? "" : "...", tail,
           line, column);
  va_list args;
  va_start(args, format);
  error_setv(s->err, STATUS_INPUT, where, format, args);
  va_end(args);
  return false;
}

static bool is_digit(const Scan *s) {
  return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.' || c == '+' || c == '-';
}

// what stands at the next byte, for messages
static const char *found(const Scan *s, char out[FOUND_SIZE]) {
  if (s->at >= s->end) return "the end of the file";
  unsigned char c = (unsigned char)*s->at;
  if (c < 0x20 || c >= 0x7f) {
    snprintf(out, FOUND_SIZE, "byte 0x%02x", c);
  } else if (!is_word(*s->at)) {
    snprintf(out, FOUND_SIZE, "'%c'", *s->at);
  } else {
    int n = 0;
    while (s->at + n < s->end && is_word(s->at[n]) && n < 24) n++;
    snprintf(out, FOUND_SIZE, "\"%.*s\"", n, s->at);
  }
  return out;
}

static bool next_is(const Scan *s, char c) {
  return s->at < s->end && *s->at == c;
}

static void skip_space(Scan *s) {
  while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) s->at++;
}

static bool digits(Scan *s, const char *after) {
  char buf[FOUND_SIZE];
  if (!is_digit(s)) return fail(s, s->at, "expected a digit %s, found %s", after, found(s, buf));
  while (is_digit(s)) s->at++;
  return true;
}

static bool check_number(Scan *s) {
  const char *start = s->at;
  if (next_is(s, '-')) s->at++;
  if (next_is(s, '0') && s->at + 1 < s->end && s->at[1] >= '0' && s->at[1] <= '9') {
    return fail(s, start, "a number can't start with 0 and another digit");
  }
  if (!digits(s, "in a number")) return false;
  if (next_is(s, '.')) {
    s->at++;
    if (!digits(s, "after the decimal point")) return false;
  }
  if (next_is(s, 'e') || next_is(s, 'E')) {
    s->at++;
    if (next_is(s, '+') || next_is(s, '-')) s->at++;
    if (!digits(s, "in an exponent")) return false;
  }
  // the parser reads numbers of bounded length; beyond 17 digits nothing is gained
  size_t n = (size_t)(s->at - start);
  char copy[LONGEST_NUMBER + 1];
  if (n > LONGEST_NUMBER) {
    return fail(s, start, "number longer than %d characters", LONGEST_NUMBER);
  }
  memcpy(copy, start, n);
  copy[n] = '\0';
  if (!isfinite(strtod(copy, NULL))) return fail(s, start, "number %s is too large", copy);
  return true;
}

// bytes of the UTF-8 character at the next byte (RFC 3629); 0 if it is none
static int utf8_length(const Scan *s) {
  const unsigned char *c = (const unsigned char *)s->at;
  if (c[0] < 0x80) return 1;
  int n = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
          : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
          : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                        : 0;
  if (n == 0 || s->end - s->at < n) return 0;
  for (int i = 1; i < n; i++) {
    if ((c[i] & 0xc0) != 0x80) return 0;
  }
  bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
  bool surrogate = c[0] == 0xed && c[1] >= 0xa0;
  bool beyond = c[0] == 0xf4 && c[1] >= 0x90;
  return overlong || surrogate || beyond ? 0 : n;
}

// the four digits behind \u; -1 if they are none
static int hex4(const char *at, const char *end) {
  int code = 0;
  for (int i = 0; i < 4; i++) {
    if (at + i >= end) return -1;
    char c = at[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

// s->at is behind the backslash
static bool check_escape(Scan *s) {
  char buf[FOUND_SIZE];
  if (s->at >= s->end || !*s->at || !strchr("\"\\/bfnrtu", *s->at)) {
    return fail(s, s->at - 1, "unknown escape in a string: \\ and %s", found(s, buf));
  }
  if (*s->at++ != 'u') return true;
  int code = hex4(s->at, s->end);
  if (code < 0) return fail(s, s->at - 2, "expected four hexadecimal digits after \\u");
  if (code == 0) return fail(s, s->at - 2, "NUL (\\u0000) in a string");
  s->at += 4;
  if (code < 0xd800 || code > 0xdfff) return true;
  // characters beyond 0xffff come as a pair
  int low = s->end - s->at >= 6 && s->at[0] == '\\' && s->at[1] == 'u' ? hex4(s->at + 2, s->end)
                                                                       : -1;
  if (code > 0xdbff || low < 0xdc00 || low > 0xdfff) {
    return fail(s, s->at - 6, "half of a surrogate pair in a string");
  }
  s->at += 6;
  return true;
}

static bool check_string(Scan *s) {
  const char *start = s->at++;
  for (;;) {
    if (s->at >= s->end) return fail(s, start, "string is not closed");
    unsigned char c = (unsigned char)*s->at;
    if (c == '"') break;
    if (c == '\n' || c == '\r') return fail(s, start, "string is not closed on its line");
    if (c < 0x20) return fail(s, s->at, "control character 0x%02x in a string", c);
    if (c == '\\') {
      s->at++;
      if (!check_escape(s)) return false;
      continue;
    }
    int n = utf8_length(s);
    if (n == 0) return fail(s, s->at, "byte 0x%02x is not UTF-8", c);
    s->at += n;
  }
  s->at++;
  return true;
}

static bool check_value(Scan *s, int depth);

// after a member or element: true if another follows, false at the end or on failure (*ok)
static bool more(Scan *s, char close, bool *ok) {
  char buf[FOUND_SIZE];
  skip_space(s);
  if (next_is(s, close)) {
    s->at++;
    return false;
  }
  if (!next_is(s, ',')) {
    *ok = fail(s, s->at, "expected ',' or '%c', found %s", close, found(s, buf));
    return false;
  }
  const char *comma = s->at++;
  skip_space(s);
  if (next_is(s, close)) *ok = fail(s, comma, "comma before '%c'", close);
  return *ok;
}

static bool check_array(Scan *s, int depth) {
  s->at++;
  skip_space(s);
  if (next_is(s, ']')) {
    s->at++;
    return true;
  }
  bool ok = true;
  do {
    if (!check_value(s, depth)) return false;
  } while (more(s, ']', &ok));
  return ok;
}

static bool check_object(Scan *s, int depth) {
  char buf[FOUND_SIZE];
  s->at++;
  skip_space(s);
  if (next_is(s, '}')) {
    s->at++;
    return true;
  }
  bool ok = true;
  do {
    skip_space(s);
    if (!next_is(s, '"')) {
      return fail(s, s->at, "expected a key in double quotes, found %s", found(s, buf));
    }
    if (!check_string(s)) return false;
    skip_space(s);
    if (!next_is(s, ':')) return fail(s, s->at, "expected ':', found %s", found(s, buf));
    s->at++;
    if (!check_value(s, depth)) return false;
  } while (more(s, '}', &ok));
  return ok;
}

static bool take_word(Scan *s, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(s->end - s->at) < n || strncmp(s->at, word, n) != 0) return false;
  if (s->at + n < s->end && is_word(s->at[n])) return false;
  s->at += n;
  return true;
}

// what people write that JSON does not have
static bool fail_value(Scan *s) {
  char buf[FOUND_SIZE];
  const char *what = found(s, buf);
  if (next_is(s, '/') || next_is(s, '#')) {
    return fail(s, s->at, "JSON has no comments; use a \"comment\" key");
  }
  if (next_is(s, '\'')) return fail(s, s->at, "strings need double quotes");
  if (next_is(s, '+') || next_is(s, '.')) {
    return fail(s, s->at, "a number must start with a digit or '-', found %s", what);
  }
  Scan ahead = *s;
  if (next_is(s, '-')) ahead.at++;
  const char *const words[] = {"NaN", "nan", "Infinity", "inf", "Inf", "infinity"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (take_word(&ahead, words[i])) {
      return fail(s, s->at, "%s is not a number in JSON; numbers must be finite", what);
    }
  }
  return fail(s, s->at, "expected a value, found %s", what);
}

static bool check_value(Scan *s, int depth) {
  skip_space(s);
  if (s->at >= s->end) return fail_value(s);
  char c = *s->at;
  if (c == '{' || c == '[') {
    if (depth == JSON_MAX_DEPTH) {
      return fail(s, s->at, "nested deeper than %d levels", JSON_MAX_DEPTH);
    }
    return c == '{' ? check_object(s, depth + 1) : check_array(s, depth + 1);
  }
  if (c == '"') return check_string(s);
  bool negative = c == '-' && s->at + 1 < s->end && s->at[1] >= '0' && s->at[1] <= '9';
  if (negative || (c >= '0' && c <= '9')) return check_number(s);
  if (take_word(s, "true") || take_word(s, "false") || take_word(s, "null")) return true;
  return fail_value(s);
}

bool json_text_check(const char *text, size_t len, const char *name, Error *err) {
  Scan s = {.text = text, .at = text, .end = text + len, .name = name, .err = err};
  const char *nul = memchr(text, '\0', len);
  if (nul) return fail(&s, nul, "NUL byte: not a text file");
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.at += 3;
  skip_space(&s);
  if (s.at == s.end) {
    error_set(err, STATUS_INPUT, name, "file is empty");
    return false;
  }
  if (!check_value(&s, 0)) return false;
  skip_space(&s);
  char buf[FOUND_SIZE];
  if (s.at < s.end) return fail(&s, s.at, "expected the end of the file, found %s", found(&s, buf));
  return true;
}
