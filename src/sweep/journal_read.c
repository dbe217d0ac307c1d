// SPDX-License-Identifier: MIT
// A line of the journal into the arrays.
#include <math.h>
#include <string.h>

#include "sweep/journal_internal.h"

// ---- growing ------------------------------------------------------------------------------------

// room for one more in an array of the arena; NULL when out of memory
static void *grow(Arena *arena, void *old, int n, int *cap, size_t size) {
  if (n < *cap) return old;
  int more = *cap ? 2 * *cap : 64;
  void *new = arena_array(arena, (size_t)more, size);
  if (new &&n) memcpy(new, old, (size_t)n * size);
  if (new) *cap = more;
  return new;
}

static int *empty_slots(Arena *arena, int n) {
  int *slot = arena_array(arena, (size_t)n, sizeof *slot);
  if (slot) memset(slot, 0xff, (size_t)n * sizeof *slot);
  return slot;
}

// ---- texts, axes --------------------------------------------------------------------------------

static const char **text_slot(const char **table, int n_slot, const char *text) {
  uint64_t h = journal_hash(JOURNAL_HASH_BEGIN, text, strlen(text));
  int i = (int)(h & (uint64_t)(n_slot - 1));
  while (table[i] && strcmp(table[i], text) != 0) i = (i + 1) & (n_slot - 1);
  return &table[i];
}

const char *journal_intern(JournalBuild *b, const char *text) {
  if (2 * b->n_text >= b->n_text_slot) {
    int n = b->n_text_slot ? 2 * b->n_text_slot : 256;
    const char **table = arena_array(b->j->arena, (size_t)n, sizeof *table);
    if (!table) return NULL;
    for (int i = 0; i < b->n_text_slot; i++) {
      if (b->text[i]) *text_slot(table, n, b->text[i]) = b->text[i];
    }
    b->text = table;
    b->n_text_slot = n;
  }
  const char **slot = text_slot(b->text, b->n_text_slot, text);
  if (!*slot) {
    *slot = arena_strdup(b->j->arena, text);
    b->n_text++;
  }
  return *slot;
}

JournalAxis *journal_axis(JournalBuild *b, const char *name) {
  Journal *j = b->j;
  for (int i = 0; i < j->n_axis; i++) {
    if (strcmp(j->axis[i].name, name) == 0) return &j->axis[i];
  }
  if (j->n_axis == JOURNAL_MAX_AXES) return NULL;
  JournalAxis *a = &j->axis[j->n_axis];
  *a = (JournalAxis){.name = journal_intern(b, name), .unit = ""};
  if (!a->name) return NULL;
  j->n_axis++;
  return a;
}

int journal_label(JournalBuild *b, JournalAxis *axis, const char *json) {
  for (int i = 0; i < axis->n_label; i++) {
    if (strcmp(axis->label[i], json) == 0) return i;
  }
  // few labels: a new list each time
  const char **list = arena_array(b->j->arena, (size_t)axis->n_label + 1, sizeof *list);
  const char *text = journal_intern(b, json);
  if (!list || !text) return -1;
  if (axis->n_label) memcpy(list, axis->label, (size_t)axis->n_label * sizeof *list);
  list[axis->n_label] = text;
  axis->label = list;
  return axis->n_label++;
}

// ---- points, cases, runs ------------------------------------------------------------------------

static int point_hash(const double *value, int n_slot) {
  uint64_t h = journal_hash(JOURNAL_HASH_BEGIN, value, JOURNAL_MAX_AXES * sizeof *value);
  return (int)(h & (uint64_t)(n_slot - 1));
}

static bool same_values(const double *a, const double *b) {
  for (int i = 0; i < JOURNAL_MAX_AXES; i++) {
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
  }
  return true;
}

