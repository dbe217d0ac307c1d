// SPDX-License-Identifier: MIT
#include "bench_peer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "base/process.h"
#include "cli/json_out.h"

enum { PATH_SIZE = 4096, MAX_COMPLAINT = 1 << 16 };

static void add_joint(JsonOut *j, const ModelJoint *joint, const ModelBody *body) {
  json_out_open(j, NULL, '{');
  json_out_int(j, "parent", joint->parent);
  json_out_bool(j, "revolute", joint->type == JOINT_REVOLUTE);
  json_out_vector(j, "axis", joint->axis, 3);
  json_out_vector(j, "pos", joint->pos, 3);
  json_out_vector(j, "rot", joint->rot, 9);
  json_out_number(j, "damping", joint->damping);
  json_out_number(j, "armature", joint->armature);
  json_out_number(j, "mass", body->mass);
  json_out_vector(j, "com", body->com, 3);
  json_out_vector(j, "inertia", body->inertia, 9);
  json_out_close(j);
}

Status bench_peer_write_task(const BenchSetup *setup, Error *err) {
  const Model *m = setup->model;
  JsonOut j = {0};
  json_out_open(&j, NULL, '{');
  json_out_int(&j, "points", setup->points->n);
  json_out_vector(&j, "gravity", m->gravity, 3);
  json_out_open(&j, "actuated", '[');
  for (int k = 0; k < m->nu; k++) json_out_int(&j, NULL, m->u_joint[k]);
  json_out_close(&j);
  json_out_open(&j, "joints", '[');
  for (int i = 0; i < m->nv; i++) add_joint(&j, &m->joint[i], &m->body[i]);
  json_out_close(&j);
  json_out_close(&j);
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/task.json", setup->folder);
  Status status = j.buf.failed ? error_no_memory(err) : textbuf_save(&j.buf, path, err);
  textbuf_free(&j.buf);
  if (status != STATUS_OK) return status;
  const BenchPoints *p = setup->points;
  return bench_peer_write(setup->folder, "x.f64", p->by_point, (size_t)p->n * (size_t)p->n_item,
                          err);
}

Status bench_peer_write(const char *folder, const char *name, const double *x, size_t n,
                        Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(x, sizeof *x, n, file) == n;
  if (file && fclose(file) != 0) ok = false;
  return ok ? STATUS_OK : error_set(err, STATUS_IO, path, "can't be written: %s", strerror(errno));
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
