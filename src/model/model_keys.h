// SPDX-License-Identifier: MIT
// Every key of a robot file, as tables: the reader validates from them and `poise explain` prints
// them. docs/robot_format.md tells the same in prose.
#ifndef POISE_MODEL_MODEL_KEYS_H
#define POISE_MODEL_MODEL_KEYS_H

#include "base/json_keys.h"

extern const JsonKeys model_keys_robot, model_keys_body, model_keys_inertia, model_keys_joint,
    model_keys_origin, model_keys_limits, model_keys_frame, model_keys_loop, model_keys_loop_frame;

// All of them, in the order of the file; n_model_keys tables.
extern const JsonKeys *const model_keys[];
extern const int n_model_keys;

#endif
