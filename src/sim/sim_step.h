// SPDX-License-Identifier: MIT
// Explicit Runge-Kutta methods with a fixed step, for x' = f(t, x): what the papers on closed loops
// integrate with, and what shows how constraints drift without an error control that hides it.
//   euler  order 1
//   rk2    order 2, the explicit midpoint rule
//   rk4    order 4, Kutta's classical method
#ifndef POISE_SIM_SIM_STEP_H
#define POISE_SIM_SIM_STEP_H

#include <stdbool.h>

enum { SIM_STEP_STAGES = 4 };

// dx = f(t, x), n each; false if it can't be told at this state (the step is given up).
typedef bool SimRate(void *data, double t, const double *x, double *dx);

// An explicit scheme whose stage s starts from x + c[s] h k[s-1] at t + c[s] h; x += h sum b k.
typedef struct SimScheme {
  const char *name;           // "rk4"
  int order;                  //
  int stages;                 // evaluations of f per step
  double c[SIM_STEP_STAGES];  //
  double b[SIM_STEP_STAGES];  //
} SimScheme;

// NULL if there is none of this name; sim_scheme_names is for messages: "euler, rk2, rk4".
const SimScheme *sim_scheme_find(const char *name);
extern const char sim_scheme_names[];

// One step from t to t + h; x: n, work: SIM_STEP_WORK(n) doubles. False when f was false; then x
// is as before.
#define SIM_STEP_WORK(n) (3 * (n))
bool sim_step(const SimScheme *s, int n, SimRate *f, void *data, double t, double h, double *x,
              double *work);

#endif
