// SPDX-License-Identifier: MIT
// Bad mechanisms: each is refused with the loop's name and the reason. And assembling: open mechanisms
// close, nearby, and what can't be closed is told. Texts are written with ' for ".
#include "dynamics/loop_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "loop_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// A four-bar in the x-z plane, a parallelogram: crank and rocker 1 m, coupler and ground 2 m. At zero
// all bars lie on the x axis; the start is upright.
#define ROD(name, length) ",{'name':'" name "','mass':1,'com':[0.5,0,0],'inertia':[0.01,0.1,0.1]}"
#define BODIES "'bodies':[{'name':'ground'}" ROD("crank", 1) ROD("coupler", 2) ROD("rocker", 1) "]"
#define TURN(name, parent, at, rest)                                               \
  "{'name':'" name "','type':'revolute','parent':'" parent "','child':'" name "'," \
  "'origin':{'xyz':[" at "]},'axis':[0,-1,0]" rest "}"
#define JOINTS                                                \
  "'joints':[" TURN("crank", "ground", "0,0,0", "") "," TURN( \
      "coupler", "crank", "1,0,0", "") "," TURN("rocker", "ground", "2,0,0", "") "]"
#define START                                                                   \
  "'poses':{'start':{'crank':1.5707963267948966,'coupler':-1.5707963267948966," \
  "'rocker':1.5707963267948966}}"
#define BAR(loops, rest) "{" BODIES "," JOINTS "," START ",'loops':[" loops "]" rest "}"
#define FLAT(loops, rest) "{" BODIES "," JOINTS ",'loops':[" loops "]" rest "}"
#define PLANAR ",'planar':[0,1,0]"
#define Y ",'axis':[0,1,0]"
#define ENDS(rest1, rest2)                             \
  "'first':{'body':'coupler','xyz':[2,0,0]" rest1 "}," \
  "'second':{'body':'rocker','xyz':[1,0,0]" rest2 "}"
#define LOOP(name, type, rest) "{'name':'" name "','type':'" type "'," ENDS("", "") rest "}"
#define PIN "{'name':'pin','type':'revolute'," ENDS(Y, Y) "}"
#define TIP(xyz) \
  "'first':{'body':'crank','xyz':[" xyz "]},'second':{'body':'rocker','xyz':[" xyz "]}"

typedef struct Bad {
  const char *text;
  const char *where;    // part of err.where
  const char *what[3];  // parts of err.what
} Bad;

