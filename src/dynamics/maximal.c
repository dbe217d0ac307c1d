// SPDX-License-Identifier: MIT
#include "dynamics/maximal.h"

#include "dynamics/kkt_order.h"
#include "dynamics/maximal_internal.h"

// ---- where the bodies are ----------------------------------------------------------------------

static Expr twice(ExprGraph *g, Expr a, Expr b) {
  return expr_scale(g, 2.0, expr_mul(g, a, b));
}

// eq. 8: the rotation of a unit quaternion
static Mat3 rotation(ExprGraph *g, const Expr e[4]) {
  Mat3 R;
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    Expr square = expr_add(g, expr_mul(g, e[0], e[0]), expr_mul(g, e[1 + i], e[1 + i]));
    R.x[4 * i] = expr_sub(g, expr_scale(g, 2.0, square), EXPR_ONE);
    Expr in = twice(g, e[1 + k], e[1 + l]), out = twice(g, e[0], e[1 + i]);
    R.x[l + 3 * k] = expr_add(g, in, out);
    R.x[k + 3 * l] = expr_sub(g, in, out);
  }
  return R;
}

static MaxPose pose_of(ExprGraph *g, int b) {
  MaxPose pose;
  Expr e[4];
  for (int k = 0; k < 3; k++) {
    pose.p.x[k] = expr_input(g, MAX_P, 3 * b + k);
    pose.v.x[k] = expr_input(g, MAX_V, 3 * b + k);
    pose.w.x[k] = expr_input(g, MAX_W, 3 * b + k);
  }
  for (int k = 0; k < 4; k++) e[k] = expr_input(g, MAX_E, 4 * b + k);
  pose.R = rotation(g, e);
  return pose;
}

// ---- the system --------------------------------------------------------------------------------

static void add_entry(Maximal *x, int i, int j, Expr value) {
  if (value == EXPR_ZERO) return;
  x->entry[x->n_entry] = (LdlEntry){i, j};
  x->value[x->n_entry++] = value;
}

// mass and inertia on the diagonal; weight and gyroscopic moment m g, J w x w on the right; energies
static void assemble_body(Maximal *x, int b, const MaxPose *pose) {
  ExprGraph *g = x->g;
  const MaxBody *body = &x->body[b];
  const double *gravity = x->m->gravity;
  Expr *rhs = x->rhs + (size_t)6 * b;
  for (int k = 0; k < 3; k++) {
    add_entry(x, 6 * b + k, 6 * b + k, expr_const(g, body->mass));
    for (int i = k; i < 3; i++) {
      add_entry(x, 6 * b + 3 + i, 6 * b + 3 + k, expr_const(g, body->J[i + 3 * k]));
    }
  }
  Vec3 spin = mat3_vec(g, mat3_const(g, body->J), pose->w);
  Vec3 gyro = vec3_cross(g, spin, pose->w);
  for (int k = 0; k < 3; k++) {
    rhs[k] = expr_const(g, body->mass * gravity[k]);
    rhs[3 + k] = gyro.x[k];
  }
  Expr move = expr_scale(g, body->mass, vec3_dot(g, pose->v, pose->v));
  Expr kinetic = expr_scale(g, 0.5, expr_add(g, move, vec3_dot(g, spin, pose->w)));
  Expr fall = expr_scale(g, body->mass, vec3_dot(g, vec3_const(g, gravity), pose->p));
  x->energy[0] = expr_add(g, x->energy[0], kinetic);
  x->energy[1] = expr_sub(g, x->energy[1], fall);
}

static void assemble_force(Maximal *x, const MaxJoint *j, const MaxPose *const pose[2],
                           const Expr *tau) {
  if (j->coordinate < 0) return;
  ExprGraph *g = x->g;
  MaxRow row;
  maximal_coordinate(g, j, pose, &row);
  Expr force = expr_sub(g, tau[j->coordinate], expr_scale(g, j->damping, row.rate));
  for (int s = 0; s < 2; s++) {
    if (j->body[s] < 0) continue;
    Expr *rhs = x->rhs + (size_t)6 * j->body[s];
    for (int k = 0; k < 6; k++) rhs[k] = expr_add(g, rhs[k], expr_mul(g, force, row.J[s][k]));
  }
}

