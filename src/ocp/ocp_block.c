// SPDX-License-Identifier: MIT
#include "ocp/ocp_block.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FUNCTION = 200 };

// ---- checks of a user's functions --------------------------------------------------------------

// What is being loaded.
typedef struct Loading {
  OcpBlock *b;
  Arena *arena;
  const OcpTerm *term;
  int nv, nu;
  Error *err;
} Loading;

__attribute__((format(printf, 3, 4))) static Status bad(const Loading *l, const ExprExtern *f,
                                                        const char *format, ...) {
  char where[sizeof l->err->where];
  snprintf(where, sizeof where, "%s: %s", f->path, f->name);
  va_list args;
  va_start(args, format);
  Status s = error_setv(l->err, STATUS_INPUT, where, format, args);
  va_end(args);
  return s;
}

static bool dense_column(const ExprPort *p, int n) {
  // CasADi writes a column without elements as n x 1 or as 0 x 0
  return n == 0 ? p->nnz == 0 : p->n_row == n && p->n_col == 1 && p->nnz == n;
}

// q, v, u, and maybe one more
static Status check_inputs(const Loading *l, const ExprExtern *f, int n_in, const char *all) {
  static const char *const names[3] = {"q", "v", "u"};
  const int size[3] = {l->nv, l->nv, l->nu};
  if (f->n_in != n_in) return bad(l, f, "has %d inputs; must have %d: %s", f->n_in, n_in, all);
  for (int i = 0; i < 3; i++) {
    const ExprPort *p = &f->in[i];
    if (dense_column(p, size[i])) continue;
    return bad(l, f, "input %d (%s) is %d x %d with %d nonzeros; must be %s, a dense %d x 1", i,
               p->name, p->n_row, p->n_col, p->nnz, names[i], size[i]);
  }
  return STATUS_OK;
}

static Status check_value(const Loading *l, const ExprExtern *f) {
  if (check_inputs(l, f, 3, "q, v, u")) return l->err->code;
  if (f->n_out != 1) return bad(l, f, "has %d outputs; must have one", f->n_out);
  const ExprPort *out = &f->out[0];
  if (out->n_col != 1 || out->n_row < 1 || out->nnz != out->n_row) {
    return bad(l, f, "its output is %d x %d with %d nonzeros; must be one dense column", out->n_row,
               out->n_col, out->nnz);
  }
  if (l->term->use == OCP_TERM_COST && out->n_row != 1) {
    return bad(l, f, "its output has %d rows; a cost has 1", out->n_row);
  }
  if (l->term->use == OCP_TERM_DYNAMICS && out->n_row != l->nv) {
    return bad(l, f, "its output has %d rows; dynamics have %d, the accelerations of the joints",
               out->n_row, l->nv);
  }
  return STATUS_OK;
}

static Status check_jacobian(const Loading *l, const ExprExtern *f) {
  const int size[3] = {l->nv, l->nv, l->nu};
  if (check_inputs(l, f, 4, "q, v, u, and the nominal output, empty")) return l->err->code;
  if (f->in[3].nnz != 0) {
    return bad(l, f, "input 3 (%s) has %d nonzeros; must be the nominal output, empty",
               f->in[3].name, f->in[3].nnz);
  }
  if (f->n_out != 3) {
    return bad(l, f, "has %d outputs; must have 3: derivatives with respect to q, v, u", f->n_out);
  }
  for (int o = 0; o < 3; o++) {
    const ExprPort *p = &f->out[o];
    if ((p->n_row == l->b->n_row && p->n_col == size[o]) || (size[o] == 0 && p->nnz == 0)) continue;
    return bad(l, f, "output %d (%s) is %d x %d; must be %d x %d", o, p->name, p->n_row, p->n_col,
               l->b->n_row, size[o]);
  }
  return STATUS_OK;
}

static bool has_entry(const ExprPort *p, int row, int col) {
  for (int e = p->colptr[col]; e < p->colptr[col + 1]; e++) {
    if (p->row[e] == row) return true;
  }
  return false;
}

