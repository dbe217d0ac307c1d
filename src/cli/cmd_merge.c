// SPDX-License-Identifier: MIT
// poise merge: the folders of shards into one.
#include <stdio.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "sweep/sweep.h"

static int run(const Args *args) {
  Error err = {0};
  const char *folder = options_value(args, "output");
  int n_run = 0;
  Status status = STATUS_OK;
  if (!folder) status = error_set(&err, STATUS_INPUT, "", "merge needs -o DIR");
  if (status == STATUS_OK) {
    status = sweep_merge(folder, args->positional, args->n_positional, &n_run, &err);
  }
  if (status != STATUS_OK) return command_fail(&err);
  printf("%d runs of %d folders added to %s\n", n_run, args->n_positional, folder);
  return EXIT_SOLVED;
}

static const Option options[] = {
    {"output", 'o', "DIR", "folder that takes all runs; made if absent"},
};

const Command cmd_merge = {
    .name = "merge",
    .summary = "put the journals of shards together",
    .positional = "DIR...",
    .n_positional_min = 1,
    .n_positional_max = 100000,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "Adds the runs of the given folders, made by 'poise sweep --shard' from one and the same\n"
        "sweep file, to the folder -o names. A run that is there already is not added again. The\n"
        "result is what one sweep would have written; a sweep can go on in it.\n",
    .example = "poise merge -o grid shard1 shard2 shard3\n",
    .run = run,
};
