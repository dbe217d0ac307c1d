// SPDX-License-Identifier: MIT
// A plane of symmetry, found and not assumed. A reflection x -> x - 2 (n . x - d) n turns a rotation about an
// axis along n into itself, one about an axis in the plane into its opposite; displacements the other way
// round. So, at a posture that is its own mirror image, every joint axis must lie along n or in the plane, and
// that gives each coordinate its sign. Whether the robot really is symmetric is then asked of its equations:
//   tau(m(q), S v, S a) = S tau(q, v, a),   p(m(q)) = reflection of p(q),   m(q) = c + S (q - c)
// at random states, for the frames that the task speaks of.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/geom3.h"
#include "ocp/robot_eval.h"
#include "sweep/sweep_internal.h"

enum { N_STATE = 8, MAX_NORMAL = 64 };
static const double STRAIGHT = 1e-9;   // axes along or across
static const double SAME = 1e-8;       // forces and positions, relative
static const double SAME_TASK = 1e-9;  // numbers of two tasks

// ---- candidates ---------------------------------------------------------------------------------

// Rot(axis, angle), column-major (Rodrigues)
static void rotation(const double *a, double angle, double R[9]) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) R[i + 3 * k] = (1 - c) * a[i] * a[k] + (i == k ? c : 0);
  }
  R[1] += s * a[2], R[3] -= s * a[2];
  R[2] -= s * a[1], R[6] += s * a[1];
  R[5] += s * a[0], R[7] -= s * a[0];
}

// joint axes in the world; axis: 3 x nv, turn: 9 x nv scratch
static void world_axes(const Model *m, const double *q, double *axis, double *turn) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *joint = &m->joint[i];
    double frame[9], R[9];
    geom3_mul(joint->parent < 0 ? identity : turn + 9 * joint->parent, joint->rot, frame);
    geom3_apply(frame, joint->axis, axis + 3 * i);
    rotation(joint->axis, joint->type == JOINT_REVOLUTE ? q[i] : 0, R);
    geom3_mul(frame, R, turn + 9 * i);
  }
}

