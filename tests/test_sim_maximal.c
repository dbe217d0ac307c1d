// SPDX-License-Identifier: MIT
// Motions in maximal coordinates: the same as in joint coordinates, on their constraints to rounding,
// with redundant constraints set aside, and through configurations where constraints are singular.
#include "sim/sim_maximal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/loop_method.h"
#include "loop_support.h"
#include "model/mechanism_gen.h"
#include "parallelogram.h"
#include "unity.h"

static Model *model;
static SimMaximal *sim;
static Arena *arena;

void setUp(void) {
  arena = arena_new();
}
void tearDown(void) {
  sim_maximal_free(sim);
  model_free(model);
  arena_free(arena);
  sim = NULL;
  model = NULL;
}

static double *doubles(int n) {
  double *x = arena_array(arena, (size_t)n + 1, sizeof *x);
  TEST_ASSERT_NOT_NULL(x);
  return x;
}

static double *open_sim(const SimMaximalOptions *opt) {
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, sim_maximal_build(&sim, model, opt, &err), err.what);
  double *state = doubles(sim->n_state), *zero = doubles(model->nv);
  const double *q = model_start(model) ? model_start(model) : zero;
  TEST_ASSERT_TRUE(sim_maximal_start(sim, q, zero, state));
  return state;
}

static void generate(MechanismKind kind, int size) {
  TextBuf text = {0};
  mechanism_gen(&text, &(MechanismOptions){kind, size, 2});
  Error err = {0};
  Status status = model_parse(&model, text.text, "made", &err);
  textbuf_free(&text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
}

// a motion in joint coordinates by TREE+AUG and rk4
typedef struct Joints {
  ExprTape *tape;
  void *work;
  double *tau, *lambda;
} Joints;

static bool joint_rates(void *data, double t, const double *x, double *dx) {
  (void)t;
  const Joints *j = data;
  int n = model->nv;
  const LaneIn in[] = {{x, 1, 0}, {x + n, 1, 0}, {j->tau, 1, 0}};
  const LaneOut out[] = {{dx + n, 1, 0}, {j->lambda, 1, 0}};
  memcpy(dx, x + n, (size_t)n * sizeof *dx);
  return expr_tape_eval(j->tape, 1, in, out, j->work);
}

static void move_joints(int steps, double h, double *x) {
  DynFunction *f;
  Joints j = {.tau = doubles(model->nv), .lambda = doubles(model_n_rows(model))};
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_function_build(&f, model, &loop_tree_aug, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&j.tape, &f->f, TAPE_FOR_EVALUATOR, &err));
  j.work = arena_alloc(arena, expr_tape_work_size(j.tape));
  const SimScheme *rk4 = sim_scheme_find("rk4");
  double *work = doubles(SIM_STEP_WORK(2 * model->nv));
  for (int k = 0; k < steps; k++) {
    TEST_ASSERT_TRUE(sim_step(rk4, 2 * model->nv, joint_rates, &j, 0, h, x, work));
  }
  expr_tape_free(j.tape);
  dyn_function_free(f);
}

// largest distance between the bodies' centres in two states
static double distance(const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < 3 * sim->x->n_body; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

static void compare_with_joints(const char *name, double until, double h) {
  model = mechanism_load(name);
  double *state = open_sim(NULL), *other = doubles(sim->n_state);
  double *x = doubles(2 * model->nv);
  if (model_start(model)) memcpy(x, model_start(model), (size_t)model->nv * sizeof *x);
  int steps = (int)lround(until / h);
  double start = 0, position = 0, rate = 0;
  sim_maximal_violation(sim, state, NULL, NULL);
  start = sim->energy[0] + sim->energy[1];
  for (int k = 0; k < steps; k++) {
    double p, r;
    TEST_ASSERT_TRUE_MESSAGE(sim_maximal_step(sim, sim_scheme_find("rk4"), h, state), name);
    sim_maximal_violation(sim, state, &p, &r);
    position = fmax(position, p);
    rate = fmax(rate, r);
  }
  double drift = sim->energy[0] + sim->energy[1] - start;
  move_joints(2 * steps, h / 2, x);
  TEST_ASSERT_TRUE(sim_maximal_start(sim, x, x + model->nv, other));
  double apart = distance(state, other);
  printf("%s: apart %.2g m, violation %.2g m, rate %.2g, energy %.2g J, corrections %.1f a step\n",
         name, apart, position, rate, drift, (double)sim->stats.corrections / steps);
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-12, position, name);
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-11, rate, name);
  TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-6, apart, name);
}

static void test_the_fourbar_moves_as_in_joint_coordinates(void) {
  compare_with_joints("fourbar", 2, 2e-3);
}

static void test_the_fivebar_moves_as_in_joint_coordinates(void) {
  compare_with_joints("fivebar", 2, 1e-3);
}

static void test_the_shoulder_moves_as_in_joint_coordinates(void) {
  compare_with_joints("shoulder", 1, 2e-3);
}

