// SPDX-License-Identifier: MIT
// A curve as one line of text: block characters where the terminal speaks UTF-8, else ASCII.
#ifndef POISE_CLI_SPARKLINE_H
#define POISE_CLI_SPARKLINE_H

#include <stdio.h>

// Prints n values, in order, as `width` characters between their least and largest; each character
// stands for the mean of its share of the values. NaN and infinities are blanks. n > 0, width > 0.
void sparkline_put(FILE *to, const double *x, int n, int width);

#endif
