// SPDX-License-Identifier: MIT
// mechanism_gen_tool: writes a mechanism with closed loops to standard output or to a file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mechanism_gen.h"

enum { BAD_USAGE = 2, MOST = 4096 };

static const char usage[] =
    "usage: mechanism_gen_tool KIND [--size N] [--width N] [-o FILE]\n"
    "\n"
    "  ladder     spatial ladder with N loops (4 N + 2 coordinates, 2 degrees of freedom)\n"
    "  squares    N squares side by side in a plane (3 N + 1 bodies)\n"
    "  diamonds   N squares corner to corner in a plane (4 N bodies)\n"
    "  net        net of --width columns and N rows\n"
    "  ring       closed chain of N pieces with spherical joints, N >= 3\n"
    "  hmmwv      vehicle of 14 bodies\n"
    "  shoulder   spatial loop of 7 bodies and 8 revolute joints\n"
    "  arm        the same with forearm and hand\n"
    "  bicycle    man on a bicycle, 18 bodies\n"
    "\n"
    "  --size N   1 to 4096 (4)\n"
    "  --width N  2 to 4096 (3)\n"
    "  -o FILE    instead of standard output\n"
    "\n"
    "example: mechanism_gen_tool ladder --size 16 -o ladder16.json\n";

static bool parse_whole(const char *text, int least, int *out) {
  char *end = NULL;
  errno = 0;
  long x = text ? strtol(text, &end, 10) : 0;
  if (!text || end == text || *end || errno || x < least || x > MOST) return false;
  *out = (int)x;
  return true;
}

static bool parse(int argc, char **argv, MechanismOptions *opt, const char **file) {
  bool found = false;
  for (int k = 0; argc > 1 && k < N_MECHANISMS; k++) {
    if (strcmp(argv[1], mechanism_names[k]) != 0) continue;
    opt->kind = (MechanismKind)k;
    found = true;
  }
  int least = opt->kind == MECHANISM_RING ? 3 : 1;
  for (int i = 2; found && i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--size") == 0) found = parse_whole(value, least, &opt->size);
    else if (strcmp(argv[i], "--width") == 0) found = parse_whole(value, 2, &opt->width);
    else if (strcmp(argv[i], "-o") == 0) found = (*file = value) != NULL;
    else found = false;
  }
  return found;
}

int main(int argc, char **argv) {
  MechanismOptions opt = {.size = 4, .width = 3};
  const char *file = NULL;
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    fputs(usage, stdout);
    return 0;
  }
  if (!parse(argc, argv, &opt, &file)) {
    fputs(usage, stderr);
    return BAD_USAGE;
  }
  TextBuf text = {0};
  Error err = {0};
  mechanism_gen(&text, &opt);
  Status status = text.failed ? error_no_memory(&err) : STATUS_OK;
  if (status == STATUS_OK && file) status = textbuf_save(&text, file, &err);
  if (status == STATUS_OK && !file && fputs(text.text, stdout) == EOF) {
    status = error_set(&err, STATUS_IO, "standard output", "can't write");
  }
  if (status != STATUS_OK) {
    fprintf(stderr, "mechanism_gen_tool: %s%s%s\n", err.where, *err.where ? ": " : "", err.what);
  }
  textbuf_free(&text);
  return status == STATUS_OK ? 0 : 3;
}
