// SPDX-License-Identifier: MIT
// The motion to one target under each cost set: joint velocities and torques (Fig. 8).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_figure_internal.h"

enum { LEFT = 44, TOP = 20, GAP = 10, WIDE = 198, HIGH = 96, BETWEEN = 16, FOOT = 44 };

// the target nearest to the middle of every axis
static int middle_point(const Compare *c) {
  int best = 0;
  double least = INFINITY;
  for (int p = 0; p < c->n_point; p++) {
    double far = 0;
    for (int i = 0; i < c->n_axis; i++)
      far += fabs(c->point[p].index[i] - 0.5 * (c->axis[i].n - 1));
    if (far < least) least = far, best = p;
  }
  return best;
}

// a good run of the group at the point, its first formulation first; NULL if no motion was kept
static const CompareRun *find_run(const Compare *c, const CompareGroup *g, int point) {
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const CompareRun *r = compare_at(c, k, point);
    if (r && r->good && r->source->bytes > 0) return r;
  }
  return NULL;
}

// n curves over `columns` instants, value: n x columns. stairs: each value holds until the next instant.
// joint[i]: whose colour curve i has; NULL: its own
typedef struct Curves {
  int n, columns;
  const double *time, *value;
  const int *joint;
  bool stairs;
  const char *title;
} Curves;

static void draw_curves(Svg *s, const FigurePanel *p, const Curves *c, const char *time_title) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < c->n * c->columns; i++) {
    low = fmin(low, c->value[i]);
    high = fmax(high, c->value[i]);
  }
  SvgAxis x, y;
  double margin = 0.06 * (high - low);
  int last = c->stairs ? c->columns : c->columns - 1;
  svg_axis_fit(&x, c->time[0], c->time[last], false, p->left, p->right, 5);
  svg_axis_fit(&y, low - margin, high + margin, false, p->bottom, p->top, 5);
  svg_axis_left(s, &y, p->left, p->right, c->title);
  svg_axis_bottom(s, &x, p->bottom, p->bottom, time_title);
  for (int i = 0; i < c->n; i++) {
    char class[32];
    figure_class(class, sizeof class, c->joint ? c->joint[i] : i, "curve");
    textbuf_addf(s->b, "<path class=\"%s\" d=\"", class);
    for (int k = 0; k < c->columns; k++) {
      double at = svg_axis_at(&x, c->time[k]), v = svg_axis_at(&y, c->value[k * c->n + i]);
      textbuf_addf(s->b, "%c%.2f %.2f", k ? 'L' : 'M', at, v);
      if (c->stairs) textbuf_addf(s->b, "H%.2f", svg_axis_at(&x, c->time[k + 1]));
    }
    textbuf_add(s->b, "\"/>\n");
  }
}

static void draw_names(Svg *s, const Model *m, int n, double x, double y) {
  for (int i = 0; i < n; i++) {
    char class[32], name[48];
    figure_class(class, sizeof class, i, "curve");
    if (m && m->nv == n) snprintf(name, sizeof name, "%s", m->joint[i].name);
    else snprintf(name, sizeof name, "joint %d", i + 1);
    svg_line(s, x, y - 2.5, x + 12, y - 2.5, class);
    svg_text(s, x + 14, y, SVG_START, "small", name);
    x += 22 + 4.2 * (double)strlen(name);
  }
}

// all joints or actuators of one kind: their unit alone, else both
static const char *pick_title(const Model *m, bool effort) {
  int n_turning = 0, n = m ? m->nv : 0;
  for (int i = 0; i < n; i++) n_turning += m->joint[i].type == JOINT_REVOLUTE;
  if (n_turning == n) return effort ? "Torque [N m]" : "Joint velocity [rad/s]";
  if (n_turning == 0) return effort ? "Force [N]" : "Joint velocity [m/s]";
  return effort ? "Torque, force [N m, N]" : "Joint velocity [rad/s, m/s]";
}

static void draw_motion(Svg *s, const FigureChoice *f, const Trajectory *t, const FigurePanel *v,
                        const FigurePanel *u) {
  const Model *m = f->model && f->model->nv == t->nv && f->model->nu == t->nu ? f->model : NULL;
  bool stairs = t->n_control == t->n_interval;
  Curves speed = {t->nv, t->n_interval + 1, t->time, t->v, NULL, false, pick_title(m, false)};
  Curves effort = {t->nu,  t->n_control,       t->time, t->u, m ? m->u_joint : NULL,
                   stairs, pick_title(m, true)};
  draw_curves(s, v, &speed, "");
  if (t->n_control <= t->n_interval + 1) draw_curves(s, u, &effort, "Time [s]");
  draw_names(s, m, t->nv, v->left - 10, u->bottom + 32);
}

static Status draw_column(Svg *s, const Compare *c, const FigureChoice *f, int i, int point,
                          Error *err) {
  const CompareView *view = &c->view[f->view];
  const CompareGroup *g = &c->group[view->group[i]];
  const CompareRun *r = find_run(c, g, point);
  double left = i * (double)(LEFT + WIDE + GAP) + LEFT;
  FigurePanel v = {left, left + WIDE, TOP, TOP + HIGH};
  FigurePanel u = {left, left + WIDE, v.bottom + BETWEEN, v.bottom + BETWEEN + HIGH};
  TextBuf title = {0};
  textbuf_addf(&title, "%s: ", c->set[g->set].name);
  compare_point_label(c, point, &title);
  if (r) textbuf_addf(&title, " (%s)", c->kase[r->kase].field[COMPARE_FORM]);
  figure_panel_title(s, &v, i, view->n_group, title.failed ? "" : title.text);
  textbuf_free(&title);
  if (!r) {
    svg_text(s, left + WIDE / 2.0, v.bottom, SVG_MIDDLE, "soft", "no motion was kept");
    return STATUS_OK;
  }
  Trajectory *t;
  Status status = journal_trajectory(&t, r->journal, r->source, err);
  if (status == STATUS_OK) draw_motion(s, f, t, &v, &u);
  trajectory_free(t);
  return status;
}

Status figure_motion(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err) {
  const CompareView *view = &c->view[f->view];
  int point = f->point >= 0 ? f->point : middle_point(c);
  bool any = false;
  for (int i = 0; i < view->n_group; i++) {
    any = any || find_run(c, &c->group[view->group[i]], point);
  }
  if (!any) return error_set(err, STATUS_INPUT, f->info->name, "no motion to this target was kept");
  Svg s;
  svg_begin(&s, b, view->n_group * (double)(LEFT + WIDE + GAP), TOP + 2 * HIGH + BETWEEN + FOOT,
            f->info->title, f->own_file);
  Status status = STATUS_OK;
  for (int i = 0; status == STATUS_OK && i < view->n_group; i++) {
    status = draw_column(&s, c, f, i, point, err);
  }
  svg_end(&s);
  return status;
}
