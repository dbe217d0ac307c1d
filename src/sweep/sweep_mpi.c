// SPDX-License-Identifier: MIT
// Ranks as a crew. Rank 0 sends jobs, never more than a rank can work on at once, and takes answers in
// whatever order they come; it looks after worker processes of its own in between.
//
// Three functions go by their second names (PMPI_): sequential MUMPS, which comes with IPOPT, has a stand-in
// for MPI with functions of the first names, and which of them is found depends on the order of libraries.
#include "sweep/sweep_mpi.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sweep/sweep_internal.h"

enum { TAG_TIMEOUT = 1, TAG_JOB, TAG_DONE, TAG_STOP };
enum { NAP = 2 };  // ms between two looks at the messages

bool sweep_mpi_started(void) {
  return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

Status sweep_mpi_join(int *rank, int *n_rank, Error *err) {
  *rank = 0;
  *n_rank = 1;
  if (PMPI_Init(NULL, NULL) != MPI_SUCCESS) return error_set(err, STATUS_IO, "", "MPI can't begin");
  PMPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, n_rank);
  return STATUS_OK;
}

void sweep_mpi_dismiss(void) {
  int n = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int i = 1; i < n; i++) MPI_Send(NULL, 0, MPI_BYTE, i, TAG_STOP, MPI_COMM_WORLD);
}

void sweep_mpi_leave(void) {
  PMPI_Finalize();
}

static void nap(int milliseconds) {
  struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&t, NULL);
}

