// SPDX-License-Identifier: MIT
// How a KKT matrix is held and eliminated. With the unknowns u and equations e inside interval k, and w what they
// touch outside (nodes k and k + 1, border),
//   [ H  G^T  P^T ]
//   [ G   0   Q^T ]     Y = -G^-1 Q^T,   T = H Y + P^T,   S = R + Y^T H Y + P Y + Y^T P^T
//   [ P   Q    R  ]
// only needs an LU of G. G is eliminated in two parts: first *known pivots*, rows and columns so sparse that
// eliminating them touches few others (linear collocation rows: found once, by Markowitz' count), then
// the dense rest with row pivoting. Where G is not square, not regular, or the zero block isn't zero (regularised
// systems), the inside becomes one dense front with 1x1 and 2x2 pivots and passes on what finds no pivot.
// w is ordered: those that touch equations (nq, columns of Q^T), then those that touch only unknowns.
#ifndef POISE_SOLVER_KKT_INTERNAL_H
#define POISE_SOLVER_KKT_INTERNAL_H

#include "base/arena.h"
#include "solver/kkt.h"
#include "solver/kkt_dense.h"

// A place in the blocks of an inside: KKT_AT + 4 times the entry of H, T, P, or the place in S.
enum { KKT_AT_H, KKT_AT_T, KKT_AT_P, KKT_AT_S };

// Inequality row a x - s, multiplier z: slack and multiplier are eliminated as a pair, [E c; c -d],
// which adds weight a_i a_j to H with weight = E / (c^2 + E d).
typedef struct KktPair {
  int slack, row;                   // unknowns
  int at_slack, at_couple, at_row;  // values: E, c, -d; -1: absent
  int n_entry;                      //
  int *unknown;                     // n_entry
  int *from;                        // n_entry, values
  double *coef;                     // n_entry, now
  double E, c, d, det;              // now; det = c^2 + E d, 0: the pair is singular
  int *to;                          // n_entry (n_entry + 1) / 2: of entries i, j <= i
} KktPair;

// Known pivots of the insides with one pattern, by position: row p, column p.
typedef struct KktPrelude {
  int n;          // pivots
  int *row_ptr;   // n + 1: rows below with an entry in column p
  int *row;       //
  int *col_ptr;   // n + 1: columns right of p in row p, inside G
  int *col;       // in W
  int *at;        // the same as positions
  int *tail_ptr;  // n + 1: columns of Q^T in row p, in blocks of KKT_LANES
  int *tail;      //
} KktPrelude;

// Insides with the same pattern share places and known pivots.
typedef struct KktClass {
  int nu, ne, nq, nw;  // unknowns, equations; outside: that touch equations, all
  int ldr;             // padded size of the dense rest of G
  int ldg, ldq, ldw;   // columns of G and of Q^T, padded, and their sum: row length of W
  int lds;             // padded nw
  int n_entry;         // of G and Q^T: local row, column (nu + q for Q^T)
  int *entry_row;      // n_entry
  int *entry_col;      // n_entry
  int n_h;             // entries of H, lower triangle, local unknowns
  int *h_row, *h_col;  // n_h
  int n_t;             // entries of P^T, columns < nq
  int *t_row, *t_col;  // n_t, local unknown, outside
  int n_p;             // entries of P^T, columns >= nq: by column
  int *p_ptr;          // nw - nq + 1
  int *p_row;          // n_p, position of the unknown
  int *p_local;        // n_p, local unknown

  // in positions, once the known pivots are chosen
  bool ready;          //
  int *u_at, *e_at;    // nu, ne: position of local unknown, equation
  KktPrelude prelude;  //
  int *h_ptr;          // nu + 1: full symmetric H by rows
  int *h_at;           // positions of columns
  int *h_entry;        // entry (0 .. n_h) it comes from
  int *g_to;           // n_entry: place in [G | Q^T]
  int *t_to;           // n_t: place in T
} KktClass;

