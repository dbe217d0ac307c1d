// SPDX-License-Identifier: MIT
// Every key of a task file, and of the trajectory in a result file, as tables: the readers validate
// from them and `poise explain` prints them. docs/task_format.md tells the same in prose.
#ifndef POISE_OCP_OCP_KEYS_H
#define POISE_OCP_OCP_KEYS_H

#include "base/json_keys.h"

extern const JsonKeys ocp_keys_task, ocp_keys_horizon, ocp_keys_start, ocp_keys_goal,
    ocp_keys_position, ocp_keys_cost, ocp_keys_tracking, ocp_keys_limits, ocp_keys_obstacle,
    ocp_keys_sphere, ocp_keys_half_space, ocp_keys_term, ocp_keys_guess, ocp_keys_strategy,
    ocp_keys_trajectory, ocp_keys_points;

// All of them, in the order of the file; n_ocp_keys tables.
extern const JsonKeys *const ocp_keys[];
extern const int n_ocp_keys;

#endif
