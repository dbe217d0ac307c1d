// SPDX-License-Identifier: MIT
#include "dynamics/rcr_loop.h"

static Expr dot_n(ExprGraph *g, int n, const Expr *a, const Expr *b) {
  Expr sum = EXPR_ZERO;
  for (int i = 0; i < n; i++) sum = expr_add(g, sum, expr_mul(g, a[i], b[i]));
  return sum;
}

static void subtract_product(ExprGraph *g, Expr *x, Expr a, Expr b) {
  *x = expr_sub(g, *x, expr_mul(g, a, b));
}

// ---- the closure -------------------------------------------------------------------------------

static void set_rows(RcrClosure *cl, const DynTrace *tr, const WorldBody *world) {
  ExprGraph *g = tr->g;
  WorldRows rows;
  world_rows(g, &tr->tree, tr->body, world, &tr->m->loop[cl->l->loop], cl->l->base, &rows);
  cl->n = rows.n;
  for (int side = 0; side < 2; side++) {
    Vec3 d = vec3_sub(g, rows.point[side], cl->c);
    Motion *row = side == cl->l->head ? cl->row : cl->tail_row;
    for (int i = 0; i < rows.n; i++) {
      Vec3 f = rows.f[side][i];
      row[i] = (Motion){vec3_add(g, rows.w[side][i], vec3_cross(g, d, f)), f};
    }
  }
}

// equations 44 and 45: joint by joint out of the rows
static void project(ExprGraph *g, RcrClosure *cl) {
  int n = cl->n;
  Expr tau[RCR_MAX_ROWS][RCR_MAX_ROWS] = {{EXPR_ZERO}};
  for (int i = 0; i < n; i++) tau[i][i] = EXPR_ONE;
  for (int e = 0; e < cl->l->n_dep; e++) {
    Expr *h = cl->h[e];
    const Expr *col = cl->g[cl->l->dep[e]];
    for (int i = 0; i < n; i++) h[i] = dot_n(g, n, tau[i], col);
    Expr delta = dot_n(g, n, col, h);
    cl->d_inv[e] = expr_div(g, EXPR_ONE, delta);
    cl->pivot[e] = expr_div(g, delta, dot_n(g, n, col, col));
    for (int i = 0; i < n; i++) {
      Expr s = expr_mul(g, h[i], cl->d_inv[e]);
      for (int k = 0; k <= i; k++) {
        subtract_product(g, &tau[i][k], s, h[k]);
        tau[k][i] = tau[i][k];
      }
    }
  }
}

bool rcr_loop_open(RcrClosure *cl, const RcrLoop *l, const DynTrace *tr, const WorldBody *world,
                   Arena *arena) {
  ExprGraph *g = tr->g;
  size_t n_free = (size_t)l->n_free + 1;
  *cl = (RcrClosure){.l = l};
  cl->joint = arena_array(arena, (size_t)l->n_joint + 1, sizeof *cl->joint);
  cl->g = arena_array(arena, (size_t)l->n_joint + 1, sizeof *cl->g);
  cl->in = arena_array(arena, (size_t)l->n_in + 1, sizeof *cl->in);
  cl->in_left = arena_array(arena, (size_t)l->n_in + 1, sizeof *cl->in_left);
  cl->left = arena_array(arena, n_free, sizeof *cl->left);
  cl->between = arena_array(arena, n_free * n_free, sizeof *cl->between);
  if (!cl->joint || !cl->g || !cl->in || !cl->in_left || !cl->left || !cl->between) return false;
  cl->c = world_origin(world, l->p >= 0 || l->n_joint == 0 ? l->p : l->joint[0]);
  set_rows(cl, tr, world);
  for (int e = 0; e < l->n_joint; e++) {
    const WorldBody *b = &world[l->joint[e]];
    cl->joint[e] = world_joint(g, &tr->tree.joint[l->joint[e]], b, vec3_sub(g, cl->c, b->x));
    for (int i = 0; i < cl->n; i++) {
      const Motion *row = e < l->n_tail ? &cl->tail_row[i] : &cl->row[i];
      cl->g[e][i] = motion_dot(g, *row, cl->joint[e]);
    }
  }
  for (int e = 0; e < l->n_in; e++) {
    const WorldBody *b = &world[l->in[e]];
    cl->in[e] = world_joint(g, &tr->tree.joint[l->in[e]], b, vec3_sub(g, cl->c, b->x));
  }
  project(g, cl);
  return true;
}

