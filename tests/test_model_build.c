// SPDX-License-Identifier: MIT
// Good robots: what the reader makes of them. Texts are written with ' for ".
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "unity.h"

static Model *m;
static Error err;

void setUp(void) {
  m = NULL;
  err = (Error){0};
}

void tearDown(void) {
  model_free(m);
}

static Model *parse(const char *single_quoted) {
  static char text[8000];
  snprintf(text, sizeof text, "%s", single_quoted);
  for (char *c = text; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  Model *out = NULL;
  model_parse(&out, text, "r.json", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(out, err.what);
  return out;
}

static void check_vector(double x, double y, double z, const double *actual) {
  const double expected[3] = {x, y, z};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, expected, actual, 3);
}

static void test_the_benchmark_arm_is_as_published(void) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err),
                                err.what);
  const double pi = acos(-1), a = acos(0.55 / 0.6);
  const double lower[6] = {-INFINITY, -pi / 2, -5 * pi / 12, -pi / 2, -pi / 4, -pi / 4};
  const double upper[6] = {INFINITY, pi / 2, 0, pi / 2, pi / 4, pi / 4};
  const double x[6] = {0, 0, 0.3, 0.3, 0.1, 0}, mass[6] = {0, 2.5, 2, 0.5, 0, 1};
  const double start[6] = {0, a, -2 * a, a, 0, 0};
  const double axis[6][3] = {{0, 0, 1}, {0, -1, 0}, {0, -1, 0}, {0, -1, 0}, {0, -1, 0}, {1, 0, 0}};
  TEST_ASSERT_EQUAL_INT(6, m->nv);
  TEST_ASSERT_EQUAL_INT(4, m->nu);
  TEST_ASSERT_EQUAL_INT(0, m->n_note);
  for (int i = 0; i < 6; i++) {
    char name[3] = {'q', (char)('1' + i), 0};
    const ModelJoint *j = &m->joint[i];
    TEST_ASSERT_EQUAL_STRING(name, j->name);
    TEST_ASSERT_EQUAL_INT(i - 1, j->parent);
    TEST_ASSERT_EQUAL_INT(JOINT_REVOLUTE, j->type);
    TEST_ASSERT_EQUAL_INT(i < 4, j->actuated);
    check_vector(axis[i][0], axis[i][1], axis[i][2], j->axis);
    check_vector(x[i], 0, 0, j->pos);
    TEST_ASSERT_EQUAL_DOUBLE(lower[i], j->lower);
    TEST_ASSERT_EQUAL_DOUBLE(upper[i], j->upper);
    TEST_ASSERT_EQUAL_DOUBLE(mass[i], m->body[i].mass);
    TEST_ASSERT_EQUAL_DOUBLE(start[i], m->pose[0].q[i]);
  }
  const double pendulum[9] = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.05};
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(pendulum, m->body[5].inertia, 9);
  check_vector(0, 0, 0.2, m->body[5].com);
  int tip = model_find_frame(m, "tip");
  TEST_ASSERT_EQUAL_INT(3, m->frame[tip].body);
  check_vector(0.1, 0, 0, m->frame[tip].pos);
  TEST_ASSERT_EQUAL_DOUBLE(6, model_mass(m));
  TEST_ASSERT_EQUAL_INT(2, model_find_joint(m, "q3"));
  TEST_ASSERT_EQUAL_INT(-1, model_find_joint(m, "q7"));
}

