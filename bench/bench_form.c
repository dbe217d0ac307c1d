// SPDX-License-Identifier: MIT
#include "bench_form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_abi.h"
#include "bench_export.h"
#include "bench_peer.h"
#include "expr/expr_compile.h"
#include "expr/expr_emit_c.h"
#include "expr/expr_tape.h"

enum { PATH_SIZE = 4096, MAX_INPUTS = 8, BUILD_REPETITIONS = 5 };

static const double tolerance = 1e-9;    // between any two ways
static const double sample_time = 2e-3;  // seconds that one timed sample lasts at least

const char *const bench_fn_name[BENCH_N_FNS] = {"residual", "jacobian", "hessian"};
const char *const bench_way_key[BENCH_N_WAYS] = {
    "evaluator_one_lane", "evaluator_lanes",     "evaluator_lanes_rows", "compiled",
    "compiled_lanes",     "compiled_lanes_rows", "casadi_interpreter",   "casadi_compiled"};

// Everything that a timed call touches.
typedef struct Contest {
  const ExprFunction *f;      //
  const BenchPoints *points;  //
  ExprTape *tape;             //
  void *tape_work;            //
  int nnz;                    // of our output
  BenchAbi ours, casadi, vm;  // eval == NULL: not there
  double *out;                // largest output x points
  double *reference;          // nnz x points, one point contiguous
  double *dense;              // n_row x n_col, twice
} Contest;

// ---- one pass over all points -------------------------------------------------------------------

// inputs of the function, each point contiguous or each variable contiguous
static void place_inputs(const Contest *c, bool rows, int first, LaneIn *in) {
  const BenchPoints *p = c->points;
  for (int i = 0; i < c->f->n_in; i++) {
    int offset = bench_points_offset(p, &c->f->in[i]);
    if (rows) {
      in[i] = (LaneIn){p->by_point + offset + (size_t)first * (size_t)p->n_item, 1, p->n_item};
    } else {
      in[i] = (LaneIn){p->by_item + (size_t)offset * (size_t)p->n, p->n, 1};
    }
  }
}

static void pass_one_lane(const Contest *c) {
  LaneIn in[MAX_INPUTS];
  for (int j = 0; j < c->points->n; j++) {
    place_inputs(c, true, j, in);
    LaneOut out = {c->out + (size_t)j * (size_t)c->nnz, 1, c->nnz};
    expr_tape_eval(c->tape, 1, in, &out, c->tape_work);
  }
}

static LaneOut place_output(const Contest *c, bool rows) {
  if (rows) return (LaneOut){c->out, 1, c->nnz};
  return (LaneOut){c->out, c->points->n, 1};
}

static void pass_lanes(const Contest *c, bool rows) {
  LaneIn in[MAX_INPUTS];
  place_inputs(c, rows, 0, in);
  LaneOut out = place_output(c, rows);
  expr_tape_eval(c->tape, c->points->n, in, &out, c->tape_work);
}

static void pass_c_lanes(const Contest *c, bool rows) {
  LaneIn in[MAX_INPUTS];
  place_inputs(c, rows, 0, in);
  LaneOut out = place_output(c, rows);
  c->ours.lanes(c->points->n, in, &out);
}

static void pass_abi(const Contest *c, const BenchAbi *f) {
  const BenchPoints *p = c->points;
  int nnz = f->checked->out[0].nnz, n_in = c->f->n_in, offset[MAX_INPUTS];
  for (int i = 0; i < n_in; i++) offset[i] = bench_points_offset(p, &c->f->in[i]);
  for (int j = 0; j < p->n; j++) {
    const double *x = p->by_point + (size_t)j * (size_t)p->n_item;
    for (int i = 0; i < n_in; i++) f->arg[i] = x + offset[i];
    f->res[0] = c->out + (size_t)j * (size_t)nnz;
    f->eval(f->arg, f->res, f->iw, f->w, f->mem);
  }
}

