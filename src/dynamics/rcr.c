// SPDX-License-Identifier: MIT
#include "dynamics/rcr.h"

#include "dynamics/rcr_choice.h"
#include "dynamics/rcr_form.h"

enum { MAX_DEP = RCR_MAX_ROWS };

// A loop's closure at a configuration. Motions at `c`, the origin of p.
typedef struct Closure {
  int n;                          // rows
  Vec3 c;                         //
  Motion row[RCR_MAX_ROWS];       // rate of row = row . motion of p relative to the base + ...
  Motion tail_row[RCR_MAX_ROWS];  // the same for bodies of the tail
  Motion joint[MAX_DEP];          // dependent joints at unit rate, in the plan's order
  Expr g[MAX_DEP][RCR_MAX_ROWS];  // their columns
  Expr h[MAX_DEP][RCR_MAX_ROWS];  // projected
  Expr d_inv[MAX_DEP];            // 1 / Delta
  Expr pivot[MAX_DEP];            // Delta over the squared column
  Expr gamma[RCR_MAX_ROWS];       // bias acceleration of the rows
} Closure;

struct Rcr {
  Arena *arena;
  const DynTrace *tr;
  const RcrPlan *plan;
  ExprGraph *g;
  WorldBody *world;  // nv
  Closure *closure;  // plan->n_loop
  Motion *rate;      // nv, velocities
  Motion *whole;     // nv, accelerations beyond the bias motion
  Motion *relative;  // nv, those relative to the loop's base
  KinMotion *bias;   // nv
  RcrForm *form;     // nv
  RcrPivot *pivot;   // nv, of independent joints
};

static Expr dot_n(ExprGraph *g, int n, const Expr *a, const Expr *b) {
  Expr sum = EXPR_ZERO;
  for (int i = 0; i < n; i++) sum = expr_add(g, sum, expr_mul(g, a[i], b[i]));
  return sum;
}

static Expr motion_dot(ExprGraph *g, Motion a, Motion b) {
  return expr_add(g, vec3_dot(g, a.w, b.w), vec3_dot(g, a.v, b.v));
}

// ---- closures ----------------------------------------------------------------------------------

// rows at c, for bodies of the head and of the tail
static void set_rows(Rcr *r, const RcrLoop *l, Closure *cl) {
  ExprGraph *g = r->g;
  WorldRows rows;
  world_rows(g, &r->tr->tree, r->tr->body, r->world, &r->tr->m->loop[l->loop], l->base, &rows);
  cl->n = rows.n;
  for (int side = 0; side < 2; side++) {
    Vec3 d = vec3_sub(g, rows.point[side], cl->c);
    Motion *row = side == l->head ? cl->row : cl->tail_row;
    for (int i = 0; i < rows.n; i++) {
      Vec3 f = rows.f[side][i];
      row[i] = (Motion){vec3_add(g, rows.w[side][i], vec3_cross(g, d, f)), f};
    }
  }
}

// equations 44 and 45: joint by joint out of the rows
static void project(ExprGraph *g, const RcrLoop *l, Closure *cl) {
  int n = cl->n;
  Expr tau[RCR_MAX_ROWS][RCR_MAX_ROWS] = {{EXPR_ZERO}};
  for (int i = 0; i < n; i++) tau[i][i] = EXPR_ONE;
  for (int e = 0; e < l->n_dep; e++) {
    Expr *h = cl->h[e];
    const Expr *col = cl->g[e];
    for (int i = 0; i < n; i++) h[i] = dot_n(g, n, tau[i], col);
    Expr delta = dot_n(g, n, col, h);
    cl->d_inv[e] = expr_div(g, EXPR_ONE, delta);
    cl->pivot[e] = expr_div(g, delta, dot_n(g, n, col, col));
    for (int i = 0; i < n; i++) {
      Expr s = expr_mul(g, h[i], cl->d_inv[e]);
      for (int k = 0; k <= i; k++) {
        tau[i][k] = expr_sub(g, tau[i][k], expr_mul(g, s, h[k]));
        tau[k][i] = tau[i][k];
      }
    }
  }
}

