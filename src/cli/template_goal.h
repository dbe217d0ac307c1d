// SPDX-License-Identifier: MIT
// A start and a modest goal for a robot about which nothing is known but its file: what
// `poise template` puts into the task.
#ifndef POISE_CLI_TEMPLATE_GOAL_H
#define POISE_CLI_TEMPLATE_GOAL_H

#include "base/arena.h"
#include "model/model.h"

typedef struct TemplateGoal {
  Arena *arena;     // owns the arrays
  int pose;         // the start, by its pose in the model; -1: q_start says it
  double *q_start;  // nv, within the limits
  bool *balanced;   // nv, passive joints of q_start that were moved off the pose to where they stay
  bool stays;       // the goal can be an equilibrium
  int frame;        // that is moved; -1: joints are
  bool fixed[3];    // components of its position that the actuators can choose
  double position[3];  // goal of these [m]
  double *q_goal;      // nv, a posture there; for frame -1: the goal of the actuated joints
} TemplateGoal;

// The start is the pose "start", else the first pose that is an equilibrium, else the first one, else
// zero; passive joints are balanced where that is possible. The goal is where a frame comes to when the actuated joints move a little, with the passive
// ones balanced. On failure *out is NULL.
Status template_goal_build(TemplateGoal **out, Model *m, Error *err);
void template_goal_free(TemplateGoal *t);  // NULL-safe

#endif
