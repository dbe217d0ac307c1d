// SPDX-License-Identifier: MIT
// What a refusal of CVODE means for the robot: when, which joint, how fast it was.
#include <math.h>
#include <nvector/nvector_serial.h>

#include "sim/sim_internal.h"

// The joint whose acceleration is not finite, else the largest, at the state last reached.
static int worst_joint(Sim *sim) {
  const Model *m = sim->m;
  const double *q = N_VGetArrayPointer(sim->x), *v = q + m->nv;
  const double *tau = sim_forces(sim, sim->time);
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(tau[i])) return i;
  }
  sim_accel_eval(sim->accel, q, v, tau, sim->a);
  int worst = 0;
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(sim->a[i])) return i;
    if (fabs(sim->a[i]) > fabs(sim->a[worst])) worst = i;
  }
  return worst;
}

Status sim_integrate_fail(Sim *sim, int flag, double t0, double t1, Error *err) {
  if (flag == CV_MEM_FAIL) return error_no_memory(err);
  const Model *m = sim->m;
  if (m->nv == 0) {
    return error_set(err, STATUS_NUMERIC, "", "the robot has no joints to move");
  }
  int i = worst_joint(sim);
  const ModelJoint *j = &m->joint[i];
  const char *unit = j->type == JOINT_PRISMATIC ? "m" : "rad";
  const double *q = N_VGetArrayPointer(sim->x), *v = q + m->nv;
  const double *tau = sim_forces(sim, sim->time);
  if (!isfinite(tau[i])) {
    return error_set(err, STATUS_NUMERIC, "", "the force on joint \"%s\" is %g at t = %.6g s",
                     j->name, tau[i], sim->time);
  }
  if (flag == CV_TOO_MUCH_WORK) {
    return error_set(err, STATUS_NUMERIC, "",
                     "%ld steps were not enough from t = %.6g to %.6g s: at t = %.6g s joint \"%s\" "
                     "moves with %.4g %s/s and %.4g %s/s^2", sim->opt.max_steps, t0, t1, sim->time,
                     j->name, v[i], unit, sim->a[i], unit);
  }
  if (flag == CV_TOO_MUCH_ACC) {
    return error_set(err, STATUS_NUMERIC, "",
                     "a relative tolerance of %g is more than double precision can give at t = %.6g s",
                     sim->opt.rel_tol, sim->time);
  }
  return error_set(err, STATUS_NUMERIC, "",
                   "the motion %s at t = %.6g s: joint \"%s\" is at %.4g %s with %.4g %s/s and "
                   "%.4g %s/s^2 (CVODE %d)", sim->blown ? "blows up" : "can't be followed", sim->time,
                   j->name, q[i], unit, v[i], unit, sim->a[i], unit, flag);
}
