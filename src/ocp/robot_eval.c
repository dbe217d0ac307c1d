// SPDX-License-Identifier: MIT
#include "ocp/robot_eval.h"

#include "dynamics/dyn_function.h"

static Status build_torque(RobotEval *e, Error *err) {
  DynFunction *f = NULL;
  Status status = dyn_map_build(&f, e->m, &dyn_implicit, err);
  if (status == STATUS_OK) status = expr_tape_build(&e->torque, &f->f, TAPE_FOR_EVALUATOR, err);
  dyn_function_free(f);
  return status;
}

static Status build_frames(RobotEval *e, Error *err) {
  DynFunction *f = NULL;
  Status status = dyn_frames_build(&f, e->m, err);
  if (status == STATUS_OK) {
    f->f.n_out = 1;  // "position" alone
    status = expr_tape_build(&e->frames, &f->f, TAPE_FOR_EVALUATOR, err);
  }
  dyn_function_free(f);
  return status;
}

static Status build_work(RobotEval *e, Error *err) {
  size_t a = expr_tape_work_size(e->torque), b = expr_tape_work_size(e->frames);
  e->work = arena_alloc(e->arena, a > b ? a : b);
  e->zero = arena_array(e->arena, (size_t)e->m->nv, sizeof *e->zero);
  return e->work && e->zero ? STATUS_OK : error_no_memory(err);
}

static Status build_loops(RobotEval *e, Error *err) {
  if (!e->m->n_loop) return STATUS_OK;
  if (loop_eval_build(&e->loops, e->m, err)) return err->code;
  size_t rows = (size_t)e->loops->n_row;
  e->J = arena_array(e->arena, rows * (size_t)e->m->nv + 1, sizeof *e->J);
  e->A = arena_array(e->arena, rows * rows + 1, sizeof *e->A);
  e->y = arena_array(e->arena, rows + 1, sizeof *e->y);
  return e->J && e->A && e->y ? STATUS_OK : error_no_memory(err);
}

Status robot_eval_build(RobotEval **out, const Model *m, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  RobotEval *e = arena_alloc(arena, sizeof *e);
  if (!e) {
    arena_free(arena);
    return error_no_memory(err);
  }
  e->arena = arena;
  e->m = m;
  Status status = build_torque(e, err);
  if (status == STATUS_OK) status = build_frames(e, err);
  if (status == STATUS_OK) status = build_work(e, err);
  if (status == STATUS_OK) status = build_loops(e, err);
  if (status == STATUS_OK) *out = e;
  else robot_eval_free(e);
  return status;
}

void robot_eval_free(RobotEval *e) {
  if (!e) return;
  expr_tape_free(e->torque);
  expr_tape_free(e->frames);
  loop_eval_free(e->loops);
  arena_free(e->arena);
}

// a column per instant, or zero at all of them
static LaneIn columns(const RobotEval *e, const double *x) {
  return x ? (LaneIn){x, 1, e->m->nv} : (LaneIn){e->zero, 1, 0};
}

// relative: of what is left open by passive joints, the least forces of the loops
static const double REGULARIZATION = 1e-10;

// y := A^-1 y, A symmetric and positive definite, in place
static void solve_rows(int n, double *A, double *y) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      double f = A[i + n * k] / A[k + n * k];
      for (int j = k; j < n; j++) A[i + n * j] -= f * A[k + n * j];
      y[i] -= f * y[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) y[i] -= A[i + n * j] * y[j];
    y[i] /= A[i + n * i];
  }
}

// tau += J^T lambda, with least |(tau + J^T lambda) of passive joints|
static bool add_loop_forces(const RobotEval *e, const double *q, double *tau) {
  const Model *m = e->m;
  int rows = e->loops->n_row;
  double trace = 0;
  if (!loop_eval(e->loops, q, NULL, NULL, NULL, NULL, e->J)) return false;
  for (int i = 0; i < rows; i++) {
    e->y[i] = 0;
    for (int j = 0; j < rows; j++) e->A[i + rows * j] = 0;
    for (int k = 0; k < m->nv; k++) {
      if (m->joint[k].actuated) continue;
      double x = e->J[i + rows * k];
      e->y[i] -= x * tau[k];
      for (int j = 0; j < rows; j++) e->A[i + rows * j] += x * e->J[j + rows * k];
    }
    trace += e->A[i + rows * i];
  }
  for (int i = 0; i < rows; i++) e->A[i + rows * i] += REGULARIZATION * (trace + 1e-30);
  solve_rows(rows, e->A, e->y);
  for (int k = 0; k < m->nv; k++) {
    for (int i = 0; i < rows; i++) tau[k] += e->J[i + rows * k] * e->y[i];
  }
  return true;
}

bool robot_eval_torque(const RobotEval *e, int n, const double *q, const double *v, const double *a,
                       double *tau) {
  const LaneIn in[3] = {columns(e, q), columns(e, v), columns(e, a)};
  const LaneOut out = {tau, 1, e->m->nv};
  if (!expr_tape_eval(e->torque, n, in, &out, e->work)) return false;
  size_t nv = (size_t)e->m->nv;
  for (size_t k = 0; e->loops && k < (size_t)n; k++) {
    if (!add_loop_forces(e, q + k * nv, tau + k * nv)) return false;
  }
  return true;
}

bool robot_eval_frames(const RobotEval *e, int n, const double *q, double *position) {
  const LaneIn in[2] = {columns(e, q), columns(e, NULL)};
  const LaneOut out = {position, 1, 3 * e->m->n_frame};
  return expr_tape_eval(e->frames, n, in, &out, e->work);
}
