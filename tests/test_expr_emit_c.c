// SPDX-License-Identifier: MIT
// Emitted C, compiled and loaded, against the evaluator.
#include "expr/expr_emit_c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "emit_support.h"
#include "expr/expr_compile.h"
#include "expr/expr_load.h"
#include "expr/expr_tape.h"
#include "unity.h"

enum { N_FUNCTION = 6, MAX_POINT = 400, MAX_NNZ = 24, GUARD = 8 };

static RandomFunction fun[N_FUNCTION];
static const char *const names[N_FUNCTION] = {"f0", "f1", "f2", "f3", "f4", "many_parts"};
static const int n_op[N_FUNCTION] = {3, 10, 20, 40, 60, 350};
static const int in_len[RANDOM_N_IN] = {5, 3, 4, 0};

static ExprTape *tape;
static ExprExtern *ext;
static void *tape_work, *ext_work;
static TextBuf source, header;
static Error err;
static const char *library[2];  // portable, native
static ExprEmitItem jac;        // of function 2
static double input[RANDOM_N_IN][5 * MAX_POINT + 1];
static double expected[RANDOM_N_OUT][MAX_NNZ * MAX_POINT],
    actual[RANDOM_N_OUT][MAX_NNZ * MAX_POINT + GUARD];

void setUp(void) {
  err = (Error){0};
}

static void drop(void) {
  expr_tape_free(tape);
  expr_extern_free(ext);
  free(tape_work);
  free(ext_work);
  tape = NULL;
  ext = NULL;
  tape_work = ext_work = NULL;
}

void tearDown(void) {
  fail_allocation(-1);
  drop();
  textbuf_free(&source);
  textbuf_free(&header);
}

static void *work_block(size_t size) {
  return aligned_alloc(64, (size / 64 + 1) * 64);
}

// function k ready to run in both ways
static void open_function(int k, const char *path) {
  drop();
  Status s = expr_tape_build(&tape, &fun[k].f, TAPE_FOR_EVALUATOR, &err);
  if (s == STATUS_OK) s = expr_load(&ext, path, names[k], &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, s, err.what);
  tape_work = work_block(expr_tape_work_size(tape));
  ext_work = work_block(expr_extern_work_size(ext));
}

// random inputs for n points; element k of point j at k * item + j * point
static void fill_inputs(int n, uint64_t seed) {
  Rng rng;
  rng_seed(&rng, seed);
  for (int i = 0; i < RANDOM_N_IN; i++) {
    for (int k = 0; k < in_len[i] * n; k++) input[i][k] = rng_uniform(&rng, -1, 1);
  }
}

static void check(int k, int o, int n, const double *got, const char *what) {
  char text[96];
  for (int e = 0; e < n; e++) {
    double scale = 1 + fabs(expected[o][e]);
    snprintf(text, sizeof text, "%s, %s, output %d, value %d", names[k], what, o, e);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12 * scale, expected[o][e], got[e], text);
  }
}

// ---- same numbers ------------------------------------------------------------------------------

static void places(int k, int n, bool together, LaneIn *in, LaneOut *want, LaneOut *got) {
  for (int i = 0; i < RANDOM_N_IN; i++) {
    in[i] = (LaneIn){input[i], together ? n : 1, together ? 1 : in_len[i]};
  }
  for (int o = 0; o < RANDOM_N_OUT; o++) {
    int nnz = fun[k].f.out[o].value.nnz;
    want[o] = (LaneOut){expected[o], together ? n : 1, together ? 1 : nnz};
    got[o] = (LaneOut){actual[o], together ? n : 1, together ? 1 : nnz};
  }
}

