// SPDX-License-Identifier: MIT
#include "dynamics/rcr_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/rcr_plan_internal.h"

const char *rcr_body_name(const Model *m, int i) {
  if (i < 0) return "the world";
  return m->body[i].name ? m->body[i].name : m->joint[i].name;
}

// "file: loops[2]"
static const char *place_of(const Model *m, int loop, char text[256]) {
  snprintf(text, 256, "%s%s%s", m->path ? m->path : "", m->path ? ": " : "", m->loop[loop].where);
  return text;
}

Status rcr_refuse(const RcrPlanner *pl, int loop, Error *err, const char *format, ...) {
  char where[256];
  va_list args;
  va_start(args, format);
  Status s = error_setv(err, STATUS_INPUT, place_of(pl->m, loop, where), format, args);
  va_end(args);
  return s;
}

// ---- ways and groups ---------------------------------------------------------------------------

static bool is_ancestor(const Model *m, int ancestor, int i) {
  while (i > ancestor) i = m->joint[i].parent;
  return i == ancestor;
}

static bool find_way(RcrPlanner *pl, int l, int row) {
  const Model *m = pl->m;
  const ModelLoop *loop = &m->loop[l];
  RcrWay *w = &pl->way[l];
  int base = loop->body[0];
  while (!is_ancestor(m, base, loop->body[1])) base = m->joint[base].parent;
  *w = (RcrWay){.base = base, .row = row, .n_row = model_loop_rows(loop)};
  for (int side = 0; side < 2; side++) {
    for (int i = loop->body[side]; i != base; i = m->joint[i].parent) w->n[side]++;
    w->joint[side] = arena_array(pl->arena, (size_t)w->n[side] + 1, sizeof(int));
    if (!w->joint[side]) return false;
    int k = w->n[side];
    for (int i = loop->body[side]; i != base; i = m->joint[i].parent) w->joint[side][--k] = i;
  }
  return true;
}

// loops that share a joint are coupled; such loops must share their base
static Status check_bases(RcrPlanner *pl, Error *err) {
  const Model *m = pl->m;
  int *owner = arena_array(pl->arena, (size_t)m->nv + 1, sizeof *owner);
  if (!owner) return error_no_memory(err);
  for (int i = 0; i < m->nv; i++) owner[i] = -1;
  for (int l = 0; l < m->n_loop; l++) {
    const RcrWay *w = &pl->way[l];
    for (int e = 0; e < w->n[0] + w->n[1]; e++) {
      int joint = e < w->n[0] ? w->joint[0][e] : w->joint[1][e - w->n[0]];
      int other = owner[joint];
      if (other < 0) {
        owner[joint] = l;
        continue;
      }
      if (pl->way[other].base != w->base) {
        return rcr_refuse(
            pl, l, err,
            "loop \"%s\" shares joint \"%s\" with loop \"%s\" but not its base body (%s, "
            "not %s): recursive coordinate reduction needs coupled loops with a common "
            "base body",
            m->loop[l].name, m->joint[joint].name, m->loop[other].name, rcr_body_name(m, w->base),
            rcr_body_name(m, pl->way[other].base));
      }
    }
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < w->n[side]; k++) pl->plan->base[w->joint[side][k]] = w->base;
    }
  }
  return STATUS_OK;
}

// ---- order of the bodies -----------------------------------------------------------------------

static bool order_bodies(RcrPlanner *pl) {
  const Model *m = pl->m;
  RcrPlan *plan = pl->plan;
  bool *dependent = arena_array(pl->arena, (size_t)m->nv + 1, sizeof *dependent);
  bool *behind = arena_array(pl->arena, (size_t)m->nv + 1, sizeof *behind);
  bool *settled = arena_array(pl->arena, (size_t)m->nv + 1, sizeof *settled);
  bool *closed = arena_array(pl->arena, (size_t)m->n_loop + 1, sizeof *closed);
  if (!dependent || !behind || !settled || !closed) return false;
  for (int l = 0; l < plan->n_loop; l++) {
    const RcrLoop *loop = &plan->loop[l];
    for (int i = 0; i < loop->n_dep; i++) dependent[loop->joint[loop->dep[i]]] = true;
    for (int i = 0; i < loop->n_joint; i++) behind[loop->joint[i]] = true;
    for (int i = 0; i < loop->n_in; i++) behind[loop->in[i]] = true;
  }
  for (int i = 0; i < m->nv; i++) {
    if (!dependent[i]) plan->ind[plan->n_ind++] = i;
  }
  settled++;  // body -1 is the world
  settled[-1] = true;
  for (int before = -1; before < plan->n_event;) {
    before = plan->n_event;
    for (int i = 0; i < m->nv; i++) {
      if (settled[i] || behind[i] || !settled[m->joint[i].parent]) continue;
      settled[i] = true;
      plan->event[plan->n_event++] = (RcrEvent){false, i};
    }
    for (int l = 0; l < plan->n_loop; l++) {
      const RcrLoop *loop = &plan->loop[l];
      if (closed[l] || !settled[loop->p] || !settled[loop->base]) continue;
      closed[l] = true;
      plan->event[plan->n_event++] = (RcrEvent){true, l};
      for (int i = 0; i < loop->n_joint; i++) settled[loop->joint[i]] = true;
      for (int i = 0; i < loop->n_in; i++) settled[loop->in[i]] = true;
    }
  }
  return true;
}

