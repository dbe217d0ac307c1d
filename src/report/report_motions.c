// SPDX-License-Identifier: MIT
// Motions packed for a page.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

static const double LEVELS = 65535;
static const double EVEN = 1e-6;  // of the horizon: nodes count as evenly spread

static void put16(ReportMotions *m, unsigned x) {
  m->bytes[m->n++] = (unsigned char)(x & 255);
  m->bytes[m->n++] = (unsigned char)(x >> 8 & 255);
}

static void put_float(ReportMotions *m, double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  put16(m, bits & 0xffff);
  put16(m, bits >> 16);
}

// every stride-th of n values
static void put_channel(ReportMotions *m, const double *x, int n, int stride) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < n; k++) {
    double v = x[(size_t)k * (size_t)stride];
    if (!isfinite(v)) continue;
    low = fmin(low, v);
    high = fmax(high, v);
  }
  if (!(low <= high)) low = high = 0;
  double step = (high - low) / LEVELS;
  put_float(m, low);
  put_float(m, step);
  for (int k = 0; k < n; k++) {
    double v = x[(size_t)k * (size_t)stride];
    put16(m, step > 0 && isfinite(v) ? (unsigned)lround((v - low) / step) : 0);
  }
}

static bool evenly(const Trajectory *t) {
  int n = t->n_interval;
  for (int k = 0; k <= n; k++) {
    if (fabs(t->time[k] - t->time[n] * k / n) > EVEN * t->time[n]) return false;
  }
  return true;
}

static bool reserve(ReportMotions *m, size_t more) {
  if (m->n + more <= m->cap) return true;
  size_t cap = m->cap ? m->cap : 1 << 20;
  while (cap < m->n + more) cap *= 2;
  unsigned char *bytes = realloc(m->bytes, cap);
  if (!bytes) return false;
  m->bytes = bytes;
  m->cap = cap;
  return true;
}

bool report_motions_add(ReportMotions *m, const Trajectory *t, size_t *offset) {
  int nodes = t->n_interval + 1;
  size_t values = (size_t)nodes * (size_t)(t->nv + 1) + (size_t)t->n_control * (size_t)t->nu;
  if (!reserve(m, 12 + 2 * values + 8 * (size_t)(t->nv + t->nu))) return false;
  bool even = evenly(t);
  double horizon = t->time[t->n_interval];
  *offset = m->n;
  put16(m, (unsigned)nodes);
  put16(m, (unsigned)t->n_control);
  put16(m, even);
  put16(m, 0);
  put_float(m, horizon);
  for (int k = 0; !even && k < nodes; k++) {
    put16(m, (unsigned)lround(LEVELS * fmin(1, fmax(0, t->time[k] / horizon))));
  }
  for (int i = 0; i < t->nv; i++) put_channel(m, t->q + i, nodes, t->nv);
  for (int i = 0; i < t->nu; i++) put_channel(m, t->u + i, t->n_control, t->nu);
  m->n_kept++;
  return true;
}

void report_add_base64(TextBuf *b, const unsigned char *bytes, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char line[77];
  int at = 0;
  for (size_t i = 0; i < n; i += 3) {
    unsigned x = (unsigned)bytes[i] << 16;
    if (i + 1 < n) x |= (unsigned)bytes[i + 1] << 8;
    if (i + 2 < n) x |= bytes[i + 2];
    line[at++] = digits[x >> 18];
    line[at++] = digits[x >> 12 & 63];
    line[at++] = i + 1 < n ? digits[x >> 6 & 63] : '=';
    line[at++] = i + 2 < n ? digits[x & 63] : '=';
    if (at == 76 || i + 3 >= n) {
      line[at] = '\0';
      textbuf_add(b, line);
      textbuf_add(b, "\n");
      at = 0;
    }
  }
}
