// SPDX-License-Identifier: MIT
#include "sweep/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unity.h"

static char folder[64];
static Error err;

void setUp(void) {
  snprintf(folder, sizeof folder, "/tmp/poise_journal.XXXXXX");
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
  err = (Error){0};
}

void tearDown(void) {
  const char *const names[] = {"sweep.json", "journal.jsonl", "trajectories.bin"};
  for (int i = 0; i < 3; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

static void save(const char *name, const void *bytes, size_t n) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  TEST_ASSERT_NOT_NULL(f);
  TEST_ASSERT_EQUAL_INT((int)n, (int)fwrite(bytes, 1, n, f));
  fclose(f);
}

static const JournalCase cold = {.name = "set1/IMPL/condensed/cold",
                                 .cost = "set1",
                                 .formulation = "IMPL",
                                 .layout = "condensed",
                                 .strategy = "cold",
                                 .guess = "hold",
                                 .linear_solver = "mumps",
                                 .seed = 3};
static const JournalCase other = {.name = "set2/SEMI/paper/cold",
                                  .cost = "set2",
                                  .formulation = "SEMI",
                                  .layout = "paper",
                                  .strategy = "cold",
                                  .guess = "",
                                  .linear_solver = "",
                                  .seed = -1};

static JournalRun some_run(uint64_t key, double objective) {
  return (JournalRun){.key = key,
                      .status = "Solve_Succeeded",
                      .message = "",
                      .solver = "mumps",
                      .index = (int)(key % 1000),
                      .iterations = 12,
                      .solves = 2,
                      .nlp = {8812, 8427, 72435, 39206},
                      .solved = true,
                      .verified = true,
                      .objective = objective,
                      .cpu_s = 0.3,
                      .wall_s = 0.333333,
                      .solve_cpu_s = 0.7,
                      .setup_s = 1e-3,
                      .evaluation_s = 0.25,
                      .linear_solver_s = NAN,
                      .defect = 1e-9,
                      .terminal_error = 3e-10,
                      .error_estimate = 1e-5,
                      .operations = {1e6, 2e6, 3e6}};
}

static void add(TextBuf *b, uint64_t key, double phi, double objective, const JournalCase *c) {
  const JournalAxis axis[2] = {{.name = "phi"}, {.name = "z"}};
  const double value[2] = {phi, -0.1}, target[3] = {phi, 2 * phi, -0.1};
  JournalRun r = some_run(key, objective);
  journal_line(b, 2, axis, value, target, c, &r);
}

static Journal *load(const TextBuf *b) {
  save("journal.jsonl", b->text, b->len);
  Journal *j = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, journal_load(&j, folder, &err), err.what);
  return j;
}

// ---- lines --------------------------------------------------------------------------------------

static void test_a_line_reads_back_as_it_was_written(void) {
  TextBuf b = {0};
  const JournalAxis axis[2] = {{.name = "phi"}, {.name = "a \"name\""}};
  const double value[2] = {0.1, 1.0 / 3}, target[3] = {1, -2, 1e-17};
  JournalRun r = some_run(0xfedcba9876543210u, 558.0450123456789);
  r.source = 0x0123456789abcdefu;
  r.mirrored = true;
  r.round = 4;
  r.offset = 5000000000;
  r.bytes = 1234;
  r.message = "a line\nand a \"quote\"";
  journal_line(&b, 2, axis, value, target, &cold, &r);
  Journal *j = load(&b);
  TEST_ASSERT_EQUAL_INT(1, j->n_run);
  TEST_ASSERT_EQUAL_INT(0, j->n_bad);
  const JournalRun *got = &j->run[0];
  TEST_ASSERT_TRUE(got->key == r.key && got->source == r.source && got->mirrored);
  TEST_ASSERT_EQUAL_STRING(r.message, got->message);
  TEST_ASSERT_EQUAL_STRING("a \"name\"", j->axis[1].name);
  TEST_ASSERT_TRUE(got->objective == r.objective && got->cpu_s == r.cpu_s &&
                   got->wall_s == r.wall_s && isnan(got->linear_solver_s));
  TEST_ASSERT_TRUE(got->offset == r.offset && got->bytes == r.bytes && got->round == 4);
  TEST_ASSERT_TRUE(j->point[0].value[1] == 1.0 / 3 && j->point[0].target[2] == 1e-17);
  TEST_ASSERT_EQUAL_INT(39206, got->nlp[3]);
  TEST_ASSERT_EQUAL_STRING("hold", j->kase[0].guess);
  TEST_ASSERT_EQUAL_INT(3, j->kase[0].seed);
  // and is written again as the same bytes
  TextBuf again = {0};
  journal_line(&again, 2, j->axis, j->point[0].value, j->point[0].target, &j->kase[0], got);
  TEST_ASSERT_EQUAL_STRING(b.text, again.text);
  textbuf_free(&again);
  textbuf_free(&b);
  journal_free(j);
}

