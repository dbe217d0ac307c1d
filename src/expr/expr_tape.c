// SPDX-License-Identifier: MIT
// From a function to instructions: what is needed, signs, fusion, order.
#include "expr/expr_tape.h"

#include <assert.h>

#include "expr/expr_tape_internal.h"

// Everything known of a node of the graph while the tape is made.
typedef struct NodeInfo {
  int uses;             // by needed nodes and outputs
  int first_out;        // first output element that is this node, 0 if none, see OutElement
  int need;             // registers that its computation takes, about
  bool flip;            // the register holds minus the node
  bool fused;           // a product that only exists inside the sum that uses it
  bool done;            // computed
  int pair;             // sin: node of the cos with the same operand, and the other way; 0 if none
  int k_plus, k_minus;  // constant: place of its value and of minus that, plus 1; 0 if none
} NodeInfo;

typedef struct OutElement {
  int out, element;  //
  bool negative;     //
  int next;          // of the same node, index + 1
} OutElement;

typedef struct Build {
  ExprTape *t;
  const ExprFunction *f;
  Arena *work;
  TapeOrder order;
  int n_node;
  NodeInfo *node;   // n_node
  OutElement *out;  //
  int *second;      // per instruction: second node written, 0 if none
  int cap;          // instructions allocated
  int *label_of;    // per origin of the graph: label index + 1
  bool failed;
} Build;

static const ExprNode *node_at(const Build *b, int v) {
  return expr_graph_node(b->f->g, v);
}

static bool is_const(const Build *b, int v) {
  return node_at(b, v)->op == EXPR_CONST;
}

// ---- what is needed ----------------------------------------------------------------------------

static bool collect_outputs(Build *b) {
  int n = 0;
  for (int o = 0; o < b->f->n_out; o++) n += b->f->out[o].value.nnz;
  b->out = arena_array(b->work, (size_t)n + 1, sizeof *b->out);
  if (!b->out) return false;
  for (int o = b->f->n_out - 1; o >= 0; o--) {
    const ExprMatrix *m = &b->f->out[o].value;
    for (int e = m->nnz - 1; e >= 0; e--) {
      int v = expr_node(m->e[e]);
      b->out[--n] = (OutElement){o, e, expr_negated(m->e[e]), b->node[v].first_out};
      b->node[v].first_out = n + 1;
      b->node[v].uses++;
    }
  }
  return true;
}

static bool count_uses(Build *b) {
  int *cos_of = arena_array(b->work, (size_t)b->n_node, sizeof *cos_of);
  int *sin_of = arena_array(b->work, (size_t)b->n_node, sizeof *sin_of);
  if (!cos_of || !sin_of) return false;
  for (int v = b->n_node - 1; v >= 0; v--) {
    const ExprNode *x = node_at(b, v);
    if (!b->node[v].uses) continue;
    int arity = expr_op_arity(x->op);
    if (arity > 0) b->node[x->a].uses++;
    if (arity > 1) b->node[x->b].uses++;
    if (x->op == EXPR_SIN) sin_of[x->a] = v;
    if (x->op == EXPR_COS) cos_of[x->a] = v;
  }
  for (int v = 0; v < b->n_node; v++) {
    if (!sin_of[v] || !cos_of[v]) continue;
    b->node[sin_of[v]].pair = cos_of[v];
    b->node[cos_of[v]].pair = sin_of[v];
  }
  return true;
}

// ---- signs -------------------------------------------------------------------------------------

// Can node v hold its negative at no cost? Sets flips down to where the sign disappears: the operands
// of a difference swapped, a constant negated. Only through nodes that nobody else reads.
static bool try_flip(Build *b, int v, int depth) {
  enum { MAX_DEPTH = 64 };
  const ExprNode *x = node_at(b, v);
  NodeInfo *info = &b->node[v];
  if (info->uses > 1 || info->flip || depth > MAX_DEPTH) return false;
  bool ok = false;
  switch (x->op) {
    case EXPR_SUB: ok = true; break;
    case EXPR_ADD:
    case EXPR_MUL:
      ok = is_const(b, x->a) ||
           (x->a != x->b && (try_flip(b, x->a, depth + 1) || try_flip(b, x->b, depth + 1)));
      break;
    case EXPR_DIV: ok = is_const(b, x->a) || try_flip(b, x->a, depth + 1); break;
    default: break;
  }
  info->flip = ok;
  return ok;
}

