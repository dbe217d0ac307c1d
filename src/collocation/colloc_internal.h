// SPDX-License-Identifier: MIT
// What the files of this folder share.
#ifndef POISE_COLLOCATION_COLLOC_INTERNAL_H
#define POISE_COLLOCATION_COLLOC_INTERNAL_H

#include "collocation/colloc.h"
#include "ocp/ocp_point.h"

// A class of nonzeros: row `row` of each interval, variable `slot` of its block or (slot >= stride) of the
// next one. Values stand at `at` .. `at + N` in the order of the intervals.
typedef struct Entry {
  int row, slot;
  int at;
} Entry;

typedef struct EntryList {
  int n, cap;
  Entry *entry;
} EntryList;

// A factor that may depend on the length h of an interval: base h^power. Where all intervals are of
// one length, or power is 0, `now` is its value; else it is base each[k] in interval k.
typedef struct Factor {
  double base;
  int power;
  double now;
  const double *each;  // N, h^power; NULL: the same everywhere
} Factor;

enum { POWER_MAX = 4 };  // of h in a term

// One term of a derivative: values[at + k] += coef * source[e][k] for all intervals k, where source e is
// a nonzero of a block at one of the points.
typedef struct Term {
  int e;        // nonzero of the block's pattern
  int at;       // first value of the class
  Factor coef;  //
} Term;

typedef struct TermList {
  int n, cap;
  Term *term;
} TermList;

// A local variable of a point as a combination of slots: coef[s] * slot[s], s < n
enum { COMBO_MAX = SCHEME_MAX + 2 };
typedef struct Combo {
  int n;
  int slot[COMBO_MAX];
  Factor coef[COMBO_MAX];
} Combo;

// A block of functions placed at all points: where its rows go and the terms it gives.
typedef struct Placed {
  const OcpBlock *block;
  int row[SCHEME_MAX];        // first row in the interval, per point
  Factor scale[SCHEME_MAX];   // factor of the block in its rows (or in the cost), per point
  int time_at[SCHEME_MAX];    // -1: the rows of a point do not depend on the final time
  int *time_class;            // n_row x d: class of d row / d T
  bool cost;                  // belongs to the objective, not to rows
  TermList jac[SCHEME_MAX];   // per point; of the gradient, for costs
  TermList hess[SCHEME_MAX];  //
  double *value;              // n_row x (d N)
  double *jac_value;          // jac_nnz x (d N)
  double *hess_value;         // hess_room x (d N), hess_nnz of them in use
  double *lambda;             // n_row x (d N)
} Placed;

// The places of our own blocks; those of the user follow.
enum { PLACED_DYN, PLACED_PATH, PLACED_COST, PLACED_TERM };

// A linear row entry of every interval, coefficient of its class.
typedef struct Linear {
  int row, slot;
  int at;
  int time_at;  // free time: class of d row / d T; -1: does not depend on it
  Factor coef;
} Linear;

struct Colloc {
  Arena *arena;
  const Ocp *o;
  OcpPoint *point;
  Scheme s;
  Nlp nlp;
  int nv, nu, N, d;
  double T;         // horizon now
  double *width;    // N, length of an interval over T
  double *h_power;  // N x POWER_MAX: h, h^2, ... of all intervals; NULL where they are equal
  int T_var;        // variable of the final time; -1: fixed
  bool condensed, has_a;

  // variables: slots of a block
  int stride;                  // variables per interval
  int slot_u;                  // first control
  int slot_point[SCHEME_MAX];  // paper: q v [a] at a point; condensed: a at a point
  Combo *combo;                // (3 nv + nu) x d: local variables of point j, column-major

  // rows of an interval
  int rows;              // per interval
  int row0;              // first row of the first interval
  int n_linear;          //
  Linear *linear;        //
  double *linear_const;  // jac_nnz, their values; zero elsewhere
  int n_limit;           // condensed: rows that are limits at inner points
  int *limit_row;        // n_limit, row of the interval
  int *limit_local;      // n_limit, local variable: q or v
  int *limit_point;      // n_limit

  int n_placed;  //
  Placed
      *placed;  // n_placed: ours, then the user's terms in their order; without rows where absent
  int n_point;  // d N, point j of interval k is j N + k

  // control cost: sum over c, c' of weight u_c . u_c'
  double torque, torque_rate;       // weights now
  int n_pair;                       //
  int (*pair)[2];                   // n_pair, controls c >= c'
  double *pair_torque, *pair_rate;  // n_pair, coefficients of T and of 1 / T in the two costs
  int pair_at;                      // Hessian: values of pair p, actuator i at pair_at + p nu + i

