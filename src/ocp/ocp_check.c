// SPDX-License-Identifier: MIT
// Checks of a task that need all of it: start and goal against limits and obstacles, equilibrium at
// the start, the file of the guess.
#include <math.h>

#include "ocp/ocp_internal.h"
#include "ocp/robot_eval.h"
#include "ocp/trajectory.h"

static const double SLACK = 1e-9;        // beyond a limit or inside an obstacle [rad | m]
static const double BALANCE = 1e-6;      // passive force that still counts as none, relative
static const double LEAST_FORCE = 1e-3;  // what it is relative to, at least [N m | N]

static bool outside(double x, double lower, double upper) {
  return x < lower - SLACK || x > upper + SLACK;
}

// the place in the file to blame for joint values: what was given, q or pose
static JsonAt blame(const JsonAt *object, const char *key) {
  JsonAt at = json_find(object, key), pose = json_find(object, "pose");
  return !at.node && pose.node ? pose : at;
}

static Status check_start(OcpReader *r, Error *err) {
  const Ocp *o = r->o;
  const OcpLimits *l = &o->limits;
  JsonAt start = json_find(&r->root, "start");
  JsonAt q = blame(&start, "q"), v = json_find(&start, "v");
  for (int i = 0; i < o->model->nv; i++) {
    const char *name = o->model->joint[i].name;
    if (outside(o->q_start[i], l->q_lower[i], l->q_upper[i])) {
      return json_fail(&q, err, "joint \"%s\" starts at %.6g, outside of its limits %.6g .. %.6g",
                       name, o->q_start[i], l->q_lower[i], l->q_upper[i]);
    }
    if (outside(o->v_start[i], l->v_lower[i], l->v_upper[i])) {
      return json_fail(&v, err,
                       "joint \"%s\" starts with velocity %.6g, outside of its limits %.6g .. %.6g",
                       name, o->v_start[i], l->v_lower[i], l->v_upper[i]);
    }
  }
  return STATUS_OK;
}

static Status check_goal(OcpReader *r, Error *err) {
  const Ocp *o = r->o;
  const OcpLimits *l = &o->limits;
  JsonAt goal = json_find(&r->root, "goal");
  JsonAt q = blame(&goal, "q");
  for (int i = 0; i < o->model->nv; i++) {
    double x = o->goal.joint_value[i];
    if (!o->goal.joint_fixed[i] || !outside(x, l->q_lower[i], l->q_upper[i])) continue;
    return json_fail(&q, err, "joint \"%s\" should end at %.6g, outside of its limits %.6g .. %.6g",
                     o->model->joint[i].name, x, l->q_lower[i], l->q_upper[i]);
  }
  return STATUS_OK;
}

// distance of a point from an obstacle [m], negative inside
static double distance(const OcpObstacle *x, const double p[3]) {
  if (!x->sphere) {
    return x->normal[0] * p[0] + x->normal[1] * p[1] + x->normal[2] * p[2] - x->offset;
  }
  return hypot(hypot(p[0] - x->center[0], p[1] - x->center[1]), p[2] - x->center[2]) - x->radius;
}

static Status check_obstacles(OcpReader *r, const double *position, Error *err) {
  const Ocp *o = r->o;
  const OcpGoal *goal = &o->goal;
  bool placed = goal->frame >= 0 && goal->fixed[0] && goal->fixed[1] && goal->fixed[2];
  JsonAt start = json_find(&r->root, "start"), end = json_find(&r->root, "goal");
  JsonAt target = json_find(&end, "position");
  for (int i = 0; i < o->n_obstacle; i++) {
    const OcpObstacle *x = &o->obstacle[i];
    const char *frame = o->model->frame[x->frame].name;
    double d = distance(x, position + 3 * x->frame);
    if (d < -SLACK) {
      return json_fail(&start, err, "frame \"%s\" starts %.4g m inside of \"%.60s\"", frame, -d,
                       x->name);
    }
    if (!placed || goal->frame != x->frame) continue;
    d = distance(x, goal->position);
    if (d < -SLACK) {
      return json_fail(&target, err, "the goal of frame \"%s\" lies %.4g m inside of \"%.60s\"",
                       frame, -d, x->name);
    }
  }
  return STATUS_OK;
}

