// SPDX-License-Identifier: MIT
// Bad tasks: each is refused with a message that names the place, the value and the rule. Texts are
// written with ' for ". And spoilt files never crash the reader.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ocp/ocp.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

// a task for the arm, taken apart so that any piece can be spoilt
#define ROBOT "'robot':'../configs/robots/arm_pendulum.json'"
#define TIME "'horizon':2"
#define START "'start':{'pose':'start'}"
#define GOAL "'goal':{'frame':'tip','position':[0.63,0,-0.1]}"
#define REST(rest) "{" ROBOT "," TIME "," START "," GOAL "," rest "}"
#define WITH_ROBOT(robot) "{'robot':" robot "," TIME "," START "," GOAL "}"
#define WITH_TIME(time) "{" ROBOT ",'horizon':" time "," START "," GOAL "}"
#define WITH_START(start) "{" ROBOT "," TIME ",'start':" start "," GOAL "}"
#define WITH_GOAL(goal) "{" ROBOT "," TIME "," START ",'goal':" goal "}"
#define OBSTACLE(text) REST("'obstacles':[" text "]")
#define BALL(center, radius) \
  "{'name':'ball','frame':'tip','sphere':{'center':" center ",'radius':" radius "}}"

typedef struct Bad {
  const char *text;
  const char *where;    // err.where behind "t.json"
  const char *what[3];  // parts of err.what
} Bad;