// x of the dependent joints, in the order of their elimination, that closes the rows
static void close_dependent(ExprGraph *g, const RcrClosure *cl, Expr *y, Expr *x) {
  for (int e = cl->l->n_dep - 1; e >= 0; e--) {
    x[e] = expr_neg(expr_mul(g, dot_n(g, cl->n, cl->h[e], y), cl->d_inv[e]));
    const Expr *col = cl->g[cl->l->dep[e]];
    for (int i = 0; i < cl->n; i++) y[i] = expr_add(g, y[i], expr_mul(g, col[i], x[e]));
  }
}

void rcr_loop_close(ExprGraph *g, const RcrClosure *cl, Expr *y, Expr *x) {
  const RcrLoop *l = cl->l;
  Expr dep[RCR_MAX_ROWS];
  for (int k = 0; k < l->n_free; k++) {
    const Expr *col = cl->g[l->free[k]];
    for (int i = 0; i < cl->n; i++) {
      y[i] = expr_add(g, y[i], expr_mul(g, col[i], x[l->free[k]]));
    }
  }
  close_dependent(g, cl, y, dep);
  for (int e = 0; e < l->n_dep; e++) x[l->dep[e]] = dep[e];
}

// ---- bodies behind p ---------------------------------------------------------------------------

// The bodies behind p and s as a form in (A, R of p, S of s) and their joints' accelerations x:
//   form + x^T mass x / 2 + x^T cross^T (A, R, S) - x^T force
typedef struct Behind {
  int n;                    // joints
  RcrForm form;             //
  Expr *mass;               // n x n
  Expr (*cross)[RCR_SIZE];  // n
  Expr *force;              // n
} Behind;

// Composite bodies from the tip of a branch.
static void gather(const RcrClosure *cl, const DynTrace *tr, const WorldBody *world,
                   const RcrForm *form, const Expr *tau, bool tail, Behind *b) {
  ExprGraph *g = tr->g;
  const RcrLoop *l = cl->l;
  RcrForm sum = rcr_form_zero(b->form.first);
  int from = tail ? l->n_tail - 1 : l->n_tail, end = tail ? -1 : l->n_joint, step = tail ? -1 : 1;
  for (int e = from; e != end; e += step) {
    int body = l->joint[e];
    RcrForm f = form[body];
    rcr_form_shift(g, &f, vec3_sub(g, world[body].x, cl->c));
    rcr_form_add(g, &sum, &f);
    Expr *u = b->cross[e];
    rcr_form_apply(g, &sum, RCR_R, cl->joint[e], u);
    for (int k = e; k != end; k += step) {
      b->mass[e + b->n * k] = b->mass[k + b->n * e] = rcr_dot6(g, u + RCR_R, cl->joint[k]);
    }
    Expr *own = &b->mass[e + b->n * e];
    *own = expr_add(g, *own, expr_const(g, tr->tree.joint[body].armature));
    b->force[e] = expr_add(g, tau[body], rcr_dot6(g, sum.b + RCR_R, cl->joint[e]));
  }
  if (!tail) {
    rcr_form_add(g, &b->form, &sum);
    return;
  }
  // moves with s, not with p
  for (int e = from; e != end; e += step) {
    for (int k = RCR_R; k < RCR_S; k++) {
      b->cross[e][k + RCR_S - RCR_R] = b->form.end > RCR_S ? b->cross[e][k] : EXPR_ZERO;
      b->cross[e][k] = EXPR_ZERO;
    }
  }
  rcr_form_add_tail(g, &b->form, &sum);
}

// Accelerations behind p and s are x = K z, with z what the n rows feel of these and of the bias, and then
// the free joints' accelerations.
typedef struct Reduced {
  int n;                // size of z
  Expr *K;              // joints x n
  Expr *N;              // n x n, K^T mass K
  Expr (*L)[RCR_SIZE];  // n, cross K
  Expr *c;              // n, K^T force
} Reduced;

static void set_K(ExprGraph *g, const RcrClosure *cl, int n_joint, Reduced *r) {
  const RcrLoop *l = cl->l;
  for (int k = 0; k < r->n; k++) {
    Expr y[RCR_MAX_ROWS] = {EXPR_ZERO}, x[RCR_MAX_ROWS];
    int free = k < cl->n ? -1 : l->free[k - cl->n];
    for (int i = 0; i < cl->n; i++) {
      y[i] = free >= 0 ? cl->g[free][i] : i == k ? EXPR_ONE : EXPR_ZERO;
    }
    close_dependent(g, cl, y, x);
    for (int e = 0; e < l->n_dep; e++) r->K[l->dep[e] + n_joint * k] = x[e];
    if (free >= 0) r->K[free + n_joint * k] = EXPR_ONE;
  }
}

