// SPDX-License-Identifier: MIT
#include "sim/sim_ida.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "dynamics/loop_dae.h"
#include "expr/expr_tape.h"

// Multipliers are followed loosely: nothing depends on their past, and rounding of the constraints
// comes back in them divided by the step. The first step of order 1 then is as long as its error allows.
static const double LOOSE = 1e8;
static const double FIRST_STEP = 0.1;  // times the root of the tolerance

struct SimIda {
  Arena *arena;                      // owns the arrays
  const Model *m;                    // borrowed
  SimOptions opt;                    //
  int n, rows;                       // nv, rows of the loops
  ExprTape *residual;                // without the Jacobian
  ExprTape *jacobian;                // with it
  ExprTape *start;                   // (q, v, tau) -> a, lambda
  int nnz, *colptr, *row;            // of the Jacobian
  double *value;                     // nnz
  void *work;                        // of the tapes
  double *tau;                       // nv
  const SimDrive *drive;             // of the run
  SUNContext context;                //
  N_Vector x, dx, id, tol;           // q, v, lambda, mu, then W, D: 2 (n + rows) + 2
  SUNMatrix matrix;                  //
  SUNLinearSolver dense;             //
  void *ida;                         //
  double time;                       //
  double w, d;                       // work and loss of the last run
  long steps, residuals, jacobians;  //
};

// ---- the equations -----------------------------------------------------------------------------

static const double *forces(SimIda *s, double t) {
  const SimDrive *d = s->drive;
  memset(s->tau, 0, (size_t)s->n * sizeof *s->tau);
  if (d && d->force) d->force(d->data, t, s->tau);
  else if (d && d->tau) memcpy(s->tau, d->tau, (size_t)s->n * sizeof *s->tau);
  return s->tau;
}

static bool eval(SimIda *s, double t, const double *x, const double *dx, double *r, double *value) {
  int n = s->n, m = s->rows;
  const LaneIn in[6] = {{x, 1, 0},         {x + n, 1, 0},         {dx + n, 1, 0},
                        {x + 2 * n, 1, 0}, {x + 2 * n + m, 1, 0}, {forces(s, t), 1, 0}};
  const LaneOut out[2] = {{r, 1, 0}, {value, 1, 0}};
  return expr_tape_eval(value ? s->jacobian : s->residual, 1, in, out, s->work);
}

static int residual(sunrealtype t, N_Vector x_, N_Vector dx_, N_Vector r_, void *user) {
  SimIda *s = user;
  const double *x = N_VGetArrayPointer(x_), *dx = N_VGetArrayPointer(dx_);
  double *r = N_VGetArrayPointer(r_);
  int n = s->n, end = 2 * (n + s->rows);
  for (int i = 0; i < 2 * n; i++) {
    if (!(fabs(x[i]) <= s->opt.largest)) return 1;
  }
  if (!eval(s, t, x, dx, r, NULL)) return 1;
  double power = 0, loss = 0;
  for (int i = 0; i < n; i++) {
    r[i] += dx[i];
    power += s->tau[i] * x[n + i];
    loss += s->m->joint[i].damping * x[n + i] * x[n + i];
  }
  r[end] = dx[end] - power;
  r[end + 1] = dx[end + 1] - loss;
  return 0;
}

// dF/dx + cj dF/dx'
static int jacobian(sunrealtype t, sunrealtype cj, N_Vector x_, N_Vector dx_, N_Vector r,
                    SUNMatrix A, void *user, N_Vector t1, N_Vector t2, N_Vector t3) {
  (void)r, (void)t1, (void)t2, (void)t3;
  SimIda *s = user;
  const double *x = N_VGetArrayPointer(x_), *dx = N_VGetArrayPointer(dx_);
  int n = s->n, m = s->rows, end = 2 * (n + m);
  if (!eval(s, t, x, dx, NULL, s->value)) return 1;
  SUNMatZero(A);
  for (int j = 0; j < 3 * n + 2 * m; j++) {
    // accelerations are the derivatives of the speeds, multipliers follow them
    double *column = SUNDenseMatrix_Column(A, j < 2 * n ? j : j - n);
    double scale = j >= 2 * n && j < 3 * n ? cj : 1;
    for (int e = s->colptr[j]; e < s->colptr[j + 1]; e++) {
      column[s->row[e]] += scale * s->value[e];
    }
  }
  for (int i = 0; i < n; i++) {
    double v = x[n + i];
    SM_ELEMENT_D(A, i, i) += cj;
    SM_ELEMENT_D(A, end, n + i) = -s->tau[i];
    SM_ELEMENT_D(A, end + 1, n + i) = -2 * s->m->joint[i].damping * v;
  }
  SM_ELEMENT_D(A, end, end) = SM_ELEMENT_D(A, end + 1, end + 1) = cj;
  return 0;
}

// ---- building ----------------------------------------------------------------------------------

