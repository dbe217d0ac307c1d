// SPDX-License-Identifier: MIT
// Spoilt robot files never crash the reader: cut at every byte, and every byte changed. Of use
// under AddressSanitizer above all.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "model/model.h"
#include "unity.h"

static char *text;
static size_t len;
static int n_ok, n_bad;

void setUp(void) {
  n_ok = n_bad = 0;
}

void tearDown(void) {
  free(text);
  text = NULL;
}

static void load(const char *path) {
  Error err = {0};
  free(text);
  text = file_read(path, 1 << 20, &len, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(text, err.what);
}

// reads the text; whatever comes out must be consistent
static void try_it(const char *spoilt) {
  Error err = {0};
  Model *m = NULL;
  Status status = model_parse(&m, spoilt, "fuzz.json", &err);
  bool good = status == STATUS_OK && m != NULL;
  bool refused = status == STATUS_INPUT && m == NULL && err.code == status && err.what[0];
  for (int i = 0; good && i < m->nv; i++) good = m->joint[i].parent < i;
  model_free(m);
  TEST_ASSERT_TRUE_MESSAGE(good || refused, spoilt);
  n_ok += good;
  n_bad += !good;
}

static void test_a_file_cut_at_any_byte_is_refused(void) {
  load("configs/robots/arm_pendulum.json");
  while (len > 0 && text[len - 1] == '\n') text[--len] = '\0';
  char *copy = malloc(len + 1);
  TEST_ASSERT_NOT_NULL(copy);
  for (size_t n = 0; n < len; n++) {
    // a fresh block of the exact size, so that reading beyond it is seen
    char *cut = realloc(copy, n + 1);
    if (!cut) break;
    copy = cut;
    memcpy(copy, text, n);
    copy[n] = '\0';
    try_it(copy);
  }
  free(copy);
  TEST_ASSERT_EQUAL_INT(0, n_ok);
  TEST_ASSERT_EQUAL_INT((int)len, n_bad);
}

static void test_any_byte_may_be_changed(void) {
  static const char other[] = "0-\"{}[],:ex \\\x01\xff";
  load("configs/robots/cartpole.json");
  for (size_t i = 0; i < len; i++) {
    char kept = text[i];
    for (const char *c = other; *c; c++) {
      text[i] = *c;
      try_it(text);
    }
    text[i] = kept;
  }
  TEST_ASSERT_TRUE(n_ok > 0 && n_bad > 0);
}

static void test_many_random_changes_at_once_are_survived(void) {
  Rng rng;
  rng_seed(&rng, 11);
  load("configs/robots/tree14.json");
  char *copy = malloc(len + 1);
  TEST_ASSERT_NOT_NULL(copy);
  for (int round = 0; round < 1500; round++) {
    memcpy(copy, text, len + 1);
    int changes = 1 + rng_int(&rng, 4);
    for (int k = 0; k < changes; k++) {
      // copy a piece from elsewhere: keeps the text close to JSON
      size_t n = 1 + (size_t)rng_int(&rng, 12);
      size_t to = (size_t)rng_int(&rng, (int)(len - n)),
             from = (size_t)rng_int(&rng, (int)(len - n));
      memmove(copy + to, copy + from, n);
    }
    try_it(copy);
  }
  free(copy);
  TEST_ASSERT_EQUAL_INT(1500, n_ok + n_bad);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_file_cut_at_any_byte_is_refused);
  RUN_TEST(test_any_byte_may_be_changed);
  RUN_TEST(test_many_random_changes_at_once_are_survived);
  return UNITY_END();
}
