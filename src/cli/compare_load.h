// SPDX-License-Identifier: MIT
// Folders of sweeps named on the command line, read and compared: what `compare` and `plot` begin with.
#ifndef POISE_CLI_COMPARE_LOAD_H
#define POISE_CLI_COMPARE_LOAD_H

#include "cli/options.h"
#include "model/model.h"
#include "report/report_compare_out.h"

enum { COMPARE_FOLDERS = 64, COMPARE_FORMS = 16 };

typedef struct CompareLoad {
  Compare *c;                         //
  int n_journal;                      //
  Journal *journal[COMPARE_FOLDERS];  // n_journal
  Model *model;                       // robot of the first folder; NULL if it has none
  int n_terms;                        // formulations whose terms could be counted on it
  CompareTerms terms[COMPARE_FORMS];  // n_terms
} CompareLoad;

// Reads the folders and compares them; looks at --unverified. On failure free is still allowed.
Status compare_load(CompareLoad *out, const Args *args, Error *err);

// Counts the terms of the formulations that were run, where there is a robot.
Status compare_load_terms(CompareLoad *l, Error *err);
void compare_load_free(CompareLoad *l);

#endif