static bool reduce_joints(ExprGraph *g, const RcrClosure *cl, const Behind *b, Reduced *r,
                          Arena *arena) {
  size_t n = (size_t)cl->n + (size_t)cl->l->n_free, nj = (size_t)b->n;
  *r = (Reduced){.n = (int)n};
  r->K = arena_array(arena, nj * n + 1, sizeof *r->K);
  r->N = arena_array(arena, n * n + 1, sizeof *r->N);
  r->L = arena_array(arena, n + 1, sizeof *r->L);
  r->c = arena_array(arena, n + 1, sizeof *r->c);
  Expr *MK = arena_array(arena, nj * n + 1, sizeof *MK);
  if (!r->K || !r->N || !r->L || !r->c || !MK) return false;
  set_K(g, cl, b->n, r);
  for (size_t k = 0; k < n; k++) {
    const Expr *K = r->K + nj * k;
    r->c[k] = dot_n(g, b->n, K, b->force);
    for (size_t e = 0; e < nj; e++) MK[e + nj * k] = dot_n(g, b->n, b->mass + nj * e, K);
    for (int i = 0; i < RCR_SIZE; i++) {
      for (size_t e = 0; e < nj; e++) {
        r->L[k][i] = expr_add(g, r->L[k][i], expr_mul(g, b->cross[e][i], K[e]));
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k <= i; k++) {
      r->N[i + n * k] = r->N[k + n * i] = dot_n(g, b->n, r->K + nj * i, MK + nj * k);
    }
  }
  return true;
}

// Puts z = (rows (R, S) + gamma, free) into  form + z^T N z / 2 + z^T L^T (A, R, S) - z^T c: first as
// a form in (A, R, S) alone, with what multiplies the free ones beside it.
static void substitute(ExprGraph *g, const RcrClosure *cl, Reduced *r, RcrForm *f) {
  int n = cl->n, N = r->n;
  Expr row[RCR_MAX_ROWS][RCR_SIZE] = {{EXPR_ZERO}}, side[RCR_MAX_ROWS][RCR_SIZE];
  Expr half = expr_const(g, 0.5);
  for (int i = 0; i < n; i++) {
    rcr_six(cl->row[i], row[i] + RCR_R);
    if (f->end > RCR_S) rcr_six(cl->tail_row[i], row[i] + RCR_S);
  }
  // L += rows N, what multiplies gamma or a free one; side = L + rows N / 2, half of what
  // multiplies the rows
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < RCR_SIZE; i++) {
      Expr rN = EXPR_ZERO;
      for (int e = 0; e < n; e++) {
        rN = expr_add(g, rN, expr_mul(g, row[e][i], r->N[e + N * k]));
      }
      if (k < n) side[k][i] = expr_add(g, r->L[k][i], expr_mul(g, half, rN));
      r->L[k][i] = expr_add(g, r->L[k][i], rN);
    }
    if (k < n) continue;
    r->c[k] = expr_sub(g, r->c[k], dot_n(g, n, r->N + (size_t)N * (size_t)k, cl->gamma));
  }
  for (int i = f->first; i < f->end; i++) {
    for (int k = f->first; k <= i; k++) {
      Expr *q = &f->Q[i + RCR_SIZE * k];
      for (int e = 0; e < n; e++) {
        *q = expr_add(g, *q, expr_mul(g, side[e][i], row[e][k]));
        *q = expr_add(g, *q, expr_mul(g, side[e][k], row[e][i]));
      }
      f->Q[k + RCR_SIZE * i] = *q;
    }
    for (int e = 0; e < n; e++) {
      subtract_product(g, &f->b[i], r->L[e][i], cl->gamma[e]);
      f->b[i] = expr_add(g, f->b[i], expr_mul(g, row[e][i], r->c[e]));
    }
  }
}