static void test_every_robot_of_configs_loads(void) {
  const struct {
    const char *path;
    int nv, nu;
  } robots[] = {{"configs/robots/arm_pendulum.json", 6, 4},
                {"configs/robots/cartpole.json", 2, 1},
                {"configs/robots/acrobot.json", 2, 1},
                {"configs/robots/tree14.json", 14, 12},
                {"configs/robots/floating_base.json", 10, 4}};
  for (int i = 0; i < 5; i++) {
    model_free(m);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_load(&m, robots[i].path, &err), err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(robots[i].nv, m->nv, robots[i].path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(robots[i].nu, m->nu, robots[i].path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, m->n_note, m->n_note ? m->note[0] : "");
  }
}

static void test_joints_come_in_depth_first_order_with_siblings_as_in_the_file(void) {
  m = parse("{'bodies':[{'name':'e','mass':1},{'name':'d','mass':1},{'name':'c','mass':1},"
            "{'name':'b','mass':1},{'name':'a','mass':1},{'name':'root'}],'joints':["
            "{'name':'jd','type':'prismatic','parent':'b','child':'d'},"
            "{'name':'jb','type':'prismatic','parent':'a','child':'b'},"
            "{'name':'je','type':'prismatic','parent':'root','child':'e'},"
            "{'name':'ja','type':'prismatic','parent':'root','child':'a'},"
            "{'name':'jc','type':'prismatic','parent':'a','child':'c'}]}");
  const char *const order[5] = {"je", "ja", "jb", "jd", "jc"};
  const int parent[5] = {-1, -1, 1, 2, 1};
  for (int i = 0; i < 5; i++) {
    TEST_ASSERT_EQUAL_STRING(order[i], m->joint[i].name);
    TEST_ASSERT_EQUAL_STRING(order[i] + 1, m->body[i].name);
    TEST_ASSERT_EQUAL_INT(parent[i], m->joint[i].parent);
  }
}

#define JOINT_1 "{'name':'j1','type':'revolute','parent':'o','child':'a','axis':[0,0,1]}"
#define JOINT_2 "{'name':'j2','type':'prismatic','parent':'a','child':'b','origin':{'rpy':[1,2,3]}}"
#define JOINT_3 "{'name':'j3','type':'fixed','parent':'b','child':'c','origin':{'xyz':[1,2,3]}}"
#define JOINT_4 "{'name':'j4','type':'revolute','parent':'c','child':'d','axis':[0,1,0]}"
#define SHUFFLED(p, q, r, s)                                                           \
  "{'bodies':[{'name':'o'},{'name':'a','mass':1,'com':[1,0,0]},{'name':'b','mass':2}," \
  "{'name':'c','mass':3},{'name':'d','mass':4,'com':[0,0,1]}],'joints':[" p "," q "," r "," s "]}"

static void check_same(const Model *a, const Model *b) {
  TEST_ASSERT_EQUAL_INT(a->nv, b->nv);
  for (int i = 0; i < a->nv; i++) {
    const ModelJoint *x = &a->joint[i], *y = &b->joint[i];
    TEST_ASSERT_EQUAL_STRING(x->name, y->name);
    TEST_ASSERT_EQUAL_INT(x->parent, y->parent);
    TEST_ASSERT_EQUAL_INT(x->type, y->type);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(x->pos, y->pos, 3);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(x->rot, y->rot, 9);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(x->axis, y->axis, 3);
    TEST_ASSERT_EQUAL_DOUBLE(a->body[i].mass, b->body[i].mass);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(a->body[i].com, b->body[i].com, 3);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(a->body[i].inertia, b->body[i].inertia, 9);
  }
}

static void test_the_order_of_joints_in_the_file_does_not_matter(void) {
  m = parse(SHUFFLED(JOINT_1, JOINT_2, JOINT_3, JOINT_4));
  const char *const other[] = {SHUFFLED(JOINT_4, JOINT_3, JOINT_2, JOINT_1),
                               SHUFFLED(JOINT_2, JOINT_4, JOINT_1, JOINT_3),
                               SHUFFLED(JOINT_3, JOINT_1, JOINT_4, JOINT_2)};
  for (int i = 0; i < 3; i++) {
    Model *shuffled = parse(other[i]);
    check_same(m, shuffled);
    model_free(shuffled);
  }
}

static void test_fixed_joints_are_merged_by_the_parallel_axis_theorem(void) {
  // two point masses of 1 and 3 kg, 2 m apart along y after the quarter turn about z, on a slider;
  // the second body has an inertia of its own, turned with it
  m = parse("{'bodies':[{'name':'o'},{'name':'a','mass':1,'com':[1,0,0]},"
            "{'name':'b','mass':3,'com':[2,0,0],'inertia':[0.1,0.2,0.25]},{'name':'c','mass':5}],"
            "'joints':[{'name':'s','type':'prismatic','parent':'o','child':'a'},"
            "{'name':'f','type':'fixed','parent':'a','child':'b',"
            "'origin':{'xyz':[1,0,0],'rpy_deg':[0,0,90]}},"
            "{'name':'k','type':'prismatic','parent':'b','child':'c','origin':{'xyz':[0,1,0]}}],"
            "'frames':[{'name':'tip','body':'b','xyz':[4,0,0]}]}");
  TEST_ASSERT_EQUAL_INT(2, m->nv);
  TEST_ASSERT_EQUAL_DOUBLE(4, m->body[0].mass);
  check_vector(1, 1.5, 0, m->body[0].com);  // a at (1,0,0), b at (1,2,0)
  // reduced mass 3/4 times 2^2 about x and z; b's axes x and y swapped
  const double inertia[9] = {0.2 + 3, 0, 0, 0, 0.1, 0, 0, 0, 0.25 + 3};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, inertia, m->body[0].inertia, 9);

  // what hangs on b now hangs on a
  const double quarter[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  TEST_ASSERT_EQUAL_INT(0, m->joint[1].parent);
  check_vector(0, 0, 0, m->joint[1].pos);  // (1,0,0) + turn (0,1,0)
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(quarter, m->joint[1].rot, 9);
  const ModelFrame *tip = &m->frame[model_find_frame(m, "tip")];
  const ModelFrame *b = &m->frame[model_find_frame(m, "b")];
  TEST_ASSERT_EQUAL_INT(0, tip->body);
  check_vector(1, 4, 0, tip->pos);
  TEST_ASSERT_EQUAL_INT(0, b->body);
  check_vector(1, 0, 0, b->pos);
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(quarter, b->rot, 9);
}

static void test_bodies_fixed_to_the_root_carry_frames_of_the_world(void) {
  m = parse("{'bodies':[{'name':'o','mass':7},{'name':'stand','mass':2},{'name':'s','mass':1}],"
            "'joints':[{'name':'f','type':'fixed','parent':'o','child':'stand',"
            "'origin':{'xyz':[0,0,1]}},"
            "{'name':'k','type':'prismatic','parent':'stand','child':'s','actuated':true}]}");
  TEST_ASSERT_EQUAL_INT(1, m->nv);
  TEST_ASSERT_EQUAL_INT(-1, m->joint[0].parent);
  check_vector(0, 0, 1, m->joint[0].pos);
  TEST_ASSERT_EQUAL_INT(-1, m->frame[model_find_frame(m, "stand")].body);
  TEST_ASSERT_EQUAL_DOUBLE(1, model_mass(m));
  TEST_ASSERT_EQUAL_INT(2, m->n_note);  // the masses that never move
  TEST_ASSERT_EQUAL_STRING("r.json: bodies[0].mass: ignored: root \"o\" is the world and does not "
                           "move",
                           m->note[0]);
}

static void test_floating_joints_become_six_simple_ones(void) {
  m = parse(
      "{'bodies':[{'name':'o'},{'name':'t','mass':1,'inertia':[1,1,1]}],'joints':[{'name':'base',"
      "'type':'floating','parent':'o','child':'t','origin':{'xyz':[1,2,3],'rpy_deg':[90,0,0]},"
      "'actuated':true,'damping':0.5,'armature':0.25}]}");
  const char *const name[6] = {"base.x", "base.y", "base.z", "base.rz", "base.ry", "base.rx"};
  TEST_ASSERT_EQUAL_INT(6, m->nv);
  TEST_ASSERT_EQUAL_INT(6, m->nu);
  for (int i = 0; i < 6; i++) {
    const ModelJoint *j = &m->joint[i];
    int along = i < 3 ? i : 5 - i;
    TEST_ASSERT_EQUAL_STRING(name[i], j->name);
    TEST_ASSERT_EQUAL_INT(i - 1, j->parent);
    TEST_ASSERT_EQUAL_INT(i < 3 ? JOINT_PRISMATIC : JOINT_REVOLUTE, j->type);
    check_vector(along == 0, along == 1, along == 2, j->axis);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, j->damping);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, j->armature);
    TEST_ASSERT_EQUAL_DOUBLE(i == 5 ? 1 : 0, m->body[i].mass);
    if (i < 5) TEST_ASSERT_NULL(m->body[i].name);
    if (i > 0) check_vector(0, 0, 0, j->pos);
  }
  const double turned[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  check_vector(1, 2, 3, m->joint[0].pos);
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(turned, m->joint[0].rot, 9);
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(identity, m->joint[4].rot, 9);
  TEST_ASSERT_EQUAL_STRING("t", m->body[5].name);
  TEST_ASSERT_EQUAL_INT(5, m->frame[model_find_frame(m, "t")].body);
}

