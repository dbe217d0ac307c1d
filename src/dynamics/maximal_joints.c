// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "dynamics/maximal_internal.h"

enum { MAX_CHAIN = 6 };  // coordinates between two bodies with mass, at most

// A body is taken to have no inertia about some axis when its least moment is below this part of its
// largest; axes are parallel or perpendicular, points the same, to within TINY.
static const double THIN = 1e-12;
static const double TINY = 1e-12;

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static Status fail(const Maximal *x, Error *err, const char *what, const char *name,
                   const char *rule) {
  return error_set(err, STATUS_INPUT, x->m->path, "MAXIMAL: %s \"%s\" %s", what, name ? name : "?",
                   rule);
}

// ---- geometry in numbers -----------------------------------------------------------------------

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    c[i] = a[k] * b[l] - a[l] * b[k];
  }
}

// a rotation whose third column is u; the coordinate axes are kept apart as exact numbers
static void frame_of(const double u[3], double rot[9]) {
  int least = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(u[i]) < fabs(u[least])) least = i;
  }
  double x[3] = {0, 0, 0};
  x[least] = 1;
  double along = dot(x, u);
  for (int i = 0; i < 3; i++) x[i] -= along * u[i];
  double length = sqrt(dot(x, x));
  for (int i = 0; i < 3; i++) x[i] /= length;
  memcpy(rot, x, sizeof x);
  memcpy(rot + 6, u, 3 * sizeof *u);
  cross(u, x, rot + 3);
}

static void invert3(const double a[9], double inv[9]) {
  for (int j = 0; j < 3; j++) {
    cross(a + 3 * ((j + 1) % 3), a + 3 * ((j + 2) % 3), inv + 3 * j);
  }
  double det = dot(a, inv);
  for (int i = 0; i < 9; i++) inv[i] /= det;  // rows of the inverse are columns: a is symmetric
}

// ---- bodies ------------------------------------------------------------------------------------

// are the three moments far enough from zero?
static bool is_solid(const double J[9]) {
  double trace = J[0] + J[4] + J[8], inv[9];
  if (!(trace > 0)) return false;
  invert3(J, inv);
  double sum = inv[0] + inv[4] + inv[8];
  return sum > 0 && sum < 1.0 / (THIN * trace);
}

static Status build_bodies(Maximal *x, Error *err) {
  const Model *m = x->m;
  x->body = arena_array(x->arena, (size_t)m->nv + 1, sizeof *x->body);
  x->body_of = arena_array(x->arena, (size_t)m->nv + 1, sizeof *x->body_of);
  if (!x->body || !x->body_of) return error_no_memory(err);
  for (int i = 0; i < m->nv; i++) {
    const ModelBody *b = &m->body[i];
    x->body_of[i] = -1;
    if (m->joint[i].armature != 0) {
      return fail(x, err, "joint", m->joint[i].name,
                  "has a rotor inertia, which bodies on their own don't have");
    }
    if (b->mass == 0) continue;
    if (!is_solid(b->inertia)) {
      return fail(x, err, "body", b->name,
                  "has no inertia about some axis: every body needs three positive ones");
    }
    MaxBody *out = &x->body[x->n_body];
    *out = (MaxBody){.index = i, .mass = b->mass};
    memcpy(out->com, b->com, sizeof out->com);
    memcpy(out->J, b->inertia, sizeof out->J);
    x->body_of[i] = x->n_body++;
  }
  return STATUS_OK;
}

// ---- joints ------------------------------------------------------------------------------------

// The joints between a body with mass and its ancestor with mass, from the ancestor down.
typedef struct Chain {
  int n;                 //
  int joint[MAX_CHAIN];  // n, of the model
  int parent;            // of the model, -1: world
  int n_slide, n_turn;   // slides first, then turns about one point
  double slide[3][3];    // directions in the parent's frame
  double first_turn[3];  // axis of the first turn, in the parent's frame at q = 0
  double pos[3];         // of the child's origin in the parent, at q = 0
  double rot[9];         //
} Chain;

static Status collect(const Maximal *x, int i, Chain *c, Error *err) {
  const Model *m = x->m;
  int n = 0, list[MAX_CHAIN];
  int k = i;
  do {
    if (n == MAX_CHAIN) {
      return fail(x, err, "joint", m->joint[i].name,
                  "stands in a row of more than 6 joints without mass between them");
    }
    list[n++] = k;
    k = m->joint[k].parent;
  } while (k >= 0 && x->body_of[k] < 0);
  *c = (Chain){.n = n, .parent = k};
  for (int s = 0; s < n; s++) c->joint[s] = list[n - 1 - s];
  return STATUS_OK;
}

