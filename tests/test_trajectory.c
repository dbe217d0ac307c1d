// SPDX-License-Identifier: MIT
// Trajectories: interpolation against polynomials, and the way through JSON and CSV and back. Texts
// are written with ' for ".
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ocp/trajectory.h"
#include "unity.h"

static Ocp *o;  // a cart-pole problem, of any scheme

void setUp(void) {
  o = NULL;
}
void tearDown(void) {
  ocp_free(o);
}

static void open_problem(const char *scheme, int n_interval) {
  ocp_free(o);
  char text[400];
  snprintf(text, sizeof text,
           "{\"robot\":\"configs/robots/cartpole.json\",\"horizon\":2,\"intervals\":%d,"
           "\"scheme\":\"%s\",\"start\":{},\"goal\":{}}",
           n_interval, scheme);
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_parse(&o, text, "t.json", "", &err), err.what);
}

static Trajectory *build(void) {
  Error err = {0};
  Trajectory *t = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, trajectory_build(&t, o, &err), err.what);
  return t;
}

// polynomial of degree n and its derivatives: sum of (k + 1) / (i + 1) time^k for joint i
static double poly(int n, int i, int derivative, double time) {
  double sum = 0;
  for (int k = derivative; k <= n; k++) {
    double factor = (k + 1.0) / (i + 1);
    for (int m = 0; m < derivative; m++) factor *= k - m;
    sum += factor * pow(time, k - derivative);
  }
  return sum;
}

// samples polynomials of degree n at nodes, points and controls
static void sample(Trajectory *t, int n) {
  for (int k = 0; k <= t->n_interval; k++) {
    for (int i = 0; i < t->nv; i++) {
      t->q[i + t->nv * k] = poly(n, i, 0, t->time[k]);
      t->v[i + t->nv * k] = poly(n, i, 1, t->time[k]);
    }
    for (int j = 0; k < t->n_interval && j < t->n_point; j++) {
      double time = t->time[k] + t->point[j] * (t->time[k + 1] - t->time[k]);
      for (int i = 0; i < t->nv; i++) {
        int at = i + t->nv * (j + t->n_point * k);
        t->pq[at] = poly(n, i, 0, time);
        t->pv[at] = poly(n, i, 1, time);
        t->pa[at] = poly(n, i, 2, time);
      }
    }
  }
  for (int c = 0; c < t->n_control; c++) {
    for (int i = 0; i < t->nu; i++) {
      t->u[i + t->nu * c] = poly(n, i, 0, trajectory_control_time(t, c));
    }
  }
}

static const char *const schemes[] = {"radau-1", "radau-4", "radau-9",     "gauss-1",
                                      "gauss-4", "gauss-9", "trapezoidal", "hermite-simpson"};
enum { N_SCHEMES = sizeof schemes / sizeof schemes[0] };

static void test_a_new_trajectory_has_its_grid_and_zeros(void) {
  open_problem("radau-3", 4);
  Trajectory *t = build();
  TEST_ASSERT_TRUE(t->nv == 2 && t->nu == 1 && t->n_interval == 4 && t->n_point == 3);
  const double time[5] = {0, 0.5, 1, 1.5, 2};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, time, t->time, 5);
  TEST_ASSERT_TRUE(t->point[0] > 0 && t->point[2] == 1);
  for (int i = 0; i < 10; i++) TEST_ASSERT_TRUE(t->q[i] == 0 && t->v[i] == 0);
  for (int i = 0; i < 24; i++) TEST_ASSERT_TRUE(t->pq[i] == 0 && t->pv[i] == 0 && t->pa[i] == 0);
  trajectory_free(t);
}

// q' is interpolated by d points: motions of degree d are reproduced
static void test_motions_up_to_the_degree_are_exact_between_nodes(void) {
  for (int s = 0; s < N_SCHEMES; s++) {
    open_problem(schemes[s], 3);
    Trajectory *t = build();
    int n = t->n_point;
    sample(t, n);
    for (int k = 0; k <= 40; k++) {
      double time = 0.05 * k, q[2], v[2], a[2];
      trajectory_state(t, time, q, v, a);
      for (int i = 0; i < 2; i++) {
        double scale = 1e-11 * (1 + poly(n, i, 2, 2) + poly(n, i, 0, 2));
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(scale, poly(n, i, 0, time), q[i], schemes[s]);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(scale, poly(n, i, 1, time), v[i], schemes[s]);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(scale, poly(n, i, 2, time), a[i], schemes[s]);
      }
    }
    trajectory_free(t);
  }
}

