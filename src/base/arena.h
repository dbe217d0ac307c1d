// SPDX-License-Identifier: MIT
// One owner for many allocations: a long-lived object takes every array it holds from its arena and
// is freed by one call. Blocks grow geometrically and never move.
#ifndef POISE_BASE_ARENA_H
#define POISE_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

// A new empty arena, or NULL when out of memory.
Arena *arena_new(void);

// `size` zeroed bytes, aligned to 64 (a cache line, an AVX-512 register). NULL when out of memory,
// when `arena` is NULL, or when the size overflows.
void *arena_alloc(Arena *arena, size_t size);
void *arena_array(Arena *arena, size_t count, size_t size);  // count * size bytes, checked

// A copy of a string; NULL when out of memory or when text is NULL.
char *arena_strdup(Arena *arena, const char *text);

// Bytes taken from the system so far.
size_t arena_bytes(const Arena *arena);

// Gives everything back. NULL-safe.
void arena_free(Arena *arena);

#endif
