// SPDX-License-Identifier: MIT
// Small nonlinear programs with known solutions, for the tests of nlp and solver.
#ifndef POISE_TESTS_NLP_SUPPORT_H
#define POISE_TESTS_NLP_SUPPORT_H

#include "nlp/nlp.h"

// Hock and Schittkowski 71: min x0 x3 (x0 + x1 + x2) + x2, product >= 25, sum of squares = 40, 1 <=
// x <= 5.
extern const Nlp hs071;
extern const double hs071_x[4];
extern const double hs071_objective;

extern const Nlp rosenbrock;  // 100 (x1 - x0^2)^2 + (1 - x0)^2, no constraints

// min 1/2 sum (x_i - i)^2 with x_i + x_{i+1} = 1 for every even i: x_i = 0, x_{i+1} = 1,
// lambda = i.
enum { PAIRS = 100 };
extern const Nlp pairs;  // n = 2 PAIRS, m = PAIRS

#endif
