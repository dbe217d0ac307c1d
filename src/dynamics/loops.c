// SPDX-License-Identifier: MIT
#include "dynamics/loops.h"

#include <string.h>

// A joint between c and one side of a loop, in the axes of c.
typedef struct Link {
  int joint;
  KinBody place;  // on its parent, c taken for the world
  Mat3 R;         // F_i -> c
  Vec3 axis, o;   // axis and origin of the joint
  Vec3 w, al;     // angular velocity and bias acceleration of the body
  Vec3 vel, acc;  // of its origin
} Link;

// One side of a loop: its frame, seen from c.
typedef struct Side {
  int n;             // joints between c and the body
  Link *link;        // n, from c outwards
  Vec3 x, vel, acc;  // origin of the frame
  Vec3 w, al;
  Mat3 E;  // axes of the frame
} Side;

typedef struct Work {
  const DynTrace *tr;
  ExprGraph *g;
  LoopTrace *out;
  Side side[2];
  Expr *column;  // nv, of the row at hand
  int n_row;     // rows so far
  int nnz, cap;  // entries so far, row by row
  int *at;       // cap, columns
  Expr *e;       // cap
} Work;

int loops_common(const DynTree *t, int a, int b) {
  while (a != b) {  // parents have smaller numbers
    if (a > b) a = t->joint[a].parent;
    else b = t->joint[b].parent;
  }
  return a;
}

// ---- kinematics of one side --------------------------------------------------------------------

// velocity and bias acceleration of a point fixed to a moving body, at r from its origin
static void carry(ExprGraph *g, const Link *b, Vec3 r, Vec3 *vel, Vec3 *acc) {
  Vec3 spin = vec3_cross(g, b->w, r);
  *vel = vec3_add(g, b->vel, spin);
  *acc = vec3_add(g, b->acc, vec3_add(g, vec3_cross(g, b->al, r), vec3_cross(g, b->w, spin)));
}

static void move(ExprGraph *g, const DynJoint *j, const Link *p, Expr v, Link *b) {
  Vec3 rate = vec3_scale(g, v, b->axis), rest = VEC3_ZERO;
  b->w = p ? p->w : rest;
  b->al = p ? p->al : rest;
  b->vel = b->acc = rest;
  if (p) carry(g, p, vec3_sub(g, b->o, p->o), &b->vel, &b->acc);
  Vec3 coriolis = vec3_cross(g, b->w, rate);
  if (j->type == JOINT_REVOLUTE) {
    b->al = vec3_add(g, b->al, coriolis);
    b->w = vec3_add(g, b->w, rate);
  } else {
    b->vel = vec3_add(g, b->vel, rate);
    b->acc = vec3_add(g, b->acc, vec3_add(g, coriolis, coriolis));
  }
}

static void place_link(const DynTrace *tr, const Link *p, int i, Link *b) {
  ExprGraph *g = tr->g;
  const DynJoint *j = &tr->tree.joint[i];
  b->joint = i;
  kin_place(g, j, p ? &p->place : NULL, tr->q[i], &b->place);
  Mat3 R = p ? p->R : mat3_identity();
  b->R = b->place.moves ? mat3_mul(g, R, b->place.X) : R;
  b->axis = mat3_vec(g, b->R, b->place.axis);
  b->o = mat3_vec(g, R, b->place.r);
  if (p) b->o = vec3_add(g, p->o, b->o);
  move(g, j, p, tr->v[i], b);
}

// the frame (pos, rot in the file's body frame) on body i, seen from c
static void place_side(Work *w, Side *s, int c, int i, const double pos[3], const double rot[9]) {
  const DynTrace *tr = w->tr;
  ExprGraph *g = tr->g;
  s->n = 0;
  for (int k = i; k != c; k = tr->tree.joint[k].parent) s->n++;
  for (int k = i, e = s->n; k != c; k = tr->tree.joint[k].parent) s->link[--e].joint = k;
  for (int e = 0; e < s->n; e++) {
    place_link(tr, e ? &s->link[e - 1] : NULL, s->link[e].joint, &s->link[e]);
  }
  double own_pos[3], own_rot[9];
  memcpy(own_pos, pos, sizeof own_pos);
  memcpy(own_rot, rot, sizeof own_rot);
  if (i >= 0) {
    num3_vec_t(tr->tree.joint[i].to_file, pos, own_pos);
    num3_mul_t(tr->tree.joint[i].to_file, rot, own_rot);
  }
  Vec3 r = vec3_const(g, own_pos);
  Mat3 E = mat3_const(g, own_rot);
  s->vel = s->acc = s->w = s->al = VEC3_ZERO;
  if (s->n > 0) {
    const Link *b = &s->link[s->n - 1];
    Mat3 R = mat3_mul(g, b->R, b->place.E);
    r = mat3_vec(g, R, r);
    E = mat3_mul(g, R, E);
    s->w = b->w;
    s->al = b->al;
    carry(g, b, r, &s->vel, &s->acc);
    r = vec3_add(g, b->o, r);
  }
  s->x = r;
  s->E = E;
}

