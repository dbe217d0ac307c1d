// SPDX-License-Identifier: MIT
// poise info of a robot with loops: what each method of constrained forward dynamics costs.
#ifndef POISE_CLI_INFO_LOOPS_H
#define POISE_CLI_INFO_LOOPS_H

#include "cli/options.h"
#include "model/model.h"

Status info_loops(const Args *args, const Model *m, Error *err);

#endif
