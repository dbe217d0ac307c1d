// SPDX-License-Identifier: MIT
#include "nlp/nlp_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "nlp/nlp_check_internal.h"

// Everything differentiated at once: f, g and the gradient of the Lagrangian, as functions of x.
typedef struct Sample {
  double f;
  double *g;  // m
  double *l;  // n: grad f + J^T lambda
} Sample;

typedef struct Check {
  const Nlp *nlp;
  const double *x;       // n
  const double *lambda;  // m
  NlpCheckOptions opt;
  NlpCheckReport *out;
  double *grad, *jac, *hess;  // n, jac_nnz, hess_nnz: as given at x
  double *at;                 // n, a point beside x
  double *jac_at;             // jac_nnz
  double *direction;          // n
  Sample sample[4];           // at -2h, -h, h, 2h
  Sample difference;          // the derivatives along a direction
  Sample noise;               // what rounding may have done to them
  Sample given;               // the same from the Nlp's own derivatives
  bool *in_pattern;           // max(m, n): whether an entry of the column is in the pattern
} Check;

static double larger(double a, double b) {
  return b > a ? b : a;
}

// ---- the point itself ---------------------------------------------------------------------------

static void note_not_finite(Check *c, bool ok, int n, const double *values, const char *what) {
  NlpCheckReport *out = c->out;
  int bad = 0, first = -1;
  for (int e = 0; e < n && ok; e++) {
    if (isfinite(values[e])) continue;
    if (!bad++) first = e;
  }
  if (ok && !bad) return;
  if (!out->not_finite) {
    if (ok)
      snprintf(out->not_finite_name, sizeof out->not_finite_name, "%s, entry %d", what, first);
    else snprintf(out->not_finite_name, sizeof out->not_finite_name, "%s: no value here", what);
  }
  out->not_finite += ok ? bad : 1;
}

static void eval_point(Check *c) {
  const Nlp *p = c->nlp;
  double f;
  note_not_finite(c, p->objective(p->data, c->x, true, &f), 1, &f, "objective");
  note_not_finite(c, p->gradient(p->data, c->x, false, c->grad), p->n, c->grad, "gradient");
  if (p->m) {
    double *g = c->sample[0].g;
    note_not_finite(c, p->constraints(p->data, c->x, false, g), p->m, g, "constraints");
    note_not_finite(c, p->jacobian(p->data, c->x, false, c->jac), p->jac_nnz, c->jac, "Jacobian");
  }
  if (p->hessian) {
    bool ok = p->hessian(p->data, c->x, false, 1, c->lambda, c->hess);
    note_not_finite(c, ok, p->hess_nnz, c->hess, "Hessian");
  }
}

// ---- along a direction --------------------------------------------------------------------------

// f, g, grad f + J^T lambda at x + t d; false where one has no value
static bool eval_sample(Check *c, double t, Sample *s) {
  const Nlp *p = c->nlp;
  for (int i = 0; i < p->n; i++) c->at[i] = c->x[i] + t * c->direction[i];
  if (!p->objective(p->data, c->at, true, &s->f)) return false;
  if (!p->gradient(p->data, c->at, false, s->l)) return false;
  double sum = s->f;
  if (p->m) {
    if (!p->constraints(p->data, c->at, false, s->g)) return false;
    if (!p->jacobian(p->data, c->at, false, c->jac_at)) return false;
    for (int e = 0; e < p->jac_nnz; e++)
      s->l[p->jac_col[e]] += c->jac_at[e] * c->lambda[p->jac_row[e]];
    for (int i = 0; i < p->m; i++) sum += s->g[i];
  }
  for (int i = 0; i < p->n; i++) sum += s->l[i];
  return isfinite(sum);
}

// fourth-order central difference of v[0..3] at -2h, -h, h, 2h, and the size of its rounding error
static double central(const double v[4], double h, double *noise) {
  double size = larger(larger(fabs(v[0]), fabs(v[1])), larger(fabs(v[2]), fabs(v[3])));
  *noise = 32 * DBL_EPSILON * size / h;
  return (8 * (v[2] - v[1]) - (v[3] - v[0])) / (12 * h);
}

static bool differentiate(Check *c, double h) {
  static const double place[4] = {-2, -1, 1, 2};
  const Sample *s = c->sample;
  for (int k = 0; k < 4; k++) {
    if (!eval_sample(c, place[k] * h, &c->sample[k])) return false;
  }
  Sample *d = &c->difference, *noise = &c->noise;
  d->f = central((double[4]){s[0].f, s[1].f, s[2].f, s[3].f}, h, &noise->f);
  for (int i = 0; i < c->nlp->m; i++)
    d->g[i] = central((double[4]){s[0].g[i], s[1].g[i], s[2].g[i], s[3].g[i]}, h, &noise->g[i]);
  for (int i = 0; i < c->nlp->n; i++)
    d->l[i] = central((double[4]){s[0].l[i], s[1].l[i], s[2].l[i], s[3].l[i]}, h, &noise->l[i]);
  return true;
}

