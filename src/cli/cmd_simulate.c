// SPDX-License-Identifier: MIT
// poise simulate: the motion of a robot under the torques of a result, or left to itself.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_at.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/form_option.h"
#include "cli/json_out.h"
#include "cli/states.h"
#include "dynamics/dyn_function.h"
#include "expr/expr_tape.h"
#include "ocp/trajectory.h"
#include "sim/sim_integrate.h"

enum { MAX_SAMPLES = 1000000 };
static const double DEFAULT_UNTIL = 1, DEFAULT_STEP = 0.01, LONGEST = 1e5;  // [s]
static const double ROUNDING = 1e-12;  // relative: instants closer than this are the same

typedef enum FileKind { FILE_ROBOT, FILE_TASK, FILE_RESULT } FileKind;

typedef struct Simulation {
  Arena *arena;         // owns the arrays
  FileKind kind;        //
  Model *m;             // owned by o if there is one
  Ocp *o;               // of a task; else NULL
  Trajectory *t;        // of a result; else NULL
  const DynForm *form;  //
  double until;         // [s]
  double *q, *v;        // nv, the state
  double *q0, *v0;      // nv, at the start
  double *tau, *u;      // nv, nu, forces held, or those of the result
  int n_time;           // instants of the output, t = 0 the first
  double *time;         // n_time
  double *x;            // (2 nv) x n_time, q and v
  double *energy;       // n_time, T + V [J]
  int first;            // next instant to fill
  double work, loss;    // [J]
  SimStats stats;       //
} Simulation;

// ---- what to simulate ----

