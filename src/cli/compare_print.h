// SPDX-License-Identifier: MIT
// A comparison in the terminal.
#ifndef POISE_CLI_COMPARE_PRINT_H
#define POISE_CLI_COMPARE_PRINT_H

#include "report/report_compare_out.h"

// Tables, then what follows in words. width: of the window, for the words.
void compare_print(const Compare *c, const CompareTerms *terms, int n_terms, int width);

#endif
