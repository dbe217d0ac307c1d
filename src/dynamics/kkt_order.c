// SPDX-License-Identifier: MIT
#include "dynamics/kkt_order.h"

#include <string.h>

// Neighbours of a block in what is left of the matrix.
typedef struct List {
  int n, cap;
  int *block;  // cap
} List;

typedef struct Candidate {
  int degree, block;
} Candidate;

typedef struct Order {
  Arena *arena;           // working memory
  int n, n_body;          // blocks, bodies
  const KktJoint *joint;  //
  int *rows;              // n
  List *list;             // n
  bool *gone;             // n, eliminated
  int *left;              // n, joints: bodies not yet eliminated
  int *part;              // n_body, union-find over bodies joined by eliminated joints
  bool *grounded;         // n_body, of a part's root: joined to the world
  Candidate *heap;        // heap_n, the least first; entries may be out of date
  int heap_n, heap_cap;   //
  bool failed;            // out of memory
} Order;

// ---- lists -------------------------------------------------------------------------------------

static void *grown(Order *o, const void *old, int n, int cap, size_t size) {
  void *new = arena_array(o->arena, (size_t)cap, size);
  if (!new) o->failed = true;
  else if (n) memcpy(new, old, (size_t)n * size);
  return new;
}

static void add(Order *o, List *list, int block) {
  for (int i = 0; i < list->n; i++) {
    if (list->block[i] == block) return;
  }
  if (list->n == list->cap) {
    int cap = list->cap ? 2 * list->cap : 4;
    int *new = grown(o, list->block, list->n, cap, sizeof *new);
    if (!new) return;
    list->block = new;
    list->cap = cap;
  }
  list->block[list->n++] = block;
}

static void drop(List *list, int block) {
  for (int i = 0; i < list->n; i++) {
    if (list->block[i] == block) {
      list->block[i] = list->block[--list->n];
      return;
    }
  }
}

// ---- candidates --------------------------------------------------------------------------------

static bool before(Candidate a, Candidate b) {
  return a.degree != b.degree ? a.degree < b.degree : a.block < b.block;
}

static void push(Order *o, Candidate c) {
  if (o->heap_n == o->heap_cap) {
    int cap = o->heap_cap ? 2 * o->heap_cap : 64;
    Candidate *new = grown(o, o->heap, o->heap_n, cap, sizeof *new);
    if (!new) return;
    o->heap = new;
    o->heap_cap = cap;
  }
  int i = o->heap_n++;
  for (; i > 0 && before(c, o->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    o->heap[i] = o->heap[(i - 1) / 2];
  }
  o->heap[i] = c;
}

static Candidate pop(Order *o) {
  Candidate top = o->heap[0], last = o->heap[--o->heap_n];
  int i = 0;
  for (int k = 1; k < o->heap_n; k = 2 * i + 1) {
    if (k + 1 < o->heap_n && before(o->heap[k + 1], o->heap[k])) k++;
    if (!before(o->heap[k], last)) break;
    o->heap[i] = o->heap[k];
    i = k;
  }
  if (o->heap_n) o->heap[i] = last;
  return top;
}

// ---- rules -------------------------------------------------------------------------------------

static int find(Order *o, int body) {
  while (o->part[body] != body) {
    o->part[body] = o->part[o->part[body]];
    body = o->part[body];
  }
  return body;
}

static int degree(const Order *o, int block) {
  int sum = 0;
  for (int i = 0; i < o->list[block].n; i++) sum += o->rows[o->list[block].block[i]];
  return sum;
}

// does a part that moves freely hang on this joint alone?
static bool hangs_alone(Order *o, int block) {
  const KktJoint *j = &o->joint[block - o->n_body];
  int a = j->body[0], b = j->body[1];
  if (a < 0 || b < 0 || o->list[block].n != 1) return false;
  return !o->grounded[find(o, o->gone[a] ? a : b)];
}

static bool may_go(Order *o, int block) {
  if (o->gone[block]) return false;
  if (block < o->n_body || o->left[block] == 0) return true;
  return o->left[block] == 1 && hangs_alone(o, block);
}

static void offer(Order *o, int block) {
  if (may_go(o, block)) push(o, (Candidate){degree(o, block), block});
}

// eliminated joints join what they touch
static void join(Order *o, const KktJoint *j) {
  int a = j->body[0], b = j->body[1];
  if (a >= 0 && b >= 0) {
    a = find(o, a);
    b = find(o, b);
    o->part[a] = b;
    o->grounded[b] = o->grounded[a] || o->grounded[b];
  } else if (a >= 0 || b >= 0) {
    o->grounded[find(o, a >= 0 ? a : b)] = true;
  }
}

static void eliminate(Order *o, int block) {
  const List list = o->list[block];
  o->gone[block] = true;
  if (block >= o->n_body) join(o, &o->joint[block - o->n_body]);
  for (int i = 0; i < list.n; i++) {
    int u = list.block[i];
    if (block < o->n_body && u >= o->n_body) {
      const KktJoint *j = &o->joint[u - o->n_body];
      o->left[u] -= j->body[0] == block || j->body[1] == block;
    }
    drop(&o->list[u], block);
    for (int k = 0; k < list.n; k++) {
      if (k != i) add(o, &o->list[u], list.block[k]);
    }
  }
  for (int i = 0; i < list.n; i++) offer(o, list.block[i]);
}

static bool setup(Order *o, int body_rows) {
  size_t n = (size_t)o->n + 1;
  o->rows = arena_array(o->arena, n, sizeof *o->rows);
  o->list = arena_array(o->arena, n, sizeof *o->list);
  o->gone = arena_array(o->arena, n, sizeof *o->gone);
  o->left = arena_array(o->arena, n, sizeof *o->left);
  o->part = arena_array(o->arena, n, sizeof *o->part);
  o->grounded = arena_array(o->arena, n, sizeof *o->grounded);
  if (!o->rows || !o->list || !o->gone || !o->left || !o->part || !o->grounded) return false;
  for (int b = 0; b < o->n_body; b++) {
    o->rows[b] = body_rows;
    o->part[b] = b;
  }
  for (int k = o->n_body; k < o->n; k++) {
    const KktJoint *j = &o->joint[k - o->n_body];
    o->rows[k] = j->rows;
    for (int s = 0; s < 2; s++) {
      if (j->body[s] < 0 || j->rows == 0 || (s && j->body[1] == j->body[0])) continue;
      o->left[k]++;
      add(o, &o->list[k], j->body[s]);
      add(o, &o->list[j->body[s]], k);
    }
  }
  return !o->failed;
}

bool kkt_order(int n_body, int body_rows, int n_joint, const KktJoint *joint, int *order) {
  Order o = {.arena = arena_new(), .n = n_body + n_joint, .n_body = n_body, .joint = joint};
  bool ok = setup(&o, body_rows);
  for (int k = 0; ok && k < o.n; k++) offer(&o, k);
  int n = 0;
  while (ok && !o.failed && o.heap_n > 0) {
    Candidate c = pop(&o);
    if (!may_go(&o, c.block)) continue;
    int now = degree(&o, c.block);
    if (now != c.degree) {
      push(&o, (Candidate){now, c.block});
      continue;
    }
    order[n++] = c.block;
    eliminate(&o, c.block);
  }
  ok = ok && !o.failed;
  arena_free(o.arena);
  return ok && n == n_body + n_joint;
}
