// SPDX-License-Identifier: MIT
#include "report/report_svg.h"

#include <math.h>
#include <stdio.h>

#include "report/report_text.h"

static const char style[] =
    "<style>\n"
    ".fig{background:#fff}\n"
    ".fig text{font-family:Helvetica,Arial,\"Liberation Sans\",\"Nimbus Sans\",sans-serif;"
    "font-size:8px;fill:#000}\n"
    ".fig .small{font-size:7px}.fig .tiny{font-size:6px}.fig .soft{fill:#555}\n"
    ".fig .title{font-weight:bold}\n"
    ".fig .axis{stroke:#000;stroke-width:.6;fill:none}\n"
    ".fig .grid{stroke:#ddd;stroke-width:.4}\n"
    ".fig .zero{stroke:#000;stroke-width:.6;stroke-dasharray:2 1.5}\n"
    ".fig .box{fill-opacity:.28;stroke-width:.8}\n"
    ".fig .whisker{stroke-width:.8;fill:none}\n"
    ".fig .median{stroke-width:1.8;fill:none}\n"
    ".fig .mark{stroke-width:.7;fill:none}.fig .full{stroke-width:.7}\n"
    ".fig .mean{fill:#fff;stroke-width:.7}\n"
    ".fig .curve{fill:none;stroke-width:1.1;stroke-linejoin:round}\n"
    ".fig .bar{stroke:#fff;stroke-width:.4}.fig .b0{fill:#0072b2}.fig .b1{fill:#e69f00}"
    ".fig .b2{fill:#bbb}\n"
    ".fig .none{fill:#eee;stroke:#bbb;stroke-width:.3}.fig .cross{stroke:#777;stroke-width:.7}\n"
    ".fig .link{stroke:#54627a;stroke-width:3;stroke-linecap:round}\n"
    ".fig .joint{fill:#fff;stroke:#1b2330;stroke-width:.8}.fig .chosen{stroke:#fff;stroke-width:.8}\n"
    ".fig .s0{stroke:#0072b2;fill:#0072b2}.fig .s1{stroke:#56b4e9;fill:#56b4e9}\n"
    ".fig .s2{stroke:#d55e00;fill:#d55e00}.fig .s3{stroke:#e69f00;fill:#e69f00}\n"
    ".fig .s4{stroke:#009e73;fill:#009e73}.fig .s5{stroke:#cc79a7;fill:#cc79a7}\n"
    ".fig .s6{stroke:#000;fill:#000}.fig .s7{stroke:#999;fill:#999}\n"
    ".fig .whisker,.fig .median,.fig .mark,.fig .curve{fill:none}.fig .mean{fill:#fff}\n"
    "</style>\n";

void svg_begin(Svg *s, TextBuf *b, double width, double height, const char *title, bool own_file) {
  *s = (Svg){b, width, height};
  if (own_file) textbuf_add(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  textbuf_addf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" role=\"img\" ");
  if (own_file) textbuf_addf(b, "width=\"%gpt\" height=\"%gpt\" ", width, height);
  textbuf_addf(b, "viewBox=\"0 0 %g %g\">\n<title>", width, height);
  report_add_escaped(b, title);
  textbuf_add(b, "</title>\n");
  if (own_file) textbuf_add(b, style);
  if (own_file)
    textbuf_addf(b, "<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n", width, height);
}

void svg_end(Svg *s) {
  textbuf_add(s->b, "</svg>\n");
}

// ---- shapes ------------------------------------------------------------------------------------

static const char *const anchors[] = {"start", "middle", "end"};

static void begin_text(Svg *s, SvgAnchor anchor, const char *class) {
  textbuf_addf(s->b, "<text text-anchor=\"%s\"", anchors[anchor]);
  if (*class) textbuf_addf(s->b, " class=\"%s\"", class);
}

void svg_text(Svg *s, double x, double y, SvgAnchor anchor, const char *class, const char *text) {
  begin_text(s, anchor, class);
  textbuf_addf(s->b, " x=\"%.2f\" y=\"%.2f\">", x, y);
  report_add_escaped(s->b, text);
  textbuf_add(s->b, "</text>\n");
}

void svg_text_turned(Svg *s, double x, double y, SvgAnchor anchor, double angle, const char *class,
                     const char *text) {
  begin_text(s, anchor, class);
  textbuf_addf(s->b, " transform=\"translate(%.2f %.2f) rotate(%g)\">", x, y, -angle);
  report_add_escaped(s->b, text);
  textbuf_add(s->b, "</text>\n");
}

void svg_line(Svg *s, double x1, double y1, double x2, double y2, const char *class) {
  textbuf_addf(s->b, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" class=\"%s\"/>\n", x1,
               y1, x2, y2, class);
}

