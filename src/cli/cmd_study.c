// SPDX-License-Identifier: MIT
// poise study: the tables of a paper, computed again.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/study.h"

static const Study *const studies[] = {&study_negrut, &study_anderson, &study_ascher_lin,
                                       &study_tasora};

enum { N_STUDIES = sizeof studies / sizeof studies[0] };

void study_verdict(bool good, bool *reached, const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf(good ? "  reached  " : "  MISSED   ");
  vprintf(format, args);
  putchar('\n');
  va_end(args);
  if (!good) *reached = false;
}

static const Study *find(const char *name, Error *err) {
  const char *names[N_STUDIES];
  for (int i = 0; i < N_STUDIES; i++) {
    names[i] = studies[i]->name;
    if (strcmp(name, names[i]) == 0) return studies[i];
  }
  const char *near = nearest_name(name, names, N_STUDIES);
  error_set(err, STATUS_INPUT, "", "unknown study \"%.40s\"%s%s%s; 'poise study' lists them", name,
            near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  return NULL;
}

static int run(const Args *args) {
  Error err = {0};
  if (args->n_positional == 0) {
    for (int i = 0; i < N_STUDIES; i++) printf("%-12s %s\n", studies[i]->name, studies[i]->title);
    return EXIT_SOLVED;
  }
  const Study *study = find(args->positional[0], &err);
  if (!study) return command_fail(&err);
  StudyOptions opt = {.quick = options_has(args, "quick")};
  bool reached = true;
  printf("%s\n", study->title);
  Status status = study->run(&opt, &reached, &err);
  if (status != STATUS_OK) return command_fail(&err);
  return reached ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

static const Option options[] = {
    {"quick", 0, NULL, "smaller sizes and fewer repetitions"},
};

const Command cmd_study = {
    .name = "study",
    .summary = "reproduce the tables of a paper on closed loops",
    .positional = "[NAME]",
    .n_positional_min = 0,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about = "Computes the tables of one paper again and prints them beside the published values,\n"
             "then the figures asked for, each reached or missed. Without a NAME: lists the\n"
             "studies. docs/closed_loops.md keeps the outcome with a reading of it.\n"
             "Exit codes: 0 all figures reached, 1 some missed.\n",
    .example = "poise study negrut\n",
    .run = run,
};