static const Bad bad[] = {
    // the file
    {BAR(LOOP("pin", "hinge", ""), ""), "loops[0].type", {"unknown loop type \"hinge\""}},
    {BAR(LOOP("pin", "sperical", ""), ""), "loops[0].type", {"did you mean \"spherical\""}},
    {BAR("{'name':'pin','type':'weld','first':{'body':'crank'}}", ""),
     "loops[0]",
     {"second", "missing"}},
    {BAR("{'name':'pin','type':'weld'," ENDS("", "") ",'frist':1}", ""),
     "loops[0]",
     {"unknown key \"frist\""}},
    {BAR("{'name':'pin','type':'weld','first':{'body':'crank'},'second':{'body':'crnak'}}", ""),
     "loops[0].second.body",
     {"loop \"pin\"", "unknown body or frame \"crnak\"", "did you mean \"crank\""}},
    {BAR("{'name':'pin','type':'weld','first':{'body':'crank'},'second':{'body':'crank','xyz':[1,0,0]}}",
         ""),
     "loops[0]",
     {"loop \"pin\"", "joins body \"crank\" to itself"}},
    {BAR("{'name':'pin','type':'weld','first':{'body':'ground'},'second':{'body':'ground','xyz':[1,0,0]}}",
         ""),
     "loops[0]",
     {"loop \"pin\"", "joins body \"world\" to itself"}},
    {BAR(PIN "," PIN, ""), "loops[1].name", {"duplicate name \"pin\"", "loops[0]"}},
    {BAR(LOOP("rod", "distance", ""), ""),
     "loops[0]",
     {"loop \"rod\"", "needs a \"distance\" above 0"}},
    {BAR(LOOP("pin", "spherical", ",'distance':1"), ""),
     "loops[0].distance",
     {"loop \"pin\"", "has no distance"}},
    {BAR("{'name':'pin','type':'spherical'," ENDS(Y, "") "}", ""),
     "loops[0].first.axis",
     {"spherical loop has no axis"}},
    {BAR("{'name':'pin','type':'revolute'," ENDS(",'axis':[0,0,0]", Y) "}", ""),
     "loops[0].first.axis",
     {"not a direction"}},
    {BAR(LOOP("pin", "spherical", ",'rows':['x','rx']"), ""),
     "loops[0].rows[1]",
     {"loop \"pin\"", "no row \"rx\""}},
    {BAR(LOOP("pin", "spherical", ",'rows':['x','x']"), ""),
     "loops[0].rows[1]",
     {"\"x\"", "twice"}},
    {BAR(LOOP("pin", "spherical", ",'rows':[]"), ""),
     "loops[0].rows",
     {"loop \"pin\"", "closes nothing"}},
    {BAR(LOOP("pin", "spherical", ",'rows':['x']"), PLANAR),
     "loops[0].rows",
     {"loop \"pin\"", "planar"}},
    // planar mechanisms that are not
    {BAR(PIN, ",'planar':[0,0,0]"), "planar", {"not a direction"}},
    {BAR(PIN, ",'planar':[0,0,1]"), "joints[0].axis", {"joint \"crank\"", "another direction"}},
    {BAR("{'name':'pin','type':'revolute'," ENDS(Y, ",'axis':[0,1,0.1]") "}", PLANAR),
     "loops[0]",
     {"loop \"pin\"", "tilted"}},
    {BAR("{'name':'pin','type':'revolute'," ENDS(",'axis':[1,0,0]", ",'axis':[1,0,0]") "}", PLANAR),
     "loops[0]",
     {"loop \"pin\"", "another direction"}},
    {BAR("{'name':'slide','type':'prismatic'," ENDS(Y, Y) "}", PLANAR),
     "loops[0]",
     {"loop \"slide\"", "slides out of the plane"}},
    {BAR("{'name':'pin','type':'spherical','first':{'body':'coupler','xyz':[2,0.1,0]},"
         "'second':{'body':'rocker','xyz':[1,0,0]}}",
         PLANAR),
     "loops[0]",
     {"loop \"pin\"", "never closes", "planes 0.1 m apart"}},
    {BAR("{'name':'rod','type':'distance','distance':0.1,'first':{'body':'coupler','xyz':[2,0.2,0]},"
         "'second':{'body':'rocker','xyz':[1,0,0]}}",
         PLANAR),
     "loops[0].distance",
     {"loop \"rod\"", "never closes", "0.2 m apart"}},
    {BAR("{'name':'cross','type':'universal'," ENDS(Y, Y) "}", PLANAR),
     "loops[0]",
     {"loop \"cross\"", "one axis along the normal"}},
    // not closed at the start
    {BAR("{'name':'pin','type':'revolute','first':{'body':'coupler','xyz':[1.9,0,0]" Y "},"
         "'second':{'body':'rocker','xyz':[1,0,0]" Y "}}",
         PLANAR),
     "loops[0]",
     {"loop \"pin\"", "not closed", "0.1 m apart"}},
    {BAR("{'name':'rod','type':'distance','distance':2.5," TIP("1,0,0") "}", PLANAR),
     "loops[0]",
     {"loop \"rod\"", "not closed", "2 m long instead of 2.5 m"}},
    {BAR("{'name':'stiff','type':'weld','first':{'body':'coupler','xyz':[2,0,0]},'second':{'body':"
         "'rocker','xyz':[1,0,0],'rpy':[0,-1.3,0]}}",
         PLANAR),
     "loops[0]",
     {"loop \"stiff\"", "not closed", "tilted by"}},
    // can't be closed at all
    {BAR("{'name':'rod','type':'distance','distance':4.5," TIP("1,0,0") "}", PLANAR),
     "loops[0]",
     {"loop \"rod\"", "can't be closed", "instead of 4.5 m"}},
    {BAR(PIN ",{'name':'rod','type':'distance','distance':0.5," ENDS("", "") "}", PLANAR),
     "loops[",
     {"can't be closed", "contradicts loop \"pin\""}},
    // the wrong way round
    {BAR("{'name':'pin','type':'revolute'," ENDS(Y, ",'axis':[0,-1,0]") "}", ""),
     "loops[0]",
     {"loop \"pin\"", "wrong way round", "z axes"}},
    {BAR("{'name':'stiff','type':'weld','first':{'body':'crank','xyz':[1,0,0]},'second':{'body':"
         "'rocker','xyz':[1,0,2],'rpy':[0,3.141592653589793,0]},'rows':['rx','ry','rz']}",
         ""),
     "loops[0]",
     {"loop \"stiff\"", "wrong way round"}},
    // redundant
    {BAR(PIN, ""), "loops[0]", {"loop \"pin\"", "redundant: no joint can break it", "planar"}},
    {BAR(PIN ",{'name':'again','type':'revolute'," ENDS(Y, Y) "}", PLANAR),
     "loops[1]",
     {"loop \"again\"", "redundant", "follows from those of loop \"pin\""}},
    {BAR(PIN ",{'name':'bar','type':'distance','distance':2," TIP("1,0,0") "}", PLANAR),
     "loops[1]",
     {"loop \"bar\"", "redundant", "loop \"pin\""}},
    // nothing left to move
    {BAR(PIN ",{'name':'brace','type':'distance','distance':2.23606797749979,"
             "'first':{'body':'crank','xyz':[1,0,0]},'second':{'body':'ground','xyz':[2,0,0]}}",
         PLANAR),
     "loops[1]",
     {"loop \"brace\"", "no degree of freedom", "3 independent"}},
    // singular: all bars of the parallelogram on one line
    {FLAT("{'name':'pin','type':'revolute'," ENDS(Y, Y) "}", PLANAR),
     "loops[0]",
     {"loop \"pin\"", "singular", "rank 1 of 2, 2 nearby"}},
};

