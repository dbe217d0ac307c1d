// SPDX-License-Identifier: MIT
// User's terms in tasks: libraries made here, by our emitter and by hand, take the place of what Poise
// has built in, and must give the same optimum. Skipped (77) without a C compiler.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "collocation/colloc.h"
#include "dynamics/dyn_point.h"
#include "emit_support.h"
#include "expr/expr_compile.h"
#include "nlp/nlp_check.h"
#include "plan/plan.h"
#include "unity.h"

enum { NV = 2, NU = 1, NX = 2 * NV + NU, MAX_ROW = 3 };

static Ocp *ocp;
static Colloc *colloc;
static PlanResult *result;
static double *x;
static Error err;

void setUp(void) {
  ocp = NULL;
  colloc = NULL;
  result = NULL;
  x = NULL;
}
void tearDown(void) {
  fail_allocation(-1);
  colloc_free(colloc);
  plan_result_free(result);
  ocp_free(ocp);
  free(x);
}

// ---- libraries ---------------------------------------------------------------------------------

// "tip": x and z of the pole's tip and the power of the force; "side": x alone; "square": u^2
static int tip_rows(ExprGraph *g, const Expr *q, const Expr *v, const Expr *u, Expr *row) {
  row[0] = expr_add(g, q[0], expr_scale(g, 0.5, expr_sin(g, q[1])));
  row[1] = expr_scale(g, -0.5, expr_cos(g, q[1]));
  row[2] = expr_mul(g, u[0], v[0]);
  return 3;
}

static int side_rows(ExprGraph *g, const Expr *q, const Expr *v, const Expr *u, Expr *row) {
  Expr all[MAX_ROW];
  tip_rows(g, q, v, u, all);
  row[0] = all[0];
  return 1;
}

static int square_rows(ExprGraph *g, const Expr *q, const Expr *v, const Expr *u, Expr *row) {
  (void)q;
  (void)v;
  row[0] = expr_mul(g, u[0], u[0]);
  return 1;
}

// a library STEM.so with the function of that name, its jac_ and its hess_
static bool emit(const char *stem, ExprGraph *g, Arena *arena, const ExprEmitItem *value,
                 const ExprFunction *hess) {
  ExprEmitItem item[3] = {*value, {0}, {.f = hess}};
  const ExprEmit what = {.stem = stem, .n_item = 3, .item = item, .lanes = true};
  TextBuf text = {0};
  bool ok = expr_emit_jacobian(&item[1], g, arena, value, &err) == STATUS_OK &&
            expr_emit_c(&text, NULL, &what, &err) == STATUS_OK;
  ok = ok && scratch_library(stem, text.text, false, &err);
  textbuf_free(&text);
  return ok;
}

static bool emit_rows(const char *name,
                      int (*rows)(ExprGraph *, const Expr *, const Expr *, const Expr *, Expr *)) {
  char hess_name[64];
  snprintf(hess_name, sizeof hess_name, "hess_%s", name);
  ExprGraph *g = expr_graph_new();
  Arena *arena = arena_new();
  Expr z[NX], row[MAX_ROW], sum = EXPR_ZERO;
  for (int i = 0; i < NV; i++) z[i] = expr_input(g, DYN_Q, i);
  for (int i = 0; i < NV; i++) z[NV + i] = expr_input(g, DYN_V, i);
  z[2 * NV] = expr_input(g, DYN_U, 0);
  int n = rows(g, z, z + NV, z + 2 * NV, row);
  for (int i = 0; i < n; i++) {
    sum = expr_add(g, sum, expr_mul(g, expr_input(g, DYN_LAMBDA, i), row[i]));
  }
  const ExprInput in[4] = {
      {"q", NV, DYN_Q}, {"v", NV, DYN_V}, {"u", NU, DYN_U}, {"lambda", n, DYN_LAMBDA}};
  ExprOutput out = {.name = "r"}, hess_out = {.name = "H"};
  bool ok = expr_column(&out.value, arena, n, row) &&
            expr_hessian(g, arena, sum, NX, z, &hess_out.value);
  const ExprFunction f = {name, g, 3, in, 1, &out}, hess = {hess_name, g, 4, in, 1, &hess_out};
  const ExprEmitItem item = {.f = &f};
  ok = ok && emit(name, g, arena, &item, &hess);
  expr_graph_free(g);
  arena_free(arena);
  return ok;
}

