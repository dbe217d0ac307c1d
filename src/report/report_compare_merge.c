// SPDX-License-Identifier: MIT
// Journals put together: one list of targets, one of cases, one table of runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_compare_internal.h"

static const double SAME = 1e-9;               // values of an axis, in parts of its range
static const size_t LARGEST_TABLE = 1u << 25;  // cases x targets

// What the steps below share. Numbers of points and cases of journal j begin at *_first[j].
typedef struct Merge {
  Compare *c;                     //
  const Journal *const *journal;  // n
  int n;                          //
  const char *const *form;        // n_form
  int n_form;                     //
  int *point_first, *point_of;    // n; all points of all journals -> point
  int *case_first, *case_of;      // n; all cases of all journals -> case
  int n_line_point, n_line_case;  // in all
} Merge;

static void *take(Merge *m, int n, size_t size) {
  return arena_array(m->c->arena, (size_t)(n > 0 ? n : 1), size);
}

// ---- axes --------------------------------------------------------------------------------------

static Status check_axes(const Merge *m, Error *err) {
  const Journal *first = m->journal[0];
  for (int j = 1; j < m->n; j++) {
    const Journal *other = m->journal[j];
    bool same = other->n_axis == first->n_axis;
    for (int i = 0; same && i < first->n_axis; i++) {
      same = strcmp(other->axis[i].name, first->axis[i].name) == 0;
    }
    if (!same) {
      return error_set(err, STATUS_INPUT, other->folder,
                       "its axes are not those of %s: these sweeps can't be compared",
                       first->folder);
    }
  }
  return STATUS_OK;
}

static double coordinate(const Journal *j, int point, int axis) {
  return j->point[point].value[axis];
}

// the different values of axis i over all journals
static Status build_axis(Merge *m, int i, Error *err) {
  CompareAxis *axis = &m->c->axis[i];
  const JournalAxis *first = &m->journal[0]->axis[i];
  axis->name = first->name;
  axis->unit = first->unit ? first->unit : "";
  axis->value = take(m, m->n_line_point, sizeof *axis->value);
  if (!axis->value) return error_no_memory(err);
  int n = 0;
  for (int j = 0; j < m->n; j++) {
    for (int p = 0; p < m->journal[j]->n_point; p++) {
      axis->value[n++] = coordinate(m->journal[j], p, i);
    }
  }
  stats_sort(axis->value, n);
  double range = n ? axis->value[n - 1] - axis->value[0] : 0;
  for (int k = 0; k < n; k++) {
    bool known = axis->n && axis->value[k] - axis->value[axis->n - 1] <= SAME * range;
    if (!known) axis->value[axis->n++] = axis->value[k];
  }
  if (first->n_label == 0) return STATUS_OK;
  axis->label = take(m, axis->n, sizeof *axis->label);
  if (!axis->label) return error_no_memory(err);
  for (int k = 0; k < axis->n; k++) {
    int at = (int)lround(axis->value[k]);
    axis->label[k] = at >= 0 && at < first->n_label ? first->label[at] : "?";
  }
  return STATUS_OK;
}

