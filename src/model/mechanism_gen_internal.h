// SPDX-License-Identifier: MIT
// Pieces that mechanisms are written from.
#ifndef POISE_MODEL_MECHANISM_GEN_INTERNAL_H
#define POISE_MODEL_MECHANISM_GEN_INTERNAL_H

#include <stdbool.h>

#include "base/textbuf.h"

typedef struct GenVec {
  double x[3];
} GenVec;

#define VEC(a, b, c) ((GenVec){{(a), (b), (c)}})

typedef struct GenName {
  char text[40];
} GenName;

// The lists of a robot file while they grow.
typedef struct Gen {
  TextBuf bodies, joints, loops, start;
  const char *name, *comment;
  const char *gravity, *planar;          // as JSON; NULL: left out
  const char *first_axis, *second_axis;  // ", \"axis\": [...]" of the next loops; NULL: left out
  bool actuated;                         // the next joints are
} Gen;

// A placement of a joint, for frames that must meet.
typedef struct GenFrame {
  double R[9], p[3];  // R column-major
} GenFrame;

extern const GenFrame gen_frame_identity;
GenFrame gen_frame_place(const GenFrame *f, GenVec at, GenVec rpy_deg);
GenVec gen_frame_point(const GenFrame *f, GenVec x);
GenVec gen_frame_vector(const GenFrame *f, GenVec x);

const char *gen_name(GenName *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_body(Gen *g, const char *name, double mass, GenVec com, GenVec inertia);  // mass 0: none
void gen_rod(Gen *g, const char *name, double mass, GenVec end);  // uniform, from the origin to end
void gen_joint(Gen *g, const char *name, const char *type, const char *parent, const char *child,
               GenVec origin, GenVec rpy_deg, const GenVec *axis);
void gen_turn(Gen *g, const char *name, const char *parent, const char *child, GenVec origin,
              double yaw_deg, GenVec axis);
void gen_loop(Gen *g, const char *name, const char *type, const char *first, GenVec at_first,
              const char *second, GenVec at_second, const char *more);
void gen_start(Gen *g, const char *joint, double value);

void gen_hmmwv(Gen *g);    // mechanism_gen_vehicle.c
void gen_bicycle(Gen *g);  // mechanism_gen_people.c

#endif
