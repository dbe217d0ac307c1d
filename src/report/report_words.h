// SPDX-License-Identifier: MIT
// What a comparison says, in plain words: which formulation to use, and why, with the tests that carry it
// and a hedge where they don't. Derived from the figures of this comparison alone.
#ifndef POISE_REPORT_REPORT_WORDS_H
#define POISE_REPORT_REPORT_WORDS_H

#include "report/report_compare.h"

// The case of a group to use: the fastest by median CPU time of those whose success is not significantly
// below the best. -1 if the group has fewer than two cases with good runs.
int words_choice(const Compare *c, int group);

// Paragraphs, each ended by a newline: one or more per group, then one over all. Appended to b.
void words_write(const Compare *c, TextBuf *b);

#endif
