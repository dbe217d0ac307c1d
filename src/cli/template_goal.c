// SPDX-License-Identifier: MIT
#include "cli/template_goal.h"

#include <math.h>
#include <string.h>

#include "ocp/posture.h"

static const double STEP = 0.2;    // of an actuated joint, towards the goal [rad | m]
static const double NUDGE = 1e-4;  // for derivatives [rad | m]
static const double NEAR = 1e-7;   // a goal is met [m]
static const double QUIET = 1e-6;  // a passive force is none [N m | N]
static const double WEAK = 0.05;   // components that move less than the strongest are left free
static const double LEAST_MOVE = 0.01;  // of the strongest one [m/rad | m/m]
static const double GRID = 1e-3;        // goals are round numbers [m | rad]
enum { HALVINGS = 5 };

// Everything that the searches share: a problem with this robot's limits and a goal to fill in.
typedef struct Search {
  TemplateGoal *t;   //
  Model *m;          //
  RobotEval *e;      //
  Ocp o;             // what posture_goal looks at
  double *position;  // 3 n_frame
  double *moved;     // 3 n_frame x nu, frames after a nudge of each actuated joint
  double *q;         // nv
} Search;

static double clamp(double x, double lower, double upper) {
  return fmin(fmax(x, lower), upper);
}

static double round_to_grid(double x) {
  double r = round(x / GRID) * GRID;
  return r == 0 ? 0 : round(r * 1e6) / 1e6;  // no -0, no 0.30000000000000004
}

static bool search_alloc(Search *s) {
  Arena *arena = s->t->arena;
  size_t nv = (size_t)s->m->nv, nf = 3 * (size_t)s->m->n_frame;
  OcpLimits *l = &s->o.limits;
  s->t->q_start = arena_array(arena, nv, sizeof(double));
  s->t->balanced = arena_array(arena, nv, sizeof(bool));
  s->t->q_goal = arena_array(arena, nv, sizeof(double));
  s->o.goal.joint_fixed = arena_array(arena, nv, sizeof(bool));
  s->o.goal.joint_value = arena_array(arena, nv, sizeof(double));
  l->q_lower = arena_array(arena, nv, sizeof(double));
  l->q_upper = arena_array(arena, nv, sizeof(double));
  s->position = arena_array(arena, nf + 1, sizeof(double));
  s->moved = arena_array(arena, nf * (size_t)s->m->nu + 1, sizeof(double));
  s->q = arena_array(arena, nv, sizeof(double));
  return s->t->q_start && s->t->balanced && s->t->q_goal && s->o.goal.joint_fixed &&
         s->o.goal.joint_value && l->q_lower && l->q_upper && s->position && s->moved && s->q;
}

// ---- the start ----

static bool within_limits(const Model *m, const double *q) {
  for (int i = 0; i < m->nv; i++) {
    if (q[i] < m->joint[i].lower || q[i] > m->joint[i].upper) return false;
  }
  return true;
}

static bool is_equilibrium(Search *s, const double *q) {
  if (!robot_eval_torque(s->e, 1, q, NULL, NULL, s->q)) return false;
  for (int i = 0; i < s->m->nv; i++) {
    if (!s->m->joint[i].actuated && fabs(s->q[i]) > QUIET) return false;
  }
  return true;
}

static void choose_start(Search *s) {
  TemplateGoal *t = s->t;
  const Model *m = s->m;
  int first = -1, quiet = -1, named = -1;
  for (int p = m->n_pose - 1; p >= 0; p--) {
    if (!within_limits(m, m->pose[p].q)) continue;
    first = p;
    if (is_equilibrium(s, m->pose[p].q)) quiet = p;
    if (strcmp(m->pose[p].name, "start") == 0) named = p;
  }
  t->pose = named >= 0 ? named : quiet >= 0 ? quiet : first;
  for (int i = 0; i < m->nv; i++) {
    double zero = clamp(0, m->joint[i].lower, m->joint[i].upper);
    t->q_start[i] = t->pose >= 0 ? m->pose[t->pose].q[i] : zero;
  }
}

// ---- the goal ----

