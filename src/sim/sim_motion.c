// SPDX-License-Identifier: MIT
#include "sim/sim_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sim/sim_motion_internal.h"

const char sim_motion_integrators[] = "euler, rk2, rk4, cvode, ida";

// IDA's order is at most 5: what it reaches on mechanisms without stalling
static const double IDA_REL_TOL = 1e-9, IDA_ABS_TOL = 1e-10;

// ---- building ----------------------------------------------------------------------------------

static Status build_arrays(SimMotion *s, Error *err) {
  size_t n = (size_t)s->m->nv, m = (size_t)model_n_rows(s->m);
  double **part[] = {&s->tau, &s->q, &s->v, &s->a, &s->phi, &s->rate, &s->gamma, &s->J};
  const size_t size[] = {n, n, n, n, m, m, m, m * n};
  for (int i = 0; i < 8; i++) {
    *part[i] = arena_array(s->arena, size[i] + 1, sizeof **part[i]);
    if (!*part[i]) return error_no_memory(err);
  }
  return STATUS_OK;
}

static Status build_cvode(SimMotion *s, Error *err) {
  SimOptions opt = sim_defaults;
  opt.loop_method = s->opt.method;
  if (s->opt.rel_tol > 0) opt.rel_tol = s->opt.rel_tol;
  if (s->opt.abs_tol > 0) opt.abs_tol = s->opt.abs_tol;
  s->stats.operations = s->accel->map->count.total;
  return sim_build(&s->sim, s->m, s->opt.form, &opt, err);
}

static Status build_ida(SimMotion *s, Error *err) {
  SimOptions opt = sim_defaults;
  opt.loop_method = s->opt.method->has_multipliers ? s->opt.method : &loop_tree_aug;
  opt.rel_tol = s->opt.rel_tol > 0 ? s->opt.rel_tol : IDA_REL_TOL;
  opt.abs_tol = s->opt.abs_tol > 0 ? s->opt.abs_tol : IDA_ABS_TOL;
  Status status = sim_ida_build(&s->ida, s->m, &opt, err);
  if (status == STATUS_OK) s->stats.operations = sim_ida_operations(s->ida);
  return status;
}

static Status build_fixed(SimMotion *s, const double *q, Error *err) {
  s->stepper = &motion_all;
  if (s->m->n_loop && s->opt.method == &loop_rcr) s->stepper = &motion_reduced;
  if (s->m->n_loop && s->opt.method == &loop_maximal) s->stepper = &motion_maximal;
  if (s->opt.srm) s->stepper = &motion_srm;
  if (!(s->opt.step > 0) || !isfinite(s->opt.step)) {
    return error_set(err, STATUS_INPUT, "", "a step of %g s is not positive", s->opt.step);
  }
  return s->stepper->build(s, q, err);
}

static Status build(SimMotion *s, const double *q, Error *err) {
  const char *name = s->opt.integrator;
  bool cvode = strcmp(name, "cvode") == 0, ida = strcmp(name, "ida") == 0;
  s->scheme = sim_scheme_find(name);
  if (!cvode && !ida && !s->scheme) {
    return error_set(err, STATUS_INPUT, "", "integrator \"%s\" is not one of %s", name,
                     sim_motion_integrators);
  }
  if (s->opt.srm && !s->scheme) {
    return error_set(err, STATUS_INPUT, "", "sequential regularization takes fixed steps: %s",
                     sim_scheme_names);
  }
  Status status = build_arrays(s, err);
  if (status == STATUS_OK && s->m->n_loop) status = loop_eval_build(&s->loops, s->m, err);
  if (status == STATUS_OK) {
    status = sim_accel_build(&s->accel, s->m, s->opt.form, s->opt.method, err);
  }
  if (status != STATUS_OK) return status;
  return cvode ? build_cvode(s, err) : ida ? build_ida(s, err) : build_fixed(s, q, err);
}

Status sim_motion_build(SimMotion **out, const Model *m, const SimMotionOptions *opt,
                        const double *q, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  SimMotion *s = arena_alloc(arena, sizeof *s);
  if (!s) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *s = (SimMotion){.arena = arena, .m = m, .opt = *opt};
  if (!s->opt.method) s->opt.method = &loop_tree_aug;
  if (!s->opt.form) s->opt.form = &dyn_exp2_ode;
  if (!s->opt.integrator) s->opt.integrator = "cvode";
  Status status = build(s, q, err);
  if (status == STATUS_OK) *out = s;
  else sim_motion_free(s);
  return status;
}

void sim_motion_free(SimMotion *s) {
  if (!s) return;
  sim_free(s->sim);
  sim_ida_free(s->ida);
  sim_loop_free(s->reduced);
  sim_maximal_free(s->maximal);
  sim_srm_free(s->srm);
  sim_accel_free(s->accel);
  loop_eval_free(s->loops);
  arena_free(s->arena);
}

// ---- running -----------------------------------------------------------------------------------

// joint forces at t into s->tau
static void set_forces(SimMotion *s, const SimDrive *drive, double t) {
  size_t size = (size_t)s->m->nv * sizeof *s->tau;
  memset(s->tau, 0, size);
  if (drive && drive->force) drive->force(drive->data, t, s->tau);
  else if (drive && drive->tau) memcpy(s->tau, drive->tau, size);
}

