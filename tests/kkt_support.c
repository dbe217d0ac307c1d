// SPDX-License-Identifier: MIT
#include "kkt_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

const KktShape kkt_shapes[] = {
    {.name = "one of each", .n_stage = 1, .node = 1, .unknown = 1, .equation = 1, .density = 0.5},
    {.name = "one state, no controls",
     .n_stage = 7,
     .node = 1,
     .unknown = 2,
     .equation = 2,
     .density = 0.5},
    {.name = "nodes alone",
     .n_stage = 6,
     .node = 3,
     .control = 1,
     .node_equation = 3,
     .start = 3,
     .density = 0.6},
    {.name = "a Hessian alone", .n_stage = 5, .node = 2, .unknown = 3, .density = 0.7},
    {.name = "convex",
     .n_stage = 5,
     .node = 4,
     .control = 2,
     .unknown = 6,
     .equation = 6,
     .node_equation = 4,
     .start = 4,
     .goal = 1,
     .density = 0.5,
     .flags = KKT_CONVEX},
    {.name = "indefinite",
     .n_stage = 5,
     .node = 4,
     .control = 2,
     .unknown = 6,
     .equation = 6,
     .node_equation = 4,
     .start = 2,
     .density = 0.5},
    {.name = "one interval",
     .n_stage = 1,
     .node = 4,
     .control = 2,
     .unknown = 8,
     .equation = 6,
     .node_equation = 4,
     .start = 4,
     .density = 0.5,
     .flags = KKT_CONVEX},
    {.name = "fewer equations than unknowns",
     .n_stage = 4,
     .node = 3,
     .unknown = 9,
     .equation = 4,
     .density = 0.4},
    {.name = "continuity inside",
     .n_stage = 6,
     .node = 3,
     .control = 1,
     .unknown = 6,
     .equation = 9,
     .start = 3,
     .density = 0.5,
     .flags = KKT_CONVEX},
    {.name = "inequalities",
     .n_stage = 4,
     .node = 3,
     .control = 1,
     .unknown = 4,
     .equation = 4,
     .node_equation = 3,
     .start = 2,
     .inequality = 5,
     .density = 0.5,
     .flags = KKT_CONVEX},
    {.name = "inequalities, late",
     .n_stage = 4,
     .node = 3,
     .control = 1,
     .unknown = 4,
     .equation = 4,
     .node_equation = 3,
     .start = 2,
     .inequality = 5,
     .density = 0.5,
     .flags = KKT_CONVEX | KKT_LATE},
    {.name = "inequalities alone", .n_stage = 5, .node = 2, .inequality = 3, .density = 0.5},
    {.name = "border",
     .n_stage = 4,
     .node = 3,
     .control = 1,
     .unknown = 4,
     .equation = 4,
     .node_equation = 3,
     .start = 3,
     .border = 2,
     .density = 0.5,
     .flags = KKT_CONVEX},
    {.name = "border with rows",
     .n_stage = 4,
     .node = 3,
     .control = 1,
     .unknown = 4,
     .equation = 4,
     .node_equation = 3,
     .start = 3,
     .inequality = 2,
     .goal_inequality = 2,
     .border = 3,
     .border_equation = 1,
     .border_inequality = 2,
     .density = 0.5},
    {.name = "hollow",
     .n_stage = 7,
     .node = 4,
     .control = 2,
     .unknown = 5,
     .equation = 5,
     .node_equation = 2,
     .density = 0.5,
     .flags = KKT_HOLLOW},
    {.name = "hollow, more equations than unknowns",
     .n_stage = 7,
     .node = 4,
     .control = 2,
     .unknown = 4,
     .equation = 6,
     .density = 0.5,
     .flags = KKT_HOLLOW},
    {.name = "a row twice",
     .n_stage = 4,
     .node = 3,
     .control = 2,
     .unknown = 4,
     .equation = 4,
     .node_equation = 2,
     .start = 2,
     .density = 0.5,
     .flags = KKT_CONVEX | KKT_DEPENDENT},
    {.name = "a row twice, regularised",
     .n_stage = 4,
     .node = 3,
     .control = 2,
     .unknown = 4,
     .equation = 4,
     .node_equation = 2,
     .start = 2,
     .density = 0.5,
     .flags = KKT_CONVEX | KKT_DEPENDENT | KKT_REGULARISED},
    {.name = "bad scales",
     .n_stage = 5,
     .node = 4,
     .control = 2,
     .unknown = 6,
     .equation = 6,
     .node_equation = 4,
     .start = 4,
     .inequality = 2,
     .density = 0.5,
     .flags = KKT_BAD_SCALES},
    {.name = "late, bad scales, regularised",
     .n_stage = 5,
     .node = 4,
     .control = 2,
     .unknown = 6,
     .equation = 6,
     .node_equation = 4,
     .start = 4,
     .inequality = 2,
     .border = 1,
     .density = 0.5,
     .flags = KKT_CONVEX | KKT_LATE | KKT_BAD_SCALES | KKT_REGULARISED},
    {.name = "places twice, out of order",
     .n_stage = 4,
     .node = 4,
     .control = 1,
     .unknown = 5,
     .equation = 5,
     .node_equation = 3,
     .start = 2,
     .inequality = 2,
     .border = 1,
     .density = 0.5,
     .flags = KKT_DUPLICATE | KKT_SHUFFLED},
    {.name = "condensed, like an arm's",
     .n_stage = 3,
     .node = 12,
     .control = 4,
     .unknown = 24,
     .equation = 24,
     .node_equation = 12,
     .start = 12,
     .inequality = 10,
     .density = 0.4,
     .flags = KKT_CONVEX},
};
const int n_kkt_shapes = sizeof kkt_shapes / sizeof kkt_shapes[0];

