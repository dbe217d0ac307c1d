// SPDX-License-Identifier: MIT
#include "bench_chain.h"

#include "bench_points.h"
#include "dynamics/dyn_function.h"
#include "expr/expr_tape.h"
#include "robot_gen.h"

static Status chain(Model **out, int n, Error *err) {
  *out = NULL;
  RobotGenOptions options = robot_gen_defaults();
  options.kind = ROBOT_GEN_CHAIN;
  options.n_joint = n;
  options.alternating = true;
  TextBuf text = {0};
  robot_gen(&text, &options);
  Status status = text.failed ? error_no_memory(err) : model_parse(out, text.text, "chain", err);
  textbuf_free(&text);
  return status;
}

static Status count(const Model *m, const DynForm *form, int *ops, double *ms, Error *err) {
  double start = bench_now();
  DynFunction *terms;
  ExprTape *tape = NULL;
  Status status = dyn_terms_build(&terms, m, form, err);
  *ms = 1e3 * (bench_now() - start);
  if (status == STATUS_OK) status = expr_tape_build(&tape, &terms->f, TAPE_FOR_COMPILER, err);
  if (status == STATUS_OK) *ops = tape->count.total;
  expr_tape_free(tape);
  dyn_function_free(terms);
  return status;
}

Status bench_chain_run(BenchChain out[BENCH_N_CHAINS], Error *err) {
  Status status = STATUS_OK;
  for (int i = 0; i < BENCH_N_CHAINS && status == STATUS_OK; i++) {
    BenchChain *c = &out[i];
    c->n_joint = 50 << i;
    Model *m;
    status = chain(&m, c->n_joint, err);
    if (status == STATUS_OK) {
      status = count(m, &dyn_implicit, &c->implicit_ops, &c->implicit_ms, err);
    }
    if (status == STATUS_OK) {
      status = count(m, &dyn_exp2_ode, &c->explicit_ops, &c->explicit_ms, err);
    }
    model_free(m);
  }
  return status;
}
