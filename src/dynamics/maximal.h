// SPDX-License-Identifier: MIT
// Maximal coordinates: every body on its own, by the position p of its centre of mass in the world
// and a unit quaternion e, and every joint of the tree and every loop as constraints between two
// bodies (Tasora, "An optimized Lagrangian-multiplier approach for interactive multibody
// simulation"). Rotations are reduced from the four numbers of the quaternion to the three of the angular
// acceleration in body axes (eqs 33 to 35), so that the system for the accelerations is
//   [ M  C^T ] [ x'' ]   [ Q  ]      x'' = (p'', alpha) of each body, M constant:
//   [ C  0   ] [ mu  ] = [ Qc ]      mass and inertia about the centre of mass
// and the same matrix moves positions and velocities back to their constraints (eqs 36, 37). Its L D
// L^T (ldl.h) follows an order that fills little (kkt_order.h).
//
// Bodies are the model's bodies with mass. Joints in a row with massless bodies between them are one
// joint if slides come first and the turns after them share a point; others are refused by name,
// and so are rotor inertias, bodies without inertia about some axis, and actuators or dampers
// inside such a row.
#ifndef POISE_DYNAMICS_MAXIMAL_H
#define POISE_DYNAMICS_MAXIMAL_H

#include "dynamics/dyn_function.h"
#include "dynamics/ldl.h"
#include "dynamics/spatial.h"

// Numbers of the inputs of its functions.
enum { MAX_P, MAX_E, MAX_V, MAX_W, MAX_TAU, MAX_MU, MAX_GAIN };

enum { MAX_ROWS = 6 };  // constraints of one joint, at most

// Which constraints are regularized instead of solved for (srm.h): -J^T mu pushes the bodies, with
//   mu_s = mu_{s-1} + gain_0 c' + gain_1 c
typedef enum MaxSoft {
  MAX_SOFT_NONE,   // Tasora
  MAX_SOFT_LOOPS,  // Ascher and Lin, form (3.12)
  MAX_SOFT_ALL,    // form (3.10): the matrix is the block-diagonal M
} MaxSoft;

typedef struct MaxBody {
  int index;      // of the model's body
  double mass;    //
  double com[3];  // centre of mass in the model's body frame; its axes are kept
  double J[9];    // inertia about it
} MaxBody;

typedef struct MaxJoint {
  const char *name;   // of the model's last joint in the row, or of the loop
  int loop;           // index of the model's loop; -1: a joint of the tree
  int coordinate;     // of the model, if it is a single joint; else -1
  JointType type;     // of that single joint
  double damping;     // of that single joint
  int body[2];        // -1: world
  double pos[2][3];   // points from the centres of mass, in body axes
  double axes[9];     // of the rows of position, in the axes of body 0 or of the world
  bool world;         // the latter: rows across a plane in which everything moves
  double turn[2][9];  // frames of the rows of rotation
  unsigned rows;      // LOOP_X, ... of model.h
  double zz;          // what z0 . z1 has to be
  double distance;    // of LOOP_LENGTH
  int n_row, first;   // its constraints
  bool soft;          // regularized
  int row;            // where its rows start in the system, or its soft ones among those
} MaxJoint;

typedef struct Maximal {
  Arena *arena;     // owns everything below
  const Model *m;   // borrowed
  int n_body;       //
  MaxBody *body;    // n_body
  int *body_of;     // m->nv, body of the model's body, -1: massless
  int n_joint;      //
  MaxJoint *joint;  // n_joint
  int n_row;        // constraints
  int n_soft;       // of them, regularized
  int n;            // rows of the system: 6 n_body + n_row - n_soft
  ExprGraph *g;     // holds the expressions below
  int n_entry;      //
  LdlEntry *entry;  // n_entry, nonzeros of the lower triangle
  Expr *value;      // n_entry
  Expr *rhs;        // n, Q and Qc
  Expr *violation;  // n_row, constraints of position
  Expr *rate;       // n_row, their derivatives in time
  Expr *mu;         // n_soft, their new multipliers
  Expr *energy;     // 2: kinetic, potential
  Ldl ldl;          // its order
} Maximal;

// Keeps the model. On failure *out is NULL and err names the joint or body.
Status maximal_build(Maximal **out, const Model *m, MaxSoft soft, Error *err);
void maximal_free(Maximal *x);  // NULL-safe

// The functions use the graph of x, which must outlive them.

// (p, e, v, w, tau) -> "matrix" (n_entry values), "rhs" (n)
Status maximal_system_build(DynFunction **out, const Maximal *x, Error *err);

// (p, e, v, w) -> "violation", "rate" (n_row each), "energy" (2)
Status maximal_violation_build(DynFunction **out, const Maximal *x, Error *err);

// The whole of a step's algebra, traced: (p, e, v, w, tau, and with soft constraints mu (n_soft)
// and gain (2)) -> "acceleration" (6 n_body),
// "multiplier" (n_row), "position" and "velocity" (6 n_body each, the corrections of eqs 36 and 37).
// drop (n_row, may be NULL): redundant constraints, left out. steps: with the corrections.
Status maximal_solve_build(DynFunction **out, const Maximal *x, const bool *drop, bool steps,
                           Error *err);

// A state in maximal coordinates, from joint coordinates (nv each): p 3 n_body, e 4 n_body, v (in
// the world), w (in body axes) 3 n_body each. False when out of memory.
bool maximal_from_joints(const Maximal *x, const double *q, const double *qd, double *p, double *e,
                         double *v, double *w);

// The way back: q is improved from what it holds, so that angles are followed over full turns. Bodies
// that violate their constraints are met as well as joints allow. False where that can't be told.
bool maximal_to_joints(const Maximal *x, const double *p, const double *e, const double *v,
                       const double *w, double *q, double *qd);

// World position of a point fixed to the model's body `body` (with mass; -1: world) at pos in its
// frame.
void maximal_point(const Maximal *x, const double *p, const double *e, int body,
                   const double pos[3], double out[3]);

#endif