// ---- who is there -------------------------------------------------------------------------------

// Entries are collected as (row, column, value), row >= column.
typedef struct Entry {
  int row, col;
  double value;
} Entry;

typedef struct Maker {
  const KktShape *shape;
  KktMap *map;
  Rng rng;
  Entry *entry;
  int n, cap;
  bool failed;
} Maker;

static bool has(const Maker *m, KktTrait trait) {
  return (m->shape->flags & trait) != 0;
}

static void put(Maker *m, int a, int b, double value) {
  if (m->n == m->cap) {
    int more = m->cap ? 2 * m->cap : 1024;
    Entry *grown = realloc(m->entry, (size_t)more * sizeof *grown);
    if (!grown) {
      m->failed = true;
      return;
    }
    m->entry = grown;
    m->cap = more;
  }
  m->entry[m->n++] = (Entry){a > b ? a : b, a > b ? b : a, value};
}

// Places of the matrix are given out in the order of the blocks: variables, slacks, equations,
// inequalities. In each, stage by stage as a transcription would, the border last.
static int give(KktMap *map, int *at, KktRole role, int stage) {
  map->role[*at] = (unsigned char)role;
  map->stage[*at] = stage;
  return (*at)++;
}

static void assign(const KktShape *s, KktMap *map) {
  int at = 0;
  for (int k = 0; k <= s->n_stage; k++) {
    for (int i = 0; i < s->node; i++) give(map, &at, KKT_NODE, k);
    if (k == s->n_stage) break;
    for (int i = 0; i < s->control; i++) give(map, &at, KKT_NODE, k);
    for (int i = 0; i < s->unknown; i++) give(map, &at, KKT_UNKNOWN, k);
  }
  for (int i = 0; i < s->border; i++) give(map, &at, KKT_BORDER, 0);
  for (int k = 0; k < s->n_stage; k++) {
    for (int i = 0; i < s->inequality; i++) give(map, &at, KKT_SLACK, k);
  }
  for (int i = 0; i < s->goal_inequality; i++) give(map, &at, KKT_SLACK, s->n_stage);
  for (int i = 0; i < s->border_inequality; i++) give(map, &at, KKT_SLACK, 0);
  for (int i = 0; i < s->start; i++) give(map, &at, KKT_NODE, 0);
  for (int k = 0; k < s->n_stage; k++) {
    for (int i = 0; i < s->equation; i++) give(map, &at, KKT_EQUATION, k);
    for (int i = 0; i < s->node_equation; i++) give(map, &at, KKT_NODE, k + 1);
  }
  for (int i = 0; i < s->goal; i++) give(map, &at, KKT_NODE, s->n_stage);
  for (int i = 0; i < s->border_equation; i++) give(map, &at, KKT_BORDER, 0);
  for (int k = 0; k < s->n_stage; k++) {
    for (int i = 0; i < s->inequality; i++) give(map, &at, KKT_INEQUALITY, k);
  }
  for (int i = 0; i < s->goal_inequality; i++) give(map, &at, KKT_INEQUALITY, s->n_stage);
  for (int i = 0; i < s->border_inequality; i++) give(map, &at, KKT_INEQUALITY, 0);
}