// "xi": the accelerations of the cart-pole, by our own explicit form
static bool emit_dynamics(void) {
  Model *m;
  DynPoint *p = NULL;
  if (model_load(&m, "configs/robots/cartpole.json", &err) != STATUS_OK) return false;
  bool ok = dyn_point_build(&p, m, &dyn_exp1_ode, DYN_RULE_BEST, &err) == STATUS_OK;
  if (ok) {
    ExprFunction f = p->residual, hess = p->hessian;
    f.name = "xi";
    hess.name = "hess_xi";
    const ExprEmitItem item = {.f = &f};
    ok = emit("xi", p->g, p->arena, &item, &hess);
  }
  dyn_point_free(p);
  model_free(m);
  return ok;
}

// "mix": (u v0)^2 + q1^2 v1 with a full symmetric Hessian; and functions with something wrong
static const char hand_text[] =
    "typedef long long I;\n"
    "static const I two[] = {2, 1, 1}, one[] = {1, 1, 1}, none[] = {1, 1, 0, 0};\n"
    "static const I jq[] = {1, 2, 0, 0, 1, 0}, jv[] = {1, 2, 1}, square[] = {5, 5, 1};\n"
    "static const I full[] = {5, 5, 0, 0, 2, 4, 5, 7, 1, 3, 2, 4, 1, 2, 4};\n"
    "static const I upper[] = {5, 5, 0, 0, 0, 0, 1, 1, 1};\n"
    "#define SIZES(f, ni, no) I f##_n_in(void) { return ni; } I f##_n_out(void) { return no; }\n"
    "#define IN(f, last) const I *f##_sparsity_in(I i) { return i < 2 ? two : i == 2 ? one : last; }\n"
    "#define OUT(f, a, b, c) const I *f##_sparsity_out(I i) { return i == 0 ? a : i == 1 ? b : c; }\n"
    "#define BODY(f) int f(const double **arg, double **res, I *iw, double *w, int mem)\n"
    "#define ZERO(f) BODY(f) { return 0; }\n"
    "SIZES(mix, 3, 1) IN(mix, 0) OUT(mix, one, 0, 0)\n"
    "BODY(mix) {\n"
    "  double q1 = arg[0][1], v0 = arg[1][0], v1 = arg[1][1], u = arg[2][0];\n"
    "  res[0][0] = u * u * v0 * v0 + q1 * q1 * v1;\n"
    "  return 0;\n"
    "}\n"
    "SIZES(jac_mix, 4, 3) IN(jac_mix, none) OUT(jac_mix, jq, jv, one)\n"
    "BODY(jac_mix) {\n"
    "  double q1 = arg[0][1], v0 = arg[1][0], v1 = arg[1][1], u = arg[2][0];\n"
    "  res[0][0] = 2 * q1 * v1;\n"
    "  res[1][0] = 2 * u * u * v0;\n"
    "  res[1][1] = q1 * q1;\n"
    "  res[2][0] = 2 * u * v0 * v0;\n"
    "  return 0;\n"
    "}\n"
    "SIZES(hess_mix, 4, 1) IN(hess_mix, one) OUT(hess_mix, full, 0, 0)\n"
    "BODY(hess_mix) {\n"
    "  double q1 = arg[0][1], v0 = arg[1][0], v1 = arg[1][1], u = arg[2][0], l = arg[3][0];\n"
    "  double *H = res[0];\n"
    "  H[0] = 2 * v1 * l, H[1] = H[4] = 2 * q1 * l, H[2] = 2 * u * u * l;\n"
    "  H[3] = H[5] = 4 * u * v0 * l, H[6] = 2 * v0 * v0 * l;\n"
    "  return 0;\n"
    "}\n"
    // nothing beside it; no Hessian; wrong sizes of all kinds
    "SIZES(alone, 3, 1) IN(alone, 0) OUT(alone, one, 0, 0) ZERO(alone)\n"
    "SIZES(flat, 3, 1) IN(flat, 0) OUT(flat, one, 0, 0) ZERO(flat)\n"
    "SIZES(jac_flat, 4, 3) IN(jac_flat, none) OUT(jac_flat, jq, jv, one) ZERO(jac_flat)\n"
    "SIZES(twice, 2, 1) IN(twice, 0) OUT(twice, one, 0, 0) ZERO(twice)\n"
    "SIZES(many, 3, 2) IN(many, 0) OUT(many, one, one, 0) ZERO(many)\n"
    "SIZES(wide, 3, 1) const I *wide_sparsity_in(I i) { return one; } OUT(wide, one, 0, 0)\n"
    "ZERO(wide)\n"
    "SIZES(matrix, 3, 1) IN(matrix, 0) OUT(matrix, square, 0, 0) ZERO(matrix)\n"
    "SIZES(nominal, 3, 1) IN(nominal, 0) OUT(nominal, one, 0, 0) ZERO(nominal)\n"
    "SIZES(jac_nominal, 4, 3) IN(jac_nominal, one) OUT(jac_nominal, jq, jv, one)\n"
    "ZERO(jac_nominal)\n"
    "SIZES(lean, 3, 1) IN(lean, 0) OUT(lean, one, 0, 0) ZERO(lean)\n"
    "SIZES(jac_lean, 4, 3) IN(jac_lean, none) OUT(jac_lean, jq, one, one) ZERO(jac_lean)\n"
    "SIZES(top, 3, 1) IN(top, 0) OUT(top, one, 0, 0) ZERO(top)\n"
    "SIZES(jac_top, 4, 3) IN(jac_top, none) OUT(jac_top, jq, jv, one) ZERO(jac_top)\n"
    "SIZES(hess_top, 4, 1) IN(hess_top, one) OUT(hess_top, upper, 0, 0) ZERO(hess_top)\n"
    "SIZES(small, 3, 1) IN(small, 0) OUT(small, one, 0, 0) ZERO(small)\n"
    "SIZES(jac_small, 4, 3) IN(jac_small, none) OUT(jac_small, jq, jv, one) ZERO(jac_small)\n"
    "SIZES(hess_small, 4, 1) IN(hess_small, one) OUT(hess_small, jv, 0, 0) ZERO(hess_small)\n";

