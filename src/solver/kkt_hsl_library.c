// SPDX-License-Identifier: MIT
// libpoise_hsl: the shared library that option hsllib of IPOPT 3.14 names. It looks like HSL to IPOPT
// and passes every call on to the process that it is loaded in, which has called poise_hsl_use.
#include <stddef.h>

#include "solver/kkt_ma97.h"

static _Thread_local const Ma97 *use;

void poise_hsl_use(const Ma97 *functions) {
  use = functions;
}

enum { NOBODY = -99 };  // info.flag outside of a solve of ours

void ma97_default_control_d(struct ma97_control_d *control);
void ma97_analyse_d(int check, int n, const int ptr[], const int row[], double val[], void **akeep,
                    const struct ma97_control_d *control, struct ma97_info_d *info, int order[]);
void ma97_factor_d(int matrix_type, const int ptr[], const int row[], const double val[],
                   void **akeep, void **fkeep, const struct ma97_control_d *control,
                   struct ma97_info_d *info, const double scale[]);
void ma97_factor_solve_d(int matrix_type, const int ptr[], const int row[], const double val[],
                         int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                         const struct ma97_control_d *control, struct ma97_info_d *info,
                         const double scale[]);
void ma97_solve_d(int job, int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                  const struct ma97_control_d *control, struct ma97_info_d *info);
void ma97_finalise_d(void **akeep, void **fkeep);
void ma97_free_akeep_d(void **akeep);

void ma97_default_control_d(struct ma97_control_d *control) {
  if (use) use->default_control(control);
  else *control = (struct ma97_control_d){0};
}

void ma97_analyse_d(int check, int n, const int ptr[], const int row[], double val[], void **akeep,
                    const struct ma97_control_d *control, struct ma97_info_d *info, int order[]) {
  if (use) use->analyse(check, n, ptr, row, val, akeep, control, info, order);
  else info->flag = NOBODY;
}

void ma97_factor_d(int matrix_type, const int ptr[], const int row[], const double val[],
                   void **akeep, void **fkeep, const struct ma97_control_d *control,
                   struct ma97_info_d *info, const double scale[]) {
  if (use) use->factor(matrix_type, ptr, row, val, akeep, fkeep, control, info, scale);
  else info->flag = NOBODY;
}

void ma97_factor_solve_d(int matrix_type, const int ptr[], const int row[], const double val[],
                         int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                         const struct ma97_control_d *control, struct ma97_info_d *info,
                         const double scale[]) {
  if (use) {
    use->factor_solve(matrix_type, ptr, row, val, nrhs, x, ldx, akeep, fkeep, control, info, scale);
  } else {
    info->flag = NOBODY;
  }
}

void ma97_solve_d(int job, int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                  const struct ma97_control_d *control, struct ma97_info_d *info) {
  if (use) use->solve(job, nrhs, x, ldx, akeep, fkeep, control, info);
  else info->flag = NOBODY;
}

void ma97_finalise_d(void **akeep, void **fkeep) {
  *akeep = NULL;
  *fkeep = NULL;
}

void ma97_free_akeep_d(void **akeep) {
  *akeep = NULL;
}
