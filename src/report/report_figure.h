// SPDX-License-Identifier: MIT
// The figures of a comparison as SVG, for print and for the page: box plots as in the paper (Fig. 9 to 11),
// the targets in space (Fig. 6), convergence with the size of the grid (Fig. 7), motions (Fig. 8), maps of the grid of targets, shares of
// time, paired ratios.
#ifndef POISE_REPORT_REPORT_FIGURE_H
#define POISE_REPORT_REPORT_FIGURE_H

#include "report/report_compare.h"

typedef enum FigureKind {
  FIGURE_BOXES,
  FIGURE_MAP,
  FIGURE_CONVERGENCE,
  FIGURE_SHARES,
  FIGURE_RATIOS,
  FIGURE_MOTION,
  FIGURE_TARGETS,
} FigureKind;

typedef struct FigureInfo {
  const char *name;        // in options and file names: "cost", "map_gap"
  const char *title;       // one line for people
  FigureKind kind;         //
  CompareMeasure measure;  // of boxes and maps
} FigureInfo;

enum { N_FIGURES = 14 };
extern const FigureInfo figures[N_FIGURES];

// What to draw.
typedef struct FigureChoice {
  const FigureInfo *info;  //
  int view;                // of the comparison
  int set;                 // maps show one cost set; others all of the view as panels (a), (b) ..
  int point;               // target of the motion, marked among others; -1: the middle one, no mark
  const Model *model;      // the robot, and names of its joints; NULL: none
  bool own_file;           // else it is part of a page
} FigureChoice;

// Appends a figure to b. STATUS_INPUT where there is nothing to draw (a map without axes, a motion that was
// not kept): err says what.
Status figure_write(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err);

// Does this figure come once per cost set (else once per view)?
bool figure_per_set(const FigureInfo *info);

#endif
