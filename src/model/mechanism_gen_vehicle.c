// SPDX-License-Identifier: MIT
// Frames, and the vehicle of Negrut, Serban and Potra: the topology is the paper's (figures 3 and 4), sizes
// and masses are those of a vehicle of its kind.
#include <math.h>
#include <stdio.h>

#include "model/mechanism_gen_internal.h"

static const double RAD_PER_DEG = 0.017453292519943295;

const GenFrame gen_frame_identity = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

GenVec gen_frame_vector(const GenFrame *f, GenVec x) {
  GenVec y = VEC(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) y.x[i] += f->R[i + 3 * k] * x.x[k];
  }
  return y;
}

GenVec gen_frame_point(const GenFrame *f, GenVec x) {
  GenVec y = gen_frame_vector(f, x);
  for (int i = 0; i < 3; i++) y.x[i] += f->p[i];
  return y;
}

// R = Rz Ry Rx, as the reader of robot files has it
GenFrame gen_frame_place(const GenFrame *f, GenVec at, GenVec rpy_deg) {
  double s[3], c[3];
  for (int i = 0; i < 3; i++) {
    s[i] = sin(RAD_PER_DEG * rpy_deg.x[i]);
    c[i] = cos(RAD_PER_DEG * rpy_deg.x[i]);
  }
  const GenVec column[3] = {
      VEC(c[2] * c[1], s[2] * c[1], -s[1]),
      VEC(c[2] * s[1] * s[0] - s[2] * c[0], s[2] * s[1] * s[0] + c[2] * c[0], c[1] * s[0]),
      VEC(c[2] * s[1] * c[0] + s[2] * s[0], s[2] * s[1] * c[0] - c[2] * s[0], c[1] * c[0])};
  GenFrame out;
  GenVec p = gen_frame_point(f, at);
  for (int i = 0; i < 3; i++) out.p[i] = p.x[i];
  for (int k = 0; k < 3; k++) {
    GenVec v = gen_frame_vector(f, column[k]);
    for (int i = 0; i < 3; i++) out.R[i + 3 * k] = v.x[i];
  }
  return out;
}

// A corner of the vehicle: x of the axle, side +1 left or -1 right.
typedef struct Corner {
  const char *name;
  double axle, side;
  bool front;
} Corner;

static const Corner corners[4] = {{"right_front", 1.7, -1, true},
                                  {"left_front", 1.7, 1, true},
                                  {"right_rear", -1.6, -1, false},
                                  {"left_rear", -1.6, 1, false}};

// where the rod that steers (front) or guides (rear) a wheel holds its spindle, in the spindle's frame
static const GenVec STEERING_ARM = {{-0.15, 0, -0.2}};
static const GenVec RACK = {{1.5, 0, -0.1}};

static void upper(Gen *g, const Corner *c) {
  GenName arm, spindle;
  gen_body(g, gen_name(&arm, "%s_upper", c->name), 9, VEC(0, 0.17 * c->side, -0.01),
           VEC(0.1, 0.08, 0.15));
  gen_turn(g, arm.text, "chassis", arm.text, VEC(c->axle, 0.4 * c->side, 0.15), 0, VEC(1, 0, 0));
  gen_body(g, gen_name(&spindle, "%s_spindle", c->name), 55, VEC(0, 0.15 * c->side, -0.15),
           VEC(1.1, 2, 1.1));
  gen_joint(g, spindle.text, "spherical", arm.text, spindle.text, VEC(0, 0.35 * c->side, -0.02),
            VEC(0, 0, 0), NULL);
}

static void lower(Gen *g, const Corner *c) {
  GenName arm, spindle, loop;
  gen_body(g, gen_name(&arm, "%s_lower", c->name), 16, VEC(0, 0.24 * c->side, -0.01),
           VEC(0.4, 0.2, 0.5));
  gen_turn(g, arm.text, "chassis", arm.text, VEC(c->axle, 0.3 * c->side, -0.15), 0, VEC(1, 0, 0));
  gen_loop(g, gen_name(&loop, "%s_ball", c->name), "spherical", arm.text,
           VEC(0, 0.48 * c->side, -0.02), gen_name(&spindle, "%s_spindle", c->name),
           VEC(0, 0.03 * c->side, -0.3), NULL);
}

// from the rack (front) or the chassis (rear) to the spindle, as long as it is when all joints are at 0
static void tie_rod(Gen *g, const Corner *c) {
  GenName spindle, loop;
  const GenVec on_rack = VEC(0, 0.35 * c->side, 0);
  const GenVec on_chassis = VEC(c->axle - 0.2, 0.35 * c->side, -0.1);
  const GenVec arm = VEC(c->axle + STEERING_ARM.x[0], 0.75 * c->side, 0.13 + STEERING_ARM.x[2]);
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double inner = c->front ? RACK.x[i] + on_rack.x[i] : on_chassis.x[i];
    square += (arm.x[i] - inner) * (arm.x[i] - inner);
  }
  char distance[60];
  snprintf(distance, sizeof distance, ", \"distance\": %.17g", sqrt(square));
  gen_loop(g, gen_name(&loop, "%s_rod", c->name), "distance", c->front ? "rack" : "chassis",
           c->front ? on_rack : on_chassis, gen_name(&spindle, "%s_spindle", c->name), STEERING_ARM,
           distance);
}

void gen_hmmwv(Gen *g) {
  g->name = "hmmwv";
  g->comment =
      "Vehicle of 14 bodies with the topology of Negrut, Serban and Potra's HMMWV: 27 "
      "coordinates, cut ball joints of the lower arms and four tie rods: 16 constraints, 11 "
      "degrees of freedom.";
  gen_body(g, "chassis", 2086, VEC(0, 0, 0.2), VEC(1080, 3360, 3950));
  gen_joint(g, "chassis", "floating", "ground", "chassis", VEC(0, 0, 0.8), VEC(0, 0, 0), NULL);
  for (int i = 0; i < 4; i++) upper(g, &corners[i]);
  gen_body(g, "rack", 8, VEC(0, 0, 0), VEC(0.2, 0.02, 0.2));
  g->actuated = true;
  gen_joint(g, "rack", "prismatic", "chassis", "rack", RACK, VEC(0, 0, 0), &VEC(0, 1, 0));
  g->actuated = false;
  for (int i = 0; i < 4; i++) lower(g, &corners[i]);
  for (int i = 0; i < 4; i++) tie_rod(g, &corners[i]);
}
