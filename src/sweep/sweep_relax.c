// SPDX-License-Identifier: MIT
// Rounds over the whole grid (Jacobi's way: all begin from what was known before the round). A motion that is
// good at one point is a good start at the next; a good motion spreads until every point has tried it.
#include <math.h>
#include <string.h>

#include "sweep/journal_internal.h"
#include "sweep/sweep_internal.h"

typedef struct Map {
  const Sweep *s;
  const Journal *j;
  int kase;      // the case that relaxes
  int *of_grid;  // n_point of the sweep: point of the journal; -1: has no run
  int *order;    // n_case of the journal: index among the cases of the sweep; -1: from elsewhere
} Map;

static Status map_build(Map *m, Arena *arena, Error *err) {
  m->of_grid = arena_array(arena, (size_t)m->s->n_point, sizeof *m->of_grid);
  m->order = arena_array(arena, (size_t)m->j->n_case + 1, sizeof *m->order);
  if (!m->of_grid || !m->order) return error_no_memory(err);
  for (int p = 0; p < m->s->n_point; p++) m->of_grid[p] = -1;
  for (int p = 0; p < m->j->n_point; p++) {
    int grid = m->j->point[p].grid;
    if (grid >= 0 && grid < m->s->n_point) m->of_grid[grid] = p;
  }
  for (int c = 0; c < m->j->n_case; c++) {
    m->order[c] = -1;
    for (int k = 0; k < m->s->n_case; k++) {
      if (strcmp(m->s->kase[k].j.name, m->j->kase[c].name) == 0) m->order[c] = k;
    }
  }
  return STATUS_OK;
}

// whether a run was known before this round: cases relax one after the other
static bool known(const Map *m, const JournalRun *r, int round) {
  int order = m->order[r->kase];
  if (order < 0 || !m->s->kase[order].relax) return true;
  return order < m->kase || (order == m->kase && r->round < round);
}

// whether a is better than b; equal costs are told apart by key, not by who came first
static bool better(const JournalRun *a, const JournalRun *b) {
  if (!b) return true;
  return a->objective < b->objective || (a->objective == b->objective && a->key < b->key);
}

// better by more than the tolerance
static bool improves(const Map *m, const JournalRun *a, const JournalRun *b) {
  if (!a || !b) return a != NULL;
  return a->objective < b->objective - m->s->relax.tolerance * fabs(b->objective);
}

// the best of every point before a round; best: n_point of the sweep, NULL: none is good
static void find_best(const Map *m, int round, const JournalRun **best) {
  const Journal *j = m->j;
  const char *cost = m->s->kase[m->kase].j.cost;
  for (int p = 0; p < m->s->n_point; p++) best[p] = NULL;
  for (int i = 0; i < j->n_run; i++) {
    const JournalRun *r = &j->run[i];
    int grid = j->point[r->point].grid;
    if (grid < 0 || grid >= m->s->n_point || !journal_good(r) || r->bytes == 0) continue;
    if (strcmp(j->kase[r->kase].cost, cost) != 0 || !known(m, r, round)) continue;
    if (better(r, best[grid])) best[grid] = r;
  }
}

typedef struct Jobs {
  SweepJob *list;
  int n;
  uint64_t base;  // key of the task at the point
  int point, kase, round, index;
} Jobs;

static void add(Jobs *b, const JournalRun *source, bool mirrored) {
  uint64_t h = journal_hash(b->base, &source->key, sizeof source->key);
  unsigned char flag = mirrored;
  h = journal_hash(h, &flag, 1);
  b->list[b->n++] = (SweepJob){.key = h ? h : 1,
                               .source = source->key,
                               .index = b->index,
                               .point = b->point,
                               .kase = b->kase,
                               .round = b->round,
                               .mirrored = mirrored};
}

// the point one step along an axis; -1: there is none, or its values have no order
static int neighbour(const Sweep *s, int point, int axis, int step) {
  const JournalAxis *a = &s->axis[axis];
  int at = sweep_place(s, point, axis) + step, stride = 1;
  if (a->n_label || at < 0 || at >= a->n_value) return -1;
  for (int i = s->n_axis - 1; i > axis; i--) stride *= s->axis[i].n_value;
  return point + step * stride;
}

// what is new for a point
static void add_point(const Map *m, Jobs *b, const JournalRun *const *best,
                      const JournalRun *const *before) {
  const Sweep *s = m->s;
  int p = b->point, image = s->relax.mirror ? s->mirror_point[p] : -1;
  for (int axis = 0; axis < s->n_axis; axis++) {
    for (int step = -1; step <= 1; step += 2) {
      int q = neighbour(s, p, axis, step);
      if (q >= 0 && best[q] && improves(m, best[q], before[q])) add(b, best[q], false);
    }
  }
  // the image of a motion costs the same: worth it only if that is less
  if (image >= 0 && image != p && improves(m, best[image], best[p])) add(b, best[image], true);
  // what another case has found, in this one
  int order = best[p] ? m->order[best[p]->kase] : -1;
  bool other = best[p] &&
               (order < 0 ||
                strcmp(s->kase[order].j.formulation, s->kase[m->kase].j.formulation) != 0 ||
                strcmp(s->kase[order].j.layout, s->kase[m->kase].j.layout) != 0);
  if (other) add(b, best[p], false);
}

Status sweep_relax_jobs(const Sweep *s, const Journal *j, int kase, int round, Arena *arena,
                        SweepJob **list, int *n, int *improved, Error *err) {
  *n = *improved = 0;
  Map m = {.s = s, .j = j, .kase = kase};
  Status status = map_build(&m, arena, err);
  if (status != STATUS_OK) return status;
  size_t points = (size_t)s->n_point;
  const JournalRun **best = arena_array(arena, points, sizeof(void *));
  const JournalRun **before = arena_array(arena, points, sizeof(void *));
  Jobs b = {.kase = kase, .round = round};
  b.list = arena_array(arena, points * (2 * (size_t)s->n_axis + 2), sizeof *b.list);
  if (!best || !before || !b.list) return error_no_memory(err);
  find_best(&m, round, best);
  // before the round before; at the first one nothing was known
  if (round > 1) find_best(&m, round - 1, before);
  for (int p = 0; p < s->n_point; p++) {
    if (round > 1 && improves(&m, best[p], before[p])) (*improved)++;
  }
  for (b.point = 0; b.point < s->n_point; b.point++) {
    b.index = b.point * s->n_case + kase;
    status = sweep_resolve(s, b.point, kase, NULL, &b.base, err);
    if (status != STATUS_OK) return status;
    add_point(&m, &b, best, before);
  }
  *list = b.list;
  *n = b.n;
  return STATUS_OK;
}
