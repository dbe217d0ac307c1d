// SPDX-License-Identifier: MIT
// Wall-clock seconds since some fixed moment; only differences mean something.
#ifndef POISE_BASE_CLOCK_H
#define POISE_BASE_CLOCK_H

double clock_seconds(void);

#endif
