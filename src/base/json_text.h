// SPDX-License-Identifier: MIT
// A strict check that a text is one JSON value (RFC 8259), with messages that say line, column and
// what was found there. The parser behind json_at is lenient and says only where it stopped; a text
// that passes here is one it can read, so that it fails for want of memory alone.
#ifndef POISE_BASE_JSON_TEXT_H
#define POISE_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { JSON_MAX_DEPTH = 64 };  // arrays and objects inside each other

// Checks text[0..len-1]; `name` stands for the file. Beyond the grammar it refuses: an empty text,
// NUL bytes (also as an escape), bytes that are not UTF-8, more than JSON_MAX_DEPTH levels, numbers
// too large for a double. A byte order mark at the start is allowed. Returns false with err filled,
// err->where is "name: line L, column C".
bool json_text_check(const char *text, size_t len, const char *name, Error *err);

#endif
