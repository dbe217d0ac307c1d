// SPDX-License-Identifier: MIT
// The dependent coordinates of one loop, chosen on numbers: the projections of Anderson and
// Critchley's equations 44 and 45, carried out on the rows of the cut joint.
#ifndef POISE_DYNAMICS_RCR_CHOICE_H
#define POISE_DYNAMICS_RCR_CHOICE_H

#include <stdbool.h>

enum { RCR_MAX_ROWS = 6 };

// The two ways from the base body to the cut joint.
typedef struct RcrWay {
  int base;        // body; -1 is the world
  int n[2];        // joints on the way to ModelLoop.body[side]
  int *joint[2];   // from the base outwards
  int row, n_row;  // its rows of the Jacobian
} RcrWay;

typedef enum RcrReason {
  RCR_CHOSEN,
  RCR_NEAR,       // the configuration is nearly singular for the best choice
  RCR_REDUNDANT,  // its rows depend on each other: fewer dependent coordinates than rows
  RCR_OVERRULED,  // the same, and its rows also restrict what is already settled
} RcrReason;

typedef struct RcrChoice {
  RcrReason reason;
  int n_head, n_tail;                        // joints of head and tail behind p and s
  int n_dep;                                 // dependent ones, never more than rows
  int dep[RCR_MAX_ROWS];                     // n_dep, joints in the order of elimination
  int joint;                                 // the one with the smallest pivot
  double pivot;                              // smallest relative pivot
  double left[RCR_MAX_ROWS * RCR_MAX_ROWS];  // projector on what is left of the rows
  double h[RCR_MAX_ROWS][RCR_MAX_ROWS];      // n_dep x rows: column of dep[i] when its turn came
  double delta[RCR_MAX_ROWS];                // n_dep, column times h
} RcrChoice;

// As few joints behind p and s as there are rows, of the tail first; more where that gives clearly
// better pivots.
// J: n_row_all x nv. known: joints whose rates are settled already.
void rcr_choose(RcrChoice *c, const RcrWay *w, int head, const bool *known, int n_row_all,
                const double *J);

// Rates of the dependent joints that close the loop when the others make y (rows) of it (47).
void rcr_close(const RcrChoice *c, const RcrWay *w, int n_row_all, const double *J, double *y,
               double *rate);

#endif
