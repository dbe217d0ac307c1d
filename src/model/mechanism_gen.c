// SPDX-License-Identifier: MIT
#include "model/mechanism_gen.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "model/mechanism_gen_internal.h"

const char *const mechanism_names[N_MECHANISMS] = {
    [MECHANISM_LADDER] = "ladder",     [MECHANISM_SQUARES] = "squares",
    [MECHANISM_DIAMONDS] = "diamonds", [MECHANISM_NET] = "net",
    [MECHANISM_RING] = "ring",         [MECHANISM_HMMWV] = "hmmwv",
    [MECHANISM_SHOULDER] = "shoulder", [MECHANISM_ARM] = "arm",
    [MECHANISM_BICYCLE] = "bicycle"};

// ---- pieces of text ----------------------------------------------------------------------------

static void add_list(TextBuf *b, const char *key, int n, const double *x) {
  textbuf_addf(b, ", \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_double(b, x[i]);
  }
  textbuf_add(b, "]");
}

const char *gen_name(GenName *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(out->text, sizeof out->text, format, args);
  va_end(args);
  return out->text;
}

static void next(TextBuf *b, const char *name) {
  textbuf_addf(b, "%s    {\"name\": \"%s\"", b->len ? ",\n" : "", name);
}

void gen_body(Gen *g, const char *name, double mass, GenVec com, GenVec inertia) {
  next(&g->bodies, name);
  if (mass > 0) {
    textbuf_add(&g->bodies, ", \"mass\": ");
    textbuf_add_double(&g->bodies, mass);
    add_list(&g->bodies, "com", 3, com.x);
    add_list(&g->bodies, "inertia", 3, inertia.x);
  }
  textbuf_add(&g->bodies, "}");
}

void gen_rod(Gen *g, const char *name, double mass, GenVec end) {
  double square = 0;
  GenVec com, inertia;
  for (int i = 0; i < 3; i++) square += end.x[i] * end.x[i];
  for (int i = 0; i < 3; i++) {
    com.x[i] = 0.5 * end.x[i];
    // about an axis along the rod hardly anything; end lies on a coordinate axis
    double across = square - end.x[i] * end.x[i];
    inertia.x[i] = mass / 12 * fmax(across, 1e-9 * square);
  }
  gen_body(g, name, mass, com, inertia);
}

void gen_joint(Gen *g, const char *name, const char *type, const char *parent, const char *child,
               GenVec origin, GenVec rpy_deg, const GenVec *axis) {
  TextBuf *b = &g->joints;
  next(b, name);
  textbuf_addf(b, ", \"type\": \"%s\", \"parent\": \"%s\", \"child\": \"%s\",\n     \"origin\": {",
               type, parent, child);
  textbuf_add(b, "\"xyz\": [");
  for (int i = 0; i < 3; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_double(b, origin.x[i]);
  }
  textbuf_add(b, "]");
  if (rpy_deg.x[0] != 0 || rpy_deg.x[1] != 0 || rpy_deg.x[2] != 0) {
    add_list(b, "rpy_deg", 3, rpy_deg.x);
  }
  textbuf_add(b, "}");
  if (axis) add_list(b, "axis", 3, axis->x);
  if (g->actuated) textbuf_add(b, ", \"actuated\": true");
  textbuf_add(b, "}");
}

void gen_turn(Gen *g, const char *name, const char *parent, const char *child, GenVec origin,
              double yaw_deg, GenVec axis) {
  gen_joint(g, name, "revolute", parent, child, origin, VEC(0, 0, yaw_deg), &axis);
}

void gen_loop(Gen *g, const char *name, const char *type, const char *first, GenVec at_first,
              const char *second, GenVec at_second, const char *more) {
  TextBuf *b = &g->loops;
  next(b, name);
  textbuf_addf(b, ", \"type\": \"%s\",\n     \"first\": {\"body\": \"%s\"", type, first);
  add_list(b, "xyz", 3, at_first.x);
  textbuf_addf(b, "%s}, \"second\": {\"body\": \"%s\"", g->first_axis ? g->first_axis : "", second);
  add_list(b, "xyz", 3, at_second.x);
  textbuf_addf(b, "%s}%s}", g->second_axis ? g->second_axis : "", more ? more : "");
}

