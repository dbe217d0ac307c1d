// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, FIRST_BLOCK = 4096, LARGEST_STEP = 1 << 20 };

typedef struct Block {
  struct Block *next;  // older block
  size_t used;         // bytes handed out, counted from `start`
  size_t size;         // bytes that fit behind `start`
  char *start;         // aligned
} Block;

struct Arena {
  Block *head;   // block that is being filled
  size_t step;   // size of the next block
  size_t bytes;  // taken from the system in all
};

Arena *arena_new(void) {
  Arena *arena = calloc(1, sizeof *arena);
  if (arena) arena->step = FIRST_BLOCK;
  return arena;
}

static Block *add_block(Arena *arena, size_t need) {
  size_t size = need > arena->step ? need : arena->step;
  if (size > SIZE_MAX - sizeof(Block) - ALIGN) return NULL;
  Block *block = calloc(1, sizeof *block + ALIGN + size);
  if (!block) return NULL;
  uintptr_t behind = (uintptr_t)(block + 1);
  block->start = (char *)(block + 1) + (ALIGN - behind % ALIGN) % ALIGN;
  block->size = size;
  block->next = arena->head;
  arena->head = block;
  arena->bytes += sizeof *block + ALIGN + size;
  if (arena->step < LARGEST_STEP) arena->step *= 2;
  return block;
}

void *arena_alloc(Arena *arena, size_t size) {
  if (!arena || size > SIZE_MAX - ALIGN) return NULL;
  size_t rounded = (size + ALIGN - 1) / ALIGN * ALIGN;
  if (rounded == 0) rounded = ALIGN;
  Block *block = arena->head;
  if (!block || block->size - block->used < rounded) block = add_block(arena, rounded);
  if (!block) return NULL;
  void *p = block->start + block->used;
  block->used += rounded;
  return p;
}

void *arena_array(Arena *arena, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) return NULL;
  return arena_alloc(arena, count * size);
}

char *arena_strdup(Arena *arena, const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text) + 1;
  char *copy = arena_alloc(arena, n);
  return copy ? memcpy(copy, text, n) : NULL;
}

size_t arena_bytes(const Arena *arena) {
  return arena ? arena->bytes : 0;
}

void arena_free(Arena *arena) {
  if (!arena) return;
  for (Block *block = arena->head; block;) {
    Block *next = block->next;
    free(block);
    block = next;
  }
  free(arena);
}
