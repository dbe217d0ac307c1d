// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc_support.h"
#include "base/textbuf.h"
#include "nlp_support.h"
#include "solver/solver.h"
#include "unity.h"

static Error err;
static SolveInfo info;
static double x[2 * PAIRS];
static char opt_path[256];  // an option file of the running test

void setUp(void) {
  err = (Error){0};
  info = (SolveInfo){0};
}

void tearDown(void) {
  alloc_fail_from(0);
  solver_info_free(&info);
  if (opt_path[0]) remove(opt_path);
  opt_path[0] = 0;
}

static Status solve_with(const Nlp *nlp, const SolveOptions *opt) {
  solver_info_free(&info);
  memcpy(x, nlp->x_start, (size_t)nlp->n * sizeof *x);
  return solver_solve(nlp, opt, x, NULL, NULL, NULL, &info, &err);
}

static void expect(const Nlp *nlp, const SolveOptions *opt, SolveStatus status) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, solve_with(nlp, opt), err.what);
  TEST_ASSERT_EQUAL_STRING(solve_status_name(status), solve_status_name(info.status));
}

// a single option
static SolveOption one_option;
static SolveOptions with(const char *name, const char *value) {
  one_option = (SolveOption){name, value, "--set"};
  return (SolveOptions){.option = &one_option, .n_option = 1};
}

// a name for mkstemp or mkdtemp
static void temp_name(char out[256]) {
  const char *folder = getenv("TMPDIR");
  snprintf(out, 256, "%s/poise-test-XXXXXX", folder ? folder : P_tmpdir);
}

static const char *write_file(const char *text) {
  temp_name(opt_path);
  int fd = mkstemp(opt_path);
  TEST_ASSERT_TRUE(fd >= 0);
  TEST_ASSERT_TRUE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  return opt_path;
}

static void collect(void *data, const char *text, size_t len) {
  textbuf_addf(data, "%.*s", (int)len, text);
}

// ---- known solutions ----------------------------------------------------------------------------

static void test_hs071_is_solved(void) {
  expect(&hs071, &(SolveOptions){0}, SOLVE_SUCCEEDED);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-6, hs071_x, x, 4);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, hs071_objective, info.objective);
  TEST_ASSERT_TRUE(info.constraint_violation < 1e-6);
  TEST_ASSERT_TRUE(info.bound_violation < 1e-7);
  TEST_ASSERT_TRUE(info.dual_infeasibility < 1e-6);
  TEST_ASSERT_TRUE(info.complementarity < 1e-6);
  TEST_ASSERT_EQUAL_INT(0, info.bad.count);
  TEST_ASSERT_FALSE(info.interrupted);
}

static void test_rosenbrock_is_solved_with_and_without_its_hessian(void) {
  expect(&rosenbrock, &(SolveOptions){0}, SOLVE_SUCCEEDED);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-6, ((double[]){1, 1}), x, 2);
  TEST_ASSERT_TRUE(info.count[SOLVE_HESSIAN] > 0);
  Nlp nlp = rosenbrock;
  nlp.hessian = NULL;
  expect(&nlp, &(SolveOptions){0}, SOLVE_SUCCEEDED);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-4, ((double[]){1, 1}), x, 2);
  TEST_ASSERT_EQUAL_INT(0, info.count[SOLVE_HESSIAN]);
}

static void test_an_equality_qp_takes_one_step_and_gives_its_multipliers(void) {
  double lambda[PAIRS], z_lower[2 * PAIRS], z_upper[2 * PAIRS];
  memcpy(x, pairs.x_start, sizeof x);
  memset(lambda, 0, sizeof lambda);
  memset(z_lower, 0, sizeof z_lower);
  memset(z_upper, 0, sizeof z_upper);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solver_solve(&pairs, &(SolveOptions){0}, x, lambda, z_lower,
                                                z_upper, &info, &err));
  TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, info.status);
  TEST_ASSERT_EQUAL_INT(1, info.iterations);
  for (int k = 0; k < PAIRS; k++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, x[2 * k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1, x[2 * k + 1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2 * k, lambda[k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, z_lower[k]);
  }
}

static void test_a_fixed_variable_is_left_out_of_the_residuals(void) {
  Nlp nlp = hs071;
  double lower[4] = {1.2, 1, 1, 1}, upper[4] = {1.2, 5, 5, 5};
  nlp.x_lower = lower;
  nlp.x_upper = upper;
  expect(&nlp, &(SolveOptions){0}, SOLVE_SUCCEEDED);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.2, x[0]);
  TEST_ASSERT_TRUE(info.dual_infeasibility < 1e-6);
}

