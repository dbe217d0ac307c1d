// SPDX-License-Identifier: MIT
// The linear solver "stage" inside IPOPT: the same optima as with MUMPS, the way back to MUMPS, the
// systems on disk.
#include "solver/kkt_hsl.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc_support.h"
#include "collocation/colloc.h"
#include "nlp_support.h"
#include "solver/solver.h"
#include "unity.h"

static Ocp *ocp;
static Colloc *colloc;
static Trajectory *guess;
static SolveInfo info;
static double *x;
static Arena *arena;
static Error err;
static char folder[64];

void setUp(void) {
  ocp = NULL;
  colloc = NULL;
  guess = NULL;
  x = NULL;
  info = (SolveInfo){0};
  arena = arena_new();
  folder[0] = 0;
}

// removes folder/001/* and the like
static void remove_dump(void) {
  char path[700];
  for (int i = 1; folder[0] && i < 10; i++) {
    snprintf(path, sizeof path, "%s/%03d", folder, i);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
      char file[1400];
      snprintf(file, sizeof file, "%s/%s", path, e->d_name);
      if (e->d_name[0] != '.') remove(file);
    }
    if (dir) closedir(dir);
    rmdir(path);
  }
  if (folder[0]) rmdir(folder);
}

void tearDown(void) {
  alloc_fail_from(0);
  colloc_free(colloc);
  trajectory_free(guess);
  ocp_free(ocp);
  solver_info_free(&info);
  free(x);
  arena_free(arena);
  remove_dump();
}

static void load(const char *path, int intervals) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, ocp_load(&ocp, path, &err), err.what);
  ocp->n_interval = intervals;
}

static const Nlp *transcribe(void) {
  colloc_free(colloc);
  trajectory_free(guess);
  colloc = NULL;
  guess = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, colloc_build(&colloc, ocp, &err), err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, guess_build(&guess, ocp, &err), err.what);
  colloc_start(colloc, guess);
  return colloc_nlp(colloc);
}

static Status solve(const Nlp *nlp, const char *linear_solver, SolveOptions opt) {
  SolveOption list[4];
  int n = 0;
  for (; n < opt.n_option; n++) list[n] = opt.option[n];
  if (linear_solver) list[n++] = (SolveOption){"linear_solver", linear_solver, NULL};
  opt.option = list;
  opt.n_option = n;
  free(x);
  x = malloc((size_t)nlp->n * sizeof *x);
  TEST_ASSERT_NOT_NULL(x);
  memcpy(x, nlp->x_start, (size_t)nlp->n * sizeof *x);
  solver_info_free(&info);
  return solver_solve(nlp, &opt, x, NULL, NULL, NULL, &info, &err);
}

// solves with both; the same optimum, and "stage" was really used
static void both(const char *name) {
  const Nlp *nlp = transcribe();
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, solve(nlp, "mumps", (SolveOptions){0}), err.what);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, info.stage.factorisations, name);
  double expected = info.objective;
  int iterations = info.iterations;
  TEST_ASSERT_TRUE_MESSAGE(solve_status_solved(info.status), name);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, solve(nlp, NULL, (SolveOptions){0}), err.what);
  TEST_ASSERT_EQUAL_STRING_MESSAGE("", info.note, name);
  TEST_ASSERT_EQUAL_STRING_MESSAGE("stage", info.linear_solver, name);
  TEST_ASSERT_TRUE_MESSAGE(solve_status_solved(info.status), name);
  TEST_ASSERT_TRUE(info.stage.factorisations > info.iterations);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6 * fabs(expected), expected, info.objective, name);
  printf("  %s: %d iterations with mumps, %d with stage, %d factorisations, %ld delayed\n", name,
         iterations, info.iterations, info.stage.factorisations, info.stage.delayed);
}

