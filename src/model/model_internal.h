// SPDX-License-Identifier: MIT
// The robot as a reader found it, before it is a tree: bodies, joints, frames and poses as in the
// file, with names not yet resolved. A reader (model_json.c) fills a RawRobot; the steps after it
// do not know what kind of file it was:
//   raw_check -> raw_tree -> raw_build -> model_check
#ifndef POISE_MODEL_MODEL_INTERNAL_H
#define POISE_MODEL_MODEL_INTERNAL_H

#include <stdbool.h>

#include "base/json_keys.h"
#include "model/geom3.h"
#include "model/model.h"

enum {
  MODEL_MAX_JOINTS = 4096,  // joints of a file, and coordinates after expansion
  MODEL_MAX_NAME = 100,     // bytes of a name
};

typedef enum RawType {
  RAW_REVOLUTE,
  RAW_CONTINUOUS,
  RAW_PRISMATIC,
  RAW_FIXED,
  RAW_FLOATING,
  RAW_SPHERICAL,
  RAW_PLANAR,
  N_RAW_TYPES
} RawType;

// One coordinate of a joint that has several.
typedef struct RawCoordinate {
  const char *suffix;  // ".rz"
  JointType type;
  double axis[3];
} RawCoordinate;

typedef struct RawTypeInfo {
  const char *name;             // as in the file
  int n;                        // coordinates
  const RawCoordinate *expand;  // n; NULL if it is one joint or none
} RawTypeInfo;

extern const RawTypeInfo raw_types[N_RAW_TYPES];

typedef struct RawBody {
  const char *where;  // "bodies[2]"
  const char *name;
  Inertia3 inertia;  // in the body frame
} RawBody;

typedef struct RawJoint {
  const char *where;  // "joints[2]"
  const char *name;
  RawType type;
  const char *parent, *child;   // names of bodies
  int parent_body, child_body;  // their indices, by raw_tree
  Frame3 origin;
  double axis[3];  // as in the file
  bool actuated;
  double lower, upper, velocity, effort, effort_rate;  // +-INFINITY if none
  double damping, armature;
} RawJoint;

typedef struct RawFrame {
  const char *where;  // "frames[0]"
  const char *name;
  const char *body;  // name of the body
  int body_index;    // by raw_tree
  Frame3 placement;
} RawFrame;

typedef struct RawPose {
  const char *where;  // "poses.start"
  const char *name;
  int n;               // values
  const char **joint;  // n, names of coordinates
  double *value;       // n
} RawPose;

typedef struct RawLoop {
  const char *where;  // "loops[0]"
  const char *name;
  LoopType type;
  const char *carrier[2];  // names of bodies or frames
  Frame3 placement[2];     // in them, z along the axis
  double distance;
  unsigned rows;  // chosen in the file; 0 if all
} RawLoop;

typedef struct RawNote {
  struct RawNote *next;
  const char *text;
} RawNote;

typedef struct RawRobot {
  Arena *arena;      // owns everything here; freed when the model is built
  const char *file;  // for messages
  const char *name;
  double gravity[3];
  bool planar;
  double normal[3];  // of the plane, in the world frame
  int n_body, n_joint, n_frame, n_pose, n_loop, n_note;
  RawBody *body;
  RawJoint *joint;
  RawFrame *frame;
  RawPose *pose;
  RawLoop *loop;
  RawNote *first_note, *last_note;
  bool no_memory;  // a note could not be kept
  int root;        // body that is the world, by raw_tree
  int *order;      // n_joint, joints in depth-first order, by raw_tree
  int *made;       // nv, joint of the file behind each coordinate of the model, by raw_build
} RawRobot;

// Names with their indices, sorted: duplicates and look-ups in n log n.
typedef struct NameEntry {
  const char *name;
  int index;
} NameEntry;

typedef struct NameIndex {
  int n;
  NameEntry *entry;  // n
} NameIndex;

// An index with room for n names; false when out of memory.
bool name_index_new(NameIndex *x, Arena *arena, int n);
void name_index_add(NameIndex *x, const char *name, int index);
// Sorts; returns the second index of the first pair of equal names, and the first in *first; or -1.
int name_index_sort(NameIndex *x, int *first);
int name_index_find(const NameIndex *x, const char *name);  // -1 if there is none
// The nearest name, as `; did you mean "x"?`; empty if nothing is close.
void name_index_suggest(const NameIndex *x, const char *word, Arena *arena, char *out, size_t size);

// Fills err at file: where.key (key may be NULL); returns STATUS_INPUT.
Status raw_fail(const RawRobot *r, const char *where, const char *key, Error *err,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

// Keeps a note "file: where.key: what"; out of memory is remembered in r->no_memory.
void raw_note(RawRobot *r, const char *where, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// A string in the robot's arena, printed; NULL when out of memory.
const char *raw_printf(RawRobot *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Reads a JSON document into *r (r->arena, r->file set). Strings are copied.
Status raw_read_json(RawRobot *r, const struct cJSON *doc, Error *err);
Status raw_read_joint(RawRobot *r, RawJoint *j, const JsonAt *at,
                      Error *err);  // model_json_joint.c

Status raw_read_loops(RawRobot *r, const JsonAt *root, Error *err);  // model_json_loop.c

// Helpers of the JSON readers: a checked name; placement by xyz and rpy or rpy_deg.
Status raw_read_name(RawRobot *r, const JsonAt *object, const char *key, const char **out,
                     Error *err);
Status raw_read_placement(const JsonAt *at, const JsonKeys *keys, Frame3 *out, Error *err);

// Masses, inertias, axes, limits of the file on their own.
Status raw_check(RawRobot *r, Error *err);

// Resolves names; finds the root, the depth-first order; refuses what is not a tree.
Status raw_tree(RawRobot *r, Error *err);

// Makes the model: fixed joints merged, several coordinates expanded, frames and poses carried
// over. m->arena is set; everything comes from it.
Status raw_build(Model *m, RawRobot *r, Error *err);

// The loops of the file on the finished joints and frames of m, with the rows that planar motion
// keeps anyway left out (model_loop.c).
Status raw_build_loops(Model *m, RawRobot *r, Error *err);

// Whether the mass matrix of the finished model can be inverted: no massless leaf, no coordinate
// without inertia. r says where things stand in the file.
Status model_check(const Model *m, const RawRobot *r, Error *err);

// The joint whose acceleration costs no force at a general posture (a pivot of M is zero), by the
// articulated-body recursion; -1 if there is none. *ok is false when out of memory.
int model_singular_joint(const Model *m, bool *ok);

#endif