// a message that has been seen; NULL when out of memory
static unsigned char *receive(const MPI_Status *seen, size_t *n) {
  int count = 0;
  MPI_Get_count(seen, MPI_BYTE, &count);
  unsigned char *bytes = malloc((size_t)count + 1);
  if (!bytes) return NULL;
  MPI_Recv(bytes, count, MPI_BYTE, seen->MPI_SOURCE, seen->MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  *n = (size_t)count;
  return bytes;
}

// `head` and the bytes as one message
static bool send_two(int to, int tag, const void *head, size_t n_head, const unsigned char *bytes,
                     size_t n) {
  unsigned char *all = malloc(n_head + n + 1);
  if (!all) return false;
  memcpy(all, head, n_head);
  if (n) memcpy(all + n_head, bytes, n);
  int code = MPI_Send(all, (int)(n_head + n), MPI_BYTE, to, tag, MPI_COMM_WORLD);
  free(all);
  return code == MPI_SUCCESS;
}

// ---- rank 0 -------------------------------------------------------------------------------------

typedef struct Ranks {
  SweepCrew crew;
  SweepCrew *own;  // processes of this rank
  int n_rank, jobs;
  int *busy;  // n_rank, jobs under way; [0] is unused
} Ranks;

static bool room(const SweepCrew *c) {
  const Ranks *r = (const Ranks *)c;
  if (r->own->ops->room(r->own)) return true;
  for (int i = 1; i < r->n_rank; i++) {
    if (r->busy[i] < r->jobs) return true;
  }
  return false;
}

static Status start(SweepCrew *c, int id, unsigned char *bytes, size_t n, Error *err) {
  Ranks *r = (Ranks *)c;
  // the least busy rank; own processes last, they share the core with this loop
  int least = 0;
  for (int i = 1; i < r->n_rank; i++) {
    if (r->busy[i] < r->jobs && (!least || r->busy[i] < r->busy[least])) least = i;
  }
  if (!least) return r->own->ops->start(r->own, id, bytes, n, err);
  bool sent = send_two(least, TAG_JOB, &id, sizeof id, bytes, n);
  free(bytes);
  if (!sent) return error_set(err, STATUS_IO, "", "can't send to rank %d", least);
  r->busy[least]++;
  return STATUS_OK;
}

// an answer from another rank, if there is one
static bool take_answer(Ranks *r, SweepDone *done) {
  int there = 0;
  MPI_Status seen;
  MPI_Iprobe(MPI_ANY_SOURCE, TAG_DONE, MPI_COMM_WORLD, &there, &seen);
  if (!there) return false;
  size_t n = 0;
  unsigned char *bytes = receive(&seen, &n);
  if (!bytes || n < sizeof *done) {
    free(bytes);
    return false;
  }
  memcpy(done, bytes, sizeof *done);
  done->n = n - sizeof *done;
  memmove(bytes, bytes + sizeof *done, done->n);
  done->bytes = bytes;
  r->busy[seen.MPI_SOURCE]--;
  return true;
}

static bool wait_one(SweepCrew *c, int milliseconds, SweepDone *done) {
  Ranks *r = (Ranks *)c;
  double end = clock_seconds() + milliseconds / 1000.0;
  do {
    if (take_answer(r, done)) return true;
    if (r->own->ops->wait(r->own, NAP, done)) return true;
  } while (clock_seconds() < end);
  return false;
}

static void free_ranks(SweepCrew *c) {
  Ranks *r = (Ranks *)c;
  if (!r) return;
  if (r->own) r->own->ops->free(r->own);
  free(r->busy);
  free(r);
}

static const struct SweepCrewOps ops = {room, start, wait_one, free_ranks};

Status sweep_mpi_crew(SweepCrew **out, const char *program, int n, double timeout, Error *err) {
  *out = NULL;
  Ranks *r = calloc(1, sizeof *r);
  if (!r) return error_no_memory(err);
  r->crew.ops = &ops;
  r->jobs = n;
  MPI_Comm_size(MPI_COMM_WORLD, &r->n_rank);
  r->busy = calloc((size_t)r->n_rank, sizeof *r->busy);
  Status status = r->busy ? sweep_pool_new(&r->own, program, n, timeout, err)
                          : error_no_memory(err);
  for (int i = 1; i < r->n_rank && status == STATUS_OK; i++) {
    MPI_Send(&timeout, 1, MPI_DOUBLE, i, TAG_TIMEOUT, MPI_COMM_WORLD);
  }
  if (status == STATUS_OK) *out = &r->crew;
  else free_ranks(&r->crew);
  return status;
}

// ---- the other ranks ------------------------------------------------------------------------------

// what a message asks for; false: to stop
static Status obey(SweepCrew **pool, const char *program, int n, const MPI_Status *seen, bool *stop,
                   Error *err) {
  size_t size = 0;
  unsigned char *bytes = receive(seen, &size);
  if (!bytes) return error_no_memory(err);
  Status status = STATUS_OK;
  int id = 0;
  double timeout = 0;
  if (seen->MPI_TAG == TAG_TIMEOUT && size == sizeof timeout && !*pool) {
    memcpy(&timeout, bytes, sizeof timeout);
    status = sweep_pool_new(pool, program, n, timeout, err);
  } else if (seen->MPI_TAG == TAG_JOB && size > sizeof id && *pool) {
    memcpy(&id, bytes, sizeof id);
    memmove(bytes, bytes + sizeof id, size - sizeof id);
    return (*pool)->ops->start(*pool, id, bytes, size - sizeof id, err);  // takes bytes
  } else {
    *stop = true;
  }
  free(bytes);
  return status;
}

Status sweep_mpi_serve(const char *program, int n, Error *err) {
  SweepCrew *pool = NULL;
  Status status = STATUS_OK;
  for (bool stop = false; !stop && status == STATUS_OK;) {
    int there = 0;
    MPI_Status seen;
    SweepDone done;
    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &seen);
    if (there) {
      status = obey(&pool, program, n, &seen, &stop, err);
    } else if (!pool) {
      nap(NAP);
    } else if (pool->ops->wait(pool, NAP, &done)) {
      if (!send_two(0, TAG_DONE, &done, sizeof done, done.bytes, done.n)) {
        status = error_no_memory(err);
      }
      free(done.bytes);
    }
  }
  if (pool) pool->ops->free(pool);
  // rank 0 would wait for this one for ever
  if (status != STATUS_OK) MPI_Abort(MPI_COMM_WORLD, 3);
  return status;
}