static Status check_hessian(const Loading *l, const ExprExtern *f) {
  int n = 2 * l->nv + l->nu;
  if (check_inputs(l, f, 4, "q, v, u, lambda")) return l->err->code;
  if (!dense_column(&f->in[3], l->b->n_row)) {
    return bad(l, f, "input 3 (%s) is %d x %d; must be lambda, a dense %d x 1", f->in[3].name,
               f->in[3].n_row, f->in[3].n_col, l->b->n_row);
  }
  if (f->n_out != 1) return bad(l, f, "has %d outputs; must have one", f->n_out);
  const ExprPort *p = &f->out[0];
  if (p->n_row != n || p->n_col != n) {
    return bad(l, f, "its output is %d x %d; must be %d x %d, over q, v, u", p->n_row, p->n_col, n,
               n);
  }
  for (int j = 0; j < n; j++) {
    for (int e = p->colptr[j]; e < p->colptr[j + 1] && p->row[e] < j; e++) {
      if (has_entry(p, j, p->row[e])) continue;
      return bad(l, f, "has the entry (%d, %d) but not (%d, %d); must be full or a lower triangle",
                 p->row[e], j, j, p->row[e]);
    }
  }
  return STATUS_OK;
}

// ---- patterns ----------------------------------------------------------------------------------

// column of z that column i of (q, v, u) is
static int local_column(const Loading *l, int i) {
  return i < 2 * l->nv ? i : i + l->nv;
}

static Status jacobian_pattern(const Loading *l, const ExprExtern *f) {
  OcpBlock *b = l->b;
  size_t nnz = (size_t)f->out[0].nnz + (size_t)f->out[1].nnz + (size_t)f->out[2].nnz;
  b->jac_row = arena_array(l->arena, nnz + 1, sizeof *b->jac_row);
  b->jac_col = arena_array(l->arena, nnz + 1, sizeof *b->jac_col);
  if (!b->jac_row || !b->jac_col) return error_no_memory(l->err);
  for (int o = 0; o < 3; o++) {
    const ExprPort *p = &f->out[o];
    for (int j = 0; j < p->n_col; j++) {
      for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
        b->jac_row[b->jac_nnz] = p->row[e];
        b->jac_col[b->jac_nnz++] = local_column(l, o * l->nv + j);
      }
    }
  }
  return STATUS_OK;
}

static Status hessian_pattern(const Loading *l, const ExprExtern *f) {
  OcpBlock *b = l->b;
  const ExprPort *p = &f->out[0];
  size_t most = (size_t)p->nnz + 1;
  b->hess_row = arena_array(l->arena, most, sizeof *b->hess_row);
  b->hess_col = arena_array(l->arena, most, sizeof *b->hess_col);
  b->hess_take = arena_array(l->arena, most, sizeof *b->hess_take);
  if (!b->hess_row || !b->hess_col || !b->hess_take) return error_no_memory(l->err);
  b->hess_room = p->nnz;
  for (int j = 0; j < p->n_col; j++) {
    for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
      if (p->row[e] < j) continue;
      b->hess_row[b->hess_nnz] = local_column(l, p->row[e]);
      b->hess_col[b->hess_nnz] = local_column(l, j);
      b->hess_take[b->hess_nnz++] = e;
    }
  }
  return STATUS_OK;
}

// ---- loading -----------------------------------------------------------------------------------

// the library, then NAME, jac_NAME, hess_NAME
static Status load_part(const Loading *l, OcpPart part) {
  static const char *const prefix[N_OCP_PARTS] = {"", "jac_", "hess_"};
  const OcpTerm *t = l->term;
  char name[MAX_FUNCTION + 8];
  snprintf(name, sizeof name, "%s%s", prefix[part], t->function);
  Status s = expr_load(&l->b->user[part], t->library, name, l->err);
  if (s != STATUS_INPUT || part == OCP_VALUE) return s;
  // the library is there, since NAME is: tell what belongs in it
  char why[sizeof l->err->what];
  snprintf(why, sizeof why, "%s", l->err->what);
  char where[sizeof l->err->where];
  snprintf(where, sizeof where, "%s: %s", t->library, name);
  return error_set(l->err, STATUS_INPUT, where,
                   "%s; a term needs %s, jac_%s and hess_%s (tools/casadi_term.py makes them)", why,
                   t->function, t->function, t->function);
}