static void test_every_scheme_and_layout_has_the_optimum_of_mumps(void) {
  load("tasks/cartpole_swingup.json", 20);
  for (int scheme = 0; scheme < N_OCP_SCHEMES; scheme++) {
    for (int layout = 0; layout < N_OCP_LAYOUTS; layout++) {
      ocp->scheme = (OcpScheme)scheme;
      ocp->layout = (OcpLayout)layout;
      ocp->degree = scheme == OCP_TRAPEZOIDAL ? 2 : 3;
      char name[80];
      snprintf(name, sizeof name, "%s, %s", ocp_scheme_names[scheme], ocp_layout_names[layout]);
      both(name);
    }
  }
}

// without a goal: one constant force can't reach any
static void test_one_interval_and_many_points(void) {
  load("tasks/cartpole_swingup.json", 1);
  ocp->degree = 9;
  for (int i = 0; i < ocp->model->nv; i++) ocp->goal.joint_fixed[i] = false;
  ocp->goal.at_rest = ocp->goal.equilibrium = false;
  ocp->T = 0.5;
  ocp->q_start[1] = 0.3;
  ocp->cost.velocity = 100;
  for (int layout = 0; layout < N_OCP_LAYOUTS; layout++) {
    ocp->layout = (OcpLayout)layout;
    both(ocp_layout_names[layout]);
  }
}

static void test_every_formulation_has_the_optimum_of_mumps(void) {
  load("tasks/reach_smooth.json", 10);
  ocp->guess.kind = OCP_GUESS_ZERO;
  for (int layout = 0; layout < N_OCP_LAYOUTS; layout++) {
    ocp->layout = (OcpLayout)layout;
    for (int f = 0; dyn_forms[f]; f++) {
      ocp->form = dyn_forms[f];
      both(ocp->form->name);
    }
  }
}

static void test_a_free_final_time_is_a_border(void) {
  load("tasks/cartpole_min_time.json", 30);
  for (int layout = 0; layout < N_OCP_LAYOUTS; layout++) {
    ocp->layout = (OcpLayout)layout;
    both(ocp_layout_names[layout]);
  }
}

static void test_obstacles_and_rate_limits_are_inequalities(void) {
  load("tasks/reach_around.json", 12);
  ocp->cost.torque_rate = 1e3;
  for (int i = 0; i < ocp->model->nu; i++) ocp->limits.u_rate[i] = 2000;
  for (int layout = 0; layout < N_OCP_LAYOUTS; layout++) {
    ocp->layout = (OcpLayout)layout;
    both(ocp_layout_names[layout]);
  }
}

static void test_threads_give_the_same_bits(void) {
  load("tasks/reach_smooth.json", 10);
  const Nlp *nlp = transcribe();
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(nlp, "stage", (SolveOptions){.threads = 1}));
  double *alone = x;
  x = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(nlp, "stage", (SolveOptions){.threads = 2}));
  bool same = memcmp(alone, x, (size_t)nlp->n * sizeof *x) == 0;
  free(alone);
  TEST_ASSERT_TRUE(same);
}

// ---- the way back to MUMPS ----------------------------------------------------------------------

static void expect_mumps(const char *why) {
  TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, info.status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(info.note, "mumps instead of stage"), info.note);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(info.note, why), info.note);
  TEST_ASSERT_NOT_NULL(strstr(info.linear_solver, "mumps"));
  TEST_ASSERT_EQUAL_INT(0, info.stage.factorisations);
  TEST_ASSERT_EQUAL_INT(0, info.history[0].iteration);  // nothing of the first attempt is left
  TEST_ASSERT_TRUE(info.n_history > info.iterations);
}

static void test_a_program_without_stages_is_solved_by_mumps_with_a_note(void) {
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(&hs071, NULL, (SolveOptions){0}));
  TEST_ASSERT_EQUAL_STRING("", info.note);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(&hs071, "stage", (SolveOptions){0}));
  expect_mumps("no stage map");
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, hs071_objective, info.objective);
}