void svg_rect(Svg *s, double x, double y, double w, double h, const char *class) {
  textbuf_addf(s->b, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"%s\"/>\n",
               x, y, w, h, class);
}

void svg_cell(Svg *s, double x, double y, double w, double h, const char *fill, const char *title) {
  textbuf_addf(s->b,
               "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
               "shape-rendering=\"crispEdges\"><title>",
               x, y, w, h, fill);
  report_add_escaped(s->b, title);
  textbuf_add(s->b, "</title></rect>\n");
}

static const char *mark_path(char kind) {
  static const struct {
    char kind;
    const char *path;
  } shapes[] = {
      {'+', "m-2.2 0h4.4m-2.2-2.2v4.4"},
      {'x', "m-1.7-1.7l3.4 3.4m0-3.4l-3.4 3.4"},
      {'o', "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z"},
      {'s', "m-1.8-1.8h3.6v3.6h-3.6z"},
      {'d', "m0-2.4l2.2 2.4l-2.2 2.4l-2.2-2.4z"},
      {'t', "m0-2.2l2.1 3.8h-4.2z"},
      {'v', "m0 2.2l2.1-3.8h-4.2z"},
      {'.', "m-.9 0a.9.9 0 1 0 1.8 0a.9.9 0 1 0-1.8 0z"},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (shapes[i].kind == kind) return shapes[i].path;
  }
  return "";
}

void svg_mark(Svg *s, double x, double y, char kind, const char *class) {
  textbuf_addf(s->b, "<path d=\"M%.2f %.2f%s\" class=\"%s\"/>\n", x, y, mark_path(kind), class);
}

void svg_mark_run(Svg *s, double x, double y, char kind, const char *class, int run,
                  const char *title) {
  textbuf_addf(s->b, "<path d=\"M%.2f %.2f%s\" class=\"%s\" data-run=\"%d\"><title>", x, y,
               mark_path(kind), class, run);
  report_add_escaped(s->b, title);
  textbuf_add(s->b, "</title></path>\n");
}

char svg_series_mark(int i) {
  return "osdtv+x."[i % SVG_SERIES];
}

void svg_polyline(Svg *s, int n, const double *x, const double *y, const char *class) {
  textbuf_addf(s->b, "<path class=\"%s\" d=\"", class);
  bool begun = false;
  for (int i = 0; i < n; i++) {
    bool there = isfinite(x[i]) && isfinite(y[i]);
    if (there) textbuf_addf(s->b, "%c%.2f %.2f", begun ? 'L' : 'M', x[i], y[i]);
    begun = there;
  }
  textbuf_add(s->b, "\"/>\n");
}

// ---- axes --------------------------------------------------------------------------------------

static void add_tick(SvgAxis *a, double x) {
  double slack = 1e-9 * (a->high - a->low);
  if (a->n_tick < SVG_TICKS && x >= a->low - slack && x <= a->high + slack)
    a->tick[a->n_tick++] = x;
}

static void linear_ticks(SvgAxis *a, int most) {
  double raw = (a->high - a->low) / (most > 1 ? most : 2), power = pow(10, floor(log10(raw)));
  double part = raw / power;
  double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
  for (double k = ceil(a->low / step - 1e-9); k * step <= a->high * (1 + 1e-12) + 1e-9 * step;
       k++) {
    add_tick(a, fabs(k) < 0.5 ? 0 : k * step);
    if (a->n_tick == SVG_TICKS) break;
  }
}

// every power of ten, or every other ..; over less than two decades 1, 2, 5 of each
static void log_ticks(SvgAxis *a, int most) {
  int first = (int)floor(log10(a->low)), last = (int)ceil(log10(a->high));
  int every = (last - first + most - 1) / (most > 0 ? most : 1);
  a->powers = a->high / a->low > 90;
  if (every < 1) every = 1;
  for (int k = first; k <= last; k += a->powers ? every : 1) {
    add_tick(a, pow(10, k));
    if (a->powers) continue;
    add_tick(a, 2 * pow(10, k));
    if (a->high / a->low < 4) add_tick(a, 3 * pow(10, k));
    add_tick(a, 5 * pow(10, k));
    if (a->high / a->low < 4) add_tick(a, 7 * pow(10, k));
  }
}

void svg_axis_fit(SvgAxis *a, double low, double high, bool log, double from, double to, int most) {
  *a = (SvgAxis){.low = low, .high = high, .log = log && low > 0, .from = from, .to = to};
  if (!(isfinite(low) && isfinite(high))) a->low = 0, a->high = 1, a->log = false;
  if (a->log) {
    if (a->high / a->low < 1.05) a->low /= 1.1, a->high *= 1.1;
    log_ticks(a, most);
    if (a->n_tick > 1) return;
    a->n_tick = 0;
    a->powers = false;
  }
  if (!(a->high - a->low > 1e-9 * fabs(a->high))) {
    double pad = fabs(a->high) > 0 ? 0.05 * fabs(a->high) : 1;
    a->low -= pad, a->high += pad;
  }
  linear_ticks(a, most);
}

