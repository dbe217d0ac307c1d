// SPDX-License-Identifier: MIT
#include "solver/kkt_hsl.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "solver/kkt_ma97.h"

#if defined __has_include
#if __has_include(<HSLLoader.h>)
#include <HSLLoader.h>
#define HAVE_HSL_LOADER 1
#endif
#endif

// The one mutable global of the program: whose turn it is in this thread (kkt_hsl.h says why).
static _Thread_local KktHook *current;

// flags of MA97 that IPOPT tells apart: any other negative one ends the solve
enum { FLAG_GOOD = 0, FLAG_FATAL = -99, FLAG_SINGULAR = -7 };

static void fail(KktHook *h, struct ma97_info_d *info) {
  if (h) h->failed = true;
  info->flag = FLAG_FATAL;
}

static void default_control(struct ma97_control_d *control) {
  *control = (struct ma97_control_d){.f_arrays = 1, .nemin = 8, .small = 1e-20, .u = 1e-8};
}

// ---- the pattern --------------------------------------------------------------------------------

static bool same_pattern(const KktHook *h, int n, const int ptr[], const int row[], int base) {
  if (!h->kkt || ptr[n] - base != h->nnz) return false;
  for (int j = 0; j <= n; j++) {
    if (h->ptr[j] != ptr[j] - base) return false;
  }
  for (int e = 0; e < h->nnz; e++) {
    if (h->row[e] != row[e] - base) return false;
  }
  return true;
}

static void forget(KktHook *h) {
  kkt_free(h->kkt);
  free(h->ptr);
  free(h->row);
  h->kkt = NULL;
  h->ptr = h->row = NULL;
  h->nnz = 0;
}

static bool keep_pattern(KktHook *h, int n, const int ptr[], const int row[], int base) {
  int nnz = ptr[n] - base;
  h->ptr = malloc(((size_t)n + 1) * sizeof *h->ptr);
  h->row = malloc(((size_t)nnz + 1) * sizeof *h->row);
  if (!h->ptr || !h->row) return false;
  h->nnz = nnz;
  for (int j = 0; j <= n; j++) h->ptr[j] = ptr[j] - base;
  for (int e = 0; e < nnz; e++) h->row[e] = row[e] - base;
  return true;
}

// IPOPT comes here again when a restoration phase begins and ends: mostly with the same pattern.
// *akeep may be anything before this call; what it points to afterwards nobody but us reads.
static void analyse(int check, int n, const int ptr[], const int row[], double val[], void **akeep,
                    const struct ma97_control_d *control, struct ma97_info_d *info, int order[]) {
  (void)check, (void)val, (void)order;
  KktHook *h = current;
  int base = control->f_arrays ? 1 : 0;
  *info = (struct ma97_info_d){.ordering = control->ordering};
  *akeep = h;
  if (!h || h->failed) {
    fail(h, info);
    return;
  }
  if (n != h->map->dim) {
    error_set(&h->err, STATUS_INPUT, "", "IPOPT's matrix has %d rows, the stage map %d", n,
              h->map->dim);
    fail(h, info);
    return;
  }
  if (same_pattern(h, n, ptr, row, base)) return;
  forget(h);
  Status status = keep_pattern(h, n, ptr, row, base) ? STATUS_OK : error_no_memory(&h->err);
  if (status == STATUS_OK) status = kkt_build(&h->kkt, h->map, h->ptr, h->row, &h->err);
  if (status != STATUS_OK) {
    fail(h, info);
    return;
  }
  kkt_set_threads(h->kkt, h->threads > 0 ? h->threads : 1);
}

// ---- numbers ------------------------------------------------------------------------------------