static void sizes(const KktShape *s, KktMap *map) {
  int N = s->n_stage;
  map->n_stage = N;
  map->n_free = (N + 1) * s->node + N * (s->control + s->unknown) + s->border;
  map->n_slack = N * s->inequality + s->goal_inequality + s->border_inequality;
  map->n_equation = N * (s->equation + s->node_equation) + s->start + s->goal + s->border_equation;
  map->dim = map->n_free + 2 * map->n_slack + map->n_equation;
}

// whether two places may have an entry
static bool beside(const KktMap *map, int a, int b) {
  KktRole ra = (KktRole)map->role[a], rb = (KktRole)map->role[b];
  if (ra == KKT_BORDER || rb == KKT_BORDER) return true;
  int d = map->stage[a] - map->stage[b];
  if (ra == KKT_NODE && rb == KKT_NODE) return d >= -1 && d <= 1;
  if (ra == KKT_NODE) return d == 0 || d == 1;
  if (rb == KKT_NODE) return d == 0 || d == -1;
  return d == 0;
}

// ---- what stands where --------------------------------------------------------------------------

static double number(Maker *m) {
  double x = rng_uniform(&m->rng, 0.1, 2.0);
  return rng_int(&m->rng, 2) ? x : -x;
}

static bool chance(Maker *m, double p) {
  return rng_uniform(&m->rng, 0.0, 1.0) < p;
}

static bool inside(const KktMap *map, int i) {
  KktRole role = (KktRole)map->role[i];
  return role == KKT_UNKNOWN || role == KKT_EQUATION;
}

// Hessian: a sum of v v^T over small groups if convex, else entries at random
static void hessian(Maker *m) {
  const KktMap *map = m->map;
  double density = m->shape->density;
  for (int i = 0; i < map->n_free; i++) {
    bool hollow = has(m, KKT_HOLLOW) && map->role[i] == KKT_UNKNOWN;
    double diagonal = has(m, KKT_CONVEX) ? 0.1 : number(m);
    if (has(m, KKT_LATE)) diagonal += pow(10.0, rng_uniform(&m->rng, -8.0, 12.0));
    if (has(m, KKT_REGULARISED)) diagonal += 1e-4;
    put(m, i, i, hollow ? 0.0 : diagonal);
    for (int j = 0; j < i && !hollow; j++) {
      if (!beside(map, i, j) || !chance(m, density)) continue;
      if (has(m, KKT_HOLLOW) && map->role[j] == KKT_UNKNOWN) continue;
      double v = number(m);
      put(m, i, j, v);
      if (has(m, KKT_CONVEX)) put(m, i, i, fabs(v)), put(m, j, j, fabs(v));
    }
  }
}

// whether row i of the Jacobian may contain variable j: a hollow system has some insides whose
// equations contain nothing of their own
static bool contains(const Maker *m, int i, int j) {
  const KktMap *map = m->map;
  if (!beside(map, i, j)) return false;
  bool own = inside(map, i) && map->role[j] == KKT_UNKNOWN;
  return !(has(m, KKT_HOLLOW) && own && map->stage[i] % 3 == 1 && (i + j) % 2);
}

// how many of the same role and stage stand right before i
static int ordinal(const KktMap *map, int i) {
  int n = 0;
  while (i > n && map->role[i - n - 1] == map->role[i] && map->stage[i - n - 1] == map->stage[i])
    n++;
  return n;
}

// a row of its own for each variable, so that the matrix has full structural rank
static bool always(const KktMap *map, int i, int j) {
  KktRole role = map->role[i] == KKT_EQUATION ? KKT_UNKNOWN : (KktRole)map->role[i];
  return role == (KktRole)map->role[j] && map->stage[i] == map->stage[j] &&
         ordinal(map, i) == ordinal(map, j);
}

