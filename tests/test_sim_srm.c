// SPDX-License-Identifier: MIT
// Sequential regularization as a motion: iterates approach the constrained one, eps by eps; flat positions
// are no obstacle; the same in the coordinates of rods.
#include "sim/sim_srm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/loop_eval.h"
#include "dynamics/loop_method.h"
#include "loop_support.h"
#include "model/mechanism_gen.h"
#include "parallelogram.h"
#include "sim/sim_rods.h"
#include "unity.h"

enum { MAX_NV = 16, MAX_STATE = 2 * MAX_NV * 4 };

static Model *model;
static SimSrm *sim;
static ExprTape *exact;

void setUp(void) {
}
void tearDown(void) {
  sim_srm_free(sim);
  model_free(model);
  expr_tape_free(exact);
  sim = NULL;
  model = NULL;
  exact = NULL;
}

static void open_sim(int iterations, double eps, double alpha2, double *state) {
  const SimSrmOptions opt = {iterations, eps, 1, alpha2};
  Error err = {0};
  sim_srm_free(sim);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, sim_srm_build(&sim, model, &opt, &err), err.what);
  TEST_ASSERT_LESS_OR_EQUAL_INT(MAX_STATE, sim->n_state);
  sim_srm_start(sim, model_start(model), NULL, state);
}

static bool exact_rates(void *data, double t, const double *x, double *dx) {
  (void)t;
  static const double tau[MAX_NV];
  double lambda[MAX_NV];
  int n = model->nv;
  const LaneIn in[] = {{x, 1, 0}, {x + n, 1, 0}, {tau, 1, 0}};
  const LaneOut out[] = {{dx + n, 1, 0}, {lambda, 1, 0}};
  memcpy(dx, x + n, (size_t)n * sizeof *dx);
  return expr_tape_eval(exact, 1, in, out, data);
}

// the constrained motion from the start, by TREE+AUG
static void move_exactly(int steps, double h, double *x) {
  DynFunction *f;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_function_build(&f, model, &loop_tree_aug, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&exact, &f->f, TAPE_FOR_EVALUATOR, &err));
  dyn_function_free(f);
  Arena *arena = arena_new();
  void *work = arena_alloc(arena, expr_tape_work_size(exact));
  double scratch[SIM_STEP_WORK(MAX_STATE)];
  memset(x, 0, 2 * (size_t)model->nv * sizeof *x);
  memcpy(x, model_start(model), (size_t)model->nv * sizeof *x);
  for (int k = 0; k < steps; k++) {
    TEST_ASSERT_TRUE(
        sim_step(sim_scheme_find("rk4"), 2 * model->nv, exact_rates, work, 0, h, x, scratch));
  }
  arena_free(arena);
}

