// SPDX-License-Identifier: MIT
// Integration against closed forms, against Runge-Kutta on equations written by hand, one
// formulation against the others; and that what can't be integrated ends with a message.
#include "sim/sim_integrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_plain.h"
#include "dyn_support.h"
#include "unity.h"

static Model *model;
static Sim *sim;
static Error err;

void setUp(void) {
  err = (Error){0};
  model = NULL;
  sim = NULL;
}

void tearDown(void) {
  sim_free(sim);
  model_free(model);
}

static void open_robot(Model *m, const DynForm *form, const SimOptions *opt) {
  model = m;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, sim_build(&sim, m, form, opt, &err), err.what);
}

static void run(double t0, double t1, double *q, double *v, const SimDrive *drive,
                const SimOutput *output) {
  Status status = sim_run(sim, t0, t1, q, v, drive, output, &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
}

// ---- closed forms ----

static const char slider[] =
    "{'name': 'slider', 'bodies': [{'name': 'rail'}, {'name': 'box', 'mass': 2}],"
    " 'joints': [{'name': 'lift', 'type': 'prismatic', 'parent': 'rail', 'child': 'box',"
    "   'axis': [0, 0, 1], 'actuated': true,"
    "   'limits': {'lower': -100, 'upper': 100, 'effort': 1000}}]}";

static const char pendulum[] =
    "{'name': 'pendulum', 'bodies': [{'name': 'base'}, {'name': 'bob', 'mass': 1.5,"
    "  'com': [0, 0, -0.7]}],"
    " 'joints': [{'name': 'hinge', 'type': 'continuous', 'parent': 'base', 'child': 'bob',"
    "   'axis': [0, -1, 0]}]}";

static void test_constant_acceleration_is_exact(void) {
  open_robot(robot_parse(slider), NULL, NULL);
  double q = 0.3, v = -1, tau = 30, t = 2, a = 30 / 2.0 - 9.81;
  const SimDrive drive = {.tau = &tau};
  run(0, t, &q, &v, &drive, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.3 - t + a * t * t / 2, q);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, -1 + a * t, v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, tau * (q - 0.3), sim_work(sim));
  TEST_ASSERT_EQUAL_DOUBLE(t, sim_time(sim));
}

static void ramp(const void *data, double t, double *tau) {
  tau[0] = 2 * (9.81 + *(const double *)data * t);
}

static void test_force_given_as_a_function_of_time_is_followed(void) {
  open_robot(robot_parse(slider), NULL, NULL);
  double q = 0, v = 0, slope = 6;
  const SimDrive drive = {.force = ramp, .data = &slope};
  run(0, 1.5, &q, &v, &drive, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, slope * pow(1.5, 3) / 6, q);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, slope * 1.5 * 1.5 / 2, v);
}

// period 4 sqrt(l/g) K(sin(q0/2)) = 2 pi sqrt(l/g) / agm(1, cos(q0/2))
static double pendulum_period(double length, double q0) {
  double a = 1, g = cos(q0 / 2);
  for (int i = 0; i < 40; i++) {
    double mean = (a + g) / 2;
    g = sqrt(a * g);
    a = mean;
  }
  return 2 * M_PI * sqrt(length / 9.81) / a;
}

static void test_pendulum_is_back_after_its_period(void) {
  static const double start[] = {0.1, 1, 2, 3};
  for (int k = 0; k < 4; k++) {
    open_robot(robot_parse(pendulum), NULL, NULL);
    double q = start[k], v = 0, period = pendulum_period(0.7, start[k]);
    run(0, period, &q, &v, NULL, NULL);
    printf("pendulum from %g rad: off by %.2g rad, %.2g rad/s after %.3f s, %ld steps\n", start[k],
           q - start[k], v, period, sim_stats(sim).steps);
    TEST_ASSERT_DOUBLE_WITHIN(2e-7, start[k], q);
    TEST_ASSERT_DOUBLE_WITHIN(2e-6, 0, v);
    tearDown();
    setUp();
  }
}

