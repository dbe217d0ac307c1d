// SPDX-License-Identifier: MIT
// Errors with a place. Whatever a user can cause returns a Status and fills an Error, the last
// argument of the call, never NULL: `where` is the file and the JSON path, `what` the value and the
// rule it breaks. The library never prints and never exits; programmer mistakes are asserts.
#ifndef POISE_BASE_ERROR_H
#define POISE_BASE_ERROR_H

#include <stdarg.h>

typedef enum Status {
  STATUS_OK = 0,
  STATUS_INPUT,      // the user's file or argument is wrong
  STATUS_IO,         // a file can't be read or written, a library can't be loaded
  STATUS_NO_MEMORY,  // an allocation failed
  STATUS_NUMERIC,    // NaN or Inf in an evaluation, a singular matrix
} Status;

typedef struct Error {
  Status code;      // STATUS_OK until something fails
  char where[256];  // "file.json: joints[2].axis"; may be empty
  char what[512];   // "0 0 0 is not a direction"
} Error;

// Fills *err (texts cut to fit) and returns `code`, so that a failure is one return statement.
Status error_set(Error *err, Status code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
Status error_setv(Error *err, Status code, const char *where, const char *format, va_list args);

// Out of memory, the one message that is the same everywhere. Returns STATUS_NO_MEMORY, visibly so for
// static analysis.
static inline Status error_no_memory(Error *err) {
  error_set(err, STATUS_NO_MEMORY, "", "out of memory");
  return STATUS_NO_MEMORY;
}

#endif
