// SPDX-License-Identifier: MIT
// How the operations of the dynamic terms grow with the number of joints of a chain.
#ifndef POISE_BENCH_BENCH_CHAIN_H
#define POISE_BENCH_BENCH_CHAIN_H

#include "base/error.h"

enum { BENCH_N_CHAINS = 4 };

typedef struct BenchChain {
  int n_joint;                      //
  int implicit_ops;                 // Phi by Newton-Euler
  int explicit_ops;                 // nu by articulated bodies
  double implicit_ms, explicit_ms;  // to build both
} BenchChain;

// Chains of 50, 100, 200, 400 joints with axes y and z in turn.
Status bench_chain_run(BenchChain out[BENCH_N_CHAINS], Error *err);

#endif
