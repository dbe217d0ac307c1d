// SPDX-License-Identifier: MIT
#include "dynamics/rcr.h"

#include "dynamics/rcr_loop.h"

struct Rcr {
  Arena *arena;
  const DynTrace *tr;
  const RcrPlan *plan;
  ExprGraph *g;
  WorldBody *world;     // nv
  RcrClosure *closure;  // plan->n_loop
  Motion *rate;         // nv, velocities
  Motion *whole;        // nv, accelerations beyond the bias motion
  Motion *relative;     // nv, those relative to the loop's base
  KinMotion *bias;      // nv
  RcrForm *form;        // nv
  RcrPivot *pivot;      // nv, of independent joints
  Expr *x;              // nv, scratch
};

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
    r->x = arena_array(arena, n, sizeof *r->x);
  }
  if (!r || !r->world || !r->closure || !r->rate || !r->whole || !r->relative || !r->bias ||
      !r->form || !r->pivot || !r->x) {
    arena_free(arena);
    expr_graph_fail(tr->g);
    return NULL;
  }
  int origin = expr_graph_origin(r->g, "rcr: placements");
  world_build(r->g, &tr->tree, tr->body, r->world);
  for (int l = 0; l < plan->n_loop; l++) {
    expr_graph_origin(r->g, "rcr: closure of loop %s", tr->m->loop[plan->loop[l].loop].name);
    if (!rcr_loop_open(&r->closure[l], &plan->loop[l], tr, r->world, arena)) {
      arena_free(arena);
      expr_graph_fail(tr->g);
      return NULL;
    }
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

static Motion at_point(Rcr *r, const Motion *motion, int i, Vec3 x) {
  if (i < 0) return MOTION_ZERO;
  return motion_at(r->g, motion[i], vec3_sub(r->g, x, r->world[i].x));
}

// ---- velocities --------------------------------------------------------------------------------

// the joints behind p, each after its parent: the tail as it is, the head from p to its tip
static int outwards(const RcrLoop *l, int k) {
  return k < l->n_tail ? k : l->n_joint - 1 - (k - l->n_tail);
}

static void move_body(Rcr *r, int i, Expr v) {
  const DynJoint *j = &r->tr->tree.joint[i];
  const WorldBody *b = &r->world[i];
  Motion own = motion_scale(r->g, v, world_joint(r->g, j, b, VEC3_ZERO));
  r->rate[i] = motion_add(r->g, at_point(r, r->rate, j->parent, b->x), own);
}

// motion of a body relative to the loop's base, at c
static Motion seen_from_base(Rcr *r, const RcrClosure *cl, int body) {
  if (body == cl->l->base) return MOTION_ZERO;
  return motion_sub(r->g, at_point(r, r->rate, body, cl->c),
                    at_point(r, r->rate, cl->l->base, cl->c));
}

static void move_loop(Rcr *r, const RcrClosure *cl, Expr *v) {
  ExprGraph *g = r->g;
  const RcrLoop *l = cl->l;
  Expr y[RCR_MAX_ROWS], *x = r->x;
  for (int k = 0; k < l->n_in; k++) move_body(r, l->in[k], v[l->in[k]]);
  Motion p = seen_from_base(r, cl, l->p), s = seen_from_base(r, cl, l->s);
  for (int i = 0; i < cl->n; i++) {
    y[i] = expr_add(g, motion_dot(g, cl->row[i], p), motion_dot(g, cl->tail_row[i], s));
  }
  for (int e = 0; e < l->n_joint; e++) x[e] = v[l->joint[e]];
  rcr_loop_close(g, cl, y, x);
  for (int e = 0; e < l->n_joint; e++) v[l->joint[e]] = x[e];
  for (int k = 0; k < l->n_joint; k++) {
    int body = l->joint[outwards(l, k)];
    move_body(r, body, v[body]);
  }
}

void rcr_velocity(Rcr *r, Expr *v) {
  int origin = expr_graph_origin(r->g, "rcr: velocities");
  for (int k = 0; k < r->plan->n_event; k++) {
    RcrEvent event = r->plan->event[k];
    if (event.is_loop) move_loop(r, &r->closure[event.index], v);
    else move_body(r, event.index, v[event.index]);
  }
  expr_graph_origin_restore(r->g, origin);
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
  r->pivot[i] = rcr_form_pivot(r->g, f, RCR_R, own, j->armature, tau);
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

static void reduce_loop(Rcr *r, RcrClosure *cl, const Expr *tau) {
  const RcrLoop *l = cl->l;
  const DynTrace *tr = r->tr;
  world_gamma(r->g, &tr->tree, tr->body, r->world, r->bias, r->rate, &tr->m->loop[l->loop], l->base,
              cl->gamma);
  RcrForm f = rcr_loop_reduce(cl, tr, r->world, r->form, tau, r->arena);
  if (l->p != l->base) {
    rcr_form_add(r->g, &r->form[l->p], &f);
  } else if (l->base >= 0) {
    RcrForm base = rcr_form_of_base(&f);
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

// a body of a loop, from its motion relative to the base and the base's, both at c
static void set_acceleration(Rcr *r, const RcrClosure *cl, int body, Motion A, Motion relative) {
  Vec3 to = vec3_sub(r->g, r->world[body].x, cl->c);
  r->relative[body] = motion_at(r->g, relative, to);
  r->whole[body] = motion_add(r->g, motion_at(r->g, A, to), r->relative[body]);
}

static void accelerate_loop(Rcr *r, const RcrClosure *cl, Expr *a) {
  ExprGraph *g = r->g;
  const RcrLoop *l = cl->l;
  Expr y[RCR_MAX_ROWS], *x = r->x, *in = r->x + l->n_joint;
  Motion A = l->base < 0 ? MOTION_ZERO : at_point(r, r->whole, l->base, cl->c);
  Motion p = l->p == l->base ? MOTION_ZERO : at_point(r, r->relative, l->p, cl->c);
  Motion s = rcr_loop_independent(g, cl, A, p, in, x), at = MOTION_ZERO;
  for (int k = 0; k < l->n_in; k++) {
    at = motion_add(g, at, motion_scale(g, in[k], cl->in[k]));
    a[l->in[k]] = in[k];
    set_acceleration(r, cl, l->in[k], A, at);
  }
  for (int i = 0; i < cl->n; i++) {
    Expr felt = expr_add(g, motion_dot(g, cl->row[i], p), motion_dot(g, cl->tail_row[i], s));
    y[i] = expr_add(g, felt, cl->gamma[i]);
  }
  rcr_loop_close(g, cl, y, x);
  for (int k = 0; k < l->n_joint; k++) {
    int e = outwards(l, k), body = l->joint[e];
    if (k == l->n_tail) at = p;
    at = motion_add(g, at, motion_scale(g, x[e], cl->joint[e]));
    a[body] = x[e];
    set_acceleration(r, cl, body, A, at);
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
      reduce_loop(r, &r->closure[event.index], tau);
    } else {
      expr_graph_origin(r->g, "rcr: pivot at joint %s", m->joint[event.index].name);
      reduce_joint(r, event.index, tau[event.index]);
    }
  }
  expr_graph_origin(r->g, "rcr: accelerations");
  for (int k = 0; k < plan->n_event; k++) {
    RcrEvent event = plan->event[k];
    if (event.is_loop) accelerate_loop(r, &r->closure[event.index], a);
    else accelerate_joint(r, event.index, &a[event.index]);
  }
  expr_graph_origin_restore(r->g, origin);
}