void gen_start(Gen *g, const char *joint, double value) {
  textbuf_addf(&g->start, "%s\"%s\": ", g->start.len ? ", " : "", joint);
  textbuf_add_double(&g->start, value);
}

// ---- the mechanisms of one parameter -----------------------------------------------------------

// Legs hang from Hooke joints on the x axis of the ground, rungs join their lower ends. One tree: leg
// 0, then for every loop rung, leg, and the leg's Hooke joint to a piece of ground that is welded in
// place. Position in the plane of the ladder and two angles close a loop; the rest follows. Masses of
// all legs and of all rungs together are 1 kg each, so that every ladder moves as a pendulum does.
static void ladder(Gen *g, int n) {
  static const double LEG = 1, RUNG = 0.5;
  const GenVec down = VEC(0, 0, -LEG), along = VEC(RUNG, 0, 0), zero = VEC(0, 0, 0);
  const double q1 = 0.3, q2 = 0.5;
  GenName a, b, c;
  g->name = "ladder";
  g->comment =
      "Spatial ladder: Hooke joints to ground, 4 L + 2 coordinates, 4 L constraints, 2 degrees "
      "of freedom (Anderson and Critchley). first and swing of leg 0 are independent.";
  gen_body(g, "hook0", 0, zero, zero);
  gen_rod(g, "leg0", 1.0 / (n + 1), down);
  gen_turn(g, "roll0", "ground", "hook0", zero, 0, VEC(1, 0, 0));
  gen_turn(g, "swing0", "hook0", "leg0", zero, 0, VEC(0, 1, 0));
  gen_start(g, "roll0", q1);
  gen_start(g, "swing0", q2);
  for (int i = 1; i <= n; i++) {
    gen_rod(g, gen_name(&a, "rung%d", i), 1.0 / n, along);
    gen_turn(g, gen_name(&c, "rung%d", i), gen_name(&b, "leg%d", i - 1), a.text,
             i == 1 ? down : zero, 0, VEC(0, 1, 0));
    gen_start(g, c.text, -q2);
    // the frame of the further legs is at their lower end
    gen_rod(g, gen_name(&b, "leg%d", i), 1.0 / (n + 1), VEC(0, 0, LEG));
    gen_turn(g, gen_name(&c, "leg%d", i), a.text, b.text, along, 0, VEC(0, 1, 0));
    gen_start(g, c.text, q2);
    gen_body(g, gen_name(&a, "hook%d", i), 0, zero, zero);
    gen_turn(g, gen_name(&c, "swing%d", i), b.text, a.text, VEC(0, 0, LEG), 0, VEC(0, 1, 0));
    gen_start(g, c.text, -q2);
    gen_body(g, gen_name(&b, "ground%d", i), 1, zero, VEC(0.1, 0.1, 0.1));
    gen_turn(g, gen_name(&c, "roll%d", i), a.text, b.text, zero, 0, VEC(1, 0, 0));
    gen_start(g, c.text, -q1);
    gen_loop(g, gen_name(&c, "loop%d", i), "weld", "ground", VEC(RUNG * i, 0, 0), b.text, zero,
             ", \"rows\": [\"x\", \"z\", \"rx\", \"ry\"]");
  }
}