// a and v belong together, v and q too: derivatives by differences
static void test_velocity_is_the_integral_of_acceleration(void) {
  open_problem("radau-4", 2);
  Trajectory *t = build();
  for (int i = 0; i < 2 * 2 * 4; i++) t->pa[i] = sin(1.7 * i);
  for (double time = 0.1; time < 1.95; time += 0.13) {
    double v0[2], v1[2], a[2], h = 1e-5;
    trajectory_state(t, time - h, NULL, v0, NULL);
    trajectory_state(t, time + h, NULL, v1, NULL);
    trajectory_state(t, time, NULL, NULL, a);
    for (int i = 0; i < 2; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, a[i], (v1[i] - v0[i]) / (2 * h));
  }
  trajectory_free(t);
}

static void test_controls_are_constant_linear_or_quadratic(void) {
  static const struct {
    const char *scheme, *kind;
    int degree;
  } c[] = {
      {"radau", "constant", 0}, {"trapezoidal", "linear", 1}, {"hermite-simpson", "quadratic", 2}};
  for (int s = 0; s < 3; s++) {
    open_problem(c[s].scheme, 5);
    Trajectory *t = build();
    TEST_ASSERT_EQUAL_STRING(c[s].kind, trajectory_control_kind(t));
    sample(t, c[s].degree);
    for (double time = 0; time <= 2; time += 0.0625) {
      double u[1];
      trajectory_control(t, time, u);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-13, poly(c[s].degree, 0, 0, time), u[0], c[s].kind);
    }
    trajectory_free(t);
  }
}

static void test_constant_controls_jump_at_the_node_to_the_next(void) {
  open_problem("radau", 4);
  Trajectory *t = build();
  for (int c = 0; c < 4; c++) t->u[c] = c;
  const double time[] = {-1, 0, 0.49, 0.5, 0.99, 1, 1.5, 1.99, 2, 3};
  const double expected[] = {0, 0, 0, 1, 1, 2, 3, 3, 3, 3};
  for (int i = 0; i < 10; i++) {
    double u[1];
    trajectory_control(t, time[i], u);
    TEST_ASSERT_TRUE(u[0] == expected[i]);
  }
  trajectory_free(t);
}

static void compare(const Trajectory *a, const Trajectory *b) {
  TEST_ASSERT_TRUE(a->nv == b->nv && a->nu == b->nu && a->n_interval == b->n_interval);
  TEST_ASSERT_TRUE(a->n_point == b->n_point && a->n_control == b->n_control);
  int nodes = a->n_interval + 1, points = a->n_interval * a->n_point;
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->time, b->time, nodes);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->q, b->q, a->nv * nodes);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->v, b->v, a->nv * nodes);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->u, b->u, a->nu * a->n_control);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->point, b->point, a->n_point);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->pq, b->pq, a->nv * points);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->pv, b->pv, a->nv * points);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, a->pa, b->pa, a->nv * points);
}

static Status read_text(Trajectory **out, const char *text, Error *err) {
  struct cJSON *doc = json_parse(text, strlen(text), "r.json", err);
  *out = NULL;
  if (!doc) return err->code;
  JsonAt root = json_root(doc, "r.json");
  Status status = trajectory_read_json(out, &root, o->model, err);
  json_free(doc);
  return status;
}

static void test_json_gives_back_every_bit(void) {
  for (int s = 0; s < N_SCHEMES; s++) {
    open_problem(schemes[s], 7);
    Trajectory *t = build(), *back = NULL;
    sample(t, 9);
    TextBuf b = {0};
    Error err = {0};
    trajectory_write_json(t, o->model, &b);
    TEST_ASSERT_FALSE(b.failed);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, read_text(&back, b.text, &err), err.what);
    compare(t, back);
    textbuf_free(&b);
    trajectory_free(back);
    trajectory_free(t);
  }
}

static void test_a_result_file_gives_back_its_trajectory(void) {
  open_problem("radau-2", 3);
  Trajectory *t = build(), *back = NULL;
  sample(t, 3);
  TextBuf b = {0};
  Error err = {0};
  textbuf_add(&b, "{\"status\": \"Solve_Succeeded\", \"trajectory\": ");
  trajectory_write_json(t, o->model, &b);
  textbuf_add(&b, "}\n");
  char path[] = "/tmp/poise_trajectory_XXXXXX";
  int fd = mkstemp(path);
  TEST_ASSERT_TRUE(fd >= 0);
  close(fd);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, textbuf_save(&b, path, &err), err.what);
  Status status = trajectory_load(&back, path, o->model, &err);
  unlink(path);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  compare(t, back);
  textbuf_free(&b);
  trajectory_free(back);
  trajectory_free(t);
}

