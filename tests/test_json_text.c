// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <stdio.h>
#include <string.h>

#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_good_texts_pass(void) {
  const char *const good[] = {"0",
                              "-0.5e-3",
                              " [1, 2.5, -3E+4] ",
                              "{}",
                              "[]",
                              "{\"a\": {\"b\": [true, false, null]}}",
                              "\"\\u00e4 \\ud83d\\ude00 \\\" \\\\ \\/ \\b\\f\\n\\r\\t\"",
                              "\"\xc3\xa4\xe2\x82\xac\"",
                              "\xef\xbb\xbf{\"bom\": 1}",
                              "\n\t{ \"x\" : 1e308 }\r\n"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    Error err = {0};
    bool ok = json_text_check(good[i], strlen(good[i]), "f", &err);
    TEST_ASSERT_TRUE_MESSAGE(ok, err.what);
  }
}

typedef struct Bad {
  const char *text;
  const char *where;  // end of err.where
  const char *what;   // part of err.what
} Bad;

static const Bad bad[] = {
    {"", "f", "empty"},
    {" \n ", "f", "empty"},
    {"{\"a\": 1,\n \"b\" 2}", "line 2, column 6", "expected ':', found \"2\""},
    {"{\"a\": 1\n \"b\": 2}", "line 2, column 2", "expected ',' or '}', found '\"'"},
    {"[1, 2", "line 1, column 6", "the end of the file"},
    {"[1, 2,]", "line 1, column 6", "comma before ']'"},
    {"{\"a\": 1,}", "line 1, column 8", "comma before '}'"},
    {"{a: 1}", "line 1, column 2", "key in double quotes, found \"a\""},
    {"{\"a\": 'x'}", "line 1, column 7", "double quotes"},
    {"{} x", "line 1, column 4", "expected the end of the file, found \"x\""},
    {"[NaN]", "line 1, column 2", "finite"},
    {"[-Infinity]", "line 1, column 2", "finite"},
    {"[1e999]", "line 1, column 2", "1e999 is too large"},
    {"[+1]", "line 1, column 2", "start with a digit"},
    {"[.5]", "line 1, column 2", "start with a digit"},
    {"[01]", "line 1, column 2", "start with 0"},
    {"[1.]", "line 1, column 4", "after the decimal point"},
    {"[1e]", "line 1, column 4", "exponent"},
    {"[-]", "line 1, column 2", "expected a value, found \"-\""},
    {"// x\n{}", "line 1, column 1", "comments"},
    {"[tru]", "line 1, column 2", "expected a value, found \"tru\""},
    {"\"abc", "line 1, column 1", "not closed"},
    {"[\"abc\n\"]", "line 1, column 2", "not closed on its line"},
    {"\"\\x\"", "line 1, column 2", "escape"},
    {"\"\\u12g4\"", "line 1, column 2", "hexadecimal"},
    {"\"\\u0000\"", "line 1, column 2", "NUL"},
    {"\"\\ud83d\"", "line 1, column 2", "surrogate"},
    {"\"\x01\"", "line 1, column 2", "control character"},
    {"\"\xff\"", "line 1, column 2", "UTF-8"},
    {"\"\xc0\xaf\"", "line 1, column 2", "UTF-8"},
    {"\"\xed\xa0\x80\"", "line 1, column 2", "UTF-8"},
    {"\"\xc3\xa4\xc3\xa4\" x", "line 1, column 6", "found \"x\""},
    {"[1234567890123456789012345678901234567890123456789012345678901234567890]", "line 1, column 2",
     "longer than 60"},
};

static void test_bad_texts_say_line_column_and_what_was_found(void) {
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    Error err = {0};
    TEST_ASSERT_FALSE_MESSAGE(json_text_check(bad[i].text, strlen(bad[i].text), "f", &err),
                              bad[i].text);
    TEST_ASSERT_EQUAL_INT(STATUS_INPUT, err.code);
    char msg[1024];
    snprintf(msg, sizeof msg, "%s -> %s: %s", bad[i].text, err.where, err.what);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, bad[i].where), msg);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, bad[i].what), msg);
  }
}

static void test_nul_bytes_are_found(void) {
  Error err = {0};
  TEST_ASSERT_FALSE(json_text_check("[1,\0 2]", 7, "f", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.what, "NUL"));
  TEST_ASSERT_EQUAL_STRING("f: line 1, column 4", err.where);
}

static void test_nesting_is_bounded(void) {
  char text[2 * JSON_MAX_DEPTH + 3];
  for (int depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    Error err = {0};
    bool ok = json_text_check(text, (size_t)(2 * depth), "f", &err);
    TEST_ASSERT_EQUAL_INT(depth == JSON_MAX_DEPTH, ok);
    if (!ok) TEST_ASSERT_NOT_NULL(strstr(err.what, "deeper than 64"));
  }
}

static void test_a_long_file_name_keeps_the_place(void) {
  char name[1000];
  memset(name, 'd', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  Error err = {0};
  TEST_ASSERT_FALSE(json_text_check("[", 1, name, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.where, "line 1, column 2"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_good_texts_pass);
  RUN_TEST(test_bad_texts_say_line_column_and_what_was_found);
  RUN_TEST(test_nul_bytes_are_found);
  RUN_TEST(test_nesting_is_bounded);
  RUN_TEST(test_a_long_file_name_keeps_the_place);
  return UNITY_END();
}