// ---- rows --------------------------------------------------------------------------------------

static Vec3 axis_of(const Side *s, int k) {
  return (Vec3){{s->E.x[3 * k], s->E.x[3 * k + 1], s->E.x[3 * k + 2]}};
}

static bool grow(Work *w, Arena *arena, int more) {
  if (w->nnz + more <= w->cap) return true;
  int cap = 2 * w->cap + more;
  int *at = arena_array(arena, (size_t)cap, sizeof *at);
  Expr *e = arena_array(arena, (size_t)cap, sizeof *e);
  if (!at || !e) return false;
  if (w->nnz) memcpy(at, w->at, (size_t)w->nnz * sizeof *at);
  if (w->nnz) memcpy(e, w->e, (size_t)w->nnz * sizeof *e);
  w->at = at;
  w->e = e;
  w->cap = cap;
  return true;
}

// keeps a finished row; `of` gives its entry for a joint of side s
typedef Expr Entry(Work *w, const Side *s, const Link *l, bool second, const void *data);

static void add_row(Work *w, int loop, unsigned bit, Expr phi, Expr gamma, Entry *of,
                    const void *data) {
  LoopTrace *o = w->out;
  int r = w->n_row++;
  o->loop[r] = loop;
  o->row[r] = bit;
  o->phi[r] = phi;
  o->gamma[r] = gamma;
  Expr rate = EXPR_ZERO;
  for (int s = 0; s < 2; s++) {
    for (int e = 0; e < w->side[s].n; e++) {
      const Link *l = &w->side[s].link[e];
      Expr entry = of(w, &w->side[s], l, s == 1, data);
      rate = expr_add(w->g, rate, expr_mul(w->g, entry, w->tr->v[l->joint]));
      w->at[w->nnz] = l->joint;
      w->e[w->nnz++] = entry;
    }
  }
  o->rate[r] = rate;
}

static bool turns(const Work *w, const Link *l) {
  return w->tr->tree.joint[l->joint].type == JOINT_REVOLUTE;
}

// d x / d q_i of the side's point
static Vec3 point_column(Work *w, const Side *s, const Link *l) {
  return turns(w, l) ? vec3_cross(w->g, l->axis, vec3_sub(w->g, s->x, l->o)) : l->axis;
}

// component k of x1 - x0
static Expr along_axis(Work *w, const Side *s, const Link *l, bool second, const void *data) {
  Expr e = point_column(w, s, l).x[*(const int *)data];
  return second ? e : expr_neg(e);
}

// u . (x1 - x0) with u fixed to the first frame: its turning counts too, (u x d) . A
typedef struct Slide {
  Vec3 u, u_cross_d;
} Slide;

static Expr along_slide(Work *w, const Side *s, const Link *l, bool second, const void *data) {
  const Slide *slide = data;
  Expr e = vec3_dot(w->g, slide->u, point_column(w, s, l));
  if (second) return e;
  e = expr_neg(e);
  return turns(w, l) ? expr_add(w->g, e, vec3_dot(w->g, l->axis, slide->u_cross_d)) : e;
}

// d . (x1 - x0)
static Expr along_vector(Work *w, const Side *s, const Link *l, bool second, const void *data) {
  Expr e = vec3_dot(w->g, *(const Vec3 *)data, point_column(w, s, l));
  return second ? e : expr_neg(e);
}

// n . (w1 - w0)
static Expr about_vector(Work *w, const Side *s, const Link *l, bool second, const void *data) {
  (void)s;
  if (!turns(w, l)) return EXPR_ZERO;
  Expr e = vec3_dot(w->g, *(const Vec3 *)data, l->axis);
  return second ? e : expr_neg(e);
}

static void position_row(Work *w, int loop, unsigned bit, int k) {
  const Side *a = &w->side[0], *b = &w->side[1];
  add_row(w, loop, bit, expr_sub(w->g, b->x.x[k], a->x.x[k]),
          expr_sub(w->g, a->acc.x[k], b->acc.x[k]), along_axis, &k);
}

