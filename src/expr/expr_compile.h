// SPDX-License-Identifier: MIT
// Emitted C to a shared object, with the C compiler of the machine.
#ifndef POISE_EXPR_EXPR_COMPILE_H
#define POISE_EXPR_EXPR_COMPILE_H

#include <stdbool.h>

#include "base/error.h"

// Compiles one C file with the command in the environment variable CC (words separated by spaces),
// or cc. native: for the CPU of this machine. The library appears complete or not at all. Fails
// with STATUS_INPUT if there is no compiler, STATUS_IO with the first lines of its complaint if it
// fails.
Status expr_compile(const char *source_path, const char *library_path, bool native, Error *err);

// Is there a C compiler? It is asked for its version.
bool expr_compile_available(void);

#endif
