// SPDX-License-Identifier: MIT
// Sweep files: docs/sweep.md; the keys are in sweep_keys.c. Here all but the cases.
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nearest.h"
#include "sweep/journal_internal.h"
#include "sweep/sweep_internal.h"
#include "sweep/sweep_keys.h"

enum { MAX_VALUES = 1000000, MAX_POINTS = 10000000, ROBOT_BYTES = 16 << 20 };

// ---- base task ----------------------------------------------------------------------------------

static void drop_comments(cJSON *x) {
  if (cJSON_IsObject(x)) cJSON_DeleteItemFromObjectCaseSensitive(x, "comment");
  for (cJSON *e = x->child; e; e = e->next) drop_comments(e);
}

// the part of a path up to its last slash, with it
static const char *folder_of(Arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = arena_alloc(arena, n + 1);
  if (folder) memcpy(folder, path, n);
  return folder;
}

static const char *join(Arena *arena, const char *folder, const char *file) {
  if (*file == '/') folder = "";
  size_t room = strlen(folder) + strlen(file) + 1;
  char *path = arena_alloc(arena, room);
  if (path) snprintf(path, room, "%s%s", folder, file);
  return path;
}

static Status read_task(SweepReader *r, Error *err) {
  Sweep *s = r->s;
  JsonAt at = json_find(r->root, "task");
  const char *file = NULL;
  if (!json_string(&at, &file, err)) return err->code;
  if (!*file) return json_fail(&at, err, "empty; must be the path of a task file");
  const char *folder = folder_of(s->arena, s->path);
  s->task_path = folder ? join(s->arena, folder, file) : NULL;
  s->task_folder = s->task_path ? folder_of(s->arena, s->task_path) : NULL;
  if (!s->task_folder) return error_no_memory(err);
  if (access(s->task_path, R_OK) != 0) {
    return json_fail(&at, err, "can't read task file \"%s\"", s->task_path);
  }
  // the task alone must be good before anything is changed in it
  Ocp *o = NULL;
  Status status = ocp_load(&o, s->task_path, err);
  if (status != STATUS_OK) return status;
  size_t n = 0;
  char *robot = file_read(o->model->path, ROBOT_BYTES, &n, err);
  ocp_free(o);
  if (!robot) return err->code;
  s->robot = arena_strdup(s->arena, robot);
  s->robot_hash = journal_hash(JOURNAL_HASH_BEGIN, robot, n);
  free(robot);
  s->task = json_load(s->task_path, err);
  if (!s->task) return err->code;
  drop_comments(s->task);
  cJSON_DeleteItemFromObjectCaseSensitive(s->task, "name");
  return s->robot ? STATUS_OK : error_no_memory(err);
}

// ---- axes ---------------------------------------------------------------------------------------

static Status read_linspace(Sweep *s, const JsonAt *at, JournalAxis *a, SweepAxis *w, Error *err) {
  double x[3];
  if (!json_numbers(at, 3, x, err)) return err->code;
  int n = (int)x[2];
  if (x[2] != n || n < 1 || n > MAX_VALUES) {
    return json_fail(at, err, "%g values: must be a whole number from 1 to %d", x[2], MAX_VALUES);
  }
  if (n == 1 && x[0] != x[1])
    return json_fail(at, err, "one value can't be both %g and %g", x[0], x[1]);
  a->n_value = n;
  a->value = arena_array(s->arena, (size_t)n, sizeof *a->value);
  w->json = arena_array(s->arena, (size_t)n, sizeof(void *));
  if (!a->value || !w->json) return error_no_memory(err);
  for (int i = 0; i < n; i++) {
    // symmetric: values from both ends are exact opposites where the ends are
    a->value[i] = n == 1 ? x[0] : ((n - 1 - i) * x[0] + i * x[1]) / (n - 1);
    a->value[i] += 0.0;
    w->json[i] = cJSON_CreateNumber(a->value[i]);
    if (!w->json[i]) return error_no_memory(err);
    cJSON_AddItemToArray(cJSON_GetObjectItem(s->doc, " kept"), w->json[i]);
  }
  return STATUS_OK;
}

// the JSON text of a value
static char *text_of(const JsonAt *at) {
  return cJSON_PrintUnformatted(at->node);
}

