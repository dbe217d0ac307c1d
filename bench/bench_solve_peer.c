// SPDX-License-Identifier: MIT
// The conversation with casadi_solve.py: the problem out, its solves in.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_at.h"
#include "base/process.h"
#include "base/rng.h"
#include "bench_export.h"
#include "bench_solve.h"

enum { PATH_SIZE = 4096, MAX_COMPLAINT = 1 << 16 };

// ---- the problem ----------------------------------------------------------------------------------

// what casadi_solve.py knows nothing of; NULL: it can pose the task
static const char *unsupported(const Ocp *o) {
  const OcpCost *c = &o->cost;
  if (o->free_time) return "free final time";
  if (o->scheme != OCP_RADAU) return "a scheme other than Radau";
  if (o->n_obstacle) return "obstacles";
  if (c->velocity > 0 || c->acceleration > 0 || c->tracking > 0) return "costs other than torque";
  for (int i = 0; i < o->model->nu; i++) {
    if (isfinite(o->limits.u_rate[i])) return "limits of the torque rate";
  }
  for (int i = 0; i < o->model->nv; i++) {
    if (o->goal.joint_fixed[i]) return "goals for joints";
  }
  return NULL;
}

static void add_goal(JsonOut *j, const Ocp *o) {
  const OcpGoal *goal = &o->goal;
  json_out_open(j, "goal", '{');
  if (goal->frame >= 0) {
    const ModelFrame *frame = &o->model->frame[goal->frame];
    json_out_open(j, "frame", '{');
    json_out_int(j, "body", frame->body);
    json_out_vector(j, "pos", frame->pos, 3);
    json_out_close(j);
  } else {
    json_out_string(j, "frame", NULL);
  }
  json_out_open(j, "fixed", '[');
  for (int i = 0; i < 3; i++) json_out_bool(j, NULL, goal->fixed[i]);
  json_out_close(j);
  json_out_bool(j, "at_rest", goal->at_rest);
  json_out_bool(j, "equilibrium", goal->equilibrium);
  json_out_close(j);
}

// our options of MUMPS, by name
static void add_defaults(JsonOut *j) {
  int n;
  const SolveOption *list = solver_defaults(&n);
  json_out_open(j, "mumps", '{');
  for (int i = 0; i < n; i++) {
    if (strncmp(list[i].name, "mumps_", 6) == 0) {
      json_out_number(j, list[i].name, strtod(list[i].value, NULL));
    }
  }
  json_out_close(j);
}

// a whole number that we set by default, if we do
static void add_default(JsonOut *j, const char *name) {
  int n;
  const SolveOption *list = solver_defaults(&n);
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].name, name) == 0)
      json_out_int(j, name, (int)strtol(list[i].value, NULL, 10));
  }
}

static Status write_problem(const Ocp *o, const BenchPeer *peer, Error *err) {
  Scheme s;
  colloc_scheme(&s, o);
  JsonOut j = {0};
  json_out_open(&j, NULL, '{');
  json_out_string(&j, "form", o->form->name);
  json_out_int(&j, "intervals", o->n_interval);
  json_out_int(&j, "points", s.d);
  json_out_number(&j, "h", o->T / o->n_interval);
  json_out_open(&j, "differentiate", '[');
  for (int i = 0; i < s.d; i++) json_out_vector(&j, NULL, s.D[i], s.d + 1);
  json_out_close(&j);
  json_out_open(&j, "cost", '{');
  json_out_number(&j, "torque", o->cost.torque);
  json_out_number(&j, "torque_rate", o->cost.torque_rate);
  json_out_close(&j);
  add_goal(&j, o);
  // the same options as ours
  json_out_open(&j, "ipopt", '{');
  json_out_number(&j, "tol", 1e-8);
  json_out_int(&j, "max_iter", 1000);
  json_out_number(&j, "max_wall_time", BENCH_LIMIT);
  add_default(&j, "watchdog_shortened_iter_trigger");
  json_out_close(&j);
  add_defaults(&j);
  json_out_number(&j, "slow_s", peer->slow);
  json_out_open(&j, "robot", '{');
  bench_export_robot(&j, o->model);
  json_out_close(&j);
  json_out_close(&j);
  return bench_export_json(&j, peer->folder, "problem.json", err);
}

