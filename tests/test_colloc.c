// SPDX-License-Identifier: MIT
#include "collocation/colloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "nlp/nlp_check.h"
#include "unity.h"

static Ocp *ocp;
static Colloc *colloc;
static Trajectory *trajectory;
static double *x;
static Error err;

void setUp(void) {
  ocp = NULL;
  colloc = NULL;
  trajectory = NULL;
  x = NULL;
}
void tearDown(void) {
  colloc_free(colloc);
  trajectory_free(trajectory);
  ocp_free(ocp);
  free(x);
}

static void load(const char *path) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_load(&ocp, path, &err), err.what);
}

static const Nlp *transcribe(void) {
  colloc_free(colloc);
  colloc = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, colloc_build(&colloc, ocp, &err), err.what);
  return colloc_nlp(colloc);
}

static void test_the_paper_layout_has_the_sizes_of_the_benchmark(void) {
  static const struct {
    const DynForm *form;
    int n, m, jac, hess;
  } sizes[] = {
      {&dyn_implicit, 8812, 8427, 72435, 39206}, {&dyn_semi, 8812, 8427, 72435, 39206},
      {&dyn_exp1_ode, 6412, 6027, 62519, 35286}, {&dyn_exp2_ode, 6412, 6027, 62519, 35286},
      {&dyn_exp1_dae, 8812, 8427, 69635, 35206}, {&dyn_exp2_dae, 8812, 8427, 69635, 35206}};
  load("tasks/reach_smooth.json");
  ocp->layout = OCP_PAPER;
  for (int smooth = 0; smooth < 2; smooth++) {
    ocp->cost.torque_rate = smooth ? 1e5 : 0.0;
    for (int i = 0; i < 6; i++) {
      ocp->form = sizes[i].form;
      const Nlp *nlp = transcribe();
      TEST_ASSERT_EQUAL_INT_MESSAGE(sizes[i].n, nlp->n, ocp->form->name);
      TEST_ASSERT_EQUAL_INT_MESSAGE(sizes[i].m, nlp->m, ocp->form->name);
      TEST_ASSERT_EQUAL_INT_MESSAGE(sizes[i].jac, nlp->jac_nnz, ocp->form->name);
      TEST_ASSERT_EQUAL_INT_MESSAGE(sizes[i].hess - (smooth ? 0 : 396), nlp->hess_nnz,
                                    ocp->form->name);
    }
  }
}

// derivatives of the problem as it stands, at a random point
static void check_derivatives(const char *what) {
  const Nlp *nlp = transcribe();
  Rng rng;
  rng_seed(&rng, 7);
  free(x);
  x = malloc((size_t)nlp->n * sizeof *x);
  for (int i = 0; i < nlp->n; i++) x[i] = rng_uniform(&rng, -0.8, 0.8);
  if (ocp->free_time) x[nlp->n - 1] = 1.7;
  NlpCheckReport report;
  const NlpCheckOptions options = {.step = 1e-3, .tolerance = 1e-6};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, nlp_check(nlp, x, NULL, &options, &report, &err));
  char text[256];
  snprintf(text, sizeof text, "%s %s: %d wrong, worst %s", what, ocp->form->name, report.wrong,
           report.n_worst ? report.worst[0].name : "none");
  TEST_ASSERT_TRUE_MESSAGE(report.ok, text);
}

static void check_all_schemes(const char *what) {
  static const struct {
    OcpScheme kind;
    int degree;
  } schemes[] = {{OCP_RADAU, 3}, {OCP_GAUSS, 2}, {OCP_TRAPEZOIDAL, 2}, {OCP_HERMITE_SIMPSON, 3}};
  for (int s = 0; s < 4; s++) {
    ocp->scheme = schemes[s].kind;
    ocp->degree = schemes[s].degree;
    for (int layout = 0; layout < 2; layout++) {
      ocp->layout = layout ? OCP_PAPER : OCP_CONDENSED;
      for (int f = 0; dyn_forms[f]; f++) {
        ocp->form = dyn_forms[f];
        check_derivatives(what);
      }
    }
  }
}