static void set_closure(Rcr *r, const RcrLoop *l, Closure *cl) {
  ExprGraph *g = r->g;
  int at = l->p >= 0 || l->n_dep == 0 ? l->p : l->dep[0];
  cl->c = world_origin(r->world, at);
  set_rows(r, l, cl);
  for (int e = 0; e < l->n_dep; e++) {
    const WorldBody *b = &r->world[l->dep[e]];
    cl->joint[e] = world_joint(g, &r->tr->tree.joint[l->dep[e]], b, vec3_sub(g, cl->c, b->x));
    for (int i = 0; i < cl->n; i++) {
      const Motion *row = e < l->n_tail ? &cl->tail_row[i] : &cl->row[i];
      cl->g[e][i] = motion_dot(g, *row, cl->joint[e]);
    }
  }
  project(g, l, cl);
}

Rcr *rcr_open(const DynTrace *tr, const RcrPlan *plan) {
  Arena *arena = arena_new();
  Rcr *r = arena_alloc(arena, sizeof *r);
  size_t n = (size_t)plan->nv + 1;
  if (r) {
    *r = (Rcr){.arena = arena, .tr = tr, .plan = plan, .g = tr->g};
    r->world = arena_array(arena, n, sizeof *r->world);
    r->closure = arena_array(arena, (size_t)plan->n_loop + 1, sizeof *r->closure);
    r->rate = arena_array(arena, n, sizeof *r->rate);
    r->whole = arena_array(arena, n, sizeof *r->whole);
    r->relative = arena_array(arena, n, sizeof *r->relative);
    r->bias = arena_array(arena, n, sizeof *r->bias);
    r->form = arena_array(arena, n, sizeof *r->form);
    r->pivot = arena_array(arena, n, sizeof *r->pivot);
  }
  if (!r || !r->world || !r->closure || !r->rate || !r->whole || !r->relative || !r->bias ||
      !r->form || !r->pivot) {
    arena_free(arena);
    expr_graph_fail(tr->g);
    return NULL;
  }
  int origin = expr_graph_origin(r->g, "rcr: placements");
  world_build(r->g, &tr->tree, tr->body, r->world);
  for (int l = 0; l < plan->n_loop; l++) {
    expr_graph_origin(r->g, "rcr: closure of loop %s", tr->m->loop[plan->loop[l].loop].name);
    set_closure(r, &plan->loop[l], &r->closure[l]);
  }
  expr_graph_origin_restore(r->g, origin);
  return r;
}

void rcr_end(Rcr *r) {
  if (r) arena_free(r->arena);
}

void rcr_pivots(Rcr *r, Expr *pivot) {
  for (int l = 0, e = 0; l < r->plan->n_loop; l++) {
    for (int i = 0; i < r->plan->loop[l].n_dep; i++) pivot[e++] = r->closure[l].pivot[i];
  }
}

// x of the dependent joints that closes the rows when the rest makes y of them; y is used up (47)
static void close_rows(ExprGraph *g, const RcrLoop *l, const Closure *cl, Expr *y, Expr *x) {
  for (int e = l->n_dep - 1; e >= 0; e--) {
    x[e] = expr_neg(expr_mul(g, dot_n(g, cl->n, cl->h[e], y), cl->d_inv[e]));
    for (int i = 0; i < cl->n; i++) y[i] = expr_add(g, y[i], expr_mul(g, cl->g[e][i], x[e]));
  }
}

static Motion at_point(Rcr *r, const Motion *motion, int i, Vec3 x) {
  if (i < 0) return MOTION_ZERO;
  return motion_at(r->g, motion[i], vec3_sub(r->g, x, r->world[i].x));
}

// ---- velocities --------------------------------------------------------------------------------

static void move_body(Rcr *r, int i, Expr v) {
  const DynJoint *j = &r->tr->tree.joint[i];
  const WorldBody *b = &r->world[i];
  Motion own = motion_scale(r->g, v, world_joint(r->g, j, b, VEC3_ZERO));
  r->rate[i] = motion_add(r->g, at_point(r, r->rate, j->parent, b->x), own);
}

void rcr_velocity(Rcr *r, Expr *v) {
  ExprGraph *g = r->g;
  int origin = expr_graph_origin(g, "rcr: velocities");
  for (int k = 0; k < r->plan->n_event; k++) {
    RcrEvent event = r->plan->event[k];
    if (!event.is_loop) {
      move_body(r, event.index, v[event.index]);
      continue;
    }
    const RcrLoop *l = &r->plan->loop[event.index];
    const Closure *cl = &r->closure[event.index];
    Expr y[RCR_MAX_ROWS], x[MAX_DEP];
    Motion p =
        motion_sub(g, at_point(r, r->rate, l->p, cl->c), at_point(r, r->rate, l->base, cl->c));
    if (l->p == l->base) p = MOTION_ZERO;
    for (int i = 0; i < cl->n; i++) y[i] = motion_dot(g, cl->row[i], p);
    close_rows(g, l, cl, y, x);
    for (int e = 0; e < l->n_dep; e++) v[l->dep[e]] = x[e];
    for (int e = 0; e < l->n_tail; e++) move_body(r, l->dep[e], v[l->dep[e]]);
    for (int e = l->n_dep - 1; e >= l->n_tail; e--) move_body(r, l->dep[e], v[l->dep[e]]);
  }
  expr_graph_origin_restore(g, origin);
}