// a regularized constraint pushes by -mu
static void assemble_soft(Maximal *x, const MaxJoint *j, int r, const MaxRow *row) {
  ExprGraph *g = x->g;
  int at = j->row + r;
  Expr step = expr_mul(g, expr_input(g, MAX_GAIN, 0), row->rate);
  step = expr_add(g, step, expr_mul(g, expr_input(g, MAX_GAIN, 1), row->c));
  Expr mu = x->mu[at] = expr_add(g, expr_input(g, MAX_MU, at), step);
  for (int s = 0; s < 2; s++) {
    if (j->body[s] < 0) continue;
    Expr *rhs = x->rhs + (size_t)6 * j->body[s];
    for (int k = 0; k < 6; k++) rhs[k] = expr_sub(g, rhs[k], expr_mul(g, mu, row->J[s][k]));
  }
}

static void assemble_joint(Maximal *x, const MaxJoint *j, const MaxPose *const pose[2]) {
  MaxRow row[MAX_ROWS + 1];
  maximal_rows(x->g, j, pose, row);
  for (int r = 0; r < j->n_row; r++) {
    int at = j->first + r, i = j->row + r;
    x->violation[at] = row[r].c;
    x->rate[at] = row[r].rate;
    if (j->soft) {
      assemble_soft(x, j, r, &row[r]);
      continue;
    }
    x->rhs[i] = expr_neg(row[r].bias);
    for (int s = 0; s < 2; s++) {
      for (int k = 0; k < 6 && j->body[s] >= 0; k++) {
        add_entry(x, i, 6 * j->body[s] + k, row[r].J[s][k]);
      }
    }
  }
}

static bool assemble_arrays(Maximal *x) {
  size_t n = (size_t)x->n, entries = 9 * (size_t)x->n_body + 12 * (size_t)x->n_row;
  x->entry = arena_array(x->arena, entries + 1, sizeof *x->entry);
  x->value = arena_array(x->arena, entries + 1, sizeof *x->value);
  x->rhs = arena_array(x->arena, n + 1, sizeof *x->rhs);
  x->violation = arena_array(x->arena, (size_t)x->n_row + 1, sizeof *x->violation);
  x->rate = arena_array(x->arena, (size_t)x->n_row + 1, sizeof *x->rate);
  x->energy = arena_array(x->arena, 2, sizeof *x->energy);
  x->mu = arena_array(x->arena, (size_t)x->n_soft + 1, sizeof *x->mu);
  return x->mu && x->entry && x->value && x->rhs && x->violation && x->rate && x->energy;
}

// pivots row by row from the order of the blocks
static bool choose_order(Maximal *x, Arena *work) {
  int n_block = x->n_body + x->n_joint;
  KktJoint *joint = arena_array(work, (size_t)x->n_joint + 1, sizeof *joint);
  int *block = arena_array(work, (size_t)n_block + 1, sizeof *block);
  int *order = arena_array(work, (size_t)x->n + 1, sizeof *order);
  if (!joint || !block || !order) return false;
  for (int k = 0; k < x->n_joint; k++) {
    const MaxJoint *j = &x->joint[k];
    joint[k] = (KktJoint){{j->body[0], j->body[1]}, j->soft ? 0 : j->n_row};
  }
  if (!kkt_order(x->n_body, 6, x->n_joint, joint, block)) return false;
  int n = 0;
  for (int k = 0; k < n_block; k++) {
    int b = block[k];
    bool body = b < x->n_body;
    int first = body ? 6 * b : x->joint[b - x->n_body].row;
    int rows = body ? 6 : joint[b - x->n_body].rows;
    for (int r = 0; r < rows; r++) order[n++] = first + r;
  }
  return ldl_build(&x->ldl, x->arena, x->n, x->n_entry, x->entry, order);
}