static void factor(int matrix_type, const int ptr[], const int row[], const double val[],
                   void **akeep, void **fkeep, const struct ma97_control_d *control,
                   struct ma97_info_d *info, const double scale[]) {
  (void)matrix_type, (void)ptr, (void)row, (void)akeep, (void)scale;
  KktHook *h = current;
  *info = (struct ma97_info_d){.ordering = control->ordering};
  *fkeep = h;
  if (!h || h->failed || !h->kkt) {
    fail(h, info);
    return;
  }
  double before = clock_seconds();
  bool finite = kkt_factor(h->kkt, val, control->u, &h->info);
  h->factor_s += clock_seconds() - before;
  h->n_factor++;
  h->dumping = h->dump && (h->n_factor - 1) % (h->dump_every > 0 ? h->dump_every : 1) == 0;
  h->n_delayed += h->info.n_delayed;
  if (h->dumping && !kkt_dump_matrix(h->dump, h->n_factor, h->map->dim, h->ptr, h->row, val,
                                     control->u, finite ? &h->info : NULL, &h->err)) {
    fail(h, info);
    return;
  }
  info->num_neg = h->info.n_negative;
  info->num_delay = h->info.n_delayed;
  info->maxfront = h->info.max_front;
  info->num_flops = (long)h->info.flops;
  info->matrix_rank = h->map->dim - h->info.n_zero;
  // IPOPT perturbs a singular matrix and comes again; one with infinite entries it can't help either
  bool singular = !finite || h->info.n_zero > 0;
  h->n_singular += singular;
  info->flag = singular ? FLAG_SINGULAR : FLAG_GOOD;
}

static void solve(int job, int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                  const struct ma97_control_d *control, struct ma97_info_d *info) {
  (void)job, (void)akeep, (void)fkeep, (void)control;
  KktHook *h = current;
  if (!h || h->failed || !h->kkt) {
    fail(h, info);
    return;
  }
  if (h->dumping && !kkt_dump_vectors(h->dump, "rhs", h->map->dim, nrhs, x, ldx, &h->err)) {
    fail(h, info);
    return;
  }
  double before = clock_seconds();
  kkt_solve(h->kkt, nrhs, x, ldx);
  h->solve_s += clock_seconds() - before;
  h->n_solve += nrhs;
  info->flag = FLAG_GOOD;
  info->num_neg = h->info.n_negative;  // IPOPT reads it here too
  if (h->dumping && !kkt_dump_vectors(h->dump, "sol", h->map->dim, nrhs, x, ldx, &h->err))
    fail(h, info);
}

static void factor_solve(int matrix_type, const int ptr[], const int row[], const double val[],
                         int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                         const struct ma97_control_d *control, struct ma97_info_d *info,
                         const double scale[]) {
  factor(matrix_type, ptr, row, val, akeep, fkeep, control, info, scale);
  if (info->flag == FLAG_GOOD) solve(0, nrhs, x, ldx, akeep, fkeep, control, info);
}

// kkt_hsl_leave frees; IPOPT's destructors only forget
static void free_akeep(void **akeep) {
  *akeep = NULL;
}

static void finalise(void **akeep, void **fkeep) {
  *akeep = NULL;
  *fkeep = NULL;
}

// ---- the door -----------------------------------------------------------------------------------

#ifdef HAVE_HSL_LOADER

bool kkt_hsl_enter(KktHook *hook) {
  current = hook;
  LSL_setMA97(default_control, analyse, factor, factor_solve, solve, finalise, free_akeep);
  return true;
}

const char *kkt_hsl_library(void) {
  return NULL;
}

void kkt_hsl_leave(KktHook *hook) {
  LSL_setMA97(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  current = NULL;
  forget(hook);
}

#elif defined POISE_HSL_LIBRARY

bool kkt_hsl_enter(KktHook *hook) {
  static const Ma97 functions = {default_control, analyse,  factor,    factor_solve,
                                 solve,           finalise, free_akeep};
  current = hook;
  poise_hsl_use(&functions);
  return true;
}

// its soname: the program is linked with it, so that the loader finds it in memory
const char *kkt_hsl_library(void) {
  return POISE_HSL_LIBRARY;
}

void kkt_hsl_leave(KktHook *hook) {
  poise_hsl_use(NULL);
  current = NULL;
  forget(hook);
}

#else

bool kkt_hsl_enter(KktHook *hook) {
  (void)hook, (void)default_control, (void)factor_solve, (void)analyse, (void)finalise;
  (void)free_akeep;
  return false;
}

const char *kkt_hsl_library(void) {
  return NULL;
}

void kkt_hsl_leave(KktHook *hook) {
  forget(hook);
}

#endif
