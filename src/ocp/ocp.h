// SPDX-License-Identifier: MIT
// An optimal control problem, fully resolved: robot, formulation, grid, boundary conditions, costs,
// limits, obstacles, guess, strategy. Plain data; ocp_json.c reads it from a task file, whose keys
// are in ocp_keys.c and in docs/task_format.md.
//
//   minimise   integral of  torque |u|^2 + torque_rate |u'|^2 + velocity |v|^2 + acceleration |a|^2
//                           + tracking |p_frame(q) - target|^2 + user's terms  dt  +  time T
//   subject to the dynamics, q(0), v(0) given, the goal at T, limits, obstacles and
//   user's constraints in between.
//
// u' is the finite difference of neighbouring controls over the time d between them, each difference
// counted over that time: the sum of |u_{c+1} - u_c|^2 / d. Piecewise constant controls stand in the
// middle of their pieces, so that on N equal intervals d = h = T / N and there are N - 1 differences;
// linear and quadratic ones at nodes and in the middle.
//
// A grid may be finer in places: nodes lie at fractions of the horizon, also of a free one, and
// intervals that were one before they were split keep one constant control between them (a piece).
#ifndef POISE_OCP_OCP_H
#define POISE_OCP_OCP_H

#include <stdbool.h>

#include "dynamics/dyn.h"
#include "model/model.h"

typedef enum OcpScheme { OCP_RADAU, OCP_GAUSS, OCP_TRAPEZOIDAL, OCP_HERMITE_SIMPSON } OcpScheme;
typedef enum OcpLayout { OCP_CONDENSED, OCP_PAPER } OcpLayout;
typedef enum OcpGuessKind {
  OCP_GUESS_HOLD,    // start posture, holding torques
  OCP_GUESS_LINE,    // straight line in joint space to a goal posture, torques by inverse dynamics
  OCP_GUESS_FILE,    // a previous result
  OCP_GUESS_RANDOM,  // smooth seeded motion about the start posture, torques by inverse dynamics
  OCP_GUESS_ZERO,    // start posture, no torques
} OcpGuessKind;
typedef enum OcpTermUse { OCP_TERM_CONSTRAINT, OCP_TERM_COST, OCP_TERM_DYNAMICS } OcpTermUse;
typedef enum OcpStrategyKind { OCP_COLD, OCP_CONTINUATION, OCP_MULTISTART } OcpStrategyKind;

// The enumerators as task and result files spell them.
enum {
  N_OCP_SCHEMES = 4,
  N_OCP_LAYOUTS = 2,
  N_OCP_GUESSES = 5,
  N_OCP_STRATEGIES = 3,
  N_OCP_TERM_USES = 3
};
extern const char *const ocp_scheme_names[N_OCP_SCHEMES];
extern const char *const ocp_layout_names[N_OCP_LAYOUTS];
extern const char *const ocp_guess_names[N_OCP_GUESSES];
extern const char *const ocp_strategy_names[N_OCP_STRATEGIES];
extern const char *const ocp_term_use_names[N_OCP_TERM_USES];

enum {
  OCP_MAX_DEGREE = 9,         // collocation points per interval
  OCP_MAX_INTERVALS = 10000,  //
  OCP_MAX_SEED = 1000000000,  // seeds are 0 .. this
};

typedef struct OcpGoal {
  int frame;            // of the model; -1: no position is asked for
  bool fixed[3];        // components of the position that are asked for
  double position[3];   // world [m]
  bool *joint_fixed;    // nv
  double *joint_value;  // nv
  bool at_rest;         // v(T) = 0
  bool equilibrium;     // a(T) = 0
} OcpGoal;

typedef struct OcpCost {
  double torque;              // weights, >= 0
  double torque_rate;         //
  double velocity;            //
  double acceleration;        //
  double time;                //
  double tracking;            //
  int tracking_frame;         // -1: none
  double tracking_target[3];  //
} OcpCost;

typedef struct OcpLimits {
  double *q_lower, *q_upper;  // nv; infinite if none
  double *v_lower, *v_upper;  // nv
  double *u_lower, *u_upper;  // nu
  double *u_rate;             // nu, largest |u'|; INFINITY if none
  bool inner;  // positions and velocities are limited at inner collocation points too
} OcpLimits;

