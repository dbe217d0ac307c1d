// SPDX-License-Identifier: MIT
// A comparison as JSON and CSV, for other programs. docs/compare.md describes both.
#ifndef POISE_REPORT_REPORT_COMPARE_OUT_H
#define POISE_REPORT_REPORT_COMPARE_OUT_H

#include "base/json_out.h"
#include "report/report_compare.h"

// Operations of a formulation's dynamic terms on the robot at hand (Table 4 of the paper).
typedef struct CompareTerms {
  const char *form;        //
  const char *terms;       // "Phi(q, v, a)"
  int operations, sincos;  //
} CompareTerms;

// All figures as one object, under `key` (NULL: the root).
void compare_write_json(const Compare *c, const CompareTerms *terms, int n_terms, const char *key,
                        JsonOut *out);

// One line per case; and one per run, failed ones too. Both with a header line.
void compare_write_csv(const Compare *c, TextBuf *b);
void compare_write_runs_csv(const Compare *c, TextBuf *b);

#endif
