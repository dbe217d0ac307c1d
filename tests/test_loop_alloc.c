// SPDX-License-Identifier: MIT
// Every allocation of what is built for robots with loops fails once, in turn: each time the call says so,
// gives nothing back and keeps nothing.
#include <stdio.h>
#include <string.h>

#include "alloc_support.h"
#include "dynamics/aug_function.h"
#include "dynamics/loop_check.h"
#include "dynamics/loop_method.h"
#include "loop_support.h"
#include "model/mechanism_gen.h"
#include "unity.h"

static Model *fourbar, *fivebar;

void setUp(void) {
  fourbar = mechanism_load("fourbar");
  fivebar = mechanism_load("fivebar");
}

void tearDown(void) {
  alloc_fail_from(0);
  model_free(fourbar);
  model_free(fivebar);
}

typedef Status Build(void **out, Error *err);
typedef void Free(void *out);

static Status build_mechanism(void **out, Error *err) {
  Model *m = NULL;
  Status status = mechanism_build(&m, &(MechanismOptions){MECHANISM_SHOULDER, 1, 0}, err);
  *out = m;
  return status;
}

static Status build_load(void **out, Error *err) {
  Model *m = NULL;
  Status status = model_load(&m, "configs/mechanisms/fivebar.json", err);
  *out = m;
  return status;
}

static Status build_eval(void **out, Error *err) {
  LoopEval *e = NULL;
  Status status = loop_eval_build(&e, fivebar, err);
  *out = e;
  return status;
}

static Status build_sparse(void **out, Error *err) {
  DynFunction *f = NULL;
  Status status = loop_function_build(&f, fourbar, &loop_tree_aug, err);
  *out = f;
  return status;
}

static Status build_dense(void **out, Error *err) {
  DynFunction *f = NULL;
  Status status = loop_function_build(&f, fourbar, &loop_tree_aug_dense, err);
  *out = f;
  return status;
}

static Status build_gauss(void **out, Error *err) {
  DynFunction *f = NULL;
  Status status = loop_function_build(&f, fourbar, &loop_gauss, err);
  *out = f;
  return status;
}

static Status build_aug(void **out, Error *err) {
  AugFunction *f = NULL;
  Status status = aug_function_build(&f, fourbar, AUG_TRACED, AUG_SPARSE, err);
  *out = f;
  return status;
}

// no object: the report stands for it
static Status build_report(void **out, Error *err) {
  static LoopReport r;
  Status status = loop_check(&r, fivebar, err);
  *out = status == STATUS_OK ? &r : NULL;
  return status;
}

static void free_model(void *m) {
  model_free(m);
}

static void free_eval(void *e) {
  loop_eval_free(e);
}

static void free_function(void *f) {
  dyn_function_free(f);
}

static void free_aug(void *f) {
  aug_function_free(f);
}

static void free_nothing(void *r) {
  (void)r;
}

// The n-th allocation fails, only that one or all from there on; true when it does not happen any more.
static bool fails(const char *name, Build *build, Free *release, long n, bool only) {
  if (only) alloc_fail_only(n);
  else alloc_fail_from(n);
  long before = alloc_live();
  Error err = {0};
  void *out = NULL;
  Status status = build(&out, &err);
  bool reached = alloc_count() >= n;
  alloc_fail_from(0);
  char text[200];
  snprintf(text, sizeof text, "%s, allocation %ld: status %d, %.80s", name, n, status, err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(reached ? STATUS_NO_MEMORY : STATUS_OK, status, text);
  TEST_ASSERT_TRUE_MESSAGE((out == NULL) == reached, text);
  if (!reached) release(out);
  TEST_ASSERT_TRUE_MESSAGE(alloc_live() == before, text);
  return !reached;
}

static void walk(const char *name, Build *build, Free *release) {
  long n = 1;
  while (!fails(name, build, release, n, false)) n++;
  for (long k = 1; k < n; k++) fails(name, build, release, k, true);
  printf("%s: %ld allocations\n", name, n - 1);
  TEST_ASSERT_GREATER_THAN_INT(2, n);
}

static void test_every_failing_allocation_is_told(void) {
  walk("mechanism_build", build_mechanism, free_model);
  walk("model_load", build_load, free_model);
  walk("loop_eval_build", build_eval, free_eval);
  walk("TREE+AUG", build_sparse, free_function);
  walk("TREE+AUG-D", build_dense, free_function);
  walk("GAUSS", build_gauss, free_function);
  walk("aug_function_build", build_aug, free_aug);
  walk("loop_check", build_report, free_nothing);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_failing_allocation_is_told);
  return UNITY_END();
}
