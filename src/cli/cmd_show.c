// SPDX-License-Identifier: MIT
// poise show: a result file in the terminal. Needs nothing but the file: the robot may be gone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/sparkline.h"

enum { PLOT_WIDTH = 32, MOST_NODES = 1000000 };

// Curves of one kind, a row per instant.
typedef struct Curves {
  JsonAt names;   // array of strings
  int n, n_row;   // curves; instants
  double *value;  // n_row x n, NAN where the file has no number
  double *time;   // n_row
} Curves;

// ---- reading, leniently: what is absent is left out ----

static double number(const JsonAt *object, const char *key) {
  JsonAt at = json_find(object, key);
  Error ignored = {0};
  double x = NAN;
  json_number(&at, &x, &ignored);
  return x;
}

static const char *text(const JsonAt *object, const char *key) {
  JsonAt at = json_find(object, key);
  Error ignored = {0};
  const char *s = NULL;
  json_string(&at, &s, &ignored);
  return s;
}

static bool flag(const JsonAt *object, const char *key) {
  JsonAt at = json_find(object, key);
  Error ignored = {0};
  bool x = false;
  json_bool(&at, &x, &ignored);
  return x;
}

// the rows of a matrix, with NAN for null
static Status read_rows(const JsonAt *rows, int n, int n_row, double *value, Error *err) {
  if (!json_array(rows, err)) return err->code;
  if (json_count(rows) != n_row) {
    return json_fail(rows, err, "has %d rows, but %d are expected", json_count(rows), n_row);
  }
  for (JsonAt row = json_first(rows); row.node; json_next(&row)) {
    if (!json_array(&row, err)) return err->code;
    if (json_count(&row) != n) {
      return json_fail(&row, err, "has %d numbers, but there are %d names", json_count(&row), n);
    }
    for (JsonAt e = json_first(&row); e.node; json_next(&e)) {
      double *x = &value[row.index + (size_t)n_row * (size_t)e.index];
      *x = NAN;
      if (json_type(&e) != JSON_NULL && !json_number(&e, x, err)) return err->code;
    }
  }
  return STATUS_OK;
}

static Status read_curves(Curves *c, const JsonAt *trajectory, const char *names, const char *key,
                          int n_row, Arena *arena, Error *err) {
  JsonAt rows = json_find(trajectory, key);
  c->names = json_find(trajectory, names);
  if (!json_array(&c->names, err)) return err->code;
  c->n = json_count(&c->names);
  c->n_row = n_row;
  c->value = arena_array(arena, (size_t)c->n * (size_t)n_row + 1, sizeof *c->value);
  if (!c->value) return error_no_memory(err);
  return read_rows(&rows, c->n, n_row, c->value, err);
}

// the instants of the controls: middles, nodes, or both, by their number
static Status control_times(Curves *u, const Curves *q, Arena *arena, Error *err) {
  int N = q->n_row - 1;
  u->time = arena_array(arena, (size_t)u->n_row, sizeof *u->time);
  if (!u->time) return error_no_memory(err);
  for (int c = 0; c < u->n_row; c++) {
    if (u->n_row == N) u->time[c] = q->time[c];  // from there on
    else if (u->n_row == N + 1) u->time[c] = q->time[c];
    else u->time[c] = 0.5 * (q->time[c / 2] + q->time[(c + 1) / 2]);
  }
  return STATUS_OK;
}

static Status read_trajectory(const JsonAt *at, Curves *q, Curves *v, Curves *u, Arena *arena,
                              Error *err) {
  JsonAt time = json_find(at, "time"), rows = json_find(at, "u");
  if (!json_array(&time, err)) return err->code;
  int n = json_count(&time), n_control = json_count(&rows);
  if (n < 2 || n > MOST_NODES) return json_fail(&time, err, "%d nodes: 2 at least", n);
  if (n_control != n - 1 && n_control != n && n_control != 2 * n - 1) {
    return json_fail(&rows, err, "has %d rows, which does not fit %d nodes", n_control, n);
  }
  double *t = arena_array(arena, (size_t)n, sizeof *t);
  if (!t) return error_no_memory(err);
  if (!json_numbers(&time, n, t, err)) return err->code;
  q->time = v->time = t;
  Status status = read_curves(q, at, "joints", "q", n, arena, err);
  if (status == STATUS_OK) status = read_curves(v, at, "joints", "v", n, arena, err);
  if (status == STATUS_OK) status = read_curves(u, at, "actuators", "u", n_control, arena, err);
  return status == STATUS_OK ? control_times(u, q, arena, err) : status;
}

