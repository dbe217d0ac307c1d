// SPDX-License-Identifier: MIT
// The prepared tree: frames that fit the file's, moments that are the file's, and what is given
// away.
#include "dynamics/dyn_tree.h"

#include <math.h>
#include <string.h>

#include "dyn_support.h"
#include "dynamics/spatial.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static void transpose(const double a[9], double t[9]) {
  for (int i = 0; i < 9; i++) t[i] = a[i / 3 + 3 * (i % 3)];
}

static void check_frames(const Model *m, const DynTree *t) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    const double *parent = j->parent < 0 ? one : t->joint[j->parent].to_file;
    double gram[9], back[9], left[9], right[9], axis[3], pos[3];
    num3_mul_t(j->to_file, j->to_file, gram);
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(1e-12, one, gram, 9, "axes are not orthonormal");
    num3_mul_t(j->rot, j->rot, gram);
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(1e-14, one, gram, 9, "rot is no rotation");

    // parent's axes -> file's parent -> file's joint = parent's axes -> ours -> file's
    transpose(j->to_file, back);
    num3_mul(parent, j->rot, left);
    num3_mul(left, back, right);
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-12, m->joint[i].rot, right, 9);
    num3_vec(parent, j->pos, pos);
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-12, m->joint[i].pos, pos, 3);

    // the axis is a coordinate axis of ours, or a direction in the parent's
    num3_vec_t(j->to_file, m->joint[i].axis, axis);
    if (j->type == JOINT_REVOLUTE) {
      double expected[3] = {0};
      expected[j->axis] = j->sign;
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-12, expected, axis, 3);
    } else {
      num3_vec(j->rot, axis, pos);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-12, j->dir, pos, 3);
      TEST_ASSERT_EQUAL_INT(TURN_KEEP, j->turn);
    }
  }
}

// own: mass, first moment and J of the file's body; what a joint cannot feel is gone from mass
static void check_masses(const Model *m, const DynTree *t) {
  for (int i = 0; i < t->n; i++) {
    const DynJoint *j = &t->joint[i];
    const ModelBody *b = &m->body[i];
    double h[3], J[9], tmp[9], back[9];
    num3_vec(j->to_file, j->own.h, h);
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, b->mass * b->com[k], h[k]);
    transpose(j->to_file, back);
    num3_mul(j->to_file, j->own.J, tmp);
    num3_mul(tmp, back, J);
    // inertia about the origin = trace(J) 1 - J, about the centre of mass less m (c^2 1 - c c^T)
    double trace = J[0] + J[4] + J[8];
    double c2 = b->com[0] * b->com[0] + b->com[1] * b->com[1] + b->com[2] * b->com[2];
    for (int e = 0; e < 9; e++) {
      double about_com = (e % 4 ? 0 : trace) - J[e] -
                         b->mass * ((e % 4 ? 0 : c2) - b->com[e % 3] * b->com[e / 3]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + trace), b->inertia[e], about_com);
    }
    if (j->type == JOINT_REVOLUTE) {
      TEST_ASSERT_TRUE(j->mass.m == 0 && j->mass.h[j->axis] == 0 && j->mass.J[4 * j->axis] == 0);
    } else {
      for (int e = 0; e < 9; e++) TEST_ASSERT_TRUE(j->mass.J[e] == 0);
    }
    TEST_ASSERT_TRUE(j->armature == m->joint[i].armature && j->damping == m->joint[i].damping);
  }
}

static void check(const Model *m) {
  Arena *arena = arena_new();
  DynTree t;
  TEST_ASSERT_TRUE(dyn_tree_build(&t, m, arena));
  TEST_ASSERT_EQUAL_INT(m->nv, t.n);
  check_frames(m, &t);
  check_masses(m, &t);
  arena_free(arena);
}

static void test_axes_and_moments_fit_the_file(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) check(robot[i]);
  robots_free(n, robot);
  for (int k = 1; k <= 40; k++) {
    Model *m = tree_random(k, 700 + (uint64_t)k);
    check(m);
    model_free(m);
  }
}

static void test_axes_stay_orthonormal_along_a_very_long_chain(void) {
  for (int kind = 2; kind < CHAIN_KINDS; kind++) {
    Model *m = chain_build(1000, kind);
    check(m);
    model_free(m);
  }
}

static void test_parallel_axes_share_a_frame(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  Arena *arena = arena_new();
  DynTree t;
  TEST_ASSERT_TRUE(dyn_tree_build(&t, m, arena));
  // q3, q4, q5 turn about the axis of q2
  for (int i = 2; i <= 4; i++) {
    TEST_ASSERT_EQUAL_INT(TURN_KEEP, t.joint[i].turn);
    TEST_ASSERT_EQUAL_INT(1, t.joint[i].axis);
    TEST_ASSERT_EQUAL_INT(-1, t.joint[i].sign);
  }
  arena_free(arena);
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_axes_and_moments_fit_the_file);
  RUN_TEST(test_axes_stay_orthonormal_along_a_very_long_chain);
  RUN_TEST(test_parallel_axes_share_a_frame);
  return UNITY_END();
}