static void test_values_that_are_no_numbers_become_labels(void) {
  TextBuf b = {0};
  const char *label[2] = {"\"mumps\"", "[1, 2]"};
  const JournalAxis axis[1] = {{.name = "what", .n_label = 2, .label = label}};
  for (int i = 0; i < 4; i++) {
    double value = i % 2;
    JournalRun r = some_run((uint64_t)i + 1, 1);
    journal_line(&b, 1, axis, &value, NULL, &other, &r);
  }
  Journal *j = load(&b);
  TEST_ASSERT_EQUAL_INT(2, j->n_point);
  TEST_ASSERT_EQUAL_INT(2, j->axis[0].n_label);
  TEST_ASSERT_EQUAL_STRING("[1, 2]", j->axis[0].label[(int)j->point[1].value[0]]);
  TEST_ASSERT_FALSE(j->point[0].has_target);
  TEST_ASSERT_EQUAL_INT(-1, j->kase[0].seed);
  textbuf_free(&b);
  journal_free(j);
}

static void test_a_torn_last_line_is_left_out(void) {
  TextBuf b = {0};
  for (int i = 0; i < 3; i++) add(&b, (uint64_t)i + 1, i, 10 + i, &cold);
  size_t whole = b.len;
  add(&b, 99, 7, 7, &cold);
  for (size_t cut = whole; cut < b.len; cut += 9) {
    save("journal.jsonl", b.text, cut);
    Journal *j = NULL;
    TEST_ASSERT_EQUAL_INT(STATUS_OK, journal_load(&j, folder, &err));
    TEST_ASSERT_EQUAL_INT(3, j->n_run);
    TEST_ASSERT_EQUAL_INT(cut > whole, j->n_bad);
    TEST_ASSERT_NULL(journal_find(j, 99));
    journal_free(j);
  }
  textbuf_free(&b);
}

static void test_garbage_never_breaks_the_reader(void) {
  TextBuf b = {0};
  add(&b, 1, 0.5, 10, &cold);
  // one byte of the line replaced, at every place, by bytes that mean something in JSON
  const char bytes[] = "\"}\\";
  for (size_t at = 0; at + 1 < b.len; at += 5) {
    for (size_t i = 0; i < sizeof bytes; i++) {
      char kept = b.text[at];
      b.text[at] = bytes[i];
      Journal *j = load(&b);
      TEST_ASSERT_TRUE(j->n_run <= 1);
      journal_free(j);
      b.text[at] = kept;
    }
  }
  textbuf_free(&b);
}

// ---- what the arrays say --------------------------------------------------------------------------

static void test_the_later_of_two_lines_with_one_key_counts(void) {
  TextBuf b = {0};
  add(&b, 1, 0, 10, &cold);
  add(&b, 2, 1, 20, &cold);
  add(&b, 1, 0, 5, &cold);
  Journal *j = load(&b);
  TEST_ASSERT_EQUAL_INT(2, j->n_run);
  TEST_ASSERT_TRUE(journal_find(j, 1)->objective == 5.0);
  TEST_ASSERT_NULL(journal_find(j, 3));
  textbuf_free(&b);
  journal_free(j);
}

