// SPDX-License-Identifier: MIT
#include "cli/info_loops.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/json_out.h"
#include "dynamics/loop_method.h"
#include "expr/expr_tape.h"

enum { MAX_METHODS = 16 };

typedef struct MethodInfo {
  const LoopMethod *method;
  bool applies;
  ExprCount count;
  Error reason;  // why it does not apply
} MethodInfo;

static Status measure(MethodInfo *info, const Model *m, Error *err) {
  DynFunction *f = NULL;
  ExprTape *tape = NULL;
  if (info->method->applies(m, &info->reason) != STATUS_OK) {
    if (info->reason.code == STATUS_INPUT) return STATUS_OK;
    *err = info->reason;
    return err->code;
  }
  info->applies = true;
  Status status = loop_function_build(&f, m, info->method, err);
  if (status == STATUS_OK) status = expr_tape_build(&tape, &f->f, TAPE_FOR_COMPILER, err);
  if (status == STATUS_OK) info->count = tape->count;
  expr_tape_free(tape);
  dyn_function_free(f);
  return status;
}

static void print_text(const Model *m, const MethodInfo *info, int n) {
  command_put_text(stdout, m->name);
  printf(": %d coordinates, %d loops with %d constraints, %d actuated\n\n", m->nv, m->n_loop,
         model_n_rows(m), m->nu);
  printf("operations from (q, v, tau) to the accelerations\n");
  printf("  %-12s %8s %7s %7s %7s %6s %5s  %s\n", "", "total", "add", "sub", "mul", "div", "sqrt",
         "sin+cos");
  for (int i = 0; i < n; i++) {
    const ExprCount *c = &info[i].count;
    if (info[i].applies) {
      printf("  %-12s %8d %7d %7d %7d %6d %5d  %7d\n", info[i].method->name, c->total, c->add,
             c->sub, c->mul, c->div, c->sqrt, c->sincos);
    } else {
      printf("  %-12s does not apply: ", info[i].method->name);
      command_put_text(stdout, info[i].reason.what);
      putchar('\n');
    }
  }
}

static Status print_json(const Model *m, const MethodInfo *info, int n, Error *err) {
  JsonOut out = {0};
  json_out_open(&out, NULL, '{');
  json_out_string(&out, "robot", m->name);
  json_out_int(&out, "joints", m->nv);
  json_out_int(&out, "actuators", m->nu);
  json_out_int(&out, "loops", m->n_loop);
  json_out_int(&out, "constraints", model_n_rows(m));
  json_out_open(&out, "methods", '[');
  for (int i = 0; i < n; i++) {
    json_out_open(&out, NULL, '{');
    json_out_string(&out, "name", info[i].method->name);
    json_out_bool(&out, "applies", info[i].applies);
    if (info[i].applies) json_out_int(&out, "operations", info[i].count.total);
    else json_out_string(&out, "reason", info[i].reason.what);
    json_out_close(&out);
  }
  json_out_close(&out);
  json_out_close(&out);
  return json_out_print(&out, err);
}

Status info_loops(const Args *args, const Model *m, Error *err) {
  MethodInfo info[MAX_METHODS] = {{0}};
  int n = 0;
  const char *const not_here[] = {"formulation", "layout"};
  for (int i = 0; i < 2; i++) {
    if (!options_has(args, not_here[i])) continue;
    return error_set(err, STATUS_INPUT, m->path, "a robot with loops has methods, no --%s",
                     not_here[i]);
  }
  for (; loop_methods[n] && n < MAX_METHODS; n++) {
    info[n].method = loop_methods[n];
    if (measure(&info[n], m, err) != STATUS_OK) return err->code;
  }
  if (options_has(args, "json")) return print_json(m, info, n, err);
  print_text(m, info, n);
  return STATUS_OK;
}