static void test_spherical_and_planar_joints_may_stand_inside_the_tree(void) {
  m = parse("{'bodies':[{'name':'o'},{'name':'a','mass':1,'inertia':[1,1,1]},"
            "{'name':'b','mass':1,'inertia':[1,1,1]}],'joints':["
            "{'name':'p','type':'planar','parent':'o','child':'a'},"
            "{'name':'s','type':'spherical','parent':'a','child':'b','origin':{'xyz':[1,0,0]}}],"
            "'poses':{'up':{'p.y':2,'s.ry':-0.5}}}");
  const char *const name[6] = {"p.x", "p.y", "p.rz", "s.rz", "s.ry", "s.rx"};
  TEST_ASSERT_EQUAL_INT(6, m->nv);
  for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_STRING(name[i], m->joint[i].name);
  check_vector(1, 0, 0, m->joint[3].pos);
  TEST_ASSERT_EQUAL_DOUBLE(2, m->pose[0].q[1]);
  TEST_ASSERT_EQUAL_DOUBLE(-0.5, m->pose[0].q[4]);
  TEST_ASSERT_EQUAL_DOUBLE(0, m->pose[0].q[0]);
}

#define ONE_LINK(joint, body, rest)                                                       \
  "{'bodies':[{'name':'o'},{'name':'a','mass':1,'com':[0.1,0.2,0.3]" body "}],'joints':[" \
  "{'name':'j','parent':'o','child':'a','type':" joint "}]" rest "}"

