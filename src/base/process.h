// SPDX-License-Identifier: MIT
// Runs another program and waits for it. No shell: the words of the command are passed as they are.
#ifndef POISE_BASE_PROCESS_H
#define POISE_BASE_PROCESS_H

#include "base/error.h"
#include "base/textbuf.h"

// Runs argv[0] (looked up in PATH) with the arguments argv[1..], NULL-terminated, standard input
// empty. What it prints on standard output and standard error is appended to `output`, at most
// `largest` bytes of it. *exit_code: as returned, or 128 + the signal that ended it. STATUS_INPUT
// if there is no such program, STATUS_IO if it can't be run.
Status process_run(const char *const *argv, TextBuf *output, size_t largest, int *exit_code,
                   Error *err);

#endif