static void pass(const Contest *c, BenchWay way) {
  switch (way) {
    case BENCH_ONE_LANE: pass_one_lane(c); break;
    case BENCH_LANES: pass_lanes(c, false); break;
    case BENCH_LANES_ROWS: pass_lanes(c, true); break;
    case BENCH_C: pass_abi(c, &c->ours); break;
    case BENCH_C_LANES: pass_c_lanes(c, false); break;
    case BENCH_C_LANES_ROWS: pass_c_lanes(c, true); break;
    case BENCH_CASADI_VM: pass_abi(c, &c->vm); break;
    case BENCH_CASADI_C: pass_abi(c, &c->casadi); break;
    case BENCH_N_WAYS: break;
  }
}

static bool takes_part(const Contest *c, BenchWay way) {
  switch (way) {
    case BENCH_C: return c->ours.eval != NULL;
    case BENCH_C_LANES:
    case BENCH_C_LANES_ROWS: return c->ours.lanes != NULL;
    case BENCH_CASADI_VM: return c->vm.eval != NULL;
    case BENCH_CASADI_C: return c->casadi.eval != NULL;
    default: return true;
  }
}

// ---- do all ways compute the same? --------------------------------------------------------------

// nonzero e of point j in c->out after a pass
static double out_value(const Contest *c, BenchWay way, int nnz, int j, int e) {
  bool by_item = way == BENCH_LANES || way == BENCH_C_LANES;
  return by_item ? c->out[(size_t)e * (size_t)c->points->n + (size_t)j]
                 : c->out[(size_t)j * (size_t)nnz + (size_t)e];
}

static void make_dense(double *dense, int n_row, int n_col, const int *colptr, const int *row,
                       const double *x) {
  memset(dense, 0, (size_t)n_row * (size_t)n_col * sizeof *dense);
  for (int col = 0; col < n_col; col++) {
    for (int e = colptr[col]; e < colptr[col + 1]; e++) dense[row[e] + col * n_row] = x[e];
  }
}

// difference of point j to the reference, relative to its largest entry, at least 1
static double point_difference(const Contest *c, BenchWay way, int j) {
  const ExprMatrix *m = &c->f->out[0].value;
  const ExprPort *port = way == BENCH_CASADI_C    ? &c->casadi.checked->out[0]
                         : way == BENCH_CASADI_VM ? &c->vm.checked->out[0]
                                                  : NULL;
  int size = m->n_row * m->n_col, nnz = port ? port->nnz : m->nnz;
  double *want = c->dense, *got = c->dense + size, *x = c->dense + 2 * size;
  make_dense(want, m->n_row, m->n_col, m->colptr, m->row,
             c->reference + (size_t)j * (size_t)m->nnz);
  for (int e = 0; e < nnz; e++) x[e] = out_value(c, way, nnz, j, e);
  make_dense(got, m->n_row, m->n_col, port ? port->colptr : m->colptr, port ? port->row : m->row,
             x);
  double scale = 1, worst = 0;
  for (int e = 0; e < size; e++) scale = fmax(scale, fabs(want[e]));
  for (int e = 0; e < size; e++) {
    double d = fabs(want[e] - got[e]) / scale;
    worst = d <= worst ? worst : d;  // NaN stays
  }
  return worst;
}

static Status check(const Contest *c, BenchCase *result, Error *err) {
  for (int way = 0; way < BENCH_N_WAYS; way++) {
    if (!takes_part(c, (BenchWay)way)) continue;
    pass(c, (BenchWay)way);
    for (int j = 0; j < c->points->n; j++) {
      double d = point_difference(c, (BenchWay)way, j);
      if (!(d <= tolerance)) {
        return error_set(err, STATUS_NUMERIC, c->f->name,
                         "%s differs by %g, relative, at point %d: not the same function",
                         bench_way_key[way], d, j);
      }
      result->difference = fmax(result->difference, d);
    }
  }
  return STATUS_OK;
}

// ---- timing -------------------------------------------------------------------------------------

static double sample(const Contest *c, BenchWay way, int passes) {
  double start = bench_now();
  for (int k = 0; k < passes; k++) pass(c, way);
  return (bench_now() - start) / passes;
}

