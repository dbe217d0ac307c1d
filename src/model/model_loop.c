// SPDX-License-Identifier: MIT
// Loops of the file to loops of the model: names resolved, frames on moving bodies, rows chosen.
//
// In a planar mechanism the frames of a loop are turned, both alike, so that the plane's normal is an
// axis of the first one; then the rows along it, and those of turning out of the plane, are left out.
#include <math.h>
#include <string.h>

#include "model/model_internal.h"

enum { SUGGESTION = MODEL_MAX_NAME + 24 };
static const double PARALLEL = 1e-9;  // sine of the angle below which two directions are one
static const double IN_PLANE = 1e-9;  // distance along the normal that counts as none [m]

static const struct {
  const char *name;
  unsigned rows;
} types[N_LOOP_TYPES] = {
    [LOOP_REVOLUTE] = {"revolute", LOOP_X | LOOP_Y | LOOP_Z | LOOP_RX | LOOP_RY},
    [LOOP_SPHERICAL] = {"spherical", LOOP_X | LOOP_Y | LOOP_Z},
    [LOOP_UNIVERSAL] = {"universal", LOOP_X | LOOP_Y | LOOP_Z | LOOP_ZZ},
    [LOOP_PRISMATIC] = {"prismatic", LOOP_X | LOOP_Y | LOOP_RX | LOOP_RY | LOOP_RZ},
    [LOOP_WELD] = {"weld", LOOP_X | LOOP_Y | LOOP_Z | LOOP_RX | LOOP_RY | LOOP_RZ},
    [LOOP_DISTANCE] = {"distance", LOOP_LENGTH},
};

const char *model_loop_type(LoopType type) {
  return types[type].name;
}

unsigned model_loop_all_rows(LoopType type) {
  return types[type].rows;
}

const char *model_row_name(unsigned row) {
  static const char *const names[N_LOOP_ROWS] = {"x", "y", "z", "rx", "ry", "rz", "zz", "length"};
  int i = 0;
  while (row > 1u << i) i++;
  return names[i];
}

// ---- names -------------------------------------------------------------------------------------

static Status check_names(RawRobot *r, Error *err) {
  NameIndex all;
  int first = 0;
  if (!name_index_new(&all, r->arena, r->n_loop)) return error_no_memory(err);
  for (int i = 0; i < r->n_loop; i++) name_index_add(&all, r->loop[i].name, i);
  int second = name_index_sort(&all, &first);
  if (second < 0) return STATUS_OK;
  return raw_fail(r, r->loop[second].where, "name", err, "duplicate name \"%s\": %s has it too",
                  r->loop[second].name, r->loop[first].where);
}

static const char *body_name(const Model *m, int body) {
  if (body < 0) return "world";
  return m->body[body].name ? m->body[body].name : m->joint[body].name;
}

static Status resolve(Model *m, RawRobot *r, const NameIndex *frames, int index, Error *err) {
  static const char *const side[2] = {"first.body", "second.body"};
  const RawLoop *raw = &r->loop[index];
  ModelLoop *l = &m->loop[index];
  for (int s = 0; s < 2; s++) {
    int f = name_index_find(frames, raw->carrier[s]);
    if (f < 0) {
      char suggestion[SUGGESTION];
      name_index_suggest(frames, raw->carrier[s], r->arena, suggestion, sizeof suggestion);
      return raw_fail(r, raw->where, side[s], err, "loop \"%s\": unknown body or frame \"%s\"%s",
                      raw->name, raw->carrier[s], suggestion);
    }
    Frame3 base;
    memcpy(base.p, m->frame[f].pos, sizeof base.p);
    memcpy(base.R, m->frame[f].rot, sizeof base.R);
    Frame3 own = frame3_compose(&base, &raw->placement[s]);
    l->body[s] = m->frame[f].body;
    memcpy(l->pos[s], own.p, sizeof own.p);
    memcpy(l->rot[s], own.R, sizeof own.R);
  }
  if (l->body[0] == l->body[1]) {
    return raw_fail(r, raw->where, NULL, err,
                    "loop \"%s\" joins body \"%s\" to itself: both of its frames move with it",
                    raw->name, body_name(m, l->body[0]));
  }
  return STATUS_OK;
}