// ---- other verdicts -----------------------------------------------------------------------------

static void test_an_infeasible_problem_is_detected(void) {
  Nlp nlp = hs071;
  double lower[2] = {25, 400}, upper[2] = {INFINITY, 400};  // four squares of at most 5
  nlp.g_lower = lower;
  nlp.g_upper = upper;
  expect(&nlp, &(SolveOptions){0}, SOLVE_INFEASIBLE);
  TEST_ASSERT_TRUE(info.constraint_violation > 100);
  TEST_ASSERT_TRUE(info.restorations > 0);
  TEST_ASSERT_FALSE(solve_status_solved(info.status));
}

static bool slope_f(void *data, const double *at, bool new_x, double *f) {
  (void)data, (void)new_x;
  *f = at[0] + at[1];
  return true;
}

static bool slope_grad(void *data, const double *at, bool new_x, double *grad) {
  (void)data, (void)at, (void)new_x;
  grad[0] = grad[1] = 1;
  return true;
}

static bool slope_hess(void *data, const double *at, bool new_x, double s, const double *l,
                       double *v) {
  (void)data, (void)at, (void)new_x, (void)s, (void)l;
  v[0] = v[1] = v[2] = 0;
  return true;
}

static void test_an_unbounded_problem_diverges(void) {
  Nlp nlp = rosenbrock;
  nlp.objective = slope_f;
  nlp.gradient = slope_grad;
  nlp.hessian = slope_hess;
  expect(&nlp, &(SolveOptions){0}, SOLVE_DIVERGING);
}

static void test_the_iteration_limit_holds(void) {
  SolveOptions opt = with("max_iter", "1");
  expect(&hs071, &opt, SOLVE_MAX_ITERATIONS);
  TEST_ASSERT_EQUAL_INT(1, info.iterations);
}

static void test_too_few_freedoms(void) {
  Nlp nlp = hs071;
  double lower[4] = {1, 1, 1, 1}, upper[4] = {1, 1, 1, 5};
  nlp.x_lower = lower;
  nlp.x_upper = upper;
  double g_lower[2] = {25, 40}, g_upper[2] = {25, 40};
  nlp.g_lower = g_lower;
  nlp.g_upper = g_upper;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solve_with(&nlp, &(SolveOptions){0}));
  TEST_ASSERT_FALSE(solve_status_solved(info.status));
}

static bool stop_at_2(void *data, const SolveIteration *it) {
  *(int *)data = it->iteration;
  return it->iteration < 2;
}

static void test_progress_can_stop(void) {
  int seen = -1;
  SolveOptions opt = {.progress = stop_at_2, .progress_data = &seen};
  expect(&hs071, &opt, SOLVE_USER_STOP);
  TEST_ASSERT_EQUAL_INT(2, seen);
  TEST_ASSERT_EQUAL_INT(2, info.iterations);
  TEST_ASSERT_TRUE(info.interrupted);
  TEST_ASSERT_TRUE(x[1] != hs071.x_start[1]);  // what there is
}

static volatile sig_atomic_t interrupted;

static bool raise_flag(void *data, const SolveIteration *it) {
  (void)data;
  if (it->iteration == 3) interrupted = 1;
  return true;
}

static void test_the_flag_of_a_signal_handler_stops(void) {
  interrupted = 0;
  SolveOptions opt = {.progress = raise_flag, .interrupt = &interrupted};
  expect(&hs071, &opt, SOLVE_USER_STOP);
  TEST_ASSERT_EQUAL_INT(3, info.iterations);
  TEST_ASSERT_TRUE(info.interrupted);
}

static bool slow_f(void *data, const double *at, bool new_x, double *f) {
  struct timespec wait = {.tv_nsec = 5000000};
  nanosleep(&wait, NULL);
  return hs071.objective(data, at, new_x, f);
}

static void test_a_wall_time_limit_holds_in_every_version(void) {
  Nlp nlp = hs071;
  nlp.objective = slow_f;
  SolveOptions opt = with("max_wall_time", "0.02");
  expect(&nlp, &opt, SOLVE_MAX_WALL_TIME);
  TEST_ASSERT_FALSE(info.interrupted);
  TEST_ASSERT_TRUE(info.timing.function_s[SOLVE_OBJECTIVE] > 0.9 * info.timing.evaluation_s);
}

