// SPDX-License-Identifier: MIT
#include "robot_gen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "unity.h"

static TextBuf text;
static Model *m;

void setUp(void) {
  text = (TextBuf){0};
  m = NULL;
}

void tearDown(void) {
  textbuf_free(&text);
  model_free(m);
}

static void build(const RobotGenOptions *opt) {
  Error err = {0};
  textbuf_free(&text);
  model_free(m);
  robot_gen(&text, opt);
  TEST_ASSERT_FALSE(text.failed);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_parse(&m, text.text, "gen.json", &err), err.what);
  TEST_ASSERT_EQUAL_INT(opt->n_joint, m->nv);
}

static void test_random_trees_of_many_sizes_and_seeds_are_valid(void) {
  for (int n = 1; n <= 40; n++) {
    for (unsigned seed = 0; seed < 4; seed++) {
      RobotGenOptions opt = robot_gen_defaults();
      opt.n_joint = n;
      opt.seed = seed;
      opt.limits = seed & 1;
      opt.damping = seed & 2;
      opt.armature = seed == 3;
      build(&opt);
      TEST_ASSERT_EQUAL_INT(n, m->nu);
      for (int i = 0; i < n; i++) TEST_ASSERT_EQUAL_INT(opt.armature, m->joint[i].armature > 0);
    }
  }
}

static void test_massless_inner_bodies_leave_the_robot_valid(void) {
  for (unsigned seed = 0; seed < 50; seed++) {
    RobotGenOptions opt = robot_gen_defaults();
    opt.n_joint = 20;
    opt.seed = seed;
    opt.massless = 0.6;
    opt.prismatic = 0.2;
    build(&opt);
    int massless = 0;
    for (int i = 0; i < m->nv; i++) massless += m->body[i].mass == 0;
    TEST_ASSERT_TRUE(massless > 2);
  }
}

static void test_shares_are_obeyed(void) {
  RobotGenOptions opt = robot_gen_defaults();
  opt.n_joint = 1000;
  opt.prismatic = 0.25;
  opt.actuated = 0.5;
  build(&opt);
  int prismatic = 0, off_chain = 0;
  for (int i = 0; i < m->nv; i++) {
    prismatic += m->joint[i].type == JOINT_PRISMATIC;
    off_chain += m->joint[i].parent != i - 1;
  }
  TEST_ASSERT_INT_WITHIN(50, 250, prismatic);
  TEST_ASSERT_INT_WITHIN(60, 500, m->nu);
  TEST_ASSERT_TRUE(off_chain > 100);
  opt.branching = 0;
  opt.prismatic = 0;
  build(&opt);
  for (int i = 0; i < m->nv; i++) {
    TEST_ASSERT_EQUAL_INT(i - 1, m->joint[i].parent);
    TEST_ASSERT_EQUAL_INT(JOINT_REVOLUTE, m->joint[i].type);
  }
}

static void test_chains_have_equal_links_and_the_axes_asked_for(void) {
  RobotGenOptions opt = robot_gen_defaults();
  opt.kind = ROBOT_GEN_CHAIN;
  for (int alternating = 0; alternating < 2; alternating++) {
    opt.alternating = alternating;
    opt.n_joint = 400;
    build(&opt);
    TEST_ASSERT_EQUAL_INT(399, m->nu);
    for (int i = 0; i < m->nv; i++) {
      bool z = alternating && i % 2;
      TEST_ASSERT_EQUAL_INT(i - 1, m->joint[i].parent);
      TEST_ASSERT_EQUAL_DOUBLE(i ? 0.3 : 0, m->joint[i].pos[0]);
      TEST_ASSERT_EQUAL_DOUBLE(z ? 1 : 0, m->joint[i].axis[2]);
      TEST_ASSERT_EQUAL_DOUBLE(z ? 0 : 1, m->joint[i].axis[1]);
    }
    TEST_ASSERT_EQUAL_DOUBLE(400, model_mass(m));
  }
  TEST_ASSERT_TRUE(model_find_frame(m, "tip") == 0);
}

static void test_the_same_options_give_the_same_text_and_seeds_differ(void) {
  RobotGenOptions opt = robot_gen_defaults();
  TextBuf again = {0}, other = {0};
  robot_gen(&text, &opt);
  robot_gen(&again, &opt);
  opt.seed = 2;
  robot_gen(&other, &opt);
  bool same = strcmp(text.text, again.text) == 0, differ = strcmp(text.text, other.text) != 0;
  textbuf_free(&again);
  textbuf_free(&other);
  TEST_ASSERT_TRUE(same);
  TEST_ASSERT_TRUE(differ);
}

static void test_the_largest_robot_loads(void) {
  RobotGenOptions opt = robot_gen_defaults();
  opt.n_joint = 4096;
  build(&opt);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random_trees_of_many_sizes_and_seeds_are_valid);
  RUN_TEST(test_massless_inner_bodies_leave_the_robot_valid);
  RUN_TEST(test_shares_are_obeyed);
  RUN_TEST(test_chains_have_equal_links_and_the_axes_asked_for);
  RUN_TEST(test_the_same_options_give_the_same_text_and_seeds_differ);
  RUN_TEST(test_the_largest_robot_loads);
  return UNITY_END();
}
