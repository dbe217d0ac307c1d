// SPDX-License-Identifier: MIT
// Text made safe for where it goes.
#ifndef POISE_REPORT_REPORT_TEXT_H
#define POISE_REPORT_REPORT_TEXT_H

#include "base/textbuf.h"

// For HTML and XML, in text and in quoted attributes.
void report_add_escaped(TextBuf *b, const char *text);

// JSON in a script element: no "<", so that no text of it can end the element.
void report_add_script_json(TextBuf *b, const char *json);

// A JSON number; null for what is not finite.
void report_add_number(TextBuf *b, double x);

#endif
