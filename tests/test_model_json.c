// SPDX-License-Identifier: MIT
// Bad robots: each is refused with a message that names the place, the value and the rule. Texts
// are written with ' for ".
#include <stdio.h>
#include <string.h>

#include "base/textbuf.h"
#include "model/model.h"
#include "model/model_keys.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// a robot of one link, taken apart so that any piece can be spoilt
#define BASE "{'name':'base'}"
#define BODY(rest) BASE ",{'name':'link'" rest "}"
#define LINK ",{'name':'link','mass':1,'com':[0,0,1]}"
#define SLED ",{'name':'sled','mass':1}"
#define BODIES BASE LINK
#define ROBOT(bodies, joints, rest) "{'bodies':[" bodies "],'joints':[" joints "]" rest "}"
#define PAIR(name, parent, child) "'name':'" name "','parent':'" parent "','child':'" child "'"
#define J "{" PAIR("j", "base", "link") ",'type':'revolute'"
#define JOINT(rest) ROBOT(BODIES, J rest "}", "")
#define SIMPLE(name, parent, child) "{" PAIR(name, parent, child) ",'type':'revolute'}"
#define TYPED(type, rest) \
  ROBOT(BASE SLED, "{" PAIR("j", "base", "sled") ",'type':'" type "'" rest "}", "")
#define REST(rest) ROBOT(BODIES, J "}", "," rest)
#define INERTIA(mass, value) ROBOT(BODY(",'mass':" mass ",'inertia':" value), J "}", "")

typedef struct Bad {
  const char *text;
  const char *where;    // err.where behind "r.json"
  const char *what[3];  // parts of err.what
} Bad;

