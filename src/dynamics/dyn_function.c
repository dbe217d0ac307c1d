// SPDX-License-Identifier: MIT
#include "dynamics/dyn_function.h"

#include "dynamics/energy.h"

// Builds the outputs of a function on a trace. False when out of memory.
typedef bool Builder(DynFunction *f, const DynTrace *tr, const DynForm *form);

static bool set_inputs(DynFunction *f, const Model *m, const DynForm *form) {
  ExprInput *in = arena_array(f->arena, 3, sizeof *in);
  if (!in) return false;
  int n = 0;
  in[n++] = (ExprInput){"q", m->nv, DYN_Q};
  in[n++] = (ExprInput){"v", m->nv, DYN_V};
  if (form) {
    in[n++] = form->explicit_form ? (ExprInput){"tau", m->nv, DYN_TAU}
                                  : (ExprInput){"a", m->nv, DYN_A};
  }
  f->f.n_in = n;
  f->f.in = in;
  return true;
}

// Adds an output, dense n x 1.
static bool add_column(DynFunction *f, ExprOutput *out, const char *name, int n, const Expr *e) {
  out->name = name;
  return expr_column(&out->value, f->arena, n, e);
}

static bool set_outputs(DynFunction *f, int n, const char *const *names, const int *size,
                        Expr *const *e) {
  ExprOutput *out = arena_array(f->arena, (size_t)n, sizeof *out);
  if (!out) return false;
  for (int i = 0; i < n; i++) {
    if (!add_column(f, &out[i], names[i], size[i], e[i])) return false;
  }
  f->f.n_out = n;
  f->f.out = out;
  return true;
}

static Status make(DynFunction **out, const Model *m, const DynForm *form, const char *name,
                   Builder *build, Error *err) {
  *out = NULL;
  Arena *arena = arena_new();
  DynFunction *f = arena_alloc(arena, sizeof *f);
  ExprGraph *g = f ? expr_graph_new() : NULL;
  if (!g) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *f = (DynFunction){.arena = arena, .g = g, .f = {.name = name, .g = g}};
  DynTrace tr;
  bool ok = dyn_trace_build(&tr, g, m) && set_inputs(f, m, form) && build(f, &tr, form);
  dyn_trace_free(&tr);
  if (!ok || expr_graph_status(g, err) != STATUS_OK) {
    dyn_function_free(f);
    return error_no_memory(err);
  }
  *out = f;
  return STATUS_OK;
}

static bool build_map(DynFunction *f, const DynTrace *tr, const DynForm *form) {
  Expr *y = arena_array(f->arena, (size_t)tr->m->nv, sizeof *y);
  if (!y || !form->map(tr, form->explicit_form ? tr->tau : tr->a, y)) return false;
  return set_outputs(f, 1, (const char *const[]){form->explicit_form ? "a" : "tau"},
                     (const int[]){tr->m->nv}, (Expr *const[]){y});
}

Status dyn_map_build(DynFunction **out, const Model *m, const DynForm *form, Error *err) {
  return make(out, m, form, form->explicit_form ? "forward_dynamics" : "inverse_dynamics",
              build_map, err);
}

static bool build_terms(DynFunction *f, const DynTrace *tr, const DynForm *form) {
  if (!form->parts) return build_map(f, tr, form);
  size_t n = (size_t)tr->m->nv;
  Expr *e = arena_array(f->arena, n * n + n, sizeof *e);
  int count = e ? form->parts(tr, e) : 0;
  return count && set_outputs(f, 1, (const char *const[]){"terms"}, (const int[]){count},
                              (Expr *const[]){e});
}

Status dyn_terms_build(DynFunction **out, const Model *m, const DynForm *form, Error *err) {
  return make(out, m, form, "terms", build_terms, err);
}

static bool build_frames(DynFunction *f, const DynTrace *tr, const DynForm *form) {
  (void)form;
  const Model *m = tr->m;
  Expr *position = arena_array(f->arena, 3 * (size_t)m->n_frame + 1, sizeof *position);
  Expr *velocity = arena_array(f->arena, 3 * (size_t)m->n_frame + 1, sizeof *velocity);
  if (!position || !velocity) return false;
  for (int i = 0; i < m->n_frame; i++) {
    Vec3 x, dx;
    kin_point(tr->g, &tr->tree, tr->body, m->frame[i].body, m->frame[i].pos, tr->v, &x, &dx);
    for (int k = 0; k < 3; k++) {
      position[3 * i + k] = x.x[k];
      velocity[3 * i + k] = dx.x[k];
    }
  }
  return set_outputs(f, 2, (const char *const[]){"position", "velocity"},
                     (const int[]){3 * m->n_frame, 3 * m->n_frame},
                     (Expr *const[]){position, velocity});
}

Status dyn_frames_build(DynFunction **out, const Model *m, Error *err) {
  return make(out, m, NULL, "frames", build_frames, err);
}

static bool build_energy(DynFunction *f, const DynTrace *tr, const DynForm *form) {
  (void)form;
  Expr *e = arena_array(f->arena, 2, sizeof *e);
  if (!e || !energy_build(tr->g, &tr->tree, tr->body, tr->v, &e[0], &e[1])) return false;
  return set_outputs(f, 2, (const char *const[]){"kinetic", "potential"}, (const int[]){1, 1},
                     (Expr *const[]){e, e + 1});
}

Status dyn_energy_build(DynFunction **out, const Model *m, Error *err) {
  return make(out, m, NULL, "energy", build_energy, err);
}

void dyn_function_free(DynFunction *f) {
  if (!f) return;
  expr_graph_free(f->g);
  arena_free(f->arena);
}
