// SPDX-License-Identifier: MIT
// Options as text into IPOPT's three typed calls.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver_ipopt_internal.h"

#if defined __has_include
#if __has_include(<HSLLoader.h>)
#include <HSLLoader.h>
#define HAVE_HSL_LOADER 1
#endif
#endif

enum { MAX_TEXT = 1024 };

// the whole text as an integer, as a number (1d-6 is one for IPOPT too)
static bool as_int(const char *text, int *out) {
  char *end;
  errno = 0;
  long v = strtol(text, &end, 10);
  *out = (int)v;
  return end != text && !*end && !errno && v >= INT_MIN && v <= INT_MAX;
}

static bool as_number(const char *text, double *out) {
  char copy[64], *end;
  if (strlen(text) >= sizeof copy) return false;
  memcpy(copy, text, strlen(text) + 1);
  for (char *c = copy; *c; c++) {
    if (*c == 'd' || *c == 'D') *c = 'e';
  }
  *out = strtod(copy, &end);
  return end != copy && !*end && isfinite(*out);
}

// IPOPT alone knows the type of an option: the one that it accepts
static bool set_option(IpoptProblem p, const SolveOption *o) {
  char name[MAX_TEXT], text[MAX_TEXT];  // IPOPT takes char *
  if (strlen(o->name) >= MAX_TEXT || strlen(o->value) >= MAX_TEXT) return false;
  memcpy(name, o->name, strlen(o->name) + 1);
  memcpy(text, o->value, strlen(o->value) + 1);
  int i;
  double v;
  if (as_int(text, &i) && AddIpoptIntOption(p, name, i)) return true;
  if (as_number(text, &v) && AddIpoptNumOption(p, name, v)) return true;
  return AddIpoptStrOption(p, name, text);
}

bool ipopt_missing_ma97(const OptionList *list) {
#ifdef HAVE_HSL_LOADER
  const char *solver = option_list_find(list, "linear_solver");
  char message[256];
  if (strcmp(solver, "ma97") != 0 || LSL_isMA97available()) return false;
  return LSL_loadHSL(NULL, message, sizeof message) || !LSL_isMA97available();
#else
  (void)list;
  return false;
#endif
}

bool ipopt_set_options(IpoptProblem problem, const OptionList *list, int *refused,
                       double *max_wall) {
  // silence: the print level takes effect in IpoptSolve, which without x does nothing else; and no
  // ./ipopt.opt
  *refused = -1;
  const SolveOption silent = {"print_level", "0", NULL}, no_banner = {"sb", "yes", NULL};
  const SolveOption no_file = {"option_file_name", "", NULL};
  if (!set_option(problem, &silent) || !set_option(problem, &no_banner) ||
      !set_option(problem, &no_file))
    return false;
  IpoptSolve(problem, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

  *max_wall = INFINITY;
  for (int i = 0; i < list->n; i++) {
    const SolveOption *o = &list->option[i];
    if (set_option(problem, o)) continue;
    bool wall = !strcmp(o->name, "max_wall_time") && as_number(o->value, max_wall) && *max_wall > 0;
    if (wall && IPOPT_VERSION_MAJOR == 3 && IPOPT_VERSION_MINOR < 14) continue;
    *refused = i;
    return false;
  }
  return set_option(problem, &silent);  // the level was for the table, not for the terminal
}

Status ipopt_refused(const SolveOption *option, const char *log, Error *err) {
  const char *where = option->where ? option->where : "solver options";
  if (!log) log = "";
  if (strstr(log, "It is not a valid option")) {
    const char *near = option_nearest(option->name);
    bool hint = near && strcmp(near, option->name) != 0;
    return error_set(err, STATUS_INPUT, where, "IPOPT %s has no option '%s'%s%s%s", IPOPT_VERSION,
                     option->name, hint ? "; did you mean '" : "", hint ? near : "",
                     hint ? "'" : "");
  }
  // either the value is out of range, or there are only complaints like "it is of type  Number, not
  // of ..."
  static const char is_of[] = "it is of type";
  const char *type = strstr(log, "is not a valid setting") ? NULL : strstr(log, is_of);
  if (type) type += strlen(is_of) + strspn(type + strlen(is_of), " ");
  const char *want = !type                          ? ""
                     : !strncmp(type, "Number", 6)  ? ", it takes a number"
                     : !strncmp(type, "Integer", 7) ? ", it takes an integer"
                                                    : "";
  return error_set(err, STATUS_INPUT, where, "IPOPT refuses '%s' for option '%s'%s", option->value,
                   option->name, want);
}
