// SPDX-License-Identifier: MIT
// The grid of a problem: points and controls, and where the points lie. Gauss: zeros of the
// Legendre polynomial P_d; Radau: zeros of P_d - P_{d-1}, the last of them at 1 (Hairer and Wanner,
// Solving ODEs II, ch. IV.5).
#include <math.h>

#include "ocp/ocp.h"

enum { SEARCH_STEPS = 64, BISECTIONS = 80 };  // per degree; until the last bit

int ocp_n_point(const Ocp *o) {
  return o->degree;
}

int ocp_n_control(const Ocp *o) {
  switch (o->scheme) {
    case OCP_TRAPEZOIDAL: return o->n_interval + 1;
    case OCP_HERMITE_SIMPSON: return 2 * o->n_interval + 1;
    default: return o->n_interval;
  }
}

double ocp_node(const Ocp *o, int k) {
  return o->node ? o->node[k] : (double)k / o->n_interval;
}

double ocp_width(const Ocp *o, int k) {
  return o->node ? o->node[k + 1] - o->node[k] : 1.0 / o->n_interval;
}

bool ocp_tied(const Ocp *o, int c) {
  return o->piece && ocp_n_control(o) == o->n_interval && o->piece[c] == o->piece[c + 1];
}

// length of the piece that interval k belongs to
static double piece_width(const Ocp *o, int k) {
  int first = k, last = k;
  while (first > 0 && ocp_tied(o, first - 1)) first--;
  while (last + 1 < o->n_interval && ocp_tied(o, last)) last++;
  return first == last ? ocp_width(o, k) : ocp_node(o, last + 1) - ocp_node(o, first);
}

double ocp_control_gap(const Ocp *o, int c) {
  int n = ocp_n_control(o);
  if (n == o->n_interval + 1) return ocp_width(o, c);
  if (n > o->n_interval) return 0.5 * ocp_width(o, c / 2);
  if (ocp_tied(o, c)) return 0.0;
  return 0.5 * (piece_width(o, c) + piece_width(o, c + 1));
}

// P_d(x), or P_d(x) - P_{d-1}(x), by the three-term recurrence
static double legendre(OcpScheme scheme, int d, double x) {
  double last = 1, p = x;
  for (int n = 1; n < d; n++) {
    double next = ((2 * n + 1) * x * p - n * last) / (n + 1);
    last = p;
    p = next;
  }
  return scheme == OCP_RADAU ? p - last : p;
}

static double bisect(OcpScheme scheme, int d, double lo, double hi) {
  bool rising = legendre(scheme, d, hi) > 0;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = 0.5 * (lo + hi);
    if ((legendre(scheme, d, middle) > 0) == rising) hi = middle;
    else lo = middle;
  }
  return 0.5 * (lo + hi);
}

// all zeros in (-1, 1), ascending, mapped to (0, 1): the polynomial changes sign at each of them
static int find_zeros(OcpScheme scheme, int d, int n, double *point) {
  int found = 0, steps = SEARCH_STEPS * d;
  double last = -1;
  for (int i = 1; i < steps && found < n; i++) {
    double x = -cos(M_PI * (i + 0.25) / steps);  // zeros crowd towards the ends
    bool crossed = (legendre(scheme, d, last) > 0) != (legendre(scheme, d, x) > 0);
    if (crossed) point[found++] = 0.5 * (1 + bisect(scheme, d, last, x));
    last = x;
  }
  return found;
}

void ocp_points(const Ocp *o, double *point) {
  int d = ocp_n_point(o);
  switch (o->scheme) {
    case OCP_GAUSS: find_zeros(OCP_GAUSS, d, d, point); break;
    case OCP_RADAU:
      find_zeros(OCP_RADAU, d, d - 1, point);
      point[d - 1] = 1;
      break;
    case OCP_TRAPEZOIDAL:
    case OCP_HERMITE_SIMPSON:
      for (int j = 0; j < d; j++) point[j] = (double)j / (d - 1);
      break;
  }
}
