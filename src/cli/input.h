// SPDX-License-Identifier: MIT
// A file named on the command line that may be a robot, a task or a result: what it is is decided by
// its top-level keys, never by its name. The file is read once, so that a pipe will do.
#ifndef POISE_CLI_INPUT_H
#define POISE_CLI_INPUT_H

#include "base/json_at.h"
#include "ocp/ocp.h"

typedef enum InputKind {
  INPUT_OTHER,   // none of the below
  INPUT_ROBOT,   // has "bodies" or "joints"
  INPUT_TASK,    // has "robot"
  INPUT_RESULT,  // has "trajectory"
  INPUT_SWEEP,   // has "axes"
} InputKind;

// What the root of a document looks like.
InputKind input_kind(const JsonAt *root);

// What the file should have been, for the message of one that is not: "a result file, not a task: ...".
// Fills err (STATUS_INPUT).
Status input_refuse(const char *path, InputKind kind, const char *wanted, Error *err);

// A robot or a task: one of the two is set, the other is NULL.
typedef struct Input {
  Model *model;  // owned; NULL for a task
  Ocp *task;     // owned; NULL for a robot
} Input;

// Reads and checks a robot or a task file. On failure both are NULL.
Status input_load(Input *out, const char *path, Error *err);
void input_free(Input *in);  // NULL members are fine

#endif
