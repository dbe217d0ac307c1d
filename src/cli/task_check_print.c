// SPDX-License-Identifier: MIT
// The check of a task in words and as JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json_out.h"
#include "cli/task_check.h"

enum { CELL_SIZE = 64 };

static const char *const level_names[] = {
    [FINDING_GOOD] = "ok", [FINDING_NOTE] = "note", [FINDING_HOPELESS] = "hopeless"};

// Notes of the reader that the findings say better.
static bool is_repeated(const Ocp *o, const char *note) {
  size_t n = strlen(o->path);
  return strncmp(note, o->path, n) == 0 && strncmp(note + n, ": start: ", 9) == 0;
}

static int count_notes(const TaskCheck *c) {
  const Ocp *o = c->o;
  int n = o->model->n_note;
  for (int i = 0; i < o->n_note; i++) n += !is_repeated(o, o->note[i]);
  for (int i = 0; i < c->n_finding; i++) n += c->finding[i].level == FINDING_NOTE;
  return n;
}

// ---- text ----

static void print_summary(const Ocp *o) {
  const Model *m = o->model;
  command_put_text(stdout, o->name);
  printf("\n  robot     ");
  command_put_text(stdout, m->name);
  printf(", %d degrees of freedom, %d actuated; degree of underactuation %d\n", m->nv, m->nu,
         m->nv - m->nu);
  if (o->free_time) printf("  grid      %.4g to %.4g s (free)", o->T_lower, o->T_upper);
  else printf("  grid      %.4g s", o->T);
  printf(" in %d intervals, %s", o->n_interval, ocp_scheme_names[o->scheme]);
  if (o->scheme == OCP_RADAU || o->scheme == OCP_GAUSS) printf(" of degree %d", o->degree);
  printf("\n  method    %s, %s layout, guess: %s, strategy: %s\n", o->form->name,
         ocp_layout_names[o->layout], ocp_guess_names[o->guess.kind],
         ocp_strategy_names[o->strategy.kind]);
  if (o->n_obstacle) printf("  obstacles %d\n", o->n_obstacle);
  for (int i = 0; i < o->n_term; i++) {
    printf("  term      ");
    command_put_text(stdout, o->term[i].name);
    printf(", %s, %d row%s, from ", ocp_term_use_names[o->term[i].use], o->term[i].n_row,
           o->term[i].n_row == 1 ? "" : "s");
    command_put_text(stdout, o->term[i].library);
    printf("\n");
  }
}

static const char *limits_text(const Ocp *o, int k, const char *unit, char cell[CELL_SIZE]) {
  double lower = o->limits.u_lower[k], upper = o->limits.u_upper[k];
  if (!isfinite(lower) && !isfinite(upper)) return "none";
  if (!isfinite(lower)) snprintf(cell, CELL_SIZE, "up to %.4g %s", upper, unit);
  else if (!isfinite(upper)) snprintf(cell, CELL_SIZE, "from %.4g %s", lower, unit);
  else snprintf(cell, CELL_SIZE, "%.4g .. %.4g %s", lower, upper, unit);
  return cell;
}

// a number of a table, with rounding errors shown as 0
static void put_number(double x) {
  printf("  %10.4g", fabs(x) < 1e-9 ? 0.0 : x);
}

// start and a goal posture, each with what it takes to hold it, and who may give how much
static void print_postures(const TaskCheck *c) {
  const Ocp *o = c->o;
  const Model *m = o->model;
  bool goal = c->has_goal_posture;
  bool holds = goal && o->goal.at_rest && o->goal.equilibrium;
  int width = 5, k = 0;
  for (int i = 0; i < m->nv; i++) {
    int n = command_text_width(m->joint[i].name);
    if (n > width) width = n;
  }
  printf("\n  ");
  command_put_padded(stdout, "joint", width);
  printf("  %10s  %10s", "start", "to hold");
  if (goal) printf("  %10s", "goal");
  if (holds) printf("  %10s", "to hold");
  printf("  torque limits\n");
  for (int i = 0; i < m->nv; i++) {
    fputs("  ", stdout);
    command_put_padded(stdout, m->joint[i].name, width);
    put_number(o->q_start[i]);
    put_number(c->hold_start[i]);
    if (goal) put_number(c->q_goal[i]);
    if (holds) put_number(c->hold_goal[i]);
    char cell[CELL_SIZE];
    const char *unit = m->joint[i].type == JOINT_PRISMATIC ? "N" : "N m";
    printf("  %s\n", m->joint[i].actuated ? limits_text(o, k, unit, cell) : "passive");
    k += m->joint[i].actuated;
  }
}