// ---- NaN ----------------------------------------------------------------------------------------

static bool nan_f(void *data, const double *at, bool new_x, double *f) {
  (void)data, (void)at, (void)new_x;
  *f = NAN;
  return true;
}

static bool fail_g(void *data, const double *at, bool new_x, double *g) {
  hs071.constraints(data, at, new_x, g);
  g[1] = INFINITY;
  return false;
}

static bool unwritten(void *data, const double *at, bool new_x, double *v) {
  (void)data, (void)at, (void)new_x, (void)v;
  return false;
}

static bool nan_jac(void *data, const double *at, bool new_x, double *v) {
  hs071.jacobian(data, at, new_x, v);
  v[6] = NAN;
  return true;
}

static bool nan_hess(void *data, const double *at, bool new_x, double s, const double *l,
                     double *v) {
  hs071.hessian(data, at, new_x, s, l, v);
  v[1] = -INFINITY;
  return true;
}

static void expect_bad(const Nlp *nlp, SolveFunction f, int entry, const char *name) {
  expect(nlp, &(SolveOptions){0}, SOLVE_INVALID_NUMBER);
  TEST_ASSERT_TRUE(info.bad.count > 0);
  TEST_ASSERT_EQUAL_STRING(solve_function_name(f), solve_function_name(info.bad.function));
  TEST_ASSERT_EQUAL_INT(0, info.bad.iteration);
  TEST_ASSERT_EQUAL_INT(entry, info.bad.entry);
  TEST_ASSERT_EQUAL_STRING(name, info.bad.name);
}

static void test_nan_at_the_start_names_function_and_entry(void) {
  Nlp nlp = hs071;
  nlp.objective = nan_f;
  expect_bad(&nlp, SOLVE_OBJECTIVE, 0, "");
  nlp = hs071;
  nlp.gradient = unwritten;
  expect_bad(&nlp, SOLVE_GRADIENT, -1, "");
  nlp = hs071;
  nlp.constraints = fail_g;
  expect_bad(&nlp, SOLVE_CONSTRAINTS, 1, "row 1");
  nlp = hs071;
  nlp.jacobian = nan_jac;
  expect_bad(&nlp, SOLVE_JACOBIAN, 6, "d (row 1) / d (x2)");
  nlp = hs071;
  nlp.hessian = nan_hess;
  expect_bad(&nlp, SOLVE_HESSIAN, 1, "(x1), (x0)");
}

// log(x0) - x0 / 2 from far away: the first Newton step leaves the domain
static bool log_f(void *data, const double *at, bool new_x, double *f) {
  (void)data, (void)new_x;
  *f = at[0] / 2 - log(at[0]) + at[1] * at[1];
  return at[0] > 0;
}

static bool log_grad(void *data, const double *at, bool new_x, double *grad) {
  (void)data, (void)new_x;
  grad[0] = 0.5 - 1 / at[0];
  grad[1] = 2 * at[1];
  return at[0] > 0;
}

static bool log_hess(void *data, const double *at, bool new_x, double s, const double *l,
                     double *v) {
  (void)data, (void)new_x, (void)l;
  v[0] = s / (at[0] * at[0]);
  v[1] = 0;
  v[2] = 2 * s;
  return true;
}

static void test_the_solver_backs_off_where_a_function_has_no_value(void) {
  Nlp nlp = rosenbrock;
  double start[2] = {5, 1};
  nlp.x_start = start;
  nlp.objective = log_f;
  nlp.gradient = log_grad;
  nlp.hessian = log_hess;
  expect(&nlp, &(SolveOptions){0}, SOLVE_SUCCEEDED);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, x[0]);
  TEST_ASSERT_TRUE(info.bad.count > 0);
  TEST_ASSERT_EQUAL_INT(SOLVE_OBJECTIVE, info.bad.function);
}

// ---- options ------------------------------------------------------------------------------------

static void expect_refused(const char *name, const char *value, const char *said) {
  SolveOptions opt = with(name, value);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve_with(&hs071, &opt));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, name), err.what);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, said), err.what);
  TEST_ASSERT_EQUAL_STRING("--set", err.where);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0, hs071.x_start, x, 4);
}