static const Bad bad[] = {
    // not a robot at all
    {"", "", {"empty"}},
    {"[1]", "", {"must be an object"}},
    {"{'bodies':[}", ": line 1, column 12", {"expected a value, found '}'"}},
    {"{'bodies':[],'joints':[],'bodies':[]}", "", {"key \"bodies\" appears twice"}},
    {"{}", "", {"missing \"bodies\""}},
    {"{'bodies':[" BODIES "]}", "", {"missing \"joints\""}},
    {"{'bodies':[],'joints':[]}", ": bodies", {"no bodies"}},
    {ROBOT(BASE, "", ""), ": joints", {"no joint moves"}},
    {"{'bodies':{},'joints':[]}", ": bodies", {"must be an array, not an object"}},
    {ROBOT("1", "", ""), ": bodies[0]", {"must be an object, not 1"}},
    // keys and types
    {REST("'gravty':[0,0,0]"), "", {"unknown key \"gravty\"", "\"gravity\""}},
    {REST("'gravity':[0,0]"), ": gravity", {"3 numbers", "not of 2"}},
    {REST("'gravity':[0,0,'g']"), ": gravity[2]", {"must be a number, not \"g\""}},
    {REST("'name':''"), ": name", {"empty"}},
    {REST("'loops':[{}]"), ": loops[0]", {"missing", "name"}},
    {JOINT(",'dampng':1"), ": joints[0]", {"unknown key \"dampng\"", "\"damping\""}},
    {JOINT(",'actuated':'yes'"), ": joints[0].actuated", {"true or false", "\"yes\""}},
    {JOINT(",'damping':null"), ": joints[0].damping", {"must be a number, not null"}},
    {JOINT(",'damping':-0.1"), ": joints[0].damping", {"-0.1 is negative", "damping"}},
    {JOINT(",'armature':-2"), ": joints[0].armature", {"-2 is negative", "armature"}},
    {JOINT(",'comment':3"), ": joints[0].comment", {"string"}},
    {JOINT(",'origin':{'xyz':[1,2]}"), ": joints[0].origin.xyz", {"3 numbers"}},
    {JOINT(",'origin':{'rot':[0,0,0]}"), ": joints[0].origin", {"unknown key \"rot\""}},
    {JOINT(",'origin':{'rpy':[0,0,0],'rpy_deg':[0,0,0]}"),
     ": joints[0].origin.rpy_deg",
     {"only one of the two"}},
    {JOINT(",'origin':{'xyz':[0,0,1e10]}"), ": joints[0].origin.xyz[2]", {"out of range", "1e+09"}},
    {JOINT(",'axis':[0,0,1e999]"), ": line 1", {"1e999 is too large"}},
    {JOINT(",'axis':[0,0,NaN]"), ": line 1", {"NaN", "finite"}},
    {ROBOT(BODIES, "{'type':'revolute','parent':'base','child':'link'}", ""),
     ": joints[0]",
     {"missing \"name\""}},
    {ROBOT(BODIES, "{" PAIR("j", "base", "link") "}", ""), ": joints[0]", {"missing \"type\""}},
    {ROBOT(BODIES, "{'name':'j','type':'revolute','parent':'base'}", ""),
     ": joints[0]",
     {"missing \"child\""}},
    {ROBOT(BODY(",'weight':1"), J "}", ""), ": bodies[1]", {"unknown key \"weight\""}},
    {TYPED("hinge", ""), ": joints[0].type", {"unknown joint type \"hinge\"", "revolute"}},
    {TYPED("revolut", ""), ": joints[0].type", {"did you mean \"revolute\"?"}},
    // names
    {ROBOT(BODIES LINK, J "}", ""), ": bodies[2].name", {"duplicate name \"link\"", "bodies[1]"}},
    {ROBOT(BODIES SLED, J "}," SIMPLE("j", "link", "sled"), ""),
     ": joints[1].name",
     {"duplicate name \"j\"", "joints[0]"}},
    {ROBOT(BODIES, SIMPLE("j", "bas", "link"), ""),
     ": joints[0].parent",
     {"unknown body \"bas\"", "did you mean \"base\"?"}},
    {ROBOT(BODIES, SIMPLE("j", "base", "wheel"), ""),
     ": joints[0].child",
     {"unknown body \"wheel\""}},
    {ROBOT(BODIES, SIMPLE("a,b", "base", "link"), ""), ": joints[0].name", {"comma"}},
    {REST("'frames':[{'name':'tip','body':'lnk'}]"),
     ": frames[0].body",
     {"unknown body \"lnk\"", "\"link\""}},
    {REST("'frames':[{'name':'tip','body':'link'},{'name':'tip','body':'link'}]"),
     ": frames[1].name",
     {"duplicate name \"tip\"", "frames[0]"}},
    {REST("'frames':[{'name':'link','body':'link'}]"),
     ": frames[0].name",
     {"duplicate name \"link\"", "every body is a frame"}},
    {REST("'poses':{'start':{'k':1}}"), ": poses.start", {"unknown joint \"k\""}},
    {REST("'poses':{'start':{'j':'up'}}"), ": poses.start.j", {"must be a number"}},
    {REST("'poses':{'start':[0]}"), ": poses.start", {"must be an object"}},
    {REST("'poses':{'start':{'j':2e9}}"), ": poses.start.j", {"out of range"}},
    // the tree
    {ROBOT(BODIES, SIMPLE("j", "link", "link"), ""), ": joints[0]", {"\"link\" to itself"}},
    {ROBOT(BODIES SLED, J "}," SIMPLE("k", "base", "sled") "," SIMPLE("l", "sled", "link"), ""),
     ": joints[2].child",
     {"\"link\" has two parents", "\"j\""}},
    {ROBOT(BODIES SLED, J "}", ""), ": bodies[2]", {"two roots", "\"base\" and \"sled\""}},
    {ROBOT("{'name':'a'},{'name':'b'}", SIMPLE("j", "a", "b") "," SIMPLE("k", "b", "a"), ""),
     ": joints",
     {"cycle", "\"a\"", "\"b\""}},
    {ROBOT(BODIES ",{'name':'a'},{'name':'b'}",
           J "}," SIMPLE("k", "a", "b") "," SIMPLE("l", "b", "a"), ""),
     ": joints",
     {"cycle", "\"a\"", "\"b\""}},
    // joints
    {JOINT(",'axis':[0,0,0]"), ": joints[0].axis", {"0 0 0", "not a direction"}},
    {JOINT(",'limits':{'lower':1,'upper':-1}"), ": joints[0].limits", {"lower 1 exceeds upper -1"}},
    {JOINT(",'limits':{'low':1}"), ": joints[0].limits", {"unknown key \"low\"", "\"lower\""}},
    {JOINT(",'limits':{'velocity':-1}"), ": joints[0].limits.velocity", {"-1 is negative"}},
    {JOINT(",'limits':{'effort':-5}"), ": joints[0].limits.effort", {"-5 is negative"}},
    {JOINT(",'limits':{'effort_rate':-5}"), ": joints[0].limits.effort_rate", {"negative"}},
    {JOINT(",'limits':{'upper':1,'upper_deg':10}"),
     ": joints[0].limits.upper_deg",
     {"only one of the two"}},
    {TYPED("continuous", ",'limits':{'lower':0}"),
     ": joints[0].limits.lower",
     {"continuous joint has no position limits", "revolute"}},
    {TYPED("prismatic", ",'limits':{'upper_deg':3}"), ": joints[0].limits.upper_deg", {"metres"}},
    {TYPED("floating", ",'limits':{}"), ": joints[0].limits", {"floating", "6 coordinates"}},
    {TYPED("spherical", ",'axis':[0,0,1]"), ": joints[0].axis", {"spherical", "3 coordinates"}},
    {TYPED("fixed", ""), ": joints", {"no joint moves"}},
    {ROBOT(BASE ",{'name':'sled','mass':1,'inertia':[1,1,1]}",
           "{" PAIR("j", "base", "sled") ",'type':'planar'}", ",'poses':{'p':{'j':1}}"),
     ": poses.p.j",
     {"3 coordinates", "\"j.x\""}},
    {ROBOT(BASE ",{'name':'a','mass':1,'inertia':[1,1,1]},{'name':'b','mass':1,'inertia':[1,1,1]}",
           "{" PAIR("j", "base", "a") ",'type':'planar'}," SIMPLE("j.rz", "a", "b"), ""),
     ": joints[1].name",
     {"duplicate name \"j.rz\""}},
    // masses and inertias
    {ROBOT(BODY(",'mass':-1"), J "}", ""), ": bodies[1].mass", {"-1 is negative", "mass"}},
    {ROBOT(BODY(""), J "}", ""), ": bodies[1].mass", {"\"link\" has no mass", "\"j\""}},
    {INERTIA("0", "[1,1,1]"), ": bodies[1].inertia", {"no mass"}},
    {INERTIA("1", "[1,1]"), ": bodies[1].inertia", {"3 rows of 3", "array of 2"}},
    {INERTIA("1", "[[1,0,0],[0,1,0],[0,0]]"), ": bodies[1].inertia[2]", {"3 numbers"}},
    {INERTIA("1", "[[1,0.1,0],[0,1,0],[0,0,1]]"),
     ": bodies[1].inertia",
     {"not symmetric", "[0][1] is 0.1", "[1][0] is 0"}},
    {INERTIA("1", "[1,1,-1]"), ": bodies[1].inertia", {"not positive definite", "-1 1 1"}},
    {INERTIA("1", "[[1,2,0],[2,1,0],[0,0,1]]"),
     ": bodies[1].inertia",
     {"not positive definite", "-1 1 3"}},
    {INERTIA("1", "[1,1,3]"), ": bodies[1].inertia", {"triangle", "1 1 3", "at most 2"}},
    {INERTIA("1", "{'ixx':1,'iyy':1}"), ": bodies[1].inertia", {"missing \"izz\""}},
    {INERTIA("1", "{'ixx':1,'iyy':1,'izz':1,'iyx':0}"),
     ": bodies[1].inertia",
     {"unknown key \"iyx\""}},
    {INERTIA("1", "[1e12,1,1]"), ": bodies[1].inertia[0]", {"out of range"}},
    {INERTIA("1", "3"), ": bodies[1].inertia", {"array or an object"}},
    {ROBOT(BODY(",'mass':1,'inertia_rpy':[0,0,1]"), J "}", ""),
     ": bodies[1]",
     {"without \"inertia\""}},
    // singular mass matrices
    {TYPED("revolute", ""), ": bodies[1].inertia", {"no inertia about the axis", "\"j\""}},
    {TYPED("floating", ""), ": bodies[1].inertia", {"no inertia about the axis", "\"j.rx\""}},
    {ROBOT(BASE ",{'name':'m'},{'name':'s','mass':1,'inertia':[1,1,1]}",
           SIMPLE("j", "base", "m") "," SIMPLE("k", "m", "s"), ""),
     ": joints[0]",
     {"mass matrix is singular", "\"j\""}},
    {ROBOT(BASE ",{'name':'m'},{'name':'s','mass':1,'inertia':[1,1,1]}",
           "{" PAIR("k", "m", "s") ",'type':'spherical'}," SIMPLE("j", "base", "m"), ""),
     ": joints[1]",
     {"mass matrix is singular", "\"j\""}},
};