static void test_rpy_turns_about_the_fixed_axes_x_then_y_then_z(void) {
  m = parse(ONE_LINK("'revolute','origin':{'rpy':[0.3,-0.7,1.9]}", "", ""));
  // column k of R is where axis k goes under Rx, then Ry, then Rz
  const double r = 0.3, p = -0.7, y = 1.9;
  for (int k = 0; k < 3; k++) {
    double v[3] = {k == 0, k == 1, k == 2};
    double x1[3] = {v[0], cos(r) * v[1] - sin(r) * v[2], sin(r) * v[1] + cos(r) * v[2]};
    double x2[3] = {cos(p) * x1[0] + sin(p) * x1[2], x1[1], -sin(p) * x1[0] + cos(p) * x1[2]};
    double x3[3] = {cos(y) * x2[0] - sin(y) * x2[1], sin(y) * x2[0] + cos(y) * x2[1], x2[2]};
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, x3, m->joint[0].rot + 3 * k, 3);
  }
}

static void test_right_angles_give_exact_zeros(void) {
  m = parse(
      ONE_LINK("'revolute','origin':{'rpy':[1.5707963267948966,0,-3.141592653589793]}", "", ""));
  const double expected[9] = {-1, 0, 0, 0, 0, 1, 0, 1, 0};
  for (int i = 0; i < 9; i++) TEST_ASSERT_TRUE(m->joint[0].rot[i] == expected[i]);
}

static void test_the_three_spellings_of_an_inertia_agree(void) {
  const char *const spelling[] = {
      ONE_LINK("'revolute'", ",'inertia':[[3,0,0.5],[0,4,0],[0.5,0,5]]", ""),
      ONE_LINK("'revolute'", ",'inertia':{'ixx':3,'iyy':4,'izz':5,'ixz':0.5}", "")};
  const double expected[9] = {3, 0, 0.5, 0, 4, 0, 0.5, 0, 5};
  for (int i = 0; i < 2; i++) {
    model_free(m);
    m = parse(spelling[i]);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(expected, m->body[0].inertia, 9);
  }
  model_free(m);
  m = parse(
      ONE_LINK("'revolute'", ",'inertia':[3,4,5],'inertia_rpy':[0,0,1.5707963267948966]", ""));
  const double turned[9] = {4, 0, 0, 0, 3, 0, 0, 0, 5};
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(turned, m->body[0].inertia, 9);
}