// ---- planar mechanisms -------------------------------------------------------------------------

// sine and cosine of the angle between two unit vectors
static void angle(const double a[3], const double b[3], double *sine, double *cosine) {
  double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  *sine = sqrt(geom3_dot(c, c));
  *cosine = geom3_dot(a, b);
}

// the frames of all bodies at q = 0; turning about the normal does not change what is asked of them
static bool zero_frames(const Model *m, Arena *arena, Frame3 **out) {
  Frame3 *f = arena_array(arena, (size_t)m->nv, sizeof *f);
  *out = f;
  for (int i = 0; f && i < m->nv; i++) {
    Frame3 own;
    memcpy(own.p, m->joint[i].pos, sizeof own.p);
    memcpy(own.R, m->joint[i].rot, sizeof own.R);
    int p = m->joint[i].parent;
    f[i] = p < 0 ? own : frame3_compose(&f[p], &own);
  }
  return f != NULL;
}

static Status check_joints(const Model *m, const RawRobot *r, const Frame3 *zero, Error *err) {
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *j = &m->joint[i];
    double axis[3], sine, cosine;
    geom3_apply(zero[i].R, j->axis, axis);
    angle(axis, m->normal, &sine, &cosine);
    bool turns = j->type == JOINT_REVOLUTE;
    if (turns ? sine <= PARALLEL : fabs(cosine) <= PARALLEL) continue;
    return raw_fail(r, r->joint[r->made[i]].where, "axis", err,
                    "\"planar\" with normal %g %g %g: joint \"%s\" %s", m->normal[0], m->normal[1],
                    m->normal[2], j->name,
                    turns ? "turns about another direction" : "slides out of the plane");
  }
  return STATUS_OK;
}

// R := R S
static void turn_by(double R[9], const double S[9]) {
  double RS[9];
  geom3_mul(R, S, RS);
  memcpy(R, RS, sizeof RS);
}

static Status fail_plane(const RawRobot *r, const ModelLoop *l, Error *err, const char *rule) {
  return raw_fail(r, l->where, NULL, err,
                  "\"planar\" with normal %g %g %g: loop \"%s\" of type %s %s", r->normal[0],
                  r->normal[1], r->normal[2], l->name, model_loop_type(l->type), rule);
}

// rows that planar motion leaves to a loop whose first frame has the normal n (in its axes)
static Status planar_rows(const RawRobot *r, ModelLoop *l, const double n[3], Error *err) {
  const double z[3] = {0, 0, 1};
  double sine, cosine, S[9];
  angle(z, n, &sine, &cosine);
  switch (l->type) {
    case LOOP_REVOLUTE:
      if (sine > PARALLEL) return fail_plane(r, l, err, "turns about another direction");
      l->rows = LOOP_X | LOOP_Y;
      return STATUS_OK;
    case LOOP_UNIVERSAL:
      geom3_z_to(n, S);  // the position rows may be taken along any axes
      turn_by(l->rot[0], S);
      l->rows = LOOP_X | LOOP_Y;
      return STATUS_OK;
    case LOOP_PRISMATIC:
      if (fabs(cosine) > PARALLEL) return fail_plane(r, l, err, "slides out of the plane");
      // y along the normal: S = [y' x z, y', z]
      memcpy(S, (double[9]){n[1], -n[0], 0, n[0], n[1], 0, 0, 0, 1}, sizeof S);
      turn_by(l->rot[0], S);
      turn_by(l->rot[1], S);
      l->rows = LOOP_X | LOOP_RY;
      return STATUS_OK;
    case LOOP_SPHERICAL:
    case LOOP_WELD:
      geom3_z_to(n, S);
      turn_by(l->rot[0], S);
      turn_by(l->rot[1], S);
      l->rows = LOOP_X | LOOP_Y | (l->type == LOOP_WELD ? LOOP_RZ : 0u);
      return STATUS_OK;
    case LOOP_DISTANCE:
    case N_LOOP_TYPES: break;
  }
  return STATUS_OK;
}

