// SPDX-License-Identifier: MIT
#include "cli/study_ladder.h"

#include <math.h>

#include "base/textbuf.h"

static const double START[2] = {0.4, 0.6};      // q1, q2 [rad]
static const double LEGS = 2.0, RUNGS = 1.0;    // mass of all legs, of all rungs [kg]
static const double LENGTH = 1.0, WIDTH = 0.5;  // of a leg, of a rung [m]
static const double THIN = 0.01;  // radius of gyration of all of them about their own axis [m]
static const double GRAVITY = 9.81;

static void add_body(TextBuf *b, const char *kind, int k, double mass, const double com[3],
                     const double I[3]) {
  textbuf_addf(b,
               ",\n{\"name\": \"%s%d\", \"mass\": %.17g, \"com\": [%.17g, 0, %.17g], \"inertia\": "
               "[%.17g, %.17g, %.17g]}",
               kind, k, mass, com[0], com[2], I[0], I[1], I[2]);
}

static void add_bodies(TextBuf *b, int L) {
  double leg = LEGS / (L + 1), rung = RUNGS / L;
  double leg_across = leg * LENGTH * LENGTH / 12, rung_across = rung * WIDTH * WIDTH / 12;
  double leg_thin = leg * THIN * THIN, rung_thin = rung * THIN * THIN;
  textbuf_add(b, "\"bodies\": [{\"name\": \"ground\"}, {\"name\": \"hooke0\"}");
  for (int k = 0; k <= L; k++) {
    // the first leg from its upper end, the others from their lower one
    const double mid[3] = {0, 0, k == 0 ? -LENGTH / 2 : LENGTH / 2};
    add_body(b, "leg", k, leg, mid, (const double[]){leg_across, leg_across, leg_thin});
    if (k == 0) continue;
    add_body(b, "rung", k, rung, (const double[]){WIDTH / 2, 0, 0},
             (const double[]){rung_thin, rung_across, rung_across});
    textbuf_addf(b, ", {\"name\": \"hooke%d\"}", k);
    add_body(b, "copy", k, 1.0, (const double[]){0, 0, 0}, (const double[]){0.01, 0.01, 0.01});
  }
  textbuf_add(b, "],\n");
}

// joint and child have the same name; p: number of the parent, -1 if it has none
static void add_joint(TextBuf *b, const char *parent, int p, const char *child, int k,
                      const char *axis, double x, double z) {
  textbuf_addf(b, "{\"name\": \"%s%d\", \"type\": \"revolute\", \"parent\": \"%s", child, k,
               parent);
  if (p >= 0) textbuf_addf(b, "%d", p);
  textbuf_addf(b,
               "\", \"child\": \"%s%d\", \"axis\": [%s], \"origin\": {\"xyz\": [%.17g, 0, %.17g]}}",
               child, k, axis, x, z);
}

static void add_joints(TextBuf *b, int L) {
  static const char *const x_axis = "1, 0, 0", *const y_axis = "0, 1, 0";
  textbuf_add(b, "\"joints\": [");
  add_joint(b, "ground", -1, "hooke", 0, x_axis, 0, 0);
  textbuf_add(b, ",\n");
  add_joint(b, "hooke", 0, "leg", 0, y_axis, 0, 0);
  for (int k = 1; k <= L; k++) {
    textbuf_add(b, ",\n");
    add_joint(b, "leg", k - 1, "rung", k, y_axis, 0, k == 1 ? -LENGTH : 0);
    textbuf_add(b, ",\n");
    add_joint(b, "rung", k, "leg", k, y_axis, WIDTH, 0);
    textbuf_add(b, ",\n");
    add_joint(b, "leg", k, "hooke", k, y_axis, 0, LENGTH);
    textbuf_add(b, ",\n");
    add_joint(b, "hooke", k, "copy", k, x_axis, 0, 0);
  }
  textbuf_add(b, "],\n");
}

static void add_loops(TextBuf *b, int L) {
  textbuf_add(b, "\"loops\": [");
  for (int k = 1; k <= L; k++) {
    textbuf_addf(b,
                 "%s{\"name\": \"cell%d\", \"type\": \"weld\", \"rows\": [\"x\", \"z\", \"rx\", "
                 "\"ry\"], \"first\": {\"body\": \"ground\", \"xyz\": [%.17g, 0, 0]}, \"second\": "
                 "{\"body\": \"copy%d\"}}",
                 k > 1 ? ",\n" : "", k, k * WIDTH, k);
  }
  textbuf_addf(b, "],\n\"poses\": {\"start\": {\"hooke0\": %.17g, \"leg0\": %.17g", START[0],
               START[1]);
  for (int k = 1; k <= L; k++) {
    textbuf_addf(b, ", \"rung%d\": %.17g, \"leg%d\": %.17g, \"hooke%d\": %.17g, \"copy%d\": %.17g",
                 k, -START[1], k, START[1], k, -START[1], k, -START[0]);
  }
  textbuf_add(b, "}}}\n");
}

Status study_ladder(Model **out, int n_loop, Error *err) {
  TextBuf b = {0};
  *out = NULL;
  textbuf_addf(&b, "{\"name\": \"ladder%d\", \"gravity\": [0, 0, %.17g],\n", n_loop, -GRAVITY);
  add_bodies(&b, n_loop);
  add_joints(&b, n_loop);
  add_loops(&b, n_loop);
  Status s = b.failed ? error_no_memory(err) : model_parse(out, b.text, "ladder", err);
  textbuf_free(&b);
  return s;
}

void study_pendulum(const double *x, double *dx) {
  const double l2 = LENGTH * LENGTH, thin = THIN * THIN;
  const double across = LEGS * l2 / 3 + RUNGS * l2;  // turns with cos q2
  const double B = across, own = LEGS * thin, moment = (LEGS / 2 + RUNGS) * LENGTH;
  double s1 = sin(x[0]), c1 = cos(x[0]), s2 = sin(x[1]), c2 = cos(x[1]);
  double A = across * c2 * c2 + own * s2 * s2 + RUNGS * thin;
  double dA = 2 * (own - across) * s2 * c2;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = (-dA * x[2] * x[3] - GRAVITY * moment * s1 * c2) / A;
  dx[3] = (0.5 * dA * x[2] * x[2] - GRAVITY * moment * c1 * s2) / B;
}