static void test_defaults_are_those_of_the_format(void) {
  m = parse(ONE_LINK("'revolute'", "", ""));
  const ModelJoint *j = &m->joint[0];
  check_vector(0, 0, -9.81, m->gravity);
  check_vector(1, 0, 0, j->axis);
  TEST_ASSERT_FALSE(j->actuated);
  TEST_ASSERT_TRUE(j->lower == -INFINITY && j->upper == INFINITY && j->velocity == INFINITY);
  TEST_ASSERT_TRUE(j->effort == INFINITY && j->effort_rate == INFINITY);
  TEST_ASSERT_EQUAL_DOUBLE(0, j->damping + j->armature);
  TEST_ASSERT_EQUAL_STRING("robot", m->name);
  TEST_ASSERT_EQUAL_STRING("r.json", m->path);
  TEST_ASSERT_EQUAL_INT(1, m->n_note);
  TEST_ASSERT_EQUAL_STRING("r.json: joints: no joint is actuated", m->note[0]);
}

static void check_note(const char *text, const char *note) {
  model_free(m);
  m = NULL;
  m = parse(text);
  TEST_ASSERT_EQUAL_INT(1, m->n_note);
  TEST_ASSERT_EQUAL_STRING(note, m->note[0]);
}

static void test_what_is_odd_but_allowed_becomes_a_note(void) {
  check_note(ONE_LINK("'revolute','actuated':true,'axis':[0,0,-2]", "", ""),
             "r.json: joints[0].axis: 0 0 -2 has length 2, normalised");
  check_vector(0, 0, -1, m->joint[0].axis);
  check_note(ONE_LINK("'revolute','actuated':true,'limits':{'upper_deg':90}", "",
                      ",'poses':{'p':{'j':2}}"),
             "r.json: poses.p.j: 2 lies outside of the limits -inf .. 1.5708");
  TEST_ASSERT_EQUAL_DOUBLE(acos(0), m->joint[0].upper);
  check_note(ONE_LINK("'revolute','actuated':true,'limits':{'lower':1,'upper':1}", "", ""),
             "r.json: joints[0].limits: lower equals upper 1: joint \"j\" can't move");
}

static void test_fixed_joints_ignore_what_only_moving_ones_have(void) {
  check_note("{'bodies':[{'name':'o'},{'name':'a','mass':1},{'name':'b'}],'joints':["
             "{'name':'s','parent':'o','child':'a','type':'prismatic','actuated':true},"
             "{'name':'f','parent':'a','child':'b','type':'fixed','axis':[0,0,0],'damping':1}]}",
             "r.json: joints[1]: fixed joint \"f\": axis, damping ignored");
}

static void test_armature_makes_up_for_a_point_mass_on_the_axis(void) {
  m = parse("{'bodies':[{'name':'o'},{'name':'a','mass':1,'com':[0.1,0,0]}],'joints':["
            "{'name':'j','parent':'o','child':'a','type':'revolute','armature':0.01}]}");
  TEST_ASSERT_EQUAL_INT(1, m->nv);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_benchmark_arm_is_as_published);
  RUN_TEST(test_every_robot_of_configs_loads);
  RUN_TEST(test_joints_come_in_depth_first_order_with_siblings_as_in_the_file);
  RUN_TEST(test_the_order_of_joints_in_the_file_does_not_matter);
  RUN_TEST(test_fixed_joints_are_merged_by_the_parallel_axis_theorem);
  RUN_TEST(test_bodies_fixed_to_the_root_carry_frames_of_the_world);
  RUN_TEST(test_floating_joints_become_six_simple_ones);
  RUN_TEST(test_spherical_and_planar_joints_may_stand_inside_the_tree);
  RUN_TEST(test_rpy_turns_about_the_fixed_axes_x_then_y_then_z);
  RUN_TEST(test_right_angles_give_exact_zeros);
  RUN_TEST(test_the_three_spellings_of_an_inertia_agree);
  RUN_TEST(test_defaults_are_those_of_the_format);
  RUN_TEST(test_what_is_odd_but_allowed_becomes_a_note);
  RUN_TEST(test_fixed_joints_ignore_what_only_moving_ones_have);
  RUN_TEST(test_armature_makes_up_for_a_point_mass_on_the_axis);
  return UNITY_END();
}
