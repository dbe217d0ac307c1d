// SPDX-License-Identifier: MIT
// poise check: reads a robot or a task file, says what is wrong with it or what it describes; of a
// task everything that can be known before solving it (task_check.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/json_out.h"
#include "cli/task_check.h"
#include "dynamics/loop_check.h"

// ---- text ----

// Columns of the joint table; those with nothing but "-" are left out.
typedef enum Column {
  COL_INDEX,
  COL_NAME,
  COL_TYPE,
  COL_PARENT,
  COL_BODY,
  COL_MASS,
  COL_ACTUATED,
  COL_POSITION,
  COL_VELOCITY,
  COL_EFFORT,
  COL_EFFORT_RATE,
  N_COLUMNS,
} Column;

static const char *const titles[N_COLUMNS] = {
    "#",        "joint",    "type",     "parent", "body",        "mass",
    "actuated", "position", "velocity", "effort", "effort rate",
};

enum { CELL_SIZE = 80 };
static const char nothing[] = "-";

static const char *type_name(JointType type) {
  return type == JOINT_PRISMATIC ? "prismatic" : "revolute";
}

static const char *joint_name(const Model *m, int joint) {
  return joint < 0 ? "world" : m->joint[joint].name;
}

// The body a joint moves; inside the chain of a floating or spherical joint it has no name.
static const char *body_name(const Model *m, int body) {
  if (body < 0) return "world";
  return m->body[body].name ? m->body[body].name : nothing;
}

// "1.5 rad/s", or "-" for a limit that is not there and for no mass
static const char *quantity(char cell[CELL_SIZE], double x, const char *unit) {
  if (!isfinite(x) || x == 0) return nothing;
  snprintf(cell, CELL_SIZE, "%.4g %s", x, unit);
  return cell;
}

static const char *range(char cell[CELL_SIZE], double lower, double upper, const char *unit) {
  if (!isfinite(lower) && !isfinite(upper)) return nothing;
  if (!isfinite(lower)) snprintf(cell, CELL_SIZE, "up to %.4g %s", upper, unit);
  else if (!isfinite(upper)) snprintf(cell, CELL_SIZE, "from %.4g %s", lower, unit);
  else snprintf(cell, CELL_SIZE, "%.4g .. %.4g %s", lower, upper, unit);
  return cell;
}

// Text of one cell: a name of the model, a constant, or `cell` filled.
static const char *cell_text(const Model *m, int i, Column column, char cell[CELL_SIZE]) {
  const ModelJoint *j = &m->joint[i];
  bool slides = j->type == JOINT_PRISMATIC;
  switch (column) {
    case COL_INDEX: snprintf(cell, CELL_SIZE, "%d", i); return cell;
    case COL_NAME: return j->name;
    case COL_TYPE: return type_name(j->type);
    case COL_PARENT: return joint_name(m, j->parent);
    case COL_BODY: return body_name(m, i);
    case COL_MASS: return quantity(cell, m->body[i].mass, "kg");
    case COL_ACTUATED: return j->actuated ? "yes" : "no";
    case COL_POSITION: return range(cell, j->lower, j->upper, slides ? "m" : "rad");
    case COL_VELOCITY: return quantity(cell, j->velocity, slides ? "m/s" : "rad/s");
    case COL_EFFORT: return quantity(cell, j->effort, slides ? "N" : "N m");
    case COL_EFFORT_RATE: return quantity(cell, j->effort_rate, slides ? "N/s" : "N m/s");
    case N_COLUMNS: break;
  }
  return nothing;
}

static void print_joints(const Model *m) {
  char cell[CELL_SIZE];
  int width[N_COLUMNS] = {0};  // 0: the column has nothing to say
  int last = 0;
  for (int c = 0; c < N_COLUMNS; c++) {
    for (int i = 0; i < m->nv; i++) {
      const char *text = cell_text(m, i, (Column)c, cell);
      int n = command_text_width(text);
      if (strcmp(text, nothing) != 0 && width[c] == 0) width[c] = command_text_width(titles[c]);
      if (width[c] > 0 && n > width[c]) width[c] = n;
    }
    if (width[c] > 0) last = c;
  }

  for (int i = -1; i < m->nv; i++) {  // -1: the line of titles
    for (int c = 0; c <= last; c++) {
      if (width[c] == 0) continue;
      fputs("  ", stdout);
      command_put_padded(stdout, i < 0 ? titles[c] : cell_text(m, i, (Column)c, cell),
                         c < last ? width[c] : 0);
    }
    putchar('\n');
  }
}

