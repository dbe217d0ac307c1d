// SPDX-License-Identifier: MIT
// A small reproducible random generator: xoshiro256** (Blackman and Vigna, "Scrambled linear
// pseudorandom number generators", 2021), seeded by splitmix64. The same seed gives the same
// numbers on every machine. Not for secrets.
#ifndef POISE_BASE_RNG_H
#define POISE_BASE_RNG_H

#include <stdint.h>

typedef struct Rng {
  uint64_t s[4];  // never all zero
} Rng;

// Starts the sequence of `seed`; every seed is good, 0 too.
void rng_seed(Rng *r, uint64_t seed);

// The next 64 random bits.
uint64_t rng_next(Rng *r);

// Uniform in [lo, hi), with 53 random bits.
double rng_uniform(Rng *r, double lo, double hi);

// Uniform in 0 .. n-1; n > 0.
int rng_int(Rng *r, int n);

// A direction, uniform on the unit sphere.
void rng_direction(Rng *r, double out[3]);

#endif
