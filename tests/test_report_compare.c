// SPDX-License-Identifier: MIT
// A comparison of a small made-up journal whose answers can be worked out by hand.
#include "report/report_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "report/report_compare_out.h"
#include "report/report_words.h"
#include "unity.h"

enum { N_POINT = 10, N_CASE = 3, MOST = 64 };

static Error err;
static Compare *c;
static double value[N_POINT];
static JournalPoint point[N_POINT];
static JournalCase kase[N_CASE];
static JournalRun run[MOST];
static JournalAxis axis;
static Journal journal;
static const char *const order[] = {"IMPL", "SEMI", "EXP1-O"};
static CompareOptions options;

static JournalRun good_run(int k, int p, double objective, int iterations, double cpu) {
  return (JournalRun){.key = (uint64_t)(100 * k + p + 1),
                      .status = "Solve_Succeeded",
                      .message = "",
                      .solver = "",
                      .kase = k,
                      .point = p,
                      .iterations = iterations,
                      .solved = true,
                      .verified = true,
                      .objective = objective,
                      .cpu_s = 99,
                      .wall_s = 99,
                      .solve_cpu_s = cpu,
                      .evaluation_s = 0.25 * cpu,
                      .linear_solver_s = 0.5 * cpu,
                      .nlp = {10 * (k + 1), 5, 7, 9}};
}

// phi = -4.5, -3.5 .. 4.5, mirrored; three formulations, all the same but for the factors below
void setUp(void) {
  err = (Error){0};
  c = NULL;
  options = (CompareOptions){order, 3, false};
  axis = (JournalAxis){.name = "phi", .unit = "rad"};
  for (int p = 0; p < N_POINT; p++) {
    value[p] = p - 4.5;
    point[p] = (JournalPoint){.grid = p, .mirror = N_POINT - 1 - p, .value = &value[p]};
  }
  const char *const forms[N_CASE] = {"SEMI", "EXP1-O", "IMPL"};
  for (int k = 0; k < N_CASE; k++) {
    kase[k] = (JournalCase){forms[k], "set1", forms[k], "paper", "cold", "hold", "mumps", -1};
    for (int p = 0; p < N_POINT; p++) {
      run[N_POINT * k + p] = good_run(k, p, 100 + fabs(value[p]), 20 + p, (k + 1) * (20 + p));
    }
  }
  journal = (Journal){.folder = "a",
                      .name = "",
                      .n_axis = 1,
                      .axis = &axis,
                      .n_point = N_POINT,
                      .point = point,
                      .n_case = N_CASE,
                      .kase = kase,
                      .n_run = N_CASE * N_POINT,
                      .run = run};
}

void tearDown(void) {
  compare_free(c);
}

static void build(void) {
  const Journal *list[1] = {&journal};
  Status status = compare_build(&c, list, 1, &options, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
}

static JournalRun *run_of(int k, int p) {
  return &run[N_POINT * k + p];
}

static const ComparePair *pair_of(const char *a, const char *b) {
  for (int i = 0; i < c->n_pair; i++) {
    const ComparePair *p = &c->pair[i];
    if (strcmp(c->kase[p->a].field[COMPARE_FORM], a) == 0 &&
        strcmp(c->kase[p->b].field[COMPARE_FORM], b) == 0) {
      return p;
    }
  }
  TEST_FAIL_MESSAGE("no such pair");
  return NULL;
}

// ---- tests -------------------------------------------------------------------------------------

static void test_cases_stand_in_the_order_of_the_formulations(void) {
  build();
  TEST_ASSERT_EQUAL_INT(3, c->n_case);
  TEST_ASSERT_EQUAL_INT(1, c->n_group);
  TEST_ASSERT_EQUAL_INT(1, c->n_view);
  TEST_ASSERT_EQUAL_INT(10, c->n_point);
  for (int k = 0; k < 3; k++) TEST_ASSERT_EQUAL_STRING(order[k], c->kase[k].field[COMPARE_FORM]);
  TEST_ASSERT_EQUAL_INT(30, c->kase[0].nlp[0]);
  TextBuf b = {0};
  compare_point_label(c, 0, &b);
  TEST_ASSERT_EQUAL_STRING("phi = -4.5 rad", b.text);
  textbuf_free(&b);
}

static void test_boxes_are_over_good_runs_only(void) {
  run_of(2, 0)->solved = false;    // IMPL at -4.5
  run_of(2, 9)->verified = false;  // and at 4.5
  build();
  const CompareCase *k = &c->kase[0];
  TEST_ASSERT_TRUE(k->n_run == 10 && k->n_solved == 9 && k->n_good == 8);
  const StatsBox *it = &k->box[COMPARE_ITERATIONS];  // 21 .. 28
  TEST_ASSERT_EQUAL_INT(8, it->n);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 24.5, it->median);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 22.5, it->q1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 26.5, it->q3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 24.5, it->mean);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3,
                            k->box[COMPARE_CPU_PER].median);  // case 2 of the journal: k + 1
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 * 24.5, k->box[COMPARE_CPU].mean);  // of the solves, not 99
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, k->box[COMPARE_EVALUATION].median);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, k->box[COMPARE_LINEAR].median);
  TEST_ASSERT_EQUAL_INT(4, k->symmetry.n);
}