static void test_without_points_the_motion_is_the_cubic_through_the_nodes(void) {
  open_problem("radau", 1);
  const char text[] = "{\"joints\":[\"cart\",\"pole\"],\"control\":\"linear\",\"time\":[0,0.5,2],"
                      "\"q\":[[0,1],[0.125,1],[8,1]],\"v\":[[0,0],[0.75,0],[12,0]],"
                      "\"u\":[[0],[1],[4]]}";
  Trajectory *t = NULL;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, read_text(&t, text, &err), err.what);
  for (double time = 0; time <= 2; time += 0.125) {
    double q[2], v[2], a[2], u[1];
    trajectory_state(t, time, q, v, a);
    trajectory_control(t, time, u);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, time * time * time, q[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 3 * time * time, v[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6 * time, a[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 2 * time, u[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 1, q[1]);
  }
  trajectory_free(t);
}

#define HEAD "'joints':['cart','pole']"
#define NODES "'time':[0,1],'q':[[0,0],[0,0]],'v':[[0,0],[0,0]]"
#define BODY "'control':'constant'," NODES ",'u':[[1]]"
#define POINTS(place, rows) \
  "{" HEAD "," BODY ",'points':{'place':" place ",'q':" rows ",'v':" rows ",'a':" rows "}}"

static void test_bad_trajectories_are_refused_with_place_and_rule(void) {
  static const struct {
    const char *text, *where, *what;
  } bad[] = {
      {"[]", "r.json", "must be an object"},
      {"{" BODY "}", "r.json", "missing \"joints\""},
      {"{'joints':['q1','q2']," BODY "}", "r.json: joints[0]",
       "joint \"q1\", where cartpole has \"cart\": a trajectory of another robot"},
      {"{'joints':['cart']," BODY "}", "r.json: joints", "1 joints, but cartpole has 2"},
      {"{'joints':['cart','pole','arm']," BODY "}", "r.json: joints[2]", "cartpole has none"},
      {"{'joints':['cart',2]," BODY "}", "r.json: joints[1]", "must be a string"},
      {"{" HEAD ",'actuators':['pole']," BODY "}", "r.json: actuators[0]", "another robot"},
      {"{" HEAD "," NODES ",'u':[[1]]}", "r.json", "missing \"control\""},
      {"{" HEAD ",'control':'zoh'," NODES ",'u':[[1]]}", "r.json: control", "unknown control"},
      {"{" HEAD ",'control':'linear'," NODES ",'u':[[1]]}", "r.json: u", "must be 2 rows, not 1"},
      {"{" HEAD ",'control':'constant'," NODES ",'u':[[1,2]]}", "r.json: u[0]", "1 numbers"},
      {"{" HEAD ",'control':'constant'," NODES ",'u':[[null]]}", "r.json: u[0][0]", "not null"},
      {"{" HEAD ",'control':'constant'," NODES ",'u':[3]}", "r.json: u[0]", "must be an array"},
      {"{" HEAD ",'control':'constant','time':[0,0],'q':[[0,0],[0,0]],'v':[[0,0],[0,0]],'u':[[1]]}",
       "r.json: time", "times must ascend"},
      {"{" HEAD ",'control':'constant','time':[1,2],'q':[[0,0],[0,0]],'v':[[0,0],[0,0]],'u':[[1]]}",
       "r.json: time", "must begin at 0"},
      {"{" HEAD ",'control':'constant','time':[0],'q':[[0,0]],'v':[[0,0]],'u':[]}", "r.json: time",
       "at least 2 nodes"},
      {"{" HEAD ",'control':'constant','time':[0,1,2],'q':[[0,0],[0,0]],'v':[],'u':[]}",
       "r.json: q", "must be 3 rows, not 2"},
      {"{" HEAD "," BODY ",'w':1}", "r.json", "unknown key \"w\""},
      {POINTS("[]", "[]"), "r.json: points.place", "1 to 9 places, not 0"},
      {POINTS("[0.5,0.5]", "[[0,0],[0,0]]"), "r.json: points.place", "places must ascend"},
      {POINTS("[1.5]", "[[0,0]]"), "r.json: points.place", "places must ascend from 0 to 1"},
      {POINTS("[0.5]", "[[0,0],[0,0]]"), "r.json: points.q", "must be 1 rows, not 2"},
  };
  open_problem("radau", 1);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[1000], msg[2000];
    snprintf(text, sizeof text, "%s", bad[i].text);
    for (char *c = text; *c; c++) {
      if (*c == '\'') *c = '"';
    }
    Error err = {0};
    Trajectory *t = NULL;
    Status status = read_text(&t, text, &err);
    snprintf(msg, sizeof msg, "%s -> %s: %s", text, err.where, err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, status, msg);
    TEST_ASSERT_NULL_MESSAGE(t, msg);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(bad[i].where, err.where, msg);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, bad[i].what), msg);
  }
}

