// SPDX-License-Identifier: MIT
// A trajectory as a table of numbers, for numpy.loadtxt, readtable and spreadsheets.
#include <math.h>

#include "ocp/trajectory.h"

static void add_names(TextBuf *b, const char *prefix, const Model *m, int n, const int *joint) {
  for (int i = 0; i < n; i++) {
    textbuf_addf(b, ",%s.%s", prefix, m->joint[joint ? joint[i] : i].name);
  }
}

static void add_number(TextBuf *b, double x) {
  if (isfinite(x)) textbuf_add_double(b, x);
  else textbuf_add(b, "nan");
}

static void add_numbers(TextBuf *b, int n, const double *x) {
  for (int i = 0; i < n; i++) {
    textbuf_add(b, ",");
    add_number(b, x[i]);
  }
}

void trajectory_write_csv(const Trajectory *t, const Model *m, TextBuf *b) {
  textbuf_add(b, "time");
  add_names(b, "q", m, t->nv, NULL);
  add_names(b, "v", m, t->nv, NULL);
  add_names(b, "a", m, t->nv, NULL);
  add_names(b, "u", m, t->nu, m->u_joint);
  textbuf_add(b, "\n");
  Arena *arena = arena_new();
  double *a = arena_array(arena, (size_t)t->nv, sizeof *a);
  double *u = arena_array(arena, (size_t)t->nu, sizeof *u);
  if (!a || !u) b->failed = true;
  for (int k = 0; !b->failed && k <= t->n_interval; k++) {
    size_t node = (size_t)k * (size_t)t->nv;
    trajectory_state(t, t->time[k], NULL, NULL, a);
    trajectory_control(t, t->time[k], u);
    add_number(b, t->time[k]);
    add_numbers(b, t->nv, t->q + node);
    add_numbers(b, t->nv, t->v + node);
    add_numbers(b, t->nv, a);
    add_numbers(b, t->nu, u);
    textbuf_add(b, "\n");
  }
  arena_free(arena);
}
