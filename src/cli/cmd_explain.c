// SPDX-License-Identifier: MIT
// poise explain: a key of the file formats, from the tables that validate the files.
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "model/model_keys.h"
#include "ocp/ocp_keys.h"
#include "sweep/sweep_keys.h"

enum { MAX_KEYS = 256, PATH_SIZE = 96, WORD_SIZE = 128, LINE = 78, INDENT = 10 };

// One key and where it stands.
typedef struct Entry {
  const char *file;       // "robot", "task", "result" or "sweep"
  const JsonKeys *keys;   // the table
  const JsonKey *key;     //
  char path[PATH_SIZE];   // "joints[i].limits.lower"
  char plain[PATH_SIZE];  // the same without [i]
} Entry;

typedef struct Catalogue {
  Entry entry[MAX_KEYS];  // n
  int n;                  //
} Catalogue;

// ---- the catalogue ----

// drops every [...]
static void strip_brackets(const char *path, char *out, size_t size) {
  size_t n = 0;
  int depth = 0;
  for (; *path && n + 1 < size; path++) {
    depth += *path == '[';
    if (depth == 0) out[n++] = *path;
    depth -= *path == ']';
  }
  out[n] = '\0';
}

static void add_table(Catalogue *c, const char *file, const JsonKeys *keys) {
  for (int i = 0; i < keys->n && c->n < MAX_KEYS; i++) {
    Entry *e = &c->entry[c->n++];
    *e = (Entry){.file = file, .keys = keys, .key = &keys->key[i]};
    snprintf(e->path, sizeof e->path, "%s%s%s", keys->place, keys->place[0] ? "." : "",
             e->key->name);
    strip_brackets(e->path, e->plain, sizeof e->plain);
  }
}

static void fill(Catalogue *c) {
  for (int i = 0; i < n_model_keys; i++) add_table(c, "robot", model_keys[i]);
  for (int i = 0; i < n_ocp_keys; i++) {
    bool result = strncmp(ocp_keys[i]->place, "trajectory", 10) == 0 ||
                  ocp_keys[i] == &ocp_keys_trajectory;
    add_table(c, result ? "result" : "task", ocp_keys[i]);
  }
  for (int i = 0; i < n_sweep_keys; i++) add_table(c, "sweep", sweep_keys[i]);
}

// whether text ends in word, and that is all of it or comes after a dot
static bool ends_in(const char *text, const char *word) {
  size_t n = strlen(text), m = strlen(word);
  if (m > n || strcmp(text + n - m, word) != 0) return false;
  return m == n || text[n - m - 1] == '.';
}

// "damping", "joints.damping", "joints[2].damping", "joint.damping", "robot.joints.damping"
static bool matches(const Entry *e, const char *word) {
  char full[PATH_SIZE + 16], object[PATH_SIZE];
  snprintf(full, sizeof full, "%s.%s", e->file, e->plain);
  snprintf(object, sizeof object, "%s.%s", e->keys->object, e->key->name);
  return ends_in(full, word) || strcmp(object, word) == 0;
}

// ---- words ----

static void put_types(const JsonKey *key) {
  const struct {
    JsonType type;
    const char *text;
  } names[] = {{JSON_NUMBER, "number"},
               {JSON_BOOL, "true or false"},
               {JSON_STRING, "string"},
               {JSON_ARRAY, "array"},
               {JSON_OBJECT, "object"}};
  int n = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (!(key->types & names[i].type)) continue;
    printf("%s%s", n++ ? " or " : "", names[i].text);
    if (names[i].type == JSON_ARRAY && key->count > 0) printf(" of %d numbers", key->count);
  }
  if (key->rule == JSON_NOT_NEGATIVE) printf(", not negative");
}

// text broken at blanks, later lines indented
static void put_wrapped(const char *text, int indent, int column) {
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (column > indent && column + 1 + n > LINE) {
      printf("\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      putchar(' ');
      column++;
    }
    printf("%.*s", n, text);
    column += n;
    text += n;
    text += strspn(text, " ");
  }
  putchar('\n');
}

static void put_default(const JsonKey *key) {
  if (!key->fallback) printf("  default %s\n", "none, the key is required");
  else if (key->fallback[0]) printf("  default %s\n", key->fallback);
  else printf("  default none, the key may be absent\n");
}

