// SPDX-License-Identifier: MIT
// Mechanisms of poise study anderson. The paper gives no dimensions, masses nor start: these are ours.
#ifndef POISE_CLI_STUDY_ANDERSON_H
#define POISE_CLI_STUDY_ANDERSON_H

#include "model/model.h"

// Bars of 1, 2 and 1.5 m and 1 kg, ground 2 m, hanging, the crank 0.8 rad below the x axis; angles
// rounded to nine decimals, so that the loop is closed to about 1e-9 m as the paper's is.
Status anderson_four_bar(Model **out, Error *err);

// Three legs of two bars of 0.4 m and 0.5 kg from the ground to one point, in a horizontal plane: two
// degrees of freedom and four loop constraints, closed to rounding.
Status anderson_five_bar(Model **out, Error *err);

// The pendulum that every ladder of model/mechanism_gen.h moves like, in closed form:
// x = (q1, q2, q1', q2') -> x', with q1 and q2 the first two coordinates of the ladder.
void anderson_pendulum(const double *x, double *dx);

#endif