static const Bad bad[] = {
    // not a task at all
    {"", "", {"empty"}},
    {"[1]", "", {"must be an object"}},
    {"{'robot':}", ": line 1, column 10", {"expected a value"}},
    {"{}", "", {"missing \"robot\""}},
    {"{" ROBOT "," START "," GOAL "}", "", {"missing \"horizon\""}},
    {"{" ROBOT "," TIME "," GOAL "}", "", {"missing \"start\""}},
    {"{" ROBOT "," TIME "," START "}", "", {"missing \"goal\""}},
    {REST("'horzon':2"), "", {"unknown key \"horzon\"", "did you mean \"horizon\"?"}},
    {REST("'goal':{}"), "", {"key \"goal\" appears twice"}},
    {REST("'comment':5"), ": comment", {"must be a string or an array of strings"}},
    {REST("'name':''"), ": name", {"name is empty"}},
    {REST("'name':3"), ": name", {"must be a string, not 3"}},
    {REST("'name':'a\\nb'"), ": name", {"control character"}},
    // robot
    {WITH_ROBOT("'no_such_robot.json'"),
     ": robot",
     {"can't read robot file \"tasks/no_such_robot.json\"", "No such file"}},
    {WITH_ROBOT("''"), ": robot", {"empty"}},
    {WITH_ROBOT("{}"), ": robot", {"must be a string, not an object"}},
    {REST("'formulation':'IMPLICIT'"), ": formulation", {"unknown formulation \"IMPLICIT\""}},
    {REST("'formulation':'EXP3-O'"), ": formulation", {"did you mean \"EXP1-O\"?"}},
    // horizon and grid
    {WITH_TIME("0"), ": horizon", {"0 s is not above 0"}},
    {WITH_TIME("-2"), ": horizon", {"-2 s is not above 0"}},
    {WITH_TIME("NaN"), ": line 1", {"NaN"}},
    {WITH_TIME("1e999"), ": line 1", {"1e999 is too large"}},
    {WITH_TIME("1e10"), ": horizon", {"out of range"}},
    {WITH_TIME("'2 s'"), ": horizon", {"must be a number or an object, not \"2 s\""}},
    {WITH_TIME("{'min':1}"), ": horizon", {"missing \"max\""}},
    {WITH_TIME("{'min':3,'max':1}"), ": horizon", {"min 3 exceeds max 1"}},
    {WITH_TIME("{'min':2,'max':2}"), ": horizon", {"both 2", "\"horizon\": 2"}},
    {WITH_TIME("{'min':0,'max':2}"), ": horizon.min", {"0 s is not above 0"}},
    {WITH_TIME("{'min':1,'max':2,'guess':3}"),
     ": horizon.guess",
     {"3 is not between min 1 and max 2"}},
    {WITH_TIME("{'min':1,'max':2,'gess':1}"), ": horizon", {"did you mean \"guess\"?"}},
    {REST("'intervals':0"), ": intervals", {"0 is out of range", "1 to 10000"}},
    {REST("'intervals':-5"), ": intervals", {"-5 is out of range"}},
    {REST("'intervals':10.5"), ": intervals", {"10.5 is not a whole number"}},
    {REST("'intervals':20000"), ": intervals", {"20000 is out of range"}},
    {REST("'degree':12"), ": degree", {"12 is out of range", "1 to 9"}},
    {REST("'degree':0"), ": degree", {"0 is out of range"}},
    {REST("'degree':'4'"), ": degree", {"must be a number"}},
    {REST("'scheme':'rado'"), ": scheme", {"unknown scheme \"rado\"", "\"radau\""}},
    {REST("'scheme':'rk4'"), ": scheme", {"known: radau, gauss, trapezoidal, hermite-simpson"}},
    {REST("'scheme':'radau-12'"), ": scheme", {"degree 12 is out of range"}},
    {REST("'scheme':'gauss-0'"), ": scheme", {"degree 0 is out of range"}},
    {REST("'scheme':'radau-3','degree':4"), ": degree", {"in \"scheme\" too"}},
    {REST("'scheme':'trapezoidal','degree':2"), ": degree", {"trapezoidal has no degree"}},
    {REST("'scheme':'trapezoidal-2'"), ": scheme", {"trapezoidal has no degree"}},
    {REST("'layout':'dense'"), ": layout", {"unknown layout \"dense\"", "condensed"}},
    // start
    {WITH_START("{'pose':'strat'}"), ": start.pose", {"unknown pose \"strat\"", "\"start\"?"}},
    {WITH_START("{'q':{'q7':0}}"),
     ": start.q.q7",
     {"unknown joint \"q7\"", "did you mean \"q1\"?"}},
    {WITH_START("{'q':{'elbow':0}}"),
     ": start.q.elbow",
     {"unknown joint \"elbow\"", "known: q1, q2, q3, q4, q5, q6"}},
    {WITH_START("{'q':[0,0,0]}"), ": start.q", {"has 3 values", "arm_pendulum has 6 joints"}},
    {WITH_START("{'q':[0,0,null,0,0,0]}"), ": start.q[2]", {"must be a number, not null"}},
    {WITH_START("{'q':{'q2':'up'}}"), ": start.q.q2", {"must be a number, not \"up\""}},
    {WITH_START("{'q':{'q1':2e9}}"), ": start.q.q1", {"out of range"}},
    {WITH_START("{'q':{'q3':0.5}}"),
     ": start.q",
     {"joint \"q3\" starts at 0.5", "outside of its limits -1.309 .. 0"}},
    {REST("'limits':{'position':{'q2':[0.5,1]}}"), ": start.pose", {"\"q2\" starts at 0.411"}},
    {WITH_START("{'pose':'start','q':[0,0,0,0,0,0]}"), ": start.q", {"\"pose\" is given too"}},
    {WITH_START("{'pose':'start','v':[0,0]}"), ": start.v", {"has 2 values"}},
    {WITH_START("{'position':[0]}"), ": start", {"unknown key \"position\""}},
    {"{" ROBOT "," TIME ",'start':{'pose':'start','v':{'q1':3}}," GOAL
     ",'limits':{'velocity':{'q1':2}}}",
     ": start.v",
     {"joint \"q1\" starts with velocity 3", "-2 .. 2"}},
    // goal
    {WITH_GOAL("{'frame':'tpi','position':[0,0,0]}"),
     ": goal.frame",
     {"unknown frame \"tpi\"", "did you mean \"tip\"?"}},
    {WITH_GOAL("{'frame':'gripper_left','position':[0,0,0]}"), ": goal.frame", {"known: tip"}},
    {WITH_GOAL("{'frame':'base','position':[0,0,0]}"), ": goal.frame", {"fixed to the world"}},
    {WITH_GOAL("{'position':[0,0,0]}"), ": goal", {"\"position\" without \"frame\""}},
    {WITH_GOAL("{'frame':'tip'}"), ": goal", {"\"frame\" without \"position\""}},
    {WITH_GOAL("{'frame':'tip','position':[0,0]}"), ": goal.position", {"not an array of 2"}},
    {WITH_GOAL("{'frame':'tip','position':[null,null,null]}"), ": goal.position", {"no component"}},
    {WITH_GOAL("{'frame':'tip','position':{'x':1,'w':2}}"),
     ": goal.position",
     {"unknown key \"w\""}},
    {WITH_GOAL("{'frame':'tip','position':[0,0,'a']}"), ": goal.position[2]", {"must be a number"}},
    {WITH_GOAL("{'q':{'q3':0.1}}"), ": goal.q", {"\"q3\" should end at 0.1", "-1.309 .. 0"}},
    {WITH_GOAL("{'q':{'qq3':0}}"), ": goal.q.qq3", {"did you mean \"q3\"?"}},
    {WITH_GOAL("{'pose':'end'}"), ": goal.pose", {"unknown pose \"end\"; known: start"}},
    {WITH_GOAL("{'at_rest':1}"), ": goal.at_rest", {"true or false"}},
    // cost
    {REST("'cost':{'torque':-1}"), ": cost.torque", {"-1 is negative"}},
    {REST("'cost':{'torqe':1}"), ": cost", {"unknown key \"torqe\"", "\"torque\""}},
    {REST("'cost':{'torque':1e20}"), ": cost.torque", {"out of range"}},
    {REST("'cost':{'tracking':{'frame':'tip'}}"), ": cost.tracking", {"missing \"target\""}},
    {REST("'cost':{'tracking':{'frame':'tp','target':[0,0,0]}}"),
     ": cost.tracking.frame",
     {"did you mean \"tip\"?"}},
    // limits
    {REST("'limits':{'torque':{'q1':[5,-5]}}"), ": limits.torque.q1", {"lower 5 exceeds upper -5"}},
    {REST("'limits':{'position':{'q1':[2,1]}}"),
     ": limits.position.q1",
     {"lower 2 exceeds upper 1"}},
    {REST("'limits':{'position':{'q1':1}}"),
     ": limits.position.q1",
     {"must be [lower, upper] or null, not 1"}},
    {REST("'limits':{'position':{'q1':[1]}}"), ": limits.position.q1", {"not an array of 1"}},
    {REST("'limits':{'torque':{'q5':1}}"), ": limits.torque.q5", {"\"q5\" is not actuated"}},
    {REST("'limits':{'torque':{'q2':-1}}"), ": limits.torque.q2", {"-1 is negative"}},
    {REST("'limits':{'torque_rate':{'q2':[1,2]}}"),
     ": limits.torque_rate.q2",
     {"must be a number or null, not an array of 2"}},
    {REST("'limits':{'velocity':{'q9':1}}"), ": limits.velocity.q9", {"unknown joint \"q9\""}},
    {REST("'limits':{'torques':{}}"), ": limits", {"did you mean \"torque\"?"}},
    {REST("'limits':{'torque':{'q2':1e12}}"), ": limits.torque.q2", {"out of range", "null"}},
    // obstacles
    {OBSTACLE("{'frame':'tip'}"), ": obstacles[0]", {"missing \"sphere\" or \"half_space\""}},
    {OBSTACLE("{'sphere':{'center':[0,0,0],'radius':1}}"), ": obstacles[0]", {"missing \"frame\""}},
    {OBSTACLE(BALL("[1,1,1]", "0")), ": obstacles[0].sphere.radius", {"0 m is not above 0"}},
    {OBSTACLE(BALL("[1,1]", "0.1")), ": obstacles[0].sphere.center", {"3 numbers"}},
    {OBSTACLE(BALL("[0.65,0,0]", "0.01")), ": start", {"starts 0.01 m inside of \"ball\""}},
    {OBSTACLE(BALL("[0.63,0,-0.1]", "0.05")),
     ": goal.position",
     {"goal of frame \"tip\" lies 0.05 m inside of \"ball\""}},
    {OBSTACLE("{'frame':'tip','half_space':{'normal':[0,0,0]}}"),
     ": obstacles[0].half_space.normal",
     {"not a direction"}},
    {OBSTACLE("{'frame':'tip','half_space':{'normal':[0,0,1],'offset':0.2}}"),
     ": start",
     {"starts 0.2 m inside of \"obstacle 0\""}},
    {OBSTACLE("{'frame':'tip','half_space':{'normal':[0,0,1]},'sphere':{}}"),
     ": obstacles[0]",
     {"only one is allowed"}},
    {OBSTACLE("7"), ": obstacles[0]", {"must be an object, not 7"}},
    // guess
    {REST("'guess':'lin'"), ": guess", {"unknown guess \"lin\"", "\"line\""}},
    {REST("'guess':'file'"), ": guess", {"{\"file\": PATH}"}},
    {REST("'guess':{'kind':'file'}"), ": guess", {"without \"file\""}},
    {REST("'guess':{'file':'no_result.json'}"),
     ": guess.file",
     {"can't read result file \"tasks/no_result.json\""}},
    {REST("'guess':{'kind':'line','file':'reach.json'}"), ": guess.file", {"\"file\" only"}},
    {REST("'guess':{'kind':'hold','seed':1}"), ": guess.seed", {"\"random\" only"}},
    {REST("'guess':{'kind':'random','seed':1.5}"), ": guess.seed", {"not a whole number"}},
    {REST("'guess':{'kind':'random','amplitude':-1}"), ": guess.amplitude", {"negative"}},
    // strategy and solver
    {REST("'strategy':'genetic'"), ": strategy", {"unknown strategy \"genetic\"", "cold"}},
    {REST("'strategy':'continuaton'"), ": strategy", {"did you mean \"continuation\"?"}},
    {REST("'strategy':{'retry':1}"), ": strategy.retry", {"must be true or false"}},
    {REST("'strategy':{'refine':'no'}"), ": strategy.refine", {"must be true or false"}},
    {REST("'strategy':{'refinement':true}"), ": strategy", {"did you mean \"refine\"?"}},
    {REST("'strategy':{'kind':'cold','starts':3}"), ": strategy.starts", {"\"multistart\" only"}},
    {REST("'strategy':{'kind':'multistart','starts':0}"),
     ": strategy.starts",
     {"0 is out of range"}},
    {REST("'strategy':{'kind':'cold','smoothing_start':3}"),
     ": strategy.smoothing_start",
     {"\"continuation\" only"}},
    {REST("'cost':{'torque_rate':5},'strategy':{'kind':'continuation','smoothing_start':5}"),
     ": strategy.smoothing_start",
     {"5 is not above cost.torque_rate 5"}},
    {REST("'solver':{'tol':[1]}"), ": solver.tol", {"must be a string, a number, true or false"}},
    {REST("'solver':{'a b':1}"), ": solver", {"\"a b\" can't be the name of an option"}},
    {REST("'solver':{'mu_strategy':''}"), ": solver.mu_strategy", {"empty"}},
    {REST("'solver':[]"), ": solver", {"must be an object"}},
};

