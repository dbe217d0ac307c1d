// SPDX-License-Identifier: MIT
// poise info: what each formulation of a robot's dynamics costs, counted on the traced functions; or
// size and cost of a task's nonlinear program (info_task.c).
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/form_option.h"
#include "cli/info_loops.h"
#include "cli/info_task.h"
#include "cli/input.h"
#include "cli/json_out.h"
#include "dynamics/dyn_function.h"
#include "dynamics/dyn_point.h"
#include "expr/expr_tape.h"

enum { MAX_FORMS = 16, POINT_MAX_NV = 48 };

typedef struct FormInfo {
  const DynForm *form;
  ExprCount terms;                          // dynamic terms alone
  bool has_point;                           // false: too many joints
  ExprCount residual, jacobian, hessian;    // per collocation point
  int jacobian_nonzeros, hessian_nonzeros;  //
  DynRule jacobian_rule, hessian_rule;      //
} FormInfo;

static Status count(const ExprFunction *f, ExprCount *out, Error *err) {
  ExprTape *tape;
  Status status = expr_tape_build(&tape, f, TAPE_FOR_COMPILER, err);
  if (status == STATUS_OK) *out = tape->count;
  expr_tape_free(tape);
  return status;
}

static Status measure_point(FormInfo *info, const Model *m, Error *err) {
  DynPoint *p;
  Status status = dyn_point_build(&p, m, info->form, DYN_RULE_BEST, err);
  if (status != STATUS_OK) return status;
  info->has_point = true;
  info->jacobian_nonzeros = p->jacobian.out[0].value.nnz;
  info->hessian_nonzeros = p->hessian.out[0].value.nnz;
  info->jacobian_rule = p->jacobian_rule;
  info->hessian_rule = p->hessian_rule;
  status = count(&p->residual, &info->residual, err);
  if (status == STATUS_OK) status = count(&p->jacobian, &info->jacobian, err);
  if (status == STATUS_OK) status = count(&p->hessian, &info->hessian, err);
  dyn_point_free(p);
  return status;
}

// The ODE and DAE forms of a family share their terms: those of the form before are used again.
static Status measure(FormInfo *info, const Model *m, const FormInfo *before, Error *err) {
  Status status = STATUS_OK;
  if (before && strcmp(before->form->family, info->form->family) == 0) {
    info->terms = before->terms;
  } else {
    DynFunction *terms;
    status = dyn_terms_build(&terms, m, info->form, err);
    if (status == STATUS_OK) status = count(&terms->f, &info->terms, err);
    dyn_function_free(terms);
  }
  if (status == STATUS_OK && m->nv <= POINT_MAX_NV) status = measure_point(info, m, err);
  return status;
}

static const char *rule_name(DynRule rule) {
  return rule == DYN_RULE_IMPLICIT ? "implicit" : "direct";
}

static void add_count(JsonOut *out, const char *key, const ExprCount *c) {
  json_out_open(out, key, '{');
  json_out_int(out, "total", c->total);
  json_out_int(out, "add", c->add);
  json_out_int(out, "sub", c->sub);
  json_out_int(out, "mul", c->mul);
  json_out_int(out, "div", c->div);
  json_out_int(out, "neg", c->neg);
  json_out_int(out, "sqrt", c->sqrt);
  json_out_int(out, "other", c->other);
  json_out_int(out, "sincos", c->sincos);
  json_out_close(out);
}

static void add_point(JsonOut *out, const FormInfo *info) {
  json_out_open(out, "point", '{');
  json_out_int(out, "residual_ops", info->residual.total);
  json_out_int(out, "jacobian_ops", info->jacobian.total);
  json_out_int(out, "hessian_ops", info->hessian.total);
  json_out_int(out, "jacobian_nonzeros", info->jacobian_nonzeros);
  json_out_int(out, "hessian_nonzeros", info->hessian_nonzeros);
  json_out_string(out, "jacobian_rule", rule_name(info->jacobian_rule));
  json_out_string(out, "hessian_rule", rule_name(info->hessian_rule));
  json_out_close(out);
}

static Status print_json(const Model *m, const FormInfo *info, int n, Error *err) {
  JsonOut out = {0};
  json_out_open(&out, NULL, '{');
  json_out_string(&out, "robot", m->name);
  json_out_int(&out, "joints", m->nv);
  json_out_int(&out, "actuators", m->nu);
  json_out_open(&out, "formulations", '[');
  for (int i = 0; i < n; i++) {
    json_out_open(&out, NULL, '{');
    json_out_string(&out, "name", info[i].form->name);
    json_out_string(&out, "terms", info[i].form->terms);
    json_out_bool(&out, "algebraic", info[i].form->algebraic);
    add_count(&out, "operations", &info[i].terms);
    if (info[i].has_point) add_point(&out, &info[i]);
    json_out_close(&out);
  }
  json_out_close(&out);
  json_out_close(&out);
  return json_out_print(&out, err);
}

