// SPDX-License-Identifier: MIT
#include "base/json_at.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_keys.h"
#include "unity.h"

static struct cJSON *doc;
static Error err;

void setUp(void) {
  doc = NULL;
  err = (Error){0};
}

void tearDown(void) {
  json_free(doc);
}

static JsonAt parse(const char *text) {
  json_free(doc);
  doc = json_parse(text, strlen(text), "f.json", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  return json_root(doc, "f.json");
}

static void test_values_are_read_by_type(void) {
  JsonAt root = parse("{\"x\": 2.5, \"b\": true, \"s\": \"text\", \"v\": [1, 2, 3], \"o\": {}}");
  JsonAt x = json_find(&root, "x"), b = json_find(&root, "b"), s = json_find(&root, "s");
  JsonAt v = json_find(&root, "v"), o = json_find(&root, "o");
  double number = 0, three[3] = {0};
  bool truth = false;
  const char *text = NULL;
  TEST_ASSERT_TRUE(json_number(&x, &number, &err));
  TEST_ASSERT_TRUE(json_bool(&b, &truth, &err));
  TEST_ASSERT_TRUE(json_string(&s, &text, &err));
  TEST_ASSERT_TRUE(json_numbers(&v, 3, three, &err));
  TEST_ASSERT_TRUE(json_array(&v, &err));
  TEST_ASSERT_TRUE(json_object(&o, &err));
  TEST_ASSERT_EQUAL_DOUBLE(2.5, number);
  TEST_ASSERT_TRUE(truth);
  TEST_ASSERT_EQUAL_STRING("text", text);
  TEST_ASSERT_EQUAL_DOUBLE(3, three[2]);
  TEST_ASSERT_EQUAL_INT(5, json_count(&root));
}

static void test_a_path_names_file_keys_and_indices(void) {
  JsonAt root = parse("{\"joints\": [{}, {}, {\"limits\": {\"upper\": \"high\"}}]}");
  JsonAt joints = json_find(&root, "joints");
  JsonAt joint = json_first(&joints);
  json_next(&joint);
  json_next(&joint);
  JsonAt limits = json_find(&joint, "limits"), upper = json_find(&limits, "upper");
  double x = 7;
  TEST_ASSERT_FALSE(json_number(&upper, &x, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, err.code);
  TEST_ASSERT_EQUAL_STRING("f.json: joints[2].limits.upper", err.where);
  TEST_ASSERT_EQUAL_STRING("must be a number, not \"high\"", err.what);
  TEST_ASSERT_EQUAL_DOUBLE(7, x);
}

static void test_missing_values_are_errors_with_a_path(void) {
  JsonAt root = parse("{\"a\": []}");
  JsonAt a = json_find(&root, "a"), none = json_find(&root, "none"), deeper = json_find(&none, "x");
  double x;
  TEST_ASSERT_FALSE(json_number(&none, &x, &err));
  TEST_ASSERT_EQUAL_STRING("f.json: none", err.where);
  TEST_ASSERT_EQUAL_STRING("missing; must be a number", err.what);
  TEST_ASSERT_FALSE(json_number(&deeper, &x, &err));
  TEST_ASSERT_EQUAL_STRING("f.json: none.x", err.where);
  TEST_ASSERT_EQUAL_INT(JSON_NONE, json_type(&deeper));
  TEST_ASSERT_EQUAL_INT(0, json_count(&none));
  TEST_ASSERT_NULL(json_first(&a).node);
}

static void test_arrays_of_numbers_have_their_length_and_type_checked(void) {
  JsonAt root = parse("{\"v\": [1, 2], \"w\": [1, null, 3], \"x\": 1}");
  JsonAt v = json_find(&root, "v"), w = json_find(&root, "w"), x = json_find(&root, "x");
  double out[3];
  TEST_ASSERT_FALSE(json_numbers(&v, 3, out, &err));
  TEST_ASSERT_EQUAL_STRING("must be an array of 3 numbers, not of 2", err.what);
  TEST_ASSERT_FALSE(json_numbers(&w, 3, out, &err));
  TEST_ASSERT_EQUAL_STRING("f.json: w[1]", err.where);
  TEST_ASSERT_FALSE(json_numbers(&x, 3, out, &err));
  TEST_ASSERT_EQUAL_STRING("must be an array of 3 numbers, not 1", err.what);
}

static void test_a_key_that_appears_twice_is_an_error(void) {
  const char *text = "{\"a\": [{\"k\": 1, \"j\": 2, \"k\": 3}]}";
  TEST_ASSERT_NULL(json_parse(text, strlen(text), "f.json", &err));
  TEST_ASSERT_EQUAL_STRING("f.json: a[0]", err.where);
  TEST_ASSERT_EQUAL_STRING("key \"k\" appears twice", err.what);
}

static void test_a_duplicate_among_many_keys_is_found(void) {
  char text[4000] = "{", *end = text + 1;
  for (int i = 0; i < 200; i++) end += sprintf(end, "\"key%d\": 0, ", i);
  sprintf(end, "\"key77\": 1}");
  TEST_ASSERT_NULL(json_parse(text, strlen(text), "f.json", &err));
  TEST_ASSERT_EQUAL_STRING("key \"key77\" appears twice", err.what);
}

static void test_messages_hold_no_control_characters(void) {
  JsonAt root = parse("{\"a\\u001bb\": \"\\u001b[31m\"}");
  JsonAt member = json_first(&root);
  double x;
  TEST_ASSERT_FALSE(json_number(&member, &x, &err));
  TEST_ASSERT_EQUAL_STRING("f.json: a?b", err.where);
  TEST_ASSERT_EQUAL_STRING("must be a number, not \"?[31m\"", err.what);
}

static void test_long_paths_and_file_names_are_cut_safely(void) {
  char name[1000], text[1200];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  snprintf(text, sizeof text, "{\"%.300s\": {\"%.300s\": {\"%.300s\": 1}}}", name, name, name);
  JsonAt root = parse(text);
  root.file = name;
  JsonAt a = json_first(&root), b = json_first(&a), c = json_first(&b);
  bool truth;
  TEST_ASSERT_FALSE(json_bool(&c, &truth, &err));
  TEST_ASSERT_TRUE(strlen(err.where) < sizeof err.where);
  TEST_ASSERT_EQUAL_INT(0, strncmp(err.where, "...n", 4));
}

// ---- files ----

static char path[] = "/tmp/poise_json_XXXXXX";

static void write_file(const char *text, size_t n) {
  FILE *f = fopen(path, "wb");
  TEST_ASSERT_NOT_NULL(f);
  bool ok = fwrite(text, 1, n, f) == n;
  TEST_ASSERT_TRUE(fclose(f) == 0 && ok);
}

static void test_files_are_loaded(void) {
  write_file("{\"x\": 1}", 8);
  doc = json_load(path, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
}

static void check_load_fails(const char *name, const char *what) {
  TEST_ASSERT_NULL(json_load(name, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, err.code);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, name), err.where);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, what), err.what);
}

