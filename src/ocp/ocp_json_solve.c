// SPDX-License-Identifier: MIT
// How a task is to be solved: guess, strategy, options for the solver.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/textbuf.h"
#include "ocp/ocp_internal.h"

enum { MAX_STARTS = 10000, MAX_OPTION = 60, MAX_VALUE = 1000 };
static const double SMOOTHING_FACTOR = 100;  // first weight of a continuation over the wanted one

// A key that belongs to one kind only: refused with another.
static Status only_with(const JsonAt *object, const char *key, bool right, const char *kind,
                        Error *err) {
  JsonAt at = json_find(object, key);
  if (!at.node || right) return STATUS_OK;
  return json_fail(&at, err, "goes with kind \"%s\" only", kind);
}

static Status read_guess_file(OcpReader *r, const JsonAt *at, Error *err) {
  const char *file = NULL;
  if (!at->node) {
    return json_fail(at->parent, err, "kind \"file\" without \"file\": which result?");
  }
  if (!json_string(at, &file, err)) return err->code;
  r->o->guess.path = ocp_resolve(r, file);
  if (!r->o->guess.path) return error_no_memory(err);
  if (access(r->o->guess.path, R_OK) == 0) return STATUS_OK;
  return json_fail(at, err, "can't read result file \"%s\": %s", r->o->guess.path, strerror(errno));
}

static Status read_guess(OcpReader *r, Error *err) {
  OcpGuess *g = &r->o->guess;
  const JsonKeys *keys = &ocp_keys_guess;
  JsonAt at = json_find(&r->root, "guess");
  JsonAt file = json_find(&at, "file"), word = json_find(&at, "kind");
  bool object = json_type(&at) == JSON_OBJECT;
  if (object && !json_keys_check(&at, keys, err)) return err->code;
  int kind = file.node ? OCP_GUESS_FILE : OCP_GUESS_HOLD;
  if (ocp_read_choice(object ? &word : &at, "guess", ocp_guess_names, N_OCP_GUESSES, &kind, err)) {
    return err->code;
  }
  g->kind = (OcpGuessKind)kind;
  bool random = kind == OCP_GUESS_RANDOM;
  if (only_with(&at, "file", kind == OCP_GUESS_FILE, "file", err)) return err->code;
  if (only_with(&at, "seed", random, "random", err)) return err->code;
  if (only_with(&at, "amplitude", random, "random", err)) return err->code;
  if (ocp_read_int(&at, keys, "seed", 0, OCP_MAX_SEED, &g->seed, err)) return err->code;
  if (!json_keys_number(&at, keys, "amplitude", &g->amplitude, err)) return err->code;
  if (kind == OCP_GUESS_FILE && !object) {
    return json_fail(&at, err, "write {\"file\": PATH} to say which result");
  }
  return kind == OCP_GUESS_FILE ? read_guess_file(r, &file, err) : STATUS_OK;
}

static Status read_smoothing(OcpReader *r, const JsonAt *at, Error *err) {
  OcpStrategy *s = &r->o->strategy;
  double wanted = r->o->cost.torque_rate;
  if (!json_keys_number(at, &ocp_keys_strategy, "smoothing_start", &s->smoothing_start, err)) {
    return err->code;
  }
  JsonAt given = json_find(at, "smoothing_start");
  if (!given.node) s->smoothing_start = fmax(s->smoothing_start, SMOOTHING_FACTOR * wanted);
  if (s->smoothing_start > wanted || s->kind != OCP_CONTINUATION) return STATUS_OK;
  return json_fail(&given, err, "%g is not above cost.torque_rate %g, where it should end",
                   s->smoothing_start, wanted);
}

static Status read_strategy(OcpReader *r, Error *err) {
  OcpStrategy *s = &r->o->strategy;
  const JsonKeys *keys = &ocp_keys_strategy;
  JsonAt at = json_find(&r->root, "strategy"), word = json_find(&at, "kind");
  bool object = json_type(&at) == JSON_OBJECT;
  if (object && !json_keys_check(&at, keys, err)) return err->code;
  int kind = r->o->cost.torque_rate > 0 ? OCP_COLD : OCP_CONTINUATION;
  if (ocp_read_choice(object ? &word : &at, "strategy", ocp_strategy_names, N_OCP_STRATEGIES, &kind,
                      err)) {
    return err->code;
  }
  s->kind = (OcpStrategyKind)kind;
  bool multistart = kind == OCP_MULTISTART;
  if (only_with(&at, "smoothing_start", kind == OCP_CONTINUATION, "continuation", err)) {
    return err->code;
  }
  if (only_with(&at, "starts", multistart, "multistart", err)) return err->code;
  if (only_with(&at, "seed", multistart, "multistart", err)) return err->code;
  if (!json_keys_bool(&at, keys, "retry", &s->retry, err)) return err->code;
  if (!json_keys_bool(&at, keys, "refine", &s->refine, err)) return err->code;
  if (ocp_read_int(&at, keys, "starts", 1, MAX_STARTS, &s->n_start, err)) return err->code;
  if (ocp_read_int(&at, keys, "seed", 0, OCP_MAX_SEED, &s->seed, err)) return err->code;
  return read_smoothing(r, &at, err);
}

static bool good_option(const char *name) {
  if (!*name || strlen(name) > MAX_OPTION) return false;
  for (const char *c = name; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.' && *c != '-') return false;
  }
  return true;
}

// the value as text: IPOPT says yes and no
static Status read_value(OcpReader *r, const JsonAt *at, const char **out, Error *err) {
  const char *text = NULL;
  double x = 0;
  bool yes = false;
  TextBuf b = {0};
  switch (json_type(at)) {
    case JSON_STRING:
      if (!json_string(at, &text, err)) return err->code;
      if (!*text) return json_fail(at, err, "is empty");
      if (strlen(text) > MAX_VALUE) {
        return json_fail(at, err, "is longer than %d bytes", MAX_VALUE);
      }
      textbuf_add(&b, text);
      break;
    case JSON_NUMBER:
      if (!json_number(at, &x, err)) return err->code;
      textbuf_add_double(&b, x);
      break;
    case JSON_BOOL:
      if (!json_bool(at, &yes, err)) return err->code;
      textbuf_add(&b, yes ? "yes" : "no");
      break;
    default: return json_fail(at, err, "must be a string, a number, true or false");
  }
  *out = b.failed ? NULL : arena_strdup(r->o->arena, b.text);
  textbuf_free(&b);
  return *out ? STATUS_OK : error_no_memory(err);
}

static Status read_options(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  JsonAt at = json_find(&r->root, "solver");
  o->option = arena_array(o->arena, (size_t)json_count(&at), sizeof *o->option);
  if (!o->option) return error_no_memory(err);
  for (JsonAt e = json_first(&at); e.node; json_next(&e)) {
    if (strcmp(e.key, "comment") == 0) continue;
    if (!good_option(e.key)) {
      return json_fail(&at, err, "\"%.60s\" can't be the name of an option of IPOPT", e.key);
    }
    OcpOption *option = &o->option[o->n_option];
    option->name = arena_strdup(o->arena, e.key);
    if (!option->name) return error_no_memory(err);
    if (read_value(r, &e, &option->value, err)) return err->code;
    o->n_option++;
  }
  return STATUS_OK;
}

Status ocp_read_solve(OcpReader *r, Error *err) {
  if (read_guess(r, err)) return err->code;
  if (read_strategy(r, err)) return err->code;
  return read_options(r, err);
}