// ---- words ----

static void put_line(const char *label, const char *value) {
  if (!value) return;
  printf("%-13s ", label);
  command_put_text(stdout, value);
  putchar('\n');
}

static void print_head(const JsonAt *root) {
  JsonAt problem = json_find(root, "problem"), nlp = json_find(root, "nlp");
  JsonAt strategy = json_find(root, "strategy");
  const char *name = text(root, "name"), *form = text(root, "formulation");
  const char *layout = text(root, "layout"), *scheme = text(&problem, "scheme");
  command_put_text(stdout, name ? name : "result");
  printf(": %s\n", !flag(root, "solved")    ? "NOT SOLVED"
                   : flag(root, "verified") ? "solved and verified"
                                            : "solved, NOT VERIFIED");
  put_line("status", text(root, "status"));
  if (isfinite(number(root, "objective"))) {
    printf("objective     %.10g\n", number(root, "objective"));
  }
  printf("iterations    %.0f", number(root, "iterations"));
  if (text(&strategy, "kind")) {
    printf(", strategy ");
    command_put_text(stdout, text(&strategy, "kind"));
  }
  putchar('\n');
  if (form && layout) {
    char line[256];
    snprintf(line, sizeof line, "%s, %s layout, %s, %.0f intervals, %.6g s%s", form, layout,
             scheme ? scheme : "?", number(&problem, "intervals"), number(&problem, "horizon"),
             flag(&problem, "free_time") ? " (free)" : "");
    put_line("problem", line);
  }
  if (nlp.node) {
    printf("program       %.0f variables, %.0f constraints, %.0f and %.0f nonzeros\n",
           number(&nlp, "variables"), number(&nlp, "constraints"),
           number(&nlp, "jacobian_nonzeros"), number(&nlp, "hessian_nonzeros"));
  }
}

static void print_timing(const JsonAt *root) {
  static const char *const keys[] = {"setup_s", "evaluation_s", "linear_solver_s"};
  static const char *const names[] = {"setup", "functions", "linear algebra"};
  JsonAt timing = json_find(root, "timing");
  if (!timing.node) return;
  printf("time          %.3g s", number(&timing, "total_s"));
  int n = 0;
  for (int i = 0; i < 3; i++) {
    double x = number(&timing, keys[i]);
    if (isfinite(x)) printf("%s %s %.3g", n++ ? "," : ":", names[i], x);
  }
  putchar('\n');
}

static void print_worst(const JsonAt *verification, const char *key, const char *label) {
  JsonAt at = json_find(verification, key);
  double x = number(&at, "value");
  if (!isfinite(x)) return;
  printf("  %-24s %.3g", label, x);
  const char *who = text(&at, "joint") ? text(&at, "joint") : text(&at, "obstacle");
  if (x != 0 && who) {
    printf(" at ");
    command_put_text(stdout, who);
    printf(", %.4g s", number(&at, "time"));
  }
  putchar('\n');
}

static void print_verification(const JsonAt *root) {
  JsonAt v = json_find(root, "verification");
  if (json_type(&v) != JSON_OBJECT) {
    printf("verification  none: nobody has replayed this motion\n");
    return;
  }
  const char *form = text(&v, "formulation"), *failure = text(&v, "failure");
  printf("verification  %s%s", flag(&v, "verified") ? "passed" : "FAILED",
         form ? ", replayed by " : "");
  if (form) command_put_text(stdout, form);
  printf("%s\n", flag(root, "solved") ? "" : "; the motion is no solution all the same");
  if (failure) {
    fputs("  ", stdout);
    command_put_text(stdout, failure);
    putchar('\n');
  }
  print_worst(&v, "defect_q", "largest defect of q");
  print_worst(&v, "defect_v", "largest defect of v");
  JsonAt goal = json_find(&v, "goal"), open = json_find(&v, "open_loop");
  if (goal.node) {
    printf("  %-24s %.3g m, speed %.3g\n", "goal missed by", number(&goal, "position"),
           number(&goal, "speed"));
  }
  if (open.node && flag(&open, "completed")) {
    printf("  %-24s off by %.3g m, %.3g in q at the end\n", "open loop", number(&open, "position"),
           number(&open, "q"));
  } else if (open.node) {
    printf("  %-24s runs away after %.4g s\n", "open loop", number(&open, "end"));
  }
  print_worst(&v, "q_limit", "beyond position limits");
  print_worst(&v, "v_limit", "beyond speed limits");
  print_worst(&v, "u_limit", "beyond torque limits");
  print_worst(&v, "u_rate", "beyond torque rates");
  print_worst(&v, "clearance", "clearance of obstacles");
}

