// SPDX-License-Identifier: MIT
#include "cli/info_task.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/form_option.h"
#include "cli/json_out.h"
#include "collocation/colloc.h"

typedef struct TaskInfo {
  const Ocp *o;       //
  const Nlp *nlp;     //
  CollocCost cost;    //
  int n_equality;     // rows with equal bounds
  int n_fixed;        // variables with equal bounds
  long long n_point;  // collocation points
  int n_smoothing;    // Hessian nonzeros that the continuation strategy adds
  double setup_s;     // tracing, derivatives, structure
} TaskInfo;

static Status layout_option(const Args *args, OcpLayout *out, Error *err) {
  const char *name = options_value(args, "layout");
  if (!name) return STATUS_OK;
  for (int i = 0; i < N_OCP_LAYOUTS; i++) {
    if (strcmp(name, ocp_layout_names[i]) != 0) continue;
    *out = (OcpLayout)i;
    return STATUS_OK;
  }
  const char *near = nearest_name(name, ocp_layout_names, N_OCP_LAYOUTS);
  if (near) {
    return error_set(err, STATUS_INPUT, "--layout", "unknown layout \"%s\"; did you mean %s?", name,
                     near);
  }
  return error_set(err, STATUS_INPUT, "--layout", "unknown layout \"%s\"; condensed or paper",
                   name);
}

static void measure(TaskInfo *info, Colloc *c) {
  const Nlp *nlp = info->nlp = colloc_nlp(c);
  const Ocp *o = info->o;
  info->cost = colloc_cost(c);
  for (int i = 0; i < nlp->m; i++) info->n_equality += nlp->g_lower[i] == nlp->g_upper[i];
  for (int i = 0; i < nlp->n; i++) info->n_fixed += nlp->x_lower[i] == nlp->x_upper[i];
  info->n_point = (long long)o->n_interval * ocp_n_point(o);
  bool smoothed = o->strategy.kind == OCP_CONTINUATION && o->cost.torque_rate == 0;
  if (smoothed) info->n_smoothing = (ocp_n_control(o) - 1) * o->model->nu;
}

// ---- text ----

// 72435 as "72 435", right-aligned
static void put_count(const char *label, long long x, const char *remark) {
  char digits[32], text[48];
  int n = snprintf(digits, sizeof digits, "%lld", x), at = 0;
  for (int i = 0; i < n; i++) {
    if (i && (n - i) % 3 == 0) text[at++] = ' ';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  printf("  %-18s %13s%s%s\n", label, text, *remark ? "  " : "", remark);
}

static void print_text(const TaskInfo *info) {
  const Ocp *o = info->o;
  const Nlp *nlp = info->nlp;
  char remark[160];
  command_put_text(stdout, o->name);
  printf(": %s, %s layout, %d intervals of %.4g s, %s with %d points each\n", o->form->name,
         ocp_layout_names[o->layout], o->n_interval, o->T / o->n_interval,
         ocp_scheme_names[o->scheme], ocp_n_point(o));
  printf("robot ");
  command_put_text(stdout, o->model->name);
  printf(": %d joints, %d actuated\n", o->model->nv, o->model->nu);

  printf("\nnonlinear program\n");
  snprintf(remark, sizeof remark, "%d of them fixed", info->n_fixed);
  put_count("variables", nlp->n, info->n_fixed ? remark : "");
  int n_inequality = nlp->m - info->n_equality;
  snprintf(remark, sizeof remark, "%d equalities, %d inequalities", info->n_equality, n_inequality);
  put_count("constraints", nlp->m, n_inequality ? remark : "all equalities");
  put_count("Jacobian nonzeros", nlp->jac_nnz, "");
  snprintf(remark, sizeof remark, "lower triangle; %d more while continuation smooths the torques",
           info->n_smoothing);
  put_count("Hessian nonzeros", nlp->hess_nnz, info->n_smoothing ? remark : "lower triangle");

  printf("\noperations per evaluation, over %lld collocation points\n", info->n_point);
  put_count("constraints", info->cost.residual, "");
  put_count("Jacobian", info->cost.jacobian, "");
  put_count("Hessian", info->cost.hessian, "of the Lagrangian");
  printf("\nmemory %.3g MB, setup %.3g ms\n", (double)info->cost.bytes / 1e6, 1e3 * info->setup_s);
}

// ---- JSON ----

static Status print_json(const TaskInfo *info, Error *err) {
  const Ocp *o = info->o;
  JsonOut out = {0};
  json_out_open(&out, NULL, '{');
  json_out_string(&out, "task", o->name);
  json_out_string(&out, "robot", o->model->name);
  json_out_string(&out, "formulation", o->form->name);
  json_out_string(&out, "layout", ocp_layout_names[o->layout]);
  json_out_string(&out, "scheme", ocp_scheme_names[o->scheme]);
  json_out_int(&out, "intervals", o->n_interval);
  json_out_int(&out, "points_per_interval", ocp_n_point(o));
  json_out_open(&out, "nlp", '{');
  json_out_int(&out, "variables", info->nlp->n);
  json_out_int(&out, "constraints", info->nlp->m);
  json_out_int(&out, "jacobian_nonzeros", info->nlp->jac_nnz);
  json_out_int(&out, "hessian_nonzeros", info->nlp->hess_nnz);
  json_out_int(&out, "fixed_variables", info->n_fixed);
  json_out_int(&out, "equalities", info->n_equality);
  json_out_close(&out);
  json_out_open(&out, "operations", '{');
  json_out_number(&out, "constraints", (double)info->cost.residual);
  json_out_number(&out, "jacobian", (double)info->cost.jacobian);
  json_out_number(&out, "hessian", (double)info->cost.hessian);
  json_out_close(&out);
  json_out_number(&out, "memory_bytes", (double)info->cost.bytes);
  json_out_number(&out, "setup_s", info->setup_s);
  json_out_close(&out);
  return json_out_print(&out, err);
}

Status info_task(const Args *args, Ocp *o, Error *err) {
  Status status = form_option(args, o->form, &o->form, err);
  if (status == STATUS_OK) status = layout_option(args, &o->layout, err);
  if (status != STATUS_OK) return status;
  double begin = clock_seconds();
  Colloc *c = NULL;
  status = colloc_build(&c, o, err);
  if (status != STATUS_OK) return status;
  TaskInfo info = {.o = o, .setup_s = clock_seconds() - begin};
  measure(&info, c);
  if (options_has(args, "json")) status = print_json(&info, err);
  else print_text(&info);
  colloc_free(c);
  return status;
}
