// SPDX-License-Identifier: MIT
// What comes out of a simulation: words, JSON, CSV, the page.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json_out.h"
#include "cli/simulation.h"
#include "report/report_motion.h"

// ---- words -------------------------------------------------------------------------------------

// largest difference from the node where a result ends; -1 if it was not run to its end
static int planned_end(const Simulation *s, double *dq) {
  const Trajectory *t = s->t;
  int worst = -1;
  *dq = 0;
  for (int i = 0; t && s->until == t->time[t->n_interval] && i < t->nv; i++) {
    double d = fabs(s->q[i] - t->q[(size_t)t->n_interval * (size_t)t->nv + (size_t)i]);
    if (worst >= 0 && d <= *dq) continue;
    worst = i;
    *dq = d;
  }
  return worst;
}

static void print_loops(const Simulation *s) {
  double at;
  SimViolation w = simulation_worst(s, &at);
  if (w.loop < 0) return;
  printf("loops apart by at most %.2g (", w.position);
  command_put_text(stdout, s->m->loop[w.loop].name);
  printf(" at %.3g s), their rates by %.2g, accelerations by %.2g\n", at, w.velocity,
         w.acceleration);
}

static void print_costs(const Simulation *s) {
  const SimMotionStats *c = &s->stats;
  double per = c->steps ? 1.0 / (double)c->steps : 0;
  printf("%ld steps, %ld evaluations", c->steps, c->evaluations);
  if (c->jacobians) printf(", %ld Jacobians", c->jacobians);
  printf("; %d operations an evaluation, %.0f a step; %.3g us a step\n", c->operations,
         c->operations * (double)c->evaluations * per, 1e6 * c->seconds * per);
}

void simulation_print(const Simulation *s) {
  const Model *m = s->m;
  int width = 0;
  for (int i = 0; i < m->nv; i++) {
    int w = command_text_width(m->joint[i].name);
    width = w > width ? w : width;
  }
  command_put_text(stdout, m->name);
  printf(", %g s %s, %s, %s", s->until, s->t ? "under the torques of the result" : "left to itself",
         s->method, s->opt.integrator);
  if (sim_scheme_find(s->opt.integrator)) printf(" with steps of %g s", s->opt.step);
  printf("\n  %*s  %14s %14s %14s\n", -width, "", "start", "end", "speed");
  for (int i = 0; i < m->nv; i++) {
    fputs("  ", stdout);
    command_put_padded(stdout, m->joint[i].name, width);
    printf("  %14.8g %14.8g %14.8g\n", s->q0[i], s->q[i], s->v[i]);
  }
  double dq;
  int joint = planned_end(s, &dq);
  if (joint >= 0) {
    printf("open loop, off the planned end by %.3g in ", dq);
    command_put_text(stdout, m->joint[joint].name);
    putchar('\n');
  }
  print_loops(s);
  printf("energy %.8g J at the start, %.8g J at the end; work %.8g J, lost to damping %.8g J, "
         "drift %.2g J\n",
         s->energy[0], s->energy[s->n_time - 1], s->work, s->loss, simulation_drift(s));
  print_costs(s);
}

// ---- JSON --------------------------------------------------------------------------------------

static void add_state(JsonOut *out, const char *key, const double *q, const double *v, int nv) {
  json_out_open(out, key, '{');
  json_out_vector(out, "q", q, nv);
  json_out_vector(out, "v", v, nv);
  json_out_close(out);
}

static void add_loops(const Simulation *s, JsonOut *out) {
  double at;
  SimViolation w = simulation_worst(s, &at);
  if (w.loop < 0) return;
  json_out_open(out, "violation", '{');
  json_out_number(out, "position", w.position);
  json_out_number(out, "velocity", w.velocity);
  json_out_number(out, "acceleration", w.acceleration);
  json_out_string(out, "loop", s->m->loop[w.loop].name);
  json_out_number(out, "time", at);
  json_out_close(out);
}

static void add_summary(const Simulation *s, JsonOut *out) {
  int nv = s->m->nv;
  double dq;
  int joint = planned_end(s, &dq);
  json_out_string(out, "robot", s->m->name);
  json_out_string(out, s->m->n_loop ? "method" : "formulation", s->method);
  json_out_string(out, "integrator", s->opt.integrator);
  if (sim_scheme_find(s->opt.integrator)) json_out_number(out, "step", s->opt.step);
  json_out_number(out, "until", s->until);
  add_state(out, "start", s->q0, s->v0, nv);
  add_state(out, "end", s->q, s->v, nv);
  if (joint >= 0) {
    json_out_open(out, "off_the_plan", '{');
    json_out_number(out, "q", dq);
    json_out_string(out, "joint", s->m->joint[joint].name);
    json_out_close(out);
  }
  add_loops(s, out);
  json_out_open(out, "energy", '{');
  json_out_number(out, "start", s->energy[0]);
  json_out_number(out, "end", s->energy[s->n_time - 1]);
  json_out_number(out, "work", s->work);
  json_out_number(out, "loss", s->loss);
  json_out_number(out, "drift", simulation_drift(s));
  json_out_close(out);
  json_out_number(out, "steps", (double)s->stats.steps);
  json_out_number(out, "evaluations", (double)s->stats.evaluations);
  json_out_int(out, "operations", s->stats.operations);
  json_out_number(out, "seconds", s->stats.seconds);
}

