// SPDX-License-Identifier: MIT
// The data of the page.
#include <math.h>

#include "report/report_internal.h"
#include "report/report_text.h"

// ---- pieces ------------------------------------------------------------------------------------

static void separator(TextBuf *b, int i) {
  if (i) textbuf_add(b, ", ");
}

// "key": [..]
static void numbers(TextBuf *b, const char *key, int n, const double *x) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    separator(b, i);
    report_add_number(b, x[i]);
  }
  textbuf_add(b, "]");
}

// a column-major 3x3 matrix by rows
static void matrix(TextBuf *b, const char *key, const double *r) {
  numbers(b, key, 9, (const double[]){r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]});
}

// "key": [values where they are asked for, else null]
static void chosen(TextBuf *b, const char *key, int n, const bool *fixed, const double *x) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    separator(b, i);
    report_add_number(b, fixed[i] ? x[i] : NAN);
  }
  textbuf_add(b, "]");
}

// ---- the robot ---------------------------------------------------------------------------------

static void add_joint(const ModelJoint *j, TextBuf *b) {
  textbuf_add(b, "{\"name\": ");
  textbuf_add_json_string(b, j->name);
  textbuf_addf(b, ", \"parent\": %d, \"type\": \"%s\", ", j->parent,
               j->type == JOINT_REVOLUTE ? "revolute" : "prismatic");
  numbers(b, "axis", 3, j->axis);
  textbuf_add(b, ", ");
  numbers(b, "pos", 3, j->pos);
  textbuf_add(b, ", ");
  matrix(b, "rot", j->rot);
  textbuf_addf(b, ", \"actuated\": %s}", j->actuated ? "true" : "false");
}

static void add_body(const ModelBody *body, TextBuf *b) {
  textbuf_add(b, "{\"name\": ");
  if (body->name) textbuf_add_json_string(b, body->name);
  else textbuf_add(b, "null");
  textbuf_add(b, ", \"mass\": ");
  report_add_number(b, body->mass);
  textbuf_add(b, ", ");
  numbers(b, "com", 3, body->com);
  textbuf_add(b, "}");
}

static void add_frame(const ModelFrame *f, TextBuf *b) {
  textbuf_add(b, "{\"name\": ");
  textbuf_add_json_string(b, f->name);
  textbuf_addf(b, ", \"body\": %d, ", f->body);
  numbers(b, "pos", 3, f->pos);
  textbuf_add(b, "}");
}

static void add_loop(const ModelLoop *l, TextBuf *b) {
  textbuf_add(b, "{\"name\": ");
  textbuf_add_json_string(b, l->name);
  textbuf_addf(b, ", \"type\": \"%s\", \"bodies\": [%d, %d], \"pos\": [", model_loop_type(l->type),
               l->body[0], l->body[1]);
  for (int side = 0; side < 2; side++) {
    textbuf_add(b, side ? ", [" : "[");
    for (int k = 0; k < 3; k++) separator(b, k), report_add_number(b, l->pos[side][k]);
    textbuf_add(b, "]");
  }
  textbuf_add(b, "]}");
}

void report_robot(const Model *m, TextBuf *b) {
  textbuf_add(b, "\"robot\": {\"name\": ");
  textbuf_add_json_string(b, m->name);
  textbuf_add(b, ", ");
  numbers(b, "gravity", 3, m->gravity);
  textbuf_add(b, ",\n\"joints\": [");
  for (int i = 0; i < m->nv; i++) separator(b, i), add_joint(&m->joint[i], b);
  textbuf_add(b, "],\n\"bodies\": [");
  for (int i = 0; i < m->nv; i++) separator(b, i), add_body(&m->body[i], b);
  textbuf_add(b, "],\n\"frames\": [");
  for (int i = 0; i < m->n_frame; i++) separator(b, i), add_frame(&m->frame[i], b);
  textbuf_add(b, "],\n\"loops\": [");
  for (int i = 0; i < m->n_loop; i++) separator(b, i), add_loop(&m->loop[i], b);
  textbuf_add(b, "]},\n\"actuators\": [");
  for (int i = 0; i < m->nu; i++) separator(b, i), textbuf_addf(b, "%d", m->u_joint[i]);
  textbuf_add(b, "],\n");
}

