// SPDX-License-Identifier: MIT
// A sparse nonlinear program as plain data, the waist between transcription and solver:
//   minimise f(x)  subject to  g_lower <= g(x) <= g_upper,  x_lower <= x <= x_upper
// The solver knows no robot and no time, the transcription no solver. Infinite bounds are INFINITY.
#ifndef POISE_NLP_NLP_H
#define POISE_NLP_NLP_H

#include <stdbool.h>
#include <stddef.h>

// What a variable or a row is, for solvers that use the structure in time.
typedef enum NlpKind {
  NLP_NODE_STATE,         // state at a node
  NLP_CONTROL,            // control of an interval or at a node
  NLP_INTERIOR_UNKNOWN,   // state or acceleration at a collocation point
  NLP_INTERIOR_EQUATION,  // dynamics or collocation row of an interval
  NLP_CONTINUITY,         // joins an interval to the next node
  NLP_BOUNDARY,           // start or goal
  NLP_GLOBAL,             // final time and the like: belongs to no interval
} NlpKind;

typedef struct Nlp {
  int n;            // variables
  int m;            // constraints
  double *x_lower;  // n
  double *x_upper;  // n
  double *x_start;  // n, where the solver begins
  double *g_lower;  // m
  double *g_upper;  // m
  int jac_nnz;      //
  int *jac_row;     // jac_nnz, 0-based
  int *jac_col;     // jac_nnz
  int hess_nnz;     //
  int *hess_row;    // hess_nnz, row >= column
  int *hess_col;    // hess_nnz
  int n_stage;      // intervals; 0: no stage map
  int *x_stage;     // n, interval (or node) of a variable; -1 for NLP_GLOBAL
  int *g_stage;     // m
  NlpKind *x_kind;  // n
  NlpKind *g_kind;  // m
  void *data;       // passed to the functions below

  // Each returns false where the function has no finite value; the solver then backs off. x is the same
  // array content as in the call before unless new_x. Nothing here allocates.
  bool (*objective)(void *data, const double *x, bool new_x, double *f);
  bool (*gradient)(void *data, const double *x, bool new_x, double *grad);    // n, dense
  bool (*constraints)(void *data, const double *x, bool new_x, double *g);    // m
  bool (*jacobian)(void *data, const double *x, bool new_x, double *values);  // jac_nnz
  bool (*hessian)(void *data, const double *x, bool new_x, double sigma, const double *lambda,
                  double *values);  // hess_nnz: of sigma f + lambda^T g

  // Names for messages: "q2 at 0.36 s, point 3 of interval 18". Cut to fit.
  void (*name_variable)(const void *data, int i, char *out, size_t size);
  void (*name_constraint)(const void *data, int i, char *out, size_t size);
} Nlp;

#endif
