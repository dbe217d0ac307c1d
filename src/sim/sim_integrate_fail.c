// SPDX-License-Identifier: MIT
// What a refusal of CVODE means for the robot: when, which joint, how fast it was.
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

#include "sim/sim_internal.h"

// Accelerations at the state last reached, in sim->a, and the joint where they are not finite
// or, if they are, largest.
static int worst_joint(Sim *sim) {
  const Model *m = sim->m;
  const double *q = N_VGetArrayPointer(sim->x), *v = q + m->nv;
  sim_accel_eval(sim->accel, q, v, sim_forces(sim, sim->time), sim->a);
  int worst = 0;
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(sim->a[i])) return i;
    if (fabs(sim->a[i]) > fabs(sim->a[worst])) worst = i;
  }
  return worst;
}

// "joint "pole" is at 1 rad with 2 rad/s and 3 rad/s^2"
static void describe(Sim *sim, char *text, size_t size) {
  int i = worst_joint(sim);
  const ModelJoint *j = &sim->m->joint[i];
  const char *unit = j->type == JOINT_PRISMATIC ? "m" : "rad";
  const double *q = N_VGetArrayPointer(sim->x), *v = q + sim->m->nv;
  if (isfinite(sim->a[i])) {
    snprintf(text, size, "joint \"%.100s\" is at %.4g %s with %.4g %s/s and %.4g %s/s^2", j->name,
             q[i], unit, v[i], unit, sim->a[i], unit);
  } else {
    snprintf(text, size, "joint \"%.100s\", at %.4g %s with %.4g %s/s, has no finite acceleration",
             j->name, q[i], unit, v[i], unit);
  }
}

Status sim_integrate_fail(Sim *sim, int flag, double t0, double t1, Error *err) {
  if (flag == CV_MEM_FAIL) return error_no_memory(err);
  char joint[256] = "the robot has no joints";
  if (sim->bad_force >= 0) {
    return error_set(err, STATUS_NUMERIC, "",
                     "the force on joint \"%s\" is not finite at t = %.6g s",
                     sim->m->joint[sim->bad_force].name, sim->bad_time);
  }
  if (sim->m->nv > 0) describe(sim, joint, sizeof joint);
  switch (flag) {
    case CV_TOO_MUCH_WORK:
      return error_set(err, STATUS_NUMERIC, "",
                       "%ld steps were not enough from t = %.6g to %.6g s: at t = %.6g s %s",
                       sim->opt.max_steps, t0, t1, sim->time, joint);
    case CV_TOO_MUCH_ACC:
      return error_set(err, STATUS_NUMERIC, "",
                       "a relative tolerance of %g is beyond double precision at t = %.6g s: %s",
                       sim->opt.rel_tol, sim->time, joint);
    default:
      return error_set(err, STATUS_NUMERIC, "", "the motion %s at t = %.6g s: %s (CVODE %d)",
                       sim->refused ? "blows up" : "can't be followed", sim->time, joint, flag);
  }
}
