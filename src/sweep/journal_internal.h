// SPDX-License-Identifier: MIT
// Shared by the files of the journal.
#ifndef POISE_SWEEP_JOURNAL_INTERNAL_H
#define POISE_SWEEP_JOURNAL_INTERNAL_H

#include "sweep/journal.h"

// ---- reading JSON lines in place ------------------------------------------------------------------
// The general reader builds a tree of every value; a journal of 100000 lines is read without one.

typedef struct JournalScan {
  char *p, *end;  // what is left of the line
  bool bad;       // not JSON as we write it: everything returns nothing from here on
} JournalScan;

// Walks an object: after scan_open, each scan_key gives the next key, NULL at the end.
bool journal_scan_open(JournalScan *s, char bracket);
const char *journal_scan_key(JournalScan *s, bool *first);
bool journal_scan_item(JournalScan *s, bool *first);  // of an array: whether there is another

// Values. Texts stand in the line itself, ended by a NUL; a wrong type is bad. null is NAN, or "".
double journal_scan_number(JournalScan *s);
bool journal_scan_bool(JournalScan *s);
char *journal_scan_string(JournalScan *s);
uint64_t journal_scan_hex(JournalScan *s);
char *journal_scan_raw(JournalScan *s, size_t *n);  // any value, passed over; not ended by a NUL

// ---- loading --------------------------------------------------------------------------------------

enum { JOURNAL_MAX_AXES = 16 };

// A journal being filled; arrays grow by doubling, from the arena of the journal.
typedef struct JournalBuild {
  Journal *j;
  const char **text;  // n_text_slot, open hash table of texts that are kept once; NULL: empty
  int n_text, n_text_slot;
  int cap_run, cap_point, cap_case;
  int *point_slot;  // n_point_slot, open hash table from values to point; -1: empty
  int n_point_slot;
  int *mirror;   // n_mirror, by number in the grid: the mirror image's number; -1: none
  int n_mirror;  //
} JournalBuild;

// A text that is kept once; NULL when out of memory.
const char *journal_intern(JournalBuild *b, const char *text);

// The axis of a name, a new one if there is none; NULL when there is no room.
JournalAxis *journal_axis(JournalBuild *b, const char *name);

// The place of a value that is no number among the labels of an axis; -1 when out of memory.
int journal_label(JournalBuild *b, JournalAxis *axis, const char *json);

// Reads sweep.json, if there is one.
Status journal_read_manifest(JournalBuild *b, Error *err);

// One line: a run more, or a run replaced. STATUS_INPUT if it is none, with nothing changed but texts.
Status journal_read_line(JournalBuild *b, char *line, char *end, Error *err);

uint64_t journal_hash(uint64_t h, const void *bytes, size_t n);  // FNV-1a, goes on from h
static const uint64_t JOURNAL_HASH_BEGIN = 14695981039346656037u;

#endif
