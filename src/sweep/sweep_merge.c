// SPDX-License-Identifier: MIT
// Journals of shards into one: the lines of all, each key once, motions moved with them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "sweep/journal_internal.h"
#include "sweep/sweep_internal.h"

enum { LARGEST_FILE = 64 << 20 };

// the file of a folder as it is; NULL with err filled
static char *read_of(const char *folder, const char *name, Error *err) {
  char path[4096];
  size_t n = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return file_read(path, LARGEST_FILE, &n, err);
}

static Status copy_file(const char *to, const char *from, const char *name, Error *err) {
  char *text = read_of(from, name, err);
  if (!text) return err->code;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", to, name);
  TextBuf b = {0};
  textbuf_add(&b, text);
  Status status = textbuf_save(&b, path, err);
  textbuf_free(&b);
  free(text);
  return status;
}

// all folders must be of one sweep of one robot
static Status check_same(const char *a, const char *b, Error *err) {
  static const char *const names[] = {"robot.json", "sweep.json"};
  for (int i = 0; i < 2; i++) {
    char *of_a = read_of(a, names[i], err);
    char *of_b = of_a ? read_of(b, names[i], err) : NULL;
    bool same = of_a && of_b && strcmp(of_a, of_b) == 0;
    bool both = of_a && of_b;
    free(of_a);
    free(of_b);
    if (!both) return err->code;
    if (!same) {
      return error_set(err, STATUS_INPUT, b, "%s differs from that of %s: not shards of one sweep",
                       names[i], a);
    }
  }
  return STATUS_OK;
}

static Status read_motion(const Journal *j, const JournalRun *r, unsigned char **bytes,
                          Error *err) {
  Trajectory *t = NULL;
  Status status = journal_trajectory(&t, j, r, err);  // checks it
  trajectory_free(t);
  if (status != STATUS_OK) return status;
  char path[4096];
  snprintf(path, sizeof path, "%s/trajectories.bin", j->folder);
  *bytes = malloc((size_t)r->bytes);
  if (!*bytes) return error_no_memory(err);
  FILE *file = fopen(path, "rb");
  bool good = file && fseeko(file, (off_t)r->offset, SEEK_SET) == 0 &&
              fread(*bytes, 1, (size_t)r->bytes, file) == (size_t)r->bytes;
  if (file) fclose(file);
  return good ? STATUS_OK : error_set(err, STATUS_IO, path, "can't read");
}

static Status move_runs(SweepFolder *f, const Journal *have, const Journal *j, int *n_run,
                        Error *err) {
  for (int i = 0; i < j->n_run; i++) {
    JournalRun run = j->run[i];
    const JournalRun *there = journal_find(have, run.key);
    // a run that failed in one folder may be done in another
    if (there && !(sweep_failed(there) && !sweep_failed(&run))) continue;
    unsigned char *bytes = NULL;
    Status status = run.bytes > 0 ? read_motion(j, &run, &bytes, err) : STATUS_OK;
    const JournalPoint *p = &j->point[run.point];
    if (status == STATUS_OK) {
      status = sweep_folder_append(f, j->n_axis, j->axis, p->value,
                                   p->has_target ? p->target : NULL, &j->kase[run.kase], &run,
                                   bytes, (size_t)run.bytes, err);
    }
    free(bytes);
    if (status != STATUS_OK) return status;
    (*n_run)++;
  }
  return STATUS_OK;
}

static Status merge_one(SweepFolder *f, const char *from, int *n_run, Error *err) {
  Journal *have = NULL, *j = NULL;
  Status status = journal_load(&have, f->path, err);
  if (status == STATUS_OK) status = journal_load(&j, from, err);
  if (status == STATUS_OK) status = move_runs(f, have, j, n_run, err);
  journal_free(have);
  journal_free(j);
  return status;
}

Status sweep_merge(const char *folder, const char *const *from, int n_from, int *n_run,
                   Error *err) {
  *n_run = 0;
  Status status = STATUS_OK;
  for (int i = 0; i < n_from && status == STATUS_OK; i++) {
    status = check_same(from[0], from[i], err);
  }
  if (status != STATUS_OK) return status;
  SweepFolder f;
  status = sweep_folder_open(&f, folder, false, err);
  if (status != STATUS_OK) return status;
  char path[4096];
  snprintf(path, sizeof path, "%s/sweep.json", folder);
  if (access(path, F_OK) == 0) {
    status = check_same(from[0], folder, err);
  } else {
    status = copy_file(folder, from[0], "robot.json", err);
    if (status == STATUS_OK) status = copy_file(folder, from[0], "sweep.json", err);
  }
  for (int i = 0; i < n_from && status == STATUS_OK; i++) {
    status = merge_one(&f, from[i], n_run, err);
  }
  sweep_folder_close(&f);
  return status;
}
