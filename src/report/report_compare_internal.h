// SPDX-License-Identifier: MIT
// Steps of compare_build, in their order; each fills its part of *c.
#ifndef POISE_REPORT_REPORT_COMPARE_INTERNAL_H
#define POISE_REPORT_REPORT_COMPARE_INTERNAL_H

#include "report/report_compare.h"

// axes, points, cases, groups, sets, runs and their table (report_compare_merge.c)
Status compare_merge(Compare *c, const Journal *const *journal, int n, const CompareOptions *opt,
                     Error *err);

// best known, gaps, boxes, symmetry, grids (report_compare_cases.c)
Status compare_cases(Compare *c, Error *err);

// pairs and their tests (report_compare_pairs.c)
Status compare_pairs(Compare *c, Error *err);

#endif
