// SPDX-License-Identifier: MIT
// Geometry in three dimensions for the model readers: rotations, inertia tensors. Matrices are 3x3,
// column-major; results never alias inputs unless a comment says so.
#ifndef POISE_MODEL_GEOM3_H
#define POISE_MODEL_GEOM3_H

// A frame in another one: R maps its coordinates, p is its origin.
typedef struct Frame3 {
  double p[3];  // [m]
  double R[9];
} Frame3;

extern const Frame3 frame3_identity;

// Mass, centre of mass and inertia about it, in the axes of some frame.
typedef struct Inertia3 {
  double mass;    // [kg]
  double com[3];  // [m]
  double I[9];    // about com [kg m^2]
} Inertia3;

// R = Rz(yaw) Ry(pitch) Rx(roll) from {roll, pitch, yaw} in radians or degrees. Rounding residues
// (1e-16) of right angles become exact zeros and ones: they decide which terms the dynamics has.
void geom3_rpy(const double rpy[3], double R[9]);
void geom3_rpy_deg(const double rpy[3], double R[9]);

// A rotation that takes z to the unit vector u: the identity for u = z.
void geom3_z_to(const double u[3], double R[9]);

void geom3_mul(const double A[9], const double B[9], double AB[9]);
void geom3_apply(const double R[9], const double x[3], double Rx[3]);
double geom3_dot(const double a[3], const double b[3]);

// The frame `inner`, given in `outer`, in the frame that `outer` is given in.
Frame3 frame3_compose(const Frame3 *outer, const Frame3 *inner);

// R I R^T, symmetric to the last bit. out may be I.
void geom3_turn_inertia(const double R[9], const double I[9], double out[9]);

// Adds a body given in `frame` to *sum, which is in the frame that `frame` is given in (parallel
// axis theorem). Adding to nothing copies; massless bodies add nothing.
void inertia3_add(Inertia3 *sum, const Inertia3 *body, const Frame3 *frame);

// Moment of inertia about the line through the origin with unit direction `axis`.
double inertia3_about(const Inertia3 *body, const double axis[3]);

// Eigenvalues of a symmetric matrix, ascending (cyclic Jacobi).
void geom3_eigenvalues(const double A[9], double out[3]);

#endif
