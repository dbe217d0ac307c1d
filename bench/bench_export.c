// SPDX-License-Identifier: MIT
#include "bench_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

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

void bench_export_robot(JsonOut *j, const Model *m) {
  json_out_vector(j, "gravity", m->gravity, 3);
  json_out_open(j, "actuated", '[');
  for (int k = 0; k < m->nu; k++) json_out_int(j, NULL, m->u_joint[k]);
  json_out_close(j);
  json_out_open(j, "joints", '[');
  for (int i = 0; i < m->nv; i++) add_joint(j, &m->joint[i], &m->body[i]);
  json_out_close(j);
}

Status bench_export_json(JsonOut *j, const char *folder, const char *name, Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  Status status = j->buf.failed ? error_no_memory(err) : textbuf_save(&j->buf, path, err);
  textbuf_free(&j->buf);
  return status;
}

Status bench_export_doubles(const char *folder, const char *name, const double *x, size_t n,
                            Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(x, sizeof *x, n, file) == n;
  if (file && fclose(file) != 0) ok = false;
  return ok ? STATUS_OK : error_set(err, STATUS_IO, path, "can't be written: %s", strerror(errno));
}
