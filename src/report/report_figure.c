// SPDX-License-Identifier: MIT
#include "report/report_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_figure_internal.h"

const FigureInfo figures[N_FIGURES] = {
    {"cost", "Cost at the optimum", FIGURE_BOXES, COMPARE_OBJECTIVE},
    {"iterations", "Number of iterations", FIGURE_BOXES, COMPARE_ITERATIONS},
    {"cpu", "CPU time", FIGURE_BOXES, COMPARE_CPU},
    {"cpu_per_iteration", "CPU time per iteration", FIGURE_BOXES, COMPARE_CPU_PER},
    {"gap", "Cost above the best known", FIGURE_BOXES, COMPARE_GAP},
    {"shares", "Where the time goes", FIGURE_SHARES, COMPARE_CPU},
    {"ratios", "Paired ratios", FIGURE_RATIOS, COMPARE_CPU},
    {"convergence", "Mean iterations by size of the grid", FIGURE_CONVERGENCE, COMPARE_ITERATIONS},
    {"targets", "Targets in space", FIGURE_TARGETS, COMPARE_OBJECTIVE},
    {"motion", "Motion to one target", FIGURE_MOTION, COMPARE_OBJECTIVE},
    {"map_cost", "Cost over the targets", FIGURE_MAP, COMPARE_OBJECTIVE},
    {"map_iterations", "Iterations over the targets", FIGURE_MAP, COMPARE_ITERATIONS},
    {"map_cpu", "CPU time over the targets", FIGURE_MAP, COMPARE_CPU},
    {"map_gap", "Cost above the best known over the targets", FIGURE_MAP, COMPARE_GAP},
};

bool figure_per_set(const FigureInfo *info) {
  return info->kind == FIGURE_MAP || info->kind == FIGURE_TARGETS;
}

Status figure_write(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err) {
  Status status = STATUS_OK;
  switch (f->info->kind) {
    case FIGURE_BOXES: figure_boxes(c, f, b); break;
    case FIGURE_MAP: status = figure_map(c, f, b, err); break;
    case FIGURE_CONVERGENCE: figure_convergence(c, f, b); break;
    case FIGURE_SHARES: figure_shares(c, f, b); break;
    case FIGURE_RATIOS: figure_ratios(c, f, b); break;
    case FIGURE_TARGETS: status = figure_targets(c, f, b, err); break;
    case FIGURE_MOTION: status = figure_motion(c, f, b, err); break;
  }
  if (status == STATUS_OK && b->failed) return error_no_memory(err);
  return status;
}

// ---- pieces ------------------------------------------------------------------------------------

void figure_measure_title(CompareMeasure m, char *out, size_t size) {
  const CompareMeasureInfo *info = &compare_measures[m];
  snprintf(out, size, "%s%s%s%s", info->title, *info->unit ? " [" : "", info->unit,
           *info->unit ? "]" : "");
}

void figure_axis_title(const CompareAxis *axis, char *out, size_t size) {
  static const char *const letters[][2] = {
      {"alpha", "\xce\xb1"}, {"beta", "\xce\xb2"}, {"gamma", "\xce\xb3"},
      {"theta", "\xce\xb8"}, {"phi", "\xcf\x86"},  {"psi", "\xcf\x88"},
  };
  const char *name = axis->name;
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
    if (strcmp(name, letters[i][0]) == 0) name = letters[i][1];
  }
  snprintf(out, size, *axis->unit ? "%s [%s]" : "%s%s", name, axis->unit);
}

void figure_panel_title(Svg *s, const FigurePanel *p, int i, int n, const char *title) {
  char text[160];
  if (n > 1) snprintf(text, sizeof text, "(%c) %s", 'a' + i % 26, title);
  else snprintf(text, sizeof text, "%s", title);
  svg_text(s, p->left, p->top - 6, SVG_START, "title", text);
}

void figure_class(char *out, size_t size, int i, const char *kind) {
  snprintf(out, size, "s%d %s", i % SVG_SERIES, kind);
}

