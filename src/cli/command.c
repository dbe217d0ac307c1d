// SPDX-License-Identifier: MIT
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

enum { MAX_COMMANDS = 64 };

static const char about[] =
    "Poise plans motions of underactuated multibody robots: a robot file and a task file in,\n"
    "an optimal, verified trajectory out.\n";

void command_put_text(FILE *to, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < 0x20 || c == 0x7f) fprintf(to, "\\x%02x", c);
    else fputc(c, to);
  }
}

int command_fail(const Error *err) {
  fflush(stdout);
  fputs("poise: ", stderr);
  if (err->where[0]) {
    command_put_text(stderr, err->where);
    fputs(": ", stderr);
  }
  command_put_text(stderr, err->what);
  fputc('\n', stderr);
  switch (err->code) {
    case STATUS_OK: return EXIT_SOLVED;
    case STATUS_INPUT: return EXIT_INPUT;
    case STATUS_IO: return EXIT_INPUT;
    case STATUS_NO_MEMORY: return EXIT_INTERNAL;
    case STATUS_NUMERIC: return EXIT_NOT_SOLVED;
  }
  return EXIT_INTERNAL;
}

void command_warn(const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fputs("poise: warning: ", stderr);
  command_put_text(stderr, text);
  fputc('\n', stderr);
}

// A full disk or a closed pipe must not look like success.
static int flush_output(int code) {
  errno = 0;
  bool lost = ferror(stdout) != 0;
  if (fflush(stdout) != 0) lost = true;
  if (!lost) return code;
  fprintf(stderr, "poise: standard output: %s\n", errno ? strerror(errno) : "write failed");
  return code == EXIT_SOLVED ? EXIT_INTERNAL : code;
}

static const Command *find_command(const Command *const *commands, int n, const char *name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  }
  return NULL;
}

static int unknown_command(const Command *const *commands, int n, const char *name) {
  const char *names[MAX_COMMANDS + 1];
  int n_names = 0;
  for (int i = 0; i < n && i < MAX_COMMANDS; i++) names[n_names++] = commands[i]->name;
  names[n_names++] = "help";
  const char *near = nearest_name(name, names, n_names);
  Error err = {0};
  if (name[0] == '-') {
    error_set(&err, STATUS_INPUT, "", "unknown option '%s', see 'poise --help'", name);
  } else if (near) {
    error_set(&err, STATUS_INPUT, "", "unknown command '%s', did you mean %s?", name, near);
  } else {
    error_set(&err, STATUS_INPUT, "", "unknown command '%s', see 'poise --help'", name);
  }
  return command_fail(&err);
}

static void print_overview(FILE *to, const Command *const *commands, int n) {
  fprintf(to, "Usage: poise COMMAND ARGUMENTS...\n\n%s\nCommands:\n", about);
  int width = 0;
  for (int i = 0; i < n; i++) {
    int len = (int)strlen(commands[i]->name);
    if (len > width) width = len;
  }
  for (int i = 0; i < n; i++) {
    fprintf(to, "  %-*s  %s\n", width, commands[i]->name, commands[i]->summary);
  }
  fprintf(to, "\n'poise COMMAND --help' or 'poise help COMMAND' explains one, with an example;\n"
              "'poise --version' prints the version.\n"
              "Exit codes: 0 done, 1 not solved, 2 bad input or usage, 3 internal.\n");
}

static const Option help_option = {"help", 'h', NULL, "print this help"};  // of every command

static void print_help(const Command *c) {
  printf("Usage: poise %s", c->name);
  if (c->positional[0]) printf(" %s", c->positional);
  if (c->n_option > 0) printf(" [OPTIONS]");
  printf("\n\n%c%s.\n", toupper((unsigned char)c->summary[0]), c->summary + 1);
  if (c->about) printf("\n%s", c->about);

  // left column: "-o, --output DIR"
  char left[OPTIONS_MAX + 1][64];
  int width = 0;
  for (int i = 0; i <= c->n_option; i++) {
    const Option *o = i < c->n_option ? &c->option[i] : &help_option;
    char letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int len = snprintf(left[i], sizeof left[i], "%s--%s%s%s", letter, o->name,
                       o->metavar ? " " : "", o->metavar ? o->metavar : "");
    if (len > width) width = len;
  }
  printf("\nOptions:\n");
  for (int i = 0; i <= c->n_option; i++) {
    const Option *o = i < c->n_option ? &c->option[i] : &help_option;
    printf("  %-*s  %s\n", width, left[i], o->help);
  }

  printf("\nExample:\n");
  for (const char *line = c->example; *line;) {
    int len = (int)strcspn(line, "\n");
    printf("  %.*s\n", len, line);
    line += len + (line[len] == '\n');
  }
}

static int run_help(const Command *const *commands, int n, int argc, char **argv) {
  if (argc == 0) {
    print_overview(stdout, commands, n);
    return EXIT_SOLVED;
  }
  const Command *c = find_command(commands, n, argv[0]);
  if (!c) return unknown_command(commands, n, argv[0]);
  print_help(c);
  return EXIT_SOLVED;
}

int command_main(const Command *const *commands, int n_command, int argc, char **argv) {
  if (argc < 2) {
    print_overview(stderr, commands, n_command);
    return EXIT_INPUT;
  }
  const char *name = argv[1];
  int code;
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
    printf("poise %s\n", POISE_VERSION);
    code = EXIT_SOLVED;
  } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    code = run_help(commands, n_command, argc - 2, argv + 2);
  } else {
    const Command *c = find_command(commands, n_command, name);
    if (!c) return unknown_command(commands, n_command, name);
    Args args;
    Error err = {0};
    if (options_parse(&args, c, argc - 2, argv + 2, &err) != STATUS_OK) return command_fail(&err);
    if (args.help) print_help(c);
    code = args.help ? EXIT_SOLVED : c->run(&args);
  }
  return flush_output(code);
}

int command_text_width(const char *text) {
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
  return n;
}

void command_put_padded(FILE *to, const char *text, int width) {
  command_put_text(to, text);
  for (int n = command_text_width(text); n < width; n++) putc(' ', to);
}