// ---- comparison ---------------------------------------------------------------------------------

static void keep_worst(NlpCheckReport *out, const NlpCheckEntry *entry) {
  int i = out->n_worst;
  if (i == NLP_CHECK_WORST) {
    if (entry->error <= out->worst[i - 1].error) return;
    i--;
  } else {
    out->n_worst++;
  }
  for (; i > 0 && out->worst[i - 1].error < entry->error; i--) out->worst[i] = out->worst[i - 1];
  out->worst[i] = *entry;
}

static void compare(Check *c, NlpCheckKind kind, int row, int col, double given, double difference,
                    double noise, bool outside) {
  double error = fabs(given - difference) - noise;
  error = larger(0, error) / larger(1, larger(fabs(given), fabs(difference)));
  if (!isfinite(given)) return;  // counted as not finite
  NlpCheckReport *out = c->out;
  out->error[kind] = larger(out->error[kind], error);
  if (error <= c->opt.tolerance) return;
  out->wrong++;
  out->outside += outside;
  NlpCheckEntry entry = {kind, row, col, given, difference, error, outside, ""};
  name_entry(c->nlp, kind, row, col, entry.name, sizeof entry.name);
  keep_worst(out, &entry);
}

// g and l of `given` from the entries e = order[0..n-1] of column j; H also by symmetry from its
// row j
static void compare_column(Check *c, int j, const ByColumn *jac, const ByColumn *hess_col,
                           const ByColumn *hess_row) {
  const Nlp *p = c->nlp;
  compare(c, NLP_CHECK_GRADIENT, -1, j, c->grad[j], c->difference.f, c->noise.f, false);

  memset(c->given.g, 0, (size_t)p->m * sizeof(double));
  memset(c->in_pattern, 0, (size_t)p->m * sizeof(bool));
  for (int k = jac->start[j]; k < jac->start[j + 1]; k++) {
    int e = jac->order[k];
    c->given.g[p->jac_row[e]] += c->jac[e];
    c->in_pattern[p->jac_row[e]] = true;
  }
  for (int i = 0; i < p->m; i++)
    compare(c, NLP_CHECK_JACOBIAN, i, j, c->given.g[i], c->difference.g[i], c->noise.g[i],
            !c->in_pattern[i]);

  if (!p->hessian) return;
  memset(c->given.l, 0, (size_t)p->n * sizeof(double));
  memset(c->in_pattern, 0, (size_t)p->n * sizeof(bool));
  for (int k = hess_col->start[j]; k < hess_col->start[j + 1]; k++) {
    int e = hess_col->order[k];
    c->given.l[p->hess_row[e]] += c->hess[e];
    c->in_pattern[p->hess_row[e]] = true;
  }
  for (int k = hess_row->start[j]; k < hess_row->start[j + 1]; k++) {
    int e = hess_row->order[k];
    if (p->hess_col[e] == j) continue;  // the diagonal was in the column
    c->given.l[p->hess_col[e]] += c->hess[e];
    c->in_pattern[p->hess_col[e]] = true;
  }
  for (int i = j; i < p->n; i++)  // the other triangle comes with other columns
    compare(c, NLP_CHECK_HESSIAN, i, j, c->given.l[i], c->difference.l[i], c->noise.l[i],
            !c->in_pattern[i]);
}

static Status check_entries(Check *c, Arena *arena, Error *err) {
  const Nlp *p = c->nlp;
  int hess_nnz = p->hessian ? p->hess_nnz : 0;
  ByColumn jac, hess_col, hess_row;
  if (!by_column_build(&jac, arena, p->n, p->jac_nnz, p->jac_col) ||
      !by_column_build(&hess_col, arena, p->n, hess_nnz, p->hess_col) ||
      !by_column_build(&hess_row, arena, p->n, hess_nnz, p->hess_row))
    return error_no_memory(err);
  for (int j = 0; j < p->n; j++) {
    memset(c->direction, 0, (size_t)p->n * sizeof(double));
    c->direction[j] = 1;
    if (differentiate(c, c->opt.step * larger(1, fabs(c->x[j]))))
      compare_column(c, j, &jac, &hess_col, &hess_row);
    else c->out->skipped++;
  }
  return STATUS_OK;
}

