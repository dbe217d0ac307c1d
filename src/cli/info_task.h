// SPDX-License-Identifier: MIT
// The part of `poise info` that is about tasks: size and cost of the nonlinear program.
#ifndef POISE_CLI_INFO_TASK_H
#define POISE_CLI_INFO_TASK_H

#include "cli/options.h"
#include "ocp/ocp.h"

// Transcribes the task, with --formulation and --layout over its own, and prints what came out.
Status info_task(const Args *args, Ocp *o, Error *err);

#endif
