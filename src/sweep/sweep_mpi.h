// SPDX-License-Identifier: MIT
// Ranks of MPI as a crew: rank 0 reads the sweep, hands out jobs and writes the journal; all ranks, rank 0
// too, do jobs in worker processes. Built with MPI or without (sweep_mpi.c, sweep_mpi_none.c).
#ifndef POISE_SWEEP_SWEEP_MPI_H
#define POISE_SWEEP_SWEEP_MPI_H

#include <stdbool.h>

#include "base/error.h"

// Whether this process was started by mpirun or the like.
bool sweep_mpi_started(void);

// Joins the others and says which rank this is, of how many. Without MPI built in: STATUS_INPUT.
Status sweep_mpi_join(int *rank, int *n_rank, Error *err);

// What ranks other than 0 do until rank 0 has no more work: jobs, n at a time.
Status sweep_mpi_serve(const char *program, int n, Error *err);

// Rank 0 has nothing (more) to do: lets the others go. Then every rank leaves.
void sweep_mpi_dismiss(void);
void sweep_mpi_leave(void);

#endif