static void test_missing_files_folders_and_empty_files_are_told_apart(void) {
  check_load_fails("/no/such/file.json", "no such file");
  check_load_fails("/tmp", "is a folder");
  write_file("", 0);
  check_load_fails(path, "empty");
  write_file("{\"x\": \n  oops}", 14);
  check_load_fails(path, "expected a value, found \"oops\"");
  TEST_ASSERT_NOT_NULL(strstr(err.where, "line 2, column 3"));
  write_file("{}\0", 3);
  check_load_fails(path, "NUL");
}

static void test_files_beyond_the_limit_are_refused(void) {
  size_t n = JSON_MAX_BYTES + 1;
  char *text = malloc(n);
  TEST_ASSERT_NOT_NULL(text);
  memset(text, ' ', n);
  text[0] = '1';
  write_file(text, n);
  free(text);
  check_load_fails(path, "larger than the limit of 16777216 bytes");
}

// ---- key tables ----

static const JsonKey table[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", NULL, "name of it", "\"a\""},
    {"damping", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "N s/m", "0.5", "viscous damping", "0.1"},
    {"axis", JSON_ARRAY, 3, JSON_ANY, "", "[1, 0, -2.5]", "direction", "[0, 0, 1]"},
    {"upper", JSON_NUMBER, 0, JSON_ANY, "rad", "inf", "largest position", "1"},
    {"on", JSON_BOOL, 0, JSON_ANY, "", "true", "switch", "false"},
    {"shape", JSON_ARRAY | JSON_OBJECT, 0, JSON_ANY, "", "", "any", "[]"},
};
static const JsonKeys keys = {"thing", "", table, sizeof table / sizeof table[0], 100};

