// SPDX-License-Identifier: MIT
// The folder that a sweep writes. Order is everything: a motion is on disk before the line that names it, a
// line is complete or it is torn and dropped; so whenever the program is killed, what the journal says is true.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "sweep/journal_internal.h"
#include "sweep/sweep_internal.h"

enum { TAIL = 1 << 16, ROBOT_BYTES = 16 << 20 };

static Status io_error(Error *err, const char *path, const char *doing) {
  return error_set(err, STATUS_IO, path, "can't %s: %s", doing, strerror(errno));
}

static void place(const SweepFolder *f, const char *name, char *out, size_t size) {
  snprintf(out, size, "%s/%s", f->path, name);
}

// ---- opening ------------------------------------------------------------------------------------

static Status make_folder(const char *path, Error *err) {
  struct stat info;
  if (mkdir(path, 0777) != 0 && errno != EEXIST) return io_error(err, path, "make the folder");
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return STATUS_OK;
  return error_set(err, STATUS_INPUT, path, "is not a folder");
}

// the lock goes with the process: nothing is left behind when it is killed
static Status take_lock(SweepFolder *f, Error *err) {
  char path[4096];
  place(f, "lock", path, sizeof path);
  f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (f->lock < 0) return io_error(err, path, "open");
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(f->lock, F_SETLK, &lock) == 0) return STATUS_OK;
  if (errno != EACCES && errno != EAGAIN) return io_error(err, path, "lock");
  lock.l_type = F_WRLCK;
  bool known = fcntl(f->lock, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
  char who[48] = "";
  if (known) snprintf(who, sizeof who, " (process %ld)", (long)lock.l_pid);
  return error_set(err, STATUS_INPUT, f->path,
                   "another sweep%s is at work in this folder: wait for it or take another folder",
                   who);
}

// cuts off what comes after the last newline
static Status repair(int fd, const char *path, Error *err) {
  off_t end = lseek(fd, 0, SEEK_END), keep = 0;
  if (end < 0) return io_error(err, path, "read");
  char tail[TAIL];
  for (off_t stop = end; stop > 0 && keep == 0;) {
    off_t begin = stop > TAIL ? stop - TAIL : 0;
    ssize_t n = pread(fd, tail, (size_t)(stop - begin), begin);
    if (n != stop - begin) return io_error(err, path, "read");
    for (ssize_t i = n; i > 0 && keep == 0; i--) {
      if (tail[i - 1] == '\n') keep = begin + i;
    }
    stop = begin;
  }
  if (keep == end) return STATUS_OK;
  return ftruncate(fd, keep) == 0 && fsync(fd) == 0 ? STATUS_OK : io_error(err, path, "repair");
}

static Status open_files(SweepFolder *f, bool fresh, Error *err) {
  char path[4096];
  place(f, "journal.jsonl", path, sizeof path);
  struct stat info;
  if (fresh && stat(path, &info) == 0 && info.st_size > 0) {
    return error_set(err, STATUS_INPUT, path,
                     "there are runs already: resume, or take another folder");
  }
  f->journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (f->journal < 0) return io_error(err, path, "open");
  Status status = repair(f->journal, path, err);
  if (status != STATUS_OK) return status;
  place(f, "trajectories.bin", path, sizeof path);
  f->motions = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  return f->motions >= 0 ? STATUS_OK : io_error(err, path, "open");
}

// motions whose lines never came are dropped
static Status find_end(SweepFolder *f, Error *err) {
  Journal *j = NULL;
  Status status = journal_load(&j, f->path, err);
  if (status != STATUS_OK) return status;
  f->end = 0;
  for (int i = 0; i < j->n_run; i++) {
    int64_t end = j->run[i].offset + j->run[i].bytes;
    if (end > f->end) f->end = end;
  }
  journal_free(j);
  struct stat info;
  if (fstat(f->motions, &info) != 0) return io_error(err, f->path, "read the motions");
  if (info.st_size > f->end && ftruncate(f->motions, f->end) != 0) {
    return io_error(err, f->path, "cut the motions");
  }
  return STATUS_OK;
}

Status sweep_folder_open(SweepFolder *f, const char *path, bool fresh, Error *err) {
  *f = (SweepFolder){.lock = -1, .journal = -1, .motions = -1};
  if (strlen(path) >= sizeof f->path - 32) {
    return error_set(err, STATUS_INPUT, "", "the name of the folder is too long");
  }
  snprintf(f->path, sizeof f->path, "%s", path);
  Status status = make_folder(path, err);
  if (status == STATUS_OK) status = take_lock(f, err);
  if (status == STATUS_OK) status = open_files(f, fresh, err);
  if (status == STATUS_OK) status = find_end(f, err);
  if (status != STATUS_OK) sweep_folder_close(f);
  return status;
}

void sweep_folder_close(SweepFolder *f) {
  if (f->journal >= 0) close(f->journal);
  if (f->motions >= 0) close(f->motions);
  if (f->lock >= 0) close(f->lock);  // and with it the lock
  f->journal = f->motions = f->lock = -1;
}