// passive joints to where they stay, the actuated ones held; false if there is no such posture
static Status balance(Search *s, double *q, bool *ok, Error *err) {
  OcpGoal *g = &s->o.goal;
  g->frame = -1;
  for (int i = 0; i < s->m->nv; i++) {
    g->joint_fixed[i] = s->m->joint[i].actuated;
    g->joint_value[i] = q[i];
  }
  PostureInfo info;
  Status status = posture_goal(&s->o, s->e, q, &info, err);
  *ok = status == STATUS_OK && info.passive <= QUIET;
  return status;
}

// the passive joints of the start to where they stay, if they would not stay where they are
static Status balance_start(Search *s, Error *err) {
  TemplateGoal *t = s->t;
  if (is_equilibrium(s, t->q_start)) return STATUS_OK;
  memcpy(s->q, t->q_start, (size_t)s->m->nv * sizeof *s->q);
  bool ok;
  Status status = balance(s, s->q, &ok, err);
  if (status != STATUS_OK || !ok) return status;
  for (int i = 0; i < s->m->nv; i++) {
    t->balanced[i] = s->q[i] != t->q_start[i];
    t->q_start[i] = s->q[i];
  }
  return STATUS_OK;
}

// towards the side where there is more room
static double direction(const ModelJoint *j, double q) {
  return j->upper - q >= q - j->lower ? 1 : -1;
}

// the start with its actuated joints moved by `step`, or only actuator `only` (-1: all), balanced if
// the goal shall stay
static Status move(Search *s, double step, int only, double *q, bool *ok, Error *err) {
  const Model *m = s->m;
  memcpy(q, s->t->q_start, (size_t)m->nv * sizeof *q);
  for (int k = 0; k < m->nu; k++) {
    if (only >= 0 && k != only) continue;
    const ModelJoint *j = &m->joint[m->u_joint[k]];
    double *x = &q[m->u_joint[k]];
    *x = clamp(*x + step * direction(j, *x), j->lower, j->upper);
  }
  *ok = true;
  return s->t->stays ? balance(s, q, ok, err) : STATUS_OK;
}

// Components of a frame's position that the actuators move independently of each other: rows of its
// Jacobian, the strongest first, each without its share of those before (Gram and Schmidt).
static int choose_components(const Search *s, int frame, bool fixed[3]) {
  const Model *m = s->m;
  int nu = m->nu, n = 0;
  double scale = 0;
  double *row = s->moved;
  size_t stride = 3 * (size_t)m->n_frame;
  const double *p = s->position + 3 * frame;
  for (int pass = 0; pass < 3; pass++) {
    int best = -1;
    double most = 0;
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int k = 0; k < nu; k++) {
        double x = row[3 * frame + i + stride * (size_t)k] - p[i];
        sum += x * x;
      }
      if (fixed[i] || sum <= most) continue;
      best = i;
      most = sum;
    }
    if (pass == 0) scale = sqrt(most);
    if (best < 0 || scale < LEAST_MOVE * NUDGE || sqrt(most) < WEAK * scale) return n;
    fixed[best] = true;
    n++;
    for (int i = 0; i < 3; i++) {
      double dot = 0;
      for (int k = 0; k < nu; k++) {
        const double *x = row + 3 * frame + stride * (size_t)k;
        dot += (x[i] - p[i]) * (x[best] - p[best]);
      }
      for (int k = 0; k < nu && !fixed[i]; k++) {
        double *x = row + 3 * frame + stride * (size_t)k;
        x[i] -= dot / most * (x[best] - p[best]);
      }
    }
  }
  return n;
}

// all frames after a nudge of each actuator; false if they can't be had
static Status nudge_all(Search *s, bool *ok, Error *err) {
  const Model *m = s->m;
  *ok = robot_eval_frames(s->e, 1, s->t->q_start, s->position);
  Status status = STATUS_OK;
  if (s->t->stays && *ok) {
    status = move(s, 0, -1, s->q, ok, err);  // where the start would be balanced
    *ok = *ok && robot_eval_frames(s->e, 1, s->q, s->position);
  }
  for (int k = 0; status == STATUS_OK && *ok && k < m->nu; k++) {
    status = move(s, NUDGE, k, s->q, ok, err);
    double *to = s->moved + 3 * (size_t)m->n_frame * (size_t)k;
    *ok = *ok && robot_eval_frames(s->e, 1, s->q, to);
  }
  return status;
}

