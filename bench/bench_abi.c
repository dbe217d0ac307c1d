// SPDX-License-Identifier: MIT
#include "bench_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// the address of NAME + suffix as a function pointer; false if there is none
static bool find(void *library, const char *name, const char *suffix, void *function) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
  void *address = dlsym(library, symbol);
  if (address) memcpy(function, &address, sizeof address);
  return address != NULL;
}

Status bench_abi_load(BenchAbi *f, Arena *arena, const char *path, const char *name, Error *err) {
  *f = (BenchAbi){0};
  Status status = expr_load(&f->checked, path, name, err);
  if (status != STATUS_OK) return status;
  f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!f->library || !find(f->library, name, "", &f->eval)) {
    return error_set(err, STATUS_IO, path, "%s can't be reached", name);
  }
  (void)find(f->library, name, "_lanes", &f->lanes);

  CasadiWork work_sizes;
  CasadiCheckout checkout;
  casadi_int n_arg = f->checked->n_in, n_res = f->checked->n_out, n_iw = 0, n_w = 0;
  if (find(f->library, name, "_work", &work_sizes)) work_sizes(&n_arg, &n_res, &n_iw, &n_w);
  if (find(f->library, name, "_checkout", &checkout)) f->mem = checkout();
  f->arg = arena_array(arena, (size_t)n_arg + 1, sizeof *f->arg);
  f->res = arena_array(arena, (size_t)n_res + 1, sizeof *f->res);
  f->iw = arena_array(arena, (size_t)n_iw + 1, sizeof *f->iw);
  f->w = arena_array(arena, (size_t)n_w + 1, sizeof *f->w);
  f->work = arena_alloc(arena, expr_extern_work_size(f->checked) + 1);
  return f->arg && f->res && f->iw && f->w && f->work ? STATUS_OK : error_no_memory(err);
}

void bench_abi_free(BenchAbi *f) {
  if (f->library) dlclose(f->library);
  expr_extern_free(f->checked);
  *f = (BenchAbi){0};
}
