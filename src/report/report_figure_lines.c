// SPDX-License-Identifier: MIT
// Convergence with the size of the grid, shares of time, paired ratios.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_figure_internal.h"

enum { HEIGHT = 190, TOP = 20, FOOT = 48, LEFT = 44, GAP = 10 };

// of a panel; alone it is wider, for what is written below
static double wide(const CompareView *view) {
  return view->n_group == 1 ? 250 : 198;
}

static void begin(Svg *s, TextBuf *b, const Compare *c, const FigureChoice *f, double height) {
  const CompareView *view = &c->view[f->view];
  svg_begin(s, b, view->n_group * (LEFT + wide(view) + GAP), height, f->info->title, f->own_file);
}

static FigurePanel panel(const CompareView *view, int i, double height, double foot) {
  double left = i * (LEFT + wide(view) + GAP) + LEFT;
  return (FigurePanel){left, left + wide(view), TOP, height - foot};
}

// ---- convergence -------------------------------------------------------------------------------

static void draw_convergence(Svg *s, const Compare *c, const CompareGroup *g,
                             const FigurePanel *p) {
  const CompareGrids *grids = &c->grids;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < grids->n; i++) {
    for (int k = g->first; k < g->first + g->n_case; k++) {
      if (!isfinite(grids->mean[i][k])) continue;
      low = fmin(low, grids->mean[i][k]);
      high = fmax(high, grids->mean[i][k]);
    }
  }
  SvgAxis x, y;
  double margin = 0.06 * (high - low);
  int largest = grids->n ? grids->size[grids->n - 1] : 1;
  svg_axis_fit(&x, 0, 1.03 * largest, false, p->left, p->right, 6);
  svg_axis_fit(&y, fmax(0, low - margin), high + margin, false, p->bottom, p->top, 6);
  svg_axis_left(s, &y, p->left, p->right, "Mean number of iterations");
  svg_axis_bottom(s, &x, p->bottom, p->bottom, "Number of targets");
  for (int i = 0; i < g->n_case; i++) {
    double px[COMPARE_GRIDS], py[COMPARE_GRIDS];
    char line[32], mark[32];
    figure_class(line, sizeof line, i, "curve");
    figure_class(mark, sizeof mark, i, "full");
    for (int k = 0; k < grids->n; k++) {
      double mean = grids->mean[k][g->first + i];
      px[k] = svg_axis_at(&x, grids->size[k]);
      py[k] = isfinite(mean) ? svg_axis_at(&y, mean) : NAN;
    }
    svg_polyline(s, grids->n, px, py, line);
    for (int k = 0; k < grids->n; k++) {
      if (isfinite(py[k])) svg_mark(s, px[k], py[k], svg_series_mark(i), mark);
    }
  }
}

// the group with most cases: its legend serves all panels
static int widest(const Compare *c, const CompareView *view) {
  int best = 0;
  for (int i = 1; i < view->n_group; i++) {
    if (c->group[view->group[i]].n_case > c->group[view->group[best]].n_case) best = i;
  }
  return best;
}

void figure_convergence(const Compare *c, const FigureChoice *f, TextBuf *b) {
  const CompareView *view = &c->view[f->view];
  Svg s;
  begin(&s, b, c, f, HEIGHT);
  for (int i = 0; i < view->n_group; i++) {
    const CompareGroup *g = &c->group[view->group[i]];
    FigurePanel p = panel(view, i, HEIGHT, FOOT);
    figure_panel_title(&s, &p, i, view->n_group, c->set[g->set].name);
    draw_convergence(&s, c, g, &p);
  }
  figure_legend(&s, c, &c->group[view->group[widest(c, view)]], LEFT - 4, HEIGHT - 6);
  svg_end(&s);
}

// ---- shares ------------------------------------------------------------------------------------

static void draw_shares(Svg *s, const Compare *c, const CompareGroup *g, const FigurePanel *p) {
  SvgAxis y;
  svg_axis_fit(&y, 0, 100, false, p->bottom, p->top, 5);
  svg_axis_left(s, &y, p->left, p->right, "Mean share of the time [%]");
  double slot = (p->right - p->left) / g->n_case;
  for (int i = 0; i < g->n_case; i++) {
    const CompareCase *k = &c->kase[g->first + i];
    double f = 100 * k->box[COMPARE_EVALUATION].mean, l = 100 * k->box[COMPARE_LINEAR].mean;
    double x = p->left + (i + 0.5) * slot, half = fmin(10, 0.35 * slot);
    svg_text(s, x, p->bottom + 10.5, SVG_MIDDLE, "small", k->field[COMPARE_FORM]);
    if (!isfinite(f) || !isfinite(l)) continue;
    double a = svg_axis_at(&y, f), b = svg_axis_at(&y, f + l), end = svg_axis_at(&y, 100);
    svg_rect(s, x - half, a, 2 * half, p->bottom - a, "bar b0");
    svg_rect(s, x - half, b, 2 * half, a - b, "bar b1");
    svg_rect(s, x - half, end, 2 * half, b - end, "bar b2");
  }
  svg_line(s, p->left, p->bottom, p->right, p->bottom, "axis");
}

