// SPDX-License-Identifier: MIT
// Dense fronts with 1x1 and 2x2 pivots.
#include <stdlib.h>
#include <string.h>

#include "solver/kkt_internal.h"

static bool reserve(void **p, size_t bytes) {
  void *fresh = NULL;
  if (posix_memalign(&fresh, 64, bytes ? bytes : 64) != 0) return false;
  free(*p);
  *p = fresh;
  return true;
}

bool kkt_front_begin(KktFront *f, int n, int nf) {
  int ld = kkt_pad(n);
  size_t need = (size_t)n * (size_t)ld;
  if (need > f->room) {
    if (!reserve((void **)&f->a, need * sizeof(double))) return false;
    f->room = need;
  }
  if (n > f->cap) {
    f->cap = 0;
    if (!reserve((void **)&f->index, (size_t)n * sizeof(int)) ||
        !reserve((void **)&f->d, 2 * (size_t)n * sizeof(double)) ||
        !reserve((void **)&f->x, (size_t)ld * sizeof(double)) ||
        !reserve((void **)&f->size, (size_t)ld * sizeof(double))) {
      return false;
    }
    f->cap = n;
  }
  for (int i = 0; i < n; i++) {  // the upper triangle, in whole registers
    int from = i / KKT_LANES * KKT_LANES;
    memset(f->a + (size_t)i * (size_t)ld + from, 0, (size_t)(ld - from) * sizeof(double));
  }
  if (n > 0) memset(f->size, 0, (size_t)n * sizeof(double));
  f->n = n;
  f->nf = nf;
  f->ld = ld;
  return true;
}

void kkt_front_factor(KktFront *f, double u) {
  kkt_ldl(f->n, f->nf, f->a, f->ld, u, f->index, f->size, f->d, &f->ldl);
}

void kkt_front_forward(const KktFront *f, double *x) {
  for (int i = 0; i < f->n; i++) f->x[i] = x[f->index[i]];
  kkt_ldl_forward(f->n, f->ldl.n_pivot, f->a, f->ld, f->d, f->x);
  kkt_ldl_diagonal(f->ldl.n_pivot, f->d, f->x);
  for (int i = 0; i < f->n; i++) x[f->index[i]] = f->x[i];
}

void kkt_front_backward(const KktFront *f, double *x) {
  for (int i = 0; i < f->n; i++) f->x[i] = x[f->index[i]];
  kkt_ldl_backward(f->n, f->ldl.n_pivot, f->a, f->ld, f->d, f->x);
  for (int i = 0; i < f->ldl.n_pivot; i++) x[f->index[i]] = f->x[i];
}

void kkt_front_free(KktFront *f) {
  free(f->a);
  free(f->index);
  free(f->d);
  free(f->x);
  free(f->size);
}
