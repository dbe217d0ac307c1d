// SPDX-License-Identifier: MIT
// The report as JSON.
#include <math.h>

#include "sim/sim_verify.h"

static void number(TextBuf *b, double x) {
  if (isfinite(x)) textbuf_add_double(b, x);
  else textbuf_add(b, "null");
}

static void key(TextBuf *b, const char *name, double x) {
  textbuf_addf(b, "\"%s\": ", name);
  number(b, x);
}

static void name(TextBuf *b, const char *label, const char *text) {
  textbuf_addf(b, ", \"%s\": ", label);
  if (text) textbuf_add_json_string(b, text);
  else textbuf_add(b, "null");
}

static void worst(TextBuf *b, const char *label, const SimWorst *w, const char *kind,
                  const char *who) {
  textbuf_addf(b, ",\n \"%s\": {", label);
  key(b, "value", w->value);
  name(b, kind, w->index >= 0 ? who : NULL);
  textbuf_addf(b, ", \"interval\": %d, ", w->interval);
  key(b, "time", w->time);
  textbuf_add(b, "}");
}

static const char *joint(const Model *m, int i) {
  return i >= 0 ? m->joint[i].name : NULL;
}

static const char *actuator(const Model *m, int j) {
  return j >= 0 ? m->joint[m->u_joint[j]].name : NULL;
}

static void array(TextBuf *b, const char *label, int n, const double *x) {
  textbuf_addf(b, "\"%s\": [", label);
  for (int k = 0; k < n; k++) {
    if (k) textbuf_add(b, ", ");
    number(b, x[k]);
  }
  textbuf_add(b, "]");
}

static void open_loop(const SimOpenLoop *s, const Model *m, TextBuf *b) {
  textbuf_addf(b, ",\n \"open_loop\": {\"completed\": %s, ", s->completed ? "true" : "false");
  key(b, "end", s->end);
  textbuf_add(b, ", ");
  key(b, "q", s->q);
  name(b, "joint", joint(m, s->joint));
  textbuf_add(b, ", ");
  key(b, "v", s->v);
  textbuf_add(b, ", ");
  key(b, "position", s->position);
  name(b, "frame", s->frame >= 0 ? m->frame[s->frame].name : NULL);
  textbuf_add(b, ", ");
  key(b, "goal", s->goal);
  textbuf_add(b, ", ");
  key(b, "speed", s->speed);
  textbuf_add(b, "}");
}

static void keys(TextBuf *b, const char *label, int n, const char *const *names, const double *x) {
  textbuf_addf(b, ",\n \"%s\": {", label);
  for (int i = 0; i < n; i++) {
    if (i) textbuf_add(b, ", ");
    key(b, names[i], x[i]);
  }
  textbuf_add(b, "}");
}

void sim_report_write_json(const SimReport *r, const Ocp *o, bool intervals, TextBuf *b) {
  const Model *m = o->model;
  textbuf_addf(b, "{\"verified\": %s", r->verified ? "true" : "false");
  name(b, "failure", r->verified ? NULL : r->failure);
  name(b, "formulation", r->method);
  worst(b, "defect_q", &r->q_defect, "joint", joint(m, r->q_defect.index));
  worst(b, "defect_v", &r->v_defect, "joint", joint(m, r->v_defect.index));
  worst(b, "start", &r->start, "joint", joint(m, r->start.index));
  const SimGoal *g = &r->goal;
  keys(b, "goal", 4, (const char *const[]){"position", "joint", "speed", "acceleration"},
       (const double[]){g->position, g->joint, g->speed, g->acceleration});
  open_loop(&r->open_loop, m, b);
  worst(b, "q_limit", &r->q_limit, "joint", joint(m, r->q_limit.index));
  worst(b, "v_limit", &r->v_limit, "joint", joint(m, r->v_limit.index));
  worst(b, "u_limit", &r->u_limit, "joint", actuator(m, r->u_limit.index));
  worst(b, "u_rate", &r->u_rate, "joint", actuator(m, r->u_rate.index));
  int ob = r->clearance.index;
  worst(b, "clearance", &r->clearance, "obstacle", ob >= 0 ? o->obstacle[ob].name : NULL);
  int term = r->term.index;
  worst(b, "constraint", &r->term, "term", term >= 0 ? o->term[term].name : NULL);
  const SimEnergy *e = &r->energy;
  keys(b, "energy", 6,
       (const char *const[]){"start", "end", "work", "loss", "imbalance", "relative"},
       (const double[]){e->start, e->end, e->work, e->loss, e->imbalance, e->relative});
  textbuf_addf(b, ",\n \"integration\": {\"runs\": %ld, \"steps\": %ld, \"evaluations\": %ld}",
               r->stats.runs, r->stats.steps, r->stats.evaluations);
  if (intervals) {
    textbuf_add(b, ",\n \"intervals\": {");
    array(b, "error", r->n_interval, r->error);
    textbuf_add(b, ",\n  ");
    array(b, "defect_q", r->n_interval, r->defect_q);
    textbuf_add(b, ",\n  ");
    array(b, "defect_v", r->n_interval, r->defect_v);
    textbuf_add(b, "}");
  }
  textbuf_add(b, "}");
}
