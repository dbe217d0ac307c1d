// SPDX-License-Identifier: MIT
#include "base/textbuf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FIRST_SIZE = 256;
static const size_t LARGEST = (size_t)1 << 30;  // bytes of text, with the NUL
static const double LARGEST_WHOLE = 1e15;       // whole numbers below are written without exponent
enum { NAME_TRIES = 100, MOST_DIGITS = 17 };

// room for `more` bytes and the NUL behind the text
static bool reserve(TextBuf *b, size_t more) {
  if (b->failed) return false;
  if (more >= LARGEST - b->len) {
    b->failed = true;
    return false;
  }
  size_t need = b->len + more + 1;
  if (need <= b->cap) return true;
  size_t cap = b->cap ? b->cap : FIRST_SIZE;
  while (cap < need) cap *= 2;
  char *text = realloc(b->text, cap);
  if (!text) {
    b->failed = true;
    return false;
  }
  b->text = text;
  b->cap = cap;
  return true;
}

static void add_bytes(TextBuf *b, const char *bytes, size_t n) {
  if (!reserve(b, n)) return;
  memcpy(b->text + b->len, bytes, n);
  b->len += n;
  b->text[b->len] = '\0';
}

void textbuf_add(TextBuf *b, const char *text) {
  add_bytes(b, text, strlen(text));
}

void textbuf_addf(TextBuf *b, const char *format, ...) {
  // measure, then print in place
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0) b->failed = true;
  if (n < 0 || !reserve(b, (size_t)n)) return;
  va_start(args, format);
  vsnprintf(b->text + b->len, (size_t)n + 1, format, args);
  va_end(args);
  b->len += (size_t)n;
}

void textbuf_add_double(TextBuf *b, double x) {
  assert(isfinite(x));
  char digits[40];
  if (x == 0) {
    textbuf_add(b, signbit(x) ? "-0.0" : "0");
    return;
  }
  if (x == trunc(x) && fabs(x) < LARGEST_WHOLE) {
    textbuf_addf(b, "%.0f", x);
    return;
  }
  // a decimal of up to 15 digits survives the way to a normal double and back, and %g drops zeros
  int few = fabs(x) < DBL_MIN ? 1 : DBL_DIG;
  for (int n = few; n <= MOST_DIGITS; n++) {
    snprintf(digits, sizeof digits, "%.*g", n, x);
    if (strtod(digits, NULL) == x) break;
  }
  // a locale may have put another decimal point
  for (char *c = digits; *c; c++) {
    if (!strchr("0123456789+-e", *c)) *c = '.';
  }
  textbuf_add(b, digits);
}

void textbuf_add_json_string(TextBuf *b, const char *text) {
  textbuf_add(b, "\"");
  for (const char *c = text; *c; c++) {
    switch (*c) {
      case '"': textbuf_add(b, "\\\""); break;
      case '\\': textbuf_add(b, "\\\\"); break;
      case '\n': textbuf_add(b, "\\n"); break;
      case '\t': textbuf_add(b, "\\t"); break;
      case '\r': textbuf_add(b, "\\r"); break;
      default:
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
          textbuf_addf(b, "\\u%04x", (unsigned char)*c);
        } else {
          add_bytes(b, c, 1);
        }
    }
  }
  textbuf_add(b, "\"");
}

void textbuf_free(TextBuf *b) {
  if (!b) return;
  free(b->text);
  *b = (TextBuf){0};
}

// all bytes to the file descriptor; false with errno set on failure
static bool write_all(int fd, const char *text, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    text += done;
    n -= (size_t)done;
  }
  return true;
}

// opens a new file beside `path` (mode as the umask says) and leaves its name in `temp`; -1 if none
static int open_beside(const char *path, char *temp, size_t size) {
  for (int i = 0; i < NAME_TRIES; i++) {
    snprintf(temp, size, "%s.%ld-%d.tmp", path, (long)getpid(), i);
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static Status io_error(Error *err, const char *path, const char *doing) {
  return error_set(err, STATUS_IO, path, "can't %s: %s", doing, strerror(errno));
}

// a device or a pipe (/dev/stdout) has nothing to rename over: written as it is
static Status save_in_place(const TextBuf *b, const char *path, Error *err) {
  int fd = open(path, O_WRONLY);
  if (fd < 0) return io_error(err, path, "open for writing");
  Status status = STATUS_OK;
  if (!write_all(fd, b->text, b->len)) status = io_error(err, path, "write");
  if (close(fd) != 0 && status == STATUS_OK) status = io_error(err, path, "write");
  return status;
}

static Status save_and_rename(const TextBuf *b, const char *path, char *temp, size_t size,
                              Error *err) {
  int fd = open_beside(path, temp, size);
  if (fd < 0) return io_error(err, path, "create");
  Status status = STATUS_OK;
  if (!write_all(fd, b->text, b->len) || fsync(fd) != 0) status = io_error(err, path, "write");
  if (close(fd) != 0 && status == STATUS_OK) status = io_error(err, path, "write");
  if (status == STATUS_OK && rename(temp, path) != 0) status = io_error(err, path, "replace");
  if (status != STATUS_OK) unlink(temp);
  return status;
}

Status textbuf_save(const TextBuf *b, const char *path, Error *err) {
  if (b->failed) {
    return error_set(err, STATUS_NO_MEMORY, path, "text not complete: out of memory or too long");
  }
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    return error_set(err, STATUS_IO, path, "can't write: is a folder");
  }
  if (exists && !S_ISREG(info.st_mode)) return save_in_place(b, path, err);
  size_t size = strlen(path) + 48;
  char *temp = malloc(size);
  if (!temp) return error_no_memory(err);
  Status status = save_and_rename(b, path, temp, size, err);
  free(temp);
  return status;
}
