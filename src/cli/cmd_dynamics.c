// SPDX-License-Identifier: MIT
// poise dynamics: inverse or forward dynamics of a robot at given states, in any formulation.
#include <stdio.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/form_option.h"
#include "cli/json_out.h"
#include "cli/states.h"
#include "dynamics/dyn_function.h"
#include "expr/expr_tape.h"

typedef struct Answer {
  const Model *m;
  const DynForm *form;
  const States *s;
  double *y;         // nv x n: forces or accelerations
  double *position;  // 3 n_frame x n
} Answer;

// Evaluates a function of (q, v[, x]) at all states; its first output goes to `out`.
static Status evaluate(const DynFunction *f, const Answer *a, int n_out, double *out, Error *err) {
  ExprTape *tape;
  Status status = expr_tape_build(&tape, &f->f, TAPE_FOR_EVALUATOR, err);
  if (status != STATUS_OK) return status;
  long long nv = a->m->nv;
  const LaneIn in[3] = {{a->s->q, 1, nv}, {a->s->v, 1, nv}, {a->s->x, 1, nv}};
  const LaneOut to[2] = {{out, 1, n_out}, {NULL, 1, n_out}};
  void *work = arena_alloc(tape->arena, expr_tape_work_size(tape));
  if (!work) status = error_no_memory(err);
  else if (!expr_tape_eval(tape, a->s->n, in, to, work)) {
    status = expr_tape_explain(tape, a->s->n, in, work, err);
  }
  expr_tape_free(tape);
  return status;
}

static Status compute(Answer *a, Error *err) {
  DynFunction *map = NULL, *frames = NULL;
  Status status = dyn_map_build(&map, a->m, a->form, err);
  if (status == STATUS_OK) status = evaluate(map, a, a->m->nv, a->y, err);
  if (status == STATUS_OK) status = dyn_frames_build(&frames, a->m, err);
  if (status == STATUS_OK) status = evaluate(frames, a, 3 * a->m->n_frame, a->position, err);
  dyn_function_free(map);
  dyn_function_free(frames);
  return status;
}

static const char *result_key(const DynForm *form) {
  return form->explicit_form ? "a" : "tau";
}

static Status print_json(const Answer *a, Error *err) {
  JsonOut out = {0};
  json_out_open(&out, NULL, '[');
  for (int k = 0; k < a->s->n; k++) {
    json_out_open(&out, NULL, '{');
    json_out_vector(&out, result_key(a->form), a->y + (size_t)k * a->m->nv, a->m->nv);
    json_out_open(&out, "frames", '{');
    for (int f = 0; f < a->m->n_frame; f++) {
      const double *x = a->position + 3 * ((size_t)k * a->m->n_frame + f);
      json_out_vector(&out, a->m->frame[f].name, x, 3);
    }
    json_out_close(&out);
    json_out_close(&out);
  }
  json_out_close(&out);
  return json_out_print(&out, err);
}

static void print_state(const Answer *a, int k, int width) {
  const Model *m = a->m;
  bool forward = a->form->explicit_form;
  for (int i = 0; i < m->nv; i++) {
    bool slides = m->joint[i].type == JOINT_PRISMATIC;
    const char *unit = forward ? (slides ? "m/s^2" : "rad/s^2") : (slides ? "N" : "N m");
    fputs("  ", stdout);
    command_put_padded(stdout, m->joint[i].name, width);
    printf("  % .12g %s\n", a->y[(size_t)k * m->nv + i], unit);
  }
  printf("frames, position in the world [m]\n");
  for (int f = 0; f < m->n_frame; f++) {
    const double *x = a->position + 3 * ((size_t)k * m->n_frame + f);
    fputs("  ", stdout);
    command_put_padded(stdout, m->frame[f].name, width);
    printf("  % .12g % .12g % .12g\n", x[0], x[1], x[2]);
  }
}

static void print_text(const Answer *a) {
  int width = 0;
  for (int i = 0; i < a->m->nv + a->m->n_frame; i++) {
    const char *name = i < a->m->nv ? a->m->joint[i].name : a->m->frame[i - a->m->nv].name;
    if (command_text_width(name) > width) width = command_text_width(name);
  }
  for (int k = 0; k < a->s->n; k++) {
    printf("%sstate %d: joint %s\n", k ? "\n" : "", k,
           a->form->explicit_form ? "accelerations" : "forces");
    print_state(a, k, width);
  }
}

static Status answer(const Args *args, const Model *m, const DynForm *form, Error *err) {
  States *s;
  const char *key = form->explicit_form ? "tau" : "a";
  Status status = states_load(&s, options_value(args, "states"), m, key, err);
  if (status != STATUS_OK) return status;
  size_t n = (size_t)s->n;
  Answer a = {.m = m, .form = form, .s = s};
  a.y = arena_array(s->arena, n * (size_t)m->nv, sizeof *a.y);
  a.position = arena_array(s->arena, 3 * n * (size_t)m->n_frame + 1, sizeof *a.position);
  status = a.y && a.position ? compute(&a, err) : error_no_memory(err);
  if (status == STATUS_OK && options_has(args, "json")) status = print_json(&a, err);
  else if (status == STATUS_OK) print_text(&a);
  states_free(s);
  return status;
}

static int run(const Args *args) {
  Error err = {0};
  Model *m = NULL;
  const DynForm *form;
  Status status = form_option(args, &dyn_implicit, &form, &err);
  if (status == STATUS_OK && !options_value(args, "states")) {
    status = error_set(&err, STATUS_INPUT, "",
                       "--states FILE is needed: an array of {\"q\", \"v\", "
                       "\"%s\"}",
                       form->explicit_form ? "tau" : "a");
  }
  if (status == STATUS_OK) status = model_load(&m, args->positional[0], &err);
  if (status == STATUS_OK) status = model_require_tree(m, "this command", &err);
  if (status == STATUS_OK) status = answer(args, m, form, &err);
  model_free(m);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"formulation", 'f', "F", "IMPL (default), SEMI, EXP1 or EXP2"},
    {"states", 's', "FILE", "JSON array of {\"q\":[...],\"v\":[...],\"a\":[...] or \"tau\":[...]}"},
    {"json", 0, NULL, "print JSON: an array with one object per state"},
};

const Command cmd_dynamics = {
    .name = "dynamics",
    .summary = "inverse or forward dynamics at given states",
    .positional = "ROBOT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about = "IMPL and SEMI give the joint forces \"tau\" for accelerations \"a\", EXP1 and EXP2\n"
             "the accelerations \"a\" under joint forces \"tau\"; damping and armature included.\n"
             "Frame positions are printed beside them. Vectors are arrays in the order that\n"
             "poise check prints, or objects by joint name (joints left out are 0).\n",
    .example = "poise dynamics configs/robots/cartpole.json --formulation EXP2 \\\n"
               "    --states configs/states/cartpole.json --json\n",
    .run = run,
};
