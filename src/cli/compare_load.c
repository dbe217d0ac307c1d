// SPDX-License-Identifier: MIT
#include "cli/compare_load.h"

#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "dynamics/dyn_function.h"
#include "expr/expr_tape.h"

Status compare_load(CompareLoad *out, const Args *args, Error *err) {
  *out = (CompareLoad){.c = NULL};
  for (int i = 0; i < args->n_positional; i++) {
    Status status = journal_load(&out->journal[i], args->positional[i], err);
    if (status != STATUS_OK) return status;
    out->n_journal++;
    if (out->journal[i]->n_bad) {
      command_warn("%s: %d lines of the journal can't be read", args->positional[i],
                   out->journal[i]->n_bad);
    }
  }
  const char *form[COMPARE_FORMS];
  int n_form = 0;
  for (; n_form < COMPARE_FORMS && dyn_forms[n_form]; n_form++) {
    form[n_form] = dyn_forms[n_form]->name;
  }
  const Journal *const *journal = (const Journal *const *)out->journal;
  CompareOptions opt = {form, n_form, options_has(args, "unverified")};
  Status status = compare_build(&out->c, journal, out->n_journal, &opt, err);
  const char *robot = out->journal[0]->robot;
  if (status != STATUS_OK || access(robot, R_OK) != 0) return status;
  return model_load(&out->model, robot, err);
}

static bool was_run(const Compare *c, const DynForm *form) {
  for (int k = 0; k < c->n_case; k++) {
    if (strcmp(c->kase[k].field[COMPARE_FORM], form->name) == 0) return true;
  }
  return false;
}

Status compare_load_terms(CompareLoad *l, Error *err) {
  for (int i = 0; l->model && dyn_forms[i]; i++) {
    const DynForm *form = dyn_forms[i];
    if (!was_run(l->c, form)) continue;
    DynFunction *terms = NULL;
    ExprTape *tape = NULL;
    Status status = dyn_terms_build(&terms, l->model, form, err);
    if (status == STATUS_OK) status = expr_tape_build(&tape, &terms->f, TAPE_FOR_COMPILER, err);
    if (status == STATUS_OK) {
      l->terms[l->n_terms++] =
          (CompareTerms){form->name, form->terms, tape->count.total, tape->count.sincos};
    }
    expr_tape_free(tape);
    dyn_function_free(terms);
    if (status != STATUS_OK) return status;
  }
  return STATUS_OK;
}

void compare_load_free(CompareLoad *l) {
  compare_free(l->c);
  for (int i = 0; i < l->n_journal; i++) journal_free(l->journal[i]);
  model_free(l->model);
}
