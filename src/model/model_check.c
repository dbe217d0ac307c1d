// SPDX-License-Identifier: MIT
// Physical checks: of the bodies and joints as the file has them, and of the finished model.
#include <math.h>
#include <string.h>

#include "model/model_internal.h"

static const double TRIANGLE = 1e-6;   // relative slack of A + B >= C, for rounded figures
static const double DEFINITE = 1e-12;  // least principal moment relative to the largest
static const double UNIT = 1e-6;       // difference of an axis' length from 1 that is worth a note
static const double ZERO_AXIS = 1e-9;  // length below which an axis has no direction
static const double NO_INERTIA = 1e-14;  // [kg m^2], below it a joint turns nothing

// principal moments A <= B <= C of a rigid body: A > 0 and A + B >= C; a point mass has none
static Status check_inertia(const RawRobot *r, const RawBody *b, Error *err) {
  double moment[3];
  geom3_eigenvalues(b->inertia.I, moment);
  double A = moment[0], B = moment[1], C = moment[2];
  double size = fmax(fabs(A), fabs(C));
  if (b->inertia.mass == 0) {
    if (size == 0) return STATUS_OK;
    return raw_fail(r, b->where, "inertia", err,
                    "body \"%s\" has inertia but no mass; give it a \"mass\"", b->name);
  }
  if (size == 0) return STATUS_OK;
  if (A <= DEFINITE * size) {
    return raw_fail(r, b->where, "inertia", err,
                    "not positive definite: principal moments %.6g %.6g %.6g of body \"%s\" must "
                    "all be positive (leave \"inertia\" out for a point mass)",
                    A, B, C, b->name);
  }
  if (A + B < C * (1 - TRIANGLE)) {
    return raw_fail(r, b->where, "inertia", err,
                    "principal moments %.6g %.6g %.6g of body \"%s\" break the triangle "
                    "inequality: no mass distribution has a moment above the sum of the other two "
                    "(at most %.6g)",
                    A, B, C, b->name, A + B);
  }
  return STATUS_OK;
}

static Status check_bodies(RawRobot *r, Error *err) {
  for (int i = 0; i < r->n_body; i++) {
    RawBody *b = &r->body[i];
    if (check_inertia(r, b, err)) return err->code;
    bool off_origin = b->inertia.com[0] != 0 || b->inertia.com[1] != 0 || b->inertia.com[2] != 0;
    if (b->inertia.mass == 0 && off_origin) {
      raw_note(r, b->where, "com", "ignored: body \"%s\" has no mass", b->name);
      memset(b->inertia.com, 0, sizeof b->inertia.com);
    }
  }
  return STATUS_OK;
}

static Status check_axis(RawRobot *r, RawJoint *j, Error *err) {
  double *a = j->axis, norm = sqrt(geom3_dot(a, a));
  if (norm < ZERO_AXIS) {
    return raw_fail(r, j->where, "axis", err, "%g %g %g of joint \"%s\" is not a direction", a[0],
                    a[1], a[2], j->name);
  }
  if (fabs(norm - 1) > UNIT) {
    raw_note(r, j->where, "axis", "%g %g %g has length %g, normalised", a[0], a[1], a[2], norm);
  }
  for (int i = 0; i < 3; i++) a[i] /= norm;
  return STATUS_OK;
}

static Status check_joints(RawRobot *r, Error *err) {
  for (int i = 0; i < r->n_joint; i++) {
    RawJoint *j = &r->joint[i];
    if (raw_types[j->type].n != 1) continue;
    if (check_axis(r, j, err)) return err->code;
    if (j->lower > j->upper) {
      return raw_fail(r, j->where, "limits", err, "lower %g exceeds upper %g of joint \"%s\"",
                      j->lower, j->upper, j->name);
    }
    if (j->lower == j->upper) {
      raw_note(r, j->where, "limits", "lower equals upper %g: joint \"%s\" can't move", j->upper,
               j->name);
    }
    if (!j->actuated && (isfinite(j->effort) || isfinite(j->effort_rate))) {
      raw_note(r, j->where, "limits", "effort limit has no effect: joint \"%s\" is not actuated",
               j->name);
    }
  }
  return STATUS_OK;
}

Status raw_check(RawRobot *r, Error *err) {
  if (check_bodies(r, err)) return err->code;
  return check_joints(r, err);
}

static Status check_leaf(const Model *m, int i, const RawRobot *r, Error *err) {
  const ModelJoint *j = &m->joint[i];
  const ModelBody *b = &m->body[i];
  const RawBody *raw = &r->body[r->joint[r->made[i]].child_body];
  if (b->mass == 0) {
    return raw_fail(r, raw->where, "mass", err,
                    "body \"%s\" has no mass and carries none, but joint \"%s\" moves it; give it "
                    "a mass or make the joint fixed",
                    raw->name, j->name);
  }
  if (j->type == JOINT_PRISMATIC || j->armature > 0) return STATUS_OK;
  Inertia3 inertia = {.mass = b->mass};
  memcpy(inertia.com, b->com, sizeof inertia.com);
  memcpy(inertia.I, b->inertia, sizeof inertia.I);
  if (inertia3_about(&inertia, j->axis) > NO_INERTIA) return STATUS_OK;
  return raw_fail(r, raw->where, "inertia", err,
                  "body \"%s\" has no inertia about the axis of joint \"%s\", which passes through "
                  "its point mass; give it an inertia, or the joint an \"armature\"",
                  raw->name, j->name);
}

Status model_check(const Model *m, const RawRobot *r, Error *err) {
  for (int i = 0; i < m->nv; i++) {
    // depth-first order: the first child, if any, follows directly
    bool leaf = i + 1 == m->nv || m->joint[i + 1].parent != i;
    if (leaf && check_leaf(m, i, r, err)) return err->code;
  }
  bool ok = true;
  int i = model_singular_joint(m, &ok);
  if (!ok) return error_no_memory(err);
  if (i < 0) return STATUS_OK;
  return raw_fail(r, r->joint[r->made[i]].where, NULL, err,
                  "the mass matrix is singular in every posture: joint \"%s\" moves no mass or "
                  "inertia that joints further out don't move as well; give its body a mass and an "
                  "inertia, or the joint an \"armature\"",
                  m->joint[i].name);
}
