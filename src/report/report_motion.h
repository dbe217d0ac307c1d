// SPDX-License-Identifier: MIT
// A simulated motion as one HTML file that needs nothing else: the robot in 3D with its loops, plots of
// the state, the energy, and what loops are apart. Shares its scripts with the page of a solve.
#ifndef POISE_REPORT_REPORT_MOTION_H
#define POISE_REPORT_REPORT_MOTION_H

#include "base/textbuf.h"
#include "ocp/ocp.h"

typedef struct ReportMotion {
  const Model *m;          //
  const char *method;      // of the dynamics
  const char *integrator;  //
  int n_time;              //
  const double *time;      // n_time [s]
  const double *x;         // 2 nv x n_time, q and v
  const double *energy;    // n_time [J]
  const double *off;       // 3 x n_time: position, velocity, acceleration; NULL without loops
  double drift;            // of the energy [J]
  double worst;            // of the position
  long steps;              //
  int operations;          // of an evaluation
  double seconds;          //
} ReportMotion;

// Appends the page to b.
void report_motion_html(const ReportMotion *r, TextBuf *b);

#endif