// A loop whose constraints out of the plane hold at q = 0 keeps them; one where they don't never closes.
static Status make_planar(const RawRobot *r, ModelLoop *l, const Frame3 *zero, Error *err) {
  Frame3 f[2];
  double normal[2][3], height[2];
  for (int s = 0; s < 2; s++) {
    Frame3 own;
    memcpy(own.p, l->pos[s], sizeof own.p);
    memcpy(own.R, l->rot[s], sizeof own.R);
    f[s] = l->body[s] < 0 ? own : frame3_compose(&zero[l->body[s]], &own);
    height[s] = geom3_dot(f[s].p, r->normal);
    for (int k = 0; k < 3; k++) normal[s][k] = geom3_dot(f[s].R + 3 * (size_t)k, r->normal);
  }
  double apart = fabs(height[1] - height[0]);
  if (l->type != LOOP_DISTANCE && apart > IN_PLANE) {
    return raw_fail(r, l->where, NULL, err,
                    "loop \"%s\" never closes: its frames move in parallel planes %g m apart",
                    l->name, apart);
  }
  if (l->type == LOOP_DISTANCE && apart >= l->distance) {
    return raw_fail(r, l->where, "distance", err,
                    "loop \"%s\" never closes: its frames move in parallel planes %g m apart, "
                    "farther than its distance %g",
                    l->name, apart, l->distance);
  }
  double sine, cosine;
  angle(normal[0], normal[1], &sine, &cosine);
  bool oriented = l->type == LOOP_REVOLUTE || l->type == LOOP_PRISMATIC || l->type == LOOP_WELD;
  if (oriented && (sine > PARALLEL || cosine < 0)) {
    return fail_plane(r, l, err, "never closes: its two frames are tilted against each other");
  }
  double along[2] = {fabs(normal[0][2]), fabs(normal[1][2])};
  double most = fmax(along[0], along[1]), least = fmin(along[0], along[1]);
  if (l->type == LOOP_UNIVERSAL && (most < 1 - PARALLEL || least > PARALLEL)) {
    return fail_plane(r, l, err, "needs one axis along the normal and the other one in the plane");
  }
  return planar_rows(r, l, normal[0], err);
}

// ---- all of it ---------------------------------------------------------------------------------

Status raw_build_loops(Model *m, RawRobot *r, Error *err) {
  if (check_names(r, err)) return err->code;
  NameIndex frames;
  Frame3 *zero = NULL;
  int first = 0;
  m->loop = arena_array(m->arena, (size_t)r->n_loop, sizeof *m->loop);
  if (!m->loop || !name_index_new(&frames, r->arena, m->n_frame)) return error_no_memory(err);
  for (int i = 0; i < m->n_frame; i++) name_index_add(&frames, m->frame[i].name, i);
  name_index_sort(&frames, &first);

  m->n_loop = r->n_loop;
  m->planar = r->planar;
  memcpy(m->normal, r->normal, sizeof m->normal);
  if (r->planar) {
    if (!zero_frames(m, r->arena, &zero)) return error_no_memory(err);
    if (check_joints(m, r, zero, err)) return err->code;
  }
  for (int i = 0; i < r->n_loop; i++) {
    const RawLoop *raw = &r->loop[i];
    ModelLoop *l = &m->loop[i];
    *l = (ModelLoop){.name = arena_strdup(m->arena, raw->name),
                     .type = raw->type,
                     .distance = raw->distance,
                     .rows = raw->rows ? raw->rows : types[raw->type].rows,
                     .where = arena_strdup(m->arena, raw->where)};
    if (!l->name || !l->where) return error_no_memory(err);
    if (resolve(m, r, &frames, i, err)) return err->code;
    if (r->planar && raw->rows) {
      return raw_fail(r, raw->where, "rows", err,
                      "loop \"%s\": \"planar\" chooses the rows, leave one of the two out",
                      raw->name);
    }
    if (r->planar && make_planar(r, l, zero, err)) return err->code;
  }
  return STATUS_OK;
}
