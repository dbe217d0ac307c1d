// SPDX-License-Identifier: MIT
// A comparison as one HTML file that needs nothing else: the figures, the grid of targets as maps, side by
// side for the formulations and in 3D around the robot, the motion and torques of any run at a click, tables
// that can be sorted and copied. Works offline; its data are JSON inside it (the script with id "data").
#ifndef POISE_REPORT_REPORT_COMPARE_HTML_H
#define POISE_REPORT_REPORT_COMPARE_HTML_H

#include "report/report_compare_out.h"

typedef struct ComparePage {
  const char *title;          // "" for that of the sweep
  const Model *model;         // the robot; NULL: no motions
  const CompareTerms *terms;  // n_terms
  int n_terms;                //
  double motions_mb;          // room for motions in the file, in base64
} ComparePage;

enum { COMPARE_PAGE_MB = 16 };  // the usual room: 5700 motions of six joints and 100 intervals

// Appends the page to b. Motions of good runs go in until the room is used up, the first views first; the
// page says how many were left out.
Status compare_html(const Compare *c, const ComparePage *page, TextBuf *b, Error *err);

#endif