// places the row of joints at q = 0; false if slides and turns are mixed or turns have no common point
static bool place(const Model *m, Chain *c) {
  memcpy(c->rot, IDENTITY, sizeof IDENTITY);
  for (int s = 0; s < c->n; s++) {
    const ModelJoint *j = &m->joint[c->joint[s]];
    double p[3], rot[9], axis[3];
    num3_vec(c->rot, j->pos, p);
    num3_mul(c->rot, j->rot, rot);
    num3_vec(rot, j->axis, axis);
    memcpy(c->rot, rot, sizeof rot);
    bool turn = j->type == JOINT_REVOLUTE;
    if (c->n_turn > 0 && (!turn || dot(p, p) > TINY * TINY)) return false;
    for (int i = 0; i < 3; i++) c->pos[i] += p[i];
    if (turn && c->n_turn++ == 0) memcpy(c->first_turn, axis, sizeof axis);
    if (!turn) {
      if (c->n_slide == 3) return false;
      memcpy(c->slide[c->n_slide++], axis, sizeof axis);
    }
  }
  return c->n_turn <= 3;
}

// rows of position: across what slides
static bool position_rows(const Chain *c, MaxJoint *j) {
  double normal[3], length;
  memcpy(j->axes, IDENTITY, sizeof IDENTITY);
  switch (c->n_slide) {
    case 0: j->rows |= LOOP_X | LOOP_Y | LOOP_Z; return true;
    case 1:
      frame_of(c->slide[0], j->axes);
      j->rows |= LOOP_X | LOOP_Y;
      return true;
    case 2:
      cross(c->slide[0], c->slide[1], normal);
      length = sqrt(dot(normal, normal));
      if (length < TINY) return false;
      for (int i = 0; i < 3; i++) normal[i] /= length;
      frame_of(normal, j->axes);
      j->rows |= LOOP_Z;
      return true;
    default: cross(c->slide[0], c->slide[1], normal); return fabs(dot(normal, c->slide[2])) > TINY;
  }
}

// rows of rotation: z axes along the first turn in the parent and the last in the child
static bool turn_rows(const Model *m, const Chain *c, MaxJoint *j) {
  memcpy(j->turn[0], c->rot, sizeof c->rot);
  memcpy(j->turn[1], IDENTITY, sizeof IDENTITY);
  if (c->n_turn == 0) j->rows |= LOOP_RX | LOOP_RY | LOOP_RZ;
  if (c->n_turn == 0 || c->n_turn == 3) return true;
  const double *last = m->joint[c->joint[c->n - 1]].axis;
  frame_of(last, j->turn[1]);
  if (c->n_turn == 1) {
    num3_mul(c->rot, j->turn[1], j->turn[0]);
    j->rows |= LOOP_RX | LOOP_RY;
    return true;
  }
  double at_zero[3];
  num3_vec(c->rot, last, at_zero);
  frame_of(c->first_turn, j->turn[0]);
  j->zz = dot(c->first_turn, at_zero);
  j->rows |= LOOP_ZZ;
  return fabs(j->zz) < 1 - TINY;
}

static void set_points(const Maximal *x, MaxJoint *j, const int body[2], const double pos0[3],
                       const double pos1[3]) {
  for (int s = 0; s < 2; s++) {
    const double *pos = s ? pos1 : pos0;
    j->body[s] = body[s] < 0 ? -1 : x->body_of[body[s]];
    for (int i = 0; i < 3; i++) {
      j->pos[s][i] = pos[i] - (j->body[s] < 0 ? 0 : x->body[j->body[s]].com[i]);
    }
  }
}

static Status build_joint(const Maximal *x, int i, MaxJoint *j, Error *err) {
  const Model *m = x->m;
  const double origin[3] = {0, 0, 0};
  Chain c;
  Status status = collect(x, i, &c, err);
  if (status != STATUS_OK) return status;
  *j = (MaxJoint){.name = m->joint[i].name, .loop = -1, .coordinate = -1};
  if (!place(m, &c) || !position_rows(&c, j) || !turn_rows(m, &c, j)) {
    return fail(x, err, "joint", j->name,
                "stands in a row of joints without mass between them that is no "
                "set of slides followed by turns about one point");
  }
  set_points(x, j, (const int[]){c.parent, i}, c.pos, origin);
  if (c.n == 1) {
    j->coordinate = i;
    j->type = m->joint[i].type;
    j->damping = m->joint[i].damping;
    return STATUS_OK;
  }
  for (int s = 0; s < c.n; s++) {
    const ModelJoint *mj = &m->joint[c.joint[s]];
    if (!mj->actuated && mj->damping == 0) continue;
    return fail(x, err, "joint", mj->name,
                "is driven or damped and has a massless body on one side");
  }
  return STATUS_OK;
}

