// SPDX-License-Identifier: MIT
// poise study tasora: A. Tasora, "An optimized Lagrangian-multiplier approach for interactive multibody
// simulation in kinematic and dynamical digital prototyping": the mechanisms of table 2 in maximal
// coordinates, and how the work grows with the pieces of a closed chain.
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cli/study.h"
#include "model/mechanism_gen.h"
#include "sim/sim_maximal.h"

enum { SMALLEST_RING = 20, LARGEST_RING = 640, LARGEST_QUICK = 80, N_RINGS = 6, ROUNDS = 9 };

static const double STEP = 1e-3;  // [s]
static const double SPEED = 0.3;  // of bodies at the start, before projection, up to this [m/s]
static const double LARGEST_GROWTH = 1.1;  // exponent asked for
static const double LARGEST_VIOLATION = 1e-12;

// One mechanism: sizes, operations, time.
typedef struct Row {
  int bodies, coordinates, constraints;
  int nonzeros;           // of L
  ExprCount system;       // matrix and right-hand side
  ExprCount step;         // all of a step's algebra: eqs 35, 36 and 37
  double seconds;         // per rk2 step with projection
  double dense_seconds;   // of one dense elimination of the same matrix; 0: not done
  double sparse_seconds;  // of one sparse factorisation and solve
  double position, rate;  // largest violation after projection
  double energy;          // drift, relative to the energy that was moved
  int null_pivots;        //
  double corrections;     // per step
} Row;

static Status generate(Model **out, MechanismKind kind, int size, Error *err) {
  TextBuf text = {0};
  mechanism_gen(&text, &(MechanismOptions){kind, size, 2});
  Status status = text.failed ? error_no_memory(err)
                              : model_parse(out, text.text, mechanism_names[kind], err);
  textbuf_free(&text);
  return status;
}

static Status count(const Maximal *x, Row *row, Error *err) {
  DynFunction *f[2] = {NULL, NULL};
  ExprCount *to[2] = {&row->system, &row->step};
  Status status = maximal_system_build(&f[0], x, err);
  if (status == STATUS_OK) status = maximal_solve_build(&f[1], x, NULL, true, err);
  for (int k = 0; k < 2; k++) {
    ExprTape *tape = NULL;
    if (status == STATUS_OK) status = expr_tape_build(&tape, &f[k]->f, TAPE_FOR_COMPILER, err);
    if (status == STATUS_OK) *to[k] = tape->count;
    expr_tape_free(tape);
    dyn_function_free(f[k]);
  }
  return status;
}

// ---- motion ------------------------------------------------------------------------------------

// bodies pushed at random, then moved onto the constraints
static bool start(SimMaximal *s, const Model *m, Arena *arena, double *state) {
  int n = s->x->n_body;
  double *zero = arena_array(arena, (size_t)m->nv + 1, sizeof *zero);
  double *accel = arena_array(arena, 6 * (size_t)n + 1, sizeof *accel);
  if (!zero || !accel) return false;
  if (!sim_maximal_start(s, model_start(m) ? model_start(m) : zero, zero, state)) return false;
  Rng rng;
  rng_seed(&rng, 1);
  for (int i = 7 * n; i < 10 * n; i++) state[i] = rng_uniform(&rng, -SPEED, SPEED);
  return sim_maximal_accelerations(s, state, accel) && sim_maximal_project(s, state);
}

static bool move(SimMaximal *s, int steps, double *state, Row *row) {
  double first = 0, most = 0;
  for (int k = 0; k <= steps; k++) {
    double position, rate;
    if (k > 0 && !sim_maximal_step(s, sim_scheme_find("rk2"), STEP, state)) return false;
    sim_maximal_violation(s, state, &position, &rate);
    row->position = fmax(row->position, position);
    row->rate = fmax(row->rate, rate);
    double energy = s->energy[0] + s->energy[1];
    if (k == 0) first = energy;
    row->energy = energy - first;
    most = fmax(most, s->energy[0]);
  }
  row->energy /= most;
  row->null_pivots = s->stats.max_null_pivots;
  row->corrections = (double)s->stats.corrections / (double)s->stats.steps;
  return true;
}

// of this process: what others do on the machine does not count
static double cpu_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

// seconds per step, the best of some rounds of at least a hundredth of a second
static double time_steps(SimMaximal *s, double *state) {
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    double begin = cpu_seconds(), now = begin;
    int n = 0;
    for (; now - begin < 0.01; n++) {
      if (!sim_maximal_step(s, sim_scheme_find("rk2"), STEP, state)) return NAN;
      now = cpu_seconds();
    }
    best = fmin(best, (now - begin) / n);
  }
  return best;
}