static void test_derivatives_are_exact_in_every_form_layout_and_scheme(void) {
  load("tasks/cartpole_swingup.json");
  ocp->n_interval = 3;
  ocp->cost.torque_rate = 0.3;
  ocp->cost.velocity = 0.2;
  ocp->limits.u_rate[0] = 5.0;
  check_all_schemes("fixed time");
}

static void test_derivatives_are_exact_with_free_final_time(void) {
  load("tasks/cartpole_min_time.json");
  ocp->n_interval = 3;
  ocp->cost.torque_rate = 0.3;
  ocp->cost.torque = 0.7;
  ocp->cost.velocity = 0.2;
  TEST_ASSERT_TRUE(ocp->free_time);
  check_all_schemes("free time");
}

// three intervals of different lengths; constant controls shared by the last two
static double uneven_node[] = {0.0, 0.5, 0.6, 1.0};
static int uneven_piece[] = {0, 1, 1};

static void test_derivatives_are_exact_on_uneven_grids(void) {
  load("tasks/cartpole_swingup.json");
  ocp->n_interval = 3;
  ocp->node = uneven_node;
  ocp->cost.torque_rate = 0.3;
  ocp->cost.velocity = 0.2;
  ocp->limits.u_rate[0] = 5.0;
  check_all_schemes("uneven");
  ocp->piece = uneven_piece;
  check_all_schemes("uneven with a piece");
}

static void test_derivatives_are_exact_on_uneven_grids_with_free_final_time(void) {
  load("tasks/cartpole_min_time.json");
  ocp->n_interval = 3;
  ocp->node = uneven_node;
  ocp->piece = uneven_piece;
  ocp->cost.torque_rate = 0.3;
  ocp->cost.torque = 0.7;
  ocp->cost.velocity = 0.2;
  ocp->limits.u_rate[0] = 5.0;
  check_all_schemes("uneven, free time");
}

// The same motion and torques on a grid whose second interval is split, with its torque kept: rows and
// costs that do not see the split are the same.
static void test_a_split_interval_costs_the_same_torque_and_torque_rate(void) {
  static double split[] = {0.0, 1.0 / 3, 0.5, 2.0 / 3, 1.0};
  static int piece[] = {0, 1, 1, 2};
  load("tasks/cartpole_swingup.json");
  ocp->scheme = OCP_RADAU;
  ocp->degree = 3;
  ocp->cost.torque_rate = 0.3;
  double cost[2];
  for (int fine = 0; fine < 2; fine++) {
    ocp->n_interval = fine ? 4 : 3;
    ocp->node = fine ? split : NULL;
    ocp->piece = fine ? piece : NULL;
    const Nlp *nlp = transcribe();
    trajectory_free(trajectory);
    TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_build(&trajectory, ocp, &err));
    for (int k = 0; k < ocp->n_interval; k++) trajectory->u[k] = 1.5 + (fine ? piece[k] : k);
    trajectory->u[0] = -2.0;
    colloc_start(colloc, trajectory);
    TEST_ASSERT_TRUE(nlp->objective(nlp->data, nlp->x_start, true, &cost[fine]));
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * fabs(cost[0]), cost[0], cost[1]);
}

