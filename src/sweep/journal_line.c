// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>

#include "sweep/journal.h"

static void number(TextBuf *b, const char *key, double x) {
  textbuf_addf(b, ", \"%s\": ", key);
  if (isfinite(x)) textbuf_add_double(b, x);
  else textbuf_add(b, "null");
}

// times: no clock is that good
static void short_number(TextBuf *b, const char *key, double x) {
  if (isfinite(x)) textbuf_addf(b, ", \"%s\": %.6g", key, x);
  else textbuf_addf(b, ", \"%s\": null", key);
}

// absent if empty
static void text(TextBuf *b, const char *key, const char *value) {
  if (!value || !*value) return;
  textbuf_addf(b, ", \"%s\": ", key);
  textbuf_add_json_string(b, value);
}

static void add_point(TextBuf *b, int n_axis, const JournalAxis *axis, const double *value,
                      const double *target) {
  textbuf_add(b, ", \"point\": {");
  for (int i = 0; i < n_axis; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_json_string(b, axis[i].name);
    textbuf_add(b, ": ");
    if (axis[i].n_label) textbuf_add(b, axis[i].label[(int)value[i]]);
    else textbuf_add_double(b, value[i]);
  }
  textbuf_add(b, "}");
  if (!target) return;
  textbuf_add(b, ", \"target\": [");
  for (int k = 0; k < 3; k++) {
    if (k) textbuf_add(b, ", ");
    textbuf_add_double(b, target[k]);
  }
  textbuf_add(b, "]");
}

static void add_case(TextBuf *b, const JournalCase *c) {
  textbuf_add(b, ", \"case\": {\"name\": ");
  textbuf_add_json_string(b, c->name);
  text(b, "cost", c->cost);
  text(b, "formulation", c->formulation);
  text(b, "layout", c->layout);
  text(b, "strategy", c->strategy);
  text(b, "guess", c->guess);
  text(b, "linear_solver", c->linear_solver);
  if (c->seed >= 0) textbuf_addf(b, ", \"seed\": %d", c->seed);
  textbuf_add(b, "}");
}

static void add_figures(TextBuf *b, const JournalRun *r) {
  number(b, "objective", r->objective);
  textbuf_addf(b, ", \"iterations\": %d, \"solves\": %d", r->iterations, r->solves);
  short_number(b, "cpu_s", r->cpu_s);
  short_number(b, "wall_s", r->wall_s);
  short_number(b, "solve_cpu_s", r->solve_cpu_s);
  short_number(b, "setup_s", r->setup_s);
  short_number(b, "evaluation_s", r->evaluation_s);
  short_number(b, "linear_solver_s", r->linear_solver_s);
  text(b, "linear_solver", r->solver);
  short_number(b, "defect", r->defect);
  short_number(b, "terminal_error", r->terminal_error);
  short_number(b, "error_estimate", r->error_estimate);
  if (r->refined_degree) {
    textbuf_addf(b, ", \"refined\": {\"degree\": %d", r->refined_degree);
    number(b, "objective", r->refined_objective);
    short_number(b, "defect", r->refined_defect);
    short_number(b, "cpu_s", r->refined_cpu_s);
    textbuf_add(b, "}");
  }
  if (r->nlp[0]) {
    textbuf_addf(b, ", \"nlp\": [%d, %d, %d, %d]", r->nlp[0], r->nlp[1], r->nlp[2], r->nlp[3]);
  }
  if (isfinite(r->operations[0])) {
    textbuf_addf(b, ", \"operations\": [%.0f, %.0f, %.0f]", r->operations[0], r->operations[1],
                 r->operations[2]);
  }
}

void journal_line(TextBuf *b, int n_axis, const JournalAxis *axis, const double *value,
                  const double *target, const JournalCase *c, const JournalRun *r) {
  textbuf_addf(b, "{\"key\": \"%016" PRIx64 "\", \"index\": %d", r->key, r->index);
  add_point(b, n_axis, axis, value, target);
  add_case(b, c);
  text(b, "status", r->status);
  text(b, "message", r->message);
  textbuf_addf(b, ", \"solved\": %s, \"verified\": %s", r->solved ? "true" : "false",
               r->verified ? "true" : "false");
  add_figures(b, r);
  if (r->round) textbuf_addf(b, ", \"round\": %d", r->round);
  if (r->source) textbuf_addf(b, ", \"source\": \"%016" PRIx64 "\"", r->source);
  if (r->mirrored) textbuf_add(b, ", \"mirrored\": true");
  if (r->bytes > 0) {
    textbuf_addf(b, ", \"trajectory\": {\"offset\": %" PRId64 ", \"bytes\": %" PRId64 "}",
                 r->offset, r->bytes);
  }
  textbuf_add(b, "}\n");
}
