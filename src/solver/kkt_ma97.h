// SPDX-License-Identifier: MIT
// HSL_MA97's C interface as IPOPT calls it: the layout of its two structures and its entry points
// (documentation of HSL_MA97, "C interface", version 2). Not in HSL's own words; names are given
// without the suffix _d of double precision but for the structures.
#ifndef POISE_SOLVER_KKT_MA97_H
#define POISE_SOLVER_KKT_MA97_H

struct ma97_control_d {
  int f_arrays;       // not 0: indices count from 1
  int action;         // 0: a singular matrix is an error
  int nemin;          //
  double multiplier;  //
  int ordering;       // 1 AMD, 3 METIS, 5 either
  int print_level;    //
  int scaling;        // 0 none
  double small;       // a pivot below this is zero
  double u;           // threshold
  int unit_diagnostics, unit_error, unit_warning;
  long factor_min;     //
  int solve_blas3;     //
  long solve_min;      //
  int solve_mf;        //
  double consist_tol;  //
  int ispare[5];
  double rspare[10];
};

struct ma97_info_d {
  int flag;  // 0 good, < 0 an error
  int flag68, flag77;
  int matrix_dup, matrix_rank, matrix_outrange, matrix_missing_diag;
  int maxdepth, maxfront;
  int num_delay;
  long num_factor, num_flops;
  int num_neg;  // negative eigenvalues
  int num_sup, num_two;
  int ordering;
  int stat;
  int ispare[5];
  double rspare[10];
};

// x, where it is not a matrix's: nrhs columns, ldx apart. scale may be NULL.
typedef struct Ma97 {
  void (*default_control)(struct ma97_control_d *control);
  void (*analyse)(int check, int n, const int ptr[], const int row[], double val[], void **akeep,
                  const struct ma97_control_d *control, struct ma97_info_d *info, int order[]);
  void (*factor)(int matrix_type, const int ptr[], const int row[], const double val[],
                 void **akeep, void **fkeep, const struct ma97_control_d *control,
                 struct ma97_info_d *info, const double scale[]);
  void (*factor_solve)(int matrix_type, const int ptr[], const int row[], const double val[],
                       int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                       const struct ma97_control_d *control, struct ma97_info_d *info,
                       const double scale[]);
  void (*solve)(int job, int nrhs, double x[], int ldx, void **akeep, void **fkeep,
                const struct ma97_control_d *control, struct ma97_info_d *info);
  void (*finalise)(void **akeep, void **fkeep);
  void (*free_akeep)(void **akeep);
} Ma97;

// kkt_hsl_library.c, the shared library: whom its entry points call in this thread.
void poise_hsl_use(const Ma97 *functions);

#endif
