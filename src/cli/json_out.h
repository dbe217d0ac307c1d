// SPDX-License-Identifier: MIT
// JSON for --json.
#ifndef POISE_CLI_JSON_OUT_H
#define POISE_CLI_JSON_OUT_H

#include "base/error.h"
#include "base/json_out.h"

// Prints the text, complete by now, and a newline on stdout, and frees it.
Status json_out_print(JsonOut *j, Error *err);

#endif