static bool add_normal(double (*list)[3], int *n, const double v[3], const double *gravity) {
  double length = sqrt(geom3_dot(v, v));
  if (length < 1e-6 || *n == MAX_NORMAL) return false;
  double unit[3] = {v[0] / length, v[1] / length, v[2] / length};
  if (fabs(geom3_dot(unit, gravity)) > STRAIGHT * 10) return false;
  for (int i = 0; i < *n; i++) {
    if (fabs(fabs(geom3_dot(list[i], unit)) - 1) < STRAIGHT) return false;
  }
  memcpy(list[(*n)++], unit, sizeof unit);
  return true;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

// normals that are worth a try: world axes, joint axes, and what is across gravity and a joint axis
static int candidates(const Model *m, const double *axis, double (*list)[3]) {
  static const double world[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
  int n = 0;
  for (int i = 0; i < 3; i++) add_normal(list, &n, world[i], m->gravity);
  for (int i = 0; i < m->nv; i++) {
    double across[3];
    cross(axis + 3 * i, m->gravity, across);
    add_normal(list, &n, axis + 3 * i, m->gravity);
    add_normal(list, &n, across, m->gravity);
  }
  return n;
}

// signs of the coordinates; false if an axis is neither along nor across, or if no sign changes
static bool signs(const Model *m, const double *axis, const double normal[3], double *sign) {
  bool changes = false;
  for (int i = 0; i < m->nv; i++) {
    double along = fabs(geom3_dot(axis + 3 * i, normal));
    bool parallel = fabs(along - 1) < STRAIGHT;
    if (!parallel && along > STRAIGHT) return false;
    sign[i] = parallel == (m->joint[i].type == JOINT_REVOLUTE) ? 1 : -1;
    changes |= sign[i] < 0;
  }
  return changes;
}

// ---- the test -----------------------------------------------------------------------------------

static double flip(const SweepMirror *m, int i, double q) {
  return m->sign[i] > 0 ? q : 2 * m->centre[i] - q;
}

static void reflect(const SweepMirror *m, const double x[3], double out[3]) {
  double height = geom3_dot(m->normal, x) - m->offset;
  for (int k = 0; k < 3; k++) out[k] = x[k] - 2 * height * m->normal[k];
}

// frames that the task speaks of; their number, at most `most`
static int used_frames(const Ocp *o, int *frame, int most) {
  int n = 0;
  if (o->goal.frame >= 0) frame[n++] = o->goal.frame;
  if (o->cost.tracking_frame >= 0 && o->cost.tracking > 0) frame[n++] = o->cost.tracking_frame;
  for (int i = 0; i < o->n_obstacle && n < most; i++) frame[n++] = o->obstacle[i].frame;
  return n;
}

typedef struct Probe {
  const Ocp *o;
  RobotEval *e;
  int nv;
  double *state;           // q v a of one instant, then of its mirror image: 6 nv
  double *tau;             // 2 nv
  double *place;           // 2 x 3 n_frame
  int frame[32], n_frame;  //
} Probe;

// one random state and its image give the same
static bool same_at(Probe *p, const SweepMirror *m, Rng *rng) {
  int nv = p->nv;
  double *q = p->state, *v = q + nv, *a = v + nv, *mq = a + nv, *mv = mq + nv, *ma = mv + nv;
  for (int i = 0; i < nv; i++) {
    q[i] = m->centre[i] + rng_uniform(rng, -1, 1);
    v[i] = rng_uniform(rng, -1, 1);
    a[i] = rng_uniform(rng, -1, 1);
    mq[i] = flip(m, i, q[i]), mv[i] = m->sign[i] * v[i], ma[i] = m->sign[i] * a[i];
  }
  if (!robot_eval_torque(p->e, 1, q, v, a, p->tau)) return false;
  if (!robot_eval_torque(p->e, 1, mq, mv, ma, p->tau + nv)) return false;
  double scale = 0;
  for (int i = 0; i < nv; i++) scale = fmax(scale, fabs(p->tau[i]));
  for (int i = 0; i < nv; i++) {
    if (fabs(p->tau[nv + i] - m->sign[i] * p->tau[i]) > SAME * (1 + scale)) return false;
  }
  int n = 3 * p->o->model->n_frame;
  if (p->n_frame == 0) return true;
  if (!robot_eval_frames(p->e, 1, q, p->place)) return false;
  if (!robot_eval_frames(p->e, 1, mq, p->place + n)) return false;
  for (int f = 0; f < p->n_frame; f++) {
    double image[3];
    reflect(m, p->place + 3 * p->frame[f], image);
    for (int k = 0; k < 3; k++) {
      if (fabs(image[k] - p->place[n + 3 * p->frame[f] + k]) > SAME) return false;
    }
  }
  return true;
}

static bool symmetric(Probe *p, SweepMirror *m) {
  // the plane goes through the frames at the posture that is its own image
  m->offset = 0;
  if (p->n_frame > 0) {
    if (!robot_eval_frames(p->e, 1, m->centre, p->place)) return false;
    m->offset = geom3_dot(m->normal, p->place + 3 * p->frame[0]);
  }
  Rng rng;
  rng_seed(&rng, 1);
  for (int i = 0; i < N_STATE; i++) {
    if (!same_at(p, m, &rng)) return false;
  }
  return true;
}

static Status search(Sweep *s, Probe *p, Error *err) {
  const Model *model = p->o->model;
  SweepMirror *m = &s->mirror;
  size_t nv = (size_t)p->nv;
  double *axis = arena_array(s->arena, 3 * nv, sizeof *axis);
  double *turn = arena_array(s->arena, 9 * nv, sizeof *turn);
  double(*normal)[3] = arena_array(s->arena, MAX_NORMAL, sizeof *normal);
  m->sign = arena_array(s->arena, nv, sizeof *m->sign);
  m->centre = arena_array(s->arena, nv, sizeof *m->centre);
  p->state = arena_array(s->arena, 6 * nv, sizeof *p->state);
  p->tau = arena_array(s->arena, 2 * nv, sizeof *p->tau);
  p->place = arena_array(s->arena, 6 * (size_t)model->n_frame + 1, sizeof *p->place);
  if (!axis || !turn || !normal || !m->sign || !m->centre || !p->state || !p->tau || !p->place) {
    return error_no_memory(err);
  }
  // postures that may be their own images: the start, then zero
  for (int posture = 0; posture < 2 && !m->found; posture++) {
    for (int i = 0; i < p->nv; i++) m->centre[i] = posture ? 0 : p->o->q_start[i];
    world_axes(model, m->centre, axis, turn);
    int n = candidates(model, axis, normal);
    for (int i = 0; i < n && !m->found; i++) {
      memcpy(m->normal, normal[i], sizeof m->normal);
      m->found = signs(model, axis, normal[i], m->sign) && symmetric(p, m);
    }
  }
  return STATUS_OK;
}

Status sweep_mirror_find(Sweep *s, const Ocp *o, Error *err) {
  s->mirror = (SweepMirror){.nv = o->model->nv};
  if (o->n_term > 0 || o->model->n_loop > 0) return STATUS_OK;  // not known to be symmetric
  Probe p = {.o = o, .nv = o->model->nv};
  p.n_frame = used_frames(o, p.frame, 32);
  Status status = robot_eval_build(&p.e, o->model, err);
  if (status == STATUS_OK) status = search(s, &p, err);
  robot_eval_free(p.e);
  return status;
}

// ---- tasks that mirror each other ---------------------------------------------------------------

typedef struct Numbers {
  double *x;  // cap
  int n, cap;
} Numbers;

static void put(Numbers *b, double x) {
  if (b->n < b->cap) b->x[b->n] = x;
  b->n++;
}

static void put_place(Numbers *b, const SweepMirror *m, bool image, const double x[3]) {
  double out[3] = {x[0], x[1], x[2]};
  if (image) reflect(m, x, out);
  for (int k = 0; k < 3; k++) put(b, out[k]);
}

static void put_limits(Numbers *b, const SweepMirror *m, bool image, const OcpLimits *l, int nv,
                       int nu, const int *u_joint) {
  for (int i = 0; i < nv; i++) {
    bool other = image && m->sign[i] < 0;
    put(b, other ? 2 * m->centre[i] - l->q_upper[i] : l->q_lower[i]);
    put(b, other ? 2 * m->centre[i] - l->q_lower[i] : l->q_upper[i]);
    put(b, other ? -l->v_upper[i] : l->v_lower[i]);
    put(b, other ? -l->v_lower[i] : l->v_upper[i]);
  }
  for (int k = 0; k < nu; k++) {
    bool other = image && m->sign[u_joint[k]] < 0;
    put(b, other ? -l->u_upper[k] : l->u_lower[k]);
    put(b, other ? -l->u_lower[k] : l->u_upper[k]);
    put(b, l->u_rate[k]);
  }
  put(b, l->inner);
}

static void put_obstacle(Numbers *b, const SweepMirror *m, bool image, const OcpObstacle *w) {
  put(b, w->frame);
  put(b, w->sphere);
  put_place(b, m, image, w->center);
  put(b, w->radius);
  double across = image ? geom3_dot(m->normal, w->normal) : 0;
  for (int k = 0; k < 3; k++) put(b, w->normal[k] - 2 * across * m->normal[k]);
  put(b, w->offset - 2 * across * m->offset);
}

// everything that may differ from point to point, of the task or of its mirror image
static void put_task(Numbers *b, const SweepMirror *m, bool image, const Ocp *o) {
  const Model *model = o->model;
  const OcpGoal *g = &o->goal;
  const OcpCost *c = &o->cost;
  put_place(b, m, image && g->frame >= 0, g->position);
  for (int i = 0; i < model->nv; i++) {
    put(b, image ? flip(m, i, o->q_start[i]) : o->q_start[i]);
    put(b, image ? m->sign[i] * o->v_start[i] : o->v_start[i]);
    put(b, g->joint_fixed[i]);
    put(b, image && g->joint_fixed[i] ? flip(m, i, g->joint_value[i]) : g->joint_value[i]);
  }
  const double plain[] = {
      o->T,           o->free_time,      o->T_lower,     o->T_upper,  o->n_interval,   o->scheme,
      o->degree,      g->frame,          g->fixed[0],    g->fixed[1], g->fixed[2],     g->at_rest,
      g->equilibrium, c->torque,         c->torque_rate, c->velocity, c->acceleration, c->time,
      c->tracking,    c->tracking_frame, o->n_obstacle};
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) put(b, plain[i]);
  if (c->tracking > 0) put_place(b, m, image, c->tracking_target);
  put_limits(b, m, image, &o->limits, model->nv, model->nu, model->u_joint);
  for (int i = 0; i < o->n_obstacle; i++) put_obstacle(b, m, image, &o->obstacle[i]);
}

// components of a position that is asked for in part must not be mixed by the reflection
static bool whole_position(const SweepMirror *m, const OcpGoal *g) {
  if (g->frame < 0) return true;
  for (int k = 0; k < 3; k++) {
    bool touched = fabs(m->normal[k]) > STRAIGHT;
    bool alone = fabs(fabs(m->normal[k]) - 1) < STRAIGHT;
    if (touched && !alone && !g->fixed[k]) return false;
  }
  return true;
}

static bool same(const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i] == b[i]) continue;  // infinities too
    if (!(fabs(a[i] - b[i]) <= SAME_TASK * (1 + fabs(a[i])))) return false;
  }
  return true;
}

