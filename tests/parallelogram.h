// SPDX-License-Identifier: MIT
// A parallelogram linkage that falls through its flat position, where its constraints are singular, and
// the pendulum that it moves like.
#ifndef POISE_TESTS_PARALLELOGRAM_H
#define POISE_TESTS_PARALLELOGRAM_H

#include <math.h>
#include <stdbool.h>

// cranks 0.2 m, coupler and ground 0.5 m, rods of 1 kg; starts at 1 rad
static const char parallelogram_text[] =
    "{\"name\": \"parallelogram\", \"planar\": [0, 1, 0], \"bodies\": [{\"name\": \"ground\"},"
    "{\"name\": \"left\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": [1e-4, 0.003, 0.003]},"
    "{\"name\": \"coupler\", \"mass\": 1, \"com\": [0.25, 0, 0], \"inertia\": [1e-4, 0.02, 0.02]},"
    "{\"name\": \"right\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": [1e-4, 0.003, 0.003]}],"
    "\"joints\": [{\"name\": \"left\", \"type\": \"revolute\", \"parent\": \"ground\","
    "\"child\": \"left\", \"axis\": [0, -1, 0]},"
    "{\"name\": \"coupler\", \"type\": \"revolute\", \"parent\": \"left\", \"child\": \"coupler\","
    "\"origin\": {\"xyz\": [0.2, 0, 0]}, \"axis\": [0, -1, 0]},"
    "{\"name\": \"right\", \"type\": \"revolute\", \"parent\": \"ground\", \"child\": \"right\","
    "\"origin\": {\"xyz\": [0.5, 0, 0]}, \"axis\": [0, -1, 0]}],"
    "\"loops\": [{\"name\": \"pin\", \"type\": \"revolute\","
    "\"first\": {\"body\": \"coupler\", \"xyz\": [0.5, 0, 0], \"axis\": [0, 1, 0]},"
    "\"second\": {\"body\": \"right\", \"xyz\": [0.2, 0, 0], \"axis\": [0, 1, 0]}}],"
    "\"poses\": {\"start\": {\"left\": 1, \"coupler\": -1, \"right\": 1}}}";

// (2 (J + m a^2) + m l^2) theta'' = -(2 m a + m l) g cos theta; x: theta, theta'
static inline bool parallelogram_rates(void *data, double t, const double *x, double *dx) {
  (void)data;
  (void)t;
  const double inertia = 2 * (0.003 + 0.1 * 0.1) + 0.2 * 0.2;
  dx[0] = x[1];
  dx[1] = -(2 * 0.1 + 0.2) * 9.81 * cos(x[0]) / inertia;
  return true;
}

#endif
