// SPDX-License-Identifier: MIT
#include "cli/sparkline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { N_LEVELS = 8 };

static const char *const blocks[N_LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                             "\u2585", "\u2586", "\u2587", "\u2588"};
static const char *const letters[N_LEVELS] = {"_", ".", "-", "~", "=", "+", "*", "#"};

// what the environment says of the terminal's characters: the first that is set counts
static bool speaks_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++) {
    const char *value = getenv(names[i]);
    if (!value || !*value) continue;
    return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") ||
           strstr(value, "utf-8");
  }
  return false;
}

// mean of the finite values of x[from..to-1]; NAN if there is none
static double mean(const double *x, int from, int to) {
  double sum = 0;
  int n = 0;
  for (int i = from; i < to; i++) {
    if (!isfinite(x[i])) continue;
    sum += x[i];
    n++;
  }
  return n ? sum / n : NAN;
}

void sparkline_put(FILE *to, const double *x, int n, int width) {
  const char *const *level = speaks_utf8() ? blocks : letters;
  double least = INFINITY, largest = -INFINITY, size = 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) continue;
    least = fmin(least, x[i]);
    largest = fmax(largest, x[i]);
    size = fmax(size, fabs(x[i]));
  }
  double range = largest - least;
  bool flat = range <= 1e-9 * fmax(size, 1e-3);  // rounding errors are no curve
  for (int c = 0; c < width; c++) {
    int from = (int)((long long)c * n / width), end = (int)((long long)(c + 1) * n / width);
    double y = mean(x, from, end > from ? end : from + 1);
    if (isnan(y)) {
      putc(' ', to);
      continue;
    }
    int at = flat ? 0 : (int)((y - least) / range * N_LEVELS);
    fputs(level[at < N_LEVELS ? at : N_LEVELS - 1], to);
  }
}
