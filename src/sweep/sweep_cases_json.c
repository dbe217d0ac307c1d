// SPDX-License-Identifier: MIT
// The cases of a sweep: in each block, all combinations of what it lists.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "sweep/sweep_internal.h"
#include "sweep/sweep_keys.h"

enum { MAX_ITEMS = 1000, MAX_CASES = 10000, NAME = 256 };

// What a block may list, in the order of the names.
typedef enum Kind { COST, FORMULATION, LAYOUT, STRATEGY, GUESS, LINEAR_SOLVER, SEED, N_KIND } Kind;
static const char *const kind_keys[N_KIND] = {"cost",  "formulation",   "layout", "strategy",
                                              "guess", "linear_solver", "seed"};
static const char *const kind_paths[N_KIND] = {
    "cost", "formulation", "layout", "strategy", "guess", "solver.linear_solver", NULL};

// The values of one kind; n 0: as in the task.
typedef struct List {
  const cJSON **value;  // n, borrowed
  int n;
} List;

typedef struct Block {
  SweepReader *r;
  const JsonAt *at;  // the block
  const JsonAt *costs;
  List list[N_KIND];
  cJSON *made;  // values that are not in the file; owned
} Block;

// ---- the lists ----------------------------------------------------------------------------------

static Status push(Block *b, List *list, const cJSON *value, Error *err) {
  if (list->n == MAX_ITEMS) return json_fail(b->at, err, "more than %d values", MAX_ITEMS);
  if (!value) return error_no_memory(err);
  list->value[list->n++] = value;
  return STATUS_OK;
}

static Status push_word(Block *b, List *list, const char *word, Error *err) {
  cJSON *value = cJSON_CreateString(word);
  if (!value) return error_no_memory(err);
  cJSON_AddItemToArray(b->made, value);
  return push(b, list, value, err);
}

static Status push_all(Block *b, Kind kind, Error *err) {
  List *list = &b->list[kind];
  Status status = STATUS_OK;
  if (kind == FORMULATION) {
    for (int i = 0; dyn_forms[i] && status == STATUS_OK; i++) {
      status = push_word(b, list, dyn_forms[i]->name, err);
    }
    return status;
  }
  for (JsonAt e = json_first(b->costs); e.node && status == STATUS_OK; json_next(&e)) {
    if (strcmp(e.key, "comment") != 0) status = push_word(b, list, e.key, err);
  }
  return status;
}

// one value of a kind
static Status read_item(Block *b, Kind kind, const JsonAt *at, Error *err) {
  bool word = kind == COST || kind == FORMULATION || kind == LAYOUT || kind == LINEAR_SOLVER;
  const char *text = NULL;
  double x = 0;
  if (word && !json_string(at, &text, err)) return err->code;
  if (kind == SEED && !json_number(at, &x, err)) return err->code;
  if (kind == SEED && (x < 0 || x > OCP_MAX_SEED || x != (int)x)) {
    return json_fail(at, err, "%g is out of range: a whole number from 0 to %d", x, OCP_MAX_SEED);
  }
  bool all = text && strcmp(text, "all") == 0 && (kind == COST || kind == FORMULATION);
  if (all) return push_all(b, kind, err);
  if (kind == COST && !json_find(b->costs, text).node) {
    const char *names[MAX_ITEMS];
    int n = 0;
    for (JsonAt e = json_first(b->costs); e.node && n < MAX_ITEMS; json_next(&e))
      names[n++] = e.key;
    const char *near = nearest_name(text, names, n);
    return json_fail(at, err, "unknown cost set \"%.60s\"%s%s%s", text,
                     near ? ", did you mean " : "; \"costs\" has none of this name",
                     near ? near : "", near ? "?" : "");
  }
  return push(b, &b->list[kind], at->node, err);
}

static Status read_list(Block *b, Kind kind, Error *err) {
  List *list = &b->list[kind];
  list->value = arena_array(b->r->s->arena, MAX_ITEMS, sizeof(void *));
  if (!list->value) return error_no_memory(err);
  JsonAt at = json_find(b->at, kind_keys[kind]);
  if (!at.node) return kind == COST ? push_all(b, kind, err) : STATUS_OK;
  if (json_type(&at) != JSON_ARRAY) return read_item(b, kind, &at, err);
  if (json_count(&at) == 0) return json_fail(&at, err, "is empty: leave it out or name one");
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    if (read_item(b, kind, &e, err)) return err->code;
  }
  return STATUS_OK;
}