// ---- accelerations: from the leaves to the world -----------------------------------------------

// bodies relative to nothing but the world have no A
static int first_of(const RcrPlan *plan, int i) {
  return plan->base[i] < 0 ? RCR_R : RCR_A;
}

// adds a form in a body's own acceleration to it; the world takes everything
static void add_whole(Rcr *r, int body, const RcrForm *f) {
  if (body >= 0) rcr_form_add_whole(r->g, &r->form[body], f);
}

static void reduce_joint(Rcr *r, int i, Expr tau) {
  const DynJoint *j = &r->tr->tree.joint[i];
  RcrForm *f = &r->form[i];
  Motion own = world_joint(r->g, j, &r->world[i], VEC3_ZERO);
  r->pivot[i] = rcr_form_pivot(r->g, f, own, j->armature, tau);
  if (j->parent < 0) return;
  rcr_form_shift(r->g, f, vec3_sub(r->g, r->world[i].x, world_origin(r->world, j->parent)));
  if (r->plan->base[i] == RCR_NO_GROUP) {
    add_whole(r, j->parent, f);
  } else if (j->parent == r->plan->base[i]) {
    RcrForm base = rcr_form_of_base(f);
    add_whole(r, j->parent, &base);
  } else {
    rcr_form_add(r->g, &r->form[j->parent], f);
  }
}

// A loop's dependent bodies as a form in (A, R of p) and their joints' accelerations x:
//   form + x^T mass x / 2 + x^T cross^T (A, R) - x^T force
typedef struct Branches {
  RcrForm form;
  Expr mass[MAX_DEP][MAX_DEP];
  Expr cross[MAX_DEP][RCR_SIZE];
  Expr force[MAX_DEP];
} Branches;

// composite bodies from the tip of a branch: dependent joints first .. last in steps
static void gather(Rcr *r, const RcrLoop *l, const Closure *cl, bool tail, const Expr *tau,
                   Branches *br) {
  ExprGraph *g = r->g;
  RcrForm sum = rcr_form_zero(br->form.first);
  int from = tail ? l->n_tail - 1 : l->n_tail, end = tail ? -1 : l->n_dep, step = tail ? -1 : 1;
  for (int e = from; e != end; e += step) {
    int body = l->dep[e];
    RcrForm f = r->form[body];
    rcr_form_shift(g, &f, vec3_sub(g, r->world[body].x, cl->c));
    rcr_form_add(g, &sum, &f);
    Expr *u = br->cross[e];
    rcr_form_apply(g, &sum, cl->joint[e], u);
    for (int k = e; k != end; k += step) {
      br->mass[e][k] = br->mass[k][e] = rcr_dot6(g, u + RCR_R, cl->joint[k]);
    }
    Expr armature = expr_const(g, r->tr->tree.joint[body].armature);
    br->mass[e][e] = expr_add(g, br->mass[e][e], armature);
    br->force[e] = expr_add(g, tau[body], rcr_dot6(g, sum.b + RCR_R, cl->joint[e]));
  }
  // the tail moves with the base, not with p
  for (int e = from; tail && e != end; e += step) {
    for (int k = RCR_R; k < RCR_SIZE; k++) br->cross[e][k] = EXPR_ZERO;
  }
  if (tail) {
    RcrForm base = sum;
    sum = rcr_form_zero(sum.first);
    for (int k = 0; k < RCR_R; k++) {
      for (int i = 0; i < RCR_R; i++) sum.Q[i + RCR_SIZE * k] = base.Q[i + RCR_SIZE * k];
      sum.b[k] = base.b[k];
    }
  }
  rcr_form_add(g, &br->form, &sum);
}