// Squares of unit links in the x-y plane (y down is gravity), side by side. Link left0 hangs from joint 0
// at the origin; each square adds top and bottom, and a right side on the top's end.
static void squares(Gen *g, int n) {
  const GenVec x = VEC(1, 0, 0), z = VEC(0, 0, 1), zero = VEC(0, 0, 0);
  GenName a, b, side;
  g->name = "squares";
  g->comment =
      "Chain of squares side by side in the x-y plane, unit links of unit mass, joint 0 fixed "
      "at the origin (Ascher and Lin, example 4.1): 3 m + 1 bodies, 2 m constraints.";
  g->planar = "[0, 0, 1]";
  g->gravity = "[0, -9.81, 0]";
  g->first_axis = g->second_axis = NULL;
  gen_rod(g, "side0", 1, x);
  gen_turn(g, "side0", "ground", "side0", zero, -90, z);
  for (int i = 1; i <= n; i++) {
    // the sides point down; top on their upper end: that of the first is joint 0 and moves with it
    gen_name(&side, "side%d", i - 1);
    gen_rod(g, gen_name(&a, "top%d", i), 1, x);
    gen_turn(g, a.text, side.text, a.text, zero, 90, z);
    gen_rod(g, gen_name(&b, "side%d", i), 1, x);
    gen_turn(g, b.text, a.text, b.text, x, -90, z);
    gen_rod(g, gen_name(&a, "bottom%d", i), 1, x);
    gen_turn(g, a.text, side.text, a.text, x, 90, z);
    gen_loop(g, gen_name(&side, "square%d", i), "revolute", a.text, x, b.text, x, NULL);
  }
}

// Squares corner to corner on a line, each of two arms of two unit links; the chain starts level
static void diamonds(Gen *g, int n) {
  const GenVec x = VEC(1, 0, 0), z = VEC(0, 0, 1), zero = VEC(0, 0, 0);
  GenName a, b, c, d, last;
  g->name = "diamonds";
  g->comment =
      "Chain of squares corner to corner in the x-y plane, unit links of unit mass, joint 0 "
      "fixed at the origin: 4 m bodies, 2 m constraints.";
  g->planar = "[0, 0, 1]";
  g->gravity = "[0, -9.81, 0]";
  gen_name(&last, "ground");
  for (int i = 1; i <= n; i++) {
    GenVec at = i == 1 ? zero : x;
    gen_rod(g, gen_name(&a, "upper%da", i), 1, x);
    gen_turn(g, a.text, last.text, a.text, at, i == 1 ? 45 : 90, z);
    gen_rod(g, gen_name(&b, "upper%db", i), 1, x);
    gen_turn(g, b.text, a.text, b.text, x, -90, z);
    gen_rod(g, gen_name(&c, "lower%da", i), 1, x);
    gen_turn(g, c.text, last.text, c.text, at, i == 1 ? -45 : 0, z);
    gen_rod(g, gen_name(&d, "lower%db", i), 1, x);
    gen_turn(g, d.text, c.text, d.text, x, 90, z);
    gen_loop(g, gen_name(&a, "square%d", i), "revolute", b.text, x, d.text, x, NULL);
    gen_name(&last, "upper%db", i);
  }
}

// a link with the two angles of a universal joint: first about `one`, then about `two`
static void universal_link(Gen *g, const char *name, const char *parent, GenVec at, GenVec one,
                           GenVec two, GenVec end) {
  const GenVec zero = VEC(0, 0, 0);
  GenName cross, angle;
  gen_body(g, gen_name(&cross, "%s.cross", name), 0, zero, zero);
  gen_turn(g, gen_name(&angle, "%s.a", name), parent, cross.text, at, 0, one);
  gen_rod(g, name, 1, end);
  gen_turn(g, gen_name(&angle, "%s.b", name), cross.text, name, zero, 0, two);
}

// Columns of unit links hang from fixed joints along x; horizontal links join neighbours at every node.
static void net(Gen *g, int rows, int columns) {
  const GenVec down = VEC(0, 0, -1), along = VEC(1, 0, 0);
  const GenVec x = VEC(1, 0, 0), y = VEC(0, 1, 0), z = VEC(0, 0, 1);
  GenName a, b, c;
  g->name = "net";
  g->comment =
      "Square net of w columns and l rows of unit links of unit mass, its upper edge fixed "
      "(Ascher and Lin, example 4.2): (2 w - 1) l bodies, 3 (w - 1) l constraints.";
  for (int j = 0; j < columns; j++) {
    for (int i = 1; i <= rows; i++) {
      gen_name(&b, i == 1 ? "ground" : "v%d_%d", j, i - 1);
      universal_link(g, gen_name(&a, "v%d_%d", j, i), b.text, i == 1 ? VEC(j, 0, 0) : down, x, y,
                     down);
    }
  }
  for (int j = 0; j + 1 < columns; j++) {
    for (int i = 1; i <= rows; i++) {
      universal_link(g, gen_name(&a, "h%d_%d", j, i), gen_name(&b, "v%d_%d", j, i), down, z, y,
                     along);
      gen_loop(g, gen_name(&c, "mesh%d_%d", j, i), "spherical", a.text, along,
               gen_name(&b, "v%d_%d", j + 1, i), down, NULL);
    }
  }
}

