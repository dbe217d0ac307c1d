// SPDX-License-Identifier: MIT
// The runs of one or more sweeps, compared: success, iterations, times and costs of every case, local
// minima, symmetry, paired differences with tests.
//
// A *case* is what a run was made with apart from its target: cost set, layout, linear solver, strategy,
// guess, seed, name, formulation. Cases of one *group* differ in the formulation alone; cases of one *set* have
// the same cost, so that their objectives can be compared. A run is *good* if it is solved and verified
// (or merely solved, where that is asked for); all statistics are over good runs, success is their share of
// all runs.
#ifndef POISE_REPORT_REPORT_COMPARE_H
#define POISE_REPORT_REPORT_COMPARE_H

#include "report/report_stats.h"
#include "sweep/journal.h"

// What a run was made with, as text; "" where it does not apply.
typedef enum CompareField {
  COMPARE_COST,   // cost set
  COMPARE_BLOCK,  // name of the block of cases that it belongs to
  COMPARE_LAYOUT,
  COMPARE_SOLVER,  // linear solver
  COMPARE_STRATEGY,
  COMPARE_GUESS,
  COMPARE_SEED,
  COMPARE_FOLDER,  // only where folders hold different runs of one case and target; else ""
  COMPARE_FORM,
  N_COMPARE_FIELDS
} CompareField;
extern const char *const compare_field_names[N_COMPARE_FIELDS];  // "cost", "layout", ...

typedef enum CompareMeasure {
  COMPARE_OBJECTIVE,
  COMPARE_ITERATIONS,  // of all solves of the run
  COMPARE_CPU,         // CPU time of the solves
  COMPARE_CPU_PER,     // the same per iteration
  COMPARE_GAP,         // objective / best known - 1
  COMPARE_EVALUATION,  // share of functions in the time of the solves
  COMPARE_LINEAR,      // share of the linear solver
  N_COMPARE_MEASURES
} CompareMeasure;

enum { N_COMPARE_PAIRED = 4 };  // the first ones are also compared in pairs

typedef struct CompareMeasureInfo {
  const char *name;   // in files and options: "cpu_per_iteration"
  const char *title;  // "CPU time per iteration"
  const char *unit;   // as shown: "ms"; "" if none
  double scale;       // from the stored value (s, shares) to that unit
} CompareMeasureInfo;
extern const CompareMeasureInfo compare_measures[N_COMPARE_MEASURES];

typedef struct CompareRun {
  int kase, point;                   // indices
  bool good;                         //
  double value[N_COMPARE_MEASURES];  // NAN where unknown
  const Journal *journal;            // where it comes from, borrowed
  const JournalRun *source;          //
} CompareRun;

typedef struct ComparePoint {
  int *index;        // n_axis, numbers of its values
  bool has_target;   //
  double target[3];  // world [m]
  int mirror;        // its mirror image; itself in the plane of symmetry; -1: none
} ComparePoint;

// The symmetry gap of two mirrored targets: |difference| / smaller objective.
typedef struct CompareSymmetry {
  int n;                   // pairs of good runs
  double median, largest;  // NAN without pairs
  int n_apart;             // pairs further apart than 1e-6
  int n_high;              // and than 1 percent
} CompareSymmetry;

typedef struct CompareCase {
  const char *field[N_COMPARE_FIELDS];  //
  int set, group;                       // indices
  int n_run, n_solved, n_good;          //
  int n_refined;                     // good ones that were verified with more points per interval
  StatsInterval success;             // 95 percent interval of n_good / n_run
  StatsBox box[N_COMPARE_MEASURES];  // of good runs
  int *sorted[N_COMPARE_MEASURES];   // box[.].n runs, ascending in that measure
  StatsInterval mean_iterations;     // 95 percent interval
  int n_judged;                      // good runs with an objective
  int n_high;                        // of them: more than 1 percent above the best known
  int n_best;                        // of them: within 1e-6 of it
  CompareSymmetry symmetry;          //
  int nlp[4];            // variables, constraints, nonzeros; 0 if unknown or not the same
  double operations[3];  // of one evaluation: residual, Jacobian, Hessian; NAN
} CompareCase;

typedef struct CompareSet {
  const char *name;          // cost set
  int *best;                 // n_point, best run of all cases; -1 if nobody solved it
  int n_solved;              // points with one
  CompareSymmetry symmetry;  // of the best known
} CompareSet;