static double apart(int n, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

// Every iterate is nearer to the constrained motion than the one before, and half the eps halves the
// distance of the first.
static void test_iterates_approach_the_constrained_motion(void) {
  model = mechanism_load("fourbar");
  const double h = 2e-4;
  const int steps = 1000;
  double x[2 * MAX_NV], state[MAX_STATE], first[2];
  move_exactly(steps, h, x);
  for (int half = 0; half < 2; half++) {
    open_sim(3, half ? 0.002 : 0.004, 20, state);
    TEST_ASSERT_TRUE(sim_srm_exact_start(sim, model_start(model), NULL));
    for (int k = 0; k < steps; k++) {
      TEST_ASSERT_TRUE(sim_srm_step(sim, sim_scheme_find("rk4"), h, state));
    }
    double d[3], drift[3];
    for (int s = 0; s < 3; s++) {
      d[s] = apart(model->nv, state + 2 * model->nv * s, x);
      sim_srm_violation(sim, state, s, &drift[s], NULL);
    }
    printf("fourbar, eps %g: apart %.2g %.2g %.2g rad, drift %.2g %.2g %.2g m\n", sim->opt.eps,
           d[0], d[1], d[2], drift[0], drift[1], drift[2]);
    TEST_ASSERT_LESS_THAN_DOUBLE(d[0] / 4, d[1]);
    TEST_ASSERT_LESS_THAN_DOUBLE(d[1] / 4, d[2]);
    TEST_ASSERT_LESS_THAN_DOUBLE(drift[0] / 4, drift[1]);
    first[half] = d[0];
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.3, 2, first[0] / first[1]);
}

// With the multipliers of the start known, the first moments are far less wrong.
static void test_an_exact_start_avoids_the_first_layer(void) {
  model = mechanism_load("fivebar");
  double state[MAX_STATE], rate[2];
  for (int exact_start = 0; exact_start < 2; exact_start++) {
    open_sim(1, 0.02, 10, state);
    if (exact_start) TEST_ASSERT_TRUE(sim_srm_exact_start(sim, model_start(model), NULL));
    for (int k = 0; k < 20; k++) {
      TEST_ASSERT_TRUE(sim_srm_step(sim, sim_scheme_find("rk4"), 2e-4, state));
    }
    sim_srm_violation(sim, state, 0, NULL, &rate[exact_start]);
  }
  printf("fivebar: rate of violation after 4 ms %.2g, with exact start %.2g\n", rate[0], rate[1]);
  TEST_ASSERT_LESS_THAN_DOUBLE(rate[0] / 20, rate[1]);
}

// two rows: the largest eigenvalue of J M^-1 J^T in closed form
static void test_the_stiffness_is_the_largest_eigenvalue(void) {
  model = mechanism_load("fourbar");
  double state[MAX_STATE], J[2 * 3], M[9], L[9];
  open_sim(1, 1, 0, state);
  LoopEval *e;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, loop_eval_build(&e, model, &err));
  TEST_ASSERT_TRUE(loop_eval(e, model_start(model), NULL, NULL, NULL, NULL, J));
  TEST_ASSERT_TRUE(loop_eval_mass(e, model_start(model), M));
  loop_eval_free(e);
  // M = L L^T, then K = (L^-1 J^T)^T (L^-1 J^T)
  memcpy(L, M, sizeof L);
  for (int j = 0; j < 3; j++) {
    for (int k = 0; k < j; k++) {
      for (int i = j; i < 3; i++) L[i + 3 * j] -= L[j + 3 * k] * L[i + 3 * k];
    }
    double p = sqrt(L[j + 3 * j]);
    for (int i = j; i < 3; i++) L[i + 3 * j] /= p;
  }
  double t[2][3], K[3] = {0, 0, 0};
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < 3; i++) {
      t[r][i] = J[r + 2 * i];
      for (int k = 0; k < i; k++) t[r][i] -= L[i + 3 * k] * t[r][k];
      t[r][i] /= L[i + 3 * i];
    }
  }
  for (int i = 0; i < 3; i++) {
    K[0] += t[0][i] * t[0][i];
    K[1] += t[0][i] * t[1][i];
    K[2] += t[1][i] * t[1][i];
  }
  double expected = 0.5 * (K[0] + K[2]) + sqrt(0.25 * (K[0] - K[2]) * (K[0] - K[2]) + K[1] * K[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6 * expected, expected, sim_srm_stiffness(sim, model_start(model)));
}

// The parallelogram falls through positions where its Jacobian has lost a rank. Up to the first of them
// it is where it should be; beyond, which way it leaves is a matter of small errors, and the regularization
// damps what it corrects; but it goes on, closed and without gaining energy.
static void test_a_parallelogram_passes_where_it_is_flat(void) {
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(
      STATUS_OK, model_parse(&model, parallelogram_text, "parallelogram", &err), err.what);
  double state[MAX_STATE], x[2] = {1, 0}, work[SIM_STEP_WORK(2)], worst = 0, drift = 0, energy[2];
  const double h = 1e-4, pi = 3.14159265358979;
  int passed = 0;
  open_sim(2, 0.001, 20, state);
  TEST_ASSERT_TRUE(sim_srm_exact_start(sim, model_start(model), NULL));
  DynFunction *f;
  ExprTape *tape;
  Arena *arena = arena_new();
  TEST_ASSERT_EQUAL_INT(STATUS_OK, dyn_energy_build(&f, model, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, &err));
  void *scratch = arena_alloc(arena, expr_tape_work_size(tape));
  const double *last = state + 2 * model->nv;
  const LaneIn in[] = {{last, 1, 0}, {last + model->nv, 1, 0}};
  const LaneOut out[] = {{&energy[0], 1, 0}, {&energy[1], 1, 0}};
  double first = NAN, gained = 0;
  for (int k = 0; k < 15000; k++) {
    double before = last[0], gap;
    TEST_ASSERT_TRUE(sim_srm_step(sim, sim_scheme_find("rk4"), h, state));
    TEST_ASSERT_TRUE(sim_step(sim_scheme_find("rk4"), 2, parallelogram_rates, NULL, 0, h, x, work));
    passed += floor(before / pi) != floor(last[0] / pi);
    if (passed == 0) worst = fmax(worst, fabs(last[0] - x[0]));
    sim_srm_violation(sim, state, 1, &gap, NULL);
    drift = fmax(drift, gap);
    TEST_ASSERT_TRUE(expr_tape_eval(tape, 1, in, out, scratch));
    if (k == 0) first = energy[0] + energy[1];
    gained = fmax(gained, energy[0] + energy[1] - first);
  }
  printf(
      "parallelogram: flat %d times, crank apart %.2g rad before, gap %.2g m, energy %.3g J, at most %.2g more, at the end %.3g\n",
      passed, worst, drift, first, gained, energy[0] + energy[1]);
  TEST_ASSERT_GREATER_THAN_INT(2, passed);
  TEST_ASSERT_LESS_THAN_DOUBLE(5e-3, worst);
  TEST_ASSERT_LESS_THAN_DOUBLE(5e-3, drift);
  TEST_ASSERT_LESS_THAN_DOUBLE(0.02 * first, gained);
  expr_tape_free(tape);
  dyn_function_free(f);
  arena_free(arena);
}