static void test_a_limited_torque_rate_holds_at_every_horizon(void) {
  load("tasks/cartpole_min_time.json");
  ocp->n_interval = 4;
  ocp->limits.u_rate[0] = 5.0;
  const Nlp *nlp = transcribe();
  x = calloc((size_t)nlp->n, sizeof *x);
  double *g = malloc((size_t)nlp->m * sizeof *g);
  int row = nlp->m - 1;  // the last rows are the rates
  for (int i = 0; i < 2; i++) {
    double T = i ? 1.0 : 3.0, h = T / 4;
    for (int k = 0; k <= 4; k++) {
      TEST_ASSERT_EQUAL_INT(STATUS_OK,
                            i || k ? STATUS_OK : trajectory_build(&trajectory, ocp, &err));
      trajectory->time[k] = k * h;
    }
    int c = trajectory->n_control;
    double gap = trajectory_control_time(trajectory, c - 1) -
                 trajectory_control_time(trajectory, c - 2);
    memset(trajectory->u, 0, (size_t)c * sizeof(double));
    trajectory->u[c - 1] = 5.0 * gap;
    colloc_start(colloc, trajectory);
    TEST_ASSERT_TRUE(nlp->constraints(nlp->data, nlp->x_start, true, g));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, nlp->g_upper[row], g[row]);
  }
  free(g);
}

static void test_derivatives_are_exact_with_goal_and_obstacles(void) {
  load("tasks/reach_around.json");
  ocp->n_interval = 2;
  ocp->degree = 2;
  for (int layout = 0; layout < 2; layout++) {
    ocp->layout = layout ? OCP_PAPER : OCP_CONDENSED;
    for (int f = 0; dyn_forms[f]; f++) {
      ocp->form = dyn_forms[f];
      check_derivatives("arm");
    }
  }
}

static void test_a_trajectory_survives_the_way_into_the_variables_and_back(void) {
  load("tasks/reach_smooth.json");
  for (int layout = 0; layout < 2; layout++) {
    ocp->layout = layout ? OCP_PAPER : OCP_CONDENSED;
    const Nlp *nlp = transcribe();
    trajectory_free(trajectory);
    TEST_ASSERT_EQUAL_INT(STATUS_OK, guess_build(&trajectory, ocp, &err));
    colloc_start(colloc, trajectory);
    Trajectory *back;
    TEST_ASSERT_EQUAL_INT(STATUS_OK, trajectory_build(&back, ocp, &err));
    colloc_extract(colloc, nlp->x_start, back);
    double worst = 0.0;
    for (int i = 0; i < 6 * 101; i++) worst = fmax(worst, fabs(back->q[i] - trajectory->q[i]));
    for (int i = 0; i < 4 * 100; i++) worst = fmax(worst, fabs(back->u[i] - trajectory->u[i]));
    for (int i = 0; i < 6 * 400; i++) worst = fmax(worst, fabs(back->pq[i] - trajectory->pq[i]));
    trajectory_free(back);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, worst);
  }
}

static void test_every_variable_and_row_has_a_name(void) {
  load("tasks/reach_around.json");
  const Nlp *nlp = transcribe();
  char name[160];
  for (int i = 0; i < nlp->n; i++) {
    nlp->name_variable(nlp->data, i, name, sizeof name);
    TEST_ASSERT_TRUE(strlen(name) > 5);
  }
  for (int i = 0; i < nlp->m; i++) {
    nlp->name_constraint(nlp->data, i, name, sizeof name);
    TEST_ASSERT_TRUE(strlen(name) > 5);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_paper_layout_has_the_sizes_of_the_benchmark);
  RUN_TEST(test_derivatives_are_exact_in_every_form_layout_and_scheme);
  RUN_TEST(test_derivatives_are_exact_with_free_final_time);
  RUN_TEST(test_derivatives_are_exact_on_uneven_grids);
  RUN_TEST(test_derivatives_are_exact_on_uneven_grids_with_free_final_time);
  RUN_TEST(test_a_split_interval_costs_the_same_torque_and_torque_rate);
  RUN_TEST(test_a_limited_torque_rate_holds_at_every_horizon);
  RUN_TEST(test_derivatives_are_exact_with_goal_and_obstacles);
  RUN_TEST(test_a_trajectory_survives_the_way_into_the_variables_and_back);
  RUN_TEST(test_every_variable_and_row_has_a_name);
  return UNITY_END();
}
