// SPDX-License-Identifier: MIT
// Methods of constrained forward dynamics. All solve, for robots with loops (loops.h),
//   M(q) a + J(q)^T lambda = tau - c(q, v) - d v,   J(q) a = gamma(q, v)
// each in its own way; -J^T lambda are the joint forces of the loops. Written as traces, so that they
// are counted, differentiated and compiled like everything else.
#ifndef POISE_DYNAMICS_LOOP_METHOD_H
#define POISE_DYNAMICS_LOOP_METHOD_H

#include "dynamics/loops.h"

typedef struct LoopMethod {
  const char *name;      // as written on the command line: "TREE+AUG", "RCR", ...
  const char *title;     // one line for people, with the paper
  bool has_multipliers;  // lambda is an output
  // STATUS_OK, or STATUS_INPUT naming the loop that keeps the method from working on this robot.
  Status (*applies)(const Model *m, Error *err);
  // Accelerations and multipliers under joint forces `force` (nv, actuators only: the damping is
  // added here). a: nv; lambda: model_n_rows, untouched unless has_multipliers. q and v are those of
  // the trace. False when out of memory. Only on robots that it applies to.
  bool (*map)(const DynTrace *tr, const Expr *force, Expr *a, Expr *lambda);
} LoopMethod;

// Negrut, Serban, Potra 1997 (tree_aug.h): sparse, dense, and Gaussian elimination for comparison.
extern const LoopMethod loop_tree_aug, loop_tree_aug_dense, loop_gauss;

// Anderson, Critchley 2003: the standard order-n treatment (tree_lambda.c), and recursive coordinate
// reduction (rcr.h). The latter chooses its independent coordinates at the start configuration.
extern const LoopMethod loop_tree_lambda, loop_rcr;

// Tasora (maximal.h): Cartesian coordinates, one sparse factorisation.
extern const LoopMethod loop_maximal;

// All of them, NULL-terminated.
extern const LoopMethod *const loop_methods[];

// By name, upper or lower case; NULL if unknown.
const LoopMethod *loop_method_find(const char *name);

// (q, v, tau) -> "a" and, if the method has them, "lambda". STATUS_INPUT if it does not apply. On
// failure *out is NULL.
Status loop_function_build(DynFunction **out, const Model *m, const LoopMethod *method, Error *err);

#endif
