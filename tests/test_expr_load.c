// SPDX-License-Identifier: MIT
// Libraries written by hand: the defaults of the interface, and everything that can be wrong with
// one.
#include "expr/expr_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/textbuf.h"
#include "emit_support.h"
#include "expr/expr_compile.h"
#include "unity.h"

// one library with many functions; P declares the function itself
static const char *const text[] = {
    "typedef long long I;\n",
    "#define P(f) int f(const double **arg, double **res, I *iw, double *w, int mem)\n",
    // nothing but the function: one scalar to one scalar
    "P(plain) { if (res[0]) res[0][0] = arg[0] ? 2 * arg[0][0] : -1; return 0; }\n",
    "P(fails) { return 1; }\n",
    "P(gives_nan) { if (res[0]) res[0][0] = 0.0 / (arg[0] ? 0 * arg[0][0] : 0); return 0; }\n",
    // everything there is, both spellings of a pattern, work arrays in use
    "static I log_[6];\n",
    "P(log) { for (int k = 0; k < 5; k++) res[0][k] = log_[k]; return 0; }\n",
    "const I *log_sparsity_out(I i) { static const I s[] = {5, 1, 1}; return s; }\n",
    "void rich_incref(void) { log_[0]++; }\n",
    "void rich_decref(void) { log_[1]++; }\n",
    "int rich_checkout(void) { log_[2]++; return 5; }\n",
    "void rich_release(int mem) { log_[3]++; log_[4] = mem; }\n",
    "I rich_n_in(void) { return 2; }\n",
    "I rich_n_out(void) { return 3; }\n",
    "double rich_default_in(I i) { return i + 0.5; }\n",
    "const char *rich_name_in(I i) { return i ? \"p\" : \"A\"; }\n",
    "const char *rich_name_out(I i) { return i == 0 ? \"y\" : i == 1 ? \"S\" : \"none\"; }\n",
    "static const I dense[] = {2, 3, 1};\n",
    "const I *rich_sparsity_in(I i) { return i ? 0 : dense; }\n",
    "const I *rich_sparsity_out(I i) {\n",
    "  static const I full[] = {2, 1, 0, 2, 0, 1}, sparse[] = {3, 3, 0, 1, 1, 3, 2, 0, 1};\n",
    "  static const I none[] = {0, 0, 0};\n",
    "  return i == 0 ? full : i == 1 ? sparse : none; }\n",
    "int rich_work(I *a, I *r, I *i, I *w) { *a = 4; *r = 7; *i = 3; *w = 6; return 0; }\n",
    "int rich_work_bytes(I *a, I *r, I *i, I *w) {\n",
    "  *a = 32; *r = 56; *i = 24; *w = 48; return 0; }\n",
    "P(rich) {\n",
    "  for (int k = 0; k < 6; k++) w[k] = (arg[0] ? arg[0][k] : 0) + (arg[1] ? arg[1][0] : 0);\n",
    "  iw[2] = mem; arg[3] = 0; res[6] = 0;\n",
    "  for (int k = 0; res[0] && k < 2; k++) res[0][k] = w[k];\n",
    "  for (int k = 0; res[1] && k < 3; k++) res[1][k] = w[3 + k];\n",
    "  return iw[2] == 5 ? 0 : 2; }\n",
    // wrong in one way each
    "#define WRONG(f, ...) P(f) { return 0; } \\\n",
    "  const I *f##_sparsity_out(I i) { static const I s[] = {__VA_ARGS__}; return s; }\n",
    "WRONG(bad_start, 2, 2, 7, 1, 2, 0, 1)\n",
    "WRONG(bad_falls, 2, 2, 0, 2, 1, 0, 1)\n",
    "WRONG(bad_many, 2, 2, 0, 3, 4, 0, 1, 2, 1)\n",
    "WRONG(bad_row, 2, 2, 0, 1, 2, 0, 2)\n",
    "WRONG(bad_negative, 2, 2, 0, 1, 2, -1, 0)\n",
    "WRONG(bad_order, 2, 1, 0, 2, 1, 0)\n",
    "WRONG(bad_twice, 2, 1, 0, 2, 1, 1)\n",
    "WRONG(bad_size, -2, 2, 0, 0, 0)\n",
    "WRONG(bad_huge, 4000000000LL, 4000000000LL, 1)\n",
    "WRONG(bad_dense, 100000, 100000, 1)\n",
    "WRONG(bad_count, 1, 1, 1)\nI bad_count_n_in(void) { return -3; }\n",
    "WRONG(bad_ports, 1, 1, 1)\nI bad_ports_n_out(void) { return 1LL << 40; }\n",
    "WRONG(bad_name, 1, 1, 1)\nconst char *bad_name_name_in(I i) { return 0; }\n",
    "WRONG(bad_work, 1, 1, 1)\nint bad_work_work(I *a, I *r, I *i, I *w) { return 1; }\n",
    "WRONG(bad_sizes, 1, 1, 1)\n",
    "int bad_sizes_work(I *a, I *r, I *i, I *w) { *w = -1; return 0; }\n",
    "WRONG(bad_float, 1, 1, 1)\nint bad_float_work(I *a, I *r, I *i, I *w) { *w = 3; return 0; }\n",
    "int bad_float_work_bytes(I *a, I *r, I *i, I *w) { *w = 12; return 0; }\n",
    "WRONG(bad_memory, 1, 1, 1)\nint bad_memory_checkout(void) { return -1; }\n",
};