static int value_index(const CompareAxis *axis, double x) {
  int low = 0, high = axis->n - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    // the values are cluster starts: x belongs to the last one that is not above it
    if (axis->value[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

// ---- points ------------------------------------------------------------------------------------

// A point of a journal on its way to a point of the comparison. `index` is also the sort key.
typedef struct LinePoint {
  int n_axis;
  const int *index;  // n_axis
  const JournalPoint *from;
  int line;  // number over all journals
} LinePoint;

static int by_index(const void *a, const void *b) {
  const LinePoint *x = a, *y = b;
  for (int i = 0; i < x->n_axis; i++) {
    if (x->index[i] != y->index[i]) return x->index[i] < y->index[i] ? -1 : 1;
  }
  return x->line < y->line ? -1 : x->line > y->line;
}

static bool same_index(const LinePoint *x, const int *index) {
  return x->n_axis == 0 || memcmp(x->index, index, (size_t)x->n_axis * sizeof *index) == 0;
}

static void add_point(Compare *c, const LinePoint *x) {
  ComparePoint *p = &c->point[c->n_point++];
  p->index = arena_array(c->arena, (size_t)x->n_axis + 1, sizeof *p->index);
  if (!p->index) return;
  for (int i = 0; i < x->n_axis; i++) p->index[i] = x->index[i];
  p->has_target = x->from->has_target;
  for (int i = 0; i < 3; i++) p->target[i] = x->from->target[i];
  p->mirror = -1;
}

static void find_mirrors(Merge *m) {
  for (int j = 0; j < m->n; j++) {
    const Journal *journal = m->journal[j];
    const int *of = m->point_of + m->point_first[j];
    for (int p = 0; p < journal->n_point; p++) {
      int mirror = journal->point[p].mirror;
      if (mirror >= 0) m->c->point[of[p]].mirror = of[mirror];
    }
  }
}

static Status build_points(Merge *m, Error *err) {
  Compare *c = m->c;
  int n = m->n_line_point, n_axis = c->n_axis, line = 0;
  LinePoint *all = malloc((size_t)(n > 0 ? n : 1) * sizeof *all);
  int *index = malloc(((size_t)n * (size_t)n_axis + 1) * sizeof *index);
  m->point_of = take(m, n, sizeof *m->point_of);
  c->point = take(m, n, sizeof *c->point);
  Status status = all && index && m->point_of && c->point ? STATUS_OK : error_no_memory(err);
  for (int j = 0; status == STATUS_OK && j < m->n; j++) {
    for (int p = 0; p < m->journal[j]->n_point; p++, line++) {
      int *own = index + (size_t)line * (size_t)n_axis;
      for (int i = 0; i < n_axis; i++) {
        own[i] = value_index(&c->axis[i], coordinate(m->journal[j], p, i));
      }
      all[line] = (LinePoint){n_axis, own, &m->journal[j]->point[p], line};
    }
  }
  if (status == STATUS_OK) {
    qsort(all, (size_t)n, sizeof *all, by_index);
    for (int i = 0; i < n; i++) {
      if (i == 0 || !same_index(&all[i], all[i - 1].index)) add_point(c, &all[i]);
      m->point_of[all[i].line] = c->n_point - 1;
      if (!c->point[c->n_point - 1].index) status = error_no_memory(err);
    }
  }
  if (status == STATUS_OK) find_mirrors(m);
  free(index);
  free(all);
  return status;
}

// ---- cases -------------------------------------------------------------------------------------

// what stands in the name of a case before "cost/formulation/layout/strategy"
static const char *block_name(Merge *m, const JournalCase *k) {
  const char *const words[] = {k->cost, k->formulation, k->layout, k->strategy};
  TextBuf rest = {0};
  for (int i = 0; i < 4; i++) {
    if (words[i] && *words[i]) textbuf_addf(&rest, "%s%s", rest.len ? "/" : "", words[i]);
  }
  const char *end = rest.text && !rest.failed && k->name ? strstr(k->name, rest.text) : NULL;
  textbuf_free(&rest);
  char *block = arena_strdup(m->c->arena, end ? k->name : "");
  if (block && end) block[end > k->name ? end - k->name - 1 : 0] = '\0';
  return block;
}

static Status read_fields(Merge *m, const JournalCase *k, const char **field, Error *err) {
  char seed[24] = "";
  if (k->seed >= 0) snprintf(seed, sizeof seed, "%d", k->seed);
  field[COMPARE_COST] = k->cost;
  field[COMPARE_BLOCK] = block_name(m, k);
  field[COMPARE_LAYOUT] = k->layout;
  field[COMPARE_SOLVER] = k->linear_solver;
  field[COMPARE_STRATEGY] = k->strategy;
  field[COMPARE_GUESS] = k->guess;
  field[COMPARE_SEED] = arena_strdup(m->c->arena, seed);
  field[COMPARE_FOLDER] = "";
  field[COMPARE_FORM] = k->formulation;
  if (!field[COMPARE_SEED] || !field[COMPARE_BLOCK]) return error_no_memory(err);
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    if (!field[f]) field[f] = "";
  }
  return STATUS_OK;
}

static bool same_fields(const char *const *a, const char *const *b) {
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    if (strcmp(a[f], b[f]) != 0) return false;
  }
  return true;
}

// place of a formulation in the order to show them
static int form_rank(const Merge *m, const char *form) {
  int i = 0;
  while (i < m->n_form && strcmp(m->form[i], form) != 0) i++;
  return i;
}

// digits as numbers, so that "set2" comes before "set10"
static int natural(const char *a, const char *b) {
  while (*a && *b) {
    if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
      char *a_end, *b_end;
      unsigned long x = strtoul(a, &a_end, 10), y = strtoul(b, &b_end, 10);
      if (x != y) return x < y ? -1 : 1;
      a = a_end;
      b = b_end;
    } else {
      if (*a != *b) return *a < *b ? -1 : 1;
      a++;
      b++;
    }
  }
  return (*a != 0) - (*b != 0);
}