// One interval's inside.
typedef struct KktInside {
  KktClass *c;          //
  int *unknown;         // nu, unknowns of the matrix by position
  int *equation;        // ne, by position of the row
  int *unknown_local;   // nu, by local number
  int *equation_local;  // ne
  int *outside;         // nw, unknowns of the matrix
  int *entry_from;      // n_entry, values
  int *h_from;          // n_h
  int *t_from;          // n_t
  int *p_from;          // n_p
  int *d_from;          // ne, diagonal of equations, local; -1: none
  int n_pair;           //
  KktPair *pair;        // inequalities of this interval
  double *lower,
      *upper;  // of the known pivots: multipliers, rows to the right, as the prelude lists them
  double *inverse;         // known pivots, inverted
  double *lu;              // dense rest of G, ldr apart
  double *Y;               // nu x ldq
  double *H;               // h_ptr[nu]: -H by rows, both triangles
  double *T;               // nu x ldq
  double *P;               // n_p
  double *S;               // nw x lds, upper triangle by rows
  int *swap;               // nu
  bool general;            // eliminated as a front
  bool failed;             // out of memory
  struct KktFront *front;  // where general
} KktInside;

// Room of one thread, for the largest inside.
typedef struct KktScratch {
  double *W;     // ne x ldw: [G | Q^T], then LU and Y
  double *H;     // n_h: entries of H
  double *half;  // nu x ldq
  double *row;   // ldr: scales of the dense rest of G
  double *col;   // ldr
} KktScratch;

// A dense front. Unknowns: own ones first (fully summed), then those it touches.
typedef struct KktFront {
  int n_own, n_all;  // without delayed ones
  int *unknown;      // n_all
  int n, nf;         // with delayed ones, now
  int ld;            //
  double *a;         // n x ld
  size_t room;       // doubles held at a
  int cap;           // ints and doubles held at the next five
  int *index;        // n, unknowns of the matrix, permuted
  double *d;         // 2 n
  double *x;         // n, of the solve under way
  double *size;      // n, see kkt_ldl
  KktLdl ldl;        //
  int n_move;        // node fronts: entries of the matrix
  int *move_row;     // n_move, unknowns
  int *move_col;     // n_move
  int *move_from;    // n_move
  int pair_first;    // node fronts: their inequalities among those of the Kkt
  int pair_end;      //
} KktFront;

struct Kkt {
  Arena *arena;
  KktMap map;
  int n_value;  // entries of the matrix
  int n_class;
  KktClass **cls;
  KktInside *inside;     // n_stage
  KktFront *node;        // n_stage + 2: the nodes, then the border
  int n_pair;            // inequalities between nodes only
  KktPair *pair;         //
  int *where;            // dim, place of an unknown in the front under way
  int *at;               // dim, scratch
  double *size;          // dim, of the unknowns of fronts (kkt_ldl)
  int threads;           //
  int n_scratch;         // threads that have their room
  KktScratch *scratch;   // n_scratch
  double *work;          // of solves
  struct KktTeam *team;  // NULL: one thread
  const double *values;  // of the factorisation under way
  int n_again;           // places that the pattern has before: their values are added there
  int (*again)[2];       // n_again: value, the first of its place
  double *merged;        // n_value, where n_again > 0
  double u;
  struct KktFront *insides;  // n_stage, empty unless general
};

// Chooses the known pivots of a class from the values of one inside (n_entry, of G and Q^T) and fills
// what follows from them. False when out of memory.
bool kkt_class_prepare(KktClass *c, const double *values, Arena *arena);

// Column of W in which an unknown at this position stands: the dense rest begins at a whole register.
static inline int kkt_column(const KktClass *c, int at) {
  return at < c->prelude.n ? at : kkt_pad(c->prelude.n) + at - c->prelude.n;
}

// The values of a pair; the weight it has.
void kkt_pair_load(KktPair *p, const double *values);
static inline double kkt_pair_weight(const KktPair *p) {
  return p->det == 0.0 ? 0.0 : p->E / p->det;
}

// One inside, from the values: blocks, elimination, Schur complement S.
void kkt_inside_factor(Kkt *k, KktInside *s, const KktScratch *room);
// Its part of a solve: x (dim) in place; work: 3 nu + nq with padding.
void kkt_inside_forward(const KktInside *s, double *x, double *work);
void kkt_inside_backward(const KktInside *s, double *x, double *work);

// Fronts. begin: makes room for n unknowns, the first nf fully summed; entries and sizes are zeroed. False when out of memory.
bool kkt_front_begin(KktFront *f, int n, int nf);
void kkt_front_factor(KktFront *f, double u);
void kkt_front_forward(const KktFront *f, double *x);
void kkt_front_backward(const KktFront *f, double *x);
void kkt_front_free(KktFront *f);

// Runs work(k, i, thread) for i in [0, n), shared by the team's threads.
void kkt_team_run(Kkt *k, int n, void (*work)(Kkt *k, int i, int thread));
struct KktTeam *kkt_team_new(int n);
void kkt_team_free(struct KktTeam *team);

#endif