static void compare_points(int k, int n, bool together) {
  LaneIn in[RANDOM_N_IN];
  LaneOut want[RANDOM_N_OUT], got[RANDOM_N_OUT];
  places(k, n, together, in, want, got);
  for (int o = 0; o < RANDOM_N_OUT; o++) {
    int all = fun[k].f.out[o].value.nnz * n;
    for (int g = 0; g < GUARD; g++) actual[o][all + g] = 77;
  }
  TEST_ASSERT_TRUE(expr_tape_eval(tape, n, in, want, tape_work));
  TEST_ASSERT_TRUE(expr_extern_eval_points(ext, n, in, got, ext_work));
  for (int o = 0; o < RANDOM_N_OUT; o++) {
    int all = fun[k].f.out[o].value.nnz * n;
    check(k, o, all, actual[o], together ? "points together" : "points apart");
    for (int g = 0; g < GUARD; g++) TEST_ASSERT_TRUE(actual[o][all + g] == 77);
  }
}

static void test_compiled_lanes_equal_the_evaluator(void) {
  static const int n_point[] = {1, 7, 8, 9, 16, MAX_POINT};
  for (int l = 0; l < 2; l++) {
    for (int k = 0; k < N_FUNCTION; k++) {
      open_function(k, library[l]);
      TEST_ASSERT_TRUE(ext->has_lanes);
      for (int p = 0; p < 6; p++) {
        fill_inputs(n_point[p], (uint64_t)(p + 100 * k));
        compare_points(k, n_point[p], true);
        compare_points(k, n_point[p], false);
      }
    }
  }
}

static void evaluate_one_expected(int k, bool zero_x) {
  LaneIn in[RANDOM_N_IN];
  LaneOut want[RANDOM_N_OUT], got[RANDOM_N_OUT];
  places(k, 1, true, in, want, got);
  if (zero_x) memset(input[0], 0, sizeof input[0]);
  TEST_ASSERT_TRUE(expr_tape_eval(tape, 1, in, want, tape_work));
}

static void test_compiled_function_equals_the_evaluator(void) {
  const double *arg[RANDOM_N_IN] = {input[0], input[1], input[2], input[3]};
  double *res[RANDOM_N_OUT] = {actual[0], actual[1], actual[2]};
  for (int l = 0; l < 2; l++) {
    for (int k = 0; k < N_FUNCTION; k++) {
      open_function(k, library[l]);
      for (uint64_t seed = 0; seed < 20; seed++) {
        fill_inputs(1, seed);
        evaluate_one_expected(k, false);
        Status s = expr_extern_eval(ext, arg, res, ext_work, &err);
        TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, s, err.what);
        for (int o = 0; o < RANDOM_N_OUT; o++) {
          check(k, o, fun[k].f.out[o].value.nnz, actual[o], "one point");
        }
      }
    }
  }
}

static void test_absent_inputs_are_zeros_and_absent_outputs_are_skipped(void) {
  const double *arg[RANDOM_N_IN] = {NULL, NULL, input[2], NULL};
  for (int k = 0; k < N_FUNCTION; k++) {
    open_function(k, library[0]);
    fill_inputs(1, 5);
    evaluate_one_expected(k, true);
    for (int skipped = 0; skipped < RANDOM_N_OUT; skipped++) {
      double *res[RANDOM_N_OUT] = {actual[0], actual[1], actual[2]};
      res[skipped] = NULL;
      for (int e = 0; e < MAX_NNZ; e++) actual[0][e] = actual[1][e] = 99;
      TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(ext, arg, res, ext_work, &err));
      for (int o = 0; o < RANDOM_N_OUT; o++) {
        int nnz = fun[k].f.out[o].value.nnz;
        if (o != skipped) check(k, o, nnz, actual[o], "absent");
        else if (nnz) TEST_ASSERT_TRUE(actual[o][0] == 99);
      }
    }
    // the same many at a time
    LaneIn in[RANDOM_N_IN] = {{0}, {0}, {input[2], 1, 0}, {0}};
    LaneOut out[RANDOM_N_OUT] = {{0}, {actual[1], 1, MAX_NNZ}, {0}};
    TEST_ASSERT_TRUE(expr_extern_eval_points(ext, 9, in, out, ext_work));
    check(k, 1, fun[k].f.out[1].value.nnz, actual[1] + 8 * MAX_NNZ, "absent, lanes");
  }
}