// Puts x = K (rows R + gamma) into the branches' form, K = -(columns)^-1 by projections:
// with N = K^T mass K, L = cross K, c = K^T force and z = rows R + gamma
//   form + z^T N z / 2 + z^T L^T (A, R) - z^T c
static void substitute(ExprGraph *g, const RcrLoop *l, const Closure *cl, Branches *br) {
  int n = cl->n;
  Expr K[MAX_DEP][RCR_MAX_ROWS], MK[MAX_DEP][RCR_MAX_ROWS], row[RCR_MAX_ROWS][6];
  Expr side[RCR_SIZE][RCR_MAX_ROWS], full[RCR_SIZE][RCR_MAX_ROWS], c[RCR_MAX_ROWS];
  Expr N[RCR_MAX_ROWS][RCR_MAX_ROWS];
  for (int i = 0; i < n; i++) {
    Expr y[RCR_MAX_ROWS] = {EXPR_ZERO}, x[MAX_DEP];
    y[i] = EXPR_ONE;
    close_rows(g, l, cl, y, x);
    for (int e = 0; e < l->n_dep; e++) K[e][i] = x[e];
    rcr_six(cl->row[i], row[i]);
  }
  for (int i = 0; i < n; i++) {
    c[i] = EXPR_ZERO;
    for (int e = 0; e < l->n_dep; e++) {
      c[i] = expr_add(g, c[i], expr_mul(g, K[e][i], br->force[e]));
      MK[e][i] = EXPR_ZERO;
      for (int k = 0; k < l->n_dep; k++) {
        MK[e][i] = expr_add(g, MK[e][i], expr_mul(g, br->mass[e][k], K[k][i]));
      }
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      N[i][k] = EXPR_ZERO;
      for (int e = 0; e < l->n_dep; e++) {
        N[i][k] = expr_add(g, N[i][k], expr_mul(g, K[e][i], MK[e][k]));
      }
      N[k][i] = N[i][k];
    }
  }
  // full = L + rows N, what multiplies gamma; side = L + rows N / 2, half of what multiplies rows
  Expr half = expr_const(g, 0.5);
  for (int i = 0; i < RCR_SIZE; i++) {
    for (int k = 0; k < n; k++) {
      Expr L = EXPR_ZERO, rN = EXPR_ZERO;
      for (int e = 0; e < l->n_dep; e++) {
        L = expr_add(g, L, expr_mul(g, br->cross[e][i], K[e][k]));
      }
      for (int e = 0; i >= RCR_R && e < n; e++) {
        rN = expr_add(g, rN, expr_mul(g, row[e][i - RCR_R], N[e][k]));
      }
      full[i][k] = expr_add(g, L, rN);
      side[i][k] = i < RCR_R ? L : expr_add(g, L, expr_mul(g, half, rN));
    }
  }
  RcrForm *f = &br->form;
  for (int i = f->first; i < RCR_SIZE; i++) {
    for (int k = RCR_R; k < RCR_SIZE; k++) {
      if (i >= RCR_R && i < k) continue;
      Expr x = EXPR_ZERO;
      for (int e = 0; e < n; e++) {
        x = expr_add(g, x, expr_mul(g, side[i][e], row[e][k - RCR_R]));
        if (i < RCR_R) continue;
        x = expr_add(g, x, expr_mul(g, side[k][e], row[e][i - RCR_R]));
      }
      f->Q[i + RCR_SIZE * k] = expr_add(g, f->Q[i + RCR_SIZE * k], x);
      f->Q[k + RCR_SIZE * i] = f->Q[i + RCR_SIZE * k];
    }
    Expr b = dot_n(g, n, full[i], cl->gamma);
    for (int e = 0; i >= RCR_R && e < n; e++) {
      b = expr_sub(g, b, expr_mul(g, row[e][i - RCR_R], c[e]));
    }
    f->b[i] = expr_sub(g, f->b[i], b);
  }
}

static void reduce_loop(Rcr *r, int index, const Expr *tau) {
  const RcrLoop *l = &r->plan->loop[index];
  Closure *cl = &r->closure[index];
  const DynTrace *tr = r->tr;
  Branches br = {.form = rcr_form_zero(l->base < 0 ? RCR_R : RCR_A)};
  world_gamma(r->g, &tr->tree, tr->body, r->world, r->bias, r->rate, &tr->m->loop[l->loop], l->base,
              cl->gamma);
  gather(r, l, cl, true, tau, &br);
  gather(r, l, cl, false, tau, &br);
  substitute(r->g, l, cl, &br);
  if (l->p != l->base) {
    rcr_form_add(r->g, &r->form[l->p], &br.form);
  } else if (l->base >= 0) {
    RcrForm base = rcr_form_of_base(&br.form);
    add_whole(r, l->base, &base);
  }
}