// value: JOURNAL_MAX_AXES, 0 where there is no axis; -1 when out of memory
static int find_point(JournalBuild *b, const double *value) {
  Journal *j = b->j;
  if (2 * j->n_point >= b->n_point_slot) {
    int n = b->n_point_slot ? 2 * b->n_point_slot : 256;
    int *table = empty_slots(j->arena, n);
    if (!table) return -1;
    for (int p = 0; p < j->n_point; p++) {
      int i = point_hash(j->point[p].value, n);
      while (table[i] >= 0) i = (i + 1) & (n - 1);
      table[i] = p;
    }
    b->point_slot = table;
    b->n_point_slot = n;
  }
  const size_t bytes = JOURNAL_MAX_AXES * sizeof *value;
  int i = point_hash(value, b->n_point_slot);
  for (; b->point_slot[i] >= 0; i = (i + 1) & (b->n_point_slot - 1)) {
    int p = b->point_slot[i];
    if (same_values(j->point[p].value, value)) return p;
  }
  JournalPoint *list = grow(j->arena, j->point, j->n_point, &b->cap_point, sizeof *j->point);
  double *copy = arena_alloc(j->arena, bytes);
  if (!list || !copy) return -1;
  memcpy(copy, value, bytes);
  j->point = list;
  j->point[j->n_point] = (JournalPoint){.grid = -1, .mirror = -1, .value = copy};
  b->point_slot[i] = j->n_point;
  return j->n_point++;
}

// the case of a name, which is one of the texts; -1 when out of memory
static int find_case(JournalBuild *b, const JournalCase *c) {
  Journal *j = b->j;
  for (int i = 0; i < j->n_case; i++) {
    if (j->kase[i].name == c->name) return i;
  }
  JournalCase *list = grow(j->arena, j->kase, j->n_case, &b->cap_case, sizeof *j->kase);
  if (!list) return -1;
  j->kase = list;
  j->kase[j->n_case] = *c;
  return j->n_case++;
}

static int run_slot(const Journal *j, const int *slot, int n_slot, uint64_t key) {
  int i = (int)(key & (uint64_t)(n_slot - 1));
  while (slot[i] >= 0 && j->run[slot[i]].key != key) i = (i + 1) & (n_slot - 1);
  return i;
}

const JournalRun *journal_find(const Journal *j, uint64_t key) {
  if (j->n_slot == 0) return NULL;
  int i = j->slot[run_slot(j, j->slot, j->n_slot, key)];
  return i >= 0 ? &j->run[i] : NULL;
}

static Status add_run(JournalBuild *b, const JournalRun *r, Error *err) {
  Journal *j = b->j;
  if (2 * j->n_run >= j->n_slot) {
    int n = j->n_slot ? 2 * j->n_slot : 256;
    int *table = empty_slots(j->arena, n);
    if (!table) return error_no_memory(err);
    for (int i = 0; i < j->n_run; i++) table[run_slot(j, table, n, j->run[i].key)] = i;
    j->slot = table;
    j->n_slot = n;
  }
  int at = run_slot(j, j->slot, j->n_slot, r->key);
  if (j->slot[at] >= 0) {
    j->run[j->slot[at]] = *r;
    return STATUS_OK;
  }
  JournalRun *list = grow(j->arena, j->run, j->n_run, &b->cap_run, sizeof *j->run);
  if (!list) return error_no_memory(err);
  j->run = list;
  j->run[j->n_run] = *r;
  j->slot[at] = j->n_run++;
  return STATUS_OK;
}

// ---- one line -----------------------------------------------------------------------------------

typedef struct Line {
  JournalBuild *b;
  JournalScan s;
  JournalRun run;
  JournalCase kase;
  double value[JOURNAL_MAX_AXES];
  bool has_key, has_target, no_memory;
  double target[3];
} Line;

static const char *keep(Line *l, const char *text) {
  const char *kept = journal_intern(l->b, text);
  if (!kept) l->no_memory = true;
  return kept ? kept : "";
}

