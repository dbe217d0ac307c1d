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
  if (status == STATUS_OK) *out = e;
  else robot_eval_free(e);
  return status;
}

void robot_eval_free(RobotEval *e) {
  if (!e) return;
  expr_tape_free(e->torque);
  expr_tape_free(e->frames);
  arena_free(e->arena);
}

// a column per instant, or zero at all of them
static LaneIn columns(const RobotEval *e, const double *x) {
  return x ? (LaneIn){x, 1, e->m->nv} : (LaneIn){e->zero, 1, 0};
}

bool robot_eval_torque(const RobotEval *e, int n, const double *q, const double *v, const double *a,
                       double *tau) {
  const LaneIn in[3] = {columns(e, q), columns(e, v), columns(e, a)};
  const LaneOut out = {tau, 1, e->m->nv};
  return expr_tape_eval(e->torque, n, in, &out, e->work);
}

bool robot_eval_frames(const RobotEval *e, int n, const double *q, double *position) {
  const LaneIn in[2] = {columns(e, q), columns(e, NULL)};
  const LaneOut out = {position, 1, 3 * e->m->n_frame};
  return expr_tape_eval(e->frames, n, in, &out, e->work);
}
