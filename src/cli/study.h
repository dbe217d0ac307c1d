// SPDX-License-Identifier: MIT
// Studies: each reproduces one paper's tables and prints them beside the published ones. One file per
// study, study_<name>.c; cmd_study.c has the table.
#ifndef POISE_CLI_STUDY_H
#define POISE_CLI_STUDY_H

#include <stdbool.h>

#include "base/error.h"

typedef struct StudyOptions {
  bool quick;  // smaller sizes and fewer repetitions: the same tables in seconds, for tests
} StudyOptions;

typedef struct Study {
  const char *name;   // "negrut"
  const char *title;  // authors and title
  // Prints to stdout. *reached: whether the figures that the study asks for were reached.
  Status (*run)(const StudyOptions *opt, bool *reached, Error *err);
} Study;

extern const Study study_negrut;
extern const Study study_anderson;
extern const Study study_ascher_lin, study_tasora;

// Prints "  reached  text" or "  MISSED   text" and keeps the outcome in *reached.
void study_verdict(bool good, bool *reached, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
