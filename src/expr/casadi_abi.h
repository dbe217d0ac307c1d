// SPDX-License-Identifier: MIT
// The interface of CasADi's external functions, as far as it is binary. A shared object that holds
// a function NAME exports, all but the first optional:
//   NAME                          evaluates; NULL in arg reads as zeros, NULL in res is skipped
//   NAME_n_in, NAME_n_out         default 1
//   NAME_name_in, NAME_name_out   default i0, i1, ... and o0, o1, ...
//   NAME_sparsity_in, _out        default, also for NULL: a scalar
//   NAME_default_in               default 0
//   NAME_work                     sizes of the work arrays; default n_in, n_out, 0, 0
//   NAME_work_bytes               the same in bytes
//   NAME_incref, NAME_decref      called when the function is taken into use and given back
//   NAME_checkout, NAME_release   take and return the number that is passed as `mem`
// and, an addition of ours, NAME_lanes with the convention of expr_tape_eval.
//
// A pattern is one array {n_row, n_col, colptr[n_col + 1], row[nnz]}, or {n_row, n_col, 1} if
// dense.
#ifndef POISE_EXPR_CASADI_ABI_H
#define POISE_EXPR_CASADI_ABI_H

#include "expr/expr_lanes.h"

typedef long long int casadi_int;
typedef double casadi_real;

typedef int (*CasadiEval)(const casadi_real **arg, casadi_real **res, casadi_int *iw,
                          casadi_real *w, int mem);
typedef casadi_int (*CasadiCount)(void);
typedef const char *(*CasadiName)(casadi_int i);
typedef const casadi_int *(*CasadiSparsity)(casadi_int i);
typedef casadi_real (*CasadiDefault)(casadi_int i);
typedef int (*CasadiWork)(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw,
                          casadi_int *sz_w);
typedef void (*CasadiSignal)(void);
typedef int (*CasadiCheckout)(void);
typedef void (*CasadiRelease)(int mem);

typedef int (*LanesEval)(int n_point, const LaneIn *in, const LaneOut *out);

#endif
