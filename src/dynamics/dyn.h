// SPDX-License-Identifier: MIT
// The dynamics of a robot in one of several formulations, as differentiable functions.
//
// With Phi(q, v, a) the inverse dynamics, M the mass matrix, c the bias, d the damping and B u the
// actuator forces, the residual at one collocation point is (Docquier, Bruls, Fisette, section 3)
//   IMPL      Phi(q, v, a) + d v - B u                 recursive Newton-Euler           DAE
//   SEMI      M(q) a + c(q, v) + d v - B u             composite bodies + Newton-Euler  DAE
//   EXPi-A    a - xi(q, v, u)                          i = 1: tree factorisation of M   DAE
//   EXPi-O    xi(q, v, u), the acceleration itself     i = 2: articulated bodies        ODE
// where the DAE forms have the accelerations among the unknowns of the point.
#ifndef POISE_DYNAMICS_DYN_H
#define POISE_DYNAMICS_DYN_H

#include "dynamics/kinematics.h"
#include "expr/expr_function.h"
#include "model/model.h"

// Numbers of the inputs in every graph that this folder builds.
enum { DYN_Q, DYN_V, DYN_A, DYN_U, DYN_LAMBDA, DYN_TAU };

// A graph with the robot placed in it: what the algorithms are traced on.
typedef struct DynTrace {
  Arena *arena;     // owns the arrays below
  ExprGraph *g;     // borrowed
  const Model *m;   // borrowed
  DynTree tree;     //
  KinBody *body;    // nv, placements at q
  Expr *q, *v, *a;  // nv, inputs
  Expr *tau;        // nv, input: all joint forces
  Expr *u;          // nu, input: actuator forces
  Expr *lambda;     // nv, input: multipliers
} DynTrace;

// Inputs and placements for a model. False when out of memory; then free is still allowed.
bool dyn_trace_build(DynTrace *tr, ExprGraph *g, const Model *m);
void dyn_trace_free(DynTrace *tr);

// Applied joint forces B u, nv.
void dyn_actuator_forces(const DynTrace *tr, Expr *force);

typedef struct DynForm {
  const char *name;    // as written in files: "IMPL", "EXP1-O", ...
  const char *family;  // the algorithm: "IMPL", "SEMI", "EXP1", "EXP2"
  const char *title;   // one line for people
  const char *terms;   // what the count of the dynamic terms is about: "Phi(q, v, a)"
  bool explicit_form;  // gives accelerations of forces; else forces of accelerations
  bool algebraic;      // DAE: accelerations are unknowns of the point
  // Joint forces needed for accelerations x, or accelerations under joint forces x (damping and
  // armature included). x, y: nv. False when out of memory.
  bool (*map)(const DynTrace *tr, const Expr *x, Expr *y);
  // Only where the counted terms are not map itself: appends them to `out` and returns how many.
  int (*parts)(const DynTrace *tr, Expr *out);
} DynForm;

extern const DynForm dyn_implicit, dyn_semi, dyn_exp1_ode, dyn_exp1_dae, dyn_exp2_ode, dyn_exp2_dae;

// All of them, in the order of the paper; NULL-terminated.
extern const DynForm *const dyn_forms[];

// By name, upper or lower case; "EXP1" and "EXP2" stand for the ODE forms. NULL if unknown.
const DynForm *dyn_form_find(const char *name);

// M a = x solved by the factorised mass matrix, x := a, with derivatives in mind: the factors are built
// once per trace by dyn_mass_factor. factor: nv x nv, d_inv: nv.
bool dyn_mass_factor(const DynTrace *tr, Expr *factor, Expr *d_inv);

#endif
