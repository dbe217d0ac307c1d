// SPDX-License-Identifier: MIT
#include "sim/sim_verify.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/dyn_function.h"
#include "dynamics/loop_eval.h"
#include "sim/sim_verify_internal.h"

static const double LEAST_ENERGY = 1e-9;  // less is as good as none [J]

// ---- building ----

typedef Status Builder(DynFunction **out, const Model *m, Error *err);

static Status build_tape(ExprTape **out, Builder *build, int n_out, const Model *m, Error *err) {
  DynFunction *f = NULL;
  Status status = build(&f, m, err);
  if (status == STATUS_OK) {
    f->f.n_out = n_out;
    status = expr_tape_build(out, &f->f, TAPE_FOR_EVALUATOR, err);
  }
  dyn_function_free(f);
  return status;
}

static double *numbers(Verify *w, size_t n) {
  return arena_array(w->r->arena, n + 1, sizeof(double));
}

static bool build_arrays(Verify *w) {
  SimReport *r = w->r;
  size_t nv = (size_t)w->t->nv, n_frame = (size_t)w->o->model->n_frame;
  size_t a = expr_tape_work_size(w->frames), b = expr_tape_work_size(w->energy), rows = 1;
  for (int i = 0; i < w->o->n_term; i++) {
    if (!w->term[i].n_row) continue;
    size_t size = ocp_block_work_size(&w->term[i]), room = ocp_block_room(&w->term[i]);
    if (size > a) a = size;
    if (room > rows) rows = room;
  }
  w->work = arena_alloc(r->arena, a > b ? a : b);
  w->term_value = numbers(w, rows);
  w->q = numbers(w, nv);
  w->v = numbers(w, nv);
  w->a = numbers(w, nv);
  w->pq = numbers(w, nv);
  w->pv = numbers(w, nv);
  w->q_scale = numbers(w, nv);
  w->v_scale = numbers(w, nv);
  w->u = numbers(w, (size_t)w->t->nu);
  w->tau = numbers(w, nv);
  w->position = numbers(w, 6 * n_frame);
  w->sample = numbers(w, (size_t)w->opt->n_sample);
  return w->work && w->term_value && w->q && w->v && w->a && w->pq && w->pv && w->q_scale &&
         w->v_scale && w->u && w->tau && w->position && w->sample;
}

static void set_scales(Verify *w) {
  const Trajectory *t = w->t;
  for (int i = 0; i < t->nv; i++) {
    double q = 0, v = 0;
    for (size_t k = 0; k <= (size_t)t->n_interval; k++) {
      q = fmax(q, fabs(t->q[k * (size_t)t->nv + i]));
      v = fmax(v, fabs(t->v[k * (size_t)t->nv + i]));
    }
    w->q_scale[i] = 1 + q;
    w->v_scale[i] = 1 + v;
  }
}

// another formulation than the one optimised, order N where possible
static const DynForm *choose_form(const Ocp *o, const SimOptions *opt) {
  if (opt->form) return opt->form;
  return strcmp(o->form->family, dyn_exp2_ode.family) == 0 ? &dyn_exp1_ode : &dyn_exp2_ode;
}

// the user's constraints; dynamics and costs of theirs are no conditions
static Status load_terms(Verify *w, Error *err) {
  const Ocp *o = w->o;
  w->term = arena_array(w->r->arena, (size_t)o->n_term + 1, sizeof *w->term);
  if (!w->term) return error_no_memory(err);
  Status status = STATUS_OK;
  for (int i = 0; status == STATUS_OK && i < o->n_term; i++) {
    if (o->term[i].use != OCP_TERM_CONSTRAINT) continue;
    status = ocp_block_load(&w->term[i], w->r->arena, &o->term[i], o->model->nv, o->model->nu, err);
  }
  return status;
}

static Status verify_build(Verify *w, Error *err) {
  const Model *m = w->o->model;
  if (w->opt->n_sample < 1) {
    return error_set(err, STATUS_INPUT, "", "%d samples per interval: there must be one",
                     w->opt->n_sample);
  }
  // another method of the loops than the one optimised with: those are TREE+AUG and RCR
  SimOptions opt = *w->opt;
  if (!opt.loop_method) opt.loop_method = &loop_tree_lambda;
  w->r->method = m->n_loop ? opt.loop_method->name : w->r->form->name;
  Status status = sim_build(&w->sim, m, w->r->form, &opt, err);
  if (status == STATUS_OK) status = build_tape(&w->frames, dyn_frames_build, 1, m, err);
  if (status == STATUS_OK) status = build_tape(&w->energy, dyn_energy_build, 2, m, err);
  if (status == STATUS_OK) status = load_terms(w, err);
  if (status == STATUS_OK && !build_arrays(w)) status = error_no_memory(err);
  if (status == STATUS_OK) set_scales(w);
  return status;
}

