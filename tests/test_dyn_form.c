// SPDX-License-Identifier: MIT
// The formulations agree with each other, with closed forms, and are counted as the paper counts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_support.h"
#include "dynamics/crba.h"
#include "dynamics/dyn.h"
#include "expr/expr_ad.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { N_STATES = 1000, BLOCK = 250 };

// Worst figures over the states of one robot.
typedef struct Agreement {
  double inverse;     // IMPL against SEMI, relative
  double forward;     // EXP1 against EXP2, relative
  double round_trip;  // EXP2(IMPL(a)) against a, relative to the largest a
  double condition;   // largest of M, every eighth state
} Agreement;

static double larger(double a, double b) {
  return !(b <= a) ? b : a;  // NaN wins
}

// All relative to the largest element. Accelerations are solutions of M a = b, so rounding is
// amplified by the condition of M, which is recorded; 1e-9 holds all the same.
static void compare(const Model *m, const double *y, const State *s, bool with_condition,
                    Agreement *worst) {
  static double factor[MAX_NV * MAX_NV], mass[MAX_NV * MAX_NV];
  int n = m->nv;
  const double *impl = y, *semi = y + n, *exp1 = y + 2 * n, *exp2 = y + 3 * n, *back1 = y + 4 * n,
               *back2 = y + 5 * n;
  memcpy(mass, y + 6 * n, (size_t)(n * n) * sizeof *mass);
  mass_fill(n, mass);
  memcpy(factor, mass, sizeof mass);
  TEST_ASSERT_TRUE_MESSAGE(cholesky(n, factor), "mass matrix not positive definite");
  double condition = with_condition ? cholesky_condition(n, mass, factor) : 0;
  double inverse = error_relative(n, impl, semi), forward = error_relative(n, exp2, exp1);
  double trip = larger(error_relative(n, s->a, back1), error_relative(n, s->a, back2));
  char text[160];
  snprintf(text, sizeof text, "%s: inverse %.2g, forward %.2g, round trip %.2g, condition %.2g",
           m->name, inverse, forward, trip, condition);
  TEST_ASSERT_TRUE_MESSAGE(inverse < 1e-9, text);
  TEST_ASSERT_TRUE_MESSAGE(forward < 1e-9, text);
  TEST_ASSERT_TRUE_MESSAGE(trip < 1e-9, text);
  worst->inverse = larger(worst->inverse, inverse);
  worst->forward = larger(worst->forward, forward);
  worst->round_trip = larger(worst->round_trip, trip);
  worst->condition = larger(worst->condition, condition);
}

// impl, semi, exp1, exp2 of tau, exp1 and exp2 of impl (the acceleration again), mass matrix
static int expressions(Trace *t, Expr *out) {
  int n = t->tr.m->nv;
  TEST_ASSERT_TRUE(dyn_implicit.map(&t->tr, t->tr.a, out));
  TEST_ASSERT_TRUE(dyn_semi.map(&t->tr, t->tr.a, out + n));
  TEST_ASSERT_TRUE(dyn_exp1_ode.map(&t->tr, t->tr.tau, out + 2 * n));
  TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t->tr, t->tr.tau, out + 3 * n));
  for (int e = 6 * n; e < 6 * n + n * n; e++) out[e] = EXPR_ZERO;
  TEST_ASSERT_TRUE(crba_build(t->g, t->tr.m, &t->tr.tree, t->tr.body, out + 6 * n));
  return 6 * n + n * n;
}

static void agree(const Model *m, uint64_t seed, int n_state, Agreement *worst) {
  static State s[BLOCK];
  static Expr out[6 * MAX_NV + MAX_NV * MAX_NV];
  static double y[BLOCK * (6 * MAX_NV + MAX_NV * MAX_NV)], forward[BLOCK * 2 * MAX_NV];
  Trace t;
  trace_open(&t, m);
  int n = m->nv, n_out = expressions(&t, out);
  for (int e = 4 * n; e < 6 * n; e++) out[e] = EXPR_ZERO;
  Numbers all = numbers_open(t.g, n_out, out), explicit_two = numbers_open(t.g, 2 * n, out + 2 * n);
  Rng rng;
  rng_seed(&rng, seed);
  for (int done = 0; done < n_state; done += BLOCK) {
    int count = n_state - done < BLOCK ? n_state - done : BLOCK;
    for (int k = 0; k < count; k++) state_random(&s[k], m, &rng);
    numbers_eval(&all, count, s, y);
    // the forces that IMPL asks for go into the explicit forms
    for (int k = 0; k < count; k++) memcpy(s[k].tau, y + k * n_out, (size_t)n * sizeof *y);
    numbers_eval(&explicit_two, count, s, forward);
    for (int k = 0; k < count; k++) {
      memcpy(y + k * n_out + 4 * n, forward + 2 * n * k, 2 * (size_t)n * sizeof *y);
      compare(m, y + k * n_out, &s[k], k % 8 == 0, worst);
    }
  }
  numbers_close(&all);
  numbers_close(&explicit_two);
  trace_close(&t);
}