static void print_text(const Model *m, const FormInfo *info, int n) {
  command_put_text(stdout, m->name);
  printf(": %d joints, %d actuated\n\n", m->nv, m->nu);
  printf("operations of the dynamic terms\n");
  printf("  %-7s %-15s %7s %6s %6s %6s %5s %5s %5s  %s\n", "", "terms", "total", "add", "sub",
         "mul", "div", "neg", "sqrt", "sin+cos");
  for (int i = 0; i < n; i++) {
    const ExprCount *c = &info[i].terms;
    printf("  %-7s %-15s %7d %6d %6d %6d %5d %5d %5d  %7d\n", info[i].form->name,
           info[i].form->terms, c->total, c->add, c->sub, c->mul, c->div, c->neg, c->sqrt,
           c->sincos);
  }
  if (n > 0 && !info[0].has_point) {
    printf("\nderivatives per collocation point are counted up to %d joints\n", POINT_MAX_NV);
    return;
  }
  printf("\nper collocation point\n");
  printf("  %-7s %9s | %9s %9s %-9s | %9s %9s %-9s\n", "", "residual", "Jacobian", "nonzeros",
         "rule", "Hessian", "nonzeros", "rule");
  for (int i = 0; i < n; i++) {
    printf("  %-7s %9d | %9d %9d %-9s | %9d %9d %-9s\n", info[i].form->name, info[i].residual.total,
           info[i].jacobian.total, info[i].jacobian_nonzeros, rule_name(info[i].jacobian_rule),
           info[i].hessian.total, info[i].hessian_nonzeros, rule_name(info[i].hessian_rule));
  }
  printf(
      "\ntotal: add, sub, mul, div, neg and sqrt; sin and cos apart. The Hessian is the lower\n"
      "triangle of that of lambda^T residual. Rule: derivatives of the traced algorithm\n"
      "(direct), or of the implicit residual by the implicit-function rule; the cheaper is kept.\n");
}

static Status info_robot(const Args *args, const Model *m, Error *err) {
  const DynForm *only;
  FormInfo info[MAX_FORMS] = {{0}};
  int n = 0;
  Status status = form_option(args, NULL, &only, err);
  if (status == STATUS_OK && options_has(args, "layout")) {
    status = error_set(err, STATUS_INPUT, "--layout", "is for tasks, and this is a robot");
  }
  for (int i = 0; status == STATUS_OK && dyn_forms[i]; i++) {
    if (only && dyn_forms[i] != only) continue;
    info[n].form = dyn_forms[i];
    status = measure(&info[n], m, n > 0 ? &info[n - 1] : NULL, err);
    n++;
  }
  if (status == STATUS_OK && options_has(args, "json")) return print_json(m, info, n, err);
  if (status == STATUS_OK) print_text(m, info, n);
  return status;
}

static int run(const Args *args) {
  Error err = {0};
  Input in;
  Status status = input_load(&in, args->positional[0], &err);
  if (status == STATUS_OK && in.task) status = info_task(args, in.task, &err);
  else if (status == STATUS_OK && in.model->n_loop > 0) status = info_loops(args, in.model, &err);
  else if (status == STATUS_OK) status = info_robot(args, in.model, &err);
  input_free(&in);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"formulation", 'f', "F", "only this one; for a task: instead of its own"},
    {"layout", 'l', "L", "instead of the task's: condensed or paper"},
    {"json", 0, NULL, "print the same as JSON"},
};

const Command cmd_info = {
    .name = "info",
    .summary = "what a robot's dynamics or a task's nonlinear program costs",
    .positional = "FILE.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "For a robot: operations of the dynamic terms alone (Phi; M and c; gamma; nu) in every\n"
        "formulation, and per collocation point those of residual, Jacobian and Hessian with\n"
        "their nonzeros; of a robot with loops those of every method, to the accelerations.\n"
        "For a task: variables, constraints and nonzeros of the nonlinear program, operations\n"
        "per evaluation, memory and setup time.\n",
    .example = "poise info configs/robots/arm_pendulum.json\n"
               "poise info tasks/reach.json --formulation EXP1-A --layout paper\n",
    .run = run,
};
