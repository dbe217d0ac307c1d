// SPDX-License-Identifier: MIT
// Composite rigid body algorithm: the mass matrix M(q). Walker and Orin 1982; Featherstone 2008,
// ch. 6. And its factorisation on the tree, M = L^T D L: eliminated from the leaves to the root it has
// no fill-in, an entry (i, j) exists only if j is an ancestor of i (Featherstone 2005; ch. 8).
#ifndef POISE_DYNAMICS_CRBA_H
#define POISE_DYNAMICS_CRBA_H

#include "dynamics/kinematics.h"

// mass: n x n, column-major, lower triangle (i >= j; zero unless j is an ancestor of i), armatures
// included. False when out of memory.
bool crba_build(ExprGraph *g, const Model *m, const DynTree *t, const KinBody *body, Expr *mass);

// In place: M = L^T D L with unit lower triangular L. Afterwards the strict lower triangle holds
// L and d_inv (n) the inverses of D.
void crba_factor(ExprGraph *g, const Model *m, const DynTree *t, Expr *mass, Expr *d_inv);

// x := M^-1 x with the factors
void crba_solve(ExprGraph *g, const DynTree *t, const Expr *factor, const Expr *d_inv, Expr *x);

#endif
