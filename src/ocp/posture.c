// SPDX-License-Identifier: MIT
#include "ocp/posture.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 300, CHUNK = 16 };  // joints that are moved in one evaluation

static const double STEP = 1e-6;         // of the central differences [rad | m]
static const double LARGEST_STEP = 0.5;  // of a joint in one iteration [rad | m]
static const double GOOD = 1e-22;        // sum of squares that is as good as zero
static const double DAMPING = 1e-3, MOST_DAMPING = 1e9, LESS = 0.25, MORE = 4;

typedef struct Search {
  const Ocp *o;
  const RobotEval *e;
  int nv, n;         // joints; residuals
  bool balance;      // passive forces are residuals
  double per_force;  // scale of a force [1/N m]
  double *r;         // n, residuals at q
  double *r_try;     // n
  double *J;         // n x nv
  double *A;         // n x n, J J^T + damping, factorised
  double *y;         // n
  double *q_try;     // nv
  double *q_many;    // nv x 2 CHUNK
  double *position;  // 3 n_frame x 2 CHUNK
  double *tau;       // nv x 2 CHUNK
} Search;

static bool search_alloc(Search *s, Arena *arena) {
  size_t n = (size_t)s->n + 1, nv = (size_t)s->nv, many = 2 * CHUNK;
  s->r = arena_array(arena, n, sizeof(double));
  s->r_try = arena_array(arena, n * many, sizeof(double));
  s->J = arena_array(arena, n * nv, sizeof(double));
  s->A = arena_array(arena, n * n, sizeof(double));
  s->y = arena_array(arena, n, sizeof(double));
  s->q_try = arena_array(arena, nv, sizeof(double));
  s->q_many = arena_array(arena, nv * many, sizeof(double));
  s->position = arena_array(arena, 3 * (size_t)s->o->model->n_frame * many, sizeof(double));
  s->tau = arena_array(arena, nv * many, sizeof(double));
  return s->r && s->r_try && s->J && s->A && s->y && s->q_try && s->q_many && s->position && s->tau;
}

// residuals at n_q postures, s->n x n_q; false where they have no value
static bool residuals(const Search *s, int n_q, const double *q, double *r) {
  const Model *m = s->o->model;
  const OcpGoal *goal = &s->o->goal;
  if (goal->frame >= 0 && !robot_eval_frames(s->e, n_q, q, s->position)) return false;
  if (s->balance && !robot_eval_torque(s->e, n_q, q, NULL, NULL, s->tau)) return false;
  for (int c = 0; c < n_q; c++) {
    const double *p = s->position + 3 * (goal->frame + (size_t)c * (size_t)m->n_frame);
    for (int i = 0; goal->frame >= 0 && i < 3; i++) {
      if (goal->fixed[i]) *r++ = p[i] - goal->position[i];
    }
    for (int i = 0; s->balance && i < s->nv; i++) {
      if (!m->joint[i].actuated) *r++ = s->per_force * s->tau[i + s->nv * c];
    }
  }
  return true;
}

// J by central differences, CHUNK joints at a time
static bool jacobian(const Search *s, const double *q) {
  int n = s->n, nv = s->nv;
  for (int first = 0; first < nv; first += CHUNK) {
    int count = nv - first < CHUNK ? nv - first : CHUNK;
    for (int c = 0; c < 2 * count; c++) {
      double *column = s->q_many + (size_t)c * (size_t)nv;
      memcpy(column, q, (size_t)nv * sizeof *q);
      column[first + c / 2] += c % 2 ? -STEP : STEP;
    }
    if (!residuals(s, 2 * count, s->q_many, s->r_try)) return false;
    for (int c = 0; c < count; c++) {
      for (int i = 0; i < n; i++) {
        double up = s->r_try[i + n * (2 * c)], down = s->r_try[i + n * (2 * c + 1)];
        s->J[i + n * (first + c)] = (up - down) / (2 * STEP);
      }
    }
  }
  return true;
}

// joints that the goal fixes, and those at a limit that would have to leave it, do not move
static void hold_columns(const Search *s, const double *q) {
  int n = s->n;
  for (int j = 0; j < s->nv; j++) {
    double slope = 0;
    for (int i = 0; i < n; i++) slope += s->J[i + n * j] * s->r[i];
    bool held = s->o->goal.joint_fixed[j] || (q[j] <= s->o->limits.q_lower[j] && slope > 0) ||
                (q[j] >= s->o->limits.q_upper[j] && slope < 0);
    if (held) memset(s->J + n * j, 0, (size_t)n * sizeof *s->J);
  }
}