static void quote(char *text) {
  for (char *c = text; *c; c++) {
    if (*c == '\'') *c = '"';
  }
}

static void test_bad_tasks_are_refused_with_place_and_rule(void) {
  size_t n_bad = sizeof bad / sizeof bad[0];
  TEST_ASSERT_TRUE(n_bad >= 40);
  char text[4000], msg[4000 + 1000];
  for (size_t i = 0; i < n_bad; i++) {
    snprintf(text, sizeof text, "%s", bad[i].text);
    quote(text);
    Error err = {0};
    Ocp *o = NULL;
    Status status = ocp_parse(&o, text, "t.json", "tasks", &err);
    bool refused = o == NULL;
    ocp_free(o);
    snprintf(msg, sizeof msg, "%s -> %s: %s", text, err.where, err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, status, msg);
    TEST_ASSERT_TRUE_MESSAGE(refused, msg);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, strncmp(err.where, "t.json", 6), msg);
    const char *where = err.where + 6;
    bool exact = strcmp(where, bad[i].where) == 0;
    bool line = strncmp(bad[i].where, ": line", 6) == 0 &&
                strncmp(where, bad[i].where, strlen(bad[i].where)) == 0;
    TEST_ASSERT_TRUE_MESSAGE(exact || line, msg);
    for (int k = 0; k < 3 && bad[i].what[k]; k++) {
      TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, bad[i].what[k]), msg);
    }
  }
}

