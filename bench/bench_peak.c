// SPDX-License-Identifier: MIT
// The fastest that a core can multiply and add: many independent accumulators, nothing from memory.
#include "base/clock.h"
#include "bench_kkt.h"

typedef double Lanes __attribute__((vector_size(64)));

enum { CHAINS = 12, ROUNDS = 1 << 16, LANES = 8 };

// returns something of the sums, so that nobody leaves them out
__attribute__((target_clones("avx512f", "arch=haswell", "default"), noinline)) static double
multiply_and_add(double x) {
  Lanes sum[CHAINS], factor = (Lanes){0} + x, term = (Lanes){0} + (1.0 - x);
  for (int c = 0; c < CHAINS; c++) sum[c] = (Lanes){0} + (double)c;
  for (int i = 0; i < ROUNDS; i++) {
    for (int c = 0; c < CHAINS; c++) sum[c] = sum[c] * factor + term;
  }
  double total = 0;
  for (int c = 0; c < CHAINS; c++) total += sum[c][c % LANES];
  return total;
}

double bench_peak(void) {
  double best = 1e9;
  volatile double keep = 0;
  for (int i = 0; i < 40; i++) {
    double before = clock_seconds();
    keep = multiply_and_add(0.999 + 1e-20 * keep);
    double seconds = clock_seconds() - before;
    if (seconds < best) best = seconds;
  }
  return 2.0 * CHAINS * LANES * (double)ROUNDS / best;
}
