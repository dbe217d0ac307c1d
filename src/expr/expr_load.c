// SPDX-License-Identifier: MIT
// Opens a library and reads what it says about a function.
#include "expr/expr_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "expr/expr_load_internal.h"

// what a sane library stays below
enum { MAX_PORTS = 1 << 16, MAX_SIZE = 1 << 28, MAX_NNZ = 1 << 26, MAX_WORK = 1 << 28 };

typedef struct Load {
  ExprExtern *f;
  struct ExprExternCode *code;
  Error *err;
} Load;

// one side of the function: its inputs or its outputs
typedef struct Side {
  const char *suffix;       // "in", "out"
  CasadiName name;          // NULL: none; sparsity and value too
  CasadiSparsity sparsity;  //
  CasadiDefault value;      //
} Side;

__attribute__((format(printf, 2, 3))) static Status bad(const Load *l, const char *format, ...) {
  char where[sizeof l->err->where];
  snprintf(where, sizeof where, "%s: %s", l->f->path, l->f->name);
  va_list args;
  va_start(args, format);
  Status s = error_setv(l->err, STATUS_INPUT, where, format, args);
  va_end(args);
  return s;
}

// the address of NAME + suffix in *function; NULL if there is none
static void find(const Load *l, const char *suffix, void *function) {
  char symbol[512];
  void *at = NULL;
  int n = snprintf(symbol, sizeof symbol, "%s%s", l->f->name, suffix);
  if (n > 0 && (size_t)n < sizeof symbol) at = dlsym(l->code->library, symbol);
  memcpy(function, &at, sizeof at);  // ISO C has no cast from void * to a function
}

// ---- patterns ----------------------------------------------------------------------------------

static Status dense_pattern(const Load *l, ExprPort *p) {
  int *colptr = arena_array(l->f->arena, (size_t)p->n_col + 1, sizeof *colptr);
  int *row = arena_array(l->f->arena, (size_t)p->nnz + 1, sizeof *row);
  if (!colptr || !row) return error_no_memory(l->err);
  for (int j = 0; j <= p->n_col; j++) colptr[j] = j * p->n_row;
  for (int e = 0; e < p->nnz; e++) row[e] = e % p->n_row;
  p->colptr = colptr;
  p->row = row;
  return STATUS_OK;
}

static Status read_columns(const Load *l, const Side *side, int i, const casadi_int *sp,
                           ExprPort *p) {
  const casadi_int *from = sp + 2;
  casadi_int before = 0;
  for (int j = 0; j <= p->n_col; j++) {
    if (from[j] < before || from[j] - before > p->n_row || from[j] > MAX_NNZ) {
      return bad(l, "sparsity_%s(%d): colptr[%d] = %lld after %lld, with %d rows", side->suffix, i,
                 j, from[j], before, p->n_row);
    }
    before = from[j];
  }
  p->nnz = (int)before;
  int *colptr = arena_array(l->f->arena, (size_t)p->n_col + 1, sizeof *colptr);
  int *row = arena_array(l->f->arena, (size_t)p->nnz + 1, sizeof *row);
  if (!colptr || !row) return error_no_memory(l->err);
  const casadi_int *rows = from + p->n_col + 1;
  for (int j = 0; j <= p->n_col; j++) colptr[j] = (int)from[j];
  for (int j = 0; j < p->n_col; j++) {
    for (int e = colptr[j]; e < colptr[j + 1]; e++) {
      casadi_int least = e > colptr[j] ? rows[e - 1] + 1 : 0;
      if (rows[e] < least || rows[e] >= p->n_row) {
        return bad(l, "sparsity_%s(%d): row %lld in column %d must be in %lld .. %d", side->suffix,
                   i, rows[e], j, least, p->n_row - 1);
      }
      row[e] = (int)rows[e];
    }
  }
  p->colptr = colptr;
  p->row = row;
  return STATUS_OK;
}

static Status read_pattern(const Load *l, const Side *side, int i, ExprPort *p) {
  static const casadi_int scalar[] = {1, 1, 1};
  const casadi_int *sp = side->sparsity ? side->sparsity(i) : NULL;
  if (!sp) sp = scalar;
  if (sp[0] < 0 || sp[0] > MAX_SIZE || sp[1] < 0 || sp[1] > MAX_SIZE) {
    return bad(l, "sparsity_%s(%d): %lld x %lld is no size of a matrix", side->suffix, i, sp[0],
               sp[1]);
  }
  p->n_row = (int)sp[0];
  p->n_col = (int)sp[1];
  if (sp[2] != 0 && sp[2] != 1) {
    return bad(l, "sparsity_%s(%d): colptr[0] is %lld, not 0 (or 1: dense)", side->suffix, i,
               sp[2]);
  }
  if (sp[2] == 0) return read_columns(l, side, i, sp, p);
  if ((long long)p->n_row * p->n_col > MAX_NNZ) {
    return bad(l, "sparsity_%s(%d): %d x %d is too large for a dense matrix", side->suffix, i,
               p->n_row, p->n_col);
  }
  p->nnz = p->n_row * p->n_col;
  return dense_pattern(l, p);
}

// ---- inputs and outputs ------------------------------------------------------------------------

static Status read_name(const Load *l, const Side *side, int i, ExprPort *p) {
  char number[24];
  snprintf(number, sizeof number, "%c%d", side->suffix[0], i);
  const char *name = side->name ? side->name(i) : number;
  if (!name) return bad(l, "name_%s(%d) is NULL", side->suffix, i);
  p->name = arena_strdup(l->f->arena, name);
  return p->name ? STATUS_OK : error_no_memory(l->err);
}

