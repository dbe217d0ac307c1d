// SPDX-License-Identifier: MIT
// KKT systems on disk, for tests and for comparisons with other solvers. One folder per solve:
//   map.json          who belongs where (KktMap)
//   0001.mtx          matrix of factorisation 1: Matrix Market, coordinate, symmetric (lower
//                     triangle, diagonal entries all present); inertia and threshold as comments
//   0001_rhs_01.mtx   right-hand side solved with it first: Matrix Market, array
//   0001_sol_01.mtx   its solution, before any refinement of IPOPT's
// Every file is complete or not there.
#ifndef POISE_SOLVER_KKT_DUMP_H
#define POISE_SOLVER_KKT_DUMP_H

#include "solver/kkt.h"

typedef struct KktDump {
  char folder[3584];  // DIR/001, of this solve
  int matrix;         // number of the last matrix
  int n_rhs, n_sol;   // written with it
} KktDump;

// Makes DIR unless it exists, in it the first folder 001, 002, ... that does not, and its map.json.
Status kkt_dump_open(KktDump *d, const char *dir, const KktMap *map, Error *err);

// Matrix number i, lower triangle by columns, 0-based. info may be NULL.
bool kkt_dump_matrix(KktDump *d, int i, int n, const int *ptr, const int *row, const double *values,
                     double u, const KktInfo *info, Error *err);

// n_rhs vectors of length n, ld apart; kind "rhs" or "sol", each counted on its own.
bool kkt_dump_vectors(KktDump *d, const char *kind, int n, int n_rhs, const double *x, int ld,
                      Error *err);

// ---- reading, arrays from the arena -------------------------------------------------------------

Status kkt_dump_read_map(KktMap *map, const char *path, Arena *arena, Error *err);

typedef struct KktMatrix {
  int n;
  int *ptr;        // n + 1, 0-based
  int *row;        // ptr[n]
  double *values;  // ptr[n]
  double u;        // threshold that was asked for; NAN: not told
  int n_negative;  // found by the solver that wrote it; -1: not told
  int n_zero;      //
} KktMatrix;

// A file as kkt_dump_matrix writes it (columns in order); other Matrix Market files are refused.
Status kkt_dump_read_matrix(KktMatrix *m, const char *path, Arena *arena, Error *err);

// One vector of length n.
Status kkt_dump_read_vector(double **x, int n, const char *path, Arena *arena, Error *err);

#endif