static void report(const char *who, const Agreement *w) {
  printf("%s: inverse %.2g, forward %.2g, round trip %.2g, condition up to %.2g\n", who, w->inverse,
         w->forward, w->round_trip, w->condition);
}

static void test_formulations_agree_on_every_robot_at_1000_states(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    Agreement worst = {0};
    agree(robot[i], 21, N_STATES, &worst);
    report(robot[i]->name, &worst);
  }
  robots_free(n, robot);
}

static void test_formulations_agree_on_random_trees(void) {
  Agreement worst = {0};
  for (int n = 1; n <= 40; n++) {
    for (uint64_t seed = 0; seed < 4; seed++) {
      Model *m = tree_random(n, 800 + 4 * (uint64_t)n + seed);
      agree(m, seed, 16, &worst);
      model_free(m);
    }
  }
  report("random trees", &worst);
}

// ---- closed forms ------------------------------------------------------------------------------

// accelerations by all explicit forms, and the forces of these accelerations by the others
static void check_closed_form(const Model *m, void (*closed)(const State *s, double *a)) {
  Rng rng;
  rng_seed(&rng, 31);
  for (int i = 0; dyn_forms[i]; i++) {
    Trace t;
    trace_open(&t, m);
    Expr out[MAX_NV];
    bool forward = dyn_forms[i]->explicit_form;
    TEST_ASSERT_TRUE(dyn_forms[i]->map(&t.tr, forward ? t.tr.tau : t.tr.a, out));
    Numbers f = numbers_open(t.g, m->nv, out);
    for (int k = 0; k < 100; k++) {
      State s;
      double a[MAX_NV], y[MAX_NV];
      state_random(&s, m, &rng);
      closed(&s, a);
      memcpy(s.a, a, sizeof a);
      numbers_eval(&f, 1, &s, y);
      const double *expected = forward ? a : s.tau;
      double scale = 1 + max_abs(m->nv, a);
      TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(1e-10 * scale, expected, y, m->nv,
                                              dyn_forms[i]->name);
    }
    numbers_close(&f);
    trace_close(&t);
  }
}

// a compound pendulum with damping: (I + m l^2) a = tau - d v - m g l sin q
static void pendulum(const State *s, double *a) {
  const double mass = 1.7, l = 0.6, I = 0.05, d = 0.3;
  a[0] = (s->tau[0] - d * s->v[0] - mass * 9.81 * l * sin(s->q[0])) / (I + mass * l * l);
}

static void test_pendulum_has_its_closed_form(void) {
  Model *m = robot_parse(
      "{'bodies':[{'name':'base'},{'name':'b','mass':1.7,'com':[0,0,-0.6],"
      "'inertia':[0.05,0.05,0.01]}],'joints':[{'name':'j','type':'revolute','parent':'base',"
      "'child':'b','axis':[0,1,0],'damping':0.3}]}");
  check_closed_form(m, pendulum);
  model_free(m);
}