static void test_refused_options_are_errors_that_name_them(void) {
  expect_refused("no_such_thing", "1", "has no option");
  expect_refused("max_itre", "10", "did you mean 'max_iter'");
  expect_refused("tol", "small", "takes a number");
  expect_refused("tol", "-1", "refuses '-1'");
  expect_refused("max_iter", "1.5", "takes an integer");
  expect_refused("mu_strategy", "sometimes", "refuses 'sometimes'");
  expect_refused("mumps_pivot_order", "17", "refuses '17'");
  expect_refused("tol", "nan", "tol");
  expect_refused("max_iter", "99999999999999999999", "max_iter");
  expect_refused("print_level", "99", "print_level");
}

static void test_options_of_each_type_arrive(void) {
  const SolveOption list[] = {{"max_iter", "2", NULL},           {"tol", "1", NULL},
                              {"mu_strategy", "adaptive", NULL}, {"acceptable_tol", "1d-5", NULL},
                              {"max_iter", "3", NULL},           {"linear_solver", "mumps", NULL}};
  SolveOptions opt = {.option = list, .n_option = 5};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, solve_with(&hs071, &opt), err.what);
  TEST_ASSERT_TRUE(info.iterations <= 3);
  const SolveOption strict[] = {{"max_iter", "3", NULL}, {"tol", "1e-12", NULL}};
  expect(&hs071, &(SolveOptions){.option = strict, .n_option = 2}, SOLVE_MAX_ITERATIONS);
  TEST_ASSERT_EQUAL_INT(3, info.iterations);
}

static void test_an_option_file_is_honoured_and_the_list_wins(void) {
  SolveOptions opt = {.option_file = write_file("# mine\n tol 1d-7 # end\n\nmax_iter\t2\n"
                                                "mu_strategy \"adaptive\"\n")};
  expect(&hs071, &opt, SOLVE_MAX_ITERATIONS);
  TEST_ASSERT_EQUAL_INT(2, info.iterations);
  SolveOption wins = {"max_iter", "4", NULL};
  opt.option = &wins;
  opt.n_option = 1;
  expect(&hs071, &opt, SOLVE_MAX_ITERATIONS);
  TEST_ASSERT_EQUAL_INT(4, info.iterations);
  // IPOPT's own way to name it
  SolveOptions named = with("option_file_name", opt_path);
  expect(&hs071, &named, SOLVE_MAX_ITERATIONS);
  TEST_ASSERT_EQUAL_INT(2, info.iterations);
}

static void test_a_faulty_option_file_is_an_error_with_its_line(void) {
  SolveOptions opt = {.option_file = write_file("tol 1e-7\n\nmax_itr 2\nmu_init 0.1\n")};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve_with(&hs071, &opt));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, ": line 3"), err.where);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "max_itr"), err.what);
  remove(opt_path);
  opt.option_file = write_file("tol 1e-7\nmax_iter\n");
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve_with(&hs071, &opt));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.where, ": line 2"), err.where);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "no value"), err.what);
  opt.option_file = "no/such/ipopt.opt";
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve_with(&hs071, &opt));
}

static void test_an_ipopt_opt_in_the_folder_is_not_read_unasked(void) {
  char here[4096], folder[256];
  temp_name(folder);
  TEST_ASSERT_NOT_NULL(getcwd(here, sizeof here));
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
  TEST_ASSERT_EQUAL_INT(0, chdir(folder));
  FILE *f = fopen("ipopt.opt", "w");
  if (f) {
    fputs("max_iter 1\n", f);
    fclose(f);
  }
  Status status = solve_with(&hs071, &(SolveOptions){0});
  remove("ipopt.opt");
  TEST_ASSERT_EQUAL_INT(0, chdir(here));
  rmdir(folder);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, status);
  TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, info.status);
}

static void test_a_file_that_ipopt_cannot_open_is_an_error(void) {
  SolveOptions opt = with("output_file", "no/such/folder/out.txt");
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve_with(&hs071, &opt));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, "no/such/folder/out.txt"), err.what);
  TEST_ASSERT_FALSE(solve_status_solved(info.status));
}