// whether a posture meets the goal in t, from the start
static Status try_goal(Search *s, bool *ok, Error *err) {
  TemplateGoal *t = s->t;
  OcpGoal *g = &s->o.goal;
  g->frame = t->frame;
  memcpy(g->fixed, t->fixed, sizeof g->fixed);
  memcpy(g->position, t->position, sizeof g->position);
  memset(g->joint_fixed, 0, (size_t)s->m->nv * sizeof *g->joint_fixed);
  memcpy(t->q_goal, t->q_start, (size_t)s->m->nv * sizeof *t->q_goal);
  PostureInfo info;
  Status status = posture_goal(&s->o, s->e, t->q_goal, &info, err);
  *ok = status == STATUS_OK && info.distance <= NEAR && info.passive <= QUIET;
  return status;
}

static Status choose_frame_goal(Search *s, bool *found, Error *err) {
  TemplateGoal *t = s->t;
  const Model *m = s->m;
  *found = false;
  bool ok;
  Status status = nudge_all(s, &ok, err);
  if (status != STATUS_OK || !ok) return status;
  for (t->frame = 0; t->frame < m->n_frame; t->frame++) {
    memset(t->fixed, 0, sizeof t->fixed);
    if (m->frame[t->frame].body >= 0 && choose_components(s, t->frame, t->fixed)) break;
  }
  if (t->frame == m->n_frame) return STATUS_OK;
  double step = STEP;
  for (int n = 0; n < HALVINGS && !*found; n++, step *= 0.5) {
    status = move(s, step, -1, s->q, &ok, err);
    if (status != STATUS_OK) return status;
    if (!ok || !robot_eval_frames(s->e, 1, s->q, s->position)) continue;
    for (int i = 0; i < 3; i++) t->position[i] = round_to_grid(s->position[3 * t->frame + i]);
    status = try_goal(s, found, err);
    if (status != STATUS_OK) return status;
  }
  return STATUS_OK;
}

static Status choose_goal(Search *s, Error *err) {
  TemplateGoal *t = s->t;
  bool ok, found = false;
  t->stays = true;
  Status status = move(s, STEP, -1, s->q, &t->stays, err);
  if (status == STATUS_OK && t->stays) status = choose_frame_goal(s, &found, err);
  if (status != STATUS_OK || found) return status;
  t->frame = -1;
  status = move(s, STEP, -1, t->q_goal, &ok, err);
  for (int i = 0; i < s->m->nv; i++) {
    const ModelJoint *j = &s->m->joint[i];
    double round = round_to_grid(t->q_goal[i]);
    if (round >= j->lower && round <= j->upper) t->q_goal[i] = round;
  }
  return status;
}

Status template_goal_build(TemplateGoal **out, Model *m, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  TemplateGoal *t = arena_alloc(arena, sizeof *t);
  if (!t) {
    arena_free(arena);
    return error_no_memory(err);
  }
  t->arena = arena;
  Search s = {.t = t, .m = m};
  s.o.model = m;
  s.o.goal.at_rest = s.o.goal.equilibrium = true;
  Status status = search_alloc(&s) ? robot_eval_build(&s.e, m, err) : error_no_memory(err);
  if (status == STATUS_OK) {
    for (int i = 0; i < m->nv; i++) {
      s.o.limits.q_lower[i] = m->joint[i].lower;
      s.o.limits.q_upper[i] = m->joint[i].upper;
    }
    choose_start(&s);
    status = balance_start(&s, err);
  }
  if (status == STATUS_OK) status = choose_goal(&s, err);
  robot_eval_free(s.e);
  if (status == STATUS_OK) *out = t;
  else arena_free(arena);
  return status;
}

void template_goal_free(TemplateGoal *t) {
  if (t) arena_free(t->arena);
}