void figure_shares(const Compare *c, const FigureChoice *f, TextBuf *b) {
  static const char *const parts[] = {"functions", "linear solver", "rest of the solver"};
  const CompareView *view = &c->view[f->view];
  Svg s;
  begin(&s, b, c, f, HEIGHT - 12);
  for (int i = 0; i < view->n_group; i++) {
    const CompareGroup *g = &c->group[view->group[i]];
    FigurePanel p = panel(view, i, HEIGHT - 12, FOOT - 12);
    figure_panel_title(&s, &p, i, view->n_group, c->set[g->set].name);
    draw_shares(&s, c, g, &p);
  }
  double x = LEFT;
  for (int i = 0; i < 3; i++) {
    char class[32];
    snprintf(class, sizeof class, "bar b%d", i);
    svg_rect(&s, x, HEIGHT - 26, 9, 7, class);
    svg_text(&s, x + 12, HEIGHT - 20, SVG_START, "small", parts[i]);
    x += 24 + 4.2 * (double)strlen(parts[i]);
  }
  svg_end(&s);
}

// ---- ratios ------------------------------------------------------------------------------------

static const CompareMeasure ratio_measures[] = {COMPARE_ITERATIONS, COMPARE_CPU_PER, COMPARE_CPU};
static const char *const ratio_names[] = {"iterations", "CPU time per iteration", "CPU time"};
static const int ratio_series[] = {4, 3, 0};
enum { N_RATIOS = 3, ROW = 24 };

static void ratio_range(const Compare *c, const CompareGroup *g, double *low, double *high) {
  *low = 1 / 1.05;
  *high = 1.05;
  for (int k = g->first + 1; k < g->first + g->n_case; k++) {
    bool swapped;
    const ComparePair *p = compare_find_pair(c, g->first, k, &swapped);
    for (int i = 0; p && i < N_RATIOS; i++) {
      const CompareRatio *r = &p->ratio[ratio_measures[i]];
      if (!isfinite(r->ratio)) continue;
      *low = fmin(*low, isfinite(r->within.low) ? r->within.low : r->ratio);
      *high = fmax(*high, isfinite(r->within.high) ? r->within.high : r->ratio);
    }
  }
}

static void draw_ratios(Svg *s, const Compare *c, const CompareGroup *g, const FigurePanel *p) {
  double low, high;
  SvgAxis x;
  char title[96];
  ratio_range(c, g, &low, &high);
  svg_axis_fit(&x, low / 1.04, high * 1.04, true, p->left, p->right, 6);
  snprintf(title, sizeof title, "Ratio to %s", c->kase[g->first].field[COMPARE_FORM]);
  svg_axis_bottom(s, &x, p->bottom, p->top, title);
  svg_line(s, svg_axis_at(&x, 1), p->bottom, svg_axis_at(&x, 1), p->top, "zero");
  for (int k = 1; k < g->n_case; k++) {
    bool swapped;
    const ComparePair *pair = compare_find_pair(c, g->first, g->first + k, &swapped);
    double row = p->top + (k - 0.5) * ROW;
    svg_text(s, p->left - 4, row + 2.7, SVG_END, "small",
             c->kase[g->first + k].field[COMPARE_FORM]);
    for (int i = 0; pair && i < N_RATIOS; i++) {
      const CompareRatio *r = &pair->ratio[ratio_measures[i]];
      double y = row + (i - 1) * 6.5;
      char line[32], mark[32];
      if (!isfinite(r->ratio)) continue;
      figure_class(line, sizeof line, ratio_series[i], "whisker");
      // full marks: significant
      figure_class(mark, sizeof mark, ratio_series[i], r->p_adjusted < 0.05 ? "full" : "mean");
      if (isfinite(r->within.low)) {
        svg_line(s, svg_axis_at(&x, r->within.low), y, svg_axis_at(&x, r->within.high), y, line);
      }
      svg_mark(s, svg_axis_at(&x, r->ratio), y, svg_series_mark(i), mark);
    }
  }
}

void figure_ratios(const Compare *c, const FigureChoice *f, TextBuf *b) {
  const CompareView *view = &c->view[f->view];
  int rows = 1;
  for (int i = 0; i < view->n_group; i++) {
    int n = c->group[view->group[i]].n_case - 1;
    if (n > rows) rows = n;
  }
  double height = TOP + rows * ROW + FOOT;
  Svg s;
  begin(&s, b, c, f, height);
  for (int i = 0; i < view->n_group; i++) {
    const CompareGroup *g = &c->group[view->group[i]];
    FigurePanel p = panel(view, i, height, FOOT);
    figure_panel_title(&s, &p, i, view->n_group, c->set[g->set].name);
    draw_ratios(&s, c, g, &p);
  }
  double x = LEFT;
  for (int i = 0; i < N_RATIOS; i++) {
    char mark[32];
    figure_class(mark, sizeof mark, ratio_series[i], "full");
    svg_mark(&s, x + 4, height - 20.5, svg_series_mark(i), mark);
    svg_text(&s, x + 10, height - 18, SVG_START, "small", ratio_names[i]);
    x += 22 + 4.1 * (double)strlen(ratio_names[i]);
  }
  figure_foot(
      &s, LEFT, height - 3,
      "medians over the targets that both solved, with 95 % intervals; full marks: p < 0.05 "
      "(Wilcoxon, Holm)");
  svg_end(&s);
}