// errors in other files that the task names
static void refuse_elsewhere(const char *text, const char *where, const char *what) {
  char copy[1000], msg[1000];
  snprintf(copy, sizeof copy, "%s", text);
  quote(copy);
  Error err = {0};
  Ocp *o = NULL;
  Status status = ocp_parse(&o, copy, "t.json", "tasks", &err);
  snprintf(msg, sizeof msg, "%s: %s", err.where, err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, status, msg);
  TEST_ASSERT_NULL(o);
  TEST_ASSERT_EQUAL_STRING_MESSAGE(where, err.where, msg);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, what), msg);
}

static void test_errors_in_other_files_name_those(void) {
  refuse_elsewhere(WITH_ROBOT("'reach.json'"), "tasks/reach.json", "unknown key");
  refuse_elsewhere(WITH_ROBOT("'.'"), "tasks/.", "is a folder");
  refuse_elsewhere(REST("'guess':{'file':'reach.json'}"), "tasks/reach.json",
                   "no \"trajectory\": not a result");
  refuse_elsewhere(REST("'guess':{'file':'../README.md'}"), "tasks/../README.md: line 1, column 1",
                   "JSON has no comments");
}

static void test_a_missing_task_is_named(void) {
  Error err = {0};
  Ocp *o = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, ocp_load(&o, "tasks/no_such_task.json", &err));
  TEST_ASSERT_NULL(o);
  TEST_ASSERT_EQUAL_STRING("tasks/no_such_task.json", err.where);
  TEST_ASSERT_EQUAL_STRING("no such file", err.what);
}

