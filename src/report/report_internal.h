// SPDX-License-Identifier: MIT
#ifndef POISE_REPORT_REPORT_INTERNAL_H
#define POISE_REPORT_REPORT_INTERNAL_H

#include "plan/plan.h"

// The data of the page as one JSON object, appended to b:
//   result      the result file (plan_result_write_json)
//   robot       joints, bodies, frames as in Model; 3x3 matrices by rows
//   actuators   joints by index
//   limits      q, v, u: [lower, upper] each, null where there is none
//   goal        frame (index or null), position (components or null), joints (values or null)
//   obstacles   frame, and center and radius or normal and offset
//   sparsity    jacobian, hessian: sizes and the occupied cells [row, column, nonzeros, ...]
void report_data(const PlanResult *r, TextBuf *b);

#endif
