// SPDX-License-Identifier: MIT
// Positions and velocities of points: against plain numbers, outside software, and finite
// differences.
#include "dynamics/kinematics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "dyn_plain.h"
#include "dyn_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// position and velocity of every frame, 6 numbers each; how many expressions
static int frame_expressions(Trace *t, Expr *out, int most) {
  const Model *m = t->tr.m;
  int n = 0;
  for (int k = 0; k < m->n_frame && n + 6 <= most; k++) {
    Vec3 x, dx;
    kin_point(t->g, &t->tr.tree, t->tr.body, m->frame[k].body, m->frame[k].pos, t->tr.v, &x, &dx);
    for (int i = 0; i < 3; i++) {
      out[n + i] = x.x[i];
      out[n + 3 + i] = dx.x[i];
    }
    n += 6;
  }
  return n;
}

enum { MOST = 6 * (MAX_NV + 16) };

static void check_points(const Model *m, uint64_t seed, int n_state) {
  Expr out[MOST];
  double y[MOST], ahead[MOST], behind[MOST];
  Trace t;
  trace_open(&t, m);
  int n = frame_expressions(&t, out, MOST);
  TEST_ASSERT_GREATER_THAN_INT(0, n);
  Numbers f = numbers_open(t.g, n, out);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < n_state; k++) {
    State s;
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    PlainBody body[MAX_NV];
    plain_motion(m, s.q, s.v, NULL, body);
    for (int e = 0; e < n; e += 6) {
      double x[3], dx[3];
      const ModelFrame *frame = &m->frame[e / 6];
      plain_point(body, frame->body, frame->pos, x, dx);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(1e-12, x, y + e, 3, frame->name);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(1e-9, dx, y + e + 3, 3, frame->name);
    }
    // velocity = d position / dt along q + t v
    const double h = 1e-6;
    State shifted = s;
    for (int i = 0; i < m->nv; i++) shifted.q[i] = s.q[i] + h * s.v[i];
    numbers_eval(&f, 1, &shifted, ahead);
    for (int i = 0; i < m->nv; i++) shifted.q[i] = s.q[i] - h * s.v[i];
    numbers_eval(&f, 1, &shifted, behind);
    for (int e = 0; e < n; e += 6) {
      for (int i = 0; i < 3; i++) {
        double slope = (ahead[e + i] - behind[e + i]) / (2 * h);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(slope)), slope, y[e + 3 + i]);
      }
    }
  }
  numbers_close(&f);
  trace_close(&t);
}

static void test_frames_of_every_robot_are_where_plain_numbers_put_them(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) check_points(robot[i], 1, 50);
  robots_free(n, robot);
}

static void test_frames_of_random_trees_are_where_plain_numbers_put_them(void) {
  for (int n = 1; n <= 40; n += 3) {
    Model *m = tree_random(n, 400 + (uint64_t)n);
    check_points(m, 2, 5);
    model_free(m);
  }
}

static void test_the_tip_of_the_arm_is_where_the_outside_engine_puts_it(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  const char *path = "tests/data/arm_inverse_dynamics.json";
  struct cJSON *doc = json_load(path, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  int tip = model_find_frame(m, "tip");
  TEST_ASSERT_GREATER_OR_EQUAL_INT(0, tip);
  Trace t;
  trace_open(&t, m);
  Vec3 x;
  kin_point(t.g, &t.tr.tree, t.tr.body, m->frame[tip].body, m->frame[tip].pos, t.tr.v, &x, NULL);
  Numbers f = numbers_open(t.g, 3, x.x);
  JsonAt root = json_root(doc, path);
  int count = 0;
  double worst = 0;
  for (JsonAt e = json_first(&root); e.node; json_next(&e), count++) {
    State s = {.q = {0}};
    double expected[3], y[3];
    JsonAt q = json_find(&e, "q"), end = json_find(&e, "end_effector");
    TEST_ASSERT_TRUE(json_numbers(&q, 6, s.q, &err) && json_numbers(&end, 3, expected, &err));
    numbers_eval(&f, 1, &s, y);
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-9, expected, y, 3);
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(y[i] - expected[i]));
  }
  TEST_ASSERT_EQUAL_INT(20, count);
  printf("reference: worst tip error %.2g m\n", worst);
  json_free(doc);
  numbers_close(&f);
  trace_close(&t);
  model_free(m);
}

static void test_points_of_the_world_stay(void) {
  Model *m = chain_build(2, 0);
  Trace t;
  trace_open(&t, m);
  Vec3 x, dx;
  const double pos[3] = {1, -2, 3};
  kin_point(t.g, &t.tr.tree, t.tr.body, -1, pos, t.tr.v, &x, &dx);
  for (int i = 0; i < 3; i++) {
    double value;
    TEST_ASSERT_TRUE(expr_is_const(t.g, x.x[i], &value));
    TEST_ASSERT_EQUAL_DOUBLE(pos[i], value);
    TEST_ASSERT_EQUAL_INT(EXPR_ZERO, dx.x[i]);
  }
  trace_close(&t);
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_frames_of_every_robot_are_where_plain_numbers_put_them);
  RUN_TEST(test_frames_of_random_trees_are_where_plain_numbers_put_them);
  RUN_TEST(test_the_tip_of_the_arm_is_where_the_outside_engine_puts_it);
  RUN_TEST(test_points_of_the_world_stay);
  return UNITY_END();
}