static void quote(char *text) {
  for (char *c = text; *c; c++) {
    if (*c == '\'') *c = '"';
  }
}

static void test_bad_robots_are_refused_with_place_and_rule(void) {
  char text[4000], msg[4000 + 1000];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(text, sizeof text, "%s", bad[i].text);
    quote(text);
    Error err = {0};
    Model *m = NULL;
    Status status = model_parse(&m, text, "r.json", &err);
    bool refused = m == NULL;
    model_free(m);
    snprintf(msg, sizeof msg, "%s -> %s: %s", text, err.where, err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, status, msg);
    TEST_ASSERT_TRUE_MESSAGE(refused, msg);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, strncmp(err.where, "r.json", 6), msg);
    size_t n = strlen(bad[i].where);
    bool exact = strcmp(err.where + 6, bad[i].where) == 0;
    bool starts = n > 0 && strncmp(err.where + 6, bad[i].where, n) == 0;
    TEST_ASSERT_TRUE_MESSAGE(exact || starts, msg);
    for (int k = 0; k < 3 && bad[i].what[k]; k++) {
      TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, bad[i].what[k]), msg);
    }
  }
}

static void test_more_joints_than_the_limit_are_refused(void) {
  TextBuf b = {0};
  textbuf_add(&b, "{\"bodies\":[{\"name\":\"b0\"}],\"joints\":[");
  for (int i = 0; i < 4097; i++) {
    textbuf_addf(&b, "%s{\"name\":\"j%d\",\"type\":\"fixed\",\"parent\":\"b0\",\"child\":\"b0\"}",
                 i ? "," : "", i);
  }
  textbuf_add(&b, "]}");
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_FALSE(b.failed);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, model_parse(&m, b.text, "r.json", &err));
  textbuf_free(&b);
  TEST_ASSERT_EQUAL_STRING("4097 joints, at most 4096 are allowed", err.what);
}