static bool make_libraries(void) {
  return emit_rows("tip", tip_rows) && emit_rows("side", side_rows) &&
         emit_rows("square", square_rows) && emit_dynamics() &&
         scratch_library("hand", hand_text, false, &err);
}

// ---- tasks -------------------------------------------------------------------------------------

// a swing-up with these keys and terms; ' stands for ", @ for the folder of the libraries
static Status parse(const char *keys, const char *terms) {
  static char text[8192];
  char raw[4096];
  snprintf(raw, sizeof raw,
           "{'robot': '../configs/robots/cartpole.json', 'start': {'pose': 'hanging'},"
           "'goal': {'pose': 'upright', 'equilibrium': false}, 'guess': 'line',"
           "'strategy': 'cold', 'limits': {'torque': {'cart': 20}}, %s, 'terms': [%s]}",
           keys, terms);
  size_t n = 0;
  for (const char *c = raw; *c && n + 600 < sizeof text; c++) {
    if (*c == '@') n += (size_t)sprintf(text + n, "%s", scratch_path(""));
    else text[n++] = *c == '\'' ? '"' : *c;
  }
  text[n] = '\0';
  ocp_free(ocp);
  ocp = NULL;
  return ocp_parse(&ocp, text, "t.json", "tasks", &err);
}

static void load(const char *keys, const char *terms) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, parse(keys, terms), err.what);
}

#define TIP "{'library': '@tip.so', 'function': 'tip', 'use': 'constraint'"
#define SIDE "{'library': '@side.so', 'function': 'side', 'use': 'constraint'"
#define SQUARE "{'library': '@square.so', 'function': 'square', 'use': 'cost'"
#define MIX "{'library': '@hand.so', 'function': 'mix', 'use': "
#define XI "{'library': '@xi.so', 'function': 'xi', 'use': 'dynamics'}"
#define ALL                                                                                 \
  TIP ", 'upper': [null, 2, null], 'lower': [-1, null, -50]}," SQUARE ", 'weight': 3}," MIX \
      "'constraint', 'lower': null, 'upper': 7}," MIX "'cost', 'weight': 0.4}"

