// SPDX-License-Identifier: MIT
// The options of a solve: our defaults, an option file, the caller's list.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/nearest.h"
#include "solver/kkt_hsl.h"
#include "solver/solver_internal.h"

enum { MAX_FILE = 1 << 20, DEFAULT_PRINT_LEVEL = 5 };

static const SolveOption defaults[] = {
    {"linear_solver", "stage", NULL},  // or "mumps"; see set_derived
    {"mumps_pivot_order", "4", NULL},  // PORD; see pivot_order
    {"mumps_mem_percent", "100",
     NULL},  // of working space more than estimated; IPOPT doubles it at need
    {"ma97_scaling", "none", NULL},  // for "stage": kkt.h scales by itself
    {"linear_system_scaling", "none", NULL},
    {"min_refinement_steps", "0", NULL},  // its residuals rarely need any
    {"tol", "1e-8", NULL},
    {"max_iter", "1000", NULL},
    // full steps on trial after two shortened ones: from a nearly feasible start the filter cuts the
    // first steps to nothing otherwise (IPOPT's own is 10)
    {"watchdog_shortened_iter_trigger", "2", NULL},
    {"sb", "yes", NULL},                       // no banner
    {"print_timing_statistics", "yes", NULL},  // the only source of linear_solver_s
};

enum { N_DEFAULT = sizeof defaults / sizeof defaults[0] };

const SolveOption *solver_defaults(int *n) {
  *n = N_DEFAULT;
  return defaults;
}

const char *option_nearest(const char *name) {
  static const char *const known[] = {"tol",
                                      "max_iter",
                                      "max_cpu_time",
                                      "max_wall_time",
                                      "dual_inf_tol",
                                      "constr_viol_tol",
                                      "compl_inf_tol",
                                      "acceptable_tol",
                                      "acceptable_iter",
                                      "acceptable_constr_viol_tol",
                                      "acceptable_dual_inf_tol",
                                      "acceptable_obj_change_tol",
                                      "diverging_iterates_tol",
                                      "mu_strategy",
                                      "mu_init",
                                      "mu_target",
                                      "mu_max",
                                      "mu_min",
                                      "mu_oracle",
                                      "barrier_tol_factor",
                                      "mu_linear_decrease_factor",
                                      "mu_superlinear_decrease_power",
                                      "linear_solver",
                                      "linear_system_scaling",
                                      "hessian_approximation",
                                      "limited_memory_max_history",
                                      "nlp_scaling_method",
                                      "nlp_scaling_max_gradient",
                                      "obj_scaling_factor",
                                      "bound_push",
                                      "bound_frac",
                                      "bound_relax_factor",
                                      "bound_mult_init_method",
                                      "bound_mult_init_val",
                                      "honor_original_bounds",
                                      "fixed_variable_treatment",
                                      "warm_start_init_point",
                                      "warm_start_bound_push",
                                      "warm_start_bound_frac",
                                      "warm_start_mult_bound_push",
                                      "warm_start_slack_bound_push",
                                      "warm_start_slack_bound_frac",
                                      "warm_start_same_structure",
                                      "print_level",
                                      "output_file",
                                      "file_print_level",
                                      "option_file_name",
                                      "print_user_options",
                                      "print_timing_statistics",
                                      "print_frequency_iter",
                                      "inf_pr_output",
                                      "derivative_test",
                                      "derivative_test_tol",
                                      "derivative_test_perturbation",
                                      "check_derivatives_for_naninf",
                                      "alpha_for_y",
                                      "accept_every_trial_step",
                                      "accept_after_max_steps",
                                      "watchdog_shortened_iter_trigger",
                                      "watchdog_trial_iter_max",
                                      "max_soc",
                                      "max_resto_iter",
                                      "line_search_method",
                                      "recalc_y",
                                      "least_square_init_duals",
                                      "start_with_resto",
                                      "expect_infeasible_problem",
                                      "required_infeasibility_reduction",
                                      "max_refinement_steps",
                                      "min_refinement_steps",
                                      "first_hessian_perturbation",
                                      "min_hessian_perturbation",
                                      "max_hessian_perturbation",
                                      "jacobian_regularization_value",
                                      "perturb_always_cd",
                                      "mehrotra_algorithm",
                                      "fast_step_computation",
                                      "mumps_pivtol",
                                      "mumps_pivtolmax",
                                      "mumps_mem_percent",
                                      "mumps_permuting_scaling",
                                      "mumps_pivot_order",
                                      "mumps_scaling",
                                      "ma97_u",
                                      "ma97_umax",
                                      "hsllib",
                                      "sb"};
  return nearest_name(name, known, (int)(sizeof known / sizeof known[0]));
}

