// SPDX-License-Identifier: MIT
#include "cli/json_out.h"

#include <math.h>

#include "unity.h"

static JsonOut out;

void setUp(void) {
  out = (JsonOut){0};
}

void tearDown(void) {
  textbuf_free(&out.buf);
}

static void test_commas_and_brackets_come_by_themselves(void) {
  json_out_open(&out, NULL, '{');
  json_out_int(&out, "n", -3);
  json_out_open(&out, "list", '[');
  json_out_open(&out, NULL, '{');
  json_out_bool(&out, "yes", true);
  json_out_bool(&out, "no", false);
  json_out_close(&out);
  json_out_open(&out, NULL, '{');
  json_out_close(&out);
  json_out_close(&out);
  json_out_close(&out);
  TEST_ASSERT_EQUAL_STRING(
      "{\n  \"n\": -3,\n  \"list\": [\n    {\"yes\": true, \"no\": false},\n    {}]\n}",
      out.buf.text);
}

static void test_what_json_cannot_say_is_null(void) {
  const double x[3] = {0.1, INFINITY, NAN};
  json_out_open(&out, NULL, '{');
  json_out_vector(&out, "x", x, 3);
  json_out_string(&out, "none", NULL);
  json_out_string(&out, "quoted", "a \"b\"\n");
  json_out_close(&out);
  TEST_ASSERT_EQUAL_STRING(
      "{\n  \"x\": [0.1, null, null],\n  \"none\": null,\n  \"quoted\": \"a \\\"b\\\"\\n\"\n}",
      out.buf.text);
}

static void test_lost_text_is_an_error_of_the_print(void) {
  Error err = {0};
  json_out_open(&out, NULL, '[');
  out.buf.failed = true;  // as after a failed allocation
  json_out_int(&out, NULL, 1);
  json_out_close(&out);
  TEST_ASSERT_EQUAL_INT(STATUS_NO_MEMORY, json_out_print(&out, &err));
  TEST_ASSERT_EQUAL_STRING("out of memory", err.what);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_commas_and_brackets_come_by_themselves);
  RUN_TEST(test_what_json_cannot_say_is_null);
  RUN_TEST(test_lost_text_is_an_error_of_the_print);
  return UNITY_END();
}