static Status read_ports(const Load *l, const Side *side, const ExprPort **out, int *n,
                         size_t *n_values) {
  char suffix[16];
  snprintf(suffix, sizeof suffix, "_n_%s", side->suffix);
  CasadiCount count_of;
  find(l, suffix, &count_of);
  casadi_int count = count_of ? count_of() : 1;
  if (count < 0 || count > MAX_PORTS) {
    return bad(l, "n_%s is %lld, must be in 0 .. %d", side->suffix, count, MAX_PORTS);
  }
  ExprPort *port = arena_array(l->f->arena, (size_t)count + 1, sizeof *port);
  if (!port) return error_no_memory(l->err);
  for (int i = 0; i < count; i++) {
    Status s = read_name(l, side, i, &port[i]);
    if (s == STATUS_OK) s = read_pattern(l, side, i, &port[i]);
    if (s != STATUS_OK) return s;
    if (side->value) port[i].default_value = side->value(i);
    *n_values += (size_t)port[i].nnz;
  }
  *out = port;
  *n = (int)count;
  return STATUS_OK;
}

// sizes of the work arrays; in bytes too they must be those of our numbers
static Status read_work(const Load *l) {
  casadi_int size[4] = {0}, bytes[4] = {0};
  CasadiWork work, work_bytes;
  find(l, "_work", &work);
  find(l, "_work_bytes", &work_bytes);
  if (work && work(&size[0], &size[1], &size[2], &size[3]) != 0) return bad(l, "work fails");
  for (int k = 0; k < 4; k++) {
    if (size[k] < 0 || size[k] > MAX_WORK) {
      return bad(l, "work asks for %lld elements, must be in 0 .. %d", size[k], MAX_WORK);
    }
  }
  if (work_bytes && work_bytes(&bytes[0], &bytes[1], &bytes[2], &bytes[3]) == 0) {
    if (bytes[2] != size[2] * (casadi_int)sizeof(casadi_int) ||
        bytes[3] != size[3] * (casadi_int)sizeof(casadi_real)) {
      return bad(l, "compiled with another casadi_int than long long, or casadi_real than double");
    }
  }
  struct ExprExternCode *c = l->code;
  c->n_arg = (size_t)(size[0] > l->f->n_in ? size[0] : l->f->n_in);
  c->n_res = (size_t)(size[1] > l->f->n_out ? size[1] : l->f->n_out);
  c->n_iw = (size_t)size[2];
  c->n_w = (size_t)size[3];
  return STATUS_OK;
}

// ---- the library -------------------------------------------------------------------------------

static Status open_library(const Load *l) {
  const char *path = l->f->path;
  struct stat info;
  if (stat(path, &info) != 0) {
    if (errno == ENOENT) return error_set(l->err, STATUS_INPUT, path, "no such file");
    return error_set(l->err, STATUS_IO, path, "can't open: %s", strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return error_set(l->err, STATUS_INPUT, path, "is not a file with a shared object");
  }
  // a name without a folder would be searched for in the system's
  size_t size = strlen(path) + 3;
  char *place = arena_alloc(l->f->arena, size);
  if (!place) return error_no_memory(l->err);
  snprintf(place, size, "%s%s", strchr(path, '/') ? "" : "./", path);
  l->code->library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
  if (l->code->library) return STATUS_OK;
  const char *why = dlerror();
  return error_set(l->err, STATUS_INPUT, path, "can't be loaded as a shared object: %s",
                   why ? why : "unknown reason");
}

static Status find_code(const Load *l) {
  struct ExprExternCode *c = l->code;
  CasadiSignal incref, decref;
  find(l, "", &c->eval);
  if (!c->eval) return bad(l, "the library has no function of this name");
  find(l, "_checkout", &c->checkout);
  find(l, "_release", &c->release);
  find(l, "_lanes", &c->lanes);
  find(l, "_incref", &incref);
  find(l, "_decref", &decref);
  l->f->has_lanes = c->lanes != NULL;
  if (incref) incref();
  c->decref = decref;
  return STATUS_OK;
}

static Status load(const Load *l) {
  Status s = open_library(l);
  if (s == STATUS_OK) s = find_code(l);
  if (s != STATUS_OK) return s;
  Side in = {.suffix = "in"}, out = {.suffix = "out"};
  find(l, "_name_in", &in.name);
  find(l, "_name_out", &out.name);
  find(l, "_sparsity_in", &in.sparsity);
  find(l, "_sparsity_out", &out.sparsity);
  find(l, "_default_in", &in.value);
  s = read_ports(l, &in, &l->f->in, &l->f->n_in, &l->code->n_x);
  if (s == STATUS_OK) s = read_ports(l, &out, &l->f->out, &l->f->n_out, &l->code->n_y);
  if (s == STATUS_OK) s = read_work(l);
  return s;
}

Status expr_load(ExprExtern **out, const char *path, const char *name, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  ExprExtern *f = arena_alloc(arena, sizeof *f);
  struct ExprExternCode *code = arena_alloc(arena, sizeof *code);
  if (!f || !code) {
    arena_free(arena);
    return error_no_memory(err);
  }
  f->arena = arena;
  f->code = code;
  f->name = arena_strdup(arena, name);
  f->path = arena_strdup(arena, path);
  Load l = {f, code, err};
  Status s = f->name && f->path ? load(&l) : error_no_memory(err);
  if (s == STATUS_OK) *out = f;
  else expr_extern_free(f);
  return s;
}

void expr_extern_free(ExprExtern *f) {
  if (!f) return;
  if (f->code->decref) f->code->decref();
  if (f->code->library) dlclose(f->code->library);
  arena_free(f->arena);
}
