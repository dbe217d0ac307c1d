// SPDX-License-Identifier: MIT
#include "dynamics/loop_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"

static const double CLOSED = 1e-6;  // |phi| at the start that files written by hand may have
static const double SHARE = 1e-6;   // coefficient of a constraint that takes part in a dependency
static const double NUDGE = 0.1;    // how far nearby configurations are [rad | m]
enum { NUDGES = 3, MOST_RIVALS = 40 };

typedef struct Check {
  LoopReport *out;
  const Model *m;
  LoopEval *e;
  Arena *arena;
  double *q, *near, *phi;  // start, another one; constraints
  double *facing;          // 2 n_loop
  int *loop;               // n_row, loop of a row
  unsigned *row;           // n_row, its bit
} Check;

static void say(Check *c, LoopState state, int loop, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void say(Check *c, LoopState state, int loop, const char *format, ...) {
  LoopReport *r = c->out;
  r->state = state;
  r->loop = loop;
  int n = snprintf(r->text, sizeof r->text, "loop \"%.100s\": ", c->m->loop[loop].name);
  va_list args;
  va_start(args, format);
  vsnprintf(r->text + n, sizeof r->text - (size_t)n, format, args);
  va_end(args);
}

static bool open_check(Check *c) {
  size_t n = (size_t)c->m->nv, m = (size_t)c->out->n_row;
  c->q = arena_array(c->arena, n, sizeof *c->q);
  c->near = arena_array(c->arena, n, sizeof *c->near);
  c->phi = arena_array(c->arena, m, sizeof *c->phi);
  c->loop = arena_array(c->arena, m, sizeof *c->loop);
  c->row = arena_array(c->arena, m, sizeof *c->row);
  c->facing = arena_array(c->arena, 2 * (size_t)c->m->n_loop, sizeof *c->facing);
  if (!c->facing || !c->q || !c->near || !c->phi || !c->loop || !c->row) return false;
  const double *start = model_start(c->m);
  if (start) memcpy(c->q, start, n * sizeof *c->q);
  for (int l = 0, r = 0; l < c->m->n_loop; l++) {
    for (int k = 0; k < N_LOOP_ROWS; k++) {
      if (!(c->m->loop[l].rows & 1u << k)) continue;
      c->loop[r] = l;
      c->row[r++] = 1u << k;
    }
  }
  return true;
}

// ---- closed? -----------------------------------------------------------------------------------

// "0.03 m apart along x", "turned by 3.2 deg about y", "0.01 m too long"
static void describe(const Check *c, int row, double phi, char *out, size_t size) {
  const ModelLoop *l = &c->m->loop[c->loop[row]];
  const double deg = 57.295779513082323;
  double angle = deg * asin(fmin(1, fabs(phi)));
  switch (c->row[row]) {
    case LOOP_X:
    case LOOP_Y:
    case LOOP_Z: snprintf(out, size, "%.4g m apart", fabs(phi)); break;
    case LOOP_LENGTH: {
      double length = sqrt(fmax(0, 2 * phi + l->distance * l->distance));
      snprintf(out, size, "%.4g m long instead of %.4g m", length, l->distance);
      break;
    }
    case LOOP_ZZ: snprintf(out, size, "its axes %.3g degrees off a right angle", angle); break;
    default: snprintf(out, size, "tilted by %.3g degrees", angle); break;
  }
}

// names of other loops whose |weight| counts, as `, with loop "a", "b"`; `of`: weight of each row
static void others(const Check *c, const double *of, double least, int except, char *out,
                   size_t size) {
  int told = 0, last = -1;
  snprintf(out, size, "%s", "");
  for (int r = 0; r < c->out->n_row; r++) {
    if (fabs(of[r]) < least || c->loop[r] == except || c->loop[r] == last) continue;
    last = c->loop[r];
    size_t used = strlen(out);
    if (told == 3) {
      snprintf(out + used, size - used, ", ...");
      return;
    }
    snprintf(out + used, size - used, "%s\"%.40s\"", told++ ? ", " : "", c->m->loop[last].name);
  }
}

static int worst_row(const Check *c) {
  int worst = 0;
  for (int r = 1; r < c->out->n_row; r++) {
    if (fabs(c->phi[r]) > fabs(c->phi[worst])) worst = r;
  }
  return worst;
}

// another loop without which all others close, as ' "a"'; empty if there is none
static Status find_rival(Check *c, int loop, char *out, size_t size, Error *err) {
  snprintf(out, size, "%s", "");
  for (int l = 0; l < c->m->n_loop && l < MOST_RIVALS; l++) {
    if (l == loop) continue;
    LoopAssembly a;
    memcpy(c->near, c->q, (size_t)c->m->nv * sizeof *c->near);
    Status status = loop_assemble_without(c->e, l, c->near, &a, err);
    if (status != STATUS_OK) return status;
    if (!a.closed) continue;
    snprintf(out, size, "\"%.100s\"", c->m->loop[l].name);
    return STATUS_OK;
  }
  return STATUS_OK;
}

// the start is open: can it be closed?
static Status check_open(Check *c, Error *err) {
  char how[120], with[160];
  int worst = worst_row(c);
  describe(c, worst, c->phi[worst], how, sizeof how);
  memcpy(c->near, c->q, (size_t)c->m->nv * sizeof *c->near);
  LoopAssembly a;
  Status status = loop_assemble(c->e, c->near, &a, err);
  if (status != STATUS_OK) return status;
  if (a.closed) {
    say(c, LOOP_OPEN, c->loop[worst],
        "not closed at the start configuration: %s; 'poise assemble' finds a closed one near by",
        how);
    return STATUS_OK;
  }
  loop_eval(c->e, c->near, NULL, c->phi, NULL, NULL, NULL);
  worst = worst_row(c);
  describe(c, worst, c->phi[worst], how, sizeof how);
  status = find_rival(c, c->loop[worst], with, sizeof with, err);
  if (status != STATUS_OK) return status;
  say(c, LOOP_CONTRADICTORY, c->loop[worst],
      "can't be closed: however the joints move from the start configuration, it stays %s%s%s", how,
      *with ? "; contradicts loop " : "", with);
  return STATUS_OK;
}

// rows of turning can't tell an axis from its opposite
static bool check_facing(Check *c) {
  if (!loop_eval_facing(c->e, c->q, c->facing)) return true;
  for (int l = 0; l < c->m->n_loop; l++) {
    const ModelLoop *loop = &c->m->loop[l];
    const double *facing = c->facing + 2 * (size_t)l;
    bool z = loop->rows & (LOOP_RX | LOOP_RY), x = loop->rows & LOOP_RZ;
    if ((!z || facing[0] > 0) && (!x || facing[1] > 0)) continue;
    say(c, LOOP_OPPOSED, l,
        "closed the wrong way round: the %s axes of its two frames point against each other",
        z && facing[0] <= 0 ? "z" : "x");
    return false;
  }
  return true;
}

// ---- independent? ------------------------------------------------------------------------------

// the largest rank at closed configurations near by; the start's where none is found
static Status rank_nearby(Check *c, int *rank, Error *err) {
  Rng rng;
  rng_seed(&rng, 1);
  for (int k = 0; k < NUDGES; k++) {
    LoopAssembly a;
    LoopRank r;
    for (int i = 0; i < c->m->nv; i++) c->near[i] = c->q[i] + rng_uniform(&rng, -NUDGE, NUDGE);
    Status status = loop_assemble(c->e, c->near, &a, err);
    if (status == STATUS_OK && a.closed) status = loop_rank(c->e, c->near, c->arena, &r, err);
    if (status != STATUS_OK) return status;
    if (a.closed && r.rank > *rank) *rank = r.rank;
  }
  return STATUS_OK;
}

static Status check_rank(Check *c, Error *err) {
  LoopRank r;
  LoopReport *out = c->out;
  Status status = loop_rank(c->e, c->q, c->arena, &r, err);
  if (status != STATUS_OK) return status;
  out->rank = r.rank;
  if (r.dependent < 0 && r.rank == c->m->nv) {
    say(c, LOOP_RIGID, c->m->n_loop - 1,
        "with it the loops leave no degree of freedom: %d independent constraints on %d coordinates",
        r.rank, c->m->nv);
  }
  if (r.dependent < 0) return STATUS_OK;
  int nearby = r.rank;
  status = rank_nearby(c, &nearby, err);
  if (status != STATUS_OK) return status;
  int loop = c->loop[r.dependent];
  const char *name = model_row_name(c->row[r.dependent]);
  char with[160];
  others(c, r.coefficient, SHARE, loop, with, sizeof with);
  if (nearby > r.rank) {
    say(c, LOOP_SINGULAR, loop,
        "the start configuration is singular: constraint %s follows from those of %s%s there (rank "
        "%d of %d, %d nearby, tolerance %g)",
        name, *with ? "loop " : "its own loop", with, r.rank, out->n_row, nearby,
        loop_rank_tolerance);
  } else if (r.no_effect) {
    say(c, LOOP_REDUNDANT, loop,
        "constraint %s is redundant: no joint can break it (rank %d of %d, tolerance %g); leave it "
        "out by \"rows\", or say \"planar\" if the mechanism is",
        name, r.rank, out->n_row, loop_rank_tolerance);
  } else {
    say(c, LOOP_REDUNDANT, loop,
        "constraint %s is redundant: it follows from those of %s%s (rank %d of %d, tolerance %g); "
        "leave it out by \"rows\"",
        name, *with ? "loop " : "its own loop", with, r.rank, out->n_row, loop_rank_tolerance);
  }
  return STATUS_OK;
}

Status loop_check(LoopReport *out, const Model *m, Error *err) {
  *out = (LoopReport){.loop = -1, .n_row = model_n_rows(m), .dof = m->nv};
  if (out->n_row == 0) return STATUS_OK;
  Check c = {.out = out, .m = m, .arena = arena_new()};
  Status status = loop_eval_build(&c.e, m, err);
  if (status == STATUS_OK && !open_check(&c)) status = error_no_memory(err);
  if (status == STATUS_OK && !loop_eval(c.e, c.q, NULL, c.phi, NULL, NULL, NULL)) {
    status = error_set(err, STATUS_NUMERIC, m->path, "the constraints are not finite at the start");
  }
  if (status == STATUS_OK) {
    out->violation = fabs(c.phi[worst_row(&c)]);
    if (out->violation > CLOSED) status = check_open(&c, err);
    else if (check_facing(&c)) status = check_rank(&c, err);
  }
  out->dof = m->nv - out->rank;
  loop_eval_free(c.e);
  arena_free(c.arena);
  return status;
}

Status loop_fail(const LoopReport *report, const Model *m, Error *err) {
  char where[sizeof err->where];
  snprintf(where, sizeof where, "%.180s: %.60s", m->path, m->loop[report->loop].where);
  return error_set(err, STATUS_INPUT, where, "%s", report->text);
}

Status loop_require(const Model *m, bool singular_allowed, Error *err) {
  LoopReport r;
  Status status = loop_check(&r, m, err);
  if (status != STATUS_OK || r.state == LOOP_FINE) return status;
  if (r.state == LOOP_SINGULAR && singular_allowed) return STATUS_OK;
  return loop_fail(&r, m, err);
}
