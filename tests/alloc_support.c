// SPDX-License-Identifier: MIT
#include "alloc_support.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
void __wrap_free(void *p);

static long count, live, fail_at;
static bool fail_once;

void alloc_fail_from(long n) {
  count = 0;
  fail_at = n;
  fail_once = false;
}

void alloc_fail_only(long n) {
  alloc_fail_from(n);
  fail_once = true;
}

long alloc_count(void) {
  return count;
}

long alloc_live(void) {
  return live;
}

static bool fails(void) {
  count++;
  return fail_at && (fail_once ? count == fail_at : count >= fail_at);
}

void *__wrap_malloc(size_t size) {
  void *p = fails() ? NULL : __real_malloc(size);
  live += p != NULL;
  return p;
}

void *__wrap_calloc(size_t n, size_t size) {
  void *p = fails() ? NULL : __real_calloc(n, size);
  live += p != NULL;
  return p;
}

void *__wrap_realloc(void *old, size_t size) {
  void *p = fails() ? NULL : __real_realloc(old, size);
  live += p != NULL && old == NULL;
  return p;
}

int __wrap_posix_memalign(void **out, size_t align, size_t size) {
  int code = fails() ? ENOMEM : __real_posix_memalign(out, align, size);
  live += code == 0;
  return code;
}

void __wrap_free(void *p) {
  live -= p != NULL;
  __real_free(p);
}

void alloc_hook_cjson(void) {
  cJSON_Hooks hooks = {.malloc_fn = __wrap_malloc, .free_fn = __wrap_free};
  cJSON_InitHooks(&hooks);
}