static void sink_signs(Build *b) {
  for (int v = 0; v < b->n_node; v++) {
    int o = b->node[v].first_out;
    if (o && b->out[o - 1].negative && !b->out[o - 1].next) try_flip(b, v, 0);
  }
}

// sign with which operand node v enters a sum: false is plus
static bool operand_sign(const Build *b, int v, bool negative) {
  return negative != b->node[v].flip;
}

// ---- fusion and order --------------------------------------------------------------------------

static bool can_fuse(const Build *b, int v, int other) {
  return node_at(b, v)->op == EXPR_MUL && b->node[v].uses == 1 && !b->node[v].fused &&
         !is_const(b, other);
}

// The two terms of a sum as stored: sign[0] A + sign[1] B.
static void sum_signs(const Build *b, int v, bool sign[2]) {
  const ExprNode *x = node_at(b, v);
  bool flip = b->node[v].flip;
  sign[0] = operand_sign(b, x->a, flip);
  sign[1] = operand_sign(b, x->b, flip != (x->op == EXPR_SUB));
}

static void choose_fusion(Build *b) {
  for (int v = 0; v < b->n_node; v++) {
    const ExprNode *x = node_at(b, v);
    if (!b->node[v].uses || (x->op != EXPR_ADD && x->op != EXPR_SUB)) continue;
    bool sign[2];
    sum_signs(b, v, sign);
    if (sign[0] && sign[1]) continue;
    if (can_fuse(b, x->b, x->a)) b->node[x->b].fused = true;
    else if (can_fuse(b, x->a, x->b)) b->node[x->a].fused = true;
  }
}

// registers needed to compute a node, for choosing which operand goes first (Ershov numbers)
static void estimate_need(Build *b) {
  for (int v = 0; v < b->n_node; v++) {
    const ExprNode *x = node_at(b, v);
    int arity = expr_op_arity(x->op);
    int na = arity > 0 ? b->node[x->a].need : 0, nb = arity > 1 ? b->node[x->b].need : 0;
    int most = na > nb ? na : nb;
    b->node[v].need = most + (na == nb) - (arity == 0 && x->op == EXPR_CONST);
  }
}

// ---- instructions ------------------------------------------------------------------------------

static int constant_index(Build *b, int v, bool negative) {
  int *at = negative ? &b->node[v].k_minus : &b->node[v].k_plus;
  if (!*at) {
    double value = node_at(b, v)->value;
    b->t->constant[b->t->n_const++] = negative ? -value : value;
    *at = b->t->n_const;
  }
  return *at - 1;
}

static int label_index(Build *b, int origin) {
  int *at = &b->label_of[origin];
  if (!*at && origin) {
    ExprTape *t = b->t;
    t->label[t->n_label] = arena_strdup(t->arena, expr_graph_origin_text(b->f->g, origin));
    if (!t->label[t->n_label]) b->failed = true;
    *at = t->n_label++;
  }
  return *at;
}

// a, b, c: nodes for now, registers later
static void push(Build *b, TapeOp op, int dst, int a, int bb, int c, int dst2) {
  ExprTape *t = b->t;
  if (t->n_instr == b->cap) {
    b->failed = true;  // the bound of build_arrays is wrong
    return;
  }
  t->instr[t->n_instr] = (TapeInstr){op, dst, a, bb, c};
  t->origin[t->n_instr] = label_index(b, node_at(b, dst)->origin);
  b->second[t->n_instr++] = dst2;
}

