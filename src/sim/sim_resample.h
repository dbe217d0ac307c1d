// SPDX-License-Identifier: MIT
// A motion on a finer grid, as the robot would move: where an interval was split, its parts are filled by
// a replay from its first node, accelerations included, so that the dynamics holds at the new points.
#ifndef POISE_SIM_SIM_RESAMPLE_H
#define POISE_SIM_SIM_RESAMPLE_H

#include "ocp/trajectory.h"

// `to` holds the same motion, resampled by its polynomials (guess_from), on a grid that has all nodes of
// `from`, in the same time. Intervals that are not split stay as they are, and so does one whose replay
// fails.
Status sim_resample(Trajectory *to, const Model *m, const Trajectory *from, Error *err);

#endif
