// SPDX-License-Identifier: MIT
// What the loader leaves for the evaluation.
#ifndef POISE_EXPR_EXPR_LOAD_INTERNAL_H
#define POISE_EXPR_EXPR_LOAD_INTERNAL_H

#include "expr/casadi_abi.h"
#include "expr/expr_load.h"

struct ExprExternCode {
  void *library;            // from dlopen
  CasadiEval eval;          //
  CasadiSignal decref;      // NULL: none, or not yet to be called
  CasadiCheckout checkout;  // NULL: none; the next two too
  CasadiRelease release;    //
  LanesEval lanes;          //
  size_t n_arg, n_res;      // pointers in the work arrays, at least n_in and n_out
  size_t n_iw, n_w;         // numbers in the work arrays
  size_t n_x, n_y;          // nonzeros of all inputs, of all outputs
};

#endif
