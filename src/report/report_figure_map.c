// SPDX-License-Identifier: MIT
// The grid of targets as a map: one panel per formulation, all with the same colours.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_figure_internal.h"

enum { WIDE = 138, HIGH = 76, LEFT = 40, TOP = 20, FOOT = 28, BETWEEN = 12, BAR = 62, COLUMNS = 3 };

typedef struct Map {
  const Compare *c;       //
  const FigureChoice *f;  //
  int x, y;               // axes; y -1: only one
  SvgAxis colour;         //
  FigurePanel p;          //
} Map;

// edges of the cell of value k: half way to its neighbours
static void edges(const CompareAxis *a, int k, double *low, double *high) {
  double step = a->n > 1 ? (a->value[a->n - 1] - a->value[0]) / (a->n - 1) : 1;
  *low = k > 0 ? 0.5 * (a->value[k - 1] + a->value[k]) : a->value[k] - 0.5 * step;
  *high = k + 1 < a->n ? 0.5 * (a->value[k] + a->value[k + 1]) : a->value[k] + 0.5 * step;
}

static void fit_axis(SvgAxis *out, const CompareAxis *a, double from, double to, int most) {
  double low, high, ignored;
  edges(a, 0, &low, &ignored);
  edges(a, a->n - 1, &ignored, &high);
  svg_axis_fit(out, low, high, false, from, to, most);
}

// axes that the map does not show stay in their middle
static bool shown(const Map *m, const ComparePoint *p) {
  for (int i = 0; i < m->c->n_axis; i++) {
    if (i != m->x && i != m->y && p->index[i] != m->c->axis[i].n / 2) return false;
  }
  return true;
}

static void draw_cell(Svg *s, const Map *m, int kase, int point, const SvgAxis *x,
                      const SvgAxis *y) {
  const CompareRun *r = compare_at(m->c, kase, point);
  const ComparePoint *p = &m->c->point[point];
  if (!r || !shown(m, p)) return;
  double x0, x1, y0 = 0, y1 = 1;
  edges(&m->c->axis[m->x], p->index[m->x], &x0, &x1);
  if (m->y >= 0) edges(&m->c->axis[m->y], p->index[m->y], &y0, &y1);
  double left = svg_axis_at(x, x0), right = svg_axis_at(x, x1);
  double bottom = svg_axis_at(y, y0), top = svg_axis_at(y, y1);
  CompareMeasure measure = m->f->info->measure;
  double value = compare_measures[measure].scale * r->value[measure];
  if (!r->good || !isfinite(value)) {
    svg_rect(s, left, top, right - left, bottom - top, "none");
    svg_mark(s, 0.5 * (left + right), 0.5 * (top + bottom), 'x', "cross");
    return;
  }
  double share = (svg_axis_at(&m->colour, value) - m->colour.from) /
                 (m->colour.to - m->colour.from);
  char fill[8];
  TextBuf title = {0};
  svg_viridis(share, fill);
  compare_point_label(m->c, point, &title);
  textbuf_addf(&title, ": %.6g %s", value, compare_measures[measure].unit);
  // a hair of overlap: no seams between cells
  svg_cell(s, left, top, right - left + 0.15, bottom - top + 0.15, fill,
           title.failed ? "" : title.text);
  textbuf_free(&title);
}

static void draw_panel(Svg *s, const Map *m, int kase, bool first_column, bool last_row) {
  const Compare *c = m->c;
  const FigurePanel *p = &m->p;
  SvgAxis x, y;
  char title[96] = "";
  fit_axis(&x, &c->axis[m->x], p->left, p->right, 4);
  if (m->y >= 0) fit_axis(&y, &c->axis[m->y], p->bottom, p->top, 5);
  else svg_axis_fit(&y, 0, 1, false, p->bottom, p->top, 1);
  svg_text(s, p->left, p->top - 4, SVG_START, "title", c->kase[kase].field[COMPARE_FORM]);
  if (last_row) figure_axis_title(&c->axis[m->x], title, sizeof title);
  svg_axis_bottom(s, &x, p->bottom, p->bottom, title);
  title[0] = '\0';
  if (m->y >= 0 && first_column) figure_axis_title(&c->axis[m->y], title, sizeof title);
  if (m->y >= 0) svg_axis_left(s, &y, p->left, p->left, title);
  for (int i = 0; i < c->n_point; i++) draw_cell(s, m, kase, i, &x, &y);
  svg_rect(s, p->left, p->top, p->right - p->left, p->bottom - p->top, "axis");
}

// colours from the least to the largest value of the set in this view
static void fit_colours(Map *m, const CompareGroup *g, double bottom, double top) {
  CompareMeasure measure = m->f->info->measure;
  double low = INFINITY, high = -INFINITY, scale = compare_measures[measure].scale;
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const StatsBox *b = &m->c->kase[k].box[measure];
    if (b->n == 0) continue;
    low = fmin(low, scale * b->smallest);
    high = fmax(high, scale * b->largest);
  }
  if (!(low <= high)) low = 0, high = 1;
  if (measure == COMPARE_GAP) low = 0, high = fmax(high, 1);
  svg_axis_fit(&m->colour, low, high, low > 0 && high > 20 * low, bottom, top, 6);
}

static const CompareGroup *group_of(const Compare *c, const FigureChoice *f) {
  const CompareView *view = &c->view[f->view];
  for (int i = 0; i < view->n_group; i++) {
    if (c->group[view->group[i]].set == f->set) return &c->group[view->group[i]];
  }
  return NULL;
}

Status figure_map(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err) {
  const CompareGroup *g = group_of(c, f);
  if (!g) return error_set(err, STATUS_INPUT, f->info->name, "this view has no such cost set");
  if (c->n_axis == 0) return error_set(err, STATUS_INPUT, f->info->name, "there is no axis to map");
  int columns = g->n_case < COLUMNS ? g->n_case : g->n_case == 4 ? 2 : COLUMNS;
  int rows = (g->n_case + columns - 1) / columns;
  double high = c->n_axis > 1 ? HIGH : 18;
  double pitch_x = WIDE + LEFT - 12, pitch_y = high + TOP + BETWEEN;
  double width = 12 + columns * pitch_x + BAR, height = rows * pitch_y + FOOT - 8;
  Map m = {.c = c, .f = f, .x = 0, .y = c->n_axis > 1 ? 1 : -1};
  Svg s;
  svg_begin(&s, b, width, height, f->info->title, f->own_file);
  double bar_top = TOP, bar_bottom = (rows - 1) * pitch_y + TOP + high;
  fit_colours(&m, g, bar_bottom, bar_top);
  for (int i = 0; i < g->n_case; i++) {
    int row = i / columns, column = i % columns;
    double left = 12 + column * pitch_x + LEFT - 12, top = row * pitch_y + TOP;
    m.p = (FigurePanel){left, left + WIDE - 12, top, top + high};
    draw_panel(&s, &m, g->first + i, column == 0, i + columns >= g->n_case);
  }
  char title[96];
  figure_measure_title(f->info->measure, title, sizeof title);
  svg_colour_bar(&s, &m.colour, width - BAR + 18, 9, title);
  svg_text(&s, width - 4, height - 4, SVG_END, "tiny soft",
           c->unverified ? "\xc3\x97: not solved" : "\xc3\x97: not solved or not verified");
  svg_end(&s);
  return STATUS_OK;
}