static int case_order(const Merge *m, const CompareCase *a, const CompareCase *b) {
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    if (f == COMPARE_FORM) {
      int x = form_rank(m, a->field[f]), y = form_rank(m, b->field[f]);
      if (x != y) return x < y ? -1 : 1;
    }
    int order = natural(a->field[f], b->field[f]);
    if (order) return order;
  }
  return 0;
}

// sorts the cases and renumbers case_of
static Status sort_cases(Merge *m, Error *err) {
  Compare *c = m->c;
  int n = c->n_case;
  int *order = take(m, n, sizeof *order), *place = take(m, n, sizeof *place);
  CompareCase *sorted = take(m, n, sizeof *sorted);
  if (!order || !place || !sorted) return error_no_memory(err);
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && case_order(m, &c->kase[order[at - 1]], &c->kase[i]) > 0; at--) {
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
  for (int i = 0; i < n; i++) {
    sorted[i] = c->kase[order[i]];
    place[order[i]] = i;
  }
  c->kase = sorted;
  for (int i = 0; i < m->n_line_case; i++) m->case_of[i] = place[m->case_of[i]];
  return STATUS_OK;
}

// apart[j]: cases of journal j carry its folder
static Status build_cases(Merge *m, const bool *apart, Error *err) {
  Compare *c = m->c;
  c->n_case = 0;
  c->kase = take(m, m->n_line_case, sizeof *c->kase);
  m->case_of = take(m, m->n_line_case, sizeof *m->case_of);
  if (!c->kase || !m->case_of) return error_no_memory(err);
  for (int j = 0, line = 0; j < m->n; j++) {
    for (int k = 0; k < m->journal[j]->n_case; k++, line++) {
      const char *field[N_COMPARE_FIELDS];
      Status status = read_fields(m, &m->journal[j]->kase[k], field, err);
      if (status != STATUS_OK) return status;
      if (apart[j]) field[COMPARE_FOLDER] = m->journal[j]->folder;
      int i = 0;
      while (i < c->n_case && !same_fields(c->kase[i].field, field)) i++;
      if (i == c->n_case) memcpy(c->kase[c->n_case++].field, field, sizeof field);
      m->case_of[line] = i;
    }
  }
  return sort_cases(m, err);
}

// ---- groups and sets ---------------------------------------------------------------------------

// equal in fields from .. COMPARE_FORM - 1
static bool same_from(const CompareCase *a, const CompareCase *b, int from) {
  for (int f = from; f < COMPARE_FORM; f++) {
    if (strcmp(a->field[f], b->field[f]) != 0) return false;
  }
  return true;
}