static void test_a_linear_solver_that_is_not_there_is_an_error_and_the_process_lives(void) {
  static const char *const names[] = {"ma27", "ma57", "ma77", "ma86", "ma97", "pardiso", "wsmp"};
  for (int i = 0; i < 7; i++) {
    SolveOptions opt = with("linear_solver", names[i]);
    Status status = solve_with(&hs071, &opt);  // somebody may have it
    if (status == STATUS_OK) TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, info.status);
    else TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, status, err.what);
  }
}

static void test_bad_bounds_and_starts_are_named(void) {
  Nlp nlp = hs071;
  double lower[4] = {1, 1, 6, 1};
  nlp.x_lower = lower;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, solve_with(&nlp, &(SolveOptions){0}));
  TEST_ASSERT_EQUAL_STRING("x2", err.where);
  nlp = hs071;
  double g_lower[2] = {25, NAN};
  nlp.g_lower = g_lower;
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, solve_with(&nlp, &(SolveOptions){0}));
  TEST_ASSERT_EQUAL_STRING("row 1", err.where);
  nlp = hs071;
  double start[4] = {1, 5, 5, NAN};
  nlp.x_start = start;
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, solve_with(&nlp, &(SolveOptions){0}));
  TEST_ASSERT_EQUAL_STRING("x3", err.where);
}

// ---- warm start ---------------------------------------------------------------------------------

static void test_a_warm_start_from_the_solution_takes_few_iterations(void) {
  double lambda[2] = {0}, z_lower[4] = {0}, z_upper[4] = {0};
  memcpy(x, hs071.x_start, 4 * sizeof *x);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, solver_solve(&hs071, &(SolveOptions){0}, x, lambda, z_lower,
                                                z_upper, &info, &err));
  int cold = info.iterations;
  solver_info_free(&info);
  const SolveOption list[] = {
      {"warm_start_init_point", "yes", NULL},        {"mu_init", "1e-9", NULL},
      {"warm_start_bound_push", "1e-9", NULL},       {"warm_start_bound_frac", "1e-9", NULL},
      {"warm_start_slack_bound_push", "1e-9", NULL}, {"warm_start_slack_bound_frac", "1e-9", NULL},
      {"warm_start_mult_bound_push", "1e-9", NULL}};
  SolveOptions opt = {.option = list, .n_option = 7};
  TEST_ASSERT_EQUAL_INT_MESSAGE(
      STATUS_OK, solver_solve(&hs071, &opt, x, lambda, z_lower, z_upper, &info, &err), err.what);
  TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, info.status);
  TEST_ASSERT_TRUE(info.iterations <= 2);
  TEST_ASSERT_TRUE(info.iterations < cold);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-6, hs071_x, x, 4);
}

// ---- what is told -------------------------------------------------------------------------------

static void test_history_counts_and_times_fit_together(void) {
  expect(&hs071, &(SolveOptions){0}, SOLVE_SUCCEEDED);
  TEST_ASSERT_EQUAL_INT(info.iterations + 1, info.n_history);
  for (int k = 0; k < info.n_history; k++) {
    TEST_ASSERT_EQUAL_INT(k, info.history[k].iteration);
    TEST_ASSERT_TRUE(info.history[k].seconds > 0 && info.history[k].mu > 0);
  }
  const SolveIteration *last = &info.history[info.n_history - 1];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, info.objective, last->objective);
  TEST_ASSERT_TRUE(last->inf_pr < 1e-6 && last->inf_du < 1e-6);
  for (int f = 0; f < SOLVE_N_FUNCTION; f++) TEST_ASSERT_TRUE(info.count[f] > 0);
  const SolveTiming *t = &info.timing;
  TEST_ASSERT_TRUE(t->evaluation_s > 0 && t->evaluation_s < t->total_s);
  TEST_ASSERT_TRUE(t->linear_solver_s >= 0);  // so IPOPT told
  TEST_ASSERT_TRUE(t->symbolic_s >= 0 && t->factorisation_s >= 0 && t->back_solve_s >= 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, t->total_s, t->evaluation_s + t->linear_solver_s + t->rest_s);
  TEST_ASSERT_EQUAL_INT('3', info.version[0]);
  TEST_ASSERT_TRUE(strstr(info.linear_solver, "mumps") || strstr(info.linear_solver, "MUMPS"));
}

