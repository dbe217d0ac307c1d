// SPDX-License-Identifier: MIT
// What variables and rows mean, and their names.
#include <stdio.h>

#include "collocation/colloc_internal.h"

static double node_time(const Colloc *c, int k) {
  return ocp_node(c->o, k) * c->T;
}

static double point_time(const Colloc *c, int k, int j) {
  return node_time(c, k) + c->width[k] * c->T * c->s.c[j];
}

CollocItem colloc_variable(const Colloc *c, int i) {
  if (i == c->T_var) return (CollocItem){.kind = COLLOC_HORIZON};
  int k = i / c->stride, slot = i % c->stride, nv = c->nv;
  double t = node_time(c, k);
  if (slot < 2 * nv)
    return (CollocItem){slot < nv ? COLLOC_POSITION : COLLOC_VELOCITY, slot % nv, 0, t};
  if (slot < c->slot_point[0]) {
    int control = (slot - c->slot_u) / c->nu;
    double later = k < c->N ? c->width[k] * c->T * control / c->s.control_step : 0.0;
    return (CollocItem){COLLOC_FORCE, (slot - c->slot_u) % c->nu, 0, t + later};
  }
  static const CollocKind kinds[3] = {COLLOC_POSITION, COLLOC_VELOCITY, COLLOC_ACCELERATION};
  int per = c->condensed ? nv : (c->has_a ? 3 : 2) * nv;
  int j = (slot - c->slot_point[0]) / per, at = (slot - c->slot_point[0]) % per;
  return (CollocItem){kinds[c->condensed ? 2 : at / nv], at % nv, 0, point_time(c, k, j)};
}

// row `row` of interval k
static CollocItem inner_row(const Colloc *c, int row, int k) {
  for (int j = 0; j < c->d; j++) {
    double at = point_time(c, k, j);
    int r = row - c->placed[PLACED_DYN].row[j];
    if (r >= 0 && r < c->nv) return (CollocItem){COLLOC_DYNAMICS, r, 0, at};
    r = row - c->placed[PLACED_PATH].row[j];
    if (r >= 0 && r < c->point->path.n_row) return (CollocItem){COLLOC_OBSTACLE, r, 0, at};
    for (int i = 0; i < c->o->n_term; i++) {
      const Placed *p = &c->placed[PLACED_TERM + i];
      r = row - p->row[j];
      if (!p->cost && r >= 0 && r < p->block->n_row) return (CollocItem){COLLOC_TERM, i, r, at};
    }
  }
  for (int e = 0; e < c->n_limit; e++) {
    if (c->limit_row[e] != row) continue;
    int i = c->limit_local[e];
    return (CollocItem){i < c->nv ? COLLOC_POSITION : COLLOC_VELOCITY, i % c->nv, 0,
                        point_time(c, k, c->limit_point[e])};
  }
  bool last = row >= c->rows - 2 * c->nv;
  return (CollocItem){last ? COLLOC_CONTINUITY : COLLOC_MOTION, row % c->nv, 0, node_time(c, k)};
}

// the n-th of those that are set
static int nth_set(const bool *set, int n_set, int n) {
  int i = 0;
  while (i < n_set - 1 && (n > 0 || !set[i])) n -= set[i++];
  return i;
}

CollocItem colloc_row(const Colloc *c, int i) {
  const OcpGoal *goal = &c->o->goal;
  double end = c->T;
  if (i < c->row0)
    return (CollocItem){i < c->nv ? COLLOC_START_Q : COLLOC_START_V, i % c->nv, 0, 0.0};
  if (i < c->row0 + c->N * c->rows) {
    int local = i - c->row0;
    return inner_row(c, local % c->rows, local / c->rows);
  }
  if (i < c->joint_row) {
    return (CollocItem){COLLOC_GOAL_FRAME, nth_set(goal->fixed, 3, i - c->goal_row), 0, end};
  }
  if (i >= c->rate_row) {
    int e = i - c->rate_row, control = c->rate_control[e];
    CollocKind kind = ocp_tied(c->o, control) ? COLLOC_TIED : COLLOC_RATE;
    return (CollocItem){kind, c->rate_actuator[e], 0, node_time(c, control / c->s.control_step)};
  }
  if (c->accel_row >= 0 && i >= c->accel_row) {
    return (CollocItem){COLLOC_GOAL_BALANCE, c->o->free_joint[i - c->accel_row], 0, end};
  }
  if (c->rest_row >= 0 && i >= c->rest_row) {
    return (CollocItem){COLLOC_GOAL_REST, c->o->free_joint[i - c->rest_row], 0, end};
  }
  return (CollocItem){COLLOC_GOAL_JOINT, nth_set(goal->joint_fixed, c->nv, i - c->joint_row), 0,
                      end};
}