typedef struct Drift {
  double before, worst, largest;
} Drift;

static void watch_energy(void *data, int k, double t, const double *q, const double *v) {
  Drift *d = data;
  double kinetic, potential;
  (void)k, (void)t;
  plain_energy(model, q, v, &kinetic, &potential);
  d->worst = fmax(d->worst, fabs(kinetic + potential - d->before));
  d->largest = fmax(d->largest, kinetic);
}

static void test_energy_of_passive_robots_is_conserved(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  double time[50];
  for (int k = 0; k < 50; k++) time[k] = 0.02 * (k + 1);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < robot[i]->nv; j++) robot[i]->joint[j].damping = 0;
    open_robot(robot[i], NULL, NULL);
    double q[MAX_NV] = {0}, v[MAX_NV], kinetic, potential;
    for (int j = 0; j < model->nv; j++) v[j] = 0.3 - 0.1 * (j % 5);
    plain_energy(model, q, v, &kinetic, &potential);
    Drift d = {kinetic + potential, 0, kinetic};
    const SimOutput output = {50, time, watch_energy, &d};
    run(0, 1, q, v, NULL, &output);
    printf("%s: T + V drifts by %.2g of T = %.3g J over 1 s, %ld evaluations\n", model->name,
           d.worst / d.largest, d.largest, sim_stats(sim).evaluations);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-8, d.worst / d.largest, model->name);
    tearDown();
    setUp();
  }
}

static void test_loss_to_damping_is_what_the_energy_lost(void) {
  open_robot(robot_parse(pendulum), NULL, NULL);
  model->joint[0].damping = 0.4;
  sim_free(sim);
  open_robot(model, NULL, NULL);
  double q = 2, v = 0.5, before[2], after[2], tau = 0.7;
  plain_energy(model, &q, &v, &before[0], &before[1]);
  const SimDrive drive = {.tau = &tau};
  run(0, 3, &q, &v, &drive, NULL);
  plain_energy(model, &q, &v, &after[0], &after[1]);
  TEST_ASSERT_GREATER_THAN_DOUBLE(1, sim_loss(sim));
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, sim_work(sim) - sim_loss(sim),
                            after[0] + after[1] - before[0] - before[1]);
}

// ---- other integrators and formulations ----

// cart-pole by its textbook equations, pole 0 hanging: m1 = 1, m2 = 0.3, l = 0.5
static void cartpole_slope(const double *x, double u, double *dx) {
  const double m1 = 1, m2 = 0.3, l = 0.5, g = 9.81, s = sin(x[1]), c = cos(x[1]);
  double w2 = x[3] * x[3], d = m1 + m2 * s * s;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = (l * m2 * s * w2 + u + m2 * g * c * s) / d;
  dx[3] = -(l * m2 * c * s * w2 + u * c + (m1 + m2) * g * s) / (l * d);
}