static void test_a_trajectory_cut_at_any_byte_is_refused(void) {
  open_problem("radau-2", 2);
  Trajectory *t = build();
  sample(t, 3);
  TextBuf b = {0};
  trajectory_write_json(t, o->model, &b);
  trajectory_free(t);
  for (size_t n = 0; n < b.len; n++) {
    char *cut = strndup(b.text, n);
    TEST_ASSERT_NOT_NULL(cut);
    Error err = {0};
    Status status = read_text(&t, cut, &err);
    free(cut);
    TEST_ASSERT_TRUE(status == STATUS_INPUT && t == NULL);
  }
  textbuf_free(&b);
}

static void test_the_csv_is_one_header_and_a_line_of_numbers_for_each_node(void) {
  open_problem("radau-2", 2);
  Trajectory *t = build();
  sample(t, 2);
  t->q[1] = NAN;
  TextBuf b = {0};
  trajectory_write_csv(t, o->model, &b);
  TEST_ASSERT_FALSE(b.failed);
  const char head[] = "time,q.cart,q.pole,v.cart,v.pole,a.cart,a.pole,u.cart\n";
  TEST_ASSERT_EQUAL_INT(0, strncmp(b.text, head, sizeof head - 1));
  const char *at = b.text + sizeof head - 1;
  for (int k = 0; k <= 2; k++) {
    double x[8];
    for (int i = 0; i < 8; i++) {
      char *end = NULL;
      x[i] = strtod(at, &end);
      TEST_ASSERT_TRUE(end > at && *end == (i < 7 ? ',' : '\n'));
      at = end + 1;
    }
    TEST_ASSERT_TRUE(x[0] == t->time[k] && x[1] == t->q[2 * k] && x[4] == t->v[2 * k + 1]);
    TEST_ASSERT_TRUE(isnan(x[2]) == (k == 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, poly(2, 0, 2, t->time[k]), x[5]);
    TEST_ASSERT_TRUE(x[7] == t->u[k < 2 ? k : 1]);
  }
  TEST_ASSERT_TRUE(*at == '\0');
  textbuf_free(&b);
  trajectory_free(t);
}

static void test_what_is_not_finite_is_null_in_json(void) {
  open_problem("radau-2", 2);
  Trajectory *t = build();
  t->u[0] = INFINITY;
  TextBuf b = {0};
  trajectory_write_json(t, o->model, &b);
  Error err = {0};
  struct cJSON *doc = json_parse(b.text, b.len, "r.json", &err);
  TEST_ASSERT_NOT_NULL_MESSAGE(doc, err.what);
  json_free(doc);
  TEST_ASSERT_NOT_NULL(strstr(b.text, "[null]"));
  textbuf_free(&b);
  trajectory_free(t);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_new_trajectory_has_its_grid_and_zeros);
  RUN_TEST(test_motions_up_to_the_degree_are_exact_between_nodes);
  RUN_TEST(test_velocity_is_the_integral_of_acceleration);
  RUN_TEST(test_controls_are_constant_linear_or_quadratic);
  RUN_TEST(test_constant_controls_jump_at_the_node_to_the_next);
  RUN_TEST(test_json_gives_back_every_bit);
  RUN_TEST(test_a_result_file_gives_back_its_trajectory);
  RUN_TEST(test_without_points_the_motion_is_the_cubic_through_the_nodes);
  RUN_TEST(test_bad_trajectories_are_refused_with_place_and_rule);
  RUN_TEST(test_a_trajectory_cut_at_any_byte_is_refused);
  RUN_TEST(test_the_csv_is_one_header_and_a_line_of_numbers_for_each_node);
  RUN_TEST(test_what_is_not_finite_is_null_in_json);
  return UNITY_END();
}