static void print_findings(const TaskCheck *c) {
  const char *about = "";
  for (int i = 0; i < c->n_finding; i++) {
    const Finding *f = &c->finding[i];
    if (strcmp(about, f->about) != 0) printf("\n%s\n", f->about);
    about = f->about;
    printf("  %-8s  ", level_names[f->level]);
    command_put_text(stdout, f->text);
    putchar('\n');
  }
}

static void print_note(const char *note, bool *first) {
  if (*first) printf("\nfiles\n");
  *first = false;
  printf("  %-8s  ", level_names[FINDING_NOTE]);
  command_put_text(stdout, note);
  putchar('\n');
}

void task_check_print_text(const TaskCheck *c) {
  const Ocp *o = c->o;
  print_summary(o);
  print_postures(c);
  print_findings(c);
  bool first = true;
  for (int i = 0; i < o->n_note; i++) {
    if (!is_repeated(o, o->note[i])) print_note(o->note[i], &first);
  }
  for (int i = 0; i < o->model->n_note; i++) print_note(o->model->note[i], &first);
  int n = count_notes(c);
  if (task_check_hopeless(c)) printf("\nnot solvable as it stands, as far as can be seen\n");
  else if (n == 0) printf("\nnothing stands in the way of solving it\n");
  else printf("\nit may be solvable; see the %s above\n", n == 1 ? "note" : "notes");
}

// ---- JSON ----

static void add_start(JsonOut *out, const TaskCheck *c) {
  const Model *m = c->o->model;
  json_out_open(out, "start", '{');
  json_out_vector(out, "q", c->o->q_start, m->nv);
  json_out_bool(out, "at_rest", c->start_rests);
  json_out_number(out, "passive_force", c->start_passive);
  json_out_vector(out, "holding_forces", c->hold_start, m->nv);
  json_out_close(out);
}

static void add_goal(JsonOut *out, const TaskCheck *c) {
  const Ocp *o = c->o;
  const Model *m = o->model;
  json_out_open(out, "goal", '{');
  json_out_string(out, "frame", o->goal.frame < 0 ? NULL : m->frame[o->goal.frame].name);
  json_out_number(out, "reach", c->reach);
  json_out_number(out, "distance_from_base", c->goal_distance);
  json_out_bool(out, "at_rest", o->goal.at_rest);
  json_out_bool(out, "equilibrium", o->goal.equilibrium);
  if (c->has_goal_posture) {
    json_out_vector(out, "q", c->q_goal, m->nv);
    json_out_number(out, "missed_by", c->goal.distance);
    json_out_vector(out, "holding_forces", c->hold_goal, m->nv);
    json_out_int(out, "searches", c->n_try);
  }
  json_out_close(out);
}

static void add_findings(JsonOut *out, const TaskCheck *c) {
  json_out_open(out, "findings", '[');
  for (int i = 0; i < c->n_finding; i++) {
    json_out_open(out, NULL, '{');
    json_out_string(out, "level", level_names[c->finding[i].level]);
    json_out_string(out, "about", c->finding[i].about);
    json_out_string(out, "what", c->finding[i].text);
    json_out_close(out);
  }
  json_out_close(out);
  json_out_open(out, "notes", '[');
  for (int i = 0; i < c->o->n_note; i++) json_out_string(out, NULL, c->o->note[i]);
  for (int i = 0; i < c->o->model->n_note; i++) json_out_string(out, NULL, c->o->model->note[i]);
  json_out_close(out);
}

Status task_check_print_json(const TaskCheck *c, Error *err) {
  const Ocp *o = c->o;
  const Model *m = o->model;
  JsonOut out = {0};
  json_out_open(&out, NULL, '{');
  json_out_string(&out, "task", o->name);
  json_out_string(&out, "robot", m->name);
  json_out_bool(&out, "hopeless", task_check_hopeless(c));
  json_out_int(&out, "degrees_of_freedom", m->nv);
  json_out_int(&out, "actuated", m->nu);
  json_out_int(&out, "underactuation", m->nv - m->nu);
  json_out_open(&out, "joints", '[');
  for (int i = 0; i < m->nv; i++) json_out_string(&out, NULL, m->joint[i].name);
  json_out_close(&out);
  add_start(&out, c);
  add_goal(&out, c);
  json_out_open(&out, "nlp", '{');
  json_out_int(&out, "variables", c->n_variable);
  json_out_int(&out, "fixed_variables", c->n_fixed);
  json_out_int(&out, "equalities", c->n_equality);
  json_out_int(&out, "inequalities", c->n_inequality);
  json_out_int(&out, "degrees_of_freedom", c->n_variable - c->n_fixed - c->n_equality);
  json_out_close(&out);
  add_findings(&out, c);
  json_out_close(&out);
  return json_out_print(&out, err);
}
