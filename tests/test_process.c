// SPDX-License-Identifier: MIT
#include "base/process.h"

#include <string.h>

#include "unity.h"

static TextBuf output;
static Error err;
static int code;

void setUp(void) {
  err = (Error){0};
}

void tearDown(void) {
  textbuf_free(&output);
}

static Status run(const char *script, size_t largest) {
  const char *const argv[] = {"sh", "-c", script, NULL};
  return process_run(argv, &output, largest, &code, &err);
}

static void test_output_and_exit_code_come_back(void) {
  TEST_ASSERT_EQUAL_INT(STATUS_OK, run("echo one; echo two >&2; exit 3", 1000));
  TEST_ASSERT_EQUAL_INT(3, code);
  TEST_ASSERT_EQUAL_STRING("one\ntwo\n", output.text);
}

static void test_words_are_not_interpreted(void) {
  const char *const argv[] = {"echo", "a  b", "$HOME", "*", ";", NULL};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, process_run(argv, &output, 1000, &code, &err));
  TEST_ASSERT_EQUAL_STRING("a  b $HOME * ;\n", output.text);
}

static void test_long_output_is_cut_and_the_program_ends(void) {
  TEST_ASSERT_EQUAL_INT(STATUS_OK, run("i=0; while [ $i -lt 20000 ]; do echo 0123456789; "
                                       "i=$((i+1)); done; exit 5",
                                       100));
  TEST_ASSERT_EQUAL_INT(100, output.len);
  TEST_ASSERT_EQUAL_INT(5, code);
}

static void test_standard_input_is_empty(void) {
  TEST_ASSERT_EQUAL_INT(STATUS_OK, run("cat; echo end", 1000));
  TEST_ASSERT_EQUAL_STRING("end\n", output.text);
}

static void test_a_signal_is_told(void) {
  TEST_ASSERT_EQUAL_INT(STATUS_OK, run("kill -9 $$", 1000));
  TEST_ASSERT_EQUAL_INT(128 + 9, code);
}

static void test_a_program_that_is_not_there_is_an_error(void) {
  const char *const argv[] = {"no-such-program-here", NULL};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, process_run(argv, &output, 1000, &code, &err));
  TEST_ASSERT_EQUAL_STRING("no-such-program-here", err.where);
  const char *const folder[] = {"/", NULL};
  TEST_ASSERT_NOT_EQUAL_INT(STATUS_OK, process_run(folder, &output, 1000, &code, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_output_and_exit_code_come_back);
  RUN_TEST(test_words_are_not_interpreted);
  RUN_TEST(test_long_output_is_cut_and_the_program_ends);
  RUN_TEST(test_standard_input_is_empty);
  RUN_TEST(test_a_signal_is_told);
  RUN_TEST(test_a_program_that_is_not_there_is_an_error);
  return UNITY_END();
}