static void test_unverified_runs_count_only_where_asked_for(void) {
  for (int p = 0; p < 4; p++) run_of(2, p)->verified = false;
  run_of(2, 4)->verified = run_of(2, 4)->solved = false;
  build();
  TEST_ASSERT_TRUE(c->kase[0].n_solved == 9 && c->kase[0].n_good == 5);
  compare_free(c);
  options.unverified = true;
  build();
  TEST_ASSERT_TRUE(c->kase[0].n_solved == 9 && c->kase[0].n_good == 9);
}

static void test_gaps_are_to_the_best_of_all_cases(void) {
  run_of(0, 3)->objective = 1.05 * run_of(1, 3)->objective;   // SEMI: 5 % above
  run_of(0, 4)->objective = 1.009 * run_of(1, 4)->objective;  // and 0.9 %
  run_of(1, 5)->objective *= 0.9;                             // EXP1-O finds a better one
  run_of(2, 6)->objective *= 0.5;                             // IMPL too, but it does not count:
  run_of(2, 6)->verified = false;
  build();
  const CompareCase *impl = &c->kase[0], *semi = &c->kase[1], *exp1 = &c->kase[2];
  TEST_ASSERT_TRUE(semi->n_high == 2 && semi->n_best == 7 && semi->n_judged == 10);
  TEST_ASSERT_TRUE(impl->n_high == 1 && impl->n_judged == 9);
  TEST_ASSERT_TRUE(exp1->n_high == 0 && exp1->n_best == 10);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.05, compare_at(c, 1, 3)->value[COMPARE_GAP]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 / 0.9 - 1, compare_at(c, 1, 5)->value[COMPARE_GAP]);
  TEST_ASSERT_TRUE(isnan(compare_at(c, 0, 6)->value[COMPARE_GAP]));
  TEST_ASSERT_TRUE(c->run[c->set[0].best[5]].kase == 2);
}

static void test_symmetry_is_of_mirrored_pairs(void) {
  run_of(2, 1)->objective *= 1.02;
  run_of(2, 2)->objective *= 1 + 1e-4;
  build();
  const CompareSymmetry *s = &c->kase[0].symmetry;
  TEST_ASSERT_TRUE(s->n == 5 && s->n_apart == 2 && s->n_high == 1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.02, s->largest);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, s->median);
  TEST_ASSERT_TRUE(c->set[0].symmetry.n == 5 && c->set[0].symmetry.n_apart == 0);
}

static void test_pairs_have_ratios_and_exact_tests(void) {
  run_of(0, 9)->solved = false;  // SEMI
  build();
  TEST_ASSERT_EQUAL_INT(3, c->n_pair);
  // journal: SEMI takes 1, EXP1-O 2, IMPL 3 s per iteration
  const ComparePair *p = pair_of("IMPL", "SEMI");
  const CompareRatio *cpu = &p->ratio[COMPARE_CPU], *it = &p->ratio[COMPARE_ITERATIONS];
  TEST_ASSERT_EQUAL_INT(9, cpu->n);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 / 3, cpu->ratio);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 / 3, cpu->within.low);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 / 512, cpu->p);  // all nine of one sign
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, it->ratio);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, it->p);
  TEST_ASSERT_TRUE(cpu->n_less == 9 && cpu->n_more == 0 && it->n_less == 0 && it->n_more == 0);
  TEST_ASSERT_TRUE(p->success.n == 10 && p->success.only_a == 1 && p->success.only_b == 0);
  // Holm over three: p = 2/512 (9 targets), 2/512, 2/1024
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2 * 2.0 / 512, cpu->p_adjusted);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 * 2.0 / 1024,
                            pair_of("IMPL", "EXP1-O")->ratio[COMPARE_CPU].p_adjusted);
}