// a point off the start, with our constraints and objective there
static Status write_check(const Nlp *nlp, const char *folder, Arena *arena, Error *err) {
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  double *x = arena_array(arena, n, sizeof *x), *g = arena_array(arena, m, sizeof *g), f;
  if (!x || !g) return error_no_memory(err);
  Rng rng;
  rng_seed(&rng, 1);
  for (size_t i = 0; i < n; i++) x[i] = nlp->x_start[i] + rng_uniform(&rng, -0.1, 0.1);
  if (!nlp->constraints(nlp->data, x, true, g) || !nlp->objective(nlp->data, x, false, &f)) {
    return error_set(err, STATUS_NUMERIC, "check point", "no finite values");
  }
  Status status = bench_export_doubles(folder, "x_check.f64", x, n, err);
  if (status == STATUS_OK) status = bench_export_doubles(folder, "g_check.f64", g, m, err);
  if (status == STATUS_OK) status = bench_export_doubles(folder, "f_check.f64", &f, 1, err);
  return status;
}

static Status write_arrays(const Ocp *o, Colloc *c, const char *folder, Error *err) {
  Trajectory *guess;
  Status status = guess_build(&guess, o, err);
  if (status != STATUS_OK) return status;
  colloc_start(c, guess);
  trajectory_free(guess);
  const Nlp *nlp = colloc_nlp(c);
  const struct {
    const char *name;
    const double *x;
    int n;
  } list[] = {{"x_lower.f64", nlp->x_lower, nlp->n},
              {"x_upper.f64", nlp->x_upper, nlp->n},
              {"x_start.f64", nlp->x_start, nlp->n},
              {"g_lower.f64", nlp->g_lower, nlp->m},
              {"g_upper.f64", nlp->g_upper, nlp->m}};
  for (int i = 0; status == STATUS_OK && i < 5; i++) {
    status = bench_export_doubles(folder, list[i].name, list[i].x, (size_t)list[i].n, err);
  }
  Arena *arena = arena_new();
  if (status == STATUS_OK) status = write_check(nlp, folder, arena, err);
  arena_free(arena);
  return status;
}

// ---- its solves -----------------------------------------------------------------------------------

static bool read_number(const JsonAt *at, const char *key, double *out, Error *err) {
  JsonAt value = json_find(at, key);
  return json_number(&value, out, err);
}

static bool read_count(const JsonAt *at, const char *key, int *out, Error *err) {
  double x;
  if (!read_number(at, key, &x, err)) return false;
  *out = (int)x;
  return true;
}

static bool read_text(const JsonAt *at, const char *key, char *out, size_t size, Error *err) {
  JsonAt value = json_find(at, key);
  const char *text;
  if (!json_string(&value, &text, err)) return false;
  snprintf(out, size, "%s", text);
  return true;
}

static bool read_run(const JsonAt *at, BenchSolve *s, Error *err) {
  char way[12];
  *s = (BenchSolve){.first_s = NAN};
  if (!read_text(at, "way", way, sizeof way, err) ||
      !read_text(at, "functions", s->functions, sizeof s->functions, err) ||
      !read_text(at, "ordering", s->ordering, sizeof s->ordering, err) ||
      !read_text(at, "status", s->status, sizeof s->status, err) ||
      !read_count(at, "variables", &s->variables, err) ||
      !read_count(at, "constraints", &s->constraints, err) ||
      !read_count(at, "jacobian_nonzeros", &s->jacobian_nonzeros, err) ||
      !read_count(at, "hessian_nonzeros", &s->hessian_nonzeros, err) ||
      !read_count(at, "iterations", &s->iterations, err) ||
      !read_number(at, "objective", &s->objective, err) ||
      !read_number(at, "total_s", &s->solve_s, err) || !read_number(at, "cpu_s", &s->cpu_s, err) ||
      !read_text(at, "linear", s->linear, sizeof s->linear, err) ||
      !read_number(at, "setup_s", &s->setup_s, err) ||
      !read_number(at, "compile_s", &s->compile_s, err) ||
      !read_number(at, "evaluation_s", &s->evaluation_s, err) ||
      !read_number(at, "linear_solver_s", &s->linear_s, err)) {
    return false;
  }
  snprintf(s->who, sizeof s->who, "CasADi%s%s", *way ? " " : "", way);
  snprintf(s->layout, sizeof s->layout, "%s", ocp_layout_names[OCP_PAPER]);
  SolveStatus code;
  s->solved = solve_status_find(s->status, &code) && solve_status_solved(code);
  return true;
}

