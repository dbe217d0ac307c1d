// SPDX-License-Identifier: MIT
#include "sim/sim_integrate.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "sim/sim_internal.h"

#if SUNDIALS_VERSION_MAJOR != 6
#error "sim_integrate.c is written for SUNDIALS 6 (contexts, error handlers by integrator)"
#endif

// ---- the equations ----

const double *sim_forces(Sim *sim, double t) {
  const SimDrive *d = sim->drive;
  if (d && d->force) {
    d->force(d->data, t, sim->tau);
    return sim->tau;
  }
  return d && d->tau ? d->tau : sim->zero;
}

static bool within(const double *x, int n, double largest) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= largest)) return false;
  }
  return true;
}

// CVODE tries smaller steps where an evaluation is refused, and can creep up to the place for ever.
enum { MAX_REFUSED = 100 };

// x' of x = (q, v, W, D); 1 asks CVODE for a smaller step, -1 to give up
static int slope(sunrealtype t, N_Vector x, N_Vector dx, void *user) {
  Sim *sim = user;
  const Model *m = sim->m;
  const double *q = N_VGetArrayPointer(x), *v = q + m->nv;
  double *dq = N_VGetArrayPointer(dx), *dv = dq + m->nv;

  // its fixed-point solver goes on with smaller steps after a -1 too: refuse them all
  if (sim->refused >= MAX_REFUSED) return -1;
  sim->stats.evaluations++;
  const double *tau = sim_forces(sim, t);
  for (int i = 0; i < m->nv; i++) {
    if (isfinite(tau[i])) continue;
    if (sim->bad_force < 0 || t < sim->bad_time) sim->bad_time = t;
    sim->bad_force = i;
    return ++sim->refused < MAX_REFUSED ? 1 : -1;
  }
  if (!within(q, 2 * m->nv, sim->opt.largest) || !sim_accel_eval(sim->accel, q, v, tau, dv)) {
    return ++sim->refused < MAX_REFUSED ? 1 : -1;
  }
  double power = 0, loss = 0;
  for (int i = 0; i < m->nv; i++) {
    dq[i] = v[i];
    power += tau[i] * v[i];
    loss += m->joint[i].damping * v[i] * v[i];
  }
  dv[m->nv] = power;
  dv[m->nv + 1] = loss;
  return 0;
}

// ---- building ----

// CVODE's own messages: sim_integrate_fail says the same in terms of the robot
static void be_quiet(int code, const char *module, const char *function, char *text, void *data) {
  (void)code, (void)module, (void)function, (void)text, (void)data;
}

static bool build_solvers(Sim *sim) {
  if (sim->opt.method == SIM_ADAMS) {
    sim->fixed_point = SUNNonlinSol_FixedPoint(sim->x, 0, sim->context);
    return sim->fixed_point && !CVodeSetNonlinearSolver(sim->cvode, sim->fixed_point);
  }
  sunindextype n = 2 * (sunindextype)sim->m->nv + 2;
  sim->jacobian = SUNDenseMatrix(n, n, sim->context);
  sim->dense = sim->jacobian ? SUNLinSol_Dense(sim->x, sim->jacobian, sim->context) : NULL;
  return sim->dense && !CVodeSetLinearSolver(sim->cvode, sim->dense, sim->jacobian);
}

static bool build_cvode(Sim *sim) {
  if (SUNContext_Create(NULL, &sim->context)) return false;
  sim->x = N_VNew_Serial(2 * (sunindextype)sim->m->nv + 2, sim->context);
  if (!sim->x) return false;
  N_VConst(0, sim->x);
  sim->cvode = CVodeCreate(sim->opt.method == SIM_ADAMS ? CV_ADAMS : CV_BDF, sim->context);
  return sim->cvode && !CVodeSetErrHandlerFn(sim->cvode, be_quiet, NULL) &&
         !CVodeInit(sim->cvode, slope, 0, sim->x) && !CVodeSetUserData(sim->cvode, sim) &&
         !CVodeSStolerances(sim->cvode, sim->opt.rel_tol, sim->opt.abs_tol) &&
         !CVodeSetMaxHnilWarns(sim->cvode, -1) && build_solvers(sim);
}

static Status check_options(const SimOptions *opt, Error *err) {
  if (!(opt->rel_tol > 0 && opt->rel_tol < 1)) {
    return error_set(err, STATUS_INPUT, "", "relative tolerance %g is not in 0 .. 1", opt->rel_tol);
  }
  if (!(opt->abs_tol > 0) || !isfinite(opt->abs_tol)) {
    return error_set(err, STATUS_INPUT, "", "absolute tolerance %g is not positive", opt->abs_tol);
  }
  if (opt->max_steps < 1) {
    return error_set(err, STATUS_INPUT, "", "at most %ld steps: there must be one", opt->max_steps);
  }
  return STATUS_OK;
}

