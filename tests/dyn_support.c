// SPDX-License-Identifier: MIT
#include "dyn_support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot_gen.h"
#include "unity.h"

static const char ROBOT_DIR[] = "configs/robots";

// ---- states and robots -------------------------------------------------------------------------

void state_random(State *s, const Model *m, Rng *rng) {
  TEST_ASSERT_LESS_OR_EQUAL_INT(MAX_NV, m->nv);
  memset(s, 0, sizeof *s);
  for (int i = 0; i < m->nv; i++) {
    double reach = m->joint[i].type == JOINT_REVOLUTE ? 3.14159 : 0.5;
    s->q[i] = rng_uniform(rng, -reach, reach);
    s->v[i] = rng_uniform(rng, -2, 2);
    s->a[i] = rng_uniform(rng, -5, 5);
    s->u[i] = rng_uniform(rng, -10, 10);
    s->lambda[i] = rng_uniform(rng, -1, 1);
    s->tau[i] = rng_uniform(rng, -10, 10);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(Model *const *)a)->path, (*(Model *const *)b)->path);
}

int robots_load(Model *robot[MAX_ROBOTS]) {
  DIR *dir = opendir(ROBOT_DIR);
  TEST_ASSERT_NOT_NULL_MESSAGE(dir, "run in the root of the source tree");
  int n = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0) continue;
    char path[400];
    snprintf(path, sizeof path, "%s/%s", ROBOT_DIR, e->d_name);
    Error err = {0};
    TEST_ASSERT_LESS_THAN_INT(MAX_ROBOTS, n);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_load(&robot[n], path, &err), err.what);
    n++;
  }
  closedir(dir);
  TEST_ASSERT_GREATER_THAN_INT(3, n);
  qsort(robot, (size_t)n, sizeof *robot, by_name);
  return n;
}

void robots_free(int n, Model **robot) {
  for (int i = 0; i < n; i++) model_free(robot[i]);
}

static Model *generate(const RobotGenOptions *opt) {
  TextBuf text = {0};
  robot_gen(&text, opt);
  TEST_ASSERT_FALSE(text.failed);
  Error err = {0};
  Model *m = NULL;
  Status status = model_parse(&m, text.text, "generated", &err);
  textbuf_free(&text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  TEST_ASSERT_EQUAL_INT(opt->n_joint, m->nv);
  return m;
}

Model *tree_random(int n_joint, uint64_t seed) {
  RobotGenOptions opt = robot_gen_defaults();
  opt.n_joint = n_joint;
  opt.seed = seed;
  opt.damping = opt.armature = seed % 4 != 0;
  opt.massless = seed % 4 == 3 ? 0.3 : 0;
  opt.branching = (double)(seed % 3) / 2;
  opt.actuated = 0.7;
  return generate(&opt);
}

Model *chain_build(int n_joint, int kind) {
  RobotGenOptions opt = robot_gen_defaults();
  opt.n_joint = n_joint;
  if (kind < 2) {
    opt.kind = ROBOT_GEN_CHAIN;
    opt.alternating = kind == 1;
  } else {
    opt.branching = 0;
    opt.prismatic = kind == 3 ? 0.3 : 0;
  }
  return generate(&opt);
}

Model *robot_parse(const char *text) {
  char *copy = strdup(text);
  TEST_ASSERT_NOT_NULL(copy);
  for (char *c = copy; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  Error err = {0};
  Model *m = NULL;
  Status status = model_parse(&m, copy, "test", &err);
  free(copy);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  return m;
}

// ---- expressions to numbers --------------------------------------------------------------------

void trace_open(Trace *t, const Model *m) {
  t->g = expr_graph_new();
  TEST_ASSERT_NOT_NULL(t->g);
  TEST_ASSERT_TRUE(dyn_trace_build(&t->tr, t->g, m));
}

void trace_close(Trace *t) {
  dyn_trace_free(&t->tr);
  expr_graph_free(t->g);
}

Numbers numbers_open(const ExprGraph *g, int n_out, const Expr *out) {
  static const ExprInput in[] = {{"q", MAX_NV, DYN_Q},           {"v", MAX_NV, DYN_V},
                                 {"a", MAX_NV, DYN_A},           {"u", MAX_NV, DYN_U},
                                 {"lambda", MAX_NV, DYN_LAMBDA}, {"tau", MAX_NV, DYN_TAU}};
  Numbers f = {.arena = arena_new(), .n_out = n_out};
  ExprOutput y = {.name = "y"};
  TEST_ASSERT_TRUE(expr_column(&y.value, f.arena, n_out, out));
  const ExprFunction fun = {.name = "numbers", .g = g, .n_in = 6, .in = in, .n_out = 1, .out = &y};
  Error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, expr_tape_build(&f.tape, &fun, TAPE_FOR_EVALUATOR, &err),
                                err.what);
  f.work = arena_alloc(f.arena, expr_tape_work_size(f.tape) + 64);
  TEST_ASSERT_NOT_NULL(f.work);
  return f;
}

void numbers_eval(const Numbers *f, int n_point, const State *s, double *y) {
  const long long step = (long long)(sizeof *s / sizeof(double));
  const LaneIn in[6] = {{s->q, 1, step}, {s->v, 1, step},      {s->a, 1, step},
                        {s->u, 1, step}, {s->lambda, 1, step}, {s->tau, 1, step}};
  const LaneOut out = {y, 1, f->n_out};
  TEST_ASSERT_TRUE_MESSAGE(expr_tape_eval(f->tape, n_point, in, &out, f->work), "NaN or Inf");
}

void numbers_close(Numbers *f) {
  expr_tape_free(f->tape);
  arena_free(f->arena);
}

// ---- dense algebra -----------------------------------------------------------------------------

double max_abs(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

double error_relative(int n, const double *expected, const double *actual) {
  double worst = 0, scale = max_abs(n, expected);
  for (int i = 0; i < n; i++) {
    double e = fabs(actual[i] - expected[i]);
    if (!(e <= worst)) worst = e;  // NaN stays
  }
  return worst == 0 ? 0 : worst / (scale > 0 ? scale : 1);
}

bool cholesky(int n, double *m) {
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double sum = m[i + n * j];
      for (int k = 0; k < j; k++) sum -= m[i + n * k] * m[j + n * k];
      if (i == j && !(sum > 0)) return false;
      m[i + n * j] = i == j ? sqrt(sum) : sum / m[j + n * j];
    }
  }
  return true;
}

void cholesky_solve(int n, const double *c, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= c[i + n * k] * x[k];
    x[i] /= c[i + n * i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= c[k + n * i] * x[k];
    x[i] /= c[i + n * i];
  }
}

double cholesky_condition(int n, const double *m, const double *c) {
  double norm = 0, inverse = 0, column[MAX_NV];
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += fabs(m[i + n * j]);
      column[i] = i == j;
    }
    norm = fmax(norm, sum);
    cholesky_solve(n, c, column);
    sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(column[i]);
    inverse = fmax(inverse, sum);
  }
  return norm * inverse;
}

void mass_fill(int n, double *mass) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < j; i++) mass[i + n * j] = mass[j + n * i];
  }
}