// Frames that are more than a moving body's own.
static void print_frames(const Model *m) {
  int width = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int f = 0; f < m->n_frame; f++) {
      const ModelFrame *frame = &m->frame[f];
      if (frame->body >= 0 && strcmp(frame->name, body_name(m, frame->body)) == 0) continue;
      if (pass == 0) {
        if (width == 0) printf("\nframes\n");
        if (command_text_width(frame->name) > width) width = command_text_width(frame->name);
        continue;
      }
      fputs("  ", stdout);
      command_put_padded(stdout, frame->name, width);
      printf("  at %.4g %.4g %.4g on ", frame->pos[0], frame->pos[1], frame->pos[2]);
      command_put_text(stdout, body_name(m, frame->body));
      putchar('\n');
    }
  }
}

static void print_poses(const Model *m) {
  if (m->n_pose > 0) printf("\nposes\n");
  for (int p = 0; p < m->n_pose; p++) {
    fputs("  ", stdout);
    command_put_text(stdout, m->pose[p].name);
    putchar(':');
    int n = 0;
    for (int i = 0; i < m->nv; i++) {
      if (m->pose[p].q[i] == 0) continue;
      fputs(n++ ? ", " : " ", stdout);
      command_put_text(stdout, m->joint[i].name);
      printf(" = %.4g", m->pose[p].q[i]);
    }
    puts(n == m->nv ? "" : n ? ", others 0" : " all 0");
  }
}

static void print_loops(const Model *m, const LoopReport *loops) {
  if (m->n_loop == 0) return;
  int width = 0;
  for (int l = 0; l < m->n_loop; l++) {
    int n = command_text_width(m->loop[l].name);
    width = n > width ? n : width;
  }
  printf("\nloops, closed to %.2g\n", loops->violation);
  for (int l = 0; l < m->n_loop; l++) {
    const ModelLoop *loop = &m->loop[l];
    fputs("  ", stdout);
    command_put_padded(stdout, loop->name, width);
    printf("  %-9s  ", model_loop_type(loop->type));
    command_put_text(stdout, body_name(m, loop->body[0]));
    fputs(" - ", stdout);
    command_put_text(stdout, body_name(m, loop->body[1]));
    putchar(':');
    for (int k = 0; k < N_LOOP_ROWS; k++) {
      if (loop->rows & 1u << k) printf(" %s", model_row_name(1u << k));
    }
    putchar('\n');
  }
}

static void print_text(const Model *m, const LoopReport *loops) {
  command_put_text(stdout, m->name);
  printf("\n");
  if (m->n_loop > 0) printf("  coordinates               %d\n", m->nv);
  if (m->n_loop > 0) printf("  constraints of loops      %d\n", loops->n_row);
  printf("  degrees of freedom        %d\n", loops->dof);
  printf("  actuated                  %d\n", m->nu);
  if (m->n_loop == 0) printf("  degree of underactuation  %d\n", m->nv - m->nu);
  printf("  total mass                %.6g kg\n", model_mass(m));
  printf("  gravity                   %.6g %.6g %.6g m/s^2\n", m->gravity[0], m->gravity[1],
         m->gravity[2]);
  if (m->nv > 0) printf("\njoints, in the order of q, v and a\n");
  if (m->nv > 0) print_joints(m);
  print_loops(m, loops);
  print_frames(m);
  print_poses(m);
  bool singular = loops->state == LOOP_SINGULAR;
  printf(m->n_note || singular ? "\nwarnings\n" : "\nno warnings\n");
  if (singular) {
    fputs("  ", stdout);
    command_put_text(stdout, loops->text);
    putchar('\n');
  }
  for (int i = 0; i < m->n_note; i++) {
    fputs("  ", stdout);
    command_put_text(stdout, m->note[i]);
    putchar('\n');
  }
}

// ---- JSON ----

static void add_joint(JsonOut *out, const Model *m, int i) {
  const ModelJoint *j = &m->joint[i];
  json_out_open(out, NULL, '{');
  json_out_int(out, "index", i);
  json_out_string(out, "name", j->name);
  json_out_string(out, "type", type_name(j->type));
  json_out_string(out, "parent", j->parent < 0 ? NULL : m->joint[j->parent].name);
  json_out_string(out, "body", m->body[i].name);
  json_out_number(out, "mass", m->body[i].mass);
  json_out_bool(out, "actuated", j->actuated);
  json_out_number(out, "lower", j->lower);
  json_out_number(out, "upper", j->upper);
  json_out_number(out, "velocity", j->velocity);
  json_out_number(out, "effort", j->effort);
  json_out_number(out, "effort_rate", j->effort_rate);
  json_out_number(out, "damping", j->damping);
  json_out_number(out, "armature", j->armature);
  json_out_close(out);
}

