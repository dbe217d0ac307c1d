// SPDX-License-Identifier: MIT
#include "cli/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/json_at.h"
#include "cli/form_option.h"
#include "cli/states.h"
#include "dynamics/dyn_function.h"
#include "expr/expr_tape.h"

enum { MAX_SAMPLES = 1000000 };
static const double DEFAULT_UNTIL = 1, DEFAULT_STEP = 0.01, LONGEST = 1e5;  // [s]
static const double ROUNDING = 1e-12;  // relative: instants closer than this are the same
static const double CLOSED = 1e-6;     // of loops at the start, position and velocity
static const double TELL_EVERY = 0.1;  // [s] between lines of progress

// ---- what to simulate ----

static Status find_kind(const JsonAt *root, SimulationKind *out, Error *err) {
  JsonAt trajectory = json_find(root, "trajectory"), robot = json_find(root, "robot");
  JsonAt joints = json_find(root, "joints");
  if (trajectory.node) *out = SIMULATE_RESULT;
  else if (robot.node) *out = SIMULATE_TASK;
  else if (joints.node) *out = SIMULATE_ROBOT;
  else {
    return json_fail(root, err,
                     "is neither a result (\"trajectory\"), nor a task (\"robot\"), nor "
                     "a robot (\"joints\")");
  }
  return STATUS_OK;
}

// the robot of a result: --robot, or what the file names
static Status load_result(Simulation *s, const Args *args, const JsonAt *root, Error *err) {
  JsonAt problem = json_find(root, "problem"), robot = json_find(&problem, "robot");
  const char *path = options_value(args, "robot");
  if (!path && !json_string(&robot, &path, err)) return err->code;
  Status status = model_load(&s->m, path, err);
  JsonAt trajectory = json_find(root, "trajectory");
  if (status == STATUS_OK) status = trajectory_read_json(&s->t, &trajectory, s->m, err);
  return status;
}

static Status load_file(Simulation *s, const Args *args, Error *err) {
  const char *path = args->positional[0];
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path);
  Status status = find_kind(&root, &s->kind, err);
  if (status == STATUS_OK && s->kind == SIMULATE_RESULT) {
    status = load_result(s, args, &root, err);
  }
  json_free(doc);
  if (status != STATUS_OK || s->kind == SIMULATE_RESULT) return status;
  if (options_has(args, "robot")) {
    return error_set(err, STATUS_INPUT, "--robot", "is for results; %s names its own", path);
  }
  if (s->kind == SIMULATE_ROBOT) return model_load(&s->m, path, err);
  status = ocp_load(&s->o, path, err);
  if (status == STATUS_OK) s->m = s->o->model;
  return status;
}

// ---- how ----

static Status unknown_method(const char *name, Error *err) {
  char list[300] = "";
  for (int i = 0; loop_methods[i]; i++) {
    size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, "%s, ", loop_methods[i]->name);
  }
  return error_set(err, STATUS_INPUT, "--method", "\"%s\" is not one of %sSRM", name, list);
}

static Status set_srm(Simulation *s, const Args *args, Error *err) {
  double n = s->srm.iterations;
  Status status = options_double(args, "eps", 1e-12, 1e3, &s->srm.eps, err);
  if (status == STATUS_OK) status = options_double(args, "iterations", 1, 20, &n, err);
  s->srm.iterations = (int)n;
  return status;
}

static Status set_method(Simulation *s, const Args *args, Error *err) {
  const char *name = options_value(args, "method");
  bool srm = name && strcasecmp(name, "SRM") == 0;
  s->srm = sim_srm_defaults;
  if (!s->m->n_loop) {
    if (name) {
      return error_set(err, STATUS_INPUT, "--method",
                       "is for robots with loops; %s has none: see "
                       "--formulation",
                       s->m->name);
    }
    Status status = form_option(args, &dyn_exp2_ode, &s->opt.form, err);
    if (status == STATUS_OK) s->method = s->opt.form->name;
    return status;
  }
  if (options_has(args, "formulation")) {
    return error_set(err, STATUS_INPUT, "--formulation", "%s has loops: choose a --method",
                     s->m->name);
  }
  if (!srm && (options_has(args, "eps") || options_has(args, "iterations"))) {
    return error_set(err, STATUS_INPUT, options_has(args, "eps") ? "--eps" : "--iterations",
                     "is for --method SRM");
  }
  s->opt.method = name && !srm ? loop_method_find(name) : &loop_tree_aug;
  if (!s->opt.method) return unknown_method(name, err);
  s->method = srm ? "SRM" : s->opt.method->name;
  if (!srm) return STATUS_OK;
  s->opt.srm = &s->srm;
  return set_srm(s, args, err);
}