// --formulation: in place of the file's
static Status change_forms(Block *b, Error *err) {
  const SweepChange *c = b->r->change;
  if (!c || !c->formulations) return STATUS_OK;
  List *list = &b->list[FORMULATION];
  list->n = 0;
  if (strcmp(c->formulations, "all") == 0) return push_all(b, FORMULATION, err);
  for (const char *p = c->formulations; *p;) {
    size_t n = strcspn(p, ",");
    char name[64];
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 63, p);
    const DynForm *form = dyn_form_find(name);
    if (!form) {
      return error_set(err, STATUS_INPUT, c->where,
                       "unknown formulation \"%s\"; known: IMPL, SEMI, EXP1-O, EXP1-A, EXP2-O, "
                       "EXP2-A, or all",
                       name);
    }
    if (push_word(b, list, form->name, err)) return err->code;
    p += n + (p[n] == ',');
  }
  return list->n ? STATUS_OK : error_set(err, STATUS_INPUT, c->where, "names no formulation");
}

// ---- one case -----------------------------------------------------------------------------------

static Status change(cJSON *changes, const char *path, const cJSON *value, Error *err) {
  cJSON *copy = cJSON_Duplicate(value, true);
  if (!copy) return error_no_memory(err);
  cJSON_AddItemToObject(changes, path, copy);
  return STATUS_OK;
}

// "relax", or {"kind": "relax"}
static bool is_relax(const cJSON *strategy) {
  const cJSON *kind = cJSON_IsObject(strategy) ? cJSON_GetObjectItemCaseSensitive(strategy, "kind")
                                               : strategy;
  return cJSON_IsString(kind) && strcmp(kind->valuestring, "relax") == 0;
}

static Status change_strategy(cJSON *changes, const cJSON *value, Error *err) {
  if (!is_relax(value)) return change(changes, "strategy", value, err);
  // what a round does: one solve from where the motion is
  return cJSON_AddStringToObject(changes, "strategy", "cold") ? STATUS_OK : error_no_memory(err);
}

// the seed goes where it is used: known once the other changes are made
static Status change_seed(Block *b, cJSON *changes, const cJSON *seed, Error *err) {
  cJSON *task = cJSON_Duplicate(b->r->s->task, true);
  if (!task) return error_no_memory(err);
  Status status = STATUS_OK;
  for (const cJSON *e = changes->child; e && status == STATUS_OK; e = e->next) {
    status = sweep_set_path(task, e->string, e, b->at, err);
  }
  const char *path = NULL;
  static const char *const users[2][3] = {{"strategy", "multistart", "strategy.seed"},
                                          {"guess", "random", "guess.seed"}};
  for (int i = 0; i < 2 && !path; i++) {
    const cJSON *e = sweep_get_path(task, users[i][0]);
    const cJSON *kind = cJSON_IsObject(e) ? cJSON_GetObjectItemCaseSensitive(e, "kind") : e;
    if (cJSON_IsString(kind) && strcmp(kind->valuestring, users[i][1]) == 0) path = users[i][2];
  }
  cJSON_Delete(task);
  if (status != STATUS_OK) return status;
  if (path) return change(changes, path, seed, err);
  JsonAt at = json_find(b->at, "seed");
  return json_fail(&at, err, "goes with the strategy multistart or the guess random only");
}

