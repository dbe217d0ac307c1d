// SPDX-License-Identifier: MIT
// Everything about a task that can be known before solving it: start and goal as postures, what they
// take to hold, whether the goal can be reached at all, and the balance of equations and unknowns.
//
// Two kinds of doubt are kept apart. A goal farther from the base than its chain is long, or more
// equations than unknowns, is certain; a posture that inverse kinematics did not find from many
// postures to begin with is as good as certain. Both are hopeless. All else is at most worth a note.
#ifndef POISE_CLI_TASK_CHECK_H
#define POISE_CLI_TASK_CHECK_H

#include "base/arena.h"
#include "ocp/ocp.h"
#include "ocp/posture.h"

typedef enum FindingLevel { FINDING_GOOD, FINDING_NOTE, FINDING_HOPELESS } FindingLevel;

typedef struct Finding {
  FindingLevel level;  //
  const char *about;   // "start", "goal" or "problem"
  char text[240];      // one line, lower case
} Finding;

enum { MAX_FINDINGS = 24 };

typedef struct TaskCheck {
  Arena *arena;             // owns the arrays
  const Ocp *o;             // borrowed
  bool start_rests;         // all velocities are 0
  double start_passive;     // largest force that passive joints would need to stay
  double *hold_start;       // nv, forces that hold the start posture
  double reach;             // of the chain from its base to the goal's frame [m]; NAN: no frame
  double goal_distance;     // of the goal from that base, components asked for [m]
  bool has_goal_posture;    // the three below mean something
  double *q_goal;           // nv, a posture that meets the goal as well as was found
  PostureInfo goal;         // how well it does
  double *hold_goal;        // nv, forces that hold it
  int n_try;                // postures that the search began from
  int n_variable, n_fixed;  // of the nonlinear program
  int n_equality, n_inequality;   //
  Finding finding[MAX_FINDINGS];  // n_finding, by what they are about
  int n_finding;                  //
} TaskCheck;

// Keeps o (borrowed). On failure *out is NULL; a hopeless task is no failure.
Status task_check_build(TaskCheck **out, const Ocp *o, Error *err);
void task_check_free(TaskCheck *c);  // NULL-safe

bool task_check_hopeless(const TaskCheck *c);

// Prints it for people, or as JSON.
void task_check_print_text(const TaskCheck *c);
Status task_check_print_json(const TaskCheck *c, Error *err);

// How far a force is outside of its actuator's limits; 0 within. k: actuator.
double task_check_excess(const Ocp *o, int k, double force);

#endif
