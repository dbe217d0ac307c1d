// SPDX-License-Identifier: MIT
#include "dynamics/dyn_tree.h"

#include <math.h>
#include <string.h>

#include "dynamics/spatial.h"

// Entries of rotations closer than this to 0 or +-1 are taken for exact: what is left of
// sin(pi) in a file that writes angles in decimals is not a coupling.
static const double SNAP = 1e-14;

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static bool is_identity(const double rot[9]) {
  for (int i = 0; i < 9; i++) {
    if (rot[i] != IDENTITY[i]) return false;
  }
  return true;
}

static void snap(double *x, int n) {
  for (int i = 0; i < n; i++) {
    if (fabs(x[i] - nearbyint(x[i])) < SNAP) x[i] = nearbyint(x[i]);
  }
}

// ---- axes --------------------------------------------------------------------------------------

// the coordinate axis that u is, with its sign; -1 if none
static int coordinate_axis(const double u[3], int *sign) {
  for (int k = 0; k < 3; k++) {
    if (fabs(fabs(u[k]) - 1.0) < SNAP) return *sign = u[k] < 0 ? -1 : 1, k;
  }
  return -1;
}

// A rotation that takes e_z to u: Rz(a) Ry(b), so that at most one entry of it more than needed differs
// from zero.
static void rotation_to(const double u[3], double rot[9]) {
  double s = hypot(u[0], u[1]);
  double ca = u[0] / s, sa = u[1] / s;
  const double r[9] = {ca * u[2], sa * u[2], -s, -sa, ca, 0, ca * s, sa * s, u[2]};
  memcpy(rot, r, sizeof r);
  snap(rot, 9);
}

// Chooses the body's axes. `from_file` of the parent: our axes = parent's to_file^T times the file's.
static void choose_axes(DynJoint *j, const ModelJoint *mj, const DynJoint *parent) {
  const double *to_file = parent ? parent->to_file : IDENTITY;
  double rot[9], u[3];
  num3_mul_t(to_file, mj->rot, rot);  // file's joint frame in our parent axes
  num3_vec(rot, mj->axis, u);
  // a length off by rounding would grow by a factor at every joint of a chain
  double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int i = 0; i < 3; i++) u[i] /= length;
  snap(rot, 9);
  snap(u, 3);
  num3_vec_t(to_file, mj->pos, j->pos);
  memcpy(j->rot, IDENTITY, sizeof IDENTITY);
  memcpy(j->dir, u, sizeof u);
  j->sign = 1;
  j->axis = 2;
  if (j->type == JOINT_REVOLUTE) {
    j->axis = coordinate_axis(u, &j->sign);
    if (j->axis < 0) {
      j->axis = 2;
      rotation_to(u, j->rot);
    }
  }
  num3_mul_t(rot, j->rot, j->to_file);
  snap(j->to_file, 9);
}

// does joint i turn about the same line of directions as its parent's expression frame already does?
static bool continues(const DynTree *t, int i, int axis) {
  const DynJoint *j = &t->joint[i];
  return j->type == JOINT_REVOLUTE && j->axis == axis && is_identity(j->rot);
}

// Is there, beyond prismatic joints, a next revolute joint that continues i? Or none at all?
static void look_ahead(const DynTree *t, int i, bool *leaf, bool *goes_on) {
  for (int k = i + 1; k < t->n; k++) {
    int p = t->joint[k].parent;
    while (p > i && t->joint[p].type == JOINT_PRISMATIC) p = t->joint[p].parent;
    if (p != i || t->joint[k].type != JOINT_REVOLUTE) continue;
    *leaf = false;
    if (continues(t, k, t->joint[i].axis)) *goes_on = true;
  }
}

// the joint whose rotation is still to be applied to the parent's axes; -1 if none
static int turning(const DynTree *t, int i) {
  while (i >= 0 && t->joint[i].type == JOINT_PRISMATIC) i = t->joint[i].parent;
  return i < 0 || t->joint[i].turn == TURN_NOW ? -1 : i;
}

static void choose_turn(DynTree *t, int i) {
  DynJoint *j = &t->joint[i];
  j->turn = TURN_KEEP;
  if (j->type == JOINT_PRISMATIC) return;
  int before = turning(t, j->parent);
  if (before >= 0 && continues(t, i, t->joint[before].axis)) return;
  bool leaf = true, goes_on = false;
  look_ahead(t, i, &leaf, &goes_on);
  j->turn = leaf || goes_on ? TURN_LATE : TURN_NOW;
}

// ---- inertia -----------------------------------------------------------------------------------