static Status find_kind(const JsonAt *root, FileKind *out, Error *err) {
  JsonAt trajectory = json_find(root, "trajectory"), robot = json_find(root, "robot");
  JsonAt joints = json_find(root, "joints");
  if (trajectory.node) *out = FILE_RESULT;
  else if (robot.node) *out = FILE_TASK;
  else if (joints.node) *out = FILE_ROBOT;
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

static Status load(Simulation *s, const Args *args, Error *err) {
  const char *path = args->positional[0];
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  JsonAt root = json_root(doc, path);
  Status status = find_kind(&root, &s->kind, err);
  if (status == STATUS_OK && s->kind == FILE_RESULT) status = load_result(s, args, &root, err);
  json_free(doc);
  if (status != STATUS_OK || s->kind == FILE_RESULT) return status;
  if (options_has(args, "robot")) {
    return error_set(err, STATUS_INPUT, "--robot", "is for results; %s names its own", path);
  }
  if (s->kind == FILE_ROBOT) {
    status = model_load(&s->m, path, err);
    return status == STATUS_OK ? model_require_tree(s->m, "simulation", err) : status;
  }
  status = ocp_load(&s->o, path, err);
  if (status == STATUS_OK) s->m = s->o->model;
  return status;
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
  if (s->kind == FILE_RESULT && (pose || state)) {
    return error_set(err, STATUS_INPUT, pose ? "--pose" : "--state",
                     "a result starts at its own first node");
  }
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
  s->time = arena_array(s->arena, (size_t)s->n_time, sizeof *s->time);
  s->x = arena_array(s->arena, 2 * (size_t)s->m->nv * (size_t)s->n_time, sizeof *s->x);
  s->energy = arena_array(s->arena, (size_t)s->n_time, sizeof *s->energy);
  if (!s->time || !s->x || !s->energy) return error_no_memory(err);
  for (int k = 0; k < s->n_time; k++) s->time[k] = fmin(k * step, s->until);
  s->time[s->n_time - 1] = s->until;
  return STATUS_OK;
}

static bool build_arrays(Simulation *s) {
  size_t nv = (size_t)s->m->nv;
  s->q = arena_array(s->arena, nv, sizeof *s->q);
  s->v = arena_array(s->arena, nv, sizeof *s->v);
  s->q0 = arena_array(s->arena, nv, sizeof *s->q0);
  s->v0 = arena_array(s->arena, nv, sizeof *s->v0);
  s->tau = arena_array(s->arena, nv, sizeof *s->tau);
  s->u = arena_array(s->arena, nv, sizeof *s->u);
  return s->q && s->v && s->q0 && s->v0 && s->tau && s->u;
}

// ---- the motion ----

static void store(void *data, int k, double time, const double *q, const double *v) {
  Simulation *s = data;
  (void)k, (void)time;
  size_t nv = (size_t)s->m->nv;
  double *x = s->x + 2 * nv * (size_t)s->first++;
  memcpy(x, q, nv * sizeof *x);
  memcpy(x + nv, v, nv * sizeof *x);
}

static void force(const void *data, double time, double *tau) {
  const Simulation *s = data;
  trajectory_control(s->t, time, s->u);
  memset(tau, 0, (size_t)s->m->nv * sizeof *tau);
  for (int j = 0; j < s->m->nu; j++) tau[s->m->u_joint[j]] = s->u[j];
}

static Status run_span(Simulation *s, Sim *sim, double t0, double t1, const SimDrive *drive,
                       Error *err) {
  int last = s->first;
  while (last < s->n_time && s->time[last] <= t1) last++;
  const SimOutput output = {last - s->first, s->time + s->first, store, s};
  Status status = sim_run(sim, t0, t1, s->q, s->v, drive, &output, err);
  if (status != STATUS_OK) return status;
  s->work += sim_work(sim);
  s->loss += sim_loss(sim);
  return STATUS_OK;
}

// interval by interval: a new run where the torques jump
static Status run_result(Simulation *s, Sim *sim, Error *err) {
  const Trajectory *t = s->t;
  bool constant = t->n_control == t->n_interval;
  Status status = STATUS_OK;
  for (int k = 0; k < t->n_interval && status == STATUS_OK; k++) {
    double t0 = t->time[k], t1 = fmin(t->time[k + 1], s->until);
    if (t1 - t0 <= ROUNDING * t1) break;
    if (constant) force(s, 0.5 * (t0 + t->time[k + 1]), s->tau);
    const SimDrive drive = {s->tau, constant ? NULL : force, s};
    status = run_span(s, sim, t0, t1, &drive, err);
  }
  return status;
}

static Status run_motion(Simulation *s, Error *err) {
  Sim *sim;
  Status status = sim_build(&sim, s->m, s->form, NULL, err);
  if (status != STATUS_OK) return status;
  store(s, 0, 0, s->q, s->v);
  const SimDrive drive = {.tau = s->tau};
  if (s->t) status = run_result(s, sim, err);
  else status = run_span(s, sim, 0, s->until, &drive, err);
  s->stats = sim_stats(sim);
  sim_free(sim);
  return status;
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

// change of T + V that neither work nor damping explains [J]
static double drift(const Simulation *s) {
  return s->energy[s->n_time - 1] - s->energy[0] - s->work + s->loss;
}

// ---- output ----

static void add_names(TextBuf *b, const char *prefix, const Model *m) {
  for (int i = 0; i < m->nv; i++) textbuf_addf(b, ",%s.%s", prefix, m->joint[i].name);
}

static Status save_csv(const Simulation *s, const char *path, Error *err) {
  TextBuf b = {0};
  textbuf_add(&b, "time");
  add_names(&b, "q", s->m);
  add_names(&b, "v", s->m);
  textbuf_add(&b, ",energy\n");
  size_t n = 2 * (size_t)s->m->nv;
  for (int k = 0; k < s->n_time; k++) {
    textbuf_add_double(&b, s->time[k]);
    for (size_t i = 0; i < n; i++) {
      textbuf_add(&b, ",");
      textbuf_add_double(&b, s->x[(size_t)k * n + i]);
    }
    textbuf_add(&b, ",");
    textbuf_add_double(&b, s->energy[k]);
    textbuf_add(&b, "\n");
  }
  Status status = b.failed ? error_no_memory(err) : textbuf_save(&b, path, err);
  textbuf_free(&b);
  return status;
}

// largest difference from the node where a result ends; -1 if it was not run to its end
static int planned_end(const Simulation *s, double *dq) {
  const Trajectory *t = s->t;
  int worst = -1;
  *dq = 0;
  for (int i = 0; t && s->until == t->time[t->n_interval] && i < t->nv; i++) {
    double d = fabs(s->q[i] - t->q[(size_t)t->n_interval * (size_t)t->nv + (size_t)i]);
    if (worst >= 0 && d <= *dq) continue;
    worst = i;
    *dq = d;
  }
  return worst;
}

static void print_text(const Simulation *s) {
  const Model *m = s->m;
  int width = 0;
  for (int i = 0; i < m->nv; i++) {
    int w = command_text_width(m->joint[i].name);
    width = w > width ? w : width;
  }
  command_put_text(stdout, m->name);
  printf(", %g s %s, %s\n", s->until, s->t ? "under the torques of the result" : "left to itself",
         s->form->name);
  printf("  %*s  %14s %14s %14s\n", -width, "", "start", "end", "speed");
  for (int i = 0; i < m->nv; i++) {
    fputs("  ", stdout);
    command_put_padded(stdout, m->joint[i].name, width);
    printf("  %14.8g %14.8g %14.8g\n", s->q0[i], s->q[i], s->v[i]);
  }
  double dq;
  int joint = planned_end(s, &dq);
  if (joint >= 0) {
    printf("open loop, off the planned end by %.3g in ", dq);
    command_put_text(stdout, m->joint[joint].name);
    putchar('\n');
  }
  printf("energy %.8g J at the start, %.8g J at the end; work %.8g J, lost to damping %.8g J, "
         "drift %.2g J\n",
         s->energy[0], s->energy[s->n_time - 1], s->work, s->loss, drift(s));
  printf("%ld steps, %ld evaluations\n", s->stats.steps, s->stats.evaluations);
}

static Status print_json(const Simulation *s, Error *err) {
  JsonOut out = {0};
  int nv = s->m->nv;
  json_out_open(&out, NULL, '{');
  json_out_string(&out, "robot", s->m->name);
  json_out_string(&out, "formulation", s->form->name);
  json_out_number(&out, "until", s->until);
  json_out_open(&out, "start", '{');
  json_out_vector(&out, "q", s->q0, nv);
  json_out_vector(&out, "v", s->v0, nv);
  json_out_close(&out);
  json_out_open(&out, "end", '{');
  json_out_vector(&out, "q", s->q, nv);
  json_out_vector(&out, "v", s->v, nv);
  json_out_close(&out);
  double dq;
  int joint = planned_end(s, &dq);
  if (joint >= 0) {
    json_out_open(&out, "off_the_plan", '{');
    json_out_number(&out, "q", dq);
    json_out_string(&out, "joint", s->m->joint[joint].name);
    json_out_close(&out);
  }
  json_out_open(&out, "energy", '{');
  json_out_number(&out, "start", s->energy[0]);
  json_out_number(&out, "end", s->energy[s->n_time - 1]);
  json_out_number(&out, "work", s->work);
  json_out_number(&out, "loss", s->loss);
  json_out_number(&out, "drift", drift(s));
  json_out_close(&out);
  json_out_number(&out, "steps", (double)s->stats.steps);
  json_out_number(&out, "evaluations", (double)s->stats.evaluations);
  json_out_close(&out);
  return json_out_print(&out, err);
}

// ---- the command ----

static Status prepare(Simulation *s, const Args *args, Error *err) {
  Status status = form_option(args, &dyn_exp2_ode, &s->form, err);
  if (status == STATUS_OK) status = load(s, args, err);
  if (status == STATUS_OK && !build_arrays(s)) status = error_no_memory(err);
  if (status == STATUS_OK) status = set_start(s, args, err);
  if (status == STATUS_OK) status = set_times(s, args, err);
  if (status != STATUS_OK) return status;
  memcpy(s->q0, s->q, (size_t)s->m->nv * sizeof *s->q);
  memcpy(s->v0, s->v, (size_t)s->m->nv * sizeof *s->v);
  return STATUS_OK;
}

static int run(const Args *args) {
  Error err = {0};
  Simulation s = {.arena = arena_new()};
  Status status = s.arena ? prepare(&s, args, &err) : error_no_memory(&err);
  if (status == STATUS_OK) status = run_motion(&s, &err);
  if (status == STATUS_OK) status = compute_energy(&s, &err);
  const char *csv = options_value(args, "csv");
  if (status == STATUS_OK && csv) status = save_csv(&s, csv, &err);
  if (status == STATUS_OK && options_has(args, "json")) status = print_json(&s, &err);
  else if (status == STATUS_OK) print_text(&s);
  trajectory_free(s.t);
  if (s.o) ocp_free(s.o);
  else model_free(s.m);
  arena_free(s.arena);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"formulation", 'f', "F", "IMPL, SEMI, EXP1 or EXP2 (default)"},
    {"until", 'T', "SECONDS", "how long; default: the result's or task's horizon, or 1"},
    {"pose", 'p', "NAME", "start at rest in a pose of the robot; default: all joints at 0"},
    {"state", 's', "FILE", "start in the first state of a file {\"q\",\"v\",\"tau\"}, tau held"},
    {"robot", 'r', "FILE", "robot of a result, if it is no longer where the result says"},
    {"step", 0, "SECONDS", "distance of the lines of --csv (default 0.01)"},
    {"csv", 0, "FILE", "write time, positions, speeds and energy"},
    {"json", 0, NULL, "print JSON"},
};

const Command cmd_simulate = {
    .name = "simulate",
    .summary = "replay the torques of a result, or let a robot fall",
    .positional = "RESULT.json|TASK.json|ROBOT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about = "A result is replayed open loop from its first node; a task's robot starts from the\n"
             "task's start state, a robot from a pose or a state, both without torques. The\n"
             "integration controls its error; the drift of the energy that work and damping do\n"
             "not explain shows how well it did.\n",
    .example =
        "poise simulate configs/robots/arm_pendulum.json --pose start --until 0.5 --csv fall.csv\n",
    .run = run,
};