  // end and rates: first rows; -1: none
  int goal_row, joint_row, rest_row, accel_row;
  int *end_row;          // nv, row of a joint in rest and balance; -1: it follows from the others
  double *end_lambda;    // nv, scratch
  bool accel_nonlinear;  // imposed by the dynamics block at the end, with zero accelerations
  int start_at, goal_at, accel_at;  // first nonzeros of the Jacobian
  int *goal_hess, *accel_hess;      // Hessian: place of each nonzero of the block; -1: none

  // differences of neighbouring controls: limited by a rate, or zero inside a piece
  int n_rate;             // rows
  int rate_row, rate_at;  // first row, first nonzero
  int *rate_control;      // n_rate, difference of this control and the next
  int *rate_actuator;     // n_rate

  // evaluation
  double *X;   // (stride) x (N + 1): variables by slot
  double *z;   // nz x n_point: local variables of all points
  void *work;  // of the largest function
  // free time, see colloc_time.c
  int *time_slot;       // stride and more: Hessian class of (T, slot); -1: none
  int time_control_at;  // Hessian: (T, control) entries
  int time_at;          // Hessian: (T, T)
  double *zT, *zTT;     // nz x n_point: derivatives of z with respect to T
  double *y, *Hz;       // nz x n_point: J^T lambda, Hessian times zT

  double *G;                          // rows x N: values of the rows by interval
  double *end_in;                     // nz + rows: local variables at the end, multipliers
  double *end_out;                    // one output of a block at the end
  bool have_x, have_value, have_jac;  // what is up to date for the current x
};

// Index of slot of block k.
static inline int colloc_var(const Colloc *c, int k, int slot) {
  return k * c->stride + slot;
}

// Slot of control number c of an interval (0 .. n_control), which may be in the next block.
static inline int colloc_control_slot(const Colloc *c, int control) {
  int step = c->s.control_step;
  return control < step ? c->slot_u + control * c->nu
                        : c->stride + c->slot_u + (control - step) * c->nu;
}

// The special slot of the final time in classes.
enum { SLOT_TIME = 1 << 28 };

static inline Factor factor(double base, int power) {
  return (Factor){.base = base, .power = power};
}
static inline Factor factor_mul(Factor a, Factor b) {
  return factor(a.base * b.base, a.power + b.power);
}
static inline double factor_at(const Factor *f, double h) {
  double x = f->base;
  for (int p = 0; p < f->power; p++) x *= h;
  return x;
}

// in interval k
static inline double factor_in(const Factor *f, int k) {
  return f->each ? f->base * f->each[k] : f->now;
}

// times a number
static inline Factor factor_times(const Factor *f, double x) {
  return (Factor){f->base * x, f->power, f->now * x, f->each};
}

// to[k] += factor * from[k] in all intervals
static inline void factor_add(const Factor *f, int N, const double *restrict from,
                              double *restrict to) {
  const double now = f->now, base = f->base;
  if (f->each) {
    const double *restrict each = f->each;
    for (int k = 0; k < N; k++) to[k] += base * each[k] * from[k];
  } else {
    for (int k = 0; k < N; k++) to[k] += now * from[k];
  }
}

// sum of factor * x[k] over all intervals
static inline double factor_dot(const Factor *f, int N, const double *x) {
  double sum = 0.0;
  for (int k = 0; k < N; k++) sum += factor_in(f, k) * x[k];
  return sum;
}

bool colloc_layout(Colloc *c);    // slots and combos; false when out of memory
bool colloc_patterns(Colloc *c);  // rows, classes, terms, patterns, bounds
void colloc_callbacks(Nlp *nlp);  // sets the functions
void colloc_names(Nlp *nlp);      // sets those that name

// Values of a slot in all intervals; slots of the next block are one further.
const double *colloc_slot_values(const Colloc *c, int slot);

// Control number c of x, nu values.
const double *colloc_control(const Colloc *c, const double *x, int number);

// What rate rows are multiplied by: 1, or with free time the horizon they are written for over the one now.
double colloc_rate_scale(const Colloc *c);

// free time
void colloc_set_T(Colloc *c, double T);                   // all factors for this horizon
void colloc_time_constraints(Colloc *c, double *values);  // Jacobian entries of T
void colloc_time_rates(const Colloc *c, const double *x, double *values);  // of rate rows, n_rate
void colloc_time_gradient(Colloc *c, const double *x, double *grad);
void colloc_time_hessian(Colloc *c, const double *x, double sigma, const double *lambda,
                         double *values);

#endif