static void test_higher_minima_are_tested_in_pairs(void) {
  for (int p = 0; p < 6; p++) run_of(1, p)->objective *= 1.1;  // EXP1-O
  run_of(2, 0)->objective *= 1.1;                              // IMPL shares one
  build();
  const CompareShare *high = &pair_of("IMPL", "EXP1-O")->high;
  TEST_ASSERT_TRUE(high->n == 10 && high->only_a == 0 && high->only_b == 5);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 / 32, high->p);
}

static void test_coarser_grids_end_in_the_whole_one(void) {
  build();
  const CompareGrids *g = &c->grids;
  TEST_ASSERT_TRUE(g->n >= 3);
  TEST_ASSERT_EQUAL_INT(10, g->size[g->n - 1]);
  TEST_ASSERT_EQUAL_INT(2, g->size[0]);  // both ends
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 24.5, g->mean[0][0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 24.5, g->mean[g->n - 1][0]);
  for (int i = 1; i < g->n; i++) TEST_ASSERT_TRUE(g->size[i] > g->size[i - 1]);
}

static void test_of_repeated_runs_the_best_counts(void) {
  journal.n_run++;
  run[N_CASE * N_POINT] = good_run(2, 4, 50, 7, 7);
  run[N_CASE * N_POINT].key = 4711;
  build();
  TEST_ASSERT_EQUAL_INT(1, c->n_repeat);
  TEST_ASSERT_EQUAL_INT(30, c->n_run);
  TEST_ASSERT_DOUBLE_WITHIN(0, 50, compare_at(c, 0, 4)->value[COMPARE_OBJECTIVE]);
}

static void test_folders_are_put_together_or_told_apart(void) {
  Journal other = journal;
  other.folder = "b";
  const Journal *list[2] = {&journal, &other};
  // the same runs twice are one
  TEST_ASSERT_EQUAL_INT(STATUS_OK, compare_build(&c, list, 2, &options, &err));
  TEST_ASSERT_TRUE(c->n_case == 3 && c->n_run == 30 && c->n_repeat == 0);
  compare_free(c);
  // others of the same cases are rivals
  JournalRun theirs[MOST];
  memcpy(theirs, run, sizeof run);
  for (int i = 0; i < other.n_run; i++) theirs[i].key += 5000, theirs[i].solve_cpu_s *= 2;
  other.run = theirs;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, compare_build(&c, list, 2, &options, &err));
  TEST_ASSERT_TRUE(c->n_case == 6 && c->n_group == 2 && c->n_run == 60);
  int n = 0;
  for (int i = 0; i < c->n_pair; i++) {
    if (c->pair[i].differs != COMPARE_FOLDER) continue;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, c->pair[i].ratio[COMPARE_CPU].ratio);
    n++;
  }
  TEST_ASSERT_EQUAL_INT(3, n);
  compare_free(c);
  // other axes are refused
  JournalAxis foreign = {.name = "psi"};
  other.axis = &foreign;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, compare_build(&c, list, 2, &options, &err));
  TEST_ASSERT_NULL(c);
}

static void test_blocks_of_cases_are_told_apart_by_their_name(void) {
  // as IMPL, but in a block "coarse" of its own
  kase[1] = kase[2];
  kase[1].name = "coarse/set1/IMPL/paper/cold";
  kase[2].name = "set1/IMPL/paper/cold";
  build();
  TEST_ASSERT_TRUE(c->n_case == 3 && c->n_group == 2 && c->n_repeat == 0);
  TEST_ASSERT_EQUAL_STRING("coarse", c->kase[2].field[COMPARE_BLOCK]);
  TEST_ASSERT_EQUAL_STRING("", c->kase[0].field[COMPARE_BLOCK]);
  TEST_ASSERT_EQUAL_STRING("set1, coarse", c->group[1].title);
  TEST_ASSERT_EQUAL_INT(COMPARE_BLOCK, pair_of("IMPL", "IMPL")->differs);
}

static void test_nothing_to_compare_is_an_error(void) {
  journal.n_run = 0;
  const Journal *list[1] = {&journal};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, compare_build(&c, list, 1, &options, &err));
  TEST_ASSERT_EQUAL_STRING("a", err.where);
}

// ---- words, JSON, CSV --------------------------------------------------------------------------

static bool says(const char *text) {
  TextBuf b = {0};
  words_write(c, &b);
  bool found = strstr(b.text, text) != NULL;
  if (!found) printf("not there: \"%s\" in\n%s", text, b.text);
  textbuf_free(&b);
  return found;
}