static void jacobian(Maker *m) {
  const KktMap *map = m->map;
  int first = map->n_free + map->n_slack, n_row = map->n_equation + map->n_slack;
  for (int r = 0; r < n_row; r++) {
    int i = first + r, slack = r - map->n_equation;
    bool border = map->role[i] == KKT_BORDER || slack >= map->n_slack - m->shape->border_inequality;
    put(m, i, i, has(m, KKT_REGULARISED) ? -1e-8 : 0.0);
    if (slack >= 0) put(m, i, map->n_free + slack, -1.0);
    for (int j = 0; j < map->n_free; j++) {
      if (border && map->role[j] != KKT_BORDER) continue;
      if (contains(m, i, j) && (chance(m, fmax(m->shape->density, 0.3)) || always(map, i, j)))
        put(m, i, j, number(m));
    }
  }
  for (int s = 0; s < map->n_slack; s++) {
    double e = has(m, KKT_LATE) ? pow(10.0, rng_uniform(&m->rng, -8.0, 12.0)) : 1.0;
    put(m, map->n_free + s, map->n_free + s, e);
  }
}

// one row that has entries in the place of another: the last equation of an inside, or of a node
static void repeat_row(Maker *m) {
  const KktMap *map = m->map;
  int first = map->n_free + map->n_slack, from = -1, to = -1;
  for (int i = first; i + 1 < first + map->n_equation && from < 0; i++) {
    if (map->role[i] == map->role[i + 1] && map->stage[i] == map->stage[i + 1])
      from = i, to = i + 1;
  }
  if (from < 0) return;
  int kept = 0, n = m->n;
  for (int e = 0; e < n; e++) {
    Entry x = m->entry[e];
    if (x.row == to && x.col != to) continue;
    m->entry[kept++] = x;
  }
  m->n = kept;
  for (int e = 0; e < kept; e++) {
    Entry x = m->entry[e];
    if (x.row == from && x.col != from) put(m, to, x.col, x.value);
  }
}

static void rescale(Maker *m, double *scale) {
  for (int i = 0; i < m->map->dim; i++) scale[i] = pow(10.0, rng_uniform(&m->rng, -3.0, 3.0));
  for (int e = 0; e < m->n; e++)
    m->entry[e].value *= scale[m->entry[e].row] * scale[m->entry[e].col];
}

// ---- by columns ---------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->col != y->col) return x->col < y->col ? -1 : 1;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->value < y->value ? -1 : x->value > y->value;
}

// adds up what stands at the same place; with KKT_DUPLICATE some places are split in two again
static void merge(Maker *m) {
  if (m->n == 0) return;  // nobody there
  qsort(m->entry, (size_t)m->n, sizeof *m->entry, by_place);
  int kept = 0;
  for (int e = 0; e < m->n; e++) {
    Entry *last = kept ? &m->entry[kept - 1] : NULL;
    if (last && last->row == m->entry[e].row && last->col == m->entry[e].col)
      last->value += m->entry[e].value;
    else m->entry[kept++] = m->entry[e];
  }
  m->n = kept;
  for (int e = 0; has(m, KKT_DUPLICATE) && e < kept; e += 5) {
    put(m, m->entry[e].row, m->entry[e].col, 0.25 * m->entry[e].value);
    m->entry[e].value *= 0.75;
  }
  qsort(m->entry, (size_t)m->n, sizeof *m->entry, by_place);
}

static void shuffle(Maker *m, const int *ptr) {
  for (int j = 0; j < m->map->dim; j++) {
    for (int e = ptr[j + 1] - 1; e > ptr[j]; e--) {
      int other = ptr[j] + rng_int(&m->rng, e - ptr[j] + 1);
      Entry keep = m->entry[e];
      m->entry[e] = m->entry[other];
      m->entry[other] = keep;
    }
  }
}

