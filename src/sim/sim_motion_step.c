// SPDX-License-Identifier: MIT
// What fixed steps act on.
#include <string.h>

#include "sim/sim_motion_internal.h"

// ---- all coordinates and rates -----------------------------------------------------------------

static bool rate(void *data, double t, const double *x, double *dx) {
  (void)t;
  SimMotion *s = data;
  int n = s->m->nv;
  s->stats.evaluations++;
  memcpy(dx, x + n, (size_t)n * sizeof *dx);
  return sim_accel_eval(s->accel, x, x + n, s->tau, dx + n);
}

static Status all_build(SimMotion *s, const double *q, Error *err) {
  (void)q;
  size_t n = (size_t)s->m->nv;
  s->x = arena_array(s->arena, 2 * n, sizeof *s->x);
  s->work = arena_array(s->arena, SIM_STEP_WORK(2 * n), sizeof *s->work);
  s->stats.operations = s->accel->map->count.total;
  return s->x && s->work ? STATUS_OK : error_no_memory(err);
}

static Status all_set(SimMotion *s, const double *q, const double *v, Error *err) {
  (void)err;
  size_t n = (size_t)s->m->nv;
  memcpy(s->x, q, n * sizeof *q);
  memcpy(s->x + n, v, n * sizeof *v);
  return STATUS_OK;
}

static Status all_step(SimMotion *s, double h, Error *err) {
  if (sim_step(s->scheme, 2 * s->m->nv, rate, s, 0, h, s->x, s->work)) return STATUS_OK;
  return error_set(err, STATUS_NUMERIC, "", "the accelerations are not finite");
}

static Status all_get(SimMotion *s, double *q, double *v, Error *err) {
  (void)err;
  size_t n = (size_t)s->m->nv;
  memcpy(q, s->x, n * sizeof *q);
  memcpy(v, s->x + n, n * sizeof *v);
  return STATUS_OK;
}

const MotionStepper motion_all = {all_build, all_set, all_step, all_get};

// ---- independent rates -------------------------------------------------------------------------

static Status reduced_build(SimMotion *s, const double *q, Error *err) {
  Status status = sim_loop_build(&s->reduced, s->m, s->opt.method, q, err);
  if (status == STATUS_OK) s->stats.operations = sim_loop_operations(s->reduced);
  return status;
}

static Status reduced_set(SimMotion *s, const double *q, const double *v, Error *err) {
  return sim_loop_set(s->reduced, q, v, err);
}

static Status reduced_step(SimMotion *s, double h, Error *err) {
  Status status = sim_loop_step(s->reduced, s->scheme, h, s->tau, err);
  s->stats.evaluations = sim_loop_evaluations(s->reduced);
  return status;
}

static Status reduced_get(SimMotion *s, double *q, double *v, Error *err) {
  (void)err;
  sim_loop_get(s->reduced, q, v);
  return STATUS_OK;
}

const MotionStepper motion_reduced = {reduced_build, reduced_set, reduced_step, reduced_get};

// ---- maximal coordinates, projected ------------------------------------------------------------

// of a factorisation and a solve: additions, multiplications, divisions
static int ldl_operations(const Ldl *f) {
  int n = 0;
  for (int j = 0; j < f->n; j++) {
    int below = f->colptr[j + 1] - f->colptr[j];
    n += below * (below + 1) + below + 4 * below + 2;
  }
  return n;
}

// A pivot counts as null well below what ladders of many loops make of good ones; a constraint that was
// left out for it and is not redundant shows in the violation.
static const double NULL_TOL = 1e-13, CLOSED = 1e-9;

static Status maximal_stepper_build(SimMotion *s, const double *q, Error *err) {
  (void)q;
  SimMaximalOptions opt = sim_maximal_defaults;
  opt.null_tol = NULL_TOL;
  if (sim_maximal_build(&s->maximal, s->m, &opt, err) != STATUS_OK) return err->code;
  const SimMaximal *x = s->maximal;
  s->x = arena_array(s->arena, (size_t)x->n_state + 1, sizeof *s->x);
  s->stats.operations = x->system->count.total + ldl_operations(&x->x->ldl);
  return s->x ? STATUS_OK : error_no_memory(err);
}

