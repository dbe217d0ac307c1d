// SPDX-License-Identifier: MIT
// Built without MPI.
#include <stdlib.h>

#include "sweep/sweep_internal.h"
#include "sweep/sweep_mpi.h"

bool sweep_mpi_started(void) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE");
  if (!size) size = getenv("PMI_SIZE");
  return size && atoi(size) > 1;
}

Status sweep_mpi_join(int *rank, int *n_rank, Error *err) {
  *rank = 0;
  *n_rank = 1;
  return error_set(err, STATUS_INPUT, "",
                   "this poise was built without MPI: build it with libopenmpi-dev installed, or "
                   "use --jobs and --shard");
}

Status sweep_mpi_crew(SweepCrew **out, const char *program, int n, double timeout, Error *err) {
  (void)program, (void)n, (void)timeout;
  *out = NULL;
  return error_set(err, STATUS_INPUT, "", "built without MPI");
}

Status sweep_mpi_serve(const char *program, int n, Error *err) {
  (void)program, (void)n;
  return error_set(err, STATUS_INPUT, "", "built without MPI");
}

void sweep_mpi_dismiss(void) {
}
void sweep_mpi_leave(void) {
}
