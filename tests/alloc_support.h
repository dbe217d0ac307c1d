// SPDX-License-Identifier: MIT
// An allocator that counts and can be made to fail, put under the library by the linker
// (-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign,--wrap=free) and under cJSON by its hooks.
#ifndef POISE_TESTS_ALLOC_SUPPORT_H
#define POISE_TESTS_ALLOC_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

// From here on the n-th allocation (counted from 1) and all later ones fail; n == 0: none fails.
void alloc_fail_from(long n);

// The same, but only the n-th fails and later ones succeed.
void alloc_fail_only(long n);

long alloc_count(void);  // allocations since alloc_fail_from or alloc_fail_only, failed ones too
long alloc_live(void);   // blocks in use, over the whole run

void alloc_hook_cjson(void);

#endif