static void test_patterns_and_names_survive(void) {
  for (int k = 0; k < N_FUNCTION; k++) {
    open_function(k, library[0]);
    const ExprFunction *f = &fun[k].f;
    TEST_ASSERT_EQUAL_INT(f->n_in, ext->n_in);
    TEST_ASSERT_EQUAL_INT(f->n_out, ext->n_out);
    for (int i = 0; i < f->n_in; i++) {
      TEST_ASSERT_EQUAL_STRING(f->in[i].name, ext->in[i].name);
      TEST_ASSERT_EQUAL_INT(f->in[i].n, ext->in[i].n_row);
      TEST_ASSERT_EQUAL_INT(1, ext->in[i].n_col);
      TEST_ASSERT_EQUAL_INT(f->in[i].n, ext->in[i].nnz);
    }
    for (int o = 0; o < f->n_out; o++) {
      const ExprMatrix *m = &f->out[o].value;
      const ExprPort *p = &ext->out[o];
      TEST_ASSERT_EQUAL_STRING(f->out[o].name, p->name);
      TEST_ASSERT_EQUAL_INT(m->n_row, p->n_row);
      TEST_ASSERT_EQUAL_INT(m->n_col, p->n_col);
      TEST_ASSERT_EQUAL_INT(m->nnz, p->nnz);
      TEST_ASSERT_EQUAL_INT_ARRAY(m->colptr, p->colptr, m->n_col + 1);
      if (m->nnz) TEST_ASSERT_EQUAL_INT_ARRAY(m->row, p->row, m->nnz);
    }
  }
}

static void test_values_that_are_not_finite_are_told(void) {
  open_function(2, library[0]);
  fill_inputs(9, 3);
  input[0][8] = NAN;  // element 0 of the last point
  LaneIn in[RANDOM_N_IN];
  LaneOut want[RANDOM_N_OUT], got[RANDOM_N_OUT];
  places(2, 9, true, in, want, got);
  TEST_ASSERT_FALSE(expr_extern_eval_points(ext, 9, in, got, ext_work));
  TEST_ASSERT_TRUE(expr_extern_eval_points(ext, 8, in, got, ext_work));
  const double *arg[RANDOM_N_IN] = {input[0] + 8, NULL, input[2], NULL};
  double *res[RANDOM_N_OUT] = {actual[0], actual[1], actual[2]};
  TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, expr_extern_eval(ext, arg, res, ext_work, &err));
}

// ---- derivatives, names, memory ----------------------------------------------------------------

static void test_the_jacobian_has_the_shape_that_casadi_looks_for(void) {
  TEST_ASSERT_EQUAL_STRING("jac_f2", jac.f->name);
  TEST_ASSERT_EQUAL_INT(RANDOM_N_IN * RANDOM_N_OUT, jac.f->n_out);
  const ExprOutput *d = &jac.f->out[RANDOM_N_IN + 2];
  TEST_ASSERT_EQUAL_STRING("jac_sparse_4_p", d->name);
  TEST_ASSERT_EQUAL_INT(24, d->value.n_row);
  TEST_ASSERT_EQUAL_INT(4, d->value.n_col);
  // the outputs of the function are inputs without values
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, expr_load(&ext, library[0], "jac_f2", &err), err.what);
  TEST_ASSERT_EQUAL_INT(RANDOM_N_IN + RANDOM_N_OUT, ext->n_in);
  TEST_ASSERT_EQUAL_STRING("out_sparse_4", ext->in[RANDOM_N_IN + 1].name);
  TEST_ASSERT_EQUAL_INT(4, ext->in[RANDOM_N_IN + 1].n_row);
  TEST_ASSERT_EQUAL_INT(6, ext->in[RANDOM_N_IN + 1].n_col);
  TEST_ASSERT_EQUAL_INT(0, ext->in[RANDOM_N_IN + 1].nnz);
  TEST_ASSERT_EQUAL_INT(d->value.nnz, ext->out[RANDOM_N_IN + 2].nnz);
}

