// SPDX-License-Identifier: MIT
// MUMPS' fronts are small: threads of BLAS cost it more than they bring (10 to 20 percent of a solve), and
// none but OpenBLAS starts them by itself. Both functions are absent where BLAS is another one.
#include <stdlib.h>

#include "solver/solver_internal.h"

extern void openblas_set_num_threads(int n) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

int solver_blas_enter(void) {
  const char *wish = getenv("OPENBLAS_NUM_THREADS");
  if (!openblas_set_num_threads || !openblas_get_num_threads || (wish && *wish)) return 0;
  int before = openblas_get_num_threads();
  openblas_set_num_threads(1);
  return before;
}

void solver_blas_leave(int before) {
  if (before > 0) openblas_set_num_threads(before);
}
