// SPDX-License-Identifier: MIT
// Rows r(z) of one instant, z = (q, v, a, u), with their Jacobian and the lower triangle of the Hessian
// of lambda^T r: traced by us and run by the evaluator, or a user's, from a shared object with CasADi's
// interface. Beside NAME (q, v, u) -> r such a library has, u standing for the nu actuator forces,
//   jac_NAME   (q, v, u, nominal r: empty) -> dr/dq, dr/dv, dr/du     as CasADi generates it
//   hess_NAME  (q, v, u, lambda) -> Hessian of lambda^T r over (q, v, u), full or its lower triangle
// tools/casadi_term.py makes one.
#ifndef POISE_OCP_OCP_BLOCK_H
#define POISE_OCP_OCP_BLOCK_H

#include "expr/expr_load.h"
#include "expr/expr_tape.h"
#include "ocp/ocp.h"

typedef enum OcpPart { OCP_VALUE, OCP_JACOBIAN, OCP_HESSIAN, N_OCP_PARTS } OcpPart;

typedef struct OcpBlock {
  int n_row;                      // 0: there is none, and no function
  ExprTape *tape[N_OCP_PARTS];    // over q, v, a, u and, for the Hessian, lambda; or all NULL and
  ExprExtern *user[N_OCP_PARTS];  // these instead
  int jac_nnz;                    //
  int *jac_row;                   // jac_nnz
  int *jac_col;                   // jac_nnz, of z
  int hess_nnz;                   //
  int *hess_row;                  // hess_nnz, row >= column, of z
  int *hess_col;                  //
  int hess_room;                  // values that an evaluation of the Hessian writes, >= hess_nnz
  int *hess_take;                 // user's: hess_nnz, which of them are kept, ascending
} OcpBlock;

// Loads the functions of a term and checks all they say about themselves; arrays come from the arena.
// On failure the block is empty, and err names the library and the function.
Status ocp_block_load(OcpBlock *b, Arena *arena, const OcpTerm *term, int nv, int nu, Error *err);

// The message for dynamics with a formulation of another kind: name of the term, name of the form.
#define OCP_TERM_NEEDS_ODE \
  "\"%s\" gives accelerations: it needs an explicit ODE formulation, EXP1-O or EXP2-O, not %s"

void ocp_block_free(OcpBlock *b);  // NULL-safe; not the patterns, which are the arena's

// Bytes of scratch, and values of the largest output at one point.
size_t ocp_block_work_size(const OcpBlock *b);
size_t ocp_block_room(const OcpBlock *b);

// One part at n_point points: in is q, v, a, u, lambda (the last for the Hessian only); value e of
// point j goes to out[e item + j]. False if any is NaN or Inf, or a user's function fails.
bool ocp_block_eval(const OcpBlock *b, OcpPart part, int n_point, const LaneIn in[5], double *out,
                    long long item, void *work);

#endif