// ---- where it starts ----

static Status set_pose(Simulation *s, const char *name, Error *err) {
  for (int p = 0; p < s->m->n_pose; p++) {
    if (strcmp(s->m->pose[p].name, name) != 0) continue;
    memcpy(s->q, s->m->pose[p].q, (size_t)s->m->nv * sizeof *s->q);
    return STATUS_OK;
  }
  return error_set(err, STATUS_INPUT, "--pose", "%s has no pose \"%s\"; poise check lists them",
                   s->m->name, name);
}

// the first state of a file, and the forces it holds
static Status set_state(Simulation *s, const char *path, Error *err) {
  States *states;
  Status status = states_load(&states, path, s->m, "tau", err);
  if (status != STATUS_OK) return status;
  size_t size = (size_t)s->m->nv * sizeof *s->q;
  memcpy(s->q, states->q, size);
  memcpy(s->v, states->v, size);
  memcpy(s->tau, states->x, size);
  states_free(states);
  return STATUS_OK;
}

static Status set_start(Simulation *s, const Args *args, Error *err) {
  const char *pose = options_value(args, "pose"), *state = options_value(args, "state");
  size_t size = (size_t)s->m->nv * sizeof *s->q;
  if (pose && state) {
    return error_set(err, STATUS_INPUT, "", "--pose and --state: one of them, please");
  }
  if (s->kind == SIMULATE_RESULT && (pose || state)) {
    return error_set(err, STATUS_INPUT, pose ? "--pose" : "--state",
                     "a result starts at its own first node");
  }
  if (s->m->n_loop && model_start(s->m)) memcpy(s->q, model_start(s->m), size);
  if (s->o) {
    memcpy(s->q, s->o->q_start, size);
    memcpy(s->v, s->o->v_start, size);
  }
  if (s->t) {
    memcpy(s->q, s->t->q, size);
    memcpy(s->v, s->t->v, size);
  }
  if (pose && s->o) memset(s->v, 0, size);
  if (pose) return set_pose(s, pose, err);
  return state ? set_state(s, state, err) : STATUS_OK;
}

// instants 0, step, 2 step ... until
static Status set_times(Simulation *s, const Args *args, Error *err) {
  double end = s->t ? s->t->time[s->t->n_interval] : s->o ? s->o->T : DEFAULT_UNTIL;
  double step = DEFAULT_STEP;
  s->until = end;
  Status status = options_double(args, "until", 1e-9, s->t ? end : LONGEST, &s->until, err);
  if (status == STATUS_OK) status = options_double(args, "step", 1e-9, LONGEST, &step, err);
  if (status != STATUS_OK) return status;
  double n = ceil(s->until / step - 1e-9);
  if (n > MAX_SAMPLES) {
    return error_set(err, STATUS_INPUT, "--step", "%g s until %g s makes more than %d lines", step,
                     s->until, MAX_SAMPLES);
  }
  s->n_time = (int)n + 1;
  s->opt.step = step;
  size_t size = (size_t)s->n_time;
  s->time = arena_array(s->arena, size, sizeof *s->time);
  s->x = arena_array(s->arena, 2 * (size_t)s->m->nv * size, sizeof *s->x);
  s->energy = arena_array(s->arena, size, sizeof *s->energy);
  s->off = arena_array(s->arena, size, sizeof *s->off);
  s->spent = arena_array(s->arena, size, sizeof *s->spent);
  s->steps = arena_array(s->arena, size, sizeof *s->steps);
  if (!s->time || !s->x || !s->energy || !s->off || !s->spent || !s->steps) {
    return error_no_memory(err);
  }
  for (int k = 0; k < s->n_time; k++) s->time[k] = fmin(k * step, s->until);
  s->time[s->n_time - 1] = s->until;
  return STATUS_OK;
}