// all changes of a combination; pick: one value of each kind, NULL: as in the task
static Status make_changes(Block *b, const cJSON *const pick[N_KIND], cJSON *changes, Error *err) {
  for (int kind = 0; kind < SEED; kind++) {
    if (!pick[kind]) continue;
    const cJSON *value = pick[kind];
    if (kind == COST) value = json_find(b->costs, value->valuestring).node;
    Status status = kind == STRATEGY ? change_strategy(changes, value, err)
                                     : change(changes, kind_paths[kind], value, err);
    if (status != STATUS_OK) return status;
  }
  if (pick[SEED] && change_seed(b, changes, pick[SEED], err)) return err->code;
  JsonAt solver = json_find(b->at, "solver"), set = json_find(b->at, "set");
  for (JsonAt e = json_first(&solver); e.node; json_next(&e)) {
    char path[NAME];
    if (strcmp(e.key, "comment") == 0) continue;
    snprintf(path, sizeof path, "solver.%.200s", e.key);
    if (change(changes, path, e.node, err)) return err->code;
  }
  for (JsonAt e = json_first(&set); e.node; json_next(&e)) {
    if (strcmp(e.key, "comment") == 0) continue;
    cJSON *scratch = cJSON_Duplicate(b->r->s->task, true);
    if (!scratch) return error_no_memory(err);
    Status status = sweep_set_path(scratch, e.key, e.node, &e, err);
    cJSON_Delete(scratch);
    if (status == STATUS_OK) status = change(changes, e.key, e.node, err);
    if (status != STATUS_OK) return status;
  }
  return STATUS_OK;
}

static void add_word(char *name, size_t size, const char *word) {
  size_t n = strlen(name);
  if (*word) snprintf(name + n, size - n, "%s%s", n ? "/" : "", word);
}

static const char *option_of(const Ocp *o, const char *name) {
  for (int i = 0; i < o->n_option; i++) {
    if (strcmp(o->option[i].name, name) == 0) return o->option[i].value;
  }
  return "";
}

// what the journal says about the case: from the task as it came out
static Status name_case(Block *b, SweepCase *c, const cJSON *const pick[N_KIND], const Ocp *o,
                        Error *err) {
  Arena *arena = b->r->s->arena;
  JournalCase *j = &c->j;
  const cJSON *strategy = pick[STRATEGY];
  j->cost = arena_strdup(arena, pick[COST] ? pick[COST]->valuestring : "");
  j->formulation = o->form->name;
  j->layout = ocp_layout_names[o->layout];
  j->strategy = strategy && is_relax(strategy) ? "relax" : ocp_strategy_names[o->strategy.kind];
  j->guess = ocp_guess_names[o->guess.kind];
  j->linear_solver = arena_strdup(arena, option_of(o, "linear_solver"));
  j->seed = pick[SEED] ? pick[SEED]->valueint : -1;
  if (!j->cost || !j->linear_solver) return error_no_memory(err);
  char name[NAME] = "", seed[32];
  JsonAt prefix = json_find(b->at, "name");
  const char *word = "";
  if (prefix.node && !json_string(&prefix, &word, err)) return err->code;
  add_word(name, sizeof name, word);
  add_word(name, sizeof name, j->cost);
  add_word(name, sizeof name, j->formulation);
  add_word(name, sizeof name, j->layout);
  add_word(name, sizeof name, j->strategy);
  if (pick[GUESS]) add_word(name, sizeof name, j->guess);
  if (pick[LINEAR_SOLVER]) add_word(name, sizeof name, j->linear_solver);
  snprintf(seed, sizeof seed, "seed%d", j->seed);
  if (pick[SEED]) add_word(name, sizeof name, seed);
  j->name = arena_strdup(arena, name);
  return j->name ? STATUS_OK : error_no_memory(err);
}

// a case more; `implied`: the first pass of relax, which may be there already
static Status add_case(Block *b, const cJSON *const pick[N_KIND], bool implied, Error *err) {
  Sweep *s = b->r->s;
  if (s->n_case == MAX_CASES) return json_fail(b->at, err, "more than %d cases", MAX_CASES);
  SweepCase *c = &s->kase[s->n_case];
  *c = (SweepCase){.relax = pick[STRATEGY] && is_relax(pick[STRATEGY]), .j = {.name = ""}};
  c->changes = cJSON_CreateObject();
  if (!c->changes) return error_no_memory(err);
  s->n_case++;  // from here on it is freed with the others
  Status status = make_changes(b, pick, c->changes, err);
  Ocp *o = NULL;
  if (status == STATUS_OK) status = sweep_ocp(&o, s, 0, s->n_case - 1, err);
  if (status == STATUS_OK) status = name_case(b, c, pick, o, err);
  ocp_free(o);
  if (status != STATUS_OK) return status;
  for (int i = 0; i < s->n_case - 1; i++) {
    if (strcmp(s->kase[i].j.name, c->j.name) != 0) continue;
    if (!implied) {
      return json_fail(b->at, err, "two cases are called \"%s\": give one block a \"name\"",
                       c->j.name);
    }
    cJSON_Delete(c->changes);
    s->n_case--;
    return STATUS_OK;
  }
  return STATUS_OK;
}

