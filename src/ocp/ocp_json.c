// SPDX-License-Identifier: MIT
// Task files in JSON: docs/task_format.md; the keys are in ocp_keys.c. Here the name, the robot and
// the grid; the other subjects have a file each.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "ocp/ocp_internal.h"

enum { MAX_NAME = 100, MAX_SCHEME = 40, MANY_FORMS = 16 };

// "tasks/reach.json" -> "reach"
static const char *name_of_file(Ocp *o) {
  const char *slash = strrchr(o->path, '/');
  const char *base = slash ? slash + 1 : o->path;
  size_t n = strlen(base);
  if (n > 5 && strcmp(base + n - 5, ".json") == 0) n -= 5;
  return ocp_printf(o, "%.*s", n < MAX_NAME ? (int)n : MAX_NAME, base);
}

static Status read_name(OcpReader *r, Error *err) {
  JsonAt at = json_find(&r->root, "name");
  const char *name = NULL;
  if (at.node) {
    if (!json_string(&at, &name, err)) return err->code;
    if (!*name) return json_fail(&at, err, "name is empty");
    if (strlen(name) > MAX_NAME) {
      return json_fail(&at, err, "name is longer than %d bytes", MAX_NAME);
    }
    for (const char *c = name; *c; c++) {
      if ((unsigned char)*c < 0x20 || *c == 0x7f) {
        return json_fail(&at, err, "name \"%s\" has a control character", name);
      }
    }
  }
  r->o->name = name ? arena_strdup(r->o->arena, name) : name_of_file(r->o);
  return r->o->name ? STATUS_OK : error_no_memory(err);
}

static Status read_robot(OcpReader *r, Error *err) {
  JsonAt at = json_find(&r->root, "robot");
  const char *file = NULL;
  if (!json_string(&at, &file, err)) return err->code;
  if (!*file) return json_fail(&at, err, "empty; must be the path of a robot file");
  const char *path = ocp_resolve(r, file);
  if (!path) return error_no_memory(err);
  if (access(path, R_OK) != 0) {
    return json_fail(&at, err, "can't read robot file \"%s\": %s", path, strerror(errno));
  }
  if (model_load(&r->o->model, path, err)) return err->code;
  const Model *m = r->o->model;
  if (m->nu == 0) {
    return ocp_note(r->o, &at, err, "no joint of %s is actuated: the motion can't be influenced",
                    m->name);
  }
  return STATUS_OK;
}

static Status read_form(OcpReader *r, Error *err) {
  JsonAt at = json_find(&r->root, "formulation");
  const char *name = json_keys_find(&ocp_keys_task, "formulation")->fallback;
  if (at.node && !json_string(&at, &name, err)) return err->code;
  r->o->form = dyn_form_find(name);
  if (r->o->form) return STATUS_OK;
  const char *names[MANY_FORMS];
  int n = 0;
  for (; dyn_forms[n] && n < MANY_FORMS; n++) names[n] = dyn_forms[n]->name;
  return ocp_fail_unknown(&at, "formulation", name, names, n, err);
}

static Status read_free_time(OcpReader *r, const JsonAt *at, Error *err) {
  Ocp *o = r->o;
  const JsonKeys *keys = &ocp_keys_horizon;
  if (!json_keys_check(at, keys, err)) return err->code;
  if (!json_keys_number(at, keys, "min", &o->T_lower, err)) return err->code;
  if (!json_keys_number(at, keys, "max", &o->T_upper, err)) return err->code;
  JsonAt min = json_find(at, "min"), guess = json_find(at, "guess");
  if (o->T_lower <= 0) return json_fail(&min, err, "%g s is not above 0", o->T_lower);
  if (o->T_lower > o->T_upper) {
    return json_fail(at, err, "min %g exceeds max %g", o->T_lower, o->T_upper);
  }
  if (o->T_lower == o->T_upper) {
    return json_fail(at, err, "min and max are both %g; write \"horizon\": %g for a fixed time",
                     o->T_lower, o->T_lower);
  }
  o->free_time = true;
  o->T = 0.5 * (o->T_lower + o->T_upper);
  if (guess.node && !json_number(&guess, &o->T, err)) return err->code;
  if (o->T < o->T_lower || o->T > o->T_upper) {
    return json_fail(&guess, err, "%g is not between min %g and max %g", o->T, o->T_lower,
                     o->T_upper);
  }
  return STATUS_OK;
}