static void rk4(double *x, double u, double t, int n_step) {
  double h = t / n_step, k[4][4], y[4];
  for (int step = 0; step < n_step; step++) {
    cartpole_slope(x, u, k[0]);
    for (int stage = 1; stage < 4; stage++) {
      double w = stage < 3 ? h / 2 : h;
      for (int i = 0; i < 4; i++) y[i] = x[i] + w * k[stage - 1][i];
      cartpole_slope(y, u, k[stage]);
    }
    for (int i = 0; i < 4; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void test_cartpole_agrees_with_runge_kutta(void) {
  Model *m;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/cartpole.json", &err));
  open_robot(m, NULL, NULL);
  double x[4] = {0.1, 2.5, -0.3, 1}, q[2] = {0.1, 2.5}, v[2] = {-0.3, 1}, tau[2] = {4, 0};
  const SimDrive drive = {.tau = tau};
  run(0, 1, q, v, &drive, NULL);
  rk4(x, tau[0], 1, 20000);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-8, x, q, 2);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-8, x + 2, v, 2);
}

static void test_all_formulations_and_methods_give_the_same_motion(void) {
  Model *m;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_load(&m, "configs/robots/arm_pendulum.json", &err));
  model = m;
  for (int i = 0; i < m->nv; i++) m->joint[i].damping = 0.05 * i;
  double first[12] = {0}, tau[6] = {0.5, 19, 7, 1.5, 0, 0};
  SimOptions bdf = sim_defaults;
  bdf.method = SIM_BDF;
  for (int f = 0; dyn_forms[f] || f == 6; f++) {
    const DynForm *form = dyn_forms[f] ? dyn_forms[f] : NULL;  // after the last: BDF
    TEST_ASSERT_EQUAL_INT(STATUS_OK, sim_build(&sim, m, form, form ? NULL : &bdf, &err));
    double x[12] = {0, 0.41, -0.82, 0.41, 0.05, -0.03, 0, 0, 0, 0, 0, 0};
    const SimDrive drive = {.tau = tau};
    run(0, 1, x, x + 6, &drive, NULL);
    if (f == 0) memcpy(first, x, sizeof x);
    double worst = 0;
    for (int i = 0; i < 12; i++) worst = fmax(worst, fabs(x[i] - first[i]));
    SimStats s = sim_stats(sim);
    printf("%-6s off by %.2g after 1 s, %ld steps, %ld evaluations\n", form ? form->name : "BDF",
           worst, s.steps, s.evaluations);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(form ? 1e-8 : 2e-7, worst, form ? form->name : "BDF");
    sim_free(sim);
    sim = NULL;
    if (!form) break;
  }
}

// ---- output ----

typedef struct Log {
  int n;
  double t[8], q[8], v[8];
} Log;

static void record(void *data, int k, double t, const double *q, const double *v) {
  Log *log = data;
  TEST_ASSERT_EQUAL_INT(log->n, k);
  log->t[k] = t;
  log->q[k] = q[0];
  log->v[k] = v[0];
  log->n++;
}

static void test_output_comes_at_the_times_asked_for(void) {
  open_robot(robot_parse(slider), NULL, NULL);
  const double time[] = {1, 1.25, 1.5, 1.5, 2.75, 3};
  double q = 1, v = 2;
  Log log = {0};
  const SimOutput output = {6, time, record, &log};
  run(1, 3, &q, &v, NULL, &output);
  TEST_ASSERT_EQUAL_INT(6, log.n);
  for (int k = 0; k < 6; k++) {
    double t = time[k] - 1;
    TEST_ASSERT_EQUAL_DOUBLE(time[k], log.t[k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1 + 2 * t - 9.81 * t * t / 2, log.q[k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 - 9.81 * t, log.v[k]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, log.q[5], q);
}

// ---- failures ----

static void explode(const void *data, double t, double *tau) {
  (void)data;
  tau[0] = 1e3 / ((0.5 - t) * (0.5 - t) * (0.5 - t));
}

static void no_number(const void *data, double t, double *tau) {
  (void)data;
  tau[0] = t < 0.25 ? 1 : NAN;
}

static void test_motion_that_blows_up_is_an_error_with_time_and_joint(void) {
  SimOptions opt = sim_defaults;
  opt.max_steps = 20000;
  open_robot(robot_parse(slider), NULL, &opt);
  double q = 0, v = 0;
  const SimDrive drive = {.force = explode};
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, sim_run(sim, 0, 1, &q, &v, &drive, NULL, &err));
  puts(err.what);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "\"lift\""));
  TEST_ASSERT_NOT_NULL(strstr(err.what, "t = 0."));
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.5, sim_time(sim));
  TEST_ASSERT_TRUE(isfinite(q));
}

static void test_force_that_is_no_number_is_an_error(void) {
  open_robot(robot_parse(slider), NULL, NULL);
  double q = 0, v = 0;
  const SimDrive drive = {.force = no_number};
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, sim_run(sim, 0, 1, &q, &v, &drive, NULL, &err));
  puts(err.what);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "\"lift\""));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.25, sim_time(sim));
  TEST_ASSERT_TRUE(sim_stats(sim).steps < 100000);
  // and the next run works
  q = v = 0;
  run(0, 1, &q, &v, NULL, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, -9.81 / 2, q);
}