static double power_lost(const SimMotion *s, const double *v) {
  double p = 0;
  for (int i = 0; i < s->m->nv; i++) p += s->m->joint[i].damping * v[i] * v[i];
  return p;
}

// fixed steps from t to end, as many as the step asks for, all equal; q and v follow
static Status advance(SimMotion *s, double t, double end, double *q, double *v,
                      const SimDrive *drive, Error *err) {
  int n_step = (int)fmax(1, ceil((end - t) / s->opt.step - 1e-9));
  double h = (end - t) / n_step;
  for (int k = 0; k < n_step; k++) {
    double at = t + k * h;
    set_forces(s, drive, at + 0.5 * h);
    s->d += 0.5 * h * power_lost(s, v);
    for (int i = 0; i < s->m->nv; i++) s->w -= s->tau[i] * q[i];
    Status status = s->stepper->step(s, h, err);
    if (status == STATUS_OK) status = s->stepper->get(s, q, v, err);
    if (status != STATUS_OK) {
      char what[sizeof err->what];
      snprintf(what, sizeof what, "%s", err->what);
      return error_set(err, status, err->where, "at t = %.6g s %s", at, what);
    }
    for (int i = 0; i < s->m->nv; i++) s->w += s->tau[i] * q[i];
    s->d += 0.5 * h * power_lost(s, v);
    s->stats.steps++;
  }
  return STATUS_OK;
}

static Status run_fixed(SimMotion *s, double t0, double t1, double *q, double *v,
                        const SimDrive *drive, const SimOutput *output, Error *err) {
  s->w = s->d = 0;
  Status status = s->stepper->set(s, q, v, err);
  if (status == STATUS_OK) status = s->stepper->get(s, q, v, err);
  double t = t0, least = 1e-13 * fmax(fabs(t0), fabs(t1));
  for (int k = 0; status == STATUS_OK && output && k < output->n; k++) {
    double end = fmin(output->time[k], t1);
    if (end - t > least) {
      status = advance(s, t, end, q, v, drive, err);
      t = end;
    }
    if (status == STATUS_OK) output->at(output->data, k, end, q, v);
  }
  if (status == STATUS_OK && t1 - t > least) status = advance(s, t, t1, q, v, drive, err);
  return status;
}

Status sim_motion_run(SimMotion *s, double t0, double t1, double *q, double *v,
                      const SimDrive *drive, const SimOutput *output, Error *err) {
  double start = clock_seconds();
  Status status;
  if (s->sim) {
    status = sim_run(s->sim, t0, t1, q, v, drive, output, err);
    s->w = sim_work(s->sim);
    s->d = sim_loss(s->sim);
  } else if (s->ida) {
    status = sim_ida_run(s->ida, t0, t1, q, v, drive, output, err);
    s->w = sim_ida_work(s->ida);
    s->d = sim_ida_loss(s->ida);
  } else {
    status = run_fixed(s, t0, t1, q, v, drive, output, err);
  }
  s->stats.seconds += clock_seconds() - start;
  return status;
}

double sim_motion_work(const SimMotion *s) {
  return s->w;
}

double sim_motion_loss(const SimMotion *s) {
  return s->d;
}

// ---- numbers of a state ------------------------------------------------------------------------

bool sim_motion_accelerations(const SimMotion *s, const double *q, const double *v,
                              const double *tau, double *a) {
  return sim_accel_eval(s->accel, q, v, tau, a);
}

SimViolation sim_motion_violation(const SimMotion *s, const double *q, const double *v,
                                  const double *tau) {
  SimViolation out = {.loop = -1};
  if (!s->loops) return out;
  int n = s->m->nv, row = 0;
  bool ok = sim_accel_eval(s->accel, q, v, tau, s->a) &&
            loop_eval(s->loops, q, v, s->phi, s->rate, s->gamma, s->J);
  if (!ok) return (SimViolation){INFINITY, INFINITY, INFINITY, 0};
  for (int l = 0; l < s->m->n_loop; l++) {
    for (int k = 0; k < model_loop_rows(&s->m->loop[l]); k++, row++) {
      double rest = -s->gamma[row];
      for (int j = 0; j < n; j++) rest += s->J[row + (size_t)s->loops->n_row * (size_t)j] * s->a[j];
      if (out.loop < 0 || fabs(s->phi[row]) > out.position) {
        out.position = fabs(s->phi[row]);
        out.loop = l;
      }
      out.velocity = fmax(out.velocity, fabs(s->rate[row]));
      out.acceleration = fmax(out.acceleration, fabs(rest));
    }
  }
  return out;
}

SimMotionStats sim_motion_stats(const SimMotion *s) {
  SimMotionStats out = s->stats;
  if (s->sim) {
    out.steps = sim_stats(s->sim).steps;
    out.evaluations = sim_stats(s->sim).evaluations;
  } else if (s->ida) {
    out.steps = sim_ida_steps(s->ida);
    out.evaluations = sim_ida_residuals(s->ida);
    out.jacobians = sim_ida_jacobians(s->ida);
  }
  return out;
}