const char *option_list_find(const OptionList *list, const char *name) {
  for (int i = list->n - 1; i >= 0; i--) {
    if (!strcmp(list->option[i].name, name)) return list->option[i].value;
  }
  return NULL;
}

// ---- ipopt.opt ----------------------------------------------------------------------------------

typedef struct Words {
  const char *at;  // what is left of the text
  int line;        //
} Words;

// The next word of an option file: separated by white space, "quoted" if it has some inside, #
// starts a comment. NULL at the end.
static const char *next_word(Words *w, size_t *len) {
  while (isspace((unsigned char)*w->at) || *w->at == '#') {
    if (*w->at == '#') w->at += strcspn(w->at, "\n");
    else w->line += *w->at++ == '\n';
  }
  if (!*w->at) return NULL;
  bool quoted = *w->at == '"';
  const char *word = w->at + quoted;
  *len = strcspn(word, quoted ? "\"\n" : " \t\r\n\v\f");
  w->at = word + *len + (quoted && word[*len] == '"');
  return word;
}

static char *copy_word(Arena *arena, const char *word, size_t len) {
  char *copy = arena_alloc(arena, len + 1);
  if (copy) memcpy(copy, word, len);
  return copy;
}

// Words by pairs into list (NULL: only counted); STATUS_INPUT for a name without a value.
static Status read_pairs(const char *text, const char *path, SolveOption *list, int *n,
                         Arena *arena, Error *err) {
  Words words = {text, 1};
  for (*n = 0;; ++*n) {
    size_t name_len, value_len;
    const char *name = next_word(&words, &name_len);
    if (!name) return STATUS_OK;
    char where[256];
    snprintf(where, sizeof where, "%s: line %d", path, words.line);
    const char *value = next_word(&words, &value_len);
    if (!value)
      return error_set(err, STATUS_INPUT, where, "option '%.*s' has no value", (int)name_len, name);
    if (!list) continue;
    SolveOption *o = &list[*n];
    o->name = copy_word(arena, name, name_len);
    o->value = copy_word(arena, value, value_len);
    o->where = arena_strdup(arena, where);
    if (!o->name || !o->value || !o->where) return error_no_memory(err);
  }
}

static Status read_file(const char *path, SolveOption **list, int *n, Arena *arena, Error *err) {
  size_t len;
  char *text = file_read(path, MAX_FILE, &len, err);
  if (!text) return err->code;
  Status status = read_pairs(text, path, NULL, n, arena, err);
  if (status == STATUS_OK) {
    *list = arena_array(arena, (size_t)*n + 1, sizeof **list);
    status = *list ? read_pairs(text, path, *list, n, arena, err) : error_no_memory(err);
  }
  free(text);
  return status;
}

// ---- all together -------------------------------------------------------------------------------

// PORD (4) where it is safe, else AMD (0). PORD calls exit() when the graph of the KKT matrix, with
// equal rows merged, has no separator: tiny or dense problems.
static const char *pivot_order(const Nlp *nlp) {
  enum { SMALLEST = 100, LEAST_SPARSE = 8 };
  double size = nlp->m;
  for (int i = 0; i < nlp->n; i++) size += nlp->x_lower[i] != nlp->x_upper[i];
  double degree = 2.0 * ((double)nlp->jac_nnz + nlp->hess_nnz) / (size + 1);
  return nlp->hessian && size >= SMALLEST && degree * LEAST_SPARSE <= size ? "4" : "0";
}

static void append(OptionList *list, SolveOption option) {
  list->option[list->n++] = option;
}

