// SPDX-License-Identifier: MIT
#include "loop_support.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/textbuf.h"
#include "dynamics/dyn_function.h"
#include "expr/expr_tape.h"
#include "robot_gen.h"
#include "unity.h"

static void add_side(TextBuf *b, Rng *rng, const char *key, int body) {
  textbuf_addf(b, "\"%s\": {\"body\": ", key);
  if (body == 0) textbuf_add(b, "\"base\"");
  else textbuf_addf(b, "\"b%d\"", body);
  double x[6];
  for (int i = 0; i < 6; i++) x[i] = rng_uniform(rng, -1, 1);
  textbuf_addf(b, ", \"xyz\": [%.3f, %.3f, %.3f], \"rpy\": [%.3f, %.3f, %.3f]}", x[0], x[1], x[2],
               x[3], x[4], x[5]);
}

// bodies of loop i, 0 is the world
typedef void Choose(Rng *rng, int n, int i, int body[2]);

static void choose_any(Rng *rng, int n, int i, int body[2]) {
  (void)i;
  body[0] = body[1] = (int)rng_uniform(rng, 0, n + 0.999);
  while (body[1] == body[0]) body[1] = (int)rng_uniform(rng, 0, n + 0.999);
}

// six joints for each loop
static void choose_apart(Rng *rng, int n, int i, int body[2]) {
  (void)rng;
  body[0] = n / N_LOOP_TYPES * i;
  body[1] = n / N_LOOP_TYPES * (i + 1);
}

static Model *generate(int n, double branching, uint64_t seed, Choose *choose) {
  RobotGenOptions opt = robot_gen_defaults();
  opt.n_joint = n;
  opt.branching = branching;
  opt.prismatic = branching > 0 ? opt.prismatic : 0.1;
  opt.seed = seed;
  opt.damping = opt.armature = seed % 2;
  TextBuf text = {0};
  robot_gen(&text, &opt);
  TEST_ASSERT_FALSE(text.failed);
  char *end = strrchr(text.text, '}');
  TEST_ASSERT_NOT_NULL(end);
  TextBuf b = {0};
  Rng rng;
  rng_seed(&rng, seed + 100);
  textbuf_addf(&b, "%.*s, \"loops\": [", (int)(end - text.text), text.text);
  for (int i = 0; i < N_LOOP_TYPES; i++) {
    int body[2];
    choose(&rng, n, i, body);
    const char *type = model_loop_type((LoopType)i);
    textbuf_addf(&b, "%s{\"name\": \"%s\", \"type\": \"%s\", ", i ? ",\n" : "", type, type);
    add_side(&b, &rng, "first", body[0]);
    textbuf_add(&b, ", ");
    add_side(&b, &rng, "second", body[1]);
    textbuf_add(&b, i == LOOP_DISTANCE ? ", \"distance\": 0.4}" : "}");
  }
  textbuf_add(&b, "]}");
  TEST_ASSERT_FALSE(b.failed);
  Error err = {0};
  Model *m = NULL;
  Status status = model_parse(&m, b.text, "generated", &err);
  textbuf_free(&text);
  textbuf_free(&b);
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, status, err.what);
  return m;
}

Model *tree_with_loops(int n, uint64_t seed) {
  return generate(n, 0.5, seed, choose_any);
}

Model *chain_with_loops(uint64_t seed) {
  return generate(6 * N_LOOP_TYPES, 0, seed, choose_apart);
}

Model *mechanism_load(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "configs/mechanisms/%s.json", name);
  Error err = {0};
  Model *m = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, model_load(&m, path, &err), err.what);
  return m;
}

double mechanism_energy(const Model *m, const double *q, const double *v) {
  Error err = {0};
  DynFunction *f;
  ExprTape *tape;
  double part[2];
  TEST_ASSERT_EQUAL_INT(STATUS_OK, dyn_energy_build(&f, m, &err));
  TEST_ASSERT_EQUAL_INT(STATUS_OK, expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, &err));
  Arena *arena = arena_new();
  void *work = arena_alloc(arena, expr_tape_work_size(tape));
  TEST_ASSERT_NOT_NULL(work);
  const LaneIn in[2] = {{q, 1, 0}, {v, 1, 0}};
  const LaneOut out[2] = {{&part[0], 1, 0}, {&part[1], 1, 0}};
  TEST_ASSERT_TRUE(expr_tape_eval(tape, 1, in, out, work));
  arena_free(arena);
  expr_tape_free(tape);
  dyn_function_free(f);
  return part[0] + part[1];
}