static void slide_row(Work *w, int loop, unsigned bit, int k) {
  ExprGraph *g = w->g;
  const Side *a = &w->side[0], *b = &w->side[1];
  Vec3 u = axis_of(a, k), d = vec3_sub(g, b->x, a->x);
  Slide slide = {u, vec3_cross(g, u, d)};
  // (u . d)'' = u . d'' + 2 u' . d' + u'' . d
  Vec3 rate = vec3_cross(g, a->w, u);
  Vec3 accel = vec3_add(g, vec3_cross(g, a->al, u), vec3_cross(g, a->w, rate));
  Expr twice = vec3_dot(g, rate, vec3_sub(g, b->vel, a->vel));
  Expr sum = vec3_dot(g, u, vec3_sub(g, b->acc, a->acc));
  sum = expr_add(g, sum, expr_scale(g, 2.0, twice));
  sum = expr_add(g, sum, vec3_dot(g, accel, d));
  add_row(w, loop, bit, vec3_dot(g, u, d), expr_neg(sum), along_slide, &slide);
}

// sign u . v, u axis i of the first frame, v axis k of the second: (u . v)' = (w1 - w0) . (v x u)
static void turn_row(Work *w, int loop, unsigned bit, int i, int k, bool negative) {
  ExprGraph *g = w->g;
  const Side *a = &w->side[0], *b = &w->side[1];
  Vec3 u = axis_of(a, i), v = axis_of(b, k);
  if (negative) {
    for (int e = 0; e < 3; e++) u.x[e] = expr_neg(u.x[e]);
  }
  Vec3 n = vec3_cross(g, v, u);
  Vec3 dn = vec3_add(g, vec3_cross(g, vec3_cross(g, b->w, v), u),
                     vec3_cross(g, v, vec3_cross(g, a->w, u)));
  Expr sum = expr_add(g, vec3_dot(g, vec3_sub(g, b->al, a->al), n),
                      vec3_dot(g, vec3_sub(g, b->w, a->w), dn));
  add_row(w, loop, bit, vec3_dot(g, u, v), expr_neg(sum), about_vector, &n);
}

static void length_row(Work *w, int loop, const ModelLoop *l) {
  ExprGraph *g = w->g;
  const Side *a = &w->side[0], *b = &w->side[1];
  Vec3 d = vec3_sub(g, b->x, a->x), rate = vec3_sub(g, b->vel, a->vel);
  Expr excess = expr_sub(g, vec3_dot(g, d, d), expr_const(g, l->distance * l->distance));
  Expr sum = expr_add(g, vec3_dot(g, d, vec3_sub(g, b->acc, a->acc)), vec3_dot(g, rate, rate));
  add_row(w, loop, LOOP_LENGTH, expr_scale(g, 0.5, excess), expr_neg(sum), along_vector, &d);
}

// Coordinate axis of c that z of the first frame is, whatever q; -1 if none.
static int constant_axis(const Side *s) {
  for (int k = 0; k < 3; k++) {
    if ((s->E.x[6 + k] & ~1) == EXPR_ONE) return k;
  }
  return -1;
}

// All three rows of a position may be taken along the axes of c; two, if they are those across an axis
// of it. Other positions are seen from the first frame.
static void position_rows(Work *w, int i, const ModelLoop *l) {
  const unsigned all = LOOP_X | LOOP_Y | LOOP_Z;
  unsigned rows = l->rows & all;
  int z = rows == all ? 2 : -1;
  if (rows == (LOOP_X | LOOP_Y) && l->type != LOOP_PRISMATIC) z = constant_axis(&w->side[0]);
  for (int k = 0; k < 3; k++) {
    unsigned bit = (unsigned)LOOP_X << k;
    if (!(rows & bit)) continue;
    if (z >= 0) position_row(w, i, bit, (z + 1 + k) % 3);
    else slide_row(w, i, bit, k);
  }
}

static void loop_rows(Work *w, int i, const ModelLoop *l) {
  static const struct {
    unsigned bit;
    int first, second;
    bool negative;
  } turn[] = {{LOOP_RX, 1, 2, true},
              {LOOP_RY, 0, 2, false},
              {LOOP_RZ, 1, 0, false},
              {LOOP_ZZ, 2, 2, false}};
  position_rows(w, i, l);
  for (int k = 0; k < 4; k++) {
    if (!(l->rows & turn[k].bit)) continue;
    turn_row(w, i, turn[k].bit, turn[k].first, turn[k].second, turn[k].negative);
  }
  if (l->rows & LOOP_LENGTH) length_row(w, i, l);
}

// ---- all loops ---------------------------------------------------------------------------------

