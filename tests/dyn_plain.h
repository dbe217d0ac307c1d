// SPDX-License-Identifier: MIT
// Multibody dynamics once more, from a Model alone and with plain numbers: positions and motions of
// all bodies in world coordinates, and d'Alembert's principle summed over every pair of a joint and
// a body that it moves. Slow and obvious; shares nothing with src/dynamics, which is tested against
// it.
#ifndef POISE_TESTS_DYN_PLAIN_H
#define POISE_TESTS_DYN_PLAIN_H

#include "model/model.h"

typedef struct PlainBody {
  double R[9], p[3];                      // orientation (column-major) and origin in the world
  double axis[3];                         // of the joint that moves it, in the world
  double w[3], vel[3];                    // angular velocity, velocity of the origin
  double alpha[3], acc[3];                // angular acceleration, acceleration of the origin
  double com[3], com_vel[3], com_acc[3];  // centre of mass in the world
} PlainBody;

// Motion of all bodies. body: nv. a == NULL: zero.
void plain_motion(const Model *m, const double *q, const double *v, const double *a,
                  PlainBody *body);

// Joint forces for a motion, armature and damping included.
void plain_inverse(const Model *m, const double *q, const double *v, const double *a, double *tau);

void plain_energy(const Model *m, const double *q, const double *v, double *kinetic,
                  double *potential);

// World position and velocity of a point of body i (-1: the world).
void plain_point(const PlainBody *body, int i, const double pos[3], double x[3], double dx[3]);

#endif