// ---- what the nodes and controls say by themselves ----

static void check_start(Verify *w) {
  for (int i = 0; i < w->t->nv; i++) {
    replay_worse(&w->r->start, fabs(w->t->q[i] - w->o->q_start[i]), i, 0, w->t->time[0]);
    replay_worse(&w->r->start, fabs(w->t->v[i] - w->o->v_start[i]), i, 0, w->t->time[0]);
  }
}

static void check_goal(Verify *w) {
  const Trajectory *t = w->t;
  const OcpGoal *g = &w->o->goal;
  SimGoal *out = &w->r->goal;
  const double *q = t->q + (size_t)t->n_interval * t->nv, *v = t->v + (size_t)t->n_interval * t->nv;
  out->position = replay_frames(w, q, w->position) ? replay_goal_distance(w, w->position)
                                                   : INFINITY;
  replay_forces(w, t->n_interval - 1, 1, w->tau);
  if (!sim_accelerations(w->sim, q, v, w->tau, w->a)) w->a[0] = INFINITY;
  for (int i = 0; i < t->nv; i++) {
    if (g->joint_fixed[i]) out->joint = fmax(out->joint, fabs(q[i] - g->joint_value[i]));
    if (g->at_rest) out->speed = fmax(out->speed, fabs(v[i]));
    if (g->equilibrium) out->acceleration = fmax(out->acceleration, fabs(w->a[i]));
  }
}

// efforts at samples of every interval, both ends included, and the slope between controls
static void check_effort(Verify *w) {
  const Trajectory *t = w->t;
  const OcpLimits *l = &w->o->limits;
  int n = t->n_control == t->n_interval ? 1 : w->opt->n_sample;
  for (int k = 0; k < t->n_interval; k++) {
    for (int j = 0; j <= n; j++) {
      double s = (double)j / n, time = t->time[k] + s * (t->time[k + 1] - t->time[k]);
      replay_control(t, k, s, w->u);
      for (int i = 0; i < t->nu; i++) {
        double over = fmax(l->u_lower[i] - w->u[i], w->u[i] - l->u_upper[i]);
        replay_worse(&w->r->u_limit, over, i, k, time);
      }
    }
  }
  for (int c = 0; c + 1 < t->n_control; c++) {
    const double *u = t->u + (size_t)c * t->nu, *next = u + t->nu;
    double time = trajectory_control_time(t, c), h = trajectory_control_time(t, c + 1) - time;
    // split intervals share their control: time is counted between the pieces
    if (w->o->piece && t->n_interval == w->o->n_interval) {
      if (ocp_tied(w->o, c)) continue;
      h = ocp_control_gap(w->o, c) * t->time[t->n_interval];
    }
    int k = (int)((long long)c * t->n_interval / t->n_control);
    for (int i = 0; i < t->nu; i++) {
      replay_worse(&w->r->u_rate, fabs(next[i] - u[i]) / h - l->u_rate[i], i, k, time + h / 2);
    }
  }
}

// work and loss are known; T + V at the nodes
static void check_energy(Verify *w) {
  const Trajectory *t = w->t;
  SimEnergy *e = &w->r->energy;
  double lowest = INFINITY, highest = -INFINITY, kinetic = 0;
  for (int k = 0; k <= t->n_interval; k++) {
    const LaneIn in[2] = {{t->q + (size_t)k * t->nv, 1, 0}, {t->v + (size_t)k * t->nv, 1, 0}};
    double part[2] = {NAN, NAN};
    const LaneOut out[2] = {{&part[0], 1, 1}, {&part[1], 1, 1}};
    expr_tape_eval(w->energy, 1, in, out, w->work);
    e->end = part[0] + part[1];
    if (k == 0) e->start = e->end;
    kinetic = fmax(kinetic, part[0]);
    lowest = fmin(lowest, part[1]);
    highest = fmax(highest, part[1]);
  }
  e->imbalance = e->end - e->start - e->work + e->loss;
  double moved = kinetic + (highest - lowest) + fabs(e->work) + fabs(e->loss);
  e->relative = fabs(e->imbalance) / fmax(moved, LEAST_ENERGY);
}

// ---- the verdict ----

