// SPDX-License-Identifier: MIT
// The task of one run: the base task with the changes of its case and of its point, as text and as a key.
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sweep/journal_internal.h"
#include "sweep/sweep_internal.h"

enum { WORD = 128, HASHED_BYTES = 256 << 20 };

// ---- paths --------------------------------------------------------------------------------------

// One step of a path: a word, or an index in brackets.
typedef struct Step {
  char word[WORD];
  int index;  // -1: a word
} Step;

// takes a step off the path; 1: taken, 0: at the end, -1: not a path
static int next_step(const char **path, bool first, Step *step) {
  const char *p = *path;
  if (!*p) return first ? -1 : 0;
  step->index = -1;
  if (*p == '[') {
    char *after = NULL;
    if (!isdigit((unsigned char)p[1])) return -1;
    long index = strtol(p + 1, &after, 10);
    if (*after != ']' || index > 1000000) return -1;
    step->index = (int)index;
    *path = after + 1;
    return first ? -1 : 1;
  }
  if (!first && *p++ != '.') return -1;
  size_t n = strcspn(p, ".[");
  if (n == 0 || n >= WORD) return -1;
  memcpy(step->word, p, n);
  step->word[n] = '\0';
  *path = p + n;
  return 1;
}

static cJSON *child(cJSON *at, const Step *step) {
  if (step->index >= 0) return cJSON_IsArray(at) ? cJSON_GetArrayItem(at, step->index) : NULL;
  return cJSON_IsObject(at) ? cJSON_GetObjectItemCaseSensitive(at, step->word) : NULL;
}

// the names of IPOPT's options may have dots: behind "solver." there is one word
static bool whole_word(const char *path, Step *step) {
  if (strncmp(path, ".", 1) != 0 || strlen(path) < 2 || strlen(path) > WORD) return false;
  snprintf(step->word, sizeof step->word, "%s", path + 1);
  step->index = -1;
  return true;
}

cJSON *sweep_get_path(cJSON *task, const char *path) {
  Step step;
  cJSON *at = task;
  for (bool first = true; at && *path; first = false) {
    if (next_step(&path, first, &step) != 1) return NULL;
    at = child(at, &step);
  }
  return at;
}

// an object at this place: made where there is nothing, and out of the short spelling "strategy": "cold"
static cJSON *open_object(cJSON *parent, const Step *step, cJSON *there) {
  if (there && !(cJSON_IsString(there) && step->index < 0 &&
                 (strcmp(step->word, "strategy") == 0 || strcmp(step->word, "guess") == 0))) {
    return there;
  }
  if (step->index >= 0) return NULL;
  cJSON *object = cJSON_CreateObject();
  if (!object) return NULL;
  if (there) cJSON_AddStringToObject(object, "kind", there->valuestring);
  if (there) cJSON_ReplaceItemInObjectCaseSensitive(parent, step->word, object);
  else cJSON_AddItemToObject(parent, step->word, object);
  return object;
}

static Status bad_path(const JsonAt *at, const char *path, const char *why, Error *err) {
  return json_fail(at, err, "\"%.100s\" is no path of the task: %s", path, why);
}

// puts the value at the last step
static Status put(cJSON *at, const Step *step, const char *path, const cJSON *value,
                  const JsonAt *where, Error *err) {
  bool fits = step->index >= 0 ? cJSON_IsArray(at) : cJSON_IsObject(at);
  if (!fits) {
    return bad_path(where, path,
                    step->index >= 0 ? "there is no array there"
                                     : "it goes into a value that is no object",
                    err);
  }
  if (step->index >= cJSON_GetArraySize(at) && step->index >= 0) {
    return bad_path(where, path, "the array is shorter", err);
  }
  cJSON *copy = cJSON_Duplicate(value, true);
  if (!copy) return error_no_memory(err);
  if (step->index >= 0) cJSON_ReplaceItemInArray(at, step->index, copy);
  else if (cJSON_GetObjectItemCaseSensitive(at, step->word)) {
    cJSON_ReplaceItemInObjectCaseSensitive(at, step->word, copy);
  } else {
    cJSON_AddItemToObject(at, step->word, copy);
  }
  return STATUS_OK;
}