Status sim_build(Sim **out, const Model *m, const DynForm *form, const SimOptions *opt,
                 Error *err) {
  *out = NULL;
  if (!opt) opt = &sim_defaults;
  Status status = check_options(opt, err);
  if (status != STATUS_OK) return status;
  Arena *arena = arena_new();
  Sim *sim = arena_alloc(arena, sizeof *sim);
  if (!sim) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *sim = (Sim){.arena = arena, .m = m, .opt = *opt};
  size_t n = (size_t)m->nv;
  sim->zero = arena_array(arena, n, sizeof *sim->zero);
  sim->tau = arena_array(arena, n, sizeof *sim->tau);
  sim->a = arena_array(arena, n, sizeof *sim->a);
  status = sim_accel_build(&sim->accel, m, form ? form : &dyn_exp2_ode,
                           opt->loop_method ? opt->loop_method : &loop_tree_aug, err);
  if (status == STATUS_OK && (!sim->zero || !sim->tau || !sim->a || !build_cvode(sim))) {
    status = error_no_memory(err);
  }
  if (status == STATUS_OK) *out = sim;
  else sim_free(sim);
  return status;
}

void sim_free(Sim *sim) {
  if (!sim) return;
  if (sim->cvode) CVodeFree(&sim->cvode);
  if (sim->fixed_point) SUNNonlinSolFree(sim->fixed_point);
  if (sim->dense) SUNLinSolFree(sim->dense);
  if (sim->jacobian) SUNMatDestroy(sim->jacobian);
  if (sim->x) N_VDestroy(sim->x);
  if (sim->context) SUNContext_Free(&sim->context);
  sim_accel_free(sim->accel);
  arena_free(sim->arena);
}

// ---- running ----

// Instants closer than this are the same one; CVODE wants room between where it starts and stops.
static double least_span(double t0, double t1) {
  return 1e-13 * fmax(fabs(t0), fabs(t1));
}

static Status check_run(const Sim *sim, double t0, double t1, const double *q, const double *v,
                        Error *err) {
  if (!isfinite(t0) || !isfinite(t1) || !(t1 - t0 > least_span(t0, t1))) {
    return error_set(err, STATUS_INPUT, "", "can't simulate from t = %.17g s to t = %.17g s", t0,
                     t1);
  }
  for (int i = 0; i < sim->m->nv; i++) {
    if (!isfinite(q[i]) || !isfinite(v[i])) {
      return error_set(err, STATUS_INPUT, "", "joint \"%s\" starts at position %g with speed %g",
                       sim->m->joint[i].name, q[i], v[i]);
    }
  }
  return STATUS_OK;
}

// One call of CVODE: on to time t, at most opt.max_steps steps since the start of the run.
static int advance(Sim *sim, double t) {
  long done;
  CVodeGetNumSteps(sim->cvode, &done);
  long left = sim->opt.max_steps - done;
  if (left <= 0) return CV_TOO_MUCH_WORK;
  CVodeSetMaxNumSteps(sim->cvode, left);
  return CVode(sim->cvode, t, sim->x, &sim->time, CV_NORMAL);
}

// steps of this run and of those before
static void count_steps(Sim *sim, long before) {
  long steps = 0;
  CVodeGetNumSteps(sim->cvode, &steps);
  sim->stats.steps = before + steps;
}

static int run(Sim *sim, double t0, double t1, const SimOutput *output) {
  long before = sim->stats.steps;
  sim->time = t0;
  int flag = CVodeReInit(sim->cvode, t0, sim->x);
  if (flag >= 0) flag = CVodeSetStopTime(sim->cvode, t1);
  const double *q = N_VGetArrayPointer(sim->x), *v = q + sim->m->nv;
  bool at_end = false;
  for (int k = 0; flag >= 0 && output && k < output->n; k++) {
    double t = fmin(output->time[k], t1);
    if (!at_end && t - t0 > least_span(t0, t1)) flag = advance(sim, t);
    at_end = sim->time >= t1;
    count_steps(sim, before);
    if (flag >= 0) output->at(output->data, k, t, q, v);
  }
  if (flag >= 0 && !at_end) flag = advance(sim, t1);
  count_steps(sim, before);
  sim->stats.runs++;
  return flag;
}

Status sim_run(Sim *sim, double t0, double t1, double *q, double *v, const SimDrive *drive,
               const SimOutput *output, Error *err) {
  Status status = check_run(sim, t0, t1, q, v, err);
  if (status != STATUS_OK) return status;
  size_t n = (size_t)sim->m->nv;
  double *x = N_VGetArrayPointer(sim->x);
  memcpy(x, q, n * sizeof *x);
  memcpy(x + n, v, n * sizeof *x);
  x[2 * n] = x[2 * n + 1] = 0;

  sim->drive = drive;
  sim->refused = 0;
  sim->bad_force = -1;
  int flag = run(sim, t0, t1, output);
  memcpy(q, x, n * sizeof *x);
  memcpy(v, x + n, n * sizeof *x);
  status = flag >= 0 ? STATUS_OK : sim_integrate_fail(sim, flag, t0, t1, err);
  sim->drive = NULL;
  return status;
}

double sim_time(const Sim *sim) {
  return sim->time;
}

double sim_work(const Sim *sim) {
  return N_VGetArrayPointer(sim->x)[2 * sim->m->nv];
}

double sim_loss(const Sim *sim) {
  return N_VGetArrayPointer(sim->x)[2 * sim->m->nv + 1];
}

bool sim_accelerations(const Sim *sim, const double *q, const double *v, const double *tau,
                       double *a) {
  return sim_accel_eval(sim->accel, q, v, tau, a);
}

SimStats sim_stats(const Sim *sim) {
  return sim->stats;
}
