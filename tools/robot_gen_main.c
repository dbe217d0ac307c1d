// SPDX-License-Identifier: MIT
// robot_gen_tool: writes a generated robot to standard output or to a file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "robot_gen.h"

enum { BAD_USAGE = 2, MOST_JOINTS = 4096 };

static const char usage[] =
    "usage: robot_gen_tool [--kind chain|tree] [--joints N] [options] [-o FILE]\n"
    "\n"
    "  --kind chain|tree   equal links along x, or random everything (tree)\n"
    "  --joints N          moving joints, 1 to 4096 (10)\n"
    "  --seed N            of a tree (1)\n"
    "  --prismatic X       share of prismatic joints of a tree, 0 to 1 (0.333)\n"
    "  --branching X       0: a chain, 1: every parent drawn from all bodies (0.5)\n"
    "  --massless X        share of inner bodies without mass (0)\n"
    "  --actuated X        share of actuated joints of a tree (1)\n"
    "  --alternating       a chain with axes y and z in turn instead of y\n"
    "  --damping, --armature, --limits   random ones on every joint\n"
    "  -o FILE             instead of standard output\n"
    "\n"
    "example: robot_gen_tool --kind tree --joints 40 --seed 3 -o tree40.json\n";

typedef struct Arguments {
  RobotGenOptions gen;
  const char *file;  // NULL: standard output
  bool help;
} Arguments;

static bool parse_share(const char *text, double *out) {
  char *end = NULL;
  double x = strtod(text, &end);
  if (end == text || *end || !(x >= 0 && x <= 1)) return false;
  *out = x;
  return true;
}

static bool parse_whole(const char *text, unsigned long long lo, unsigned long long hi,
                        unsigned long long *out) {
  char *end = NULL;
  errno = 0;
  unsigned long long x = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || errno || x < lo || x > hi) return false;
  *out = x;
  return true;
}

// an option without a value; false if it is not one
static bool take_flag(Arguments *a, const char *name) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--alternating", &a->gen.alternating},
               {"--damping", &a->gen.damping},
               {"--armature", &a->gen.armature},
               {"--limits", &a->gen.limits},
               {"--help", &a->help},
               {"-h", &a->help}};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    if (strcmp(name, flags[i].name) != 0) continue;
    *flags[i].flag = true;
    return true;
  }
  return false;
}

// an option with a value; false if the value is not allowed. *known: whether the option exists
static bool take_value(Arguments *a, const char *name, const char *value, bool *known) {
  const struct {
    const char *name;
    double *share;
  } shares[] = {{"--prismatic", &a->gen.prismatic},
                {"--branching", &a->gen.branching},
                {"--massless", &a->gen.massless},
                {"--actuated", &a->gen.actuated}};
  *known = true;
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    if (strcmp(name, shares[i].name) == 0) return value && parse_share(value, shares[i].share);
  }
  unsigned long long n = 0;
  if (strcmp(name, "--joints") == 0) {
    bool ok = value && parse_whole(value, 1, MOST_JOINTS, &n);
    if (ok) a->gen.n_joint = (int)n;
    return ok;
  }
  if (strcmp(name, "--seed") == 0) {
    bool ok = value && parse_whole(value, 0, UINT64_MAX, &n);
    if (ok) a->gen.seed = n;
    return ok;
  }
  if (strcmp(name, "--kind") == 0) {
    bool chain = value && strcmp(value, "chain") == 0;
    a->gen.kind = chain ? ROBOT_GEN_CHAIN : ROBOT_GEN_TREE;
    return chain || (value && strcmp(value, "tree") == 0);
  }
  if (strcmp(name, "-o") == 0) {
    a->file = value;
    return value != NULL;
  }
  *known = false;
  return false;
}

static bool parse_arguments(Arguments *a, int argc, char **argv) {
  static const char *const names[] = {"--kind",      "--joints",   "--seed",     "--prismatic",
                                      "--branching", "--massless", "--actuated", "--alternating",
                                      "--damping",   "--armature", "--limits",   "--help"};
  for (int i = 1; i < argc; i++) {
    if (take_flag(a, argv[i])) continue;
    bool known = false;
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (take_value(a, argv[i], value, &known)) {
      i++;
      continue;
    }
    if (known) {
      fprintf(stderr, "robot_gen_tool: bad value for %s: %s\n", argv[i], value ? value : "none");
      return false;
    }
    const char *near = nearest_name(argv[i], names, (int)(sizeof names / sizeof names[0]));
    fprintf(stderr, "robot_gen_tool: unknown option \"%s\"", argv[i]);
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    fprintf(stderr, "\n");
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  Arguments a = {.gen = robot_gen_defaults()};
  if (!parse_arguments(&a, argc, argv)) return BAD_USAGE;
  if (a.help) {
    fputs(usage, stdout);
    return 0;
  }
  TextBuf text = {0};
  Error err = {0};
  robot_gen(&text, &a.gen);
  Status status = text.failed ? error_no_memory(&err) : STATUS_OK;
  if (status == STATUS_OK && a.file) status = textbuf_save(&text, a.file, &err);
  if (status == STATUS_OK && !a.file && fputs(text.text, stdout) == EOF) {
    status = error_set(&err, STATUS_IO, "standard output", "can't write");
  }
  if (status != STATUS_OK) {
    fprintf(stderr, "robot_gen_tool: %s%s%s\n", err.where, *err.where ? ": " : "", err.what);
  }
  textbuf_free(&text);
  return status == STATUS_OK ? 0 : 3;
}