static void push_outputs(Build *b, int v) {
  for (int o = b->node[v].first_out; o; o = b->out[o - 1].next) {
    const OutElement *e = &b->out[o - 1];
    bool negative = e->negative != b->node[v].flip;
    if (is_const(b, v)) {
      push(b, TAPE_OUT_K, v, e->out, e->element, constant_index(b, v, negative), 0);
    } else {
      push(b, negative ? TAPE_OUT_NEG : TAPE_OUT, v, e->out, e->element, v, 0);
      b->t->count.neg += negative;
    }
  }
}

// product as stored: sign of it, and its operands, a constant second
static bool product_parts(const Build *b, int v, int *x, int *y) {
  const ExprNode *n = node_at(b, v);
  *x = n->b;
  *y = n->a;
  return (b->node[n->a].flip != b->node[n->b].flip);
}

static void push_fused(Build *b, int v, int mul, bool mul_sign, int other, bool other_sign) {
  int x, y;
  // operands that are held negated turn the sign of the product once more
  bool sign = mul_sign != (product_parts(b, mul, &x, &y) != b->node[mul].flip);
  if (is_const(b, y)) {
    push(b, other_sign ? TAPE_FMS_K : TAPE_FMA_K, v, x, constant_index(b, y, sign), other, 0);
  } else {
    assert(!sign || !other_sign);
    push(b, sign ? TAPE_FNMA : other_sign ? TAPE_FMS : TAPE_FMA, v, x, y, other, 0);
  }
}

static void push_sum(Build *b, int v) {
  const ExprNode *x = node_at(b, v);
  bool sign[2];
  sum_signs(b, v, sign);
  if (b->node[x->b].fused) {
    push_fused(b, v, x->b, sign[1], x->a, sign[0]);
  } else if (b->node[x->a].fused) {
    push_fused(b, v, x->a, sign[0], x->b, sign[1]);
  } else if (is_const(b, x->a) || is_const(b, x->b)) {
    int ka = is_const(b, x->a), k = ka ? x->a : x->b, other = ka ? x->b : x->a;
    bool ks = ka ? sign[0] : sign[1], os = ka ? sign[1] : sign[0];
    push(b, os ? TAPE_K_SUB : TAPE_ADD_K, v, other, constant_index(b, k, ks), 0, 0);
  } else if (sign[0] != sign[1]) {
    push(b, TAPE_SUB, v, sign[0] ? x->b : x->a, sign[0] ? x->a : x->b, 0, 0);
  } else {
    assert(!sign[0]);  // try_flip leaves one operand to take the sign
    push(b, TAPE_ADD, v, x->a, x->b, 0, 0);
  }
}

static void push_product(Build *b, int v) {
  int x, y;
  bool negative = product_parts(b, v, &x, &y) != b->node[v].flip;
  if (is_const(b, y) && !is_const(b, x)) {
    push(b, TAPE_MUL_K, v, x, constant_index(b, y, negative), 0, 0);
    return;
  }
  assert(!negative);
  push(b, TAPE_MUL, v, x, y, 0, 0);
}

static void push_quotient(Build *b, int v) {
  const ExprNode *x = node_at(b, v);
  bool negative = (b->node[x->a].flip != b->node[x->b].flip) != b->node[v].flip;
  if (is_const(b, x->a) && !is_const(b, x->b)) {
    push(b, TAPE_K_DIV, v, x->b, constant_index(b, x->a, negative), 0, 0);
    return;
  }
  assert(!negative);
  push(b, TAPE_DIV, v, x->a, x->b, 0, 0);
}

static void push_trig(Build *b, int v) {
  const ExprNode *x = node_at(b, v);
  int pair = b->node[v].pair;
  if (!pair) {
    push(b, x->op == EXPR_SIN ? TAPE_SIN : TAPE_COS, v, x->a, 0, 0, 0);
    return;
  }
  int s = x->op == EXPR_SIN ? v : pair, c = x->op == EXPR_SIN ? pair : v;
  push(b, TAPE_SINCOS, s, x->a, 0, c, c);
  b->node[pair].done = true;
}

