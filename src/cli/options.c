// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

static int find_long(const Command *c, const char *name, size_t len) {
  for (int i = 0; i < c->n_option; i++) {
    if (strlen(c->option[i].name) == len && memcmp(c->option[i].name, name, len) == 0) return i;
  }
  return -1;
}

static int find_letter(const Command *c, char letter) {
  for (int i = 0; i < c->n_option; i++) {
    if (c->option[i].letter == letter) return i;
  }
  return -1;
}

static Status unknown_option(const Command *c, const char *word, Error *err) {
  const char *names[OPTIONS_MAX + 1];
  for (int i = 0; i < c->n_option; i++) names[i] = c->option[i].name;
  names[c->n_option] = "help";

  // compare the bare name: no dashes, no value
  char name[64] = "";
  size_t len = strcspn(word, "=");
  if (len < sizeof name) memcpy(name, word, len);
  const char *bare = name + strspn(name, "-");
  const char *near = *bare ? nearest_name(bare, names, c->n_option + 1) : NULL;
  if (near) {
    return error_set(err, STATUS_INPUT, "", "unknown option '%.*s', did you mean --%s?", (int)len,
                     word, near);
  }
  return error_set(err, STATUS_INPUT, "", "unknown option '%.*s', see 'poise %s --help'", (int)len,
                   word, c->name);
}

// A word that stands where a value should: another option was meant. "-" and "-1.5" are values.
static bool looks_like_option(const char *word) {
  return word[0] == '-' && word[1] != '\0' && !strchr("0123456789.", word[1]);
}

// One option at argv[*i]; moves *i onto the value if that is a word of its own.
static Status parse_option(Args *out, int argc, char **argv, int *i, Error *err) {
  const Command *c = out->command;
  const char *word = argv[*i];
  const char *value = NULL;  // written in the same word
  int at;
  if (word[1] == '-') {
    size_t len = strcspn(word + 2, "=");
    at = find_long(c, word + 2, len);
    if (word[2 + len] == '=') value = word + 2 + len + 1;
  } else {
    at = find_letter(c, word[1]);
    if (word[2]) value = word + 2;
    if (at >= 0 && value && !c->option[at].metavar) at = -1;  // "-json" is not -j with a value
  }
  if (at < 0) return unknown_option(c, word, err);

  const Option *o = &c->option[at];
  if (out->value[at])
    return error_set(err, STATUS_INPUT, "", "option --%s is given twice", o->name);
  if (!o->metavar) {
    if (value) return error_set(err, STATUS_INPUT, "", "option --%s takes no value", o->name);
    out->value[at] = "";
    return STATUS_OK;
  }
  if (!value && *i + 1 < argc && !looks_like_option(argv[*i + 1])) value = argv[++*i];
  if (!value || !*value) {
    return error_set(err, STATUS_INPUT, "", "option --%s needs a value: --%s %s", o->name, o->name,
                     o->metavar);
  }
  out->value[at] = value;
  return STATUS_OK;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  }
  return false;
}

Status options_parse(Args *out, const Command *command, int argc, char **argv, Error *err) {
  assert(command->n_option <= OPTIONS_MAX);
  *out = (Args){.command = command, .positional = (const char *const *)argv};
  if (asks_for_help(argc, argv)) {
    out->help = true;
    return STATUS_OK;
  }

  bool only_positional = false;  // "--" was seen
  for (int i = 0; i < argc; i++) {
    if (only_positional || argv[i][0] != '-' || strcmp(argv[i], "-") == 0) {
      argv[out->n_positional++] = argv[i];
    } else if (strcmp(argv[i], "--") == 0) {
      only_positional = true;
    } else {
      Status status = parse_option(out, argc, argv, &i, err);
      if (status != STATUS_OK) return status;
    }
  }

  if (out->n_positional < command->n_positional_min) {
    return error_set(err, STATUS_INPUT, "", "%s needs %s, see 'poise %s --help'", command->name,
                     command->positional, command->name);
  }
  if (out->n_positional > command->n_positional_max) {
    return error_set(err, STATUS_INPUT, "", "%s: unexpected argument '%s'", command->name,
                     out->positional[command->n_positional_max]);
  }
  return STATUS_OK;
}

const char *options_value(const Args *args, const char *name) {
  int at = find_long(args->command, name, strlen(name));
  assert(at >= 0);
  return args->value[at];
}

bool options_has(const Args *args, const char *name) {
  return options_value(args, name) != NULL;
}

Status options_int(const Args *args, const char *name, int lower, int upper, int *out, Error *err) {
  const char *text = options_value(args, name);
  if (!text) return STATUS_OK;
  char *end;
  errno = 0;
  long x = strtol(text, &end, 10);
  if (*end || errno || x < lower || x > upper) {
    return error_set(err, STATUS_INPUT, "", "option --%s: '%s' is not a whole number from %d to %d",
                     name, text, lower, upper);
  }
  *out = (int)x;
  return STATUS_OK;
}

Status options_double(const Args *args, const char *name, double lower, double upper, double *out,
                      Error *err) {
  const char *text = options_value(args, name);
  if (!text) return STATUS_OK;
  char *end;
  double x = strtod(text, &end);
  if (*end || !isfinite(x) || x < lower || x > upper) {
    return error_set(err, STATUS_INPUT, "", "option --%s: '%s' is not a number from %g to %g", name,
                     text, lower, upper);
  }
  *out = x;
  return STATUS_OK;
}