static void test_a_missing_file_is_named(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, model_load(&m, "no_such_robot.json", &err));
  TEST_ASSERT_NULL(m);
  TEST_ASSERT_EQUAL_STRING("no_such_robot.json", err.where);
  TEST_ASSERT_EQUAL_STRING("no such file", err.what);
}

static void test_every_key_of_the_tables_is_described(void) {
  for (int t = 0; t < n_model_keys; t++) {
    const JsonKeys *keys = model_keys[t];
    for (int i = 0; i < keys->n; i++) {
      const JsonKey *key = &keys->key[i];
      TEST_ASSERT_EQUAL_PTR_MESSAGE(key, json_keys_find(keys, key->name), key->name);
      TEST_ASSERT_TRUE_MESSAGE(key->unit && *key->what && *key->example, key->name);
      // the example is valid JSON of an allowed type
      Error err = {0};
      struct cJSON *doc = json_parse(key->example, strlen(key->example), key->name, &err);
      TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
      JsonAt at = json_root(doc, "");
      JsonType type = json_type(&at);
      json_free(doc);
      TEST_ASSERT_TRUE_MESSAGE(key->types & type, key->name);
    }
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_bad_robots_are_refused_with_place_and_rule);
  RUN_TEST(test_more_joints_than_the_limit_are_refused);
  RUN_TEST(test_a_missing_file_is_named);
  RUN_TEST(test_every_key_of_the_tables_is_described);
  return UNITY_END();
}
