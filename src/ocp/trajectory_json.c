// SPDX-License-Identifier: MIT
// Writes the "trajectory" object of a result file; trajectory_read.c reads it back.
#include <math.h>

#include "ocp/trajectory.h"

// "key": ["a", "b"]; joint: which, NULL for all
static void add_names(TextBuf *b, const char *key, const Model *m, int n, const int *joint) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_json_string(b, m->joint[joint ? joint[i] : i].name);
  }
  textbuf_add(b, "],\n");
}

static void add_row(TextBuf *b, int n, const double *x) {
  textbuf_add(b, "[");
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ", ");
    if (isfinite(x[i])) textbuf_add_double(b, x[i]);
    else textbuf_add(b, "null");
  }
  textbuf_add(b, "]");
}

// "key": one row per instant; x: n x n_row
static void add_rows(TextBuf *b, const char *key, int n, int n_row, const double *x,
                     const char *end) {
  textbuf_addf(b, "\"%s\": [\n", key);
  for (int k = 0; k < n_row; k++) {
    add_row(b, n, x + (size_t)k * (size_t)n);
    textbuf_add(b, k + 1 < n_row ? ",\n" : "]");
  }
  textbuf_add(b, end);
}

// accelerations at the nodes
static void add_accelerations(TextBuf *b, const Trajectory *t) {
  Arena *arena = arena_new();
  size_t n = (size_t)t->nv, nodes = (size_t)t->n_interval + 1;
  double *a = arena_array(arena, n * nodes, sizeof *a);
  if (!a) b->failed = true;
  for (size_t k = 0; a && k < nodes; k++) {
    trajectory_state(t, t->time[k], NULL, NULL, a + k * n);
  }
  if (a) add_rows(b, "a", t->nv, (int)nodes, a, ",\n");
  arena_free(arena);
}

void trajectory_write_json(const Trajectory *t, const Model *m, TextBuf *b) {
  int nodes = t->n_interval + 1, points = t->n_interval * t->n_point;
  textbuf_add(b, "{");
  add_names(b, "joints", m, t->nv, NULL);
  add_names(b, "actuators", m, t->nu, m->u_joint);
  textbuf_addf(b, "\"control\": \"%s\",\n\"time\": ", trajectory_control_kind(t));
  add_row(b, nodes, t->time);
  textbuf_add(b, ",\n");
  add_rows(b, "q", t->nv, nodes, t->q, ",\n");
  add_rows(b, "v", t->nv, nodes, t->v, ",\n");
  add_accelerations(b, t);
  add_rows(b, "u", t->nu, t->n_control, t->u, ",\n");
  textbuf_add(b, "\"points\": {\"place\": ");
  add_row(b, t->n_point, t->point);
  textbuf_add(b, ",\n");
  add_rows(b, "q", t->nv, points, t->pq, ",\n");
  add_rows(b, "v", t->nv, points, t->pv, ",\n");
  add_rows(b, "a", t->nv, points, t->pa, "}}");
}
