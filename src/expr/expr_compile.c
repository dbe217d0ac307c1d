// SPDX-License-Identifier: MIT
#include "expr/expr_compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/process.h"

enum { MAX_WORDS = 48, MAX_COMPLAINT = 1 << 16, LINES_TOLD = 4 };

static const char *const flags[] = {"-O3", "-std=c11", "-fPIC", "-shared",
                                    // what the evaluator is compiled with
                                    "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"};

// the words of CC; how many, 0 if none or when out of memory
static int compiler_words(Arena *arena, const char **word) {
  const char *cc = getenv("CC");
  char *text = arena_strdup(arena, cc && *cc ? cc : "cc");
  int n = 0;
  char *state = NULL;
  for (char *w = text ? strtok_r(text, " \t", &state) : NULL; w && n < MAX_WORDS / 2;
       w = strtok_r(NULL, " \t", &state)) {
    word[n++] = w;
  }
  return n;
}

// prefix + path + suffix, and "./" before a path that looks like an option
static char *path_like(Arena *arena, const char *path, const char *suffix) {
  size_t size = strlen(path) + strlen(suffix) + 3;
  char *s = arena_alloc(arena, size);
  if (s) snprintf(s, size, "%s%s%s", *path == '-' ? "./" : "", path, suffix);
  return s;
}

// the first lines of what the compiler said, in one
static void shorten(TextBuf *said) {
  int lines = 0;
  for (char *c = said->text; c && *c; c++) {
    if (*c == '\n' && (++lines == LINES_TOLD || !c[1])) *c = '\0';
    else if (*c == '\n') *c = '|';
    if (!*c) break;
  }
}

static Status run_compiler(const char *const *word, const char *source_path, Error *err) {
  TextBuf said = {0};
  int code;
  Status s = process_run(word, &said, MAX_COMPLAINT, &code, err);
  if (s == STATUS_INPUT) {
    error_set(err, s, word[0], "no such C compiler; install one, or name one in CC");
  } else if (s == STATUS_OK && code != 0) {
    shorten(&said);
    s = error_set(err, STATUS_IO, source_path, "%s fails with exit code %d: %s", word[0], code,
                  said.text ? said.text : "");
  }
  textbuf_free(&said);
  return s;
}

// words of the compiler, flags, files
static int build_command(Arena *arena, const char **word, const char *source, const char *temp,
                         bool native) {
  int n = compiler_words(arena, word);
  if (n == 0 || !source || !temp) return 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) word[n++] = flags[i];
  if (native) word[n++] = "-march=native";
  word[n++] = source;
  word[n++] = "-o";
  word[n++] = temp;
  word[n++] = "-lm";
  word[n] = NULL;
  return n;
}

Status expr_compile(const char *source_path, const char *library_path, bool native, Error *err) {
  Arena *arena = arena_new();
  char suffix[48];
  snprintf(suffix, sizeof suffix, ".%ld.tmp", (long)getpid());
  const char *word[MAX_WORDS];
  const char *source = path_like(arena, source_path, "");
  const char *temp = path_like(arena, library_path, suffix);
  Status s = STATUS_OK;
  if (build_command(arena, word, source, temp, native) == 0) s = error_no_memory(err);
  if (s == STATUS_OK && access(source, R_OK) != 0) {
    s = error_set(err, STATUS_INPUT, source_path, "can't be read: %s", strerror(errno));
  }
  if (s == STATUS_OK) {
    s = run_compiler(word, source_path, err);
    if (s == STATUS_OK && rename(temp, library_path) != 0) {
      s = error_set(err, STATUS_IO, library_path, "can't be replaced: %s", strerror(errno));
    }
    if (s != STATUS_OK) unlink(temp);
  }
  arena_free(arena);
  return s;
}

bool expr_compile_available(void) {
  Arena *arena = arena_new();
  const char *word[MAX_WORDS];
  int n = compiler_words(arena, word), code = 1;
  TextBuf said = {0};
  Error err = {0};
  if (n > 0) {
    word[n++] = "--version";
    word[n] = NULL;
    if (process_run(word, &said, MAX_COMPLAINT, &code, &err) != STATUS_OK) code = 1;
  }
  textbuf_free(&said);
  arena_free(arena);
  return code == 0;
}