static Status read_values(Sweep *s, const JsonAt *at, JournalAxis *a, SweepAxis *w, Error *err) {
  size_t n = (size_t)json_count(at);
  if (n == 0) return json_fail(at, err, "is empty: an axis needs a value");
  if (n > MAX_VALUES) return json_fail(at, err, "more than %d values", MAX_VALUES);
  a->value = arena_array(s->arena, n, sizeof *a->value);
  w->json = arena_array(s->arena, n, sizeof(void *));
  const char **label = arena_array(s->arena, n, sizeof *label);
  if (!a->value || !w->json || !label) return error_no_memory(err);
  bool numbers = true;
  for (JsonAt e = json_first(at); e.node; json_next(&e)) numbers &= json_type(&e) == JSON_NUMBER;
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    char *text = text_of(&e);
    label[e.index] = text ? arena_strdup(s->arena, text) : NULL;
    cJSON_free(text);
    if (!label[e.index]) return error_no_memory(err);
    a->value[e.index] = e.index;
    if (numbers && !json_number(&e, &a->value[e.index], err)) return err->code;
    a->value[e.index] += 0.0;
    for (int i = 0; i < e.index; i++) {
      bool twice = numbers ? a->value[i] == a->value[e.index]
                           : strcmp(label[i], label[e.index]) == 0;
      if (twice) return json_fail(&e, err, "%.60s is there twice", label[e.index]);
    }
    w->json[e.index] = cJSON_GetArrayItem(at->node, e.index);
    a->n_value++;
  }
  if (!numbers) {
    a->label = label;
    a->n_label = a->n_value;
  }
  return STATUS_OK;
}

// the last word of a path
static const char *last_word(Arena *arena, const char *path) {
  const char *end = path + strcspn(path, "[");
  const char *begin = end;
  while (begin > path && begin[-1] != '.') begin--;
  if (strchr(path, '[')) begin = path;  // "position[2]" alone would say little
  return arena_strdup(arena, begin);
}

static Status read_coordinate(Sweep *s, const JsonAt *at, const char *word, int *out, Error *err) {
  static const char *const names[] = {"x", "y", "r", "phi", "z"};
  static const int place[] = {0, 1, 0, 1, 2};
  for (int i = 0; i < 5; i++) {
    if (strcmp(word, names[i]) != 0) continue;
    SweepTarget kind = i < 2 ? SWEEP_CARTESIAN : i < 4 ? SWEEP_CYLINDRICAL : SWEEP_NO_TARGET;
    if (kind != SWEEP_NO_TARGET && s->target != SWEEP_NO_TARGET && s->target != kind) {
      return json_fail(at, err, "\"%s\": a target is given by x, y, z or by r, phi, z", word);
    }
    if (kind != SWEEP_NO_TARGET) s->target = kind;
    *out = place[i];
    return STATUS_OK;
  }
  const char *near = nearest_name(word, names, 5);
  return json_fail(at, err, "unknown coordinate \"%.40s\" of the target; %s%s%s", word,
                   near ? "did you mean " : "known: x, y, z, r, phi", near ? near : "",
                   near ? "?" : "");
}

// a path that leads nowhere is found here, where it is written
static Status try_path(Sweep *s, const JsonAt *key, const SweepAxis *w, Error *err) {
  cJSON *scratch = cJSON_Duplicate(s->task, true);
  if (!scratch) return error_no_memory(err);
  Status status = sweep_set_path(scratch, w->key, w->json[0], key, err);
  cJSON_Delete(scratch);
  return status;
}

static Status read_axis(SweepReader *r, const JsonAt *at, int i, Error *err) {
  Sweep *s = r->s;
  JournalAxis *a = &s->axis[i];
  SweepAxis *w = &s->way[i];
  if (!json_keys_check(at, &sweep_keys_axis, err)) return err->code;
  JsonAt key = json_find(at, "key"), name = json_find(at, "name"), unit = json_find(at, "unit");
  JsonAt values = json_find(at, "values"), linspace = json_find(at, "linspace");
  if (!json_string(&key, &w->key, err)) return err->code;
  a->unit = "";
  if (unit.node && !json_string(&unit, &a->unit, err)) return err->code;
  a->name = name.node ? NULL : last_word(s->arena, w->key);
  if (name.node && !json_string(&name, &a->name, err)) return err->code;
  if (!a->name) return error_no_memory(err);
  if (!*a->name) return json_fail(name.node ? &name : &key, err, "is empty");
  for (int k = 0; k < i; k++) {
    if (strcmp(s->axis[k].name, a->name) == 0) {
      return json_fail(at, err, "two axes are called \"%s\": give one another \"name\"", a->name);
    }
  }
  w->coordinate = -1;
  if (strncmp(w->key, "target.", 7) == 0 &&
      read_coordinate(s, &key, w->key + 7, &w->coordinate, err)) {
    return err->code;
  }
  if ((values.node != NULL) == (linspace.node != NULL)) {
    return json_fail(at, err, "needs either \"values\" or \"linspace\"%s",
                     values.node ? ", not both" : "");
  }
  Status status = values.node ? read_values(s, &values, a, w, err)
                              : read_linspace(s, &linspace, a, w, err);
  if (status != STATUS_OK) return status;
  if (w->coordinate >= 0 && a->n_label) {
    return json_fail(&values, err, "a coordinate must be a number");
  }
  return w->coordinate < 0 ? try_path(s, &key, w, err) : STATUS_OK;
}

