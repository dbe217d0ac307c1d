// SPDX-License-Identifier: MIT
#include "cli/states.h"

#include <string.h>

#include "base/json_at.h"
#include "base/nearest.h"

static bool read_by_name(const JsonAt *at, const Model *m, double *out, Error *err) {
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    int i = model_find_joint(m, e.key);
    if (i < 0) {
      const char **names = arena_array(m->arena, (size_t)m->nv, sizeof *names);
      if (!names) return error_no_memory(err), false;
      for (int k = 0; k < m->nv; k++) names[k] = m->joint[k].name;
      const char *near = nearest_name(e.key, names, m->nv);
      json_fail(&e, err, "%s has no joint \"%s\"%s%s%s", m->name, e.key,
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
      return false;
    }
    if (!json_number(&e, &out[i], err)) return false;
  }
  return true;
}

// One vector of joint values; `hint` names what is needed for whom.
static bool read_vector(const JsonAt *state, const char *key, const Model *m, double *out,
                        Error *err) {
  JsonAt at = json_find(state, key);
  if (json_type(&at) == JSON_OBJECT) return read_by_name(&at, m, out, err);
  if (json_type(&at) == JSON_ARRAY && json_count(&at) != m->nv) {
    json_fail(&at, err, "has %d numbers, but %s has %d joints (poise check prints their order)",
              json_count(&at), m->name, m->nv);
    return false;
  }
  return json_numbers(&at, m->nv, out, err);
}

static bool read_states(States *s, const JsonAt *root, const Model *m, const char *key,
                        Error *err) {
  if (!json_array(root, err)) return false;
  s->n = json_count(root);
  if (s->n == 0) return json_fail(root, err, "has no states"), false;
  size_t size = (size_t)s->n * (size_t)m->nv;
  s->q = arena_array(s->arena, size, sizeof *s->q);
  s->v = arena_array(s->arena, size, sizeof *s->v);
  s->x = arena_array(s->arena, size, sizeof *s->x);
  if (!s->q || !s->v || !s->x) return error_no_memory(err), false;
  size_t at = 0;
  for (JsonAt e = json_first(root); e.node; json_next(&e), at += (size_t)m->nv) {
    if (!json_object(&e, err) || !read_vector(&e, "q", m, s->q + at, err) ||
        !read_vector(&e, "v", m, s->v + at, err) || !read_vector(&e, key, m, s->x + at, err)) {
      return false;
    }
  }
  return true;
}

Status states_load(States **out, const char *path, const Model *m, const char *key, Error *err) {
  *out = NULL;
  struct cJSON *doc = json_load(path, err);
  if (!doc) return err->code;
  Arena *arena = arena_new();
  States *s = arena_alloc(arena, sizeof *s);
  bool ok = false;
  if (s) {
    s->arena = arena;
    JsonAt root = json_root(doc, path);
    ok = read_states(s, &root, m, key, err);
  } else {
    error_no_memory(err);
  }
  json_free(doc);
  if (ok) *out = s;
  else arena_free(arena);
  return ok ? STATUS_OK : err->code;
}

void states_free(States *s) {
  if (s) arena_free(s->arena);
}
