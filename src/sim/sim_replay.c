// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim_verify_internal.h"

// ---- controls of one interval ----

void replay_control(const Trajectory *t, int k, double s, double *u) {
  size_t nu = (size_t)t->nu;
  if (t->n_control == t->n_interval) {
    memcpy(u, t->u + (size_t)k * nu, nu * sizeof *u);
  } else if (t->n_control == t->n_interval + 1) {
    const double *a = t->u + (size_t)k * nu, *b = a + nu;
    for (size_t i = 0; i < nu; i++) u[i] = (1 - s) * a[i] + s * b[i];
  } else {
    // Lagrange polynomials on 0, 1/2, 1
    const double *a = t->u + 2 * (size_t)k * nu, *b = a + nu, *c = b + nu;
    double la = (1 - s) * (1 - 2 * s), lb = 4 * s * (1 - s), lc = s * (2 * s - 1);
    for (size_t i = 0; i < nu; i++) u[i] = la * a[i] + lb * b[i] + lc * c[i];
  }
}

void replay_forces(const Verify *w, int k, double s, double *tau) {
  const Model *m = w->o->model;
  replay_control(w->t, k, s, w->u);
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int j = 0; j < m->nu; j++) tau[m->u_joint[j]] = w->u[j];
}

static void force(const void *data, double time, double *tau) {
  const Verify *w = data;
  const double *t = w->t->time + w->k;
  replay_forces(w, w->k, (time - t[0]) / (t[1] - t[0]), tau);
}

// ---- what is looked at along a replay ----

// notes what interval k asks for, over what is allowed
static void exceed(Verify *w, double value, double tol) {
  if (w->k < w->t->n_interval && value / tol > w->r->excess[w->k]) w->r->excess[w->k] = value / tol;
}

void replay_worse(SimWorst *w, double value, int index, int interval, double time) {
  if (!(value > w->value)) return;
  *w = (SimWorst){.value = value, .index = index, .interval = interval, .time = time};
}

bool replay_frames(const Verify *w, const double *q, double *position) {
  const LaneIn in[2] = {{q, 1, 0}, {w->tau, 1, 0}};  // positions do not depend on speeds
  const LaneOut out = {position, 1, 3 * w->o->model->n_frame};
  return expr_tape_eval(w->frames, 1, in, &out, w->work);
}

double replay_goal_distance(const Verify *w, const double *position) {
  const OcpGoal *g = &w->o->goal;
  double sum = 0;
  for (int c = 0; g->frame >= 0 && c < 3; c++) {
    double d = position[3 * g->frame + c] - g->position[c];
    if (g->fixed[c]) sum += d * d;
  }
  return sqrt(sum);
}

static void look_at_limits(Verify *w, double time, const double *q, const double *v) {
  const OcpLimits *l = &w->o->limits;
  for (int i = 0; i < w->t->nv; i++) {
    double dq = fmax(l->q_lower[i] - q[i], q[i] - l->q_upper[i]);
    double dv = fmax(l->v_lower[i] - v[i], v[i] - l->v_upper[i]);
    replay_worse(&w->r->q_limit, dq, i, w->k, time);
    replay_worse(&w->r->v_limit, dv, i, w->k, time);
    exceed(w, fmax(dq, dv), w->opt->limit_tol);
  }
}

static double clearance(const OcpObstacle *ob, const double *p) {
  if (!ob->sphere) {
    return ob->normal[0] * p[0] + ob->normal[1] * p[1] + ob->normal[2] * p[2] - ob->offset;
  }
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += (p[c] - ob->center[c]) * (p[c] - ob->center[c]);
  return sqrt(sum) - ob->radius;
}

static void look_at_obstacles(Verify *w, double time, const double *q) {
  if (w->o->n_obstacle == 0 || !replay_frames(w, q, w->position)) return;
  for (int j = 0; j < w->o->n_obstacle; j++) {
    const OcpObstacle *ob = &w->o->obstacle[j];
    double d = clearance(ob, w->position + 3 * ob->frame);
    if (d < w->r->clearance.value) w->r->clearance = (SimWorst){d, j, w->k, time};
    exceed(w, -d, w->opt->limit_tol);
  }
}

