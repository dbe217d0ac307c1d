// SPDX-License-Identifier: MIT
// Every allocation of loading and building fails once, in turn: each time the call says so, gives
// nothing back, keeps nothing, and the process lives. (The emitter and the loader have theirs in
// test_expr_emit_c.c and test_expr_load.c.)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_support.h"
#include "base/file.h"
#include "dyn_support.h"
#include "dynamics/dyn_point.h"
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
  const char *text;    // model_parse
  const Model *model;  // dyn_point_build
  const DynForm *form;
  DynRule rule;
  const ExprFunction *function;  // expr_tape_build
  TapeOrder order;
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
  if (!reached) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, text);
    TEST_ASSERT_NOT_NULL_MESSAGE(out, text);
    job->free(out);
    TEST_ASSERT_TRUE_MESSAGE(alloc_live() == before, "free forgets something");
    return true;
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_NO_MEMORY, status, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_NO_MEMORY, err.code, text);
  TEST_ASSERT_NULL_MESSAGE(out, text);
  TEST_ASSERT_TRUE_MESSAGE(alloc_live() == before, text);
  return false;
}

static void walk(const Job *job) {
  long n = 1;
  while (!run_failing(job, n, false)) n++;
  for (long k = 1; k < n; k++) run_failing(job, k, true);
  printf("%s: %ld allocations\n", job->name, n - 1);
  TEST_ASSERT_GREATER_THAN_INT(2, n);
}

// ---- models ------------------------------------------------------------------------------------

static Status run_parse(const Job *job, void **out, Error *err) {
  Model *m = (Model *)*out;
  Status status = model_parse(&m, job->text, job->name, err);
  *out = m;
  return status;
}

static void free_model(void *m) {
  model_free(m);
}

static void test_reading_a_robot_survives_every_failing_allocation(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    Error err = {0};
    size_t len;
    char *text = file_read(robot[i]->path, 1 << 20, &len, &err);
    TEST_ASSERT_NOT_NULL_MESSAGE(text, err.what);
    const Job job = {.name = robot[i]->name, .run = run_parse, .free = free_model, .text = text};
    walk(&job);
    free(text);
  }
  robots_free(n, robot);
}

static Status run_load(const Job *job, void **out, Error *err) {
  Model *m = (Model *)*out;
  Status status = model_load(&m, job->text, err);
  *out = m;
  return status;
}

static void test_reading_a_file_survives_every_failing_allocation(void) {
  const Job job = {
      .name = "load", .run = run_load, .free = free_model, .text = "configs/robots/cartpole.json"};
  walk(&job);
}

// ---- dynamics ----------------------------------------------------------------------------------

static Status run_point(const Job *job, void **out, Error *err) {
  DynPoint *p = (DynPoint *)*out;
  Status status = dyn_point_build(&p, job->model, job->form, job->rule, err);
  *out = p;
  return status;
}

static void free_point(void *p) {
  dyn_point_free(p);
}

static void walk_forms(const Model *m) {
  for (int f = 0; dyn_forms[f]; f++) {
    char name[80];
    snprintf(name, sizeof name, "%s %s", m->name, dyn_forms[f]->name);
    const Job job = {.name = name,
                     .run = run_point,
                     .free = free_point,
                     .model = m,
                     .form = dyn_forms[f],
                     .rule = DYN_RULE_BEST};
    walk(&job);
  }
}

static void test_building_a_point_survives_every_failing_allocation(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/cartpole.json", &err));
  walk_forms(m);
  model_free(m);
  m = chain_build(3, 1);
  walk_forms(m);
  model_free(m);
}

// ---- tapes -------------------------------------------------------------------------------------

static Status run_tape(const Job *job, void **out, Error *err) {
  ExprTape *t = (ExprTape *)*out;
  Status status = expr_tape_build(&t, job->function, job->order, err);
  *out = t;
  return status;
}

static void free_tape(void *t) {
  expr_tape_free(t);
}

static void test_building_a_tape_survives_every_failing_allocation(void) {
  Model *m = chain_build(4, 1);
  Error err = {0};
  DynPoint *p = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, dyn_point_build(&p, m, &dyn_implicit, DYN_RULE_BEST, &err));
  const ExprFunction *f[3] = {&p->residual, &p->jacobian, &p->hessian};
  for (int i = 0; i < 6; i++) {
    Job job = {.name = f[i / 2]->name,
               .run = run_tape,
               .free = free_tape,
               .function = f[i / 2],
               .order = (TapeOrder)(i % 2)};
    walk(&job);
  }
  dyn_point_free(p);
  model_free(m);
}

int main(void) {
  alloc_hook_cjson();
  UNITY_BEGIN();
  RUN_TEST(test_reading_a_robot_survives_every_failing_allocation);
  RUN_TEST(test_reading_a_file_survives_every_failing_allocation);
  RUN_TEST(test_building_a_point_survives_every_failing_allocation);
  RUN_TEST(test_building_a_tape_survives_every_failing_allocation);
  return UNITY_END();
}
