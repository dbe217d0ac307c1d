// SPDX-License-Identifier: MIT
// Mechanisms with closed loops as robot files (docs/robot_format.md), for studies, tests and
// benchmarks; tools/mechanism_gen_main.c writes them to files. All are closed at their pose "start" (or at zero). The same options give the same text on
// every machine.
#ifndef POISE_MODEL_MECHANISM_GEN_H
#define POISE_MODEL_MECHANISM_GEN_H

#include <stdbool.h>

#include "base/textbuf.h"
#include "model/model.h"

typedef enum MechanismKind {
  MECHANISM_LADDER,    // spatial ladder with `size` loops (Anderson and Critchley, figure 9)
  MECHANISM_SQUARES,   // `size` squares side by side, a planar chain (Ascher and Lin, example 4.1)
  MECHANISM_DIAMONDS,  // `size` squares corner to corner, hanging
  MECHANISM_NET,       // net of `width` columns and `size` rows of squares' sides (example 4.2)
  MECHANISM_RING,      // closed chain of `size` pieces with spherical joints (Tasora, table 2)
  MECHANISM_HMMWV,     // vehicle of 14 bodies (Negrut, Serban, Potra, figure 3)
  MECHANISM_SHOULDER,  // spatial loop of 7 bodies and 8 revolute joints (Tasora, table 2)
  MECHANISM_ARM,       // the same with forearm and hand: 9 bodies and 10 revolute joints
  MECHANISM_BICYCLE,   // man on a bicycle, 18 bodies (Tasora, table 2)
  N_MECHANISMS
} MechanismKind;

typedef struct MechanismOptions {
  MechanismKind kind;
  int size;   // at least 1; rings 3
  int width;  // net: columns, at least 2
} MechanismOptions;

extern const char *const mechanism_names[N_MECHANISMS];  // "ladder", ...

// The robot itself, named after its kind.
Status mechanism_build(Model **out, const MechanismOptions *opt, Error *err);

// Appends the text of the robot. Memory failure shows in out->failed.
void mechanism_gen(TextBuf *out, const MechanismOptions *opt);

#endif
