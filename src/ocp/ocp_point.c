// SPDX-License-Identifier: MIT
#include "ocp/ocp_point.h"

#include "dynamics/dyn_point.h"

// Where the rows of a block come from: expressions on a trace.
typedef int RowBuilder(const DynTrace *tr, const Ocp *o, Expr *row);

enum { LAMBDA = DYN_LAMBDA };

// ---- blocks ------------------------------------------------------------------------------------

static Status copy_pattern(const ExprMatrix *m, Arena *arena, int *nnz, int **row, int **col,
                           Error *err) {
  *nnz = m->nnz;
  *row = arena_array(arena, (size_t)m->nnz + 1, sizeof **row);
  *col = arena_array(arena, (size_t)m->nnz + 1, sizeof **col);
  if (!*row || !*col) return error_no_memory(err);
  for (int j = 0; j < m->n_col; j++) {
    for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++) {
      (*row)[e] = m->row[e];
      (*col)[e] = j;
    }
  }
  return STATUS_OK;
}

// a tape over (q, v, a, u[, lambda]) of one output
static Status make_tape(ExprTape **tape, const OcpPoint *p, int n_lambda, const ExprGraph *g,
                        const char *name, const ExprMatrix *value, Error *err) {
  const ExprInput in[5] = {{"q", p->nv, DYN_Q},
                           {"v", p->nv, DYN_V},
                           {"a", p->nv, DYN_A},
                           {"u", p->nu, DYN_U},
                           {"lambda", n_lambda, LAMBDA}};
  const ExprOutput out = {name, *value};
  const ExprFunction f = {
      .name = name, .g = g, .n_in = n_lambda ? 5 : 4, .in = in, .n_out = 1, .out = &out};
  return expr_tape_build(tape, &f, TAPE_FOR_EVALUATOR, err);
}

static Status set_block(OcpBlock *b, OcpPoint *p, const ExprGraph *g, const char *name,
                        const ExprMatrix *value, const ExprMatrix *jac, const ExprMatrix *hess,
                        Error *err) {
  b->n_row = value->n_row;
  Status status = make_tape(&b->tape[OCP_VALUE], p, 0, g, name, value, err);
  if (status == STATUS_OK) status = make_tape(&b->tape[OCP_JACOBIAN], p, 0, g, name, jac, err);
  if (status == STATUS_OK)
    status = make_tape(&b->tape[OCP_HESSIAN], p, b->n_row, g, name, hess, err);
  if (status == STATUS_OK) {
    status = copy_pattern(jac, p->arena, &b->jac_nnz, &b->jac_row, &b->jac_col, err);
  }
  if (status == STATUS_OK) {
    status = copy_pattern(hess, p->arena, &b->hess_nnz, &b->hess_row, &b->hess_col, err);
  }
  b->hess_room = b->hess_nnz;
  return status;
}

// columns (q, v, u) of an ODE form become columns of z
static void make_room_for_a(OcpBlock *b, int nv) {
  for (int e = 0; e < b->jac_nnz; e++) b->jac_col[e] += b->jac_col[e] >= 2 * nv ? nv : 0;
  for (int e = 0; e < b->hess_nnz; e++) {
    b->hess_row[e] += b->hess_row[e] >= 2 * nv ? nv : 0;
    b->hess_col[e] += b->hess_col[e] >= 2 * nv ? nv : 0;
  }
}

static Status build_dynamics(OcpPoint *p, const Ocp *o, Error *err) {
  DynPoint *d;
  Status status = dyn_point_build(&d, o->model, o->form, DYN_RULE_BEST, err);
  if (status != STATUS_OK) return status;
  status = set_block(&p->dyn, p, d->g, "dynamics", &d->residual.out[0].value,
                     &d->jacobian.out[0].value, &d->hessian.out[0].value, err);
  if (status == STATUS_OK && !o->form->algebraic) make_room_for_a(&p->dyn, p->nv);
  dyn_point_free(d);
  return status;
}

static Status build_rows(OcpBlock *b, OcpPoint *p, const Ocp *o, const char *name, int max_row,
                         RowBuilder *rows, Error *err) {
  ExprGraph *g = expr_graph_new();
  DynTrace tr = {0};
  Arena *arena = arena_new();
  size_t nz = (size_t)p->nz;
  Expr *row = arena_array(arena, (size_t)max_row, sizeof *row);
  Expr *z = arena_array(arena, nz, sizeof *z);
  Status status = STATUS_OK;
  if (!g || !row || !z || !dyn_trace_build(&tr, g, o->model)) status = error_no_memory(err);
  if (status == STATUS_OK) {
    for (int i = 0; i < p->nv; i++) {
      z[i] = tr.q[i];
      z[p->nv + i] = tr.v[i];
      z[2 * p->nv + i] = tr.a[i];
    }
    for (int i = 0; i < p->nu; i++) z[3 * p->nv + i] = tr.u[i];
    int n = rows(&tr, o, row);
    Expr sum = EXPR_ZERO;
    for (int i = 0; i < n; i++) {
      sum = expr_add(g, sum, expr_mul(g, expr_input(g, LAMBDA, i), row[i]));
    }
    ExprMatrix value, jac, hess;
    if (!expr_column(&value, arena, n, row) || !expr_jacobian(g, arena, n, row, p->nz, z, &jac) ||
        !expr_hessian(g, arena, sum, p->nz, z, &hess)) {
      status = error_no_memory(err);
    } else {
      status = set_block(b, p, g, name, &value, &jac, &hess, err);
    }
  }
  dyn_trace_free(&tr);
  expr_graph_free(g);
  arena_free(arena);
  return status;
}