static bool build_arrays(Simulation *s) {
  size_t nv = (size_t)s->m->nv;
  double **part[] = {&s->q, &s->v, &s->q0, &s->v0, &s->tau, &s->u};
  for (int i = 0; i < 6; i++) {
    *part[i] = arena_array(s->arena, nv, sizeof **part[i]);
    if (!*part[i]) return false;
  }
  return true;
}

// loops must be closed where it starts, or the motion means nothing
static Status check_closed(const Simulation *s, Error *err) {
  if (!s->m->n_loop) return STATUS_OK;
  SimViolation off = sim_motion_violation(s->motion, s->q, s->v, s->tau);
  if (!(off.position <= CLOSED)) {
    return error_set(err, STATUS_INPUT, s->m->path,
                     "loop \"%s\" is open by %.3g at the start; poise assemble finds the nearest "
                     "configuration that closes it",
                     s->m->loop[off.loop].name, off.position);
  }
  if (!(off.velocity <= CLOSED)) {
    return error_set(err, STATUS_INPUT, s->m->path,
                     "the speeds at the start tear the loops apart: they violate their constraints "
                     "by %.3g",
                     off.velocity);
  }
  return STATUS_OK;
}

Status simulation_load(Simulation *s, const Args *args, Error *err) {
  s->opt.integrator = options_value(args, "integrator");
  if (!s->opt.integrator) s->opt.integrator = "cvode";
  Status status = load_file(s, args, err);
  if (status == STATUS_OK && !build_arrays(s)) status = error_no_memory(err);
  if (status == STATUS_OK) status = set_method(s, args, err);
  if (status == STATUS_OK) status = set_start(s, args, err);
  if (status == STATUS_OK) status = set_times(s, args, err);
  if (status == STATUS_OK) status = options_double(args, "rtol", 1e-14, 0.1, &s->opt.rel_tol, err);
  if (status == STATUS_OK && s->opt.rel_tol > 0) s->opt.abs_tol = 0.01 * s->opt.rel_tol;
  if (status == STATUS_OK) status = sim_motion_build(&s->motion, s->m, &s->opt, s->q, err);
  if (status == STATUS_OK) status = check_closed(s, err);
  if (status != STATUS_OK) return status;
  memcpy(s->q0, s->q, (size_t)s->m->nv * sizeof *s->q);
  memcpy(s->v0, s->v, (size_t)s->m->nv * sizeof *s->v);
  return STATUS_OK;
}

void simulation_free(Simulation *s) {
  sim_motion_free(s->motion);
  trajectory_free(s->t);
  if (s->o) ocp_free(s->o);
  else model_free(s->m);
  arena_free(s->arena);
}

// ---- the motion ----

static void tell(Simulation *s, double time) {
  double now = clock_seconds();
  if (!s->progress || now - s->told < TELL_EVERY) return;
  s->told = now;
  fprintf(stderr, "\r  t = %.4g of %.4g s, %.1f s so far ", time, s->until, now - s->started);
  fflush(stderr);
}

static void store(void *data, int k, double time, const double *q, const double *v) {
  Simulation *s = data;
  (void)k;
  size_t nv = (size_t)s->m->nv;
  s->spent[s->first] = clock_seconds() - s->started;
  s->steps[s->first] = sim_motion_stats(s->motion).steps;
  double *x = s->x + 2 * nv * (size_t)s->first++;
  memcpy(x, q, nv * sizeof *x);
  memcpy(x + nv, v, nv * sizeof *x);
  tell(s, time);
}

static void force(const void *data, double time, double *tau) {
  const Simulation *s = data;
  trajectory_control(s->t, time, s->u);
  memset(tau, 0, (size_t)s->m->nv * sizeof *tau);
  for (int j = 0; j < s->m->nu; j++) tau[s->m->u_joint[j]] = s->u[j];
}

