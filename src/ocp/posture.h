// SPDX-License-Identifier: MIT
// A posture that meets the goal of a task: inverse kinematics by damped least squares (Levenberg
// and Marquardt; Wampler 1986), from a given posture, within the position limits. Joints that the
// goal fixes are put there; the frame is moved to its position; and if the goal asks for rest in
// equilibrium, passive joints are brought to where gravity leaves them in peace.
#ifndef POISE_OCP_POSTURE_H
#define POISE_OCP_POSTURE_H

#include "ocp/ocp.h"
#include "ocp/robot_eval.h"

typedef struct PostureInfo {
  double distance;  // of the frame from its goal, components that are asked for [m]; 0 if none
  double passive;  // largest force that passive joints would need to stay [N m | N]; 0 if not asked
  int iterations;  //
} PostureInfo;

// q: nv, where to begin, and the best posture found. A goal out of reach is no failure: info says
// how far off it is. Fails when out of memory.
Status posture_goal(const Ocp *o, const RobotEval *e, double *q, PostureInfo *info, Error *err);

#endif