// ---- spoilt files ------------------------------------------------------------------------------

static char *read_task(const char *path, size_t *len) {
  Error err = {0};
  char *text = file_read(path, 1 << 20, len, &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(text, err.what);
  while (*len > 0 && text[*len - 1] == '\n') text[--*len] = '\0';
  return text;
}

// reads the text; whatever comes out must be consistent
static bool try_it(const char *spoilt) {
  Error err = {0};
  Ocp *o = NULL;
  Status status = ocp_parse(&o, spoilt, "fuzz.json", "tasks", &err);
  bool good = status == STATUS_OK && o != NULL && o->T > 0 && o->n_interval > 0;
  bool refused = status == STATUS_INPUT && o == NULL && err.code == status && err.what[0];
  ocp_free(o);
  TEST_ASSERT_TRUE_MESSAGE(good || refused, spoilt);
  return good;
}

static void test_a_file_cut_at_any_byte_is_refused(void) {
  size_t len = 0;
  char *text = read_task("tasks/reach_around.json", &len);
  for (size_t n = 0; n < len; n++) {
    // a block of the exact size, so that reading beyond it is seen
    char *cut = malloc(n + 1);
    TEST_ASSERT_NOT_NULL(cut);
    memcpy(cut, text, n);
    cut[n] = '\0';
    bool good = try_it(cut);
    free(cut);
    TEST_ASSERT_FALSE(good);
  }
  free(text);
}

static void test_any_byte_may_be_changed(void) {
  static const char other[] = "0-\"{}[],:ex \\\x01\xff";
  size_t len = 0;
  char *text = read_task("tasks/cartpole_min_time.json", &len);
  int n_good = 0, n_refused = 0;
  for (size_t i = 0; i < len; i++) {
    char kept = text[i];
    for (const char *c = other; *c; c++) {
      text[i] = *c;
      bool good = try_it(text);
      n_good += good;
      n_refused += !good;
    }
    text[i] = kept;
  }
  free(text);
  TEST_ASSERT_TRUE(n_good > 0 && n_refused > 0);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_bad_tasks_are_refused_with_place_and_rule);
  RUN_TEST(test_errors_in_other_files_name_those);
  RUN_TEST(test_a_missing_task_is_named);
  RUN_TEST(test_a_file_cut_at_any_byte_is_refused);
  RUN_TEST(test_any_byte_may_be_changed);
  return UNITY_END();
}
