// SPDX-License-Identifier: MIT
// The page as text: complete, self-contained, honest about failure, its data readable as JSON. How it
// looks and behaves is for tests/page_check.py.
#include "report/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_at.h"
#include "unity.h"

static Ocp *ocp;
static PlanResult *result;
static TextBuf page;
static struct cJSON *doc;
static char *data;
static Error err;

void setUp(void) {
  ocp = NULL;
  result = NULL;
  page = (TextBuf){0};
  doc = NULL;
  data = NULL;
}

void tearDown(void) {
  json_free(doc);
  free(data);
  textbuf_free(&page);
  plan_result_free(result);
  ocp_free(ocp);
}

static void load(void) {
  Status status = ocp_load(&ocp, "tasks/cartpole_swingup.json", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  ocp->n_interval = 20;
  ocp->degree = 7;  // fine enough to be verified
}

static void run(const PlanOptions *opt) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, plan_run(&result, ocp, opt, &err), err.what);
  report_html(result, &page);
  TEST_ASSERT_FALSE(page.failed);
}

static bool holds(const char *text) {
  return strstr(page.text, text) != NULL;
}

// the JSON in the page
static JsonAt read_data(void) {
  static const char begin[] = "<script type=\"application/json\" id=\"data\">";
  const char *from = strstr(page.text, begin);
  TEST_ASSERT_NOT_NULL(from);
  from += strlen(begin);
  const char *to = strchr(from, '<');  // none inside
  TEST_ASSERT_NOT_NULL(to);
  TEST_ASSERT_EQUAL_INT(0, strncmp(to, "</script>", 9));
  size_t n = (size_t)(to - from);
  data = malloc(n + 1);
  TEST_ASSERT_NOT_NULL(data);
  memcpy(data, from, n);
  data[n] = '\0';
  doc = json_parse(data, n, "page", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  return json_root(doc, "page");
}

static double number_at(const JsonAt *at, const char *key) {
  JsonAt x = json_find(at, key);
  double value = NAN;
  TEST_ASSERT_TRUE_MESSAGE(json_number(&x, &value, &err), key);
  return value;
}

static void test_a_verified_run_has_a_complete_page_that_asks_for_nothing(void) {
  load();
  run(&(PlanOptions){0});
  TEST_ASSERT_TRUE(result->solved && result->verification.verified);
  TEST_ASSERT_TRUE(strncmp(page.text, "<!DOCTYPE html>", 15) == 0);
  TEST_ASSERT_TRUE(holds("<title>cartpole_swingup - Solved and verified</title>"));
  TEST_ASSERT_TRUE(holds("<body class=\"good\">"));
  TEST_ASSERT_TRUE(holds("</html>"));
  TEST_ASSERT_FALSE(holds("{{"));
  TEST_ASSERT_FALSE(holds("https:"));
  TEST_ASSERT_FALSE(holds("@import"));
  TEST_ASSERT_FALSE(holds("<link rel=\"stylesheet\""));
  TEST_ASSERT_FALSE(holds("<script src"));
}

static void test_the_data_of_the_page_are_the_result(void) {
  load();
  run(&(PlanOptions){0});
  JsonAt root = read_data(), r = json_find(&root, "result"), robot = json_find(&root, "robot");
  TEST_ASSERT_TRUE(number_at(&r, "objective") == result->objective);
  JsonAt joints = json_find(&robot, "joints");
  TEST_ASSERT_EQUAL_INT(2, json_count(&joints));
  JsonAt limits = json_find(&root, "limits"), u = json_find(&limits, "u"), first = json_first(&u);
  double bounds[2];
  TEST_ASSERT_TRUE_MESSAGE(json_numbers(&first, 2, bounds, &err), err.what);
  TEST_ASSERT_TRUE(bounds[0] == -20 && bounds[1] == 20);
}

static void test_sparsity_pictures_count_every_nonzero_once(void) {
  load();
  run(&(PlanOptions){0});
  const PlanSpy *spy[] = {&result->jacobian, &result->hessian};
  const int nonzeros[] = {result->jacobian_nonzeros, result->hessian_nonzeros};
  for (int k = 0; k < 2; k++) {
    int sum = 0;
    for (int e = 0; e < spy[k]->n_row * spy[k]->n_col; e++) sum += spy[k]->count[e];
    TEST_ASSERT_EQUAL_INT(nonzeros[k], sum);
    TEST_ASSERT_TRUE(spy[k]->n_row <= PLAN_SPY && spy[k]->n_col <= PLAN_SPY);
  }
  TEST_ASSERT_EQUAL_INT(result->constraints, result->jacobian.rows);
  TEST_ASSERT_EQUAL_INT(result->variables, result->jacobian.cols);
}

static void test_a_failed_run_says_so_and_why(void) {
  load();
  const SolveOption option = {"max_iter", "2", "test"};
  run(&(PlanOptions){.option = &option, .n_option = 1});
  TEST_ASSERT_FALSE(result->solved);
  TEST_ASSERT_TRUE(holds("<body class=\"bad\">"));
  TEST_ASSERT_TRUE(holds("Not solved: Maximum_Iterations_Exceeded"));
  TEST_ASSERT_FALSE(holds("Solved and verified"));
  TEST_ASSERT_TRUE(result->explanation[0]);
}

static void test_an_unverified_run_does_not_look_like_a_verified_one(void) {
  load();
  run(&(PlanOptions){.skip_verification = true});
  TEST_ASSERT_TRUE(result->solved);
  TEST_ASSERT_TRUE(holds("<body class=\"bad\">"));
  TEST_ASSERT_TRUE(holds("Solved, but not verified"));
}

static void test_names_cannot_break_out_of_their_place(void) {
  load();
  const char *name = "</script><script>alert(\"&\")</script>{{data}}";
  ocp->name = name;
  run(&(PlanOptions){.skip_verification = true});
  TEST_ASSERT_FALSE(holds("<script>alert"));
  TEST_ASSERT_TRUE(holds("&lt;/script&gt;&lt;script&gt;alert(&quot;&amp;&quot;)"));
  JsonAt root = read_data(), r = json_find(&root, "result"), at = json_find(&r, "name");
  const char *text = NULL;
  TEST_ASSERT_TRUE(json_string(&at, &text, &err));
  TEST_ASSERT_EQUAL_STRING(name, text);
}

static void test_values_that_are_not_finite_become_null(void) {
  load();
  run(&(PlanOptions){.skip_verification = true});
  result->trajectory->q[0] = NAN;
  result->trajectory->u[0] = INFINITY;
  result->objective = NAN;
  textbuf_free(&page);
  report_html(result, &page);
  JsonAt root = read_data(), r = json_find(&root, "result"), at = json_find(&r, "objective");
  TEST_ASSERT_EQUAL_INT(JSON_NULL, json_type(&at));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_verified_run_has_a_complete_page_that_asks_for_nothing);
  RUN_TEST(test_the_data_of_the_page_are_the_result);
  RUN_TEST(test_sparsity_pictures_count_every_nonzero_once);
  RUN_TEST(test_a_failed_run_says_so_and_why);
  RUN_TEST(test_an_unverified_run_does_not_look_like_a_verified_one);
  RUN_TEST(test_names_cannot_break_out_of_their_place);
  RUN_TEST(test_values_that_are_not_finite_become_null);
  return UNITY_END();
}
