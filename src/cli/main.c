// SPDX-License-Identifier: MIT
#include "cli/command.h"
#include "cli/commands.h"

static const Command *const commands[] = {
    &cmd_solve,    &cmd_sweep, &cmd_merge,    &cmd_compare, &cmd_plot,
    &cmd_simulate, &cmd_check, &cmd_template, &cmd_explain, &cmd_show,
    &cmd_dynamics, &cmd_info,  &cmd_codegen,  &cmd_study,   &cmd_assemble,
};

int main(int argc, char **argv) {
  return command_main(commands, sizeof commands / sizeof commands[0], argc, argv);
}