static void read_point(Line *l) {
  bool first = true;
  journal_scan_open(&l->s, '{');
  for (const char *key; (key = journal_scan_key(&l->s, &first));) {
    JournalAxis *a = journal_axis(l->b, key);
    size_t n = 0;
    char *raw = journal_scan_raw(&l->s, &n);
    if (!a || l->s.bad) {
      l->s.bad = true;
      return;
    }
    double *value = &l->value[a - l->b->j->axis];
    bool number = *raw == '-' || (*raw >= '0' && *raw <= '9');
    if (number) {
      JournalScan again = {.p = raw, .end = raw + n};
      *value = journal_scan_number(&again) +
               0.0;  // no negative zeros: points are told apart by bits
      continue;
    }
    char behind = raw[n];
    raw[n] = '\0';
    int label = journal_label(l->b, a, raw);
    raw[n] = behind;
    if (label < 0) l->no_memory = true;
    *value = label;
  }
}

static void read_case(Line *l) {
  bool first = true;
  JournalCase *c = &l->kase;
  *c = (JournalCase){"", "", "", "", "", "", "", -1};
  const struct {
    const char *key;
    const char **to;
  } texts[] = {{"name", &c->name},
               {"cost", &c->cost},
               {"formulation", &c->formulation},
               {"layout", &c->layout},
               {"strategy", &c->strategy},
               {"guess", &c->guess},
               {"linear_solver", &c->linear_solver}};
  journal_scan_open(&l->s, '{');
  for (const char *key; (key = journal_scan_key(&l->s, &first));) {
    size_t i = 0, n = 0, n_text = sizeof texts / sizeof texts[0];
    while (i < n_text && strcmp(texts[i].key, key) != 0) i++;
    if (i < n_text) *texts[i].to = keep(l, journal_scan_string(&l->s));
    else if (strcmp(key, "seed") == 0) c->seed = (int)journal_scan_number(&l->s);
    else journal_scan_raw(&l->s, &n);
  }
}

static void read_numbers(Line *l, double *x, int n) {
  bool first = true;
  journal_scan_open(&l->s, '[');
  int i = 0;
  for (; journal_scan_item(&l->s, &first); i++) {
    double value = journal_scan_number(&l->s);
    if (i < n) x[i] = value;
  }
  if (i != n) l->s.bad = true;
}

static void read_refined(Line *l) {
  bool first = true;
  JournalRun *r = &l->run;
  journal_scan_open(&l->s, '{');
  for (const char *key; (key = journal_scan_key(&l->s, &first));) {
    double x = journal_scan_number(&l->s);
    if (strcmp(key, "degree") == 0) r->refined_degree = x > 0 && x < 100 ? (int)x : 0;
    else if (strcmp(key, "objective") == 0) r->refined_objective = x;
    else if (strcmp(key, "defect") == 0) r->refined_defect = x;
    else if (strcmp(key, "cpu_s") == 0) r->refined_cpu_s = x;
  }
}

static void read_place(Line *l) {
  bool first = true;
  journal_scan_open(&l->s, '{');
  for (const char *key; (key = journal_scan_key(&l->s, &first));) {
    size_t n = 0;
    if (strcmp(key, "offset") == 0) l->run.offset = (int64_t)journal_scan_number(&l->s);
    else if (strcmp(key, "bytes") == 0) l->run.bytes = (int64_t)journal_scan_number(&l->s);
    else journal_scan_raw(&l->s, &n);
  }
}

// members that are plain numbers; false if it is none
static bool read_figure(Line *l, const char *key) {
  JournalRun *r = &l->run;
  const struct {
    const char *key;
    double *x;
    int *i;
  } all[] = {{"index", NULL, &r->index},
             {"objective", &r->objective, NULL},
             {"iterations", NULL, &r->iterations},
             {"solves", NULL, &r->solves},
             {"cpu_s", &r->cpu_s, NULL},
             {"wall_s", &r->wall_s, NULL},
             {"solve_cpu_s", &r->solve_cpu_s, NULL},
             {"setup_s", &r->setup_s, NULL},
             {"evaluation_s", &r->evaluation_s, NULL},
             {"linear_solver_s", &r->linear_solver_s, NULL},
             {"defect", &r->defect, NULL},
             {"terminal_error", &r->terminal_error, NULL},
             {"error_estimate", &r->error_estimate, NULL},
             {"round", NULL, &r->round}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (strcmp(all[i].key, key) != 0) continue;
    double x = journal_scan_number(&l->s);
    if (all[i].x) *all[i].x = x;
    else if (fabs(x) < 2e9) *all[i].i = (int)x;
    else l->s.bad = true;
    return true;
  }
  return false;
}

