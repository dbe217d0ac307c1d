// SPDX-License-Identifier: MIT
// User's terms of a task. Their libraries are loaded here once to see that they fit, and again where
// the problem is built.
#include <math.h>
#include <string.h>

#include "ocp/ocp_block.h"
#include "ocp/ocp_internal.h"

enum { MAX_TERMS = 1000 };

// a name or a path: not empty
static Status read_word(OcpReader *r, const JsonAt *at, const char **out, Error *err) {
  const char *text = NULL;
  if (!json_string(at, &text, err)) return err->code;
  if (!*text) return json_fail(at, err, "is empty");
  *out = arena_strdup(r->o->arena, text);
  return *out ? STATUS_OK : error_no_memory(err);
}

// a number, or null for none
static Status read_one(const JsonAt *at, double open, double *out, Error *err) {
  double largest = ocp_keys_term.largest;
  *out = open;
  if (json_type(at) == JSON_NULL) return STATUS_OK;
  if (!json_number(at, out, err)) return err->code;
  if (fabs(*out) <= largest) return STATUS_OK;
  return json_fail(at, err, "%.12g is out of range: at most %g in size; null for none", *out,
                   largest);
}

// bounds of one side; `open` stands for none, `absent` for a missing key
static Status read_side(const JsonAt *at, int n, double open, double absent, double *out,
                        Error *err) {
  if (json_type(at) == JSON_ARRAY) {
    if (json_count(at) != n) {
      return json_fail(at, err, "has %d numbers; the function has %d row%s", json_count(at), n,
                       n == 1 ? "" : "s");
    }
    for (JsonAt e = json_first(at); e.node; json_next(&e)) {
      if (read_one(&e, open, &out[e.index], err)) return err->code;
    }
    return STATUS_OK;
  }
  double all = absent;
  if (at->node && read_one(at, open, &all, err)) return err->code;
  for (int i = 0; i < n; i++) out[i] = all;
  return STATUS_OK;
}

static Status read_bounds(OcpReader *r, const JsonAt *at, OcpTerm *t, Error *err) {
  JsonAt lower = json_find(at, "lower"), upper = json_find(at, "upper");
  size_t n = (size_t)t->n_row;
  t->lower = arena_array(r->o->arena, n, sizeof *t->lower);
  t->upper = arena_array(r->o->arena, n, sizeof *t->upper);
  if (!t->lower || !t->upper) return error_no_memory(err);
  if (read_side(&lower, t->n_row, -INFINITY, 0.0, t->lower, err)) return err->code;
  if (read_side(&upper, t->n_row, INFINITY, INFINITY, t->upper, err)) return err->code;
  for (int i = 0; i < t->n_row; i++) {
    if (t->lower[i] > t->upper[i]) {
      return json_fail(at, err, "row %d: lower %g%s exceeds upper %g", i, t->lower[i],
                       lower.node ? "" : " (the default)", t->upper[i]);
    }
    if (isinf(t->lower[i]) && isinf(t->upper[i])) {
      return json_fail(at, err, "row %d has neither a lower nor an upper bound", i);
    }
  }
  return STATUS_OK;
}

// keys that belong to another use
static Status check_use(const JsonAt *at, const OcpTerm *t, Error *err) {
  static const char *const keys[3] = {"lower", "upper", "weight"};
  for (int i = 0; i < 3; i++) {
    OcpTermUse use = i < 2 ? OCP_TERM_CONSTRAINT : OCP_TERM_COST;
    JsonAt key = json_find(at, keys[i]);
    if (!key.node || t->use == use) continue;
    return json_fail(&key, err, "is for a %s only, and this is used as %s", ocp_term_use_names[use],
                     ocp_term_use_names[t->use]);
  }
  return STATUS_OK;
}

// loads the functions, for their size and to see that all is well
static Status try_library(OcpReader *r, const JsonAt *at, OcpTerm *t, Error *err) {
  const Model *m = r->o->model;
  Arena *arena = arena_new();
  if (!arena) return error_no_memory(err);
  OcpBlock b;
  Error why = {0};
  Status status = ocp_block_load(&b, arena, t, m->nv, m->nu, &why);
  if (status == STATUS_OK) t->n_row = b.n_row;
  ocp_block_free(&b);
  arena_free(arena);
  if (status == STATUS_OK) return status;
  if (status == STATUS_NO_MEMORY) return error_no_memory(err);
  // what the user wrote is in the task: tell the place there
  return json_fail(at, err, "%s: %s", why.where, why.what);
}

static Status check_dynamics(OcpReader *r, const JsonAt *use, const OcpTerm *t, Error *err) {
  const Ocp *o = r->o;
  for (int i = 0; i < o->n_term; i++) {
    if (o->term[i].use != OCP_TERM_DYNAMICS) continue;
    return json_fail(use, err, "\"%.60s\" gives the dynamics already; only one term can",
                     o->term[i].name);
  }
  if (!o->form->algebraic) return STATUS_OK;
  return json_fail(use, err, OCP_TERM_NEEDS_ODE, t->name, o->form->name);
}

static Status read_term(OcpReader *r, const JsonAt *at, OcpTerm *t, Error *err) {
  if (!json_keys_check(at, &ocp_keys_term, err)) return err->code;
  JsonAt name = json_find(at, "name"), library = json_find(at, "library");
  JsonAt function = json_find(at, "function"), use = json_find(at, "use");
  const char *file = NULL;
  int kind = OCP_TERM_CONSTRAINT;
  if (read_word(r, &library, &file, err)) return err->code;
  if (read_word(r, &function, &t->function, err)) return err->code;
  t->name = t->function;
  if (name.node && read_word(r, &name, &t->name, err)) return err->code;
  t->library = ocp_resolve(r, file);
  if (!t->library) return error_no_memory(err);
  if (ocp_read_choice(&use, "use", ocp_term_use_names, N_OCP_TERM_USES, &kind, err)) {
    return err->code;
  }
  t->use = (OcpTermUse)kind;
  if (check_use(at, t, err)) return err->code;
  if (t->use == OCP_TERM_DYNAMICS && check_dynamics(r, &use, t, err)) return err->code;
  if (!json_keys_number(at, &ocp_keys_term, "weight", &t->weight, err)) return err->code;
  if (try_library(r, at, t, err)) return err->code;
  return t->use == OCP_TERM_CONSTRAINT ? read_bounds(r, at, t, err) : STATUS_OK;
}

Status ocp_read_terms(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  JsonAt at = json_find(&r->root, "terms");
  int n = json_count(&at);
  if (n > MAX_TERMS) return json_fail(&at, err, "%d terms, at most %d are allowed", n, MAX_TERMS);
  o->term = arena_array(o->arena, (size_t)n, sizeof *o->term);
  if (!o->term) return error_no_memory(err);
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    if (read_term(r, &e, &o->term[e.index], err)) return err->code;
    o->n_term = e.index + 1;
  }
  return STATUS_OK;
}
