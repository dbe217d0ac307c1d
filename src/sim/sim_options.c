// SPDX-License-Identifier: MIT
#include "sim/sim_options.h"

#include <stddef.h>

const SimOptions sim_defaults = {
    .method = SIM_ADAMS,
    .rel_tol = 1e-10,
    .abs_tol = 1e-12,
    .max_steps = 1000000,
    .largest = 1e12,
    .form = NULL,
    .n_sample = 8,
    .defect_tol = 1e-6,
    .start_tol = 1e-6,
    .goal_tol = 1e-6,
    .acceleration_tol = 1e-3,
    .limit_tol = 1e-3,
    .effort_tol = 1e-6,
    .energy_tol = 1e-3,
};