static void test_a_wrong_stage_map_is_found_and_mumps_takes_over(void) {
  load("tasks/cartpole_swingup.json", 12);
  Nlp nlp = *transcribe();
  int *stage = malloc((size_t)nlp.n * sizeof *stage);
  TEST_ASSERT_NOT_NULL(stage);
  memcpy(stage, nlp.x_stage, (size_t)nlp.n * sizeof *stage);
  for (int i = 0; i < nlp.n; i++) {
    if (stage[i] == 3 && nlp.x_kind[i] == NLP_INTERIOR_UNKNOWN) stage[i] = 9;
  }
  nlp.x_stage = stage;
  Status status = solve(&nlp, NULL, (SolveOptions){0});
  free(stage);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  expect_mumps("");
}

// IPOPT then keeps a fixed variable and adds an equation for it: another matrix than the map says
static void test_a_matrix_of_another_size_is_for_mumps(void) {
  load("tasks/cartpole_swingup.json", 12);
  Nlp *nlp = colloc_nlp((transcribe(), colloc));
  nlp->x_lower[0] = nlp->x_upper[0] = nlp->x_start[0];
  const SolveOption keep = {"fixed_variable_treatment", "make_constraint", NULL};
  const SolveOptions opt = {.option = &keep, .n_option = 1};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, solve(nlp, NULL, opt), err.what);
  expect_mumps("rows");
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(nlp, NULL, (SolveOptions){0}));
  TEST_ASSERT_EQUAL_STRING("", info.note);
}

static void test_a_wrong_option_is_an_error_with_stages_too(void) {
  load("tasks/cartpole_swingup.json", 5);
  const Nlp *nlp = transcribe();
  const SolveOption wrong = {"max_itr", "5", "here"};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT,
                        solve(nlp, NULL, (SolveOptions){.option = &wrong, .n_option = 1}));
  TEST_ASSERT_EQUAL_STRING("here", err.where);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "max_iter"));
}

static void test_ma97_itself_is_not_ours(void) {
  load("tasks/cartpole_swingup.json", 5);
  const Nlp *nlp = transcribe();
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(nlp, "stage", (SolveOptions){0}));
  Status status = solve(nlp, "ma97", (SolveOptions){0});  // somebody may have HSL's
  if (status == STATUS_OK) TEST_ASSERT_TRUE(strcmp(info.linear_solver, "stage") != 0);
  else TEST_ASSERT_EQUAL_INT(STATUS_INPUT, status);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(nlp, "stage", (SolveOptions){0}));
  TEST_ASSERT_EQUAL_STRING("stage", info.linear_solver);
}

static void test_every_allocation_of_ours_may_fail(void) {
  load("tasks/cartpole_swingup.json", 5);
  const Nlp *nlp = transcribe();
  const SolveOption few = {"max_iter", "3", NULL};
  solver_info_free(&info);
  free(x);
  x = malloc((size_t)nlp->n * sizeof *x);
  TEST_ASSERT_NOT_NULL(x);
  const SolveOptions opt = {.option = &few, .n_option = 1};
  bool reached = true;
  for (long n = 1; reached; n++) {
    memcpy(x, nlp->x_start, (size_t)nlp->n * sizeof *x);
    long before = alloc_live();
    alloc_fail_only(n);
    Status status = solver_solve(nlp, &opt, x, NULL, NULL, NULL, &info, &err);
    reached = alloc_count() >= n;
    alloc_fail_from(0);
    if (status == STATUS_OK) TEST_ASSERT_EQUAL_INT(SOLVE_MAX_ITERATIONS, info.status);
    else TEST_ASSERT_EQUAL_INT(STATUS_NO_MEMORY, status);
    if (status == STATUS_OK) TEST_ASSERT_EQUAL_STRING("", info.note);
    solver_info_free(&info);
    TEST_ASSERT_TRUE(alloc_live() == before);
  }
}

// ---- systems on disk ----------------------------------------------------------------------------

