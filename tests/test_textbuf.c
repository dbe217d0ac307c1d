// SPDX-License-Identifier: MIT
#include "base/textbuf.h"

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "unity.h"

static TextBuf b;
static Error err;
static char folder[] = "/tmp/poise_textbuf_XXXXXX";
static char path[256];

void setUp(void) {
  b = (TextBuf){0};
  err = (Error){0};
}

void tearDown(void) {
  textbuf_free(&b);
}

static void test_text_is_appended_and_terminated(void) {
  textbuf_add(&b, "one");
  textbuf_addf(&b, " %d %s", 2, "three");
  TEST_ASSERT_EQUAL_STRING("one 2 three", b.text);
  TEST_ASSERT_EQUAL_INT(11, b.len);
  for (int i = 0; i < 10000; i++) textbuf_add(&b, "0123456789");
  TEST_ASSERT_EQUAL_INT(11 + 100000, b.len);
  TEST_ASSERT_EQUAL_INT(b.len, strlen(b.text));
  TEST_ASSERT_FALSE(b.failed);
}

static void test_a_failed_buffer_stays_as_it_is(void) {
  textbuf_add(&b, "kept");
  b.failed = true;
  textbuf_add(&b, "lost");
  textbuf_addf(&b, "%d", 1);
  textbuf_add_double(&b, 1.5);
  TEST_ASSERT_EQUAL_STRING("kept", b.text);
  TEST_ASSERT_EQUAL_INT(STATUS_NO_MEMORY, textbuf_save(&b, path, &err));
}

static void check_double(double x, const char *text) {
  textbuf_free(&b);
  textbuf_add_double(&b, x);
  TEST_ASSERT_EQUAL_STRING(text, b.text);
}

static void test_doubles_are_short(void) {
  check_double(0, "0");
  check_double(-0.0, "-0.0");
  check_double(0.1, "0.1");
  check_double(-9.81, "-9.81");
  check_double(100000, "100000");
  check_double(1e-300, "1e-300");
  check_double(1e22, "1e+22");
  check_double(1.0 / 3, "0.3333333333333333");
}

static void test_doubles_read_back_exactly(void) {
  Rng rng;
  rng_seed(&rng, 5);
  const double special[] = {DBL_MAX, DBL_MIN, 5e-324, -DBL_MAX, DBL_EPSILON, 1 + DBL_EPSILON};
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = rng_next(&rng);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (i < 6) x = special[i];
    if (!isfinite(x)) continue;
    textbuf_free(&b);
    textbuf_add_double(&b, x);
    double back = strtod(b.text, NULL);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(&back, &x, sizeof x), b.text);
  }
}

static void test_json_strings_are_escaped(void) {
  textbuf_add_json_string(&b, "a\"b\\c\n\t\r\x01\x7f\xc3\xa4");
  TEST_ASSERT_EQUAL_STRING("\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\xc3\xa4\"", b.text);
}

static int count_files(void) {
  DIR *dir = opendir(folder);
  TEST_ASSERT_NOT_NULL(dir);
  int n = 0;
  while (readdir(dir)) n++;
  closedir(dir);
  return n - 2;  // . and ..
}

static void test_a_saved_file_holds_the_text_and_nothing_else_remains(void) {
  snprintf(path, sizeof path, "%s/a.txt", folder);
  for (int round = 0; round < 2; round++) {
    textbuf_addf(&b, "round %d\n", round);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, textbuf_save(&b, path, &err), err.what);
    size_t len = 0;
    char *text = file_read(path, 1000, &len, &err);
    TEST_ASSERT_NOT_NULL(text);
    bool same = strcmp(text, b.text) == 0 && len == b.len;
    free(text);
    TEST_ASSERT_TRUE(same);
    TEST_ASSERT_EQUAL_INT(1, count_files());
  }
  unlink(path);
}

static void test_an_empty_buffer_saves_an_empty_file(void) {
  snprintf(path, sizeof path, "%s/empty.txt", folder);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, textbuf_save(&b, path, &err));
  struct stat info;
  TEST_ASSERT_EQUAL_INT(0, stat(path, &info));
  TEST_ASSERT_EQUAL_INT(0, info.st_size);
  unlink(path);
}

static void test_a_failed_save_says_why_and_leaves_no_trace(void) {
  textbuf_add(&b, "x");
  TEST_ASSERT_EQUAL_INT(STATUS_IO, textbuf_save(&b, folder, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.what, "folder"));
  snprintf(path, sizeof path, "%s/no/such/file", folder);
  TEST_ASSERT_EQUAL_INT(STATUS_IO, textbuf_save(&b, path, &err));
  TEST_ASSERT_EQUAL_STRING(path, err.where);
  TEST_ASSERT_EQUAL_INT(0, count_files());
}

static void test_a_device_is_written_not_replaced(void) {
  textbuf_add(&b, "x");
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, textbuf_save(&b, "/dev/null", &err), err.what);
  struct stat info;
  TEST_ASSERT_EQUAL_INT(0, stat("/dev/null", &info));
  TEST_ASSERT_TRUE(S_ISCHR(info.st_mode));
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  UNITY_BEGIN();
  RUN_TEST(test_text_is_appended_and_terminated);
  RUN_TEST(test_a_failed_buffer_stays_as_it_is);
  RUN_TEST(test_doubles_are_short);
  RUN_TEST(test_doubles_read_back_exactly);
  RUN_TEST(test_json_strings_are_escaped);
  RUN_TEST(test_a_saved_file_holds_the_text_and_nothing_else_remains);
  RUN_TEST(test_an_empty_buffer_saves_an_empty_file);
  RUN_TEST(test_a_failed_save_says_why_and_leaves_no_trace);
  RUN_TEST(test_a_device_is_written_not_replaced);
  rmdir(folder);
  return UNITY_END();
}
