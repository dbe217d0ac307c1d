// SPDX-License-Identifier: MIT
// poise plot: the figures of a comparison as SVG files.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/compare_load.h"
#include "report/report_figure.h"

// ---- what to draw ------------------------------------------------------------------------------

static Status figure_option(const Args *args, const FigureInfo **out, Error *err) {
  const char *name = options_value(args, "figure");
  const char *names[N_FIGURES];
  *out = NULL;
  if (!name) return STATUS_OK;
  char list[256] = "";
  for (int i = 0; i < N_FIGURES; i++) {
    names[i] = figures[i].name;
    if (strcmp(name, names[i]) == 0) *out = &figures[i];
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
  }
  if (*out) return STATUS_OK;
  const char *near = nearest_name(name, names, N_FIGURES);
  if (near) {
    return error_set(err, STATUS_INPUT, "--figure", "unknown figure \"%s\"; did you mean %s?", name,
                     near);
  }
  return error_set(err, STATUS_INPUT, "--figure", "unknown figure \"%s\"; one of %s", name, list);
}

// the target nearest to --point phi=0,z=-0.1; axes that are not named stay in the middle
static Status point_option(const Args *args, const Compare *c, int *out, Error *err) {
  const char *text = options_value(args, "point");
  *out = -1;
  if (!text) return STATUS_OK;
  double *at = malloc(((size_t)c->n_axis + 1) * sizeof *at);
  if (!at) return error_no_memory(err);
  for (int i = 0; i < c->n_axis; i++) {
    at[i] = 0.5 * (c->axis[i].value[0] + c->axis[i].value[c->axis[i].n - 1]);
  }
  Status status = STATUS_OK;
  for (const char *item = text; status == STATUS_OK && *item;) {
    size_t n = strcspn(item, ","), name = strcspn(item, "=,");
    int i = 0;
    while (i < c->n_axis &&
           !(strlen(c->axis[i].name) == name && strncmp(c->axis[i].name, item, name) == 0)) {
      i++;
    }
    char *end = NULL;
    double x = item[name] == '=' ? strtod(item + name + 1, &end) : NAN;
    if (i == c->n_axis || end != item + n || !isfinite(x)) {
      status = error_set(err, STATUS_INPUT, "--point", "\"%.*s\" is not AXIS=VALUE", (int)n, item);
    } else {
      at[i] = x;
    }
    item += n + (item[n] == ',');
  }
  double least = INFINITY;
  for (int p = 0; status == STATUS_OK && p < c->n_point; p++) {
    double far = 0;
    for (int i = 0; i < c->n_axis; i++) {
      const CompareAxis *axis = &c->axis[i];
      double range = axis->value[axis->n - 1] - axis->value[0];
      far += fabs(axis->value[c->point[p].index[i]] - at[i]) / (range > 0 ? range : 1);
    }
    if (far < least) least = far, *out = p;
  }
  free(at);
  return status;
}

// ---- files -------------------------------------------------------------------------------------

static void add_slug(TextBuf *b, const char *text) {
  bool gap = false;
  for (; *text; text++) {
    bool plain = isalnum((unsigned char)*text) || *text == '-' || *text == '.';
    if (plain) textbuf_addf(b, "%s%c", gap ? "_" : "", *text);
    gap = !plain;
  }
}

// FOLDER/name[_set][_view].svg
static void file_name(const Compare *c, const FigureChoice *f, const char *folder, TextBuf *b) {
  textbuf_addf(b, "%s/%s", folder, f->info->name);
  if (figure_per_set(f->info) && c->n_set > 1) {
    textbuf_add(b, "_");
    add_slug(b, c->set[f->set].name);
  }
  if (c->n_view > 1) {
    textbuf_add(b, "_");
    add_slug(b, c->view[f->view].title);
  }
  textbuf_add(b, ".svg");
}

static bool ends_in_svg(const char *path) {
  size_t n = strlen(path);
  return n > 4 && strcmp(path + n - 4, ".svg") == 0;
}

