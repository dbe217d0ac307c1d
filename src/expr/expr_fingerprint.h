// SPDX-License-Identifier: MIT
// Fingerprints: the value of an expression at one random point, in exact arithmetic modulo the prime
// p = 2^61 - 1. Two expressions with the same fingerprint are the same function, up to a chance of
// about (degree / p) for each pair (Schwartz 1980, Zippel 1979): so algebraically equal expressions
// are found whatever their shape, and an expression that cancels to zero is seen to be zero.
// Inputs get random values; sin and cos of x get (2t, 1 - t^2) / (1 + t^2) for a random t that
// depends on x, so that sin^2 + cos^2 = 1 holds; other functions get values that depend on x only.
#ifndef POISE_EXPR_EXPR_FINGERPRINT_H
#define POISE_EXPR_EXPR_FINGERPRINT_H

#include "expr/expr.h"

uint64_t fingerprint_const(double value);  // finite, not negative
uint64_t fingerprint_input(int input, int i);
uint64_t fingerprint_op(ExprOp op, uint64_t a, uint64_t b);  // of the operands' fingerprints
uint64_t fingerprint_neg(uint64_t a);

// A random number for an input, from its fingerprint: 0.5 to 1.5, with either sign; k numbers the points.
double fingerprint_sample(uint64_t a, int k);

// A hash that is the same for an expression and its negative.
uint64_t fingerprint_hash(uint64_t a);

#endif