// gradient, Jacobian and Hessian times a random direction
static void check_direction(Check *c, Rng *rng) {
  const Nlp *p = c->nlp;
  double *d = c->direction;
  for (int i = 0; i < p->n; i++) d[i] = larger(1, fabs(c->x[i])) * rng_uniform(rng, -1, 1);
  if (!differentiate(c, c->opt.step)) {
    c->out->skipped++;
    return;
  }
  double *jd = c->given.g, *hd = c->given.l, gd = 0;
  memset(jd, 0, (size_t)p->m * sizeof *jd);
  memset(hd, 0, (size_t)p->n * sizeof *hd);
  for (int i = 0; i < p->n; i++) gd += c->grad[i] * d[i];
  compare(c, NLP_CHECK_GRADIENT, -1, -1, gd, c->difference.f, c->noise.f, false);
  for (int e = 0; e < p->jac_nnz; e++) jd[p->jac_row[e]] += c->jac[e] * d[p->jac_col[e]];
  for (int i = 0; i < p->m; i++)
    compare(c, NLP_CHECK_JACOBIAN, i, -1, jd[i], c->difference.g[i], c->noise.g[i], false);
  if (!p->hessian) return;
  for (int e = 0; e < p->hess_nnz; e++) {
    int i = p->hess_row[e], j = p->hess_col[e];
    hd[i] += c->hess[e] * d[j];
    if (i != j) hd[j] += c->hess[e] * d[i];
  }
  for (int i = 0; i < p->n; i++)
    compare(c, NLP_CHECK_HESSIAN, i, -1, hd[i], c->difference.l[i], c->noise.l[i], false);
}

// ---- all ----------------------------------------------------------------------------------------

static bool allocate_sample(Sample *s, const Nlp *nlp, Arena *arena) {
  s->g = arena_array(arena, (size_t)nlp->m + 1, sizeof *s->g);
  s->l = arena_array(arena, (size_t)nlp->n + 1, sizeof *s->l);
  return s->g && s->l;
}

static bool allocate(Check *c, const double *lambda, Arena *arena) {
  const Nlp *p = c->nlp;
  size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1, nnz = (size_t)p->jac_nnz + 1;
  c->grad = arena_array(arena, n, sizeof(double));
  c->jac = arena_array(arena, nnz, sizeof(double));
  c->hess = arena_array(arena, (size_t)p->hess_nnz + 1, sizeof(double));
  c->at = arena_array(arena, n, sizeof(double));
  c->jac_at = arena_array(arena, nnz, sizeof(double));
  c->direction = arena_array(arena, n, sizeof(double));
  c->in_pattern = arena_array(arena, n + m, sizeof(bool));
  double *multiplier = arena_array(arena, m, sizeof(double));
  bool ok = c->grad && c->jac && c->hess && c->at && c->jac_at && c->direction && c->in_pattern &&
            multiplier && allocate_sample(&c->difference, p, arena) &&
            allocate_sample(&c->noise, p, arena) && allocate_sample(&c->given, p, arena);
  for (int k = 0; k < 4 && ok; k++) ok = allocate_sample(&c->sample[k], p, arena);
  if (!ok) return false;
  Rng rng;
  rng_seed(&rng, c->opt.seed + 1);
  for (int i = 0; i < p->m; i++) multiplier[i] = lambda ? lambda[i] : rng_uniform(&rng, -1, 1);
  c->lambda = multiplier;
  return true;
}

static NlpCheckOptions with_defaults(const NlpCheckOptions *opt) {
  NlpCheckOptions o = opt ? *opt : (NlpCheckOptions){0};
  if (o.step == 0) o.step = 1e-4;
  if (o.tolerance == 0) o.tolerance = 1e-6;
  if (o.directions == 0) o.directions = 3;
  if (o.entrywise_up_to == 0) o.entrywise_up_to = 300;
  return o;
}

static Status check_derivatives(Check *c, Arena *arena, Error *err) {
  const Nlp *p = c->nlp;
  eval_point(c);
  check_range(p, NLP_CHECK_GRADIENT, p->n, NULL, NULL, c->grad, &c->out->gradient);
  check_range(p, NLP_CHECK_JACOBIAN, p->jac_nnz, p->jac_row, p->jac_col, c->jac, &c->out->jacobian);
  check_range(p, NLP_CHECK_HESSIAN, p->hessian ? p->hess_nnz : 0, p->hess_row, p->hess_col, c->hess,
              &c->out->hessian);
  c->out->entrywise = p->n <= c->opt.entrywise_up_to;
  if (c->out->entrywise && check_entries(c, arena, err) != STATUS_OK) return err->code;
  Rng rng;
  rng_seed(&rng, c->opt.seed);
  for (int k = 0; k < c->opt.directions; k++) check_direction(c, &rng);
  return STATUS_OK;
}

Status nlp_check(const Nlp *nlp, const double *x, const double *lambda, const NlpCheckOptions *opt,
                 NlpCheckReport *out, Error *err) {
  *out = (NlpCheckReport){0};
  Arena *arena = arena_new();
  Check c = {.nlp = nlp, .x = x, .opt = with_defaults(opt), .out = out};
  Status status = arena ? check_pattern(nlp, out, arena, err) : error_no_memory(err);
  if (status == STATUS_OK && !out->out_of_range)
    status = allocate(&c, lambda, arena) ? check_derivatives(&c, arena, err) : error_no_memory(err);
  out->ok = !out->out_of_range && !out->above_diagonal && !out->crossed_bounds &&
            !out->not_finite && !out->wrong;
  arena_free(arena);
  return status;
}