static void test_squares_move_as_in_joint_coordinates(void) {
  compare_with_joints("squares4", 0.5, 1e-3);
}

// All five rows of the pin although everything moves in a plane: three of them are redundant.
static void test_redundant_constraints_are_set_aside(void) {
  model = mechanism_load("fourbar");
  double *state = open_sim(NULL), *full = doubles(sim->n_state);
  const SimScheme *rk4 = sim_scheme_find("rk4");
  for (int k = 0; k < 200; k++) TEST_ASSERT_TRUE(sim_maximal_step(sim, rk4, 5e-3, state));
  TEST_ASSERT_EQUAL_INT(0, sim->stats.max_null_pivots);
  sim_maximal_free(sim);
  model->planar = false;
  model->loop[0].rows = model_loop_all_rows(LOOP_REVOLUTE);
  double *again = open_sim(NULL);
  memcpy(full, again, (size_t)sim->n_state * sizeof *full);
  for (int k = 0; k < 200; k++) TEST_ASSERT_TRUE(sim_maximal_step(sim, rk4, 5e-3, full));
  double position;
  sim_maximal_violation(sim, full, &position, NULL);
  printf("redundant pin: %d null pivots, apart %.2g m, violation %.2g m\n",
         sim->stats.max_null_pivots, distance(state, full), position);
  TEST_ASSERT_EQUAL_INT(3, sim->stats.null_pivots);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, distance(state, full));
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-12, position);
}

// A parallelogram is flat twice a turn, and its constraints then are singular. Its cranks move like
// one pendulum: (2 J + m l^2) theta'' = -(2 m l / 2 + m l) g cos theta.
static void test_a_parallelogram_passes_where_it_is_flat(void) {
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(
      STATUS_OK, model_parse(&model, parallelogram_text, "parallelogram", &err), err.what);
  double *state = open_sim(NULL);
  const double h = 1e-3;
  double x[2] = {1, 0}, work[SIM_STEP_WORK(2)], worst = 0, violation = 0;
  int passed = 0;
  for (int k = 0; k < 1500; k++) {
    double before = x[0], p;
    TEST_ASSERT_TRUE(sim_maximal_step(sim, sim_scheme_find("rk4"), h, state));
    TEST_ASSERT_TRUE(sim_step(sim_scheme_find("rk4"), 2, parallelogram_rates, NULL, 0, h, x, work));
    passed += floor(before / 3.14159265358979) != floor(x[0] / 3.14159265358979);
    // the coupler's centre: crank tip plus half the coupler, which stays level
    worst = fmax(worst, fabs(state[3] - (0.2 * cos(x[0]) + 0.25)));
    worst = fmax(worst, fabs(state[5] - 0.2 * sin(x[0])));
    sim_maximal_violation(sim, state, &p, NULL);
    violation = fmax(violation, p);
  }
  printf("parallelogram: flat %d times, apart %.2g m, violation %.2g m\n", passed, worst,
         violation);
  TEST_ASSERT_GREATER_THAN_INT(1, passed);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-6, worst);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-11, violation);
}

static int operations(int pieces) {
  generate(MECHANISM_RING, pieces);
  Maximal *x;
  DynFunction *f;
  ExprTape *tape;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, maximal_build(&x, model, MAX_SOFT_NONE, &err), err.what);
  TEST_ASSERT_EQUAL_INT(6 * pieces, 6 * x->n_body);
  TEST_ASSERT_EQUAL_INT(3 * pieces, x->n_row);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, maximal_solve_build(&f, x, NULL, true, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, &f->f, TAPE_FOR_COMPILER, &err));
  int total = tape->count.total;
  expr_tape_free(tape);
  dyn_function_free(f);
  maximal_free(x);
  model_free(model);
  model = NULL;
  return total;
}

static void test_operations_of_a_ring_grow_with_its_pieces(void) {
  int n[3];
  for (int k = 0; k < 3; k++) n[k] = operations(20 << k);
  printf("ring of 20, 40, 80 pieces: %d %d %d operations\n", n[0], n[1], n[2]);
  TEST_ASSERT_LESS_THAN_DOUBLE(1.1, log2((double)n[1] / n[0]));
  TEST_ASSERT_LESS_THAN_DOUBLE(1.1, log2((double)n[2] / n[1]));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_fourbar_moves_as_in_joint_coordinates);
  RUN_TEST(test_the_fivebar_moves_as_in_joint_coordinates);
  RUN_TEST(test_the_shoulder_moves_as_in_joint_coordinates);
  RUN_TEST(test_squares_move_as_in_joint_coordinates);
  RUN_TEST(test_redundant_constraints_are_set_aside);
  RUN_TEST(test_a_parallelogram_passes_where_it_is_flat);
  RUN_TEST(test_operations_of_a_ring_grow_with_its_pieces);
  return UNITY_END();
}