static Status run_span(Simulation *s, double t0, double t1, const SimDrive *drive, Error *err) {
  int last = s->first;
  while (last < s->n_time && s->time[last] <= t1) last++;
  const SimOutput output = {last - s->first, s->time + s->first, store, s};
  Status status = sim_motion_run(s->motion, t0, t1, s->q, s->v, drive, &output, err);
  if (status != STATUS_OK) return status;
  s->work += sim_motion_work(s->motion);
  s->loss += sim_motion_loss(s->motion);
  return STATUS_OK;
}

// interval by interval: a new run where the torques jump
static Status run_result(Simulation *s, Error *err) {
  const Trajectory *t = s->t;
  bool constant = t->n_control == t->n_interval;
  Status status = STATUS_OK;
  for (int k = 0; k < t->n_interval && status == STATUS_OK; k++) {
    double t0 = t->time[k], t1 = fmin(t->time[k + 1], s->until);
    if (t1 - t0 <= ROUNDING * t1) break;
    if (constant) force(s, 0.5 * (t0 + t->time[k + 1]), s->tau);
    const SimDrive drive = {s->tau, constant ? NULL : force, s};
    status = run_span(s, t0, t1, &drive, err);
  }
  return status;
}

// what loops are apart at every instant; forces as they acted there
static void compute_violations(Simulation *s) {
  size_t nv = (size_t)s->m->nv;
  for (int k = 0; s->m->n_loop && k < s->n_time; k++) {
    const double *x = s->x + 2 * nv * (size_t)k;
    if (s->t) force(s, s->time[k], s->tau);
    s->off[k] = sim_motion_violation(s->motion, x, x + nv, s->tau);
  }
}

static Status compute_energy(Simulation *s, Error *err) {
  DynFunction *f = NULL;
  ExprTape *tape = NULL;
  Status status = dyn_energy_build(&f, s->m, err);
  if (status == STATUS_OK) status = expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, err);
  double *part = arena_array(s->arena, 2 * (size_t)s->n_time, sizeof *part);
  void *work = tape ? arena_alloc(s->arena, expr_tape_work_size(tape)) : NULL;
  if (status == STATUS_OK && (!part || !work)) status = error_no_memory(err);
  if (status == STATUS_OK) {
    long long nv = s->m->nv;
    const LaneIn in[2] = {{s->x, 1, 2 * nv}, {s->x + nv, 1, 2 * nv}};
    const LaneOut out[2] = {{part, 1, 1}, {part + s->n_time, 1, 1}};
    expr_tape_eval(tape, s->n_time, in, out, work);
    for (int k = 0; k < s->n_time; k++) s->energy[k] = part[k] + part[s->n_time + k];
  }
  expr_tape_free(tape);
  dyn_function_free(f);
  return status;
}

Status simulation_run(Simulation *s, Error *err) {
  s->started = s->told = clock_seconds();
  store(s, 0, 0, s->q, s->v);
  const SimDrive drive = {.tau = s->tau};
  Status status = s->t ? run_result(s, err) : run_span(s, 0, s->until, &drive, err);
  if (s->progress) fputs("\r\033[K", stderr);
  s->stats = sim_motion_stats(s->motion);
  if (status != STATUS_OK) return status;
  s->n_time = s->first;
  compute_violations(s);
  return compute_energy(s, err);
}

double simulation_drift(const Simulation *s) {
  return s->energy[s->n_time - 1] - s->energy[0] - s->work + s->loss;
}

SimViolation simulation_worst(const Simulation *s, double *at) {
  SimViolation w = {.loop = -1};
  *at = 0;
  for (int k = 0; s->m->n_loop && k < s->n_time; k++) {
    const SimViolation *o = &s->off[k];
    if (w.loop < 0 || o->position > w.position) {
      w.position = o->position;
      w.loop = o->loop;
      *at = s->time[k];
    }
    w.velocity = fmax(w.velocity, o->velocity);
    w.acceleration = fmax(w.acceleration, o->acceleration);
  }
  return w;
}