double replay_term_tol(const Verify *w, int term, int row) {
  const OcpTerm *t = &w->o->term[term];
  double lower = isfinite(t->lower[row]) ? fabs(t->lower[row]) : 0;
  double upper = isfinite(t->upper[row]) ? fabs(t->upper[row]) : 0;
  return w->opt->limit_tol * (1 + fmax(lower, upper));
}

// the user's constraints, which know no accelerations
static void look_at_terms(Verify *w, double time, const double *q, const double *v) {
  const double *start = w->t->time + w->k;
  for (int j = 0; j < w->o->n_term; j++) {
    const OcpTerm *term = &w->o->term[j];
    if (!w->term[j].n_row) continue;
    replay_control(w->t, w->k, (time - start[0]) / (start[1] - start[0]), w->u);
    const LaneIn in[5] = {{q, 1, 1}, {v, 1, 1}, {w->a, 1, 1}, {w->u, 1, 1}, {NULL, 1, 1}};
    bool finite = ocp_block_eval(&w->term[j], OCP_VALUE, 1, in, w->term_value, 1, w->work);
    for (int r = 0; r < term->n_row; r++) {
      double f = w->term_value[r];
      double over = finite ? fmax(term->lower[r] - f, f - term->upper[r]) : INFINITY;
      double tol = replay_term_tol(w, j, r);
      // the worst by what is allowed
      if (over > 0 && over / tol > w->term_worst) {
        w->term_worst = over / tol;
        w->r->term = (SimWorst){over, j, w->k, time};
      }
      exceed(w, over, tol);
    }
  }
}

// largest difference of two states, relative to the size of each coordinate
static double difference(const Verify *w, const double *q, const double *v, const double *pq,
                         const double *pv) {
  double worst = 0;
  for (int i = 0; i < w->t->nv; i++) {
    worst = fmax(worst, fabs(q[i] - pq[i]) / w->q_scale[i]);
    worst = fmax(worst, fabs(v[i] - pv[i]) / w->v_scale[i]);
  }
  return worst;
}

static void look(void *data, int sample, double time, const double *q, const double *v) {
  Verify *w = data;
  look_at_limits(w, time, q, v);
  look_at_obstacles(w, time, q);
  look_at_terms(w, time, q, v);
  if (sample + 1 == w->opt->n_sample || w->t->n_point == 0)
    return;  // the end is compared with the node
  trajectory_state(w->t, time, w->pq, w->pv, NULL);
  w->r->error[w->k] = fmax(w->r->error[w->k], difference(w, q, v, w->pq, w->pv));
}

// ---- replays ----

// Moves w->q, w->v over interval w->k.
static Status replay(Verify *w, const SimOutput *output, Error *err) {
  const Trajectory *t = w->t;
  bool constant = t->n_control == t->n_interval;
  if (constant) replay_forces(w, w->k, 0, w->tau);
  const SimDrive drive = {w->tau, constant ? NULL : force, w};
  return sim_run(w->sim, t->time[w->k], t->time[w->k + 1], w->q, w->v, &drive, output, err);
}

static void set_state(Verify *w, int k) {
  size_t nv = (size_t)w->t->nv;
  memcpy(w->q, w->t->q + (size_t)k * nv, nv * sizeof *w->q);
  memcpy(w->v, w->t->v + (size_t)k * nv, nv * sizeof *w->v);
}

static void compare_with_node(Verify *w, int k) {
  const Trajectory *t = w->t;
  SimReport *r = w->r;
  const double *q = t->q + (size_t)(k + 1) * t->nv, *v = t->v + (size_t)(k + 1) * t->nv;
  for (int i = 0; i < t->nv; i++) {
    double dq = fabs(w->q[i] - q[i]), dv = fabs(w->v[i] - v[i]);
    r->defect_q[k] = fmax(r->defect_q[k], dq);
    r->defect_v[k] = fmax(r->defect_v[k], dv);
    replay_worse(&r->q_defect, dq, i, k, t->time[k + 1]);
    replay_worse(&r->v_defect, dv, i, k, t->time[k + 1]);
    exceed(w, fmax(dq, dv), w->opt->defect_tol);
  }
  r->error[k] = fmax(r->error[k], difference(w, w->q, w->v, q, v));
}

