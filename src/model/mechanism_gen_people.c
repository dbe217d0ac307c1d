// SPDX-License-Identifier: MIT
// A man on a bicycle, of the size that Tasora's table 2 has: 18 bodies, 92 constraints in Cartesian form. His
// geometry and masses are nobody's in particular; axes of hips, knees and ankles are slanted a little, so
// that no constraint is redundant.
#include <math.h>
#include <string.h>

#include "model/mechanism_gen_internal.h"

typedef struct Part {
  const char *name, *parent;
  GenVec at;    // of the joint, in the world where it starts; all frames are parallel there
  GenVec axis;  //
  double mass;  //
  GenVec com;   // from the joint
  double size;  // moments of inertia are about mass size^2 / 12
} Part;

static const Part part[] = {
    {"frame", "ground", {{0, 0, 0.5}}, {{0, 0, 0}}, 8, {{0, 0, 0.1}}, 0.8},
    {"fork", "frame", {{0.5, 0, 0.9}}, {{-0.3, 0, 0.9}}, 2, {{0.05, 0, -0.2}}, 0.5},
    {"front", "fork", {{0.6, 0, 0.35}}, {{0, 1, 0}}, 1.5, {{0, 0, 0}}, 0.7},
    {"rear", "frame", {{-0.45, 0, 0.35}}, {{0, 1, 0}}, 1.8, {{0, 0, 0}}, 0.7},
    {"crank", "frame", {{0.05, 0, 0.3}}, {{0, 1, 0}}, 1, {{0, 0, 0}}, 0.3},
    {"pelvis", "frame", {{-0.15, 0, 0.95}}, {{0, 1, 0}}, 11, {{0, 0, 0.1}}, 0.3},
    {"thorax", "pelvis", {{-0.1, 0, 1.15}}, {{0, 1, 0}}, 26, {{0.1, 0, 0.2}}, 0.5},
    {"head", "thorax", {{0.1, 0, 1.6}}, {{0, 1, 0}}, 5, {{0.02, 0, 0.1}}, 0.25},
    {"arm_l", "thorax", {{0.05, 0.2, 1.45}}, {{0, 1, 0.3}}, 2, {{0.08, 0.01, -0.12}}, 0.3},
    {"arm_r", "thorax", {{0.05, -0.2, 1.45}}, {{0, 1, -0.3}}, 2, {{0.08, -0.01, -0.12}}, 0.3},
    {"hand_l", "arm_l", {{0.22, 0.22, 1.2}}, {{0, 1, 0}}, 1.6, {{0.12, 0.01, -0.08}}, 0.3},
    {"hand_r", "arm_r", {{0.22, -0.22, 1.2}}, {{0, 1, 0}}, 1.6, {{0.12, -0.01, -0.08}}, 0.3},
    {"thigh_l", "pelvis", {{-0.12, 0.1, 0.92}}, {{0, 1, 0.1}}, 7, {{0.15, 0, -0.08}}, 0.4},
    {"thigh_r", "pelvis", {{-0.12, -0.1, 0.92}}, {{0, 1, -0.1}}, 7, {{0.12, 0, -0.15}}, 0.4},
    {"shank_l", "thigh_l", {{0.2, 0.1, 0.72}}, {{0.1, 1, 0}}, 3.4, {{-0.02, 0, -0.2}}, 0.4},
    {"shank_r", "thigh_r", {{0.15, -0.1, 0.6}}, {{0.1, 1, 0}}, 3.4, {{-0.15, 0, -0.15}}, 0.4},
    {"foot_l", "shank_l", {{0.12, 0.1, 0.33}}, {{0, 1, 0.2}}, 1, {{0.06, 0, -0.02}}, 0.2},
    {"foot_r", "shank_r", {{-0.2, -0.1, 0.35}}, {{0, 1, -0.2}}, 1, {{0.05, 0, -0.02}}, 0.2},
};

enum { N_PARTS = sizeof part / sizeof part[0] };

static GenVec origin_of(const char *name) {
  for (int i = 0; i < N_PARTS; i++) {
    if (strcmp(part[i].name, name) == 0) return part[i].at;
  }
  return VEC(0, 0, 0);
}

static GenVec from(const char *name, GenVec at) {
  GenVec o = origin_of(name);
  return VEC(at.x[0] - o.x[0], at.x[1] - o.x[1], at.x[2] - o.x[2]);
}

static GenVec unit(GenVec x) {
  double length = sqrt(x.x[0] * x.x[0] + x.x[1] * x.x[1] + x.x[2] * x.x[2]);
  return VEC(x.x[0] / length, x.x[1] / length, x.x[2] / length);
}

void gen_bicycle(Gen *g) {
  g->name = "bicycle";
  g->comment = "Man on a bicycle: 18 bodies, feet on the pedals, a hand held by the handlebar; in "
               "Cartesian form 108 coordinates and 92 constraints (Tasora, table 2).";
  for (int i = 0; i < N_PARTS; i++) {
    const Part *p = &part[i];
    double J = p->mass * p->size * p->size / 12;
    gen_body(g, p->name, p->mass, p->com, VEC(0.8 * J, J, 0.9 * J));
    GenVec axis = i ? unit(p->axis) : p->axis;
    gen_joint(g, p->name, i ? "revolute" : "floating", p->parent, p->name, from(p->parent, p->at),
              VEC(0, 0, 0), i ? &axis : NULL);
  }
  const GenVec left = VEC(0.22, 0.1, 0.3), right = VEC(-0.12, -0.1, 0.3);
  gen_loop(g, "pedal_l", "spherical", "crank", from("crank", left), "foot_l", from("foot_l", left),
           NULL);
  gen_loop(g, "pedal_r", "spherical", "crank", from("crank", right), "foot_r",
           from("foot_r", right), NULL);
  // 0.08 and 0.06 apart
  gen_loop(g, "grip", "distance", "fork", from("fork", VEC(0.5, 0.25, 1.0)), "hand_l",
           from("hand_l", VEC(0.42, 0.25, 1.06)), ", \"distance\": 0.1");
}