// ---- what it is about ---------------------------------------------------------------------------

static void add_axis(TextBuf *b, const JournalAxis *a) {
  textbuf_add(b, "    {\"name\": ");
  textbuf_add_json_string(b, a->name);
  textbuf_add(b, ", \"unit\": ");
  textbuf_add_json_string(b, a->unit);
  textbuf_add(b, ", \"values\": [");
  for (int i = 0; i < a->n_value; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_double(b, a->value[i]);
  }
  textbuf_add(b, "]");
  if (a->n_label) textbuf_add(b, ", \"labels\": [");
  for (int i = 0; i < a->n_label; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_json_string(b, a->label[i]);
  }
  textbuf_add(b, a->n_label ? "]}" : "}");
}

static void add_numbers(TextBuf *b, const char *key, const double *x, int n) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ", ");
    textbuf_add_double(b, x[i]);
  }
  textbuf_add(b, "], ");
}

static void add_mirror(TextBuf *b, const Sweep *s) {
  const SweepMirror *m = &s->mirror;
  textbuf_add(b, ",\n  \"mirror\": {");
  add_numbers(b, "normal", m->normal, 3);
  textbuf_add(b, "\"offset\": ");
  textbuf_add_double(b, m->offset);
  textbuf_add(b, ", ");
  add_numbers(b, "sign", m->sign, m->nv);
  add_numbers(b, "centre", m->centre, m->nv);
  textbuf_add(b, "\"points\": [");
  for (int p = 0; p < s->n_point; p++) textbuf_addf(b, "%s%d", p ? ", " : "", s->mirror_point[p]);
  textbuf_add(b, "]}");
}

static void add_manifest(TextBuf *b, const Sweep *s) {
  textbuf_add(b, "{\n  \"name\": ");
  textbuf_add_json_string(b, s->name);
  textbuf_add(b, ",\n  \"task\": ");
  textbuf_add_json_string(b, s->task_path);
  textbuf_addf(b, ",\n  \"poise\": \"%s\",\n  \"axes\": [\n", POISE_VERSION);
  for (int i = 0; i < s->n_axis; i++) {
    add_axis(b, &s->axis[i]);
    textbuf_add(b, i + 1 < s->n_axis ? ",\n" : "");
  }
  textbuf_add(b, "]");
  if (s->mirror.found) add_mirror(b, s);
  textbuf_add(b, "\n}\n");
}

Status sweep_folder_describe(SweepFolder *f, const Sweep *s, Error *err) {
  char path[4096];
  place(f, "robot.json", path, sizeof path);
  Status status = STATUS_OK;
  if (access(path, F_OK) == 0) {
    size_t n = 0;
    char *bytes = file_read(path, ROBOT_BYTES, &n, err);
    if (!bytes) return err->code;
    bool same = journal_hash(JOURNAL_HASH_BEGIN, bytes, n) == s->robot_hash;
    free(bytes);
    if (!same) {
      return error_set(
          err, STATUS_INPUT, f->path,
          "the folder is of another robot: its robot.json differs; take another folder");
    }
  } else {
    TextBuf robot = {0};
    textbuf_add(&robot, s->robot);
    status = textbuf_save(&robot, path, err);
    textbuf_free(&robot);
  }
  TextBuf b = {0};
  add_manifest(&b, s);
  place(f, "sweep.json", path, sizeof path);
  if (status == STATUS_OK) status = textbuf_save(&b, path, err);
  textbuf_free(&b);
  return status;
}

// ---- appending ----------------------------------------------------------------------------------

static bool write_at(int fd, const void *bytes, size_t n, off_t at) {
  const char *p = bytes;
  while (n > 0) {
    ssize_t done = pwrite(fd, p, n, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= (size_t)done;
    at += done;
  }
  return true;
}

static bool write_line(int fd, const char *p, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= (size_t)done;
  }
  return true;
}

Status sweep_folder_append(SweepFolder *f, int n_axis, const JournalAxis *axis, const double *value,
                           const double *target, const JournalCase *c, JournalRun *r,
                           const unsigned char *motion, size_t n, Error *err) {
  r->offset = n > 0 ? f->end : 0;
  r->bytes = (int64_t)n;
  if (n > 0 && (!write_at(f->motions, motion, n, f->end) || fdatasync(f->motions) != 0)) {
    return io_error(err, f->path, "write the motion");
  }
  TextBuf b = {0};
  journal_line(&b, n_axis, axis, value, target, c, r);
  Status status = b.failed ? error_no_memory(err) : STATUS_OK;
  if (status == STATUS_OK &&
      (!write_line(f->journal, b.text, b.len) || fdatasync(f->journal) != 0)) {
    status = io_error(err, f->path, "write the journal");
  }
  if (status == STATUS_OK) f->end += (int64_t)n;
  textbuf_free(&b);
  return status;
}
