// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FIRST_SIZE = 16384;

static Status too_large(const char *path, size_t largest, Error *err) {
  return error_set(err, STATUS_INPUT, path, "larger than the limit of %zu bytes", largest);
}

// size of the first buffer; 0 with err filled if the file can't be what we want
static size_t first_size(int fd, const char *path, size_t largest, Error *err) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    error_set(err, STATUS_IO, path, "can't read: %s", strerror(errno));
    return 0;
  }
  if (S_ISDIR(info.st_mode)) {
    error_set(err, STATUS_INPUT, path, "is a folder, not a file");
    return 0;
  }
  if (!S_ISREG(info.st_mode)) return FIRST_SIZE;
  if ((size_t)info.st_size > largest) {
    too_large(path, largest, err);
    return 0;
  }
  return (size_t)info.st_size + 2;  // one byte more than expected, to see the end, and the NUL
}

// reads to the end, growing as needed; NULL with err filled on failure
static char *read_all(int fd, const char *path, size_t largest, size_t *len, Error *err) {
  size_t cap = first_size(fd, path, largest, err), n = 0;
  if (cap == 0) return NULL;
  char *bytes = malloc(cap);
  if (!bytes) error_no_memory(err);
  while (bytes) {
    ssize_t got = read(fd, bytes + n, cap - 1 - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error_set(err, STATUS_IO, path, "can't read: %s", strerror(errno));
    if (got < 0) break;
    n += (size_t)got;
    if (n > largest) too_large(path, largest, err);
    if (n > largest) break;
    if (got == 0) {
      bytes[n] = '\0';
      *len = n;
      return bytes;
    }
    if (n < cap - 1) continue;
    char *larger = realloc(bytes, cap *= 2);
    if (!larger) error_no_memory(err);
    if (!larger) break;
    bytes = larger;
  }
  free(bytes);
  return NULL;
}

char *file_read(const char *path, size_t largest, size_t *len, Error *err) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) {
    if (errno == ENOENT) {
      error_set(err, STATUS_INPUT, path, "no such file");
    } else {
      error_set(err, STATUS_IO, path, "can't open: %s", strerror(errno));
    }
    return NULL;
  }
  char *bytes = read_all(fd, path, largest, len, err);
  close(fd);
  return bytes;
}