// ---- the task ----------------------------------------------------------------------------------

static void add_bounds(TextBuf *b, const char *key, int n, const double *lower,
                       const double *upper) {
  textbuf_addf(b, "\"%s\": [", key);
  for (int i = 0; i < n; i++) {
    textbuf_add(b, i ? ", [" : "[");
    report_add_number(b, lower[i]);
    textbuf_add(b, ", ");
    report_add_number(b, upper[i]);
    textbuf_add(b, "]");
  }
  textbuf_add(b, "]");
}

static void add_obstacle(const OcpObstacle *ob, TextBuf *b) {
  textbuf_add(b, "{\"name\": ");
  textbuf_add_json_string(b, ob->name ? ob->name : "");
  textbuf_addf(b, ", \"frame\": %d, ", ob->frame);
  numbers(b, ob->sphere ? "center" : "normal", 3, ob->sphere ? ob->center : ob->normal);
  textbuf_addf(b, ", \"%s\": ", ob->sphere ? "radius" : "offset");
  report_add_number(b, ob->sphere ? ob->radius : ob->offset);
  textbuf_add(b, "}");
}

static void add_task(const Ocp *o, TextBuf *b) {
  const OcpLimits *l = &o->limits;
  const Model *m = o->model;
  textbuf_add(b, "\"limits\": {");
  add_bounds(b, "q", m->nv, l->q_lower, l->q_upper);
  textbuf_add(b, ", ");
  add_bounds(b, "v", m->nv, l->v_lower, l->v_upper);
  textbuf_add(b, ", ");
  add_bounds(b, "u", m->nu, l->u_lower, l->u_upper);
  textbuf_add(b, "},\n\"goal\": {\"frame\": ");
  if (o->goal.frame >= 0) textbuf_addf(b, "%d, ", o->goal.frame);
  else textbuf_add(b, "null, ");
  chosen(b, "position", 3, o->goal.fixed, o->goal.position);
  textbuf_add(b, ", ");
  chosen(b, "joints", m->nv, o->goal.joint_fixed, o->goal.joint_value);
  textbuf_add(b, "},\n\"obstacles\": [");
  for (int i = 0; i < o->n_obstacle; i++) separator(b, i), add_obstacle(&o->obstacle[i], b);
  textbuf_add(b, "],\n");
}

// ---- sparsity ----------------------------------------------------------------------------------

static void add_spy(TextBuf *b, const char *key, const PlanSpy *s, int nnz) {
  textbuf_addf(b, "\"%s\": {\"rows\": %d, \"cols\": %d, \"nonzeros\": %d, \"size\": [%d, %d], ",
               key, s->rows, s->cols, nnz, s->n_row, s->n_col);
  textbuf_add(b, "\"cells\": [");
  int n = 0;
  for (int e = 0; s->count && e < s->n_row * s->n_col; e++) {
    if (s->count[e] == 0) continue;
    separator(b, n++);
    textbuf_addf(b, "%d,%d,%d", e % s->n_row, e / s->n_row, s->count[e]);
  }
  textbuf_add(b, "]}");
}

void report_data(const PlanResult *r, TextBuf *b) {
  textbuf_add(b, "{\"result\":\n");
  plan_result_write_json(r, b);
  textbuf_add(b, ",\n");
  report_robot(r->o->model, b);
  add_task(r->o, b);
  textbuf_add(b, "\"sparsity\": {");
  add_spy(b, "jacobian", &r->jacobian, r->jacobian_nonzeros);
  textbuf_add(b, ",\n");
  add_spy(b, "hessian", &r->hessian, r->hessian_nonzeros);
  textbuf_add(b, "}}\n");
}