// the compiled block d sparse_4 / d p at the inputs that are filled in
static void evaluate_block(double *block) {
  const double *arg[RANDOM_N_IN + RANDOM_N_OUT] = {input[0], input[1], input[2]};
  double *res[RANDOM_N_IN * RANDOM_N_OUT] = {NULL};
  res[RANDOM_N_IN + 2] = block;
  Status s = expr_load(&ext, library[0], "jac_f2", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, s, err.what);
  ext_work = work_block(expr_extern_work_size(ext));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(ext, arg, res, ext_work, &err));
  drop();
}

static void test_jacobian_blocks_are_the_derivatives(void) {
  const double h = 1e-6;
  const ExprMatrix *m = &fun[2].f.out[1].value, *d = &jac.f->out[RANDOM_N_IN + 2].value;
  double block[24 * 4], plus[MAX_NNZ];
  fill_inputs(1, 11);
  evaluate_block(block);
  open_function(2, library[0]);
  for (int j = 0; j < 4; j++) {
    // column j against central differences, as a full matrix
    double before = input[2][j], slope[24] = {0}, got[24] = {0};
    input[2][j] = before + h;
    evaluate_one_expected(2, false);
    memcpy(plus, expected[1], sizeof plus);
    input[2][j] = before - h;
    evaluate_one_expected(2, false);
    input[2][j] = before;
    for (int c = 0; c < m->n_col; c++) {
      for (int e = m->colptr[c]; e < m->colptr[c + 1]; e++) {
        slope[m->row[e] + 4 * c] = (plus[e] - expected[1][e]) / (2 * h);
      }
    }
    for (int e = d->colptr[j]; e < d->colptr[j + 1]; e++) got[d->row[e]] = block[e];
    for (int r = 0; r < 24; r++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-6 * (1 + fabs(slope[r])), slope[r], got[r]);
    }
  }
}

static void test_names_that_c_or_casadi_refuse_are_errors(void) {
  static const char *const wrong[] = {"", "1f", "a-b", "a__b", "null", "f(void){}", "jac", "a\"b"};
  for (int i = 0; i < 8; i++) {
    ExprFunction f = fun[0].f;
    f.name = wrong[i];
    ExprEmitItem item = {&f, 0, NULL};
    ExprEmit what = {"x", NULL, 1, &item, true};
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_INPUT, expr_emit_c(&source, NULL, &what, &err), wrong[i]);
  }
  ExprEmitItem twice[2] = {{&fun[0].f, 0, NULL}, {&fun[0].f, 0, NULL}};
  ExprEmit what = {"x", NULL, 2, twice, true};
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, expr_emit_c(&source, NULL, &what, &err));
}

static void test_the_header_declares_and_compiles(void) {
  ExprEmitItem item = {&fun[1].f, 0, NULL};
  ExprEmit what = {"my file", "a comment */ with\nsurprises", 1, &item, true};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_emit_c(&source, &header, &what, &err));
  TEST_ASSERT_NOT_NULL(strstr(header.text, "int f1_lanes("));
  TEST_ASSERT_NOT_NULL(strstr(header.text, "#define f1_SZ_ARG 4"));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, textbuf_save(&header, scratch_path("my_file.h"), &err));
  const char *user = "#include \"my_file.h\"\nint main_n(void);\n"
                     "int main_n(void) { return f1_SZ_RES + (int)f1_n_in(); }\n";
  TEST_ASSERT_NOT_NULL_MESSAGE(scratch_library("user", user, false, &err), err.what);
}

