// SPDX-License-Identifier: MIT
// poise study negrut: operations and times of the augmented solve on the vehicle of Negrut, Serban and
// Potra, "A topology based approach for exploiting sparsity in multibody dynamics", 1997.
#include <stdio.h>

#include "base/rng.h"
#include "cli/study.h"
#include "cli/study_negrut_time.h"
#include "dynamics/aug_function.h"
#include "dynamics/loop_method.h"
#include "expr/expr_tape.h"
#include "model/mechanism_gen.h"

enum { TREES = 1000, LEAST_JOINTS = 5, MOST_JOINTS = 60, PUBLISHED_TOTAL = 8685, GOAL_RATIO = 10 };

// ---- no fill-in --------------------------------------------------------------------------------

// a random tree with parents first; its pattern factored leaves first, then roots first
static bool factor_tree(Rng *rng, int *nnz, int *leaves_first, int *roots_first) {
  int parent[MOST_JOINTS], order[MOST_JOINTS];
  int n = LEAST_JOINTS + (int)rng_uniform(rng, 0, MOST_JOINTS - LEAST_JOINTS + 0.999);
  parent[0] = -1;
  for (int i = 1; i < n; i++) parent[i] = (int)rng_uniform(rng, -0.5, i - 0.001);
  for (int i = 0; i < n; i++) order[i] = n - 1 - i;
  *leaves_first = aug_factor_nonzeros(n, parent, order, nnz);
  for (int i = 0; i < n; i++) order[i] = i;
  *roots_first = aug_factor_nonzeros(n, parent, order, nnz);
  return *leaves_first >= 0 && *roots_first >= 0;
}

static Status study_fill(bool *reached, Error *err) {
  Rng rng;
  rng_seed(&rng, 1);
  int equal = 0;
  long total = 0, leaves_total = 0, roots_total = 0;
  for (int k = 0; k < TREES; k++) {
    int nnz = 0, leaves = 0, roots = 0;
    if (!factor_tree(&rng, &nnz, &leaves, &roots)) return error_no_memory(err);
    equal += leaves == nnz;
    total += nnz;
    leaves_total += leaves;
    roots_total += roots;
  }
  printf("\nNonzeros of the factor of the inertia matrix, %d random trees of %d to %d joints\n",
         TREES, LEAST_JOINTS, MOST_JOINTS);
  printf("  inertia matrices %ld, factors leaves first (Lemma 2) %ld, roots first %ld\n", total,
         leaves_total, roots_total);
  study_verdict(equal == TREES, reached, "no fill-in in %d of %d trees", equal, TREES);
  return STATUS_OK;
}

// ---- operation counts --------------------------------------------------------------------------

// A, M, D, SQ by step and in total; -1 where the paper has no figure
typedef struct Published {
  const char *name;
  int count[4][AUG_N_STEPS + 1];
} Published;

static const Published alg_s = {"Alg-S, published (table 2)",
                                {{975, 165, 708, 172, 834, 680, 145, 192, 3871},
                                 {975, 165, 804, 172, 1135, 680, 162, 165, 4258},
                                 {165, 27, 174, 0, 0, 120, 0, 27, 513},
                                 {27, 0, 0, 0, 0, 16, 0, 0, 43}}};

static const Published alg_d = {"Alg-D, published (table 3)",
                                {{3276, 351, 5616, 432, 3536, 2280, 405, 378, 15914},
                                 {3276, 351, 5616, 432, 3672, 2280, 432, 351, 16410},
                                 {351, 27, 432, 0, 0, 152, 0, 27, 989},
                                 {27, 0, 0, 0, 0, 16, 0, 0, 43}}};

static void print_heads(void) {
  printf("  %-34s", "step");
  for (int s = 0; s < AUG_N_STEPS; s++) printf("%7s", aug_step_name[s]);
  printf("%8s\n", "total");
}

static void print_row(const char *name, const char *what, const int *count) {
  printf("  %-31s%3s", name, what);
  for (int s = 0; s <= AUG_N_STEPS; s++) printf(s < AUG_N_STEPS ? "%7d" : "%8d", count[s]);
  putchar('\n');
}

static void print_published(const Published *p) {
  static const char *const what[4] = {"A", "M", "D", "SQ"};
  for (int k = 0; k < 4; k++) print_row(k ? "" : p->name, what[k], p->count[k]);
}

// counts one solver on one pattern and prints it; *total: all operations
static Status print_solver(const Model *m, const char *name, AugPattern pattern, AugSolver solver,
                           int *total, Error *err) {
  AugFunction *f = NULL;
  AugCount c[AUG_N_STEPS + 1];
  Status status = aug_function_build(&f, m, pattern, solver, err);
  if (status != STATUS_OK) return status;
  if (!aug_count(f, c)) status = error_no_memory(err);
  aug_function_free(f);
  if (status != STATUS_OK) return status;
  int row[4][AUG_N_STEPS + 1];
  for (int s = 0; s <= AUG_N_STEPS; s++) {
    row[0][s] = c[s].add;
    row[1][s] = c[s].mul;
    row[2][s] = c[s].div;
    row[3][s] = c[s].sqrt;
  }
  static const char *const what[4] = {"A", "M", "D", "SQ"};
  for (int k = 0; k < 4; k++) print_row(k ? "" : name, what[k], row[k]);
  const AugCount *all = &c[AUG_N_STEPS];
  *total = all->add + all->mul + all->div + all->sqrt;
  return STATUS_OK;
}