typedef struct OcpObstacle {
  const char *name;  // for messages
  int frame;         // frame that must stay out
  bool sphere;       // else half-space normal . p >= offset
  double center[3];  // sphere [m]
  double radius;     // sphere [m]
  double normal[3];  // half-space, unit
  double offset;     // half-space [m]
} OcpObstacle;

// A user's function of (q, v, u) from a shared object: ocp_block.h.
typedef struct OcpTerm {
  const char *name;       // for messages
  const char *library;    // path of the shared object, relative to the working folder
  const char *function;   // its name; jac_ and hess_ of it stand beside it
  OcpTermUse use;         //
  int n_row;              // rows of its output
  double *lower, *upper;  // constraints: n_row; infinite if none
  double weight;          // costs
} OcpTerm;

typedef struct OcpGuess {
  OcpGuessKind kind;  //
  const char *path;   // result file, for OCP_GUESS_FILE, relative to the working folder; else NULL
  int seed;           // for OCP_GUESS_RANDOM
  double amplitude;   // of the random part [rad | m]
} OcpGuess;

typedef struct OcpOption {
  const char *name;   // IPOPT's name, verbatim
  const char *value;  // as text
} OcpOption;

typedef struct OcpStrategy {
  OcpStrategyKind kind;    //
  double smoothing_start;  // continuation: first torque-rate weight, above cost.torque_rate
  int n_start;             // multistart: solves
  int seed;                // multistart: of the first one
  bool retry;              // other starts where the guess does not lead to a solution soon
  bool refine;             // a finer grid where the verification asks for it
} OcpStrategy;

typedef struct Ocp {
  Arena *arena;             // owns everything but the model
  Model *model;             // owned
  const char *name;         // of the task
  const char *path;         // file it came from
  const DynForm *form;      //
  double T;                 // horizon, or its start value if free [s]
  bool free_time;           //
  double T_lower, T_upper;  // if free
  int n_interval;           //
  double *node;      // n_interval + 1, fractions of the horizon, 0 to 1; NULL: equal intervals
  int *piece;        // n_interval, ascending: intervals of one piece share their constant
                     // control; NULL: each has its own
  OcpScheme scheme;  //
  int degree;        // collocation points per interval (Radau, Gauss: 1 to 9; others: by scheme)
  OcpLayout layout;  //
  double *q_start;   // nv
  double *v_start;   // nv
  int n_free;  // independent joints: all, or with loops as many as there are degrees of freedom
  int *free_joint;        // n_free, ascending: rest and balance at the end are asked of these, and
                          // hold for the others then
  OcpGoal goal;           //
  OcpCost cost;           //
  OcpLimits limits;       //
  int n_obstacle;         //
  OcpObstacle *obstacle;  // n_obstacle
  int n_term;             //
  OcpTerm *term;          // n_term, at most one of them dynamics
  OcpGuess guess;         //
  OcpStrategy strategy;   //
  int n_option;           //
  OcpOption *option;      // n_option, for IPOPT
  int n_note;             //
  const char **note;      // n_note, things worth telling: "where: what"
} Ocp;

// Reads and checks a task file; paths in it (robot, guess) are relative to its folder. On failure
// *out is NULL and err names file, path, value and rule.
Status ocp_load(Ocp **out, const char *path, Error *err);

// The same from text; `name` stands for the file in messages, `folder` for where it lies.
Status ocp_parse(Ocp **out, const char *text, const char *name, const char *folder, Error *err);

void ocp_free(Ocp *o);  // NULL-safe; frees the model too

// Points per interval, and controls in all: n_interval for piecewise constant ones (Radau, Gauss),
// n_interval + 1 for linear (trapezoidal), 2 n_interval + 1 for quadratic ones (Hermite-Simpson).
int ocp_n_point(const Ocp *o);
int ocp_n_control(const Ocp *o);

// Place of node k, length of interval k, and time between controls c and c + 1 (0 if they are tied),
// as fractions of the horizon. Tied: both belong to one piece.
double ocp_node(const Ocp *o, int k);
double ocp_width(const Ocp *o, int k);
double ocp_control_gap(const Ocp *o, int c);
bool ocp_tied(const Ocp *o, int c);

// Places of the points in an interval, ascending in 0 .. 1; point: ocp_n_point. Computed, not
// tabulated: Radau has the last one at 1, Gauss none at the ends.
void ocp_points(const Ocp *o, double *point);

#endif