static bool store(Maker *m, KktSystem *s) {
  int dim = m->map->dim;
  s->ptr = arena_array(s->arena, (size_t)dim + 1, sizeof *s->ptr);
  s->row = arena_array(s->arena, (size_t)m->n + 1, sizeof *s->row);
  s->values = arena_array(s->arena, (size_t)m->n + 1, sizeof *s->values);
  if (!s->ptr || !s->row || !s->values) return false;
  for (int e = 0; e < m->n; e++) s->ptr[m->entry[e].col + 1]++;
  for (int j = 0; j < dim; j++) s->ptr[j + 1] += s->ptr[j];
  if (has(m, KKT_SHUFFLED)) shuffle(m, s->ptr);
  for (int e = 0; e < m->n; e++) {
    s->row[e] = m->entry[e].row;
    s->values[e] = m->entry[e].value;
  }
  return true;
}

bool kkt_random(KktSystem *s, const KktShape *shape, uint64_t seed) {
  *s = (KktSystem){.arena = arena_new()};
  Maker m = {.shape = shape, .map = &s->map};
  rng_seed(&m.rng, seed);
  sizes(shape, &s->map);
  size_t dim = (size_t)s->map.dim;
  s->map.stage = arena_array(s->arena, dim + 1, sizeof *s->map.stage);
  s->map.role = arena_array(s->arena, dim + 1, sizeof *s->map.role);
  double *scale = arena_array(s->arena, dim + 1, sizeof *scale);
  bool ok = s->map.stage && s->map.role && scale;
  if (ok) {
    assign(shape, &s->map);
    hessian(&m);
    jacobian(&m);
    if (has(&m, KKT_DEPENDENT)) repeat_row(&m);
    if (has(&m, KKT_BAD_SCALES)) rescale(&m, scale);
    merge(&m);
    ok = !m.failed && store(&m, s);
  }
  free(m.entry);
  return ok;
}

void kkt_system_free(KktSystem *s) {
  arena_free(s->arena);
  *s = (KktSystem){0};
}

// ---- products -----------------------------------------------------------------------------------

void kkt_multiply(const KktSystem *s, const double *x, double *y) {
  memset(y, 0, (size_t)s->map.dim * sizeof *y);
  for (int j = 0; j < s->map.dim; j++) {
    for (int e = s->ptr[j]; e < s->ptr[j + 1]; e++) {
      int i = s->row[e];
      y[i] += s->values[e] * x[j];
      if (i != j) y[j] += s->values[e] * x[i];
    }
  }
}

double kkt_residual(const KktSystem *s, const double *x, const double *b) {
  int dim = s->map.dim;
  double *r = calloc((size_t)dim + 1, sizeof *r), *sum = calloc((size_t)dim + 1, sizeof *sum);
  if (!r || !sum) abort();
  kkt_multiply(s, x, r);
  for (int j = 0; j < dim; j++) {
    for (int e = s->ptr[j]; e < s->ptr[j + 1]; e++) {
      sum[s->row[e]] += fabs(s->values[e]);
      if (s->row[e] != j) sum[j] += fabs(s->values[e]);
    }
  }
  double worst = 0.0, norm = 0.0, x_max = 0.0, b_max = 0.0;
  for (int i = 0; i < dim; i++) {
    worst = fmax(worst, fabs(b[i] - r[i]));
    norm = fmax(norm, sum[i]);
    x_max = fmax(x_max, fabs(x[i]));
    b_max = fmax(b_max, fabs(b[i]));
    if (!isfinite(x[i])) worst = INFINITY;
  }
  free(r);
  free(sum);
  return worst == 0.0 ? 0.0 : worst / (norm * x_max + b_max);
}

void kkt_dense(const KktSystem *s, double *a) {
  size_t n = (size_t)s->map.dim;
  memset(a, 0, n * n * sizeof *a);
  for (size_t j = 0; j < n; j++) {
    for (int e = s->ptr[j]; e < s->ptr[j + 1]; e++) {
      size_t i = (size_t)s->row[e];
      a[i + j * n] += s->values[e];
      if (i != j) a[j + i * n] += s->values[e];
    }
  }
}

// ---- dense oracles ------------------------------------------------------------------------------