// ---- dense elimination, for comparison ---------------------------------------------------------

static void fill_dense(const SimMaximal *s, double *A) {
  size_t n = (size_t)s->x->n;
  for (size_t i = 0; i < n * n; i++) A[i] = 0;
  for (int e = 0; e < s->x->n_entry; e++) {
    // in the order of the pivots, so that none is null; both triangles
    size_t i = (size_t)s->x->ldl.place[s->x->entry[e].i];
    size_t j = (size_t)s->x->ldl.place[s->x->entry[e].j];
    A[i * n + j] = A[j * n + i] = s->matrix[e];
  }
}

static void gauss(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    const double *pivot = A + (size_t)k * n;
    for (int i = k + 1; i < n; i++) {
      double *row = A + (size_t)i * n, f = row[k] / pivot[k];
      for (int j = k + 1; j < n; j++) row[j] -= f * pivot[j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = A + (size_t)i * n;
    for (int j = i + 1; j < n; j++) b[i] -= row[j] * b[j];
    b[i] /= row[i];
  }
}

static bool time_solves(SimMaximal *s, Arena *arena, Row *row) {
  int n = s->x->n;
  double *A = arena_array(arena, (size_t)n * (size_t)n, sizeof *A);
  double *b = arena_array(arena, (size_t)n + 1, sizeof *b);
  if (!A || !b) return false;
  row->dense_seconds = row->sparse_seconds = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < n; i++) b[i] = 1;
    fill_dense(s, A);
    double t0 = clock_seconds();
    gauss(n, A, b);
    double t1 = clock_seconds();
    for (int i = 0; i < n; i++) b[i] = 1;
    double t2 = clock_seconds();
    ldl_factor(&s->x->ldl, s->matrix, s->opt.null_tol, s->l, s->d_inv, NULL, s->y);
    ldl_solve(&s->x->ldl, s->l, s->d_inv, b, s->y);
    double t3 = clock_seconds();
    row->dense_seconds = fmin(row->dense_seconds, t1 - t0);
    row->sparse_seconds = fmin(row->sparse_seconds, t3 - t2);
  }
  return true;
}

static Status measure(MechanismKind kind, int size, int steps, bool dense, Row *row, Error *err) {
  Model *m = NULL;
  SimMaximal *s = NULL;
  *row = (Row){0};
  Arena *arena = arena_new();
  Status status = generate(&m, kind, size, err);
  if (status == STATUS_OK) status = sim_maximal_build(&s, m, NULL, err);
  if (status == STATUS_OK) status = count(s->x, row, err);
  double *state = s ? arena_array(arena, (size_t)s->n_state + 1, sizeof *state) : NULL;
  if (status == STATUS_OK && !state) status = error_no_memory(err);
  if (status == STATUS_OK) {
    row->bodies = s->x->n_body;
    row->coordinates = 6 * s->x->n_body;
    row->constraints = s->x->n_row;
    row->nonzeros = s->x->ldl.nnz;
    if (!start(s, m, arena, state) || !move(s, steps, state, row)) {
      status =
          error_set(err, STATUS_NUMERIC, mechanism_names[kind], "the motion can't be followed");
    }
  }
  if (status == STATUS_OK) row->seconds = time_steps(s, state);
  if (status == STATUS_OK && dense && !time_solves(s, arena, row)) status = error_no_memory(err);
  sim_maximal_free(s);
  model_free(m);
  arena_free(arena);
  return status;
}

// ---- tables ------------------------------------------------------------------------------------

typedef struct Published {
  const char *name;
  MechanismKind kind;
  int size, coordinates, constraints;
  double seconds;
} Published;

static const Published table2[] = {
    {"arm (shoulder only)", MECHANISM_SHOULDER, 1, 42, 40, 0.006},
    {"arm (complete)", MECHANISM_ARM, 1, 54, 50, 0.008},
    {"20-piece closed chain", MECHANISM_RING, 20, 120, 60, 0.015},
    {"40-piece closed chain", MECHANISM_RING, 40, 240, 120, 0.042},
    {"man with bike", MECHANISM_BICYCLE, 1, 108, 92, 0.018},
};

enum { N_TABLE = sizeof table2 / sizeof table2[0] };