static void test_too_many_steps_is_an_error_not_a_hang(void) {
  SimOptions opt = sim_defaults;
  opt.max_steps = 30;
  open_robot(robot_parse(pendulum), NULL, &opt);
  double q = 2, v = 0;
  Log log = {0};
  const double time[] = {1, 2, 3};
  const SimOutput output = {3, time, record, &log};
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, sim_run(sim, 0, 100, &q, &v, NULL, &output, &err));
  puts(err.what);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "30 steps"));
  TEST_ASSERT_NOT_NULL(strstr(err.what, "\"hinge\""));
  TEST_ASSERT_TRUE(sim_stats(sim).steps <= 30);
}

// M = m (sin q)^2 about the axis of a body that lies on it at q = 0: singular there
static const char singular[] =
    "{'name': 'singular', 'gravity': [0, 0, 0], 'bodies': [{'name': 'base'}, {'name': 'arm'},"
    "  {'name': 'point', 'mass': 1, 'com': [0, 0, 1]}],"
    " 'joints': [{'name': 'turn', 'type': 'continuous', 'parent': 'base', 'child': 'arm',"
    "   'axis': [0, 0, 1]},"
    "  {'name': 'tilt', 'type': 'continuous', 'parent': 'arm', 'child': 'point',"
    "   'axis': [0, 1, 0]}]}";

static void test_singular_mass_matrix_is_an_error_in_every_formulation(void) {
  model = robot_parse(singular);
  for (int f = 0; dyn_forms[f]; f++) {
    TEST_ASSERT_EQUAL_INT(STATUS_OK, sim_build(&sim, model, dyn_forms[f], NULL, &err));
    double q[2] = {0, 0}, v[2] = {1, 0};
    TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, sim_run(sim, 0, 1, q, v, NULL, NULL, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "joint"), err.what);
    sim_free(sim);
    sim = NULL;
  }
  puts(err.what);
}

static void test_bad_arguments_are_refused(void) {
  SimOptions opt = sim_defaults;
  model = robot_parse(slider);
  opt.rel_tol = 0;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_build(&sim, model, NULL, &opt, &err));
  TEST_ASSERT_NULL(sim);
  opt = sim_defaults;
  opt.abs_tol = NAN;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_build(&sim, model, NULL, &opt, &err));
  opt = sim_defaults;
  opt.max_steps = 0;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_build(&sim, model, NULL, &opt, &err));

  TEST_ASSERT_EQUAL_INT(STATUS_OK, sim_build(&sim, model, NULL, NULL, &err));
  double q = 0, v = 0, bad = NAN;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_run(sim, 1, 1, &q, &v, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_run(sim, 1, 0, &q, &v, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_run(sim, 0, INFINITY, &q, &v, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_run(sim, 0, 1, &bad, &v, NULL, NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.what, "\"lift\""));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_constant_acceleration_is_exact);
  RUN_TEST(test_force_given_as_a_function_of_time_is_followed);
  RUN_TEST(test_pendulum_is_back_after_its_period);
  RUN_TEST(test_energy_of_passive_robots_is_conserved);
  RUN_TEST(test_loss_to_damping_is_what_the_energy_lost);
  RUN_TEST(test_cartpole_agrees_with_runge_kutta);
  RUN_TEST(test_all_formulations_and_methods_give_the_same_motion);
  RUN_TEST(test_output_comes_at_the_times_asked_for);
  RUN_TEST(test_motion_that_blows_up_is_an_error_with_time_and_joint);
  RUN_TEST(test_force_that_is_no_number_is_an_error);
  RUN_TEST(test_too_many_steps_is_an_error_not_a_hang);
  RUN_TEST(test_singular_mass_matrix_is_an_error_in_every_formulation);
  RUN_TEST(test_bad_arguments_are_refused);
  return UNITY_END();
}