static void test_the_best_run_is_good_and_of_the_cost_set(void) {
  TextBuf b = {0};
  add(&b, 1, 0, 10, &cold);
  add(&b, 2, 0, 4, &other);
  add(&b, 3, 0, 8, &cold);
  add(&b, 4, 1, 3, &other);
  const JournalAxis axis[2] = {{.name = "phi"}, {.name = "z"}};
  const double value[2] = {0, -0.1};
  JournalRun bad = some_run(5, 1);
  bad.verified = false;
  journal_line(&b, 2, axis, value, NULL, &cold, &bad);
  Journal *j = load(&b);
  int best[2];
  journal_best(j, "set1", best);
  TEST_ASSERT_EQUAL_INT(2, best[0]);
  TEST_ASSERT_EQUAL_INT(-1, best[1]);
  journal_best(j, NULL, best);
  TEST_ASSERT_EQUAL_INT(1, best[0]);
  TEST_ASSERT_EQUAL_INT(3, best[1]);
  textbuf_free(&b);
  journal_free(j);
}

static void test_points_know_their_place_and_their_mirror_image(void) {
  const char *manifest = "{\"name\": \"grid\", \"axes\": ["
                         "{\"name\": \"phi\", \"unit\": \"rad\", \"values\": [-1, 0, 1]},"
                         "{\"name\": \"z\", \"values\": [-0.1, 0.1]}],"
                         "\"mirror\": {\"points\": [4, 5, 2, 3, 0, 1]}}";
  save("sweep.json", manifest, strlen(manifest));
  TextBuf b = {0};
  add(&b, 1, 1, 10, &cold);
  add(&b, 2, -1, 10, &cold);
  add(&b, 3, 0, 10, &cold);
  add(&b, 4, 0.7, 10, &cold);
  Journal *j = load(&b);
  TEST_ASSERT_EQUAL_STRING("grid", j->name);
  TEST_ASSERT_EQUAL_STRING("rad", j->axis[0].unit);
  TEST_ASSERT_EQUAL_INT(3, j->axis[0].n_value);
  const int grid[4] = {4, 0, 2, -1}, mirror[4] = {1, 0, 2, -1};
  for (int p = 0; p < 4; p++) {
    TEST_ASSERT_EQUAL_INT(grid[p], j->point[p].grid);
    TEST_ASSERT_EQUAL_INT(mirror[p], j->point[p].mirror);
  }
  textbuf_free(&b);
  journal_free(j);
}

static void test_a_large_journal_keeps_every_run(void) {
  enum { N = 5000 };
  TextBuf b = {0};
  for (int i = 0; i < N; i++) {
    add(&b, (uint64_t)i * 0x9e3779b97f4a7c15u + 1, i % 231, i, i % 2 ? &cold : &other);
  }
  Journal *j = load(&b);
  TEST_ASSERT_EQUAL_INT(N, j->n_run);
  TEST_ASSERT_EQUAL_INT(231, j->n_point);
  TEST_ASSERT_EQUAL_INT(2, j->n_case);
  for (int i = 0; i < N; i++) {
    const JournalRun *r = journal_find(j, (uint64_t)i * 0x9e3779b97f4a7c15u + 1);
    TEST_ASSERT_NOT_NULL(r);
    TEST_ASSERT_TRUE(r->objective == i && j->point[r->point].value[0] == i % 231);
  }
  textbuf_free(&b);
  journal_free(j);
}

// ---- motions --------------------------------------------------------------------------------------

// a motion whose accelerations are a polynomial of the degree that the points carry exactly
static Trajectory *make_motion(void) {
  Trajectory *t = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_new(&t, 2, 1, 3, 4, 3, &err));
  const double point[4] = {0.1, 0.4, 0.8, 1};
  memcpy(t->point, point, sizeof point);
  for (int k = 0; k <= 3; k++) {
    double s = t->time[k] = 0.5 * k;
    for (int i = 0; i < 2; i++) {
      t->v[i + 2 * k] = (i + 1) * s * s / 2, t->q[i + 2 * k] = (i + 1) * s * s * s / 6;
    }
  }
  for (int e = 0; e < 12; e++) {
    double s = 0.5 * (e / 4) + 0.5 * point[e % 4];
    for (int i = 0; i < 2; i++) t->pa[i + 2 * e] = (i + 1) * s;
  }
  for (int k = 0; k < 3; k++) t->u[k] = sqrt(k + 2.0);
  return t;
}

