// SPDX-License-Identifier: MIT
// From main's table of commands to an exit code: finds the command, parses, prints help or version,
// runs it, and makes sure that what it printed has arrived. stdout is for data, stderr for the rest.
#ifndef POISE_CLI_COMMAND_H
#define POISE_CLI_COMMAND_H

#include <stdio.h>

#include "base/error.h"
#include "cli/options.h"

typedef enum ExitCode {
  EXIT_SOLVED = 0,      // did what was asked
  EXIT_NOT_SOLVED = 1,  // the input is fine, but there is no good answer
  EXIT_INPUT = 2,       // bad input or usage
  EXIT_INTERNAL = 3,    // out of memory, output lost: not the input's fault
} ExitCode;

// The whole program: argv as main gets it, `commands` in the order of the help.
int command_main(const Command *const *commands, int n_command, int argc, char **argv);

// Prints "poise: where: what" on stderr and returns the exit code for err->code.
int command_fail(const Error *err);

// Writes text that may come from a file: control characters are shown, not sent to the terminal.
void command_put_text(FILE *to, const char *text);

// Characters of UTF-8 text; and the text followed by blanks up to a width, for tables.
int command_text_width(const char *text);
void command_put_padded(FILE *to, const char *text, int width);

// Prints "poise: warning: ..." on stderr.
void command_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
