// SPDX-License-Identifier: MIT
// The commands, one cmd_<name>.c each.
#ifndef POISE_CLI_COMMANDS_H
#define POISE_CLI_COMMANDS_H

#include "cli/options.h"

extern const Command cmd_compare, cmd_plot;
extern const Command cmd_explain, cmd_show, cmd_simulate, cmd_template;
extern const Command cmd_check, cmd_dynamics, cmd_info, cmd_codegen, cmd_solve;
extern const Command cmd_sweep, cmd_merge;
extern const Command cmd_assemble, cmd_study;

#endif
