// SPDX-License-Identifier: MIT
// The targets in space, coloured by their best known cost, and the robot where it starts (Fig. 6).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/geom3.h"
#include "report/report_figure_internal.h"

enum { WIDTH = 300, HEIGHT = 210, BAR = 62, MARGIN = 16 };
static const double AZIMUTH = -0.9, ELEVATION = 0.42;  // of the eye, as in the page

// what is drawn, far things first
typedef struct Piece {
  double a[3], b[3];  // ends of a link; a target has b = a
  int point;          // target; -1: a link
  double depth;       // towards the eye
} Piece;

typedef struct Space {
  Svg s;
  const Compare *c;
  const FigureChoice *f;
  SvgAxis colour;
  double right[3], up[3], eye[3];  // axes of the picture
  double low[2], high[2];          // extent in the picture [m]
  double scale;                    // [pt/m]
  Piece *piece;                    // n
  int n;
} Space;

// ---- where the robot is ------------------------------------------------------------------------

// rotation about a unit axis (Rodrigues), column-major
static void turn(const double axis[3], double angle, double R[9]) {
  double c = cos(angle), s = sin(angle), d = 1 - c, x = axis[0], y = axis[1], z = axis[2];
  const double full[9] = {c + x * x * d,     y * x * d + z * s, z * x * d - y * s,
                          x * y * d - z * s, c + y * y * d,     z * y * d + x * s,
                          x * z * d + y * s, y * z * d - x * s, c + z * z * d};
  memcpy(R, full, sizeof full);
}

// frames of all bodies at q; body: nv
static void place_bodies(const Model *m, const double *q, Frame3 *body) {
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *j = &m->joint[i];
    Frame3 at, moved = frame3_identity;
    memcpy(at.p, j->pos, sizeof at.p);
    memcpy(at.R, j->rot, sizeof at.R);
    if (j->type == JOINT_REVOLUTE) turn(j->axis, q[i], moved.R);
    for (int k = 0; k < 3 && j->type == JOINT_PRISMATIC; k++) moved.p[k] = q[i] * j->axis[k];
    Frame3 base = j->parent < 0 ? frame3_identity : body[j->parent];
    Frame3 joint = frame3_compose(&base, &at);
    body[i] = frame3_compose(&joint, &moved);
  }
}

static void to_world(const Frame3 *body, const double x[3], double out[3]) {
  geom3_apply(body->R, x, out);
  for (int k = 0; k < 3; k++) out[k] += body->p[k];
}

static void add_link(Space *sp, const Frame3 *body, const double to[3]) {
  if (!(geom3_dot(to, to) > 1e-18)) return;
  Piece *p = &sp->piece[sp->n++];
  *p = (Piece){.point = -1};
  memcpy(p->a, body->p, sizeof p->a);
  to_world(body, to, p->b);
}

// from each body's joint to the joints and frames on it, at the ends of the tree to the centre of mass
static void add_robot(Space *sp, const Model *m, const Frame3 *body) {
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *j = &m->joint[i];
    add_link(sp, j->parent < 0 ? &frame3_identity : &body[j->parent], j->pos);
    int n_on = 0;
    for (int k = 0; k < m->nv; k++) n_on += m->joint[k].parent == i;
    for (int k = 0; k < m->n_frame; k++) {
      if (m->frame[k].body != i || !(geom3_dot(m->frame[k].pos, m->frame[k].pos) > 1e-18)) continue;
      add_link(sp, &body[i], m->frame[k].pos);
      n_on++;
    }
    if (n_on == 0) add_link(sp, &body[i], m->body[i].com);
  }
}

// the start of any motion that was kept, else of the robot's own pose; q: nv
static void find_start(const Compare *c, const Model *m, double *q) {
  const double *pose = model_start(m);
  for (int i = 0; i < m->nv; i++) q[i] = pose ? pose[i] : 0;
  for (int i = 0; i < c->n_run; i++) {
    Trajectory *t;
    Error ignored = {0};
    if (c->run[i].source->bytes <= 0) continue;
    if (journal_trajectory(&t, c->run[i].journal, c->run[i].source, &ignored) == STATUS_OK &&
        t->nv == m->nv) {
      memcpy(q, t->q, (size_t)m->nv * sizeof *q);
    }
    trajectory_free(t);
    return;
  }
}

// ---- the picture -------------------------------------------------------------------------------

static void aim(Space *sp) {
  double ca = cos(AZIMUTH), sa = sin(AZIMUTH), ce = cos(ELEVATION), se = sin(ELEVATION);
  const double eye[3] = {ce * ca, ce * sa, se}, right[3] = {-sa, ca, 0};
  memcpy(sp->eye, eye, sizeof eye);
  memcpy(sp->right, right, sizeof right);
  // eye x right
  sp->up[0] = eye[1] * right[2] - eye[2] * right[1];
  sp->up[1] = eye[2] * right[0] - eye[0] * right[2];
  sp->up[2] = eye[0] * right[1] - eye[1] * right[0];
}

static void reach(Space *sp, const double x[3]) {
  const double at[2] = {geom3_dot(x, sp->right), geom3_dot(x, sp->up)};
  for (int k = 0; k < 2; k++) {
    sp->low[k] = fmin(sp->low[k], at[k]);
    sp->high[k] = fmax(sp->high[k], at[k]);
  }
}