static void read_nlp(Line *l) {
  double n[4] = {0};
  read_numbers(l, n, 4);
  for (int i = 0; i < 4; i++) l->run.nlp[i] = n[i] >= 0 && n[i] < 2e9 ? (int)n[i] : 0;
}

static void read_member(Line *l, const char *key) {
  JournalRun *r = &l->run;
  size_t n = 0;
  if (strcmp(key, "key") == 0) r->key = journal_scan_hex(&l->s), l->has_key = true;
  else if (strcmp(key, "source") == 0) r->source = journal_scan_hex(&l->s);
  else if (strcmp(key, "point") == 0) read_point(l);
  else if (strcmp(key, "target") == 0) read_numbers(l, l->target, 3), l->has_target = true;
  else if (strcmp(key, "case") == 0) read_case(l);
  else if (strcmp(key, "status") == 0) r->status = keep(l, journal_scan_string(&l->s));
  else if (strcmp(key, "message") == 0) r->message = keep(l, journal_scan_string(&l->s));
  else if (strcmp(key, "linear_solver") == 0) r->solver = keep(l, journal_scan_string(&l->s));
  else if (strcmp(key, "solved") == 0) r->solved = journal_scan_bool(&l->s);
  else if (strcmp(key, "verified") == 0) r->verified = journal_scan_bool(&l->s);
  else if (strcmp(key, "mirrored") == 0) r->mirrored = journal_scan_bool(&l->s);
  else if (strcmp(key, "nlp") == 0) read_nlp(l);
  else if (strcmp(key, "refined") == 0) read_refined(l);
  else if (strcmp(key, "operations") == 0) read_numbers(l, r->operations, 3);
  else if (strcmp(key, "trajectory") == 0) read_place(l);
  else if (!read_figure(l, key)) journal_scan_raw(&l->s, &n);
}

Status journal_read_line(JournalBuild *b, char *line, char *end, Error *err) {
  Line l = {.b = b,
            .s = {.p = line, .end = end},
            .run = {.status = "",
                    .message = "",
                    .solver = "",
                    .objective = NAN,
                    .refined_objective = NAN,
                    .refined_defect = NAN,
                    .refined_cpu_s = NAN,
                    .cpu_s = NAN,
                    .wall_s = NAN,
                    .solve_cpu_s = NAN,
                    .setup_s = NAN,
                    .evaluation_s = NAN,
                    .linear_solver_s = NAN,
                    .defect = NAN,
                    .terminal_error = NAN,
                    .error_estimate = NAN,
                    .operations = {NAN, NAN, NAN}},
            .kase = {"", "", "", "", "", "", "", -1}};
  bool first = true;
  journal_scan_open(&l.s, '{');
  for (const char *key; (key = journal_scan_key(&l.s, &first));) read_member(&l, key);
  if (l.no_memory) return error_no_memory(err);
  if (l.s.bad || !l.has_key || !*l.run.status) {
    return error_set(err, STATUS_INPUT, "", "not a line of a journal");
  }
  l.run.point = find_point(b, l.value);
  l.run.kase = find_case(b, &l.kase);
  if (l.run.point < 0 || l.run.kase < 0) return error_no_memory(err);
  if (l.has_target) {
    b->j->point[l.run.point].has_target = true;
    memcpy(b->j->point[l.run.point].target, l.target, sizeof l.target);
  }
  return add_run(b, &l.run, err);
}
