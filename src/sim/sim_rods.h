// SPDX-License-Identifier: MIT
// Chains and nets of uniform rods in the coordinates of Ascher and Lin, section 4: rod j by its tip x_j
// and the vector r_j from its base to its tip, in a plane or in space, so that
//   M_j = m [ 1  -1/2 ; -1/2  1/3 ],   x_j - r_j = x_father   (or a fixed point),   r_j . r_j = l^2,
// and loops close where tips meet: D p = 0 with constant D. The constraints of the tree are taken at the
// level of accelerations and drift as they please; loops are regularized:
//   form (3.12)  the tree's system is solved in order n (sparse L D L^T from the leaves to the root)
//   form (3.10)  the tree's constraints are regularized as well; only M is inverted
// What a general mechanism does is in sim_srm.h and sim_maximal.h; this is for the paper's tables.
#ifndef POISE_SIM_SIM_RODS_H
#define POISE_SIM_SIM_RODS_H

#include "dynamics/ldl.h"
#include "sim/sim_step.h"

// A net as joints and rods between them. Joint 0 .. n_fixed - 1 do not move.
typedef struct RodNet {
  int dim;              // 2 or 3
  int n_fixed;          //
  int n_joint;          //
  const double *joint;  // dim x n_joint, where it starts
  int n_rod;            //
  const int (*rod)[2];  // n_rod: base and tip; a tip that a rod before has reached closes a loop
  double mass, length;  // of every rod
  double gravity;       // against the last coordinate [m/s^2]
} RodNet;

typedef struct RodOptions {
  bool all;               // form (3.10)
  int iterations;         //
  double eps;             //
  double alpha1, alpha2;  //
} RodOptions;

typedef struct SimRods {
  Arena *arena;           // owns the rest
  RodOptions opt;         //
  int dim, n, n_loop;     // rods, loops
  double mass, length;    //
  double gravity;         //
  int *father;            // n, rod whose tip is the base; -1: a fixed point
  double *base;           // dim x n, that point
  int (*loop)[2];         // n_loop: rod, and the rod whose tip it meets; -1: a fixed point
  double *meet;           // dim x n_loop, that point
  double *start;          // 2 dim x n: x, r
  int n_state;            // 4 dim n iterations: positions, then velocities, of each iterate
  int n_row;              // of the tree's system
  int n_entry;            //
  LdlEntry *entry;        // n_entry
  int *turns;             // n_entry, r coordinate whose double is the value, or -1: constant
  double *value;          // n_entry
  Ldl ldl;                //
  double *l, *d_inv, *y;  //
  double *rhs;            // n_row
  double *lambda;         // multipliers of regularized constraints: dim n_loop, and (dim + 1) n
  double *step_work;      //
} SimRods;

// Copies the net. On failure *out is NULL.
Status sim_rods_build(SimRods **out, const RodNet *net, const RodOptions *opt, Error *err);
void sim_rods_free(SimRods *s);  // NULL-safe

// All iterates at rest.
void sim_rods_start(const SimRods *s, double *state);

// One step; false if something is not finite.
bool sim_rods_step(SimRods *s, const SimScheme *scheme, double h, double *state);

// Largest drift of iterate k: distance between points that should meet [m], |r . r - l^2| of a rod.
typedef struct RodDrift {
  double loop, joint, length;
} RodDrift;
RodDrift sim_rods_drift(const SimRods *s, const double *state, int k);

#endif