static const char *library;
static ExprExtern *f;
static void *work;
static Error err;

void setUp(void) {
  err = (Error){0};
}

void tearDown(void) {
  fail_allocation(-1);
  expr_extern_free(f);
  free(work);
  f = NULL;
  work = NULL;
}

static void open_function(const char *name) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, expr_load(&f, library, name, &err), err.what);
  work = aligned_alloc(64, (expr_extern_work_size(f) / 64 + 1) * 64);
}

static void test_what_is_not_said_has_defaults(void) {
  open_function("plain");
  TEST_ASSERT_EQUAL_INT(1, f->n_in);
  TEST_ASSERT_EQUAL_INT(1, f->n_out);
  TEST_ASSERT_EQUAL_STRING("i0", f->in[0].name);
  TEST_ASSERT_EQUAL_STRING("o0", f->out[0].name);
  TEST_ASSERT_EQUAL_INT(1, f->in[0].nnz);
  TEST_ASSERT_FALSE(f->has_lanes);
  double x = 21, y = 0, *res[] = {&y};
  const double *arg[] = {&x};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(f, arg, res, work, &err));
  TEST_ASSERT_EQUAL_DOUBLE(42, y);
  arg[0] = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(f, arg, res, work, &err));
  TEST_ASSERT_EQUAL_DOUBLE(-1, y);
}

static void test_both_spellings_of_a_pattern_are_read(void) {
  open_function("rich");
  TEST_ASSERT_EQUAL_INT(2, f->n_in);
  TEST_ASSERT_EQUAL_INT(3, f->n_out);
  TEST_ASSERT_EQUAL_STRING("A", f->in[0].name);
  TEST_ASSERT_EQUAL_INT(6, f->in[0].nnz);
  const int colptr[] = {0, 2, 4, 6}, row[] = {0, 1, 0, 1, 0, 1};
  TEST_ASSERT_EQUAL_INT_ARRAY(colptr, f->in[0].colptr, 4);
  TEST_ASSERT_EQUAL_INT_ARRAY(row, f->in[0].row, 6);
  TEST_ASSERT_EQUAL_INT(1, f->in[1].nnz);  // NULL: a scalar
  TEST_ASSERT_EQUAL_DOUBLE(1.5, f->in[1].default_value);
  const int s_colptr[] = {0, 1, 1, 3}, s_row[] = {2, 0, 1};
  TEST_ASSERT_EQUAL_INT_ARRAY(s_colptr, f->out[1].colptr, 4);
  TEST_ASSERT_EQUAL_INT_ARRAY(s_row, f->out[1].row, 3);
  TEST_ASSERT_EQUAL_INT(2, f->out[0].nnz);
  TEST_ASSERT_EQUAL_INT(0, f->out[2].n_col);
}

static void test_work_arrays_and_memory_are_handed_over(void) {
  open_function("rich");
  const double a[6] = {1, 2, 3, 4, 5, 6}, p = 10, *arg[] = {a, &p};
  double y[2], s[3], *res[] = {y, s, NULL};
  for (int i = 0; i < 3; i++) {
    TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(f, arg, res, work, &err));
  }
  const double want_y[] = {11, 12}, want_s[] = {14, 15, 16};
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(want_y, y, 2);
  TEST_ASSERT_EQUAL_DOUBLE_ARRAY(want_s, s, 3);
  TEST_ASSERT_EQUAL_PTR(a, arg[0]);  // our arrays are not the function's to change
}