// ---- and back ----------------------------------------------------------------------------------

static void accelerate_joint(Rcr *r, int i, Expr *a) {
  ExprGraph *g = r->g;
  const DynJoint *j = &r->tr->tree.joint[i];
  const WorldBody *b = &r->world[i];
  int base = r->plan->base[i];
  Motion A = base < 0 ? MOTION_ZERO : at_point(r, r->whole, base, b->x);
  const Motion *from = base == RCR_NO_GROUP ? r->whole : r->relative;
  Motion R = j->parent == base ? MOTION_ZERO : at_point(r, from, j->parent, b->x);
  Expr felt =
      expr_add(g, rcr_dot6(g, r->pivot[i].u + RCR_A, A), rcr_dot6(g, r->pivot[i].u + RCR_R, R));
  *a = expr_sub(g, r->pivot[i].rest, felt);
  Motion own = motion_scale(g, *a, world_joint(g, j, b, VEC3_ZERO));
  r->relative[i] = motion_add(g, R, own);
  r->whole[i] = motion_add(g, A, r->relative[i]);
}

static void accelerate_loop(Rcr *r, int index, Expr *a) {
  ExprGraph *g = r->g;
  const RcrLoop *l = &r->plan->loop[index];
  const Closure *cl = &r->closure[index];
  Motion p = l->p == l->base ? MOTION_ZERO : at_point(r, r->relative, l->p, cl->c);
  Expr y[RCR_MAX_ROWS], x[MAX_DEP];
  for (int i = 0; i < cl->n; i++) {
    y[i] = expr_add(g, motion_dot(g, cl->row[i], p), cl->gamma[i]);
  }
  close_rows(g, l, cl, y, x);
  Motion at = MOTION_ZERO;
  for (int k = 0; k < l->n_dep; k++) {
    int e = k < l->n_tail ? k : l->n_dep - 1 - (k - l->n_tail), body = l->dep[e];
    if (k == l->n_tail) at = p;
    at = motion_add(g, at, motion_scale(g, x[e], cl->joint[e]));
    const WorldBody *b = &r->world[body];
    a[body] = x[e];
    r->relative[body] = motion_at(g, at, vec3_sub(g, b->x, cl->c));
    Motion A = l->base < 0 ? MOTION_ZERO : at_point(r, r->whole, l->base, b->x);
    r->whole[body] = motion_add(g, A, r->relative[body]);
  }
}

static void start_bodies(Rcr *r, const Expr *v) {
  const DynTrace *tr = r->tr;
  kin_motion(r->g, &tr->tree, tr->body, v, NULL, r->bias);
  world_motion(r->g, &tr->tree, r->world, v, r->rate);
  for (int i = 0; i < r->plan->nv; i++) {
    const DynJoint *j = &tr->tree.joint[i];
    RneaWrench bias = rnea_body_wrench(r->g, j, &tr->body[i], &r->bias[i]);
    RcrForm own = rcr_form_body(r->g, j, &tr->body[i], &r->world[i], &bias);
    r->form[i] = rcr_form_zero(first_of(r->plan, i));
    rcr_form_add_whole(r->g, &r->form[i], &own);
  }
}

void rcr_acceleration(Rcr *r, const Expr *v, const Expr *tau, Expr *a) {
  const RcrPlan *plan = r->plan;
  const Model *m = r->tr->m;
  int origin = expr_graph_origin(r->g, "rcr: bias motion");
  start_bodies(r, v);
  for (int k = plan->n_event - 1; k >= 0; k--) {
    RcrEvent event = plan->event[k];
    if (event.is_loop) {
      expr_graph_origin(r->g, "rcr: loop %s", m->loop[plan->loop[event.index].loop].name);
      reduce_loop(r, event.index, tau);
    } else {
      expr_graph_origin(r->g, "rcr: pivot at joint %s", m->joint[event.index].name);
      reduce_joint(r, event.index, tau[event.index]);
    }
  }
  expr_graph_origin(r->g, "rcr: accelerations");
  for (int k = 0; k < plan->n_event; k++) {
    RcrEvent event = plan->event[k];
    if (event.is_loop) accelerate_loop(r, event.index, a);
    else accelerate_joint(r, event.index, &a[event.index]);
  }
  expr_graph_origin_restore(r->g, origin);
}