// Rows along x and y of a frame whose z axis never turns away from the normal of a planar robot can
// as well be written along fixed axes, which is cheaper.
static void use_plane(const Model *m, const double z[3], MaxJoint *j) {
  const unsigned position = LOOP_X | LOOP_Y | LOOP_Z;
  if (!m->planar || (j->rows & position) != (LOOP_X | LOOP_Y)) return;
  if (j->rows & (LOOP_RX | LOOP_RY | LOOP_RZ) || fabs(dot(z, m->normal)) < 1 - TINY) return;
  frame_of(m->normal, j->axes);
  j->world = true;
}

void maximal_loop(const Model *m, int k, MaxJoint *j) {
  const ModelLoop *loop = &m->loop[k];
  *j = (MaxJoint){.name = loop->name,
                  .loop = k,
                  .coordinate = -1,
                  .body = {loop->body[0], loop->body[1]},
                  .rows = loop->rows,
                  .distance = loop->distance,
                  .n_row = model_loop_rows(loop)};
  for (int s = 0; s < 2; s++) {
    memcpy(j->pos[s], loop->pos[s], sizeof j->pos[s]);
    memcpy(j->turn[s], loop->rot[s], sizeof j->turn[s]);
  }
  memcpy(j->axes, loop->rot[0], sizeof j->axes);
  use_plane(m, loop->rot[0] + 6, j);
}

static Status build_loop(const Maximal *x, int k, MaxJoint *j, Error *err) {
  const ModelLoop *loop = &x->m->loop[k];
  maximal_loop(x->m, k, j);
  for (int s = 0; s < 2; s++) {
    if (loop->body[s] >= 0 && x->body_of[loop->body[s]] < 0) {
      return fail(x, err, "loop", loop->name, "is fixed to a massless body");
    }
  }
  set_points(x, j, loop->body, loop->pos[0], loop->pos[1]);
  return STATUS_OK;
}

// massless bodies must have one child
static Status check_massless(const Maximal *x, Arena *work, Error *err) {
  const Model *m = x->m;
  int *children = arena_array(work, (size_t)m->nv + 1, sizeof *children);
  if (!children) return error_no_memory(err);
  for (int i = 0; i < m->nv; i++) {
    int p = m->joint[i].parent;
    if (p >= 0 && ++children[p] > 1 && x->body_of[p] < 0) {
      return fail(x, err, "joint", m->joint[p].name,
                  "moves a massless body with several joints on it");
    }
  }
  return STATUS_OK;
}

// numbers of the constraints: all of them, the hard ones in the system, the soft ones
static void number_rows(Maximal *x, MaxSoft soft) {
  x->n = 6 * x->n_body;
  for (int k = 0; k < x->n_joint; k++) {
    MaxJoint *j = &x->joint[k];
    j->n_row = 0;
    for (unsigned bits = j->rows; bits; bits &= bits - 1) j->n_row++;
    j->soft = soft == MAX_SOFT_ALL || (soft == MAX_SOFT_LOOPS && j->loop >= 0);
    j->first = x->n_row;
    x->n_row += j->n_row;
    int *next = j->soft ? &x->n_soft : &x->n;
    j->row = *next;
    *next += j->n_row;
  }
}

Status maximal_joints_build(Maximal *x, MaxSoft soft, Error *err) {
  const Model *m = x->m;
  Status status = build_bodies(x, err);
  Arena *work = arena_new();
  if (status == STATUS_OK) status = check_massless(x, work, err);
  arena_free(work);
  if (status != STATUS_OK) return status;
  x->joint = arena_array(x->arena, (size_t)m->nv + (size_t)m->n_loop + 1, sizeof *x->joint);
  if (!x->joint) return error_no_memory(err);
  for (int i = 0; i < m->nv && status == STATUS_OK; i++) {
    if (x->body_of[i] >= 0) status = build_joint(x, i, &x->joint[x->n_joint++], err);
  }
  for (int k = 0; k < m->n_loop && status == STATUS_OK; k++) {
    status = build_loop(x, k, &x->joint[x->n_joint++], err);
  }
  number_rows(x, soft);
  return status;
}