static Status study_counts(const Model *m, bool *reached, Error *err) {
  int gauss = 0, dense = 0, topology = 0, traced = 0;
  printf("\nOperations of one solve: additions, multiplications, divisions, square roots\n");
  print_heads();
  print_published(&alg_d);
  if (print_solver(m, "the same, traced", AUG_FULL, AUG_DENSE, &dense, err)) return err->code;
  print_published(&alg_s);
  if (print_solver(m, "ours, pattern by topology", AUG_TOPOLOGY, AUG_SPARSE, &topology, err)) {
    return err->code;
  }
  if (print_solver(m, "ours, true pattern", AUG_TRACED, AUG_SPARSE, &traced, err)) return err->code;
  printf("  Gauss, published (table 1): 27391 A, 27391 M, 946 D\n");
  if (print_solver(m, "the same, traced (total only)", AUG_FULL, AUG_GAUSS, &gauss, err)) {
    return err->code;
  }
  printf("  in total: Gauss 55728 published, %d ours; Alg-D 33356 published, %d ours; Alg-S %d "
         "published, %d ours by topology, %d by true zeros\n",
         gauss, dense, PUBLISHED_TOTAL, topology, traced);
  study_verdict(topology <= 8700, reached, "operations of the augmented solve: %d, at most 8700",
                topology);
  return STATUS_OK;
}

// ---- the whole of the accelerations ------------------------------------------------------------

static Status study_methods(const Model *m, Error *err) {
  printf("\nOperations from (q, v, tau) to (a, lambda), with all that M, J, gamma take\n");
  static const LoopMethod *const methods[] = {&loop_tree_aug, &loop_tree_aug_dense, &loop_gauss};
  for (int i = 0; i < 3; i++) {
    DynFunction *f = NULL;
    ExprTape *tape = NULL;
    Status status = loop_function_build(&f, m, methods[i], err);
    if (status == STATUS_OK) status = expr_tape_build(&tape, &f->f, TAPE_FOR_COMPILER, err);
    if (status == STATUS_OK) printf("  %-12s %7d\n", methods[i]->name, tape->count.total);
    expr_tape_free(tape);
    dyn_function_free(f);
    if (status != STATUS_OK) return status;
  }
  return STATUS_OK;
}

// ---- times -------------------------------------------------------------------------------------

static Status study_times(const Model *m, const StudyOptions *opt, bool *reached, Error *err) {
  NegrutTimes t;
  Status status = negrut_times(&t, m, opt->quick ? 64 : 400, opt->quick ? 3 : 25, err);
  if (status != STATUS_OK) return status;
  printf(
      "\nMicroseconds per solve, %d systems of the vehicle at random postures, least of %d runs\n",
      t.n_system, t.n_run);
  printf(
      "  published, 1997:   Gauss (dgesv) 2336, Symmetric (dsysv) 2022, Alg-S 1201, Alg-D 1179\n");
  if (t.has_lapack) printf("  LAPACK here:       dgesv %.2f, dsysv %.2f\n", t.dgesv, t.dsysv);
  else printf("  LAPACK here:       built without it\n");
  printf("  ours, evaluator:   %.3f, many systems side by side\n", t.vm);
  if (t.has_compiled) {
    printf("  ours, compiled:    %.3f one by one, %.3f eight at a time\n", t.scalar, t.lanes);
  } else {
    printf("  ours, compiled:    no C compiler here\n");
  }
  printf("  largest difference from LAPACK, relative: %.1e\n", t.error);
  if (!t.has_lapack || opt->quick) return STATUS_OK;
  double best = t.dgesv < t.dsysv ? t.dgesv : t.dsysv;
  double own = t.has_compiled && t.lanes < t.vm ? t.lanes : t.vm;
  study_verdict(best / own >= GOAL_RATIO, reached,
                "%.1f times faster than the better of dgesv and dsysv (paper: 1.7; goal %d)",
                best / own, GOAL_RATIO);
  return STATUS_OK;
}

static Status run(const StudyOptions *opt, bool *reached, Error *err) {
  Model *m = NULL;
  Status status = mechanism_build(&m, &(MechanismOptions){MECHANISM_HMMWV, 1, 0}, err);
  if (status == STATUS_OK) {
    printf("vehicle of 14 bodies: %d coordinates, %d constraints\n", m->nv, model_n_rows(m));
    status = study_fill(reached, err);
  }
  if (status == STATUS_OK) status = study_counts(m, reached, err);
  if (status == STATUS_OK) status = study_methods(m, err);
  if (status == STATUS_OK) status = study_times(m, opt, reached, err);
  model_free(m);
  return status;
}

const Study study_negrut = {
    .name = "negrut",
    .title = "Negrut, Serban, Potra 1997: a topology based approach for exploiting sparsity",
    .run = run,
};