static Status read_axes(SweepReader *r, Error *err) {
  Sweep *s = r->s;
  JsonAt at = json_find(r->root, "axes");
  int n = json_count(&at);
  if (n > JOURNAL_MAX_AXES) return json_fail(&at, err, "%d axes, at most %d", n, JOURNAL_MAX_AXES);
  s->axis = arena_array(s->arena, (size_t)n + 1, sizeof *s->axis);
  s->way = arena_array(s->arena, (size_t)n + 1, sizeof *s->way);
  cJSON *kept = cJSON_CreateArray();  // values that are made here live with the file's
  if (!s->axis || !s->way || !kept) return error_no_memory(err);
  cJSON_AddItemToObject(s->doc, " kept", kept);
  s->n_point = 1;
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    if (read_axis(r, &e, e.index, err)) return err->code;
    s->n_axis++;
    if ((double)s->n_point * s->axis[e.index].n_value > MAX_POINTS) {
      return json_fail(&at, err, "more than %d points", MAX_POINTS);
    }
    s->n_point *= s->axis[e.index].n_value;
  }
  return STATUS_OK;
}

// ---- target -------------------------------------------------------------------------------------

// coordinates that neither an axis nor the file gives are those of the task
static Status default_target(Sweep *s, const JsonAt *at, const bool given[3], Error *err) {
  static const char *const names[2][3] = {{"x", "y", "z"}, {"r", "phi", "z"}};
  bool round = s->target == SWEEP_CYLINDRICAL;
  const cJSON *position = sweep_get_path(s->task, "goal.position");
  if (!sweep_get_path(s->task, "goal.frame")) {
    return json_fail(at, err, "the task %s has no goal.frame: whose position is the target?",
                     s->task_path);
  }
  double x[3];
  bool known[3];
  for (int k = 0; k < 3; k++) {
    static const char *const xyz[3] = {"x", "y", "z"};
    const cJSON *e = cJSON_IsArray(position) ? cJSON_GetArrayItem(position, k)
                                             : cJSON_GetObjectItemCaseSensitive(position, xyz[k]);
    known[k] = cJSON_IsNumber(e);
    x[k] = known[k] ? e->valuedouble : 0;
  }
  double own[3] = {round ? hypot(x[0], x[1]) : x[0], round ? atan2(x[1], x[0]) : x[1], x[2]};
  for (int k = 0; k < 3; k++) {
    if (given[k]) continue;
    bool there = round && k < 2 ? known[0] && known[1] : known[k];
    if (!there) {
      return json_fail(at, err, "\"%s\" is given neither here nor by an axis, nor by the task",
                       names[round][k]);
    }
    s->coordinate[k] = own[k];
  }
  return STATUS_OK;
}

static Status read_target(SweepReader *r, Error *err) {
  Sweep *s = r->s;
  JsonAt at = json_find(r->root, "target");
  if (at.node && !json_keys_check(&at, &sweep_keys_target, err)) return err->code;
  bool given[3] = {false}, any = false;
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    int k = 0;
    if (strcmp(e.key, "comment") == 0) continue;
    if (read_coordinate(s, &e, e.key, &k, err)) return err->code;
    if (!json_number(&e, &s->coordinate[k], err)) return err->code;
    given[k] = any = true;
  }
  for (int i = 0; i < s->n_axis; i++) {
    int k = s->way[i].coordinate;
    if (k < 0) continue;
    if (given[k]) {
      return json_fail(&at, err, "the axis \"%s\" gives a coordinate that is given already",
                       s->axis[i].name);
    }
    given[k] = any = true;
  }
  if (any && s->target == SWEEP_NO_TARGET) s->target = SWEEP_CARTESIAN;  // z alone
  return any ? default_target(s, at.node ? &at : r->root, given, err) : STATUS_OK;
}