enum { N_BAD = sizeof bad / sizeof bad[0] };

static char *with_quotes(const char *text) {
  char *copy = strdup(text);
  TEST_ASSERT_NOT_NULL(copy);
  for (char *c = copy; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  return copy;
}

static void test_bad_mechanisms_are_refused_with_loop_and_reason(void) {
  TEST_ASSERT_GREATER_OR_EQUAL_INT(15, N_BAD);
  for (int i = 0; i < N_BAD; i++) {
    Error err = {0};
    Model *m = NULL;
    char *text = with_quotes(bad[i].text), message[1600];
    Status status = model_parse(&m, text, "bad.json", &err);
    if (status == STATUS_OK) status = loop_require(m, false, &err);
    model_free(m);
    snprintf(message, sizeof message, "case %d: %s: %s\n%.600s", i, err.where, err.what, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, status, message);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.where, bad[i].where) != NULL, message);
    for (int k = 0; k < 3 && bad[i].what[k]; k++) {
      TEST_ASSERT_TRUE_MESSAGE(strstr(err.what, bad[i].what[k]) != NULL, message);
    }
    free(text);
  }
}

static void test_good_mechanisms_have_their_degrees_of_freedom(void) {
  static const struct {
    const char *name;
    int dof;
  } good[] = {{"fourbar", 1}, {"fivebar", 2}, {"hmmwv", 11},   {"shoulder", 2},  {"ladder2", 2},
              {"ladder8", 2}, {"ring20", 60}, {"squares4", 5}, {"diamonds4", 8}, {"net3x4", 15}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    Model *m = mechanism_load(good[i].name);
    LoopReport r;
    Error err = {0};
    TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_check(&r, m, &err));
    TEST_ASSERT_EQUAL_INT_MESSAGE(LOOP_FINE, r.state, r.text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].dof, r.dof, good[i].name);
    model_free(m);
  }
}

// ---- assembling --------------------------------------------------------------------------------

static double distance(const LoopEval *e, const double *M, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < e->nv; i++) {
    for (int j = 0; j < e->nv; j++) {
      sum += (a[i] - b[i]) * M[i + e->nv * j] * (a[j] - b[j]);
    }
  }
  return sqrt(sum);
}

// Pulled out of place at random, a mechanism closes again, and no closed configuration found from
// around the result is nearer.
static void check_assembly(const char *name, double pull) {
  enum { MOST = 64 };
  static double M[MOST * MOST];
  Model *m = mechanism_load(name);
  LoopEval *e = NULL;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_eval_build(&e, m, &err));
  Rng rng;
  rng_seed(&rng, 3);
  for (int k = 0; k < 5; k++) {
    double start[MOST], q[MOST], other[MOST];
    LoopAssembly a, b;
    for (int i = 0; i < m->nv; i++) start[i] = model_start(m)[i] + rng_uniform(&rng, -pull, pull);
    memcpy(q, start, sizeof q);
    TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_assemble(e, q, &a, &err));
    TEST_ASSERT_TRUE_MESSAGE(a.closed, name);
    TEST_ASSERT_TRUE_MESSAGE(a.violation < 1e-12, name);
    TEST_ASSERT_TRUE(loop_eval_mass(e, start, M));
    double nearest = distance(e, M, q, start);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * nearest, nearest, a.moved * sqrt(model_mass(m)));
    for (int t = 0; t < 10; t++) {
      for (int i = 0; i < m->nv; i++) other[i] = q[i] + rng_uniform(&rng, -0.02, 0.02);
      TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_assemble(e, other, &b, &err));
      if (!b.closed) continue;
      TEST_ASSERT_TRUE_MESSAGE(distance(e, M, other, start) > nearest * (1 - 1e-6), name);
    }
  }
  loop_eval_free(e);
  model_free(m);
}

static void test_open_mechanisms_close_at_the_nearest_configuration(void) {
  check_assembly("fourbar", 0.2);
  check_assembly("fivebar", 0.2);
  check_assembly("shoulder", 0.05);
  check_assembly("hmmwv", 0.02);
  check_assembly("squares4", 0.1);
}

static void test_closed_mechanisms_stay(void) {
  Model *m = mechanism_load("fourbar");
  LoopEval *e = NULL;
  Error err = {0};
  LoopAssembly a;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_eval_build(&e, m, &err));
  double q[3];
  memcpy(q, model_start(m), sizeof q);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_assemble(e, q, &a, &err));
  TEST_ASSERT_TRUE(a.closed);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-12, model_start(m), q, 3);
  loop_eval_free(e);
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_bad_mechanisms_are_refused_with_loop_and_reason);
  RUN_TEST(test_good_mechanisms_have_their_degrees_of_freedom);
  RUN_TEST(test_open_mechanisms_close_at_the_nearest_configuration);
  RUN_TEST(test_closed_mechanisms_stay);
  return UNITY_END();
}