void dense_equilibrate(int n, double *a, double *scale) {
  size_t ld = (size_t)n;
  for (int i = 0; scale && i < n; i++) scale[i] = 1.0;
  double *root = calloc(ld + 1, sizeof *root);
  if (!root) abort();
  for (int round = 0; round < 10; round++) {
    for (size_t j = 0; j < ld; j++) {
      double largest = 0.0;
      for (size_t i = 0; i < ld; i++) largest = fmax(largest, fabs(a[i + j * ld]));
      root[j] = largest > 0.0 ? 1.0 / sqrt(largest) : 1.0;
    }
    for (size_t j = 0; j < ld; j++) {
      for (size_t i = 0; i < ld; i++) a[i + j * ld] *= root[i] * root[j];
      if (scale) scale[j] *= root[j];
    }
  }
  free(root);
}

// rotates rows and columns p, q so that a_pq becomes zero
static void rotate(size_t n, double *a, size_t p, size_t q) {
  double apq = a[p + q * n];
  double theta = (a[q + q * n] - a[p + p * n]) / (2.0 * apq);
  double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
  double c = 1.0 / hypot(1.0, t), s = t * c;
  for (size_t i = 0; i < n; i++) {
    double x = a[i + p * n], y = a[i + q * n];
    a[i + p * n] = c * x - s * y;
    a[i + q * n] = s * x + c * y;
  }
  for (size_t i = 0; i < n; i++) {
    double x = a[p + i * n], y = a[q + i * n];
    a[p + i * n] = c * x - s * y;
    a[q + i * n] = s * x + c * y;
  }
  a[p + q * n] = a[q + p * n] = 0.0;
}

void dense_eigenvalues(int n, double *a, double *w) {
  size_t ld = (size_t)n;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0.0, all = 0.0;
    for (size_t e = 0; e < ld * ld; e++) {
      all += a[e] * a[e];
      if (e % (ld + 1) != 0) off += a[e] * a[e];
    }
    if (off <= 1e-32 * all) break;
    for (size_t p = 0; p + 1 < ld; p++) {
      for (size_t q = p + 1; q < ld; q++) {
        if (fabs(a[p + q * ld]) > 1e-18 * sqrt(all)) rotate(ld, a, p, q);
      }
    }
  }
  for (size_t i = 0; i < ld; i++) w[i] = a[i + i * ld];
}

static const double ZERO = 1e-13;

static DenseInertia count(const double *w, int n) {
  DenseInertia out = {.smallest = INFINITY};
  double largest = 0.0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(w[i]));
  for (int i = 0; i < n; i++) {
    if (fabs(w[i]) <= ZERO * largest) {
      out.n_zero++;
      continue;
    }
    out.n_negative += w[i] < 0.0;
    out.smallest = fmin(out.smallest, fabs(w[i]) / largest);
  }
  return out;
}

DenseInertia dense_inertia_eigen(int n, double *a, double *work) {
  dense_equilibrate(n, a, NULL);
  dense_eigenvalues(n, a, work);
  return count(work, n);
}

static void swap_symmetric(size_t n, double *a, size_t p, size_t q) {
  for (size_t i = 0; p != q && i < n; i++) {
    double x = a[i + p * n];
    a[i + p * n] = a[i + q * n];
    a[i + q * n] = x;
  }
  for (size_t i = 0; p != q && i < n; i++) {
    double x = a[p + i * n];
    a[p + i * n] = a[q + i * n];
    a[q + i * n] = x;
  }
}