static void test_words_choose_the_fastest_that_does_not_fail_more(void) {
  build();
  TEST_ASSERT_EQUAL_INT(1, words_choice(c, 0));  // SEMI
  TEST_ASSERT_TRUE(says("set1: use SEMI."));
  TEST_ASSERT_TRUE(says("IMPL takes 3 times as long (95 %: 3 to 3; p = 0.0059; 10 targets)"));
  TEST_ASSERT_TRUE(says("since an iteration costs more"));
  TEST_ASSERT_TRUE(says("With 10 good runs this is a hint"));
  TEST_ASSERT_TRUE(says("no good run is more than 1 % above"));
  compare_free(c);
  // SEMI fails on nine of ten: 2/512 times 3
  for (int p = 0; p < 9; p++) run_of(0, p)->solved = false;
  build();
  TEST_ASSERT_EQUAL_INT(2, words_choice(c, 0));
  TEST_ASSERT_TRUE(says("significantly fewer than with the best: SEMI"));
}

static void test_words_hedge_where_there_is_no_difference(void) {
  for (int i = 0; i < N_CASE * N_POINT; i++) run[i].solve_cpu_s = run[i].iterations;
  build();
  TEST_ASSERT_TRUE(says("these runs give no reason to prefer one"));
  TEST_ASSERT_TRUE(says("no difference to rely on"));
}

static void test_json_is_complete_and_reads_back(void) {
  run_of(2, 0)->solved = false;
  build();
  JsonOut out = {0};
  const CompareTerms terms = {"IMPL", "Phi", 274, 10};
  compare_write_json(c, &terms, 1, NULL, &out);
  TEST_ASSERT_FALSE(out.buf.failed);
  struct cJSON *doc = json_parse(out.buf.text, out.buf.len, "json", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  JsonAt root = json_root(doc, "json"), cases = json_find(&root, "cases");
  JsonAt pairs = json_find(&root, "pairs"), first = json_first(&cases);
  JsonAt box = json_find(&first, "iterations"), median = json_find(&box, "median");
  double x = 0;
  TEST_ASSERT_TRUE(json_number(&median, &x, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 25, x);
  TEST_ASSERT_TRUE(json_count(&cases) == 3 && json_count(&pairs) == 3);
  json_free(doc);
  textbuf_free(&out.buf);
}

static void test_csv_has_equal_rows_and_quotes(void) {
  axis.name = "a, \"b\"";
  build();
  TextBuf cases = {0}, runs = {0};
  compare_write_csv(c, &cases);
  compare_write_runs_csv(c, &runs);
  int lines = 0, commas = -1;
  for (const char *at = cases.text; *at; lines++) {
    int n = 0;
    for (; *at != '\n'; at++) n += *at == ',';
    at++;
    TEST_ASSERT_TRUE(commas < 0 || n == commas);
    commas = n;
  }
  TEST_ASSERT_EQUAL_INT(4, lines);
  TEST_ASSERT_NOT_NULL(strstr(runs.text, ",\"a, \"\"b\"\"\","));
  TEST_ASSERT_NOT_NULL(
      strstr(runs.text, "\n00000000000000c9,set1,,paper,mumps,cold,hold,,,IMPL,-4.5,"));
  textbuf_free(&cases);
  textbuf_free(&runs);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_cases_stand_in_the_order_of_the_formulations);
  RUN_TEST(test_boxes_are_over_good_runs_only);
  RUN_TEST(test_unverified_runs_count_only_where_asked_for);
  RUN_TEST(test_gaps_are_to_the_best_of_all_cases);
  RUN_TEST(test_symmetry_is_of_mirrored_pairs);
  RUN_TEST(test_pairs_have_ratios_and_exact_tests);
  RUN_TEST(test_higher_minima_are_tested_in_pairs);
  RUN_TEST(test_coarser_grids_end_in_the_whole_one);
  RUN_TEST(test_of_repeated_runs_the_best_counts);
  RUN_TEST(test_folders_are_put_together_or_told_apart);
  RUN_TEST(test_blocks_of_cases_are_told_apart_by_their_name);
  RUN_TEST(test_nothing_to_compare_is_an_error);
  RUN_TEST(test_words_choose_the_fastest_that_does_not_fail_more);
  RUN_TEST(test_words_hedge_where_there_is_no_difference);
  RUN_TEST(test_json_is_complete_and_reads_back);
  RUN_TEST(test_csv_has_equal_rows_and_quotes);
  return UNITY_END();
}
