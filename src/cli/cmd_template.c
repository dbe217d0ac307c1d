// SPDX-License-Identifier: MIT
// poise template: a commented task for a robot, to begin with.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/template_goal.h"

enum { LINE_SIZE = 400 };

// one more line of a comment, an element of the array that is open
static void comment(TextBuf *b, bool first, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void comment(TextBuf *b, bool first, const char *format, ...) {
  char line[LINE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  textbuf_add(b, first ? "\n    " : ",\n    ");
  textbuf_add_json_string(b, line);
}

static void add_number(TextBuf *b, const char *key, double x, bool first) {
  textbuf_add(b, first ? "" : ", ");
  textbuf_add_json_string(b, key);
  textbuf_add(b, ": ");
  textbuf_add_double(b, x);
}

// ---- what the robot has ----

// ", -1.571 .. 1.571 rad"; nothing for no limits
static int range_text(char *out, size_t size, double lower, double upper, const char *unit) {
  if (!isfinite(lower) && !isfinite(upper)) return 0;
  if (!isfinite(lower)) return snprintf(out, size, ", up to %.4g %s", upper, unit);
  if (!isfinite(upper)) return snprintf(out, size, ", from %.4g %s", lower, unit);
  return snprintf(out, size, ", %.4g .. %.4g %s", lower, upper, unit);
}

static void describe_joint(TextBuf *b, const ModelJoint *j) {
  bool slides = j->type == JOINT_PRISMATIC;
  char limits[160] = "";
  size_t size = sizeof limits;
  int n = range_text(limits, size, j->lower, j->upper, slides ? "m" : "rad");
  n += range_text(limits + n, size - (size_t)n, -INFINITY, j->velocity, slides ? "m/s" : "rad/s");
  if (j->actuated) {
    n += range_text(limits + n, size - (size_t)n, -INFINITY, j->effort, slides ? "N" : "N m");
    n += range_text(limits + n, size - (size_t)n, -INFINITY, j->effort_rate,
                    slides ? "N/s" : "N m/s");
  }
  comment(b, false, "  %.100s: %s, %s%s", j->name, slides ? "prismatic" : "revolute",
          j->actuated ? "actuated" : "passive", n ? limits : ", no limits");
}

static void describe_robot(TextBuf *b, const Model *m) {
  comment(b, true, "A task to begin with for %.100s, made by 'poise template'. Change it, then",
          m->name);
  comment(b, false,
          "'poise check' says what can be known before solving, 'poise solve' solves it,");
  comment(b, false, "'poise explain KEY' describes a key. SI units and radians.");
  comment(b, false, "Joints, in the order of q and v:");
  for (int i = 0; i < m->nv; i++) describe_joint(b, &m->joint[i]);
  comment(b, false, "Frames that a goal, an obstacle or a cost can name:");
  for (int f = 0; f < m->n_frame; f++) {
    const ModelFrame *frame = &m->frame[f];
    if (frame->body < 0) continue;
    comment(b, false, "  %.100s, moved by %.100s", frame->name, m->joint[frame->body].name);
  }
  if (m->n_pose) comment(b, false, "Poses that a start or a goal can name:");
  for (int p = 0; p < m->n_pose; p++) comment(b, false, "  %.100s", m->pose[p].name);
}

// ---- the task ----

static void add_start(TextBuf *b, const Model *m, const TemplateGoal *t) {
  textbuf_add(b, "  \"start\": {\n"
                 "    \"comment\": \"at rest; q by joint name replaces values of the pose, v gives "
                 "velocities\"");
  if (t->pose >= 0) {
    textbuf_add(b, ",\n    \"pose\": ");
    textbuf_add_json_string(b, m->pose[t->pose].name);
  }
  int n = 0;
  for (int i = 0; i < m->nv; i++) {
    if (t->pose >= 0 && !t->balanced[i]) continue;
    if (n == 0) textbuf_add(b, ",\n    \"q\": {");
    add_number(b, m->joint[i].name, t->q_start[i], n++ == 0);
  }
  textbuf_add(b, n ? "}\n  },\n" : "\n  },\n");
}

static void add_frame_goal(TextBuf *b, const Model *m, const TemplateGoal *t) {
  bool free = !t->fixed[0] || !t->fixed[1] || !t->fixed[2];
  textbuf_add(b, "    \"comment\": \"world position of a frame");
  if (free) textbuf_add(b, ", null where the robot has no choice");
  textbuf_add(b, "; joints can be asked for by q or pose\",\n    \"frame\": ");
  textbuf_add_json_string(b, m->frame[t->frame].name);
  textbuf_add(b, ",\n    \"position\": [");
  for (int i = 0; i < 3; i++) {
    textbuf_add(b, i ? ", " : "");
    if (t->fixed[i]) textbuf_add_double(b, t->position[i]);
    else textbuf_add(b, "null");
  }
  textbuf_add(b, "],\n");
}

static void add_joint_goal(TextBuf *b, const Model *m, const TemplateGoal *t) {
  textbuf_add(b, "    \"comment\": \"joint positions; a frame and its position can be asked for "
                 "instead\",\n    \"q\": {");
  for (int k = 0; k < m->nu; k++) {
    int i = m->u_joint[k];
    add_number(b, m->joint[i].name, t->q_goal[i], k == 0);
  }
  textbuf_add(b, "},\n");
}

static void add_goal(TextBuf *b, const Model *m, const TemplateGoal *t) {
  textbuf_add(b, "  \"goal\": {\n");
  if (t->frame >= 0) add_frame_goal(b, m, t);
  else add_joint_goal(b, m, t);
  textbuf_addf(b, "    \"at_rest\": %s,\n    \"equilibrium\": %s\n  },\n",
               t->stays ? "true" : "false", t->stays ? "true" : "false");
}

static void write_task(TextBuf *b, const Model *m, const TemplateGoal *t) {
  textbuf_add(b, "{\n  \"comment\": [");
  describe_robot(b, m);
  textbuf_add(b, "\n  ],\n  \"robot\": ");
  textbuf_add_json_string(b, m->path);
  textbuf_add(b, ",\n"
                 "  \"horizon\": 2,\n"
                 "  \"intervals\": 50,\n"
                 "  \"scheme\": \"radau\",\n"
                 "  \"degree\": 4,\n"
                 "  \"formulation\": \"IMPL\",\n");
  add_start(b, m, t);
  add_goal(b, m, t);
  textbuf_add(b, "  \"cost\": {\n"
                 "    \"comment\": \"weights of the integrals of |u|^2 and |u'|^2 over time\",\n"
                 "    \"torque\": 1,\n"
                 "    \"torque_rate\": 1\n"
                 "  },\n"
                 "  \"limits\": {\n"
                 "    \"comment\": \"the robot's limits hold; position, velocity, torque and "
                 "torque_rate replace them by joint name\",\n"
                 "    \"inner\": true\n"
                 "  },\n"
                 "  \"obstacles\": [],\n");
  textbuf_addf(b, "  \"guess\": \"%s\",\n", t->stays ? "line" : "hold");
  textbuf_add(b, "  \"solver\": {\"max_iter\": 500}\n}\n");
}

// ---- the command ----

static int run(const Args *args) {
  Error err = {0};
  Input in;
  TemplateGoal *t = NULL;
  TextBuf b = {0};
  const char *path = args->positional[0];
  Status status = input_load(&in, path, &err);
  if (status == STATUS_OK && in.task) status = input_refuse(path, INPUT_TASK, "a robot", &err);
  if (status == STATUS_OK) status = model_require_tree(in.model, "a template", &err);
  if (status == STATUS_OK && in.model->nu == 0) {
    status = error_set(&err, STATUS_INPUT, path,
                       "no joint is actuated: there is nothing to plan; \"actuated\": true at a "
                       "joint gives it an actuator");
  }
  if (status == STATUS_OK) status = template_goal_build(&t, in.model, &err);
  if (status == STATUS_OK) {
    write_task(&b, in.model, t);
    if (b.failed) status = error_no_memory(&err);
    else fputs(b.text, stdout);
  }
  textbuf_free(&b);
  template_goal_free(t);
  input_free(&in);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

const Command cmd_template = {
    .name = "template",
    .summary = "print a commented task for a robot, to begin with",
    .positional = "ROBOT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = NULL,
    .n_option = 0,
    .about =
        "The task lists joints, limits, frames and poses of the robot in its comments, begins\n"
        "in a pose of the robot and asks for a place nearby. The robot's path is written as\n"
        "given; in a task it is relative to the folder of the task file.\n",
    .example = "poise template arm.json > task.json && poise check task.json\n",
    .run = run,
};