static void check_keys_fail(const char *text, const char *where, const char *what) {
  JsonAt root = parse(text);
  TEST_ASSERT_FALSE_MESSAGE(json_keys_check(&root, &keys, &err), text);
  TEST_ASSERT_EQUAL_STRING(where, err.where);
  TEST_ASSERT_EQUAL_STRING(what, err.what);
}

static void test_objects_are_checked_against_their_table(void) {
  check_keys_fail("{\"name\": \"a\", \"dampng\": 1}", "f.json",
                  "unknown key \"dampng\"; did you mean \"damping\"?");
  check_keys_fail("{\"name\": \"a\", \"qqqq\": 1}", "f.json",
                  "unknown key \"qqqq\"; known keys: name, damping, axis, upper, on, shape");
  check_keys_fail("{}", "f.json", "missing \"name\": name of it");
  check_keys_fail("{\"name\": 1}", "f.json: name", "must be a string, not 1");
  check_keys_fail("{\"name\": \"a\", \"shape\": 1}", "f.json: shape",
                  "must be an array or an object, not 1");
  check_keys_fail("{\"name\": \"a\", \"axis\": true}", "f.json: axis",
                  "must be an array of 3 numbers, not true");
  check_keys_fail("{\"name\": \"a\", \"damping\": -1}", "f.json: damping",
                  "-1 is negative: damping can't be");
  check_keys_fail("{\"name\": \"a\", \"axis\": [0, 0, 101]}", "f.json: axis[2]",
                  "101 is out of range: at most 100 in size");
  check_keys_fail("{\"name\": \"a\", \"shape\": [[1, -200]]}", "f.json: shape[0][1]",
                  "-200 is out of range: at most 100 in size");
  check_keys_fail("{\"name\": \"a\", \"comment\": 1}", "f.json: comment",
                  "must be a string or an array of strings");
  check_keys_fail("[]", "f.json", "must be an object, not an array of 0");
}

static void test_defaults_come_from_the_table(void) {
  JsonAt root = parse("{\"name\": \"a\", \"comment\": [\"free\", \"text\"]}");
  TEST_ASSERT_TRUE_MESSAGE(json_keys_check(&root, &keys, &err), err.what);
  double x = 0, axis[3], expected[3] = {1, 0, -2.5};
  bool on = false;
  TEST_ASSERT_TRUE(json_keys_number(&root, &keys, "damping", &x, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0.5, x);
  TEST_ASSERT_TRUE(json_keys_number(&root, &keys, "upper", &x, &err));
  TEST_ASSERT_TRUE(x > 1e308);
  TEST_ASSERT_TRUE(json_keys_numbers(&root, &keys, "axis", 3, axis, &err));
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(expected, axis, 3);
  TEST_ASSERT_TRUE(json_keys_bool(&root, &keys, "on", &on, &err));
  TEST_ASSERT_TRUE(on);
}

int main(void) {
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  UNITY_BEGIN();
  RUN_TEST(test_values_are_read_by_type);
  RUN_TEST(test_a_path_names_file_keys_and_indices);
  RUN_TEST(test_missing_values_are_errors_with_a_path);
  RUN_TEST(test_arrays_of_numbers_have_their_length_and_type_checked);
  RUN_TEST(test_a_key_that_appears_twice_is_an_error);
  RUN_TEST(test_a_duplicate_among_many_keys_is_found);
  RUN_TEST(test_messages_hold_no_control_characters);
  RUN_TEST(test_long_paths_and_file_names_are_cut_safely);
  RUN_TEST(test_files_are_loaded);
  RUN_TEST(test_missing_files_folders_and_empty_files_are_told_apart);
  RUN_TEST(test_files_beyond_the_limit_are_refused);
  RUN_TEST(test_objects_are_checked_against_their_table);
  RUN_TEST(test_defaults_come_from_the_table);
  unlink(path);
  return UNITY_END();
}