static Status study_table(const StudyOptions *opt, bool *reached, Error *err) {
  printf("\nTable 2: maximal coordinates, eqs 35 to 37, one rk2 step of %g s\n", STEP);
  printf("  %-22s %5s %6s %6s | %9s | %7s %7s %9s %6s %9s %9s\n", "mechanism", "vars", "coords",
         "constr", "paper [s]", "ops", "nnz L", "step [us]", "dense/", "violation", "energy");
  bool sizes = true;
  double worst = 0;
  for (int k = 0; k < N_TABLE; k++) {
    const Published *p = &table2[k];
    Row r;
    Status status = measure(p->kind, p->size, opt->quick ? 50 : 1000, true, &r, err);
    if (status != STATUS_OK) return status;
    printf("  %-22s %5d %6d %6d | %9.3f | %7d %7d %9.1f %5.0fx %9.1e %9.1e\n", p->name,
           r.coordinates + r.constraints, r.coordinates, r.constraints, p->seconds, r.step.total,
           r.nonzeros, 1e6 * r.seconds, r.dense_seconds / r.sparse_seconds,
           fmax(r.position, r.rate), r.energy);
    sizes = sizes && r.coordinates == p->coordinates && r.constraints == p->constraints;
    worst = fmax(worst, fmax(r.position, r.rate));
  }
  printf(
      "  ops: matrix, factorisation and the three solves, traced; dense/: time of a dense elimination\n"
      "  over that of the sparse one; violation: largest of positions and velocities over %g s\n",
      opt->quick ? 50 * STEP : 1000 * STEP);
  study_verdict(sizes, reached, "coordinates and constraints of every mechanism as in table 2");
  study_verdict(worst < LARGEST_VIOLATION, reached,
                "violation after projection %.1e, asked for %.0e", worst, LARGEST_VIOLATION);
  return STATUS_OK;
}

// slope of log y over log n, least squares
static double growth(int n, const double *size, const double *y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; k < n; k++) {
    double a = log(size[k]), b = log(y[k]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static Status study_growth(const StudyOptions *opt, bool *reached, Error *err) {
  double size[N_RINGS], ops[N_RINGS], seconds[N_RINGS], worst = 0;
  int n = 0;
  printf("\nClosed chains of more and more pieces\n");
  printf("  %6s %6s %8s %9s %8s %9s %9s %11s\n", "pieces", "vars", "nnz L", "ops", "ops/piece",
         "step [us]", "us/piece", "violation");
  for (int k = SMALLEST_RING; k <= (opt->quick ? LARGEST_QUICK : LARGEST_RING); k *= 2) {
    Row r;
    Status status = measure(MECHANISM_RING, k, opt->quick ? 10 : 100, false, &r, err);
    if (status != STATUS_OK) return status;
    size[n] = k;
    ops[n] = r.step.total;
    seconds[n++] = r.seconds;
    worst = fmax(worst, fmax(r.position, r.rate));
    printf("  %6d %6d %8d %9d %8.0f %9.1f %9.3f %11.1e\n", k, r.coordinates + r.constraints,
           r.nonzeros, r.step.total, (double)r.step.total / k, 1e6 * r.seconds, 1e6 * r.seconds / k,
           fmax(r.position, r.rate));
  }
  double k_ops = growth(n, size, ops), k_time = growth(n, size, seconds);
  study_verdict(k_ops <= LARGEST_GROWTH, reached, "operations grow as n^%.3f, asked for %.1f",
                k_ops, LARGEST_GROWTH);
  // the table's two chains: 0.015 s and 0.042 s; small chains on a busy machine say nothing
  if (opt->quick) printf("  time per step grows as n^%.3f\n", k_time);
  else
    study_verdict(k_time <= LARGEST_GROWTH, reached,
                  "time per step grows as n^%.3f, asked for %.1f (the paper's two chains: n^%.2f)",
                  k_time, LARGEST_GROWTH, log2(0.042 / 0.015));
  study_verdict(worst < LARGEST_VIOLATION, reached,
                "violation after projection %.1e, asked for %.0e", worst, LARGEST_VIOLATION);
  return STATUS_OK;
}

static Status run(const StudyOptions *opt, bool *reached, Error *err) {
  Status status = study_table(opt, reached, err);
  return status == STATUS_OK ? study_growth(opt, reached, err) : status;
}

const Study study_tasora = {
    .name = "tasora",
    .title = "Tasora, An optimized Lagrangian-multiplier approach for interactive multibody "
             "simulation",
    .run = run,
};