static void complain(SimReport *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(SimReport *r, const char *format, ...) {
  size_t len = strlen(r->failure), room = sizeof r->failure - len;
  if (len > 0) len += (size_t)snprintf(r->failure + len, room, "; ");
  if (len >= sizeof r->failure) return;
  va_list args;
  va_start(args, format);
  vsnprintf(r->failure + len, sizeof r->failure - len, format, args);
  va_end(args);
}

static const char *unit(const Model *m, int joint) {
  return joint >= 0 && m->joint[joint].type == JOINT_PRISMATIC ? "m" : "rad";
}

static void judge_dynamics(const Verify *w) {
  SimReport *r = w->r;
  const Model *m = w->o->model;
  const SimWorst *q = &r->q_defect, *v = &r->v_defect;
  double tol = w->opt->defect_tol;
  if (!(q->value <= tol) && q->index >= 0) {
    complain(r, "interval %d ends %.3g %s off in joint \"%s\"", q->interval, q->value,
             unit(m, q->index), m->joint[q->index].name);
  }
  if (!(v->value <= tol) && v->index >= 0) {
    complain(r, "interval %d ends %.3g %s/s off in the speed of joint \"%s\"", v->interval,
             v->value, unit(m, v->index), m->joint[v->index].name);
  }
  if (!(r->energy.relative <= w->opt->energy_tol)) {
    complain(r, "energy does not balance: %.3g J of it (%.2g relative)", r->energy.imbalance,
             r->energy.relative);
  }
}

// loops at the nodes: nothing but the accuracy of the motion keeps them closed
static Status judge_loops(const Verify *w, Error *err) {
  const Model *m = w->o->model;
  if (!m->n_loop) return STATUS_OK;
  LoopEval *e = NULL;
  if (loop_eval_build(&e, m, err)) return err->code;
  double *phi = arena_array(w->r->arena, (size_t)e->n_row + 1, sizeof *phi);
  Status status = phi ? STATUS_OK : error_no_memory(err);
  for (int k = 0; status == STATUS_OK && k <= w->t->n_interval; k++) {
    if (!loop_eval(e, w->t->q + (size_t)k * (size_t)m->nv, NULL, phi, NULL, NULL, NULL)) continue;
    for (int i = 0; i < e->n_row; i++) w->r->loop_gap = fmax(w->r->loop_gap, fabs(phi[i]));
  }
  loop_eval_free(e);
  if (status == STATUS_OK && !(w->r->loop_gap <= w->opt->defect_tol)) {
    complain(w->r, "loops are open by %.3g at a node", w->r->loop_gap);
  }
  return status;
}

static void judge_ends(const Verify *w) {
  SimReport *r = w->r;
  const SimGoal *g = &r->goal;
  double tol = w->opt->goal_tol;
  if (!(r->start.value <= w->opt->start_tol)) {
    complain(r, "starts %.3g off the start state in joint \"%s\"", r->start.value,
             w->o->model->joint[r->start.index].name);
  }
  if (!(g->position <= tol)) complain(r, "ends %.3g m off the goal", g->position);
  if (!(g->joint <= tol)) complain(r, "ends %.3g off a joint's goal", g->joint);
  if (!(g->speed <= tol)) complain(r, "ends with a speed of %.3g, not at rest", g->speed);
  if (!(g->acceleration <= w->opt->acceleration_tol)) {
    complain(r, "ends with an acceleration of %.3g, not in equilibrium", g->acceleration);
  }
}

static void judge_limits(const Verify *w) {
  SimReport *r = w->r;
  const Model *m = w->o->model;
  const OcpLimits *l = &w->o->limits;
  const SimWorst *x = &r->q_limit;
  double tol = w->opt->limit_tol, effort = w->opt->effort_tol;
  if (!(x->value <= tol)) {
    complain(r, "joint \"%s\" is %.3g %s beyond its limit at %.4g s", m->joint[x->index].name,
             x->value, unit(m, x->index), x->time);
  }
  x = &r->v_limit;
  if (!(x->value <= tol)) {
    complain(r, "joint \"%s\" is %.3g %s/s too fast at %.4g s", m->joint[x->index].name, x->value,
             unit(m, x->index), x->time);
  }
  x = &r->clearance;
  if (!(x->value >= -tol)) {
    complain(r, "%.3g m inside obstacle \"%s\" at %.4g s", -x->value, w->o->obstacle[x->index].name,
             x->time);
  }
  x = &r->term;
  if (x->index >= 0 && !(w->term_worst <= 1)) {
    complain(r, "constraint \"%s\" is off its bounds by %.3g at %.4g s", w->o->term[x->index].name,
             x->value, x->time);
  }
  x = &r->u_limit;
  if (x->index >= 0) {
    double size = fmax(fabs(l->u_lower[x->index]), fabs(l->u_upper[x->index]));
    if (!(x->value <= effort * fmax(1, isfinite(size) ? size : 1))) {
      complain(r, "actuator of \"%s\" is %.3g beyond its limit at %.4g s",
               m->joint[m->u_joint[x->index]].name, x->value, x->time);
    }
  }
  x = &r->u_rate;
  if (x->index >= 0 && !(x->value <= effort * fmax(1, l->u_rate[x->index]))) {
    complain(r, "effort of \"%s\" changes %.3g per s too fast at %.4g s",
             m->joint[m->u_joint[x->index]].name, x->value, x->time);
  }
}

// ---- all of it ----

static int first_bad(size_t n, const double *x) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) return (int)i;
  }
  return -1;
}

