// SPDX-License-Identifier: MIT
// The closed configuration next to a given one, and the rank of its constraints. Distances are those of
// the mass matrix at the start, |dq|^2 = dq^T M dq: what is heavy moves least.
//
// Closing is Newton's method in that metric, damped as Levenberg and Marquardt do, so that dependent
// constraints do no harm: dq = M^-1 J^T w, (J M^-1 J^T + mu) w = -phi. Then it slides along the closed
// configurations towards the start as long as that brings it nearer.
#ifndef POISE_DYNAMICS_LOOP_ASSEMBLE_H
#define POISE_DYNAMICS_LOOP_ASSEMBLE_H

#include "dynamics/loop_eval.h"

typedef struct LoopAssembly {
  bool closed;       // |phi| below the tolerance everywhere
  int iterations;    // Newton steps in all
  double violation;  // largest |phi| that is left [m, or sine of an angle]
  int worst;         // row of it
  double moved;      // root mean square displacement of the mass, sqrt(dq^T M dq / mass) [m]
  int joint;         // joint that changed most
  double change;     // by how much [rad | m]
} LoopAssembly;

extern const double loop_closed_tolerance;  // 1e-10
extern const double
    loop_rank_tolerance;  // 1e-8, of the largest pivot, rows of length 1 in the metric

// Moves q (nv) to a closed configuration; q is the best one found if there is none. STATUS_NUMERIC if
// the mass matrix is singular at the start.
Status loop_assemble(const LoopEval *e, double *q, LoopAssembly *out, Error *err);

// The same as if one loop were not there (-1: all are).
Status loop_assemble_without(const LoopEval *e, int loop, double *q, LoopAssembly *out, Error *err);

// Dependencies of the constraints at q.
typedef struct LoopRank {
  int rank;        //
  int dependent;   // a row that follows from others; -1 if all are independent
  bool no_effect;  // nothing moves it at all
  double *
      coefficient;  // n_row, the others' share in it (rows of length 1); 0 of those it doesn't need
} LoopRank;

// `coefficient` comes from the arena. STATUS_NO_MEMORY, or STATUS_NUMERIC.
Status loop_rank(const LoopEval *e, const double *q, Arena *arena, LoopRank *out, Error *err);

#endif