static Status read_horizon(OcpReader *r, Error *err) {
  JsonAt at = json_find(&r->root, "horizon");
  if (json_type(&at) == JSON_OBJECT) return read_free_time(r, &at, err);
  Ocp *o = r->o;
  if (!json_number(&at, &o->T, err)) return err->code;
  if (o->T <= 0) return json_fail(&at, err, "%g s is not above 0", o->T);
  o->T_lower = o->T_upper = o->T;
  return STATUS_OK;
}

// takes "radau-3" apart: the degree behind the name, 0 if there is none
static int split_scheme(const char *word, char base[MAX_SCHEME]) {
  snprintf(base, MAX_SCHEME, "%s", word);
  char *dash = strrchr(base, '-');
  if (!dash || !dash[1] || strlen(dash + 1) > 4) return 0;
  for (const char *c = dash + 1; *c; c++) {
    if (!isdigit((unsigned char)*c)) return 0;
  }
  *dash = '\0';
  int degree = (int)strtol(dash + 1, NULL, 10);
  return degree ? degree : -1;
}

static Status find_scheme(OcpReader *r, const JsonAt *at, int *suffix, Error *err) {
  const char *word = json_keys_find(&ocp_keys_task, "scheme")->fallback;
  if (at->node && !json_string(at, &word, err)) return err->code;
  char base[MAX_SCHEME];
  *suffix = split_scheme(word, base);
  for (int i = 0; i < N_OCP_SCHEMES; i++) {
    if (strcmp(base, ocp_scheme_names[i]) != 0) continue;
    r->o->scheme = (OcpScheme)i;
    return STATUS_OK;
  }
  return ocp_fail_unknown(at, "scheme", word, ocp_scheme_names, N_OCP_SCHEMES, err);
}

static Status read_scheme(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  JsonAt at = json_find(&r->root, "scheme"), degree = json_find(&r->root, "degree");
  int suffix = 0;
  if (find_scheme(r, &at, &suffix, err)) return err->code;
  bool fixed = o->scheme == OCP_TRAPEZOIDAL || o->scheme == OCP_HERMITE_SIMPSON;
  if (fixed && (degree.node || suffix)) {
    return json_fail(degree.node ? &degree : &at, err,
                     "scheme %s has no degree; only radau and gauss have one",
                     ocp_scheme_names[o->scheme]);
  }
  if (fixed) {
    o->degree = o->scheme == OCP_TRAPEZOIDAL ? 2 : 3;
    return STATUS_OK;
  }
  if (suffix && degree.node) {
    return json_fail(&degree, err, "the degree is given in \"scheme\" too: only one is allowed");
  }
  if (suffix < 0 || suffix > OCP_MAX_DEGREE) {
    return json_fail(&at, err, "degree %d is out of range: 1 to %d", suffix < 0 ? 0 : suffix,
                     OCP_MAX_DEGREE);
  }
  o->degree = suffix;
  if (suffix) return STATUS_OK;
  return ocp_read_int(&r->root, &ocp_keys_task, "degree", 1, OCP_MAX_DEGREE, &o->degree, err);
}

static Status read_grid(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  if (read_horizon(r, err)) return err->code;
  if (ocp_read_int(&r->root, &ocp_keys_task, "intervals", 1, OCP_MAX_INTERVALS, &o->n_interval,
                   err)) {
    return err->code;
  }
  if (read_scheme(r, err)) return err->code;
  JsonAt at = json_find(&r->root, "layout");
  int layout = OCP_CONDENSED;
  if (ocp_read_choice(&at, "layout", ocp_layout_names, N_OCP_LAYOUTS, &layout, err)) {
    return err->code;
  }
  o->layout = (OcpLayout)layout;
  return STATUS_OK;
}

Status ocp_read_task(OcpReader *r, Error *err) {
  if (!json_keys_check(&r->root, &ocp_keys_task, err)) return err->code;
  if (read_name(r, err)) return err->code;
  if (read_robot(r, err)) return err->code;
  if (read_form(r, err)) return err->code;
  if (read_grid(r, err)) return err->code;
  if (ocp_read_limits(r, err)) return err->code;
  if (ocp_read_boundary(r, err)) return err->code;
  if (ocp_find_free(r->o, err)) return err->code;
  if (ocp_read_cost(r, err)) return err->code;
  if (ocp_read_obstacles(r, err)) return err->code;
  if (ocp_read_terms(r, err)) return err->code;
  return ocp_read_solve(r, err);
}
