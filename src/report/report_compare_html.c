// SPDX-License-Identifier: MIT
#include "report/report_compare_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_figure.h"
#include "report/report_internal.h"
#include "report/report_svg.h"
#include "report/report_text.h"
#include "report/report_words.h"

// page/*, made into strings by the build
extern const char report_compare_html[], report_page_css[], report_compare_css[],
    report_basics_js[], report_motion_js[], report_scene_js[], report_plot_js[], report_player_js[],
    report_compare_js[], report_compare_map_js[], report_compare_motion_js[],
    report_compare_tables_js[];

typedef struct Maker {
  const Compare *c;
  const ComparePage *page;
  long long *motion;      // n_run, where its motion begins; -1: none
  ReportMotions motions;  //
} Maker;

// ---- motions -----------------------------------------------------------------------------------

static Status add_motion(Maker *m, int run, Error *err) {
  const CompareRun *r = &m->c->run[run];
  Trajectory *t;
  Status status = journal_trajectory(&t, r->journal, r->source, err);
  if (status != STATUS_OK) {
    // a motion that can't be read is one that was not kept
    if (status != STATUS_NO_MEMORY) *err = (Error){0};
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
  }
  size_t offset = 0;
  if (t->nv == m->page->model->nv && t->nu == m->page->model->nu) {
    if (report_motions_add(&m->motions, t, &offset)) m->motion[run] = (long long)offset;
    else status = error_no_memory(err);
  }
  trajectory_free(t);
  return status;
}

static Status collect_motions(Maker *m, Error *err) {
  const Compare *c = m->c;
  size_t room = (size_t)(m->page->motions_mb * 1e6 * 3 / 4 * 76 / 77);
  for (int i = 0; i < c->n_run; i++) m->motion[i] = -1;
  if (!m->page->model) return STATUS_OK;
  for (int v = 0; v < c->n_view; v++) {
    for (int k = 0; k < c->n_case; k++) {
      if (c->group[c->kase[k].group].view != v) continue;
      for (int p = 0; p < c->n_point; p++) {
        const CompareRun *r = compare_at(c, k, p);
        if (!r || !r->good || r->source->bytes <= 0) continue;
        if (m->motions.n >= room) {
          m->motions.n_left++;
          continue;
        }
        Status status = add_motion(m, (int)(r - c->run), err);
        if (status != STATUS_OK) return status;
      }
    }
  }
  return STATUS_OK;
}

// ---- data --------------------------------------------------------------------------------------

static void separator(TextBuf *b, int i) {
  if (i) textbuf_add(b, ",");
}

static void add_points(const Compare *c, TextBuf *b) {
  textbuf_add(b, "\"points\": {\"index\": [");
  for (int p = 0; p < c->n_point; p++) {
    textbuf_add(b, p ? ",[" : "[");
    for (int i = 0; i < c->n_axis; i++) {
      separator(b, i);
      textbuf_addf(b, "%d", c->point[p].index[i]);
    }
    textbuf_add(b, "]");
  }
  textbuf_add(b, "],\n\"target\": [");
  for (int p = 0; p < c->n_point; p++) {
    const double *t = c->point[p].target;
    separator(b, p);
    if (c->point[p].has_target) textbuf_addf(b, "[%.6g,%.6g,%.6g]", t[0], t[1], t[2]);
    else textbuf_add(b, "null");
  }
  textbuf_add(b, "],\n\"mirror\": [");
  for (int p = 0; p < c->n_point; p++) separator(b, p), textbuf_addf(b, "%d", c->point[p].mirror);
  textbuf_add(b, "]},\n");
}

static void add_value(TextBuf *b, const CompareRun *r, int measure) {
  double x = r->value[measure];
  if (!isfinite(x)) textbuf_add(b, "null");
  else textbuf_addf(b, measure == COMPARE_OBJECTIVE ? "%.10g" : "%.5g", x);
}