double figure_legend(Svg *s, const Compare *c, const CompareGroup *g, double x, double y) {
  double begin = x;
  for (int i = 0; i < g->n_case; i++) {
    const char *name = c->kase[g->first + i].field[COMPARE_FORM];
    char line[32], mark[32];
    figure_class(line, sizeof line, i, "curve");
    figure_class(mark, sizeof mark, i, "full");
    svg_line(s, x, y - 2.5, x + 12, y - 2.5, line);
    svg_mark(s, x + 6, y - 2.5, svg_series_mark(i), mark);
    svg_text(s, x + 14, y, SVG_START, "small", name);
    x += 14 + 4.1 * (double)strlen(name) + 7;
  }
  return x - begin;
}

// letters of 6 points are about 3 wide
void figure_foot(Svg *s, double x, double y, const char *text) {
  enum { LINES = 4, LONGEST = 240 };
  char line[LINES][LONGEST];
  size_t fits = (size_t)fmax(20, (s->width - x) / 2.95);
  int n = 0;
  while (*text && n < LINES) {
    size_t len = strlen(text), cut = len;
    if (fits >= LONGEST) fits = LONGEST - 1;
    if (len > fits) {
      for (cut = fits; cut > 0 && text[cut] != ' ';) cut--;
      if (cut == 0) cut = fits;
    }
    snprintf(line[n++], LONGEST, "%.*s", (int)cut, text);
    text += cut + (text[cut] == ' ');
  }
  for (int i = 0; i < n; i++) {
    svg_text(s, x, y - 7 * (n - 1 - i), SVG_START, "tiny soft", line[i]);
  }
}

// ---- box plots ---------------------------------------------------------------------------------

enum { HEIGHT = 196, TOP = 20, FOOT = 42, LEFT = 44, GAP = 10 };

// range of all good values of a group; false if there are none
static bool find_range(const Compare *c, const CompareGroup *g, CompareMeasure m, double *low,
                       double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const StatsBox *b = &c->kase[k].box[m];
    if (b->n == 0) continue;
    *low = fmin(*low, compare_measures[m].scale * b->smallest);
    *high = fmax(*high, compare_measures[m].scale * b->largest);
  }
  return *low <= *high;
}

static void fit_values(SvgAxis *a, double low, double high, const FigurePanel *p) {
  bool log = low > 0 && high > 20 * low;
  if (log) {
    low /= 1.15;
    high *= 1.15;
  } else {
    double margin = 0.05 * (high - low);
    bool from_zero = low >= 0 && low < 0.4 * high;
    low = from_zero ? 0 : low - margin;
    high += margin;
  }
  svg_axis_fit(a, low, high, log, p->bottom, p->top, 6);
}

static void draw_outlier(Svg *s, const Compare *c, int run, CompareMeasure m, double x, double y,
                         const char *class) {
  TextBuf title = {0};
  const CompareRun *r = &c->run[run];
  compare_point_label(c, r->point, &title);
  textbuf_addf(&title, ": %.6g %s", compare_measures[m].scale * r->value[m],
               compare_measures[m].unit);
  svg_mark_run(s, x, y, '+', class, run, title.failed ? "" : title.text);
  textbuf_free(&title);
}

