// SPDX-License-Identifier: MIT
// "did you mean": the known name that a misspelt word most likely stands for, by edit distance
// (insertion, deletion, substitution, swap of neighbours; case and - against _ cost nothing).
#ifndef POISE_BASE_NEAREST_H
#define POISE_BASE_NEAREST_H

// The nearest of names[0..n-1], the first of equals; NULL if nothing is close (more than about a
// third of the letters differ). NULL entries are skipped. The result is an entry of `names`.
const char *nearest_name(const char *word, const char *const *names, int n);

// Number of edits between two words; only their first 63 bytes count.
int nearest_distance(const char *a, const char *b);

#endif
