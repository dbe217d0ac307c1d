// SPDX-License-Identifier: MIT
// For the tests of src/dynamics: robots to test on, random states, numbers out of traced
// expressions, and small dense algebra. Everything asserts: a test that cannot get its robot fails.
#ifndef POISE_TESTS_DYN_SUPPORT_H
#define POISE_TESTS_DYN_SUPPORT_H

#include "base/rng.h"
#include "dynamics/dyn.h"
#include "expr/expr_tape.h"

enum { MAX_NV = 48, MAX_ROBOTS = 32 };

// Numbers for the inputs DYN_Q .. DYN_TAU.
typedef struct State {
  double q[MAX_NV], v[MAX_NV], a[MAX_NV], u[MAX_NV], lambda[MAX_NV], tau[MAX_NV];
} State;

// Angles in +-pi, distances in +-0.5 m, speeds in +-2, accelerations in +-5, forces in +-10.
void state_random(State *s, const Model *m, Rng *rng);

// All robots of configs/robots, sorted by name; how many.
int robots_load(Model *robot[MAX_ROBOTS]);
void robots_free(int n, Model **robot);

// A random tree: prismatic joints, general axes, rotated origins, damping and armature, and for
// some seeds massless bodies and bodies without damping and armature.
Model *tree_random(int n_joint, uint64_t seed);

// Chains by kind: 0 planar, 1 axes y and z in turn, 2 general axes, 3 general with prismatic
// joints.
enum { CHAIN_KINDS = 4 };
Model *chain_build(int n_joint, int kind);

Model *robot_parse(const char *text);  // ' stands for "

// A graph with a robot traced in it.
typedef struct Trace {
  ExprGraph *g;
  DynTrace tr;
} Trace;
void trace_open(Trace *t, const Model *m);
void trace_close(Trace *t);

// Expressions of the inputs DYN_Q .. DYN_TAU made ready to run.
typedef struct Numbers {
  Arena *arena;
  ExprTape *tape;
  void *work;
  int n_out;
} Numbers;
Numbers numbers_open(const ExprGraph *g, int n_out, const Expr *out);
void numbers_eval(const Numbers *f, int n_point, const State *s, double *y);  // y: n_out x n_point
void numbers_close(Numbers *f);

// Largest difference, over the largest magnitude of the expected.
double max_abs(int n, const double *x);
double error_relative(int n, const double *expected, const double *actual);

// Symmetric positive definite, column-major, lower triangle: in place M = C C^T. False if it is
// not.
bool cholesky(int n, double *m);
void cholesky_solve(int n, const double *c, double *x);
double cholesky_condition(int n, const double *m, const double *c);  // |M| |M^-1|, row sums

// Mass matrix of a state, symmetric, both triangles.
void mass_fill(int n, double *mass);

#endif