// the ways take turns, so that a busy moment of the machine does not hit one of them alone
static void time_all(const Contest *c, int repetitions, BenchCase *result) {
  int passes[BENCH_N_WAYS];
  for (int way = 0; way < BENCH_N_WAYS; way++) {
    if (!takes_part(c, (BenchWay)way)) continue;
    double once = fmin(sample(c, (BenchWay)way, 1), sample(c, (BenchWay)way, 1));
    passes[way] = 1 + (int)(sample_time / fmax(once, 1e-9));
  }
  for (int k = 0; k < repetitions; k++) {
    for (int way = 0; way < BENCH_N_WAYS; way++) {
      if (!takes_part(c, (BenchWay)way)) continue;
      double ns = 1e9 * sample(c, (BenchWay)way, passes[way]) / c->points->n;
      result->ns[way] = fmin(result->ns[way], ns);  // of NAN and a number fmin takes the number
    }
  }
}

// ---- one function -------------------------------------------------------------------------------

static Status contest_init(Contest *c, Arena *arena, const ExprFunction *f, const BenchSetup *setup,
                           BenchCase *result, Error *err) {
  const ExprMatrix *m = &f->out[0].value;
  *c = (Contest){.f = f, .points = setup->points, .nnz = m->nnz};
  Status status = expr_tape_build(&c->tape, f, TAPE_FOR_EVALUATOR, err);
  if (status != STATUS_OK) return status;
  size_t size = (size_t)m->n_row * (size_t)m->n_col, n = (size_t)setup->points->n;
  c->tape_work = arena_alloc(arena, expr_tape_work_size(c->tape));
  c->out = arena_array(arena, size * n, sizeof *c->out);
  c->reference = arena_array(arena, (size_t)m->nnz * n, sizeof *c->reference);
  c->dense = arena_array(arena, 3 * size, sizeof *c->dense);
  if (!c->tape_work || !c->out || !c->reference || !c->dense) return error_no_memory(err);
  pass_lanes(c, true);
  memcpy(c->reference, c->out, (size_t)m->nnz * n * sizeof *c->out);
  result->ops = c->tape->count.total;
  result->sincos = c->tape->count.sincos;
  result->nonzeros = m->nnz;
  for (int way = 0; way < BENCH_N_WAYS; way++) result->ns[way] = NAN;
  return STATUS_OK;
}

// the first points as the peer wants them: dense
static Status write_expected(const Contest *c, Arena *arena, const char *folder, const char *name,
                             Error *err) {
  const ExprMatrix *m = &c->f->out[0].value;
  size_t size = (size_t)m->n_row * (size_t)m->n_col;
  int n = c->points->n < BENCH_N_CHECK ? c->points->n : BENCH_N_CHECK;
  double *all = arena_array(arena, size * (size_t)n, sizeof *all);
  if (!all) return error_no_memory(err);
  for (int j = 0; j < n; j++) {
    make_dense(all + (size_t)j * size, m->n_row, m->n_col, m->colptr, m->row,
               c->reference + (size_t)j * (size_t)m->nnz);
  }
  char file[64];
  snprintf(file, sizeof file, "%s.f64", name);
  return bench_export_doubles(folder, file, all, size * (size_t)n, err);
}

static Status load(BenchAbi *f, Arena *arena, const BenchSetup *setup, const char *library,
                   const char *name, Error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", setup->folder, library);
  return bench_abi_load(f, arena, path, name, err);
}

static void contest_free(Contest *c) {
  expr_tape_free(c->tape);
  bench_abi_free(&c->ours);
  bench_abi_free(&c->casadi);
  bench_abi_free(&c->vm);
}

// ---- one formulation ----------------------------------------------------------------------------

// the least of a few builds; the last one is kept
static Status build(BenchForm *out, DynPoint **point, const BenchSetup *setup, Error *err) {
  Status status = STATUS_OK;
  *point = NULL;
  out->build_ms = INFINITY;
  for (int k = 0; k < BUILD_REPETITIONS && status == STATUS_OK; k++) {
    dyn_point_free(*point);
    double start = bench_now();
    status = dyn_point_build(point, setup->model, out->form, DYN_RULE_BEST, err);
    out->build_ms = fmin(out->build_ms, 1e3 * (bench_now() - start));
  }
  return status;
}