// instants of the least and the largest value; false if there is no finite one
static bool find_extremes(const double *x, int n, int *least, int *largest) {
  *least = *largest = -1;
  for (int k = 0; k < n; k++) {
    if (!isfinite(x[k])) continue;
    if (*least < 0 || x[k] < x[*least]) *least = k;
    if (*largest < 0 || x[k] > x[*largest]) *largest = k;
  }
  return *least >= 0;
}

static double tidy(double x) {
  return fabs(x) < 1e-12 ? 0.0 : x;
}

static int name_width(const JsonAt *names) {
  int width = 0;
  for (JsonAt e = json_first(names); e.node; json_next(&e)) {
    const char *name = "";
    Error ignored = {0};
    json_string(&e, &name, &ignored);
    if (command_text_width(name) > width) width = command_text_width(name);
  }
  return width;
}

static void print_curves(const char *title, const Curves *c, int width) {
  if (c->n == 0) return;
  printf("\n");
  command_put_padded(stdout, title, width + 2);
  printf("%10s %10s  %10s %7s  %10s %7s\n", "first", "last", "least", "at s", "largest", "at s");
  for (JsonAt e = json_first(&c->names); e.node; json_next(&e)) {
    const char *name = "?";
    Error ignored = {0};
    json_string(&e, &name, &ignored);
    const double *x = c->value + (size_t)c->n_row * (size_t)e.index;
    fputs("  ", stdout);
    command_put_padded(stdout, name, width);
    int low, high;
    if (!find_extremes(x, c->n_row, &low, &high)) {
      printf("  no finite value\n");
      continue;
    }
    printf("%10.4g %10.4g  %10.4g %7.4g  %10.4g %7.4g  ", tidy(x[0]), tidy(x[c->n_row - 1]),
           tidy(x[low]), c->time[low], tidy(x[high]), c->time[high]);
    sparkline_put(stdout, x, c->n_row, PLOT_WIDTH);
    putchar('\n');
  }
}

// the lines of the explanation, each made safe for the terminal
static void print_explanation(const JsonAt *root) {
  const char *why = text(root, "explanation");
  if (!why || !*why) return;
  printf("\nwhy it was not solved\n");
  for (char line[256]; *why;) {
    size_t n = strcspn(why, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, why);
    command_put_text(stdout, line);
    putchar('\n');
    why += n + (why[n] == '\n');
  }
}

static Status show(const JsonAt *root, Error *err) {
  Arena *arena = arena_new();
  Curves q = {.n = 0}, v = {.n = 0}, u = {.n = 0};
  JsonAt trajectory = json_find(root, "trajectory");
  Status status = read_trajectory(&trajectory, &q, &v, &u, arena, err);
  if (status == STATUS_OK) {
    print_head(root);
    print_timing(root);
    print_verification(root);
    int width = name_width(&q.names);
    if (width < 16) width = 16;
    print_curves("position [rad|m]", &q, width);
    print_curves("velocity [/s]", &v, width);
    print_curves("torque [N m|N]", &u, width);
    print_explanation(root);
  }
  arena_free(arena);
  return status;
}

// ---- the command ----

static int run(const Args *args) {
  Error err = {0};
  const char *path = args->positional[0];
  struct cJSON *doc = json_load(path, &err);
  if (!doc) return command_fail(&err);
  JsonAt root = json_root(doc, path);
  InputKind kind = input_kind(&root);
  Status status = STATUS_OK;
  if (kind != INPUT_RESULT) status = input_refuse(path, kind, "a result", &err);
  else if (!text(&root, "status"))
    status = json_fail(&root, &err, "has no \"status\": not a result");
  if (status == STATUS_OK) status = show(&root, &err);
  json_free(doc);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

const Command cmd_show = {
    .name = "show",
    .summary = "summarise a result file in the terminal",
    .positional = "RESULT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = NULL,
    .n_option = 0,
    .about = "Status, objective, times, verification, and for every joint and actuator first and\n"
             "last value, extremes with their times (at the nodes), and a small curve over time.\n",
    .example =
        "poise solve tasks/reach.json -o reach.result.json && poise show reach.result.json\n",
    .run = run,
};