static void add_loops(JsonOut *out, const Model *m, const LoopReport *loops) {
  if (m->n_loop == 0) return;
  json_out_int(out, "coordinates", m->nv);
  json_out_int(out, "constraints", loops->n_row);
  json_out_number(out, "violation", loops->violation);
  json_out_open(out, "loops", '[');
  for (int l = 0; l < m->n_loop; l++) {
    const ModelLoop *loop = &m->loop[l];
    json_out_open(out, NULL, '{');
    json_out_string(out, "name", loop->name);
    json_out_string(out, "type", model_loop_type(loop->type));
    json_out_int(out, "constraints", model_loop_rows(loop));
    json_out_close(out);
  }
  json_out_close(out);
}

static Status print_json(const Model *m, const LoopReport *loops, Error *err) {
  JsonOut out = {0};
  json_out_open(&out, NULL, '{');
  json_out_string(&out, "name", m->name);
  json_out_int(&out, "degrees_of_freedom", loops->dof);
  json_out_int(&out, "actuated", m->nu);
  if (m->n_loop == 0) json_out_int(&out, "underactuation", m->nv - m->nu);
  json_out_number(&out, "mass", model_mass(m));
  json_out_vector(&out, "gravity", m->gravity, 3);

  json_out_open(&out, "joints", '[');
  for (int i = 0; i < m->nv; i++) add_joint(&out, m, i);
  json_out_close(&out);

  add_loops(&out, m, loops);
  json_out_open(&out, "frames", '[');
  for (int f = 0; f < m->n_frame; f++) {
    const ModelFrame *frame = &m->frame[f];
    json_out_open(&out, NULL, '{');
    json_out_string(&out, "name", frame->name);
    json_out_string(&out, "joint", frame->body < 0 ? NULL : m->joint[frame->body].name);
    json_out_vector(&out, "position", frame->pos, 3);
    json_out_close(&out);
  }
  json_out_close(&out);

  json_out_open(&out, "poses", '[');
  for (int p = 0; p < m->n_pose; p++) {
    json_out_open(&out, NULL, '{');
    json_out_string(&out, "name", m->pose[p].name);
    json_out_vector(&out, "q", m->pose[p].q, m->nv);
    json_out_close(&out);
  }
  json_out_close(&out);

  json_out_open(&out, "warnings", '[');
  for (int i = 0; i < m->n_note; i++) json_out_string(&out, NULL, m->note[i]);
  if (loops->state == LOOP_SINGULAR) json_out_string(&out, NULL, loops->text);
  json_out_close(&out);
  json_out_close(&out);
  return json_out_print(&out, err);
}

// ---- the command ----

static Status check_task(const Args *args, const Ocp *o, int *code, Error *err) {
  TaskCheck *c;
  Status status = task_check_build(&c, o, err);
  if (status != STATUS_OK) return status;
  *code = task_check_hopeless(c) ? EXIT_NOT_SOLVED : EXIT_SOLVED;
  if (options_has(args, "json")) status = task_check_print_json(c, err);
  else task_check_print_text(c);
  task_check_free(c);
  return status;
}

// the loops of a mechanism are part of what makes a robot file right
static Status check_robot(const Args *args, const Model *m, Error *err) {
  LoopReport loops;
  Status status = loop_check(&loops, m, err);
  if (status != STATUS_OK) return status;
  if (loops.state != LOOP_FINE && loops.state != LOOP_SINGULAR) return loop_fail(&loops, m, err);
  if (options_has(args, "json")) return print_json(m, &loops, err);
  print_text(m, &loops);
  return STATUS_OK;
}

static int run(const Args *args) {
  Error err = {0};
  Input in;
  int code = EXIT_SOLVED;
  Status status = input_load(&in, args->positional[0], &err);
  if (status == STATUS_OK && in.task) status = check_task(args, in.task, &code, &err);
  else if (status == STATUS_OK) status = check_robot(args, in.model, &err);
  input_free(&in);
  return status == STATUS_OK ? code : command_fail(&err);
}

static const Option options[] = {
    {"json", 0, NULL, "print the same as JSON"},
};

const Command cmd_check = {
    .name = "check",
    .summary = "validate a robot or task file and say what it describes",
    .positional = "FILE.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about = "Of a robot: the joints in tree order (the order of q, v and a everywhere else), the\n"
             "degrees of freedom and of actuation, total mass, frames, poses, and warnings.\n"
             "Loops must be closed at the start, and their constraints independent there.\n"
             "Of a task: what can be known before solving: is the start an equilibrium, is the\n"
             "goal within reach, can both be held, are there more equations than unknowns.\n"
             "Exit codes: 0 fine, 1 the task is hopeless (and why), 2 the file breaks a rule:\n"
             "one message with file, place, value and rule.\n",
    .example = "poise check configs/robots/arm_pendulum.json\n"
               "poise check tasks/reach.json\n",
    .run = run,
};
