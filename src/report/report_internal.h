// SPDX-License-Identifier: MIT
#ifndef POISE_REPORT_REPORT_INTERNAL_H
#define POISE_REPORT_REPORT_INTERNAL_H

#include "plan/plan.h"

// The data of the page as one JSON object, appended to b:
//   result      the result file (plan_result_write_json)
//   robot       joints, bodies, frames, loops as in Model; 3x3 matrices by rows
//   actuators   joints by index
//   limits      q, v, u: [lower, upper] each, null where there is none
//   goal        frame (index or null), position (components or null), joints (values or null)
//   obstacles   frame, and center and radius or normal and offset
//   sparsity    jacobian, hessian: sizes and the occupied cells [row, column, nonzeros, ...]
void report_data(const PlanResult *r, TextBuf *b);

// The keys robot and actuators alone, with a comma behind them.
void report_robot(const Model *m, TextBuf *b);

// Parts of the page of a comparison (report_compare_html.c): its data, and the motions of its runs.
//
// A motion, little-endian: uint16 nodes, controls, 1 if the nodes are evenly spread, 0; float horizon;
// uint16 times of the nodes in 1/65535 of the horizon unless even; then for every joint position and every
// control float least value, float step, uint16 values. All of them, in base64, one behind the other.
typedef struct ReportMotions {
  unsigned char *bytes;  // n
  size_t n, cap;         //
  int n_kept, n_left;    // motions in the page; left out for want of room
} ReportMotions;

// Appends the motion of a run; *offset: where it begins, in bytes. False when out of memory.
bool report_motions_add(ReportMotions *m, const Trajectory *t, size_t *offset);
void report_add_base64(TextBuf *b, const unsigned char *bytes, size_t n);

#endif