static void make_folder(void) {
  snprintf(folder, sizeof folder, "/tmp/poise-kkt-XXXXXX");
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
}

// |b - A x| / (|A| |x| + |b|)
static double residual(const KktMatrix *m, const double *v, const double *b) {
  double *r = arena_array(arena, (size_t)m->n + 1, sizeof *r), norm = 0, most = 0, worst = 0;
  TEST_ASSERT_NOT_NULL(r);
  memcpy(r, b, (size_t)m->n * sizeof *r);
  for (int j = 0; j < m->n; j++) {
    for (int e = m->ptr[j]; e < m->ptr[j + 1]; e++) {
      r[m->row[e]] -= m->values[e] * v[j];
      if (m->row[e] != j) r[j] -= m->values[e] * v[m->row[e]];
      norm = fmax(norm, fabs(m->values[e]));
    }
  }
  for (int i = 0; i < m->n; i++) worst = fmax(worst, fabs(r[i])), most = fmax(most, fabs(v[i]));
  return worst / (norm * most + 1e-300);
}

static const char *in_dump(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/001/%s", folder, name);
  return path;
}

static void test_systems_on_disk_can_be_solved_again(void) {
  load("tasks/cartpole_swingup.json", 10);
  const Nlp *nlp = transcribe();
  make_folder();
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, solve(nlp, NULL, (SolveOptions){.dump_kkt = folder}),
                                err.what);
  KktMap map, expected;
  TEST_ASSERT_EQUAL_INT_MESSAGE(
      STATUS_OK, kkt_dump_read_map(&map, in_dump("map.json"), arena, &err), err.what);
  TEST_ASSERT_TRUE(kkt_map_build(&expected, nlp, arena));
  TEST_ASSERT_EQUAL_INT(expected.dim, map.dim);
  TEST_ASSERT_EQUAL_INT(expected.n_stage, map.n_stage);
  TEST_ASSERT_EQUAL_INT_ARRAY(expected.stage, map.stage, map.dim);
  TEST_ASSERT_EQUAL_INT(0, memcmp(expected.role, map.role, (size_t)map.dim));
  for (int i = 1; i <= info.stage.factorisations; i++) {
    char name[40];
    KktMatrix m;
    snprintf(name, sizeof name, "%04d.mtx", i);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, kkt_dump_read_matrix(&m, in_dump(name), arena, &err),
                                  err.what);
    TEST_ASSERT_EQUAL_INT(map.dim, m.n);
    Kkt *k;
    KktInfo again;
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, kkt_build(&k, &map, m.ptr, m.row, &err), err.what);
    TEST_ASSERT_TRUE(kkt_factor(k, m.values, m.u, &again));
    TEST_ASSERT_EQUAL_INT(m.n_negative, again.n_negative);
    TEST_ASSERT_EQUAL_INT(m.n_zero, again.n_zero);
    double *b = NULL, *v = NULL;
    snprintf(name, sizeof name, "%04d_rhs_01.mtx", i);
    if (access(in_dump(name), R_OK) == 0) {  // not where the inertia was wrong
      TEST_ASSERT_EQUAL_INT(STATUS_OK, kkt_dump_read_vector(&b, m.n, in_dump(name), arena, &err));
      snprintf(name, sizeof name, "%04d_sol_01.mtx", i);
      TEST_ASSERT_EQUAL_INT(STATUS_OK, kkt_dump_read_vector(&v, m.n, in_dump(name), arena, &err));
      TEST_ASSERT_TRUE(residual(&m, v, b) < 1e-9);
      kkt_solve(k, 1, b, m.n);
      TEST_ASSERT_EQUAL_INT(0, memcmp(b, v, (size_t)m.n * sizeof *b));  // to the last bit
    }
    kkt_free(k);
  }
}