static void project(const Space *sp, const double x[3], double *px, double *py) {
  double mid_x = 0.5 * (sp->low[0] + sp->high[0]), mid_y = 0.5 * (sp->low[1] + sp->high[1]);
  *px = 0.5 * WIDTH + sp->scale * (geom3_dot(x, sp->right) - mid_x);
  *py = 0.5 * HEIGHT - sp->scale * (geom3_dot(x, sp->up) - mid_y);
}

static void fit(Space *sp) {
  for (int i = 0; i < sp->n; i++) reach(sp, sp->piece[i].a), reach(sp, sp->piece[i].b);
  double wide = fmax(sp->high[0] - sp->low[0], 1e-6), tall = fmax(sp->high[1] - sp->low[1], 1e-6);
  sp->scale = fmin((WIDTH - 2 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / tall);
  for (int i = 0; i < sp->n; i++) {
    Piece *p = &sp->piece[i];
    p->depth = 0.5 * (geom3_dot(p->a, sp->eye) + geom3_dot(p->b, sp->eye));
  }
}

static int by_depth(const void *a, const void *b) {
  const Piece *x = a, *y = b;
  return (x->depth > y->depth) - (x->depth < y->depth);
}

static void draw_target(Space *sp, const Piece *p) {
  double x, y;
  char fill[8] = "#bbbbbb";
  int best = sp->c->set[sp->f->set].best[p->point];
  project(sp, p->a, &x, &y);
  if (best >= 0) {
    double at = svg_axis_at(&sp->colour, sp->c->run[best].value[COMPARE_OBJECTIVE]);
    svg_viridis((at - sp->colour.from) / (sp->colour.to - sp->colour.from), fill);
  }
  bool chosen = p->point == sp->f->point;
  textbuf_addf(sp->s.b, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\" fill=\"%s\"%s/>\n", x, y,
               chosen ? 3.0 : 2.0, chosen ? "#d00000" : fill, chosen ? " class=\"chosen\"" : "");
}

static void draw_link(Space *sp, const Piece *p) {
  double x1, y1, x2, y2;
  project(sp, p->a, &x1, &y1);
  project(sp, p->b, &x2, &y2);
  svg_line(&sp->s, x1, y1, x2, y2, "link");
  textbuf_addf(sp->s.b, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\" class=\"joint\"/>\n", x1, y1);
}

static void draw_axes(Space *sp) {
  static const char *const names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) {
    double tip[3] = {0}, x0, y0, x, y;
    const double zero[3] = {0};
    tip[i] = 34 / sp->scale;
    project(sp, zero, &x0, &y0);
    project(sp, tip, &x, &y);
    svg_line(&sp->s, x0, y0, x, y, "axis");
    svg_text(&sp->s, x + 2, y - 2, SVG_START, "small", names[i]);
  }
}

static void draw(Space *sp) {
  const CompareSet *set = &sp->c->set[sp->f->set];
  double low = INFINITY, high = -INFINITY;
  for (int p = 0; p < sp->c->n_point; p++) {
    if (set->best[p] < 0) continue;
    low = fmin(low, sp->c->run[set->best[p]].value[COMPARE_OBJECTIVE]);
    high = fmax(high, sp->c->run[set->best[p]].value[COMPARE_OBJECTIVE]);
  }
  if (!(low <= high)) low = 0, high = 1;
  svg_axis_fit(&sp->colour, low, high, low > 0 && high > 20 * low, HEIGHT - 26, 22, 6);
  fit(sp);
  qsort(sp->piece, (size_t)sp->n, sizeof *sp->piece, by_depth);
  draw_axes(sp);
  for (int i = 0; i < sp->n; i++) {
    if (sp->piece[i].point >= 0) draw_target(sp, &sp->piece[i]);
    else draw_link(sp, &sp->piece[i]);
  }
  svg_colour_bar(&sp->s, &sp->colour, WIDTH + 18, 9, "Best known cost");
  svg_text(&sp->s, 6, 12, SVG_START, "title", set->name);
}

Status figure_targets(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err) {
  const Model *m = f->model;
  int n_target = 0, most = c->n_point;
  for (int p = 0; p < c->n_point; p++) n_target += c->point[p].has_target;
  if (n_target == 0) {
    return error_set(err, STATUS_INPUT, f->info->name, "the targets are no places in space");
  }
  if (m) most += 2 * m->nv + m->n_frame;
  Space sp = {.c = c, .f = f, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  Frame3 *body = m ? calloc((size_t)m->nv + 1, sizeof *body) : NULL;
  double *q = m ? calloc((size_t)m->nv + 1, sizeof *q) : NULL;
  sp.piece = calloc((size_t)most + 1, sizeof *sp.piece);
  bool room = sp.piece && (!m || (body && q));
  if (room) {
    aim(&sp);
    for (int p = 0; p < c->n_point; p++) {
      if (!c->point[p].has_target) continue;
      Piece *piece = &sp.piece[sp.n++];
      *piece = (Piece){.point = p};
      memcpy(piece->a, c->point[p].target, sizeof piece->a);
      memcpy(piece->b, c->point[p].target, sizeof piece->b);
    }
    if (m) {
      find_start(c, m, q);
      place_bodies(m, q, body);
      add_robot(&sp, m, body);
    }
    svg_begin(&sp.s, b, WIDTH + BAR, HEIGHT, f->info->title, f->own_file);
    draw(&sp);
    svg_end(&sp.s);
  }
  free(sp.piece);
  free(q);
  free(body);
  return room ? STATUS_OK : error_no_memory(err);
}
