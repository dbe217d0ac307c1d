// SPDX-License-Identifier: MIT
#include "sim/sim_accel.h"

#include <math.h>
#include <string.h>

#include "dynamics/dyn_function.h"

static Status build_arrays(SimAccel *s, Error *err) {
  size_t n = (size_t)s->nv;
  s->work = arena_alloc(s->arena, expr_tape_work_size(s->map));
  if (s->form && !s->form->explicit_form) {
    s->unit = arena_array(s->arena, n * (n + 1), sizeof *s->unit);
    s->column = arena_array(s->arena, n * (n + 1), sizeof *s->column);
    if (!s->unit || !s->column) return error_no_memory(err);
    for (size_t j = 0; j < n; j++) s->unit[n * (j + 1) + j] = 1;
  }
  return s->work ? STATUS_OK : error_no_memory(err);
}

Status sim_accel_build(SimAccel **out, const Model *m, const DynForm *form,
                       const LoopMethod *method, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  SimAccel *s = arena_alloc(arena, sizeof *s);
  if (!s) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *s = (SimAccel){.arena = arena, .form = m->n_loop ? NULL : form, .nv = m->nv};
  DynFunction *f = NULL;
  Status status = s->form ? dyn_map_build(&f, m, form, err)
                          : loop_function_build(&f, m, method, err);
  if (status == STATUS_OK) status = expr_tape_build(&s->map, &f->f, TAPE_FOR_EVALUATOR, err);
  if (status == STATUS_OK) status = build_arrays(s, err);
  dyn_function_free(f);
  if (status == STATUS_OK) *out = s;
  else sim_accel_free(s);
  return status;
}

void sim_accel_free(SimAccel *s) {
  if (!s) return;
  expr_tape_free(s->map);
  arena_free(s->arena);
}

// in place M = L L^T, lower triangle, column-major; false if M is not positive definite
static bool factorise(int n, double *m) {
  for (int j = 0; j < n; j++) {
    double *mj = m + (size_t)j * n;
    for (int k = 0; k < j; k++) {
      const double *mk = m + (size_t)k * n;
      for (int i = j; i < n; i++) mj[i] -= mk[j] * mk[i];
    }
    if (!(mj[j] > 0) || !isfinite(mj[j])) return false;
    double pivot = sqrt(mj[j]);
    for (int i = j; i < n; i++) mj[i] /= pivot;
  }
  return true;
}

// x := (L L^T)^-1 x
static void solve(int n, const double *l, double *x) {
  for (int j = 0; j < n; j++) {
    x[j] /= l[(size_t)j * n + j];
    for (int i = j + 1; i < n; i++) x[i] -= l[(size_t)j * n + i] * x[j];
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int i = j + 1; i < n; i++) x[j] -= l[(size_t)j * n + i] * x[i];
    x[j] /= l[(size_t)j * n + j];
  }
}

static bool eval_implicit(const SimAccel *s, const double *q, const double *v, const double *tau,
                          double *a) {
  int n = s->nv;
  const LaneIn in[3] = {{q, 1, 0}, {v, 1, 0}, {s->unit, 1, n}};
  const LaneOut out = {s->column, 1, n};
  bool ok = expr_tape_eval(s->map, n + 1, in, &out, s->work);
  // right-hand side tau - c, columns M e_j = (c + M e_j) - c
  const double *c = s->column;
  double *mass = s->column + n;
  for (int i = 0; i < n; i++) a[i] = tau[i] - c[i];
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) mass[(size_t)j * n + i] -= c[i];
  }
  ok = ok && factorise(n, mass);
  if (!ok) {
    for (int i = 0; i < n; i++) a[i] = NAN;
    return false;
  }
  solve(n, mass, a);
  return true;
}

bool sim_accel_eval(const SimAccel *s, const double *q, const double *v, const double *tau,
                    double *a) {
  bool ok;
  if (!s->form || s->form->explicit_form) {
    const LaneIn in[3] = {{q, 1, 0}, {v, 1, 0}, {tau, 1, 0}};
    const LaneOut out[2] = {{a, 1, s->nv}, {NULL, 0, 0}};
    ok = expr_tape_eval(s->map, 1, in, out, s->work);
  } else {
    ok = eval_implicit(s, q, v, tau, a);
  }
  for (int i = 0; ok && i < s->nv; i++) ok = isfinite(a[i]);
  return ok;
}