double svg_axis_at(const SvgAxis *a, double x) {
  double s = a->log ? log(fmax(x, a->low) / a->low) / log(a->high / a->low)
                    : (x - a->low) / (a->high - a->low);
  return a->from + fmin(1, fmax(0, s)) * (a->to - a->from);
}

void svg_number(Svg *s, double x, double y, SvgAnchor anchor, const char *class, double value) {
  char text[40];
  double size = fabs(value);
  if (value == 0 || (size >= 1e-3 && size < 1e5)) {
    snprintf(text, sizeof text, "%.6g", value);
    svg_text(s, x, y, anchor, class, text);
    return;
  }
  int power = (int)floor(log10(size) + 1e-9);
  double part = value / pow(10, power);
  begin_text(s, anchor, class);
  textbuf_addf(s->b, " x=\"%.2f\" y=\"%.2f\">", x, y);
  if (fabs(part - 1) > 1e-9) textbuf_addf(s->b, "%.3g\xc2\xb7", part);
  textbuf_addf(s->b, "10<tspan dy=\"-3\" font-size=\"6\">%d</tspan></text>\n", power);
}

void svg_axis_left(Svg *s, const SvgAxis *a, double x, double x2, const char *title) {
  for (int i = 0; i < a->n_tick; i++) {
    double y = svg_axis_at(a, a->tick[i]);
    svg_line(s, x, y, x2, y, "grid");
    svg_line(s, x - 2.5, y, x, y, "axis");
    svg_number(s, x - 4, y + 2.7, SVG_END, "small", a->tick[i]);
  }
  svg_line(s, x, a->from, x, a->to, "axis");
  if (*title) {
    svg_text_turned(s, x - 32, 0.5 * (a->from + a->to), SVG_MIDDLE, 90, "", title);
  }
}

void svg_axis_bottom(Svg *s, const SvgAxis *a, double y, double y2, const char *title) {
  for (int i = 0; i < a->n_tick; i++) {
    double x = svg_axis_at(a, a->tick[i]);
    svg_line(s, x, y, x, y2, "grid");
    svg_line(s, x, y, x, y + 2.5, "axis");
    svg_number(s, x, y + 10.5, SVG_MIDDLE, "small", a->tick[i]);
  }
  svg_line(s, a->from, y, a->to, y, "axis");
  if (*title) svg_text(s, 0.5 * (a->from + a->to), y + 21, SVG_MIDDLE, "", title);
}

// ---- colours -----------------------------------------------------------------------------------

void svg_viridis(double t, char out[8]) {
  // every sixteenth of matplotlib's table
  static const unsigned char table[17][3] = {
      {68, 1, 84},    {72, 24, 106},  {71, 45, 123},  {66, 64, 134},  {59, 82, 139},
      {51, 99, 141},  {44, 114, 142}, {38, 130, 142}, {33, 145, 140}, {31, 160, 136},
      {40, 174, 128}, {63, 188, 115}, {94, 201, 98},  {132, 212, 75}, {173, 220, 48},
      {216, 226, 25}, {253, 231, 37}};
  double at = 16 * fmin(1, fmax(0, isfinite(t) ? t : 0));
  int i = at < 15 ? (int)at : 15;
  int c[3];
  for (int k = 0; k < 3; k++) {
    c[k] = (int)lround(table[i][k] + (at - i) * (table[i + 1][k] - table[i][k]));
  }
  snprintf(out, 8, "#%02x%02x%02x", (unsigned)c[0] & 255, (unsigned)c[1] & 255,
           (unsigned)c[2] & 255);
}

void svg_colour_bar(Svg *s, const SvgAxis *a, double x, double width, const char *title) {
  enum { STEPS = 64 };
  double step = (a->to - a->from) / STEPS;  // upwards: negative
  for (int i = 0; i < STEPS; i++) {
    char fill[8];
    svg_viridis((i + 0.5) / STEPS, fill);
    // a little overlap: no seams when printed
    double high = fabs(step) + (i ? 0.3 : 0);
    textbuf_addf(s->b, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                 x, a->from + (i + 1) * step, width, high, fill);
  }
  textbuf_addf(s->b,
               "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"axis\"/>\n", x,
               a->to, width, a->from - a->to);
  for (int i = 0; i < a->n_tick; i++) {
    double y = svg_axis_at(a, a->tick[i]);
    svg_line(s, x + width, y, x + width + 2.5, y, "axis");
    svg_number(s, x + width + 4, y + 2.7, SVG_START, "small", a->tick[i]);
  }
  svg_text_turned(s, x - 4, 0.5 * (a->from + a->to), SVG_MIDDLE, 90, "", title);
}
