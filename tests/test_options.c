// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <math.h>
#include <string.h>

#include "unity.h"

static int never_run(const Args *args) {
  (void)args;
  return 0;
}

static const Option options[] = {
    {"json", 0, NULL, "a switch"},
    {"output", 'o', "DIR", "a value with a short name"},
    {"points", 'n', "N", "a number"},
    {"quiet", 'q', NULL, "a switch with a short name"},
};

static const Command command = {
    .name = "make",
    .summary = "made up",
    .positional = "A [B]",
    .n_positional_min = 1,
    .n_positional_max = 2,
    .option = options,
    .n_option = 4,
    .example = "",
    .run = never_run,
};

enum { MAX_WORDS = 8 };
static char words[200];
static char *argv[MAX_WORDS];
static Args args;
static Error err;

void setUp(void) {
  err = (Error){0};
}

void tearDown(void) {
}

// splits the line at blanks and parses it
static Status parse(const char *line) {
  int argc = 0;
  strcpy(words, line);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
  return options_parse(&args, &command, argc, argv, &err);
}

static void refuses(const char *line, const char *message) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, parse(line), line);
  TEST_ASSERT_EQUAL_STRING_MESSAGE(message, err.what, line);
  TEST_ASSERT_EQUAL_STRING("", err.where);
}

static void test_options_and_arguments_come_in_any_order(void) {
  static const char *const lines[] = {"a b --json -o dir", "--json -o dir a b",
                                      "a --output=dir b --json", "-odir a --json -- b",
                                      "a --json --output dir b"};
  for (int i = 0; i < 5; i++) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, parse(lines[i]), err.what);
    TEST_ASSERT_EQUAL_INT(2, args.n_positional);
    TEST_ASSERT_EQUAL_STRING("a", args.positional[0]);
    TEST_ASSERT_EQUAL_STRING("b", args.positional[1]);
    TEST_ASSERT_EQUAL_STRING("dir", options_value(&args, "output"));
    TEST_ASSERT_TRUE(options_has(&args, "json"));
    TEST_ASSERT_FALSE(options_has(&args, "quiet"));
  }
}

static void test_a_dash_and_negative_numbers_are_values(void) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, parse("- -n -5 --output -"), err.what);
  TEST_ASSERT_EQUAL_STRING("-", args.positional[0]);
  TEST_ASSERT_EQUAL_STRING("-5", options_value(&args, "points"));
  TEST_ASSERT_EQUAL_STRING("-", options_value(&args, "output"));
}

static void test_after_two_dashes_everything_is_an_argument(void) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, parse("-- --json --help"), err.what);
  TEST_ASSERT_FALSE(args.help);
  TEST_ASSERT_EQUAL_STRING("--json", args.positional[0]);
  TEST_ASSERT_EQUAL_STRING("--help", args.positional[1]);
}

static void test_help_wins_over_mistakes(void) {
  TEST_ASSERT_EQUAL_INT(STATUS_OK, parse("--nonsense --help"));
  TEST_ASSERT_TRUE(args.help);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, parse("-h"));
  TEST_ASSERT_TRUE(args.help);
}

static void test_each_mistake_has_its_message(void) {
  refuses("a --jsno", "unknown option '--jsno', did you mean --json?");
  refuses("a --ouput=x", "unknown option '--ouput', did you mean --output?");
  refuses("a --wonderful", "unknown option '--wonderful', see 'poise make --help'");
  refuses("a -x", "unknown option '-x', see 'poise make --help'");
  refuses("a -qx", "unknown option '-qx', see 'poise make --help'");
  refuses("a --output", "option --output needs a value: --output DIR");
  refuses("a --output=", "option --output needs a value: --output DIR");
  refuses("a --output --json", "option --output needs a value: --output DIR");
  refuses("a --json=yes", "option --json takes no value");
  refuses("a --json --json", "option --json is given twice");
  refuses("a -o x --output y", "option --output is given twice");
  refuses("", "make needs A [B], see 'poise make --help'");
  refuses("a b c", "make: unexpected argument 'c'");
}

static void test_numbers_are_checked(void) {
  int n = 7;
  double x = 7;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, parse("a"));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, options_int(&args, "points", 1, 100, &n, &err));
  TEST_ASSERT_EQUAL_INT(7, n);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, parse("a -n 12"));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, options_int(&args, "points", 1, 100, &n, &err));
  TEST_ASSERT_EQUAL_INT(12, n);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, options_double(&args, "points", 0, INFINITY, &x, &err));
  TEST_ASSERT_EQUAL_DOUBLE(12, x);

  static const char *const bad[] = {"0", "101", "1.5", "x", "12x", "99999999999999999999"};
  for (int i = 0; i < 6; i++) {
    char line[64] = "a -n ";
    strcat(line, bad[i]);
    TEST_ASSERT_EQUAL_INT(STATUS_OK, parse(line));
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, options_int(&args, "points", 1, 100, &n, &err),
                                  bad[i]);
  }
  TEST_ASSERT_EQUAL_INT(12, n);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, parse("a -n nan"));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, options_double(&args, "points", 0, 1, &x, &err));
  TEST_ASSERT_EQUAL_STRING("option --points: 'nan' is not a number from 0 to 1", err.what);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_options_and_arguments_come_in_any_order);
  RUN_TEST(test_a_dash_and_negative_numbers_are_values);
  RUN_TEST(test_after_two_dashes_everything_is_an_argument);
  RUN_TEST(test_help_wins_over_mistakes);
  RUN_TEST(test_each_mistake_has_its_message);
  RUN_TEST(test_numbers_are_checked);
  return UNITY_END();
}