static Status build_tapes(SimIda *s, Error *err) {
  const LoopMethod *method = s->opt.loop_method ? s->opt.loop_method : &loop_tree_aug;
  DynFunction *f = NULL, *start = NULL;
  Status status = loop_function_build(&start, s->m, method, err);
  if (status == STATUS_OK) status = expr_tape_build(&s->start, &start->f, TAPE_FOR_EVALUATOR, err);
  if (status == STATUS_OK) status = loop_dae_build(&f, s->m, err);
  if (status == STATUS_OK) {
    const ExprMatrix *J = &f->f.out[1].value;
    s->nnz = J->nnz;
    s->colptr = arena_array(s->arena, (size_t)J->n_col + 1, sizeof *s->colptr);
    s->row = arena_array(s->arena, (size_t)J->nnz + 1, sizeof *s->row);
    s->value = arena_array(s->arena, (size_t)J->nnz + 1, sizeof *s->value);
    if (!s->colptr || !s->row || !s->value) status = error_no_memory(err);
    else {
      memcpy(s->colptr, J->colptr, ((size_t)J->n_col + 1) * sizeof *s->colptr);
      memcpy(s->row, J->row, (size_t)J->nnz * sizeof *s->row);
    }
  }
  if (status == STATUS_OK) status = expr_tape_build(&s->jacobian, &f->f, TAPE_FOR_EVALUATOR, err);
  if (status == STATUS_OK) {
    f->f.n_out = 1;
    status = expr_tape_build(&s->residual, &f->f, TAPE_FOR_EVALUATOR, err);
  }
  dyn_function_free(start);
  dyn_function_free(f);
  if (status != STATUS_OK) return status;
  size_t most = expr_tape_work_size(s->jacobian), other = expr_tape_work_size(s->start);
  size_t third = expr_tape_work_size(s->residual);
  most = other > most ? other : most;
  s->work = arena_alloc(s->arena, third > most ? third : most);
  return s->work ? STATUS_OK : error_no_memory(err);
}

static void be_quiet(int code, const char *module, const char *function, char *text, void *data) {
  (void)code, (void)module, (void)function, (void)text, (void)data;
}

static bool build_ida(SimIda *s) {
  sunindextype n = 2 * ((sunindextype)s->n + s->rows) + 2;
  if (SUNContext_Create(NULL, &s->context)) return false;
  N_Vector *all[] = {&s->x, &s->dx, &s->id, &s->tol};
  for (int i = 0; i < 4; i++) {
    *all[i] = N_VNew_Serial(n, s->context);
    if (!*all[i]) return false;
    N_VConst(0, *all[i]);
  }
  double *id = N_VGetArrayPointer(s->id), *tol = N_VGetArrayPointer(s->tol);
  for (int i = 0; i < n; i++) {
    bool algebraic = i >= 2 * s->n && i < n - 2;
    id[i] = algebraic ? 0 : 1;
    tol[i] = (algebraic ? LOOSE : 1) * s->opt.abs_tol;
  }
  s->matrix = SUNDenseMatrix(n, n, s->context);
  s->dense = s->matrix ? SUNLinSol_Dense(s->x, s->matrix, s->context) : NULL;
  s->ida = s->dense ? IDACreate(s->context) : NULL;
  return s->ida && !IDASetErrHandlerFn(s->ida, be_quiet, NULL) &&
         !IDAInit(s->ida, residual, 0, s->x, s->dx) && !IDASetUserData(s->ida, s) &&
         !IDASVtolerances(s->ida, s->opt.rel_tol, s->tol) && !IDASetId(s->ida, s->id) &&
         !IDASetSuppressAlg(s->ida, 1) && !IDASetLinearSolver(s->ida, s->dense, s->matrix) &&
         !IDASetJacFn(s->ida, jacobian);
}

Status sim_ida_build(SimIda **out, const Model *m, const SimOptions *opt, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  SimIda *s = arena_alloc(arena, sizeof *s);
  if (!s) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *s = (SimIda){.arena = arena, .m = m, .opt = *opt, .n = m->nv, .rows = model_n_rows(m)};
  s->tau = arena_array(arena, (size_t)m->nv, sizeof *s->tau);
  Status status = s->tau ? build_tapes(s, err) : error_no_memory(err);
  if (status == STATUS_OK && !build_ida(s)) status = error_no_memory(err);
  if (status == STATUS_OK) *out = s;
  else sim_ida_free(s);
  return status;
}

void sim_ida_free(SimIda *s) {
  if (!s) return;
  if (s->ida) IDAFree(&s->ida);
  if (s->dense) SUNLinSolFree(s->dense);
  if (s->matrix) SUNMatDestroy(s->matrix);
  N_Vector all[] = {s->x, s->dx, s->id, s->tol};
  for (int i = 0; i < 4; i++) {
    if (all[i]) N_VDestroy(all[i]);
  }
  if (s->context) SUNContext_Free(&s->context);
  expr_tape_free(s->residual);
  expr_tape_free(s->jacobian);
  expr_tape_free(s->start);
  arena_free(s->arena);
}

