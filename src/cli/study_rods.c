// SPDX-License-Identifier: MIT
#include "cli/study_rods.h"

#include <math.h>

static const double GRAVITY = 9.81;

static bool net_new(RodNet *net, Arena *arena, int dim, int n_fixed, int n_joint, int n_rod,
                    double **joint, int (**rod)[2]) {
  *joint = arena_array(arena, (size_t)dim * (size_t)n_joint, sizeof **joint);
  *rod = arena_array(arena, (size_t)n_rod, sizeof **rod);
  *net = (RodNet){.dim = dim,
                  .n_fixed = n_fixed,
                  .n_joint = n_joint,
                  .joint = *joint,
                  .n_rod = n_rod,
                  .rod = (const int(*)[2]) * rod,
                  .mass = 1,
                  .length = 1,
                  .gravity = GRAVITY};
  return *joint && *rod;
}

// Joint 2 i at (i, 0), joint 2 i + 1 above or below it. Rods: the first side, then for every square
// both rails and the far side, whose tip closes the loop.
bool study_squares(RodNet *out, Arena *arena, int n, bool up) {
  double *joint;
  int(*rod)[2], k = 0;
  if (!net_new(out, arena, 2, 1, 2 * n + 2, 3 * n + 1, &joint, &rod)) return false;
  for (int i = 0; i <= n; i++) {
    for (int side = 0; side < 2; side++) {
      joint[2 * (2 * i + side)] = i;
      joint[2 * (2 * i + side) + 1] = side ? (up ? 1 : -1) : 0;
    }
  }
  rod[k][0] = 0;
  rod[k++][1] = 1;
  for (int i = 1; i <= n; i++) {
    for (int side = 0; side < 2; side++, k++) {
      rod[k][0] = 2 * i - 2 + side;
      rod[k][1] = 2 * i + side;
    }
    rod[k][0] = 2 * i;
    rod[k++][1] = 2 * i + 1;
  }
  return true;
}

bool study_net(RodNet *out, Arena *arena, int columns, int rows, double angle) {
  double *joint;
  int(*rod)[2], k = 0;
  int n_joint = columns * (rows + 1), n_rod = (2 * columns - 1) * rows;
  if (!net_new(out, arena, 3, columns, n_joint, n_rod, &joint, &rod)) return false;
  for (int j = 0; j <= rows; j++) {
    for (int i = 0; i < columns; i++) {
      double *x = joint + (size_t)3 * (columns * j + i);
      x[0] = i;
      x[1] = j * sin(angle);
      x[2] = -j * cos(angle);
    }
  }
  for (int j = 1; j <= rows; j++) {
    for (int i = 0; i < columns; i++, k++) {
      rod[k][0] = columns * (j - 1) + i;
      rod[k][1] = columns * j + i;
    }
    for (int i = 1; i < columns; i++, k++) {
      rod[k][0] = columns * j + i - 1;
      rod[k][1] = columns * j + i;
    }
  }
  return true;
}