// Pieces of 0.1 m in a regular polygon in the x-y plane; the first one is free in space.
static void ring(Gen *g, int n) {
  const GenVec end = VEC(0.1, 0, 0), zero = VEC(0, 0, 0);
  GenName a, b;
  g->name = "ring";
  g->comment =
      "Closed chain of pieces with spherical joints, free in space: 6 n coordinates and 3 n "
      "constraints in Cartesian form (Tasora, table 2).";
  for (int i = 1; i <= n; i++) {
    // stout pieces: their inertia about the long axis counts
    gen_body(g, gen_name(&a, "piece%d", i), 0.1, VEC(0.05, 0, 0), VEC(2e-5, 1e-4, 1e-4));
    gen_name(&b, i == 1 ? "ground" : "piece%d", i - 1);
    gen_joint(g, a.text, i == 1 ? "floating" : "spherical", b.text, a.text, i == 1 ? zero : end,
              VEC(0, 0, i == 1 ? 0 : 360.0 / n), NULL);
  }
  gen_name(&a, "piece%d", n);
  gen_loop(g, "closure", "spherical", a.text, end, "piece1", zero, NULL);
}

// Eight revolute joints in one spatial loop; a shoulder's cross, three links of an arm, and back by a
// transmission of three more. Axes are those of a human-like arm, no two of neighbours parallel.
static void shoulder(Gen *g) {
  static const struct {
    GenVec at, rpy_deg, axis;
    double mass;
  } link[7] = {
      {{{0, 0, 0}}, {{0, 0, 0}}, {{1, 0, 0}}, 0.4},
      {{{0, 0.05, 0}}, {{0, 0, 10}}, {{0, 1, 0}}, 0.6},
      {{{0, 0.04, -0.1}}, {{0, 15, 0}}, {{0, 0, 1}}, 1.2},
      {{{0.03, 0, -0.25}}, {{0, 0, 25}}, {{1, 0, 0}}, 0.9},
      {{{0.12, 0.02, 0}}, {{0, 20, 0}}, {{0, 1, 0}}, 0.5},
      {{{0.02, 0, 0.18}}, {{0, 0, 15}}, {{1, 0, 0}}, 0.3},
      {{{0, 0.03, 0.12}}, {{10, 0, 0}}, {{0, 0, 1}}, 0.3},
  };
  GenName a, b;
  g->name = "shoulder";
  g->comment =
      "Shoulder-like spatial mechanism: 7 bodies, 8 revolute joints, one loop, 2 degrees of "
      "freedom; in Cartesian form 42 coordinates and 40 constraints (Tasora, table 2).";
  gen_name(&b, "ground");
  GenFrame f = gen_frame_identity;
  for (int i = 0; i < 7; i++) {
    const GenVec next = i < 6 ? link[i + 1].at : VEC(0.05, 0, 0.05);
    double m = link[i].mass;
    gen_body(g, gen_name(&a, "body%d", i + 1), m, VEC(next.x[0] / 2, next.x[1] / 2, next.x[2] / 2),
             VEC(3e-3 * m, 4e-3 * m, 5e-3 * m));
    g->actuated = i < 2;
    gen_joint(g, gen_name(&a, "joint%d", i + 1), "revolute", b.text,
              gen_name(&(GenName){""}, "body%d", i + 1), link[i].at, link[i].rpy_deg,
              &link[i].axis);
    gen_name(&b, "body%d", i + 1);
    f = gen_frame_place(&f, link[i].at, link[i].rpy_deg);
  }
  // the eighth joint where the chain ends at zero, about an axis of its own
  const GenVec end = VEC(0.05, 0, 0.05), axis = VEC(0, 1, 0);
  GenVec at = gen_frame_point(&f, end), world_axis = gen_frame_vector(&f, axis);
  TextBuf first = {0};
  add_list(&first, "axis", 3, world_axis.x);
  g->first_axis = first.text;
  g->second_axis = ", \"axis\": [0, 1, 0]";
  gen_loop(g, "joint8", "revolute", "ground", at, b.text, end, NULL);
  if (first.failed) g->loops.failed = true;
  textbuf_free(&first);
  g->first_axis = g->second_axis = NULL;
}