static void test_status_names_and_integers_go_both_ways(void) {
  TEST_ASSERT_EQUAL_STRING("Restoration_Failed", solve_status_name((SolveStatus)-2));
  TEST_ASSERT_EQUAL_STRING("Unknown_Status", solve_status_name((SolveStatus)42));
  int found = 0;
  for (int i = -200; i < 10; i++) {
    const char *name = solve_status_name((SolveStatus)i);
    SolveStatus back;
    if (!strcmp(name, "Unknown_Status")) continue;
    TEST_ASSERT_TRUE(solve_status_find(name, &back));
    TEST_ASSERT_EQUAL_INT(i, back);
    found++;
  }
  TEST_ASSERT_EQUAL_INT(20, found);
  SolveStatus none;
  TEST_ASSERT_FALSE(solve_status_find("Solved", &none));
}

static void test_the_table_comes_while_solving_and_only_if_wanted(void) {
  TextBuf text = {0};
  SolveOptions opt = with("max_iter", "50");
  opt.write_table = collect;
  opt.write_data = &text;
  expect(&hs071, &opt, SOLVE_SUCCEEDED);
  bool head = text.text && strstr(text.text, "iter    objective    inf_pr   inf_du lg(mu)");
  bool exit_line = text.text && strstr(text.text, "EXIT: Optimal Solution Found.");
  bool timing = text.text && strstr(text.text, "Timing Statistics");
  bool chatter = text.text && strstr(text.text, "Tried to set");
  textbuf_free(&text);
  TEST_ASSERT_TRUE(head);
  TEST_ASSERT_TRUE(exit_line);
  TEST_ASSERT_FALSE(timing);
  TEST_ASSERT_FALSE(chatter);

  opt = with("print_timing_statistics", "yes");
  opt.write_table = collect;
  opt.write_data = &text;
  expect(&hs071, &opt, SOLVE_SUCCEEDED);
  timing = text.text && strstr(text.text, "Timing Statistics");
  textbuf_free(&text);
  TEST_ASSERT_TRUE(timing);

  opt = with("print_level", "0");
  opt.write_table = collect;
  opt.write_data = &text;
  expect(&hs071, &opt, SOLVE_SUCCEEDED);
  TEST_ASSERT_NULL(text.text);
}

static bool table_so_far(void *data, const SolveIteration *it) {
  if (it->iteration == 5) *((size_t *)data + 1) = ((TextBuf *)*(void **)data)->len;
  return true;
}

static void test_the_table_is_not_held_back_to_the_end(void) {
  TextBuf text = {0};
  struct {
    TextBuf *text;
    size_t at_5;
  } seen = {&text, 0};
  SolveOptions opt = {.write_table = collect,
                      .write_data = &text,
                      .progress = table_so_far,
                      .progress_data = &seen};
  expect(&hs071, &opt, SOLVE_SUCCEEDED);
  textbuf_free(&text);
  TEST_ASSERT_TRUE(seen.at_5 > 500);
}

// The same in a child whose standard output and error go to a file: nothing may arrive there.
static void test_nothing_is_printed(void) {
  char path[256];
  temp_name(path);
  int fd = mkstemp(path);
  TEST_ASSERT_TRUE(fd >= 0);
  unlink(path);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    SolveOptions all[] = {{0}, with("max_iter", "1"), {0}, {0}};
    static const SolveOption loud = {"print_level", "8", NULL}, wrong = {"foo", "bar", NULL};
    all[2] = (SolveOptions){.option = &loud, .n_option = 1};
    all[3] = (SolveOptions){.option = &wrong, .n_option = 1};
    for (int i = 0; i < 4; i++) solve_with(&hs071, &all[i]);
    Nlp nlp = hs071;
    nlp.objective = nan_f;
    solve_with(&nlp, &all[0]);
    solver_info_free(&info);
    fflush(NULL);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  off_t printed = lseek(fd, 0, SEEK_END);
  close(fd);
  TEST_ASSERT_EQUAL_INT(0, status);
  TEST_ASSERT_EQUAL_INT(0, (int)printed);
}

static void test_output_file_works_as_in_ipopt(void) {
  const SolveOption list[] = {{"output_file", write_file(""), NULL},
                              {"file_print_level", "5", NULL}};
  expect(&hs071, &(SolveOptions){.option = list, .n_option = 2}, SOLVE_SUCCEEDED);
  char text[4096] = "";
  FILE *f = fopen(opt_path, "r");
  TEST_ASSERT_NOT_NULL(f);
  size_t len = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[len] = 0;
  TEST_ASSERT_NOT_NULL(strstr(text, "inf_pr"));
}