// ---- names -------------------------------------------------------------------------------------

static const char *item_joint(const Colloc *c, const CollocItem *x) {
  const Model *m = c->o->model;
  bool force = x->kind == COLLOC_FORCE || x->kind == COLLOC_RATE || x->kind == COLLOC_TIED;
  return m->joint[force ? m->u_joint[x->index] : x->index].name;
}

static void name_variable(const void *data, int i, char *out, size_t size) {
  const Colloc *c = data;
  CollocItem x = colloc_variable(c, i);
  static const char *const kinds[] = {"position", "velocity", "acceleration"};
  if (x.kind == COLLOC_HORIZON) {
    snprintf(out, size, "final time");
  } else if (x.kind == COLLOC_FORCE) {
    snprintf(out, size, "force of %s from %.4g s", item_joint(c, &x), x.time);
  } else {
    snprintf(out, size, "%s of %s at %.4g s", kinds[x.kind], item_joint(c, &x), x.time);
  }
}

static void name_constraint(const void *data, int i, char *out, size_t size) {
  const Colloc *c = data;
  const Model *m = c->o->model;
  CollocItem x = colloc_row(c, i);
  const char *joint = "";
  if (x.kind != COLLOC_OBSTACLE && x.kind != COLLOC_TERM && x.kind != COLLOC_GOAL_FRAME) {
    joint = item_joint(c, &x);
  }
  switch (x.kind) {
    case COLLOC_POSITION:
    case COLLOC_VELOCITY:
      snprintf(out, size, "%s limit of %s inside an interval at %.4g s",
               x.kind == COLLOC_POSITION ? "position" : "velocity", joint, x.time);
      break;
    case COLLOC_RATE:
      snprintf(out, size, "rate of the force of %s from %.4g s", joint, x.time);
      break;
    case COLLOC_TIED: snprintf(out, size, "constant force of %s from %.4g s", joint, x.time); break;
    case COLLOC_START_Q: snprintf(out, size, "start position of %s", joint); break;
    case COLLOC_START_V: snprintf(out, size, "start velocity of %s", joint); break;
    case COLLOC_DYNAMICS:
      snprintf(out, size, "equation of motion of %s at %.4g s", joint, x.time);
      break;
    case COLLOC_MOTION: snprintf(out, size, "collocation of %s after %.4g s", joint, x.time); break;
    case COLLOC_CONTINUITY:
      snprintf(out, size, "continuity of %s after %.4g s", joint, x.time);
      break;
    case COLLOC_OBSTACLE:
      snprintf(out, size, "obstacle %s at %.4g s", c->o->obstacle[x.index].name, x.time);
      break;
    case COLLOC_TERM:
      snprintf(out, size, "row %d of term %s at %.4g s", x.part, c->o->term[x.index].name, x.time);
      break;
    case COLLOC_GOAL_FRAME:
      snprintf(out, size, "goal %c of frame %s", "xyz"[x.index], m -> frame[c->o->goal.frame].name);
      break;
    case COLLOC_GOAL_JOINT: snprintf(out, size, "goal position of %s", joint); break;
    case COLLOC_GOAL_REST: snprintf(out, size, "rest of %s at the end", joint); break;
    case COLLOC_GOAL_BALANCE: snprintf(out, size, "equilibrium of %s at the end", joint); break;
    default: snprintf(out, size, "row %d", i); break;
  }
}

void colloc_names(Nlp *nlp) {
  nlp->name_variable = name_variable;
  nlp->name_constraint = name_constraint;
}
