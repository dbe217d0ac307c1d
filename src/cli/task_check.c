// SPDX-License-Identifier: MIT
#include "cli/task_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "collocation/colloc.h"

enum { MAX_TRIES = 32, SEED = 1 };

static const double NEAR = 1e-6;     // distance from the goal that counts as there [m]
static const double BALANCE = 1e-6;  // passive force that counts as none, relative to the others
static const double LEAST_FORCE = 1e-3;       // what it is relative to, at least, times 1 / BALANCE
static const double ANGLE = 3.2, LENGTH = 1;  // range of joints without limits, for random postures

// ---- findings ----

static void find(TaskCheck *c, FindingLevel level, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void find(TaskCheck *c, FindingLevel level, const char *about, const char *format, ...) {
  if (c->n_finding == MAX_FINDINGS) return;
  Finding *f = &c->finding[c->n_finding++];
  f->level = level;
  f->about = about;
  va_list args;
  va_start(args, format);
  vsnprintf(f->text, sizeof f->text, format, args);
  va_end(args);
}

bool task_check_hopeless(const TaskCheck *c) {
  for (int i = 0; i < c->n_finding; i++) {
    if (c->finding[i].level == FINDING_HOPELESS) return true;
  }
  return false;
}

static const char *force_unit(const Model *m, int joint) {
  return m->joint[joint].type == JOINT_PRISMATIC ? "N" : "N m";
}

// ---- forces ----

double task_check_excess(const Ocp *o, int k, double force) {
  double slack = 1e-9 * fmax(1, fabs(force));
  double over = fmax(o->limits.u_lower[k] - force, force - o->limits.u_upper[k]);
  return over > slack ? over : 0;
}

static double worst_excess(const Ocp *o, const double *hold, int *worst) {
  const Model *m = o->model;
  double most = 0;
  *worst = -1;
  for (int k = 0; k < m->nu; k++) {
    double excess = task_check_excess(o, k, hold[m->u_joint[k]]);
    if (excess <= most) continue;
    most = excess;
    *worst = k;
  }
  return most;
}

// the largest force that nobody is there to give, and its joint; -1 without passive joints
static double passive_force(const Model *m, const double *hold, int *worst) {
  *worst = -1;
  double most = 0;
  for (int i = 0; i < m->nv; i++) {
    if (m->joint[i].actuated || (*worst >= 0 && fabs(hold[i]) <= most)) continue;
    most = fabs(hold[i]);
    *worst = i;
  }
  return most;
}

static bool balanced(const Model *m, const double *hold, double passive) {
  double scale = LEAST_FORCE / BALANCE;
  for (int i = 0; i < m->nv; i++) scale = fmax(scale, fabs(hold[i]));
  return passive <= BALANCE * scale;
}

// whether the actuators can hold a posture: the one that works hardest, or what is missing
static void find_holding(TaskCheck *c, const char *about, const double *hold, FindingLevel weak) {
  const Ocp *o = c->o;
  const Model *m = o->model;
  if (m->nu == 0) return;
  int worst;
  double excess = worst_excess(o, hold, &worst);
  if (worst >= 0) {
    int j = m->u_joint[worst];
    find(c, weak, about,
         "the actuators can't hold it: %s would need %.4g %s, its limits are %.4g .. %.4g",
         m->joint[j].name, hold[j], force_unit(m, j), o->limits.u_lower[worst],
         o->limits.u_upper[worst]);
    if (weak != FINDING_HOPELESS) return;
    find(c, weak, about, "%.4g %s more at %s would do", excess, force_unit(m, j), m->joint[j].name);
    return;
  }
  int most = 0;
  for (int k = 1; k < m->nu; k++) {
    if (fabs(hold[m->u_joint[k]]) > fabs(hold[m->u_joint[most]])) most = k;
  }
  int j = m->u_joint[most];
  if (fabs(hold[j]) < 1e-9) {
    find(c, FINDING_GOOD, about, "the actuators can hold it: it takes no torque");
    return;
  }
  find(c, FINDING_GOOD, about, "the actuators can hold it: at most %.4g %s, at %s", fabs(hold[j]),
       force_unit(m, j), m->joint[j].name);
}

// ---- the start ----

static Status check_start(TaskCheck *c, const RobotEval *e, Error *err) {
  const Ocp *o = c->o;
  const Model *m = o->model;
  if (!robot_eval_torque(e, 1, o->q_start, NULL, NULL, c->hold_start)) {
    return error_set(err, STATUS_NUMERIC, o->path,
                     "the start posture has no finite holding forces");
  }
  c->start_rests = true;
  for (int i = 0; i < m->nv; i++) c->start_rests = c->start_rests && o->v_start[i] == 0;
  int worst;
  c->start_passive = passive_force(m, c->hold_start, &worst);
  if (!c->start_rests) {
    find(c, FINDING_GOOD, "start",
         "begins in motion: whether it is an equilibrium does not matter");
    return STATUS_OK;
  }
  if (worst < 0) {
    find(c, FINDING_GOOD, "start", "an equilibrium: every joint is actuated");
  } else if (balanced(m, c->hold_start, c->start_passive)) {
    find(c, FINDING_GOOD, "start", "an equilibrium: the passive joints stay where they are");
  } else {
    find(c, FINDING_NOTE, "start", "no equilibrium: passive joint %s would need %.4g %s to stay",
         m->joint[worst].name, c->hold_start[worst], force_unit(m, worst));
  }
  find_holding(c, "start", c->hold_start, FINDING_NOTE);
  return STATUS_OK;
}

// ---- the reach of the chain ----

static double norm3(const double x[3]) {
  return hypot(hypot(x[0], x[1]), x[2]);
}

// Largest distance of a frame from where its chain begins: all links stretched out, all slides out.
static double chain_reach(const Ocp *o, int frame, double base[3]) {
  const Model *m = o->model;
  const ModelFrame *f = &m->frame[frame];
  double length = norm3(f->pos);
  for (int b = f->body; b >= 0; b = m->joint[b].parent) {
    const ModelJoint *j = &m->joint[b];
    if (j->type == JOINT_PRISMATIC) {
      length += fmax(fabs(o->limits.q_lower[b]), fabs(o->limits.q_upper[b]));
    }
    if (j->parent < 0) memcpy(base, j->pos, sizeof j->pos);
    else length += norm3(j->pos);
  }
  return length;
}

// false if the goal is farther away than the chain is long
static bool check_reach(TaskCheck *c) {
  const OcpGoal *g = &c->o->goal;
  c->reach = c->goal_distance = NAN;
  if (g->frame < 0) return true;
  double base[3] = {0}, d[3] = {0};
  c->reach = chain_reach(c->o, g->frame, base);
  for (int i = 0; i < 3; i++) d[i] = g->fixed[i] ? g->position[i] - base[i] : 0;
  c->goal_distance = norm3(d);
  const char *name = c->o->model->frame[g->frame].name;
  double over = c->goal_distance - c->reach;
  if (over > NEAR) {
    find(c, FINDING_HOPELESS, "goal",
         "%.3g m out of reach: %.4g m from the base of the chain, which carries %s %.4g m at most",
         over, c->goal_distance, name, c->reach);
    return false;
  }
  if (isfinite(c->reach)) {
    find(c, FINDING_GOOD, "goal", "%.4g m from the base, and the chain carries %s up to %.4g m",
         c->goal_distance, name, c->reach);
  }
  return true;
}

// ---- a posture at the goal ----

typedef struct Candidate {
  double *q, *hold;  // nv
  PostureInfo info;  //
  double passive;    // force that passive joints need, where the goal asks for an equilibrium
  double excess;     // beyond the actuators' limits, likewise
} Candidate;

static void random_posture(const Ocp *o, Rng *rng, double *q) {
  for (int i = 0; i < o->model->nv; i++) {
    double range = o->model->joint[i].type == JOINT_PRISMATIC ? LENGTH : ANGLE;
    double lower = fmax(o->limits.q_lower[i], o->q_start[i] - range);
    double upper = fmin(o->limits.q_upper[i], o->q_start[i] + range);
    q[i] = rng_uniform(rng, lower, upper);
  }
}

static bool stays(const OcpGoal *g) {
  return g->at_rest && g->equilibrium;
}

// lexicographic: position, then balance, then torque limits
static bool better(const Candidate *a, const Candidate *b) {
  if (fabs(a->info.distance - b->info.distance) > NEAR) return a->info.distance < b->info.distance;
  if (fabs(a->passive - b->passive) > BALANCE) return a->passive < b->passive;
  return a->excess < b->excess;
}

static bool good(const Model *m, const Candidate *a) {
  return a->info.distance <= NEAR && balanced(m, a->hold, a->passive) && a->excess == 0;
}

// the best of several searches, the first of them from the start posture
static Status search(const Ocp *o, const RobotEval *e, Candidate *best, Candidate *other,
                     int *n_try, Error *err) {
  const Model *m = o->model;
  size_t bytes = (size_t)m->nv * sizeof(double);
  Rng rng;
  rng_seed(&rng, SEED);
  for (*n_try = 0; *n_try < MAX_TRIES;) {
    Candidate *x = *n_try ? other : best;
    if (*n_try == 0) memcpy(x->q, o->q_start, bytes);
    else random_posture(o, &rng, x->q);
    Status status = posture_goal(o, e, x->q, &x->info, err);
    if (status != STATUS_OK) return status;
    ++*n_try;
    if (!robot_eval_torque(e, 1, x->q, NULL, NULL, x->hold)) continue;
    int worst;
    x->passive = stays(&o->goal) ? passive_force(m, x->hold, &worst) : 0;
    x->excess = stays(&o->goal) ? worst_excess(o, x->hold, &worst) : 0;
    if (x == other && better(other, best)) {
      Candidate swap = *best;
      *best = *other;
      *other = swap;
    }
    if (good(m, best)) return STATUS_OK;
  }
  return STATUS_OK;
}

static Candidate new_candidate(Arena *arena, int nv) {
  return (Candidate){.q = arena_array(arena, (size_t)nv, sizeof(double)),
                     .hold = arena_array(arena, (size_t)nv, sizeof(double))};
}

static bool fixes_all_joints(const Ocp *o) {
  for (int i = 0; i < o->model->nv; i++) {
    if (!o->goal.joint_fixed[i]) return false;
  }
  return true;
}

static void judge_balance(TaskCheck *c, const Candidate *best) {
  const Model *m = c->o->model;
  int worst;
  passive_force(m, best->hold, &worst);
  if (worst < 0) {
    find(c, FINDING_GOOD, "goal", "an equilibrium: every joint is actuated");
  } else if (balanced(m, best->hold, best->passive)) {
    find(c, FINDING_GOOD, "goal", "an equilibrium: the passive joints stay where they are");
  } else if (fixes_all_joints(c->o)) {
    find(c, FINDING_HOPELESS, "goal",
         "no equilibrium, but asked to be one: passive joint %s would need %.4g %s to stay",
         m->joint[worst].name, best->hold[worst], force_unit(m, worst));
  } else {
    find(c, FINDING_HOPELESS, "goal",
         "no equilibrium found there from %d postures: passive joint %s needs %.4g %s to stay; "
         "\"equilibrium\": false drops the condition",
         c->n_try, m->joint[worst].name, best->hold[worst], force_unit(m, worst));
  }
}

// the goal is missed: because of the chain and its limits, or because of the equilibrium?
static Status judge_miss(TaskCheck *c, const RobotEval *e, const Candidate *best, Candidate *other,
                         Error *err) {
  Ocp relaxed = *c->o;
  relaxed.goal.equilibrium = false;
  Candidate free = new_candidate(c->arena, c->o->model->nv);
  if (!free.q || !free.hold) return error_no_memory(err);
  int n_try;
  Status status = search(&relaxed, e, &free, other, &n_try, err);
  if (status != STATUS_OK) return status;
  if (free.info.distance <= NEAR) {
    find(c, FINDING_HOPELESS, "goal",
         "no equilibrium found there from %d postures, the nearest is %.3g m away; without "
         "\"equilibrium\" it is within reach",
         c->n_try, best->info.distance);
  } else {
    find(c, FINDING_HOPELESS, "goal",
         "%.3g m out of reach within the joint limits: the nearest of %d searches ends there",
         free.info.distance, n_try);
  }
  return STATUS_OK;
}

static Status check_posture(TaskCheck *c, const RobotEval *e, Error *err) {
  const Ocp *o = c->o;
  Candidate best = new_candidate(c->arena, o->model->nv);
  Candidate other = new_candidate(c->arena, o->model->nv);
  if (!best.q || !best.hold || !other.q || !other.hold) return error_no_memory(err);
  Status status = search(o, e, &best, &other, &c->n_try, err);
  if (status != STATUS_OK) return status;
  c->has_goal_posture = true;
  c->q_goal = best.q;
  c->hold_goal = best.hold;
  c->goal = best.info;
  if (best.info.distance > NEAR) return judge_miss(c, e, &best, &other, err);
  if (o->goal.frame >= 0) {
    find(c, FINDING_GOOD, "goal", "a posture that meets it was found %s",
         c->n_try == 1 ? "near the start" : "within the joint limits");
  }
  if (!stays(&o->goal)) {
    find(c, FINDING_GOOD, "goal", "%s asked for: whether it can be held does not matter",
         o->goal.at_rest ? "rest, but no equilibrium is" : "no rest is");
    return STATUS_OK;
  }
  judge_balance(c, &best);
  if (!balanced(o->model, best.hold, best.passive)) return STATUS_OK;
  find_holding(c, "goal", best.hold, fixes_all_joints(o) ? FINDING_HOPELESS : FINDING_NOTE);
  return STATUS_OK;
}

// speed limits against the way that joints have to go
static void check_speed(TaskCheck *c) {
  const Ocp *o = c->o;
  const Model *m = o->model;
  double T = o->free_time ? o->T_upper : o->T;
  for (int i = 0; i < m->nv; i++) {
    if (!o->goal.joint_fixed[i]) continue;
    double way = o->goal.joint_value[i] - o->q_start[i];
    double speed = way > 0 ? o->limits.v_upper[i] : -o->limits.v_lower[i];
    if (way == 0 || fabs(way) <= speed * T) continue;
    const char *unit = m->joint[i].type == JOINT_PRISMATIC ? "m" : "rad";
    find(c, FINDING_HOPELESS, "goal",
         "too far for the time: %s has %.4g %s to go and at most %.4g %s/s: %.4g s, not %.4g s",
         m->joint[i].name, fabs(way), unit, speed, unit, fabs(way) / speed, T);
  }
}

// ---- equations and unknowns ----

static Status check_program(TaskCheck *c, Error *err) {
  Colloc *colloc = NULL;
  Status status = colloc_build(&colloc, c->o, err);
  if (status != STATUS_OK) return status;
  const Nlp *nlp = colloc_nlp(colloc);
  c->n_variable = nlp->n;
  for (int i = 0; i < nlp->n; i++) c->n_fixed += nlp->x_lower[i] == nlp->x_upper[i];
  for (int i = 0; i < nlp->m; i++) c->n_equality += nlp->g_lower[i] == nlp->g_upper[i];
  c->n_inequality = nlp->m - c->n_equality;
  colloc_free(colloc);

  int n_free = c->n_variable - c->n_fixed, left = n_free - c->n_equality;
  if (left < 0) {
    find(c, FINDING_HOPELESS, "problem",
         "%d equations for %d free variables, %d too many: ask for less at the goal, or give the "
         "torques more intervals",
         c->n_equality, n_free, -left);
  } else {
    find(c, left ? FINDING_GOOD : FINDING_NOTE, "problem",
         "%d free variables, %d equations: %d degrees of freedom to optimise%s", n_free,
         c->n_equality, left, left ? "" : ", there is nothing to choose");
  }
  return STATUS_OK;
}

// ---- all of it ----

static Status check_all(TaskCheck *c, const RobotEval *e, Error *err) {
  Status status = check_start(c, e, err);
  if (status != STATUS_OK) return status;
  if (check_reach(c)) status = check_posture(c, e, err);
  if (status != STATUS_OK) return status;
  check_speed(c);
  return check_program(c, err);
}

Status task_check_build(TaskCheck **out, const Ocp *o, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  TaskCheck *c = arena_alloc(arena, sizeof *c);
  double *hold = arena_array(arena, (size_t)o->model->nv, sizeof *hold);
  if (!c || !hold) {
    arena_free(arena);
    return error_no_memory(err);
  }
  c->arena = arena;
  c->o = o;
  c->hold_start = hold;
  RobotEval *e = NULL;
  Status status = robot_eval_build(&e, o->model, err);
  if (status == STATUS_OK) status = check_all(c, e, err);
  robot_eval_free(e);
  if (status == STATUS_OK) *out = c;
  else arena_free(arena);
  return status;
}

void task_check_free(TaskCheck *c) {
  if (c) arena_free(c->arena);
}
