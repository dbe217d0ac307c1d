// SPDX-License-Identifier: MIT
// poise compare: what the runs of sweeps say, as tables, words, JSON, CSV or one HTML page.
#include <stdio.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/compare_load.h"
#include "cli/compare_print.h"
#include "cli/json_out.h"
#include "report/report_compare_html.h"

enum { WIDTH = 100, MOST_MB = 700 };  // of the words; of motions in a page

static Status print_json(const CompareLoad *l, Error *err) {
  JsonOut out = {0};
  compare_write_json(l->c, l->terms, l->n_terms, NULL, &out);
  return json_out_print(&out, err);
}

static Status save_csv(const Args *args, const char *option, const Compare *c,
                       void (*write)(const Compare *c, TextBuf *b), Error *err) {
  const char *path = options_value(args, option);
  if (!path) return STATUS_OK;
  TextBuf b = {0};
  write(c, &b);
  Status status = b.failed ? error_no_memory(err) : textbuf_save(&b, path, err);
  textbuf_free(&b);
  return status;
}

static Status save_page(const Args *args, const CompareLoad *l, Error *err) {
  const char *path = options_value(args, "html");
  if (!path) return STATUS_OK;
  ComparePage page = {.title = "",
                      .model = l->model,
                      .terms = l->terms,
                      .n_terms = l->n_terms,
                      .motions_mb = COMPARE_PAGE_MB};
  TextBuf b = {0};
  Status status = options_double(args, "motions", 0, MOST_MB, &page.motions_mb, err);
  if (status == STATUS_OK) status = compare_html(l->c, &page, &b, err);
  if (status == STATUS_OK) status = textbuf_save(&b, path, err);
  textbuf_free(&b);
  return status;
}

static Status compare(const Args *args, CompareLoad *l, Error *err) {
  Status status = compare_load(l, args, err);
  if (status == STATUS_OK) status = compare_load_terms(l, err);
  if (status == STATUS_OK) status = save_csv(args, "csv", l->c, compare_write_csv, err);
  if (status == STATUS_OK) status = save_csv(args, "runs", l->c, compare_write_runs_csv, err);
  if (status == STATUS_OK) status = save_page(args, l, err);
  if (status != STATUS_OK) return status;
  if (options_has(args, "json")) return print_json(l, err);
  compare_print(l->c, l->terms, l->n_terms, WIDTH);
  return STATUS_OK;
}

static int run(const Args *args) {
  Error err = {0};
  CompareLoad l = {.c = NULL};
  Status status = compare(args, &l, &err);
  compare_load_free(&l);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"json", 0, NULL, "print all figures as JSON instead"},
    {"csv", 0, "FILE", "write one line per case as CSV"},
    {"runs", 0, "FILE", "write one line per run as CSV"},
    {"html", 0, "FILE", "write one self-contained page: maps, motions, figures, tables"},
    {"motions", 0, "MB", "room for motions in the page; 16 if not given"},
    {"unverified", 0, NULL, "count solved runs that are not verified too"},
};

const Command cmd_compare = {
    .name = "compare",
    .summary = "compare the runs of sweeps: tables, tests, a page",
    .positional = "DIR...",
    .n_positional_min = 1,
    .n_positional_max = COMPARE_FOLDERS,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "Of every case: success, iterations, CPU time, CPU time per iteration and cost as in a\n"
        "box plot, shares of functions and linear solver; local minima by the gap to the best\n"
        "cost known from all cases; the symmetry of mirrored targets; sizes and operations;\n"
        "convergence with the size of the grid; paired ratios with Wilcoxon's and McNemar's\n"
        "tests; and, in words, which formulation to use and why. Folders are those of poise\n"
        "sweep; several are put together. Only runs that are solved and verified count.\n",
    .example = "poise compare results\n"
               "poise compare results --html results.html\n",
    .run = run,
};