static Status maximal_set(SimMotion *s, const double *q, const double *v, Error *err) {
  size_t size = (size_t)s->m->nv * sizeof *q;
  if (q != s->q) memcpy(s->q, q, size);
  if (v != s->v) memcpy(s->v, v, size);
  return sim_maximal_start(s->maximal, q, v, s->x) ? STATUS_OK : error_no_memory(err);
}

static Status maximal_step(SimMotion *s, double h, Error *err) {
  memcpy(s->maximal->tau, s->tau, (size_t)s->m->nv * sizeof *s->tau);
  if (!sim_maximal_step(s->maximal, s->scheme, h, s->x)) {
    return error_set(err, STATUS_NUMERIC, "",
                     "MAXIMAL can't step: values are not finite, or the projection does not close "
                     "the loops; a shorter step may help");
  }
  s->stats.evaluations = s->maximal->stats.factorisations;
  double apart;
  sim_maximal_violation(s->maximal, s->x, &apart, NULL);
  if (apart <= CLOSED) return STATUS_OK;
  return error_set(err, STATUS_NUMERIC, "",
                   "MAXIMAL is %.2g off its constraints: one of %d null pivots is not redundant",
                   apart, s->maximal->stats.max_null_pivots);
}

static Status maximal_get(SimMotion *s, double *q, double *v, Error *err) {
  const double *x = s->x;
  int n = s->maximal->x->n_body;
  size_t size = (size_t)s->m->nv * sizeof *q;
  if (!maximal_to_joints(s->maximal->x, x, x + 3 * n, x + 7 * n, x + 10 * n, s->q, s->v)) {
    return error_set(err, STATUS_NUMERIC, "", "the joints can't be told from the bodies any more");
  }
  memcpy(q, s->q, size);
  memcpy(v, s->v, size);
  return STATUS_OK;
}

const MotionStepper motion_maximal = {maximal_stepper_build, maximal_set, maximal_step,
                                      maximal_get};

// ---- sequential regularization: the last iterate -----------------------------------------------

static Status srm_stepper_build(SimMotion *s, const double *q, Error *err) {
  (void)q;
  if (sim_srm_build(&s->srm, s->m, s->opt.srm, err) != STATUS_OK) return err->code;
  s->x = arena_array(s->arena, (size_t)s->srm->n_state + 1, sizeof *s->x);
  s->stats.operations = s->srm->tape->count.total * s->srm->opt.iterations;
  return s->x ? STATUS_OK : error_no_memory(err);
}

static Status srm_set(SimMotion *s, const double *q, const double *v, Error *err) {
  (void)err;
  sim_srm_start(s->srm, q, v, s->x);
  return STATUS_OK;
}

static Status srm_step(SimMotion *s, double h, Error *err) {
  memcpy(s->srm->tau, s->tau, (size_t)s->m->nv * sizeof *s->tau);
  s->stats.evaluations += s->scheme->stages;
  if (sim_srm_step(s->srm, s->scheme, h, s->x)) return STATUS_OK;
  return error_set(err, STATUS_NUMERIC, "",
                   "SRM's values are not finite: the step of %g s is too long for its eps of %g", h,
                   s->srm->opt.eps);
}

static Status srm_get(SimMotion *s, double *q, double *v, Error *err) {
  (void)err;
  size_t n = (size_t)s->m->nv;
  const double *last = s->x + 2 * n * (size_t)(s->srm->opt.iterations - 1);
  memcpy(q, last, n * sizeof *q);
  memcpy(v, last + n, n * sizeof *v);
  return STATUS_OK;
}

const MotionStepper motion_srm = {srm_stepper_build, srm_set, srm_step, srm_get};