// the free joints' accelerations, from the last to the first
static void eliminate_free(ExprGraph *g, RcrClosure *cl, Reduced *r, RcrForm *f) {
  int n = cl->n, N = r->n, n_free = cl->l->n_free;
  for (int k = N - 1; k >= n; k--) {
    RcrPivot *p = &cl->left[k - n];
    Expr d_inv = expr_div(g, EXPR_ONE, r->N[k + N * k]);
    p->rest = expr_mul(g, r->c[k], d_inv);
    for (int i = 0; i < RCR_SIZE; i++) p->u[i] = expr_mul(g, r->L[k][i], d_inv);
    for (int j = n; j < k; j++) {
      Expr w = expr_mul(g, r->N[j + N * k], d_inv);
      cl->between[(j - n) + n_free * (k - n)] = w;
      for (int i = n; i <= j; i++) {
        subtract_product(g, &r->N[i + N * j], r->N[i + N * k], w);
        r->N[j + N * i] = r->N[i + N * j];
      }
      for (int i = f->first; i < f->end; i++) subtract_product(g, &r->L[j][i], r->L[k][i], w);
      subtract_product(g, &r->c[j], r->c[k], w);
    }
    for (int i = f->first; i < f->end; i++) {
      for (int j = f->first; j <= i; j++) {
        subtract_product(g, &f->Q[i + RCR_SIZE * j], r->L[k][i], p->u[j]);
        f->Q[j + RCR_SIZE * i] = f->Q[i + RCR_SIZE * j];
      }
      subtract_product(g, &f->b[i], r->L[k][i], p->rest);
    }
  }
}

// the joints before s, each with its body; at the base S is zero
static void eliminate_in(RcrClosure *cl, const DynTrace *tr, const WorldBody *world,
                         const RcrForm *form, const Expr *tau, RcrForm *f) {
  for (int k = cl->l->n_in - 1; k >= 0; k--) {
    int body = cl->l->in[k];
    RcrForm own = form[body];
    rcr_form_shift(tr->g, &own, vec3_sub(tr->g, world[body].x, cl->c));
    rcr_form_add_tail(tr->g, f, &own);
    double armature = tr->tree.joint[body].armature;
    cl->in_left[k] = rcr_form_pivot(tr->g, f, RCR_S, cl->in[k], armature, tau[body]);
  }
  f->end = RCR_S;
}

RcrForm rcr_loop_reduce(RcrClosure *cl, const DynTrace *tr, const WorldBody *world,
                        const RcrForm *form, const Expr *tau, Arena *arena) {
  size_t n = (size_t)cl->l->n_joint;
  Behind b = {.n = (int)n, .form = rcr_form_zero(cl->l->base < 0 ? RCR_R : RCR_A)};
  Reduced r;
  if (cl->l->n_in > 0) b.form.end = RCR_SIZE;
  b.mass = arena_array(arena, n * n + 1, sizeof *b.mass);
  b.cross = arena_array(arena, n + 1, sizeof *b.cross);
  b.force = arena_array(arena, n + 1, sizeof *b.force);
  if (!b.mass || !b.cross || !b.force) {
    expr_graph_fail(tr->g);
    return b.form;
  }
  gather(cl, tr, world, form, tau, true, &b);
  gather(cl, tr, world, form, tau, false, &b);
  if (!reduce_joints(tr->g, cl, &b, &r, arena)) {
    expr_graph_fail(tr->g);
    return b.form;
  }
  substitute(tr->g, cl, &r, &b.form);
  eliminate_free(tr->g, cl, &r, &b.form);
  eliminate_in(cl, tr, world, form, tau, &b.form);
  return b.form;
}

static Expr acceleration(ExprGraph *g, const RcrPivot *p, Motion A, Motion R, Motion S) {
  Expr felt = expr_add(g, rcr_dot6(g, p->u + RCR_A, A), rcr_dot6(g, p->u + RCR_R, R));
  return expr_sub(g, p->rest, expr_add(g, felt, rcr_dot6(g, p->u + RCR_S, S)));
}

Motion rcr_loop_independent(ExprGraph *g, const RcrClosure *cl, Motion A, Motion R, Expr *in,
                            Expr *x) {
  const RcrLoop *l = cl->l;
  Motion S = MOTION_ZERO;
  for (int k = 0; k < l->n_in; k++) {
    in[k] = acceleration(g, &cl->in_left[k], A, R, S);
    S = motion_add(g, S, motion_scale(g, in[k], cl->in[k]));
  }
  for (int k = 0; k < l->n_free; k++) {
    Expr *a = &x[l->free[k]];
    *a = acceleration(g, &cl->left[k], A, R, S);
    for (int j = 0; j < k; j++) {
      subtract_product(g, a, cl->between[j + l->n_free * k], x[l->free[j]]);
    }
  }
  return S;
}