Status sweep_set_path(cJSON *task, const char *path, const cJSON *value, const JsonAt *where,
                      Error *err) {
  Step step, next;
  const char *rest = path;
  cJSON *at = task;
  if (next_step(&rest, true, &step) != 1) {
    return bad_path(where, path, "write words with dots between, and [i]", err);
  }
  while (*rest) {
    bool solver = at == task && strcmp(step.word, "solver") == 0;
    cJSON *object = open_object(at, &step, child(at, &step));
    if (!object) return bad_path(where, path, "it leads through a place that is not there", err);
    if (solver && whole_word(rest, &next)) rest = "";
    else if (next_step(&rest, false, &next) != 1) {
      return bad_path(where, path, "write words with dots between, and [i]", err);
    }
    at = object;
    step = next;
  }
  return put(at, &step, path, value, where, err);
}

// ---- text ---------------------------------------------------------------------------------------

// numbers exactly; the library's own printing drops the last digit
static void print(TextBuf *b, const cJSON *x) {
  if (cJSON_IsNumber(x)) {
    if (isfinite(x->valuedouble)) textbuf_add_double(b, x->valuedouble);
    else textbuf_add(b, "null");
  } else if (cJSON_IsString(x)) {
    textbuf_add_json_string(b, x->valuestring);
  } else if (cJSON_IsBool(x)) {
    textbuf_add(b, cJSON_IsTrue(x) ? "true" : "false");
  } else if (cJSON_IsArray(x) || cJSON_IsObject(x)) {
    textbuf_add(b, cJSON_IsArray(x) ? "[" : "{");
    for (const cJSON *e = x->child; e; e = e->next) {
      if (e != x->child) textbuf_add(b, ", ");
      if (cJSON_IsObject(x)) {
        textbuf_add_json_string(b, e->string);
        textbuf_add(b, ": ");
      }
      print(b, e);
    }
    textbuf_add(b, cJSON_IsArray(x) ? "]" : "}");
  } else {
    textbuf_add(b, "null");
  }
}

// ---- one run ------------------------------------------------------------------------------------

int sweep_place(const Sweep *s, int point, int axis) {
  for (int i = s->n_axis - 1; i > axis; i--) point /= s->axis[i].n_value;
  return point % s->axis[axis].n_value;
}

static Status apply_target(const Sweep *s, int point, cJSON *task, const JsonAt *where,
                           Error *err) {
  double c[3] = {s->coordinate[0], s->coordinate[1], s->coordinate[2]}, x[3];
  for (int i = 0; i < s->n_axis; i++) {
    int k = s->way[i].coordinate;
    if (k >= 0) c[k] = s->axis[i].value[sweep_place(s, point, i)];
  }
  bool round = s->target == SWEEP_CYLINDRICAL;
  x[0] = round ? c[0] * cos(c[1]) : c[0];
  x[1] = round ? c[0] * sin(c[1]) : c[1];
  x[2] = c[2];
  cJSON *position = cJSON_CreateDoubleArray(x, 3);
  if (!position) return error_no_memory(err);
  Status status = sweep_set_path(task, "goal.position", position, where, err);
  cJSON_Delete(position);
  return status;
}

static Status apply(const Sweep *s, int point, int kase, cJSON *task, Error *err) {
  char name[256];
  sweep_describe(s, point, kase, name, sizeof name);
  JsonAt where = json_root(s->doc, name);
  Status status = STATUS_OK;
  const cJSON *changes = kase >= 0 ? s->kase[kase].changes->child : NULL;
  for (const cJSON *e = changes; e && status == STATUS_OK; e = e->next) {
    status = sweep_set_path(task, e->string, e, &where, err);
  }
  for (int i = 0; i < s->n_axis && status == STATUS_OK; i++) {
    const SweepAxis *a = &s->way[i];
    if (a->coordinate >= 0) continue;
    status = sweep_set_path(task, a->key, a->json[sweep_place(s, point, i)], &where, err);
  }
  if (status == STATUS_OK && s->target != SWEEP_NO_TARGET) {
    status = apply_target(s, point, task, &where, err);
  }
  return status;
}

