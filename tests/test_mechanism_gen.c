// SPDX-License-Identifier: MIT
// Generated mechanisms: sizes as the papers have them, closed where they start; and the files of
// configs/mechanisms.
#include "model/mechanism_gen.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/loop_eval.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static Model *generate(MechanismKind kind, int size, int width) {
  TextBuf text = {0};
  Error err = {0};
  Model *m = NULL;
  mechanism_gen(&text, &(MechanismOptions){kind, size, width});
  TEST_ASSERT_FALSE(text.failed);
  Status status = model_parse(&m, text.text, mechanism_names[kind], &err);
  textbuf_free(&text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  return m;
}

// largest violation at the start configuration
static double violation(const Model *m) {
  LoopEval *e = NULL;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, loop_eval_build(&e, m, &err), err.what);
  double *phi = calloc((size_t)e->n_row, sizeof *phi), worst = 0;
  TEST_ASSERT_NOT_NULL(phi);
  TEST_ASSERT_TRUE(loop_eval(e, model_start(m), NULL, phi, NULL, NULL, NULL));
  for (int i = 0; i < e->n_row; i++) worst = fmax(worst, fabs(phi[i]));
  free(phi);
  loop_eval_free(e);
  return worst;
}

static void check_size(MechanismKind kind, int size, int width, int nv, int rows) {
  Model *m = generate(kind, size, width);
  TEST_ASSERT_EQUAL_INT_MESSAGE(nv, m->nv, mechanism_names[kind]);
  TEST_ASSERT_EQUAL_INT_MESSAGE(rows, model_n_rows(m), mechanism_names[kind]);
  TEST_ASSERT_TRUE_MESSAGE(violation(m) < 1e-12, mechanism_names[kind]);
  model_free(m);
}

static void test_mechanisms_have_the_sizes_of_the_papers_and_are_closed(void) {
  for (int n = 1; n <= 16; n *= 4) {
    check_size(MECHANISM_LADDER, n, 0, 4 * n + 2, 4 * n);
    check_size(MECHANISM_SQUARES, n, 0, 3 * n + 1, 2 * n);
    check_size(MECHANISM_DIAMONDS, n, 0, 4 * n, 2 * n);
    check_size(MECHANISM_NET, n, 3, 2 * 5 * n, 3 * 2 * n);
  }
  check_size(MECHANISM_RING, 20, 0, 6 + 19 * 3, 3);
  check_size(MECHANISM_RING, 40, 0, 6 + 39 * 3, 3);
  check_size(MECHANISM_HMMWV, 1, 0, 27, 16);
  check_size(MECHANISM_SHOULDER, 1, 0, 7, 5);
  check_size(MECHANISM_ARM, 1, 0, 9, 5);
  check_size(MECHANISM_BICYCLE, 1, 0, 6 + 17, 7);
}

static void test_files_are_closed_at_their_start(void) {
  DIR *dir = opendir("configs/mechanisms");
  TEST_ASSERT_NOT_NULL(dir);
  int n = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0) continue;
    char path[400];
    snprintf(path, sizeof path, "configs/mechanisms/%s", e->d_name);
    Error err = {0};
    Model *m = NULL;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_load(&m, path, &err), err.what);
    TEST_ASSERT_TRUE_MESSAGE(violation(m) < 1e-12, path);
    model_free(m);
    n++;
  }
  closedir(dir);
  TEST_ASSERT_GREATER_THAN_INT(8, n);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_mechanisms_have_the_sizes_of_the_papers_and_are_closed);
  RUN_TEST(test_files_are_closed_at_their_start);
  return UNITY_END();
}
