// SPDX-License-Identifier: MIT
// What was measured, for people and for machines.
#ifndef POISE_BENCH_BENCH_PRINT_H
#define POISE_BENCH_BENCH_PRINT_H

#include "bench_chain.h"
#include "bench_form.h"

typedef struct BenchReport {
  const char *robot;         //
  int n_point, repetitions;  //
  int n_form;                //
  const BenchForm *form;     // n_form
  const BenchChain *chain;   // BENCH_N_CHAINS
  const char *cpu;           //
} BenchReport;

void bench_print_text(const BenchReport *r);
Status bench_print_json(const BenchReport *r, Error *err);

#endif
