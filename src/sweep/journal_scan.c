// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/journal_internal.h"

static void skip_blanks(JournalScan *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r')) s->p++;
}

// passes over a character that must come next
static bool take(JournalScan *s, char c) {
  skip_blanks(s);
  if (s->bad || s->p >= s->end || *s->p != c) return false;
  s->p++;
  return true;
}

static bool take_word(JournalScan *s, const char *word) {
  skip_blanks(s);
  size_t n = strlen(word);
  if (s->bad || (size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) return false;
  s->p += n;
  return true;
}

bool journal_scan_open(JournalScan *s, char bracket) {
  if (!take(s, bracket)) s->bad = true;
  return !s->bad;
}

// whether another member follows: a comma between, the closing bracket at the end
static bool more(JournalScan *s, bool *first, char closing) {
  if (s->bad || take(s, closing)) return false;
  if (!*first && !take(s, ',')) s->bad = true;
  *first = false;
  return !s->bad;
}

const char *journal_scan_key(JournalScan *s, bool *first) {
  if (!more(s, first, '}')) return NULL;
  const char *key = journal_scan_string(s);
  if (!take(s, ':')) s->bad = true;
  return s->bad ? NULL : key;
}

bool journal_scan_item(JournalScan *s, bool *first) {
  return more(s, first, ']');
}

double journal_scan_number(JournalScan *s) {
  if (take_word(s, "null")) return NAN;
  skip_blanks(s);
  if (s->bad || s->p >= s->end) return s->bad = true, NAN;
  char *after = s->p;
  double x = strtod(s->p, &after);
  if (after == s->p || after > s->end) return s->bad = true, NAN;
  s->p = after;
  return x;
}

bool journal_scan_bool(JournalScan *s) {
  if (take_word(s, "true")) return true;
  if (!take_word(s, "false")) s->bad = true;
  return false;
}

// the character of an escape behind its backslash; what we write has no others
static int unescape(const char *p, int *used) {
  *used = 1;
  switch (*p) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '"':
    case '\\':
    case '/': return *p;
    case 'u': {
      char digits[5] = {0};
      memcpy(digits, p + 1, 4);
      char *after = digits;
      long code = strtol(digits, &after, 16);
      *used = 5;
      return after == digits + 4 && code > 0 && code < 0x80 ? (int)code : -1;
    }
    default: return -1;
  }
}

char *journal_scan_string(JournalScan *s) {
  static char none[1];
  if (take_word(s, "null")) return none;
  if (!take(s, '"')) return s->bad = true, none;
  char *begin = s->p, *to = s->p;
  while (s->p < s->end && *s->p != '"') {
    if (*s->p != '\\') {
      *to++ = *s->p++;
      continue;
    }
    int used = 1, c = s->end - s->p > 6 ? unescape(s->p + 1, &used) : -1;
    if (c < 0) return s->bad = true, none;
    *to++ = (char)c;
    s->p += 1 + used;
  }
  if (s->p >= s->end) return s->bad = true, none;
  s->p++;
  *to = '\0';  // at the closing quote at the latest
  return begin;
}

uint64_t journal_scan_hex(JournalScan *s) {
  const char *text = journal_scan_string(s);
  char *after = NULL;
  uint64_t x = strtoull(text, &after, 16);
  if (strlen(text) != 16 || *after) s->bad = true;
  return x;
}

char *journal_scan_raw(JournalScan *s, size_t *n) {
  skip_blanks(s);
  char *begin = s->p;
  int depth = 0;
  bool text = false;
  for (; !s->bad && s->p < s->end; s->p++) {
    char c = *s->p;
    if (text) {
      if (c == '\\') s->p++;
      else if (c == '"') text = false;
    } else if (c == '"') {
      text = true;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == '}' || c == ']') {
      if (depth == 0) break;
      depth--;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  if (s->p >= s->end || text) s->bad = true;
  *n = (size_t)(s->p - begin);
  while (*n > 0 && (begin[*n - 1] == ' ' || begin[*n - 1] == '\t')) (*n)--;
  if (*n == 0) s->bad = true;
  return begin;
}