// the fields of a case, from one on, that vary in the comparison
static const char *title_from(Compare *c, const CompareCase *k, int from) {
  TextBuf b = {0};
  for (int f = from; f < COMPARE_FORM; f++) {
    const char *text = k->field[f];
    if (!*text || (f != COMPARE_COST && !compare_varies(c, (CompareField)f))) continue;
    if (b.len) textbuf_add(&b, ", ");
    if (f == COMPARE_SEED) textbuf_add(&b, "seed ");
    if (f == COMPARE_GUESS) textbuf_add(&b, "guess ");
    textbuf_add(&b, text);
  }
  char *title = b.failed ? NULL : arena_strdup(c->arena, b.text ? b.text : "");
  textbuf_free(&b);
  return title;
}

static Status build_views(Compare *c, Error *err) {
  c->view = arena_array(c->arena, (size_t)c->n_group, sizeof *c->view);
  if (!c->view) return error_no_memory(err);
  for (int g = 0; g < c->n_group; g++) {
    const CompareCase *k = &c->kase[c->group[g].first];
    int v = 0;
    while (v < c->n_view) {
      const CompareGroup *other = &c->group[c->view[v].group[0]];
      if (same_from(&c->kase[other->first], k, COMPARE_COST + 1)) break;
      v++;
    }
    CompareView *view = &c->view[v];
    if (v == c->n_view) {
      c->n_view++;
      view->group = arena_array(c->arena, (size_t)c->n_set, sizeof *view->group);
      view->title = title_from(c, k, COMPARE_COST + 1);
      if (!view->group || !view->title) return error_no_memory(err);
    }
    view->group[view->n_group++] = g;
    c->group[g].view = v;
  }
  return STATUS_OK;
}

static Status build_groups(Compare *c, Error *err) {
  c->group = arena_array(c->arena, (size_t)c->n_case, sizeof *c->group);
  c->set = arena_array(c->arena, (size_t)c->n_case, sizeof *c->set);
  if (!c->group || !c->set) return error_no_memory(err);
  for (int i = 0; i < c->n_case; i++) {
    CompareCase *k = &c->kase[i];
    if (i == 0 || strcmp(k->field[COMPARE_COST], k[-1].field[COMPARE_COST]) != 0) {
      c->set[c->n_set++].name = k->field[COMPARE_COST];
    }
    if (i == 0 || !same_from(k, k - 1, 0)) {
      c->group[c->n_group++] = (CompareGroup){.set = c->n_set - 1, .first = i};
    }
    c->group[c->n_group - 1].n_case++;
    k->group = c->n_group - 1;
    k->set = c->n_set - 1;
  }
  for (int g = 0; g < c->n_group; g++) {
    c->group[g].title = title_from(c, &c->kase[c->group[g].first], 0);
    if (!c->group[g].title) return error_no_memory(err);
  }
  return build_views(c, err);
}

// ---- runs --------------------------------------------------------------------------------------

static void read_values(CompareRun *r) {
  const JournalRun *s = r->source;
  double cpu = isfinite(s->solve_cpu_s) ? s->solve_cpu_s : s->cpu_s;
  double whole = fmax(cpu, s->evaluation_s + s->linear_solver_s);
  r->value[COMPARE_OBJECTIVE] = s->objective;
  r->value[COMPARE_ITERATIONS] = s->iterations;
  r->value[COMPARE_CPU] = cpu;
  r->value[COMPARE_CPU_PER] = s->iterations > 0 ? cpu / s->iterations : NAN;
  r->value[COMPARE_GAP] = NAN;  // once the best is known
  r->value[COMPARE_EVALUATION] = whole > 0 ? s->evaluation_s / whole : NAN;
  r->value[COMPARE_LINEAR] = whole > 0 ? s->linear_solver_s / whole : NAN;
}

// good ones first, then lower costs
static bool better(const CompareRun *a, const CompareRun *b) {
  if (a->good != b->good) return a->good;
  return a->good && a->source->objective < b->source->objective;
}

