// SPDX-License-Identifier: MIT
#ifndef POISE_REPORT_REPORT_FIGURE_INTERNAL_H
#define POISE_REPORT_REPORT_FIGURE_INTERNAL_H

#include "report/report_figure.h"
#include "report/report_svg.h"

// One panel of a figure: where its axes are.
typedef struct FigurePanel {
  double left, right, top, bottom;  // [pt]
} FigurePanel;

// "Cost", "CPU time [s]"
void figure_measure_title(CompareMeasure m, char *out, size_t size);

// "phi [rad]"; Greek letters by their names become letters
void figure_axis_title(const CompareAxis *axis, char *out, size_t size);

// "(a) set1"
void figure_panel_title(Svg *s, const FigurePanel *p, int i, int n, const char *title);

// "s3 kind": class of series i
void figure_class(char *out, size_t size, int i, const char *kind);

// small print at the foot of a figure, from y upwards in lines that fit
void figure_foot(Svg *s, double x, double y, const char *text);

// the formulations of a group with the marks of their series, from x on; returns the width
double figure_legend(Svg *s, const Compare *c, const CompareGroup *g, double x, double y);

void figure_boxes(const Compare *c, const FigureChoice *f, TextBuf *b);
Status figure_map(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err);
void figure_convergence(const Compare *c, const FigureChoice *f, TextBuf *b);
void figure_shares(const Compare *c, const FigureChoice *f, TextBuf *b);
void figure_ratios(const Compare *c, const FigureChoice *f, TextBuf *b);
Status figure_targets(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err);
Status figure_motion(const Compare *c, const FigureChoice *f, TextBuf *b, Error *err);

#endif