static bool at_rest(const Ocp *o) {
  for (int i = 0; i < o->model->nv; i++) {
    if (o->v_start[i] != 0) return false;
  }
  return true;
}

// tau: forces that would hold the start posture; nobody holds a passive joint
static Status note_passive(OcpReader *r, const double *tau, Error *err) {
  const Model *m = r->o->model;
  JsonAt start = json_find(&r->root, "start");
  double scale = LEAST_FORCE / BALANCE;
  for (int i = 0; i < m->nv; i++) scale = fmax(scale, fabs(tau[i]));
  for (int i = 0; i < m->nv; i++) {
    if (m->joint[i].actuated || fabs(tau[i]) <= BALANCE * scale) continue;
    return ocp_note(r->o, &start, err,
                    "not an equilibrium: passive joint \"%s\" would need %.4g %s to stay",
                    m->joint[i].name, tau[i], m->joint[i].type == JOINT_REVOLUTE ? "N m" : "N");
  }
  return STATUS_OK;
}

static Status note_holding(OcpReader *r, const double *tau, Error *err) {
  const Ocp *o = r->o;
  const Model *m = o->model;
  JsonAt start = json_find(&r->root, "start");
  for (int k = 0; k < m->nu; k++) {
    double u = tau[m->u_joint[k]], lower = o->limits.u_lower[k], upper = o->limits.u_upper[k];
    if (!outside(u, lower, upper)) continue;
    if (ocp_note(r->o, &start, err,
                 "can't be held: joint \"%s\" would need %.4g, its limits are %.4g .. %.4g",
                 m->joint[m->u_joint[k]].name, u, lower, upper)) {
      return err->code;
    }
  }
  return STATUS_OK;
}

static Status check_with_robot(OcpReader *r, const RobotEval *e, Error *err) {
  Ocp *o = r->o;
  const Model *m = o->model;
  JsonAt start = json_find(&r->root, "start");
  double *tau = arena_array(o->arena, (size_t)m->nv, sizeof *tau);
  double *position = arena_array(o->arena, 3 * (size_t)m->n_frame, sizeof *position);
  if (!tau || !position) return error_no_memory(err);
  if (!robot_eval_torque(e, 1, o->q_start, NULL, NULL, tau) ||
      !robot_eval_frames(e, 1, o->q_start, position)) {
    return json_fail(&start, err, "the robot's equations have no finite value here");
  }
  if (check_obstacles(r, position, err)) return err->code;
  if (!at_rest(o)) return STATUS_OK;
  if (note_passive(r, tau, err)) return err->code;
  return note_holding(r, tau, err);
}

// more conditions on the end posture than it has coordinates
static Status note_conditions(OcpReader *r, Error *err) {
  const OcpGoal *g = &r->o->goal;
  int nv = r->o->model->nv, n = g->fixed[0] + g->fixed[1] + g->fixed[2];
  for (int i = 0; i < nv; i++) n += g->joint_fixed[i];
  if (n <= nv) return STATUS_OK;
  JsonAt goal = json_find(&r->root, "goal");
  return ocp_note(r->o, &goal, err, "asks for %d values of a posture with %d coordinates", n, nv);
}

static Status check_guess(const Ocp *o, Error *err) {
  if (o->guess.kind != OCP_GUESS_FILE) return STATUS_OK;
  Trajectory *t = NULL;
  Status status = trajectory_load(&t, o->guess.path, o->model, err);
  trajectory_free(t);
  return status;
}

Status ocp_check(OcpReader *r, Error *err) {
  if (check_start(r, err)) return err->code;
  if (check_goal(r, err)) return err->code;
  if (note_conditions(r, err)) return err->code;
  if (check_guess(r->o, err)) return err->code;
  RobotEval *e = NULL;
  Status status = robot_eval_build(&e, r->o->model, err);
  if (status == STATUS_OK) status = check_with_robot(r, e, err);
  robot_eval_free(e);
  return status;
}