// the bytes of a file that the task names; one that can't be read is found out when the task is
static uint64_t hash_file(uint64_t h, const Sweep *s, const cJSON *name) {
  if (!cJSON_IsString(name)) return h;
  char path[4096];
  snprintf(path, sizeof path, "%s%s", *name->valuestring == '/' ? "" : s->task_folder,
           name->valuestring);
  Error ignored = {0};
  size_t n = 0;
  char *bytes = file_read(path, HASHED_BYTES, &n, &ignored);
  if (bytes) h = journal_hash(h, bytes, n);
  free(bytes);
  return h;
}

static uint64_t hash_task(const Sweep *s, int point, int kase, cJSON *task, const TextBuf *text) {
  uint64_t h = journal_hash(JOURNAL_HASH_BEGIN, text->text, text->len);
  const char *name = kase >= 0 ? s->kase[kase].j.name : "";
  h = journal_hash(h, name, strlen(name));
  for (int i = 0; i < s->n_axis; i++) {
    const double *value = &s->axis[i].value[sweep_place(s, point, i)];
    h = journal_hash(h, s->axis[i].name, strlen(s->axis[i].name));
    if (!s->axis[i].n_label) h = journal_hash(h, value, sizeof *value);
  }
  h = journal_hash(h, &s->robot_hash, sizeof s->robot_hash);
  h = hash_file(h, s, sweep_get_path(task, "guess.file"));
  const cJSON *terms = cJSON_GetObjectItemCaseSensitive(task, "terms");
  for (const cJSON *e = terms ? terms->child : NULL; e; e = e->next) {
    h = hash_file(h, s, cJSON_GetObjectItemCaseSensitive(e, "library"));
  }
  return h ? h : 1;  // 0 means none
}

Status sweep_resolve(const Sweep *s, int point, int kase, TextBuf *b, uint64_t *key, Error *err) {
  cJSON *task = cJSON_Duplicate(s->task, true);
  if (!task) return error_no_memory(err);
  Status status = apply(s, point, kase, task, err);
  TextBuf text = {0};
  if (status == STATUS_OK) {
    print(&text, task);
    if (text.failed) status = error_no_memory(err);
  }
  if (status == STATUS_OK && key) *key = hash_task(s, point, kase, task, &text);
  if (status == STATUS_OK && b) textbuf_add(b, text.text);
  textbuf_free(&text);
  cJSON_Delete(task);
  return status;
}

char *sweep_task(const Sweep *s, int point, int kase, Error *err) {
  TextBuf b = {0};
  Status status = sweep_resolve(s, point, kase, &b, NULL, err);
  if (status == STATUS_OK && b.failed) error_no_memory(err);
  if (status == STATUS_OK && !b.failed) return b.text;
  textbuf_free(&b);
  return NULL;
}

void sweep_describe(const Sweep *s, int point, int kase, char *out, size_t size) {
  int n = snprintf(out, size, "%s (", s->path);
  for (int i = 0; i < s->n_axis && n > 0 && (size_t)n < size; i++) {
    const JournalAxis *a = &s->axis[i];
    int k = sweep_place(s, point, i);
    if (a->n_label) {
      n += snprintf(out + n, size - (size_t)n, "%s = %s%s", a->name, a->label[(int)a->value[k]],
                    i + 1 < s->n_axis ? ", " : "");
    } else {
      n += snprintf(out + n, size - (size_t)n, "%s = %.6g%s", a->name, a->value[k],
                    i + 1 < s->n_axis ? ", " : "");
    }
  }
  if (n > 0 && (size_t)n < size) {
    const char *name = kase >= 0 && s->kase[kase].j.name ? s->kase[kase].j.name : "";
    snprintf(out + n, size - (size_t)n, "%s%s)", s->n_axis && *name ? "; " : "", name);
  }
}

Status sweep_ocp(Ocp **out, const Sweep *s, int point, int kase, Error *err) {
  *out = NULL;
  char *text = sweep_task(s, point, kase, err);
  if (!text) return err->code;
  char name[256];
  sweep_describe(s, point, kase, name, sizeof name);
  Status status = ocp_parse(out, text, name, s->task_folder, err);
  free(text);
  return status;
}