// ---- all of it ---------------------------------------------------------------------------------

static void write(TextBuf *out, const Gen *g) {
  textbuf_addf(out, "{\n  \"name\": \"%s\",\n  \"comment\": \"%s\",\n", g->name, g->comment);
  if (g->gravity) textbuf_addf(out, "  \"gravity\": %s,\n", g->gravity);
  if (g->planar) textbuf_addf(out, "  \"planar\": %s,\n", g->planar);
  textbuf_addf(out, "  \"bodies\": [\n%s\n  ],\n", g->bodies.text);
  textbuf_addf(out, "  \"joints\": [\n%s\n  ],\n", g->joints.text);
  textbuf_addf(out, "  \"loops\": [\n%s\n  ],\n", g->loops.text);
  textbuf_addf(out, "  \"poses\": {\"start\": {%s}}\n}\n", g->start.len ? g->start.text : "");
}

static void arm(Gen *g) {
  shoulder(g);
  g->name = "arm";
  g->comment =
      "The shoulder with a forearm and a hand on its third body: 9 bodies, 10 revolute joints; in "
      "Cartesian form 54 coordinates and 50 constraints (Tasora, table 2).";
  g->actuated = false;
  const GenVec elbow = VEC(0, 1, 0), wrist = VEC(1, 0, 0);
  gen_body(g, "forearm", 1.1, VEC(0, 0.02, -0.12), VEC(7e-3, 7e-3, 2e-3));
  gen_joint(g, "elbow", "revolute", "body3", "forearm", VEC(0, 0.02, -0.28), VEC(0, -20, 0),
            &elbow);
  gen_body(g, "hand", 0.4, VEC(0.01, 0, -0.08), VEC(1.2e-3, 1e-3, 6e-4));
  gen_joint(g, "wrist", "revolute", "forearm", "hand", VEC(0, 0, -0.25), VEC(10, 0, 0), &wrist);
}

void mechanism_gen(TextBuf *out, const MechanismOptions *opt) {
  assert(opt->size >= 1 && (opt->kind != MECHANISM_RING || opt->size >= 3));
  Gen g = {0};
  gen_body(&g, "ground", 0, VEC(0, 0, 0), VEC(0, 0, 0));
  switch (opt->kind) {
    case MECHANISM_LADDER: ladder(&g, opt->size); break;
    case MECHANISM_SQUARES: squares(&g, opt->size); break;
    case MECHANISM_DIAMONDS: diamonds(&g, opt->size); break;
    case MECHANISM_NET: net(&g, opt->size, opt->width); break;
    case MECHANISM_RING: ring(&g, opt->size); break;
    case MECHANISM_HMMWV: gen_hmmwv(&g); break;
    case MECHANISM_SHOULDER: shoulder(&g); break;
    case MECHANISM_ARM: arm(&g); break;
    case MECHANISM_BICYCLE: gen_bicycle(&g); break;
    case N_MECHANISMS: break;
  }
  bool failed = g.bodies.failed || g.joints.failed || g.loops.failed || g.start.failed;
  if (failed) out->failed = true;
  else write(out, &g);
  textbuf_free(&g.bodies);
  textbuf_free(&g.joints);
  textbuf_free(&g.loops);
  textbuf_free(&g.start);
}

Status mechanism_build(Model **out, const MechanismOptions *opt, Error *err) {
  *out = NULL;
  assert(opt->kind < N_MECHANISMS);
  TextBuf text = {0};
  mechanism_gen(&text, opt);
  Status status = text.failed ? error_no_memory(err)
                              : model_parse(out, text.text, mechanism_names[opt->kind], err);
  textbuf_free(&text);
  return status;
}
