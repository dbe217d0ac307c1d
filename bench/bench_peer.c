// SPDX-License-Identifier: MIT
#include "bench_peer.h"

#include <math.h>
#include <stdio.h>

#include "base/json_at.h"
#include "base/process.h"
#include "bench_export.h"

enum { PATH_SIZE = 4096, MAX_COMPLAINT = 1 << 16 };

Status bench_peer_write_task(const BenchSetup *setup, Error *err) {
  const Model *m = setup->model;
  JsonOut j = {0};
  json_out_open(&j, NULL, '{');
  json_out_int(&j, "points", setup->points->n);
  bench_export_robot(&j, m);
  json_out_close(&j);
  Status status = bench_export_json(&j, setup->folder, "task.json", err);
  if (status != STATUS_OK) return status;
  const BenchPoints *p = setup->points;
  size_t n = (size_t)p->n * (size_t)p->n_item;
  return bench_export_doubles(setup->folder, "x.f64", p->by_point, n, err);
}

static bool read_int(const JsonAt *at, const char *key, int *out, Error *err) {
  JsonAt value = json_find(at, key);
  double x;
  if (!json_number(&value, &x, err)) return false;
  *out = (int)x;
  return true;
}

static bool read_number(const JsonAt *at, const char *key, double *out, Error *err) {
  JsonAt value = json_find(at, key);
  return json_number(&value, out, err);
}

static bool read_case(const JsonAt *root, const char *name, BenchCase *c, Error *err) {
  JsonAt at = json_find(root, name);
  double single, mapped, difference;
  if (!read_int(&at, "ops", &c->casadi_ops, err) ||
      !read_int(&at, "sincos", &c->casadi_sincos, err) ||
      !read_int(&at, "nonzeros", &c->casadi_nonzeros, err) ||
      !read_number(&at, "difference", &difference, err) ||
      !read_number(&at, "buffer", &single, err) || !read_number(&at, "map", &mapped, err)) {
    return false;
  }
  c->ns[BENCH_CASADI_VM] = fmin(single, mapped);
  c->difference = fmax(c->difference, difference);
  return true;
}

static bool read_result(BenchForm *out, const JsonAt *root, bool *shim, Error *err) {
  JsonAt version = json_find(root, "version"), has_shim = json_find(root, "shim");
  const char *text;
  if (!json_string(&version, &text, err) || !json_bool(&has_shim, shim, err) ||
      !read_number(root, "build_ms", &out->casadi_build_ms, err) ||
      !read_number(root, "compile_s", &out->casadi_compile_s, err)) {
    return false;
  }
  snprintf(out->casadi_version, sizeof out->casadi_version, "%s", text);
  for (int i = 0; i < BENCH_N_FNS; i++) {
    if (!read_case(root, bench_fn_name[i], &out->fn[i], err)) return false;
  }
  return true;
}

Status bench_peer_run(BenchForm *out, const BenchSetup *setup, bool *shim, Error *err) {
  const char *argv[] = {setup->python,   "-B", setup->peer_script, setup->folder,
                        out->form->name, NULL};
  TextBuf said = {0};
  int code = 0;
  Status status = process_run(argv, &said, MAX_COMPLAINT, &code, err);
  if (status == STATUS_OK && code != 0) {
    // the last words matter: a Python traceback ends with its message
    size_t skip = said.len > 400 ? said.len - 400 : 0;
    status = error_set(err, STATUS_NUMERIC, setup->peer_script, "%s: exit code %d: %s",
                       out->form->name, code, said.text ? said.text + skip : "");
  }
  textbuf_free(&said);
  if (status != STATUS_OK) return status;

  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/peer.json", setup->folder);
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path);
  status = read_result(out, &root, shim, err) ? STATUS_OK : err->code;
  json_free(doc);
  out->casadi = status == STATUS_OK;
  return status;
}
