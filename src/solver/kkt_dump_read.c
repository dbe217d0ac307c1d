// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_at.h"
#include "solver/kkt_dump.h"

enum { MAX_FILE = 1 << 30 };

// ---- the map ------------------------------------------------------------------------------------

static bool read_count(const JsonAt *root, const char *key, int *out, Error *err) {
  JsonAt at = json_find(root, key);
  double x;
  if (!json_number(&at, &x, err)) return false;
  if (x < 0 || x > 1e9 || x != floor(x)) {
    json_fail(&at, err, "%g is not a count", x);
    return false;
  }
  *out = (int)x;
  return true;
}

// dim numbers in lower .. upper, to either of the arrays
static bool read_list(const JsonAt *root, const char *key, int dim, int lower, int upper, int *out,
                      unsigned char *small, Error *err) {
  JsonAt list = json_find(root, key);
  if (!json_array(&list, err)) return false;
  if (json_count(&list) != dim) {
    json_fail(&list, err, "has %d entries, dim is %d", json_count(&list), dim);
    return false;
  }
  int i = 0;
  for (JsonAt at = json_first(&list); at.node; json_next(&at), i++) {
    double x;
    if (!json_number(&at, &x, err)) return false;
    if (!(x >= lower && x <= upper)) {
      json_fail(&at, err, "%g is not within %d .. %d", x, lower, upper);
      return false;
    }
    if (out) out[i] = (int)x;
    else small[i] = (unsigned char)x;
  }
  return true;
}

Status kkt_dump_read_map(KktMap *map, const char *path, Arena *arena, Error *err) {
  *map = (KktMap){0};
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path);
  bool ok = read_count(&root, "dim", &map->dim, err) &&
            read_count(&root, "n_stage", &map->n_stage, err) &&
            read_count(&root, "n_free", &map->n_free, err) &&
            read_count(&root, "n_slack", &map->n_slack, err) &&
            read_count(&root, "n_equation", &map->n_equation, err);
  size_t dim = (size_t)map->dim;
  map->stage = ok ? arena_array(arena, dim + 1, sizeof *map->stage) : NULL;
  map->role = ok ? arena_array(arena, dim + 1, sizeof *map->role) : NULL;
  if (ok && (!map->stage || !map->role)) {
    error_no_memory(err);
    ok = false;
  }
  ok = ok && read_list(&root, "role", map->dim, 0, KKT_BORDER, NULL, map->role, err) &&
       read_list(&root, "stage", map->dim, -1, map->n_stage, map->stage, NULL, err);
  if (ok && map->dim != map->n_free + 2 * map->n_slack + map->n_equation) {
    json_fail(&root, err, "dim %d is not n_free + 2 n_slack + n_equation", map->dim);
    ok = false;
  }
  json_free(doc);
  return ok ? STATUS_OK : err->code;
}

// ---- Matrix Market ------------------------------------------------------------------------------

typedef struct Reader {
  const char *path;
  char *text;      // owned
  const char *at;  // what is left
  Error *err;
} Reader;

static Status complain(const Reader *r, const char *what) {
  int line = 1;
  for (const char *c = r->text; c < r->at; c++) line += *c == '\n';
  char where[256];
  snprintf(where, sizeof where, "%.200s: line %d", r->path, line);
  return error_set(r->err, STATUS_INPUT, where, "%s", what);
}

static bool next_int(Reader *r, int *out) {
  char *end;
  long x = strtol(r->at, &end, 10);
  if (end == r->at || x < 0 || x > 1000000000) return false;
  r->at = end;
  *out = (int)x;
  return true;
}

static bool next_double(Reader *r, double *out) {
  char *end;
  *out = strtod(r->at, &end);
  if (end == r->at) return false;
  r->at = end;
  return true;
}

static bool open_file(Reader *r, const char *path, const char *banner, Error *err) {
  size_t len;
  *r = (Reader){.path = path, .err = err};
  r->text = file_read(path, MAX_FILE, &len, err);
  if (!r->text) return false;
  r->at = r->text;
  if (strncmp(r->text, banner, strlen(banner)) == 0 && strchr(r->text, '\n')) return true;
  error_set(err, STATUS_INPUT, path, "does not start with \"%s\"", banner);
  free(r->text);
  r->text = NULL;
  return false;
}

// the line after a comment or the banner; reads what the comments tell
static void skip_comments(Reader *r, KktMatrix *m) {
  while (*r->at == '%') {
    double x;
    if (m && sscanf(r->at, "%%threshold %lf", &x) == 1) m->u = x;
    if (m && sscanf(r->at, "%%negative %lf", &x) == 1) m->n_negative = (int)x;
    if (m && sscanf(r->at, "%%zero %lf", &x) == 1) m->n_zero = (int)x;
    const char *end = strchr(r->at, '\n');
    r->at = end ? end + 1 : r->at + strlen(r->at);
  }
}

static Status read_entries(Reader *r, KktMatrix *m, int nnz) {
  int last = 0;
  for (int e = 0; e < nnz; e++) {
    int i, j;
    if (!next_int(r, &i) || !next_int(r, &j) || !next_double(r, &m->values[e]))
      return complain(r, "an entry is row, column, value");
    if (i < 1 || j < 1 || i > m->n || j > i || j < last)
      return complain(r, "not the lower triangle, column by column");
    m->row[e] = i - 1;
    m->ptr[j]++;
    last = j;
  }
  for (int j = 0; j < m->n; j++) m->ptr[j + 1] += m->ptr[j];
  return STATUS_OK;
}

Status kkt_dump_read_matrix(KktMatrix *m, const char *path, Arena *arena, Error *err) {
  *m = (KktMatrix){.u = NAN, .n_negative = -1, .n_zero = -1};
  Reader r;
  if (!open_file(&r, path, "%%MatrixMarket matrix coordinate real symmetric", err))
    return err->code;
  Status status = STATUS_OK;
  skip_comments(&r, m);
  int rows, nnz;
  if (!next_int(&r, &rows) || !next_int(&r, &m->n) || !next_int(&r, &nnz) || rows != m->n) {
    status = complain(&r, "rows, columns (as many) and entries are missing");
  } else {
    m->ptr = arena_array(arena, (size_t)m->n + 2, sizeof *m->ptr);
    m->row = arena_array(arena, (size_t)nnz + 1, sizeof *m->row);
    m->values = arena_array(arena, (size_t)nnz + 1, sizeof *m->values);
    status = m->ptr && m->row && m->values ? read_entries(&r, m, nnz) : error_no_memory(err);
  }
  free(r.text);
  return status;
}

Status kkt_dump_read_vector(double **x, int n, const char *path, Arena *arena, Error *err) {
  Reader r;
  if (!open_file(&r, path, "%%MatrixMarket matrix array real general", err)) return err->code;
  Status status = STATUS_OK;
  skip_comments(&r, NULL);
  int rows, columns;
  *x = arena_array(arena, (size_t)n + 1, sizeof **x);
  if (!*x) status = error_no_memory(err);
  else if (!next_int(&r, &rows) || !next_int(&r, &columns) || rows != n || columns != 1)
    status = complain(&r, "not one vector of the length of the matrix");
  for (int i = 0; status == STATUS_OK && i < n; i++) {
    if (!next_double(&r, &(*x)[i])) status = complain(&r, "a number is missing");
  }
  free(r.text);
  return status;
}
