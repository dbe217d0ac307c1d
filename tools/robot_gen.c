// SPDX-License-Identifier: MIT
#include "robot_gen.h"

#include <assert.h>
#include <math.h>

#include "base/rng.h"

static const double LINK = 0.3;  // length of a chain's links [m]
enum { CLOUD = 6 };              // points of mass in a random body

typedef struct Gen {
  TextBuf *out;
  const RobotGenOptions *opt;
  Rng body, joint;  // separate sequences: a share more or less does not change the rest
} Gen;

RobotGenOptions robot_gen_defaults(void) {
  return (RobotGenOptions){.kind = ROBOT_GEN_TREE,
                           .n_joint = 10,
                           .seed = 1,
                           .prismatic = 1.0 / 3,
                           .branching = 0.5,
                           .actuated = 1};
}

static void add_numbers(TextBuf *b, const char *key, const double *x, int n) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_double(b, x[i]);
  }
  textbuf_add(b, "]");
}

static void add_number(TextBuf *b, const char *key, double x) {
  textbuf_addf(b, "\"%s\": ", key);
  textbuf_add_double(b, x);
}

static void random_vector(Rng *rng, double size, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = rng_uniform(rng, -size, size);
}

// Mass, centre of mass and inertia (ixx iyy izz ixy ixz iyz) of a cloud of points: whatever comes
// out is a body that could exist.
static void random_body(Rng *rng, double *mass, double com[3], double I[6]) {
  double place[3], half[3], point[CLOUD][3], m[CLOUD];
  random_vector(rng, 0.2, place);
  for (int i = 0; i < 3; i++) half[i] = rng_uniform(rng, 0.05, 0.25);
  *mass = 0;
  for (int i = 0; i < 3; i++) com[i] = 0;
  for (int k = 0; k < CLOUD; k++) {
    m[k] = rng_uniform(rng, 0.05, 0.5);
    *mass += m[k];
    for (int i = 0; i < 3; i++) {
      point[k][i] = place[i] + rng_uniform(rng, -half[i], half[i]);
      com[i] += m[k] * point[k][i];
    }
  }
  for (int i = 0; i < 3; i++) com[i] /= *mass;
  for (int i = 0; i < 6; i++) I[i] = 0;
  for (int k = 0; k < CLOUD; k++) {
    double x = point[k][0] - com[0], y = point[k][1] - com[1], z = point[k][2] - com[2];
    I[0] += m[k] * (y * y + z * z);
    I[1] += m[k] * (x * x + z * z);
    I[2] += m[k] * (x * x + y * y);
    I[3] -= m[k] * x * y;
    I[4] -= m[k] * x * z;
    I[5] -= m[k] * y * z;
  }
}