static Status read_runs(BenchTask *t, const char *folder, Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/solve.json", folder);
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path), runs = json_find(&root, "runs");
  bool ok = read_text(&root, "version", t->casadi_version, sizeof t->casadi_version, err);
  for (JsonAt run = json_first(&runs); ok && run.node && t->n_peer < BENCH_MAX_RUNS;
       json_next(&run)) {
    ok = read_run(&run, &t->peer[t->n_peer++], err);
  }
  json_free(doc);
  return ok ? STATUS_OK : err->code;
}

static Status run_script(const BenchPeer *peer, Error *err) {
  char count[16];
  snprintf(count, sizeof count, "%d", peer->repetitions);
  const char *argv[] = {peer->python, "-B", peer->script, peer->folder, count, peer->ways, NULL};
  TextBuf said = {0};
  int code = 0;
  Status status = process_run(argv, &said, MAX_COMPLAINT, &code, err);
  if (status == STATUS_OK && code != 0) {
    // the last words matter: a Python traceback ends with its message
    size_t skip = said.len > 400 ? said.len - 400 : 0;
    status = error_set(err, STATUS_NUMERIC, peer->script, "exit code %d: %s", code,
                       said.text ? said.text + skip : "");
  }
  textbuf_free(&said);
  return status;
}

static void note_sizes(BenchTask *t, const Nlp *nlp) {
  t->size[0] = nlp->n;
  t->size[1] = nlp->m;
  t->size[2] = nlp->jac_nnz;
  t->size[3] = nlp->hess_nnz;
}

// The paper layout has no more and no fewer nonzeros than CasADi's problem; fatrop's has its own.
static Status compare_sizes(const BenchTask *t, Error *err) {
  static const char *const names[] = {"variables", "constraints", "Jacobian nonzeros",
                                      "Hessian nonzeros"};
  for (int i = 0; i < t->n_peer; i++) {
    const BenchSolve *s = &t->peer[i];
    const int theirs[] = {s->variables, s->constraints, s->jacobian_nonzeros, s->hessian_nonzeros};
    if (strcmp(s->linear, "fatrop") == 0 || strcmp(s->who, "CasADi unrolled") == 0) continue;
    for (int k = 0; k < 4; k++) {
      if (theirs[k] == t->size[k]) continue;
      return error_set(err, STATUS_NUMERIC, t->path, "%s: %d %s in %s, %d in Poise", t->form->name,
                       theirs[k], names[k], s->who, t->size[k]);
    }
  }
  return STATUS_OK;
}

Status bench_solve_peer(BenchTask *t, const BenchPeer *peer, Error *err) {
  Ocp *o;
  Status status = ocp_load(&o, t->path, err);
  if (status != STATUS_OK) return status;
  o->form = t->form;
  o->layout = OCP_PAPER;
  const char *unknown = unsupported(o);
  if (unknown) {
    snprintf(t->no_peer, sizeof t->no_peer, "the script does not know %s", unknown);
    ocp_free(o);
    return STATUS_OK;
  }
  Colloc *c = NULL;
  status = colloc_build(&c, o, err);
  if (status == STATUS_OK) status = write_problem(o, peer, err);
  if (status == STATUS_OK) status = write_arrays(o, c, peer->folder, err);
  if (status == STATUS_OK) note_sizes(t, colloc_nlp(c));
  colloc_free(c);
  ocp_free(o);
  if (status == STATUS_OK) status = run_script(peer, err);
  if (status == STATUS_OK) status = read_runs(t, peer->folder, err);
  return status == STATUS_OK ? compare_sizes(t, err) : status;
}
