// SPDX-License-Identifier: MIT
#include "solver/kkt_dump.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/textbuf.h"

enum { PATH_SIZE = 4096, MAX_FOLDERS = 999 };

static const char *const roles[] = {"unknown", "equation", "node", "slack", "inequality", "border"};

static Status save(TextBuf *b, const KktDump *d, const char *name, Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", d->folder, name);
  Status status = b->failed ? error_no_memory(err) : textbuf_save(b, path, err);
  textbuf_free(b);
  return status;
}

// numbers of a map, several to a line
static void add_ints(TextBuf *b, const char *key, int n, const int *x, const unsigned char *c) {
  textbuf_addf(b, " \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    textbuf_addf(b, "%s%d", !i ? "" : i % 32 ? ", " : ",\n  ", x ? x[i] : (int)c[i]);
  }
  textbuf_add(b, "]");
}

static Status save_map(const KktDump *d, const KktMap *map, Error *err) {
  TextBuf b = {0};
  textbuf_addf(&b,
               "{\"dim\": %d, \"n_stage\": %d, \"n_free\": %d, \"n_slack\": %d, "
               "\"n_equation\": %d,\n \"roles\": [",
               map->dim, map->n_stage, map->n_free, map->n_slack, map->n_equation);
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
    textbuf_addf(&b, "%s\"%s\"", i ? ", " : "", roles[i]);
  }
  textbuf_add(&b, "],\n");
  add_ints(&b, "role", map->dim, NULL, map->role);
  textbuf_add(&b, ",\n");
  add_ints(&b, "stage", map->dim, map->stage, NULL);
  textbuf_add(&b, "}\n");
  return save(&b, d, "map.json", err);
}

Status kkt_dump_open(KktDump *d, const char *dir, const KktMap *map, Error *err) {
  *d = (KktDump){0};
  if (strlen(dir) + 8 > sizeof d->folder)
    return error_set(err, STATUS_IO, dir, "the name of the folder is too long");
  if (mkdir(dir, 0777) != 0 && errno != EEXIST)
    return error_set(err, STATUS_IO, dir, "can't make the folder: %s", strerror(errno));
  for (int i = 1; i <= MAX_FOLDERS; i++) {
    snprintf(d->folder, sizeof d->folder, "%s/%03d", dir, i);
    if (mkdir(d->folder, 0777) == 0) return save_map(d, map, err);
    if (errno != EEXIST)
      return error_set(err, STATUS_IO, d->folder, "can't make the folder: %s", strerror(errno));
  }
  return error_set(err, STATUS_IO, dir, "has %d folders of systems already", MAX_FOLDERS);
}

// textbuf_add_double wants finite numbers; Matrix Market readers know inf and nan
static void add_value(TextBuf *b, double x) {
  if (isfinite(x)) textbuf_add_double(b, x);
  else textbuf_add(b, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

bool kkt_dump_matrix(KktDump *d, int i, int n, const int *ptr, const int *row, const double *values,
                     double u, const KktInfo *info, Error *err) {
  char name[32];
  snprintf(name, sizeof name, "%04d.mtx", i);
  d->matrix = i;
  d->n_rhs = d->n_sol = 0;
  TextBuf b = {0};
  textbuf_add(&b, "%%MatrixMarket matrix coordinate real symmetric\n");
  textbuf_addf(&b, "%%threshold %g\n", u);
  if (info) textbuf_addf(&b, "%%negative %d\n%%zero %d\n", info->n_negative, info->n_zero);
  textbuf_addf(&b, "%d %d %d\n", n, n, ptr[n]);
  for (int j = 0; j < n; j++) {
    for (int e = ptr[j]; e < ptr[j + 1]; e++) {
      textbuf_addf(&b, "%d %d ", row[e] + 1, j + 1);
      add_value(&b, values[e]);
      textbuf_add(&b, "\n");
    }
  }
  return save(&b, d, name, err) == STATUS_OK;
}

bool kkt_dump_vectors(KktDump *d, const char *kind, int n, int n_rhs, const double *x, int ld,
                      Error *err) {
  int *count = strcmp(kind, "rhs") == 0 ? &d->n_rhs : &d->n_sol;
  for (int k = 0; k < n_rhs; k++) {
    char name[64];
    snprintf(name, sizeof name, "%04d_%.8s_%02d.mtx", d->matrix, kind, ++*count);
    TextBuf b = {0};
    textbuf_addf(&b, "%%%%MatrixMarket matrix array real general\n%d 1\n", n);
    for (int i = 0; i < n; i++) {
      add_value(&b, x[i + (size_t)k * (size_t)ld]);
      textbuf_add(&b, "\n");
    }
    if (save(&b, d, name, err) != STATUS_OK) return false;
  }
  return true;
}