// whether the option is our business and not to be handed over
static bool ours(const char *name) {
  return !strcmp(name, "option_file_name");
}

// whether a default is for another linear solver than the one that was chosen
static bool foreign(const char *name, const char *solver) {
  static const char *const of_stage[] = {"ma97_scaling", "linear_system_scaling",
                                         "min_refinement_steps", "hsllib"};
  if (!strncmp(name, "mumps_", 6)) return strcmp(solver, "mumps") != 0;
  for (size_t i = 0; i < sizeof of_stage / sizeof of_stage[0]; i++) {
    if (!strcmp(name, of_stage[i])) return strcmp(solver, "stage") != 0;
  }
  return false;
}

// drops every option that a later one repeats, and defaults of other linear solvers
static void keep_last(OptionList *list, int n_default) {
  const char *solver = option_list_find(list, "linear_solver");
  int kept = 0;
  for (int i = 0; i < list->n; i++) {
    bool again = false;
    for (int j = i + 1; j < list->n && !again; j++)
      again = !strcmp(list->option[i].name, list->option[j].name);
    bool unused = i < n_default && foreign(list->option[i].name, solver);
    if (!again && !unused) list->option[kept++] = list->option[i];
  }
  list->n = kept;
}

static void rename_solver(OptionList *list, const char *from, const char *to) {
  for (int i = 0; i < list->n; i++) {
    SolveOption *o = &list->option[i];
    if (!strcmp(o->name, "linear_solver") && !strcmp(o->value, from)) o->value = to;
  }
}

static void set_derived(OptionList *list, int n_default, const Nlp *nlp) {
  for (int i = 0; i < n_default; i++) {
    SolveOption *o = &list->option[i];
    if (!strcmp(o->name, "mumps_pivot_order")) o->value = pivot_order(nlp);
    if (!strcmp(o->name, "linear_solver") && nlp->n_stage == 0) o->value = "mumps";
  }
  list->show_timing = false;
  for (int i = n_default; i < list->n; i++) {
    if (!strcmp(list->option[i].name, "print_timing_statistics"))
      list->show_timing = !strcmp(list->option[i].value, "yes");
  }
  const char *level = option_list_find(list, "print_level");
  list->print_level = level ? (int)strtol(level, NULL, 10) : DEFAULT_PRINT_LEVEL;
}

Status option_list_build(OptionList *list, const Nlp *nlp, const SolveOptions *opt, bool stage,
                         Arena *arena, Error *err) {
  *list = (OptionList){0};
  const char *path = opt->option_file;
  for (int i = 0; i < opt->n_option; i++) {
    if (ours(opt->option[i].name)) path = opt->option[i].value;
  }
  SolveOption *from_file = NULL;
  int n_file = 0;
  Status status = path && *path ? read_file(path, &from_file, &n_file, arena, err) : STATUS_OK;
  if (status != STATUS_OK) return status;

  int most = N_DEFAULT + 2 + n_file + opt->n_option;
  list->option = arena_array(arena, (size_t)most, sizeof *list->option);
  if (!list->option) return error_no_memory(err);
  for (int i = 0; i < N_DEFAULT; i++) append(list, defaults[i]);
  if (!nlp->hessian) append(list, (SolveOption){"hessian_approximation", "limited-memory", NULL});
  const char *library = kkt_hsl_library();
  if (library) append(list, (SolveOption){"hsllib", library, NULL});
  int n_default = list->n;
  for (int i = 0; i < n_file; i++) {
    if (ours(from_file[i].name))
      return error_set(err, STATUS_INPUT, from_file[i].where,
                       "an option file can't name another one");
    append(list, from_file[i]);
  }
  for (int i = 0; i < opt->n_option; i++) {
    if (!ours(opt->option[i].name)) append(list, opt->option[i]);
  }
  set_derived(list, n_default, nlp);
  if (!stage) rename_solver(list, "stage", "mumps");
  keep_last(list, n_default);
  list->stage = !strcmp(option_list_find(list, "linear_solver"), "stage");
  rename_solver(list, "stage", "ma97");  // which the hook replaces
  return STATUS_OK;
}