// ---- the plan ----------------------------------------------------------------------------------

static bool planner_init(RcrPlanner *pl) {
  size_t n = (size_t)pl->m->nv + 1, nl = (size_t)pl->m->n_loop + 1;
  RcrPlan *plan = pl->plan;
  pl->way = arena_array(pl->arena, nl, sizeof *pl->way);
  pl->order = arena_array(pl->arena, nl, sizeof *pl->order);
  pl->done = arena_array(pl->arena, nl, sizeof *pl->done);
  pl->known = arena_array(pl->arena, n, sizeof *pl->known);
  pl->n_rate = arena_array(pl->arena, n, sizeof *pl->n_rate);
  pl->rate = arena_array(pl->arena, n, sizeof *pl->rate);
  plan->ind = arena_array(plan->arena, n, sizeof *plan->ind);
  plan->loop = arena_array(plan->arena, nl, sizeof *plan->loop);
  plan->base = arena_array(plan->arena, n, sizeof *plan->base);
  plan->event = arena_array(plan->arena, n + nl, sizeof *plan->event);
  if (!pl->way || !pl->order || !pl->done || !pl->known || !pl->n_rate || !pl->rate || !plan->ind ||
      !plan->loop || !plan->base || !plan->event) {
    return false;
  }
  plan->nv = pl->m->nv;
  for (int i = 0; i < plan->nv; i++) plan->base[i] = RCR_NO_GROUP;
  for (int l = 0, row = 0; l < pl->m->n_loop; l++) {
    pl->order[l] = l;
    if (!find_way(pl, l, row)) return false;
    row += pl->way[l].n_row;
  }
  return true;
}

Status rcr_plan_build(RcrPlan **out, const Model *m, int n_row, const double *J, Error *err) {
  *out = NULL;
  Arena *arena = arena_new(), *scratch = arena_new();
  RcrPlan *plan = arena_alloc(arena, sizeof *plan);
  RcrPlanner pl = {.arena = scratch, .m = m, .n_row = n_row, .J = J, .plan = plan};
  if (plan) plan->arena = arena;
  Status s = plan && planner_init(&pl) ? STATUS_OK : error_no_memory(err);
  if (s == STATUS_OK) s = check_bases(&pl, err);
  if (s == STATUS_OK) s = rcr_take_loops(&pl, err);
  if (s == STATUS_OK && !order_bodies(&pl)) s = error_no_memory(err);
  arena_free(scratch);
  if (s == STATUS_OK) *out = plan;
  else arena_free(arena);
  return s;
}

void rcr_plan_free(RcrPlan *plan) {
  if (plan) arena_free(plan->arena);
}

Status rcr_plan_check(const RcrPlan *plan, const Model *m, const double *pivot, Error *err) {
  for (int l = 0, e = 0; l < plan->n_loop; l++) {
    const RcrLoop *loop = &plan->loop[l];
    for (int i = 0; i < loop->n_dep; i++, e++) {
      if (pivot[e] >= RCR_SINGULAR) continue;  // false for NaN
      char where[256];
      return error_set(err, STATUS_NUMERIC, place_of(m, loop->loop, where),
                       "loop \"%s\" is too near to a configuration that is singular for its "
                       "independent coordinates: relative pivot %.1e at joint \"%s\" is below %.0e",
                       m->loop[loop->loop].name, pivot[e], m->joint[loop->joint[loop->dep[i]]].name,
                       RCR_SINGULAR);
    }
  }
  return STATUS_OK;
}
