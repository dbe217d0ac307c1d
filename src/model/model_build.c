// SPDX-License-Identifier: MIT
// From the file's bodies and joints, in tree order, to the flat model: fixed joints are merged,
// joints with several coordinates become chains, frames and poses are carried over.
#include <stdio.h>
#include <string.h>

#include "model/model_internal.h"

enum { SUGGESTION = MODEL_MAX_NAME + 24 };

// Where each body of the file has gone.
typedef struct Carrier {
  int body;        // moving body that carries it; -1 is the world
  Frame3 in_body;  // its frame in the carrier's
} Carrier;

// what all coordinates of a joint share
static ModelJoint common(const RawJoint *j) {
  return (ModelJoint){.actuated = j->actuated,
                      .lower = j->lower,
                      .upper = j->upper,
                      .velocity = j->velocity,
                      .effort = j->effort,
                      .effort_rate = j->effort_rate,
                      .damping = j->damping,
                      .armature = j->armature};
}

static void set_placement(ModelJoint *out, const Frame3 *f) {
  memcpy(out->pos, f->p, sizeof out->pos);
  memcpy(out->rot, f->R, sizeof out->rot);
}

// appends the coordinates of a moving joint; `at` is its frame in the parent's carrier
static Status add_joint(Model *m, const RawRobot *r, int index, int parent, const Frame3 *at,
                        Error *err) {
  const RawJoint *j = &r->joint[index];
  const RawTypeInfo *type = &raw_types[j->type];
  for (int i = 0; i < type->n; i++) {
    ModelJoint *out = &m->joint[m->nv];
    *out = common(j);
    out->parent = i ? m->nv - 1 : parent;
    set_placement(out, i ? &frame3_identity : at);
    if (type->expand) {
      const char *suffix = type->expand[i].suffix;
      size_t size = strlen(j->name) + strlen(suffix) + 1;
      char *name = arena_alloc(m->arena, size);
      if (name) snprintf(name, size, "%s%s", j->name, suffix);
      out->name = name;
      out->type = type->expand[i].type;
      memcpy(out->axis, type->expand[i].axis, sizeof out->axis);
    } else {
      out->name = arena_strdup(m->arena, j->name);
      out->type = j->type == RAW_PRISMATIC ? JOINT_PRISMATIC : JOINT_REVOLUTE;
      memcpy(out->axis, j->axis, sizeof out->axis);
    }
    if (!out->name) return error_no_memory(err);
    r->made[m->nv++] = index;
  }
  // the last coordinate moves the body of the file
  m->body[m->nv - 1].name = arena_strdup(m->arena, r->body[j->child_body].name);
  return m->body[m->nv - 1].name ? STATUS_OK : error_no_memory(err);
}

static void add_inertia(Model *m, int body, const Inertia3 *inertia, const Frame3 *frame) {
  ModelBody *b = &m->body[body];
  Inertia3 sum = {.mass = b->mass};
  memcpy(sum.com, b->com, sizeof sum.com);
  memcpy(sum.I, b->inertia, sizeof sum.I);
  inertia3_add(&sum, inertia, frame);
  b->mass = sum.mass;
  memcpy(b->com, sum.com, sizeof b->com);
  memcpy(b->inertia, sum.I, sizeof b->inertia);
}

static Status build_joints(Model *m, RawRobot *r, Carrier *carrier, Error *err) {
  carrier[r->root] = (Carrier){.body = -1, .in_body = frame3_identity};
  for (int k = 0; k < r->n_joint; k++) {
    const RawJoint *j = &r->joint[r->order[k]];
    const RawBody *child = &r->body[j->child_body];
    const Carrier *parent = &carrier[j->parent_body];
    Carrier c = {.body = parent->body, .in_body = frame3_compose(&parent->in_body, &j->origin)};
    if (j->type != RAW_FIXED) {
      if (add_joint(m, r, r->order[k], parent->body, &c.in_body, err)) return err->code;
      c = (Carrier){.body = m->nv - 1, .in_body = frame3_identity};
    }
    if (c.body >= 0) {
      add_inertia(m, c.body, &child->inertia, &c.in_body);
    } else if (child->inertia.mass > 0) {
      raw_note(r, child->where, "mass", "ignored: body \"%s\" is fixed to the world", child->name);
    }
    carrier[j->child_body] = c;
  }
  return STATUS_OK;
}

// frames of the file, then every body by its name
static Status build_frames(Model *m, const RawRobot *r, const Carrier *carrier, Error *err) {
  m->n_frame = r->n_frame + r->n_body;
  m->frame = arena_array(m->arena, (size_t)m->n_frame, sizeof *m->frame);
  if (!m->frame) return error_no_memory(err);
  for (int i = 0; i < m->n_frame; i++) {
    bool is_body = i >= r->n_frame;
    int body = is_body ? i - r->n_frame : r->frame[i].body_index;
    const Frame3 *own = is_body ? &frame3_identity : &r->frame[i].placement;
    Frame3 f = frame3_compose(&carrier[body].in_body, own);
    ModelFrame *out = &m->frame[i];
    out->name = arena_strdup(m->arena, is_body ? r->body[body].name : r->frame[i].name);
    if (!out->name) return error_no_memory(err);
    out->body = carrier[body].body;
    memcpy(out->pos, f.p, sizeof out->pos);
    memcpy(out->rot, f.R, sizeof out->rot);
  }
  return STATUS_OK;
}

static Status build_actuators(Model *m, Error *err) {
  for (int i = 0; i < m->nv; i++) m->nu += m->joint[i].actuated;
  m->u_joint = arena_array(m->arena, (size_t)m->nu, sizeof *m->u_joint);
  if (!m->u_joint) return error_no_memory(err);
  for (int i = 0, k = 0; i < m->nv; i++) {
    if (m->joint[i].actuated) m->u_joint[k++] = i;
  }
  return STATUS_OK;
}