static void add_runs(const Maker *m, TextBuf *b) {
  const Compare *c = m->c;
  textbuf_add(b, "\"runs\": {\"case\": [");
  for (int i = 0; i < c->n_run; i++) separator(b, i), textbuf_addf(b, "%d", c->run[i].kase);
  textbuf_add(b, "],\n\"point\": [");
  for (int i = 0; i < c->n_run; i++) separator(b, i), textbuf_addf(b, "%d", c->run[i].point);
  textbuf_add(b, "],\n\"good\": [");
  for (int i = 0; i < c->n_run; i++) separator(b, i), textbuf_addf(b, "%d", c->run[i].good);
  textbuf_add(b, "],\n\"motion\": [");
  for (int i = 0; i < c->n_run; i++) separator(b, i), textbuf_addf(b, "%lld", m->motion[i]);
  textbuf_add(b, "],\n\"status\": [");
  for (int i = 0; i < c->n_run; i++) {
    // the usual one goes without saying
    const JournalRun *s = c->run[i].source;
    separator(b, i);
    if (c->run[i].good) textbuf_add(b, "0");
    else textbuf_add_json_string(b, s->solved ? "solved, but not verified" : s->status);
  }
  textbuf_add(b, "],\n\"value\": {");
  for (int k = 0; k < N_COMPARE_MEASURES; k++) {
    textbuf_addf(b, "%s\"%s\": [", k ? ",\n" : "", compare_measures[k].name);
    for (int i = 0; i < c->n_run; i++) separator(b, i), add_value(b, &c->run[i], k);
    textbuf_add(b, "]");
  }
  textbuf_add(b, "}},\n");
}

static void add_measures(TextBuf *b) {
  textbuf_add(b, "\"measures\": [");
  for (int k = 0; k < N_COMPARE_MEASURES; k++) {
    const CompareMeasureInfo *info = &compare_measures[k];
    textbuf_addf(b, "%s{\"name\": \"%s\", \"title\": \"%s\", \"unit\": \"%s\", \"scale\": %g}",
                 k ? ", " : "", info->name, info->title, info->unit, info->scale);
  }
  textbuf_add(b, "],\n\"colours\": [");
  for (int k = 0; k <= 64; k++) {
    char colour[8];
    svg_viridis(k / 64.0, colour);
    textbuf_addf(b, "%s\"%s\"", k ? ", " : "", colour);
  }
  textbuf_add(b, "],\n");
}

static void add_limit(TextBuf *b, int i, double low, double high) {
  textbuf_add(b, i ? ", [" : "[");
  report_add_number(b, low);
  textbuf_add(b, ", ");
  report_add_number(b, high);
  textbuf_add(b, "]");
}

static void add_robot(const Model *m, TextBuf *b) {
  report_robot(m, b);
  textbuf_add(b, "\"limits\": {\"q\": [");
  for (int i = 0; i < m->nv; i++) add_limit(b, i, m->joint[i].lower, m->joint[i].upper);
  textbuf_add(b, "], \"u\": [");
  for (int k = 0; k < m->nu; k++) {
    double most = m->joint[m->u_joint[k]].effort;
    add_limit(b, k, -most, most);
  }
  textbuf_add(
      b, "]},\n\"goal\": {\"frame\": null, \"position\": [null, null, null], \"joints\": []},\n"
         "\"obstacles\": [],\n");
}

static void add_views(const Compare *c, TextBuf *b) {
  textbuf_add(b, "\"views\": [");
  for (int v = 0; v < c->n_view; v++) {
    separator(b, v);
    textbuf_add(b, "{\"title\": ");
    textbuf_add_json_string(b, c->view[v].title);
    textbuf_add(b, ", \"groups\": [");
    for (int i = 0; i < c->view[v].n_group; i++) {
      separator(b, i);
      textbuf_addf(b, "%d", c->view[v].group[i]);
    }
    textbuf_add(b, "]}");
  }
  textbuf_add(b, "],\n");
}

static void add_data(const Maker *m, TextBuf *b) {
  const ComparePage *page = m->page;
  JsonOut json = {0};
  textbuf_add(b, "{");
  add_measures(b);
  add_views(m->c, b);
  add_points(m->c, b);
  add_runs(m, b);
  if (page->model) add_robot(page->model, b);
  textbuf_addf(b, "\"motions_left_out\": %d,\n\"compare\": ", m->motions.n_left);
  compare_write_json(m->c, page->terms, page->n_terms, NULL, &json);
  if (json.buf.failed) b->failed = true;
  else textbuf_add(b, json.buf.text);
  textbuf_free(&json.buf);
  textbuf_add(b, "}\n");
}

