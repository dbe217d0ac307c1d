// SPDX-License-Identifier: MIT
// Numbers of a robot with loops: constraints, their Jacobian, and the mass matrix. For checks,
// assembling and simulation; not for hot loops over many points, which have tapes of their own.
#ifndef POISE_DYNAMICS_LOOP_EVAL_H
#define POISE_DYNAMICS_LOOP_EVAL_H

#include "dynamics/loops.h"
#include "expr/expr_tape.h"

typedef struct LoopEval {
  Arena *arena;       // owns everything below but the model
  const Model *m;     // borrowed
  int nv, n_row;      //
  int nnz;            // of the Jacobian
  int *colptr, *row;  // nv + 1, nnz: its pattern
  ExprTape *loops;    // (q, v) -> phi, rate, gamma, jacobian, facing
  ExprTape *mass;     // (q) -> mass matrix, lower triangle on the pattern below
  int mass_nnz;       //
  int *mass_at;       // mass_nnz, i + nv * j of each value
  double *value;      // scratch: the larger of nnz and mass_nnz
  double *zero;       // nv zeros
  void *work;         // scratch of the tapes
} LoopEval;

// The model must outlive it. On failure *out is NULL.
Status loop_eval_build(LoopEval **out, const Model *m, Error *err);
void loop_eval_free(LoopEval *e);  // NULL-safe

// phi, rate = J v, gamma (n_row each) and J (n_row x nv, dense); each may be NULL, and so may v, which
// then is zero. False if a value is NaN or infinite. Allocates nothing.
bool loop_eval(const LoopEval *e, const double *q, const double *v, double *phi, double *rate,
               double *gamma, double *J);

// z0 . z1 and x0 . x1 of the two frames of every loop, 2 n_loop.
bool loop_eval_facing(const LoopEval *e, const double *q, double *facing);

// Mass matrix, nv x nv, both triangles.
bool loop_eval_mass(const LoopEval *e, const double *q, double *M);

#endif