// the numbers of a point's task (and of its image); both are s->n_point long lists of n
static Status read_point(Sweep *s, int point, Numbers *task, Numbers *image, bool *usable,
                         Error *err) {
  Ocp *o = NULL;
  Status status = sweep_ocp(&o, s, point, 0, err);
  if (status != STATUS_OK) return status;
  *usable = s->mirror.found && o->n_term == 0 && o->model->nv == s->mirror.nv &&
            whole_position(&s->mirror, &o->goal);
  if (*usable) {
    put_task(task, &s->mirror, false, o);
    put_task(image, &s->mirror, true, o);
  }
  ocp_free(o);
  return STATUS_OK;
}

Status sweep_mirror_pair(Sweep *s, Error *err) {
  enum { MOST = 4096 };
  s->mirror_point = arena_array(s->arena, (size_t)s->n_point, sizeof *s->mirror_point);
  double **list = arena_array(s->arena, 2 * (size_t)s->n_point, sizeof *list);
  int *length = arena_array(s->arena, (size_t)s->n_point, sizeof *length);
  double *room = arena_array(s->arena, 2 * MOST, sizeof *room);
  if (!s->mirror_point || !list || !length || !room) return error_no_memory(err);
  for (int p = 0; p < s->n_point; p++) {
    Numbers task = {room, 0, MOST}, image = {room + MOST, 0, MOST};
    bool usable = false;
    s->mirror_point[p] = -1;
    Status status = read_point(s, p, &task, &image, &usable, err);
    if (status != STATUS_OK) return status;
    if (!usable || task.n > MOST) continue;
    length[p] = task.n;
    list[2 * p] = arena_array(s->arena, 2 * (size_t)task.n, sizeof(double));
    if (!list[2 * p]) return error_no_memory(err);
    list[2 * p + 1] = list[2 * p] + task.n;
    memcpy(list[2 * p], task.x, (size_t)task.n * sizeof(double));
    memcpy(list[2 * p + 1], image.x, (size_t)task.n * sizeof(double));
  }
  for (int p = 0; p < s->n_point; p++) {
    for (int q = 0; q < s->n_point && s->mirror_point[p] < 0 && length[p] > 0; q++) {
      if (length[q] == length[p] && same(list[2 * p + 1], list[2 * q], length[p])) {
        s->mirror_point[p] = q;
      }
    }
  }
  return STATUS_OK;
}

void sweep_mirror_motion(const SweepMirror *m, const Model *model, Trajectory *t) {
  int nv = t->nv;
  for (int e = 0; e < nv * (t->n_interval + 1); e++) {
    int i = e % nv;
    t->q[e] = flip(m, i, t->q[e]);
    t->v[e] *= m->sign[i];
  }
  for (int e = 0; e < nv * t->n_interval * t->n_point; e++) {
    int i = e % nv;
    t->pq[e] = flip(m, i, t->pq[e]);
    t->pv[e] *= m->sign[i];
    t->pa[e] *= m->sign[i];
  }
  for (int e = 0; e < t->nu * t->n_control; e++) t->u[e] *= m->sign[model->u_joint[e % t->nu]];
}