static void add_random_body(Gen *g, int index, bool massless) {
  static const char *const key[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double mass, com[3], I[6];
  random_body(&g->body, &mass, com, I);  // drawn in any case, so that bodies do not shift
  textbuf_addf(g->out, ",\n    {\"name\": \"b%d\"", index);
  if (!massless) {
    textbuf_add(g->out, ", ");
    add_number(g->out, "mass", mass);
    textbuf_add(g->out, ", ");
    add_numbers(g->out, "com", com, 3);
    textbuf_add(g->out, ", \"inertia\": {");
    for (int i = 0; i < 6; i++) {
      if (i) textbuf_add(g->out, ", ");
      add_number(g->out, key[i], I[i]);
    }
    textbuf_add(g->out, "}");
  }
  textbuf_add(g->out, "}");
}

static void add_chain_body(Gen *g, int index) {
  textbuf_addf(g->out,
               ",\n    {\"name\": \"b%d\", \"mass\": 1, \"com\": [0.15, 0, 0], "
               "\"inertia\": [0.001, 0.008, 0.008]}",
               index);
}

// what stands at the end of every joint
static void add_extras(Gen *g, bool prismatic, bool actuated) {
  TextBuf *b = g->out;
  double damping = rng_uniform(&g->joint, 0.01, 1), armature = rng_uniform(&g->joint, 0.001, 0.1);
  double reach = prismatic ? rng_uniform(&g->joint, 0.2, 1) : rng_uniform(&g->joint, 1, 3);
  double velocity = rng_uniform(&g->joint, 2, 10), effort = rng_uniform(&g->joint, 20, 200);
  if (actuated) textbuf_add(b, ", \"actuated\": true");
  if (g->opt->limits) {
    textbuf_add(b, ",\n     \"limits\": {");
    add_number(b, "lower", -reach);
    textbuf_add(b, ", ");
    add_number(b, "upper", reach);
    textbuf_add(b, ", ");
    add_number(b, "velocity", velocity);
    if (actuated) {
      textbuf_add(b, ", ");
      add_number(b, "effort", effort);
    }
    textbuf_add(b, "}");
  }
  if (g->opt->damping) {
    textbuf_add(b, ", ");
    add_number(b, "damping", damping);
  }
  if (g->opt->armature) {
    textbuf_add(b, ", ");
    add_number(b, "armature", armature);
  }
  textbuf_add(b, "}");
}

static void add_head(Gen *g, int index, const char *type, int parent) {
  textbuf_addf(g->out, "%s\n    {\"name\": \"j%d\", \"type\": \"%s\", \"parent\": \"",
               index > 1 ? "," : "", index, type);
  if (parent) {
    textbuf_addf(g->out, "b%d", parent);
  } else {
    textbuf_add(g->out, "base");
  }
  textbuf_addf(g->out, "\", \"child\": \"b%d\",\n     ", index);
}

static void add_random_joint(Gen *g, int index, bool after_massless) {
  double xyz[3], rpy[3], axis[3];
  bool prismatic = rng_uniform(&g->joint, 0, 1) < g->opt->prismatic;
  bool actuated = rng_uniform(&g->joint, 0, 1) < g->opt->actuated;
  bool draw = rng_uniform(&g->joint, 0, 1) < g->opt->branching;
  int drawn = rng_int(&g->joint, index);
  int parent = draw && !after_massless ? drawn : index - 1;  // a massless body carries the next
  random_vector(&g->joint, 0.4, xyz);
  random_vector(&g->joint, 3.1, rpy);
  rng_direction(&g->joint, axis);
  add_head(g, index, prismatic ? "prismatic" : "revolute", parent);
  textbuf_add(g->out, "\"origin\": {");
  add_numbers(g->out, "xyz", xyz, 3);
  textbuf_add(g->out, ", ");
  add_numbers(g->out, "rpy", rpy, 3);
  textbuf_add(g->out, "},\n     ");
  add_numbers(g->out, "axis", axis, 3);
  add_extras(g, prismatic, actuated);
}

static void add_chain_joint(Gen *g, int index) {
  bool z = g->opt->alternating && index % 2 == 0;
  add_head(g, index, "revolute", index - 1);
  if (index > 1) {
    const double xyz[3] = {LINK, 0, 0};
    textbuf_add(g->out, "\"origin\": {");
    add_numbers(g->out, "xyz", xyz, 3);
    textbuf_add(g->out, "}, ");
  }
  textbuf_add(g->out, z ? "\"axis\": [0, 0, 1]" : "\"axis\": [0, 1, 0]");
  add_extras(g, false, index < g->opt->n_joint || g->opt->n_joint == 1);
}

// Whether body `index` has no mass: never the last, never two in a row. A function of the seed and
// the index alone, as bodies and joints both ask.
static bool is_massless(const RobotGenOptions *opt, int index) {
  if (opt->kind == ROBOT_GEN_CHAIN || index < 1 || index >= opt->n_joint) return false;
  Rng rng;
  rng_seed(&rng, opt->seed * 1000003u + (uint64_t)index);
  return rng_uniform(&rng, 0, 1) < opt->massless && !is_massless(opt, index - 1);
}

void robot_gen(TextBuf *out, const RobotGenOptions *opt) {
  assert(opt->n_joint >= 1);
  Gen g = {.out = out, .opt = opt};
  rng_seed(&g.body, opt->seed);
  rng_seed(&g.joint, ~opt->seed);
  bool chain = opt->kind == ROBOT_GEN_CHAIN;
  textbuf_addf(out, "{\n  \"name\": \"%s%d\",\n  \"bodies\": [\n    {\"name\": \"base\"}",
               chain ? "chain" : "tree", opt->n_joint);
  for (int i = 1; i <= opt->n_joint; i++) {
    if (chain) {
      add_chain_body(&g, i);
    } else {
      add_random_body(&g, i, is_massless(opt, i));
    }
  }
  textbuf_add(out, "\n  ],\n  \"joints\": [");
  for (int i = 1; i <= opt->n_joint; i++) {
    if (chain) {
      add_chain_joint(&g, i);
    } else {
      add_random_joint(&g, i, is_massless(opt, i - 1));
    }
  }
  const double tip[3] = {LINK, 0, 0};
  textbuf_addf(out, "\n  ],\n  \"frames\": [\n    {\"name\": \"tip\", \"body\": \"b%d\", ",
               opt->n_joint);
  add_numbers(out, "xyz", tip, 3);
  textbuf_add(out, "}\n  ]\n}\n");
}
