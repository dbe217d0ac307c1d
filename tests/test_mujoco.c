// SPDX-License-Identifier: MIT
// Inverse and forward dynamics against MuJoCo, an independent engine, on all robots and on random
// trees. Each Model is written as MJCF with one body per joint. Without MuJoCo the test is skipped
// (exit 77).
#include <stdio.h>

#ifndef POISE_HAVE_MUJOCO

int main(void) {
  puts("MuJoCo is not installed (Debian: libmujoco-dev): skipped");
  return 77;
}

#else

#include <math.h>
#include <string.h>

#include "dyn_support.h"
#include "mujoco_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// ---- comparison --------------------------------------------------------------------------------

typedef struct Worst {
  double inverse, forward;
} Worst;

static void compare(const Model *m, uint64_t seed, int n_state, Worst *worst) {
  mjModel *mj = mujoco_build(m);
  mjData *d = mj_makeData(mj);
  TEST_ASSERT_NOT_NULL(d);
  Trace t;
  trace_open(&t, m);
  Expr out[2 * MAX_NV];
  TEST_ASSERT_TRUE(dyn_implicit.map(&t.tr, t.tr.a, out));
  TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t.tr, t.tr.tau, out + m->nv));
  Numbers f = numbers_open(t.g, 2 * m->nv, out);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < n_state; k++) {
    State s;
    double y[2 * MAX_NV];
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    size_t size = (size_t)m->nv * sizeof *y;
    memcpy(d->qpos, s.q, size);
    memcpy(d->qvel, s.v, size);
    memcpy(d->qacc, s.a, size);
    mj_inverse(mj, d);
    double inverse = error_relative(m->nv, d->qfrc_inverse, y);
    memcpy(d->qfrc_applied, s.tau, size);
    mj_forward(mj, d);
    double forward = error_relative(m->nv, d->qacc, y + m->nv);
    char text[120];
    snprintf(text, sizeof text, "%s: inverse %.2g, forward %.2g", m->name, inverse, forward);
    TEST_ASSERT_TRUE_MESSAGE(inverse < 1e-8, text);
    TEST_ASSERT_TRUE_MESSAGE(forward < 1e-8, text);
    worst->inverse = fmax(worst->inverse, inverse);
    worst->forward = fmax(worst->forward, forward);
  }
  numbers_close(&f);
  trace_close(&t);
  mj_deleteData(d);
  mj_deleteModel(mj);
}

static void test_every_robot_moves_as_in_mujoco(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    Worst worst = {0};
    compare(robot[i], 1, 50, &worst);
    printf("%s: inverse %.2g, forward %.2g\n", robot[i]->name, worst.inverse, worst.forward);
  }
  robots_free(n, robot);
}

static void test_random_trees_move_as_in_mujoco(void) {
  Worst worst = {0};
  for (int n = 1; n <= 30; n++) {
    for (uint64_t seed = 0; seed < 2; seed++) {
      Model *m = tree_random(n, 1000 + 2 * (uint64_t)n + seed);
      compare(m, seed, 5, &worst);
      model_free(m);
    }
  }
  printf("60 random trees: inverse %.2g, forward %.2g\n", worst.inverse, worst.forward);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_robot_moves_as_in_mujoco);
  RUN_TEST(test_random_trees_move_as_in_mujoco);
  return UNITY_END();
}

#endif