static Status load(const Loading *l) {
  OcpBlock *b = l->b;
  if (strlen(l->term->function) > MAX_FUNCTION) {
    return error_set(l->err, STATUS_INPUT, l->term->library,
                     "the function's name is longer than %d bytes", MAX_FUNCTION);
  }
  Status s = load_part(l, OCP_VALUE);
  if (s == STATUS_OK) s = check_value(l, b->user[OCP_VALUE]);
  if (s != STATUS_OK) return s;
  b->n_row = b->user[OCP_VALUE]->out[0].n_row;
  s = load_part(l, OCP_JACOBIAN);
  if (s == STATUS_OK) s = check_jacobian(l, b->user[OCP_JACOBIAN]);
  if (s == STATUS_OK) s = load_part(l, OCP_HESSIAN);
  if (s == STATUS_OK) s = check_hessian(l, b->user[OCP_HESSIAN]);
  if (s == STATUS_OK) s = jacobian_pattern(l, b->user[OCP_JACOBIAN]);
  if (s == STATUS_OK) s = hessian_pattern(l, b->user[OCP_HESSIAN]);
  return s;
}

Status ocp_block_load(OcpBlock *b, Arena *arena, const OcpTerm *term, int nv, int nu, Error *err) {
  *b = (OcpBlock){0};
  const Loading l = {b, arena, term, nv, nu, err};
  Status s = load(&l);
  if (s != STATUS_OK) ocp_block_free(b);
  return s;
}

void ocp_block_free(OcpBlock *b) {
  if (!b) return;
  for (int p = 0; p < N_OCP_PARTS; p++) {
    expr_tape_free(b->tape[p]);
    expr_extern_free(b->user[p]);
  }
  *b = (OcpBlock){0};
}

// ---- evaluation --------------------------------------------------------------------------------

size_t ocp_block_work_size(const OcpBlock *b) {
  size_t most = 0;
  for (int p = 0; p < N_OCP_PARTS && b->n_row; p++) {
    size_t n = b->user[p] ? expr_extern_work_size(b->user[p]) : expr_tape_work_size(b->tape[p]);
    if (n > most) most = n;
  }
  return most;
}

size_t ocp_block_room(const OcpBlock *b) {
  int most = b->jac_nnz > b->hess_room ? b->jac_nnz : b->hess_room;
  return (size_t)(most > b->n_row ? most : b->n_row);
}

static bool eval_user(const OcpBlock *b, OcpPart part, int n_point, const LaneIn in[5], double *out,
                      long long item, void *work) {
  const ExprExtern *f = b->user[part];
  const LaneIn nominal = {NULL, 0, 0};
  const LaneIn from[4] = {in[0], in[1], in[3], part == OCP_HESSIAN ? in[4] : nominal};
  LaneOut to[3];
  long long at = 0;
  for (int o = 0; o < f->n_out; at += f->out[o++].nnz) {
    to[o] = (LaneOut){out + at * item, item, 1};
  }
  if (!expr_extern_eval_points(f, n_point, from, to, work)) return false;
  if (part != OCP_HESSIAN || b->hess_nnz == b->hess_room) return true;
  // the upper triangle goes: what is kept moves to the front
  for (int e = 0; e < b->hess_nnz; e++) {
    if (b->hess_take[e] == e) continue;
    memcpy(out + e * item, out + b->hess_take[e] * item, (size_t)n_point * sizeof *out);
  }
  return true;
}

bool ocp_block_eval(const OcpBlock *b, OcpPart part, int n_point, const LaneIn in[5], double *out,
                    long long item, void *work) {
  if (b->user[part]) return eval_user(b, part, n_point, in, out, item, work);
  const LaneOut to = {out, item, 1};
  return expr_tape_eval(b->tape[part], n_point, in, &to, work);
}