// ---- the rest -----------------------------------------------------------------------------------

static Status read_name(SweepReader *r, Error *err) {
  Sweep *s = r->s;
  JsonAt at = json_find(r->root, "name");
  if (at.node && !json_string(&at, &s->name, err)) return err->code;
  if (at.node && !*s->name) return json_fail(&at, err, "name is empty");
  if (s->name) return STATUS_OK;
  const char *slash = strrchr(s->path, '/');
  char *name = arena_strdup(s->arena, slash ? slash + 1 : s->path);
  if (!name) return error_no_memory(err);
  size_t n = strlen(name);
  if (n > 5 && strcmp(name + n - 5, ".json") == 0) name[n - 5] = '\0';
  s->name = name;
  return STATUS_OK;
}

static Status read_options(SweepReader *r, Error *err) {
  Sweep *s = r->s;
  const JsonKeys *keys = &sweep_keys_relax;
  if (!json_keys_number(r->root, &sweep_keys_sweep, "timeout", &s->timeout, err)) return err->code;
  if (!json_keys_bool(r->root, &sweep_keys_sweep, "refine", &s->refine, err)) return err->code;
  JsonAt at = json_find(r->root, "trajectories"), relax = json_find(r->root, "relax");
  const char *word = "single";
  if (at.node && !json_string(&at, &word, err)) return err->code;
  s->keep = strcmp(word, "none") != 0;
  s->single = strcmp(word, "single") == 0;
  if (s->keep && !s->single && strcmp(word, "double") != 0) {
    return json_fail(&at, err, "unknown value \"%.40s\"; one of single, double, none", word);
  }
  if (relax.node && !json_keys_check(&relax, keys, err)) return err->code;
  double rounds = 0;
  if (!json_keys_number(&relax, keys, "rounds", &rounds, err)) return err->code;
  if (!json_keys_number(&relax, keys, "tolerance", &s->relax.tolerance, err)) return err->code;
  if (!json_keys_bool(&relax, keys, "mirror", &s->relax.mirror, err)) return err->code;
  s->relax.rounds = (int)rounds;
  if (rounds != s->relax.rounds || rounds < 1 || rounds > 10000) {
    JsonAt e = json_find(&relax, "rounds");
    return json_fail(&e, err, "%g is out of range: a whole number from 1 to 10000", rounds);
  }
  return STATUS_OK;
}

static Status read_sweep(SweepReader *r, Error *err) {
  if (!json_keys_check(r->root, &sweep_keys_sweep, err)) return err->code;
  if (read_name(r, err)) return err->code;
  if (read_task(r, err)) return err->code;
  if (read_options(r, err)) return err->code;
  if (read_axes(r, err)) return err->code;
  if (read_target(r, err)) return err->code;
  if (sweep_read_cases(r, err)) return err->code;
  Ocp *o = NULL;
  if (sweep_ocp(&o, r->s, 0, 0, err)) return err->code;
  Status status = sweep_mirror_find(r->s, o, err);
  ocp_free(o);
  return status == STATUS_OK ? sweep_mirror_pair(r->s, err) : status;
}

Status sweep_load(Sweep **out, const char *path, const SweepChange *change, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  Sweep *s = arena_alloc(arena, sizeof *s);
  const char *copy = arena_strdup(arena, path);
  if (!s || !copy) {
    arena_free(arena);
    return error_no_memory(err);
  }
  s->arena = arena;
  s->path = copy;
  s->doc = json_load(path, err);
  Status status = s->doc ? STATUS_OK : err->code;
  if (status == STATUS_OK) {
    JsonAt root = json_root(s->doc, s->path);
    SweepReader r = {.s = s, .root = &root, .change = change};
    status = read_sweep(&r, err);
  }
  if (status == STATUS_OK) *out = s;
  else sweep_free(s);
  return status;
}

void sweep_free(Sweep *s) {
  if (!s) return;
  for (int i = 0; i < s->n_case; i++) cJSON_Delete(s->kase[i].changes);
  json_free(s->doc);
  json_free(s->task);
  arena_free(s->arena);
}