// ---- running -----------------------------------------------------------------------------------

// consistent from the first: accelerations and multipliers by the method, mu = 0
static bool set_start(SimIda *s, double t0, const double *q, const double *v) {
  size_t n = (size_t)s->n, m = (size_t)s->rows;
  N_VConst(0, s->x);
  N_VConst(0, s->dx);
  double *x = N_VGetArrayPointer(s->x), *dx = N_VGetArrayPointer(s->dx);
  memcpy(x, q, n * sizeof *x);
  memcpy(x + n, v, n * sizeof *x);
  memcpy(dx, v, n * sizeof *dx);
  const LaneIn in[3] = {{x, 1, 0}, {x + n, 1, 0}, {forces(s, t0), 1, 0}};
  const LaneOut out[2] = {{dx + n, 1, 0}, {x + 2 * n, 1, 0}};
  if (!expr_tape_eval(s->start, 1, in, out, s->work)) return false;
  for (size_t i = 0; i < n; i++) {
    dx[2 * (n + m)] += s->tau[i] * v[i];
    dx[2 * (n + m) + 1] += s->m->joint[i].damping * v[i] * v[i];
  }
  return true;
}

static int advance(SimIda *s, double t) {
  long done;
  IDAGetNumSteps(s->ida, &done);
  if (done >= s->opt.max_steps) return IDA_TOO_MUCH_WORK;
  IDASetMaxNumSteps(s->ida, s->opt.max_steps - done);
  return IDASolve(s->ida, t, &s->time, s->x, s->dx, IDA_NORMAL);
}

// numbers of this run and of those before
static void count(SimIda *s, const long before[3]) {
  long steps = 0, residuals = 0, jacobians = 0;
  IDAGetNumSteps(s->ida, &steps);
  IDAGetNumResEvals(s->ida, &residuals);
  IDAGetNumJacEvals(s->ida, &jacobians);
  s->steps = before[0] + steps;
  s->residuals = before[1] + residuals;
  s->jacobians = before[2] + jacobians;
}

static int run(SimIda *s, double t0, double t1, const SimOutput *output) {
  const long before[3] = {s->steps, s->residuals, s->jacobians};
  double least = 1e-13 * fmax(fabs(t0), fabs(t1));
  int flag = IDAReInit(s->ida, t0, s->x, s->dx);
  if (flag >= 0) flag = IDASetStopTime(s->ida, t1);
  double first = FIRST_STEP * sqrt(s->opt.rel_tol);
  if (flag >= 0) flag = IDASetInitStep(s->ida, fmin(first, t1 - t0));
  const double *x = N_VGetArrayPointer(s->x);
  bool at_end = false;
  for (int k = 0; flag >= 0 && output && k < output->n; k++) {
    double t = fmin(output->time[k], t1);
    if (!at_end && t - t0 > least) flag = advance(s, t);
    at_end = s->time >= t1;
    count(s, before);
    if (flag >= 0) output->at(output->data, k, t, x, x + s->n);
  }
  if (flag >= 0 && !at_end) flag = advance(s, t1);
  count(s, before);
  return flag;
}

Status sim_ida_run(SimIda *s, double t0, double t1, double *q, double *v, const SimDrive *drive,
                   const SimOutput *output, Error *err) {
  size_t n = (size_t)s->n;
  s->drive = drive;
  s->time = t0;
  if (!(t1 > t0) || !isfinite(t1 - t0)) {
    return error_set(err, STATUS_INPUT, "", "can't simulate from t = %.17g s to t = %.17g s", t0,
                     t1);
  }
  if (!set_start(s, t0, q, v)) {
    return error_set(err, STATUS_NUMERIC, "", "the accelerations at the start are not finite");
  }
  int flag = run(s, t0, t1, output);
  const double *x = N_VGetArrayPointer(s->x);
  memcpy(q, x, n * sizeof *q);
  memcpy(v, x + n, n * sizeof *v);
  s->w = x[2 * (s->n + s->rows)];
  s->d = x[2 * (s->n + s->rows) + 1];
  s->drive = NULL;
  if (flag >= 0) return STATUS_OK;
  return error_set(err, STATUS_NUMERIC, "",
                   flag == IDA_TOO_MUCH_WORK ? "more than %ld steps up to t = %.6g s (IDA %d)"
                                             : "in %ld steps the motion can't be followed beyond "
                                               "t = %.6g s (IDA %d)",
                   flag == IDA_TOO_MUCH_WORK ? s->opt.max_steps : s->steps, s->time, flag);
}

double sim_ida_work(const SimIda *s) {
  return s->w;
}

double sim_ida_loss(const SimIda *s) {
  return s->d;
}

long sim_ida_steps(const SimIda *s) {
  return s->steps;
}

long sim_ida_residuals(const SimIda *s) {
  return s->residuals;
}

long sim_ida_jacobians(const SimIda *s) {
  return s->jacobians;
}

int sim_ida_operations(const SimIda *s) {
  return s->residual->count.total;
}