// ---- rods --------------------------------------------------------------------------------------

// One square in both coordinates: the same gap at the same time, but for the discretisation.
static void test_rods_move_as_joint_coordinates_do(void) {
  static const double joint[] = {0, 0, 0, -1, 1, 0, 1, -1};
  static const int rod[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const RodNet net = {2, 1, 4, joint, 4, rod, 1, 1, 9.81};
  const RodOptions opt = {false, 2, 0.02, 1, 10};
  const double h = 5e-4;
  SimRods *rods;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, sim_rods_build(&rods, &net, &opt, &err), err.what);
  TextBuf text = {0};
  mechanism_gen(&text, &(MechanismOptions){MECHANISM_SQUARES, 1, 2});
  TEST_ASSERT_EQUAL_INT(STATUS_OK, model_parse(&model, text.text, "squares", &err));
  textbuf_free(&text);
  double state[MAX_STATE], points[4 * 2 * 4 * 2];
  TEST_ASSERT_EQUAL_INT((int)(sizeof points / sizeof points[0]), rods->n_state);
  open_sim(2, 0.02, 10, state);
  sim_rods_start(rods, points);
  for (int k = 0; k < 600; k++) {
    TEST_ASSERT_TRUE(sim_srm_step(sim, sim_scheme_find("rk2"), h, state));
    TEST_ASSERT_TRUE(sim_rods_step(rods, sim_scheme_find("rk2"), h, points));
  }
  for (int s = 0; s < 2; s++) {
    sim_srm_violation(sim, state, s, NULL, NULL);
    double gap = hypot(sim->phi[0], sim->phi[1]);
    RodDrift d = sim_rods_drift(rods, points, s);
    printf("square, iterate %d: gap %.6g and %.6g m, rods longer by %.2g\n", s + 1, gap, d.loop,
           d.length);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3 * gap, gap, d.loop);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-12, d.joint);
  }
  sim_rods_free(rods);
}

static void test_rods_refuse_a_net_out_of_order(void) {
  static const double joint[] = {0, 0, 1, 0, 2, 0};
  static const int rod[2][2] = {{1, 2}, {0, 1}};
  const RodNet net = {2, 1, 3, joint, 2, rod, 1, 1, 9.81};
  const RodOptions opt = {false, 1, 0.02, 1, 10};
  SimRods *rods;
  Error err = {0};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, sim_rods_build(&rods, &net, &opt, &err));
  TEST_ASSERT_NULL(rods);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "rod 0 starts at a joint"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_iterates_approach_the_constrained_motion);
  RUN_TEST(test_an_exact_start_avoids_the_first_layer);
  RUN_TEST(test_the_stiffness_is_the_largest_eigenvalue);
  RUN_TEST(test_a_parallelogram_passes_where_it_is_flat);
  RUN_TEST(test_rods_move_as_joint_coordinates_do);
  RUN_TEST(test_rods_refuse_a_net_out_of_order);
  return UNITY_END();
}
