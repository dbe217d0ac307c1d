// SPDX-License-Identifier: MIT
// Drawings as SVG at the size they are printed: the unit is the point (1/72 inch), text is 6 to 8 points
// high in fonts that printers have. Shapes carry classes; a file of its own brings the style sheet for
// paper, a drawing inside a page takes that of the page. Colours of series are those of Okabe and Ito
// (2008), colour maps are viridis (Smith and van der Walt 2015): both can be told apart with any kind of
// colour vision, and viridis in grey too.
#ifndef POISE_REPORT_REPORT_SVG_H
#define POISE_REPORT_REPORT_SVG_H

#include <stdbool.h>

#include "base/textbuf.h"

enum { SVG_SERIES = 8 };  // classes s0 .. s7

typedef struct Svg {
  TextBuf *b;            // what is drawn is appended here
  double width, height;  // [pt]
} Svg;

// Begins and ends a drawing. own_file: with XML header and style sheet.
void svg_begin(Svg *s, TextBuf *b, double width, double height, const char *title, bool own_file);
void svg_end(Svg *s);

typedef enum SvgAnchor { SVG_START, SVG_MIDDLE, SVG_END } SvgAnchor;

// Text is escaped; `class` may be "". Angle in degrees, counter-clockwise.
void svg_text(Svg *s, double x, double y, SvgAnchor anchor, const char *class, const char *text);
void svg_text_turned(Svg *s, double x, double y, SvgAnchor anchor, double angle, const char *class,
                     const char *text);
void svg_line(Svg *s, double x1, double y1, double x2, double y2, const char *class);
void svg_rect(Svg *s, double x, double y, double w, double h, const char *class);
void svg_cell(Svg *s, double x, double y, double w, double h, const char *fill, const char *title);

// Marks of about 2.2 points' radius: '+' 'x' 'o' 's' (square) 'd' (diamond) 't' (triangle) '.' (dot).
void svg_mark(Svg *s, double x, double y, char kind, const char *class);
char svg_series_mark(int i);

// A mark that stands for a run: carries its number and a title, so that a page can tell and be clicked.
void svg_mark_run(Svg *s, double x, double y, char kind, const char *class, int run,
                  const char *title);

// A polyline; pieces end where a coordinate is not finite.
void svg_polyline(Svg *s, int n, const double *x, const double *y, const char *class);

// ---- axes --------------------------------------------------------------------------------------

enum { SVG_TICKS = 24 };
typedef struct SvgAxis {
  double low, high;        // of the values
  bool log;                //
  double from, to;         // places of low and high [pt]
  int n_tick;              //
  double tick[SVG_TICKS];  //
  bool powers;             // ticks are powers of ten, far apart
} SvgAxis;

// Fits an axis around low .. high with about `most` ticks. log needs low > 0.
void svg_axis_fit(SvgAxis *a, double low, double high, bool log, double from, double to, int most);
double svg_axis_at(const SvgAxis *a, double x);  // place of a value, kept within the axis

// The axis at the left (at x, with gridlines to x2) or at the bottom (at y, gridlines up to y2), ticks
// and title. Title "" for none.
void svg_axis_left(Svg *s, const SvgAxis *a, double x, double x2, const char *title);
void svg_axis_bottom(Svg *s, const SvgAxis *a, double y, double y2, const char *title);

// Number as an axis shows it: "0.5", "1000", "2e+06" as 2 x 10^6 with a raised exponent.
void svg_number(Svg *s, double x, double y, SvgAnchor anchor, const char *class, double value);

// ---- colours -----------------------------------------------------------------------------------

// Colour of t in 0 .. 1 as "#rrggbb".
void svg_viridis(double t, char out[8]);

// A bar that explains colours, upright: values along `a` (from is its bottom).
void svg_colour_bar(Svg *s, const SvgAxis *a, double x, double width, const char *title);

#endif
