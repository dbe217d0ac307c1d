// SPDX-License-Identifier: MIT
// Every allocation of reading a task, building a guess and reading a trajectory fails once, in
// turn: each time the call says so, gives nothing back and keeps nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc_support.h"
#include "ocp/trajectory.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
  alloc_fail_from(0);
}

// Something that is built: sets *out (NULL on failure) and returns a status.
typedef struct Job {
  const char *name;
  Status (*run)(const struct Job *job, void **out, Error *err);
  void (*free)(void *out);
  const char *path;
  const char *text;
  const Ocp *ocp;
} Job;

// runs the job with the n-th allocation failing (only that one, or all from there on)
static bool run_failing(const Job *job, long n, bool only) {
  if (only) alloc_fail_only(n);
  else alloc_fail_from(n);
  long before = alloc_live();
  Error err = {0};
  void *out = &err;
  Status status = job->run(job, &out, &err);
  bool reached = alloc_count() >= n;
  alloc_fail_from(0);
  char text[300];
  snprintf(text, sizeof text, "%s, allocation %ld%s: status %d, %.80s", job->name, n,
           only ? " only" : "", status, err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(reached ? STATUS_NO_MEMORY : STATUS_OK, status, text);
  TEST_ASSERT_TRUE_MESSAGE((out == NULL) == reached, text);
  if (!reached) job->free(out);
  TEST_ASSERT_TRUE_MESSAGE(alloc_live() == before, text);
  return !reached;
}

static void walk(const Job *job) {
  long n = 1;
  while (!run_failing(job, n, false)) n++;
  for (long k = 1; k < n; k++) run_failing(job, k, true);
  printf("%s: %ld allocations\n", job->name, n - 1);
  TEST_ASSERT_GREATER_THAN_INT(2, n);
}

static Status run_load(const Job *job, void **out, Error *err) {
  Ocp *o = (Ocp *)*out;
  Status status = ocp_load(&o, job->path, err);
  *out = o;
  return status;
}

static Status run_parse(const Job *job, void **out, Error *err) {
  Ocp *o = (Ocp *)*out;
  Status status = ocp_parse(&o, job->text, "t.json", ".", err);
  *out = o;
  return status;
}

static Status run_guess(const Job *job, void **out, Error *err) {
  Trajectory *t = (Trajectory *)*out;
  Status status = guess_build(&t, job->ocp, err);
  *out = t;
  return status;
}

static void free_ocp(void *o) {
  ocp_free(o);
}

static void free_trajectory(void *t) {
  trajectory_free(t);
}

static void test_reading_a_task_survives_every_failing_allocation(void) {
  static const char *const paths[] = {"tasks/cartpole_swingup.json", "tasks/reach_around.json"};
  for (int i = 0; i < 2; i++) {
    const Job job = {.name = paths[i], .run = run_load, .free = free_ocp, .path = paths[i]};
    walk(&job);
  }
}

static void test_a_task_with_notes_and_options_survives_every_failing_allocation(void) {
  const Job job = {.name = "notes",
                   .run = run_parse,
                   .free = free_ocp,
                   .text = "{\"robot\":\"configs/robots/cartpole.json\",\"horizon\":2,"
                           "\"start\":{\"q\":{\"pole\":1}},\"goal\":{},\"cost\":{\"time\":1},"
                           "\"limits\":{\"torque\":{\"cart\":30}},"
                           "\"solver\":{\"tol\":1e-8,\"mu_strategy\":\"adaptive\"}}"};
  walk(&job);
}

static void test_guesses_survive_every_failing_allocation(void) {
  static const char *const kinds[] = {"hold", "zero", "line", "random"};
  for (int i = 0; i < 4; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "{\"robot\":\"configs/robots/cartpole.json\",\"horizon\":2,\"intervals\":10,"
             "\"start\":{},\"goal\":{\"frame\":\"tip\",\"position\":[0.5,null,-0.5]},"
             "\"guess\":\"%s\"}",
             kinds[i]);
    Error err = {0};
    Ocp *o = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_parse(&o, text, "t.json", ".", &err), err.what);
    const Job job = {.name = kinds[i], .run = run_guess, .free = free_trajectory, .ocp = o};
    if (o->guess.kind == OCP_GUESS_ZERO) {
      TEST_ASSERT_FALSE(run_failing(&job, 1, false));
      TEST_ASSERT_FALSE(run_failing(&job, 2, false));
    } else {
      walk(&job);
    }
    ocp_free(o);
  }
}

static void save_guess(const Ocp *o, const char *path) {
  Error err = {0};
  Trajectory *t = NULL;
  TextBuf b = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, guess_build(&t, o, &err));
  textbuf_add(&b, "{\"trajectory\": ");
  trajectory_write_json(t, o->model, &b);
  textbuf_add(&b, "}");
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, textbuf_save(&b, path, &err), err.what);
  textbuf_free(&b);
  trajectory_free(t);
}

static void test_a_result_as_guess_survives_every_failing_allocation(void) {
  static const char format[] = "{\"robot\":\"configs/robots/cartpole.json\",\"horizon\":2,"
                               "\"intervals\":%d,\"start\":{},\"goal\":{},\"degree\":2%s}";
  char text[400], file[100], path[] = "/tmp/poise_alloc_XXXXXX";
  int fd = mkstemp(path);
  TEST_ASSERT_TRUE(fd >= 0);
  close(fd);
  Error err = {0};
  Ocp *o = NULL;
  snprintf(text, sizeof text, format, 2, "");
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_parse(&o, text, "t.json", ".", &err), err.what);
  save_guess(o, path);
  ocp_free(o);

  snprintf(file, sizeof file, ",\"guess\":{\"file\":\"%s\"}", path);
  snprintf(text, sizeof text, format, 3, file);
  const Job reading = {
      .name = "task with result", .run = run_parse, .free = free_ocp, .text = text};
  walk(&reading);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_parse(&o, text, "t.json", ".", &err), err.what);
  const Job guessing = {.name = "result", .run = run_guess, .free = free_trajectory, .ocp = o};
  walk(&guessing);
  unlink(path);
  ocp_free(o);
}

// writers have no status: the buffer knows
static void test_writing_survives_every_failing_allocation(void) {
  Error err = {0};
  Ocp *o = NULL;
  Trajectory *t = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, ocp_load(&o, "tasks/cartpole_swingup.json", &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_build(&t, o, &err));
  for (int csv = 0; csv < 2; csv++) {
    bool reached = true;
    for (long n = 1; reached; n++) {
      alloc_fail_from(n);
      TextBuf b = {0};
      if (csv) trajectory_write_csv(t, o->model, &b);
      else trajectory_write_json(t, o->model, &b);
      reached = alloc_count() >= n;
      alloc_fail_from(0);
      TEST_ASSERT_TRUE(b.failed == reached);
      textbuf_free(&b);
    }
  }
  trajectory_free(t);
  ocp_free(o);
}

int main(void) {
  alloc_hook_cjson();
  UNITY_BEGIN();
  RUN_TEST(test_reading_a_task_survives_every_failing_allocation);
  RUN_TEST(test_a_task_with_notes_and_options_survives_every_failing_allocation);
  RUN_TEST(test_guesses_survive_every_failing_allocation);
  RUN_TEST(test_a_result_as_guess_survives_every_failing_allocation);
  RUN_TEST(test_writing_survives_every_failing_allocation);
  return UNITY_END();
}