// fills table and runs. *clash: two folders have different runs of one case and point
static Status build_runs(Merge *m, bool *clash, Error *err) {
  Compare *c = m->c;
  size_t n = (size_t)c->n_case * (size_t)c->n_point;
  if (n > LARGEST_TABLE) {
    return error_set(err, STATUS_INPUT, "", "%d cases on %d targets are too many to compare",
                     c->n_case, c->n_point);
  }
  c->table = arena_array(c->arena, n + 1, sizeof *c->table);
  c->run = arena_array(c->arena, (size_t)c->n_line + 1, sizeof *c->run);
  if (!c->table || !c->run) return error_no_memory(err);
  for (size_t i = 0; i < n; i++) c->table[i] = -1;
  c->n_run = c->n_repeat = 0;
  *clash = false;
  for (int j = 0; j < m->n; j++) {
    const Journal *journal = m->journal[j];
    for (int i = 0; i < journal->n_run; i++) {
      const JournalRun *s = &journal->run[i];
      CompareRun r = {.kase = m->case_of[m->case_first[j] + s->kase],
                      .point = m->point_of[m->point_first[j] + s->point],
                      .good = s->solved && isfinite(s->objective) && (c->unverified || s->verified),
                      .journal = journal,
                      .source = s};
      int *at = &c->table[(size_t)r.kase * (size_t)c->n_point + (size_t)r.point];
      read_values(&r);
      if (*at < 0) {
        *at = c->n_run++;
        c->run[*at] = r;
        continue;
      }
      CompareRun *held = &c->run[*at];
      if (held->journal != journal && held->source->key != s->key) *clash = true;
      if (held->source->key != s->key) c->n_repeat++;
      if (better(&r, held)) *held = r;
    }
  }
  return STATUS_OK;
}

static Status count_all(Merge *m, Error *err) {
  Compare *c = m->c;
  m->point_first = take(m, m->n, sizeof(int));
  m->case_first = take(m, m->n, sizeof(int));
  if (!m->point_first || !m->case_first) return error_no_memory(err);
  for (int j = 0; j < m->n; j++) {
    m->point_first[j] = m->n_line_point;
    m->case_first[j] = m->n_line_case;
    m->n_line_point += m->journal[j]->n_point;
    m->n_line_case += m->journal[j]->n_case;
    c->n_line += m->journal[j]->n_run;
    c->n_torn += m->journal[j]->n_bad;
  }
  if (c->n_line == 0) {
    return error_set(err, STATUS_INPUT, m->n ? m->journal[0]->folder : "", "has no runs yet");
  }
  return STATUS_OK;
}

Status compare_merge(Compare *c, const Journal *const *journal, int n, const CompareOptions *opt,
                     Error *err) {
  Merge m = {.c = c, .journal = journal, .n = n, .form = opt->form, .n_form = opt->n_form};
  Status status = count_all(&m, err);
  if (status == STATUS_OK) status = check_axes(&m, err);
  if (status != STATUS_OK) return status;
  c->n_axis = journal[0]->n_axis;
  c->axis = take(&m, c->n_axis, sizeof *c->axis);
  if (!c->axis) return error_no_memory(err);
  for (int i = 0; status == STATUS_OK && i < c->n_axis; i++) status = build_axis(&m, i, err);
  if (status == STATUS_OK) status = build_points(&m, err);

  bool *apart = take(&m, n, sizeof *apart), clash = false;
  if (!apart) return error_no_memory(err);
  if (status == STATUS_OK) status = build_cases(&m, apart, err);
  if (status == STATUS_OK) status = build_runs(&m, &clash, err);
  if (status == STATUS_OK && clash) {
    for (int j = 0; j < n; j++) apart[j] = true;
    status = build_cases(&m, apart, err);
    if (status == STATUS_OK) status = build_runs(&m, &clash, err);
  }
  return status == STATUS_OK ? build_groups(c, err) : status;
}