// ---- derivatives -------------------------------------------------------------------------------

static void check_derivatives(const char *what) {
  colloc_free(colloc);
  colloc = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, colloc_build(&colloc, ocp, &err), err.what);
  const Nlp *nlp = colloc_nlp(colloc);
  Rng rng;
  rng_seed(&rng, 11);
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

static void check_layouts(const char *what) {
  static const OcpScheme schemes[] = {OCP_RADAU, OCP_GAUSS, OCP_TRAPEZOIDAL, OCP_HERMITE_SIMPSON};
  static const int degrees[] = {3, 2, 2, 3};
  for (int s = 0; s < 4; s++) {
    ocp->scheme = schemes[s];
    ocp->degree = degrees[s];
    for (int layout = 0; layout < 2; layout++) {
      ocp->layout = layout ? OCP_PAPER : OCP_CONDENSED;
      check_derivatives(what);
    }
  }
}

static void test_derivatives_are_exact_with_terms_in_every_layout_and_scheme(void) {
  load("'horizon': 2, 'intervals': 3, 'cost': {'torque': 1, 'velocity': 0.2}", ALL);
  TEST_ASSERT_EQUAL_INT(4, ocp->n_term);
  check_layouts("fixed time");
  load("'horizon': 2, 'intervals': 3, 'formulation': 'EXP1-O'", ALL "," XI);
  ocp->goal.equilibrium = true;  // accelerations at the end: the dynamics once more
  check_layouts("fixed time, dynamics");
}

static void test_derivatives_are_exact_with_terms_and_free_time(void) {
  load("'horizon': {'min': 1, 'max': 3}, 'intervals': 3, 'cost': {'time': 1}", ALL);
  check_layouts("free time");
  load("'horizon': {'min': 1, 'max': 3}, 'intervals': 3, 'cost': {'time': 1, 'velocity': 1},"
       "'formulation': 'EXP2-O'",
       ALL "," XI);
  check_layouts("free time, dynamics");
}

static void test_rows_of_terms_have_bounds_and_names(void) {
  load("'horizon': 2, 'intervals': 2, 'degree': 2",
       "{'name': 'where', "
       "'library': '@tip.so', 'function': 'tip', 'use': 'constraint', 'lower': [-1, null, -5],"
       "'upper': 4}");
  TEST_ASSERT_EQUAL_INT(STATUS_OK, colloc_build(&colloc, ocp, &err));
  const Nlp *nlp = colloc_nlp(colloc);
  int n = 0;
  for (int i = 0; i < nlp->m; i++) {
    char name[160];
    nlp->name_constraint(nlp->data, i, name, sizeof name);
    if (!strstr(name, "of term where at ")) continue;
    static const double lower[3] = {-1, -INFINITY, -5};
    TEST_ASSERT_TRUE(nlp->g_lower[i] == lower[n % 3] && nlp->g_upper[i] == 4);
    n++;
  }
  TEST_ASSERT_EQUAL_INT(3 * 2 * 2, n);
}

// ---- optima ------------------------------------------------------------------------------------

static double optimum(const char *keys, const char *terms) {
  load(keys, terms);
  ocp->degree = 6;  // fine enough to be verified
  plan_result_free(result);
  result = NULL;
  const PlanOptions opt = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, plan_run(&result, ocp, &opt, &err), err.what);
  TEST_ASSERT_TRUE(result->solved);
  TEST_ASSERT_TRUE(result->has_verification);
  TEST_ASSERT_TRUE_MESSAGE(result->verification.verified, result->verification.failure);
  return result->objective;
}

#define GRID "'horizon': 2, 'intervals': 30"

static void test_dynamics_from_a_library_give_the_optimum_of_the_built_in_ones(void) {
  static const char *const layouts[2] = {GRID ", 'formulation': 'EXP1-O'",
                                         GRID ", 'formulation': 'EXP1-O', 'layout': 'paper'"};
  for (int i = 0; i < 2; i++) {
    double ours = optimum(layouts[i], ""), users = optimum(layouts[i], XI);
    TEST_ASSERT_TRUE(ours > 50);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7 * ours, ours, users);
  }
}