bool maximal_assemble(Maximal *x, const MaxPose *pose, const Expr *tau) {
  const MaxPose world = {.R = mat3_identity()};
  if (!assemble_arrays(x)) return false;
  int origin = expr_graph_origin(x->g, "maximal: bodies");
  for (int b = 0; b < x->n_body; b++) assemble_body(x, b, &pose[b]);
  for (int k = 0; k < x->n_joint; k++) {
    const MaxJoint *j = &x->joint[k];
    const MaxPose *end[2];
    for (int s = 0; s < 2; s++) end[s] = j->body[s] < 0 ? &world : &pose[j->body[s]];
    expr_graph_origin(x->g, "maximal: %s", j->name);
    assemble_joint(x, j, end);
    assemble_force(x, j, end, tau);
  }
  expr_graph_origin_restore(x->g, origin);
  Arena *work = arena_new();
  bool ok = choose_order(x, work);
  arena_free(work);
  return ok;
}

bool maximal_solve(const Maximal *x, const bool *drop, int n_rhs, Expr *const *rhs) {
  Arena *work = arena_new();
  Expr *l = arena_array(work, (size_t)x->ldl.nnz + 1, sizeof *l);
  Expr *d_inv = arena_array(work, (size_t)x->n + 1, sizeof *d_inv);
  bool *rows = arena_array(work, (size_t)x->n + 1, sizeof *rows);
  bool ok = l && d_inv && rows;
  if (!ok) expr_graph_fail(x->g);
  for (int k = 0; ok && drop && k < x->n_joint; k++) {
    const MaxJoint *j = &x->joint[k];
    for (int r = 0; r < j->n_row && !j->soft; r++) rows[j->row + r] = drop[j->first + r];
  }
  int origin = expr_graph_origin(x->g, "maximal: factorisation");
  ok = ok && ldl_trace(x->g, &x->ldl, x->value, rows, l, d_inv);
  for (int k = 0; ok && k < n_rhs; k++) ok = ldl_trace_solve(x->g, &x->ldl, l, d_inv, rhs[k]);
  expr_graph_origin_restore(x->g, origin);
  arena_free(work);
  return ok;
}

Maximal *maximal_new(const Model *m, ExprGraph *g) {
  Arena *arena = arena_new();
  Maximal *x = arena_alloc(arena, sizeof *x);
  if (!x) arena_free(arena);
  else *x = (Maximal){.arena = arena, .m = m, .g = g};
  return x;
}

Status maximal_build(Maximal **out, const Model *m, MaxSoft soft, Error *err) {
  *out = NULL;
  ExprGraph *g = expr_graph_new();
  Maximal *x = g ? maximal_new(m, g) : NULL;
  if (!x) {
    expr_graph_free(g);
    return error_no_memory(err);
  }
  Status status = maximal_joints_build(x, soft, err);
  if (status == STATUS_OK) {
    MaxPose *pose = arena_array(x->arena, (size_t)x->n_body + 1, sizeof *pose);
    Expr *tau = arena_array(x->arena, (size_t)m->nv + 1, sizeof *tau);
    for (int b = 0; pose && b < x->n_body; b++) pose[b] = pose_of(g, b);
    for (int i = 0; tau && i < m->nv; i++) tau[i] = expr_input(g, MAX_TAU, i);
    bool ok = pose && tau && maximal_assemble(x, pose, tau);
    status = ok ? expr_graph_status(g, err) : error_no_memory(err);
  }
  if (status == STATUS_OK) *out = x;
  else maximal_free(x);
  return status;
}

void maximal_free(Maximal *x) {
  if (!x) return;
  expr_graph_free(x->g);
  arena_free(x->arena);
}
