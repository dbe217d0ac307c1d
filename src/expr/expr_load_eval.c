// SPDX-License-Identifier: MIT
// Evaluates a loaded function: one point, or many by way of one.
#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "expr/expr_load_internal.h"

// The scratch of one thread, cut into arrays.
typedef struct Work {
  const double **arg;  // n_arg
  double **res;        // n_res
  casadi_int *iw;      // n_iw
  double *w;           // n_w
  double *x, *y;       // n_x and n_y, one point
} Work;

static size_t work_doubles(const struct ExprExternCode *c) {
  return c->n_w + c->n_x + c->n_y;
}

size_t expr_extern_work_size(const ExprExtern *f) {
  const struct ExprExternCode *c = f->code;
  return work_doubles(c) * sizeof(double) + c->n_iw * sizeof(casadi_int) +
         (c->n_arg + c->n_res) * sizeof(double *);
}

static Work cut_work(const struct ExprExternCode *c, void *work) {
  assert((uintptr_t)work % sizeof(double) == 0);
  Work k = {.w = work};
  k.x = k.w + c->n_w;
  k.y = k.x + c->n_x;
  k.iw = (casadi_int *)(k.y + c->n_y);
  k.res = (double **)(k.iw + c->n_iw);
  k.arg = (const double **)(void *)(k.res + c->n_res);
  return k;
}

// calls the function on the pointers in *k; its return code, or -1 if it has no memory left for us
static int call(const struct ExprExternCode *c, const Work *k) {
  int mem = c->checkout ? c->checkout() : 0;
  if (mem < 0) return -1;
  int code = c->eval(k->arg, k->res, k->iw, k->w, mem);
  if (c->release) c->release(mem);
  return code;
}

Status expr_extern_eval(const ExprExtern *f, const double *const *arg, double *const *res,
                        void *work, Error *err) {
  Work k = cut_work(f->code, work);
  for (int i = 0; i < f->n_in; i++) k.arg[i] = arg[i];
  for (int o = 0; o < f->n_out; o++) k.res[o] = res[o];
  int code = call(f->code, &k);
  if (code != 0) return error_set(err, STATUS_NUMERIC, f->name, "returned %d, not 0", code);
  for (int o = 0; o < f->n_out; o++) {
    for (int e = 0; res[o] && e < f->out[o].nnz; e++) {
      if (isfinite(res[o][e])) continue;
      return error_set(err, STATUS_NUMERIC, f->name, "nonzero %d of output %s is %g", e,
                       f->out[o].name, res[o][e]);
    }
  }
  return STATUS_OK;
}

// ---- many points -------------------------------------------------------------------------------

// one point after the other through x and y
static bool eval_point(const ExprExtern *f, int j, const LaneIn *in, const LaneOut *out, Work *k) {
  double *x = k->x, *y = k->y;
  for (int i = 0; i < f->n_in; x += f->in[i].nnz, i++) {
    k->arg[i] = in[i].p ? x : NULL;
    for (int e = 0; in[i].p && e < f->in[i].nnz; e++) {
      x[e] = in[i].p[e * in[i].item + j * in[i].point];
    }
  }
  for (int o = 0; o < f->n_out; y += f->out[o].nnz, o++) k->res[o] = y;
  if (call(f->code, k) != 0) return false;
  bool finite = true;
  y = k->y;
  for (int o = 0; o < f->n_out; y += f->out[o].nnz, o++) {
    for (int e = 0; e < f->out[o].nnz; e++) {
      finite = finite && isfinite(y[e]);
      if (out[o].p) out[o].p[e * out[o].item + j * out[o].point] = y[e];
    }
  }
  return finite;
}

bool expr_extern_eval_points(const ExprExtern *f, int n_point, const LaneIn *in, const LaneOut *out,
                             void *work) {
  if (f->code->lanes) return f->code->lanes(n_point, in, out) == 0;
  Work k = cut_work(f->code, work);
  bool ok = true;
  for (int j = 0; j < n_point; j++) ok = eval_point(f, j, in, out, &k) && ok;
  return ok;
}
