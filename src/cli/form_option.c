// SPDX-License-Identifier: MIT
#include "cli/form_option.h"

#include "base/nearest.h"

Status form_option(const Args *args, const DynForm *fallback, const DynForm **out, Error *err) {
  const char *name = options_value(args, "formulation");
  *out = name ? dyn_form_find(name) : fallback;
  if (*out || !name) return STATUS_OK;
  static const char *const names[] = {"IMPL",   "SEMI",   "EXP1",   "EXP2",
                                      "EXP1-O", "EXP1-A", "EXP2-O", "EXP2-A"};
  const char *near = nearest_name(name, names, sizeof names / sizeof names[0]);
  return error_set(err, STATUS_INPUT, "--formulation", "unknown formulation \"%s\"; %s%s%s", name,
                   near ? "did you mean " : "",
                   near ? near
                        : "one of IMPL, SEMI, EXP1-O, EXP1-A, "
                          "EXP2-O, EXP2-A",
                   near ? "?" : "");
}