Status simulation_print_json(const Simulation *s, Error *err) {
  JsonOut out = {0};
  json_out_open(&out, NULL, '{');
  add_summary(s, &out);
  json_out_close(&out);
  return json_out_print(&out, err);
}

// ---- files -------------------------------------------------------------------------------------

static Status save(TextBuf *b, const char *path, Error *err) {
  Status status = b->failed ? error_no_memory(err) : textbuf_save(b, path, err);
  textbuf_free(b);
  return status;
}

// the summary, and the motion: one array of nv numbers per instant
static Status save_json(const Simulation *s, const char *path, Error *err) {
  JsonOut out = {0};
  int nv = s->m->nv;
  json_out_open(&out, NULL, '{');
  add_summary(s, &out);
  json_out_open(&out, "joints", '[');
  for (int i = 0; i < nv; i++) json_out_string(&out, NULL, s->m->joint[i].name);
  json_out_close(&out);
  json_out_open(&out, "motion", '{');
  json_out_vector(&out, "time", s->time, s->n_time);
  for (int part = 0; part < 2; part++) {
    json_out_open(&out, part ? "v" : "q", '[');
    for (int k = 0; k < s->n_time; k++) {
      json_out_vector(&out, NULL, s->x + (size_t)nv * (size_t)(2 * k + part), nv);
    }
    json_out_close(&out);
  }
  json_out_vector(&out, "energy", s->energy, s->n_time);
  json_out_open(&out, "violation", '[');
  for (int k = 0; s->m->n_loop && k < s->n_time; k++) {
    const double off[3] = {s->off[k].position, s->off[k].velocity, s->off[k].acceleration};
    json_out_vector(&out, NULL, off, 3);
  }
  json_out_close(&out);
  json_out_close(&out);
  json_out_close(&out);
  return save(&out.buf, path, err);
}

static void add_names(TextBuf *b, const char *prefix, const Model *m) {
  for (int i = 0; i < m->nv; i++) textbuf_addf(b, ",%s.%s", prefix, m->joint[i].name);
}

static void add_number(TextBuf *b, double x) {
  textbuf_add(b, ",");
  textbuf_add_double(b, x);
}

static Status save_csv(const Simulation *s, const char *path, Error *err) {
  TextBuf b = {0};
  textbuf_add(&b, "time");
  add_names(&b, "q", s->m);
  add_names(&b, "v", s->m);
  textbuf_add(&b, ",energy");
  if (s->m->n_loop) textbuf_add(&b, ",off.position,off.velocity,off.acceleration");
  if (s->m->n_loop) textbuf_add(&b, ",steps,operations,seconds");
  textbuf_add(&b, "\n");
  size_t n = 2 * (size_t)s->m->nv;
  double per = s->stats.steps ? s->stats.operations * (double)s->stats.evaluations : 0;
  for (int k = 0; k < s->n_time; k++) {
    textbuf_add_double(&b, s->time[k]);
    for (size_t i = 0; i < n; i++) add_number(&b, s->x[(size_t)k * n + i]);
    add_number(&b, s->energy[k]);
    if (s->m->n_loop) {
      add_number(&b, s->off[k].position);
      add_number(&b, s->off[k].velocity);
      add_number(&b, s->off[k].acceleration);
      add_number(&b, (double)s->steps[k]);
      add_number(&b, s->stats.steps ? per * (double)s->steps[k] / (double)s->stats.steps : 0);
      add_number(&b, s->spent[k]);
    }
    textbuf_add(&b, "\n");
  }
  return save(&b, path, err);
}

static Status save_html(const Simulation *s, const char *path, Error *err) {
  double at, *off = arena_array(s->arena, 3 * (size_t)s->n_time, sizeof *off);
  if (!off) return error_no_memory(err);
  for (int k = 0; k < s->n_time; k++) {
    off[3 * k] = s->off[k].position;
    off[3 * k + 1] = s->off[k].velocity;
    off[3 * k + 2] = s->off[k].acceleration;
  }
  const ReportMotion r = {
      .m = s->m,
      .method = s->method,
      .integrator = s->opt.integrator,
      .n_time = s->n_time,
      .time = s->time,
      .x = s->x,
      .energy = s->energy,
      .off = s->m->n_loop ? off : NULL,
      .drift = simulation_drift(s),
      .worst = simulation_worst(s, &at).position,
      .steps = s->stats.steps,
      .operations = s->stats.operations,
      .seconds = s->stats.seconds,
  };
  TextBuf b = {0};
  report_motion_html(&r, &b);
  return save(&b, path, err);
}

Status simulation_save(const Simulation *s, const Args *args, Error *err) {
  static const struct {
    const char *option;
    Status (*save)(const Simulation *s, const char *path, Error *err);
  } files[] = {{"output", save_json}, {"csv", save_csv}, {"html", save_html}};
  Status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < sizeof files / sizeof files[0]; i++) {
    const char *path = options_value(args, files[i].option);
    if (path) status = files[i].save(s, path, err);
  }
  return status;
}
