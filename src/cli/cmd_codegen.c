// SPDX-License-Identifier: MIT
// poise codegen: C source of a formulation's functions, with the interface of CasADi's external functions.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/form_option.h"
#include "dynamics/dyn_point.h"
#include "expr/expr_compile.h"
#include "expr/expr_emit_c.h"

enum { N_ITEMS = 4, NAME_SIZE = 160, PATH_SIZE = 4096 };

typedef struct Output {
  char stem[NAME_SIZE];     // "arm_pendulum_impl"
  char source[PATH_SIZE];   // DIR/stem.c
  char header[PATH_SIZE];   // DIR/stem.h
  char library[PATH_SIZE];  // DIR/stem.so
} Output;

// letters and digits of a name, everything else as single underscores; appended to stem
static void add_identifier(char stem[NAME_SIZE], const char *name) {
  size_t n = strlen(stem);
  for (; *name && n + 2 < NAME_SIZE; name++) {
    bool plain = isalnum((unsigned char)*name) != 0;
    if (plain && n == 0 && isdigit((unsigned char)*name)) stem[n++] = 'r';
    if (plain) stem[n++] = (char)tolower((unsigned char)*name);
    else if (n > 0 && stem[n - 1] != '_') stem[n++] = '_';
  }
  stem[n] = '\0';
}

static Status choose_names(Output *out, const char *dir, const Model *m, const DynForm *form,
                           Error *err) {
  out->stem[0] = '\0';
  add_identifier(out->stem, m->name);
  if (!out->stem[0]) add_identifier(out->stem, "robot");
  add_identifier(out->stem, "-");
  add_identifier(out->stem, form->name);
  int n = 0;
  n |= snprintf(out->source, PATH_SIZE, "%s/%s.c", dir, out->stem) >= PATH_SIZE;
  n |= snprintf(out->header, PATH_SIZE, "%s/%s.h", dir, out->stem) >= PATH_SIZE;
  n |= snprintf(out->library, PATH_SIZE, "%s/%s.so", dir, out->stem) >= PATH_SIZE;
  return n ? error_set(err, STATUS_INPUT, "--output", "the path is too long") : STATUS_OK;
}

static const char *full_name(Arena *arena, const char *stem, const char *name) {
  char text[2 * NAME_SIZE];
  snprintf(text, sizeof text, "%s_%s", stem, name);
  return arena_strdup(arena, text);
}

// residual, its Jacobian block by block for CasADi, the sparse Jacobian and the Hessian
static Status emit(TextBuf *source, TextBuf *header, DynPoint *p, const Output *out, Error *err) {
  ExprFunction f[3] = {p->residual, p->jacobian, p->hessian};
  ExprEmitItem item[N_ITEMS];
  for (int i = 0; i < 3; i++) {
    f[i].name = full_name(p->arena, out->stem, f[i].name);
    if (!f[i].name) return error_no_memory(err);
    item[i] = (ExprEmitItem){.f = &f[i]};
  }
  Status status = expr_emit_jacobian(&item[3], p->g, p->arena, &item[0], err);
  if (status != STATUS_OK) return status;
  char comment[1024];
  snprintf(
      comment, sizeof comment,
      "%s, written by poise codegen; compile: cc -O3 -march=native -std=c11 -ffp-contract=fast "
      "-fno-math-errno -fno-trapping-math -fPIC -shared %s.c -o %s.so -lm",
      p->form->title, out->stem, out->stem);
  const ExprEmit what = {out->stem, comment, N_ITEMS, item, true};
  return expr_emit_c(source, header, &what, err);
}

static Status save(const TextBuf *source, const TextBuf *header, const Output *out, Error *err) {
  Status status = textbuf_save(source, out->source, err);
  if (status != STATUS_OK) return status;
  status = textbuf_save(header, out->header, err);
  if (status != STATUS_OK) unlink(out->source);
  return status;
}

static Status write_all(const Args *args, DynPoint *p, const Model *m, Error *err) {
  const char *dir = options_value(args, "output");
  Output out;
  Status status = choose_names(&out, dir, m, p->form, err);
  if (status != STATUS_OK) return status;
  TextBuf source = {0}, header = {0};
  status = emit(&source, &header, p, &out, err);
  if (status == STATUS_OK && mkdir(dir, 0777) != 0 && errno != EEXIST) {
    status = error_set(err, STATUS_IO, dir, "can't make the folder: %s", strerror(errno));
  }
  if (status == STATUS_OK) status = save(&source, &header, &out, err);
  textbuf_free(&source);
  textbuf_free(&header);
  if (status != STATUS_OK) return status;
  printf("%s\n%s\n", out.source, out.header);
  if (!options_has(args, "compile")) {
    printf("compile: cc -O3 -march=native -std=c11 -ffp-contract=fast -fno-math-errno "
           "-fno-trapping-math -fPIC -shared %s -o %s -lm\n",
           out.source, out.library);
    return STATUS_OK;
  }
  status = expr_compile(out.source, out.library, !options_has(args, "portable"), err);
  if (status == STATUS_OK) printf("%s\n", out.library);
  return status;
}

static int run(const Args *args) {
  Error err = {0};
  Model *m = NULL;
  DynPoint *p = NULL;
  const DynForm *form;
  Status status = form_option(args, &dyn_implicit, &form, &err);
  if (status == STATUS_OK && !options_value(args, "output")) {
    status = error_set(&err, STATUS_INPUT, "", "-o DIR is needed: the folder to write to");
  }
  if (status == STATUS_OK) status = model_load(&m, args->positional[0], &err);
  if (status == STATUS_OK) status = model_require_tree(m, "this command", &err);
  if (status == STATUS_OK) status = dyn_point_build(&p, m, form, DYN_RULE_BEST, &err);
  if (status == STATUS_OK) status = write_all(args, p, m, &err);
  dyn_point_free(p);
  model_free(m);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"formulation", 'f', "F", "IMPL (default), SEMI, EXP1-O, EXP1-A, EXP2-O, EXP2-A"},
    {"output", 'o', "DIR", "folder for the files; made if it is not there"},
    {"compile", 0, NULL, "also build the shared object, with the C compiler of this machine"},
    {"portable", 0, NULL, "with --compile: not only for the CPU of this machine"},
};

const Command cmd_codegen = {
    .name = "codegen",
    .summary = "C source with CasADi's function interface",
    .positional = "ROBOT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about =
        "Writes ROBOT_F.c and ROBOT_F.h: residual, Jacobian and Hessian of lambda^T residual at\n"
        "one collocation point, for casadi.external() and for anyone who calls C; each also\n"
        "lane-wise (NAME_lanes: many points at once). jac_..._residual lets CasADi\n"
        "differentiate the residual. Nothing but math.h is needed to compile.\n",
    .example = "poise codegen configs/robots/arm_pendulum.json --formulation IMPL -o generated "
               "--compile\n",
    .run = run,
};
