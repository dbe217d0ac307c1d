// SPDX-License-Identifier: MIT
// The command line of one command, declared as a table: the parser, the help text and the messages
// all come from it. Accepted spellings: --name, --name=value, --name value, -n, -n value, -nvalue;
// "--" ends the options. Nothing here prints; main's side of it is command.h.
#ifndef POISE_CLI_OPTIONS_H
#define POISE_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"

enum { OPTIONS_MAX = 32 };  // options of one command

typedef struct Option {
  const char *name;     // long name without its dashes: "output"
  char letter;          // short name: 'o'; 0 if none
  const char *metavar;  // what the value is called in the help: "DIR"; NULL for a switch
  const char *help;     // one line, lower case, no full stop
} Option;

typedef struct Args Args;

// Everything about a command; each cmd_<name>.c defines one, main.c lists them.
typedef struct Command {
  const char *name;              // "check"
  const char *summary;           // one line for the list of commands
  const char *positional;        // arguments in order, "ROBOT.json"; "" if none
  int n_positional_min;          // how many of them there may be
  int n_positional_max;          //
  const Option *option;          // n_option
  int n_option;                  // at most OPTIONS_MAX; --help is understood without being listed
  const char *about;             // paragraphs for the help, each line at most 80 wide; may be NULL
  const char *example;           // command lines for the help, each line ends in \n
  int (*run)(const Args *args);  // returns an exit code of command.h
} Command;

// A parsed command line. Strings are borrowed from argv.
struct Args {
  const Command *command;          //
  bool help;                       // -h or --help was given: nothing else was checked
  int n_positional;                //
  const char *const *positional;   // n_positional
  const char *value[OPTIONS_MAX];  // by index of command->option: NULL if absent, "" for a switch
};

// Parses argv[0..argc), without program and command name, for `command`. Reorders argv: positional
// arguments move to the front. A mistake gives STATUS_INPUT and a message with an empty `where`.
Status options_parse(Args *out, const Command *command, int argc, char **argv, Error *err);

// The value of an option by its long name, which must be in the table: NULL if it was not given.
const char *options_value(const Args *args, const char *name);
bool options_has(const Args *args, const char *name);

// The same as a number within [lower, upper]; *out is left alone if the option was not given.
Status options_int(const Args *args, const char *name, int lower, int upper, int *out, Error *err);
Status options_double(const Args *args, const char *name, double lower, double upper, double *out,
                      Error *err);

#endif
