// SPDX-License-Identifier: MIT
// The result file.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "plan/plan.h"

enum { HASHED_BYTES = 64 << 20 };

static void number(TextBuf *b, const char *key, double x) {
  textbuf_addf(b, "\"%s\": ", key);
  if (isfinite(x)) textbuf_add_double(b, x);
  else textbuf_add(b, "null");
}

static void text(TextBuf *b, const char *key, const char *value) {
  textbuf_addf(b, "\"%s\": ", key);
  textbuf_add_json_string(b, value);
}

// FNV-1a of a file's bytes, so that a result can be matched with its inputs; empty if it is gone
static void file_hash(TextBuf *b, const char *key, const char *path) {
  Error ignored = {0};
  size_t len = 0;
  char *bytes = path ? file_read(path, HASHED_BYTES, &len, &ignored) : NULL;
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; bytes && i < len; i++) h = (h ^ (unsigned char)bytes[i]) * 1099511628211u;
  if (bytes) textbuf_addf(b, "\"%s\": \"fnv1a-%016" PRIx64 "\"", key, h);
  else textbuf_addf(b, "\"%s\": null", key);
  free(bytes);
}

// distinct solutions, the best first
static void write_optima(const PlanResult *r, TextBuf *b) {
  textbuf_add(b, ", \"optima\": [");
  for (int i = 0; i < r->n_optimum; i++) {
    const PlanOptimum *p = &r->optimum[i];
    textbuf_add(b, i ? ",\n    {" : "\n    {");
    number(b, "objective", p->objective);
    textbuf_addf(b, ", \"count\": %d, \"solve\": %d, ", p->count, p->step);
    number(b, "distance", p->distance);
    textbuf_add(b, ", \"seeds\": [");
    for (int k = 0; k < p->n_seed; k++) textbuf_addf(b, "%s%d", k ? ", " : "", p->seed[k]);
    textbuf_add(b, "]}");
  }
  textbuf_add(b, "]");
}

static void write_strategy(const PlanResult *r, TextBuf *b) {
  textbuf_add(b, "  \"strategy\": {");
  text(b, "kind", ocp_strategy_names[r->o->strategy.kind]);
  textbuf_add(b, ", \"solves\": [");
  for (int i = 0; i < r->n_step; i++) {
    const PlanStep *s = &r->step[i];
    textbuf_addf(b, "%s{\"intervals\": %d, \"degree\": %d, ", i ? ",\n    " : "\n    ",
                 s->intervals, s->degree);
    number(b, "torque_rate", s->torque_rate);
    textbuf_add(b, ", ");
    text(b, "status", solve_status_name(s->status));
    textbuf_addf(b, ", \"iterations\": %d, ", s->iterations);
    number(b, "objective", s->objective);
    textbuf_add(b, ", ");
    number(b, "seconds", s->seconds);
    textbuf_add(b, ", ");
    number(b, "error_estimate", s->error);
    textbuf_add(b, ", ");
    number(b, "defect", s->defect);
    if (i >= r->n_unrefined) textbuf_add(b, ", \"refinement\": true");
    if (s->start) {
      textbuf_add(b, ", ");
      text(b, "guess", s->start);
    }
    if (s->pushed) textbuf_addf(b, ", \"pushed_joints\": %d", s->pushed);
    if (s->seed >= 0) textbuf_addf(b, ", \"seed\": %d", s->seed);
    textbuf_add(b, "}");
  }
  textbuf_add(b, "]");
  if (r->n_optimum) write_optima(r, b);
  textbuf_add(b, "},\n");
}

// the grid it began with and the one it ended with
static void write_refinement(const PlanResult *r, TextBuf *b) {
  if (r->n_unrefined == r->n_step || r->o != &r->refined) return;
  const PlanStep *last = &r->step[r->n_step - 1];
  const PlanStep *first = &r->step[r->n_unrefined - 1];
  textbuf_addf(b, "  \"refinement\": {\"rounds\": %d, \"intervals\": [%d, %d], ",
               r->n_step - r->n_unrefined, first->intervals, last->intervals);
  number(b, "unrefined_objective", r->unrefined_objective);
  textbuf_add(b, ", ");
  number(b, "objective", r->objective);
  textbuf_addf(b, ", \"control_intervals\": %d},\n",
               ocp_n_control(r->o) == r->o->n_interval ? first->intervals : last->intervals);
}

static void write_timing(const PlanResult *r, TextBuf *b) {
  textbuf_add(b, "  \"timing\": {");
  number(b, "total_s", r->total_s);
  textbuf_add(b, ", ");
  number(b, "setup_s", r->setup_s);
  textbuf_add(b, ", ");
  number(b, "evaluation_s", r->evaluation_s);
  textbuf_add(b, ", ");
  number(b, "linear_solver_s", r->linear_solver_s);
  textbuf_add(b, "},\n");
}