// point masses on massless rods, q2 relative to the first rod
static void double_pendulum(const State *s, double *a) {
  const double m1 = 1.2, m2 = 0.7, l1 = 0.8, l2 = 0.5, g = 9.81;
  double c = cos(s->q[1]), sn = sin(s->q[1]), w1 = s->v[0], w2 = s->v[1];
  double M11 = (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * m2 * l1 * l2 * c;
  double M12 = m2 * l2 * l2 + m2 * l1 * l2 * c, M22 = m2 * l2 * l2;
  double s1 = sin(s->q[0]), s12 = sin(s->q[0] + s->q[1]);
  double b1 = s->tau[0] + m2 * l1 * l2 * sn * (2 * w1 * w2 + w2 * w2) - (m1 + m2) * g * l1 * s1 -
              m2 * g * l2 * s12;
  double b2 = s->tau[1] - m2 * l1 * l2 * sn * w1 * w1 - m2 * g * l2 * s12;
  double det = M11 * M22 - M12 * M12;
  a[0] = (M22 * b1 - M12 * b2) / det;
  a[1] = (M11 * b2 - M12 * b1) / det;
}

static void test_double_pendulum_has_its_closed_form(void) {
  Model *m =
      robot_parse("{'bodies':[{'name':'base'},{'name':'b','mass':1.2,'com':[0,0,-0.8]},"
                  "{'name':'c','mass':0.7,'com':[0,0,-0.5]}],'joints':["
                  "{'name':'j','type':'revolute','parent':'base','child':'b','axis':[0,1,0]},"
                  "{'name':'k','type':'revolute','parent':'b','child':'c','axis':[0,1,0],"
                  "'origin':{'xyz':[0,0,-0.8]}}]}");
  check_closed_form(m, double_pendulum);
  model_free(m);
}

// Kelly 2017, eq. 6.1 and 6.2: m1 cart, m2 pole, q2 from hanging
static void cart_pole(const State *s, double *a) {
  const double m1 = 1, m2 = 0.3, l = 0.5, g = 9.81;
  double c = cos(s->q[1]), sn = sin(s->q[1]), w = s->v[1], u = s->tau[0], torque = s->tau[1];
  double det = m1 + m2 * (1 - c * c);
  // the published form has no torque at the pole; with one, from M a = b
  double b1 = u + m2 * l * sn * w * w, b2 = torque / (m2 * l) - g * sn;
  a[0] = (b1 - m2 * c * b2) / det;
  a[1] = ((m1 + m2) * b2 - c * b1) / (l * det);
}

static void test_cart_pole_has_its_closed_form(void) {
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/cartpole.json", &err));
  check_closed_form(m, cart_pole);
  model_free(m);
}

// ---- counts and names --------------------------------------------------------------------------

static void test_the_arm_takes_few_operations(void) {
  // the outside tool of the benchmark
  static const struct {
    const DynForm *form;
    int most;
  } row[] = {{&dyn_implicit, 351}, {&dyn_semi, 580}, {&dyn_exp1_ode, 728}, {&dyn_exp2_ode, 905}};
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  for (int i = 0; i < 4; i++) {
    const DynForm *form = row[i].form;
    Trace t;
    trace_open(&t, m);
    Expr out[7 * 6] = {0};
    int n = m->nv;
    // the explicit forms with actuators on the driven joints, as on a collocation point
    Expr forces[MAX_NV];
    dyn_actuator_forces(&t.tr, forces);
    if (form->parts) n = form->parts(&t.tr, out);
    else TEST_ASSERT_TRUE(form->map(&t.tr, form->explicit_form ? forces : t.tr.a, out));
    TEST_ASSERT_GREATER_THAN_INT(0, n);
    Numbers f = numbers_open(t.g, n, out);
    const ExprCount *c = &f.tape->count;
    printf("%s: %d operations, %d sin and cos\n", form->name, c->total, c->sincos);
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(row[i].most, c->total, form->name);
    // q1 does not matter, q2 .. q5 are one angle each, q6 one more
    TEST_ASSERT_EQUAL_INT(10, c->sincos);
    TEST_ASSERT_EQUAL_INT(c->total,
                          c->add + c->sub + c->mul + c->div + c->neg + c->sqrt + c->other);
    numbers_close(&f);
    trace_close(&t);
  }
  model_free(m);
}

static void test_formulations_are_found_by_name(void) {
  TEST_ASSERT_EQUAL_PTR(&dyn_implicit, dyn_form_find("IMPL"));
  TEST_ASSERT_EQUAL_PTR(&dyn_semi, dyn_form_find("semi"));
  TEST_ASSERT_EQUAL_PTR(&dyn_exp1_ode, dyn_form_find("EXP1"));
  TEST_ASSERT_EQUAL_PTR(&dyn_exp1_dae, dyn_form_find("exp1-a"));
  TEST_ASSERT_EQUAL_PTR(&dyn_exp2_ode, dyn_form_find("Exp2"));
  TEST_ASSERT_EQUAL_PTR(&dyn_exp2_dae, dyn_form_find("EXP2-A"));
  TEST_ASSERT_NULL(dyn_form_find("EXP3"));
  TEST_ASSERT_NULL(dyn_form_find(""));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_formulations_agree_on_every_robot_at_1000_states);
  RUN_TEST(test_formulations_agree_on_random_trees);
  RUN_TEST(test_pendulum_has_its_closed_form);
  RUN_TEST(test_double_pendulum_has_its_closed_form);
  RUN_TEST(test_cart_pole_has_its_closed_form);
  RUN_TEST(test_the_arm_takes_few_operations);
  RUN_TEST(test_formulations_are_found_by_name);
  return UNITY_END();
}
