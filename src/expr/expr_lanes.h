// SPDX-License-Identifier: MIT
// Eight points side by side, and sine and cosine of them at once. Included by the evaluator and
// written into generated lane-wise C, so that both compute the same bits.
//
// sincos: x = n pi/2 + r with pi/2 in three parts of 33 bits (exact products up to |n| = 2^20), then
// the minimax polynomials of fdlibm's kernel functions on |r| <= pi/4 (Sun 1993; below 1 ulp each).
// Arguments beyond LANE_LARGE, infinities and NaN take the C library's way.
#ifndef POISE_EXPR_LANES_H
#define POISE_EXPR_LANES_H

#include <math.h>

#define LANE_WIDTH 8
#define LANE_LARGE 1e6

typedef double Lane __attribute__((vector_size(8 * LANE_WIDTH)));
typedef long long LaneBits __attribute__((vector_size(8 * LANE_WIDTH)));

#define LANE_INLINE static inline __attribute__((always_inline, unused))

LANE_INLINE void lane_sincos_slow(const Lane *x, Lane *s, Lane *c) {
  Lane xs = *x, ys = xs, yc = xs;
  for (int i = 0; i < LANE_WIDTH; i++) {
    ys[i] = sin(xs[i]);
    yc[i] = cos(xs[i]);
  }
  *s = ys;
  *c = yc;
}

LANE_INLINE int lane_any(const LaneBits *m) {
  long long any = 0;
  for (int i = 0; i < LANE_WIDTH; i++) any |= (*m)[i];
  return any != 0;
}

LANE_INLINE void lane_sincos(const Lane *px, Lane *ps, Lane *pc) {
  const Lane x = *px;
  const LaneBits inside = (x < LANE_LARGE) & (x > -LANE_LARGE);
  const LaneBits large = ~inside;
  if (__builtin_expect(lane_any(&large), 0)) {
    lane_sincos_slow(px, ps, pc);
    return;
  }
  // n = nearest integer to 2 x / pi; its low bits stand in the low bits of t
  const double magic = 6755399441055744.0;
  const Lane t = x * 6.36619772367581382433e-01 + magic;
  const Lane n = t - magic;
  const LaneBits quadrant = (LaneBits)t;
  const Lane r = ((x - n * 1.57079632673412561417e+00) - n * 6.07710050630396597660e-11) -
                 n * 2.02226624879595063154e-21;

  const Lane z = r * r;
  const Lane ps5 = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const Lane sine = r + r * z * (-1.66666666666666324348e-01 + z * ps5);
  const Lane pc6 =
      4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 +
                     z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  const Lane half = 0.5 * z, w = 1.0 - half;
  const Lane cosine = w + ((1.0 - w) - half + z * z * pc6);

  // odd quadrants swap, sin changes sign in 2 and 3, cos in 1 and 2
  const LaneBits swap = -(quadrant & 1);
  const LaneBits sign_s = (quadrant & 2) << 62, sign_c = ((quadrant + 1) & 2) << 62;
  const LaneBits bs = (LaneBits)sine, bc = (LaneBits)cosine;
  *ps = (Lane)(((bc & swap) | (bs & ~swap)) ^ sign_s);
  *pc = (Lane)(((bs & swap) | (bc & ~swap)) ^ sign_c);
}

LANE_INLINE void lane_sqrt(const Lane *x, Lane *y) {
  Lane xs = *x, ys = xs;
  for (int i = 0; i < LANE_WIDTH; i++) ys[i] = sqrt(xs[i]);
  *y = ys;
}

// A one-argument function of the C library, point by point.
LANE_INLINE void lane_map(double (*f)(double), const Lane *x, Lane *y) {
  Lane xs = *x, ys = xs;
  for (int i = 0; i < LANE_WIDTH; i++) ys[i] = f(xs[i]);
  *y = ys;
}

// Where element k of point j lies: p[k * item + j * point].
typedef struct LaneIn {
  const double *p;
  long long item, point;
} LaneIn;
typedef struct LaneOut {
  double *p;  // NULL: not wanted
  long long item, point;
} LaneOut;

// Eight points from `first` on; behind the last one (of n) the last is repeated.
LANE_INLINE void lane_load(const LaneIn *in, long long k, long long first, long long n, Lane *x) {
  const double *p = in->p + k * in->item + first * in->point;
  if (first + LANE_WIDTH <= n && in->point == 1) {
    __builtin_memcpy(x, p, sizeof *x);
    return;
  }
  Lane y = {0};
  for (int i = 0; i < LANE_WIDTH; i++) {
    long long j = first + i < n ? i : n - 1 - first;
    y[i] = p[j * in->point];
  }
  *x = y;
}

LANE_INLINE void lane_store(const LaneOut *out, long long k, long long first, long long n,
                            const Lane *x) {
  double *p = out->p + k * out->item + first * out->point;
  if (first + LANE_WIDTH <= n && out->point == 1) {
    __builtin_memcpy(p, x, sizeof *x);
    return;
  }
  Lane y = *x;
  for (int i = 0; i < LANE_WIDTH && first + i < n; i++) p[i * out->point] = y[i];
}

#endif