static void test_a_cost_from_a_library_gives_the_optimum_of_the_built_in_one(void) {
  double ours = optimum(GRID ", 'cost': {'torque': 2}", "");
  double users = optimum(GRID ", 'cost': {'torque': 0.5}", SQUARE ", 'weight': 1.5}");
  TEST_ASSERT_DOUBLE_WITHIN(1e-7 * ours, ours, users);
}

static void test_a_constraint_from_a_library_gives_the_optimum_of_an_obstacle(void) {
  double ours = optimum(GRID ", 'obstacles': [{'frame': 'tip', 'half_space': {'normal': [-1, 0, 0],"
                             "'offset': -1.25}}]",
                        "");
  double users = optimum(GRID, SIDE ", 'lower': null, 'upper': 1.25}");
  // it matters: the tip, 0.5 m from the cart, gets to the bound and not beyond
  const Trajectory *t = result->trajectory;
  double farthest = -INFINITY;
  for (int k = 0; k < t->n_interval * t->n_point; k++) {
    farthest = fmax(farthest, t->pq[2 * k] + 0.5 * sin(t->pq[2 * k + 1]));
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.25, farthest);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6 * ours, ours, users);
}

// ---- bad terms ---------------------------------------------------------------------------------

typedef struct Bad {
  const char *term;
  const char *where;    // behind "t.json: "
  const char *what[2];  // parts of the message
} Bad;

#define HAND(function, use) "{'library': '@hand.so', 'function': '" function "', 'use': '" use "'"

static const Bad bad[] = {
    {"5", "terms[0]", {"must be an object"}},
    {"{'function': 'f', 'use': 'cost'}", "terms[0]", {"missing \"library\""}},
    {"{'library': '', 'function': 'f', 'use': 'cost'}", "terms[0].library", {"is empty"}},
    {TIP ", 'wieght': 1}", "terms[0]", {"unknown key \"wieght\"", "did you mean \"weight\"?"}},
    {"{'library': 'gone.so', 'function': 'f', 'use': 'cost'}",
     "terms[0]",
     {"tasks/gone.so", "no such file"}},
    {"{'library': '@hand.c', 'function': 'f', 'use': 'cost'}",
     "terms[0]",
     {"hand.c", "can't be loaded as a shared object"}},
    {"{'library': '@', 'function': 'f', 'use': 'cost'}", "terms[0]", {"is not a file"}},
    {HAND("gone", "cost") "}", "terms[0]", {"hand.so: gone", "no function of this name"}},
    {HAND("mix", "price") "}", "terms[0].use", {"unknown use \"price\""}},
    {HAND("alone", "cost") "}",
     "terms[0]",
     {"hand.so: jac_alone", "alone, jac_alone and hess_alone"}},
    {HAND("flat", "cost") "}", "terms[0]", {"hand.so: hess_flat", "tools/casadi_term.py"}},
    {HAND("twice", "cost") "}", "terms[0]", {"has 2 inputs; must have 3: q, v, u"}},
    {HAND("many", "cost") "}", "terms[0]", {"has 2 outputs; must have one"}},
    {HAND("wide", "cost") "}", "terms[0]", {"input 0", "must be q, a dense 2 x 1"}},
    {HAND("matrix", "cost") "}", "terms[0]", {"5 x 5", "must be one dense column"}},
    {HAND("nominal", "cost") "}", "terms[0]", {"input 3", "must be the nominal output, empty"}},
    {HAND("lean", "cost") "}", "terms[0]", {"output 1", "is 1 x 1; must be 1 x 2"}},
    {HAND("top", "cost") "}", "terms[0]", {"entry (1, 3) but not (3, 1)", "lower triangle"}},
    {HAND("small", "cost") "}", "terms[0]", {"is 1 x 2; must be 5 x 5, over q, v, u"}},
    {"{'library': '@tip.so', 'function': 'tip', 'use': 'cost'}",
     "terms[0]",
     {"has 3 rows; a cost has 1"}},
    {HAND("mix", "cost") ", 'weight': -1}", "terms[0].weight", {"-1"}},
    {HAND("mix", "cost") ", 'lower': 1}", "terms[0].lower", {"is for a constraint only"}},
    {TIP ", 'weight': 1}", "terms[0].weight", {"is for a cost only"}},
    {TIP ", 'upper': -1}", "terms[0]", {"row 0: lower 0 (the default) exceeds upper -1"}},
    {TIP ", 'lower': [1, 2, 3], 'upper': [2, 1, 4]}",
     "terms[0]",
     {"row 1: lower 2 exceeds upper 1"}},
    {TIP ", 'lower': [1, 2]}", "terms[0].lower", {"has 2 numbers; the function has 3 rows"}},
    {TIP ", 'lower': [1, 'a', 2]}", "terms[0].lower[1]", {"must be a number"}},
    {TIP ", 'lower': null}", "terms[0]", {"neither a lower nor an upper bound"}},
    {XI, "terms[0].use", {"explicit ODE formulation", "not IMPL"}},
};

