// SPDX-License-Identifier: MIT
// The conversation with casadi_peer.py: task files out, results in.
#ifndef POISE_BENCH_BENCH_PEER_H
#define POISE_BENCH_BENCH_PEER_H

#include "bench_form.h"

enum { BENCH_N_CHECK = 20 };  // points whose values the peer compares before it times anything

// Writes the robot and the points to the folder, once.
Status bench_peer_write_task(const BenchSetup *setup, Error *err);

// Runs the peer for a formulation and reads what it found into *out (interpreter times as Python
// sees them, operations, sizes). *shim: the folder now holds vm.so.
Status bench_peer_run(BenchForm *out, const BenchSetup *setup, bool *shim, Error *err);

#endif