static Status time_tapes(BenchForm *out, const ExprFunction *const *f, Error *err) {
  out->tape_ms = INFINITY;
  for (int k = 0; k < BUILD_REPETITIONS; k++) {
    double start = bench_now();
    for (int i = 0; i < BENCH_N_FNS; i++) {
      ExprTape *tape;
      Status status = expr_tape_build(&tape, f[i], TAPE_FOR_EVALUATOR, err);
      expr_tape_free(tape);
      if (status != STATUS_OK) return status;
    }
    out->tape_ms = fmin(out->tape_ms, 1e3 * (bench_now() - start));
  }
  return STATUS_OK;
}

static Status compile(BenchForm *out, const ExprFunction *const *f, const BenchSetup *setup,
                      Error *err) {
  ExprEmitItem item[BENCH_N_FNS];
  for (int i = 0; i < BENCH_N_FNS; i++) item[i] = (ExprEmitItem){.f = f[i]};
  const ExprEmit what = {"ours", out->form->title, BENCH_N_FNS, item, true};
  char source[PATH_SIZE], library[PATH_SIZE];
  snprintf(source, sizeof source, "%s/ours.c", setup->folder);
  snprintf(library, sizeof library, "%s/ours.so", setup->folder);
  double start = bench_now();
  TextBuf text = {0};
  Status status = expr_emit_c(&text, NULL, &what, err);
  if (status == STATUS_OK) status = textbuf_save(&text, source, err);
  if (status == STATUS_OK) status = expr_compile(source, library, true, err);
  textbuf_free(&text);
  out->compile_s = bench_now() - start;
  return status;
}

static Status run_contests(BenchForm *out, Contest *c, Arena *arena, const BenchSetup *setup,
                           Error *err) {
  bool shim = false;
  Status status = STATUS_OK;
  if (setup->python) {
    for (int i = 0; i < BENCH_N_FNS && status == STATUS_OK; i++) {
      status = write_expected(&c[i], arena, setup->folder, bench_fn_name[i], err);
    }
    if (status == STATUS_OK) status = bench_peer_run(out, setup, &shim, err);
  }
  for (int i = 0; i < BENCH_N_FNS && status == STATUS_OK; i++) {
    const char *name = bench_fn_name[i];
    status = load(&c[i].ours, arena, setup, "ours.so", c[i].f->name, err);
    if (status == STATUS_OK && out->casadi) {
      status = load(&c[i].casadi, arena, setup, "peer.so", name, err);
    }
    if (status == STATUS_OK && shim) {
      // without it there are still the interpreter's times as Python sees them
      Error ignored = {0};
      if (load(&c[i].vm, arena, setup, "vm.so", name, &ignored) != STATUS_OK) {
        bench_abi_free(&c[i].vm);
      }
    }
    if (status == STATUS_OK) status = check(&c[i], &out->fn[i], err);
  }
  for (int i = 0; i < BENCH_N_FNS && status == STATUS_OK; i++) {
    time_all(&c[i], setup->repetitions, &out->fn[i]);
  }
  return status;
}

Status bench_form_run(BenchForm *out, const DynForm *form, const BenchSetup *setup, Error *err) {
  *out = (BenchForm){.form = form};
  DynPoint *point;
  Contest contest[BENCH_N_FNS] = {{0}};
  Arena *arena = arena_new();
  Status status = build(out, &point, setup, err);
  if (status == STATUS_OK) {
    const ExprFunction *f[BENCH_N_FNS] = {&point->residual, &point->jacobian, &point->hessian};
    status = time_tapes(out, f, err);
    for (int i = 0; i < BENCH_N_FNS && status == STATUS_OK; i++) {
      status = contest_init(&contest[i], arena, f[i], setup, &out->fn[i], err);
    }
    if (status == STATUS_OK) status = compile(out, f, setup, err);
  }
  if (status == STATUS_OK) status = run_contests(out, contest, arena, setup, err);
  for (int i = 0; i < BENCH_N_FNS; i++) contest_free(&contest[i]);
  arena_free(arena);
  dyn_point_free(point);
  return status;
}