// ---- rows --------------------------------------------------------------------------------------

static Vec3 frame_position(const DynTrace *tr, int frame) {
  Vec3 x;
  const ModelFrame *f = &tr->m->frame[frame];
  kin_point(tr->g, &tr->tree, tr->body, f->body, f->pos, NULL, &x, NULL);
  return x;
}

static int goal_rows(const DynTrace *tr, const Ocp *o, Expr *row) {
  Vec3 x = frame_position(tr, o->goal.frame);
  int n = 0;
  for (int k = 0; k < 3; k++) {
    if (o->goal.fixed[k]) row[n++] = x.x[k];
  }
  return n;
}

// spheres: (|p - c|^2 - r^2) / (2 r), smooth and about the distance near the surface
static int path_rows(const DynTrace *tr, const Ocp *o, Expr *row) {
  ExprGraph *g = tr->g;
  for (int i = 0; i < o->n_obstacle; i++) {
    const OcpObstacle *ob = &o->obstacle[i];
    Vec3 x = frame_position(tr, ob->frame);
    if (ob->sphere) {
      Vec3 d = vec3_sub(g, x, vec3_const(g, ob->center));
      Expr over = expr_sub(g, vec3_dot(g, d, d), expr_const(g, ob->radius * ob->radius));
      row[i] = expr_scale(g, 0.5 / ob->radius, over);
    } else {
      Expr height = vec3_dot(g, vec3_const(g, ob->normal), x);
      row[i] = expr_sub(g, height, expr_const(g, ob->offset));
    }
  }
  return o->n_obstacle;
}

static int cost_rows(const DynTrace *tr, const Ocp *o, Expr *row) {
  ExprGraph *g = tr->g;
  Expr sum = EXPR_ZERO;
  for (int i = 0; i < tr->m->nv; i++) {
    Expr vv = expr_scale(g, o->cost.velocity, expr_mul(g, tr->v[i], tr->v[i]));
    Expr aa = expr_scale(g, o->cost.acceleration, expr_mul(g, tr->a[i], tr->a[i]));
    sum = expr_add(g, sum, expr_add(g, vv, aa));
  }
  if (o->cost.tracking > 0 && o->cost.tracking_frame >= 0) {
    Vec3 x = frame_position(tr, o->cost.tracking_frame);
    Vec3 d = vec3_sub(g, x, vec3_const(g, o->cost.tracking_target));
    sum = expr_add(g, sum, expr_scale(g, o->cost.tracking, vec3_dot(g, d, d)));
  }
  row[0] = sum;
  return 1;
}

static bool has_running_cost(const OcpCost *c) {
  return c->velocity > 0 || c->acceleration > 0 || (c->tracking > 0 && c->tracking_frame >= 0);
}

// ---- all ---------------------------------------------------------------------------------------

// the user's functions; dynamics among them take the place of ours
static Status load_terms(OcpPoint *p, const Ocp *o, Error *err) {
  p->term = arena_array(p->arena, (size_t)o->n_term + 1, sizeof *p->term);
  if (!p->term) return error_no_memory(err);
  p->n_term = o->n_term;
  for (int i = 0; i < o->n_term; i++) {
    const OcpTerm *t = &o->term[i];
    bool dynamics = t->use == OCP_TERM_DYNAMICS;
    if (dynamics && o->form->algebraic) {
      return error_set(err, STATUS_INPUT, o->path, OCP_TERM_NEEDS_ODE, t->name, o->form->name);
    }
    OcpBlock *b = dynamics ? &p->dyn : &p->term[i];
    Status status = ocp_block_load(b, p->arena, t, p->nv, p->nu, err);
    if (status != STATUS_OK) return status;
    if (b->n_row != t->n_row) {
      return error_set(err, STATUS_INPUT, t->library, "\"%s\" has changed: %d rows, not %d",
                       t->name, b->n_row, t->n_row);
    }
  }
  return STATUS_OK;
}

static Status build_all(OcpPoint *p, const Ocp *o, Error *err) {
  Status status = load_terms(p, o, err);
  if (status == STATUS_OK && !p->dyn.n_row) status = build_dynamics(p, o, err);
  bool position = o->goal.frame >= 0 && (o->goal.fixed[0] || o->goal.fixed[1] || o->goal.fixed[2]);
  if (status == STATUS_OK && position) {
    status = build_rows(&p->goal, p, o, "goal position", 3, goal_rows, err);
  }
  if (status == STATUS_OK && o->n_obstacle) {
    status = build_rows(&p->path, p, o, "obstacles", o->n_obstacle, path_rows, err);
  }
  if (status == STATUS_OK && has_running_cost(&o->cost)) {
    status = build_rows(&p->cost, p, o, "running cost", 1, cost_rows, err);
  }
  return status;
}

Status ocp_point_build(OcpPoint **out, const Ocp *o, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  OcpPoint *p = arena_alloc(arena, sizeof *p);
  if (!p) {
    arena_free(arena);
    return error_no_memory(err);
  }
  p->arena = arena;
  p->nv = o->model->nv;
  p->nu = o->model->nu;
  p->nz = 3 * p->nv + p->nu;
  Status status = build_all(p, o, err);
  if (status == STATUS_OK) *out = p;
  else ocp_point_free(p);
  return status;
}

void ocp_point_free(OcpPoint *p) {
  if (!p) return;
  ocp_block_free(&p->dyn);
  ocp_block_free(&p->path);
  ocp_block_free(&p->cost);
  ocp_block_free(&p->goal);
  for (int i = 0; i < p->n_term; i++) ocp_block_free(&p->term[i]);
  arena_free(p->arena);
}