static void write_iteration(int solve, const SolveIteration *it, bool more, TextBuf *b) {
  textbuf_addf(b, "%s{\"solve\": %d, \"iteration\": %d, ", more ? ",\n    " : "\n    ", solve,
               it->iteration);
  number(b, "objective", it->objective);
  textbuf_add(b, ", ");
  number(b, "inf_pr", it->inf_pr);
  textbuf_add(b, ", ");
  number(b, "inf_du", it->inf_du);
  textbuf_add(b, ", ");
  number(b, "mu", it->mu);
  textbuf_add(b, "}");
}

// iterations of all solves, in their order
static void write_history(const PlanResult *r, TextBuf *b) {
  textbuf_add(b, "  \"history\": [");
  for (int s = 0, n = 0; s < r->n_step; s++) {
    for (int i = 0; i < r->step[s].n_history; i++, n++) {
      write_iteration(s, &r->step[s].history[i], n > 0, b);
    }
  }
  textbuf_add(b, "],\n");
}
// the user's terms, with the libraries that they were
static void write_terms(const Ocp *o, TextBuf *b) {
  textbuf_add(b, "\"terms\": [");
  for (int i = 0; i < o->n_term; i++) {
    const OcpTerm *t = &o->term[i];
    textbuf_add(b, i ? ", {" : "{");
    text(b, "name", t->name);
    textbuf_add(b, ", ");
    text(b, "use", ocp_term_use_names[t->use]);
    textbuf_add(b, ", ");
    text(b, "function", t->function);
    textbuf_add(b, ", ");
    text(b, "library", t->library);
    textbuf_add(b, ", ");
    file_hash(b, "library_hash", t->library);
    textbuf_add(b, "}");
  }
  textbuf_add(b, "], ");
}

static void write_problem(const PlanResult *r, TextBuf *b) {
  const Ocp *o = r->o;
  textbuf_add(b, "  \"problem\": {");
  text(b, "task", o->path);
  textbuf_add(b, ", ");
  file_hash(b, "task_hash", o->path);
  textbuf_add(b, ", ");
  text(b, "robot", o->model->path);
  textbuf_add(b, ", ");
  file_hash(b, "robot_hash", o->model->path);
  textbuf_addf(b, ", \"intervals\": %d, \"degree\": %d, ", o->n_interval, o->degree);
  text(b, "scheme", ocp_scheme_names[o->scheme]);
  textbuf_add(b, ", ");
  number(b, "horizon", r->trajectory->time[o->n_interval]);
  textbuf_addf(b, ", \"free_time\": %s, \"cost\": {", o->free_time ? "true" : "false");
  number(b, "torque", o->cost.torque);
  textbuf_add(b, ", ");
  number(b, "torque_rate", o->cost.torque_rate);
  textbuf_add(b, ", ");
  number(b, "velocity", o->cost.velocity);
  textbuf_add(b, ", ");
  number(b, "acceleration", o->cost.acceleration);
  textbuf_add(b, ", ");
  number(b, "time", o->cost.time);
  textbuf_add(b, "}, ");
  if (o->n_term) write_terms(o, b);
  text(b, "poise", POISE_VERSION);
  textbuf_add(b, ", ");
  text(b, "ipopt", r->info.version);
  textbuf_add(b, ", ");
  text(b, "linear_solver", r->info.linear_solver);
  if (r->info.note[0]) {
    textbuf_add(b, ", ");
    text(b, "note", r->info.note);
  }
  textbuf_add(b, "},\n");
}

void plan_result_write_json(const PlanResult *r, TextBuf *b) {
  textbuf_add(b, "{\n  ");
  text(b, "name", r->o->name);
  textbuf_add(b, ",\n  ");
  text(b, "status", r->interrupted ? "Interrupted" : solve_status_name(r->status));
  bool verified = r->has_verification && r->verification.verified;
  textbuf_addf(b, ",\n  \"solved\": %s,\n  \"verified\": %s,\n  ", r->solved ? "true" : "false",
               r->solved && verified ? "true" : "false");
  number(b, "objective", r->objective);
  textbuf_addf(b, ",\n  \"iterations\": %d,\n  ", r->iterations);
  text(b, "formulation", r->o->form->name);
  textbuf_add(b, ",\n  ");
  text(b, "layout", ocp_layout_names[r->o->layout]);
  textbuf_addf(b,
               ",\n  \"nlp\": {\"variables\": %d, \"constraints\": %d, \"jacobian_nonzeros\": %d, "
               "\"hessian_nonzeros\": %d},\n",
               r->variables, r->constraints, r->jacobian_nonzeros, r->hessian_nonzeros);
  write_strategy(r, b);
  write_refinement(r, b);
  write_timing(r, b);
  textbuf_add(b, "  ");
  if (!r->solved) {
    text(b, "explanation", r->explanation);
    textbuf_add(b, ",\n  ");
  }
  number(b, "error_estimate", r->error);
  textbuf_add(b, ",\n  \"verification\": ");
  if (r->has_verification) sim_report_write_json(&r->verification, r->o, true, b);
  else textbuf_add(b, "null");
  textbuf_add(b, ",\n");
  write_problem(r, b);
  write_history(r, b);
  textbuf_add(b, "  \"trajectory\": ");
  trajectory_write_json(r->trajectory, r->o->model, b);
  textbuf_add(b, "\n}\n");
}
