// SPDX-License-Identifier: MIT
#include "sim/sim_step.h"

#include <string.h>

static const SimScheme schemes[] = {
    {.name = "euler", .order = 1, .stages = 1, .c = {0}, .b = {1}},
    {.name = "rk2", .order = 2, .stages = 2, .c = {0, 0.5}, .b = {0, 1}},
    {.name = "rk4",
     .order = 4,
     .stages = 4,
     .c = {0, 0.5, 0.5, 1},
     .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
};

const char sim_scheme_names[] = "euler, rk2, rk4";

const SimScheme *sim_scheme_find(const char *name) {
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    if (strcmp(schemes[i].name, name) == 0) return &schemes[i];
  }
  return NULL;
}

bool sim_step(const SimScheme *s, int n, SimRate *f, void *data, double t, double h, double *x,
              double *work) {
  double *stage = work, *rate = work + n, *sum = work + 2 * (size_t)n;
  memset(work, 0, 3 * (size_t)n * sizeof *work);
  for (int k = 0; k < s->stages; k++) {
    for (int i = 0; i < n; i++) stage[i] = x[i] + s->c[k] * h * rate[i];
    if (!f(data, t + s->c[k] * h, stage, rate)) return false;
    for (int i = 0; i < n; i++) sum[i] += s->b[k] * rate[i];
  }
  for (int i = 0; i < n; i++) x[i] += h * sum[i];
  return true;
}