static void check_motion(const Trajectory *t, const Trajectory *got, double tolerance) {
  TEST_ASSERT_EQUAL_INT(3, got->n_interval);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, t->time, got->time, 4);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(tolerance, t->q, got->q, 8);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(tolerance, t->u, got->u, 3);
  for (int e = 0; e < 12; e++) {
    double s = 0.5 * (e / 4) + 0.5 * t->point[e % 4];
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 2 * s * s / 2, got->pv[1 + 2 * e]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 2 * s * s * s / 6, got->pq[1 + 2 * e]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 2 * s, got->pa[1 + 2 * e]);
  }
}

static void test_a_motion_comes_back_with_the_states_at_its_points(void) {
  Trajectory *t = make_motion();
  for (int single = 0; single < 2; single++) {
    unsigned char *bytes = NULL;
    size_t n = 0;
    TEST_ASSERT_EQUAL_INT(STATUS_OK, journal_pack(&bytes, &n, t, single, &err));
    Trajectory *got = NULL;
    TEST_ASSERT_EQUAL_INT(STATUS_OK, journal_unpack(&got, bytes, n, "x", &err));
    check_motion(t, got, single ? 1e-6 : 1e-14);
    trajectory_free(got);
    free(bytes);
  }
  trajectory_free(t);
}

static void test_a_damaged_motion_is_refused(void) {
  Trajectory *t = make_motion(), *got = NULL;
  unsigned char *bytes = NULL;
  size_t n = 0;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, journal_pack(&bytes, &n, t, true, &err));
  for (size_t at = 0; at < n; at++) {
    bytes[at] ^= 0x20;
    bool unused = at >= 28 && at < 32;  // a word of the header that says nothing
    Status status = journal_unpack(&got, bytes, n, "x", &err);
    TEST_ASSERT_EQUAL_INT(unused ? STATUS_OK : STATUS_INPUT, status);
    trajectory_free(got);
    bytes[at] ^= 0x20;
  }
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, journal_unpack(&got, bytes, n - 1, "x", &err));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, journal_unpack(&got, bytes, 3, "x", &err));
  free(bytes);
  trajectory_free(t);
}

static void test_a_motion_is_found_where_its_line_says(void) {
  Trajectory *t = make_motion();
  unsigned char *bytes = NULL;
  size_t n = 0;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, journal_pack(&bytes, &n, t, true, &err));
  char *file = calloc(n + 7, 1);
  TEST_ASSERT_NOT_NULL(file);
  memcpy(file + 7, bytes, n);
  save("trajectories.bin", file, n + 7);
  TextBuf b = {0};
  add(&b, 1, 1, 10, &cold);
  Journal *j = load(&b);
  JournalRun r = j->run[0];
  Trajectory *got = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, journal_trajectory(&got, j, &r, &err));
  r.offset = 7, r.bytes = (int64_t)n;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, journal_trajectory(&got, j, &r, &err));
  check_motion(t, got, 1e-6);
  trajectory_free(got);
  r.offset = 8;
  TEST_ASSERT_EQUAL_INT(STATUS_IO, journal_trajectory(&got, j, &r, &err));
  textbuf_free(&b);
  journal_free(j);
  free(file);
  free(bytes);
  trajectory_free(t);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_line_reads_back_as_it_was_written);
  RUN_TEST(test_values_that_are_no_numbers_become_labels);
  RUN_TEST(test_a_torn_last_line_is_left_out);
  RUN_TEST(test_garbage_never_breaks_the_reader);
  RUN_TEST(test_the_later_of_two_lines_with_one_key_counts);
  RUN_TEST(test_the_best_run_is_good_and_of_the_cost_set);
  RUN_TEST(test_points_know_their_place_and_their_mirror_image);
  RUN_TEST(test_a_large_journal_keeps_every_run);
  RUN_TEST(test_a_motion_comes_back_with_the_states_at_its_points);
  RUN_TEST(test_a_damaged_motion_is_refused);
  RUN_TEST(test_a_motion_is_found_where_its_line_says);
  return UNITY_END();
}
