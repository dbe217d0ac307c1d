// SPDX-License-Identifier: MIT
// The independent joints of a problem. The dynamics keeps closed what starts closed: rest and balance
// of as many joints as there are degrees of freedom are rest and balance of all, and rows for
// the others would be redundant. Which ones: J = [J_dep J_ind] with J_dep invertible at the start,
// found by elimination with the largest pivots; joints without an actuator are made dependent first.
#include <math.h>
#include <string.h>

#include "dynamics/loop_eval.h"
#include "ocp/ocp_internal.h"

static const double CLOSED = 1e-6;  // [m | -] and per s
static const double RANK = 1e-9;    // of pivots, over the largest entry
static const double PASSIVE = 4;    // how much more a passive joint's pivot counts

// elimination on the rows; dependent[j] for every pivot's column. Returns the rank.
static int eliminate(const Model *m, int rows, double *J, bool *dependent) {
  int n = m->nv, rank = 0;
  double largest = 0;
  for (int e = 0; e < rows * n; e++) largest = fmax(largest, fabs(J[e]));
  for (; rank < rows; rank++) {
    int row = -1, col = -1;
    double best = 0;
    for (int j = 0; j < n; j++) {
      for (int i = rank; !dependent[j] && i < rows; i++) {
        double x = fabs(J[i + rows * j]);
        double size = (m->joint[j].actuated ? 1 : PASSIVE) * x;
        if (x > RANK * largest && size > best) best = size, row = i, col = j;
      }
    }
    if (col < 0) break;
    dependent[col] = true;
    for (int j = 0; j < n; j++) {
      double t = J[rank + rows * j];
      J[rank + rows * j] = J[row + rows * j];
      J[row + rows * j] = t;
    }
    for (int i = rank + 1; i < rows; i++) {
      double f = J[i + rows * col] / J[rank + rows * col];
      for (int j = 0; j < n; j++) J[i + rows * j] -= f * J[rank + rows * j];
    }
  }
  return rank;
}

static Status check_closed(const Ocp *o, int rows, const double *phi, const double *rate,
                           Error *err) {
  const Model *m = o->model;
  for (int l = 0, row = 0; l < m->n_loop; l++) {
    for (int k = 0; k < model_loop_rows(&m->loop[l]) && row < rows; k++, row++) {
      if (!(fabs(phi[row]) <= CLOSED)) {
        return error_set(err, STATUS_INPUT, o->path,
                         "start: loop \"%s\" is open by %.3g; poise assemble closes it",
                         m->loop[l].name, fabs(phi[row]));
      }
      if (!(fabs(rate[row]) <= CLOSED)) {
        return error_set(err, STATUS_INPUT, o->path, "start: the speeds tear loop \"%s\" apart",
                         m->loop[l].name);
      }
    }
  }
  return STATUS_OK;
}

static Status find_dependent(const Ocp *o, Arena *arena, bool *dependent, Error *err) {
  const Model *m = o->model;
  LoopEval *e = NULL;
  if (loop_eval_build(&e, m, err)) return err->code;
  size_t rows = (size_t)e->n_row;
  double *J = arena_array(arena, rows * (size_t)m->nv + 1, sizeof *J);
  double *phi = arena_array(arena, 2 * rows + 1, sizeof *phi);
  Status status = J && phi ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK && !loop_eval(e, o->q_start, o->v_start, phi, phi + rows, NULL, J)) {
    status = error_set(err, STATUS_INPUT, o->path, "start: the loops have no finite constraints");
  }
  if (status == STATUS_OK) status = check_closed(o, e->n_row, phi, phi + rows, err);
  if (status == STATUS_OK && eliminate(m, e->n_row, J, dependent) < e->n_row) {
    status = error_set(err, STATUS_INPUT, o->path,
                       "start: the constraints of the loops of %s depend on each other there",
                       m->name);
  }
  loop_eval_free(e);
  return status;
}

Status ocp_find_free(Ocp *o, Error *err) {
  const Model *m = o->model;
  Arena *arena = arena_new();
  bool *dependent = arena_array(arena, (size_t)m->nv + 1, sizeof *dependent);
  o->free_joint = arena_array(o->arena, (size_t)m->nv + 1, sizeof *o->free_joint);
  Status status = dependent && o->free_joint ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK && m->n_loop && !o->form->explicit_form) {
    status =
        error_set(err, STATUS_INPUT, o->path,
                  "formulation: %s knows trees only, and %s has loop \"%s\": EXP1 (TREE+AUG) or "
                  "EXP2 (RCR), as -O or -A",
                  o->form->name, m->name, m->loop[0].name);
  }
  if (status == STATUS_OK && m->n_loop) status = find_dependent(o, arena, dependent, err);
  o->n_free = 0;
  for (int i = 0; status == STATUS_OK && i < m->nv; i++) {
    if (!dependent[i]) o->free_joint[o->n_free++] = i;
  }
  arena_free(arena);
  return status;
}
