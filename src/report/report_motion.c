// SPDX-License-Identifier: MIT
#include "report/report_motion.h"

#include <string.h>

#include "report/report_internal.h"
#include "report/report_text.h"

extern const char report_simulation_html[], report_page_css[], report_basics_js[],
    report_motion_js[], report_scene_js[], report_plot_js[], report_player_js[], report_tables_js[],
    report_simulation_js[];

// [[..], ..]: n rows of `width` numbers, `stride` apart
static void rows(TextBuf *b, const char *key, int n, int width, int stride, const double *x) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int k = 0; k < n; k++) {
    textbuf_add(b, k ? ",\n[" : "[");
    for (int i = 0; i < width; i++) {
      if (i) textbuf_add(b, ",");
      report_add_number(b, x[(size_t)k * (size_t)stride + (size_t)i]);
    }
    textbuf_add(b, "]");
  }
  textbuf_add(b, "]");
}

static void row(TextBuf *b, const char *key, int n, const double *x) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ",");
    report_add_number(b, x[i]);
  }
  textbuf_add(b, "]");
}

static void number(TextBuf *b, const char *key, double x) {
  textbuf_addf(b, "\"%s\": ", key);
  report_add_number(b, x);
  textbuf_add(b, ",\n");
}

static void add_data(const ReportMotion *r, TextBuf *b) {
  int nv = r->m->nv;
  textbuf_add(b, "{\"result\": {\"trajectory\": {");
  row(b, "time", r->n_time, r->time);
  textbuf_add(b, ",\n");
  rows(b, "q", r->n_time, nv, 2 * nv, r->x);
  textbuf_add(b, ",\n");
  rows(b, "v", r->n_time, nv, 2 * nv, r->x + nv);
  textbuf_add(b, ",\n\"a\": [], \"u\": []},\n");
  row(b, "energy", r->n_time, r->energy);
  textbuf_add(b, ",\n");
  if (r->off) {
    rows(b, "off", r->n_time, 3, 3, r->off);
    textbuf_add(b, ",\n");
  }
  number(b, "drift", r->drift);
  number(b, "worst", r->worst);
  number(b, "seconds", r->seconds);
  textbuf_addf(b, "\"steps\": %ld, \"operations\": %d},\n", r->steps, r->operations);
  report_robot(r->m, b);
  textbuf_add(b, "\"limits\": {\"q\": [");
  for (int i = 0; i < nv; i++) textbuf_add(b, i ? ", [null, null]" : "[null, null]");
  textbuf_add(b, "]}, \"goal\": {\"frame\": null, \"position\": [], \"joints\": []}, ");
  textbuf_add(b, "\"obstacles\": []}\n");
}

static void add_subtitle(const ReportMotion *r, TextBuf *b) {
  textbuf_addf(b, "%d joints", r->m->nv);
  if (r->m->n_loop) {
    textbuf_addf(b, ", %d loop%s with %d constraints", r->m->n_loop, r->m->n_loop > 1 ? "s" : "",
                 model_n_rows(r->m));
  }
  textbuf_addf(b, " \xc2\xb7 %s \xc2\xb7 %s", r->method, r->integrator);
}

static void add_mark(const ReportMotion *r, const char *mark, size_t n, TextBuf *b) {
  static const char *const scripts[] = {report_basics_js,    report_motion_js, report_scene_js,
                                        report_plot_js,      report_player_js, report_tables_js,
                                        report_simulation_js};
  if (strncmp(mark, "title", n) == 0) {
    report_add_escaped(b, r->m->name);
  } else if (strncmp(mark, "subtitle", n) == 0) {
    add_subtitle(r, b);
  } else if (strncmp(mark, "style", n) == 0) {
    textbuf_add(b, report_page_css);
  } else if (strncmp(mark, "script", n) == 0) {
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) textbuf_add(b, scripts[i]);
  } else {  // data
    TextBuf json = {0};
    add_data(r, &json);
    if (json.failed) b->failed = true;
    else report_add_script_json(b, json.text);
    textbuf_free(&json);
  }
}

void report_motion_html(const ReportMotion *r, TextBuf *b) {
  const char *page = report_simulation_html;
  for (const char *mark; (mark = strstr(page, "{{"));) {
    size_t n = strcspn(mark + 2, "}");
    textbuf_addf(b, "%.*s", (int)(mark - page), page);
    add_mark(r, mark + 2, n, b);
    page = mark + 2 + n + 2;
  }
  textbuf_add(b, page);
}
