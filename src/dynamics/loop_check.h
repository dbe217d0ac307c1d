// SPDX-License-Identifier: MIT
// Are the loops of a robot closed where it starts, and are their constraints independent there? What is
// wrong is told in terms of the robot: which loop, which constraint, why.
#ifndef POISE_DYNAMICS_LOOP_CHECK_H
#define POISE_DYNAMICS_LOOP_CHECK_H

#include "dynamics/loop_assemble.h"

typedef enum LoopState {
  LOOP_FINE,
  LOOP_OPEN,           // not closed at the start, but can be: poise assemble
  LOOP_OPPOSED,        // closed with an axis the wrong way round
  LOOP_CONTRADICTORY,  // no configuration near the start closes all loops
  LOOP_REDUNDANT,      // constraints follow from others, here and nearby
  LOOP_RIGID,          // independent, but nothing can move any more
  LOOP_SINGULAR,       // they do so at the start only: a singular configuration
} LoopState;

typedef struct LoopReport {
  LoopState state;   //
  int loop;          // the loop that is named; -1 if all is fine
  int n_row, rank;   // constraints, and independent ones at the start
  int dof;           // nv - rank
  double violation;  // largest |phi| at the start
  char text[400];    // what is wrong: 'loop "b": ...'; empty if nothing is
} LoopReport;

// At the start configuration (model_start). STATUS_NO_MEMORY or STATUS_NUMERIC only: what is wrong with
// the loops is in the report.
Status loop_check(LoopReport *out, const Model *m, Error *err);

// The report of something wrong as an error at the place of the loop; returns STATUS_INPUT.
Status loop_fail(const LoopReport *report, const Model *m, Error *err);

// The same for those who go on only if all is well: STATUS_INPUT at the place of the loop, unless it is
// fine (or singular, if singular configurations can be dealt with).
Status loop_require(const Model *m, bool singular_allowed, Error *err);

#endif