// Values that are not finite, and times that do not ascend: nothing can be replayed.
static bool usable(SimReport *r, const Ocp *o, const Trajectory *t) {
  const Model *m = o->model;
  size_t n = (size_t)t->n_interval + 1, nv = (size_t)t->nv, nu = (size_t)t->nu;
  int at = first_bad(n * nv, t->q), bv = first_bad(n * nv, t->v);
  int bu = first_bad((size_t)t->n_control * nu, t->u);
  if (at < 0) at = bv;
  if (at >= 0) {
    complain(r, "the state of joint \"%s\" is not a finite number at node %d",
             m->joint[at % t->nv].name, at / t->nv);
  } else if (bu >= 0) {
    complain(r, "control %d of joint \"%s\" is not a finite number", bu / t->nu,
             m->joint[m->u_joint[bu % t->nu]].name);
  }
  for (int k = 0; !r->failure[0] && k < t->n_interval; k++) {
    if (!(t->time[k + 1] > t->time[k])) {
      complain(r, "node %d at %g s does not come after node %d at %g s", k + 1, t->time[k + 1], k,
               t->time[k]);
    }
  }
  return !r->failure[0];
}

static Status report_build(SimReport *r, const Ocp *o, const Trajectory *t, const SimOptions *opt,
                           Error *err) {
  static const SimWorst none = {0, -1, -1, 0};
  size_t n = (size_t)t->n_interval;
  *r = (SimReport){.arena = arena_new(), .form = choose_form(o, opt), .n_interval = t->n_interval};
  r->method = r->form->name;
  r->q_defect = r->v_defect = r->start = r->q_limit = r->v_limit = r->u_limit = r->u_rate =
      r->term = none;
  r->clearance = (SimWorst){INFINITY, -1, -1, 0};
  r->open_loop = (SimOpenLoop){.joint = -1, .frame = -1};
  r->defect_q = arena_array(r->arena, n + 1, sizeof *r->defect_q);
  r->defect_v = arena_array(r->arena, n + 1, sizeof *r->defect_v);
  r->error = arena_array(r->arena, n + 1, sizeof *r->error);
  r->excess = arena_array(r->arena, n + 1, sizeof *r->excess);
  return r->defect_q && r->defect_v && r->error && r->excess ? STATUS_OK : error_no_memory(err);
}

static void spoil(SimReport *r) {
  for (int k = 0; k < r->n_interval; k++) {
    r->defect_q[k] = r->defect_v[k] = r->error[k] = r->excess[k] = INFINITY;
  }
  r->q_defect.value = r->v_defect.value = INFINITY;
}

Status sim_verify(SimReport *out, const Ocp *o, const Trajectory *t, const SimOptions *opt,
                  Error *err) {
  assert(t->nv == o->model->nv && t->nu == o->model->nu && t->n_interval > 0);
  if (!opt) opt = &sim_defaults;
  Status status = report_build(out, o, t, opt, err);
  if (status != STATUS_OK) return status;
  if (!usable(out, o, t)) {
    spoil(out);
    return STATUS_OK;
  }
  Verify w = {.r = out, .o = o, .t = t, .opt = opt};
  status = verify_build(&w, err);
  if (status == STATUS_OK) status = replay_intervals(&w, err);
  if (status == STATUS_OK) status = replay_open_loop(&w, err);
  if (status == STATUS_OK) {
    check_start(&w);
    check_goal(&w);
    check_effort(&w);
    check_energy(&w);
    judge_dynamics(&w);
    status = judge_loops(&w, err);
    judge_ends(&w);
    judge_limits(&w);
    out->verified = !out->failure[0];
    out->stats = sim_stats(w.sim);
  }
  sim_free(w.sim);
  expr_tape_free(w.frames);
  expr_tape_free(w.energy);
  for (int i = 0; w.term && i < o->n_term; i++) ocp_block_free(&w.term[i]);
  return status;
}

void sim_report_free(SimReport *r) {
  if (!r) return;
  arena_free(r->arena);
  *r = (SimReport){0};
}
