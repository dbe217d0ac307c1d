// SPDX-License-Identifier: MIT
// Figures and page of odd comparisons: no axis, one, three, labels for values, nothing solved, one case. Every figure
// must be well-formed XML without a number that is none.
#include "report/report_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_compare_html.h"
#include "unity.h"

enum { MOST = 64, N_AXIS = 3, N_FORM = 3 };

static Error err;
static Compare *c;
static TextBuf out;
static double value[MOST][N_AXIS];
static JournalPoint point[MOST];
static JournalCase kase[N_FORM];
static JournalRun run[N_FORM * MOST];
static JournalAxis axis[N_AXIS];
static Journal journal;

void setUp(void) {
  err = (Error){0};
  c = NULL;
  out = (TextBuf){0};
}

void tearDown(void) {
  compare_free(c);
  textbuf_free(&out);
}

// a full grid with the numbers of values of every axis
static void make(int n_axis, const int *n_value, int n_case) {
  static const char *const forms[N_FORM] = {"IMPL", "SEMI", "a <form> & \"more\""};
  static const char *const names[N_AXIS] = {"phi", "z", "mass"};
  int n_point = 1, n_run = 0;
  for (int i = 0; i < n_axis; i++) {
    axis[i] = (JournalAxis){.name = names[i], .unit = i == 0 ? "rad" : ""};
    n_point *= n_value[i];
  }
  TEST_ASSERT_TRUE(n_point <= MOST);
  for (int p = 0; p < n_point; p++) {
    for (int i = 0, rest = p; i < n_axis; rest /= n_value[i], i++) value[p][i] = rest % n_value[i];
    point[p] = (JournalPoint){.grid = p, .mirror = -1, .value = value[p]};
  }
  for (int k = 0; k < n_case; k++) {
    kase[k] = (JournalCase){forms[k], "set1", forms[k], "paper", "cold", "hold", "mumps", -1};
    for (int p = 0; p < n_point; p++, n_run++) {
      run[n_run] = (JournalRun){.key = (uint64_t)n_run + 1,
                                .status = "Solve_Succeeded",
                                .message = "",
                                .kase = k,
                                .point = p};
      run[n_run].solved = run[n_run].verified = true;
      run[n_run].objective = 10 + p + (k == 1 && p == 2 ? 100 : 0);
      run[n_run].iterations = 5 + (p * 7 + k) % 11;
      run[n_run].solve_cpu_s = 0.1 * run[n_run].iterations;
      run[n_run].evaluation_s = run[n_run].linear_solver_s = NAN;
    }
  }
  journal = (Journal){.folder = "f",
                      .name = "x < y",
                      .n_axis = n_axis,
                      .axis = axis,
                      .n_point = n_point,
                      .point = point,
                      .n_case = n_case,
                      .kase = kase,
                      .n_run = n_run,
                      .run = run};
}

static void build(void) {
  const Journal *list[1] = {&journal};
  CompareOptions opt = {.form = NULL};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, compare_build(&c, list, 1, &opt, &err), err.what);
}

// tags open and close in pairs, attributes are quoted, no "<" inside, no entity unknown
static bool well_formed(const char *text) {
  char open[64][32];
  int depth = 0;
  for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
    const char *end = strchr(at, '>');
    if (!end) return false;
    for (const char *p = at + 1; p < end; p++) {
      if (*p == '<') return false;
    }
    if (at[1] == '/') {
      size_t n = (size_t)(end - at - 2);
      if (depth == 0 || strlen(open[depth - 1]) != n || strncmp(open[depth - 1], at + 2, n) != 0)
        return false;
      depth--;
    } else if (at[1] != '?' && end[-1] != '/') {
      if (depth == 64) return false;
      snprintf(open[depth++], sizeof open[0], "%.*s", (int)strcspn(at + 1, " >"), at + 1);
    }
    at = end;
  }
  for (const char *at = strchr(text, '&'); at; at = strchr(at + 1, '&')) {
    if (strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) &&
        strncmp(at, "&quot;", 6))
      return false;
  }
  return depth == 0;
}

// draws everything; returns how many figures there were
static int draw_all(void) {
  int n = 0;
  for (int i = 0; i < N_FIGURES; i++) {
    FigureChoice f = {.info = &figures[i], .point = -1, .own_file = true};
    TextBuf b = {0};
    Error own = {0};
    Status status = figure_write(c, &f, &b, &own);
    if (status == STATUS_OK) {
      TEST_ASSERT_TRUE_MESSAGE(well_formed(b.text), figures[i].name);
      TEST_ASSERT_NULL_MESSAGE(strstr(b.text, "nan"), figures[i].name);
      TEST_ASSERT_NULL_MESSAGE(strstr(b.text, "inf"), figures[i].name);
      n++;
    } else {
      TEST_ASSERT_EQUAL_INT(STATUS_INPUT, status);
      TEST_ASSERT_TRUE(own.what[0] != '\0');
    }
    textbuf_free(&b);
  }
  return n;
}

static void draw_page(void) {
  ComparePage page = {.title = "", .motions_mb = 1};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, compare_html(c, &page, &out, &err));
  TEST_ASSERT_NOT_NULL(strstr(out.text, "<h1>x &lt; y</h1>"));
  TEST_ASSERT_NULL(strstr(out.text, "{{"));
}

// ---- tests -------------------------------------------------------------------------------------

static void test_the_checker_sees_what_is_wrong(void) {
  TEST_ASSERT_TRUE(well_formed("<a><b x=\"1\"/>&lt;</a>"));
  TEST_ASSERT_FALSE(well_formed("<a><b></a></b>"));
  TEST_ASSERT_FALSE(well_formed("<a>"));
  TEST_ASSERT_FALSE(well_formed("<a>x & y</a>"));
}

static void test_grids_of_one_two_and_three_axes(void) {
  static const int sizes[][N_AXIS] = {{7}, {4, 3}, {3, 2, 4}, {1, 1, 1}};
  static const int n_axis[] = {1, 2, 3, 3};
  for (int i = 0; i < 4; i++) {
    make(n_axis[i], sizes[i], N_FORM);
    build();
    TEST_ASSERT_EQUAL_INT(12, draw_all());  // all but the motion, of which none was kept
    draw_page();
    tearDown();
    setUp();
  }
}

static void test_no_axis_has_no_map(void) {
  make(0, NULL, N_FORM);
  build();
  TEST_ASSERT_EQUAL_INT(8, draw_all());
  draw_page();
}

static void test_nothing_solved_is_drawn_all_the_same(void) {
  make(2, (const int[]){4, 3}, N_FORM);
  for (int i = 0; i < journal.n_run; i++) run[i].solved = false, run[i].objective = NAN;
  build();
  TEST_ASSERT_EQUAL_INT(12, draw_all());
  draw_page();
  TEST_ASSERT_NOT_NULL(strstr(out.text, "no run is good"));
}

static void test_one_case_and_labels_for_values(void) {
  static const char *labels[] = {"\"radau\"", "\"gauss\""};
  make(2, (const int[]){2, 3}, 1);
  axis[0].n_label = 2;
  axis[0].label = labels;
  build();
  TEST_ASSERT_EQUAL_INT(12, draw_all());
  draw_page();
  TEST_ASSERT_NOT_NULL(strstr(out.text, "only one formulation has good runs"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_checker_sees_what_is_wrong);
  RUN_TEST(test_grids_of_one_two_and_three_axes);
  RUN_TEST(test_no_axis_has_no_map);
  RUN_TEST(test_nothing_solved_is_drawn_all_the_same);
  RUN_TEST(test_one_case_and_labels_for_values);
  return UNITY_END();
}
