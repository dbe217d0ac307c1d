// SPDX-License-Identifier: MIT
#include "dynamics/srm.h"

#include "dynamics/aba.h"
#include "dynamics/maximal_internal.h"
#include "dynamics/placed.h"

static MaxPose pose_of(ExprGraph *g, const Placed *x) {
  return (MaxPose){.R = x->R, .p = x->o, .v = x->u, .w = mat3_vec_t(g, x->R, x->w)};
}

// adds -J^T mu, force in the world and moment in the file's axes, to what pushes body i
static void push_back(const DynTrace *tr, const Placed *placed, int i, const Expr sum[6],
                      AbaPush *push) {
  ExprGraph *g = tr->g;
  const Vec3 f = {{sum[0], sum[1], sum[2]}}, n = {{sum[3], sum[4], sum[5]}};
  Vec3 own_f = mat3_vec_t(g, placed[i].W, f);
  Vec3 own_n = placed_own(tr, i, n);
  push->f = vec3_sub(g, push->f, own_f);
  push->n = vec3_sub(g, push->n, own_n);
}

static void push_loop(SrmTrace *out, const DynTrace *tr, const Placed *placed, const MaxJoint *j,
                      int first, const Expr *mu, const Expr gain[2], AbaPush *push) {
  ExprGraph *g = tr->g;
  MaxPose pose[2];
  for (int s = 0; s < 2; s++) {
    pose[s] = pose_of(g, j->body[s] < 0 ? &placed_world : &placed[j->body[s]]);
  }
  MaxRow row[MAX_ROWS + 1];
  maximal_rows(g, j, (const MaxPose *const[]){&pose[0], &pose[1]}, row);
  // the rows of one loop together: their forces are summed before they are turned
  Expr sum[2][6] = {{0}};
  for (int r = 0; r < j->n_row; r++) {
    int at = first + r;
    Expr step = expr_mul(g, gain[0], row[r].rate);
    step = expr_add(g, step, expr_mul(g, gain[1], row[r].c));
    out->phi[at] = row[r].c;
    out->rate[at] = row[r].rate;
    out->mu[at] = expr_add(g, mu[at], step);
    for (int k = 0; k < 12; k++) {
      Expr *to = &sum[k / 6][k % 6];
      *to = expr_add(g, *to, expr_mul(g, out->mu[at], row[r].J[k / 6][k % 6]));
    }
  }
  for (int s = 0; s < 2; s++) {
    if (j->body[s] >= 0) push_back(tr, placed, j->body[s], sum[s], &push[j->body[s]]);
  }
}

bool srm_build(SrmTrace *out, const DynTrace *tr, const Expr *force, const Expr *mu,
               const Expr gain[2], Arena *arena) {
  const Model *m = tr->m;
  size_t nv = (size_t)m->nv, rows = (size_t)model_n_rows(m);
  *out = (SrmTrace){.m = (int)rows,
                    .phi = arena_array(arena, rows + 1, sizeof(Expr)),
                    .rate = arena_array(arena, rows + 1, sizeof(Expr)),
                    .mu = arena_array(arena, rows + 1, sizeof(Expr)),
                    .a = arena_array(arena, nv + 1, sizeof(Expr))};
  Placed *placed = arena_array(arena, nv + 1, sizeof *placed);
  AbaPush *push = arena_array(arena, nv + 1, sizeof *push);
  Expr *net = arena_array(arena, nv + 1, sizeof *net);
  bool ok = out->phi && out->rate && out->mu && out->a && placed && push && net;
  if (!ok) {
    expr_graph_fail(tr->g);
    return false;
  }
  int origin = expr_graph_origin(tr->g, "srm: placements");
  placed_build(tr, placed);
  for (int k = 0, first = 0; k < m->n_loop; k++) {
    MaxJoint j;
    maximal_loop(m, k, &j);
    expr_graph_origin(tr->g, "srm: loop %s", m->loop[k].name);
    push_loop(out, tr, placed, &j, first, mu, gain, push);
    first += j.n_row;
  }
  expr_graph_origin_restore(tr->g, origin);
  for (size_t i = 0; i < nv; i++) {
    net[i] = expr_sub(tr->g, force[i], expr_scale(tr->g, m->joint[i].damping, tr->v[i]));
  }
  return aba_build_pushed(tr->g, m, &tr->tree, tr->body, tr->v, net, push, out->a);
}

// ---- the function ------------------------------------------------------------------------------

static bool make_function(DynFunction *f, const DynTrace *tr) {
  ExprGraph *g = tr->g;
  int nv = tr->m->nv, m = model_n_rows(tr->m);
  ExprInput *in = arena_array(f->arena, 5, sizeof *in);
  ExprOutput *out = arena_array(f->arena, 4, sizeof *out);
  Expr *mu = arena_array(f->arena, (size_t)m + 1, sizeof *mu);
  if (!in || !out || !mu) return false;
  const Expr gain[2] = {expr_input(g, SRM_GAIN, 0), expr_input(g, SRM_GAIN, 1)};
  for (int k = 0; k < m; k++) mu[k] = expr_input(g, DYN_LAMBDA, k);
  SrmTrace s;
  if (!srm_build(&s, tr, tr->tau, mu, gain, f->arena)) return false;
  in[0] = (ExprInput){"q", nv, DYN_Q};
  in[1] = (ExprInput){"v", nv, DYN_V};
  in[2] = (ExprInput){"tau", nv, DYN_TAU};
  in[3] = (ExprInput){"mu", m, DYN_LAMBDA};
  in[4] = (ExprInput){"gain", 2, SRM_GAIN};
  const struct {
    const char *name;
    int n;
    const Expr *e;
  } column[4] = {{"a", nv, s.a}, {"mu", m, s.mu}, {"phi", m, s.phi}, {"rate", m, s.rate}};
  for (int k = 0; k < 4; k++) {
    out[k].name = column[k].name;
    if (!expr_column(&out[k].value, f->arena, column[k].n, column[k].e)) return false;
  }
  f->f.n_in = 5;
  f->f.in = in;
  f->f.n_out = 4;
  f->f.out = out;
  return true;
}

Status srm_function_build(DynFunction **out, const Model *m, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprGraph *g = f ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = "srm", .g = g}};
  DynTrace tr;
  bool ok = dyn_trace_build(&tr, g, m) && make_function(f, &tr);
  dyn_trace_free(&tr);
  if (!ok || expr_graph_status(g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  *out = f;
  return STATUS_OK;
}