static void test_without_a_temporary_file_only_the_table_is_an_error(void) {
  char kept[1024] = "";
  const char *old = getenv("TMPDIR");
  if (old) snprintf(kept, sizeof kept, "%s", old);
  setenv("TMPDIR", "no/such/folder", 1);
  Status silent = solve_with(&hs071, &(SolveOptions){0});
  SolveStatus verdict = info.status;
  bool unknown = isnan(info.timing.linear_solver_s) && isnan(info.timing.rest_s);
  TextBuf text = {0};
  Status table = solve_with(&hs071, &(SolveOptions){.write_table = collect, .write_data = &text});
  textbuf_free(&text);
  if (old) setenv("TMPDIR", kept, 1);
  else unsetenv("TMPDIR");
  TEST_ASSERT_EQUAL_INT(STATUS_OK, silent);
  TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, verdict);
  TEST_ASSERT_TRUE(unknown);
  TEST_ASSERT_EQUAL_INT(STATUS_IO, table);
}

static void test_every_allocation_of_ours_may_fail(void) {
  SolveOptions opt = {.option_file = write_file("tol 1e-7\nmax_iter 20\n")};
  for (long n = 1;; n++) {
    solver_info_free(&info);
    long before = alloc_live();
    alloc_fail_only(n);
    memcpy(x, hs071.x_start, 4 * sizeof *x);
    Status status = solver_solve(&hs071, &opt, x, NULL, NULL, NULL, &info, &err);
    bool reached = alloc_count() >= n;
    alloc_fail_from(0);
    if (status == STATUS_OK) TEST_ASSERT_EQUAL_INT(SOLVE_SUCCEEDED, info.status);
    else TEST_ASSERT_EQUAL_INT(STATUS_NO_MEMORY, status);
    // only the text of IPOPT's timing can be done without
    if (reached && status == STATUS_OK) TEST_ASSERT_TRUE(isnan(info.timing.linear_solver_s));
    solver_info_free(&info);
    TEST_ASSERT_TRUE(alloc_live() == before);
    if (!reached) return;
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_hs071_is_solved);
  RUN_TEST(test_rosenbrock_is_solved_with_and_without_its_hessian);
  RUN_TEST(test_an_equality_qp_takes_one_step_and_gives_its_multipliers);
  RUN_TEST(test_a_fixed_variable_is_left_out_of_the_residuals);
  RUN_TEST(test_an_infeasible_problem_is_detected);
  RUN_TEST(test_an_unbounded_problem_diverges);
  RUN_TEST(test_the_iteration_limit_holds);
  RUN_TEST(test_too_few_freedoms);
  RUN_TEST(test_progress_can_stop);
  RUN_TEST(test_the_flag_of_a_signal_handler_stops);
  RUN_TEST(test_a_wall_time_limit_holds_in_every_version);
  RUN_TEST(test_nan_at_the_start_names_function_and_entry);
  RUN_TEST(test_the_solver_backs_off_where_a_function_has_no_value);
  RUN_TEST(test_refused_options_are_errors_that_name_them);
  RUN_TEST(test_options_of_each_type_arrive);
  RUN_TEST(test_an_option_file_is_honoured_and_the_list_wins);
  RUN_TEST(test_a_faulty_option_file_is_an_error_with_its_line);
  RUN_TEST(test_an_ipopt_opt_in_the_folder_is_not_read_unasked);
  RUN_TEST(test_a_file_that_ipopt_cannot_open_is_an_error);
  RUN_TEST(test_a_linear_solver_that_is_not_there_is_an_error_and_the_process_lives);
  RUN_TEST(test_bad_bounds_and_starts_are_named);
  RUN_TEST(test_a_warm_start_from_the_solution_takes_few_iterations);
  RUN_TEST(test_history_counts_and_times_fit_together);
  RUN_TEST(test_status_names_and_integers_go_both_ways);
  RUN_TEST(test_the_table_comes_while_solving_and_only_if_wanted);
  RUN_TEST(test_the_table_is_not_held_back_to_the_end);
  RUN_TEST(test_nothing_is_printed);
  RUN_TEST(test_output_file_works_as_in_ipopt);
  RUN_TEST(test_without_a_temporary_file_only_the_table_is_an_error);
  RUN_TEST(test_every_allocation_of_ours_may_fail);
  return UNITY_END();
}