typedef struct CompareGroup {
  int set;            //
  int first, n_case;  // cases first .. first + n_case - 1
  int view;           //
  const char *title;  // the fields that vary between groups: "set1, paper, cold"
} CompareGroup;

// Groups that differ in the cost set alone: the panels (a), (b) .. of one figure.
typedef struct CompareView {
  int n_group, *group;  // n_group
  const char *title;  // the fields that vary, without the cost set: "paper, cold"; "" if none does
} CompareView;

// b against a on the targets where both are good: the median of log(b / a), as a ratio.
typedef struct CompareRatio {
  int n, n_less, n_more;  // targets; where b is smaller, larger
  double ratio;           // b / a; NAN if n is 0
  StatsInterval within;   // 95 percent interval of it
  double p, p_adjusted;   // Wilcoxon; after Holm
} CompareRatio;

// What one has and the other lacks on the same targets.
typedef struct CompareShare {
  int n;                 // targets that both were run on, or are good on
  int only_a, only_b;    //
  double p, p_adjusted;  // McNemar; after Holm
} CompareShare;

// Two cases of a set that differ in one field. Differences of costs below 1e-6 count as none. Holm's
// correction is over the pairs that differ in the same field; for formulations within the group.
typedef struct ComparePair {
  int a, b;                              // cases
  CompareField differs;                  //
  CompareRatio ratio[N_COMPARE_PAIRED];  //
  CompareShare success;                  // good runs
  CompareShare high;                     // runs more than 1 percent above the best known
} ComparePair;

// Mean number of iterations on coarser grids of targets: every axis is thinned evenly.
enum { COMPARE_GRIDS = 12 };
typedef struct CompareGrids {
  int n;                        //
  int size[COMPARE_GRIDS];      // targets, ascending; the last is the whole grid
  double *mean[COMPARE_GRIDS];  // n_case, over good runs; NAN if there are none
} CompareGrids;

typedef struct CompareAxis {
  const char *name, *unit;  //
  int n;                    // different values
  double *value;            // n, ascending
  const char **label;       // n, texts of values that are no numbers; NULL: they are numbers
} CompareAxis;

typedef struct Compare {
  Arena *arena;       // owns everything but the journals
  int n_axis;         //
  CompareAxis *axis;  // n_axis
  int n_line;         // runs in the journals
  int n_repeat;       // of them: more than one of a case at a target; the best counts
  int n_torn;         // lines that could not be read
  bool unverified;    // solved runs are good without verification too
  int n_run, n_case, n_group, n_view, n_set, n_point, n_pair;
  CompareRun *run;      // n_run
  CompareCase *kase;    // n_case, by group, then formulation
  CompareGroup *group;  // n_group, by set
  CompareView *view;    // n_view
  CompareSet *set;      // n_set
  ComparePoint *point;  // n_point, by coordinates, the first one outermost
  ComparePair *pair;    // n_pair
  CompareGrids grids;   //
  int *table;           // n_case x n_point by rows: run, or -1
} Compare;

typedef struct CompareOptions {
  const char *const *form;  // n_form, formulations in the order to show them; others follow by name
  int n_form;               //
  bool unverified;          // runs that are solved count, whether verified or not
} CompareOptions;

// Compares the runs of n journals, which must outlive the result and have the same axes. Of several runs
// of one case at one target the best counts. STATUS_INPUT without runs. On failure *out is NULL.
Status compare_build(Compare **out, const Journal *const *journal, int n, const CompareOptions *opt,
                     Error *err);
void compare_free(Compare *c);  // NULL-safe

// The run of a case at a point; NULL if there is none.
const CompareRun *compare_at(const Compare *c, int kase, int point);

// The pair (a, b) of two cases; NULL if they differ in more than one field. *swapped: it is (b, a).
const ComparePair *compare_find_pair(const Compare *c, int a, int b, bool *swapped);

// What is the same in all cases, and the coordinates of a point, for people; appended to b.
void compare_common_label(const Compare *c, TextBuf *b);
void compare_point_label(const Compare *c, int point, TextBuf *b);

// Does a field differ between cases of the comparison?
bool compare_varies(const Compare *c, CompareField field);

#endif