// one file; none if there is nothing to draw and it was not asked for by name
static Status save(const Compare *c, const FigureChoice *f, const char *out, bool by_name,
                   Error *err) {
  TextBuf svg = {0}, path = {0};
  Status status = figure_write(c, f, &svg, err);
  if (status == STATUS_INPUT && !by_name) {
    *err = (Error){0};
    textbuf_free(&svg);
    return STATUS_OK;
  }
  if (status == STATUS_OK) {
    if (ends_in_svg(out)) textbuf_add(&path, out);
    else file_name(c, f, out, &path);
    status = path.failed ? error_no_memory(err) : textbuf_save(&svg, path.text, err);
  }
  if (status == STATUS_OK) {
    command_put_text(stdout, path.text);
    putchar('\n');
  }
  textbuf_free(&path);
  textbuf_free(&svg);
  return status;
}

static Status save_figure(const Compare *c, FigureChoice f, const char *out, bool by_name,
                          Error *err) {
  bool one = ends_in_svg(out);
  for (f.view = 0; f.view < c->n_view; f.view++) {
    const CompareView *view = &c->view[f.view];
    int n = figure_per_set(f.info) ? view->n_group : 1;
    for (int i = 0; i < n; i++) {
      f.set = c->group[view->group[i]].set;
      Status status = save(c, &f, out, by_name, err);
      if (status != STATUS_OK || one) return status;
    }
  }
  return STATUS_OK;
}

static Status plot(const Args *args, CompareLoad *l, Error *err) {
  const char *out = options_value(args, "output");
  const FigureInfo *only;
  FigureChoice f = {.own_file = true};
  Status status = figure_option(args, &only, err);
  if (status == STATUS_OK) status = compare_load(l, args, err);
  if (status == STATUS_OK) status = point_option(args, l->c, &f.point, err);
  if (status != STATUS_OK) return status;
  f.model = l->model;
  if (!out) out = ".";
  if (ends_in_svg(out) && !only) {
    return error_set(err, STATUS_INPUT, "--output", "a file holds one figure: --figure says which");
  }
  if (!ends_in_svg(out) && mkdir(out, 0777) != 0 && errno != EEXIST) {
    return error_set(err, STATUS_IO, out, "%s", strerror(errno));
  }
  for (int i = 0; status == STATUS_OK && i < N_FIGURES; i++) {
    f.info = &figures[i];
    if (!only || only == f.info) status = save_figure(l->c, f, out, only != NULL, err);
  }
  return status;
}

static int run(const Args *args) {
  Error err = {0};
  CompareLoad l = {.c = NULL};
  Status status = plot(args, &l, &err);
  compare_load_free(&l);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"output", 'o', "OUT", "folder for the figures, or FILE.svg for one; here if not given"},
    {"figure", 'f', "NAME", "only this one"},
    {"point", 0, "A=X,...", "target of \"motion\", marked in \"targets\": the nearest one"},
    {"unverified", 0, NULL, "count solved runs that are not verified too"},
};

const Command cmd_plot = {
    .name = "plot",
    .summary = "draw the figures of a comparison as SVG",
    .positional = "DIR...",
    .n_positional_min = 1,
    .n_positional_max = COMPARE_FOLDERS,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "Figures at the size of a page of a journal, with fonts that print and colours that can\n"
        "be told apart with any colour vision. Box plots: cost, iterations, cpu,\n"
        "cpu_per_iteration, gap. Others: shares (of the time), ratios (paired, with\n"
        "intervals), convergence (mean iterations by size of the grid), motion (to one\n"
        "target). One file per cost set: targets (in space, with the robot), and maps of\n"
        "them: map_cost, map_iterations, map_cpu, map_gap. Where layouts, strategies or\n"
        "solvers differ, each has its own files.\n",
    .example = "poise plot results -o figures\n"
               "poise plot results --figure motion --point phi=0,z=-0.1 -o motion.svg\n",
    .run = run,
};