static int input_index(const Build *b, int input) {
  for (int i = 0; i < b->f->n_in; i++) {
    if (b->f->in[i].input == input) return i;
  }
  assert(!"the function does not declare an input that it reads");
  return -1;
}

// counts the node itself; negations that fall out of signs are counted where they are pushed
static void count_operation(ExprCount *c, ExprOp op) {
  switch (op) {
    case EXPR_ADD: c->add++; break;
    case EXPR_SUB: c->sub++; break;
    case EXPR_MUL: c->mul++; break;
    case EXPR_DIV: c->div++; break;
    case EXPR_NEG: c->neg++; break;
    case EXPR_SQRT: c->sqrt++; break;
    case EXPR_SIN:
    case EXPR_COS: c->sincos++; break;
    case EXPR_EXP:
    case EXPR_LOG: c->other++; break;
    case EXPR_CONST:
    case EXPR_INPUT:
    case EXPR_N_OPS: break;
  }
}

static void push_node(Build *b, int v) {
  const ExprNode *x = node_at(b, v);
  count_operation(&b->t->count, x->op);
  if (b->node[v].fused) return;
  switch (x->op) {
    case EXPR_CONST: push(b, TAPE_K, v, 0, constant_index(b, v, false), 0, 0); break;
    case EXPR_INPUT: push(b, TAPE_IN, v, input_index(b, x->a), x->b, 0, 0); break;
    case EXPR_ADD:
    case EXPR_SUB: push_sum(b, v); break;
    case EXPR_MUL: push_product(b, v); break;
    case EXPR_DIV: push_quotient(b, v); break;
    case EXPR_NEG: push(b, TAPE_NEG, v, x->a, 0, 0, 0); break;
    case EXPR_SQRT: push(b, TAPE_SQRT, v, x->a, 0, 0, 0); break;
    case EXPR_SIN:
    case EXPR_COS: push_trig(b, v); break;
    case EXPR_EXP: push(b, TAPE_EXP, v, x->a, 0, 0, 0); break;
    case EXPR_LOG: push(b, TAPE_LOG, v, x->a, 0, 0, 0); break;
    case EXPR_N_OPS: break;
  }
}

// is this constant operand written into the instruction, so that it needs no register?
static bool in_instruction(const Build *b, int user, int v) {
  const ExprNode *x = node_at(b, user);
  if (!is_const(b, v)) return false;
  if (x->op == EXPR_ADD || x->op == EXPR_SUB) return true;
  if (x->op == EXPR_MUL) return v == x->a && !is_const(b, x->b);
  return x->op == EXPR_DIV && v == x->a && !is_const(b, x->b);
}

static bool ready(const Build *b, int user, int v) {
  return b->node[v].done || in_instruction(b, user, v);
}

// Computes v after its operands, depth first, without recursion. stack: 2 n_node.
static void schedule(Build *b, int v, int *stack) {
  int top = 0;
  stack[top++] = v;
  while (top > 0 && !b->failed) {
    int x = stack[top - 1];
    NodeInfo *info = &b->node[x];
    if (info->done) {
      top--;
      continue;
    }
    const ExprNode *n = node_at(b, x);
    int arity = expr_op_arity(n->op);
    bool wait_a = arity > 0 && !ready(b, x, n->a), wait_b = arity > 1 && !ready(b, x, n->b);
    if (wait_a || wait_b) {
      bool a_first = !wait_b || (wait_a && b->node[n->a].need > b->node[n->b].need);
      stack[top++] = a_first ? n->a : n->b;
      continue;
    }
    push_node(b, x);
    info->done = true;
    int pair = n->op == EXPR_SIN || n->op == EXPR_COS ? info->pair : 0;
    push_outputs(b, x);
    if (pair) {
      count_operation(&b->t->count, node_at(b, pair)->op);
      push_outputs(b, pair);
    }
    top--;
  }
}

