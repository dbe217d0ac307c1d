// SPDX-License-Identifier: MIT
// A growing string for generated text (C source, JSON, tables), bounded by a maximum; and the one way
// to write a result file: to a temporary file beside it, renamed when complete.
#ifndef POISE_BASE_TEXTBUF_H
#define POISE_BASE_TEXTBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct TextBuf {
  char *text;   // NUL-terminated; NULL while empty
  size_t len;   // without the NUL
  size_t cap;   // allocated
  bool failed;  // out of memory or too long: later calls do nothing; ask once at the end
} TextBuf;      // {0} is an empty buffer

void textbuf_add(TextBuf *b, const char *text);
void textbuf_addf(TextBuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A double with as few digits as read back exactly ("0.1", "1e-300"); always a C and JSON number.
// Must be finite.
void textbuf_add_double(TextBuf *b, double x);

// A JSON string with quotes and escapes.
void textbuf_add_json_string(TextBuf *b, const char *text);

// Frees the text and empties the buffer. NULL-safe.
void textbuf_free(TextBuf *b);

// Writes the text to path, all or nothing (temporary file in the same folder, fsync, rename).
Status textbuf_save(const TextBuf *b, const char *path, Error *err);

#endif