static void test_a_second_solve_gets_a_folder_of_its_own(void) {
  load("tasks/cartpole_swingup.json", 3);
  const Nlp *nlp = transcribe();
  make_folder();
  for (int i = 1; i <= 2; i++) {
    char path[100];
    TEST_ASSERT_EQUAL_INT(STATUS_OK, solve(nlp, NULL, (SolveOptions){.dump_kkt = folder}));
    snprintf(path, sizeof path, "%s/%03d/map.json", folder, i);
    TEST_ASSERT_EQUAL_INT(0, access(path, R_OK));
  }
}

static void test_systems_that_cannot_be_written_are_an_error(void) {
  load("tasks/cartpole_swingup.json", 3);
  const Nlp *nlp = transcribe();
  TEST_ASSERT_EQUAL_INT(STATUS_IO,
                        solve(nlp, NULL, (SolveOptions){.dump_kkt = "no/such/folder/kkt"}));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, "no/such/folder"), err.where);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve(nlp, "mumps", (SolveOptions){.dump_kkt = "kkt"}));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "stage"), err.what);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve(&hs071, "stage", (SolveOptions){.dump_kkt = "kkt"}));
}

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  TEST_ASSERT_NOT_NULL(f);
  fputs(text, f);
  fclose(f);
}

static void test_damaged_files_are_refused_with_their_line(void) {
#define BANNER "%%MatrixMarket matrix coordinate real symmetric\n"
  static const char *const bad[] = {
      "",
      "hello\n",
      "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n",
      BANNER,
      BANNER "2 3 1\n1 1 1\n",
      BANNER "2 2 2\n1 1 1\n",
      BANNER "2 2 1\n1 2 1\n",
      BANNER "2 2 1\n3 1 1\n",
      BANNER "2 2 2\n2 2 1\n1 1 1\n",
      BANNER "2 2 1\n1 1 x\n",
      BANNER "2 2 -1\n",
  };
  make_folder();
  char path[100];
  snprintf(path, sizeof path, "%s/bad.mtx", folder);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    KktMatrix m;
    write_text(path, bad[i]);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, kkt_dump_read_matrix(&m, path, arena, &err),
                                  bad[i]);
    TEST_ASSERT_NOT_NULL(strstr(err.where, "bad.mtx"));
  }
  KktMatrix m;
  write_text(path, BANNER "% a comment\n%negative 1\n2 2 3\n1 1 1.5\n2 1 -2e0\n2 2 0\n");
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, kkt_dump_read_matrix(&m, path, arena, &err), err.what);
  TEST_ASSERT_EQUAL_INT(1, m.n_negative);
  TEST_ASSERT_EQUAL_INT(3, m.ptr[2]);
  TEST_ASSERT_EQUAL_INT(2, m.ptr[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0, -2, m.values[1]);
  remove(path);
#undef BANNER
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_scheme_and_layout_has_the_optimum_of_mumps);
  RUN_TEST(test_one_interval_and_many_points);
  RUN_TEST(test_every_formulation_has_the_optimum_of_mumps);
  RUN_TEST(test_a_free_final_time_is_a_border);
  RUN_TEST(test_obstacles_and_rate_limits_are_inequalities);
  RUN_TEST(test_threads_give_the_same_bits);
  RUN_TEST(test_a_program_without_stages_is_solved_by_mumps_with_a_note);
  RUN_TEST(test_a_wrong_stage_map_is_found_and_mumps_takes_over);
  RUN_TEST(test_a_matrix_of_another_size_is_for_mumps);
  RUN_TEST(test_a_wrong_option_is_an_error_with_stages_too);
  RUN_TEST(test_ma97_itself_is_not_ours);
  RUN_TEST(test_every_allocation_of_ours_may_fail);
  RUN_TEST(test_systems_on_disk_can_be_solved_again);
  RUN_TEST(test_a_second_solve_gets_a_folder_of_its_own);
  RUN_TEST(test_systems_that_cannot_be_written_are_an_error);
  RUN_TEST(test_damaged_files_are_refused_with_their_line);
  return UNITY_END();
}
