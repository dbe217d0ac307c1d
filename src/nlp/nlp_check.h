// SPDX-License-Identifier: MIT
// Checks an Nlp at a point: its patterns, and its derivatives against central differences of fourth
// order, (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h. Small problems entry by entry, which
// also finds nonzeros that the pattern forgets; large ones along random directions, row by row.
#ifndef POISE_NLP_NLP_CHECK_H
#define POISE_NLP_NLP_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/textbuf.h"
#include "nlp/nlp.h"

enum { NLP_CHECK_WORST = 10 };

typedef struct NlpCheckOptions {  // 0 anywhere: the default
  double step;                    // h = step max(1, |x_i|); 1e-4
  double tolerance;               // of |given - difference| / max(1, |both|), beyond rounding; 1e-6
  int directions;                 // random directions; 3. -1: none
  int entrywise_up_to;            // variables, up to which every entry is compared; 300. -1: none
  uint64_t seed;                  // of the directions
} NlpCheckOptions;

typedef enum NlpCheckKind {
  NLP_CHECK_GRADIENT,
  NLP_CHECK_JACOBIAN,
  NLP_CHECK_HESSIAN
} NlpCheckKind;

typedef struct NlpCheckEntry {
  NlpCheckKind kind;
  int row;            // constraint (Jacobian) or variable (Hessian); -1 for the gradient
  int col;            // variable; -1: the product of the row with a random direction
  double given;       // by the Nlp
  double difference;  // what it should be
  double error;       // as compared with the tolerance
  bool outside;       // the pattern has no such entry
  char name[192];     // "d (row) / d (variable)"
} NlpCheckEntry;

// Sizes of nonzero entries at the point: badly scaled rows and columns show as a wide range.
typedef struct NlpCheckRange {
  double smallest, largest;           // |entry|; 0 if there is none
  int smallest_entry, largest_entry;  // index of the nonzero; -1 if none
  char smallest_name[192], largest_name[192];
} NlpCheckRange;

typedef struct NlpCheckReport {
  bool ok;             // none of the faults below (duplicates and zeros are none)
  int out_of_range;    // pattern entries whose row or column doesn't exist
  int above_diagonal;  // Hessian entries with row < column
  int crossed_bounds;  // lower > upper, or NaN
  int not_finite;      // NaN or Inf among f, gradient, g, Jacobian, Hessian at the point, or the
  char not_finite_name[192];             // function said it has no value there; the first of them
  int wrong;                             // entries (or rows along a direction) beyond the tolerance
  int outside;                           // of these, outside the pattern
  int skipped;                           // directions along which a function has no value
  int jac_duplicates;                    // entries that repeat an earlier place (they add up)
  int hess_duplicates;                   //
  int jac_empty_rows;                    // constraints that depend on nothing
  double error[3];                       // largest of each NlpCheckKind
  bool entrywise;                        // every entry was compared
  NlpCheckEntry worst[NLP_CHECK_WORST];  // n_worst, largest error first
  int n_worst;                           //
  NlpCheckRange gradient, jacobian, hessian;
} NlpCheckReport;

// Checks at x (n) with multipliers lambda (m; NULL: random ones in [-1, 1]) and objective factor 1.
// Faults of the Nlp are in the report; an error is only STATUS_NO_MEMORY. opt may be NULL. A
// pattern that is out of range ends the check early.
Status nlp_check(const Nlp *nlp, const double *x, const double *lambda, const NlpCheckOptions *opt,
                 NlpCheckReport *out, Error *err);

// The report as lines of text.
void nlp_check_text(const NlpCheckReport *report, TextBuf *out);

#endif