// the keys inside an object or inside the objects of an array
static void put_members(const Catalogue *c, const Entry *e) {
  int column = 0;
  for (int i = 0; i < c->n; i++) {
    const Entry *member = &c->entry[i];
    char place[PATH_SIZE];
    strip_brackets(member->keys->place, place, sizeof place);
    if (strcmp(place, e->plain) != 0 || strcmp(member->file, e->file) != 0) continue;
    int n = (int)strlen(member->key->name);
    if (column == 0) column = printf("  inside  %s", member->key->name);
    else if (column + 2 + n > LINE) column = printf(",\n%*s%s", INDENT, "", member->key->name) - 2;
    else column += printf(", %s", member->key->name);
  }
  if (column) putchar('\n');
}

static void put_entry(const Catalogue *c, const Entry *e) {
  printf("%s, in a %s file\n  ", e->path, e->file);
  put_wrapped(e->key->what, 2, 2);
  printf("  type    ");
  put_types(e->key);
  putchar('\n');
  if (e->key->unit[0]) printf("  unit    %s\n", e->key->unit);
  put_default(e->key);
  printf("  example \"%s\": %s\n", e->key->name, e->key->example);
  put_members(c, e);
}

static void put_comment(void) {
  printf("comment, in any object of any file\n"
         "  free text for readers; nothing is done with it\n"
         "  type    string or array of strings\n"
         "  default none, the key may be absent\n"
         "  example \"comment\": \"the gripper is not modelled\"\n");
}

// all keys by the place where they stand
static void put_all(const Catalogue *c) {
  const JsonKeys *last = NULL;
  const char *file = "";
  for (int i = 0; i < c->n; i++) {
    const Entry *e = &c->entry[i];
    if (strcmp(file, e->file) != 0) printf("%s%s file\n", i ? "\n" : "", e->file);
    file = e->file;
    if (e->keys != last) {
      printf("  %s\n", e->keys->place[0] ? e->keys->place : "at the top");
    }
    last = e->keys;
    int column = printf("    %-16s ", e->key->name);
    put_wrapped(e->key->what, column, column);
  }
  printf(
      "\n'poise explain KEY' tells type, unit, default and an example; \"comment\" may stand in\n"
      "every object.\n");
}

// ---- the command ----

static Status unknown(const Catalogue *c, const char *word, Error *err) {
  const char *names[2 * MAX_KEYS];
  int n = 0;
  for (int i = 0; i < c->n; i++) names[n++] = c->entry[i].key->name;
  for (int i = 0; i < c->n; i++) names[n++] = c->entry[i].plain;
  const char *near = nearest_name(word, names, n);
  if (near) {
    return error_set(err, STATUS_INPUT, "", "unknown key '%s', did you mean %s?", word, near);
  }
  // "joints.weight": the place may be right and the key wrong
  char place[WORD_SIZE];
  snprintf(place, sizeof place, "%s", word);
  char *dot = strrchr(place, '.');
  near = dot ? nearest_name(dot + 1, names, c->n) : NULL;
  if (near) {
    return error_set(err, STATUS_INPUT, "", "unknown key '%s', did you mean %s?", word, near);
  }
  return error_set(err, STATUS_INPUT, "", "unknown key '%s', 'poise explain' lists all", word);
}

static int run(const Args *args) {
  Catalogue c = {.n = 0};
  fill(&c);
  if (args->n_positional == 0) {
    put_all(&c);
    return EXIT_SOLVED;
  }
  char word[WORD_SIZE];
  strip_brackets(args->positional[0], word, sizeof word);
  int found = 0;
  if (strcmp(word, "comment") == 0) {
    put_comment();
    return EXIT_SOLVED;
  }
  for (int i = 0; i < c.n; i++) {
    if (!matches(&c.entry[i], word)) continue;
    if (found++) putchar('\n');
    put_entry(&c, &c.entry[i]);
  }
  if (found) return EXIT_SOLVED;
  Error err = {0};
  unknown(&c, word, &err);
  return command_fail(&err);
}

const Command cmd_explain = {
    .name = "explain",
    .summary = "describe a key of the file formats, or list them all",
    .positional = "[KEY]",
    .n_positional_min = 0,
    .n_positional_max = 1,
    .option = NULL,
    .n_option = 0,
    .about =
        "Says what a key of a robot, task, result or sweep file means, its type, unit and default,\n"
        "where it stands, with an example. A key may be given with its place, to tell it from\n"
        "others of the same name: damping, joints.damping, task.limits.torque. Without KEY:\n"
        "all keys, by place. It reads the tables that files are checked against.\n",
    .example = "poise explain damping\n"
               "poise explain cost.torque_rate\n"
               "poise explain\n",
    .run = run,
};
