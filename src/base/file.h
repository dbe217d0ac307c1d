// SPDX-License-Identifier: MIT
// Reads a whole file into memory, bounded.
#ifndef POISE_BASE_FILE_H
#define POISE_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

// The bytes of a file (or pipe) of at most `largest` bytes, with a NUL behind them that *len does
// not count; the caller frees them with free(). NULL with err filled if the file is missing, a
// folder, too large (STATUS_INPUT) or can't be read (STATUS_IO).
char *file_read(const char *path, size_t largest, size_t *len, Error *err);

#endif