static void draw_box(Svg *s, const Compare *c, int kase, CompareMeasure m, const SvgAxis *a,
                     double x, double half, int series) {
  const CompareCase *k = &c->kase[kase];
  const StatsBox *b = &k->box[m];
  if (b->n == 0) {
    svg_text(s, x, 0.5 * (a->from + a->to), SVG_MIDDLE, "small soft", "none");
    return;
  }
  double scale = compare_measures[m].scale;
  double q1 = svg_axis_at(a, scale * b->q1), q3 = svg_axis_at(a, scale * b->q3);
  double low = svg_axis_at(a, scale * b->low), high = svg_axis_at(a, scale * b->high);
  double median = svg_axis_at(a, scale * b->median), mean = svg_axis_at(a, scale * b->mean);
  char box[32], whisker[32], middle[32], mark[32], diamond[32];
  figure_class(box, sizeof box, series, "box");
  figure_class(whisker, sizeof whisker, series, "whisker");
  figure_class(middle, sizeof middle, series, "median");
  figure_class(mark, sizeof mark, series, "mark");
  figure_class(diamond, sizeof diamond, series, "mean");
  svg_line(s, x, low, x, q1, whisker);
  svg_line(s, x, q3, x, high, whisker);
  svg_line(s, x - 0.5 * half, low, x + 0.5 * half, low, whisker);
  svg_line(s, x - 0.5 * half, high, x + 0.5 * half, high, whisker);
  svg_rect(s, x - half, q3, 2 * half, fmax(0, q1 - q3), box);
  svg_line(s, x - half, median, x + half, median, middle);
  for (int i = 0; i < b->n; i++) {
    if (i >= b->n_below && i < b->n - b->n_above) continue;
    int run = k->sorted[m][i];
    draw_outlier(s, c, run, m, x, svg_axis_at(a, scale * c->run[run].value[m]), mark);
  }
  svg_mark(s, x, mean, 'd', diamond);
}

static void draw_boxes(Svg *s, const Compare *c, const CompareGroup *g, CompareMeasure m,
                       const FigurePanel *p, bool named) {
  double low, high;
  SvgAxis a;
  char title[96] = "";
  if (!find_range(c, g, m, &low, &high)) low = high = 0;
  fit_values(&a, low, high, p);
  if (named) figure_measure_title(m, title, sizeof title);
  svg_axis_left(s, &a, p->left, p->right, title);
  double slot = (p->right - p->left) / g->n_case;
  for (int i = 0; i < g->n_case; i++) {
    const CompareCase *k = &c->kase[g->first + i];
    double x = p->left + (i + 0.5) * slot;
    char count[32];
    snprintf(count, sizeof count, "%d/%d", k->n_good, k->n_run);
    draw_box(s, c, g->first + i, m, &a, x, fmin(9, 0.3 * slot), i);
    svg_line(s, x, p->bottom, x, p->bottom + 2.5, "axis");
    if (slot >= 30) {
      svg_text(s, x, p->bottom + 10.5, SVG_MIDDLE, "small", k->field[COMPARE_FORM]);
      svg_text(s, x, p->bottom + 18.5, SVG_MIDDLE, "tiny soft", count);
    } else {
      svg_text_turned(s, x + 2, p->bottom + 6, SVG_END, 60, "small", k->field[COMPARE_FORM]);
    }
  }
  svg_line(s, p->left, p->bottom, p->right, p->bottom, "axis");
}

void figure_boxes(const Compare *c, const FigureChoice *f, TextBuf *b) {
  const CompareView *view = &c->view[f->view];
  int most = 1;
  for (int i = 0; i < view->n_group; i++) {
    if (c->group[view->group[i]].n_case > most) most = c->group[view->group[i]].n_case;
  }
  double wide = fmin(360, fmax(view->n_group == 1 ? 250 : 110, 33.0 * most));
  Svg s;
  svg_begin(&s, b, view->n_group * (LEFT + wide + GAP), HEIGHT, f->info->title, f->own_file);
  for (int i = 0; i < view->n_group; i++) {
    const CompareGroup *g = &c->group[view->group[i]];
    FigurePanel p = {.left = i * (LEFT + wide + GAP) + LEFT, .top = TOP, .bottom = HEIGHT - FOOT};
    p.right = p.left + wide;
    figure_panel_title(&s, &p, i, view->n_group, c->set[g->set].name);
    draw_boxes(&s, c, g, f->info->measure, &p, true);
  }
  char foot[200];
  snprintf(foot, sizeof foot,
           "box: quartiles and median; diamond: mean; whiskers: 1.5 interquartile ranges; +: "
           "outliers; n/n: solved%s of all runs",
           c->unverified ? "" : " and verified");
  figure_foot(&s, LEFT, HEIGHT - 4, foot);
  svg_end(&s);
}
