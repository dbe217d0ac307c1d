// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/textbuf.h"
#include "cli/study_anderson.h"

static const double GRAVITY = 9.81;

// Bars end to end in the x-z plane from a point of the ground; angles from the x axis upwards, the
// second relative to the first.
typedef struct Leg {
  double x, z;       // where it starts
  int n;             // bars, 1 or 2
  double length[2];  //
  double q[2];       // start
} Leg;

static void put_text(TextBuf *b, const Leg *leg, int i, double mass) {
  for (int k = 0; k < leg->n; k++) {
    double l = leg->length[k], I = mass * l * l / 12;
    textbuf_addf(b, ",\n{\"name\": \"bar%d%d\", \"mass\": %.17g, \"com\": [%.17g, 0, 0],", i, k,
                 mass, l / 2);
    textbuf_addf(b, " \"inertia\": [%.17g, %.17g, %.17g]}", 1e-3 * I, I, I);
  }
}

static void put_joints(TextBuf *b, const Leg *leg, int i) {
  for (int k = 0; k < leg->n; k++) {
    textbuf_addf(b, "%s{\"name\": \"q%d%d\", \"type\": \"revolute\", \"axis\": [0, -1, 0],",
                 i + k ? ",\n" : "", i, k);
    if (k == 0) textbuf_add(b, " \"parent\": \"ground\"");
    else textbuf_addf(b, " \"parent\": \"bar%d%d\"", i, k - 1);
    textbuf_addf(b, ", \"child\": \"bar%d%d\", \"origin\": {\"xyz\": [%.17g, 0, %.17g]}}", i, k,
                 k ? leg->length[k - 1] : leg->x, k ? 0 : leg->z);
  }
}

static void put_end(TextBuf *b, const char *key, const Leg *leg, int i) {
  textbuf_addf(b, "\"%s\": {\"body\": \"bar%d%d\", \"xyz\": [%.17g, 0, 0], \"axis\": [0, 1, 0]}",
               key, i, leg->n - 1, leg->length[leg->n - 1]);
}

// the legs' ends pinned to that of the first
static Status legs_build(Model **out, const char *name, int n, const Leg *leg, double mass,
                         double gravity, Error *err) {
  TextBuf b = {0};
  *out = NULL;
  textbuf_addf(&b, "{\"name\": \"%s\", \"planar\": [0, 1, 0], \"gravity\": [0, 0, %.17g],\n", name,
               -gravity);
  textbuf_add(&b, "\"bodies\": [{\"name\": \"ground\"}");
  for (int i = 0; i < n; i++) put_text(&b, &leg[i], i, mass);
  textbuf_add(&b, "],\n\"joints\": [");
  for (int i = 0; i < n; i++) put_joints(&b, &leg[i], i);
  textbuf_add(&b, "],\n\"loops\": [");
  for (int i = 1; i < n; i++) {
    textbuf_addf(&b, "%s{\"name\": \"pin%d\", \"type\": \"revolute\", ", i > 1 ? ",\n" : "", i);
    put_end(&b, "first", &leg[0], 0);
    textbuf_add(&b, ", ");
    put_end(&b, "second", &leg[i], i);
    textbuf_add(&b, "}");
  }
  textbuf_add(&b, "],\n\"poses\": {\"start\": {");
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < leg[i].n; k++) {
      textbuf_addf(&b, "%s\"q%d%d\": %.17g", i + k ? ", " : "", i, k, leg[i].q[k]);
    }
  }
  textbuf_add(&b, "}}}\n");
  Status s = b.failed ? error_no_memory(err) : model_parse(out, b.text, name, err);
  textbuf_free(&b);
  return s;
}

// angles of a leg of two bars that ends at (x, z), its elbow on the left or right of the way there
static void reach(Leg *leg, double x, double z, int side) {
  double dx = x - leg->x, dz = z - leg->z, d = hypot(dx, dz);
  double a = leg->length[0], b = leg->length[1];
  double at_base = acos((a * a + d * d - b * b) / (2 * a * d));
  double at_elbow = acos((a * a + b * b - d * d) / (2 * a * b));
  leg->q[0] = atan2(dz, dx) + side * at_base;
  leg->q[1] = side * (at_elbow - 3.14159265358979323846);
}

static double nine_decimals(double x) {
  return round(x * 1e9) / 1e9;
}

Status anderson_four_bar(Model **out, Error *err) {
  Leg leg[2] = {{.n = 2, .length = {1, 2}, .q = {-0.8}}, {.x = 2, .n = 1, .length = {1.5}}};
  // seen from the end of the crank the coupler and the rocker are a leg of two bars to its foot
  Leg rest = {.x = cos(leg[0].q[0]), .z = sin(leg[0].q[0]), .n = 2, .length = {2, 1.5}};
  reach(&rest, leg[1].x, leg[1].z, -1);
  double pin_x = rest.x + 2 * cos(rest.q[0]), pin_z = rest.z + 2 * sin(rest.q[0]);
  leg[0].q[1] = nine_decimals(rest.q[0] - leg[0].q[0]);
  leg[1].q[0] = nine_decimals(atan2(pin_z - leg[1].z, pin_x - leg[1].x));
  return legs_build(out, "fourbar", 2, leg, 1.0, GRAVITY, err);
}

Status anderson_five_bar(Model **out, Error *err) {
  Leg leg[3] = {{.x = -0.3, .n = 2, .length = {0.4, 0.4}},
                {.x = 0.3, .n = 2, .length = {0.4, 0.4}},
                {.z = 0.9, .n = 2, .length = {0.4, 0.4}}};
  for (int i = 0; i < 3; i++) reach(&leg[i], 0.05, 0.45, i == 1 ? -1 : 1);
  return legs_build(out, "fivebar", 3, leg, 0.5, 0.0, err);
}

// Legs of 1 kg in all and 1 m, rungs of 1 kg in all at their lower ends: rungs move as their ends do, and
// turn about x only. What rods have about their own axis is a thousandth of a millionth of the rest.
void anderson_pendulum(const double *x, double *dx) {
  const double legs = 1.0, rungs = 1.0, thin = 1e-9 / 12;
  const double across = legs / 3 + rungs, moment = legs / 2 + rungs;
  double s1 = sin(x[0]), c1 = cos(x[0]), s2 = sin(x[1]), c2 = cos(x[1]);
  double A = across * c2 * c2 + legs * thin * s2 * s2 + 0.25 * rungs * thin;
  double dA = 2 * (legs * thin - across) * s2 * c2;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = (-dA * x[2] * x[3] - GRAVITY * moment * s1 * c2) / A;
  dx[3] = (0.5 * dA * x[2] * x[2] - GRAVITY * moment * c1 * s2) / across;
}