// the file's body (about its centre of mass) as moments about our body axes' origin
static void set_mass(DynMass *out, const ModelBody *b, const double to_file[9]) {
  double com[3], tmp[9], inertia[9];
  num3_vec_t(to_file, b->com, com);
  num3_mul_t(to_file, b->inertia, tmp);
  num3_mul(tmp, to_file, inertia);
  double half_trace = 0.5 * (inertia[0] + inertia[4] + inertia[8]);
  double largest = half_trace + b->mass * (com[0] * com[0] + com[1] * com[1] + com[2] * com[2]);
  out->m = b->mass;
  for (int i = 0; i < 3; i++) out->h[i] = b->mass * com[i];
  for (int i = 0; i < 9; i++) {
    out->J[i] = (i % 4 == 0 ? half_trace : 0.0) - inertia[i] + b->mass * com[i % 3] * com[i / 3];
    if (fabs(out->J[i]) < SNAP * largest) out->J[i] = 0.0;
  }
}

// adds `part`, given about a point at p with axes r, to the parent's moments
static void add_moments(DynMass *to, const DynMass *part, const double r[9], const double p[3]) {
  double h[3], tmp[9], J[9], rt[9];
  num3_vec(r, part->h, h);
  num3_mul(r, part->J, tmp);
  for (int i = 0; i < 9; i++) rt[i] = r[i / 3 + 3 * (i % 3)];
  num3_mul(tmp, rt, J);
  for (int i = 0; i < 9; i++) {
    int a = i % 3, b = i / 3;
    to->J[i] += J[i] + p[a] * h[b] + h[a] * p[b] + part->m * p[a] * p[b];
  }
  for (int i = 0; i < 3; i++) to->h[i] += h[i] + part->m * p[i];
  to->m += part->m;
}

// moves what joint i cannot feel from its body to the parent's
static void give_to_parent(DynTree *t, int i) {
  DynJoint *j = &t->joint[i];
  DynMass *mass = &j->mass, part = {0};
  if (j->type == JOINT_REVOLUTE) {
    int k = j->axis;
    part.m = mass->m;
    part.h[k] = mass->h[k];
    part.J[4 * k] = mass->J[4 * k];
    mass->m = mass->h[k] = mass->J[4 * k] = 0.0;
    if (j->parent >= 0) add_moments(&t->joint[j->parent].mass, &part, j->rot, j->pos);
  } else {
    memcpy(part.J, mass->J, sizeof part.J);
    memset(mass->J, 0, sizeof mass->J);
    const double none[3] = {0, 0, 0};
    if (j->parent >= 0) add_moments(&t->joint[j->parent].mass, &part, j->rot, none);
  }
}

// ---- lines -------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// is x a multiple of the unit vector u (zero is not)?
static bool on_line(const double x[3], const double u[3], double *along) {
  double length = sqrt(dot(x, x));
  *along = dot(x, u);
  for (int k = 0; k < 3; k++) {
    if (fabs(x[k] - *along * u[k]) > SNAP * length) return false;
  }
  return length > 0.0;
}

static int count_on_line(const DynTree *t, int i, const double u[3]) {
  double along;
  int n = on_line(t->joint[i].mass.h, u, &along);
  for (int k = i + 1; k < t->n; k++) {
    const DynJoint *c = &t->joint[k];
    if (c->parent == i && c->type == JOINT_REVOLUTE) n += on_line(c->pos, u, &along);
  }
  return n;
}

// Chooses the direction of the body's line: that of its first moment, or else of its first child.
static void choose_line(DynTree *t, int i) {
  DynJoint *j = &t->joint[i];
  const double *x = j->mass.h;
  for (int k = i + 1; k < t->n && dot(x, x) == 0.0; k++) {
    if (t->joint[k].parent == i && t->joint[k].type == JOINT_REVOLUTE) x = t->joint[k].pos;
  }
  double length = sqrt(dot(x, x));
  if (length == 0.0) return;
  for (int k = 0; k < 3; k++) j->line[k] = x[k] / length;
  j->has_line = count_on_line(t, i, j->line) > 1;
  if (!j->has_line) return;
  j->h_on_line = on_line(j->mass.h, j->line, &j->h_along);
  for (int k = i + 1; k < t->n; k++) {
    DynJoint *c = &t->joint[k];
    if (c->parent != i || c->type != JOINT_REVOLUTE) continue;
    c->r_on_line = on_line(c->pos, j->line, &c->r_along);
  }
}

bool dyn_tree_build(DynTree *t, const Model *m, Arena *arena) {
  t->n = m->nv;
  t->joint = arena_array(arena, (size_t)m->nv, sizeof *t->joint);
  if (!t->joint) return false;
  memcpy(t->gravity, m->gravity, sizeof t->gravity);
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *mj = &m->joint[i];
    DynJoint *j = &t->joint[i];
    j->parent = mj->parent;
    j->type = mj->type;
    j->armature = mj->armature;
    j->damping = mj->damping;
    choose_axes(j, mj, mj->parent >= 0 ? &t->joint[mj->parent] : NULL);
    set_mass(&j->own, &m->body[i], j->to_file);
    j->mass = j->own;
  }
  for (int i = 0; i < m->nv; i++) choose_turn(t, i);
  for (int i = m->nv - 1; i >= 0; i--) give_to_parent(t, i);
  for (int i = 0; i < m->nv; i++) choose_line(t, i);
  return true;
}