// y = (J J^T + damping)^-1 r by Cholesky; false if it breaks down
static bool solve(const Search *s, double damping) {
  int n = s->n;
  double *A = s->A, *y = s->y;
  for (int j = 0; j < n; j++) {
    y[j] = s->r[j];
    for (int i = j; i < n; i++) {
      double sum = i == j ? damping : 0;
      for (int k = 0; k < s->nv; k++) sum += s->J[i + n * k] * s->J[j + n * k];
      for (int k = 0; k < j; k++) sum -= A[i + n * k] * A[j + n * k];
      if (i == j && !(sum > 0)) return false;
      A[i + n * j] = i == j ? sqrt(sum) : sum / A[j + n * j];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) y[i] -= A[i + n * k] * y[k];
    y[i] /= A[i + n * i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) y[i] -= A[k + n * i] * y[k];
    y[i] /= A[i + n * i];
  }
  return true;
}

static double clamp(double x, double lower, double upper) {
  return fmin(fmax(x, lower), upper);
}

static double squares(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

// one damped step; true if it made the residuals smaller, then q and r are the new ones
static bool try_step(const Search *s, double damping, double *q) {
  const OcpLimits *l = &s->o->limits;
  int n = s->n;
  if (!solve(s, damping)) return false;
  for (int j = 0; j < s->nv; j++) {
    double dq = 0;
    for (int i = 0; i < n; i++) dq -= s->J[i + n * j] * s->y[i];
    dq = clamp(dq, -LARGEST_STEP, LARGEST_STEP);
    s->q_try[j] = dq == 0 ? q[j] : clamp(q[j] + dq, l->q_lower[j], l->q_upper[j]);
  }
  if (!residuals(s, 1, s->q_try, s->r_try)) return false;
  if (!(squares(n, s->r_try) < squares(n, s->r))) return false;
  memcpy(q, s->q_try, (size_t)s->nv * sizeof *q);
  memcpy(s->r, s->r_try, (size_t)n * sizeof *s->r);
  return true;
}

static int descend(const Search *s, double *q) {
  double damping = DAMPING;
  int it = 0;
  if (!residuals(s, 1, q, s->r)) return it;
  while (it < MAX_ITERATIONS && squares(s->n, s->r) > GOOD && damping < MOST_DAMPING) {
    it++;
    if (!jacobian(s, q)) break;
    hold_columns(s, q);
    while (!try_step(s, damping, q) && damping < MOST_DAMPING) damping *= MORE;
    damping *= LESS;
  }
  return it;
}

static void measure(const Search *s, PostureInfo *info) {
  const OcpGoal *goal = &s->o->goal;
  int n = goal->frame < 0 ? 0 : goal->fixed[0] + goal->fixed[1] + goal->fixed[2];
  info->distance = sqrt(squares(n, s->r));
  for (int i = n; i < s->n; i++) {
    info->passive = fmax(info->passive, fabs(s->r[i]) / s->per_force);
  }
}

Status posture_goal(const Ocp *o, const RobotEval *e, double *q, PostureInfo *info, Error *err) {
  const Model *m = o->model;
  const OcpGoal *goal = &o->goal;
  *info = (PostureInfo){0};
  for (int i = 0; i < m->nv; i++) {
    if (goal->joint_fixed[i]) q[i] = goal->joint_value[i];
  }
  double weight = model_mass(m) * sqrt(squares(3, m->gravity));
  Search s = {.o = o, .e = e, .nv = m->nv, .per_force = weight > 0 ? 1 / weight : 0};
  s.balance = goal->at_rest && goal->equilibrium && m->nu < m->nv && weight > 0;
  s.n = s.balance ? m->nv - m->nu : 0;
  if (goal->frame >= 0) s.n += goal->fixed[0] + goal->fixed[1] + goal->fixed[2];
  if (s.n == 0) return STATUS_OK;
  Arena *arena = arena_new();
  bool ok = search_alloc(&s, arena);
  if (ok) {
    info->iterations = descend(&s, q);
    measure(&s, info);
  }
  arena_free(arena);
  return ok ? STATUS_OK : error_no_memory(err);
}
