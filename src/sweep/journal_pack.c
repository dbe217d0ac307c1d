// SPDX-License-Identifier: MIT
// Motions in trajectories.bin. A record, in the byte order of the machine (little-endian everywhere that
// matters; the magic word tells):
//   uint32 magic, nv, nu, N, d, n_control, precision (4 or 8), 0;  uint64 hash of what follows
//   double time[N + 1], point[d];  float or double q[nv x (N + 1)], v[..], u[nu x n_control],
//   a[nv x (N d)]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sweep/journal_internal.h"

static const uint32_t MAGIC = 0x314a5450;  // "PTJ1"
static const uint32_t MOST = 1 << 20;      // of any size in a header

typedef struct Header {
  uint32_t magic, nv, nu, n_interval, n_point, n_control, precision, zero;
  uint64_t hash;
} Header;

uint64_t journal_hash(uint64_t h, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211u;
  return h;
}

// the arrays that are kept in either precision
typedef struct Part {
  double *x;
  size_t n;
} Part;
enum { N_PART = 4 };

static void parts(const Trajectory *t, Part part[N_PART]) {
  size_t nv = (size_t)t->nv, nodes = (size_t)t->n_interval + 1;
  part[0] = (Part){t->q, nv * nodes};
  part[1] = (Part){t->v, nv * nodes};
  part[2] = (Part){t->u, (size_t)t->nu * (size_t)t->n_control};
  part[3] = (Part){t->pa, nv * (size_t)t->n_interval * (size_t)t->n_point};
}

static size_t packed_size(const Header *h) {
  size_t nodes = (size_t)h->n_interval + 1;
  size_t points = (size_t)h->n_interval * h->n_point;
  return sizeof *h + (nodes + h->n_point) * sizeof(double) +
         (2 * h->nv * nodes + (size_t)h->nu * h->n_control + h->nv * points) * h->precision;
}

static unsigned char *put(unsigned char *to, const double *x, size_t n, bool single) {
  if (!single) {
    memcpy(to, x, n * sizeof *x);
    return to + n * sizeof *x;
  }
  for (size_t i = 0; i < n; i++) {
    float f = (float)x[i];
    memcpy(to + i * sizeof f, &f, sizeof f);
  }
  return to + n * sizeof(float);
}

static const unsigned char *get(const unsigned char *from, double *x, size_t n, bool single) {
  if (!single) {
    memcpy(x, from, n * sizeof *x);
    return from + n * sizeof *x;
  }
  for (size_t i = 0; i < n; i++) {
    float f = 0;
    memcpy(&f, from + i * sizeof f, sizeof f);
    x[i] = f;
  }
  return from + n * sizeof(float);
}

Status journal_pack(unsigned char **bytes, size_t *n, const Trajectory *t, bool single,
                    Error *err) {
  Header h = {.magic = MAGIC,
              .nv = (uint32_t)t->nv,
              .nu = (uint32_t)t->nu,
              .n_interval = (uint32_t)t->n_interval,
              .n_point = (uint32_t)t->n_point,
              .n_control = (uint32_t)t->n_control,
              .precision = single ? sizeof(float) : sizeof(double)};
  *n = packed_size(&h);
  *bytes = malloc(*n);
  if (!*bytes) return error_no_memory(err);
  unsigned char *to = *bytes + sizeof h;
  to = put(to, t->time, (size_t)t->n_interval + 1, false);
  to = put(to, t->point, (size_t)t->n_point, false);
  Part part[N_PART];
  parts(t, part);
  for (int i = 0; i < N_PART; i++) to = put(to, part[i].x, part[i].n, single);
  h.hash = journal_hash(JOURNAL_HASH_BEGIN, *bytes + sizeof h, *n - sizeof h);
  memcpy(*bytes, &h, sizeof h);
  return STATUS_OK;
}

static Status check_header(const Header *h, const unsigned char *bytes, size_t n, const char *name,
                           Error *err) {
  if (h->magic != MAGIC) return error_set(err, STATUS_INPUT, name, "no motion there");
  bool sane = h->nv > 0 && h->nv < MOST && h->nu < MOST && h->n_interval > 0 &&
              h->n_interval < MOST && h->n_point > 0 && h->n_point <= OCP_MAX_DEGREE &&
              h->n_control < MOST && (h->precision == 4 || h->precision == 8);
  if (!sane || packed_size(h) != n) {
    return error_set(err, STATUS_INPUT, name, "a motion of %zu bytes with the wrong sizes", n);
  }
  if (journal_hash(JOURNAL_HASH_BEGIN, bytes + sizeof *h, n - sizeof *h) != h->hash) {
    return error_set(err, STATUS_INPUT, name, "a motion that has been damaged: its hash is wrong");
  }
  return STATUS_OK;
}

Status journal_unpack(Trajectory **out, const unsigned char *bytes, size_t n, const char *name,
                      Error *err) {
  *out = NULL;
  Header h = {0};
  if (n >= sizeof h) memcpy(&h, bytes, sizeof h);
  Status status = check_header(&h, bytes, n, name, err);
  if (status != STATUS_OK) return status;
  status = trajectory_new(out, (int)h.nv, (int)h.nu, (int)h.n_interval, (int)h.n_point,
                          (int)h.n_control, err);
  if (status != STATUS_OK) return status;
  Trajectory *t = *out;
  const unsigned char *from = bytes + sizeof h;
  from = get(from, t->time, (size_t)t->n_interval + 1, false);
  from = get(from, t->point, (size_t)t->n_point, false);
  Part part[N_PART];
  parts(t, part);
  for (int i = 0; i < N_PART; i++) from = get(from, part[i].x, part[i].n, h.precision == 4);
  trajectory_fill_points(t);
  return STATUS_OK;
}

Status journal_trajectory(Trajectory **out, const Journal *j, const JournalRun *r, Error *err) {
  *out = NULL;
  char path[4096];
  snprintf(path, sizeof path, "%s/trajectories.bin", j->folder);
  if (r->bytes <= 0) return error_set(err, STATUS_INPUT, path, "the motion was not kept");
  unsigned char *bytes = malloc((size_t)r->bytes);
  if (!bytes) return error_no_memory(err);
  FILE *file = fopen(path, "rb");
  bool good = file && fseeko(file, (off_t)r->offset, SEEK_SET) == 0 &&
              fread(bytes, 1, (size_t)r->bytes, file) == (size_t)r->bytes;
  if (file) fclose(file);
  Status status =
      good ? journal_unpack(out, bytes, (size_t)r->bytes, path, err)
           : error_set(err, STATUS_IO, path, "can't read the motion at %lld", (long long)r->offset);
  free(bytes);
  return status;
}
