// SPDX-License-Identifier: MIT
#include "base/rng.h"

#include <assert.h>
#include <math.h>

static uint64_t splitmix(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void rng_seed(Rng *r, uint64_t seed) {
  for (int i = 0; i < 4; i++) r->s[i] = splitmix(&seed);
}

static uint64_t rotate(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

uint64_t rng_next(Rng *r) {
  uint64_t *s = r->s;
  uint64_t result = rotate(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double rng_uniform(Rng *r, double lo, double hi) {
  return lo + (hi - lo) * ((double)(rng_next(r) >> 11) * 0x1p-53);
}

int rng_int(Rng *r, int n) {
  assert(n > 0);
  // multiply and shift: biased by less than n / 2^32, of no weight here
  return (int)(((rng_next(r) >> 32) * (uint64_t)n) >> 32);
}

void rng_direction(Rng *r, double out[3]) {
  // a point of the unit ball, not too near its centre, by rejection
  for (;;) {
    double n2 = 0;
    for (int i = 0; i < 3; i++) {
      out[i] = rng_uniform(r, -1, 1);
      n2 += out[i] * out[i];
    }
    if (n2 > 1 || n2 < 0.01) continue;
    double norm = sqrt(n2);
    for (int i = 0; i < 3; i++) out[i] /= norm;
    return;
  }
}
