// SPDX-License-Identifier: MIT
// A result as one HTML file that needs nothing else: the motion in 3D, plots with limits, figures of
// the solve and of the verification. Works offline; the data are JSON inside it, so that the page
// can also be read by programs (the script element with id "data").
//
// Its sources are in page/: page.html with marks {{like_this}}, one style sheet, scripts.
#ifndef POISE_REPORT_REPORT_HTML_H
#define POISE_REPORT_REPORT_HTML_H

#include "plan/plan.h"

// Appends the page to b. Whatever is not solved and verified has a red banner that says why, also
// where scripts don't run.
void report_html(const PlanResult *r, TextBuf *b);

#endif