// the entries, row by row, to compressed columns; row_end: m, entries up to the end of each row
static bool to_columns(const Work *w, const int *row_end, Arena *arena, int n, ExprMatrix *J) {
  int nnz = 0;
  for (int e = 0; e < w->nnz; e++) nnz += w->e[e] != EXPR_ZERO;
  *J = (ExprMatrix){.n_row = w->n_row, .n_col = n, .nnz = nnz};
  J->colptr = arena_array(arena, (size_t)n + 1, sizeof *J->colptr);
  J->row = arena_array(arena, (size_t)nnz, sizeof *J->row);
  J->e = arena_array(arena, (size_t)nnz, sizeof *J->e);
  int *next = arena_array(arena, (size_t)n + 1, sizeof *next);
  if (!J->colptr || !J->row || !J->e || !next) return false;
  for (int e = 0; e < w->nnz; e++) J->colptr[w->at[e] + 1] += w->e[e] != EXPR_ZERO;
  for (int j = 0; j < n; j++) next[j + 1] = J->colptr[j + 1] += J->colptr[j];
  for (int r = 0, e = 0; r < w->n_row; r++) {
    for (; e < row_end[r]; e++) {
      if (w->e[e] == EXPR_ZERO) continue;
      int k = next[w->at[e]]++;
      J->row[k] = r;
      J->e[k] = w->e[e];
    }
  }
  return true;
}

bool loops_build(LoopTrace *out, const DynTrace *tr, Arena *arena) {
  const Model *m = tr->m;
  size_t rows = (size_t)model_n_rows(m), n = (size_t)m->nv;
  *out = (LoopTrace){.m = (int)rows};
  Work w = {.tr = tr, .g = tr->g, .out = out};
  out->loop = arena_array(arena, rows, sizeof *out->loop);
  out->row = arena_array(arena, rows, sizeof *out->row);
  out->phi = arena_array(arena, rows, sizeof *out->phi);
  out->rate = arena_array(arena, rows, sizeof *out->rate);
  out->gamma = arena_array(arena, rows, sizeof *out->gamma);
  out->facing = arena_array(arena, 2 * (size_t)m->n_loop, sizeof *out->facing);
  int *row_end = arena_array(arena, rows, sizeof *row_end);
  for (int s = 0; s < 2; s++) w.side[s].link = arena_array(arena, n, sizeof *w.side[s].link);
  bool ok = out->loop && out->row && out->phi && out->rate && out->gamma && out->facing &&
            row_end && w.side[0].link && w.side[1].link;
  int origin = expr_graph_origin(tr->g, "loops");
  for (int i = 0; ok && i < m->n_loop; i++) {
    const ModelLoop *l = &m->loop[i];
    expr_graph_origin(tr->g, "loop %s", l->name);
    int c = loops_common(&tr->tree, l->body[0], l->body[1]);
    for (int s = 0; s < 2; s++) {
      place_side(&w, &w.side[s], c, l->body[s], l->pos[s], l->rot[s]);
    }
    int width = w.side[0].n + w.side[1].n, first = w.n_row, start = w.nnz;
    ok = grow(&w, arena, model_loop_rows(l) * width);
    if (ok) loop_rows(&w, i, l);
    for (int k = 0; k < 2; k++) {
      int axis = k == 0 ? 2 : 0;
      out->facing[2 * i + k] = vec3_dot(w.g, axis_of(&w.side[0], axis), axis_of(&w.side[1], axis));
    }
    for (int r = first; r < w.n_row; r++) row_end[r] = start + width * (r - first + 1);
  }
  expr_graph_origin_restore(tr->g, origin);
  ok = ok && to_columns(&w, row_end, arena, m->nv, &out->J);
  if (!ok) expr_graph_fail(tr->g);
  return ok;
}

// ---- the function ------------------------------------------------------------------------------

static bool make_function(DynFunction *f, const Model *m) {
  DynTrace tr;
  LoopTrace lt;
  ExprInput *in = arena_array(f->arena, 2, sizeof *in);
  ExprOutput *out = arena_array(f->arena, 5, sizeof *out);
  bool ok = in && out && dyn_trace_build(&tr, f->g, m);
  if (in && out) {
    ok = ok && loops_build(&lt, &tr, f->arena) &&
         expr_column(&out[0].value, f->arena, lt.m, lt.phi) &&
         expr_column(&out[1].value, f->arena, lt.m, lt.rate) &&
         expr_column(&out[2].value, f->arena, lt.m, lt.gamma) &&
         expr_column(&out[4].value, f->arena, 2 * m->n_loop, lt.facing);
    dyn_trace_free(&tr);
  }
  if (!ok) return false;
  in[0] = (ExprInput){"q", m->nv, DYN_Q};
  in[1] = (ExprInput){"v", m->nv, DYN_V};
  out[0].name = "phi";
  out[1].name = "rate";
  out[2].name = "gamma";
  out[3] = (ExprOutput){"jacobian", lt.J};
  f->f.n_in = 2;
  f->f.in = in;
  out[4].name = "facing";
  f->f.n_out = 4;
  f->f.out = out;
  return true;
}

Status loops_function_build(DynFunction **out, const Model *m, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprGraph *g = f ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = "loops", .g = g}};
  if (!make_function(f, m) || expr_graph_status(g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  *out = f;
  return STATUS_OK;
}
