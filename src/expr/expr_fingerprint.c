// SPDX-License-Identifier: MIT
#include "expr/expr_fingerprint.h"

#include <assert.h>
#include <math.h>

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;

__extension__ typedef unsigned __int128 Wide;

static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t s = a + b;
  return s >= PRIME ? s - PRIME : s;
}

uint64_t fingerprint_neg(uint64_t a) {
  return a ? PRIME - a : 0;
}

static uint64_t sub(uint64_t a, uint64_t b) {
  return add(a, fingerprint_neg(b));
}

static uint64_t mul(uint64_t a, uint64_t b) {
  Wide p = (Wide)a * b;
  return add((uint64_t)p & PRIME, (uint64_t)(p >> 61));
}

static uint64_t power(uint64_t a, uint64_t e) {
  uint64_t r = 1;
  for (; e; e >>= 1) {
    if (e & 1) r = mul(r, a);
    a = mul(a, a);
  }
  return r;
}

// 1 / a by Fermat's little theorem; 0 for 0
static uint64_t inverse(uint64_t a) {
  return power(a, PRIME - 2);
}

// a random-looking element, neither 0 nor 1 (splitmix64)
static uint64_t scramble(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u + 0x94d049bb133111ebu;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 2 + (z ^ (z >> 31)) % (PRIME - 2);
}

// 2^61 = 1 modulo p: exact values tell constants apart only within 61 powers of two. Constants outside of
// 2.8e-14 .. 65536 get values of their own instead.
enum { MIN_EXPONENT = -44, MAX_EXPONENT = MIN_EXPONENT + 60 };

uint64_t fingerprint_const(double value) {
  int e;
  double m = frexp(value, &e);
  uint64_t digits = (uint64_t)ldexp(m, 53);  // value = digits 2^(e - 53), exactly
  if (value != 0.0 && (e < MIN_EXPONENT || e > MAX_EXPONENT)) {
    return scramble(digits, (uint64_t)(e + 4096));
  }
  e -= 53;
  uint64_t scale = power(2, (uint64_t)(e < 0 ? -e : e));
  return mul(digits, e < 0 ? inverse(scale) : scale);
}

uint64_t fingerprint_input(int input, int i) {
  return scramble((uint64_t)input + 1, (uint64_t)i + 1);
}

// sin is odd and cos even: the random parameter belongs to x and -x
static uint64_t trigonometric(ExprOp op, uint64_t x) {
  uint64_t minus = fingerprint_neg(x);
  uint64_t t = scramble(x < minus ? x : minus, EXPR_N_OPS), tt = mul(t, t);
  uint64_t over = inverse(add(1, tt));
  if (op == EXPR_COS) return mul(sub(1, tt), over);
  uint64_t sine = mul(add(t, t), over);
  return x < minus ? sine : fingerprint_neg(sine);
}

uint64_t fingerprint_op(ExprOp op, uint64_t a, uint64_t b) {
  switch (op) {
    case EXPR_ADD: return add(a, b);
    case EXPR_SUB: return sub(a, b);
    case EXPR_MUL: return mul(a, b);
    case EXPR_DIV: return b ? mul(a, inverse(b)) : scramble(a, EXPR_DIV);
    case EXPR_NEG: return fingerprint_neg(a);
    case EXPR_SIN:
    case EXPR_COS: return trigonometric(op, a);
    case EXPR_SQRT:
    case EXPR_EXP:
    case EXPR_LOG: return scramble(a, (uint64_t)op);
    case EXPR_CONST:
    case EXPR_INPUT:
    case EXPR_N_OPS: break;
  }
  assert(!"no operation on fingerprints");
  return 0;
}

double fingerprint_sample(uint64_t a, int k) {
  uint64_t z = scramble(a, (uint64_t)k + 1);
  double x = 0.5 + (double)(z >> 9) / (double)(PRIME >> 9);
  return z & 1 ? -x : x;
}

uint64_t fingerprint_hash(uint64_t a) {
  uint64_t minus = fingerprint_neg(a);
  return scramble(a < minus ? a : minus, 0);
}
