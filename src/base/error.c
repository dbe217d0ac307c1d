// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <stdio.h>

Status error_setv(Error *err, Status code, const char *where, const char *format, va_list args) {
  err->code = code;
  snprintf(err->where, sizeof err->where, "%s", where ? where : "");
  vsnprintf(err->what, sizeof err->what, format, args);
  return code;
}

Status error_set(Error *err, Status code, const char *where, const char *format, ...) {
  va_list args;
  va_start(args, format);
  error_setv(err, code, where, format, args);
  va_end(args);
  return code;
}