// Bunch and Parlett, "Direct methods for solving symmetric indefinite systems" (1971): A becomes L
// below its diagonal and D on it. block[i]: 1 or 2, the size of the pivot that starts at i, 0 inside one.
static int factor_pivots(int n_, double *a, int *order, int *block) {
  size_t n = (size_t)n_, k = 0;
  const double alpha = (1.0 + sqrt(17.0)) / 8.0;
  double first = 0.0;
  for (size_t i = 0; i < n; i++) order[i] = (int)i, block[i] = 1;
  while (k < n) {
    double diagonal = 0.0, off = 0.0;
    size_t d = k, p = k, q = k;
    for (size_t j = k; j < n; j++) {
      if (fabs(a[j + j * n]) > diagonal) diagonal = fabs(a[j + j * n]), d = j;
      for (size_t i = j + 1; i < n; i++) {
        if (fabs(a[i + j * n]) > off) off = fabs(a[i + j * n]), p = j, q = i;
      }
    }
    if (k == 0) first = fmax(diagonal, off);
    if (fmax(diagonal, off) <= ZERO * first) break;
    bool one = diagonal >= alpha * off;
    size_t size = one ? 1 : 2;
    if (one) p = d;
    swap_symmetric(n, a, k, p);
    int keep = order[k];
    order[k] = order[p], order[p] = keep;
    if (!one) {
      if (q == k) q = p;
      swap_symmetric(n, a, k + 1, q);
      keep = order[k + 1];
      order[k + 1] = order[q], order[q] = keep;
    }
    block[k] = (int)size;
    if (!one) block[k + 1] = 0;
    // columns of L, and what is left
    double e = a[k + k * n], f = one ? 0.0 : a[k + 1 + k * n],
           g = one ? 0.0 : a[k + 1 + (k + 1) * n];
    double det = e * g - f * f;
    for (size_t j = k + size; j < n; j++) {
      double x = a[j + k * n], y = one ? 0.0 : a[j + (k + 1) * n];
      double lx = one ? x / e : (g * x - f * y) / det, ly = one ? 0.0 : (e * y - f * x) / det;
      for (size_t i = j; i < n; i++) {
        a[i + j * n] -= a[i + k * n] * lx + (one ? 0.0 : a[i + (k + 1) * n] * ly);
        a[j + i * n] = a[i + j * n];
      }
    }
    for (size_t j = k + size; j < n; j++) {
      double x = a[j + k * n], y = one ? 0.0 : a[j + (k + 1) * n];
      a[j + k * n] = one ? x / e : (g * x - f * y) / det;
      if (!one) a[j + (k + 1) * n] = (e * y - f * x) / det;
    }
    k += size;
  }
  return (int)k;
}

DenseInertia dense_inertia_pivots(int n, double *a) {
  size_t ld = (size_t)n;
  int *order = calloc(2 * ld + 1, sizeof *order);
  double *w = calloc(ld + 1, sizeof *w);
  if (!order || !w) abort();
  dense_equilibrate(n, a, NULL);
  int rank = factor_pivots(n, a, order, order + n);
  for (size_t k = 0; k < (size_t)rank; k++) {
    double e = a[k + k * ld];
    w[k] = e;
    if (order[ld + k] != 2) continue;
    double f = a[k + 1 + k * ld], g = a[k + 1 + (k + 1) * ld];
    double mean = 0.5 * (e + g), radius = hypot(0.5 * (e - g), f);
    w[k] = mean + radius;
    w[++k] = mean - radius;
  }
  DenseInertia out = count(w, n);
  free(order);
  free(w);
  return out;
}

bool dense_solve(int n_, double *a, double *b) {
  size_t n = (size_t)n_;
  int *order = calloc(2 * n + 1, sizeof *order);
  double *scale = calloc(2 * n + 1, sizeof *scale), *y = scale + n;
  if (!order || !scale) abort();
  int *block = order + n;
  dense_equilibrate(n_, a, scale);
  bool regular = factor_pivots(n_, a, order, block) == n_;
  for (size_t i = 0; regular && i < n; i++) y[i] = b[order[i]] * scale[order[i]];
  for (size_t k = 0; regular && k < n; k++) {
    size_t skip = k + 1 < n && block[k] == 2 ? 2 : 1;
    for (size_t i = k + skip; i < n; i++) y[i] -= a[i + k * n] * y[k];
  }
  for (size_t k = 0; regular && k < n; k++) {
    if (block[k] == 1) y[k] /= a[k + k * n];
    if (block[k] != 2) continue;
    double e = a[k + k * n], f = a[k + 1 + k * n], g = a[k + 1 + (k + 1) * n], p = y[k],
           q = y[k + 1];
    double det = e * g - f * f;
    y[k] = (g * p - f * q) / det;
    y[k + 1] = (e * q - f * p) / det;
  }
  for (size_t k = n; regular && k-- > 0;) {
    size_t skip = k + 1 < n && block[k] == 2 ? 2 : 1;
    for (size_t i = k + skip; i < n; i++) y[k] -= a[i + k * n] * y[i];
  }
  for (size_t i = 0; regular && i < n; i++) b[order[i]] = y[i] * scale[order[i]];
  free(order);
  free(scale);
  return regular;
}