static void mark_failed(Verify *w, const char *what) {
  SimReport *r = w->r;
  r->defect_q[w->k] = r->defect_v[w->k] = r->error[w->k] = r->excess[w->k] = INFINITY;
  replay_worse(&r->q_defect, INFINITY, -1, w->k, sim_time(w->sim));
  replay_worse(&r->v_defect, INFINITY, -1, w->k, sim_time(w->sim));
  if (!r->failure[0]) snprintf(r->failure, sizeof r->failure, "interval %d: %s", w->k, what);
}

Status replay_intervals(Verify *w, Error *err) {
  const Trajectory *t = w->t;
  int n = w->opt->n_sample;
  for (w->k = 0; w->k < t->n_interval; w->k++) {
    double t0 = t->time[w->k], h = t->time[w->k + 1] - t0;
    for (int j = 0; j < n; j++) w->sample[j] = t0 + h * (j + 1) / n;
    set_state(w, w->k);
    if (w->k == 0) {
      look_at_limits(w, t0, w->q, w->v);
      look_at_obstacles(w, t0, w->q);
      look_at_terms(w, t0, w->q, w->v);
    }
    const SimOutput output = {n, w->sample, look, w};
    Status status = replay(w, &output, err);
    if (status == STATUS_NO_MEMORY) return status;
    if (status == STATUS_OK) compare_with_node(w, w->k);
    else mark_failed(w, err->what);
    w->r->energy.work += sim_work(w->sim);
    w->r->energy.loss += sim_loss(w->sim);
  }
  *err = (Error){0};
  return STATUS_OK;
}

// the frame whose distance counts: the goal's, or the one farthest off
static void compare_frames(Verify *w, const double *at, const double *expected) {
  SimOpenLoop *s = &w->r->open_loop;
  for (int f = 0; f < w->o->model->n_frame; f++) {
    if (w->o->goal.frame >= 0 && f != w->o->goal.frame) continue;
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += pow(at[3 * f + c] - expected[3 * f + c], 2);
    if (s->frame >= 0 && !(sqrt(sum) > s->position)) continue;
    s->frame = f;
    s->position = sqrt(sum);
  }
}

Status replay_open_loop(Verify *w, Error *err) {
  const Trajectory *t = w->t;
  SimOpenLoop *s = &w->r->open_loop;
  *s = (SimOpenLoop){.completed = true, .joint = -1, .frame = -1};
  set_state(w, 0);
  Status status = STATUS_OK;
  for (w->k = 0; status == STATUS_OK && w->k < t->n_interval; w->k++) status = replay(w, NULL, err);
  if (status == STATUS_NO_MEMORY) return status;
  *err = (Error){0};
  s->completed = status == STATUS_OK;
  s->end = sim_time(w->sim);

  const double *q = t->q + (size_t)t->n_interval * t->nv, *v = t->v + (size_t)t->n_interval * t->nv;
  for (int i = 0; i < t->nv; i++) {
    double dq = fabs(w->q[i] - q[i]);
    if (s->joint < 0 || dq > s->q) {
      s->q = dq;
      s->joint = i;
    }
    s->v = fmax(s->v, fabs(w->v[i] - v[i]));
    s->speed = fmax(s->speed, fabs(w->v[i]));
  }
  double *expected = w->position + 3 * (size_t)w->o->model->n_frame;
  if (replay_frames(w, q, expected) && replay_frames(w, w->q, w->position)) {
    compare_frames(w, w->position, expected);
    s->goal = replay_goal_distance(w, w->position);
  }
  return STATUS_OK;
}
