// SPDX-License-Identifier: MIT
// A robot as a model of MuJoCo, an independent engine: one body per joint, "b0", "b1", ...; loops of type
// spherical and revolute as connect, weld as weld.
#ifndef POISE_TESTS_MUJOCO_SUPPORT_H
#define POISE_TESTS_MUJOCO_SUPPORT_H

#include <mujoco/mujoco.h>

#include "model/model.h"

// Asserts; free with mj_deleteModel.
mjModel *mujoco_build(const Model *m);

#endif