static void test_every_failing_allocation_is_reported(void) {
  ExprEmitItem item = {&fun[2].f, 0, NULL};
  ExprEmit what = {"x", "c", 1, &item, true};
  int n = 0;
  for (Status s = STATUS_NO_MEMORY; s != STATUS_OK; n++) {
    fail_allocation(n);
    s = expr_emit_c(&source, &header, &what, &err);
    fail_allocation(-1);
    textbuf_free(&source);
    textbuf_free(&header);
    TEST_ASSERT_TRUE(s == STATUS_OK || s == STATUS_NO_MEMORY);
    TEST_ASSERT_LESS_THAN_INT(1000, n);
  }
  TEST_ASSERT_GREATER_THAN_INT(5, n);
  for (int fails = 0;; fails++) {
    RandomFunction r;
    ExprEmitItem result;
    bool made = random_function(&r, "g", 1, 20);
    ExprEmitItem of = {&r.f, 0, NULL};
    fail_allocation(fails);
    Status s = made ? expr_emit_jacobian(&result, r.g, r.arena, &of, &err) : STATUS_INPUT;
    bool enough = allocations_so_far() <= fails;
    fail_allocation(-1);
    random_function_free(&r);
    TEST_ASSERT_EQUAL_INT(enough ? STATUS_OK : STATUS_NO_MEMORY, s);
    if (enough) break;
  }
}

// ---- all functions in one file, compiled twice -------------------------------------------------

// valgrind does not know every instruction of this machine
static bool can_run_native(void) {
  const char *preload = getenv("LD_PRELOAD");
  return !preload || !strstr(preload, "vgpreload");
}

static bool prepare(void) {
  ExprEmitItem item[N_FUNCTION + 1];
  for (int k = 0; k < N_FUNCTION; k++) {
    if (!random_function(&fun[k], names[k], (uint64_t)k, n_op[k])) return false;
    item[k] = (ExprEmitItem){&fun[k].f, 0, NULL};
  }
  Status s = expr_emit_jacobian(&jac, fun[2].g, fun[2].arena, &item[2], &err);
  if (s != STATUS_OK) return false;
  item[N_FUNCTION] = jac;
  ExprEmit what = {"all", "every kind of function", N_FUNCTION + 1, item, true};
  if (expr_emit_c(&source, &header, &what, &err) != STATUS_OK) return false;
  if (!strstr(source.text, "many_parts_part1(")) return false;  // cut into parts, as meant
  static char path[2][512];
  for (int l = 0; l < 2; l++) {
    const char *p =
        scratch_library(l ? "native" : "portable", source.text, l == 1 && can_run_native(), &err);
    if (!p) return false;
    snprintf(path[l], sizeof path[l], "%s", p);
    library[l] = path[l];
  }
  textbuf_free(&source);
  textbuf_free(&header);
  return true;
}

int main(void) {
  if (!expr_compile_available()) {
    puts("skipped: no C compiler here (cc, or the one in CC)");
    return 77;
  }
  if (!scratch_folder() || !prepare()) {
    fprintf(stderr, "%s: %s\n", err.where, err.what);
    scratch_remove();
    return 1;
  }
  UNITY_BEGIN();
  RUN_TEST(test_compiled_lanes_equal_the_evaluator);
  RUN_TEST(test_compiled_function_equals_the_evaluator);
  RUN_TEST(test_absent_inputs_are_zeros_and_absent_outputs_are_skipped);
  RUN_TEST(test_patterns_and_names_survive);
  RUN_TEST(test_values_that_are_not_finite_are_told);
  RUN_TEST(test_the_jacobian_has_the_shape_that_casadi_looks_for);
  RUN_TEST(test_jacobian_blocks_are_the_derivatives);
  RUN_TEST(test_names_that_c_or_casadi_refuse_are_errors);
  RUN_TEST(test_the_header_declares_and_compiles);
  RUN_TEST(test_every_failing_allocation_is_reported);
  int failed = UNITY_END();
  for (int k = 0; k < N_FUNCTION; k++) random_function_free(&fun[k]);
  scratch_remove();
  return failed;
}