static void check_refused(const char *keys, const Bad *b) {
  char where[64];
  snprintf(where, sizeof where, "t.json: %s", b->where);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, parse(keys, b->term), b->term);
  TEST_ASSERT_NULL(ocp);
  TEST_ASSERT_EQUAL_STRING_MESSAGE(where, err.where, err.what);
  for (int k = 0; k < 2 && b->what[k]; k++) {
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.what, b->what[k]) != NULL, err.what);
  }
}

static void test_bad_terms_are_refused_with_place_and_rule(void) {
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) check_refused("'horizon': 2", &bad[i]);
  static const Bad explicit_form[] = {
      {XI "," XI, "terms[1].use", {"\"xi\" gives the dynamics already"}},
      {HAND("mix", "dynamics") "}", "terms[0]", {"1 rows; dynamics have 2, the accelerations"}}};
  for (int i = 0; i < 2; i++) {
    check_refused("'horizon': 2, 'formulation': 'EXP2-O'", &explicit_form[i]);
  }
}

static void test_dynamics_refuse_a_formulation_chosen_later(void) {
  load(GRID ", 'formulation': 'EXP1-O'", XI);
  ocp->form = &dyn_implicit;
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, colloc_build(&colloc, ocp, &err));
  TEST_ASSERT_NULL(colloc);
  TEST_ASSERT_TRUE_MESSAGE(strstr(err.what, "not IMPL") != NULL, err.what);
}

static void test_a_failed_allocation_leaves_nothing_behind(void) {
  Status status = STATUS_NO_MEMORY;
  int n = 0;
  for (; status != STATUS_OK; n++) {
    fail_allocation(n);
    status = parse("'horizon': 2, 'intervals': 2, 'formulation': 'EXP1-O'", ALL "," XI);
    fail_allocation(-1);
    if (status != STATUS_OK) TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_NO_MEMORY, status, err.what);
  }
  TEST_ASSERT_TRUE(n > 20);
  status = STATUS_NO_MEMORY;
  for (n = 0; status != STATUS_OK; n++) {
    fail_allocation(n);
    status = colloc_build(&colloc, ocp, &err);
    fail_allocation(-1);
    if (status != STATUS_OK) TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_NO_MEMORY, status, err.what);
  }
  TEST_ASSERT_TRUE(n > 10);
}

int main(void) {
  if (!expr_compile_available()) {
    printf("skipped: no C compiler here\n");
    return 77;
  }
  if (!scratch_folder() || !make_libraries()) {
    fprintf(stderr, "%s: %s\n", err.where, err.what);
    return 1;
  }
  UNITY_BEGIN();
  RUN_TEST(test_derivatives_are_exact_with_terms_in_every_layout_and_scheme);
  RUN_TEST(test_derivatives_are_exact_with_terms_and_free_time);
  RUN_TEST(test_rows_of_terms_have_bounds_and_names);
  RUN_TEST(test_dynamics_from_a_library_give_the_optimum_of_the_built_in_ones);
  RUN_TEST(test_a_cost_from_a_library_gives_the_optimum_of_the_built_in_one);
  RUN_TEST(test_a_constraint_from_a_library_gives_the_optimum_of_an_obstacle);
  RUN_TEST(test_bad_terms_are_refused_with_place_and_rule);
  RUN_TEST(test_dynamics_refuse_a_formulation_chosen_later);
  RUN_TEST(test_a_failed_allocation_leaves_nothing_behind);
  scratch_remove();
  return UNITY_END();
}