// relax needs a first pass: the same case with another strategy
static Status add_first_pass(Block *b, const cJSON *const pick[N_KIND], Error *err) {
  const cJSON *first[N_KIND];
  memcpy(first, pick, sizeof first);
  JsonAt relax = json_find(b->r->root, "relax"), at = json_find(&relax, "first");
  cJSON *made = NULL;
  first[STRATEGY] = at.node;
  if (!at.node) first[STRATEGY] = made = cJSON_CreateString("continuation");
  if (!first[STRATEGY]) return error_no_memory(err);
  if (is_relax(first[STRATEGY])) return json_fail(&at, err, "the first pass can't be \"relax\"");
  Status status = add_case(b, first, true, err);
  cJSON_Delete(made);
  return status;
}

// ---- blocks -------------------------------------------------------------------------------------

// all combinations, the last kind fastest; relaxed ones after all others
static Status expand(Block *b, bool relax, Error *err) {
  long long n = 1;
  for (int k = 0; k < N_KIND; k++) n *= b->list[k].n ? b->list[k].n : 1;
  if (n > MAX_CASES) return json_fail(b->at, err, "%lld cases, at most %d", n, MAX_CASES);
  for (long long i = 0; i < n; i++) {
    const cJSON *pick[N_KIND] = {NULL};
    long long rest = i;
    for (int k = N_KIND - 1; k >= 0; k--) {
      if (!b->list[k].n) continue;
      pick[k] = b->list[k].value[rest % b->list[k].n];
      rest /= b->list[k].n;
    }
    bool relaxed = pick[STRATEGY] && is_relax(pick[STRATEGY]);
    if (relaxed && !relax && add_first_pass(b, pick, err)) return err->code;
    if (relaxed == relax && add_case(b, pick, false, err)) return err->code;
  }
  return STATUS_OK;
}

static Status read_block(SweepReader *r, const JsonAt *at, const JsonAt *costs, bool relax,
                         Error *err) {
  if (!json_keys_check(at, &sweep_keys_case, err)) return err->code;
  Block b = {.r = r, .at = at, .costs = costs, .made = cJSON_CreateArray()};
  Status status = b.made ? STATUS_OK : error_no_memory(err);
  for (int k = 0; k < N_KIND && status == STATUS_OK; k++) status = read_list(&b, (Kind)k, err);
  if (status == STATUS_OK) status = change_forms(&b, err);
  if (status == STATUS_OK) status = expand(&b, relax, err);
  cJSON_Delete(b.made);
  return status;
}

Status sweep_read_cases(SweepReader *r, Error *err) {
  Sweep *s = r->s;
  JsonAt at = json_find(r->root, "cases"), costs = json_find(r->root, "costs");
  s->kase = arena_array(s->arena, MAX_CASES, sizeof *s->kase);
  if (!s->kase) return error_no_memory(err);
  if (at.node && json_count(&at) == 0) return json_fail(&at, err, "is empty: leave it out");
  for (JsonAt e = json_first(&costs); e.node; json_next(&e)) {
    if (strcmp(e.key, "comment") != 0 && !json_object(&e, err)) return err->code;
  }
  cJSON *plain = cJSON_CreateObject();  // no cases: the task as it is
  if (!plain) return error_no_memory(err);
  JsonAt none = json_root(plain, s->path);
  Status status = STATUS_OK;
  for (int relax = 0; relax < 2 && status == STATUS_OK; relax++) {
    for (JsonAt e = json_first(&at); e.node && status == STATUS_OK; json_next(&e)) {
      status = read_block(r, &e, &costs, relax, err);
    }
    if (!at.node && !relax) status = read_block(r, &none, &costs, false, err);
  }
  cJSON_Delete(plain);
  return status;
}
