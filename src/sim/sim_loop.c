// SPDX-License-Identifier: MIT
#include "sim/sim_loop.h"

#include <string.h>

#include "dynamics/rcr_function.h"
#include "expr/expr_tape.h"

// RCR looks for better coordinates when a relative pivot falls below LOOK, and again whenever it has
// halved since; it takes them if they are better by this factor.
static const double LOOK = 0.25;
static const double BETTER = 2.0;

// A function ready to run.
typedef struct Ready {
  ExprTape *tape;
  void *work;   // from the arena
  int counted;  // operations without pivots
} Ready;

// What belongs to one choice of independent coordinates, or to a method without one.
typedef struct Choice {
  Arena *arena;   // owns work
  RcrPlan *plan;  // RCR only
  Ready rate;     // state -> its derivative
  Ready speeds;   // RCR only: (q, v_ind) -> v
  int n_speed;    // rates that are part of the state
} Choice;

struct SimLoop {
  Arena *arena;
  const Model *m;
  const LoopMethod *method;
  Choice choice;
  double *x;            // state: q, then n_speed rates
  double *v;            // nv, all rates
  double *tau;          // nv
  double *pivot;        // nv, of the last evaluation
  double *work;         // of sim_step
  bool first;           // the next evaluation is the first of a step: its pivots are the state's
  double *start_pivot;  // nv, those
  double look;          // pivot at which to look for better coordinates
  long evaluations;
  int choices;
};

static bool reduced(const SimLoop *s) {
  return s->method == &loop_rcr;
}

// ---- functions ---------------------------------------------------------------------------------

static void choice_free(Choice *c) {
  expr_tape_free(c->rate.tape);
  expr_tape_free(c->speeds.tape);
  rcr_plan_free(c->plan);
  arena_free(c->arena);
  *c = (Choice){.arena = NULL};
}

static Status make_ready(Ready *r, Arena *arena, const DynFunction *f, Error *err) {
  Status s = expr_tape_build(&r->tape, &f->f, TAPE_FOR_EVALUATOR, err);
  if (s != STATUS_OK) return s;
  r->work = arena_alloc(arena, expr_tape_work_size(r->tape));
  r->counted = r->tape->count.total;
  return r->work ? STATUS_OK : error_no_memory(err);
}

// operations of the first n_out outputs
static Status count_part(int *count, const DynFunction *f, int n_out, Error *err) {
  ExprFunction part = f->f;
  part.n_out = n_out;
  ExprTape *tape;
  Status s = expr_tape_build(&tape, &part, TAPE_FOR_EVALUATOR, err);
  if (s == STATUS_OK) *count = tape->count.total;
  expr_tape_free(tape);
  return s;
}

static Status choose_reduced(Choice *c, const Model *m, const double *q, Error *err) {
  DynFunction *f = NULL;
  Status s = rcr_plan_at(&c->plan, m, q, err);
  if (s != STATUS_OK) return s;
  c->n_speed = c->plan->n_ind;
  s = rcr_function_build(&f, m, c->plan, err);
  if (s == STATUS_OK) s = make_ready(&c->rate, c->arena, f, err);
  if (s == STATUS_OK) s = count_part(&c->rate.counted, f, 2, err);
  dyn_function_free(f);
  if (s != STATUS_OK) return s;
  s = rcr_rates_build(&f, m, c->plan, err);
  if (s == STATUS_OK) s = make_ready(&c->speeds, c->arena, f, err);
  dyn_function_free(f);
  return s;
}

static Status choose(Choice *c, const SimLoop *s, const double *q, Error *err) {
  *c = (Choice){.arena = arena_new(), .n_speed = s->m->nv};
  Status status = c->arena ? STATUS_OK : error_no_memory(err);
  if (status == STATUS_OK && reduced(s)) {
    status = choose_reduced(c, s->m, q, err);
  } else if (status == STATUS_OK) {
    DynFunction *f;
    status = loop_function_build(&f, s->m, s->method, err);
    if (status == STATUS_OK) status = make_ready(&c->rate, c->arena, f, err);
    dyn_function_free(f);
  }
  if (status != STATUS_OK) choice_free(c);
  return status;
}

// ---- evaluation --------------------------------------------------------------------------------

static double smallest(const double *pivot, int n) {
  double x = 1.0;
  for (int i = 0; i < n; i++) {
    if (!(pivot[i] >= x)) x = pivot[i];
  }
  return x;
}

static bool rate(void *data, double t, const double *x, double *dx) {
  (void)t;
  SimLoop *s = data;
  int n = s->m->nv;
  const LaneIn in[3] = {{x, 1, 0}, {x + n, 1, 0}, {s->tau, 1, 0}};
  s->evaluations++;
  if (reduced(s)) {
    double *pivot = s->first ? s->start_pivot : s->pivot;
    const LaneOut out[3] = {{dx, 1, 0}, {dx + n, 1, 0}, {pivot, 1, 0}};
    s->first = false;
    return expr_tape_eval(s->choice.rate.tape, 1, in, out, s->choice.rate.work) &&
           smallest(pivot, n - s->choice.n_speed) >= RCR_SINGULAR;
  }
  const LaneOut out[2] = {{dx + n, 1, 0}, {NULL, 0, 0}};
  memcpy(dx, x + n, (size_t)n * sizeof *dx);
  return expr_tape_eval(s->choice.rate.tape, 1, in, out, s->choice.rate.work);
}

