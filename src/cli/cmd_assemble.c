// SPDX-License-Identifier: MIT
// poise assemble: the closed configuration nearest to where a mechanism starts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "dynamics/loop_check.h"

enum { MOST_JOINTS_TOLD = 12 };
static const double CHANGED = 1e-9;  // [rad | m], below it a joint counts as left alone

static const char *unit(const Model *m, int joint) {
  return m->joint[joint].type == JOINT_PRISMATIC ? "m" : "rad";
}

static void print_changes(const Model *m, const double *before, const double *after) {
  int told = 0, changed = 0, outside = 0;
  for (int i = 0; i < m->nv; i++) {
    const ModelJoint *j = &m->joint[i];
    if (after[i] < j->lower || after[i] > j->upper) {
      command_warn("joint \"%s\" at %.6g is outside of its limits %g .. %g", j->name, after[i],
                   j->lower, j->upper);
      outside++;
    }
    if (fabs(after[i] - before[i]) <= CHANGED) continue;
    changed++;
    if (told++ >= MOST_JOINTS_TOLD) continue;
    fputs("  ", stdout);
    command_put_padded(stdout, j->name, 20);
    printf("  %12.6g -> %12.6g %s  (%+.4g)\n", before[i], after[i], unit(m, i),
           after[i] - before[i]);
  }
  if (changed > MOST_JOINTS_TOLD) printf("  and %d more\n", changed - MOST_JOINTS_TOLD);
}

static void print_outcome(const Model *m, const LoopReport *r, const LoopAssembly *a,
                          const double *before, const double *after) {
  command_put_text(stdout, m->name);
  printf(": %d coordinates, %d constraints of %d loops\n", m->nv, r->n_row, m->n_loop);
  printf("  before  largest violation %.3g\n", r->violation);
  printf("  after   largest violation %.3g, %d Newton steps\n", a->violation, a->iterations);
  printf("  moved   %.4g m (root mean square over the mass); most: joint ", a->moved);
  command_put_text(stdout, m->joint[a->joint].name);
  printf(" by %.4g %s\n", a->change, unit(m, a->joint));
  print_changes(m, before, after);
}

// the configuration to start from, q; and what is wrong with it
static Status assemble(const Model *m, double *before, double *q, LoopReport *r, LoopAssembly *a,
                       Error *err) {
  LoopEval *e = NULL;
  size_t size = (size_t)m->nv * sizeof *q;
  const double *start = model_start(m);
  if (start) memcpy(before, start, size);
  memcpy(q, before, size);
  Status status = loop_check(r, m, err);
  if (status == STATUS_OK) status = loop_eval_build(&e, m, err);
  if (status == STATUS_OK) status = loop_assemble(e, q, a, err);
  loop_eval_free(e);
  return status;
}

static int finish(const Args *args, const Model *m, const LoopReport *r, const LoopAssembly *a,
                  const double *before, const double *q) {
  Error err = {0};
  const char *file = options_value(args, "output");
  print_outcome(m, r, a, before, q);
  if (!a->closed) {
    fflush(stdout);
    fprintf(stderr, "poise: %s\n", r->text);
    return EXIT_NOT_SOLVED;
  }
  if (file && model_save_pose(m, "start", q, file, &err)) return command_fail(&err);
  if (file) printf("%s\n", file);
  return EXIT_SOLVED;
}

static int run(const Args *args) {
  Error err = {0};
  Model *m = NULL;
  LoopReport r;
  LoopAssembly a;
  int code = EXIT_SOLVED;
  Status status = model_load(&m, args->positional[0], &err);
  if (status == STATUS_OK && m->n_loop == 0) {
    status = error_set(&err, STATUS_INPUT, m->path, "has no loops: there is nothing to assemble");
  }
  size_t n = m ? (size_t)m->nv : 0;
  double *before = calloc(n + 1, sizeof *before), *q = calloc(n + 1, sizeof *q);
  if (status == STATUS_OK && (!before || !q)) status = error_no_memory(&err);
  if (status == STATUS_OK) status = assemble(m, before, q, &r, &a, &err);
  if (status == STATUS_OK) code = finish(args, m, &r, &a, before, q);
  free(before);
  free(q);
  model_free(m);
  return status == STATUS_OK ? code : command_fail(&err);
}

static const Option options[] = {
    {"output", 'o', "FILE", "write the robot file again with the closed pose as \"start\""},
};

const Command cmd_assemble = {
    .name = "assemble",
    .summary = "find the closed configuration nearest to the start",
    .positional = "ROBOT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "Of a robot with loops: closes them by Newton's method, measuring distances by the mass\n"
        "that moves, from pose \"start\" (else the first pose, else zero), and says how far it\n"
        "had to move. Exit codes: 0 closed, 1 it can't be closed (and which loop), 2 bad input.\n",
    .example = "poise assemble configs/mechanisms/fourbar.json -o closed.json\n",
    .run = run,
};