// ---- pieces of the page ------------------------------------------------------------------------

static void add_title(const Maker *m, TextBuf *b) {
  const char *name = m->page->title;
  if (!*name) name = m->c->run[0].journal->name;
  report_add_escaped(b, *name ? name : "Comparison");
}

// paragraphs; what is indented belongs to the one before
static void add_words(const Compare *c, TextBuf *b) {
  TextBuf words = {0};
  words_write(c, &words);
  if (words.failed) b->failed = true;
  for (const char *at = words.failed || !words.text ? "" : words.text; *at;) {
    size_t indent = strspn(at, " "), n = strcspn(at, "\n");
    TextBuf line = {0};
    textbuf_addf(&line, "%.*s", (int)(n - indent), at + indent);
    textbuf_addf(b, "<p class=\"level%d\">", (int)indent / 2);
    if (!line.failed) report_add_escaped(b, line.text);
    textbuf_add(b, "</p>\n");
    textbuf_free(&line);
    at += n + (at[n] == '\n');
  }
  textbuf_free(&words);
}

static void add_figures(const Compare *c, TextBuf *b) {
  for (int v = 0; v < c->n_view; v++) {
    textbuf_addf(b, "<div class=\"figures\" data-view=\"%d\"%s>\n", v, v ? " hidden" : "");
    for (int i = 0; i < N_FIGURES; i++) {
      const FigureInfo *info = &figures[i];
      if (figure_per_set(info) || info->kind == FIGURE_MOTION) continue;  // the page has its own
      FigureChoice f = {.info = info, .view = v, .point = -1};
      Error ignored = {0};
      textbuf_addf(b, "<figure id=\"fig-%s-%d\"><figcaption>", info->name, v);
      report_add_escaped(b, info->title);
      textbuf_add(b, "</figcaption>\n");
      figure_write(c, &f, b, &ignored);
      textbuf_add(b, "</figure>\n");
    }
    textbuf_add(b, "</div>\n");
  }
}

static void add_script(const Maker *m, TextBuf *b) {
  const char *const scripts[] = {report_basics_js,
                                 report_plot_js,
                                 m->page->model ? report_motion_js : "",
                                 m->page->model ? report_scene_js : "",
                                 m->page->model ? report_player_js : "",
                                 report_compare_js,
                                 report_compare_map_js,
                                 m->page->model ? report_compare_motion_js : "",
                                 report_compare_tables_js};
  for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) textbuf_add(b, scripts[i]);
}

static void add_mark(const Maker *m, const char *mark, size_t n, TextBuf *b) {
  if (strncmp(mark, "title", n) == 0) {
    add_title(m, b);
  } else if (strncmp(mark, "style", n) == 0) {
    textbuf_add(b, report_page_css);
    textbuf_add(b, report_compare_css);
  } else if (strncmp(mark, "words", n) == 0) {
    add_words(m->c, b);
  } else if (strncmp(mark, "figures", n) == 0) {
    add_figures(m->c, b);
  } else if (strncmp(mark, "motions", n) == 0) {
    report_add_base64(b, m->motions.bytes, m->motions.n);
  } else if (strncmp(mark, "script", n) == 0) {
    add_script(m, b);
  } else {  // data
    TextBuf json = {0};
    add_data(m, &json);
    if (json.failed) b->failed = true;
    else report_add_script_json(b, json.text);
    textbuf_free(&json);
  }
}

Status compare_html(const Compare *c, const ComparePage *page, TextBuf *b, Error *err) {
  Maker m = {.c = c, .page = page};
  m.motion = malloc(((size_t)c->n_run + 1) * sizeof *m.motion);
  if (!m.motion) return error_no_memory(err);
  Status status = collect_motions(&m, err);
  const char *text = report_compare_html;
  for (const char *mark; status == STATUS_OK && (mark = strstr(text, "{{"));) {
    size_t n = strcspn(mark + 2, "}");
    textbuf_addf(b, "%.*s", (int)(mark - text), text);
    add_mark(&m, mark + 2, n, b);
    text = mark + 2 + n + 2;
  }
  textbuf_add(b, text);
  free(m.motions.bytes);
  free(m.motion);
  return status == STATUS_OK && b->failed ? error_no_memory(err) : status;
}