static bool all_speeds(const SimLoop *s, double *v) {
  int n = s->m->nv;
  if (!reduced(s)) {
    memcpy(v, s->x + n, (size_t)n * sizeof *v);
    return true;
  }
  const LaneIn in[2] = {{s->x, 1, 0}, {s->x + n, 1, 0}};
  const LaneOut out = {v, 1, 0};
  return expr_tape_eval(s->choice.speeds.tape, 1, in, &out, s->choice.speeds.work);
}

static void take_speeds(SimLoop *s, const double *v) {
  int n = s->m->nv;
  for (int i = 0; i < s->choice.n_speed; i++) {
    s->x[n + i] = v[reduced(s) ? s->choice.plan->ind[i] : i];
  }
}

Status sim_loop_set(SimLoop *s, const double *q, const double *v, Error *err) {
  int n = s->m->nv;
  memcpy(s->x, q, (size_t)n * sizeof *q);
  take_speeds(s, v);
  if (all_speeds(s, s->v)) return STATUS_OK;
  return error_set(err, STATUS_NUMERIC, s->m->path ? s->m->path : "", "rates are not finite");
}

// ---- choosing anew -----------------------------------------------------------------------------

static double plan_pivot(const RcrPlan *plan) {
  double x = 1.0;
  for (int l = 0; l < plan->n_loop; l++) {
    if (plan->loop[l].pivot < x) x = plan->loop[l].pivot;
  }
  return x;
}

// The pivots at the state as the last step began: looks for better coordinates if one is small.
static Status look_around(SimLoop *s, Error *err) {
  int n_dep = s->m->nv - s->choice.n_speed;
  double now = smallest(s->start_pivot, n_dep);
  if (now >= LOOK) s->look = LOOK;
  if (now >= s->look) return STATUS_OK;
  s->look = 0.5 * now;
  Choice better;
  Error ignored = {0};
  if (choose(&better, s, s->x, &ignored) == STATUS_OK) {
    if (plan_pivot(better.plan) > BETTER * now) {
      choice_free(&s->choice);
      s->choice = better;
      s->choices++;
      s->look = LOOK;
      take_speeds(s, s->v);
      return STATUS_OK;
    }
    choice_free(&better);
  }
  return rcr_plan_check(s->choice.plan, s->m, s->start_pivot, err);
}

Status sim_loop_step(SimLoop *s, const SimScheme *scheme, double h, const double *tau, Error *err) {
  size_t n = (size_t)s->m->nv;
  const char *where = s->m->path ? s->m->path : "";
  if (tau) memcpy(s->tau, tau, n * sizeof *tau);
  else memset(s->tau, 0, n * sizeof *s->tau);
  s->first = true;
  if (!sim_step(scheme, (int)n + s->choice.n_speed, rate, s, 0, h, s->x, s->work)) {
    if (reduced(s) && rcr_plan_check(s->choice.plan, s->m, s->start_pivot, err)) return err->code;
    if (reduced(s) && !s->first && rcr_plan_check(s->choice.plan, s->m, s->pivot, err)) {
      return err->code;
    }
    return error_set(err, STATUS_NUMERIC, where, "accelerations by %s are not finite",
                     s->method->name);
  }
  if (!all_speeds(s, s->v)) {
    return error_set(err, STATUS_NUMERIC, where, "rates by %s are not finite", s->method->name);
  }
  return reduced(s) ? look_around(s, err) : STATUS_OK;
}

// ---- the object --------------------------------------------------------------------------------

Status sim_loop_build(SimLoop **out, const Model *m, const LoopMethod *method, const double *q,
                      Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  SimLoop *s = arena_alloc(arena, sizeof *s);
  size_t n = (size_t)m->nv + 1;
  Status status = s ? STATUS_OK : error_no_memory(err);
  if (s) {
    *s = (SimLoop){.arena = arena, .m = m, .method = method, .look = LOOK};
    s->x = arena_array(arena, 2 * n, sizeof *s->x);
    s->v = arena_array(arena, n, sizeof *s->v);
    s->tau = arena_array(arena, n, sizeof *s->tau);
    s->pivot = arena_array(arena, n, sizeof *s->pivot);
    s->start_pivot = arena_array(arena, n, sizeof *s->start_pivot);
    s->work = arena_array(arena, SIM_STEP_WORK(2 * n), sizeof *s->work);
    bool ok = s->x && s->v && s->tau && s->pivot && s->start_pivot && s->work;
    status = ok ? choose(&s->choice, s, q, err) : error_no_memory(err);
  }
  if (status != STATUS_OK) {
    arena_free(arena);
    return status;
  }
  const double *start = q ? q : model_start(m);
  if (start) memcpy(s->x, start, (size_t)m->nv * sizeof *start);
  *out = s;
  return STATUS_OK;
}

void sim_loop_free(SimLoop *s) {
  if (!s) return;
  choice_free(&s->choice);
  arena_free(s->arena);
}

void sim_loop_get(const SimLoop *s, double *q, double *v) {
  size_t size = (size_t)s->m->nv * sizeof *q;
  if (q) memcpy(q, s->x, size);
  if (v) memcpy(v, s->v, size);
}

int sim_loop_operations(const SimLoop *s) {
  return s->choice.rate.counted;
}

long sim_loop_evaluations(const SimLoop *s) {
  return s->evaluations;
}

int sim_loop_choices(const SimLoop *s) {
  return s->choices;
}