static void test_many_points_go_one_by_one(void) {
  open_function("rich");
  enum { N = 9 };
  double a[6 * N], y[2 * N], s[3 * N];
  for (int k = 0; k < 6 * N; k++) a[k] = k;
  LaneIn in[] = {{a, N, 1}, {NULL, 0, 0}};
  LaneOut out[] = {{y, 1, 2}, {s, N, 1}, {NULL, 0, 0}};
  TEST_ASSERT_TRUE(expr_extern_eval_points(f, N, in, out, work));
  for (int j = 0; j < N; j++) {
    TEST_ASSERT_EQUAL_DOUBLE(a[j], y[2 * j]);
    TEST_ASSERT_EQUAL_DOUBLE(a[N + j], y[2 * j + 1]);
    TEST_ASSERT_EQUAL_DOUBLE(a[5 * N + j], s[2 * N + j]);
  }
}

static void test_a_function_that_fails_is_told(void) {
  double x = 1, y = 0, *res[] = {&y};
  const double *arg[] = {&x};
  static const char *const names[] = {"fails", "gives_nan", "bad_memory"};
  for (int i = 0; i < 3; i++) {
    open_function(names[i]);
    TEST_ASSERT_EQUAL_INT(STATUS_NUMERIC, expr_extern_eval(f, arg, res, work, &err));
    TEST_ASSERT_EQUAL_STRING(names[i], err.where);
    LaneIn in = {&x, 1, 0};
    LaneOut out = {&y, 1, 0};
    TEST_ASSERT_FALSE(expr_extern_eval_points(f, 2, &in, &out, work));
    tearDown();
  }
}

static void refused(const char *path, const char *name, Status expected, const char *reason) {
  Status s = expr_load(&f, path, name, &err);
  TEST_ASSERT_NULL(f);
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected, s, name);
  if (!strstr(err.what, reason)) TEST_FAIL_MESSAGE(err.what);
  TEST_ASSERT_NOT_NULL(strstr(err.where, path));
}

static void test_wrong_libraries_are_refused_with_the_reason(void) {
  refused(library, "bad_start", STATUS_INPUT, "colptr[0] is 7");
  refused(library, "bad_falls", STATUS_INPUT, "colptr[2] = 1 after 2");
  refused(library, "bad_many", STATUS_INPUT, "colptr[1] = 3 after 0, with 2 rows");
  refused(library, "bad_row", STATUS_INPUT, "row 2 in column 1");
  refused(library, "bad_negative", STATUS_INPUT, "row -1 in column 0");
  refused(library, "bad_order", STATUS_INPUT, "row 0 in column 0");
  refused(library, "bad_twice", STATUS_INPUT, "row 1 in column 0");
  refused(library, "bad_size", STATUS_INPUT, "-2 x 2");
  refused(library, "bad_huge", STATUS_INPUT, "no size of a matrix");
  refused(library, "bad_dense", STATUS_INPUT, "too large");
  refused(library, "bad_count", STATUS_INPUT, "n_in is -3");
  refused(library, "bad_ports", STATUS_INPUT, "n_out is");
  refused(library, "bad_name", STATUS_INPUT, "name_in(0) is NULL");
  refused(library, "bad_work", STATUS_INPUT, "work fails");
  refused(library, "bad_sizes", STATUS_INPUT, "work asks for -1");
  refused(library, "bad_float", STATUS_INPUT, "casadi_real");
  refused(library, "not_there", STATUS_INPUT, "no function of this name");
}

static void test_files_that_are_no_library_are_refused(void) {
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("none.so"));
  refused(path, "f", STATUS_INPUT, "no such file");
  TextBuf b = {0};
  textbuf_add(&b, "this is not a library\n");
  TEST_ASSERT_EQUAL_INT(STATUS_OK, textbuf_save(&b, path, &err));
  textbuf_free(&b);
  refused(path, "f", STATUS_INPUT, "can't be loaded");
  snprintf(path, sizeof path, "%s", scratch_path(""));
  refused(path, "f", STATUS_INPUT, "is not a file");
}

