// SPDX-License-Identifier: MIT
// The robot: a tree of bodies joined by one-coordinate joints, as flat arrays in depth-first order
// (siblings as in the file), so that parent[i] < i. Fixed joints are merged into their parent's
// body, joints with several coordinates (floating, spherical, planar) are expanded into chains of
// simple ones: coordinate i, joint i and the body moved by it share one index.
//
// Conventions are URDF's: SI units, radians; the frame of a joint is the frame of its child body;
// rpy are rotations about the fixed axes x, y, z (R = Rz Ry Rx). Placement of body i in its parent:
//   revolute:   R = rot[i] Rot(axis[i], q_i),  p = pos[i]
//   prismatic:  R = rot[i],                    p = pos[i] + rot[i] axis[i] q_i
// Matrices are 3x3, column-major. docs/robot_format.md describes the file.
#ifndef POISE_MODEL_MODEL_H
#define POISE_MODEL_MODEL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

typedef enum JointType { JOINT_REVOLUTE, JOINT_PRISMATIC } JointType;

typedef struct ModelJoint {
  const char *name;    // "q1"; chains: "base.x", "base.rz", ...
  int parent;          // index of the parent joint and body; -1 is the world
  JointType type;      // continuous is revolute without position limits
  double axis[3];      // unit vector in the joint frame
  double pos[3];       // origin of the joint frame in the parent body's frame [m]
  double rot[9];       // orientation of the joint frame in the parent body's frame
  bool actuated;       // has an actuator
  double lower;        // position limits [rad | m]; -INFINITY, INFINITY if none
  double upper;        //
  double velocity;     // largest speed [rad/s | m/s]; INFINITY if none
  double effort;       // largest torque or force [N m | N]; INFINITY if none
  double effort_rate;  // largest rate of change of it [N m/s | N/s]; INFINITY if none
  double damping;      // viscous, force = -damping v [N m s/rad | N s/m]
  double armature;     // rotor inertia as seen at the joint [kg m^2 | kg]
} ModelJoint;

typedef struct ModelBody {
  const char *name;   // body of the file that the joint moves; NULL inside a chain
  double mass;        // with everything fixed to it [kg]
  double com[3];      // centre of mass in the body frame [m]; 0 if massless
  double inertia[9];  // about the centre of mass, in the axes of the body frame [kg m^2]
} ModelBody;

typedef struct ModelFrame {
  const char *name;  // frames of the file, then every body of the file by its name
  int body;          // index of the body that carries it; -1 is the world
  double pos[3];     // in that body's frame [m]
  double rot[9];     //
} ModelFrame;

typedef enum LoopType {
  LOOP_REVOLUTE,   // common origin, z axes of the two frames along each other
  LOOP_SPHERICAL,  // common origin
  LOOP_UNIVERSAL,  // common origin, z axes of the two frames perpendicular
  LOOP_PRISMATIC,  // same axes, second origin somewhere on the z axis of the first frame
  LOOP_WELD,       // same origin and axes
  LOOP_DISTANCE,   // origins a fixed distance apart
  N_LOOP_TYPES
} LoopType;

// Rows of a loop's constraints, bits of ModelLoop.rows: the second frame as seen in the first.
enum {
  LOOP_X = 1,         // position along the axes of the first frame
  LOOP_Y = 2,         //
  LOOP_Z = 4,         //
  LOOP_RX = 8,        // -(y0 . z1): turned about x
  LOOP_RY = 16,       // x0 . z1: turned about y
  LOOP_RZ = 32,       // y0 . x1: turned about z
  LOOP_ZZ = 64,       // z0 . z1, of universal joints
  LOOP_LENGTH = 128,  // (|p|^2 - distance^2) / 2
  N_LOOP_ROWS = 8
};

// A joint that closes a loop: cut, and put back as constraints between frames on two bodies.
typedef struct ModelLoop {
  const char *name;  //
  LoopType type;     //
  int body[2];       // the bodies it joins; -1 is the world
  double pos[2][3];  // origins of its two frames in those bodies [m]
  double rot[2][9];  // their axes
  double distance;   // of LOOP_DISTANCE [m], > 0
  unsigned rows;     // LOOP_X, ...: its constraints, fewer than its type has where motion is planar
                     // or where the file says so
  const char *where;  // its place in the file, for messages
} ModelLoop;

typedef struct ModelPose {
  const char *name;  // "start"
  double *q;         // nv, joints not named in the file are 0
} ModelPose;

typedef struct Model {
  Arena *arena;       // owns everything below
  const char *name;   // "arm_pendulum"
  const char *path;   // file it came from, for messages
  double gravity[3];  // in the world frame [m/s^2]
  int nv;             // coordinates = moving joints = moving bodies
  ModelJoint *joint;  // nv
  ModelBody *body;    // nv
  int nu;             // actuated joints
  int *u_joint;       // nu, joint driven by actuator k, ascending
  bool planar;        // all bodies move in planes with this normal, checked
  double normal[3];   // unit vector in the world frame
  int n_loop;         //
  ModelLoop *loop;    // n_loop
  int n_frame;        //
  ModelFrame *frame;  // n_frame
  int n_pose;         //
  ModelPose *pose;    // n_pose
  int n_note;         // things worth telling the user, not errors
  const char **note;  // n_note, each "where: what"
} Model;

// Reads and checks a robot file (JSON). On failure *out is NULL and err names file, path, value, rule.
Status model_load(Model **out, const char *path, Error *err);

// The same from text in memory; `name` stands for the file in messages.
Status model_parse(Model **out, const char *text, const char *name, Error *err);

// Writes the file that m was loaded from again to `path`, with one of its poses replaced or added.
// q: nv.
Status model_save_pose(const Model *m, const char *name, const double *q, const char *path,
                       Error *err);

// Index of a joint or frame by its name; -1 if there is none.
int model_find_joint(const Model *m, const char *name);
int model_find_frame(const Model *m, const char *name);

// The configuration that a robot starts from: pose "start", else the first pose, else NULL, which
// stands for all zero.
const double *model_start(const Model *m);

// Constraints of a loop, and of all loops; "revolute".
int model_loop_rows(const ModelLoop *loop);
int model_n_rows(const Model *m);
const char *model_loop_type(LoopType type);
unsigned model_loop_all_rows(LoopType type);  // of an unrestricted loop
const char *model_row_name(unsigned row);     // "rx" for LOOP_RX

// For what knows trees only: STATUS_INPUT naming the first loop, if there is one. `what`: "codegen".
Status model_require_tree(const Model *m, const char *what, Error *err);

// Sum of the masses that move [kg].
double model_mass(const Model *m);

// NULL-safe.
void model_free(Model *m);

#endif