// a joint of the file that is no coordinate of the model; NULL if the name is unknown
static const RawJoint *find_raw(const RawRobot *r, const char *name) {
  for (int i = 0; i < r->n_joint; i++) {
    if (strcmp(r->joint[i].name, name) == 0) return &r->joint[i];
  }
  return NULL;
}

static Status build_pose(Model *m, RawRobot *r, const NameIndex *names, int index, Error *err) {
  const RawPose *raw = &r->pose[index];
  ModelPose *pose = &m->pose[index];
  pose->name = arena_strdup(m->arena, raw->name);
  pose->q = arena_array(m->arena, (size_t)m->nv, sizeof *pose->q);
  if (!pose->name || !pose->q) return error_no_memory(err);
  for (int k = 0; k < raw->n; k++) {
    const char *name = raw->joint[k];
    int i = name_index_find(names, name);
    const RawJoint *other = i < 0 ? find_raw(r, name) : NULL;
    if (other && other->type == RAW_FIXED) {
      raw_note(r, raw->where, name, "ignored: joint \"%s\" is fixed", name);
    } else if (other) {
      return raw_fail(r, raw->where, name, err,
                      "joint \"%s\" has %d coordinates; name one of them, e.g. \"%s%s\"", name,
                      raw_types[other->type].n, name, raw_types[other->type].expand[0].suffix);
    } else if (i < 0) {
      char suggestion[SUGGESTION];
      name_index_suggest(names, name, r->arena, suggestion, sizeof suggestion);
      return raw_fail(r, raw->where, NULL, err, "unknown joint \"%.100s\"%s", name, suggestion);
    } else {
      const ModelJoint *j = &m->joint[i];
      pose->q[i] = raw->value[k];
      if (pose->q[i] < j->lower || pose->q[i] > j->upper) {
        raw_note(r, raw->where, name, "%g lies outside of the limits %g .. %g", pose->q[i],
                 j->lower, j->upper);
      }
    }
  }
  return STATUS_OK;
}

// the names of the coordinates, once each: "base.x" may come from a floating joint and by itself
static Status build_poses(Model *m, RawRobot *r, Error *err) {
  NameIndex names;
  int first = 0;
  if (!name_index_new(&names, r->arena, m->nv)) return error_no_memory(err);
  for (int i = 0; i < m->nv; i++) name_index_add(&names, m->joint[i].name, i);
  int second = name_index_sort(&names, &first);
  if (second >= 0) {
    return raw_fail(r, r->joint[r->made[second]].where, "name", err,
                    "duplicate name \"%s\": a coordinate of joint \"%s\" has it too",
                    m->joint[second].name, r->joint[r->made[first]].name);
  }
  m->n_pose = r->n_pose;
  m->pose = arena_array(m->arena, (size_t)m->n_pose, sizeof *m->pose);
  if (!m->pose) return error_no_memory(err);
  for (int i = 0; i < r->n_pose; i++) {
    if (build_pose(m, r, &names, i, err)) return err->code;
  }
  return STATUS_OK;
}

static Status build_notes(Model *m, const RawRobot *r, Error *err) {
  m->note = arena_array(m->arena, (size_t)r->n_note, sizeof *m->note);
  if (!m->note || r->no_memory) return error_no_memory(err);
  for (const RawNote *note = r->first_note; note; note = note->next) {
    m->note[m->n_note] = arena_strdup(m->arena, note->text);
    if (!m->note[m->n_note++]) return error_no_memory(err);
  }
  return STATUS_OK;
}

// number of coordinates; -1 with err filled if none or too many
static int count_coordinates(const RawRobot *r, Error *err) {
  int n = 0;
  for (int i = 0; i < r->n_joint; i++) n += raw_types[r->joint[i].type].n;
  if (n == 0) raw_fail(r, "joints", NULL, err, "no joint moves: there is nothing to plan");
  if (n > MODEL_MAX_JOINTS) {
    raw_fail(r, "joints", NULL, err, "%d coordinates, at most %d are allowed", n, MODEL_MAX_JOINTS);
  }
  return n > 0 && n <= MODEL_MAX_JOINTS ? n : -1;
}

Status raw_build(Model *m, RawRobot *r, Error *err) {
  int n = count_coordinates(r, err);
  if (n < 0) return err->code;
  m->name = arena_strdup(m->arena, r->name);
  m->path = arena_strdup(m->arena, r->file);
  memcpy(m->gravity, r->gravity, sizeof m->gravity);
  m->joint = arena_array(m->arena, (size_t)n, sizeof *m->joint);
  m->body = arena_array(m->arena, (size_t)n, sizeof *m->body);
  r->made = arena_array(r->arena, (size_t)n, sizeof *r->made);
  Carrier *carrier = arena_array(r->arena, (size_t)r->n_body, sizeof *carrier);
  if (!m->name || !m->path || !m->joint || !m->body || !r->made || !carrier) {
    return error_no_memory(err);
  }
  if (r->body[r->root].inertia.mass > 0) {
    raw_note(r, r->body[r->root].where, "mass",
             "ignored: root \"%s\" is the world and does not move", r->body[r->root].name);
  }
  if (build_joints(m, r, carrier, err)) return err->code;
  if (build_frames(m, r, carrier, err)) return err->code;
  if (build_actuators(m, err)) return err->code;
  if (build_poses(m, r, err)) return err->code;
  if (raw_build_loops(m, r, err)) return err->code;
  if (m->nu == 0) raw_note(r, "joints", NULL, "no joint is actuated");
  return build_notes(m, r, err);
}