static void test_the_count_of_references_is_kept(void) {
  open_function("log");
  double before[5], after[5], *res[] = {before};
  const double *arg[] = {NULL};
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(f, arg, res, work, &err));
  ExprExtern *rich = NULL;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_load(&rich, library, "rich", &err));
  void *rich_work = aligned_alloc(64, (expr_extern_work_size(rich) / 64 + 1) * 64);
  const double *none[] = {NULL, NULL};
  double *skipped[] = {NULL, NULL, NULL};
  Status s = expr_extern_eval(rich, none, skipped, rich_work, &err);
  free(rich_work);
  expr_extern_free(rich);
  TEST_ASSERT_EQUAL_INT(STATUS_OK, s);
  res[0] = after;
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_extern_eval(f, arg, res, work, &err));
  // incref, decref, checkout, release once each; released what was checked out
  for (int k = 0; k < 4; k++) TEST_ASSERT_EQUAL_DOUBLE(before[k] + 1, after[k]);
  TEST_ASSERT_EQUAL_DOUBLE(5, after[4]);
}

static void test_every_failing_allocation_is_reported(void) {
  for (int n = 0;; n++) {
    fail_allocation(n);
    Status s = expr_load(&f, library, "rich", &err);
    bool enough = allocations_so_far() <= n;
    fail_allocation(-1);
    TEST_ASSERT_EQUAL_INT(enough ? STATUS_OK : STATUS_NO_MEMORY, s);
    TEST_ASSERT_TRUE(enough == (f != NULL));
    if (enough) break;
  }
  for (int n = 0; n < 12; n++) {
    Error e = {0};
    fail_allocation(n);
    Status s = expr_compile(scratch_path("missing.c"), scratch_path("missing.so"), false, &e);
    fail_allocation(-1);
    TEST_ASSERT_TRUE(s == STATUS_NO_MEMORY || s == STATUS_INPUT);
  }
}

// ---- the compiler ------------------------------------------------------------------------------

static void test_the_compiler_is_quoted_when_it_complains(void) {
  TEST_ASSERT_NULL(scratch_library("wrong", "int f( { return surprise; }\n", false, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_IO, err.code);
  TEST_ASSERT_NOT_NULL(strstr(err.what, "error"));
  refused(scratch_path("wrong.so"), "f", STATUS_INPUT, "no such file");
}

static void test_a_missing_compiler_is_told(void) {
  const char *before = getenv("CC");
  char kept[256];
  snprintf(kept, sizeof kept, "%s", before ? before : "");
  setenv("CC", "no-such-compiler -O9", 1);
  const char *none = scratch_library("never", "int f;\n", false, &err);
  bool available = expr_compile_available();
  if (before) setenv("CC", kept, 1);
  else unsetenv("CC");
  TEST_ASSERT_NULL(none);
  TEST_ASSERT_FALSE(available);
  TEST_ASSERT_EQUAL_INT(STATUS_INPUT, err.code);
  TEST_ASSERT_EQUAL_STRING("no-such-compiler", err.where);
}

static bool prepare(void) {
  TextBuf b = {0};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) textbuf_add(&b, text[i]);
  static char path[512];
  const char *p = b.failed ? NULL : scratch_library("by_hand", b.text, false, &err);
  textbuf_free(&b);
  if (p) snprintf(path, sizeof path, "%s", p);
  library = path;
  return p != NULL;
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
  RUN_TEST(test_what_is_not_said_has_defaults);
  RUN_TEST(test_both_spellings_of_a_pattern_are_read);
  RUN_TEST(test_work_arrays_and_memory_are_handed_over);
  RUN_TEST(test_many_points_go_one_by_one);
  RUN_TEST(test_a_function_that_fails_is_told);
  RUN_TEST(test_wrong_libraries_are_refused_with_the_reason);
  RUN_TEST(test_files_that_are_no_library_are_refused);
  RUN_TEST(test_the_count_of_references_is_kept);
  RUN_TEST(test_every_failing_allocation_is_reported);
  RUN_TEST(test_the_compiler_is_quoted_when_it_complains);
  RUN_TEST(test_a_missing_compiler_is_told);
  int failed = UNITY_END();
  scratch_remove();
  return failed;
}
