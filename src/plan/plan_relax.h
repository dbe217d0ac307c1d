// SPDX-License-Identifier: MIT
// Shared by plan_relax.c, which solves the relaxed problem, and plan_relax_tell.c, which puts it in words.
#ifndef POISE_PLAN_PLAN_RELAX_H
#define POISE_PLAN_PLAN_RELAX_H

#include "plan/plan_internal.h"

enum { MAX_SOFT = 512 };

// A condition that may give, with one slack for all times.
typedef struct Soft {
  CollocItem item;  // what it is about; its time says nothing
  bool upper;       // side
  double bound;     // of a limit, in its own unit
  double scale;     // of its price
} Soft;

// A row in which it stands: row + coef slack.
typedef struct SoftUse {
  int row;      // of the relaxed program
  int soft;     // < 0: in place of a slack stands the excess -1 - soft
  double coef;  // < 0: upper side
} SoftUse;

// A new row: the value of a variable, plus slacks, with one finite bound.
typedef struct SoftRow {
  int var;      // of the problem; < 0: the excess -1 - var
  double time;  // [s] of what it limits
  int stage;    //
  double lower, upper;
} SoftRow;

typedef struct Relaxed {
  const Nlp *of;   // the problem
  Nlp nlp;         // the relaxed one: its variables, slacks, excesses; its rows, then new ones
  double own;      // factor of the problem's own cost
  bool stopped;    // interrupted
  int n_soft;      //
  Soft *soft;      // n_soft
  int n_use;       //
  SoftUse *use;    // n_use
  int n_bound;     //
  int *bound;      // n_bound, variables whose bounds became rows
  int n_excess;    //
  int *excess;     // n_excess, rows with two sides: row - excess within its bounds, the excess soft
  int n_extra;     //
  SoftRow *extra;  // n_extra, new rows
} Relaxed;

// Says which conditions give in the solution (x_start of the relaxed program), by how much and when; scratch
// from the arena. Returns how many.
int plan_relax_tell(Run *run, const Relaxed *r, Arena *arena, bool limits);

#endif