static bool build_order(Build *b) {
  int *stack = arena_array(b->work, 2 * (size_t)b->n_node + 2, sizeof *stack);
  if (!stack) return false;
  for (int o = 0; o < b->f->n_out; o++) {
    const ExprMatrix *m = &b->f->out[o].value;
    for (int e = 0; e < m->nnz; e++) {
      int v = expr_node(m->e[e]);
      if (!is_const(b, v)) schedule(b, v, stack);
      else if (!b->node[v].done) {
        push_outputs(b, v);
        b->node[v].first_out = 0;
      }
    }
  }
  return !b->failed;
}

// ---- all together ------------------------------------------------------------------------------

static bool build_arrays(Build *b) {
  ExprTape *t = b->t;
  int n_elements = 0, n_needed = 0, max_origin = 0;
  for (int o = 0; o < b->f->n_out; o++) n_elements += b->f->out[o].value.nnz;
  for (int v = 0; v < b->n_node; v++) {
    n_needed += b->node[v].uses > 0;
    int origin = node_at(b, v)->origin;
    if (b->node[v].uses && origin > max_origin) max_origin = origin;
  }
  b->cap = n_needed + n_elements;
  t->instr = arena_array(t->arena, (size_t)b->cap + 1, sizeof *t->instr);
  t->origin = arena_array(t->arena, (size_t)b->cap + 1, sizeof *t->origin);
  t->constant = arena_array(t->arena, 2 * (size_t)n_needed + 1, sizeof *t->constant);
  t->label = arena_array(t->arena, (size_t)max_origin + 2, sizeof *t->label);
  b->label_of = arena_array(b->work, (size_t)max_origin + 2, sizeof *b->label_of);
  b->second = arena_array(b->work, (size_t)b->cap + 1, sizeof *b->second);
  if (!t->instr || !t->origin || !t->constant || !t->label || !b->label_of || !b->second) {
    return false;
  }
  t->label[t->n_label++] = "";
  return true;
}

static bool build_all(Build *b) {
  b->n_node = expr_graph_n_nodes(b->f->g);
  b->node = arena_array(b->work, (size_t)b->n_node, sizeof *b->node);
  if (!b->node || !collect_outputs(b) || !count_uses(b) || !build_arrays(b)) return false;
  sink_signs(b);
  choose_fusion(b);
  estimate_need(b);
  if (!build_order(b)) return false;
  if (b->order == TAPE_FOR_EVALUATOR && !tape_group_runs(b->t, b->second, b->n_node, b->work)) {
    return false;
  }
  if (!tape_assign_registers(b->t, b->second, b->n_node, b->work)) return false;
  b->t->instr[b->t->n_instr].op = TAPE_N_OPS;
  ExprCount *c = &b->t->count;
  c->total = c->add + c->sub + c->mul + c->div + c->neg + c->sqrt + c->other;
  return true;
}

static bool copy_names(ExprTape *t, const ExprFunction *f) {
  t->name = arena_strdup(t->arena, f->name);
  t->n_in = f->n_in;
  t->n_out = f->n_out;
  t->in_name = arena_array(t->arena, (size_t)f->n_in + 1, sizeof *t->in_name);
  if (!t->name || !t->in_name) return false;
  for (int i = 0; i < f->n_in; i++) {
    t->in_name[i] = arena_strdup(t->arena, f->in[i].name);
    if (!t->in_name[i]) return false;
  }
  return true;
}

Status expr_tape_build(ExprTape **out, const ExprFunction *f, TapeOrder order, Error *err) {
  *out = NULL;
  Status status = expr_graph_status(f->g, err);
  if (status != STATUS_OK) return status;
  Arena *arena = arena_new(), *work = arena_new();
  ExprTape *t = arena_alloc(arena, sizeof *t);
  bool ok = t && work;
  if (ok) {
    t->arena = arena;
    Build b = {.t = t, .f = f, .work = work, .order = order};
    ok = copy_names(t, f) && build_all(&b);
  }
  arena_free(work);
  if (!ok) {
    arena_free(arena);
    return error_no_memory(err);
  }
  *out = t;
  return STATUS_OK;
}

void expr_tape_free(ExprTape *t) {
  if (t) arena_free(t->arena);
}
