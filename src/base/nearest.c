// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 63, SHORTEST_PREFIX = 3 };

static int letter(char c) {
  return c == '-' ? '_' : tolower((unsigned char)c);
}

static int length(const char *text) {
  size_t n = strlen(text);
  return n < LONGEST ? (int)n : LONGEST;
}

static int min(int a, int b) {
  return a < b ? a : b;
}

// optimal string alignment: rows of the table are kept for i-2, i-1 and i
int nearest_distance(const char *a, const char *b) {
  int na = length(a), nb = length(b);
  int row[3][LONGEST + 1];
  for (int j = 0; j <= nb; j++) row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int differ = letter(a[i - 1]) != letter(b[j - 1]);
      now[j] = min(min(last[j] + 1, now[j - 1] + 1), last[j - 1] + differ);
      bool swapped = i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) &&
                     letter(a[i - 2]) == letter(b[j - 1]);
      if (swapped) now[j] = min(now[j], before[j - 2] + 1);
    }
  }
  return row[na % 3][nb];
}

static bool is_prefix(const char *word, const char *name) {
  int n = length(word);
  if (n < SHORTEST_PREFIX) return false;
  for (int i = 0; i < n; i++) {
    if (letter(word[i]) != letter(name[i])) return false;  // also at the end of name
  }
  return true;
}

const char *nearest_name(const char *word, const char *const *names, int n) {
  const char *best = NULL;
  int least = 0;
  for (int i = 0; i < n; i++) {
    if (!names[i]) continue;
    int longer = length(word) > length(names[i]) ? length(word) : length(names[i]);
    int allowed = longer <= 3 ? 1 : (longer + 2) / 3;
    int d = nearest_distance(word, names[i]);
    if (d > allowed && is_prefix(word, names[i])) d = allowed;
    if (d > allowed || d >= longer) continue;
    if (!best || d < least) {
      best = names[i];
      least = d;
    }
  }
  return best;
}
